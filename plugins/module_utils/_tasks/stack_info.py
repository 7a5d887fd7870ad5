# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_stack_info: a customer's stack checked as a whole, and what ordering it would do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .._adapter import argspec
from .._adapter.context import Context, Result, Task
from .._adapter.ledgers import ledger_of
from .._adapter.services import service_of
from .._core.errors import ConfigurationError, RefusedError, ServiceError
from .._order.plan import plan_digest, plan_of, remember_plan
from .._product_types.registry import SELF
from .._results.stack_results import known_l2vpns, plan_problems, shown_step, shown_unplanned
from .._stack.problems import Document, StackProblem, dotted
from .._stack.reader import read_stack
from .._stack.stack import Stack, StackContract
from .._stack.yaml_reader import read_yaml
from .contract import planner_of, wish_of
from .contracts import merge_options

_DEFAULT_NAME = "the stack"
#: Options of an order that hold for all contracts of the stack.
_SHARED = ("validation", "org_max_ram", "on_drift", "on_duplicate", "verify_nameservers")
_PREFLIGHT = ("nameserver_resolvers", "nameserver_port")


def run(context: Context) -> Result:
    """Check the stack, plan it, and tell what is wrong and what would be ordered."""
    params = context.params
    document = _document(params)
    stack = read_stack(document, defaults=params["defaults"], secrets=params["secrets"])
    planned: Result = {"contracts": [], "plan": [], "plan_digest": None, "l2vpn_ids": {}}
    try:
        planned = _planned(context, stack, document)
    except (ServiceError, ConfigurationError) as error:
        if not stack.problems:
            raise
        reason = error.message.splitlines()[0]
        stack.problems.append(StackProblem("", f"the products and live rules could not be checked: {reason}"))
    problems = sorted(dict.fromkeys(stack.problems), key=lambda problem: (problem.line or 0, problem.column or 0))
    waiting = [name for name, root in stack.roots.items() if root not in planned["l2vpn_ids"]]
    result: Result = {
        "changed": False,
        "check_mode": context.check_mode,
        "end_user": stack.end_user,
        "problems": [problem.as_dict() for problem in problems],
        **planned,
        "ready": [contract.name for contract in stack.contracts if contract.name not in waiting],
        "waiting": [{"name": name, "l2vpn_of": stack.roots[name]} for name in waiting],
    }
    if problems and params["on_problems"] == "fail":
        file = params["path"] or _DEFAULT_NAME
        listed = "\n".join(problem.shown(params["path"] or "") for problem in problems)
        counted = "1 problem" if len(problems) == 1 else f"{len(problems)} problems"
        raise RefusedError(f"{file} has {counted}; nothing was ordered.\n{listed}", **result)
    return result


def _document(params: Mapping[str, Any]) -> Document:
    """The stack as it is given: inline, as text, or in a file. Raises ConfigurationError."""
    if params["stack"] is not None:
        return Document(params["stack"])
    text, path = params["content"], params["path"]
    if text is None:
        if path is None:
            raise ConfigurationError("Nothing to check. Give path, content or stack.")
        try:
            text = Path(path).read_text(encoding="utf-8-sig")
        except OSError as error:
            raise ConfigurationError(f"The stack file {path} cannot be read: {error.strerror}.") from error
        except UnicodeDecodeError as error:
            raise ConfigurationError(f"The stack file {path} is no UTF-8 text: {error}.") from error
    return read_yaml(text)


def _planned(context: Context, stack: Stack, document: Document) -> Result:
    """The plan of all contracts that can be planned. Adds what it finds wrong to the stack's problems."""
    params = context.params
    service = service_of(context)
    ledger = ledger_of(context, writing=False)
    ids, contradictions = known_l2vpns(
        stack, ledger.find([contract.name for contract in stack.contracts]), params["l2vpn_ids"], document
    )
    stack.problems += contradictions
    fit = [contract for contract in stack.contracts if _can_be_planned(contract)]
    common = {name: params[name] for name in _SHARED}
    # What is wrong with the end-user was told once; it is not to be told again for each contract.
    target = {"end_user": stack.end_user or SELF}
    orders = {order["name"]: order for order in stack.orders(ids)}
    wishes = [wish_of(merge_options(common, {**orders[contract.name], **target})) for contract in fit]
    steps = planner_of(context, service, ledger).plan(wishes)
    products = document.data.get("products") if isinstance(document.data, Mapping) else None
    aliases = [str(name) for name in products] if isinstance(products, Mapping) else []
    for contract, step in zip(fit, steps, strict=True):
        stack.problems += plan_problems(step, contract, document, aliases)
        for warning in step.warnings:
            context.warn(f"{step.name}: {warning}")
    plan = plan_of(steps, service.config)
    if not stack.problems:
        remember_plan(plan, service.cache)
    return {
        "contracts": _shown(stack, fit, list(zip(plan, steps, strict=True))),
        "plan": plan,
        "plan_digest": plan_digest(plan),
        "l2vpn_ids": ids,
    }


def _can_be_planned(contract: StackContract) -> bool:
    return contract.product is not None or contract.kind.product_id is not None


def _shown(stack: Stack, fit: Sequence[StackContract], planned: Sequence[tuple[Any, Any]]) -> list[dict[str, Any]]:
    by_place = {contract.path: shown for contract, shown in zip(fit, planned, strict=True)}
    entries = []
    for contract in stack.contracts:
        root = stack.roots.get(contract.name)
        if contract.path in by_place:
            entry, step = by_place[contract.path]
            entries.append(shown_step({**entry, "end_user": stack.end_user}, step, contract, root))
        else:
            entries.append(shown_unplanned(contract, stack.end_user, root))
        place = dotted(contract.path)
        wrong = [each.message for each in stack.problems if each.path == place or each.path.startswith(f"{place}.")]
        if wrong:
            entries[-1].update(action="refused", settings={}, message="\n".join(dict.fromkeys(wrong)))
    return entries


ARGUMENTS: argspec.ArgumentSpec = {
    **argspec.common(),
    **argspec.learning(),
    "path": {"type": "path"},
    "content": {"type": "str", "no_log": True},
    "stack": {"type": "dict"},
    "defaults": {"type": "dict", "default": {}},
    "secrets": {"type": "dict", "default": {}, "no_log": True},
    "l2vpn_ids": {"type": "dict", "default": {}},
    "on_problems": {"type": "str", "choices": ["fail", "report"], "default": "fail"},
    **{name: spec for name, spec in argspec.order().items() if name in _SHARED},
    **{name: spec for name, spec in argspec.placing().items() if name in _PREFLIGHT},
}

TASK = Task(ARGUMENTS, run, {"mutually_exclusive": [("content", "stack"), ("path", "stack")]})


__all__ = ["TASK"]
