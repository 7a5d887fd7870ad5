# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The error of an order in doubt. Pure."""

from __future__ import annotations

from .._core.advice import Advice
from .._core.errors import ResellerError
from .._ledger.order_records import Record
from .._ledger.settling import offer_by_hand, offer_settling
from .order import CONTRACTS

_OWNER_GONE = "The run that was placing it did not record how the order ended."


def in_doubt_error(record: Record, ledger: str, *, lists_contracts: bool) -> ResellerError:
    """The error of an order in doubt, with what settles it in ``ledger`` (its ``place``).

    ``lists_contracts``: the service has a list of contracts. It may settle an order of which the claim noted what to
    look for there.
    """
    by_hand = offer_settling(record.name, ledger)
    request = record.request
    target = f"POST {request.service}{CONTRACTS}, {request.product_type} for {request.end_user}" if request else "?"
    reason = record.outcome.reason or _OWNER_GONE
    first = ""
    if lists_contracts and request is not None and request.evidence is not None:
        title = "Let the service's list of contracts settle the order"
        itself = offer_by_hand(title, {"names": [record.name]}, ledger, module="reseller_reconcile")
        first = f"The service's list of contracts may settle it. Run this {itself.form} first:\n{itself}\n"
    advice = Advice(
        "settle",
        f"{first}Check the customer portal. If the contract exists, run this {by_hand.form}. If it does not and never "
        f"will, run it with absent instead of ordered.\n{by_hand}",
    )
    return ResellerError(
        f"Order {record.name} is in doubt: the service may have accepted it. It is not sent again.\n"
        f"Claimed at {record.claimed_at}: {target}.\nReason: {reason}",
        advice,
        kind="in_doubt",
        order=record.order(),
        settle_with=by_hand.task,
    )
