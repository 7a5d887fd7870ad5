# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Prepares the records of orders that the service's list of contracts settles."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from .._http.config import ServiceConfig
from .._ledger.order_records import Outcome, Record, Settlement
from .._records.contract_ids import l2vpn_id
from .._secrets.masker import Masker

if TYPE_CHECKING:
    from .._contracts.judging import Judgment


def settlements_of(config: ServiceConfig, records: Sequence[Record], judgments: Sequence[Judgment]) -> list[Settlement]:
    """The settlements of orders with a contract, without secrets in the contract."""
    standing = {record.name: record for record in records}
    masker = Masker({config.api_key})
    words = []
    for each in judgments:
        if each.contract is not None:
            raw = dict(each.contract.raw)
            told = Outcome("ordered", " ".join(each.evidence), each.contract.id, raw, l2vpn_id(raw))
            words.append(Settlement(each.name, told.masked(masker), None, standing[each.name]))
    return words
