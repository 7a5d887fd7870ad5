# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The one dialect of JSON Schema that settings and requests are checked with.

JSON Schema 2020-12, with keywords of its own: a pattern matches the whole of a value, a step is exact (0.3 is a
multiple of 0.1), and what is missing has a path. Null is
not given where one setting needs another. Patterns of a service are not run: they are in another syntax, and may
take for ever. A broken keyword is put in words here.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from fractions import Fraction
from typing import Any

from .._core.errors import MissingLibraryError
from .._core.text import brief

try:
    import jsonschema
    import jsonschema.validators
except ImportError as error:
    JSONSCHEMA_ERROR: ImportError | None = error
else:
    JSONSCHEMA_ERROR = None

#: A keyword's check: validator, value of the keyword, instance, schema; yields what ``broken`` makes.
Keyword = Callable[[Any, Any, Any, Any], Iterator[Any]]

#: What a keyword asks for, in words; its value stands in the braces.
RULES: Mapping[str, str] = {
    "minimum": "at least {}",
    "maximum": "at most {}",
    "exclusiveMinimum": "more than {}",
    "exclusiveMaximum": "less than {}",
    "minLength": "at least {} characters",
    "maxLength": "at most {} characters",
    "minItems": "at least {} entries",
    "maxItems": "at most {} entries",
    "minProperties": "at least {} elements",
    "maxProperties": "at most {} elements",
    "multipleOf": "a multiple of {}",
    "pattern": "matches the pattern {}",
    "const": "exactly {}",
    "uniqueItems": "no entry twice",
    "not": "not given",
    "anyOf": "one of the published forms",
}
_TYPES = {"array": "a list", "object": "a mapping", "integer": "an integer", "null": "null"}
_MOST_LISTED = 20


def rule_in_words(keyword: str, wanted: Any) -> str:
    """What a keyword with this value asks for: ``at least 5``, ``an integer or null``, ``one of "a", "b"``."""
    if keyword == "type":
        return " or ".join(_TYPES.get(each, f"a {each}") for each in ([wanted] if isinstance(wanted, str) else wanted))
    if keyword == "enum":
        more = ", …" if len(wanted) > _MOST_LISTED else ""
        return f"one of {', '.join(brief(each, 60) for each in wanted[:_MOST_LISTED])}{more}"
    return RULES[keyword].format(brief(wanted, 100).strip('"'))


def require_jsonschema(purpose: str = "to check the settings of an order") -> None:
    """Raise MissingLibraryError if jsonschema is not installed."""
    if JSONSCHEMA_ERROR is not None:
        raise MissingLibraryError("jsonschema", purpose, str(JSONSCHEMA_ERROR))


def dialect(keywords: Mapping[str, Keyword] | None = None) -> Any:
    """The class of validators, with further keywords of a caller. Raises MissingLibraryError without jsonschema."""
    require_jsonschema()
    own: dict[str, Keyword] = {
        "pattern": _pattern,
        "multipleOf": _multiple_of,
        "required": _required,
        "dependentRequired": _dependent_required,
        **(keywords or {}),
    }
    return jsonschema.validators.extend(jsonschema.Draft202012Validator, own)  # type: ignore[no-untyped-call]


def validator(schema: Mapping[str, Any]) -> Any:
    """A validator of a schema. Raises MissingLibraryError without jsonschema."""
    require_jsonschema()
    return _PLAIN.evolve(schema=schema)


def broken(message: str = "is not kept", **details: Any) -> Any:
    """The error of a keyword that a value breaks."""
    return jsonschema.ValidationError(message, **details)


def is_multiple(number: float, step: float) -> bool:
    """Whether a number is a whole multiple of a step, by the digits that they are written with."""
    finite = math.isfinite(number) if isinstance(number, float) else True
    return finite and (_exact(number) / _exact(step)).denominator == 1


def _pattern(_validator: Any, pattern: str, instance: Any, _schema: Any) -> Iterator[Any]:
    # The schemas' patterns span the whole text. In them $ is the very end; re.search would let a last newline pass.
    if isinstance(instance, str) and not re.fullmatch(pattern, instance):
        yield broken("does not match")


def _multiple_of(_validator: Any, step: float, instance: Any, _schema: Any) -> Iterator[Any]:
    if isinstance(instance, (int, float)) and not isinstance(instance, bool) and not is_multiple(instance, step):
        yield broken("is not a multiple")


def _required(_validator: Any, names: Collection[str], instance: Any, _schema: Any) -> Iterator[Any]:
    for name in names if isinstance(instance, Mapping) else ():
        if name not in instance:
            yield broken("is missing", path=[name])


def _dependent_required(_validator: Any, needs: Mapping[str, Any], instance: Any, _schema: Any) -> Iterator[Any]:
    for name, needed in needs.items() if isinstance(instance, Mapping) else ():
        if instance.get(name) is not None and any(instance.get(other) is None for other in needed):
            yield broken("needs others", path=[name])


def _exact(number: float) -> Fraction:
    return Fraction(number) if isinstance(number, int) else Fraction(str(number))


#: Made at import, for all processes that are forked from this one.
_PLAIN: Any = dialect()({}) if JSONSCHEMA_ERROR is None else None
