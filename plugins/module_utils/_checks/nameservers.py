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

from collections.abc import Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

if TYPE_CHECKING:
    from .dns import Lookup, Reply

    #: What an address answered, or why it did not.
    Answer: TypeAlias = "Reply | tuple[Status, str]"

#: From the one that says most about a server to the one that says least.
Status = Literal["unresolvable", "refused", "no_zone", "other_set", "no_answer", "not_asked", "ok"]
_SEVERITY: tuple[Status, ...] = ("unresolvable", "refused", "no_zone", "other_set", "no_answer", "not_asked", "ok")

_MOST_AT_ONCE = 32
#: The domains to which an address has to be silent before it counts as dead: a server may be silent to one it lacks.
_ENOUGH_SILENCE = 2
_NO_ZONE = ("NXDOMAIN", "SERVFAIL", "NOTAUTH")


@dataclass(frozen=True)
class ServerAnswer:
    """The response of the server at one address. ``message`` continues a sentence that begins with the server."""

    address: str
    status: Status
    message: str
    nameservers: tuple[str, ...] = ()


@dataclass(frozen=True)
class Report:
    """The responses of one nameserver at each of its addresses. Names are in lower case without trailing dots.

    ``missing`` were given and are not in an answer of this server, ``unexpected`` are in one and were not given.
    ``message`` says why its addresses are not known, in whole or in part, and continues a sentence that begins with its
    name; ``lookup_failed`` that this is because the resolvers could not tell. ``canonical_name`` is set if its name is
    an alias (CNAME).
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
    canonical_name: str | None = None

    @property
    def ok(self) -> bool:
        return self.status == "ok"

    @property
    def in_domain(self) -> bool:
        """Whether its addresses can be looked up by everyone only after the domain is delegated."""
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
            "message": f"{self.name} {self.message}" if self.message else None,
            "canonical_name": self.canonical_name,
        }


#: A domain, and the nameservers that are given for it.
Question: TypeAlias = "tuple[str, Sequence[str]]"


#: The domains that each address was silent to; ``None`` once it answered anything.
Silence: TypeAlias = "dict[str, set[str] | None]"


def ask_nameservers(
    questions: Sequence[Question], *, resolvers: Sequence[str] | None = None, port: int = 53, timeout: float = 5.0
) -> list[list[Report]]:
    """Query all nameservers of all domains in parallel. Return reports for each domain, in the given order.

    ``resolvers`` are asked for the nameservers' addresses (default: the system's), each in the form that dns.Resolver
    takes. ``port`` is that of the nameservers. ``timeout`` is in seconds, for each lookup and answer.

    An address that this machine has no route to (IPv6, on a host without it) is not asked; that is no failure if
    another address of the same server is asked. One that is known to be silent to two domains, and to have answered
    nothing, is not asked for further ones: it would cost its time for each.

    Raises ConfigurationError for a resolver that cannot be used, and MissingLibraryError when dnspython is not
    installed.
    """
    # Imported here: the library takes time to load, and most orders are of no domain.
    from .dns import FAMILIES, Resolver

    plain = [(_plain(domain), tuple(dict.fromkeys(map(_plain, names)))) for domain, names in questions]
    hosts = sorted({name for _domain, names in plain for name in names})
    resolver = Resolver(tuple(resolvers or ()), timeout)
    silence: Silence = {}
    with ThreadPoolExecutor(max_workers=_MOST_AT_ONCE) as threads:
        wanted = [(host, family) for host in hosts for family in FAMILIES]
        found = dict(zip(wanted, threads.map(lambda each: resolver.look_up(*each), wanted), strict=True))
        lookups = {host: [found[host, family] for family in FAMILIES] for host in hosts}
        addresses = {host: [each for lookup in lookups[host] for each in lookup.addresses] for host in hosts}
        pairs = {(domain, address) for domain, names in plain for name in names for address in addresses[name]}
        replies = dict(threads.map(lambda at: (at, _answer(at[0], at[1], port, timeout, silence)), sorted(pairs)))
    return [
        [
            _report(
                domain,
                name,
                names,
                lookups[name],
                [judge_reply(domain, names, each, replies[domain, each]) for each in addresses[name]],
            )
            for name in names
        ]
        for domain, names in plain
    ]


def _answer(domain: str, address: str, port: int, timeout: float, silence: Silence) -> Answer:
    from .dns import NoRouteError, SilentError, ask_ns

    silent_to = silence.setdefault(address, set())
    if silent_to is not None and len(silent_to) >= _ENOUGH_SILENCE:
        return "no_answer", f"was not queried again: it gave no answer for {' and '.join(sorted(silent_to)[:2])}"
    try:
        reply = ask_ns(domain, address, port, timeout)
    except NoRouteError as error:
        return "not_asked", f"was not queried: this machine has no route to it ({error})"
    except SilentError as error:
        if silent_to is not None:
            silent_to.add(domain)
        return "no_answer", str(error)
    silence[address] = None
    return reply


def _plain(name: str) -> str:
    return name.strip().lower().removesuffix(".")


def judge_reply(domain: str, wanted: Sequence[str], address: str, answer: Answer) -> ServerAnswer:
    """What the response of the server at this address says about the zone."""
    if isinstance(answer, tuple):
        return ServerAnswer(address, *answer)
    names = tuple(sorted(answer.names))
    status, message = _judged(domain, wanted, answer)
    by_tcp = " (by TCP, after no answer by UDP)" if answer.udp_is_silent else ""
    return ServerAnswer(address, status, f"{message}{by_tcp}", names)


def _judged(domain: str, wanted: Sequence[str], reply: Reply) -> tuple[Status, str]:
    if reply.rcode == "REFUSED":
        return "refused", f"refused the NS query of {domain} (REFUSED)"
    if reply.alias_of:
        return "no_zone", f"has a CNAME in place of the zone: {domain} is an alias of {reply.alias_of} there"
    if reply.rcode != "NOERROR":
        status: Status = "no_zone" if reply.rcode in _NO_ZONE else "no_answer"
        return status, f"answered the NS query of {domain} with {reply.rcode}"
    if not reply.authoritative:
        others = f"it refers to {', '.join(sorted(reply.referred_to))}"
        reason = others if reply.referred_to and not reply.names else "its answer is not authoritative"
        return "no_zone", f"does not have the zone {domain}: {reason}"
    if not reply.names:
        return "no_zone", f"answered that {domain} has no NS records: the zone is not there"
    if reply.names == frozenset(wanted):
        return "ok", "named exactly the given nameservers"
    return "other_set", _difference(domain, wanted, reply.names)


def _difference(domain: str, wanted: Sequence[str], names: Collection[str]) -> str:
    missing = [name for name in wanted if name not in names]
    unexpected = [name for name in sorted(names) if name not in wanted]
    parts = [f"without {', '.join(missing)}"] if missing else []
    parts += [f"with {', '.join(unexpected)}, which is not among the given"] if unexpected else []
    return f"named other nameservers of {domain} than the given: {' and '.join(parts)}"


def _report(
    domain: str, name: str, wanted: tuple[str, ...], lookups: Sequence[Lookup], answers: Sequence[ServerAnswer]
) -> Report:
    unknown = list(dict.fromkeys(lookup.problem for lookup in lookups if lookup.problem))
    alias = next((lookup.canonical_name for lookup in lookups if lookup.canonical_name), None)
    if not answers:
        message = unknown[0] if unknown else "has no address (no A and no AAAA record)"
        failed = any(lookup.failed for lookup in lookups)
        return Report(domain, name, wanted, "unresolvable", message=message, lookup_failed=failed, canonical_name=alias)
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
        message=unknown[0] if unknown else None,
        canonical_name=alias,
    )
