# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The operations of an OpenAPI document, and which of them a path names. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any
from urllib.parse import urlsplit

from .._core.addresses import origin
from .._core.text import clean, nearest
from .published import METHODS, ORDER_PATH, PARAMETER, PRODUCTS_PATH, Operation, server_urls
from .schemas import Schemas

IN_BRACES = re.compile(r"\{([^{}/]+)\}")
_MOST_NAMED = 3
_PATH_LENGTH = 500


@dataclass(frozen=True)
class ContractOperations:
    """The paths for reading contracts below ``base_url``. ``None`` for those that are not published.

    ``item_path`` has ``{}`` for the id, which the reference calls ``id_parameter`` there. ``parameters`` are those of
    the list, see Operation.query_parameters.
    """

    list_path: str | None = None
    item_path: str | None = None
    id_parameter: str = ""
    parameters: Mapping[str, int | None] = field(default_factory=dict)


class PublishedOperations:
    """The operations of a document, in its order. ``url`` is where the document was found."""

    def __init__(self, document: Mapping[str, Any], url: str = "", base_url: str = "") -> None:
        self.schemas = Schemas(document)
        self.url = url
        self._base_url = base_url

    @cached_property
    def all(self) -> list[Operation]:
        """All operations that the document describes for this service, each with its path below base_url."""
        before = self._before
        if before is None:
            return []
        paths = [f"{before.rstrip('/')}/{each.plain.lstrip('/')}" for each in self._described]
        return [
            replace(each, path=clean(self._below_base_url(path), _PATH_LENGTH))
            for each, path in zip(self._described, paths, strict=True)
        ]

    # By a path

    def find(self, method: str, path: str) -> Operation | None:
        """The operation with this path, or whose path it fits: of several, the one with the fewest parameters."""
        here = [each for each in self.all if each.method == method]
        found = [each for each in here if path in (each.path, each.template)]
        found = found or [each for each in here if re.fullmatch(_pattern(each.path), path)]
        return min(found, key=lambda each: len(IN_BRACES.findall(each.path)), default=None)

    def nearest(self, method: str, path: str) -> list[str]:
        """The names of the operations that are most like a request, those of its path first."""
        here = [each.name for each in self.all if re.fullmatch(_pattern(each.path), path)]
        same = self.find(method, path)
        near = nearest(f"{method} {path}", [each.name for each in self.all])
        return list(dict.fromkeys([*([same.name] if same else ()), *here, *near]))[:_MOST_NAMED]

    # By a documented path

    @cached_property
    def order(self) -> Operation | None:
        """POST /api/reseller/contracts."""
        return self.at("POST", ORDER_PATH)

    @cached_property
    def products(self) -> Operation | None:
        """GET /api/reseller/products."""
        return self.at("GET", PRODUCTS_PATH)

    def reading_contracts(self, path: str | None = None) -> ContractOperations:
        """GET on the path of the order, which lists contracts, and GET on it with one path parameter.

        The API specification shows neither (4.4). Those of a given ``path`` exist, whether they are published or not.
        """
        steps = tuple(filter(None, path.split("/"))) if path else ORDER_PATH
        listing, item = self.at("GET", steps), self.at("GET", (*steps, PARAMETER))
        whole = path or (listing.template if listing else "")
        # Some frameworks want the slash at the end of a path.
        slash, below = ("/" if text.endswith("/") else "" for text in (whole, item.template if item else whole))
        return ContractOperations(
            list_path=_path(steps) + slash if listing or path else None,
            item_path=f"{_path(steps)}/{PARAMETER}{below}" if item or path else None,
            id_parameter=next(reversed(IN_BRACES.findall(item.plain)), "") if item else "",
            parameters=listing.query_parameters if listing else {},
        )

    def at(self, method: str, wanted: tuple[str, ...]) -> Operation | None:
        """The operation at a documented path, or at another one below base_url."""
        located = self._located(method, wanted)
        return located[0] if located else None

    # Where they are

    @cached_property
    def _described(self) -> list[Operation]:
        """All operations, each with the path that the document says."""
        found: list[Operation] = []
        paths = self.schemas.document.get("paths")
        for template, node in paths.items() if isinstance(paths, Mapping) else ():
            item = self.schemas.resolve(node)
            for method in item if isinstance(template, str) else ():
                if method in METHODS and isinstance(item[method], Mapping):
                    path = clean(template, _PATH_LENGTH)
                    found.append(Operation(method.upper(), path, template, item, item[method], self.schemas))
        return found

    @cached_property
    def _root(self) -> tuple[str, str] | None:
        """What stands before the documented paths, and what is missing of them; ``None`` if neither is published."""
        located = self._located("POST", ORDER_PATH) or self._located("GET", PRODUCTS_PATH)
        return located[1:] if located else None

    @cached_property
    def _steps(self) -> list[tuple[Operation, tuple[str, ...]]]:
        """Each operation with the steps of its path behind each server."""
        servers = [urlsplit(url).path for url in server_urls(self.schemas.document)] or [""]
        return [
            (each, tuple(filter(None, f"{server}/{each.plain}"[:2000].split("/"))))
            for each in self._described
            for server in servers
        ]

    def _located(self, method: str, wanted: tuple[str, ...]) -> tuple[Operation, str, str] | None:
        """The operation at a documented path, what stands before that, and what is missing of it.

        Without a server that says /api, the only path that ends with the other steps is taken for it.
        """
        for missing in (0, 1):
            tail = wanted[missing:]
            found = [
                (steps[: -len(tail)], operation)
                for operation, steps in self._steps
                if operation.method == method and _comparable(steps)[-len(tail) :] == tail
            ]
            if found and (not missing or len({operation.template for _before, operation in found}) == 1):
                before, operation = min(found, key=lambda each: len(each[0]))
                return operation, _path(before), _path(wanted[:missing])
        return None

    @cached_property
    def _before(self) -> str | None:
        """The path of the document's server; ``None`` for another host that has no documented operation, either."""
        ours, urls = origin(self._base_url), [*server_urls(self.schemas.document, self.url)]
        best = min(urls, key=lambda url: origin(url) != ours, default="")
        # A service behind a proxy may not know its own name.
        return urlsplit(best).path if not best or self._root or origin(best) == ours else None

    def _below_base_url(self, full: str) -> str:
        before, instead = self._root or (urlsplit(self._base_url).path, "")
        if before and not full.startswith(f"{before}/"):
            return full
        return instead + full.removeprefix(before)


def _pattern(path: str) -> str:
    """The regular expression of the paths that a template stands for."""
    parts = IN_BRACES.split(path)
    return "".join("([^/]+)" if at % 2 else re.escape(part) for at, part in enumerate(parts))


def _path(steps: Iterable[str]) -> str:
    return "".join(f"/{step}" for step in steps)


def _comparable(steps: Iterable[str]) -> tuple[str, ...]:
    return tuple(PARAMETER if step.startswith("{") and step.endswith("}") else step for step in steps)
