# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is wrong with a stack, written down with its place, in words that say what to do."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from .._checks.coercion import kind_of
from .._core.errors import Violation
from .._core.text import clean, nearest
from .._product_types.product_type import ProductType

_LONGEST_NAME = 60


class ProblemList:
    """All that was found wrong with one document so far."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._problems = dict.fromkeys(document.problems)

    @property
    def problems(self) -> list[StackProblem]:
        """In the order in which they were found, each once: what a default says may be wrong for many contracts."""
        return list(self._problems)

    def add(self, path: Path, message: str) -> None:
        """Write down a problem, unless its place holds what YAML alone made unfit, and that was told."""
        if path not in self._document.unread:
            self._problems[self._document.problem(path, message)] = None

    def unknown(self, path: Path, keys: Iterable[Any], known: Iterable[str], beyond: str = "") -> None:
        """Tell of all keys that are not known here; ``beyond`` is added to the advice."""
        names = list(known)
        for key in keys:
            if key not in names:
                advice = did_you_mean(str(key), names) or f"; known are {', '.join(names)}"
                self.add((*path, key), f"this is not known here{advice}{beyond}")

    def line(self, path: Path) -> int | None:
        """The line where this stands, if there is a file."""
        return self._document.problem(path, "").line


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The known name that was probably meant, as the end of a sentence."""
    near = nearest(name, known, 1)
    return f"; did you mean {shown_name(near[0])}?" if near else ""


def shown_name(name: str) -> str:
    """A name that somebody chose, fit for a message."""
    return clean(name, _LONGEST_NAME)


def kind_in_words(value: Any) -> str:
    """What was given where a text that says something is wanted."""
    return "an empty text" if isinstance(value, str) else kind_of(value)


def violation_in_words(violation: Violation, kind: ProductType | None = None, *, secret: bool = False) -> str:
    """A broken rule in words; of what is ``secret`` the value is not shown."""
    given = "" if violation.value is None or secret else f" (given: {violation.value!r})"
    missing = kind is not None and violation.value is None and violation.path.partition(".")[2] in kind.secrets
    advice = "; it may also be given by the role's variable for secrets" if missing else ""
    return f"{violation.rule}{advice}{given}"


Path: TypeAlias = "tuple[str | int, ...]"
Place = tuple[int, int]


@dataclass(frozen=True)
class StackProblem:
    """One thing that is wrong: where it stands (``line`` and ``column`` count from 1; ``None`` when there is no file),
    the path in the data as a person writes it, and a sentence that says what to do.
    """

    path: str
    message: str
    line: int | None = None
    column: int | None = None

    def as_dict(self) -> dict[str, Any]:
        return {"line": self.line, "column": self.column, "path": self.path, "message": self.message}

    def shown(self, file: str) -> str:
        """One line, in the form that editors follow."""
        place = f"{file}:{self.line}:{self.column}: " if self.line is not None else ""
        return f"{place}{self.path}: {self.message}" if self.path else f"{place}{self.message}"


@dataclass
class Document:
    """Plain data, the places of its parts, and what is wrong with its YAML. ``data`` is None when it cannot be read.

    ``unread`` are the paths of values that were refused: nothing else is to be said of them.
    """

    data: Any = None
    places: dict[Path, Place] = field(default_factory=dict)
    problems: list[StackProblem] = field(default_factory=list)
    unread: set[Path] = field(default_factory=set)

    def problem(self, path: Path, message: str) -> StackProblem:
        """A problem at this path; what is missing is placed where its parent stands."""
        known = path
        while known and known not in self.places:
            known = known[:-1]
        line, column = self.places.get(known, (None, None))
        return StackProblem(dotted(path), message, line, column)


def dotted(path: Path) -> str:
    """A path as a person writes it: ``contracts.vps[0].hostname``."""
    text = ""
    for part in path:
        name = clean(str(part), 60)
        text += f"[{part}]" if isinstance(part, int) else f".{name}" if text else name
    return text


__all__ = [
    "Document",
    "Path",
    "ProblemList",
    "StackProblem",
    "did_you_mean",
    "dotted",
    "kind_in_words",
    "shown_name",
    "violation_in_words",
]
