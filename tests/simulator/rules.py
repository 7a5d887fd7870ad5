# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rules on an order (sections 2.4, 4.3, 7 and 8 of the interface's description), in plain code of their own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from . import data
from .contacts import contact_problems
from .names import ALPHANUMERIC, is_domain, is_hostname, is_integer, is_uuid


@dataclass(frozen=True, slots=True)
class Violation:
    """One rule that an order breaks: the path to the value, a message for people, a code for programs."""

    path: tuple[str, ...]
    message: str
    code: str


@dataclass(frozen=True, slots=True)
class Context:
    """What the rules need to know about the caller, the contract's organization and the product."""

    product: data.Product
    organization: str
    org_max_ram: int
    l2vpns: Mapping[str, data.L2vpn]
    owner_contacts: frozenset[str]
    admin_contacts: frozenset[str]


class Findings:
    """Collects the violations of one order's settings."""

    def __init__(self, given: Mapping[str, Any]) -> None:
        self.given = given
        self.found: list[Violation] = []

    def add(self, name: str, message: str, code: str = "invalid") -> None:
        """Note that setting *name* breaks a rule."""
        self.found.append(Violation(("settings", name), message, code))

    def required(self, *names: str) -> None:
        """Note each of *names* that is not given."""
        for name in names:
            if name not in self.given:
                self.add(name, "This setting is required.", "required")

    def known(self, *names: str) -> None:
        """Note each setting that is none of *names*."""
        for name in self.given:
            if name not in names:
                self.add(name, "This product has no such setting.", "unknown")

    def check(self, name: str, test: Callable[[Any], bool], message: str, code: str = "invalid") -> None:
        """Note setting *name* when it is given and *test* says no."""
        if name in self.given and not test(self.given[name]):
            self.add(name, message, code)

    def integer(self, name: str, least: int, most: int | None = None, step: int = 1) -> None:
        """Note setting *name* when it is given and no integer from *least* to *most* in steps of *step*."""
        if name not in self.given:
            return
        value = self.given[name]
        if not is_integer(value):
            self.add(name, "This value should be an integer.", "type")
        elif value < least:
            self.add(name, f"This value should be at least {least}.", "minimum")
        elif most is not None and value > most:
            self.add(name, f"This value should be at most {most}.", "maximum")
        elif value % step:
            self.add(name, f"This value should be a multiple of {step}.", "step")

    def hostname(self) -> None:
        """Note a host name that is none."""
        self.check("hostname", is_hostname, "This value is not a valid hostname.", "hostname")

    def template(self, name: str) -> None:
        """Note an OS template that the catalogue does not list."""
        self.check(
            name,
            lambda value: isinstance(value, str) and value in data.OS_TEMPLATES,
            "The value you selected is not a valid choice.",
            "choice",
        )


def is_text(value: object) -> bool:
    """Tell whether *value* is a string that is not empty."""
    return isinstance(value, str) and value != ""


def vps(findings: Findings, context: Context) -> None:
    """Section 4.3.1: hostname and template."""
    findings.known("hostname", "template")
    findings.required("hostname", "template")
    findings.hostname()
    findings.template("template")


CONFIGURABLE = (
    "cpu_cores",
    "ram",
    "disk_size",
    "username",
    "password",
    "template_name",
    "hostname",
    "ipv4_addresses",
    "traffic_display",
    "backup_count",
    "snapshot_count",
    "ha_upgrade",
    "10g_upgrade",
)


def configurable_vps(findings: Findings, context: Context) -> None:
    """Sections 4.3.2 and 8: thirteen settings, each of them required."""
    findings.known(*CONFIGURABLE)
    findings.required(*CONFIGURABLE)
    findings.integer("cpu_cores", 1, 10)
    findings.integer("ram", 1024, context.org_max_ram, 1024)
    findings.integer("disk_size", 10, 1000, 10)
    findings.check(
        "username",
        lambda value: isinstance(value, str) and 3 <= len(value) <= 32 and ALPHANUMERIC.issuperset(value),
        "This value should be 3 to 32 characters of A-Z, a-z and 0-9.",
        "pattern",
    )
    findings.check("password", is_text, "This value should be a string that is not empty.", "type")
    findings.template("template_name")
    findings.hostname()
    findings.integer("ipv4_addresses", 1, 10)
    findings.integer("traffic_display", 128, None, 128)
    findings.integer("backup_count", 5)
    findings.integer("snapshot_count", 2)
    for name in ("ha_upgrade", "10g_upgrade"):
        findings.check(name, lambda value: isinstance(value, bool), "This value should be a boolean.", "type")


def dedicated_server(findings: Findings, context: Context) -> None:
    """Section 4.3.3: the sizes of the networks, and the L2VPN that the contract's organization may use."""
    findings.known("hostname", "template", "ip4_subnet_size", "ip4_count", "ip6_subnet_size", "existing_l2vpn")
    findings.required("hostname", "template")
    findings.hostname()
    findings.template("template")
    findings.integer("ip4_subnet_size", 25, 29)
    findings.integer("ip6_subnet_size", 48, 64)
    if findings.given.get("ip4_count") is not None:
        findings.integer("ip4_count", 1, 10)
    wanted = sum(findings.given.get(name) is not None for name in ("ip4_subnet_size", "ip4_count"))
    if wanted != 1:
        for name in ("ip4_subnet_size", "ip4_count"):
            findings.add(name, "Exactly one of ip4_subnet_size and ip4_count is needed.", "exactly_one")
    if "existing_l2vpn" in findings.given:
        existing_l2vpn(findings, context)


def existing_l2vpn(findings: Findings, context: Context) -> None:
    """Section 4.3.3, rule 2: access to the L2VPN, and the same location as the server."""
    value = findings.given["existing_l2vpn"]
    if not is_uuid(value):
        findings.add("existing_l2vpn", "This value is not a valid UUID.", "uuid")
        return
    l2vpn = context.l2vpns.get(value.lower())
    if l2vpn is None or l2vpn.organization != context.organization:
        findings.add("existing_l2vpn", "The end-user has no access to this L2VPN.", "access")
    elif l2vpn.location != context.product.location:
        findings.add(
            "existing_l2vpn",
            f"This L2VPN is at {l2vpn.location}, the server is at {context.product.location}.",
            "location",
        )


def webhosting(findings: Findings, context: Context) -> None:
    """Section 4.3.4: no settings."""
    findings.known()


DOMAIN = ("domain", "action", "authcode", "nameservers", "ownercRef", "ownercData", "admincRef", "admincData")


def domain(findings: Findings, context: Context) -> None:
    """Section 4.3.5: the name, what to do, the name servers, and the two contacts."""
    given = findings.given
    findings.known(*DOMAIN)
    findings.required("domain", "action")
    findings.check("domain", is_domain, "This value is not a valid domain name.", "domain")
    findings.check(
        "action",
        lambda value: isinstance(value, str) and value in ("register", "transfer"),
        "The value you selected is not a valid choice.",
        "choice",
    )
    findings.check("authcode", is_text, "This value should be a string that is not empty.", "type")
    findings.check(
        "nameservers",
        lambda value: is_text(value) and all(is_domain(name) for name in value.split(" ")),
        "This value should be host names with one space between them.",
        "nameservers",
    )
    for ref, inline, known in (
        ("ownercRef", "ownercData", context.owner_contacts),
        ("admincRef", "admincData", context.admin_contacts),
    ):
        if (ref in given) == (inline in given):
            findings.add(ref, f"Exactly one of {ref} and {inline} is needed.", "exactly_one")
        if ref in given and (not isinstance(given[ref], str) or given[ref] not in known):
            findings.add(ref, "There is no such contact.", "contact")
        if inline in given:
            for message in contact_problems(given[inline]):
                findings.add(inline, message, "contact")


RULES: dict[str, Callable[[Findings, Context], None]] = {
    data.VPS: vps,
    data.CONFIGURABLE_VPS: configurable_vps,
    data.DEDICATED_SERVER: dedicated_server,
    data.WEBHOSTING: webhosting,
    data.DOMAIN: domain,
}


def settings_violations(given: Any, context: Context) -> list[Violation]:
    """All rules that the ``settings`` element *given* breaks. ``None`` stands for an element that is absent."""
    if given is None:
        given = {}
    if not isinstance(given, dict):
        return [Violation(("settings",), "This value should be an object.", "type")]
    findings = Findings(given)
    RULES[context.product.type](findings, context)
    return findings.found
