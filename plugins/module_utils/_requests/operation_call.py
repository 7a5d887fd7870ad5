# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""One request to any path below ``base_url``: what a task may request, and in which form it is sent."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote, unquote, urlencode, urlsplit

from .._core.errors import ConfigurationError
from .._core.text import clean
from .._http.config import ServiceConfig
from .._secrets.masker import Masker, secret_values

#: A part of a path as servers and proxies read it, too: without a query, placeholder or other marks, and without a
#: percent-encoded letter, digit, dot, slash or mark.
_PART = re.compile(r"(?i)(?:[^?#;\\{}%]|%(?:2[0-246-9A-C]|3[AC-E]|40|5[BDE]|60|[89A-F][0-9A-F]))+")
#: The last steps of the path that orders, wherever the OpenAPI document has it (see PublishedOperations.order).
_ORDERS = ["reseller", "contracts"]


@dataclass(frozen=True)
class OperationCall:
    """A request as it is sent: ``url`` is absolute, ``path`` is below ``base_url`` and without the query.

    ``accepted`` are the statuses with which the task succeeds, ``secrets`` further names of secrets. ``masker`` hides
    the API key and the secrets in the request.
    """

    method: str
    path: str
    url: str
    body: Any
    content: bytes | None
    accepted: Collection[int]
    secrets: Collection[str]
    masker: Masker

    @property
    def name(self) -> str:
        """The method and the path, as messages show them."""
        return f"{self.method} {clean(self.masker.text(self.path), 300)}"

    @property
    def shown(self) -> dict[str, Any]:
        """The request for display: without secrets and headers."""
        mask = self.masker.value
        return {"method": self.method, "url": mask(self.url), "body": mask(self.body)}

    def shown_body(self, body: Any) -> Any:
        """Return the body of a response with secrets masked by their names: a plain word is part of many texts."""
        return Masker(secret_names=self.secrets).value(body)


def operation_call(options: Mapping[str, Any], config: ServiceConfig, hidden: set[str]) -> OperationCall:
    """Return the request of a task, and add its secrets to ``hidden``. Raises ConfigurationError."""
    method, path, query, body = (options.get(name) for name in ("method", "path", "query", "body"))
    secrets = secret_values([query, body], options["secrets"])
    hidden |= secrets | {config.api_key}
    method, path = str(method), checked_path(str(path))
    if method == "POST" and is_order_path(config.base_url, path):
        raise ConfigurationError(
            "POST /api/reseller/contracts orders a product, and is not sent as an operation. Nothing was sent.\n"
            "Use hosting.reseller.reseller_contract (or reseller_contracts): it records the order before it sends it, "
            "and never sends it twice."
        )
    try:
        content = None if body is None else json.dumps(body, ensure_ascii=False, allow_nan=False).encode()
    except (TypeError, ValueError) as error:
        raise ConfigurationError(f"body cannot be written as JSON: {error}. Nothing was sent.") from None
    text = urlencode([*_query_pairs(query or {})], quote_via=quote, safe=",[]")
    url = f"{config.base_url}{path}{f'?{text}' if text else ''}"
    masker = config.masker(secrets, secret_names=options["secrets"])
    accepted = accepted_statuses(options["status_code"])
    return OperationCall(method, path, url, body, content, accepted, options["secrets"], masker)


def checked_path(path: str) -> str:
    """Return a path as it is sent. Raises ConfigurationError for what is refused in one."""
    first, *parts = path.split("/")
    inner = parts[:-1] if parts and not parts[-1] else parts
    known = all(_PART.fullmatch(each) and unquote(each).strip() not in ("", ".", "..") for each in inner)
    text = unquote(path)
    # What is no UTF-8 may be a slash to others (C0 AF).
    if first or not inner or not known or not text.isprintable() or "\ufffd" in text:
        # It is not shown: a token may be in it.
        raise ConfigurationError(
            "path is not the plain path of a request. Nothing was sent.\n"
            "Write what follows base_url, from the slash on, with each value in its place and the query as query. It "
            "has no empty part, . or .., none of ; \\ # { }, and no letter, digit or mark is percent-encoded, "
            "and nothing that is not UTF-8."
        )
    return quote(path, safe="/%:@!$&'()*+,=~")


def is_order_path(base_url: str, path: str) -> bool:
    """Return whether a POST to this path orders a product, in whatever spelling."""
    joined = unquote(urlsplit(base_url).path + path).casefold()
    # Some frameworks take an ending, as of a file, for the format of the answer.
    steps = [step.strip().partition(".")[0] for step in joined.split("/")]
    return [step for step in steps if step][-2:] == _ORDERS


def accepted_statuses(given: Collection[str]) -> frozenset[int]:
    """Return the statuses of ``status_code``: numbers, and ``2xx``. Raises ConfigurationError."""
    found = set[int]()
    for each in map(str, given):
        if each.lower() == "2xx":
            found |= {*range(200, 300)}
        elif re.fullmatch("[1-5][0-9]{2}", each):
            found.add(int(each))
        else:
            raise ConfigurationError(
                f"status_code {clean(each, 20)!r} is not a status. Nothing was sent.\n"
                "Give numbers from 100 to 599, or 2xx for each from 200 to 299."
            )
    return frozenset(found)


def _query_pairs(query: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the query parameters. Each entry of a list is a parameter of its own, and ``null`` is none."""
    for name, value in query.items():
        for each in value if isinstance(value, list) else [value]:
            if isinstance(each, (Mapping, list)):
                raise ConfigurationError(
                    f"query.{clean(str(name), 60)} is not a string, number, boolean, or list of these. Nothing was "
                    "sent.\nWrite the names of nested parameters as the service wants them, such as filter[status]."
                )
            if each is not None:
                yield str(name), str(each).lower() if isinstance(each, bool) else str(each)
