# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Records: an order, and those that the simulated service starts with. Tests read their identifiers from here."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

#: No part of it stands in a UUID by chance, for those who look for parts of it.
API_KEY = "sim-key-7w3k9z1v5q2x4m8r"
ORGANIZATION_ID = "4200"
ORG_MAX_RAM = 65536

# The organization of END_USER has a smaller limit of its own, which holds when X-Organization-ID names it.
END_USER = "d19f51a8-e747-452b-89a9-286bfa544c77"
END_USER_ORGANIZATION_ID = "4201"
END_USER_ORG_MAX_RAM = 16384
OTHER_END_USER = "85c6fa90-c539-4eb3-ad3a-5991a524246b"
OTHER_END_USER_ORGANIZATION_ID = "4202"

# A reseller of its own: nothing of it may be reached with the keys above.
FOREIGN_API_KEY = "sim-key-9y4t2p6h8w5m7r3x"
FOREIGN_ORGANIZATION_ID = "9900"
FOREIGN_END_USER = "e2dec0dd-e738-4258-9521-37d4d0aae928"

SELF = "__self__"

FRANKFURT = "FRA1"
AMSTERDAM = "AMS2"

OS_TEMPLATES = {
    "debian-12": "Debian 12 (Bookworm)",
    "debian-13": "Debian 13 (Trixie)",
    "ubuntu-24.04": "Ubuntu 24.04 LTS",
    "rocky-9": "Rocky Linux 9",
    "Windows Server 2022": "Windows Server 2022 Standard",
}
OS_TEMPLATE = "debian-12"

VPS = "vps"
CONFIGURABLE_VPS = "configurable_vps"
DEDICATED_SERVER = "dedicated_server"
WEBHOSTING = "webhosting"
DOMAIN = "domain"


@dataclass(frozen=True, slots=True)
class Organization:
    """An organization: a reseller's own, or the default one of an end-user."""

    id: str
    reseller: str
    end_user: str | None = None
    org_max_ram: int = ORG_MAX_RAM


@dataclass(frozen=True, slots=True)
class Product:
    """An orderable offer. ``type`` is not published, as the interface's description has no such field."""

    id: str
    name: str
    type: str
    description: str = ""
    location: str | None = None


@dataclass(frozen=True, slots=True)
class L2vpn:
    """A layer-2 network object with its location and the organization that may use it."""

    id: str
    location: str
    organization: str


@dataclass(frozen=True, slots=True)
class Order:
    """One accepted order, which is one contract. ``at`` is in seconds since 1970."""

    id: str
    at: float
    organization: str
    end_user: str
    product: Product
    body: dict[str, Any]
    l2vpn: str | None = None

    @property
    def settings(self) -> dict[str, Any]:
        """The settings as they were sent."""
        return self.body.get("settings") or {}

    @property
    def shown_settings(self) -> dict[str, Any]:
        """Those that are shown later."""
        return {name: value for name, value in self.settings.items() if name not in ("password", "authcode")}

    @property
    def made(self) -> datetime:
        """When it was accepted, in UTC."""
        return datetime.fromtimestamp(self.at, UTC)


OWNER_CONTACT = "OC-10001"
ADMIN_CONTACT = "AC-20001"
FOREIGN_OWNER_CONTACT = "OC-99001"

#: The organization of each reseller, by its API key, and the contacts that its domains may refer to.
RESELLERS = {API_KEY: ORGANIZATION_ID, FOREIGN_API_KEY: FOREIGN_ORGANIZATION_ID}
OWNER_CONTACTS = {ORGANIZATION_ID: {OWNER_CONTACT}, FOREIGN_ORGANIZATION_ID: {FOREIGN_OWNER_CONTACT}}
ADMIN_CONTACTS: dict[str, set[str]] = {ORGANIZATION_ID: {ADMIN_CONTACT}, FOREIGN_ORGANIZATION_ID: set()}

ORGANIZATIONS = (
    Organization(ORGANIZATION_ID, ORGANIZATION_ID),
    Organization(END_USER_ORGANIZATION_ID, ORGANIZATION_ID, END_USER, END_USER_ORG_MAX_RAM),
    Organization(OTHER_END_USER_ORGANIZATION_ID, ORGANIZATION_ID, OTHER_END_USER),
    Organization(FOREIGN_ORGANIZATION_ID, FOREIGN_ORGANIZATION_ID),
    Organization("9901", FOREIGN_ORGANIZATION_ID, FOREIGN_END_USER),
)

L2VPN = "f74f643b-5b63-4de7-a83f-fc842d43a998"
L2VPN_ELSEWHERE = "afaea70e-a90a-4deb-a920-ec06fb09a4ff"
SELF_L2VPN = "16ced3d6-a87d-4a56-81b0-869c7e9272c3"
FOREIGN_L2VPN = "d75cfaf7-1fb5-4b5e-8243-4d55118c0d71"

L2VPNS = (
    L2vpn(L2VPN, FRANKFURT, END_USER_ORGANIZATION_ID),
    L2vpn(L2VPN_ELSEWHERE, AMSTERDAM, END_USER_ORGANIZATION_ID),
    L2vpn(SELF_L2VPN, FRANKFURT, ORGANIZATION_ID),
    L2vpn(FOREIGN_L2VPN, FRANKFURT, FOREIGN_ORGANIZATION_ID),
)

VPS_S = "822b73a4-74f1-45e9-8acf-ebd4b55e7470"
VPS_M = "43444cec-30eb-4f99-a44d-4e7c1373723d"
VPS_L = "de1fc128-e7fa-42f8-b789-c12b84947105"
VPS_KONFIGURATOR = "fb8663c7-70b6-4d81-9750-c0d2b5697107"
DEDICATED_FRANKFURT = "b0317861-b25b-4b20-8595-f5e80c3fd790"
DEDICATED_AMSTERDAM = "87fd8560-76ca-4469-bd86-d636b5cf1c47"
WEBHOSTING_START = "b5c65dde-a2e9-455d-b1cc-3b09998965dd"
WEBHOSTING_PRO = "ef9143d0-cece-4e68-a0ee-33abc7667f5e"
DOMAIN_DEFAULT = "0d6d810e-dec2-4a06-8fe5-7d7698d97ae6"

PRODUCTS = (
    Product(VPS_S, "VPS S", VPS, "1 core, 2 GB RAM, 40 GB disk"),
    Product(VPS_M, "VPS M", VPS, "2 cores, 4 GB RAM, 80 GB disk"),
    Product(VPS_L, "VPS L", VPS, "4 cores, 8 GB RAM, 160 GB disk"),
    Product("0a27d35f-03d6-43aa-8642-4f5a41a9a196", "HA VPS S", VPS, "2 cores, 4 GB RAM, 80 GB disk, clustered"),
    Product("d379f3cd-a7b9-463b-ad77-912ea3809504", "HA VPS M", VPS, "4 cores, 8 GB RAM, 160 GB disk, clustered"),
    Product("8bc7be19-45d4-45a7-b01d-bb4638714911", "VDS S", VPS, "4 dedicated cores, 16 GB RAM, 320 GB disk"),
    Product("6ca49e9e-1486-40f3-a5a9-1f6ccb7a99ce", "VDS M", VPS, "8 dedicated cores, 32 GB RAM, 640 GB disk"),
    Product("a1647b6b-21f1-4afb-a940-9ca09ce94cba", "Storage VPS 1 TB", VPS, "1 core, 2 GB RAM, 1 TB disk"),
    Product("ca95f62f-a544-405f-a3c6-423977e7fd31", "Storage VPS 2 TB", VPS, "2 cores, 4 GB RAM, 2 TB disk"),
    Product(VPS_KONFIGURATOR, "VPS-Konfigurator", CONFIGURABLE_VPS, "Choose cores, RAM and disk"),
    Product(DEDICATED_FRANKFURT, "Dedicated Server E-2388", DEDICATED_SERVER, "8 cores, 64 GB RAM", FRANKFURT),
    Product(
        "f58aac00-63f0-4bf7-a5ea-ec712485a6f2",
        "Dedicated Server 7443P",
        DEDICATED_SERVER,
        "24 cores, 256 GB RAM",
        FRANKFURT,
    ),
    Product(DEDICATED_AMSTERDAM, "Dedicated Server E-2388 AMS", DEDICATED_SERVER, "8 cores, 64 GB RAM", AMSTERDAM),
    Product(WEBHOSTING_START, "Webhosting Start", WEBHOSTING, "10 GB web space"),
    Product(WEBHOSTING_PRO, "Webhosting Pro", WEBHOSTING, "100 GB web space"),
    Product(DOMAIN_DEFAULT, "domain-default", DOMAIN, "Any domain, billed yearly"),
)
