# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Writes judgments as settlements for the ledger, and as records of contracts for a person. Pure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .._core.errors import Advice
from .._core.text import clean
from .._http.config import ServiceConfig
from .._ledger.ledger_errors import offer_settling
from .._ledger.order_records import Outcome, Record, Settlement
from .._product_types.product_type import ProductType
from .._records.contract_ids import l2vpn_id
from .._secrets.masker import Masker
from .judgments import Judgment
from .reconciling import UnrecordedContract


def settlements_of(config: ServiceConfig, records: Sequence[Record], judgments: Sequence[Judgment]) -> list[Settlement]:
    """The settlements of orders with a contract, without secrets in the contract."""
    before = {record.name: record for record in records}
    masker = Masker({config.api_key})
    settlements = []
    for each in judgments:
        if each.contract is not None:
            raw = dict(each.contract.raw)
            l2vpn = l2vpn_id(raw) or before[each.name].outcome.l2vpn_id
            outcome = Outcome("ordered", " ".join(each.evidence), each.contract.id, raw, l2vpn)
            settlements.append(Settlement(each.name, outcome.masked(masker), None, before[each.name]))
    return settlements


def evidence_of(judgment: Judgment, place: str) -> list[str]:
    """The evidence, and what settles the order in the ledger at ``place`` if a candidate is its contract."""
    if judgment.contract is not None or not judgment.candidates:
        return [*judgment.evidence]
    likeliest = judgment.candidates[0]
    by_hand = offer_settling(judgment.name, place, state="present", contract_id=likeliest)
    advice = Advice(f"If it is, run this {by_hand.form}:\n{by_hand}")
    return [*judgment.evidence, f"{clean(likeliest, 100)} may be its contract. {advice}"]


def to_adopt(unrecorded: UnrecordedContract, kind: ProductType | None) -> dict[str, Any]:
    """A contract that the ledger lacks: what reseller_record needs to adopt it, and what speaks against that."""
    shown = unrecorded.contract
    settings = {name: value for name, value in (("hostname", shown.hostname), ("domain", shown.domain)) if value}
    doubts = [*unrecorded.doubts]
    if kind is None or shown.end_user is None or (kind.identity and kind.identity not in settings):
        doubts.append("Its product type, end user, or hostname or domain is not known: give what is missing.")
    return {
        "name": shown.hostname or shown.domain or shown.id,
        "contract_id": shown.id,
        "product": shown.product,
        "product_type": kind.name if kind else None,
        "end_user": shown.end_user,
        "settings": settings,
        "doubts": doubts,
    }
