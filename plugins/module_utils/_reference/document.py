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
from .._core.strict_json import check_size
from .._core.text import clean, describe_json

VERSIONS = re.compile(r"(2\.0|3\.[0-2](\.\d+)?)(-\w+)?", re.ASCII)
#: A body without such a line is not handed to the YAML parser at all.
YAML_HEAD = re.compile(r"""^["']?(openapi|swagger)["']?[ \t]*:""", re.MULTILINE)
YAML_TAGS = frozenset({None, "!", "tag:yaml.org,2002:str", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"})
#: Nodes that a YAML document may have once its aliases are written out, and how deep they may be nested.
YAML_NODES = 500_000
YAML_DEPTH = 200
TEXT = 300


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
        value = _parse_yaml(text)
    if openapi_version(value) is None:
        found = clean(describe_json(value, 1), TEXT)
        raise PublishedReferenceError(f"no OpenAPI document of version 2.0 or 3 with paths, but {found}")
    document: Mapping[str, Any] = value
    return document


def _parse_yaml(text: str) -> Any:
    # Ansible has it. It is imported late, because few references need it.
    import yaml

    loader = _yaml_loader()
    try:
        _check_yaml(text, loader)
        return yaml.load(text, Loader=loader)  # noqa: S506 - the loader is a narrowed safe loader
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise PublishedReferenceError(f"no OpenAPI document: its YAML is broken ({clean(str(error), TEXT)})") from error


def _check_yaml(text: str, loader: Any) -> None:
    """Refuse, before anything is built, what is small as text and large or endless as a value."""
    import yaml

    sizes: dict[str | None, int] = {}
    open_nodes: list[tuple[str | None, int]] = []
    total = 0
    for event in yaml.parse(text, Loader=loader):
        if isinstance(event, yaml.CollectionEndEvent):
            anchor, before = open_nodes.pop()
            sizes[anchor] = total - before
        elif isinstance(event, yaml.AliasEvent):
            # An alias within its own node has no size yet.
            total += sizes.get(event.anchor, YAML_NODES)
        elif isinstance(event, (yaml.CollectionStartEvent, yaml.ScalarEvent)):
            if event.tag not in YAML_TAGS:
                raise PublishedReferenceError("a YAML document with tags, which are not read")
            if isinstance(event, yaml.CollectionStartEvent):
                open_nodes.append((event.anchor, total))
            else:
                sizes[event.anchor] = 1
            total += 1
        if total > YAML_NODES or len(open_nodes) > YAML_DEPTH:
            raise PublishedReferenceError("a YAML document that is too large, too deep or grows by its aliases")


def _yaml_loader() -> Any:
    """PyYAML's safe loader, narrowed to what JSON can say."""
    import yaml

    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class Loader(base):  # type: ignore[misc]
        # Neither dates nor octal or sexagesimal numbers nor the boolean words of YAML 1.1.
        yaml_implicit_resolvers: Any = {}  # noqa: RUF012 - the name and kind are PyYAML's

        def construct_mapping(self, node: Any, deep: bool = False) -> dict[str, Any]:
            # The keys of responses are numbers to YAML and names to OpenAPI.
            return {str(key): value for key, value in super().construct_mapping(node, deep).items()}

    for tag, pattern, first in (
        ("bool", "true|True|TRUE|false|False|FALSE", "tTfF"),
        ("null", "~|null|Null|NULL|", ["~", "n", "N", ""]),
        ("int", r"-?(0|[1-9][0-9]{0,17})", "-0123456789"),
        ("float", r"-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,17})?([eE][-+]?[0-9]{1,3})?", "-0123456789"),
        ("merge", "<<", "<"),
    ):
        Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(f"^(?:{pattern})$", re.ASCII), [*first])
    return Loader
