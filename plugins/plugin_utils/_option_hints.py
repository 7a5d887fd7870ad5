# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Says what to write in place of an option that does not exist, or of a value that an option does not take. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from ..module_utils._adapter.options import RANGES
from ..module_utils._core.errors import Advice, ConfigurationError
from ..module_utils._core.pasting import PLACEHOLDER
from ..module_utils._core.text import clean, kind_of, nearest

_CANCEL = "leaving something out of a list cancels nothing. reseller_contract with state: absent cancels one contract."
#: By option, and by the modules that lack it. Of all others, the nearest name or another module is told.
_OPTIONS: Mapping[str, tuple[tuple[str, ...], str]] = {
    "state": (("reseller_contracts", "reseller_stack"), _CANCEL),
    "name": (("reseller_products_info",), "its option is product."),
}
_IN_EACH = "write it below defaults, or in each contract."

#: What people write for a choice, where the two have no letters in common.
_CHOICES = {"deleted": "absent", "removed": "absent", "forgotten": "absent", "created": "present"}
_NUMBER = re.compile(r"\s*[0-9]+(?:\.[0-9]+)?\s*[A-Za-z]+\s*")
_LIST = f"Write it as a list:\n  contracts:\n    - end_user: {PLACEHOLDER}\n      product: {PLACEHOLDER}"


def meant_by(name: str, known: Iterable[str], page: str) -> str:
    """Return what to do about an option that is not one of those ``known``, which ``page`` documents."""
    near = nearest(name, known, 1) if len(name) > 2 else ()
    return f"did you mean {near[0]}?" if near else f"no option has a similar name. {page} lists all."


def instead_of(name: str, module: str, spec: Mapping[str, Any], owners: Iterable[str]) -> str:
    """Return what to do about an option of a task that does not exist. ``owners`` are the modules that have it."""
    lacking, text = _OPTIONS.get(name, ((), ""))
    if module in lacking:
        return text
    if name in (spec.get("contracts", {}).get("options") or ()):
        return _IN_EACH
    near = nearest(name, spec, 1)
    is_plural = bool(near) and near[0].rstrip("s") == name.rstrip("s")
    if (others := sorted(owners)) and not is_plural:
        return f"{module} does not have it. Use {' or '.join(others)}."
    return meant_by(name, spec, f"ansible-doc hosting.reseller.{module}")


def refuse_slips(spec: Mapping[str, Any], options: Mapping[str, Any], path: str = "") -> None:
    """Raise ConfigurationError for a value that ansible-core refuses without saying what to write.

    That also is what it takes apart at its commas, or fails on.
    """
    for name, option in spec.items():
        value, at, kind = options.get(name), f"{path}{name}", option["type"]
        if value is None:
            continue
        if "options" in option:
            _refuse_other_type(at, kind, value)
            inner = (
                [(f"{at}[{place}].", entry) for place, entry in enumerate(value)]
                if kind == "list"
                else [(f"{at}.", value)]
            )
            for place, entry in inner:
                refuse_slips(option["options"], entry if isinstance(entry, Mapping) else {}, place)
        elif kind == "dict" and isinstance(value, list):
            raise _refused(at, "a mapping", kind_of(value), "Remove the hyphens before the names in it.")
        elif isinstance(value, str) and value:
            _refuse_text(name, at, option, value)


def _refuse_text(name: str, at: str, option: Mapping[str, Any], value: str) -> None:
    if option["type"] in ("int", "float") and _NUMBER.fullmatch(value):
        unit = RANGES[name].unit if name in RANGES else ""
        advice = f"Write a number{f' of {unit},' if unit else ''} without a unit."
        raise _refused(at, "a number", f"{clean(value, 40)!r}", advice)
    if option["type"] == "str" and value not in option.get("choices", (value,)):
        choices = option["choices"]
        meant = _CHOICES.get(value.lower()) or next(iter(nearest(value, choices, 1)), None)
        advice = f"Did you mean {meant}?" if meant in choices else ""
        raise _refused(at, f"one of {', '.join(choices)}", f"{clean(value, 40)!r}", advice)


def _refuse_other_type(name: str, wanted: str, value: Any) -> None:
    if wanted == "list" and isinstance(value, list):
        for at, entry in enumerate(value):
            _refuse_other_type(f"{name}[{at}]", "dict", entry)
    elif wanted == "list" or value in (None, "") or not isinstance(value, (Mapping, str)):
        advice = _LIST if wanted == "list" and isinstance(value, Mapping) else ""
        if isinstance(value, str) and value:
            advice = "If it holds JSON or YAML, add the filter from_json or from_yaml to its template."
        raise _refused(name, "a mapping" if wanted == "dict" else "a list of mappings", kind_of(value), advice)


def _refused(name: str, wanted: str, given: str, advice: str) -> ConfigurationError:
    return ConfigurationError(f"argument '{name}' must be {wanted}, not {given}. Nothing was sent.", Advice(advice))
