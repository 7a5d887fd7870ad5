# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Writes the task that settles an order, ready to paste. As it is, the task never causes a second order."""

from __future__ import annotations

import json
import re
import shlex
from collections.abc import Mapping

_PLAIN = re.compile(r"[\w./:@+-]+")
_TEMPLATES = ("{{", "{%", "{#")


def settling_task(name: str, ledger: str, *, state: str | None = None, contract_id: str | None = None) -> str:
    """The task that settles the order in ``ledger`` (its ``place``).

    ``state`` is what is known of the order, ``ordered`` or ``absent``; ``None``: that is for the person to find out.
    """
    lines = ["- name: Settle the order", *_beginning(name, ledger)]
    if state is not None:
        lines.append(f"    state: {state}")
    else:
        lines += [
            "    # absent, if the portal does not show the contract and never will. Only once: the next run orders it",
            "    state: ordered",
        ]
    if contract_id is not None:
        lines.append(f"    contract_id: {_quoted(contract_id)}")
    elif state != "absent":
        lines.append("    # contract_id: as the portal shows it; may be left out")
    return "".join(f"{line}\n" for line in lines)


def settling_command(
    name: str, ledger: str, *, state: str | None = None, contract_id: str | None = None, kind: str | None = None
) -> str:
    """The same as a line for a shell, or the task where a line cannot say it: Ansible would fill in what looks like
    a template.
    """
    given = {"name": name, "kind": kind, "state": state or ("done" if kind else "ordered"), "contract_id": contract_id}
    if any(mark in (value or "") for value in (*given.values(), ledger) for mark in _TEMPLATES):
        if kind:
            return settling_operation(name, ledger, state=state)
        return settling_task(name, ledger, state=state, contract_id=contract_id)
    return command(given, ledger)


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


def settling_operation(name: str, ledger: str, *, state: str | None = None) -> str:
    """The task that settles a named operation in ``ledger``.

    ``state`` is what is known of it, ``done`` or ``absent``; ``None``: that is for the person to find out.
    """
    lines = ["- name: Settle the operation", *_beginning(name, ledger), "    kind: operation"]
    if state is None:
        lines.append("    # absent, if it was not done and never will be. Only once: the next run sends it")
    lines.append(f"    state: {state or 'done'}")
    return "".join(f"{line}\n" for line in lines)


def _beginning(name: str, ledger: str) -> list[str]:
    lines = ["  hosting.reseller.reseller_ledger:", f"    name: {_quoted(name)}"]
    if ledger.startswith("postgresql:"):
        return [*lines, f"    # ledger: in RESELLER_LEDGER, {ledger} with its password"]
    return [*lines, f"    ledger: {_quoted(ledger)}"]


def _quoted(text: str) -> str:
    """A text as YAML, in which Ansible sees no template."""
    tag = "!unsafe " if any(mark in text for mark in _TEMPLATES) else ""
    return f"{tag}'" + text.replace("'", "''") + "'"
