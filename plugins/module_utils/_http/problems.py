# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads the body of an error in any of the usual forms (API specification 7 does not show the form).

A word that holds messages means the same whether its value is a string, a list or an object. An object with a message
may name the value that it is about; an object without one maps paths to messages. What is no sentence is no message.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from http import HTTPStatus
from typing import Any

from .._core.errors import Violation
from .._core.text import LONGEST_MESSAGE, brief, by_folded_name, clean, fold, words
from .._secrets.masker import masked

#: More messages than a person reads at night.
MOST_VIOLATIONS = 50
_MOST_ENTRIES = 1000
_DEEPEST = 12


def _in_order(text: str) -> tuple[str, ...]:
    return tuple(text.split())


#: Names (folded) of a message, the most telling first.
_MESSAGES = _in_order(
    "message msg detail hydradescription description reason errormessage errordescription defaultmessage text error "
    "errors messages details title hydratitle errortitle"
)
_TITLES = ("title", "hydratitle", "errortitle")
#: Names of what may hold messages about single values, or the error as an object of its own.
_HOLDERS = words(
    "violations errors error invalidparams invalidparameters validationerrors validation validationmessages "
    "fielderrors formerrors fieldviolations messages message details detail issues constraintviolations constraints "
    "extra data result response problem fault exception body meta json form"
)
#: Names of the path to a value, in an object that has a message.
_PATHS = _in_order(
    "propertypath path loc field fieldname property propertyname attribute attr parameter param pointer instancepath "
    "datapath key name target source location"
)
_REQUEST_IDS = ("requestid", "correlationid", "traceid", "requestuuid", "errorid", "incidentid")
#: Names in a map that stand for the whole request.
_WHOLE = words("nonfielderrors root base all global general form request body json payload")
#: Names that forms and schemas put between the parts of a path.
_IN_BETWEEN = words("children data body payload request properties attributes fields items json $ #")
#: A text that names a kind of error to a program: it has no blank, and looks like no word.
_CODE = re.compile(r"\S*[\d_.:/\\-]\S*[^.!?]|[A-Z0-9]+|[A-Za-z][a-z0-9]*[A-Z]\S*")
_GENERIC = {fold(status.phrase) for status in HTTPStatus} | words(
    "anerroroccurred error anerrorhasoccurred validationfailed validationerror validationerrors invalidrequest "
    "oneormorevalidationerrorsoccurred invalidrequestcontent therequestisinvalid invalidinput somethingwentwrong"
)

Message = tuple[tuple[str, ...], str]


@dataclass(frozen=True)
class Problem:
    """What an error response says, in general and about single values. ``message`` may be empty."""

    message: str = ""
    violations: tuple[Violation, ...] = ()
    request_id: str | None = None


def read_problem(body: Any, names: Collection[str] = (), within: str = "settings") -> Problem:
    """The problem in a decoded body.

    A path that is only one of ``names`` gets ``within`` (``settings.``) before it, and a sentence that begins with one
    of them, or with a path to it, is about that value.
    """
    found = list(dict.fromkeys(_messages(body, (), _DEEPEST, known=isinstance(body, list))))
    placed = [(place, text) for path, text in found if (place := _place(path, names, within))]
    general: list[str] = []
    for path, text in found:
        if _place(path, names, within) or any(text in each for each in general):
            continue
        place = _place_in(text, names, within)
        if place and not any(place == other and part in text for other, part in placed):
            placed.append((place, text))
        else:
            general.append(text)
    violations = [Violation(place, None, text, "service") for place, text in placed]
    # The phrase of the status says nothing beside anything else.
    plain = [text for text in general if fold(text) not in _GENERIC]
    general = plain or ([] if placed else general)
    title = _title(body)
    if title and not any(title.rstrip(".").lower() in text.lower() for text in general):
        general[:1] = [f"{title.rstrip(':')}: {general[0]}" if general else title]
    message = clean(" ".join(general), LONGEST_MESSAGE)
    if not violations and fold(message) in _GENERIC | {""} and body not in (None, "", [], {}):
        # The status says as much already. Under a secret's name no error stands here, but what was sent or made.
        shown = brief(masked(body), 500)
        message = f"{message.rstrip('.')}: {shown}" if message else shown
    return Problem(message, tuple(violations[:MOST_VIOLATIONS]), _request_id(body))


def _messages(value: Any, path: tuple[str, ...], depth: int, *, known: bool) -> Iterator[Message]:
    """Pairs of a path and a message; the path is empty where none is told.

    ``known``: this stands where messages stand. Elsewhere only lists of texts are messages, since any object could be
    there.
    """
    if isinstance(value, str):
        text = clean(value, LONGEST_MESSAGE)
        if known and text and not _CODE.fullmatch(text):
            yield path, text
    elif isinstance(value, list) and depth:
        texts_alone = all(isinstance(item, str) for item in value)
        for item in value[:_MOST_ENTRIES]:
            if isinstance(item, Mapping):
                yield from _of_object(item, (*path, *_told_path(item)), depth - 1, known=known)
            else:
                yield from _messages(item, path, depth - 1, known=known or texts_alone)
    elif isinstance(value, Mapping) and depth:
        yield from _of_object(value, path, depth - 1, known=known)


def _of_object(value: Mapping[Any, Any], path: tuple[str, ...], depth: int, *, known: bool) -> Iterator[Message]:
    folded = by_folded_name(value)
    texts = [(name, clean(folded[name], LONGEST_MESSAGE)) for name in _MESSAGES if isinstance(folded.get(name), str)]
    sentences = [text for name, text in texts if text and not _CODE.fullmatch(text)]
    if sentences:
        yield path, sentences[0]
    held = [name for name in folded if name in _HOLDERS and isinstance(folded[name], (Mapping, list))]
    for name in held:
        inner = folded[name]
        if isinstance(inner, Mapping) and path and name in ("constraints", *_MESSAGES):
            # From the name of a rule to its message.
            yield from ((path, clean(text, LONGEST_MESSAGE)) for text in inner.values() if isinstance(text, str))
        else:
            yield from _messages(inner, path, depth, known=known or name not in _IN_BETWEEN)
    for name in folded:
        if name in _IN_BETWEEN and name not in held:
            yield from _messages(folded[name], path, depth, known=known)
    if texts or (held and not known):
        return
    for name, inner in list(value.items())[:_MOST_ENTRIES]:
        if fold(name) in held or fold(name) in _IN_BETWEEN or (fold(name) in _PATHS and isinstance(inner, str)):
            continue
        inside = path if fold(name) in _WHOLE else (*path, *_parts(str(name)))
        yield from _messages(inner, inside, depth, known=known)


def _told_path(item: Mapping[Any, Any]) -> tuple[str, ...]:
    folded = by_folded_name(item)
    return next((parts for name in _PATHS if (parts := _parts(folded.get(name)))), ())


def _title(body: Any) -> str:
    """The title of the whole error."""
    if not isinstance(body, Mapping):
        return ""
    folded = by_folded_name(body)
    own = (folded[name] for name in _TITLES if isinstance(folded.get(name), str))
    return clean(next(own, ""), LONGEST_MESSAGE) or _title(folded.get("error"))


# Paths


def _parts(told: Any) -> tuple[str, ...]:
    """The parts of a path, from ``a.b``, ``a[b]``, ``/a/b``, ``$.a.b``, ``["a", "b"]`` or ``{"pointer": "/a/b"}``."""
    if isinstance(told, Mapping):
        inner = by_folded_name(told)
        return next(
            (parts for name in ("pointer", "parameter", "path", "field") if (parts := _parts(inner.get(name)))), ()
        )
    if isinstance(told, list):
        return tuple(clean(str(part), 100) for part in told[:10] if isinstance(part, (str, int)))
    if not isinstance(told, str) or len(told) > 500 or " " in told.strip():
        return ()
    return tuple(clean(part, 100) for part in re.split(r"[.\[\]/'\"]+", told) if part.strip())


def _place(path: tuple[str, ...], names: Collection[str], within: str) -> str:
    parts = list(path)
    folded = [fold(part) for part in parts]
    if within in folded and within not in _IN_BETWEEN:
        parts = parts[folded.index(within) :]
        inner = [part for part in parts[1:] if part not in _IN_BETWEEN]
        return ".".join([within, *_as_sent(inner, names)])
    parts = [part for part in parts if part not in _IN_BETWEEN]
    named = _as_sent(parts, names)
    return ".".join([within, *named] if named and named[0] in names else parts)


def _place_in(text: str, names: Collection[str], within: str) -> str:
    """The value that a sentence begins with, as in ``"settings.ram" must be …`` and ``body/ram must be …``."""
    first = text.split(maxsplit=1)[0].strip("\"'`:,") if " " in text else ""
    place = _place(_parts(first), names, within)
    return place if place.startswith(f"{within}.") and place.split(".")[1] in names else ""


def _as_sent(parts: list[str], names: Collection[str]) -> list[str]:
    """The path with its value written as the user did: ``cpuCores`` may be how the service writes ``cpu_cores``."""
    if not parts or parts[0] in names:
        return parts
    alike = [name for name in names if fold(name) == fold(parts[0])]
    return [alike[0], *parts[1:]] if len(alike) == 1 else parts


def _request_id(body: Any) -> str | None:
    if not isinstance(body, Mapping):
        return None
    places = [body, *(body[name] for name in body if fold(name) in _HOLDERS and isinstance(body[name], Mapping))]
    for place in places:
        told = by_folded_name(place)
        for name in _REQUEST_IDS:
            value = told.get(name)
            if isinstance(value, (str, int)) and not isinstance(value, bool) and str(value).strip():
                return clean(str(value), 200)
    return None
