# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compares a stack with its plan: problems that the plan finds, and what it shows."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Any

from .._checks.documented import check_documented
from .._core.errors import ConfigurationError, UnknownProductError, ViolationsError
from .._core.text import nearest
from .._order.order import masked_settings
from .._order.planner import Step
from .._product_types.registry import CONTACT_SETTINGS
from .._stack.problems import Document, StackProblem
from .._stack.stack import StackContract, place_of
from . import order_results


def plan_problems(
    step: Step, contract: StackContract, document: Document, aliases: Sequence[str]
) -> list[StackProblem]:
    """Problems that only the plan can find: what the catalogue says about products and settings."""
    error = step.error
    if isinstance(error, ViolationsError):
        # These documented rules were applied when the stack was read; others depend on the world, as of nameservers.
        known = [*contract.settings]
        checked = check_documented(contract.kind, contract.settings, also_known=known, check_mode=True)
        known_paths = {each.path for each in checked.violations}
        return [
            document.problem(
                place_of(contract, violation.path),
                f"{violation.rule}{_given(violation.value)} [{violation.source}]",
            )
            for violation in error.violations
            if violation.source != "documented" or violation.path not in known_paths
        ]
    if isinstance(error, UnknownProductError):
        near = nearest(contract.product or "", aliases, 1)
        alias = f" Or did you mean {near[0]} of products?" if near and contract.product_at[0] != "products" else ""
        return [document.problem(contract.product_at, error.message + alias)]
    if isinstance(error, ConfigurationError):
        return [document.problem(contract.path, error.message)]
    return []


def _given(value: Any) -> str:
    return "" if value is None else f" (given: {value!r})"


def shown_step(entry: Mapping[str, Any], step: Step, contract: StackContract, root: str | None) -> dict[str, Any]:
    """One contract of the plan for display, with secrets masked and contacts by name."""
    record = step.record
    refusal = order_results.refusal(step)
    outcome = record.outcome if record and record.status == "ordered" else None
    return {
        **entry,
        "product_type": entry["product_type"] or contract.kind.name,
        "settings": _shown_settings(step, contract),
        "joins_l2vpn_of": root,
        "contract_id": outcome.contract_id if outcome else None,
        "l2vpn_id": outcome.l2vpn_id if outcome else None,
        "ordered_at": record.ordered_at if record else None,
        "message": refusal.message if refusal else None,
        "warnings": list(step.warnings),
    }


def shown_unplanned(contract: StackContract, end_user: str, root: str | None) -> dict[str, Any]:
    """One contract that could not be planned because of its problems."""
    return {
        "name": contract.name,
        "action": "refused",
        "product": contract.product,
        "product_name": None,
        "product_type": contract.kind.name,
        "end_user": end_user,
        "billing": contract.kind.billing,
        "listed_prices": None,
        "fingerprint": None,
        "settings": {},
        "joins_l2vpn_of": root,
        "contract_id": None,
        "l2vpn_id": None,
        "ordered_at": None,
        "message": None,
        "warnings": [],
    }


def _shown_settings(step: Step, contract: StackContract) -> dict[str, Any]:
    if step.order is None:
        return {}
    settings = masked_settings(step.order)
    return {name: _contact(value) if name in CONTACT_SETTINGS else value for name, value in settings.items()}


def _contact(text: Any) -> str:
    """A contact as a person calls it; its other data are nobody's business in a report."""
    data = json.loads(text) if isinstance(text, str) else text
    company = f", {data['company_name']}" if data.get("company_name") else ""
    return f"{data.get('first_name')} {data.get('last_name')}{company} ({data.get('label')})"
