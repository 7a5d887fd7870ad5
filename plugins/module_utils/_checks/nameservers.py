# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Whether a domain's nameservers are ready for it to be ordered (document section 4.3.5).

"The zone must exist beforehand, and an NS query of the domain against the chosen nameserver must return the correct
nameservers before the domain is ordered." Each given nameserver is asked at all its addresses. Its answer is good if it
names exactly the given nameservers, and if it is authoritative: one that is not comes from a cache or from somebody
else, and does not tell that the zone exists on this server.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from .._core.errors import Violation
from .._core.options import check_options
from .coercion import Unfit, word_list

if TYPE_CHECKING:
    from .dns import Lookup, Reply


#: From the one that says most about a server to the one that says least.
Status = Literal["unresolvable", "refused", "no_zone", "other_set", "no_answer", "not_asked", "ok"]
_SEVERITY: tuple[Status, ...] = ("unresolvable", "refused", "no_zone", "other_set", "no_answer", "not_asked", "ok")

PORT = 53
TIMEOUT = 5.0
_MOST_AT_ONCE = 16
_NO_ZONE = {
    "NXDOMAIN": "says that {domain} does not exist (NXDOMAIN)",
    "SERVFAIL": "cannot answer for {domain}: it does not have the zone, or could not load it (SERVFAIL)",
    "NOTAUTH": "says that it is not authoritative for {domain} (NOTAUTH)",
}


@dataclass(frozen=True)
class ServerAnswer:
    """What the server at one address answered; ``message`` continues a sentence that begins with the address."""

    address: str
    status: Status
    message: str
    nameservers: tuple[str, ...] = ()


@dataclass(frozen=True)
class Report:
    """What one nameserver answered, at each of its addresses. Names are in lower case, without the dot at the end.

    ``missing`` were given and are not in an answer of this server, ``unexpected`` are in one and were not given.
    ``message`` says why its addresses are not known, in whole or in part; ``lookup_failed`` that this is because the
    resolvers could not tell.
    """

    domain: str
    name: str
    wanted: tuple[str, ...]
    status: Status
    answers: tuple[ServerAnswer, ...] = ()
    missing: tuple[str, ...] = ()
    unexpected: tuple[str, ...] = ()
    message: str | None = None
    lookup_failed: bool = False

    @property
    def ok(self) -> bool:
        return self.status == "ok"

    @property
    def in_domain(self) -> bool:
        """Whether its addresses can be found by everybody only once the domain is delegated."""
        return f".{self.name}".endswith(f".{self.domain}")

    def as_dict(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "ok": self.ok,
            "status": self.status,
            "addresses": [
                {
                    "address": answer.address,
                    "status": answer.status,
                    "nameservers": list(answer.nameservers),
                    "message": answer.message,
                }
                for answer in self.answers
            ],
            "missing": list(self.missing),
            "unexpected": list(self.unexpected),
            "message": self.message,
        }


def check_nameservers(
    domain: str,
    nameservers: Sequence[str],
    *,
    resolvers: Sequence[str] | None = None,
    port: int = PORT,
    timeout: float = TIMEOUT,
) -> list[Report]:
    """Ask every nameserver, all at once; one report for each, in the order given.

    ``resolvers`` are asked for the nameservers' addresses (default: the system's), each in the form that
    dns.Resolver takes. ``port`` is that of the nameservers. ``timeout`` is in seconds, for each lookup and answer.

    An address that this machine has no route to (IPv6, on a host without it) is not asked; that is no failure if
    another address of the same server is asked.

    Raises ConfigurationError for a port, timeout or resolver that cannot be used, and MissingLibraryError when
    dnspython is not installed.
    """
    check_options({"port": port, "dns_timeout": timeout})
    # Imported here: the library takes time to load, and most orders are of no domain.
    from .dns import FAMILIES, Resolver

    domain, names = _plain(domain), tuple(dict.fromkeys(_plain(name) for name in nameservers))
    resolver = Resolver(resolvers or (), timeout)
    with ThreadPoolExecutor(max_workers=_MOST_AT_ONCE) as threads:
        questions = [(name, family) for name in names for family in FAMILIES]
        lookup_results = threads.map(lambda question: resolver.look_up(*question), questions)
        lookups: dict[str, list[Lookup]] = {name: [] for name in names}
        for (name, _family), lookup in zip(questions, lookup_results, strict=True):
            lookups[name].append(lookup)
        places = {name: [address for each in lookups[name] for address in each.addresses] for name in names}
        addresses = list(dict.fromkeys(address for each in places.values() for address in each))
        replies = threads.map(lambda address: _ask(domain, names, address, port, timeout), addresses)
        answers = dict(zip(addresses, replies, strict=True))
    return [_report(domain, name, names, lookups[name], [answers[each] for each in places[name]]) for name in names]


def _plain(name: str) -> str:
    return name.strip().lower().removesuffix(".")


def _ask(domain: str, wanted: Sequence[str], address: str, port: int, timeout: float) -> ServerAnswer:
    from .dns import NoRouteError, SilentError, ask_ns

    try:
        reply = ask_ns(domain, address, port, timeout)
    except NoRouteError as error:
        return ServerAnswer(address, "not_asked", f"was not asked: this machine has no route to it ({error})")
    except SilentError as error:
        return ServerAnswer(address, "no_answer", str(error))
    return judge_reply(domain, wanted, address, reply)


def judge_reply(domain: str, wanted: Sequence[str], address: str, reply: Reply) -> ServerAnswer:
    """What a reply says about the zone on the server at this address."""
    names = tuple(sorted(reply.names))
    if reply.rcode == "REFUSED":
        return ServerAnswer(address, "refused", f"refused the NS query of {domain} (REFUSED)")
    if reply.rcode in _NO_ZONE:
        return ServerAnswer(address, "no_zone", _NO_ZONE[reply.rcode].format(domain=domain))
    if reply.rcode != "NOERROR":
        return ServerAnswer(address, "no_answer", f"answered the NS query of {domain} with the error {reply.rcode}")
    if not reply.authoritative:
        return ServerAnswer(address, "no_zone", f"does not have the zone {domain}: {_not_authoritative(reply)}", names)
    if not names:
        return ServerAnswer(address, "no_zone", f"answers that {domain} has no NS records: the zone is not there")
    if reply.names == frozenset(wanted):
        return ServerAnswer(address, "ok", "names exactly the given nameservers", names)
    return ServerAnswer(address, "other_set", _difference(domain, wanted, names), names)


def _not_authoritative(reply: Reply) -> str:
    if reply.names and reply.recursion_available:
        return (
            "its answer is not authoritative but that of a resolver (if this server does have the zone, something on "
            "the way answers DNS in its place)"
        )
    if reply.names:
        return "its answer is not authoritative"
    if reply.referred_to:
        return f"it refers to {', '.join(sorted(reply.referred_to))}"
    return "its answer is empty and not authoritative"


def _difference(domain: str, wanted: Sequence[str], names: Sequence[str]) -> str:
    missing = [name for name in wanted if name not in names]
    unexpected = [name for name in names if name not in wanted]
    parts = [f"without {', '.join(missing)}"] if missing else []
    parts += [f"with {', '.join(unexpected)}, which is not among the given"] if unexpected else []
    return f"names other nameservers of {domain} than the given: {' and '.join(parts)}"


def _report(
    domain: str, name: str, wanted: tuple[str, ...], lookups: Sequence[Lookup], answers: Sequence[ServerAnswer]
) -> Report:
    unknown = list(dict.fromkeys(lookup.problem for lookup in lookups if lookup.problem))
    if not answers:
        message = f"{name} {unknown[0] if unknown else 'has no address (no A and no AAAA record)'}"
        failed = any(lookup.failed for lookup in lookups)
        return Report(domain, name, wanted, "unresolvable", message=message, lookup_failed=failed)
    reached = [answer for answer in answers if answer.status != "not_asked"]
    nameserver_sets = [answer.nameservers for answer in reached if answer.status in ("ok", "other_set")]
    return Report(
        domain,
        name,
        wanted,
        status=min((answer.status for answer in reached or answers), key=_SEVERITY.index),
        answers=tuple(answers),
        missing=tuple(each for each in wanted if any(each not in names for names in nameserver_sets)),
        unexpected=tuple(sorted({each for names in nameserver_sets for each in names if each not in wanted})),
        message=f"Not all of its addresses are known: {name} {unknown[0]}" if unknown else None,
    )


def problems(reports: Sequence[Report], path: str = "settings.nameservers") -> list[Violation]:
    """One violation for each nameserver that is not ready, with what it answered and what to do."""
    return [
        Violation(
            path,
            report.name,
            f"before {report.domain} is ordered, each nameserver answers an NS query of it with the given nameservers; "
            f"{_in_words(report)}: {_advice(report)}",
            "documented",
        )
        for report in reports
        if not report.ok
    ]


def explained(report: Report) -> str:
    """What a nameserver that is not ready answered and what to do, for a reader who knows the rule."""
    name = "" if report.status == "unresolvable" else f"{report.name}: "
    return f"{name}{_in_words(report)}: {_advice(report)}"


def _in_words(report: Report) -> str:
    """What went wrong, with the addresses at which the same did."""
    if report.status == "unresolvable":
        return report.message or report.name
    by_message: dict[str, list[str]] = {}
    for answer in report.answers:
        if answer.status not in ("ok", "not_asked") or report.status == "not_asked":
            by_message.setdefault(answer.message, []).append(answer.address)
    return "; ".join(f"{' and '.join(addresses)} {message}" for message, addresses in by_message.items())


def _advice(report: Report) -> str:
    without_check = "verify_nameservers: false orders without this check"
    if report.status == "unresolvable" and report.in_domain:
        return (
            f"it is a name in {report.domain} itself, which nobody can look up before the domain is delegated. Use "
            f"nameservers outside the domain, or name a resolver that knows it already. {without_check}"
        )
    if report.lookup_failed:
        return f"check the resolvers of this machine, or name others. {without_check}"
    if report.status == "no_answer" and _only_ipv6_is_silent(report):
        return (
            "its IPv4 addresses answer, so check its IPv6: the AAAA record, the firewall on the way, and whether this "
            f"machine's own IPv6 works. {without_check}"
        )
    return {
        "unresolvable": "correct the name of the nameserver, or its address records",
        "refused": "set up the zone there, and let everybody query it",
        "no_zone": "set up the zone there, and wait until the server has loaded it",
        "other_set": "give the same nameservers in the zone's NS records and in the settings",
        "no_answer": f"check that it runs, and that its port is open for UDP and TCP. {without_check}",
        "not_asked": f"check this machine's network. {without_check}",
    }[report.status]


def _only_ipv6_is_silent(report: Report) -> bool:
    silent = {":" in answer.address for answer in report.answers if answer.status == "no_answer"}
    good = any(answer.status == "ok" and ":" not in answer.address for answer in report.answers)
    return good and silent == {True}


def nameserver_violations(
    settings: Mapping[str, Any],
    *,
    resolvers: Sequence[str] | None = None,
    port: int = PORT,
    timeout: float = TIMEOUT,
) -> list[Violation]:
    """What stands in the way of ordering a domain with these settings, as far as its nameservers go.

    ``settings`` are a domain's, in the form in which they are sent or as they were given. Without nameservers the
    service's own are used, and nothing is asked. What is no name is left to the documented rules. Raises as
    check_nameservers does.
    """
    domain, given = settings.get("domain"), word_list(settings.get("nameservers"))
    names = [] if isinstance(given, Unfit) else [name for name in given if isinstance(name, str)]
    if not isinstance(domain, str) or not names:
        return []
    return problems(check_nameservers(domain, names, resolvers=resolvers, port=port, timeout=timeout))


__all__ = [
    "PORT",
    "TIMEOUT",
    "Report",
    "Status",
    "check_nameservers",
    "explained",
    "nameserver_violations",
    "problems",
]
