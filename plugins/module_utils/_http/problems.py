# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the body of an error says, in any of the usual shapes (document section 7: the shape is not shown).

Understood are problem details (RFC 7807 and 9457), lists of violations (API Platform, Symfony, JSON:API, FastAPI), maps
from path to messages (Laravel, Django), trees of form fields (Symfony), and a message under one of its usual names.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from .._core.errors import Violation
from .._core.text import LONGEST_MESSAGE, brief, clean, fold

#: More messages than a person reads at night.
MOST_VIOLATIONS = 50
_DEEPEST = 10

_MESSAGES = ("detail", "hydradescription", "description", "message", "errormessage", "errordescription", "msg", "error")
_TITLES = ("title", "hydratitle", "errortitle", "reason")
#: Elements that hold messages about single values, as a list or a map.
_COLLECTIONS = (
    "violations",
    "errors",
    "invalidparams",
    "invalidparameters",
    "validationerrors",
    "validation",
    "validationmessages",
    "fielderrors",
    "formerrors",
    "fields",
    "messages",
    "details",
    "detail",
    "issues",
    "constraintviolations",
)
#: Elements that may hold the error as an object of its own.
_WRAPPERS = ("error", "errors", "data", "result", "response", "problem", "fault", "exception", "body", "meta")
_PATHS = (
    "propertypath",
    "path",
    "loc",
    "field",
    "fieldname",
    "property",
    "propertyname",
    "attribute",
    "parameter",
    "param",
    "pointer",
    "instancepath",
    "datapath",
    "key",
    "name",
    "target",
    "source",
    "location",
)
_REASONS = ("message", "msg", "detail", "reason", "description", "title", "error", "errors", "messages", "text", "code")
_REQUEST_IDS = ("requestid", "correlationid", "traceid", "requestuuid", "errorid", "incidentid")
#: Names in a map that stand for the whole request.
_WHOLE = frozenset({"", "nonfielderrors", "root", "base", "all", "global", "general", "form", "request", "body"})
#: Names that Symfony's forms and others put between the parts of a path.
_IN_BETWEEN = frozenset(
    {"children", "data", "body", "payload", "request", "$", "#", "properties", "attributes", "fields"}
)


@dataclass(frozen=True)
class Problem:
    """What an error answer says: in general, and of single values. ``message`` is empty when it says nothing."""

    message: str = ""
    violations: tuple[Violation, ...] = ()
    request_id: str | None = None


def read_problem(body: Any, settings: Collection[str] = ()) -> Problem:
    """The problem that a decoded body tells of.

    A path that is only one of the names ``settings`` gets ``settings.`` before it.
    """
    found = dict.fromkeys(_collected(body, _DEEPEST))
    violations = []
    loose = []
    for path, message in found:
        place = _place(path, settings)
        if place:
            violations.append(Violation(place, None, message, "service"))
        else:
            loose.append(message)
    message = _message(body, _DEEPEST)
    missing = [text for text in loose if text not in message]
    said = clean(" ".join([part for part in (message, " ".join(missing)) if part]), LONGEST_MESSAGE)
    if not said and not violations and body not in (None, "", [], {}):
        said = brief(body, 500)
    return Problem(said, tuple(violations[:MOST_VIOLATIONS]), _request_id(body))


def _folded(body: Mapping[Any, Any]) -> dict[str, Any]:
    folded: dict[str, Any] = {}
    for name, value in body.items():
        folded.setdefault(fold(name), value)
    return folded


# The general message


def _message(body: Any, depth: int) -> str:
    if isinstance(body, str):
        return clean(body, LONGEST_MESSAGE)
    if isinstance(body, list) and body and depth and all(isinstance(item, str) for item in body):
        return clean(" ".join(body[:MOST_VIOLATIONS]), LONGEST_MESSAGE)
    if not isinstance(body, Mapping) or not depth:
        return ""
    told = _folded(body)
    said = next((text for name in _MESSAGES if (text := _text(told.get(name)))), "")
    title = next((text for name in _TITLES if (text := _text(told.get(name)))), "")
    if title and said and title.rstrip(".").lower() not in said.lower():
        said = f"{title.rstrip(':')}: {said}"
    said = said or title
    for name in _WRAPPERS:
        if isinstance(told.get(name), (Mapping, list)) and (inner := _message(told[name], depth - 1)):
            # {"error": "invalid", ...} beside a wrapper says less than what is wrapped.
            return inner if not said or said in inner else f"{said}: {inner}"
    return said


def _text(value: Any) -> str:
    return clean(value, LONGEST_MESSAGE) if isinstance(value, str) else ""


# Messages about single values


def _collected(body: Any, depth: int) -> Iterator[tuple[tuple[str, ...], str]]:
    """Pairs of a path and a message; the path is empty where none is told."""
    if isinstance(body, list):
        yield from _listed(body, (), depth)
    if not isinstance(body, Mapping) or not depth:
        return
    told = _folded(body)
    known = False
    for name in _COLLECTIONS:
        value = told.get(name)
        if isinstance(value, list):
            known = True
            yield from _listed(value, (), depth - 1)
        elif isinstance(value, Mapping):
            known = True
            yield from _mapped(value, (), depth - 1)
    for name in _WRAPPERS:
        value = told.get(name)
        if name not in _COLLECTIONS and isinstance(value, (Mapping, list)):
            known = True
            yield from _collected(value, depth - 1)
    if not known and not any(_text(told.get(name)) for name in (*_MESSAGES, *_TITLES)):
        # Any object could stand here: only what cannot be anything but messages is taken for messages.
        yield from _mapped(body, (), depth - 1, strings=False)


def _listed(items: list[Any], path: tuple[str, ...], depth: int) -> Iterator[tuple[tuple[str, ...], str]]:
    if not depth:
        return
    for item in items[:1000]:
        if isinstance(item, str):
            if text := clean(item, LONGEST_MESSAGE):
                yield path, text
        elif isinstance(item, Mapping):
            told = _folded(item)
            own = next((parts for name in _PATHS if (parts := _parts(told.get(name)))), ())
            reasons = [told[name] for name in _REASONS if name in told]
            texts = next((texts for reason in reasons if (texts := list(_texts(reason)))), [])
            for text in texts:
                yield (*path, *own), text
            if not texts:
                yield from _mapped(item, (*path, *own), depth - 1)


def _texts(value: Any) -> Iterator[str]:
    """The messages in a string, a list of strings, or a map from a rule's name to a message."""
    if isinstance(value, Mapping):
        value = list(value.values())
    for item in value[:20] if isinstance(value, list) else [value]:
        if text := _text(item):
            yield text


def _mapped(
    told: Mapping[Any, Any], path: tuple[str, ...], depth: int, *, strings: bool = True
) -> Iterator[tuple[tuple[str, ...], str]]:
    """From a map of path to messages (lists of them, and ``strings``), or of names to such maps."""
    if not depth:
        return
    for number, (name, value) in enumerate(told.items()):
        if number == 1000:
            return
        key = str(name)
        inner = (*path, *_parts(key)) if fold(key) not in _WHOLE else path
        # A form's own errors stand beside its children's.
        if fold(key) in ("errors", "error", "message", "messages", "msg"):
            inner = path
        if isinstance(value, str):
            if strings and (text := clean(value, LONGEST_MESSAGE)):
                yield inner, text
        elif isinstance(value, list):
            if strings or all(isinstance(item, str) for item in value):
                yield from _listed(value, inner, depth - 1)
        elif isinstance(value, Mapping):
            yield from _mapped(value, inner, depth - 1, strings=strings)


# Paths


def _parts(told: Any) -> tuple[str, ...]:
    """The parts of a path, from ``a.b``, ``a[b]``, ``/a/b``, ``$.a.b``, ``["a", "b"]`` or ``{"pointer": "/a/b"}``."""
    if isinstance(told, Mapping):
        inner = _folded(told)
        return next(
            (parts for name in ("pointer", "parameter", "path", "field") if (parts := _parts(inner.get(name)))), ()
        )
    if isinstance(told, list):
        return tuple(clean(str(part), 100) for part in told[:10] if isinstance(part, (str, int)))
    if not isinstance(told, str) or len(told) > 500 or " " in told.strip():
        return ()
    return tuple(clean(part, 100) for part in re.split(r"[.\[\]/'\"]+", told) if part.strip())


def _place(path: tuple[str, ...], settings: Collection[str]) -> str:
    parts = list(path)
    folded = [fold(part) for part in parts]
    if "settings" in folded:
        parts = parts[folded.index("settings") :]
        within = [part for part in parts[1:] if part not in _IN_BETWEEN]
        return ".".join(["settings", *_as_sent(within, settings)])
    parts = [part for part in parts if part not in _IN_BETWEEN]
    named = _as_sent(parts, settings)
    return ".".join(["settings", *named] if named and named[0] in settings else parts)


def _as_sent(parts: list[str], settings: Collection[str]) -> list[str]:
    """The path with its setting written as the user did: ``cpuCores`` may be how the service writes ``cpu_cores``."""
    if not parts or parts[0] in settings:
        return parts
    alike = [name for name in settings if fold(name) == fold(parts[0])]
    return [alike[0], *parts[1:]] if len(alike) == 1 else parts


def _request_id(body: Any) -> str | None:
    if not isinstance(body, Mapping):
        return None
    places = [body, *(body[name] for name in body if fold(name) in _WRAPPERS and isinstance(body[name], Mapping))]
    for place in places:
        told = _folded(place)
        for name in _REQUEST_IDS:
            value = told.get(name)
            if isinstance(value, (str, int)) and not isinstance(value, bool) and str(value).strip():
                return clean(str(value), 200)
    return None


__all__ = ["MOST_VIOLATIONS", "Problem", "read_problem"]
