# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The settings of each kind of product as pydantic models, for the frameworks that take these."""

from __future__ import annotations

import json
import uuid
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

DATA = json.loads(Path(__file__).with_name("catalogue.json").read_text(encoding="utf-8"))
Template = Literal[tuple(DATA["templates"])]
Hostname = Annotated[str, Field(max_length=253, pattern=r"^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9-]+)*$")]


class Settings(BaseModel):
    model_config = ConfigDict(extra="forbid", populate_by_name=False)


class Vps(Settings):
    hostname: Hostname
    template: Template


class ConfigurableVps(Settings):
    cpu_cores: Annotated[int, Field(ge=1, le=10)]
    ram: Annotated[int, Field(ge=1024, le=DATA["org_max_ram"], multiple_of=1024, description="RAM in MB")]
    disk_size: Annotated[int, Field(ge=10, le=1000, multiple_of=10)]
    username: Annotated[str, Field(min_length=3, max_length=32, pattern="^[A-Za-z0-9]+$")]
    password: str
    template_name: Template
    hostname: Hostname
    ipv4_addresses: Annotated[int, Field(ge=1, le=10)]
    traffic_display: Annotated[int, Field(ge=128, multiple_of=128)]
    backup_count: Annotated[int, Field(ge=5)]
    snapshot_count: Annotated[int, Field(ge=2)]
    ha_upgrade: bool
    upgrade_10g: bool = Field(alias="10g_upgrade")


class DedicatedServer(Settings):
    hostname: Hostname
    template: Template
    ip4_subnet_size: Annotated[int, Field(ge=25, le=29)] | None = None
    ip4_count: Annotated[int, Field(ge=1, le=10)] | None = None
    ip6_subnet_size: Annotated[int, Field(ge=48, le=64)] | None = None
    existing_l2vpn: uuid.UUID | None = None


class Webhosting(Settings):
    pass


class Domain(Settings):
    domain: Annotated[str, Field(max_length=253)]
    action: Literal["register", "transfer"]
    authcode: str | None = None
    nameservers: str | None = None
    ownercRef: str | None = None  # noqa: N815 - the interface's names
    ownercData: str | None = None  # noqa: N815
    admincRef: str | None = None  # noqa: N815
    admincData: str | None = None  # noqa: N815


SETTINGS: dict[str, type[Settings]] = {
    "vps": Vps,
    "configurable_vps": ConfigurableVps,
    "dedicated_server": DedicatedServer,
    "webhosting": Webhosting,
    "domain": Domain,
}
PRODUCTS = {product["id"]: product for product in DATA["products"]}
