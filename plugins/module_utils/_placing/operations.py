# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One request to any path below ``base_url``: what a task may request, how it is sent, and what its response says.

A named POST is claimed in the ledger before, as an order is.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any
from urllib.parse import quote, unquote, urlencode, urlsplit

from .._core.errors import ConfigurationError, ResellerError, ServiceError, UnreadableAnswerError
from .._core.text import JsonError, clean
from .._http.client import Client, accept_header
from .._http.config import ServiceConfig
from .._http.problems import service_error
from .._http.transport import Answer, RawAnswer, is_page, read_json
from .._ledger.identity import taken_name_error
from .._ledger.order_records import Kind, NamedOperation, Outcome, Record
from .._ledger.store import Ledger
from .._orders.already_there import in_doubt_error
from .._orders.drift import drift_error, operation_drift
from .._secrets.masker import Masker, contact_digest, secret_values
from .._service.failures import request_failure
from .outcomes import failed_outcome, page_or_problem, proof_of
from .sending import Delivery, Message, Pace, Sender, send

#: A part of a path as servers and proxies read it, too: without a query, placeholder or other marks, and without a
#: percent-encoded letter, digit, dot, slash or mark.
_PART = re.compile(r"(?i)(?:[^?#;\\{}%]|%(?:2[0-246-9A-C]|3[AC-E]|40|5[BDE]|60|[89A-F][0-9A-F]))+")
#: The last steps of the path that orders, wherever the OpenAPI document has it (see PublishedOperations.order).
_ORDERS = ["reseller", "contracts"]
#: Stands for an element that a read does not show.
_ABSENT: Any = object()


@dataclass(frozen=True)
class OperationCall:
    """A request as it is sent: ``url`` is absolute, ``path`` is below ``base_url`` and without the query.

    ``accepted`` are the statuses with which the task succeeds, ``secrets`` further names of secrets. ``masker`` hides
    the API key and the secrets in the request.
    """

    method: str
    path: str
    url: str
    body: Any
    content: bytes | None
    accepted: Collection[int]
    secrets: Collection[str]
    masker: Masker

    @property
    def name(self) -> str:
        """The method and the path, as messages show them."""
        return f"{self.method} {clean(self.masker.text(self.path), 300)}"

    @property
    def shown(self) -> dict[str, Any]:
        """The request for display: without secrets and headers."""
        mask = self.masker.value
        return {"method": self.method, "url": mask(self.url), "body": mask(self.body)}

    def shown_body(self, body: Any) -> Any:
        """Return the body of a response with secrets masked by their names: a plain word is part of many texts."""
        return Masker(secret_names=self.secrets).value(body)


def operation_call(options: Mapping[str, Any], config: ServiceConfig, hidden: set[str]) -> OperationCall:
    """Return the request of a task, and add its secrets to ``hidden``. Raises ConfigurationError."""
    method, path, query, body = (options.get(name) for name in ("method", "path", "query", "body"))
    secrets = secret_values([query, body], options["secrets"])
    hidden |= secrets | {config.api_key}
    method, path = str(method), checked_path(str(path))
    if method == "POST" and is_order_path(config.base_url, path):
        raise ConfigurationError(
            "POST /api/reseller/contracts orders a product, and is not sent as an operation. Nothing was sent.\n"
            "Use hosting.reseller.reseller_contract (or reseller_contracts): it records the order before it sends it, "
            "and never sends it twice."
        )
    try:
        content = None if body is None else json.dumps(body, ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError) as error:
        raise ConfigurationError(f"body cannot be written as JSON: {error}. Nothing was sent.") from None
    text = urlencode([*_query_pairs(query or {})], quote_via=quote, safe=",[]")
    url = f"{config.base_url}{path}{f'?{text}' if text else ''}"
    masker = config.masker(secrets, secret_names=options["secrets"])
    accepted = accepted_statuses(options["status_code"])
    return OperationCall(method, path, url, body, content, accepted, options["secrets"], masker)


def checked_path(path: str) -> str:
    """Return a path as it is sent. Raises ConfigurationError for what is refused in one."""
    first, *parts = path.split("/")
    inner = parts[:-1] if parts and not parts[-1] else parts
    known = all(_PART.fullmatch(each) and unquote(each).strip() not in ("", ".", "..") for each in inner)
    text = unquote(path)
    # What is no UTF-8 may be a slash to others (C0 AF).
    if first or not inner or not known or not text.isprintable() or "\ufffd" in text:
        # It is not shown: a token may be in it.
        raise ConfigurationError(
            "path is not the plain path of a request. Nothing was sent.\n"
            "Write what follows base_url, from the slash on, with each value in its place and the query as query. It "
            "has no empty part, . or .., none of ; \\ # { }, and no letter, digit or mark is percent-encoded, "
            "and nothing that is not UTF-8."
        )
    return quote(path, safe="/%:@!$&'()*+,=~")


def is_order_path(base_url: str, path: str) -> bool:
    """Return whether a POST to this path orders a product, in whatever spelling."""
    joined = unquote(urlsplit(base_url).path + path).casefold()
    # Some frameworks take an ending, as of a file, for the format of the answer.
    steps = [step.strip().partition(".")[0] for step in joined.split("/")]
    return [step for step in steps if step][-2:] == _ORDERS


def accepted_statuses(given: Collection[str]) -> frozenset[int]:
    """Return the statuses of ``status_code``: numbers, and ``2xx``. Raises ConfigurationError."""
    found = set[int]()
    for each in map(str, given):
        if each.lower() == "2xx":
            found |= {*range(200, 300)}
        elif re.fullmatch("[1-5][0-9]{2}", each):
            found.add(int(each))
        else:
            raise ConfigurationError(
                f"status_code {clean(each, 20)!r} is not a status. Nothing was sent.\n"
                "Give numbers from 100 to 599, or 2xx for each from 200 to 299."
            )
    return frozenset(found)


def _query_pairs(query: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the query parameters. Each entry of a list is a parameter of its own, and ``null`` is none."""
    for name, value in query.items():
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, (Mapping, list)):
                raise ConfigurationError(
                    f"query.{clean(str(name), 60)} is not a string, number, boolean, or list of these. Nothing was "
                    "sent.\nWrite the names of nested parameters as the service wants them, such as filter[status]."
                )
            if each is not None:
                yield str(name), str(each).lower() if isinstance(each, bool) else str(each)


# Responses


def body_of(answer: RawAnswer, shown: Answer) -> Any:
    """Return the body as a JSON value, otherwise as text. ``None`` for an empty or binary body.

    Raises UnreadableAnswerError for what claims to be JSON, or a part of it, and is not: with the words of the masked
    response, ``shown``.
    """
    if answer.is_empty:
        return None
    if answer.flaw is None:
        with suppress(JsonError):
            return answer.json
    if "json" in answer.media_type or answer.flaw is not None or is_page(answer):
        read_json(shown)
        raise UnreadableAnswerError("a secret in it is not valid JSON.")
    try:
        return answer.body.decode()
    except UnicodeDecodeError:
        return None


def failed(shown: Answer, call: OperationCall) -> ServiceError:
    """Return the error for a masked response, with the paths of elements of the body that it is about."""
    names = call.body if isinstance(call.body, Mapping) else ()
    return service_error(shown, call.name, [*map(str, names)], within="body")


def differing(requested: Any, shown: Any) -> tuple[Any, Any] | None:
    """Return the parts of what a read shows and of what is requested that differ, or ``None`` if none do.

    Only requested elements are compared: services add elements of their own. One that is not shown differs, and lists
    are compared as a whole.
    """
    if isinstance(requested, Mapping) and isinstance(shown, Mapping):
        parts = {name: differing(value, shown.get(name, _ABSENT)) for name, value in requested.items()}
        found = {name: part for name, part in parts.items() if part is not None}
        before = {name: part[0] for name, part in found.items() if part[0] is not _ABSENT}
        return (before, {name: part[1] for name, part in found.items()}) if found else None
    # In Python, True is 1.
    is_same = requested == shown and isinstance(requested, bool) is isinstance(shown, bool)
    return None if is_same else (shown, requested)


def shown_object(body: Any, requested: Any) -> Any:
    """Return the object in a response that has requested elements: the body, or the only one in it (an envelope)."""
    if not (isinstance(body, Mapping) and isinstance(requested, Mapping)) or requested.keys() & body.keys():
        return body
    inner = [each for each in body.values() if isinstance(each, Mapping) and requested.keys() & each.keys()]
    return inner[0] if len(inner) == 1 else body


# Sending


class OperationSender(Sender[str]):
    """Sends one request. It has a name if a ledger records it. ``job`` has the AWX job IDs that are stored with it."""

    kind: Kind = "operation"

    def __init__(self, client: Client, call: OperationCall, save_answer: str | None, job: Mapping[str, Any]) -> None:
        self._client = client
        self.timeout = client.config.order_timeout
        self._call = call
        self._save_answer = save_answer
        self._job = job

    # One request

    def send(self, delivery: Delivery[str], pace: Pace) -> None:
        """Send the request. Raises ConfigurationError if its response could not be saved, before it is sent."""
        call = self._call

        def post(media_type: str | None, check: Callable[[], None]) -> RawAnswer:
            headers = {"Accept": accept_header()} | ({"Content-Type": media_type} if media_type else {})
            return self._client.send_once(call.method, call.url, call.content, headers, check)

        media_type = None if call.content is None else "application/json"
        send(delivery, Message(post, self._outcome, call.masker, media_type, self._save_answer, call.name), pace)

    def _outcome(self, answer: RawAnswer) -> Outcome:
        """Return how it ended, as its response tells it. May raise READING_FAILURES."""
        call, proof, body, warning = self._call, proof_of(answer.status), None, None
        shown = answer.masked(call.masker)
        try:
            body = body_of(answer, shown)
        except UnreadableAnswerError as flaw:
            warning = f"{call.name} was accepted (status {answer.status}). Its answer cannot be read: {flaw.message}"
        if not answer.ok:
            return failed_outcome(proof, failed(shown, call))._replace(body=body)
        against = page_or_problem(shown)
        if against is None and request_failure(body) is None:
            return Outcome("ordered", warning=warning, body=body)
        against = against or request_failure(body_of(shown, shown)) or "it has a word of failure"
        error = ServiceError(
            f"{call.name} was answered {answer.status}, but the answer says otherwise: {clean(against, 200)}.",
            status=answer.status,
        )
        return failed_outcome("in_doubt", error)._replace(body=body)

    # In the ledger

    def request(self, name: str, ledger: Ledger) -> NamedOperation:
        """Return what the ledger keeps. Secrets are in no form in it."""
        call, config = self._call, self._client.config
        shown = json.dumps(call.shown, sort_keys=True, ensure_ascii=False)
        return NamedOperation(
            name,
            config.base_url,
            config.organization_id,
            call.name,
            contact_digest(shown, ledger.digest_key),
            **self._job,
        )

    def other(self, name: str, record: Record) -> ResellerError | None:
        return taken_name_error(self.kind, name, record, "Nothing was sent")

    def refuse_other(self, record: Record, ledger: Ledger) -> None:
        """Raise ResellerError if the record of this name is another operation's, or in doubt."""
        if record.operation is not None:
            differences = operation_drift(record.operation, self.request(record.name, ledger))
            if differences:
                raise drift_error(record, differences)
        if record.status == "in_doubt":
            raise in_doubt_error(record)


def not_done(outcome: Outcome, status: int | None, call: OperationCall) -> ResellerError:
    """Return the error of a request that did not end as the task wants, or of which that is not known.

    ``status`` is that of its response.
    """
    if outcome.status == "ordered":
        error = ServiceError(f"{call.name} was done, but its status {status} is not in status_code.", status=status)
        error.results |= {"sent": True, "changed": True}
        return error
    error = outcome.error or ServiceError(outcome.reason or f"{call.name} was not sent.")
    if outcome.status != "in_doubt":
        error.kind = "rejected" if outcome.status == "rejected" else "unreachable"
        error.results["sent"] = outcome.status != "not_sent"
        if error.status == HTTPStatus.UNSUPPORTED_MEDIA_TYPE:
            error.parts.append("This module sends JSON only. For files and forms, use ansible.builtin.uri.")
        return error
    again = "This task sends it again when it is run again"
    advice = {
        "DELETE": "Read whether the thing is still there (reseller_operation_info), then run the task again.",
        "POST": f"{again}: look first whether it was done.",
    }.get(call.method, "Read what the service shows now, then run the task again.")
    return ResellerError(
        f"It is unknown whether {call.name} was done.\n{error.message}\n{advice}",
        kind="in_doubt",
        **{**error.results, "sent": True, "changed": True},
    )
