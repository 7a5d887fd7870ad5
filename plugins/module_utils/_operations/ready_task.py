# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Makes a task to paste for an operation of the published reference. Pure.

A ready task does nothing until somebody fills it in: what is required is a placeholder, which every task refuses, and
what is optional at the top of the body, or as a parameter, is a comment. Examples and defaults are left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from .._core.pasting import PLACEHOLDER, Noted, comment, task
from .._core.text import clean, is_legible
from .._product_types.dialect import RULES, rule_in_words
from .._reference.operation_lookup import OperationLookup
from .._reference.published import Operation
from .._reference.request_parts import MULTIPART, Parameter
from .._reference.schemas import Described, Schemas
from .requests import CHANGING, OPTIONS, READING, SET_BY_COLLECTION
from .writing import is_supported

_DEEPEST = 6
_MOST_ELEMENTS = 200
#: Schemas that one element is composed of.
_MOST_SCHEMAS = 200
_MOST_ENTRIES = 5
#: Bytes of a name with escapes: YAML has no keys of more than 1024 characters.
_LONGEST_NAME = 500
_LONGEST_VALUE = 500
_LONGEST_SUMMARY = 100
_COMPOSED = ("allOf", "oneOf", "anyOf")


def description_of(operation: Operation, lookup: OperationLookup) -> dict[str, Any]:
    """The return value ``operation`` of reseller_reference_info."""
    body = operation.body
    return {
        "name": operation.name,
        "operation_id": operation.operation_id,
        "summary": operation.summary,
        "description": operation.description,
        "deprecated": operation.deprecated,
        "tags": list(operation.tags),
        "parameters": [_parameter(each, lookup.schemas) for each in operation.parameters],
        "body": None if body is None else {"required": body.required, "media_types": list(body.contents)},
        "task": task_of(operation, lookup),
    }


def _parameter(parameter: Parameter, schemas: Schemas) -> dict[str, Any]:
    found = schemas.described([parameter.schema])
    return {
        "name": parameter.name,
        "in": parameter.place,
        "required": parameter.required,
        "type": _types(found) or None,
        "allowed": found.enum,
        "description": parameter.description,
    }


def task_of(operation: Operation, lookup: OperationLookup) -> str:
    """A task to paste. Unfilled, it sends nothing; with its placeholders filled, it passes check mode."""
    reason = _unsupported(operation)
    if reason is not None:
        return comment(f"{operation.name}: {reason}. Use ansible.builtin.uri for it.") + "\n"
    options = _options(operation, lookup)
    if operation.method in CHANGING and not _is_open(options):
        # Nothing in it is left to fill in, so it would be sent as it stands.
        options["organization_id"] = Noted(PLACEHOLDER, options["organization_id"].note)
    module = f"hosting.reseller.reseller_operation{'_info' if operation.method in READING else ''}"
    summary = clean(operation.summary, _LONGEST_SUMMARY)
    return (f"{comment(summary)}\n" if summary else "") + task(operation.name, module, options)


def _unsupported(operation: Operation) -> str | None:
    """Why no task of this collection can send the operation."""
    if operation.method not in (*READING, *CHANGING):
        return f"{operation.method} is not supported"
    body = operation.body
    if body is not None and body.required and not is_supported(body.media_type):
        return f"a body of {body.media_type} is not supported"
    styles = [each for each in operation.parameters if each.required and each.style is not None and not _is_ours(each)]
    return f"{styles[0].name} in the style {styles[0].style} is not supported" if styles else None


def _is_ours(parameter: Parameter) -> bool:
    return parameter.name.lower() in SET_BY_COLLECTION


def _is_open(value: Any) -> bool:
    """Whether a placeholder is left in what is given."""
    if isinstance(value, Noted):
        return value.given and _is_open(value.value)
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return value == PLACEHOLDER or any(map(_is_open, inner))


def _options(operation: Operation, lookup: OperationLookup) -> dict[str, Any]:
    """The options of the task, with what is optional as comments."""
    whose, elements = "of the organization that owns the thing, if it is not yours", _Elements(lookup.schemas)
    options = {"operation": operation.name, "organization_id": Noted(PLACEHOLDER, whose, given=False)}
    for place, option in OPTIONS.items():
        sent = [each for each in operation.of(place) if place != "header" or not _is_ours(each)]
        options |= _option(option, elements.parameters(sent))
    if operation.body is not None and is_supported(operation.body.media_type):
        options |= elements.body(operation)
    if operation.method == "POST":
        once = "sent once for the ledger; or unless (a read shows it), or repeatable: true"
        options["name"] = Noted(PLACEHOLDER, once)
    if operation.method in ("PUT", "PATCH") and lookup.published("GET", operation.path) is None:
        why = "sent in every run, since the reference has no GET of this path; or set read_with"
        options["compare"] = Noted("none", why)
    if operation.method in READING and not operation.path.rstrip("/").endswith("}"):
        options["all_pages"] = Noted(True, "of a list", given=False)
    if "202" in operation.successes:
        until = [{"pointer": Noted(PLACEHOLDER, "for example /status"), "equals": PLACEHOLDER}]
        options["wait_for"] = Noted({"until": until}, given=False)
    return options


class _Elements:
    """Makes the values of parameters and bodies."""

    def __init__(self, schemas: Schemas) -> None:
        self._schemas = schemas
        self._left = _MOST_ELEMENTS

    def parameters(self, parameters: Sequence[Parameter]) -> dict[str, Noted]:
        """The parameters of one place."""
        return {
            each.name: Noted(self._required(found, _DEEPEST), _facts(found, each.description), given=each.required)
            for each, found in ((each, self._form([each.schema])) for each in parameters)
            if _is_writable(each.name)
        }

    def body(self, operation: Operation) -> dict[str, Any]:
        """The options ``body`` and, for a form, ``files``."""
        body = operation.body
        if body is None:
            return {}
        found = self._form([body.contents.get(body.media_type)])
        if body.media_type == MULTIPART:
            files = {name for name, nodes in found.properties.items() if self._is_file(nodes)}
            paths = {name: Noted(PLACEHOLDER, "path of a file", given=name in found.required) for name in sorted(files)}
            others = {name: nodes for name, nodes in found.properties.items() if name not in files}
            return _option("files", paths) | _option("body", self._elements(replace(found, properties=others)))
        if "merge-patch" in body.media_type:
            # Each element of a merge patch is one to change (RFC 7396).
            found = replace(found, required=set())
        note, value = _facts(found), self._required(found, _DEEPEST)
        if found.properties and isinstance(value, dict):
            note, value = note if value else f"{note}; write elements in place of {{}}", self._elements(found)
        return {"body": Noted(value, note, given=body.required)}

    def _elements(self, found: Described) -> dict[str, Noted]:
        """All elements of an object, required ones first."""
        elements: dict[str, Noted] = {}
        for name, nodes in sorted(found.properties.items(), key=lambda pair: pair[0] not in found.required):
            inner, required = self._form(nodes), name in found.required
            if not inner.read_only and _is_writable(name) and (required or len(elements) < _MOST_ELEMENTS):
                value = self._required(inner, _DEEPEST) if required else _value(inner)
                elements[name] = Noted(value, _facts(inner), given=required)
        return elements

    def _required(self, found: Described, depth: int) -> Any:
        """A value with no more than what is required in it."""
        self._left -= len(found.required)
        if depth == 0 or self._left < 0:
            return _value(found)
        if found.properties:
            parts = ((name, self._form(found.properties[name])) for name in found.properties if name in found.required)
            return {
                name: Noted(self._required(inner, depth - 1), _facts(inner))
                for name, inner in parts
                if not inner.read_only and _is_writable(name)
            }
        if not found.items:
            return _value(found)
        least, entry = found.first("minItems"), self._form(found.items)
        times = max(1, min(least, _MOST_ENTRIES)) if _is_integer(least) else 1
        return [Noted(self._required(entry, depth - 1), _facts(entry))] * times

    def _is_file(self, nodes: Sequence[Any]) -> bool:
        """Whether a field of a form is a file, or a list of files."""
        found = self._form(nodes)
        return any(
            each.first("format") == "binary" or each.first("contentMediaType") == "application/octet-stream"
            for each in (found, self._form(found.items))
        )

    def _form(self, nodes: Sequence[Any]) -> Described:
        """What schemas say of one value. Of several forms that it may have, the first one."""
        waiting = list(nodes)
        parts: list[dict[str, Any]] = []
        while waiting and len(parts) < _MOST_SCHEMAS:
            node = self._schemas.resolve(waiting.pop(0))
            parts.append({key: value for key, value in node.items() if key not in _COMPOSED})
            every = node.get("allOf")
            waiting += every if isinstance(every, list) else []
            for forms in (node.get("oneOf"), node.get("anyOf")):
                waiting += [each for each in forms if each != {"type": "null"}][:1] if isinstance(forms, list) else []
        return self._schemas.described(parts)


def _value(found: Described) -> Any:
    """The only value that is allowed, an empty object, the minimum of a number, or a placeholder."""
    if len(found.enum) == 1 and isinstance(found.enum[0], (str, int, float)):
        return found.enum[0] if len(str(found.enum[0])) <= _LONGEST_VALUE else PLACEHOLDER
    if found.types - {"null"} == {"object"}:
        return {}
    above, least = found.first("exclusiveMinimum"), found.first("minimum")
    least = above + 1 if _is_integer(above) else least
    is_number = bool(found.types) and found.types <= {"integer", "number", "null"}
    is_excluded = above is True or found.enum or found.first("multipleOf")
    return least if is_number and _is_integer(least) and not is_excluded else PLACEHOLDER


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _types(found: Described) -> str:
    kind = found.first("format")
    types = " or ".join(sorted(found.types - {"null"})) or ("object" if found.properties else "")
    return f"{types} ({clean(kind, 30)})" if types and isinstance(kind, str) and kind else types


def _facts(found: Described, description: str = "") -> str:
    """Type, bounds, allowed values and description."""
    facts = [_types(found) or "any value"]
    facts += ["or null"] if found.nullable else []
    facts += ["secret: use a variable of your vault"] if found.secret else []
    bounds = ((keyword, found.first(keyword)) for keyword in RULES)
    facts += [rule_in_words(keyword, bound) for keyword, bound in bounds if type(bound) in (int, float, str)]
    facts += [rule_in_words("enum", found.enum)] if found.enum else []
    text = found.first("description") or found.first("title") or description
    return ", ".join(facts) + (f": {clean(text, 160)}" if isinstance(text, str) and text else "")


def _option(name: str, values: dict[str, Noted]) -> dict[str, Noted]:
    """An option with these values; a comment if all of them are. Without any, it is left out."""
    return {name: Noted(values, given=any(each.given for each in values.values()))} if values else {}


def _is_writable(name: str) -> bool:
    """Whether a name can stand in a task; one with control characters or of a great length does not."""
    return 0 < len(name.encode("unicode_escape")) <= _LONGEST_NAME and is_legible(name)
