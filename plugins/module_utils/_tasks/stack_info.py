# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_stack_info: checks a stack as a whole, and shows what ordering it would do."""

from __future__ import annotations

import pathlib
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from .._adapter.context import Context, Result, Task
from .._adapter.ledger_opener import Purpose
from .._core.errors import ConfigurationError, ResellerError, ServiceError, UnknownProductError, ViolationsError
from .._core.pasting import Offer, arguments, line, task
from .._core.text import counted, nearest
from .._order.order import Order, RequestedOrder, Step
from .._order.plan import IN_FILE, not_requested
from .._product_types.registry import CONTACT_SETTINGS, SELF
from .._stack.stack_contracts import L2vpns, StackContract, l2vpns_of
from .._stack.stack_document import Document, StackProblem, dotted, read_yaml
from .._stack.stack_reader import read_stack
from .order_results import warnings_of
from .order_run import OrderRun

#: How a file begins that ansible-vault has encrypted.
_VAULT = "$ANSIBLE_VAULT;"
#: Options of an order that hold for all contracts of the stack.
_SHARED = ("validation", "org_max_ram", "on_drift", "on_duplicate", "verify_nameservers")


def run(context: Context) -> Result:
    """Check and plan the stack, and report problems and what would be ordered."""
    params = context.params
    reading = PlannedStack(context, "read")
    for warning in warnings_of([step for _contract, step in reading.planned]):
        context.warn(warning)
    service = {name: params[name] for name in ("base_url", "organization_id")}
    if params["on_problems"] == "fail":
        reading.refuse_problems(params, service=service)
    return {"changed": False, "service": service, **reading.shown(params["path"])}


class PlannedStack:
    """A stack that was read once, and planned as far as possible.

    ``orders`` is the plan, and ``planned`` the contracts in it with their steps: empty if nothing could be planned.
    """

    orders: OrderRun

    def __init__(self, context: Context, purpose: Purpose) -> None:
        params = context.params
        document = _document(params)
        self.stack = read_stack(
            document,
            defaults=params["defaults"],
            secrets=params["secrets"],
            # A file that was read here cannot be encrypted.
            may_hold_secrets=params["stack"] is not None or params["content"] is not None,
        )
        self.l2vpns = L2vpns()
        self._options = {name: params[name] for name in _SHARED}
        self.planned: list[tuple[StackContract, Step]] = []
        failure: ResellerError | None = None
        try:
            self._plan(context, purpose)
        except (ServiceError, ConfigurationError) as error:
            failure = error
        self._report(context)
        if failure and not document.problems:
            raise failure
        if failure:
            reason = failure.message.splitlines()[0]
            document.report(StackProblem("", f"the products and rules of the catalogue could not be checked: {reason}"))
        elif purpose == "read" and not document.problems:
            # What the service's list refuses is wrong with the ledger, and not with the stack.
            self.planned = [
                (contract, step)
                for (contract, _step), step in zip(self.planned, self.orders.refuse_what_is_there(), strict=True)
            ]

    def _plan(self, context: Context, purpose: Purpose) -> None:
        """Plan all contracts that can be planned."""
        params, stack = context.params, self.stack
        self.orders = OrderRun(context, purpose, lambda index: dotted(stack.contracts[index].path))
        records = self.orders.ledger.find([contract.name for contract in stack.contracts])
        self.l2vpns = l2vpns_of(stack, records, params["l2vpn_ids"])
        known = {l2vpn_id.lower(): root for root, l2vpn_id in self.l2vpns.ids.items()}
        fit = [each for each in stack.contracts if each.name and (each.product or each.kind.product_id)]
        steps = self.orders.plan([self._requested(each) for each in fit], l2vpns=known)
        self.planned = [*zip(fit, steps, strict=True)]

    def _requested(self, contract: StackContract) -> RequestedOrder:
        return self.stack.requested(contract, self.l2vpns, self._options)

    def _report(self, context: Context) -> None:
        """Report what is wrong with each contract: by its step, or by the rules of the specification alone."""
        stack, steps = self.stack, {contract.path: step for contract, step in self.planned}
        for contract in stack.contracts:
            step = steps.get(contract.path)
            error = step.error if step else None
            if isinstance(error, ViolationsError):
                stack.report(contract, error.violations)
                continue
            requested = step.requested if step else self._requested(contract)
            stack.report(contract, requested.checked(contract.kind, check_mode=context.check_mode).violations)
            if isinstance(error, UnknownProductError):
                aliases = () if contract.product_at[0] == "products" else stack.products
                near = nearest(contract.product or "", aliases, 1)
                meant = f" Or did you mean {near[0]} of products?" if near else ""
                stack.document.add(contract.product_at, error.message + meant)
            elif error is not None and error.kind in ("configuration", "duplicate"):
                stack.document.add(contract.path, error.message)

    def shown(self, path: str | None) -> Result:
        """Return the problems of the stack, and what ordering it would do. ``path`` is that of the stack file."""
        plan, digest = self.orders.shown_plan() if self.planned else ([], None)
        contracts = [
            {**entry, **self._shown_contract(contract, step)}
            for (contract, step), entry in zip(self.planned, plan, strict=True)
        ]
        # A stack with problems may name what cannot be read.
        others: Result = {"count": 0, "contracts": [], "lines": []}
        if not self._problems:
            names = {contract.name for contract in self.stack.contracts}
            ledger, config = self.orders.ledger, self.orders.service.config
            others = not_requested(ledger, config, [self.stack.end_user or SELF], names, IN_FILE)
        to_order = any(each["action"] == "order" for each in contracts)
        is_ready = to_order and not self._problems and not any(each["message"] for each in contracts)
        return {
            **self._found(),
            "contracts": contracts,
            "plan": plan,
            "plan_digest": digest,
            "not_requested": others,
            "order_with": str(_ordering(path, digest)) if digest and is_ready else None,
            **(self.orders.read_back.result if plan else {}),
        }

    def _shown_contract(self, contract: StackContract, step: Step) -> Result:
        """Return what is added to a contract's entry in the plan, with secrets masked and contacts by name."""
        record, place = step.record, dotted(contract.path)
        outcome = record.outcome if record and record.status == "ordered" else None
        shown = {
            "end_user": self.stack.end_user,
            "settings": _shown_settings(step.order) if step.order else {},
            "joins_l2vpn_of": self.stack.roots.get(contract.name),
            "contract_id": outcome.contract_id if outcome else None,
            "l2vpn_id": outcome.l2vpn_id if outcome else None,
            "ordered_at": record.ordered_at if record else None,
            "message": step.error.message if step.error else None,
            "warnings": [*step.warnings],
        }
        if step.action == "pending" and record:
            shown["message"] = record.status_in_words
        wrong = [each.message for each in self._problems if each.path == place or each.path.startswith(f"{place}.")]
        if wrong:
            shown.update(action="refused", settings={}, message="\n".join(dict.fromkeys(wrong)))
        return shown

    @property
    def _problems(self) -> list[StackProblem]:
        return self.stack.document.problems

    def _found(self) -> Result:
        return {"end_user": self.stack.end_user, "problems": [asdict(problem) for problem in self._problems]}

    def refuse_problems(self, params: Mapping[str, Any], **results: Any) -> None:
        """Raise ResellerError with all problems of the stack, if it has any.

        The contracts and the plan are not among its results: they would repeat each problem.
        """
        if self._problems:
            listed = "\n".join(problem.shown(params["path"] or "") for problem in self._problems)
            number = counted(len(self._problems), "problem")
            raise ResellerError(
                f"{params['path'] or 'The stack'} has {number}. Nothing was sent.\n{listed}",
                kind="invalid",
                **self._found(),
                **results,
            )


def _document(params: Mapping[str, Any]) -> Document:
    """The stack as it is given: inline, as text, or in a file. Raises ConfigurationError."""
    if params["stack"] is not None:
        return Document(params["stack"])
    text, path = params["content"], params["path"]
    if text is None:
        if not path:
            raise ConfigurationError("Nothing to check. Give path, content or stack.")
        try:
            text = pathlib.Path(path).read_text(encoding="utf-8-sig")
        except OSError as error:
            raise ConfigurationError(f"The stack file {path} cannot be read: {error.strerror}.") from error
        except UnicodeDecodeError as error:
            raise ConfigurationError(f"The stack file {path} is not UTF-8 text: {error}.") from error
    if text.startswith(_VAULT):
        raise ConfigurationError(
            f"The stack file {path or ''} is encrypted by ansible-vault, and this task cannot decrypt it.\n"
            "Use the role customer_stack, or give the decrypted text as content: lookup('ansible.builtin.file', PATH)."
        )
    document = read_yaml(text)
    document.is_private = params["content"] is not None
    return document


def _ordering(path: str | None, digest: str) -> Offer:
    """Return what orders the plan with this digest. Without a stack file, the person has to name the playbook."""
    playbook = "hosting.reseller.customer_stack" if path else "YOUR_PLAYBOOK"
    file = str(pathlib.Path(path).absolute()) if path else None
    variables = {"customer_stack_file": file, "customer_stack_approved_plan": digest}
    given = [word for name, value in variables.items() if value for word in ("-e", arguments({name: value}))]
    options = {"path": file, "approved_plan": digest}
    return Offer(
        task("Order the stack", "hosting.reseller.reseller_stack", options),
        line(["ansible-playbook", playbook, *given]),
    )


def _shown_settings(order: Order) -> dict[str, Any]:
    return {
        name: _contact(value) if name in CONTACT_SETTINGS and isinstance(value, Mapping) else value
        for name, value in order.masker.value(order.settings).items()
    }


def _contact(data: Mapping[str, Any]) -> str:
    """Return a contact as a person calls it; its other data are nobody's business in a report."""
    company = f", {data['company_name']}" if data.get("company_name") else ""
    return f"{data.get('first_name')} {data.get('last_name')}{company} ({data.get('label')})"


CONSTRAINTS = {"mutually_exclusive": [("content", "stack"), ("path", "stack")]}

TASK = Task(run, CONSTRAINTS)
