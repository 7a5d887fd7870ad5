# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads an operation: one response, or the records of all its pages (API specification 4.4 shows no envelope)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from .._core import strict_json
from .._core.errors import ServiceError
from .._http.answers import is_page, read_json, service_error
from .._http.client import MEGABYTE, Client
from .._http.transport import Answer
from .._records.lists import RecordList, find_list
from .._records.pages import Page, PageReader
from .._secrets.masker import Masker
from .requests import Prepared

LARGEST = 64 * MEGABYTE


def read_operation(client: Client, prepared: Prepared, *, max_bytes: int = LARGEST) -> Answer:
    """Send a request that only reads, and return its response, whatever its status is.

    GET and HEAD are retried. Another method (``reads``) is sent once. Raises ServiceError and its kinds.
    """
    headers = dict(prepared.headers)
    if prepared.method in ("GET", "HEAD"):
        method: Any = prepared.method
        return client.get(prepared.url, accept=prepared.accept, max_bytes=max_bytes, headers=headers, method=method)
    sent = {**headers, "Accept": prepared.accept}
    return client.send_once(prepared.method, prepared.url, prepared.content, sent, max_bytes=max_bytes)


def body_of(answer: Answer) -> Any:
    """The body as a JSON value, otherwise as text. ``None`` for an empty or binary body.

    Raises UnreadableAnswerError for what claims to be JSON, or a part of it, and is not.
    """
    if not answer.body.strip():
        return None
    if "json" in answer.media_type or answer.flaw is not None:
        return read_json(answer)
    try:
        return answer.json()
    except strict_json.JsonError:
        if is_page(answer):
            return read_json(answer)
    try:
        return answer.body.decode()
    except UnicodeDecodeError:
        return None


def failed(client: Client, answer: Answer, prepared: Prepared) -> ServiceError:
    """The error for a response, which names elements of the body."""
    names = prepared.body if isinstance(prepared.body, Mapping) else ()
    return service_error(answer.masked(masker_of(client, prepared)), prepared.name, list(names), within="body")


def masker_of(client: Client, prepared: Prepared) -> Masker:
    """Masks the secrets of a request in responses of the service."""
    return Masker(prepared.hidden | {client.config.api_key})


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
        return find_list(self._mask(body))

    def read_all(self) -> str | None:
        """Read all pages, and say why records may lack. Raises ServiceError and its kinds."""
        with self._client.reading():
            self.read()
        return self.why_incomplete()

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

    def _by_parameter(self, page: Page, *, expected: bool) -> Page | None:
        found = super()._by_parameter(page, expected=expected)
        unlisted = found is not None and not any(each.listed for each in self._by(found))
        if found is not None and found.new and unlisted and not expected and not self.incomplete:
            self.incomplete = f"nothing announced page {self._pages}, and it has further records"
        return found

    def _get(self, url: str) -> Answer:
        first, self._first = self._first, None
        return first or read_operation(self._client, replace(self._prepared, url=url))
