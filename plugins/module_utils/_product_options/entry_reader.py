# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A product's ``options`` entry, of whatever kind, as a list of options (document sections 2.1, 2.5 and 4.2).

The document says that the entry lists the settings with their rules, value mappings and allowed values, and not how.
Understood are a list of objects, a mapping of name to rules, JSON Schema, and a mapping of one aspect of the rules
(``rules``, ``values``, ``mappings``, ``defaults``) to the settings' share in it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any

from .._core import strict_json
from .._core.text import brief, fold, words
from .._product_types.registry import PRODUCT_TYPES
from .draft import Draft
from .option import Option
from .rule_reader import read_rules
from .values import TYPE_WORDS
from .vocabulary import DESCRIPTIVE, RULES, is_name

_DOCUMENTED = frozenset(name for kind in PRODUCT_TYPES.values() for name in kind.settings)
_DOCUMENTED_SELECTS = ("template", "template_name", "action")
_DEPTH = 5
_NAMES = (
    "name",
    "key",
    "field",
    "property",
    "setting",
    "code",
    "identifier",
    "id",
    "slug",
    "attribute",
    "param",
    "parameter",
    "variable",
    "option",
    "settingname",
    "fieldname",
    "optionname",
    "machinename",
)
_WRAPPERS = words(
    "settings fields options member hydramember parameters inputs elements schema form data children "
    "formfields configurableoptions configoptions properties items list jsonschema"
)
#: An object of aspects: what a setting's share in each is, as the rule of this name.
_ASPECTS = {
    "rules": "rules",
    "validation": "rules",
    "validations": "rules",
    "validationrules": "rules",
    "constraints": "rules",
    "types": "type",
    "values": "values",
    "choices": "values",
    "allowedvalues": "values",
    "selectvalues": "values",
    "selects": "values",
    "enums": "values",
    "mappings": "mapping",
    "mapping": "mapping",
    "valuemappings": "mapping",
    "valuemapping": "mapping",
    "defaults": "default",
    "settings": "",
    "fields": "",
    "labels": "label",
    "attributes": "label",
    "descriptions": "label",
    "messages": "label",
    "placeholders": "label",
    "hints": "label",
    "units": "label",
    "required": "required",
    "optional": "optional",
}
#: Parts of a JSON Schema of an object that restrict none of its properties.
_SCHEMA_PARTS = words(
    "type properties required title description schema id defs definitions additionalproperties default "
    "examples comment order propertyorder"
)


def read_options(raw: Any) -> list[Option] | None:
    """The options that an ``options`` entry lists, ``None`` for a kind that was never seen.

    Rules that are not understood are in ``Option.not_understood``. An empty entry, also ``null``, lists none.
    """
    drafts = _read(raw, _DEPTH)
    if drafts is None:
        return None
    options = [draft.option() for draft in drafts]
    return options if not options or any(map(_is_understood, options)) else None


def _is_understood(option: Option) -> bool:
    bare = Option(option.name, secret=option.secret, not_understood=option.not_understood)
    return option != bare or not option.not_understood


def _read(raw: Any, depth: int) -> list[Draft] | None:
    if raw is None or raw == [] or raw == {}:
        return []
    if not depth:
        return None
    if isinstance(raw, str) and raw.lstrip()[:1] in ("[", "{"):
        try:
            return _read(strict_json.read(raw.encode("utf-8", "replace")), depth - 1)
        except strict_json.JsonError:
            return None
    if isinstance(raw, list):
        return _read_list(raw, depth)
    return _read_mapping(raw, depth) if isinstance(raw, Mapping) else None


def _read_mapping(raw: Mapping[Any, Any], depth: int) -> list[Draft] | None:
    told = {fold(name): value for name, value in raw.items()}
    if isinstance(told.get("properties"), Mapping) and (told.get("type") in (None, "object") or "required" in told):
        return _read_schema(raw, told["properties"])
    held = {name: value for name, value in told.items() if name not in DESCRIPTIVE and not name.startswith("@")}
    if _are_aspects(held):
        return _read_aspects(held, depth)
    unwrapped = _unwrapped(held, depth)
    if unwrapped is not None:
        return unwrapped
    return _drafts_of(_pairs_of_mapping(raw))


def _unwrapped(held: Mapping[str, Any], depth: int) -> list[Draft] | None:
    inside = [name for name in held if name in _WRAPPERS and isinstance(held[name], (list, Mapping))]
    # Beside a wrapper there are only counts and other single values; beside a setting, other settings.
    if len(inside) != 1 or any(isinstance(held[name], (list, Mapping)) for name in held if name != inside[0]):
        return None
    drafts = _read(held[inside[0]], depth - 1)
    if not drafts:
        return drafts
    for name, value in held.items():
        if name != inside[0] and isinstance(value, str) and (name in RULES or name in TYPE_WORDS):
            return None
    return drafts


# Lists


def _read_list(items: list[Any], depth: int) -> list[Draft] | None:
    pairs, leftover = _pairs_of_list(items)
    if not pairs:
        # A list around another kind, such as groups of fields.
        inner = [drafts for item in items if isinstance(item, (list, Mapping)) and (drafts := _read_inner(item, depth))]
        return [draft for drafts in inner for draft in drafts] or None
    drafts = _drafts_of(pairs)
    for item in leftover:
        inner_drafts = _read_inner(item, depth)
        if inner_drafts:
            drafts += inner_drafts
        else:
            drafts[0].doubt(f"beside the options: {brief(item)}")
    return drafts


def _read_inner(item: Any, depth: int) -> list[Draft] | None:
    """The options of a group of them: ``{"group": "Network", "fields": […]}``."""
    if isinstance(item, Mapping):
        held = {fold(name): value for name, value in item.items()}
        groups = [held[name] for name in _WRAPPERS if isinstance(held.get(name), (list, Mapping))]
        return _read(groups[0], depth - 1) if len(groups) == 1 else None
    return _read(item, depth - 1) if isinstance(item, list) else None


def _pairs_of_list(items: Sequence[Any]) -> tuple[list[tuple[str, Any]], list[Any]]:
    """Names and what is said of them, and the entries without a name."""
    objects = [_unboxed(item) for item in items]
    spoken = _spoken_name([item for item in objects if isinstance(item, Mapping)])
    pairs: list[tuple[str, Any]] = []
    leftover: list[Any] = []
    for item in objects:
        if isinstance(item, str):
            name, colon, rules = item.partition(":")
            if is_name(name.strip()):
                pairs.append((name.strip(), rules if colon else None))
                continue
        if isinstance(item, Mapping):
            named = _name_of(item, spoken)
            if named is not None:
                pairs.append((named, _Described(item)))
                continue
            if len(item) == 1 and is_name(next(iter(item))) and fold(next(iter(item))) not in (*_WRAPPERS, *_NAMES):
                pairs += item.items()
                continue
        if item is not None:
            leftover.append(item)
    return pairs, leftover


class _Described(dict[str, Any]):
    """The description of an option that holds its name too."""


def _unboxed(item: Any) -> Any:
    """An option taken out of ``{"option": {…}}`` or ``{"id": …, "attributes": {…}}``."""
    if not isinstance(item, Mapping):
        return item
    told = {fold(name): name for name in item}
    if len(item) == 1:
        name, value = next(iter(item.items()))
        if isinstance(value, Mapping) and fold(name) in ("option", "setting", "field", "parameter", "node"):
            return value
    attributes = item.get(told["attributes"]) if "attributes" in told else None
    if isinstance(attributes, Mapping) and _name_of(attributes, None) and "id" in told and "name" not in told:
        return attributes
    return item


def _spoken_name(items: Sequence[Mapping[Any, Any]]) -> str | None:
    """The element that holds the options' names: documented ones tell, else that all are different words."""
    best: tuple[int, int] = (0, 0)
    found = None
    for candidate in _NAMES:
        values = [value for item in items for name, value in item.items() if fold(name) == candidate]
        spoken = [value for value in values if isinstance(value, str)]
        documented = len(_DOCUMENTED.intersection(spoken))
        distinct = len(spoken) == len(items) == len(set(spoken)) and all(map(is_name, spoken))
        if (documented, distinct) > best:
            best, found = (documented, int(distinct)), candidate
    return found


def _name_of(item: Mapping[Any, Any], spoken: str | None) -> str | None:
    told = {fold(name): value for name, value in item.items()}
    candidates = [spoken, *_NAMES] if spoken else [*_NAMES]
    names = [told[name] for name in candidates if name and isinstance(told.get(name), str)]
    usual = next(filter(is_name, names), None)
    if usual is not None:
        return str(usual)
    # A name with blanks or capitals is one all the same, if nothing else is.
    return next((told[name] for name in _NAMES[:5] if isinstance(told.get(name), str) and told[name].strip()), None)


# Mappings


def _pairs_of_mapping(raw: Mapping[Any, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in raw.items():
        text = str(name)
        if text.startswith(("@", "$")):
            continue
        named = _name_of(value, None) if isinstance(value, Mapping) and not is_name(text) else None
        # PHP writes a list with gaps as a mapping of number to item.
        yield (named, _Described(value)) if named and is_name(named) else (text, value)


def _drafts_of(pairs: Any) -> list[Draft]:
    drafts = []
    for name, rule in pairs:
        draft = Draft(name[:100])
        _describe(draft, rule)
        drafts.append(draft)
    return drafts


def _describe(draft: Draft, rule: Any) -> None:
    if isinstance(rule, _Described):
        named = [name for name in _NAMES if isinstance(_told(rule, name), str)]
        read_rules(draft, dict(rule), besides=frozenset(named) or frozenset({"name"}))
    else:
        read_rules(draft, rule, choices=_may_be_choices(draft.name, rule))


def _may_be_choices(name: str, rule: Any) -> bool:
    """Whether a list or mapping of unknown words can be a setting's choices, rather than rules in unknown words."""
    if name in _DOCUMENTED and name not in _DOCUMENTED_SELECTS:
        return isinstance(rule, (list, Mapping)) and all(str(value).isdigit() for value in rule)
    return isinstance(rule, (list, Mapping)) and (name in _DOCUMENTED or len(rule) > 1)


def _told(value: Mapping[str, Any], word: str) -> Any:
    return next((item for name, item in value.items() if fold(name) == word), None)


# JSON Schema


def _read_schema(raw: Mapping[Any, Any], properties: Mapping[Any, Any]) -> list[Draft]:
    required = raw.get("required")
    names: Collection[Any] = required if isinstance(required, list) else ()
    drafts = []
    for name, schema in properties.items():
        draft = Draft(str(name)[:100], schema=True)
        read_rules(draft, schema)
        if name in names:
            draft.required = True
        drafts.append(draft)
    known = {draft.name for draft in drafts}
    drafts += [
        Draft(name[:100], schema=True, required=True) for name in names if isinstance(name, str) and name not in known
    ]
    for name, value in raw.items():
        if drafts and fold(name) not in _SCHEMA_PARTS and value not in (None, False, [], {}):
            drafts[0].doubt(f"for all settings together, {name}: {brief(value)}")
    return drafts


# Aspects


def _are_aspects(held: Mapping[str, Any]) -> bool:
    if not held or not all(name in _ASPECTS and isinstance(value, (Mapping, list)) for name, value in held.items()):
        return False
    # One wrapper alone is no aspect of anything.
    return set(held) != {"settings"} and set(held) != {"fields"}


def _read_aspects(held: Mapping[str, Any], depth: int) -> list[Draft] | None:
    drafts: dict[str, Draft] = {}
    # The settings themselves first: they give the order.
    for aspect in sorted(held, key=lambda name: _ASPECTS[name] != ""):
        share, value = _ASPECTS[aspect], held[aspect]
        if share in ("", "required", "optional"):
            listed = _read(value, depth - 1)
            if listed is None:
                return None
            for draft in listed:
                known = drafts.setdefault(draft.name, draft)
                if share == "required":
                    known.required = True
                elif share == "optional" and known.required is None:
                    known.required = False
        elif isinstance(value, Mapping):
            for name, part in value.items():
                read_rules(drafts.setdefault(str(name), Draft(str(name)[:100])), {share: part})
    return list(drafts.values()) or None


__all__ = ["read_options"]
