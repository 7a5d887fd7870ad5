# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: table_rows
short_description: Read the rows of a table that a spreadsheet saved as CSV
version_added: 1.0.0
author:
  - hosting.reseller contributors (!UNKNOWN)
description:
  - Returns each row as a mapping from the names in the first line to its values. Empty rows are left out.
  - The values are separated by semicolons, commas or tabs, as the first line shows. They may be in double quotes.
  - Whitespace around names and values is removed.
  - >-
    A name such as C(settings.hostname) makes a mapping C(settings) with C(hostname), so that rows are orders as M(hosting.reseller.reseller_contracts)
    takes them. An empty value is left out of it, because a product need not have each setting of a table.
  - >-
    A table without rows is refused, and so is a row that has other values than the first line has names. Nothing of the table is left out without
    a word.
positional: _input
options:
  _input:
    description: The content of the file, in UTF-8.
    type: str
    required: true
"""

EXAMPLES = r"""
- name: Show the hostnames of a table
  ansible.builtin.debug:
    msg: "{{ table | hosting.reseller.table_rows | map(attribute='hostname') }}"
  vars:
    table: "{{ lookup('ansible.builtin.file', 'contracts.csv') }}"
"""

RETURN = r"""
_value:
  description: The rows, each as a mapping from names to strings, or from the part of a name before its dot to a mapping.
  type: list
  elements: dict
"""

import csv
import io
import re
from collections.abc import Callable
from typing import Any

from ansible.errors import AnsibleFilterError

#: What Excel writes before the first line to name the separator.
_SEPARATOR = re.compile(r"sep=(.)\s*[\r\n]+")


def table_rows(text: str) -> list[dict[str, Any]]:
    """The rows of a table in CSV, by the names in its first line. Raises AnsibleFilterError."""
    # Ansible keeps bytes that are no UTF-8 as lone surrogates.
    if re.search("[\ud800-\udfff]", text):
        raise _refused("it is not in UTF-8", "In Excel, save it as CSV UTF-8.")
    text = str(text).removeprefix("\ufeff").lstrip("\r\n")
    named = _SEPARATOR.match(text)
    text = text[named.end() :] if named else text
    # What separates the most names: a decimal comma may stand in any other line.
    first = re.split(r"[\r\n]", text, maxsplit=1)[0]
    separator = named[1] if named else max(";,\t", key=first.count)
    try:
        reader = csv.reader(io.StringIO(text, newline=""), delimiter=separator, strict=True)
        rows = [(reader.line_num, [value.strip() for value in row]) for row in reader]
    except csv.Error as error:
        raise _refused(f"it is not valid CSV ({error})", "Save it again as CSV in UTF-8.") from error
    filled = [(line, row) for line, row in rows if any(row)]
    if len(filled) < 2:
        advice = "Its first line has the names of the columns. Check how its lines end."
        raise _refused("it has no rows below its first line" if filled else "it is empty", advice)
    names = _names(filled[0][1])
    return [_row(names, row, line) for line, row in filled[1:]]


def _names(names: list[str]) -> list[str]:
    while names and not names[-1]:
        names.pop()
    if wrong := next((name for name in names if not name or names.count(name) > 1), None):
        raise _refused(f"its first line has the name {wrong!r} twice", "Give each column a name of its own.")
    outer = {name.partition(".")[0] for name in names if "." in name}
    if wrong := next((name for name in names if name in outer), None):
        raise _refused(f"its first line has {wrong!r}, and names below it", "Keep one of them.")
    if "" in names:
        raise _refused(f"column {names.index('') + 1} has no name in the first line", "Name it, or remove it.")
    return names


def _row(names: list[str], row: list[str], line: int) -> dict[str, Any]:
    if len(row) < len(names) or any(row[len(names) :]):
        advice = "Put a value that contains the separator in double quotes, and save the table as a whole."
        raise _refused(f"line {line} has {len(row)} values, and the first line {len(names)} names", advice)
    mapping: dict[str, Any] = {}
    for name, value in zip(names, row, strict=False):
        outer, _dot, inner = name.partition(".")
        if not inner:
            mapping[name] = value
        else:
            mapping.setdefault(outer, {}).update({inner: value} if value else {})
    return mapping


def _refused(what: str, advice: str) -> AnsibleFilterError:
    return AnsibleFilterError(f"hosting.reseller.table_rows: the table cannot be read: {what}.\n{advice}")


class FilterModule:
    def filters(self) -> dict[str, Callable[[str], list[dict[str, Any]]]]:
        return {"table_rows": table_rows}
