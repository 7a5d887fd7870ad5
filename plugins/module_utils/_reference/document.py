# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads an OpenAPI document (2.0, 3.x) from JSON or YAML that may be malformed or hostile."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from .._core.errors import PublishedReferenceError
from .._core.text import check_size, clean, describe_json

VERSIONS = re.compile(r"(2\.0|3\.[0-2](\.\d+)?)(-\w+)?", re.ASCII)
#: A body without such a line is not handed to the YAML parser at all.
YAML_HEAD = re.compile(r"""^["']?(openapi|swagger)["']?[ \t]*:""", re.MULTILINE)
#: Characters of a YAML document, values in it once its aliases are written out, and how deep they may be nested.
YAML_LENGTH = 8_000_000
YAML_VALUES = 500_000
YAML_DEPTH = 200
#: What YAML says without quotes, but means as JSON does.
_JSON_VALUE = re.compile(r"true|false|null|-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,17})?([eE][-+]?[0-9]{1,2})?")
TEXT = 300
_TOO_LARGE = "a YAML document that is too large, too deep or grows by its aliases"


def openapi_version(value: object) -> str | None:
    """The OpenAPI version of a document, or ``None`` if ``value`` is not a document of a known version."""
    if not isinstance(value, Mapping):
        return None
    number = value.get("openapi", value.get("swagger"))
    version = str(number) if isinstance(number, (str, float)) else ""
    # 3.1 allows a document without paths, which describes no operation.
    if len(version) > TEXT or not VERSIONS.fullmatch(version) or not isinstance(value.get("paths", {}), Mapping):
        return None
    return version


def read_document(body: bytes) -> Mapping[str, Any]:
    """The OpenAPI document in a body.

    Raises PublishedReferenceError with a few words for what the body is instead.
    """
    try:
        text = body.decode(json.detect_encoding(body))
        check_size(text)
        value = json.loads(text)
    except (ValueError, RecursionError) as error:
        text = body.decode("utf-8-sig", "replace")
        if not YAML_HEAD.search(text):
            said = clean(str(error), TEXT)
            raise PublishedReferenceError(f"neither JSON nor YAML of an OpenAPI document ({said})") from error
        value = _read_yaml(text)
    if openapi_version(value) is None:
        found = clean(describe_json(value, 1), TEXT)
        raise PublishedReferenceError(f"no OpenAPI document of version 2.0 or 3 with paths, but {found}")
    document: Mapping[str, Any] = value
    return document


def _read_yaml(text: str) -> Any:
    """The value of a YAML text, without its tags and merges: what JSON could say as well."""
    # Ansible has it. It is imported late, because few references need it.
    import yaml

    if len(text) > YAML_LENGTH:
        raise PublishedReferenceError(_TOO_LARGE)
    left = YAML_VALUES

    def value_of(node: Any, depth: int) -> Any:
        nonlocal left
        left -= 1
        if left < 0 or depth > YAML_DEPTH:
            raise PublishedReferenceError(_TOO_LARGE)
        if isinstance(node, yaml.MappingNode):
            # The keys of responses are numbers to YAML and names to OpenAPI.
            return {str(key.value): value_of(value, depth + 1) for key, value in node.value}
        if isinstance(node, yaml.SequenceNode):
            return [value_of(each, depth + 1) for each in node.value]
        plain = not node.style and (node.value or "null").replace("~", "null")
        return json.loads(plain) if plain and _JSON_VALUE.fullmatch(plain) else node.value

    loader, depth = getattr(yaml, "CBaseLoader", yaml.BaseLoader), 0
    try:
        for event in yaml.parse(text, Loader=loader):
            depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
            if depth > YAML_DEPTH:
                # The composer would end the process.
                raise PublishedReferenceError(_TOO_LARGE)
        return value_of(yaml.compose(text, Loader=loader), 0)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise PublishedReferenceError(f"no OpenAPI document: its YAML is broken ({clean(str(error), TEXT)})") from error
