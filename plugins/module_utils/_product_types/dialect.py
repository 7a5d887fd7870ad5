# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The one dialect of JSON Schema that settings are checked with, and what it allows for a single setting.

JSON Schema 2020-12, with keywords of its own: a pattern matches the whole of a value, a step is exact (0.3 is a
multiple of 0.1), and what is missing has a path. Null is not given where one setting needs another.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cache, cached_property
from typing import Any

from .._core.errors import MissingLibraryError
from .._core.text import plain_number, truth
from .product_type import ProductType
from .registry import CONTACT_SETTINGS, TEMPLATE_SETTINGS

try:
    import jsonschema
    import jsonschema.validators

    # Releases before 4 do not have it.
    _BASE: Any = jsonschema.Draft202012Validator
except (ImportError, AttributeError) as error:
    JSONSCHEMA_ERROR: Exception | None = error
else:
    JSONSCHEMA_ERROR = None

#: No hostname, and nothing else that the API specification has a rule for.
_ANY_TEXT = "Zz 9:/_ä"
#: A password, a template's name or an id is not bound to be shorter or longer than this.
_SHORT, _LONG = 8, 32


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


@dataclass(frozen=True, eq=False)
class DocumentedBounds:
    """The API specification's rule for a setting of a product type: a JSON Schema, empty for any other setting."""

    setting: str
    schema: Mapping[str, Any]

    @property
    def type(self) -> str | None:
        """The documented type: string, integer or boolean."""
        return self.schema.get("type")

    @cached_property
    def is_text(self) -> bool:
        """Return whether any text is allowed, such as a password or the name of a template."""
        return self.type == "string" and self.allow(_ANY_TEXT)

    @property
    def may_be_listed(self) -> bool:
        """Return whether a list of values can be all values.

        Of hostnames, passwords, contacts and the like it lists examples or what exists today, so others are possible.
        """
        return self.type != "string" or self.setting in TEMPLATE_SETTINGS or "enum" in self.schema

    def allow(self, value: Any) -> bool:
        """Return whether a value is allowed, given as it is or as text."""
        if self.type == "integer":
            value = plain_number(value)
        elif self.type == "boolean":
            value = truth(value)
        return bool(self._validator.is_valid(value))

    @cached_property
    def _validator(self) -> Any:
        return validator(self.schema)

    def is_plausible(self, rules: Mapping[str, Any]) -> bool:
        """Return whether these rules (a JSON Schema) can be meant of this setting.

        Of a number, the API specification's values must keep at least two, because a bound for one is a count of
        something else.
        """
        if self.type is None or self.setting in CONTACT_SETTINGS:
            return True
        if rules.get("type", self.type) not in ((self.type, "number") if self.type == "integer" else (self.type,)):
            return False
        if self.type == "integer":
            step = self.schema.get("multipleOf", 1)
            least = max(each.get("minimum", -math.inf) for each in (self.schema, rules))
            most = min(each.get("maximum", math.inf) for each in (self.schema, rules))
            two = math.inf in (-least, most) or most // step - math.ceil(least / step) >= 1
            return two and bool(rules.get("multipleOf", step) == step)
        if self.is_text:
            return bool(rules.get("minLength", 0) <= _LONG and rules.get("maxLength", _LONG) >= _SHORT)
        return not rules.keys() - {"type"}


@cache
def documented_bounds(product_type: ProductType, setting: str) -> DocumentedBounds:
    """The rule for a setting of this product type: another type's setting of the same name is another one."""
    schema = product_type.settings.get(setting, {})
    kinds = schema.get("type")
    if isinstance(kinds, list):
        # Contacts and nameservers are sent as text.
        schema = {"type": "string"} if "string" in kinds else {**schema, "type": kinds[0]}
    return DocumentedBounds(setting, schema)
