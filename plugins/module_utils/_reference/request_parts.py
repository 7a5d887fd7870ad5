# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The body of a request as an OpenAPI document describes it, in one form for 2.0, 3.0 and 3.1. Pure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

JSON = "application/json"
#: In its form, the elements of a body are attributes of a resource.
JSON_API = "application/vnd.api+json"
FORM = "application/x-www-form-urlencoded"
#: The preference of a media type that is not JSON.
UNUSABLE = 9


@dataclass(frozen=True)
class Body:
    """The body of a request: the schema for each media type, in the document's order, and examples of the whole."""

    contents: Mapping[str, Any]
    required: bool = False
    examples: Mapping[str, list[Any]] = field(default_factory=dict)


def preference(media_type: str) -> int:
    """The lower the better; UNUSABLE for what is not JSON."""
    if media_type in (JSON, "*/*", "application/*"):
        return 0
    if media_type == "application/ld+json":
        return 1
    return 2 if media_type.endswith("+json") else UNUSABLE


def media_type_of(name: object) -> str:
    """A media type without its parameters; empty for what could not be sent as a header."""
    media_type = name.partition(";")[0].strip().lower() if isinstance(name, str) else ""
    if preference(media_type) == 0:
        return JSON
    return media_type if media_type.isascii() and media_type.isprintable() and len(media_type) < 100 else ""
