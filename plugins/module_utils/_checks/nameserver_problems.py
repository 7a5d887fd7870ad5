# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Describes the responses of nameservers that are not ready, and what to do. Pure, except for the queries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from .._core.errors import Violation
from .coercion import Unfit, host_names
from .nameservers import Question, Report, ask_nameservers

_WITHOUT_CHECK = "verify_nameservers: false orders without this check."


def nameserver_findings(
    orders: Sequence[Mapping[str, Any]], *, resolvers: Sequence[str] | None = None, port: int = 53
) -> list[tuple[list[Violation], list[str]]]:
    """Nameserver problems that prevent ordering domains with these settings, and warnings.

    ``orders`` holds the settings of each, as they are sent or as they were given. Without nameservers the service's own
    are used, and nothing is asked. What is no name is left to the documented rules. The options are those of
    ask_nameservers, and so is what is raised.
    """
    questions = [_question(settings) for settings in orders]
    asked = [question for question in questions if question is not None]
    # No thread and no library for orders of no domain.
    reports = iter(ask_nameservers(asked, resolvers=resolvers, port=port) if asked else ())
    return [
        ([], []) if question is None else (_violations(found := next(reports)), alias_warnings(found))
        for question in questions
    ]


def _question(settings: Mapping[str, Any]) -> Question | None:
    domain, given = settings.get("domain"), host_names(settings.get("nameservers"))
    names = [] if isinstance(given, Unfit) else [name for name in given if isinstance(name, str)]
    return (domain, names) if isinstance(domain, str) and names else None


def _violations(reports: Sequence[Report]) -> list[Violation]:
    return [Violation("settings.nameservers", None, problem, "documented") for problem in problems(reports)]


def problems(reports: Sequence[Report]) -> list[str]:
    """Responses of one domain's nameservers that are not ready, and what to do. Each response once."""
    groups: dict[tuple[str, str], dict[str, list[str]]] = {}
    for report in reports:
        for address, message in _wrong(report):
            addresses = groups.setdefault((message, _advice(report)), {}).setdefault(report.name, [])
            addresses += [address] if address else []
    messages = []
    for (message, advice), servers in groups.items():
        names = [f"{name} ({', '.join(each)})" if each else name for name, each in servers.items()]
        messages.append(f"{', '.join(names)}{':' if len(names) > 1 else ''} {message}. {advice}")
    return messages


def alias_warnings(reports: Sequence[Report]) -> list[str]:
    """A warning about each nameserver whose name is an alias."""
    return [
        f"The nameserver {report.name} is an alias (CNAME) of {report.canonical_name}. RFC 2181, section 10.3, forbids "
        f"that, and registries may refuse it. Use {report.canonical_name} in the zone and in the settings."
        for report in reports
        if report.canonical_name
    ]


def _wrong(report: Report) -> Iterator[tuple[str, str]]:
    """The addresses at which something is wrong, and what; without an address if none is known."""
    if report.status == "unresolvable":
        yield "", report.message or ""
    for answer in report.answers:
        if answer.status not in ("ok", "not_asked") or report.status == "not_asked":
            yield answer.address, answer.message


def _advice(report: Report) -> str:
    if report.status == "unresolvable" and report.in_domain:
        return (
            f"It is a name in {report.domain} itself, which only resolvers that have the zone know before the domain "
            f"is delegated. Name one of them as a resolver, or use nameservers outside the domain. {_WITHOUT_CHECK}"
        )
    if report.lookup_failed:
        return f"Check these resolvers, or name others. {_WITHOUT_CHECK}"
    return {
        "unresolvable": "Correct the name of the nameserver, or its address records.",
        "refused": "Set up the zone there, and let everybody query it.",
        "no_zone": "Set up the zone there, and wait until the server has loaded it.",
        "other_set": "Give the same nameservers in the zone's NS records and in the settings.",
        "no_answer": (
            "Check that it runs, and that its port is open for UDP and TCP. If only IPv6 addresses are silent, check "
            f"this machine's own IPv6, too. {_WITHOUT_CHECK}"
        ),
        "not_asked": f"Check this machine's network. {_WITHOUT_CHECK}",
    }[report.status]
