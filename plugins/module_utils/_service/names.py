# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The names of things that services use, folded: for the elements of an order, of records and of answers.

Everything more exotic is for the file of the service.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

#: Elements that name the contract's id whatever they stand in, and those that do so in its own record.
CONTRACT_IDS = ("contractid", "contractuuid")
OWN_IDS = ("id", "uuid", "@id", "identifier", "guid", "contractnumber", "contractno")


def _each(names: str) -> tuple[str, ...]:
    return tuple(names.split())


def _with_ids(nouns: Sequence[str]) -> tuple[str, ...]:
    return tuple(f"{noun}{ending}" for noun in nouns for ending in ("uuid", "id", ""))


#: The words for an end user and a product, the most telling first, and further ones that name an element of an order.
END_USERS = _each("enduser customer client owner account user tenant holder kunde target")
ORDERED_FOR = _each("organi[sz]ation org recipient beneficiary subscriber member buyer nutzer mandant for onbehalfof")
PRODUCTS = _each("product article tariff plan offer package")
ORDERED = _each("item artikel sku paket tarif angebot service")
#: The words of the specification.
OWN_END_USERS = _each("enduser endusertarget endcustomer endclient endkunde endnutzer")
OWN_PRODUCTS = _each("product produkt")

#: The names of each field of contracts, the most telling first.
NAMES: Mapping[str, Sequence[str]] = {
    "id": (*CONTRACT_IDS, *OWN_IDS, "number"),
    "hostname": _each("hostname fqdn servername host name label displayname title"),
    "domain": _each("domain domainname fqdn hostname name label displayname title"),
    "product": _with_ids(PRODUCTS),
    "end_user": _with_ids(END_USERS),
    "state": _each("status state contractstatus contractstate"),
    "ends_at": _each(
        "endsat endson enddate cancelledto canceledto cancelledat canceledat terminatedat terminationdate validuntil "
        "expiresat expirydate endedat deletedat"
    ),
    "address": _each("ipv4address ipaddress primaryip mainip ipv4 ip address ips ipaddresses"),
}
#: The names of the fields of end users, in a list of them.
END_USER_NAMES: Mapping[str, Sequence[str]] = {
    "id": _with_ids(("enduser", "customer", "")),
    "organization_id": (*_with_ids(("organization", "organisation", "org")), "organizationnumber"),
    "name": _each("customernumber number reference name company"),
}
#: The last step of the path of a list of end users.
END_USER_LISTS = _each("endusers customers clients organizations organisations accounts subaccounts users")
