# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The values of select fields: lists, mappings of value to label, lists of objects, groups of all these."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from typing import Any

from .._core.text import fold, is_uuid
from .option import Choice

_VALUES = ("value", "const", "id", "key", "code", "uuid", "slug", "name", "label", "title", "text")
_LABELS = ("label", "title", "text", "name", "displayname", "description", "value")
_GROUPED = ("options", "choices", "values", "children", "items")
_DEPTH = 4


def read_choices(raw: Any) -> tuple[Choice, ...] | None:
    """The choices in the service's order, ``None`` when not understood."""
    return _read(raw, _DEPTH)


def split_choices(text: str) -> tuple[Choice, ...]:
    """The choices of a rule like ``in:debian,"a, b"``: values between commas, quoted where they hold one."""
    try:
        values = next(csv.reader([text], skipinitialspace=True), [])
    except csv.Error:
        values = text.split(",")
    return tuple(Choice(value, value) for value in values)


def relabelled(choices: tuple[Choice, ...], raw: Any) -> tuple[Choice, ...] | None:
    """The choices with the labels of a value mapping; its values where there are no choices; ``None``: not understood.

    Which side of the mapping holds the values is told by the choices.
    """
    if isinstance(raw, list) and choices and len(raw) == len(choices) and all(isinstance(name, str) for name in raw):
        return tuple(Choice(choice.value, name) for choice, name in zip(choices, raw, strict=True))
    mapped = read_choices(raw)
    if not isinstance(raw, Mapping) or not mapped or not choices:
        return mapped
    labels = {str(each.value): each.label for each in mapped}
    if not any(str(choice.value) in labels for choice in choices):
        labels = {label: value for value, label in labels.items()}
    return tuple(Choice(choice.value, labels.get(str(choice.value), choice.label)) for choice in choices)


def by_name(choices: tuple[Choice, ...]) -> tuple[Choice, ...]:
    """The choices of an OS template: it is identified by its name (document section 2.1), not by a number or UUID."""
    if choices and all(_is_key(choice.value) and not _is_key(choice.label) for choice in choices):
        return tuple(Choice(choice.label, choice.label) for choice in choices)
    return choices


def _is_key(value: Any) -> bool:
    return isinstance(value, int) or (isinstance(value, str) and (value.isdigit() or is_uuid(value)))


def _read(raw: Any, depth: int) -> tuple[Choice, ...] | None:
    if not depth or not isinstance(raw, (list, Mapping)):
        return None
    if isinstance(raw, list):
        parts = [_item(item, depth) for item in raw]
    else:
        parts = [_pair(str(key), item, depth) for key, item in raw.items() if not str(key).startswith("@")]
    choices: list[Choice] = []
    for part in parts:
        if part is None:
            return None
        # An empty value is how a form says that nothing is chosen yet.
        choices += [choice for choice in part if choice.value != ""]
    return tuple(choices)


def _item(item: Any, depth: int) -> Sequence[Choice] | None:
    if item is None:
        return ()
    if _is_scalar(item):
        return (Choice(item, str(item)),)
    return _object(None, item, depth) if isinstance(item, Mapping) else None


def _pair(key: str, item: Any, depth: int) -> Sequence[Choice] | None:
    if item is None:
        return (Choice(key, key),)
    if _is_scalar(item):
        return (Choice(key, str(item)),)
    if isinstance(item, Mapping) and (_labelled(item) or not item):
        return _object(key, item, depth)
    # A group: its key is only what it is called.
    return _read(item, depth - 1)


def _object(key: str | None, item: Mapping[Any, Any], depth: int) -> Sequence[Choice] | None:
    told = {fold(name): value for name, value in item.items()}
    if told.get("disabled") is True or any(told.get(name) is False for name in ("enabled", "available", "selectable")):
        return ()
    group = next((told[name] for name in _GROUPED if isinstance(told.get(name), (list, Mapping))), None)
    if group is not None and "value" not in told:
        return _read(group, depth - 1)
    # Beside a key, only an explicit value is another value than the key.
    candidates = _VALUES if key is None else ("value",)
    value = next((told[name] for name in candidates if told.get(name) is not None and _is_scalar(told[name])), key)
    if value is None:
        return None
    label = next((told[name] for name in _LABELS if isinstance(told.get(name), str) and told[name]), value)
    return (Choice(value, str(label)),)


def _labelled(item: Mapping[Any, Any]) -> bool:
    told = {fold(name): value for name, value in item.items()}
    if any(isinstance(told.get(name), (list, Mapping)) for name in _GROUPED):
        return True
    return any(_is_scalar(told.get(name)) for name in _LABELS)


def _is_scalar(value: Any) -> bool:
    return isinstance(value, (str, int, float))


__all__ = ["by_name", "read_choices", "relabelled", "split_choices"]
