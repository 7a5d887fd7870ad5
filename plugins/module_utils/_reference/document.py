# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads an OpenAPI document (2.0, 3.x) from JSON or YAML that may be malformed or hostile."""

from __future__ import annotations

import functools
import json
import re
from collections.abc import Mapping
from typing import Any

from .._core.errors import PublishedReferenceError
from .._core.text import clean

try:
    import yaml
except ImportError as error:
    YAML_IMPORT_ERROR: ImportError | None = error
else:
    YAML_IMPORT_ERROR = None


VERSIONS = re.compile(r"(2\.0|3\.[0-2](\.\d+)?)(-\w+)?", re.ASCII)
#: A body without such a line is not handed to the YAML parser at all.
YAML_HEAD = re.compile(r"""^["']?(openapi|swagger)["']?[ \t]*:""", re.MULTILINE)
YAML_TAGS = frozenset({None, "!", "tag:yaml.org,2002:str", "tag:yaml.org,2002:map", "tag:yaml.org,2002:seq"})
#: Nodes that a YAML document may have once its aliases are written out, and how deep they may be nested.
YAML_NODES = 500_000
YAML_DEPTH = 200
#: Anchors that it may have: each is kept, and looked up, until the end.
YAML_ANCHORS = 10_000
#: The YAML parser in pure Python takes seconds for each megabyte.
SLOW_YAML_CHARACTERS = 1024 * 1024
TEXT = 300


def openapi_version(value: object) -> str | None:
    """The OpenAPI version of a document, or ``None`` if ``value`` is not a document of a known version."""
    if not isinstance(value, Mapping):
        return None
    told = value.get("openapi", value.get("swagger"))
    version = str(told) if isinstance(told, (str, float)) else ""
    # 3.1 allows a document without paths, which describes no operation.
    if len(version) > TEXT or not VERSIONS.fullmatch(version) or not isinstance(value.get("paths", {}), Mapping):
        return None
    return version


def read_document(body: bytes) -> Mapping[str, Any]:
    """The OpenAPI document in a body.

    Raises PublishedReferenceError with a few words for what the body is instead.
    """
    stripped = body.lstrip(b"\xef\xbb\xbf \t\r\n")
    if not stripped:
        raise PublishedReferenceError("an empty body")
    if stripped.startswith(b"<"):
        raise PublishedReferenceError("a page or XML, no OpenAPI document")
    try:
        value = parse_json(body)
    except ValueError as error:
        if stripped[:1] in b"{[":
            reason = f"no OpenAPI document: it begins like JSON and is broken ({clean(str(error), TEXT)})"
        else:
            reason = "neither JSON nor YAML of an OpenAPI document"
        text = _decoded(body)
        if not YAML_HEAD.search(text):
            raise PublishedReferenceError(reason) from error
        value = _parse_yaml(text)
    if openapi_version(value) is None:
        raise PublishedReferenceError(_other_content(value))
    document: Mapping[str, Any] = value
    return document


def parse_json(text: str | bytes) -> Any:
    """The value of a JSON text. Raises ValueError if it is not JSON or is nested too deeply."""
    try:
        return json.loads(text, parse_int=_number)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def json_at(text: str, start: int) -> tuple[Any, int]:
    """The JSON value that begins at ``start``, and the position after it. Raises ValueError as parse_json does."""
    try:
        return _DECODER.raw_decode(text, start)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None


def _number(digits: str) -> int | float:
    # Turning very many digits into an integer takes time that grows with their square.
    return int(digits) if len(digits) <= 40 else float(digits)


_DECODER = json.JSONDecoder(parse_int=_number)


def _decoded(body: bytes) -> str:
    try:
        return body.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise PublishedReferenceError("neither JSON nor text in UTF-8") from None


def _other_content(value: object) -> str:
    if not isinstance(value, Mapping):
        return f"no OpenAPI document but a {type(value).__name__}"
    for key in ("openapi", "swagger"):
        if key in value:
            return f"no OpenAPI document of version 2.0 or 3 with paths ({key}: {clean(str(value[key]), 40)})"
    keys = ", ".join(clean(str(key), 40) for key in list(value)[:8])
    return f"no OpenAPI document but an object with {keys or 'no keys'}"


def _parse_yaml(text: str) -> Any:
    if YAML_IMPORT_ERROR is not None:
        raise PublishedReferenceError(
            f"perhaps an OpenAPI document in YAML, which needs PyYAML ({YAML_IMPORT_ERROR}): pip install PyYAML"
        )
    loader, fast = _yaml_loader()
    if not fast and len(text) > SLOW_YAML_CHARACTERS:
        raise PublishedReferenceError("a YAML document too large for PyYAML without its C extension")
    try:
        _check_yaml(text, loader)
        return yaml.load(text, Loader=loader)  # noqa: S506 - the loader is a narrowed safe loader
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise PublishedReferenceError(f"no OpenAPI document: its YAML is broken ({clean(str(error), TEXT)})") from error


def _check_yaml(text: str, loader: Any) -> None:
    """Refuse, before anything is built, what is small as text and large or endless as a value."""
    sizes: dict[str | None, int] = {}
    open_nodes: list[tuple[str | None, int]] = []
    total = 0
    for event in yaml.parse(text, Loader=loader):
        if isinstance(event, yaml.CollectionEndEvent):
            anchor, before = open_nodes.pop()
            sizes[anchor] = total - before
        elif isinstance(event, yaml.NodeEvent):
            size = _node_size(event, sizes)
            if isinstance(event, yaml.CollectionStartEvent):
                open_nodes.append((event.anchor, total))
            elif isinstance(event, yaml.ScalarEvent):
                sizes[event.anchor] = size
            total += size
        if total > YAML_NODES or len(open_nodes) > YAML_DEPTH or len(sizes) > YAML_ANCHORS:
            raise PublishedReferenceError(
                "a YAML document that is too large, too deep, has too many anchors or grows by its aliases"
            )


def _node_size(event: Any, sizes: Mapping[str | None, int]) -> int:
    if isinstance(event, yaml.AliasEvent):
        if event.anchor not in sizes:
            raise PublishedReferenceError("a YAML document with an alias that holds itself or nothing")
        return sizes[event.anchor]
    if event.tag not in YAML_TAGS:
        raise PublishedReferenceError("a YAML document with tags, which are not read")
    return 1


@functools.cache
def _yaml_loader() -> tuple[Any, bool]:
    """PyYAML's safe loader, narrowed to what JSON can say, and whether it is the fast one."""
    base: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)

    class Loader(base):  # type: ignore[misc]
        # Neither dates nor octal or sexagesimal numbers nor the boolean words of YAML 1.1.
        yaml_implicit_resolvers: Any = {}  # noqa: RUF012 - the name and kind are PyYAML's

        def construct_mapping(self, node: Any, deep: bool = False) -> dict[str, Any]:
            # The keys of responses are numbers to YAML and names to OpenAPI.
            return {str(key): value for key, value in super().construct_mapping(node, deep).items()}

    for tag, pattern, first in (
        ("bool", "true|True|TRUE|false|False|FALSE", "tTfF"),
        ("null", "~|null|Null|NULL|", "~nN\0"),
        ("int", r"-?(0|[1-9][0-9]{0,17})", "-0123456789"),
        ("float", r"-?(0|[1-9][0-9]{0,17})(\.[0-9]{1,17})?([eE][-+]?[0-9]{1,3})?", "-0123456789"),
        ("merge", "<<", "<"),
    ):
        firsts = ["" if character == "\0" else character for character in first]
        Loader.add_implicit_resolver(f"tag:yaml.org,2002:{tag}", re.compile(f"^(?:{pattern})$", re.ASCII), firsts)
    return Loader, base is not yaml.SafeLoader
