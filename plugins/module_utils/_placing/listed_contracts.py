# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Refuses orders that the service's list of contracts shows already, and settles those in doubt that it proves."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple

from .._core.text import clean
from .._http.config import ServiceConfig
from .._ledger.order_records import RELEASED, Record
from .._ledger.store import Ledger
from .._order.already_there import listed_error, unread_error
from .._order.order import Order, Step
from .._secrets.masker import Masker

if TYPE_CHECKING:
    from .._contracts.judgments import Judgment
    from .._contracts.reconciling import ExistingContracts

#: Of contracts that look like an order, and of reasons, no more are listed.
MOST_LISTED = 5


def with_existing(
    step: Step, order: Order, found: ExistingContracts, ledger: Ledger, *, required: bool, planning: bool
) -> Step:
    """Return the step of an order after a look at contracts like it: refused if the ledger lacks one.

    ``required``: not without a complete list. With ``planning``, nothing is to be sent.
    """
    unrecorded, warnings = found.unrecorded[:MOST_LISTED], step.warnings
    # What another run is placing may be listed before it is recorded.
    refusing = step.action == "order" and not (unrecorded and _is_claimed(order.name, ledger, planning))
    if refusing and unrecorded and not order.again:
        return step.refused(listed_error(order, unrecorded, ledger.place))
    if refusing and found.unread and required:
        return step.refused(unread_error(order, found.unclear))
    if found.unclear and required:
        warnings = (*warnings, f"Only the ledger was checked. {found.unclear}")
    if unrecorded and step.requested.on_duplicate == "warn":
        listed = ", ".join(clean(each, 100) for each in unrecorded)
        warnings = (*warnings, f"The service has a contract like this order that the ledger lacks: {listed}.")
    if found.over and step.requested.on_duplicate != "ignore":
        over = "; ".join(found.over[:MOST_LISTED])
        warnings = (*warnings, f"The service has a contract like this order that is over: {over}. It is ordered.")
    return step._replace(order=replace(order, evidence=found.evidence), warnings=warnings)


def _is_claimed(name: str, ledger: Ledger, planning: bool) -> bool:
    """Return whether another run has claimed the order since it was planned: what is listed is that run's then."""
    if not planning:
        # A ledger that was missing is read as empty until this run makes it, whoever did so meanwhile.
        ledger.make()
    record = ledger.find([name]).get(name)
    return record is not None and record.status not in RELEASED


class ReadAgain(NamedTuple):
    """An order in the list that was read afterwards: its ``record`` if it is settled, evidence, and the contract."""

    record: Record | None = None
    evidence: Sequence[str] = ()
    contract: Mapping[str, Any] | None = None


def settle(config: ServiceConfig, ledger: Ledger, judgments: Sequence[Judgment]) -> dict[str, Record]:
    """Settle the orders whose contracts are proven. Return the records that stand in the way of that, by name."""
    masker = Masker({config.api_key})
    settlements = [made for each in judgments if (made := each.settlement(masker)) is not None]
    others = ledger.settle(settlements) if settlements else []
    return {each.name: other for each, other in zip(settlements, others, strict=True) if other is not None}


def read_again(
    config: ServiceConfig, ledger: Ledger, names: Sequence[str], judgments: Sequence[Judgment]
) -> dict[str, ReadAgain]:
    """Settle orders of this run, and return what was found. What another run settled first is settled, too."""
    by_name, others = {each.name: each for each in judgments}, settle(config, ledger, judgments)
    found = {}
    for name, record in ledger.find(names).items():
        judgment = by_name.get(name)
        if judgment is not None and judgment.contract is not None and name not in others:
            found[name] = ReadAgain(record, judgment.sentences, judgment.contract.raw)
        elif record.status == "ordered" and record.outcome.contract_id:
            found[name] = ReadAgain(record)
        elif judgment is not None:
            found[name] = ReadAgain(evidence=judgment.sentences)
    return found


def with_evidence(ledger: Ledger, names: Sequence[str]) -> list[str]:
    """Return those that a list can settle, because one was read before them, and those that are settled."""
    found = ledger.find(names) if names else {}
    return [
        name
        for name, each in found.items()
        if each.outcome.contract_id or (each.status == "in_doubt" and each.request and each.request.evidence)
    ]
