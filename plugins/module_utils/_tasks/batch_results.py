# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reports many orders: a result for each, the numbers of outcomes, and one message for all."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from .._core.errors import (
    ConfigurationError,
    PartlyPlacedError,
    RefusedError,
    ResellerError,
    ServiceError,
    UnrecordedError,
)
from .._core.text import caseless, clean
from .._order.drift import drift_message
from .._order.plan import plan_text, plan_totals
from .._order.planner import Step
from .._order.service import Service
from .._placing.batch import Ended
from . import order_results

Result = dict[str, Any]

#: Where a result keeps its error's advice until it is shown.
_ADVICE = "advice"
COUNTS = ("ordered", "unchanged", "failed", "in_doubt", "not_sent")
#: The first line of an error whose list says more than it does.
_BROKEN = re.compile(r" breaks [0-9]+ rules?\. ")
#: What a line says of an order that is not ordered, by its status.
_ENDS = {
    "planned": "not sent",
    "not_sent": "not sent",
    "in_doubt": "in doubt",
    "pending": "being placed by another run",
    "rejected": "rejected",
}
_STANDS = "Not sent: the order is in the ledger."
#: Of more failures than this a message gives the first lines only, and of more than the second their number only.
_MOST_IN_FULL = 3
_MOST_LISTED = 20


@dataclass(frozen=True)
class PartNames:
    """Names of the parts of a task, as the user wrote them.

    ``contract`` tells it of the contract with an index, ``l2vpn_ids`` of what takes the UUIDs of L2VPNs, ``l2vpns`` of
    the L2VPN with a UUID: the server that it comes from.
    """

    contract: Callable[[int], str]
    l2vpn_ids: str = "l2vpn_ids"
    l2vpns: Mapping[str, str] = field(default_factory=dict)


PART_NAMES = PartNames("contracts[{}]".format)


def refuse_twins(steps: Sequence[Step]) -> list[Step]:
    """The steps, with those refused that repeat the name of an earlier one: one name is one order."""
    first: dict[str, int] = {}
    checked = []
    for index, step in enumerate(steps):
        earlier = first.setdefault(caseless(step.name), index) if step.name else index
        if earlier != index and step.action != "refused":
            twin = ConfigurationError(
                f"The name {clean(step.name, 40)} is also that of contracts[{earlier}]"
                f"{_in_capitals(step, steps[earlier])}. This order was not sent.\n"
                "One name is one order. Give one of them another name, or remove it."
            )
            step = replace(step, action="refused", error=twin)
        checked.append(step)
    return checked


def _in_capitals(one: Step, other: Step) -> str:
    return "" if one.name == other.name else f" but for capital letters ({other.name})"


def warnings_of(steps: Sequence[Step]) -> Iterator[str]:
    """Warnings, each once, however many orders cause them."""
    names: dict[str, list[str]] = {}
    for step in steps:
        for warning in step.warnings:
            names.setdefault(warning, []).append(step.name)
    for warning, those in names.items():
        others = f" (and {len(those) - 1} other orders)" if len(those) > 1 else ""
        yield f"{those[0]}{others}: {warning}"
    for step in steps:
        if step.differences and step.requested.on_drift == "warn" and step.action == "none":
            yield drift_message(step.name, step.differences)


def step_result(step: Step, service: Service) -> Result:
    """The result of an order before anything is sent."""
    if step.error is not None:
        return failed_result(step.name, step.error)
    if step.action == "order" and step.order is not None:
        return {"name": step.name, **order_results.planned_result(step.order, service)}
    return {"name": step.name, **order_results.recorded_result(step)}


def failed_result(name: str, error: ResellerError) -> Result:
    """The result of an order that blocks the plan or was not placed."""
    # An error that knows the order to be in another state says so.
    order = {"order": {"name": name, "status": "not_sent"}}
    told = {"msg": error.message, _ADVICE: error.advice}
    return {"name": name, "changed": False, "failed": True, **told, **order, **error.results}


def advice_of(results: Sequence[Result]) -> list[str]:
    """What the messages of these results say to do."""
    return [advice for result in results for advice in result.get(_ADVICE, ())]


def not_sent(step: Step) -> Result:
    """The result of an order that the run did not reach."""
    order = {**order_results.order_planned(step.order), "status": "not_sent"} if step.order else None
    return {"name": step.name, "changed": False, "order": order, "msg": "Not sent: the run stopped before this order."}


def refusal_results(shown: Result, steps: Sequence[Step], *, whole_plan: bool) -> Result:
    """All return values of a run whose plan was refused: failed orders in full, the others with their status.

    ``whole_plan``: a person is to look at the plan, and approve it as it is.
    """
    plan = shown["plan"]
    told = summary(plan, [_refused_result(step) for step in steps])
    if not whole_plan:
        plan = [{"name": entry["name"], "action": entry["action"]} for entry in plan]
    return {**shown, "plan": plan, **told, "changed": False}


def _refused_result(step: Step) -> Result:
    if step.error is not None:
        return failed_result(step.name, step.error)
    record = step.record
    if step.action == "order" or record is None:
        order = {"name": step.name, "status": "not_sent"}
        return {"name": step.name, "changed": False, "order": order, "msg": "Not sent: the plan was refused."}
    found = {"name": step.name, "status": record.status}
    contract_id = record.outcome.contract_id
    return {"name": step.name, "changed": False, "contract_id": contract_id, "order": found, "msg": _STANDS}


def l2vpn_unknown(step: Step, root: str, names: PartNames) -> Result:
    """The result of an order that joins the L2VPN of ``root``, which is ordered but whose L2VPN is not known."""
    order = {**order_results.order_planned(step.order), "status": "not_sent"} if step.order else None
    unknown = RefusedError(
        f"{step.name} was not sent: the UUID of the L2VPN of {root} is not known.\n"
        f"{root} is ordered, and the service's response does not hold the UUID. Look it up in the customer portal, set "
        f"{names.l2vpn_ids} to it (for {root}), and run again. Nothing is ordered twice.",
        order=order,
    )
    return failed_result(step.name, unknown)


def ended_result(ended: Ended, step: Step, service: Service, ledger: str, waited: float) -> Result:
    """The result of an order that the run placed or tried to. ``ledger`` is its ``place``, ``waited`` in seconds."""
    order = step.order
    if order is None:
        return step_result(step, service)
    if isinstance(ended, UnrecordedError):
        ended = order_results.unrecorded_error(ended, order)
    if isinstance(ended, ResellerError):
        return failed_result(step.name, ended)
    sent = ended.sent
    if sent is not None and sent.status == "not_sent" and sent.error is None:
        return not_sent(step)
    failure = order_results.failure(ended, order, service, ledger, waited)
    if failure is not None:
        return failed_result(step.name, failure)
    if sent is None:
        return {"name": step.name, **order_results.recorded_result(replace(step, record=ended.record))}
    return {"name": step.name, **order_results.placed_result(ended.record, order, service, contract=sent.body)}


def left_by_others(step: Step, waited: float, service: Service) -> Result:
    """The result of an order that another run was placing, planned again after ``waited`` seconds.

    It was not to be sent by this run, and is not, whatever became of it.
    """
    record = step.record
    if step.in_flight and record is not None:
        return failed_result(step.name, order_results.in_flight_error(record, waited))
    if step.action == "order":
        reason = record.outcome.reason if record else None
        cause = f" ({reason})" if reason else ""
        return failed_result(
            step.name,
            ServiceError(
                f"Another run was placing the order {step.name}, but did not place it{cause}.\nRun again to order it."
            ),
        )
    return step_result(step, service)


def summary(plan: Sequence[Mapping[str, Any]], results: Sequence[Result]) -> Result:
    """The return values ``results``, ``counts`` and ``lines``."""
    counts = dict.fromkeys(COUNTS, 0)
    for result in results:
        counts[_count_of(result)] += 1
    shown = [{key: value for key, value in result.items() if key != _ADVICE} for result in results]
    return {"results": shown, "counts": counts, "lines": lines_of(plan, results)}


def lines_of(plan: Sequence[Mapping[str, Any]], results: Sequence[Mapping[str, Any]]) -> list[str]:
    """One line for each entry of a plan and its result: ``NAME: PRODUCT, ordered, contract ID``.

    Instead of ``ordered`` also ``there already``, ``not sent``, ``in doubt``, ``rejected`` and ``being placed by
    another run``.
    """
    return [_line(entry, result) for entry, result in zip(plan, results, strict=True)]


def _line(entry: Mapping[str, Any], result: Mapping[str, Any]) -> str:
    product = entry["product_name"] or entry["product"] or entry["product_type"] or "unknown product"
    line = f"{entry['name']}: {product}, {_end(result)}"
    contract = result.get("contract_id")
    return f"{line}, contract {contract}" if contract else line


def _end(result: Mapping[str, Any]) -> str:
    status = (result.get("order") or {}).get("status")
    if status == "ordered":
        return "ordered" if result["changed"] else "there already"
    return _ENDS.get(status or "not_sent", "not sent")


def _count_of(result: Result) -> str:
    status = (result.get("order") or {}).get("status")
    if result.get("failed"):
        return "in_doubt" if status == "in_doubt" else "failed"
    if result["changed"]:
        return "ordered"
    return "not_sent" if status == "not_sent" else "unchanged"


def counts_in_words(counts: Mapping[str, int]) -> str:
    """The counts in names, without zeros."""
    return ", ".join(f"{count} {word.replace('_', ' ')}" for word, count in counts.items() if count) or "no orders"


def refusal_of(steps: Sequence[Step], names: PartNames = PART_NAMES, *, going_on: bool) -> RefusedError | None:
    """Why nothing may be sent: an order is invalid, or one blocks a run that is not ``going_on``."""
    reasons = {index: step.error for index, step in enumerate(steps) if step.error is not None}
    invalid = [index for index in reasons if steps[index].action == "refused"]
    if not invalid and (going_on or not reasons):
        return None
    listed = _listed([(names.contract(index), reason.message) for index, reason in reasons.items()])
    return RefusedError(
        f"{len(reasons)} of {len(steps)} orders cannot be placed. Nothing was sent.\n{listed}",
        advice=[advice for reason in reasons.values() for advice in reason.advice],
        violations=[
            {**violation, "path": f"{names.contract(index)}.{violation['path']}"}
            for index in invalid
            for violation in reasons[index].results.get("violations", ())
        ],
    )


def unfinished_error(shown: Result, advice: Sequence[str] = (), *, signalled: bool) -> PartlyPlacedError | None:
    """The error of a run that left orders unsent, or that a signal stopped.

    ``shown`` are all return values, ``advice`` is what their messages say to do.
    """
    failures = [result for result in shown["results"] if result.get("failed")]
    if not failures and not signalled and not shown["counts"]["not_sent"]:
        return None
    failed_ones = f"{len(failures)} of {len(shown['results'])} orders failed"
    why = "The run was stopped by a signal" if signalled else failed_ones
    listed = _listed([(f"{result['name']}:", result["msg"]) for result in failures])
    message = f"{why}: {counts_in_words(shown['counts'])}.\n{listed}".rstrip()
    if signalled and shown["counts"]["not_sent"]:
        message += "\nRun again to order the rest."
    return PartlyPlacedError(message, advice=advice, **shown)


def _listed(messages: Sequence[tuple[str, str]]) -> str:
    """Messages with what they are about, as many and as long as a person reads."""
    if len(messages) <= _MOST_IN_FULL:
        return "\n".join(f"{subject} {message}" for subject, message in messages)
    alike: dict[str, list[str]] = {}
    for subject, message in messages:
        alike.setdefault(_short(message), []).append(subject)
    lines = [
        f"{subjects[0]} {f'(and {len(subjects) - 1} more) ' if len(subjects) > 1 else ''}{text}"
        for text, subjects in list(alike.items())[:_MOST_LISTED]
    ]
    rest = f"… and {len(alike) - _MOST_LISTED} more reasons. " if len(alike) > _MOST_LISTED else ""
    return "\n".join([*lines, f"{rest}All that is known of each order is in results."])


def _short(message: str) -> str:
    """The first line of a message, or the first of the list that it begins."""
    first, *others = message.splitlines()
    items = [line.removeprefix("  - ") for line in others if line.startswith("  - ")]
    if not items or not _BROKEN.search(first):
        return first
    return f"{items[0]} (and {len(items) - 1} more)" if len(items) > 1 else items[0]


def plan_diff(steps: Sequence[Step], names: PartNames = PART_NAMES) -> dict[str, str]:
    """The differences between the ledger and the plan, as ``--diff`` shows them."""
    settings = {
        index: order_results.settings_text(step.order, names.l2vpns)
        for index, step in enumerate(steps)
        if step.order is not None and step.action == "order"
    }
    return {
        "before_header": "orders in the ledger",
        "after_header": f"the plan: {plan_totals(steps)}",
        "before": plan_text([step for step in steps if step.action == "none"], {}),
        "after": plan_text(steps, settings),
    }
