# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One order of a run, from the plan to its end: one state, and the steps from each to the next. Pure.

::

    planned ───┬─> refused                 not sent: a rule, the ledger or the service's list stands in the way
       ^       ├─> answered ──> settled    sent by this run and accepted; settled: the list shows its contract
       │       ├─> rejected                sent by this run or another one, and not placed
       │       ├─> in_doubt ──> settled
       │       ├─> unrecorded              sent, and the ledger does not have how it ended
       │       └─> unreached               the run stopped before it
    elsewhere ───> all of these, and:      another run has claimed it, or has placed it meanwhile
               ├─> recorded                the ledger has it as it is requested
               └─> differs                 the ledger has it otherwise

A plan has planned, refused, recorded, differs, elsewhere and in_doubt. What is in doubt, or differs, may turn out to be
another run's (elsewhere); and until it is sent, every order can be refused.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

from .._core.errors import FailureKind, ResellerError, ServiceError
from .._ledger.ledger_errors import pending_error
from .._ledger.order_records import REQUESTED, Outcome, Record
from .._service.service import Service
from .order import CONTRACTS, EXISTING_L2VPN, Order, RequestedOrder, body
from .order_errors import in_doubt_error

if TYPE_CHECKING:
    from .drift import DriftedValue

State = Literal[
    "planned",
    "elsewhere",
    "recorded",
    "differs",
    "in_doubt",
    "refused",
    "answered",
    "settled",
    "rejected",
    "unrecorded",
    "unreached",
]
_ENDS: frozenset[State] = frozenset({"answered", "rejected", "in_doubt", "unrecorded", "unreached"})
#: The states that can follow each.
NEXT: Mapping[State, frozenset[State]] = {
    "planned": _ENDS | {"planned", "elsewhere", "refused"},
    "elsewhere": _ENDS | {"planned", "elsewhere", "refused", "recorded", "differs"},
    "recorded": frozenset({"refused"}),
    "differs": frozenset({"refused"}),
    "in_doubt": frozenset({"settled", "elsewhere", "refused"}),
    "refused": frozenset({"refused"}),
    "answered": frozenset({"settled"}),
    "settled": frozenset(),
    "rejected": frozenset(),
    "unrecorded": frozenset(),
    "unreached": frozenset(),
}
#: Of these, the run has ordered something, or in check mode would.
_CHANGING: frozenset[State] = frozenset({"planned", "answered", "settled"})


class PlacedOrder(NamedTuple):
    """One order of a run, in one state."""

    requested: RequestedOrder
    #: See the drawing above.
    state: State
    #: As it is sent, where it could be prepared.
    order: Order | None = None
    #: What the ledger has of this name.
    record: Record | None = None
    #: Why it is not placed, or not known to be.
    error: ResellerError | None = None
    #: How the record differs from what is requested.
    differences: tuple[DriftedValue, ...] = ()
    #: What is told of it before it is sent.
    warnings: tuple[str, ...] = ()
    #: How the sending of this run ended.
    outcome: Outcome | None = None
    #: Result values: what the service shows of it, or answered.
    shown: Mapping[str, Any] = MappingProxyType({})

    @property
    def name(self) -> str:
        """The name of the order, empty if it has none."""
        return self.requested.name or ""

    @property
    def changes(self) -> bool:
        """Whether this run has ordered it, or would if it is planned."""
        return self.state in _CHANGING

    def to(self, state: State, **fields: Any) -> PlacedOrder:
        """Return it in another state. Raises ValueError for one that cannot follow."""
        if state not in NEXT[self.state]:
            raise ValueError(f"order {self.name}: {self.state} cannot become {state}")
        return self._replace(state=state, **fields)

    # Before it is sent

    def refused(self, error: ResellerError) -> PlacedOrder:
        """Return it, refused for this reason."""
        return self.to("refused", error=error)

    def joining(self, l2vpn_id: str) -> PlacedOrder:
        """Return it with the UUID of the L2VPN that its order joins."""
        settings = {**self.requested.settings, EXISTING_L2VPN: l2vpn_id}
        requested = replace(self.requested, settings=settings, l2vpn_of=None)
        order = self.order and replace(self.order, settings={**self.order.settings, EXISTING_L2VPN: l2vpn_id})
        return self.to("planned", requested=requested, order=order)

    # From the claim on

    def ended(self, record: Record, outcome: Outcome | None) -> PlacedOrder:
        """Return it with its record. ``outcome`` is how this run's sending ended; without, another run has claimed it.

        One that was not begun stays as it is.
        """
        if outcome and outcome.status == "not_sent" and outcome.error is None:
            return self
        error = outcome.error if outcome else None
        if record.status == "in_doubt":
            doubt = in_doubt_error(record)
            doubt = doubt.with_results(**{**(error.results if error else {}), **doubt.results})
            return self.to("in_doubt", record=record, outcome=outcome, error=doubt)
        if outcome is None or record.status == "pending":
            pending = pending_error(record) if record.status == "pending" else None
            return self.to("elsewhere", record=record, outcome=outcome, error=pending)
        if record.status == "ordered":
            return self.to("answered", record=record, outcome=outcome, error=None, shown={"contract": outcome.body})
        kind: FailureKind = "rejected" if record.status == "rejected" else "unreachable"
        error = error or ServiceError(record.outcome.reason or f"The order {record.name} was not sent.")
        error = error.with_results(kind=kind, order=record.order())
        return self.to("rejected", record=record, outcome=outcome, error=error)

    def stopped_by(self, error: ResellerError) -> PlacedOrder:
        """Return it after an error that prevented or followed its sending."""
        if error.kind != "not_recorded":
            return self.refused(error)
        if self.order:
            # As the ledger will show it after the run.
            error = error.with_results(order=unrecorded_order(self.order, "in_doubt"))
        return self.to("unrecorded", error=error)

    def settled(self, record: Record, contract: Mapping[str, Any] | None, evidence: Sequence[str]) -> PlacedOrder:
        """Return what this run has sent as the service's list shows it, with why."""
        shown = {"contract": contract and dict(contract), "evidence": [*evidence]}
        return self.to("settled", record=record, outcome=record.outcome, error=None, shown=shown)


def unrecorded_order(wanted: Order | RequestedOrder, status: str) -> dict[str, Any]:
    """Return the return value ``order`` for one that the ledger lacks: as it would be sent, or as it is requested."""
    shown = Record(wanted.name or "", Outcome("not_sent"), None, None, None, None, "").order()
    return {**shown, **{name: getattr(wanted, name, None) or None for name in REQUESTED}, "status": status}


def result_of(record: Record | None, **more: Any) -> dict[str, Any]:
    """Return what every result of an order holds. ``contract`` is what the service shows now, if that was looked up."""
    outcome = record.outcome if record else Outcome("not_sent")
    return {
        "changed": False,
        "contract_id": outcome.contract_id,
        "contract": None,
        "contract_when_ordered": outcome.contract,
        "contract_state": None,
        "address": outcome.address,
        "waits_for": None,
        "presence": None,
        "read_back": None,
        "l2vpn_id": outcome.l2vpn_id,
        "cancelled": record.cancelled._asdict() if record and record.cancelled else None,
        "order": record and record.order(),
        "request": None,
        "differences": [],
        "evidence": [],
        **more,
    }


def end_of(one: PlacedOrder, service: Service) -> dict[str, Any] | ResellerError | None:
    """How an order ended, or what would become of it: its result or error, ``None`` if the run did not reach it."""
    if one.error is not None or one.state == "unreached":
        return one.error
    more: dict[str, Any] = {"differences": [difference._asdict() for difference in one.differences], **one.shown}
    if one.changes and one.order:
        masked = one.order.masker.value(body(one.order, service.shape(offline=True)))
        more["request"] = {"method": "POST", "url": f"{one.order.service}{CONTRACTS}", "body": masked}
    if one.state == "planned" and one.order:
        return result_of(None, changed=True, order=unrecorded_order(one.order, "planned"), **more)
    return result_of(one.record, changed=one.changes, **more)
