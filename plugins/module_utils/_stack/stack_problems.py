# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Problems of a stack, each with its place and what to do."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from .._checks.coercion import kind_of
from .._core.errors import Violation
from .._core.text import clean, nearest
from .._product_types.product_type import ProductType

_LONGEST_NAME = 60
#: Of problems that differ in their place only, so many places are named.
_MOST_ALIKE = 10
#: What tells such problems apart: the number of their contract, and the value given.
_OWN = re.compile(r"\[[0-9]+\]| \(given: .*\)")


class ProblemList:
    """The problems of one document."""

    def __init__(self, document: Document) -> None:
        self._document = document
        self._problems = dict.fromkeys(document.problems)

    @property
    def problems(self) -> list[StackProblem]:
        """The problems in the order of discovery, each once: a wrong default affects many contracts."""
        return list(self._problems)

    def add(self, path: Path, message: str) -> None:
        """Add a problem, unless a YAML problem was already reported at its place."""
        if path not in self._document.unread:
            self._problems[self._document.problem(path, message)] = None

    def unknown(self, path: Path, keys: Iterable[Any], known: Iterable[str], beyond: str = "") -> set[str]:
        """Report all unknown keys, and return what they may mean. ``beyond`` is added to the advice."""
        names, meant = list(known), set[str]()
        for key in keys:
            if key not in names:
                meant.update(nearest(str(key), names, 1))
                advice = did_you_mean(str(key), names) or f"; allowed keys: {', '.join(names)}"
                self.add((*path, key), f"unknown key{advice}{beyond}")
        return meant

    def readable_secrets(self, places: Iterable[Path]) -> None:
        """Report once the secrets that anyone who can read the document can read."""
        found = list(places)
        if found:
            others = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
            option = self._document.shown_as.get("file_is_private", "file_is_private")
            self.add(
                found[0],
                f"a secret{others} in a file that is not encrypted: move it to {self.secrets or 'secrets'}, or encrypt "
                f"the file with ansible-vault; if the file is kept safe otherwise, set {option}: true",
            )

    @property
    def secrets(self) -> str | None:
        """The user's name for the option with secrets outside the document, if there is one."""
        return self._document.shown_as.get("secrets", None if self._document.shown_as else "secrets")

    def place(self, path: Path) -> str:
        """The place of this problem, with its line if there is a file."""
        found = self._document.problem(path, "")
        return f"{found.path}, line {found.line}" if found.line else found.path


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


def violation_in_words(
    violation: Violation, kind: ProductType | None = None, *, secret: bool = False, secrets: str | None = None
) -> str:
    """A broken rule in words; of what is ``secret`` the value is not shown, ``secrets`` is where one may be given."""
    given = "" if violation.value is None or secret else f" (given: {violation.value!r})"
    missing = kind is not None and violation.value is None and violation.path.partition(".")[2] in kind.secrets
    advice = f"; it may also be given in {secrets}" if missing and secrets else ""
    return f"{violation.rule}{advice}{given}"


Path: TypeAlias = "tuple[str | int, ...]"
Place = tuple[int, int]
#: The first part of the path of what defaults from outside of the document say.
GIVEN_DEFAULTS = "given defaults"


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


def listed(problems: Iterable[StackProblem], file: str) -> str:
    """Problems one per line, in the form that editors follow; of those that are alike only the first in full."""
    groups: dict[tuple[str, str], list[StackProblem]] = {}
    for problem in problems:
        groups.setdefault((_OWN.sub("", problem.path), _OWN.sub("", problem.message)), []).append(problem)
    lines = []
    for first, *others in groups.values():
        places = [f"line {each.line}" if each.line else each.path for each in others]
        named = ", ".join([*places[:_MOST_ALIKE], *(["…"] if len(places) > _MOST_ALIKE else [])])
        lines.append(f"{first.shown(file)} (and {len(places)} more like it: {named})" if places else first.shown(file))
    return "\n".join(lines)


@dataclass
class Document:
    """Plain data, the places of its parts, and what is wrong with its YAML. ``data`` is None when it cannot be read.

    ``unread`` are the paths of values that were refused: nothing else is to be said of them. ``shown_as`` tells, by the
    beginning of a path as ``dotted`` writes it, what the user calls it; a word that ends with ``_`` is the beginning of
    a variable's name.
    """

    data: Any = None
    places: dict[Path, Place] = field(default_factory=dict)
    problems: list[StackProblem] = field(default_factory=list)
    unread: set[Path] = field(default_factory=set)
    shown_as: Mapping[str, str] = field(default_factory=dict)

    def shown(self, path: Path) -> str:
        """A path as the user wrote it."""
        text = dotted(path)
        for end in range(len(text), 0, -1):
            word = self.shown_as.get(text[:end])
            if word is not None and text[end : end + 1] in ("", ".", "["):
                return _joined(word, text[end:])
        return text

    def problem(self, path: Path, message: str) -> StackProblem:
        """A problem at this path. A missing part gets the place of its parent."""
        known = path
        while known and known not in self.places:
            known = known[:-1]
        line, column = (None, None) if path[:1] == (GIVEN_DEFAULTS,) else self.places.get(known, (None, None))
        # On one line, as editors follow it, and without what is said of the whole stack.
        text = message.replace(" This order was not sent.", "").replace("\n", " ")
        return StackProblem(self.shown(path), text, line, column)


def _joined(word: str, rest: str) -> str:
    """What the user calls a part, with the rest of the path in it."""
    return (word + rest.lstrip(".")).rstrip("_") if word.endswith("_") else word + rest


def dotted(path: Path) -> str:
    """A path as a person writes it: ``contracts.vps[0].hostname``."""
    text = ""
    for part in path:
        name = clean(str(part), 60)
        text += f"[{part}]" if isinstance(part, int) else f".{name}" if text else name
    return text
