# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The typed errors of the collection. Every message says what to do. The adapters turn them into failed tasks.

An error is complete when it is raised: who knows more raises one that says more.

    ResellerError                    what a task reports
      ConfigurationError             an option is missing, contradictory or unusable
      MissingLibraryError            a Python library is missing, or lacks what is needed
      ViolationsError                values break rules
      LedgerError                    the ledger cannot be opened, read or written
      ServiceError                   the service cannot be reached, or its response is not usable
        UnreachableError             no connection: the request had not begun
        LostAnswerError              the request had begun, and no response arrived
        UnreadableAnswerError        a response that is not JSON, cut off, or of another form
        UnknownProductError          the catalogue has no such product, or several
        PublishedReferenceError      no OpenAPI document, or one that lacks what is needed
          NotPublishedError          it has no operation for what is to be read
"""

from __future__ import annotations

import shlex
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from importlib.util import find_spec
from typing import Any, Literal, NamedTuple, Self, get_args

from .text import clean, counted

Source = Literal["specification", "catalogue", "openapi", "service"]
_SOURCES: dict[Source, str] = {
    "specification": "API specification",
    "catalogue": "catalogue",
    "openapi": "OpenAPI document",
    "service": "service",
}

JSON_API = "application/vnd.api+json"
NOT_IN_JSON_API = "This collection cannot order from it."

#: How a task failed, for playbooks that branch on it. The most urgent come first: of many orders, that one is reported.
FailureKind = Literal[
    "not_recorded",
    "in_doubt",
    "pending",
    "ledger",
    "duplicate",
    "differs",
    "contract_failed",
    "not_ready",
    "invalid",
    "rejected",
    "unreachable",
    "service",
    "configuration",
]
FAILURE_KINDS: tuple[FailureKind, ...] = get_args(FailureKind)

#: What code raises that reads data of an unforeseen shape: a value of another type (AttributeError, TypeError) or
#: missing (LookupError), of no valid form (ValueError, also of JSON and of text), too large or too deep. It is caught
#: only where something known must survive it, such as the outcome that the status of a response proves. What responses
#: are known to lack is a ServiceError where it is read, so a narrower list would be one of the mistakes that are known.
#: An interrupt says nothing of the data and is not in it: the claim stands then, in doubt.
READING_FAILURES = (
    ArithmeticError,
    AttributeError,
    LookupError,
    MemoryError,
    RecursionError,
    TypeError,
    ValueError,
)

#: Libraries of tasks in general: what is imported, and what is installed. Only a ledger in PostgreSQL needs more.
_LIBRARIES = {"requests": "requests", "jsonschema": "jsonschema", "yaml": "PyYAML", "dns": "dnspython"}
#: Their releases, as in requirements.txt.
WANTED = {
    "requests": ">=2.31.0,<3",
    "urllib3": ">=2.6.0,<3",
    "jsonschema": ">=4.18.0,<5",
    "PyYAML": ">=6.0.2,<7",
    "dnspython": ">=2.4.0,<3",
}


class Advice(str):
    """A sentence on what to do. A ledger records only what happened, and a message has each advice once."""

    __slots__ = ()


def message_of(parts: Iterable[str]) -> str:
    """A message of these parts, one below the other. An advice that is given several times stands at its last place."""
    shown = [part for part in parts if part]
    last: dict[str, int] = {part: index for index, part in enumerate(shown) if isinstance(part, Advice)}
    return "\n".join(part for index, part in enumerate(shown) if last.get(part, index) == index)


class Violation(NamedTuple):
    """One rule that a value breaks."""

    #: Dotted, as the user writes it: ``settings.ram``, ``settings.ownercData.email``.
    path: str
    #: What was given, already masked if it is a secret.
    value: Any
    #: A sentence that says what is accepted, and the origin of the rule.
    rule: str
    source: Source
    #: What is wrong with this value, or what to write, where that is known.
    fix: str = ""

    def __str__(self) -> str:
        given = "" if self.value is None else f" (given: {self.value!r})"
        # Paths and rules may hold names of a reference or a service.
        if not self.fix:
            return clean(f"{self.path}: {self.rule}") + f"{given} ({_SOURCES[self.source]})"
        return clean(f"{self.path}: {self.fix}") + f"{given}. " + clean(f"Rule: {self.rule} ({_SOURCES[self.source]})")


class ResellerError(Exception):
    """An error that a task reports."""

    #: How the task failed; each class has its own.
    kind: FailureKind = "configuration"
    #: What happened and, as ``Advice``, what to do about it, in the order of the message.
    parts: tuple[str, ...]
    #: Additional keys of the failed task's result.
    results: Mapping[str, Any]

    def __init__(self, *parts: str, kind: FailureKind | None = None, **results: Any) -> None:
        super().__init__(*parts)
        self.parts, self.kind, self.results = parts, kind or self.kind, results

    def __str__(self) -> str:
        return self.message

    @property
    def failure(self) -> dict[str, Any]:
        """The return value ``failure``: the kind, and the HTTP status of the service's response or ``None``."""
        return {"kind": self.kind, "status": self.results.get("status")}

    @property
    def message(self) -> str:
        """The parts as one text."""
        return message_of(self.parts)

    @property
    def statement(self) -> str:
        """The message without its advice."""
        return message_of(part for part in self.parts if not isinstance(part, Advice))

    def saying(self, *parts: str) -> Self:
        """The same error in these words."""
        other = type(self).__new__(type(self), *parts)
        other.__dict__.update(self.__dict__, parts=parts)
        return other

    def with_results(self, *, kind: FailureKind | None = None, **results: Any) -> Self:
        """The same error with these keys in its results, and of this kind."""
        other = self.saying(*self.parts)
        other.kind, other.results = kind or self.kind, {**self.results, **results}
        return other

    def masked(self, mask: Callable[[str], str]) -> Self:
        """The same error with all its texts masked."""
        return self.saying(*(Advice(mask(part)) if isinstance(part, Advice) else mask(part) for part in self.parts))


class ConfigurationError(ResellerError):
    """An option is missing, contradictory or unusable. Nothing was sent."""


class MissingLibraryError(ResellerError):
    """A Python library is missing in the Python that runs Ansible, or lacks what is needed of it.

    All other missing libraries are named too.
    """

    def __init__(self, library: str, purpose: str, reason: str) -> None:
        others = [name for module, name in _LIBRARIES.items() if name != library and find_spec(module) is None]
        also = f" Also missing: {', '.join(others)}." if others else ""
        own = next((module for module, name in _LIBRARIES.items() if name == library), library)
        is_missing = f"No module named {own!r}" in reason or find_spec(own) is None
        current, wanted = None if is_missing else _installed(library), WANTED.get(library, "")
        versions = f" Version {current} is installed{f', and {wanted} is needed' if wanted else ''}." if current else ""
        super().__init__(
            f"The Python library {library}, needed {purpose}, cannot be {'used' if current else 'imported'}. "
            f"Nothing was sent.\nReason: {reason.rstrip('.')}.{versions}{also}",
            Advice(
                f"Ansible runs in {sys.executable}. Install what is missing there, for example with:\n"
                f"  {shlex.quote(sys.executable)} -m pip install "
                + shlex.join([f"{library}{wanted if current else ''}", *others])
            ),
        )


def _installed(library: str) -> str | None:
    # Imported here: it takes time, and only an error needs it.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version(library)
    except PackageNotFoundError:
        return None


class ViolationsError(ResellerError):
    """One or more values of ``subject`` break a rule. All violations are reported at once."""

    kind: FailureKind = "invalid"

    def __init__(self, violations: Sequence[Violation], subject: str, outcome: str = "It was not sent.") -> None:
        self.violations = tuple(violations)
        listed = "\n".join(f"  - {violation}" for violation in self.violations)
        super().__init__(
            f"{subject} breaks {counted(len(self.violations), 'rule')}. {outcome}\n{listed}",
            violations=[violation._asdict() for violation in self.violations],
        )


class ServiceError(ResellerError):
    """The service could not be reached, or did not respond as expected.

    ``service_message`` has the service's own words, ``violations`` what it says of single settings, ``request_id`` its
    name for the request, where the answer has them.
    """

    #: The HTTP status, if there was an answer.
    status: int | None
    #: The seconds for which the service asks to wait.
    retry_after: float | None

    kind: FailureKind = "service"

    def __init__(
        self,
        *parts: str,
        kind: FailureKind | None = None,
        status: int | None = None,
        service_message: str | None = None,
        violations: Sequence[Violation] = (),
        request_id: str | None = None,
        retry_after: float | None = None,
    ) -> None:
        super().__init__(
            *parts,
            kind=kind,
            status=status,
            service_message=service_message,
            request_id=request_id,
            violations=[violation._asdict() for violation in violations],
        )
        self.status, self.retry_after = status, retry_after


class UnreachableError(ServiceError):
    """No connection was made: the name lookup, the connect or the TLS handshake failed. The request had not begun."""

    kind: FailureKind = "unreachable"


class LostAnswerError(ServiceError):
    """The request had begun and no response arrived: it is unknown whether the service processed it."""

    kind: FailureKind = "unreachable"


class UnreadableAnswerError(ServiceError):
    """A response arrived, but it is not usable (not JSON, truncated, too large, another form)."""


class PublishedReferenceError(ServiceError):
    """The OpenAPI document was not found, is not an OpenAPI document, or lacks what is needed."""


class NotPublishedError(PublishedReferenceError):
    """The OpenAPI document has no operation for what is to be read."""


class UnknownProductError(ServiceError):
    """The catalogue has no product, or more than one, with the requested name or UUID."""

    kind: FailureKind = "invalid"


class LedgerError(ResellerError):
    """The ledger cannot be opened, read or written."""

    kind: FailureKind = "ledger"
