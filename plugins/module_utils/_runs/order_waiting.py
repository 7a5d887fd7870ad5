# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Waits for the contracts of a run: the options ``wait`` and ``wait_timeout``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from .._adapter.context import Context, Result
from .._contracts.reading import ContractReader, read_lists
from .._core.errors import Advice, ResellerError
from .._core.pasting import PLACEHOLDER
from .._core.text import counted
from .._ledger.ledger_errors import offer_by_hand
from .order_run import PERIOD, OrderRun

#: The maximum number of orders that a line names.
_MOST_NAMED = 3

if TYPE_CHECKING:
    from .._contracts.reconciling import Reconciler
    from .._contracts.waiting import LastLook


class OrderWait:
    """The wait of one task for the contracts of its ``orders``, where it is to wait."""

    def __init__(self, context: Context, orders: OrderRun) -> None:
        self._context, self._params, self._orders = context, context.params, orders
        #: As they were read last.
        self._lists: Reconciler | None = None
        #: What is said when the first pause begins.
        self._announced = ""

    def refuse_unwaitable(self) -> None:
        """Raise ResellerError if the task could not wait. Nothing was sent then."""
        from .._contracts.waiting import refuse_without_list, refuse_without_states

        refuse_without_states(self._orders.service.described)
        wanted = [one.requested for one in self._orders.orders if not one.error]
        if self._context.check_mode:
            wanted = [requested for requested in wanted if requested.validation != "specification"]
        if wanted:
            users = [*dict.fromkeys(requested.end_user for requested in wanted)]
            refuse_without_list(self._lists_of(users), users)

    def _lists_of(self, end_users: Sequence[str]) -> Reconciler:
        self._lists = read_lists(ContractReader(self._orders.service), self._orders.ledger, end_users)
        return self._lists

    def waited(self, ends: Sequence[Result | ResellerError | None]) -> list[Result | ResellerError | None]:
        """Return the ends once the contracts are ready. In check mode, say for what it would wait."""
        made, placed = list(ends), {at: end for at, end in enumerate(ends) if isinstance(end, dict)}
        failed = len(placed) < sum(end is not None for end in ends) and not self._orders.keeps_going
        if failed or self._orders.pace.stopped:
            return made
        if self._context.check_mode:
            for result in placed.values():
                result["waits_for"] = self._for
            return made
        looks = self._looks(placed)
        has_failed = any(look.status in ("failed", "unread") for look in looks.values())
        for at, result in placed.items():
            made[at] = self._after(self._orders.orders[at].name, result, looks.get(at), has_failed)
        return made

    @property
    def _for(self) -> str:
        ready, timeout = self._orders.service.described.get("contracts.ready"), self._params["wait_timeout"]
        return f"a state that is one of {', '.join(map(str, ready))}, at most {timeout} seconds"

    def _looks(self, placed: Mapping[int, Result]) -> dict[int, LastLook]:
        """Wait for the placed contracts, by their indexes. Those without an ID cannot be waited for."""
        from .._contracts.waiting import AwaitedContract, wait_until_ready

        awaited = {
            at: AwaitedContract(result["contract_id"], self._orders.orders[at].requested.end_user)
            for at, result in placed.items()
            if result["contract_id"]
        }
        ids = [f"{self._orders.orders[at].name} (contract {contract.contract_id})" for at, contract in awaited.items()]
        others = f" and {counted(len(ids) - _MOST_NAMED, 'other')}" if ids[_MOST_NAMED:] else ""
        self._announced = f"Ordered: {', '.join(ids[:_MOST_NAMED])}{others}. Waiting for {self._for}."
        pace = self._orders.pace
        with self._context.signals_held(pace.stop):
            looks = wait_until_ready(
                awaited,
                self._lists_of,
                self._params["wait_timeout"],
                self._context.clocks,
                self._sleep,
                lambda: pace.stopped,
                keep_going=self._orders.keeps_going,
            )
        if self._lists is not None:
            self._lists.keep_addresses(lambda: self._orders.ledger)
        return looks

    def _after(self, name: str, result: Result, look: LastLook | None, has_failed: bool) -> Result | ResellerError:
        """Return the result of an order with the last look at its contract, or the error if it is not ready.

        ``has_failed``: another contract has, so that a run that does not keep going has left this one.
        """
        if look is not None:
            shown = {"contract": look.raw or result["contract"], "contract_state": look.state}
            result = {**result, **shown, "address": look.address}
            if look.status == "waiting" and has_failed and not self._orders.keeps_going:
                return result
        error = not_ready_error(name, result, look, self._context)
        return error.with_results(**{**result, **error.results}) if error else result

    def _sleep(self, seconds: float) -> None:
        """Sleep, but look up to see whether the parent process is there."""
        pace, now = self._orders.pace, self._context.clocks.monotonic
        if self._announced:
            # Before anybody stops the wait: what is ordered is told by then.
            self._context.progress(self._announced)
            self._announced = ""
        end = now() + seconds
        while not pace.stopped and (left := end - now()) > 0:
            self._context.check_parent(pace.stop)
            pace.sleep(min(left, PERIOD))


def not_ready_error(name: str, result: Result, look: LastLook | None, context: Context) -> ResellerError | None:
    """The error of an ordered contract that is not ready, ``None`` if it is. It stays ordered and recorded."""
    if look is None:
        options = {"name": name, "state": "present", "contract_id": PLACEHOLDER}
        by_hand = offer_by_hand("Record the ID of the contract", options, str(context.params["ledger"] or ""))
        return ResellerError(
            f"Order {name} is ordered, but cannot be waited for: the ledger does not have its contract's ID.",
            Advice(f"Record it, as the customer portal shows it, with this {by_hand.form}:\n{by_hand}"),
            kind="not_ready",
        )
    contract = f"Order {name} is ordered as contract {result['contract_id']}, and stays so."
    if look.status == "failed":
        return ResellerError(
            f"The contract of {name} failed: {look.why}.\n{contract}",
            Advice("Ask the operator of the service."),
            kind="contract_failed",
        )
    if look.status == "ready":
        return None
    if look.status == "unread":
        said = f"The contract of {name} cannot be waited for: {look.why}."
        return ResellerError(f"{said}\n{contract}", Advice("Run again once it can be read."), kind="not_ready")
    stopped = context.interrupted is not None or context.timed_out
    why = "The wait was stopped" if stopped else f"It was waited for {context.params['wait_timeout']} seconds"
    return ResellerError(
        f"The contract of {name} is not ready yet: {look.why}.\n{contract} {why}.",
        Advice("Run again to wait on, or raise wait_timeout."),
        kind="not_ready",
    )
