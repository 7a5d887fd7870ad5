# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads an operation: one response, or the records of all its pages (API specification 4.4 shows no envelope).

Judges what a read shows, too: whether a thing is there as it is wanted, and whether one is really gone.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from typing import Any

from .._core.conditions import Condition, is_there, pointer_to
from .._core.errors import ConfigurationError, ResellerError, ServiceError, UnreadableAnswerError
from .._core.text import clean, fold, nearest
from .._http.answers import is_page, read_json, service_error
from .._http.client import Client
from .._http.transport import Answer
from .._http.waiting import GONE
from .._records.lists import RecordList, find_list
from .._records.pages import LARGEST_PAGE, PageReader
from .._records.paging import Page
from .._reference.published import PRODUCTS_PATH, Operation
from .._secrets.masker import Masker
from .requests import Prepared, Preparer
from .schema_elements import Walk, hide
from .writing import READING


def read_operation(client: Client, prepared: Prepared) -> Answer:
    """Send a request that only reads, and return its response, whatever its status is.

    GET and HEAD are retried. Another method (``reads``) is sent once. Raises ServiceError and its kinds.
    """
    method: Any = prepared.method
    if method in READING:
        headers, accept = prepared.headers, prepared.accept
        return client.get(prepared.url, accept=accept, max_bytes=LARGEST_PAGE, headers=headers, method=method)
    sent = {**prepared.headers, "Accept": prepared.accept}
    return client.send_once(method, prepared.url, prepared.content, sent, max_bytes=LARGEST_PAGE)


def body_of(answer: Answer) -> Any:
    """The body as a JSON value, otherwise as text. ``None`` for an empty or binary body.

    Raises UnreadableAnswerError for what claims to be JSON, or a part of it, and is not.
    """
    if not answer.body.strip():
        return None
    try:
        return read_json(answer)
    except UnreadableAnswerError:
        if "json" in answer.media_type or answer.flaw is not None or is_page(answer):
            raise
    try:
        return answer.body.decode()
    except UnicodeDecodeError:
        return None


def failed(answer: Answer, prepared: Prepared) -> ServiceError:
    """The error for a response, which names elements of the body."""
    names = prepared.body if isinstance(prepared.body, Mapping) else ()
    return service_error(answer.masked(prepared.masker), prepared.name, list(names), within="body")


class OperationPages(PageReader):
    """Reads the records of a collection from its first answer on. ``most`` records are enough, where that is given.

    ``mask`` takes secrets out of a body.
    """

    def __init__(
        self,
        client: Client,
        prepared: Prepared,
        first: Answer,
        most: int | None = None,
        mask: Callable[[Any], Any] = lambda body: body,
    ) -> None:
        super().__init__(client, prepared.url, lambda: prepared.operation.query_parameters)
        self.what = prepared.operation.name
        self._first: Answer | None = first
        self._prepared = prepared
        self._most = most
        self._mask = mask

    @property
    def records(self) -> list[Any] | None:
        """The records. ``None`` where the answer is no collection."""
        return [record for _key, record in self.entries[: self._most]] if self._pages else None

    def take(self, answer: Answer, body: Any) -> RecordList | None:
        # The path /invoices names the list in {"invoices": […]}; the parameter at the end of another names one record.
        last = self._prepared.operation.path.rpartition("/")[2]
        return find_list(self._mask(body), "" if last.endswith("}") else fold(last), any_name=False)

    def read_first(self) -> str | None:
        """Take the records of the first response only, and say why there may be more."""
        page = self._page(self._url)
        return "there may be further pages: set all_pages" if page is not None and not self.says_all(page) else None

    def _following(self, page: Page) -> Page | None:
        if self._most is None or len(self.entries) < self._most:
            return super()._following(page)
        if len(self.entries) > self._most or not self.says_all(page):
            self.incomplete = f"there are more than max_records ({self._most})"
        return None

    def _get(self, url: str) -> Answer:
        first, self._first = self._first, None
        return first or read_operation(self._client, replace(self._prepared, url=url))


def read_there(preparer: Preparer, prepared: Prepared, known: Prepared | None = None) -> Answer | None:
    """The response to a read, or ``None`` if the thing is certainly gone.

    Raises ServiceError and its kinds, and ResellerError if it is not certain.
    """
    answer = read_operation(preparer.client, prepared)
    if answer.status in GONE:
        prove_gone(preparer, prepared, answer.status, known)
        return None
    if not answer.ok:
        raise failed(answer, prepared)
    return answer


def shows(preparer: Preparer, prepared: Prepared, conditions: Sequence[Condition]) -> bool:
    """Whether the response to a read, or one record of its list, meets all conditions.

    Raises ServiceError and its kinds, ConfigurationError for a pointer that no record has, and ResellerError if that it
    is not there is not certain.
    """
    answer = read_there(preparer, prepared)
    if answer is None:
        return False
    body, pages = body_of(answer), OperationPages(preparer.client, prepared, answer)
    why = pages.read() if isinstance(body, (Mapping, list)) else None
    shown = [body, *(pages.records or ())]
    if pages.records != []:
        _refuse_unknown(prepared, conditions, shown)
    if any(all(each.holds(value) for each in conditions) for value in shown):
        return True
    if why:
        raise ResellerError(
            f"{prepared.name} was not read as a whole: {clean(why, 200)}. Nothing was sent.\n"
            "That none of its records meets the conditions is not certain. Narrow the list with query."
        )
    return False


def _refuse_unknown(prepared: Prepared, conditions: Sequence[Condition], shown: Sequence[Any]) -> None:
    """Raise ConfigurationError for a pointer that none of the shown values has."""
    for each in conditions:
        if any(is_there(value, each.steps) for value in shown):
            continue
        names = [str(name) for value in shown if isinstance(value, Mapping) for name in value]
        near = nearest(each.steps[0], names, 1)
        meant = f"; did you mean {clean(pointer_to([near[0], *each.steps[1:]]), 200)}?" if near else ""
        raise ConfigurationError(
            f"unless.shows has a pointer to nothing that {prepared.name} shows. Nothing was sent.\n"
            f"{pointer_to(each.steps)}: nothing has such an element{meant}\n"
            "Correct the pointer: without it, the request would be sent in every run, or never."
        )


def prove_gone(preparer: Preparer, prepared: Prepared, status: int, known: Prepared | None = None) -> None:
    """Raise ResellerError unless another read succeeds in this organization, which makes a 404 credible.

    That is ``known``, or the catalogue.
    """
    client, reads = preparer.client, list[Callable[[], Answer]]()
    if known is not None and known.url != prepared.url:
        reads.append(partial(read_operation, client, known))
    reads.append(partial(client.get, f"/{'/'.join(PRODUCTS_PATH)}", retries=0))
    for read in reads:
        with suppress(ServiceError):
            if read().ok:
                return
    raise ResellerError(
        f"{prepared.name} was answered {status}, and no other read in this organization succeeded.\n"
        "So it is not certain that the thing is gone: a wrong organization_id or a key without rights looks the same.\n"
        "Check organization_id and the id, or set read_with to an operation that succeeds in this organization.",
        status=status,
    )


def shown_body(preparer: Preparer, operation: Operation, body: Any) -> Any:
    """The body of a response with secrets masked, by its published schemas and the given names."""
    read = Walk(operation.schemas, [schema for _type, schema in operation.json_answers], body)
    return Masker(secret_names=preparer.secrets).value(hide(body, read.secrets))
