# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads an operation: one response, or the records of all its pages (API specification 4.4 shows no envelope)."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any

from .._core import strict_json
from .._core.errors import ServiceError
from .._http.answers import is_page, read_json, service_error
from .._http.client import MEGABYTE, Answer, Client
from .._records.lists import find_list
from .._records.pages import USUAL_LIMITS, Page, PageReader, PageRecords
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
        return strict_json.read(answer.body)
    except strict_json.JsonError:
        if is_page(answer):
            return read_json(answer)
    try:
        return answer.body.decode()
    except UnicodeDecodeError:
        return None


def failed(answer: Answer, prepared: Prepared, masker: Masker) -> ServiceError:
    """The error for a response, which names elements of the body."""
    names = prepared.body if isinstance(prepared.body, Mapping) else ()
    return service_error(answer.masked(masker), prepared.name, list(names), within="body")


def masker_of(prepared: Prepared, api_key: str) -> Masker:
    """Masks the secrets of a request in responses of the service."""
    return Masker(prepared.hidden | {api_key})


class OperationPages(PageReader):
    """Reads the records of a collection from its first answer on. ``most`` records are enough, where that is given.

    ``records`` is ``None`` where the answer is no collection. ``mask`` takes secrets out of a body.
    """

    def __init__(
        self,
        client: Client,
        prepared: Prepared,
        first: Answer,
        most: int | None = None,
        mask: Callable[[Any], Any] = lambda body: body,
    ) -> None:
        super().__init__(client, prepared.url, lambda: prepared.operation.query_parameters, lambda: ())
        self.what = prepared.operation.name
        self.records: list[Any] | None = None
        self._first: Answer | None = first
        self._prepared = prepared
        self._most = most
        self._mask = mask
        self._seen: set[str] = set()
        self._again = 0

    def take(self, answer: Answer, body: Any) -> PageRecords | None:
        """Take the records that earlier pages did not have."""
        found = find_list(self._mask(body))
        if found is None:
            return None
        self.records = [] if self.records is None else self.records
        records = [record for _key, record in found.entries]
        keys = [json.dumps(each, sort_keys=True) for each in records]
        new = [each for key, each in zip(keys, records, strict=True) if key not in self._seen]
        # A page that is the first one again: the service takes no such parameter.
        self._again += len(keys) - len(new) if new else 0
        self._seen.update(keys)
        self.records += new
        return PageRecords(len(keys), len(new), len(self.records), found.around)

    def read_all(self) -> None:
        """Read all pages. Raises ServiceError and its kinds."""
        with self._client.reading():
            self.read()
        if self._again and not self.incomplete:
            self.incomplete = f"its pages overlap: {self._again} records came again"
        if self.may_be_cut and len(self.records or ()) in USUAL_LIMITS and not self.incomplete:
            count = len(self.records or ())
            self.incomplete = f"it has exactly {count} records, as a limit would cut it, and tells of no further page"

    def read_first(self) -> None:
        """Take the records of the first response only. ``incomplete`` says that there may be more."""
        page = self._page(self._url)
        if page is not None and not self.says_all(page):
            self.incomplete = "there may be further pages: set all_pages"

    def _following(self, page: Page) -> Page | None:
        if self.records is None:
            return None
        if self._most is not None and len(self.records) >= self._most:
            if len(self.records) > self._most or not self.says_all(page):
                self.incomplete = f"there are more than max_records ({self._most})"
            self.records = self.records[: self._most]
            return None
        return super()._following(page)

    def _by_parameter(self, page: Page, *, expected: bool) -> Page | None:
        found = super()._by_parameter(page, expected=expected)
        unlisted = found is not None and not any(each.listed for each in self._by(found))
        if found is not None and found.new and unlisted and not expected and not self.incomplete:
            self.incomplete = f"nothing announced page {self._pages}, and it has further records"
        return found

    def _get(self, url: str) -> Answer:
        first, self._first = self._first, None
        if first is not None:
            return first
        headers = dict(self._prepared.headers)
        return self._client.get(url, accept=self._prepared.accept, max_bytes=LARGEST, headers=headers)
