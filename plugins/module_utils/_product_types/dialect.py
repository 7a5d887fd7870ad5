# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The one dialect of JSON Schema that settings are checked with.

JSON Schema 2020-12, with keywords of its own: a pattern matches the whole of a value, a step is exact (0.3 is a
multiple of 0.1), and what is missing has a path. Null is not given where one setting needs another.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping
from fractions import Fraction
from typing import Any

from .._core.errors import MissingLibraryError

try:
    import jsonschema
    import jsonschema.validators

    # Releases before 4 do not have it.
    _BASE: Any = jsonschema.Draft202012Validator
except (ImportError, AttributeError) as error:
    JSONSCHEMA_ERROR: Exception | None = error
else:
    JSONSCHEMA_ERROR = None


def require_jsonschema() -> None:
    """Raise MissingLibraryError if jsonschema is not installed."""
    if JSONSCHEMA_ERROR is not None:
        raise MissingLibraryError("jsonschema", "to check the settings of an order", str(JSONSCHEMA_ERROR))


def validator(schema: Mapping[str, Any]) -> Any:
    """Return a validator of a schema. Raises MissingLibraryError without jsonschema."""
    require_jsonschema()
    return _PLAIN.evolve(schema=schema)


def _pattern(_validator: Any, pattern: str, instance: Any, _schema: Any) -> Iterator[Any]:
    # The schemas' patterns span the whole text. In them $ is the very end; re.search would let a last newline pass.
    if isinstance(instance, str) and not re.fullmatch(pattern, instance):
        yield jsonschema.ValidationError("does not match")


def _multiple_of(_validator: Any, step: float, instance: Any, _schema: Any) -> Iterator[Any]:
    """A number is a whole multiple of a step by the digits that they are written with."""
    if isinstance(instance, bool) or not isinstance(instance, (int, float)):
        return
    finite = math.isfinite(instance) if isinstance(instance, float) else True
    if not finite or (_exact(instance) / _exact(step)).denominator != 1:
        yield jsonschema.ValidationError("is not a multiple")


def _exact(number: float) -> Fraction:
    return Fraction(number) if isinstance(number, int) else Fraction(str(number))


def _required(_validator: Any, names: Collection[str], instance: Any, _schema: Any) -> Iterator[Any]:
    for name in names if isinstance(instance, Mapping) else ():
        if name not in instance:
            yield jsonschema.ValidationError("is missing", path=[name])


#: Made at import, for all processes that are forked from this one.
_PLAIN: Any = None
if JSONSCHEMA_ERROR is None:
    _PLAIN = jsonschema.validators.extend(  # type: ignore[no-untyped-call]
        _BASE,
        {
            "pattern": _pattern,
            "multipleOf": _multiple_of,
            "required": _required,
        },
    )({})
