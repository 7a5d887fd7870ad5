# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: misspelled_variables
short_description: Find misspelled variables of a role
version_added: 1.0.0
author:
  - hosting.reseller contributors (!UNKNOWN)
description:
  - >-
    Reports variables that begin with a role's name and are similar to a variable of the role, because Ansible ignores a variable that a role
    does not have.
  - >-
    A variable is similar if it differs in one or two characters, or if only one of its parts is missing, such as C(customer_stack_plan) for
    C(customer_stack_approved_plan). All other variables may belong to other roles.
positional: _input, specs, role
options:
  _input:
    description: Names of the variables that are set.
    type: list
    elements: str
    required: true
  specs:
    description: Argument specifications of the role, as in its C(meta/argument_specs.yml).
    type: dict
    required: true
  role:
    description:
      - Name of the role, without its collection.
      - Variables that begin with this name and two underscores are internal to the role and never reported.
    type: str
    required: true
"""

EXAMPLES = r"""
# In the first task of a role ...
- name: Refuse misspelled variables
  ansible.builtin.assert:
    that: misspelled | length == 0
    fail_msg: "{{ misspelled | join(' ') }}"
  vars:
    names: "{{ query('ansible.builtin.varnames', '^webserver_') }}"
    file: "{{ role_path }}/meta/argument_specs.yml"
    specs: "{{ (lookup('ansible.builtin.file', file) | from_yaml).argument_specs }}"
    misspelled: "{{ names | hosting.reseller.misspelled_variables(specs, 'webserver') }}"
"""

RETURN = r"""
_value:
  description: One sentence for each misspelled variable.
  type: list
  elements: str
"""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

#: How many characters a name may be away from the one that was meant.
_FARTHEST = 2


def misspelled_variables(names: Iterable[str], specs: Mapping[str, Any], role: str) -> list[str]:
    """One sentence for each name that looks like a misspelled variable of the role."""
    own = dict.fromkeys(str(name) for entry in specs.values() for name in entry.get("options", {}))
    others = sorted({str(name) for name in names} - own.keys())
    messages = []
    for name in others:
        if name.startswith(f"{role}_") and not name.startswith(f"{role}__"):
            meant = [one for one in own if _lacks_a_part(name, one) or _distance(name, one) <= _FARTHEST]
            if meant:
                messages.append(f"{name} is not a variable of the role {role}. Did you mean {' or '.join(meant)}?")
    return messages


def _lacks_a_part(name: str, whole: str) -> bool:
    parts = whole.split("_")
    return any("_".join(parts[:at] + parts[at + 1 :]) == name for at in range(len(parts)))


def _distance(one: str, other: str) -> int:
    """Return how many characters must be inserted, removed or replaced to make one text the other."""
    if abs(len(one) - len(other)) > _FARTHEST:
        return _FARTHEST + 1
    row = list(range(len(other) + 1))
    for index, character in enumerate(one, 1):
        diagonal, row[0] = row[0], index
        for place, another in enumerate(other, 1):
            diagonal, row[place] = (
                row[place],
                min(row[place] + 1, row[place - 1] + 1, diagonal + (character != another)),
            )
    return row[-1]


class FilterModule:
    def filters(self) -> dict[str, Callable[..., list[str]]]:
        return {"misspelled_variables": misspelled_variables}
