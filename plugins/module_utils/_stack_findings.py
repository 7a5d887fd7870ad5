# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is wrong with a stack, written down with its place, in words that say what to do."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ansible_collections.hosting.reseller.plugins.module_utils._errors import Violation
from ansible_collections.hosting.reseller.plugins.module_utils._settings.coercion import kind_of
from ansible_collections.hosting.reseller.plugins.module_utils._settings.product_type import ProductType
from ansible_collections.hosting.reseller.plugins.module_utils._stack_yaml import Document, Path, StackProblem
from ansible_collections.hosting.reseller.plugins.module_utils._text import clean, nearest

_LONGEST_NAME = 60


class Findings:
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
                advice = meant(str(key), names) or f"; known are {', '.join(names)}"
                self.add((*path, key), f"this is not known here{advice}{beyond}")

    def line(self, path: Path) -> int | None:
        """The line where this stands, if there is a file."""
        return self._document.problem(path, "").line


def meant(name: str, known: Iterable[str]) -> str:
    """The known name that was probably meant, as the end of a sentence."""
    near = nearest(name, known, 1)
    return f"; did you mean {named(near[0])}?" if near else ""


def named(name: str) -> str:
    """A name that somebody chose, fit for a message."""
    return clean(name, _LONGEST_NAME)


def what_is(value: Any) -> str:
    """What was given where a text that says something is wanted."""
    return "an empty text" if isinstance(value, str) else kind_of(value)


def said(violation: Violation, kind: ProductType | None = None, *, secret: bool = False) -> str:
    """A broken rule in words; of what is ``secret`` the value is not shown."""
    given = "" if violation.value is None or secret else f" (given: {violation.value!r})"
    missing = kind is not None and violation.value is None and violation.path.partition(".")[2] in kind.secrets
    advice = "; it may also be given by the role's variable for secrets" if missing else ""
    return f"{violation.rule}{advice}{given}"


__all__ = ["Findings", "meant", "named", "said", "what_is"]
