# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Describes an operation for a playbook: parameters, body as a YAML skeleton, and a task to paste. Pure."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from .._core.text import brief, clean
from .._reference.schemas import Described, Schemas
from .published import Parameter, Published

_DEEPEST = 6
_MOST_ELEMENTS = 200
_MOST_VALUES = 12
#: Words that YAML does not read as text.
_NOT_PLAIN = frozenset({"true", "false", "yes", "no", "on", "off", "null", "~", "y", "n", ""})


def description_of(operation: Published, schemas: Schemas) -> dict[str, Any]:
    """The return value ``operation`` of reseller_reference_info."""
    skeleton = body_skeleton(operation, schemas)
    body = None
    if operation.body is not None:
        body = {
            "required": operation.body.required,
            "media_types": list(operation.body.contents),
            "skeleton": skeleton,
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
        "task": task_of(operation, schemas),
    }


def _parameter(parameter: Parameter, schemas: Schemas) -> dict[str, Any]:
    found = schemas.described([parameter.schema])
    return {
        "name": parameter.name,
        "in": parameter.place,
        "required": parameter.required,
        "type": _types(found) or None,
        "allowed": found.enum[:_MOST_VALUES],
        "description": parameter.description,
    }


def body_skeleton(operation: Published, schemas: Schemas) -> str:
    """The body as YAML: an example value, and in a comment type, required mark, allowed values and description."""
    if operation.body is None:
        return ""
    schema = operation.body.contents.get(operation.body.usual_type())
    found = schemas.described([schema])
    if not found.properties:
        return f"{_example('', found)}  # {_comment(found, required=operation.body.required)}\n"
    left = [_MOST_ELEMENTS]
    return "".join(f"{line}\n" for line in _lines(found, schemas, "", _DEEPEST, left))


def _lines(found: Described, schemas: Schemas, indent: str, depth: int, left: list[int]) -> Iterator[str]:
    ordered = sorted(found.properties.items(), key=lambda pair: pair[0] not in found.required)
    for name, nodes in ordered:
        inner = schemas.described(nodes)
        if inner.read_only:
            continue
        left[0] -= 1
        if left[0] < 0:
            yield f"{indent}# … and more"
            return
        comment, key = _comment(inner, required=name in found.required), _plain(name)
        if inner.properties and depth:
            yield f"{indent}{key}:  # {comment}"
            yield from _lines(inner, schemas, f"{indent}  ", depth - 1, left)
        elif inner.items and depth:
            item = schemas.described(inner.items)
            yield f"{indent}{key}:  # {comment}"
            if item.properties:
                lines = list(_lines(item, schemas, "", depth - 1, left))
                yield from (f"{indent}  {'- ' if not at else '  '}{line}" for at, line in enumerate(lines))
            else:
                yield f"{indent}  - {_example('', item)}  # {_comment(item, required=False)}"
        else:
            yield f"{indent}{key}: {_example(name, inner)}  # {comment}"


def _types(found: Described) -> str:
    kind = found.first("format")
    types = " or ".join(sorted(found.types - {"null"})) or ("object" if found.properties else "")
    return f"{types} ({clean(kind, 30)})" if types and isinstance(kind, str) and kind else types


def _comment(found: Described, *, required: bool) -> str:
    facts = [_types(found) or "any value"]
    facts += ["required"] if required else []
    facts += ["or null"] if found.nullable else []
    facts += [f"{word} {brief(value, 30)}" for word, value in _bounds(found)]
    if found.enum:
        more = ", …" if len(found.enum) > _MOST_VALUES else ""
        facts.append("one of " + ", ".join(brief(each, 40) for each in found.enum[:_MOST_VALUES]) + more)
    text = found.first("description") or found.first("title")
    return ", ".join(facts) + (f": {clean(text, 160)}" if isinstance(text, str) and text else "")


def _bounds(found: Described) -> Iterator[tuple[str, Any]]:
    words = {
        "minimum": "at least",
        "maximum": "at most",
        "minLength": "min. length",
        "maxLength": "max. length",
        "pattern": "pattern",
        "default": "default",
    }
    yield from ((word, found.first(key)) for key, word in words.items() if found.first(key) is not None)


def _example(name: str, found: Described) -> str:
    """A value that fits the type, as YAML on one line."""
    if found.secret:
        return f'"{{{{ vault_{_variable(name)} }}}}"'
    given = found.first("example")
    listed = found.first("examples")
    candidates = [given, *(listed[:1] if isinstance(listed, list) else []), found.first("default"), *found.enum[:1]]
    told = next((each for each in candidates if each is not None), None)
    if told is None:
        kinds = {"integer": 0, "number": 0, "boolean": False, "array": [], "object": {}}
        told = next((kinds[kind] for kind in sorted(found.types) if kind in kinds and "string" not in found.types), "…")
    return _scalar(told)


def _variable(name: str) -> str:
    return "".join(letter if letter.isalnum() else "_" for letter in name.lower()) or "secret"


def _scalar(value: Any) -> str:
    """A value in YAML's flow style; JSON is such YAML, with templates made harmless."""
    text = json.dumps(value, ensure_ascii=False)
    return f"!unsafe {text}" if any(mark in text for mark in ("{{", "{%", "{#")) and isinstance(value, str) else text


def _plain(name: str) -> str:
    safe = name.isascii() and name.replace("_", "").replace("-", "").isalnum() and not name[:1].isdigit()
    return name if safe and name.lower() not in _NOT_PLAIN and not name.startswith("-") else json.dumps(name)


def task_of(operation: Published, schemas: Schemas) -> str:
    """A task to paste. What is optional is commented out."""
    reads = operation.method in ("GET", "HEAD")
    module = "reseller_operation_info" if reads else "reseller_operation"
    title = clean(operation.summary, 100) or operation.name
    lines = [f"- name: {_scalar(title)}", f"  hosting.reseller.{module}:", f"    operation: {_name(operation)}"]
    lines += _given("path_parameters", operation.of("path"), schemas)
    lines += _given("query", operation.of("query"), schemas)
    lines += _given("headers", operation.of("header"), schemas)
    if operation.body is not None:
        skeleton = body_skeleton(operation, schemas).splitlines()
        mark = "" if operation.body.required else "# "
        nested = schemas.described([operation.body.contents.get(operation.body.usual_type())]).properties
        if nested:
            lines += [f"    {mark}body:", *(f"    {mark}  {line}" for line in skeleton)]
        else:
            lines.append(f"    {mark}body: {skeleton[0]}")
    if operation.method == "POST":
        lines += [
            "    # Exactly one of name (sent once for the ledger), unless (a read shows it) and repeatable",
            f"    name: {_scalar(f'{title} 1')}",
        ]
    return "".join(f"{line}\n" for line in lines)


def _name(operation: Published) -> str:
    return (
        operation.name if re.fullmatch(r"[A-Z]+ /[\w/{}.,~-]*", operation.name, re.ASCII) else _scalar(operation.name)
    )


def _given(option: str, parameters: Sequence[Parameter], schemas: Schemas) -> Iterator[str]:
    if not parameters:
        return
    needed = any(each.required for each in parameters)
    yield f"    {'' if needed else '# '}{option}:"
    for each in sorted(parameters, key=lambda one: not one.required):
        found = schemas.described([each.schema])
        comment = _comment(found, required=each.required)
        told = f": {each.description}" if each.description and ": " not in comment else ""
        mark = "" if each.required else "# "
        yield f"    {mark}  {_plain(each.name)}: {_example(each.name, found)}  # {comment}{told}"
