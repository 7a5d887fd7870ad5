# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The API specification's rule for a single setting, against which the rules of the catalogue are held."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from .._product_types.dialect import validator
from .._product_types.product_type import ProductType
from .._product_types.registry import CONTACT_SETTINGS, TEMPLATE_SETTINGS

#: No hostname, and nothing else that the API specification has a rule for.
_ANY_TEXT = "Zz 9:/_ä"
#: A password, a template's name or an id is not bound to be shorter or longer than this.
_SHORT, _LONG = 8, 32


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
        return self.type == "string" and bool(validator(self.schema).is_valid(_ANY_TEXT))

    @property
    def may_be_listed(self) -> bool:
        """Return whether a list of values can be all values.

        Of numbers it may list bounds with a step, or ids. Of hostnames, passwords, contacts and the like it lists
        examples or what exists today, so others are possible.
        """
        return self.type is None or self.setting in TEMPLATE_SETTINGS

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
