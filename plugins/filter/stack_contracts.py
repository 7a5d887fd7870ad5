# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: stack_contracts
short_description: The contracts of a customer's stack, as reseller_contracts takes them
version_added: 0.1.0
author:
  - hosting.reseller contributors (@hosting)
description:
  - Makes the orders that a stack describes, secrets included, to be handed to M(hosting.reseller.reseller_contracts).
  - Check the stack with M(hosting.reseller.reseller_stack_info) first; it also knows the catalogue and the ledger, and
    tells which contracts are ready to be ordered.
positional: _input
options:
  _input:
    description: The stack, as a mapping or as the text of a stack file.
    type: raw
    required: true
  names:
    description: Only the contracts of these names; all of them by default.
    type: list
    elements: str
  defaults:
    description: As the option of this name of M(hosting.reseller.reseller_stack_info).
    type: dict
    default: {}
  secrets:
    description: As the option of this name of M(hosting.reseller.reseller_stack_info).
    type: dict
    default: {}
  l2vpn_ids:
    description: The UUIDs of the L2VPNs that are joined, as M(hosting.reseller.reseller_stack_info) returns them.
    type: dict
    default: {}
requirements:
  - jsonschema >= 4.18
  - PyYAML
seealso:
  - module: hosting.reseller.reseller_stack_info
  - module: hosting.reseller.reseller_contracts
"""

EXAMPLES = r"""
- name: Check a stack
  hosting.reseller.reseller_stack_info:
    path: "{{ playbook_dir }}/4711.yml"
  register: stack

- name: Order what is ready
  hosting.reseller.reseller_contracts:
    contracts: >-
      {{ lookup('ansible.builtin.file', playbook_dir ~ '/4711.yml')
         | hosting.reseller.stack_contracts(names=stack.ready, l2vpn_ids=stack.l2vpn_ids) }}
"""

RETURN = r"""
_value:
  description: The contracts, in the order of the stack.
  type: list
  elements: dict
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ansible.errors import AnsibleFilterError

from ..module_utils._checks.coercion import kind_of
from ..module_utils._core.errors import MissingLibraryError
from ..module_utils._stack.problems import Document
from ..module_utils._stack.reader import read_stack
from ..module_utils._stack.stack import Stack
from ..module_utils._stack.yaml_reader import read_yaml
from ..plugin_utils._in_process import as_module_input

_NAME = "hosting.reseller.stack_contracts"


def stack_contracts(
    stack: Any,
    names: Sequence[str] | None = None,
    defaults: Mapping[str, Any] | None = None,
    secrets: Mapping[str, Any] | None = None,
    l2vpn_ids: Mapping[str, str] | None = None,
) -> list[dict[str, Any]]:
    """The orders that a stack describes. Raises AnsibleFilterError with all that is wrong with it."""
    given = {"defaults": defaults or {}, "secrets": secrets or {}, "l2vpn_ids": l2vpn_ids or {}}
    for option, value in given.items():
        if not isinstance(value, Mapping):
            raise AnsibleFilterError(f"{_NAME}: {option} is a mapping, not {kind_of(value)}.")
    read = _read(as_module_input(stack), as_module_input(given["defaults"]), as_module_input(given["secrets"]))
    if read.problems:
        listed = "\n".join(problem.shown("line") for problem in read.problems)
        raise AnsibleFilterError(f"{_NAME}: the stack has {len(read.problems)} problem(s):\n{listed}")
    orders = read.orders(as_module_input(given["l2vpn_ids"]))
    return orders if names is None else [order for order in orders if order["name"] in names]


def _read(stack: Any, defaults: Any, secrets: Any) -> Stack:
    try:
        document = read_yaml(stack) if isinstance(stack, str) else Document(stack)
        return read_stack(document, defaults=defaults, secrets=secrets)
    except MissingLibraryError as error:
        raise AnsibleFilterError(f"{_NAME}: {error.message}") from error


class FilterModule:
    def filters(self) -> dict[str, Callable[..., list[dict[str, Any]]]]:
        return {"stack_contracts": stack_contracts}
