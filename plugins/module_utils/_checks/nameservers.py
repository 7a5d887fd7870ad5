# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checks whether a domain's nameservers are ready for ordering the domain (API specification 4.3.5).

"The zone must exist beforehand, and an NS query of the domain against the chosen nameserver must return the correct
nameservers before the domain is ordered." Each given nameserver is queried at all its addresses. Its answer is good if
it names exactly the given nameservers, and if it is authoritative: one that is not comes from a cache or from somebody
else, and does not tell that the zone exists on this server.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from .._core.errors import Violation

if TYPE_CHECKING:
    from .dns import Reply

_MOST_AT_ONCE = 32
_SET_UP = "Set up the zone there, let everybody query it, and wait until the server has loaded it."
_WITHOUT_CHECK = "verify_nameservers: false orders without this check."

#: A domain, and the nameservers that are given for it.
Question: TypeAlias = "tuple[str, Sequence[str]]"


class ServerAnswer(NamedTuple):
    """The response of the server at one address. ``message`` continues a sentence that begins with the server."""

    address: str
    ok: bool
    message: str
    nameservers: list[str]


class Report(NamedTuple):
    """The responses of one nameserver at each of its addresses. Names are in lower case without trailing dots.

    ``message`` tells why it could not be queried at any address, and continues a sentence that begins with its name.
    """

    name: str
    answers: Sequence[ServerAnswer]
    message: str | None = None

    @property
    def ok(self) -> bool:
        return self.message is None and all(answer.ok for answer in self.answers)

    @property
    def problems(self) -> list[str]:
        if self.message is not None:
            return [f"{self.name} {self.message}"]
        return [f"{self.name} ({answer.address}) {answer.message}" for answer in self.answers if not answer.ok]


def ask_nameservers(
    questions: Sequence[Question], *, resolvers: Sequence[str] | None = None, port: int = 53, timeout: float = 5.0
) -> list[list[Report]]:
    """Query all nameservers of all domains in parallel. Return reports for each domain, in the given order.

    ``resolvers`` look up the nameservers' addresses (default: the system's), each in the form that dns.Resolver
    takes. ``port`` is that of the nameservers. ``timeout`` is in seconds, for each lookup and answer. An address that
    this machine has no route to (IPv6, on a host without it) is left out if another one of the server is queried.

    Raises ConfigurationError for a resolver that cannot be used, and MissingLibraryError when dnspython is not
    installed.
    """
    # Imported here: they take time to load, and most orders are of no domain.
    from concurrent.futures import ThreadPoolExecutor

    from .dns import DnsError, NoRouteError, Resolver, ask_ns

    resolver = Resolver(tuple(resolvers or ()), timeout)

    def look_up(host: str) -> list[str] | DnsError:
        try:
            return resolver.addresses(host)
        except DnsError as error:
            return error

    def answer(query: tuple[str, Sequence[str], str]) -> ServerAnswer | NoRouteError:
        domain, given, address = query
        try:
            reply = ask_ns(domain, address, port, timeout)
        except NoRouteError as error:
            return error
        except DnsError as error:
            advice = f"Check that it runs, and that its port is open for UDP and TCP. {_WITHOUT_CHECK}"
            return ServerAnswer(address, False, f"{error}. {advice}", [])
        problem = _problem(domain, given, reply)
        names = sorted(reply.names)
        return ServerAnswer(address, problem is None, problem or "named exactly the given nameservers", names)

    plain = [(_plain(domain), tuple(dict.fromkeys(map(_plain, names)))) for domain, names in questions]
    hosts = sorted({name for _domain, names in plain for name in names})
    with ThreadPoolExecutor(max_workers=_MOST_AT_ONCE) as threads:
        known = dict(zip(hosts, threads.map(look_up, hosts), strict=True))
        addresses = {host: [] if isinstance(result, DnsError) else result for host, result in known.items()}
        queries = sorted({(domain, names, at) for domain, names in plain for name in names for at in addresses[name]})
        answered = dict(zip(queries, threads.map(answer, queries), strict=True))

    def report(domain: str, names: tuple[str, ...], name: str) -> Report:
        replies = [answered[domain, names, at] for at in addresses[name]]
        answers = [reply for reply in replies if isinstance(reply, ServerAnswer)]
        if answers:
            return Report(name, answers)
        if replies:
            no_route = f"was not queried: this machine has no route to {', '.join(addresses[name])} ({replies[0]})"
            return Report(name, (), f"{no_route}. Check this machine's network. {_WITHOUT_CHECK}")
        advice = "Correct the name or its address records, or name other resolvers."
        if f".{name}".endswith(f".{domain}"):
            advice = (
                f"It is a name in {domain} itself, which only resolvers that have the zone know before the domain is "
                f"delegated. Name one of them as a resolver, or use nameservers outside the domain. {_WITHOUT_CHECK}"
            )
        return Report(name, (), f"{known[name]}. {advice}")

    return [[report(domain, names, name) for name in names] for domain, names in plain]


def _plain(name: str) -> str:
    return name.strip().lower().removesuffix(".")


def _problem(domain: str, given: Sequence[str], reply: Reply) -> str | None:
    """Return what is wrong with a response, and what to do."""
    if reply.rcode == "REFUSED":
        return f"refused the NS query of {domain} (REFUSED). {_SET_UP}"
    if reply.rcode != "NOERROR":
        return f"answered the NS query of {domain} with {reply.rcode}. {_SET_UP}"
    if not reply.authoritative:
        return f"does not have the zone {domain}: its answer is not authoritative. {_SET_UP}"
    if not reply.names:
        return f"answered that {domain} has no NS records: the zone is not there. {_SET_UP}"
    missing, unexpected = sorted({*given} - reply.names), sorted(reply.names - {*given})
    if not missing and not unexpected:
        return None
    parts = [f"without {', '.join(missing)}"] if missing else []
    parts += [f"with {', '.join(unexpected)}, which is not among the given"] if unexpected else []
    advice = "Give the same nameservers in the zone's NS records and in the settings."
    return f"named other nameservers of {domain} than the given: {' and '.join(parts)}. {advice}"


def nameserver_violations(
    orders: Sequence[Mapping[str, Any]], *, resolvers: Sequence[str] | None = None, port: int = 53
) -> list[list[Violation]]:
    """Return what prevents ordering domains with these settings, as they are sent.

    Without nameservers the service's own are used, and nothing is queried. The options are those of ask_nameservers,
    and so is what is raised.
    """
    questions = [_question(settings) for settings in orders]
    # No thread and no library for orders of no domain.
    any_given = any(names for _domain, names in questions)
    reports = ask_nameservers(questions, resolvers=resolvers, port=port) if any_given else [[] for _order in orders]
    problems = [[problem for report in one for problem in report.problems] for one in reports]
    return [[Violation("settings.nameservers", None, problem, "specification") for problem in one] for one in problems]


def _question(settings: Mapping[str, Any]) -> Question:
    domain, given = settings.get("domain"), settings.get("nameservers")
    return (domain, given.split()) if isinstance(domain, str) and isinstance(given, str) else ("", ())
