# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A YAML file that a person writes, as plain data with the place of each part, and its problems with what to do."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from .errors import MissingLibraryError
from .text import MOST_DIGITS, NO_TEXT, clean, nearest, shown_name

try:
    import yaml
except ImportError as error:
    YAML_ERROR: ImportError | None = error
else:
    YAML_ERROR = None


def did_you_mean(name: str, known: Iterable[str]) -> str:
    """The known name that was probably meant, as the end of a sentence."""
    near = nearest(name, known, 1)
    return f"; did you mean {shown_name(near[0])}?" if near else ""


Path: TypeAlias = "tuple[str | int, ...]"
#: A line and a column, which count from 1. What a caller adds to a document stands nowhere.
Place: TypeAlias = "tuple[int, int] | tuple[None, None]"
NOWHERE: Place = (None, None)


@dataclass(frozen=True)
class FileProblem:
    """One thing that is wrong."""

    #: Its place in the data as a person writes it, and a sentence that says what to do.
    path: str
    message: str
    #: They count from 1, and are ``None`` when there is no file.
    line: int | None = None
    column: int | None = None

    def shown(self, file: str) -> str:
        """One line, in the form that editors follow."""
        place = f"{file}:{self.line}:{self.column}: " if self.line is not None else ""
        return f"{place}{self.path}: {self.message}" if self.path else f"{place}{self.message}"


@dataclass
class Document:
    """Plain data, the places of its parts, and what is wrong with it."""

    #: ``None`` when it cannot be read.
    data: Any = None
    places: dict[Path, Place] = field(default_factory=dict)
    #: The paths of values that were refused: nothing else is to be said of them.
    unread: set[Path] = field(default_factory=set)
    #: Whether no value is quoted in problems, as in a document that Ansible decrypted.
    is_private: bool = False
    _problems: dict[FileProblem, None] = field(default_factory=dict)

    @property
    def problems(self) -> list[FileProblem]:
        """The problems in the order of their places, each once: a wrong default affects many contracts."""
        return sorted(self._problems, key=lambda problem: (problem.line or 0, problem.column or 0))

    def report(self, problem: FileProblem) -> None:
        self._problems[problem] = None

    def add(self, path: Path, message: str) -> None:
        """Add a problem, unless a YAML problem was already reported at its place.

        A missing part gets the place of its parent.
        """
        if path not in self.unread:
            # On one line, as editors follow it, and without what is said of the whole stack.
            text = message.replace(" This order was not sent.", "").replace("\n", " ")
            self.report(FileProblem(dotted(path), text, *self._place(path)))

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

    def _place(self, path: Path) -> Place:
        while path and path not in self.places:
            path = path[:-1]
        return self.places.get(path, NOWHERE)


def dotted(path: Path) -> str:
    """A path as a person writes it: ``contracts.vps[0].hostname``."""
    text = ""
    for part in path:
        name = shown_name(str(part))
        text += f"[{part}]" if isinstance(part, int) else f".{name}" if text else name
    return text


#: A file that a person writes has fewer; aliases of aliases can make a few lines into millions.
MOST_NODES = 100_000
_DEEPEST = 50
_TAG = "tag:yaml.org,2002:"
_MERGE = f"{_TAG}merge"
_NUMBERS = (f"{_TAG}int", f"{_TAG}float")
#: What a node of each kind may be.
_TAGS = {
    "scalar": (f"{_TAG}str", f"{_TAG}bool", f"{_TAG}null", *_NUMBERS),
    "sequence": (f"{_TAG}seq",),
    "mapping": (f"{_TAG}map",),
}


def read_yaml(text: str, *, braces: bool = False) -> Document:
    """Read one YAML document, with or without a byte order mark.

    ``braces``: text may hold ``{{`` and ``{%``, which are then meant as they are. Raises MissingLibraryError without
    PyYAML, and nothing else, whatever the text is.
    """
    if YAML_ERROR is not None:
        raise MissingLibraryError("PyYAML", "to read a YAML file", str(YAML_ERROR))
    # With one before a comment, PyYAML fails.
    text = text.removeprefix("\ufeff")
    document = Document()
    try:
        node = yaml.compose(text, Loader=_Loader)
    except (yaml.YAMLError, ValueError, OverflowError, RecursionError) as error:
        document.report(_unreadable(error, text))
        return document
    if node is None:
        document.report(FileProblem("", "the file is empty", 1, 1))
        return document
    document.places[()] = _place(node)
    reading = _NodeReader(document, braces)
    data = reading.value(node, (), frozenset())
    # What was left out would be reported as missing, part by part.
    document.data = None if reading.too_many else data
    return document


def _unreadable(error: Exception, text: str) -> FileProblem:
    mark = getattr(error, "problem_mark", None) or getattr(error, "context_mark", None)
    if mark is not None:
        parts = [getattr(error, name, None) for name in ("context", "problem")]
        reason, place = ", ".join(part for part in parts if part), (mark.line + 1, mark.column + 1)
    elif isinstance(position := getattr(error, "position", None), int):
        before = text[:position]
        reason = "a character that cannot be printed"
        place = before.count("\n") + 1, position - before.rfind("\n")
    else:
        is_deep = isinstance(error, RecursionError)
        reason, place = f"it is nested deeper than {_DEEPEST} levels" if is_deep else str(error), (1, 1)
    return FileProblem("", f"this is not valid YAML: {clean(reason, 300)}", *place)


class _NodeReader:
    """Makes data of nodes, and writes down the places."""

    def __init__(self, document: Document, braces: bool) -> None:
        self._document = document
        self._braces = braces
        self._nodes = 0
        self._constructor = yaml.constructor.SafeConstructor()

    @property
    def too_many(self) -> bool:
        return self._nodes > MOST_NODES

    def value(self, node: Any, path: Path, above: frozenset[int]) -> Any:
        self._nodes += 1
        # Merged mappings are below each other without a longer path.
        if id(node) in above:
            # The node itself stands where its anchor is.
            self._document.add(path, "it contains itself, by an alias")
            self._document.unread.add(path)
            return None
        if len(above) > _DEEPEST:
            self._refuse(path, f"it is deeper than {_DEEPEST} levels", node)
            return None
        if self.too_many:
            if self._nodes == MOST_NODES + 1:
                self._add(path, f"it has more than {MOST_NODES} parts, aliases counted each time", node)
            return None
        if node.tag not in _TAGS[node.id]:
            tag = clean(node.tag.replace(_TAG, "!!"), 40)
            advice = ": encrypt the file as a whole, or give the value elsewhere" if tag == "!vault" else ""
            self._refuse(path, f"{tag} has no place in this file{advice}", node)
            return None
        if isinstance(node, yaml.ScalarNode):
            return self._scalar(node, path)
        above |= {id(node)}
        if isinstance(node, yaml.MappingNode):
            return self._mapping(node, path, above)
        values = []
        for index, item in enumerate(node.value):
            place = (*path, index)
            self._document.places[place] = _place(item)
            values.append(self.value(item, place, above))
        return values

    def _mapping(self, node: Any, path: Path, above: frozenset[int]) -> dict[str, Any]:
        merged: dict[str, Any] = {}
        own: dict[str, Any] = {}
        # First, so that the places of what is written here itself count.
        for key, item in node.value:
            if key.tag == _MERGE:
                merged.update(self._merged(item, path, above))
        for key, item in (pair for pair in node.value if pair[0].tag != _MERGE):
            if not isinstance(key, yaml.ScalarNode):
                what = "a name is a plain text, not a list or a mapping"
                self._refuse(path, f"{what} (templates in {{{{ }}}} are not evaluated in this file)", key)
                continue
            name: str = key.value
            place = (*path, name)
            if name in own:
                line = self._document.places[place][0]
                self._add(place, f"this is given twice, also in line {line}", key)
                continue
            self._document.places[place] = _place(key)
            own[name] = self.value(item, place, above)
        return {**merged, **own}

    def _merged(self, item: Any, path: Path, above: frozenset[int]) -> dict[str, Any]:
        merged = dict[str, Any]()
        # The first one counts, and with it its places: it is to be the last that writes them.
        for part in reversed(item.value if isinstance(item, yaml.SequenceNode) else [item]):
            value = self.value(part, path, above)
            if isinstance(value, Mapping):
                merged.update(value)
            elif not isinstance(part, yaml.MappingNode):
                self._add(path, "<< takes a mapping, or a list of mappings", part)
        return merged

    def _scalar(self, node: Any, path: Path) -> Any:
        # Some take very long to read, and Python writes none with thousands of digits.
        if node.tag in _NUMBERS and len(node.value) > MOST_DIGITS:
            self._refuse(path, f"a number of more than {MOST_DIGITS} characters: quote it, if it is a text", node)
            return None
        try:
            value = self._constructor.construct_object(node)
        except (yaml.YAMLError, ValueError, OverflowError, LookupError):
            self._refuse(path, f"it cannot be read as {clean(node.tag.replace(_TAG, ''), 40)}: quote it", node)
            return None
        if not self._braces and isinstance(value, str) and ("{{" in value or "{%" in value):
            advice = "write the value itself, and a secret where the documentation of the file says"
            self._refuse(path, f"this file is data, and templates in it are not evaluated: {advice}", node)
        return value

    def _refuse(self, path: Path, message: str, node: Any) -> None:
        self._document.unread.add(path)
        self._add(path, message, node)

    def _add(self, path: Path, message: str, node: Any) -> None:
        self._document.report(FileProblem(dotted(path), message, *_place(node)))


def _place(node: Any) -> Place:
    return node.start_mark.line + 1, node.start_mark.column + 1


if YAML_ERROR is None:

    class _Loader(yaml.SafeLoader):
        """Reads what Ansible reads, but leaves dates as the text that was written."""

        def compose_scalar_node(self, anchor: Any) -> Any:
            # Names and values: an escape in quotes can make what no request can carry.
            node = super().compose_scalar_node(anchor)
            if NO_TEXT.search(node.value):
                problem = "a text has NUL or a part of a character in it"
                raise yaml.composer.ComposerError(problem=problem, problem_mark=node.start_mark)
            return node

    _Loader.yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in resolvers if tag != _TAG + "timestamp"]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
