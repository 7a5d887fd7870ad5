# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A ledger that does not exist yet, for those who only read: it is empty, and nothing makes it."""

from __future__ import annotations

import secrets
from collections.abc import Sequence
from typing import NoReturn

from ansible_collections.hosting.reseller.plugins.module_utils._errors import LedgerError
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.contract import (
    Filter,
    Ledger,
    Outcome,
    Record,
    Request,
)


class AbsentLedger(Ledger):
    """The empty ledger. Its digest key is a random one: there is nothing that digests could be compared with."""

    def __init__(self, place: str) -> None:
        self._place = place
        self._key = secrets.token_bytes(32)

    @property
    def place(self) -> str:
        return self._place

    @property
    def digest_key(self) -> bytes:
        return self._key

    def find(self, names: Sequence[str]) -> dict[str, Record]:
        return {}

    def twins(self, names: Sequence[str]) -> dict[str, str]:
        return {}

    def select(self, wanted: Filter) -> list[Record]:
        return []

    def claim(self, requests: Sequence[Request]) -> list[Record | None]:
        self._refuse()

    def record(self, name: str, outcome: Outcome) -> None:
        self._refuse()

    def settle(self, name: str, outcome: Outcome, request: Request | None) -> None:
        self._refuse()

    def remove(self, name: str) -> None:
        self._refuse()

    def close(self) -> None:
        pass

    def _refuse(self) -> NoReturn:
        raise LedgerError(f"The ledger {self._place} was opened for reading only: nothing is written to it.")


__all__ = ["AbsentLedger"]
