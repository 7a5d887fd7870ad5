# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Makes a task to paste for an operation of the published reference. Pure.

A ready task does nothing until somebody fills it in: what is required is a placeholder, which every task refuses, and
further elements at the top of the body, and further parameters, are comments. Examples and defaults are left out.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._core.pasting import PLACEHOLDER, Noted, comment, task
from .._core.text import clean
from .._product_types.dialect import RULES, rule_in_words
from .._reference.published import Operation
from .._reference.published_operations import PublishedOperations
from .._reference.request_parts import MULTIPART, Body, Parameter
from .._reference.schemas import Described, Schemas
from .writing import CHANGING, OPTIONS, READING, is_partial, is_supported, parameters_of, unsupported

_DEEPEST = 6
_MOST_ENTRIES = 5
_LONGEST_SUMMARY = 100


def description_of(operation: Operation, published: PublishedOperations) -> dict[str, Any]:
    """The return value ``operation`` of reseller_reference_info."""
    body = operation.body
    return {
        "name": operation.name,
        "operation_id": operation.operation_id,
        "summary": operation.summary,
        "description": operation.description,
        "deprecated": operation.deprecated,
        "tags": list(operation.tags),
        "parameters": [_parameter(each, operation.schemas) for each in operation.parameters],
        "body": {"required": body.required, "media_types": list(body.contents)} if body.contents else None,
        "task": task_of(operation, published),
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


def task_of(operation: Operation, published: PublishedOperations) -> str:
    """A task to paste. Unfilled, it sends nothing; with its placeholders filled, it passes check mode."""
    reason = unsupported(operation)
    if reason is not None:
        return comment(f"{operation.name}: {reason}.") + "\n"
    options = _options(operation, published)
    if operation.method in CHANGING and not _is_open(options):
        # Nothing in it is left to fill in, so it would be sent as it stands.
        options["organization_id"] = Noted(PLACEHOLDER, options["organization_id"].note)
    module = f"hosting.reseller.reseller_operation{'_info' if operation.method in READING else ''}"
    summary = clean(operation.summary, _LONGEST_SUMMARY)
    return (f"{comment(summary)}\n" if summary else "") + task(operation.name, module, options)


def _is_open(value: Any) -> bool:
    """Whether a placeholder is left in what is given."""
    if isinstance(value, Noted):
        return value.given and _is_open(value.value)
    inner = value.values() if isinstance(value, Mapping) else value if isinstance(value, list) else ()
    return value == PLACEHOLDER or any(map(_is_open, inner))


def _options(operation: Operation, published: PublishedOperations) -> dict[str, Any]:
    """The options of the task, with what is optional as comments."""
    whose, values = "of the organization that owns the thing, if it is not yours", _Values(operation.schemas)
    options = {"operation": operation.name, "organization_id": Noted(PLACEHOLDER, whose, given=False)}
    for place, option in OPTIONS.items():
        given = parameters_of(operation, place).values()
        options |= _option(option, {each.name: values.parameter(each) for each in given})
    if operation.body.contents and is_supported(operation.body.media_type):
        options |= values.body(operation.body, partial=is_partial(operation, operation.body.media_type))
    if operation.method == "POST":
        once = "sent once for the ledger; or unless (a read shows it), or repeatable: true"
        options["name"] = Noted(PLACEHOLDER, once)
    if operation.method in ("PUT", "PATCH") and published.reading(operation.path) is None:
        why = "sent in every run, since the reference has no GET of this path; or set read_with"
        options["compare"] = Noted("none", why)
    return options


class _Values:
    """Makes the values of parameters and bodies, with no more than what is required in them."""

    def __init__(self, schemas: Schemas) -> None:
        self._form = schemas.first_form

    def parameter(self, parameter: Parameter) -> Noted:
        found = self._form([parameter.schema])
        return Noted(self._required(found), _facts(found, parameter.description), given=parameter.required)

    def body(self, body: Body, *, partial: bool) -> dict[str, Any]:
        """The options ``body`` and, for a form, ``files``."""
        found = self._form([body.contents.get(body.media_type)])
        if not found.properties:
            return {"body": Noted(self._required(found), _facts(found), given=body.required)}
        required = set() if partial else found.required
        files: dict[str, Noted] = {}
        elements: dict[str, Noted] = {}
        for name, nodes in sorted(found.properties.items(), key=lambda pair: pair[0] not in required):
            inner, given = self._form(nodes), name in required
            if inner.read_only:
                continue
            if body.media_type == MULTIPART and self._is_file(inner):
                files[name] = Noted(PLACEHOLDER, "path of a file", given=given)
            else:
                elements[name] = Noted(self._required(inner) if given else PLACEHOLDER, _facts(inner), given=given)
        options = _option("files", files)
        if elements or not files:
            given = any(each.given for each in elements.values())
            note = _facts(found) if given else f"{_facts(found)}; write elements in place of {{}}"
            options["body"] = Noted(elements, note, given=given or (body.required and not options))
        return options

    def _required(self, found: Described, depth: int = _DEEPEST) -> Any:
        """What is required in a value: the only value that is allowed, or else a placeholder."""
        if found.properties and depth:
            parts = {name: self._form(nodes) for name, nodes in found.properties.items() if name in found.required}
            return {
                name: Noted(self._required(inner, depth - 1), _facts(inner))
                for name, inner in parts.items()
                if not inner.read_only
            }
        if found.items and depth:
            least, entry = found.first("minItems"), self._form(found.items)
            times = max(1, min(least, _MOST_ENTRIES)) if isinstance(least, int) else 1
            return [Noted(self._required(entry, depth - 1), _facts(entry))] * times
        only = found.enum[0] if len(found.enum) == 1 else None
        if isinstance(only, (str, int, float)):
            return only
        return {} if found.types - {"null"} == {"object"} else PLACEHOLDER

    def _is_file(self, found: Described) -> bool:
        """Whether a field of a form is a file, or a list of files."""
        return any(
            each.first("format") == "binary" or each.first("contentMediaType") == "application/octet-stream"
            for each in (found, self._form(found.items))
        )


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
