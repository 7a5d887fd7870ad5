# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Problems of a stack, each with its place and what to do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from .._checks.coercion import kind_of
from .._core.text import clean, nearest

_LONGEST_NAME = 60


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The known name that was probably meant, as the end of a sentence."""
    near = nearest(name, known, 1)
    return f"; did you mean {shown_name(near[0])}?" if near else ""


def shown_name(name: str) -> str:
    """A name that somebody chose, fit for a message."""
    return clean(name, _LONGEST_NAME)


def kind_in_words(value: Any) -> str:
    """A description of the given value where a meaningful string is required."""
    return "an empty text" if isinstance(value, str) else kind_of(value)


Path: TypeAlias = "tuple[str | int, ...]"
Place = tuple[int, int]
#: The first part of the path of what defaults from outside of the document say.
GIVEN_DEFAULTS = "option defaults"


@dataclass(frozen=True)
class StackProblem:
    """One thing that is wrong: where it stands (``line`` and ``column`` count from 1; ``None`` when there is no file),
    the path in the data as a person writes it, and a sentence that says what to do.
    """

    path: str
    message: str
    line: int | None = None
    column: int | None = None

    def shown(self, file: str) -> str:
        """One line, in the form that editors follow."""
        place = f"{file}:{self.line}:{self.column}: " if self.line is not None else ""
        return f"{place}{self.path}: {self.message}" if self.path else f"{place}{self.message}"


@dataclass
class Document:
    """Plain data, the places of its parts, and what is wrong with it. ``data`` is None when it cannot be read.

    ``unread`` are the paths of values that were refused: nothing else is to be said of them. Values of a document that
    ``is_private``, such as one that Ansible decrypted, are not quoted in problems.
    """

    data: Any = None
    places: dict[Path, Place] = field(default_factory=dict)
    unread: set[Path] = field(default_factory=set)
    is_private: bool = False
    _problems: dict[StackProblem, None] = field(default_factory=dict)

    @property
    def problems(self) -> list[StackProblem]:
        """The problems in the order of their places, each once: a wrong default affects many contracts."""
        return sorted(self._problems, key=lambda each: (each.line or 0, each.column or 0))

    def report(self, problem: StackProblem) -> None:
        self._problems[problem] = None

    def add(self, path: Path, message: str) -> None:
        """Add a problem, unless a YAML problem was already reported at its place.

        A missing part gets the place of its parent.
        """
        if path not in self.unread:
            # On one line, as editors follow it, and without what is said of the whole stack.
            text = message.replace(" This order was not sent.", "").replace("\n", " ")
            self.report(StackProblem(dotted(path), text, *self._place(path)))

    def unknown(self, path: Path, keys: Iterable[Any], known: Iterable[str], beyond: str = "") -> set[str]:
        """Report all unknown keys, and return what they may mean. ``beyond`` is added to the advice."""
        names, meant = list(known), set[str]()
        for key in keys:
            if key not in names:
                meant.update(nearest(str(key), names, 1))
                advice = did_you_mean(str(key), names) or f"; allowed keys: {', '.join(names)}"
                self.add((*path, key), f"unknown key{advice}{beyond}")
        return meant

    def place(self, path: Path) -> str:
        """Return the place of this part, with its line if there is a file."""
        line, _column = self._place(path)
        return f"{dotted(path)}, line {line}" if line else dotted(path)

    def _place(self, path: Path) -> Place | tuple[None, None]:
        if path[:1] == (GIVEN_DEFAULTS,):
            return None, None
        while path and path not in self.places:
            path = path[:-1]
        return self.places.get(path, (None, None))


def dotted(path: Path) -> str:
    """A path as a person writes it: ``contracts.vps[0].hostname``."""
    text = ""
    for part in path:
        name = shown_name(str(part))
        text += f"[{part}]" if isinstance(part, int) else f".{name}" if text else name
    return text
