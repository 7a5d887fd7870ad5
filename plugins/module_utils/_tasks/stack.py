# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_stack: reads all contracts of one end user once, plans them as a whole, and orders them."""

from __future__ import annotations

import pathlib
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

from .._adapter.context import Context, Result, Task
from .._adapter.service_opener import service_of
from .._core.errors import ConfigurationError, ResellerError, ServiceError, UnknownProductError, ViolationsError
from .._core.pasting import Offer, arguments, line, task
from .._core.text import counted, nearest
from .._core.yaml_reader import Document, FileProblem, dotted, read_yaml
from .._orders.order import EXISTING_L2VPN, Order, RequestedOrder
from .._orders.preparing import checked_settings
from .._product_types.registry import CONTACT_SETTINGS, SELF
from .._runs.many_orders import ManyOrders
from .._stack.stack_contracts import L2vpns, StackContract, l2vpns_of
from .._stack.stack_reader import read_stack

#: How a file begins that ansible-vault has encrypted.
_VAULT = "$ANSIBLE_VAULT;"
#: Options of an order that hold for all contracts of the stack.
_SHARED = ("validation", "on_drift", "allow_second", "verify_nameservers")


def run(context: Context) -> Result:
    """Order what is not in the ledger yet, unless the stack has problems or something prevents ordering."""
    stack = PlannedStack(context)
    try:
        result = stack.run.order_all({stack.stack.end_user or SELF}, stack.refusal)
    except ResellerError as error:
        raise error.with_results(**stack.shown(error.results)) from error
    return stack.shown(result)


class PlannedStack:
    """A stack that was read once, and planned as far as possible.

    ``run`` has the plan of its contracts that could be planned. ``refusal`` is the error of a stack with problems.
    """

    def __init__(self, context: Context) -> None:
        self._params = params = context.params
        document = _document(params)
        described = service_of(context).described
        self.stack = read_stack(
            document,
            end_users={user.name: user.id for user in described.end_users.values()},
            defaults=params["defaults"],
            secrets=params["secrets"],
            # A file that was read here cannot be encrypted.
            may_hold_secrets=params["stack"] is not None or params["content"] is not None,
        )
        self._l2vpns = L2vpns()
        self._options = {name: params[name] for name in _SHARED}
        self._fit = [
            contract
            for contract in self.stack.contracts
            if contract.name and (contract.product or contract.kind.product_id)
        ]
        self.run = ManyOrders(context, lambda index: dotted(self._fit[index].path))
        failure: ResellerError | None = None
        try:
            records = self.run.ledger.find([contract.name for contract in self.stack.contracts])
            self._l2vpns = l2vpns_of(self.stack, records, params["l2vpn_ids"])
            self.run.l2vpns = {l2vpn_id.lower(): root for root, l2vpn_id in self._l2vpns.ids.items()}
            self.run.plan([self._requested(contract) for contract in self._fit])
        except (ServiceError, ConfigurationError) as error:
            failure = error
        self._report(context)
        if failure and not document.problems:
            raise failure
        if failure:
            reason = failure.message.splitlines()[0]
            document.report(FileProblem("", f"the products and rules of the catalogue could not be checked: {reason}"))
        self.refusal = self._refusal()

    def _requested(self, contract: StackContract) -> RequestedOrder:
        return self.stack.requested(contract, self._l2vpns, self._options)

    def _report(self, context: Context) -> None:
        """Report what is wrong with each contract: by its step, or by the rules of the specification alone."""
        stack = self.stack
        planned = {contract.path: one for contract, one in zip(self._fit, self.run.orders, strict=False)}
        for contract in stack.contracts:
            one = planned.get(contract.path)
            error = one.error if one else None
            if isinstance(error, ViolationsError):
                stack.report(contract, error.violations)
                continue
            if one is None or error is not None:
                requested = one.requested if one else self.run.for_end_user(self._requested(contract))
                checked = checked_settings(requested, contract.kind, check_mode=context.check_mode)
                stack.report(contract, checked.violations)
            if isinstance(error, UnknownProductError):
                aliases = () if contract.product_at[0] == "products" else stack.products
                near = nearest(contract.product or "", aliases, 1)
                meant = f" Or did you mean {near[0]} of products?" if near else ""
                stack.document.add(contract.product_at, error.message + meant)
            elif error is not None and error.kind in ("configuration", "duplicate"):
                stack.document.add(contract.path, error.message)

    def _refusal(self) -> ResellerError | None:
        """Return the error of all problems of the stack, and refuse the contracts that have one."""
        problems, path = self.stack.document.problems, self._params["path"]
        if not problems:
            return None
        for at, contract in enumerate(self._fit[: len(self.run.orders)]):
            place = dotted(contract.path)
            wrong = [
                problem.message for problem in problems if problem.path == place or problem.path.startswith(f"{place}.")
            ]
            if wrong:
                self.run.refuse(at, ConfigurationError("\n".join(dict.fromkeys(wrong))))
        listed = "\n".join(problem.shown(path or "") for problem in problems)
        number = counted(len(problems), "problem")
        return ResellerError(f"{path or 'The stack'} has {number}. Nothing was sent.\n{listed}", kind="invalid")

    def shown(self, result: Mapping[str, Any]) -> Result:
        """The result with what is known of the stack, and the L2VPN of each server, from wherever it is known."""
        l2vpn_ids = dict[str, str]()
        for one, shown in zip(self.run.orders, result.get("results", ()), strict=False):
            joined = one.requested.settings.get(EXISTING_L2VPN)
            if known := shown.get("l2vpn_id") or joined or self._l2vpns.ids.get(one.name):
                l2vpn_ids[one.name] = shown["l2vpn_id"] = str(known)
            is_own = one.state not in ("refused", "elsewhere")
            shown["settings"] = _shown_settings(one.order) if is_own and one.order else {}
        # A plan with a digest has nothing that stands in its way.
        has_orders = any(entry["action"] == "order" for entry in result.get("plan", ()))
        digest, described = result.get("plan_digest"), self.run.service.described
        return {
            **result,
            "end_user": described.id_of(self.stack.end_user or "") or None,
            "end_user_name": described.name_of(self.stack.end_user),
            "service": {name: self._params[name] for name in ("base_url", "organization_id")},
            "problems": [asdict(problem) for problem in self.stack.document.problems],
            "l2vpn_ids": l2vpn_ids,
            "order_with": str(_ordering(self._params, digest)) if digest and has_orders else None,
        }


def _document(params: Mapping[str, Any]) -> Document:
    """The stack as it is given: inline, as text, or in a file. Raises ConfigurationError."""
    if params["stack"] is not None:
        return Document(params["stack"])
    text, path = params["content"], params["path"]
    if text is None:
        if not path:
            raise ConfigurationError("The stack is missing. Give path, content or stack.")
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


def _ordering(params: Mapping[str, Any], digest: str) -> Offer:
    """Return what orders the plan with this digest. Without a stack file, the person has to name the playbook."""
    path, plan_file = params["path"], params["plan_file"]
    playbook = "hosting.reseller.customer_stack" if path else "YOUR_PLAYBOOK"
    file = str(pathlib.Path(path).absolute()) if path else None
    options = {"file": file, "plan_file": plan_file, "approved_plan": digest}
    variables = {f"customer_stack_{name}": value for name, value in options.items() if value}
    given = [word for name, value in variables.items() for word in ("-e", arguments({name: value}))]
    options = {"path": options.pop("file"), **options}
    return Offer(
        task("Order the stack", "hosting.reseller.reseller_stack", options),
        line(["ansible-playbook", playbook, *given]),
    )


def _shown_settings(order: Order) -> dict[str, Any]:
    """The settings of an order with secrets masked, and contacts by their names."""
    return {
        name: _contact(value) if name in CONTACT_SETTINGS and isinstance(value, Mapping) else value
        for name, value in order.masker.value(order.settings).items()
    }


def _contact(data: Mapping[str, Any]) -> str:
    """Return a contact as a person calls it; its other data are nobody's business in a report."""
    company = f", {data['company_name']}" if data.get("company_name") else ""
    return f"{data.get('first_name')} {data.get('last_name')}{company} ({data.get('label')})"


TASK = Task(run, {"mutually_exclusive": [("content", "stack"), ("path", "stack")]})
