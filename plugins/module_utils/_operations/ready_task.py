# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Writes a task to paste for an operation of the published reference. Pure.

A ready task does nothing until somebody fills it in: what is required is the placeholder ``…``, which every task
refuses, and what is optional is a comment. No text of the reference is a value: examples and defaults are left out, and
a name that holds a template is written so that Ansible never evaluates it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from .._core.text import clean, holds_template
from .._product_types.dialect import RULES, rule_in_words
from .._reference.operation_lookup import OperationLookup
from .._reference.published import Operation
from .._reference.request_parts import MULTIPART, Parameter
from .._reference.schemas import Described, Schemas
from .requests import CHANGING, OPTIONS, READING, SET_BY_COLLECTION
from .task_options import PLACEHOLDER
from .writing import is_supported

_DEEPEST = 6
_MOST_ELEMENTS = 200
#: Schemas that one element is composed of.
_MOST_SCHEMAS = 200
_MOST_ENTRIES = 5
#: YAML has no keys of more than 1024 characters.
_LONGEST_NAME = 500
_LONGEST_SUMMARY = 100
_COMPOSED = ("allOf", "oneOf", "anyOf")
#: Words that YAML does not read as text.
_NOT_PLAIN = frozenset({"true", "false", "yes", "no", "on", "off", "null", "y", "n"})
#: Names of elements and operations that need no quotes.
_PLAIN = re.compile(r"[A-Za-z][\w-]*|[A-Z]+ /[\w/{}.,~-]*", re.ASCII)


def description_of(operation: Operation, lookup: OperationLookup) -> dict[str, Any]:
    """The return value ``operation`` of reseller_reference_info."""
    body, schemas = None, lookup.schemas
    if operation.body is not None:
        body = {
            "required": operation.body.required,
            "media_types": list(operation.body.contents),
            "skeleton": _text(_Lines(schemas).body(operation)),
        }
    return {
        "name": operation.name,
        "operation_id": operation.operation_id,
        "summary": operation.summary,
        "description": operation.description,
        "deprecated": operation.deprecated,
        "tags": list(operation.tags),
        "parameters": [_parameter(each, schemas) for each in operation.parameters],
        "body": body,
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
        return f"# {operation.name}: {reason}. Use ansible.builtin.uri for it.\n"
    lines = list(_task(operation, lookup))
    if operation.method in CHANGING and not any(PLACEHOLDER in line.partition("#")[0] for line in lines):
        # Nothing in it is required but numbers, which would be sent as they stand.
        lines = [line.replace("    # organization_id:", "    organization_id:") for line in lines]
    return _text(lines)


def _unsupported(operation: Operation) -> str | None:
    """Why no task of this collection can send the operation."""
    if operation.method not in (*READING, *CHANGING):
        return f"{operation.method} is not supported"
    body = operation.body
    if body is not None and body.required and not is_supported(body.media_type):
        return f"a body of {body.media_type} is not supported"
    styles = [each for each in operation.parameters if each.required and each.style and not _is_ours(each)]
    return f"{styles[0].name} in the style {styles[0].style} is not supported" if styles else None


def _text(lines: Iterable[str]) -> str:
    return "".join(f"{line}\n" for line in lines)


def _task(operation: Operation, lookup: OperationLookup) -> Iterator[str]:
    written, reads = _Lines(lookup.schemas), operation.method in READING
    summary = clean(operation.summary, _LONGEST_SUMMARY)
    if summary:
        yield f"# {summary}"
    yield f"- name: {_name(operation.name)}"
    yield f"  hosting.reseller.reseller_operation{'_info' if reads else ''}:"
    yield f"    operation: {_name(operation.name)}"
    yield "    # organization_id: …  # of the organization that owns the thing, if it is not yours"
    for place, option in OPTIONS.items():
        sent = [each for each in operation.of(place) if place != "header" or not _is_ours(each)]
        yield from _indented(written.parameters(option, sent), 4)
    if operation.body is not None and is_supported(operation.body.media_type):
        yield from _indented(written.body(operation), 4)
    if operation.method == "POST":
        yield f"    name: {PLACEHOLDER}  # sent once for the ledger; or unless (a read shows it), or repeatable: true"
    if operation.method in ("PUT", "PATCH") and lookup.published("GET", operation.path) is None:
        yield "    compare: none  # sent in every run, since the reference has no GET of this path; or set read_with"
    if reads and not operation.path.rstrip("/").endswith("}"):
        yield "    # all_pages: true  # of a list"
    if "202" in operation.successes:
        yield "    # wait_for:"
        yield "    #   until:"
        yield f"    #     - pointer: {PLACEHOLDER}  # for example /status"
        yield f"    #       equals: {PLACEHOLDER}"


def _is_ours(parameter: Parameter) -> bool:
    return parameter.name.lower() in SET_BY_COLLECTION


class _Lines:
    """Writes parameters and bodies as lines of YAML."""

    def __init__(self, schemas: Schemas) -> None:
        self._schemas = schemas
        self._requires = True
        self._left = _MOST_ELEMENTS

    def parameters(self, option: str, parameters: Sequence[Parameter]) -> list[str]:
        """An option with the parameters of one place."""
        lines = []
        for each in sorted(parameters, key=lambda one: not one.required):
            if _is_writable(each.name):
                found = self._form([each.schema])
                value = PLACEHOLDER if each.place == "path" else _value(found)
                line = f"{_name(each.name)}: {value}  # {_comment(found, each.description)}"
                lines += _optional([line], required=each.required)
        return _option(option, lines)

    def body(self, operation: Operation) -> list[str]:
        """The options ``body`` and, for a form, ``files``."""
        body = operation.body
        if body is None:
            return []
        found = self._form([body.contents.get(body.media_type)])
        if body.media_type != MULTIPART:
            # Each element of a merge patch is one to change (RFC 7396).
            self._requires = "merge-patch" not in body.media_type
            return _optional(self._value("body:", found, _DEEPEST), required=body.required)
        files = {name for name, nodes in found.properties.items() if self._is_file(nodes)}
        lines = []
        for name in sorted(files, key=lambda one: one not in found.required):
            line = f"{_name(name)}: {PLACEHOLDER}  # path of a file"
            lines += _optional([line], required=name in found.required)
        found = replace(found, properties={name: each for name, each in found.properties.items() if name not in files})
        return _option("files", lines) + _option("body", self._elements(found, _DEEPEST))

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

    def _value(self, lead: str, found: Described, depth: int) -> list[str]:
        """A value after what leads to it, which is its name or the dash of a list."""
        inner: list[str] = []
        if found.properties and depth:
            inner = self._elements(found, depth - 1)
        elif found.items and depth:
            least = found.first("minItems")
            times = max(1, min(least, _MOST_ENTRIES)) if _is_integer(least) else 1
            inner = self._value("-", self._form(found.items), depth - 1) * times
        if any(not line.startswith("# ") for line in inner):
            return [f"{lead}  # {_comment(found)}", *_indented(inner, 2)]
        hint = "; write elements in place of {}" if inner else ""
        return [f"{lead} {_value(found)}  # {_comment(found)}{hint}", *_indented(inner, 2)]

    def _elements(self, found: Described, depth: int) -> list[str]:
        """The elements of an object, required ones first."""
        lines: list[str] = []
        for name, nodes in sorted(found.properties.items(), key=lambda pair: pair[0] not in found.required):
            inner, required = self._form(nodes), self._requires and name in found.required
            if inner.read_only or not _is_writable(name):
                continue
            self._left -= 1
            if self._left < 0 and not required:
                return [*lines, "# … and more"]
            lines += _optional(self._value(f"{_name(name)}:", inner, depth), required=required)
        return lines


def _value(found: Described) -> str:
    """A placeholder, or an example that is no text of the reference: an empty object, the minimum of a number."""
    if found.types - {"null"} == {"object"}:
        return "{}"
    above, least = found.first("exclusiveMinimum"), found.first("minimum")
    least = above + 1 if _is_integer(above) else least
    is_number = bool(found.types) and found.types <= {"integer", "number", "null"}
    is_excluded = above is True or found.enum or found.first("multipleOf")
    return str(least) if is_number and _is_integer(least) and not is_excluded else PLACEHOLDER


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _types(found: Described) -> str:
    kind = found.first("format")
    types = " or ".join(sorted(found.types - {"null"})) or ("object" if found.properties else "")
    return f"{types} ({clean(kind, 30)})" if types and isinstance(kind, str) and kind else types


def _comment(found: Described, description: str = "") -> str:
    """Type, bounds, allowed values and description."""
    facts = [_types(found) or "any value"]
    facts += ["or null"] if found.nullable else []
    facts += ["secret: use a variable of your vault"] if found.secret else []
    bounds = ((keyword, found.first(keyword)) for keyword in RULES)
    facts += [rule_in_words(keyword, bound) for keyword, bound in bounds if type(bound) in (int, float, str)]
    facts += [rule_in_words("enum", found.enum)] if found.enum else []
    text = found.first("description") or found.first("title") or description
    return ", ".join(facts) + (f": {clean(text, 160)}" if isinstance(text, str) and text else "")


def _option(name: str, lines: list[str]) -> list[str]:
    """An option with these lines; a comment if all of them are."""
    if all(line.startswith("# ") for line in lines):
        return [f"# {name}:", *(f"#   {line[2:]}" for line in lines)] if lines else []
    return [f"{name}:", *_indented(lines, 2)]


def _optional(lines: list[str], *, required: bool) -> list[str]:
    return lines if required else [f"# {line}" for line in lines]


def _indented(lines: Iterable[str], width: int) -> list[str]:
    return [" " * width + line for line in lines]


def _is_writable(name: str) -> bool:
    """Whether a name can stand in a task; one with control characters or of a great length does not."""
    return 0 < len(name) <= _LONGEST_NAME and name.isprintable()


def _name(text: str) -> str:
    """A name as YAML. ``!unsafe`` keeps Ansible from evaluating a template in it."""
    is_template = holds_template(text)
    if _PLAIN.fullmatch(text) and text.lower() not in _NOT_PLAIN and not is_template:
        return text
    return f"{'!unsafe ' if is_template else ''}{json.dumps(text, ensure_ascii=False)}"
