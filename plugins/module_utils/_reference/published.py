# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads the operations of an OpenAPI document (API specification 4.4), in one form for 2.0, 3.0 and 3.1.

Pure: a document of any content is read as far as it is understood.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import urljoin, urlsplit

from .._core.text import clean, is_legible
from .request_parts import FORM, JSON, UNUSABLE, Body, media_type_of, preference
from .schemas import TEXT_LENGTH, Schemas, as_list

ORDER_PATH = ("api", "reseller", "contracts")
PRODUCTS_PATH = ("api", "reseller", "products")
#: In a path that is looked for, a step that is one path parameter of whatever name.
PARAMETER = "{}"
METHODS = ("get", "put", "post", "delete", "options", "head", "patch", "trace")
#: An ending for the format of the answer.
_FORMAT = re.compile(r"\.\{_?format\}|\{\._?format\}")
_SUCCESS = re.compile(r"2[0-9Xx]{2}")


@dataclass(frozen=True)
class Operation:
    """An operation of a document.

    ``template`` is its path as the document has it; PublishedOperations makes ``path`` the one below base_url.
    """

    method: str
    path: str
    template: str
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
    def summary(self) -> str:
        return self._text("summary") or self.description

    @property
    def description(self) -> str:
        return self._text("description")

    @property
    def group(self) -> str:
        """Its first tag; empty without one."""
        return next((clean(tag, 100) for tag in as_list(self.source.get("tags")) if isinstance(tag, str)), "")

    @property
    def query_parameters(self) -> dict[str, int | None]:
        """Its query parameters by name, each with its default or least value, where that is a whole number."""
        # OpenAPI 2.0 has no schema within a parameter.
        found = {each["name"]: each.get("schema", each) for each in self.parameters if each["in"] == "query"}
        schemas = {name: self.schemas.resolve(schema) for name, schema in found.items()}
        numbers = {name: [schema.get(key) for key in ("default", "minimum")] for name, schema in schemas.items()}
        return {
            name: next((each for each in found if isinstance(each, int) and not isinstance(each, bool)), None)
            for name, found in numbers.items()
        }

    @cached_property
    def body(self) -> Body:
        """The body of its request. It has no contents if it takes none."""
        return self._body_of_2() if "swagger" in self.schemas.document else self._body_of_3()

    @cached_property
    def successes(self) -> dict[str, list[tuple[str, Any]] | None]:
        """The media types and schemas of each published 2xx answer, by status. ``None`` for one without description."""
        responses = self.source.get("responses")
        found: dict[str, list[tuple[str, Any]] | None] = {}
        for status, node in responses.items() if isinstance(responses, Mapping) else ():
            if _SUCCESS.fullmatch(str(status)):
                response = self.schemas.resolve(node)
                found[str(status)] = [*self._contents(response)] if response else None
        return found

    @property
    def json_answers(self) -> list[tuple[str, Any]]:
        """The media types and schemas of all JSON answers with a 2xx status."""
        return [
            pair for contents in self.successes.values() for pair in contents or () if preference(pair[0]) != UNUSABLE
        ]

    @property
    def answer_types(self) -> tuple[str, ...]:
        """The media types of JSON in which it answers."""
        return tuple(dict.fromkeys(media_type for media_type, _schema in self.json_answers))

    @cached_property
    def parameters(self) -> list[Mapping[str, Any]]:
        """Its own parameters, and those of its path that they do not replace, as published."""
        found: dict[tuple[str, str], Mapping[str, Any]] = {}
        for holder in (self.source, self.item):
            for node in as_list(holder.get("parameters")):
                described = self.schemas.resolve(node)
                place, name = described.get("in"), described.get("name")
                if isinstance(place, str) and (place == "body" or (isinstance(name, str) and is_legible(name))):
                    found.setdefault((str(name), place), described)
        return list(found.values())

    def _text(self, key: str) -> str:
        """A text on one line; empty for anything else."""
        text = self.source.get(key)
        return clean(text, TEXT_LENGTH) if isinstance(text, str) else ""

    def _contents(self, response: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        content = response.get("content")
        for name, media in content.items() if isinstance(content, Mapping) else ():
            yield media_type_of(name), self.schemas.resolve(media).get("schema")
        if "swagger" in self.schemas.document and "schema" in response:
            for name in self._offered("produces") or [JSON]:
                yield name, response["schema"]

    def _body_of_3(self) -> Body:
        node = self.schemas.resolve(self.source.get("requestBody"))
        content = node.get("content")
        contents: dict[str, Any] = {}
        examples: dict[str, list[Any]] = {}
        for name, media in content.items() if isinstance(content, Mapping) else ():
            described, media_type = self.schemas.resolve(media), media_type_of(name)
            named = described.get("examples")
            several = named.values() if isinstance(named, Mapping) else ()
            contents.setdefault(media_type, described.get("schema"))
            values = [self.schemas.resolve(each).get("value") for each in several]
            examples[media_type] = [described.get("example"), *values]
        contents.pop("", None)
        return Body(contents, bool(contents) and node.get("required") is True, examples)

    def _body_of_2(self) -> Body:
        """Swagger 2.0 keeps the body among the parameters: one ``in: body``, or one ``in: formData`` for each field."""
        types = self._offered("consumes")
        for node in self.parameters:
            if node["in"] == "body":
                return Body(dict.fromkeys(types or [JSON], node.get("schema")), node.get("required") is True)
        fields = {node["name"]: node for node in self.parameters if node["in"] == "formData"}
        if not fields:
            return Body({})
        schema = {
            "type": "object",
            "properties": fields,
            "required": [name for name, node in fields.items() if node.get("required") is True],
        }
        return Body({FORM: schema}, bool(schema["required"]))

    def _offered(self, key: str) -> list[str]:
        names = as_list(self.source.get(key, self.schemas.document.get(key)))
        return [media_type for name in names if (media_type := media_type_of(name))]


def server_urls(holder: Mapping[str, Any], page: str = "") -> Iterator[str]:
    """The addresses of ``servers``, or of OpenAPI 2.0's host and basePath, as seen from the reference's own one."""
    if "swagger" in holder:
        host, base_path = holder.get("host"), holder.get("basePath")
        path = f"/{base_path.lstrip('/')}" if isinstance(base_path, str) else "/"
        urls = [f"//{host}{path}" if isinstance(host, str) and page else path]
    else:
        urls = [url for server in as_list(holder.get("servers")) if (url := _server_url(server))]
    for url in urls:
        try:
            joined = urljoin(page, url)
            urlsplit(joined)
        except ValueError:
            continue
        yield joined


def _server_url(server: Any) -> str | None:
    """The address of one of ``servers``, with the defaults of its variables."""
    url = server.get("url") if isinstance(server, Mapping) else None
    if not isinstance(url, str) or len(url) >= 1000:
        return None
    variables = server.get("variables")
    for name, variable in variables.items() if isinstance(variables, Mapping) else ():
        if isinstance(variable, Mapping):
            url = url.replace(f"{{{name}}}", str(variable.get("default", ""))[:100])
    return url
