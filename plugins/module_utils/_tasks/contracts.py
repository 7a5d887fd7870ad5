# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_contracts: many orders in one task, planned as a whole before the first is sent."""

from __future__ import annotations

import signal
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from types import FrameType
from typing import Any

from ansible_collections.hosting.reseller.plugins.module_utils import _argspec, _reports
from ansible_collections.hosting.reseller.plugins.module_utils._approval import check_approval, remember_plan
from ansible_collections.hosting.reseller.plugins.module_utils._batch import Batch, Ended
from ansible_collections.hosting.reseller.plugins.module_utils._errors import (
    ConfigurationError,
    PartlyPlacedError,
    RefusedError,
    ResellerError,
    UnrecordedError,
)
from ansible_collections.hosting.reseller.plugins.module_utils._pace import Pace
from ansible_collections.hosting.reseller.plugins.module_utils._placing import Placer
from ansible_collections.hosting.reseller.plugins.module_utils._plan import plan_digest, plan_of, plan_text
from ansible_collections.hosting.reseller.plugins.module_utils._planning import Step
from ansible_collections.hosting.reseller.plugins.module_utils._progress import Progress
from ansible_collections.hosting.reseller.plugins.module_utils._service import Service
from ansible_collections.hosting.reseller.plugins.module_utils._task import Context, Result, Task
from ansible_collections.hosting.reseller.plugins.module_utils._tasks.contract import wish_of

MOST_AT_ONCE = 32


def run(context: Context) -> Result:
    """Plan all orders, and place them unless something stands in the way."""
    params = context.params
    concurrency = params["concurrency"]
    if not 1 <= concurrency <= MOST_AT_ONCE:
        raise ConfigurationError(f"concurrency is from 1 to {MOST_AT_ONCE} (given: {concurrency}).")
    service = context.service(pool_size=concurrency)
    ledger = context.ledger(writing=True)
    wishes = [wish_of(merged(params["defaults"] or {}, contract)) for contract in params["contracts"]]
    steps = _without_twins(context.planner(service, ledger).plan(wishes))
    _warn(context, steps)
    plan = plan_of(steps, service.config)
    shown: Result = {"plan": plan, "plan_digest": plan_digest(plan)}
    if context.diff:
        shown["diff"] = _diff(steps)
    results = [_planned(step, service) for step in steps]
    to_send = [index for index, step in enumerate(steps) if step.action == "order"]
    try:
        _refuse(steps, results, to_send, params)
        if to_send and params["approved_plan"] is not None:
            check_approval(params["approved_plan"], plan, service.cache)
    except ResellerError as error:
        error.results = {**shown, **_summary(results), **error.results, "changed": False}
        raise
    if context.check_mode:
        remember_plan(plan, service.cache)
        return {**shown, **_summary(results), "changed": bool(to_send)}
    elsewhere = [index for index, step in enumerate(steps) if step.in_flight and params["approved_plan"] is None]
    placer = Placer(service, ledger, wait_in_flight=params["wait_in_flight"], job=context.job(), pace=Pace())
    _place(context, placer, service, steps, sorted([*to_send, *elsewhere]), results)
    return _finished({**shown, **_summary(results)}, results, stopped=placer.pace.stopped)


def _place(
    context: Context,
    placer: Placer,
    service: Service,
    steps: Sequence[Step],
    chosen: Sequence[int],
    results: list[Result],
) -> None:
    """Send the chosen steps, and write over their results how they ended."""
    orders = {index: order for index in chosen if (order := steps[index].order) is not None}
    indexes = list(orders)
    for index in indexes:
        results[index] = _not_sent(steps[index])
    progress = Progress(len(orders), context.progress)

    def on_end(position: int, ended: Ended) -> None:
        index = indexes[position]
        results[index] = _ended(ended, steps[index], service, placer)
        progress.ended(ended.placed.record.status if ended.placed else None)
        if ended.placed and ended.placed.sent and ended.placed.sent.warning:
            context.warn(f"{steps[index].name}: {ended.placed.sent.warning}")

    batch = Batch(
        placer,
        concurrency=context.params["concurrency"],
        keep_going=context.params["on_error"] == "continue",
        on_end=on_end,
        heartbeat=progress.heartbeat,
    )
    with _stopped_by_signals(placer.pace):
        batch.run(list(orders.values()))
    if placer.pace.stopped:
        context.progress(f"Stopped by a signal: {progress.line()}")


@contextmanager
def _stopped_by_signals(pace: Pace) -> Iterator[None]:
    """Ctrl-C and SIGTERM end the sending instead of the process: what is in flight is waited for and recorded."""

    def stop(_number: int, _frame: FrameType | None) -> None:
        pace.stop()

    before = {number: signal.signal(number, stop) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _without_twins(steps: Sequence[Step]) -> list[Step]:
    """The steps, with those refused that have the name of an earlier one: one name is one order."""
    first: dict[str, int] = {}
    checked = []
    for index, step in enumerate(steps):
        if first.setdefault(step.name, index) != index and step.error is None:
            twin = ConfigurationError(
                f"contracts[{index}] has the same name as contracts[{first[step.name]}]. One name is one order: give "
                "one of them another name, or leave it out."
            )
            step = replace(step, action="refused", error=twin)
        checked.append(step)
    return checked


def _warn(context: Context, steps: Sequence[Step]) -> None:
    told = [f"{step.name}: {warning}" for step in steps for warning in step.warnings]
    told += [_reports.drift_message(step) for step in steps if step.differences and step.wish.on_drift == "warn"]
    for warning in dict.fromkeys(told):
        context.warn(warning)


def _planned(step: Step, service: Service) -> Result:
    refusal = _reports.refusal(step)
    if refusal is not None:
        return _failed(step, refusal)
    if step.action == "order" and step.order is not None:
        return {"name": step.name, **_reports.planned(step.order, service)}
    return {"name": step.name, **_reports.recorded(step)}


def _failed(step: Step, error: ResellerError) -> Result:
    return {"name": step.name, "changed": False, "failed": True, "msg": error.message, **error.results}


def _not_sent(step: Step) -> Result:
    order = _reports.order_planned(step.order) if step.order else None
    return {"name": step.name, "changed": False, "order": order, "msg": "Not sent: the run stopped before this order."}


def _ended(ended: Ended, step: Step, service: Service, placer: Placer) -> Result:
    error = ended.error
    if ended.placed is not None:
        error = _reports.failure(ended.placed, placer.wait_in_flight, placer.ledger.place)
    elif isinstance(error, UnrecordedError) and step.order is not None:
        error = _reports.unrecorded_error(error, step.order)
    if error is not None or ended.placed is None or step.order is None:
        return _failed(step, error or ConfigurationError("It was not prepared."))
    if ended.placed.sent is None:
        return {"name": step.name, **_reports.recorded(replace(step, record=ended.placed.record))}
    return {"name": step.name, **_reports.placed(ended.placed, step.order, service)}


def _refuse(
    steps: Sequence[Step], results: Sequence[Result], to_send: Sequence[int], params: Mapping[str, Any]
) -> None:
    """Raise if nothing may be sent: something is invalid, or stands in the way and the run is to stop at that."""
    invalid = [index for index, step in enumerate(steps) if step.action == "refused"]
    blocked = [index for index, step in enumerate(steps) if step.action in ("in_doubt", "drift")]
    if invalid or (blocked and params["on_error"] == "stop"):
        listed = "\n".join(f"contracts[{index}] {results[index]['msg']}" for index in [*invalid, *blocked])
        raise RefusedError(
            f"{len(invalid) + len(blocked)} of {len(steps)} orders cannot be placed; nothing was sent.\n{listed}",
            violations=[
                {**violation, "path": f"contracts[{index}].{violation['path']}"}
                for index in invalid
                for violation in results[index].get("violations", ())
            ],
        )
    most = params["max_orders"]
    if most is not None and len(to_send) > most:
        raise RefusedError(
            f"The plan holds {len(to_send)} orders, and max_orders allows {most}; nothing was sent. Look at the plan "
            "in check mode, and raise max_orders if it is what you want."
        )


def _summary(results: Sequence[Result]) -> Result:
    counts = dict.fromkeys(("ordered", "unchanged", "failed", "in_doubt", "not_sent"), 0)
    for result in results:
        counts[_count_of(result)] += 1
    return {"results": list(results), "counts": counts}


def _count_of(result: Result) -> str:
    status = (result.get("order") or {}).get("status")
    if result.get("failed"):
        return "in_doubt" if status == "in_doubt" else "failed"
    if result["changed"]:
        return "ordered"
    return "not_sent" if status == "planned" else "unchanged"


def _finished(shown: Result, results: Sequence[Result], *, stopped: bool) -> Result:
    failed = [result for result in results if result.get("failed")]
    changed = any(result["changed"] for result in results)
    if not failed and not stopped:
        return {**shown, "changed": changed}
    counted = ", ".join(f"{count} {word.replace('_', ' ')}" for word, count in shown["counts"].items() if count)
    why = "The run was stopped by a signal" if stopped else f"{len(failed)} of {len(results)} orders failed"
    listed = "\n".join(f"{result['name']}: {result['msg']}" for result in failed)
    raise PartlyPlacedError(f"{why}: {counted}.\n{listed}", **shown, changed=changed)


def merged(defaults: Mapping[str, Any], contract: Mapping[str, Any]) -> dict[str, Any]:
    """The options of one order: its own, else the defaults, else those of reseller_contract; mappings are combined."""
    options: dict[str, Any] = {name: spec.get("default") for name, spec in _argspec.order().items()}
    for given in (defaults, contract):
        for name, value in given.items():
            if isinstance(value, Mapping) and isinstance(options.get(name), Mapping):
                options[name] = {**options[name], **value}
            elif value is not None:
                options[name] = value
    return options


def _diff(steps: Sequence[Step]) -> dict[str, str]:
    settings = {
        index: _reports.settings_text(step.order)
        for index, step in enumerate(steps)
        if step.order is not None and step.action == "order"
    }
    return {
        "before_header": "orders in the ledger",
        "after_header": "the plan",
        "before": plan_text([step for step in steps if step.action == "none"], {}),
        "after": plan_text(steps, settings),
    }


def _without_defaults(spec: _argspec.ArgumentSpec) -> _argspec.ArgumentSpec:
    """Options that stand for others, whose defaults they must not hide."""
    return {name: {key: value for key, value in each.items() if key != "default"} for name, each in spec.items()}


ARGUMENTS: _argspec.ArgumentSpec = {
    **_argspec.common(),
    **_argspec.learning(),
    **_argspec.placing(),
    "contracts": {
        "type": "list",
        "elements": "dict",
        "required": True,
        "options": _without_defaults(_argspec.order()),
    },
    "defaults": {"type": "dict", "options": _without_defaults(_argspec.order_defaults())},
    "concurrency": {"type": "int", "default": 4},
    "on_error": {"type": "str", "choices": ["stop", "continue"], "default": "stop"},
    "max_orders": {"type": "int"},
    "approved_plan": {"type": "raw"},
}

TASK = Task(ARGUMENTS, run)

__all__ = ["TASK", "merged"]
