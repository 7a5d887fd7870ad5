# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads all pages of a list of contracts, and whether the list is complete."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from .._catalogue.pages import Listed, MediaTypes, PageReader, Taken
from .._core.errors import ServiceError
from .._core.text import clean, describe_json, fold
from .._http.client import Answer, Client
from .contradictions import contradictions
from .records import find_contracts
from .values import key_of

#: A list of exactly so many records may have been cut by a limit that nobody tells of.
_LIMITS = frozenset({10, 15, 20, 25, 30, 50, 100, 200, 250, 500, 1000})
_ERRORS = ("error", "errors", "violations")


class ContractListReader(PageReader):
    """Gathers the records of all pages: ``entries``, each with its key where they are a mapping."""

    what = "for the list of contracts"

    def __init__(self, client: Client, url: str, listed: Listed, media_types: MediaTypes) -> None:
        super().__init__(client, url, listed, media_types)
        self.entries: list[tuple[str | None, Mapping[str, Any]]] = []
        self._seen: set[str] = set()
        self._repeated = 0
        self._tried_in_vain = False

    def read_all(self) -> None:
        """Read all pages. If a page after the first cannot be read, the list is incomplete. Raises ServiceError."""
        try:
            self.read()
        except ServiceError as error:
            if not self._pages:
                raise
            self.incomplete = f"page {self._pages + 1} could not be read: {error.message.splitlines()[0]}"

    def take(self, answer: Answer, body: Any, *, tried: bool) -> Taken:
        found = find_contracts(body)
        if found is None:
            raise ServiceError(
                f"The service answered {answer.status}, but no list of contracts is recognized in it.\n"
                f"{clean(answer.url, 300)} answered {clean(describe_json(body), 1000)}.\n"
                "Check base_url and organization_id, or set list_path to the operation that lists contracts.",
                status=answer.status,
            )
        contrary = next((each for around in found.around for each in contradictions(_envelope(around))), None)
        if contrary is not None:
            raise ServiceError(
                f"{clean(answer.url, 300)} answered {answer.status}, but says that it failed: {contrary}.\n"
                "Check organization_id, and look for the reason in the customer portal.",
                status=answer.status,
            )
        new = 0
        for key, raw in found.entries:
            mark = json.dumps([key, raw], sort_keys=True)
            if mark not in self._seen:
                self._seen.add(mark)
                self.entries.append((key, raw))
                new += 1
        # A page that nobody told of, and that is the first again: the service does not know that parameter.
        if tried and not new:
            self._tried_in_vain = self._tried_in_vain or bool(found.entries)
        else:
            self._repeated += len(found.entries) - new
        return Taken(len(found.entries), new, len(self.entries), found.around)

    def why_incomplete(self, ids: Sequence[str | None]) -> str:
        """Why the list may lack contracts, or an empty string. ``ids`` are those of the entries."""
        if self.incomplete:
            return self.incomplete
        if self._repeated:
            return f"{self._repeated} contracts came more than once, so pages repeat or moved while they were read"
        lacking = sum(told is None for told in ids)
        if lacking:
            return f"{lacking} of {len(ids)} records have no id"
        twice = [told for told, count in Counter(key_of(told) for told in ids if told).items() if count > 1]
        if twice:
            return f"contract {clean(twice[0], 100)} is in it more than once"
        if self._tried_in_vain and len(self.entries) in _LIMITS:
            return (
                f"it has exactly {len(self.entries)} contracts, as a limit would cut it, and tells of no further page"
            )
        return ""


def _envelope(around: Mapping[Any, Any]) -> dict[Any, Any]:
    """What an object says beside the records in it, which may well tell of failures of their own."""
    errors = {name: value for name, value in around.items() if fold(name) in _ERRORS}
    return {name: value for name, value in around.items() if not isinstance(value, (list, Mapping))} | errors
