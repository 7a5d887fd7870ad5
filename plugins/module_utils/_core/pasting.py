# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Writes what a person may paste: a task in YAML, and a line for a shell. Pure.

Whatever a value holds, the text is one task or one command with exactly that value. No value is evaluated as a
template, breaks a line, or shows anything else than it is: what a terminal would not show as itself is escaped.
"""

from __future__ import annotations

import json
import os
import re
import shlex
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import inf
from typing import Any, NamedTuple

from .text import clean, holds_template, is_legible

#: Stands for a value that the person fills in. Every task refuses it.
PLACEHOLDER = "…"

#: What a person has in AWX, who has no shell there. Jobs and updates of inventories have these variables.
_IN_AWX = "In AWX, launch the template that does it: see the guide."
_AWX_VARIABLES = ("JOB_ID", "INVENTORY_UPDATE_ID")

#: Text that needs no quotes unless it is a word or number of YAML's own, which yaml.dump quotes.
_BARE = re.compile(r"[\w ./-]*", re.ASCII)
#: Values that need no quotes where Ansible splits a text into pairs.
_SPLITTABLE = re.compile(r"[\w./:@+-]+")


@dataclass(frozen=True)
class CommentedValue:
    """The value of an option, with a comment behind it. If it is ``off``, the whole of it is a comment."""

    value: Any
    comment: str = ""
    off: bool = False


class Offer(NamedTuple):
    """A step that a person may run by hand: a ``task``, and the same as a ``line`` for a shell if one can hold it."""

    task: str
    line: str | None

    @property
    def form(self) -> str:
        """The name of the shorter one, for the words that introduce it: ``line`` or ``task``."""
        return "task" if self.line is None else "line"

    def __str__(self) -> str:
        shown = self.task.rstrip("\n") if self.line is None else self.line
        # ansible-runner sets the first one, also elsewhere.
        is_in_awx = os.environ.get("AWX_ISOLATED_DATA_DIR") and any(map(os.environ.get, _AWX_VARIABLES))
        return f"{shown}\n{_IN_AWX}" if is_in_awx else shown


def offer(title: str, module: str, options: Mapping[str, Any], *, diff: bool = False) -> Offer:
    """A module with these options, on its own. ``diff``: it shows what it changes."""
    values = {name: option.value if isinstance(option, CommentedValue) else option for name, option in options.items()}
    words = ["ansible", "localhost", "-m", module, "-a", arguments(values), *["--diff"] * diff]
    keywords = {"diff": True} if diff else {}
    return Offer(task(title, module, options, keywords), line(words))


def task(title: str, module: str, options: Mapping[str, Any], keywords: Mapping[str, Any] | None = None) -> str:
    """A task of a playbook. Options are plain values, ``CommentedValue``, and mappings and lists of these."""
    return "".join(f"{text}\n" for text in _value("-", {"name": title, module: options, **(keywords or {})}))


def lines_of(values: Mapping[str, Any]) -> str:
    """The lines of a YAML file with these values, which may be ``CommentedValue``."""
    return "".join(f"{text}\n" for text in _entries(values))


def line(words: Sequence[str]) -> str | None:
    """A command for a shell. ``None`` where Ansible or a terminal would take it for something else."""
    command = shlex.join(words)
    return None if holds_template(command) or not is_legible(command) else command


def arguments(values: Mapping[str, Any]) -> str:
    """Values as one word of a command, for ``-a`` and ``-e``: pairs if Ansible splits them as they are, else JSON."""
    if all(isinstance(value, str) and is_legible(value) and _SPLITTABLE.fullmatch(value) for value in values.values()):
        return " ".join(f"{name}={value}" for name, value in values.items())
    text = json.dumps(values, ensure_ascii=False)
    return text if is_legible(text) else json.dumps(values)


def _is_off(value: Any) -> bool:
    return isinstance(value, CommentedValue) and value.off


def _entries(values: Mapping[str, Any]) -> Iterator[str]:
    """The lines of a mapping."""
    for name, value in values.items():
        lines = _value(f"{_scalar(name)}:", value)
        yield from (f"# {text}" for text in lines) if _is_off(value) else lines


def _value(lead: str, value: Any) -> Iterator[str]:
    """The lines of a value after what leads to it: its name, or the dash of a list."""
    comment = ""
    if isinstance(value, CommentedValue):
        value, comment = value.value, f"  # {clean(value.comment)}" if value.comment else ""
    if isinstance(value, Mapping):
        inner, first = _entries(value), ""
        if all(map(_is_off, value.values())):
            first = "{}"
        elif lead == "-" and not comment:
            first = next(inner, "")
    elif isinstance(value, list) and value:
        inner, first = (text for item in value for text in _value("-", item)), ""
    else:
        inner, first = iter(()), _scalar(value)
    yield f"{lead} {first}".rstrip(" ") + comment
    yield from (f"  {text}" for text in inner)


def _scalar(value: Any) -> str:
    if value == PLACEHOLDER:
        return PLACEHOLDER
    # Where a message is written, Ansible has imported it. Whoever imports this file has not always.
    from yaml import dump

    is_text = isinstance(value, str)
    style = '"' if is_text and not _BARE.fullmatch(value) else None
    written = dump(value, default_style=style, allow_unicode=not is_text or is_legible(value), width=inf)
    # What follows a bare scalar is the mark of a document's end.
    return ("!unsafe " if is_text and holds_template(value) else "") + str(written).partition("\n")[0]
