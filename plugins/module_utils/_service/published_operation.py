# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One operation of an OpenAPI document (API specification 4.4), in one form for 2.0, 3.0 and 3.1.

Pure: a document of any content is read as far as it is understood.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .._core.errors import JSON_API
from .._core.text import clean, is_legible
from .schemas import TEXT_LENGTH, Schemas, as_list

JSON = "application/json"
#: An ending for the format of the answer.
_FORMAT = re.compile(r"\.\{_?format\}|\{\._?format\}")
_CONTRACT, _CANCELING = re.compile(r".*/contracts?/\{[^/]+\}"), re.compile("(?i)/[^/]*(?:cancel|terminat)[^/]*$")
_SUCCESS = re.compile(r"2[0-9Xx]{2}")


@dataclass(frozen=True)
class Operation:
    """An operation of a document."""

    method: str
    #: The path below base_url, and as the document has it.
    path: str
    template: str
    #: What the document has at the path, and of this method there.
    item: Mapping[str, Any]
    source: Mapping[str, Any]
    schemas: Schemas

    @property
    def plain(self) -> str:
        """Its template without an ending for the format of the answer, which need not be given."""
        return _FORMAT.sub("", self.template)

    @property
    def name(self) -> str:
        """Its name in messages: ``GET /api/reseller/products``."""
        return f"{self.method} {self.path}"

    @property
    def may_cancel(self) -> bool:
        """Whether it may be what cancels a contract, by its method and path."""
        is_one = self.method == "DELETE" and _CONTRACT.fullmatch(self.path) is not None
        return is_one or (self.method in ("POST", "PUT", "PATCH") and _CANCELING.search(self.path) is not None)

    @property
    def summary(self) -> str:
        return self._text("summary") or self.description

    @property
    def description(self) -> str:
        return self._text("description")

    @property
    def group(self) -> str:
        """Its first tag; empty without one."""
        return next((clean(tag, 100) for tag in as_list(self.source.get("tags")) if isinstance(tag, str)), "")

    @cached_property
    def parameters(self) -> list[Mapping[str, Any]]:
        """Its own parameters, and those of its path that they do not replace, as published."""
        found: dict[tuple[str, str], Mapping[str, Any]] = {}
        for node in (*as_list(self.source.get("parameters")), *as_list(self.item.get("parameters"))):
            parameter = self.schemas.resolve(node)
            found.setdefault((str(parameter.get("name")), str(parameter.get("in"))), parameter)
        return list(found.values())

    @property
    def query_parameters(self) -> dict[str, int | None]:
        """Its query parameters by name, each with its default or least value, where that is a whole number."""
        found: dict[str, int | None] = {}
        for parameter in self.parameters:
            name = parameter.get("name")
            if parameter.get("in") == "query" and isinstance(name, str) and is_legible(name):
                # OpenAPI 2.0 has no schema within a parameter.
                schema = self.schemas.resolve(parameter.get("schema", parameter))
                numbers = [schema.get(key) for key in ("default", "minimum")]
                integers = (each for each in numbers if isinstance(each, int) and not isinstance(each, bool))
                found[name] = next(integers, None)
        return found

    @property
    def body(self) -> dict[str, Mapping[str, Any]]:
        """The media types of its request, each with ``schema``, ``example`` and ``examples`` as published."""
        request = self._request
        content = request.get("content")
        if "schema" in request:
            # OpenAPI 2.0 lists those of all requests in one place.
            names = as_list(self.source.get("consumes", self.schemas.document.get("consumes")))
            content = dict.fromkeys(map(str, names or [JSON]), request)
        published = content.items() if isinstance(content, Mapping) else ()
        named = [(_media_type(name), media) for name, media in published]
        return {name: self.schemas.resolve(media) for name, media in named if name}

    @property
    def successes(self) -> list[str]:
        """The published statuses of its 2xx answers."""
        responses = self.source.get("responses")
        return (
            [str(each) for each in responses if _SUCCESS.fullmatch(str(each))] if isinstance(responses, Mapping) else []
        )

    @property
    def _request(self) -> Mapping[str, Any]:
        # OpenAPI 2.0 keeps the body among the parameters.
        bodies = [parameter for parameter in self.parameters if parameter.get("in") == "body"]
        return bodies[0] if bodies else self.schemas.resolve(self.source.get("requestBody"))

    def _text(self, key: str) -> str:
        """A text on one line; empty for anything else."""
        text = self.source.get(key)
        return clean(text, TEXT_LENGTH) if isinstance(text, str) else ""


def json_rank(media_type: str) -> int:
    """The lower the better; 0 for what is not JSON, or JSON in the form of JSON:API."""
    if media_type == JSON_API or not media_type.endswith("json"):
        return 0
    return {JSON: 1, "application/ld+json": 2}.get(media_type, 3)


def _media_type(name: object) -> str:
    """A media type without its parameters; empty for what could not be sent as a header."""
    media_type = str(name).partition(";")[0].strip().lower()
    if media_type in ("*/*", "application/*"):
        return JSON
    return media_type if media_type.isascii() and media_type.isprintable() and len(media_type) < 100 else ""
