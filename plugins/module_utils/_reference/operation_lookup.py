# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds the operation of a task in the published reference (API specification 4.4). Pure.

Every operation is on the origin of ``base_url``: the API key is sent nowhere else.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cached_property
from urllib.parse import unquote, urlsplit

from .._core.addresses import origin
from .._core.errors import ConfigurationError
from .._core.text import clean, nearest
from .published import ORDER_PATH, Operation, server_urls
from .reference import Reference

_WRITTEN = re.compile(r"([A-Za-z]+)\s+(/\S*)")
IN_BRACES = re.compile(r"\{([^{}/]+)\}")
_MOST_LISTED = 5
_PATH_LENGTH = 500


class UnknownOperationError(ConfigurationError):
    """The published reference has no such operation, or several with this operationId."""


class OrderRefusedError(ConfigurationError):
    """The order operation was requested as an operation, which would send it without a claim in the ledger."""


def refuse_order(method: str, path: str) -> None:
    """Raise OrderRefusedError if a request is the order operation, however its path is written."""
    if method.upper() != "POST":
        return
    before, path = None, path.partition("?")[0]
    while before != path:
        before, path = path, unquote(path)
    steps: list[str] = []
    for step in path.replace("\\", "/").casefold().split("/"):
        plain = step.strip().partition(";")[0].partition("?")[0].partition(".")[0] if step.strip(". ") else step.strip()
        if plain == "..":
            del steps[-1:]
        elif plain not in ("", "."):
            steps.append(plain)
    if tuple(steps[-3:]) == ORDER_PATH or (len(steps) == 2 and tuple(steps) == ORDER_PATH[1:]):
        raise OrderRefusedError(
            "POST /api/reseller/contracts orders a product, and is not sent as an operation. Nothing was sent.\n"
            "Use hosting.reseller.reseller_contract (or reseller_contracts): it records the order before it sends it, "
            "and never sends it twice."
        )


class OperationLookup:
    """The operations of a published reference, each with its path below base_url."""

    def __init__(self, reference: Reference, base_url: str) -> None:
        self.reference = reference
        self._published = reference.published
        self.schemas = self._published.schemas
        self._base_url = base_url

    def find(self, wanted: str, option: str = "operation") -> tuple[Operation, dict[str, str]]:
        """The operation with this ``METHOD /path`` or with a unique operationId.

        A path with values in place of parameters is that of its template; the values are returned. Raises
        UnknownOperationError with the nearest names, OrderRefusedError for the documented order, and
        ConfigurationError for an operation on another host.
        """
        wanted, values = wanted.strip(), {}
        written = _WRITTEN.fullmatch(wanted)
        if written:
            refuse_order(written[1], written[2])
            method, path = written[1].upper(), written[2]
            found = [each for each in self.all if each.method == method and path in each.written]
            if not found and "{" not in path:
                serving = self.serving(method, path)
                found, values = [each for each, _values in serving], serving[0][1] if serving else {}
        else:
            found = [each for each in self.all if each.operation_id == wanted]
        if len({each.name for each in found}) > 1:
            listed = ", ".join(each.name for each in found[:_MOST_LISTED])
            raise UnknownOperationError(
                f"{option}: {len(found)} published operations are called {clean(wanted, 60)!r}. Nothing was sent.\n"
                f"Write the method and the path of the one that is meant: {listed}."
            )
        if not found:
            raise self._unknown(wanted, option)
        operation = found[0]
        if self._published.order is not None and operation.source is self._published.order.source:
            refuse_order("POST", "/".join(("", *ORDER_PATH)))
        if operation.elsewhere is not None:
            raise ConfigurationError(
                f"{option}: {operation.name} is published at another host, {operation.elsewhere}. Nothing was sent.\n"
                f"The reference at {self.reference.url} says so. The API key is sent to {self._base_url} only.\n"
                "If the service is there, set base_url to that address."
            )
        return operation, values

    def published(self, method: str, path: str) -> Operation | None:
        """The operation with this method at a path below base_url, if it may be used."""
        for each in self.all:
            if (each.method, each.path) == (method, path) and each.elsewhere is None:
                return each
        return None

    def serving(self, method: str, path: str) -> list[tuple[Operation, dict[str, str]]]:
        """The operations that a path with values is of, those with the fewest parameters; with the values."""
        found = []
        for each in self.all:
            spellings = each.written if each.method == method and each.elsewhere is None else ()
            for spelling in spellings:
                match = re.fullmatch(_pattern(spelling), path)
                if match is not None:
                    names = IN_BRACES.findall(spelling)
                    found.append((each, dict(zip(names, map(unquote, match.groups()), strict=True))))
                    break
        fewest = min((len(values) for _operation, values in found), default=0)
        return [(operation, values) for operation, values in found if len(values) == fewest]

    @cached_property
    def all(self) -> list[Operation]:
        """All published operations, in the reference's order."""
        found = []
        for operation in self._published.all:
            before, elsewhere = self._server(operation)
            full = f"{before.rstrip('/')}/{operation.plain.lstrip('/')}"
            below = clean(self._below_base_url(full), _PATH_LENGTH)
            written = tuple(dict.fromkeys((below, full, operation.plain, operation.template)))
            found.append(replace(operation, path=below, written=written, elsewhere=elsewhere))
        return found

    def _server(self, operation: Operation) -> tuple[str, str | None]:
        """The path that is before that of an operation, and the host if it is not the service's."""
        page, ours = self.reference.url, origin(self._base_url)
        general = [*server_urls(self.reference.document, page)]
        urls = operation.servers(page) or general
        # A service behind a proxy may not know its own name: what is beside the documented operations is here, too.
        aliases = {origin(url) for url in general} if self._published.root else set()
        if not urls:
            return "", None
        best = urlsplit(min(urls, key=lambda url: (origin(url) != ours, origin(url) not in aliases)))
        is_here = origin(best.geturl()) in {ours, *aliases}
        return best.path, None if is_here else clean(f"{best.scheme}://{best.netloc}", 200)

    def _below_base_url(self, full: str) -> str:
        before, instead = self._published.root or (urlsplit(self._base_url).path, "")
        if before and not full.startswith(f"{before}/"):
            return full
        return instead + full.removeprefix(before)

    def _unknown(self, wanted: str, option: str) -> UnknownOperationError:
        near = nearest(wanted, [name for each in self.all for name in (each.name, each.operation_id) if name])
        nearest_ones = f"\nNearest: {', '.join(near)}." if near else ""
        return UnknownOperationError(
            f"{option}: the reference publishes no operation {clean(wanted, 80)!r}. Nothing was sent.{nearest_ones}\n"
            "Write METHOD /path or an operationId. reseller_reference_info lists all published operations."
        )


def _pattern(path: str) -> str:
    """The regular expression of the paths that a template stands for."""
    parts = IN_BRACES.split(path)
    return "".join("([^/]+)" if at % 2 else re.escape(part) for at, part in enumerate(parts))
