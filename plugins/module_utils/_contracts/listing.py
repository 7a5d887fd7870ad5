# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads all pages of a list of contracts, and whether the list is complete."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from .._core.advice import Advice
from .._core.errors import ServiceError
from .._core.text import clean, describe_json, fold
from .._http.transport import Answer
from .._records.contract_ids import contradictions
from .._records.lists import RecordList, entry_record, find_list
from .._records.pages import PageReader
from .values import id_key

_ERRORS = ("error", "errors", "violations")


class ContractListReader(PageReader):
    """Reads the pages of a list of contracts."""

    what = "the request for the list of contracts"
    _noun = "contracts"

    def take(self, answer: Answer, body: Any) -> RecordList | None:
        # Where no name tells lists apart, that of the first page is the one.
        found = find_list(body, self._noun)
        self._noun = found.name if found and found.name else self._noun
        records = [(key, entry_record(raw, "contract")) for key, raw in found.entries] if found else []
        if found is None or not all(isinstance(raw, Mapping) for _key, raw in records):
            if self._pages:
                return None
            raise ServiceError(
                f"The service answered {answer.status}, but no list of contracts is recognized in it.\n"
                f"{clean(answer.url, 300)} answered {clean(describe_json(body), 1000)}.",
                Advice(
                    "connection",
                    "Check base_url and organization_id, or set list_path to the operation that lists contracts.",
                ),
                status=answer.status,
            )
        contrary = next((each for around in found.around for each in contradictions(_envelope(around))), None)
        if contrary is not None:
            raise ServiceError(
                f"{clean(answer.url, 300)} answered {answer.status}, but says that it failed: {contrary}.",
                Advice("connection", "Check organization_id, and look for the reason in the customer portal."),
                status=answer.status,
            )
        return RecordList(list(records), found.around, found.taken)

    def why_some_lack(self, ids: Sequence[str | None]) -> str:
        """Why the list may lack contracts, or an empty string. ``ids`` are those of the entries."""
        why = self.why_incomplete()
        if why:
            return why
        lacking = sum(shown_id is None for shown_id in ids)
        if lacking:
            return f"{lacking} of {len(ids)} records have no id"
        twice = [
            shown_id
            for shown_id, count in Counter(id_key(shown_id) for shown_id in ids if shown_id).items()
            if count > 1
        ]
        return f"contract {clean(twice[0], 100)} is in it more than once" if twice else ""


def _envelope(around: Mapping[Any, Any]) -> dict[Any, Any]:
    """What an object says beside the records in it, which may well tell of failures of their own."""
    errors = {name: value for name, value in around.items() if fold(name) in _ERRORS}
    return {name: value for name, value in around.items() if not isinstance(value, (list, Mapping))} | errors
