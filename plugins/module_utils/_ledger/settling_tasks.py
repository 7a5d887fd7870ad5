# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Writes the task that settles an order, ready to paste. As it is, the task never causes a second order."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping

from .._core.text import holds_template

_PLAIN = re.compile(r"[\w./:@+-]+")


def settling_task(
    name: str, ledger: str, *, state: str | None = None, contract_id: str | None = None, kind: str = "order"
) -> str:
    """The task that settles the order or operation in ``ledger`` (its ``place``).

    ``state`` is what is known of it, ``ordered`` (of an operation ``done``) or ``absent``; ``None``: that is for the
    person to find out.
    """
    is_order = kind == "order"
    known = state or ("ordered" if is_order else "done")
    lines = [f"- name: Settle the {kind}", "  hosting.reseller.reseller_ledger:", f"    name: {_quoted(name)}"]
    if ledger.startswith("postgresql:"):
        lines.append(f"    # ledger: in RESELLER_LEDGER, {ledger} with its password")
    else:
        lines.append(f"    ledger: {_quoted(ledger)}")
    if not is_order:
        lines.append(f"    kind: {kind}")
    if state is None:
        never = (
            "the portal does not show the contract and never will. Only once: the next run orders it"
            if is_order
            else "it was not done and never will be. Only once: the next run sends it"
        )
        lines.append(f"    # absent, if {never}")
    lines.append(f"    state: {known}")
    if contract_id is not None:
        lines.append(f"    contract_id: {_quoted(contract_id)}")
    elif is_order and known != "absent":
        lines.append("    # contract_id: as the portal shows it; may be left out")
    return "".join(f"{line}\n" for line in lines)


def settling_command(
    name: str, ledger: str, *, state: str | None = None, contract_id: str | None = None, kind: str = "order"
) -> str:
    """The same as a line for a shell, or the task where a line cannot say it: Ansible would fill in what looks like
    a template.
    """
    if any(holds_template(value or "") for value in (name, contract_id, ledger)):
        return settling_task(name, ledger, state=state, contract_id=contract_id, kind=kind)
    is_order = kind == "order"
    known = {"kind": None if is_order else kind, "state": state or ("ordered" if is_order else "done")}
    return command({"name": name, **known, "contract_id": contract_id}, ledger)


def command(options: Mapping[str, str | None], ledger: str) -> str:
    """A line for a shell that runs reseller_ledger with these options in ``ledger``, and in no other one.

    The address of a server has no password there: without one from elsewhere, the line fails.
    """
    is_server = ledger.startswith("postgresql:")
    given = {option: value for option, value in options.items() if value is not None}
    if not is_server:
        given["ledger"] = ledger
    plain = all(_PLAIN.fullmatch(value) for value in given.values())
    words = " ".join(f"{option}={value}" for option, value in given.items())
    arguments = words if plain else json.dumps(given, ensure_ascii=False)
    line = f"ansible localhost -m hosting.reseller.reseller_ledger -a {shlex.quote(arguments)}"
    return f"RESELLER_LEDGER={shlex.quote(ledger)} {line}" if is_server else line


def _quoted(text: str) -> str:
    """A text as YAML, in which Ansible sees no template."""
    tag = "!unsafe " if holds_template(text) else ""
    return f"{tag}'" + text.replace("'", "''") + "'"
