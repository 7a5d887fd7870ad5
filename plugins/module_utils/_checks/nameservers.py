# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checks whether a domain's nameservers are ready for ordering the domain (API specification 4.3.5).

"The zone must exist beforehand, and an NS query of the domain against the chosen nameserver must return the correct
nameservers before the domain is ordered." Each given nameserver is asked at all its addresses. Its answer is good if it
names exactly the given nameservers, and if it is authoritative: one that is not comes from a cache or from somebody
else, and does not tell that the zone exists on this server.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, TypeAlias, get_args

from .._core.errors import Advice, Violation
from .coercion import Unfit, host_names

if TYPE_CHECKING:
    from .dns import Addresses, Reply

#: From the one that says most about a server to the one that says least.
Status = Literal["unresolvable", "other_set", "no_zone", "refused", "no_answer", "not_asked", "ok"]
_NO_ZONE = ("NXDOMAIN", "SERVFAIL", "NOTAUTH")
_MOST_AT_ONCE = 32
_WITHOUT_CHECK = Advice("verify_nameservers: false orders without this check.")
_ADVICE: Mapping[Status, str] = {
    "unresolvable": "Correct the name of the nameserver, or its address records.",
    "refused": "Set up the zone there, and let everybody query it.",
    "no_zone": "Set up the zone there, and wait until the server has loaded it.",
    "other_set": "Give the same nameservers in the zone's NS records and in the settings.",
    "no_answer": "Check that it runs, and that its port is open for UDP and TCP.",
    "not_asked": "Check this machine's network.",
}
#: Where the nameserver may be in order all the same.
_UNSEEN = ("no_answer", "not_asked")

#: A domain, and the nameservers that are given for it.
Question: TypeAlias = "tuple[str, Sequence[str]]"


class ServerAnswer(NamedTuple):
    """The response of the server at one address. ``message`` continues a sentence that begins with the server."""

    address: str
    status: Status
    message: str
    nameservers: tuple[str, ...] = ()


class Report(NamedTuple):
    """The responses of one nameserver at each of its addresses. Names are in lower case without trailing dots.

    ``message`` says why its addresses are not known, in whole or in part, and continues a sentence that begins with its
    name; ``lookup_failed`` that this is because the resolvers could not tell.
    """

    domain: str
    name: str
    given: tuple[str, ...]
    answers: tuple[ServerAnswer, ...] = ()
    message: str | None = None
    lookup_failed: bool = False

    @property
    def reached(self) -> Sequence[ServerAnswer]:
        """The answers of the addresses that this machine has a route to; all, if it has one to none."""
        return [each for each in self.answers if each.status != "not_asked"] or self.answers

    @property
    def status(self) -> Status:
        return min((each.status for each in self.reached), key=get_args(Status).index, default="unresolvable")

    @property
    def ok(self) -> bool:
        return self.status == "ok"

    def differences(self) -> tuple[list[str], list[str]]:
        """The given nameservers that an answer lacks, and those in one that were not given."""
        sets = [each.nameservers for each in self.reached if each.status in ("ok", "other_set")]
        missing = [name for name in self.given if any(name not in names for names in sets)]
        return missing, sorted({name for names in sets for name in names} - {*self.given})

    def problems(self) -> Iterator[tuple[str, str]]:
        """What is wrong, with what to do, and the address at which it is; no address if none is known."""
        if not self.answers:
            yield f"{self.message}. {self._advice_on_lookup()}", ""
        for each in self.reached:
            if each.status != "ok":
                yield f"{each.message}. {_advice_on(each.status)}", each.address

    def _advice_on_lookup(self) -> str:
        if f".{self.name}".endswith(f".{self.domain}"):
            return (
                f"It is a name in {self.domain} itself, which only resolvers that have the zone know before the domain "
                f"is delegated. Name one of them as a resolver, or use nameservers outside the domain. {_WITHOUT_CHECK}"
            )
        return (
            f"Check these resolvers, or name others. {_WITHOUT_CHECK}"
            if self.lookup_failed
            else _advice_on(self.status)
        )

    def as_dict(self) -> dict[str, Any]:
        missing, unexpected = self.differences()
        return {
            "name": self.name,
            "ok": self.ok,
            "status": self.status,
            "addresses": [{**each._asdict(), "nameservers": list(each.nameservers)} for each in self.answers],
            "missing": missing,
            "unexpected": unexpected,
            "message": f"{self.name} {self.message}" if self.message else None,
        }


def _advice_on(status: Status) -> str:
    return f"{_ADVICE[status]} {_WITHOUT_CHECK}" if status in _UNSEEN else _ADVICE[status]


def ask_nameservers(
    questions: Sequence[Question], *, resolvers: Sequence[str] | None = None, port: int = 53, timeout: float = 5.0
) -> list[list[Report]]:
    """Query all nameservers of all domains in parallel. Return reports for each domain, in the given order.

    ``resolvers`` are asked for the nameservers' addresses (default: the system's), each in the form that dns.Resolver
    takes. ``port`` is that of the nameservers. ``timeout`` is in seconds, for each lookup and answer. An address that
    this machine has no route to (IPv6, on a host without it) is no failure if another one of the server is asked.

    Raises ConfigurationError for a resolver that cannot be used, and MissingLibraryError when dnspython is not
    installed.
    """
    # Imported here: they take time to load, and most orders are of no domain.
    from concurrent.futures import ThreadPoolExecutor

    from .dns import Resolver

    plain = [(_plain(domain), tuple(dict.fromkeys(map(_plain, names)))) for domain, names in questions]
    hosts = sorted({name for _domain, names in plain for name in names})
    resolver = Resolver(tuple(resolvers or ()), timeout)
    with ThreadPoolExecutor(max_workers=_MOST_AT_ONCE) as threads:
        known: dict[str, Addresses] = dict(zip(hosts, threads.map(resolver.addresses, hosts), strict=True))
        asked = sorted({(domain, names, at) for domain, names in plain for name in names for at in known[name].found})
        answered = dict(zip(asked, threads.map(lambda each: _answer(each, port, timeout), asked), strict=True))

    def report(domain: str, names: tuple[str, ...], name: str) -> Report:
        found, problem, failed = known[name]
        answers = tuple(answered[domain, names, at] for at in found)
        why = problem or (None if found else "has no address (no A and no AAAA record)")
        return Report(domain, name, names, answers, why, failed)

    return [[report(domain, names, name) for name in names] for domain, names in plain]


def _plain(name: str) -> str:
    return name.strip().lower().removesuffix(".")


def _answer(asked: tuple[str, Sequence[str], str], port: int, timeout: float) -> ServerAnswer:
    from .dns import NoRouteError, SilentError, ask_ns

    domain, given, address = asked
    try:
        reply = ask_ns(domain, address, port, timeout)
    except NoRouteError as error:
        return ServerAnswer(address, "not_asked", f"was not queried: this machine has no route to it ({error})")
    except SilentError as error:
        return ServerAnswer(address, "no_answer", str(error))
    return ServerAnswer(address, *_judged(domain, given, reply), tuple(sorted(reply.names)))


def _judged(domain: str, given: Sequence[str], reply: Reply) -> tuple[Status, str]:
    if reply.rcode == "REFUSED":
        return "refused", f"refused the NS query of {domain} (REFUSED)"
    if reply.rcode != "NOERROR":
        status: Status = "no_zone" if reply.rcode in _NO_ZONE else "no_answer"
        return status, f"answered the NS query of {domain} with {reply.rcode}"
    if not reply.authoritative:
        return "no_zone", f"does not have the zone {domain}: its answer is not authoritative"
    if not reply.names:
        return "no_zone", f"answered that {domain} has no NS records: the zone is not there"
    if reply.names == frozenset(given):
        return "ok", "named exactly the given nameservers"
    missing, unexpected = sorted({*given} - reply.names), sorted(reply.names - {*given})
    parts = [f"without {', '.join(missing)}"] if missing else []
    parts += [f"with {', '.join(unexpected)}, which is not among the given"] if unexpected else []
    return "other_set", f"named other nameservers of {domain} than the given: {' and '.join(parts)}"


def problems(reports: Sequence[Report]) -> list[str]:
    """Responses of one domain's nameservers that are not ready, and what to do. Each response once."""
    groups: dict[str, dict[str, list[str]]] = {}
    for report in reports:
        for message, address in report.problems():
            groups.setdefault(message, {}).setdefault(report.name, []).extend([address] if address else [])
    told = []
    for message, servers in groups.items():
        names = [f"{name} ({', '.join(each)})" if each else name for name, each in servers.items()]
        told.append(f"{', '.join(names)}{':' if len(names) > 1 else ''} {message}")
    return told


def nameserver_violations(
    orders: Sequence[Mapping[str, Any]], *, resolvers: Sequence[str] | None = None, port: int = 53
) -> list[list[Violation]]:
    """Nameserver problems that prevent ordering domains with these settings.

    ``orders`` holds the settings of each, as they are sent or as they were given. Without nameservers the service's own
    are used, and nothing is asked. What is no name is left to the rules of the specification. The options are those of
    ask_nameservers, and so is what is raised.
    """
    questions = [_question(settings) for settings in orders]
    # No thread and no library for orders of no domain.
    asked = any(names for _domain, names in questions)
    found = ask_nameservers(questions, resolvers=resolvers, port=port) if asked else [[] for _order in orders]
    return [[Violation("settings.nameservers", None, each, "specification") for each in problems(one)] for one in found]


def _question(settings: Mapping[str, Any]) -> Question:
    domain, given = settings.get("domain"), host_names(settings.get("nameservers"))
    if not isinstance(domain, str) or isinstance(given, Unfit):
        return "", ()
    return domain, [name for name in given if isinstance(name, str)]
