# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The settings that each product type publishes in its ``options`` entry, as each shape writes them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from . import data


@dataclass(frozen=True, slots=True)
class Option:
    """One setting that a product accepts. ``choices`` maps a value to its label."""

    name: str
    label: str
    type: str = "string"
    required: bool = True
    nullable: bool = False
    minimum: int | None = None
    maximum: int | None = None
    step: int | None = None
    length: tuple[int, int] | None = None
    pattern: str | None = None
    format: str | None = None
    choices: dict[str, str] | None = None
    instead_of: str | None = None
    may_be_empty: bool = False


HOSTNAME = Option("hostname", "Hostname", format="hostname")
TEMPLATE = Option("template", "OS template", choices=data.OS_TEMPLATES)


def configurable_vps(org_max_ram: int) -> tuple[Option, ...]:
    """The options of the configurable VPS for an organization."""
    return (
        Option("cpu_cores", "Number of CPU cores", "integer", minimum=1, maximum=10, step=1),
        Option("ram", "RAM in MB", "integer", minimum=1024, maximum=org_max_ram, step=1024),
        Option("disk_size", "Disk size in GB", "integer", minimum=10, maximum=1000, step=10),
        Option("username", "Username", length=(3, 32), pattern="^[A-Za-z0-9]+$"),
        Option("password", "Password", format="password"),
        Option("template_name", "OS template", choices=data.OS_TEMPLATES),
        HOSTNAME,
        Option("ipv4_addresses", "Number of IPv4 addresses", "integer", minimum=1, maximum=10, step=1),
        Option("traffic_display", "Traffic in GB", "integer", minimum=128, step=128),
        Option("backup_count", "Number of backups allowed", "integer", minimum=5, step=1),
        Option("snapshot_count", "Number of snapshots allowed", "integer", minimum=2, step=1),
        Option("ha_upgrade", "Upgrade to HA VPS", "boolean"),
        Option("10g_upgrade", "Upgrade to 10G uplink", "boolean"),
    )


DEDICATED_SERVER = (
    HOSTNAME,
    TEMPLATE,
    Option("ip4_subnet_size", "IPv4 subnet", "integer", False, minimum=25, maximum=29, instead_of="ip4_count"),
    Option("ip4_count", "IPv4 addresses", "integer", False, True, minimum=1, maximum=10, instead_of="ip4_subnet_size"),
    Option("ip6_subnet_size", "IPv6 subnet", "integer", False, minimum=48, maximum=64),
    Option("existing_l2vpn", "Existing L2VPN", required=False, format="uuid"),
)
DOMAIN = (
    Option("domain", "Domain name", format="domain"),
    Option("action", "Action", choices={"register": "Register", "transfer": "Transfer"}),
    Option("authcode", "Authcode", required=False, format="password"),
    Option("nameservers", "Nameservers, separated by spaces", required=False, format="nameservers"),
    Option("ownercRef", "OwnerC contact", required=False, instead_of="ownercData"),
    Option("ownercData", "OwnerC data", required=False, format="json", instead_of="ownercRef"),
    Option("admincRef", "AdminC contact", required=False, instead_of="admincData"),
    Option("admincData", "AdminC data", required=False, format="json", instead_of="admincRef"),
)


def options_of(product_type: str, org_max_ram: int) -> tuple[Option, ...]:
    """The settings that products of *product_type* accept."""
    if product_type == data.CONFIGURABLE_VPS:
        return configurable_vps(org_max_ram)
    return {
        data.VPS: (HOSTNAME, TEMPLATE),
        data.DEDICATED_SERVER: DEDICATED_SERVER,
        data.WEBHOSTING: (),
        data.DOMAIN: DOMAIN,
    }[product_type]


def present(**values: Any) -> dict[str, Any]:
    """The *values* that are there."""
    return {name: value for name, value in values.items() if value is not None}


def labelled(choices: dict[str, str] | None) -> list[dict[str, str]] | None:
    """The choices as a list of objects."""
    return None if choices is None else [{"value": value, "label": label} for value, label in choices.items()]


def as_list(options: Iterable[Option]) -> list[dict[str, Any]]:
    """A list of objects: name, type, required, and the bounds by their plain names."""
    return [
        present(
            name=option.name,
            label=option.label,
            type="select" if option.choices else option.type,
            required=option.required,
            nullable=option.nullable or None,
            min=option.minimum,
            max=option.maximum,
            step=option.step,
            minLength=option.length and option.length[0],
            maxLength=option.length and option.length[1],
            pattern=option.pattern,
            values=option.choices and list(option.choices),
        )
        for option in options
    ]


def as_constraints(options: Iterable[Option]) -> dict[str, Any]:
    """A mapping of names to a type and constraints named as a well-known PHP validator names them."""
    found = {}
    for option in options:
        bounds = present(min=option.minimum, max=option.maximum)
        constraints = present(
            NotBlank={} if option.required and option.type != "boolean" else None,
            NotNull={} if option.required and option.type == "boolean" else None,
            Type={"type": {"integer": "int", "boolean": "bool"}.get(option.type, "string")},
            Range=bounds or None,
            DivisibleBy={"value": option.step} if option.step else None,
            Length={"min": option.length[0], "max": option.length[1]} if option.length else None,
            Regex={"pattern": f"/{option.pattern}/"} if option.pattern else None,
            Hostname={"requireTld": False} if option.format in ("hostname", "domain") else None,
            Uuid={} if option.format == "uuid" else None,
            Json={} if option.format == "json" else None,
            Choice={"choices": list(option.choices)} if option.choices else None,
        )
        found[option.name] = present(
            type="choice" if option.choices else option.type,
            label=option.label,
            required=option.required,
            constraints=constraints,
            choices=labelled(option.choices),
        )
    return found


def pipe_rules(option: Option) -> str:
    """One option as rules with pipes between them."""
    rules = ["required" if option.required else "nullable" if option.nullable else "sometimes"]
    if option.instead_of:
        rules += [f"required_without:{option.instead_of}", f"prohibits:{option.instead_of}"]
    rules.append({"json": "json", "uuid": "uuid"}.get(option.format or "", option.type))
    if option.length:
        rules.append(f"between:{option.length[0]},{option.length[1]}")
    if option.minimum is not None:
        top = option.maximum
        rules.append(f"min:{option.minimum}" if top is None else f"between:{option.minimum},{top}")
    if option.step:
        rules.append(f"multiple_of:{option.step}")
    if option.pattern:
        rules.append(f"regex:/{option.pattern}/")
    if option.choices:
        rules.append("in:" + ",".join(option.choices))
    return "|".join(rules)


def as_pipes(options: Iterable[Option]) -> dict[str, Any]:
    """A mapping of names to rules with pipes; a select is an object that maps its values to their labels too."""
    return {
        option.name: {"rules": pipe_rules(option), "values": option.choices} if option.choices else pipe_rules(option)
        for option in options
    }
