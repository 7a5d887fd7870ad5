# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds the operation of a task in the published reference (API specification 4.4). Pure.

Every operation is on the origin of ``base_url``: the API key is sent nowhere else.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import unquote, urljoin, urlsplit

from .._core.errors import ConfigurationError
from .._core.text import clean, nearest
from .._http.client import origin
from .._reference.operations import ORDER_PATH, PRODUCTS_PATH, order_operation, products_operation
from .._reference.reference import Reference
from .._reference.schemas import Schemas
from .published import Published, described, operations_of

_WRITTEN = re.compile(r"([A-Za-z]+)\s+(/\S*)")
#: An ending for the format of the answer, which need not be given.
_FORMAT = re.compile(r"\.\{_format\}|\{\._format\}")
_MOST_LISTED = 5


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


@dataclass(frozen=True)
class _Server:
    """Where operations are: the path that is before theirs, and the host if it is not the service's."""

    path: str
    elsewhere: str | None


class Lookup:
    """The operations of a published reference."""

    def __init__(self, reference: Reference, base_url: str) -> None:
        self.reference = reference
        self.schemas = Schemas(reference.document)
        self._base_url = base_url

    def find(self, wanted: str, option: str = "operation") -> Published:
        """The operation with this ``METHOD /path`` or with a unique operationId.

        Raises UnknownOperationError with the nearest names, OrderRefusedError for the documented order, and
        ConfigurationError for an operation on another host.
        """
        wanted = wanted.strip()
        written = _WRITTEN.fullmatch(wanted)
        if written:
            refuse_order(written[1], written[2])
            found = [each for each in self.all if each.method == written[1].upper() and written[2] in each.written]
        else:
            found = [each for each in self.all if each.operation_id == wanted]
        if len(found) > 1 and len({each.name for each in found}) > 1:
            listed = ", ".join(each.name for each in found[:_MOST_LISTED])
            raise UnknownOperationError(
                f"{option}: {len(found)} published operations are called {clean(wanted, 60)!r}. Nothing was sent.\n"
                f"Write the method and the path of the one that is meant: {listed}."
            )
        if not found:
            raise self._unknown(wanted, option)
        operation = found[0]
        if operation.source is self._order:
            refuse_order("POST", "/".join(("", *ORDER_PATH)))
        if operation.elsewhere is not None:
            raise ConfigurationError(
                f"{option}: {operation.name} is published at another host, {operation.elsewhere}. Nothing was sent.\n"
                f"The reference at {self.reference.url} says so. The API key is sent to {self._base_url} only.\n"
                "If the service is there, set base_url to that address."
            )
        return operation

    def published(self, method: str, path: str) -> Published | None:
        """The operation with this method at a path below base_url, if it may be used."""
        for each in self.all:
            if (each.method, each.path) == (method, path) and each.elsewhere is None:
                return each
        return None

    @cached_property
    def all(self) -> list[Published]:
        """All published operations, in the reference's order."""
        document = self.reference.document
        found = []
        for path, item, method in operations_of(document, self.schemas):
            plain = _FORMAT.sub("", path)
            server = self._server(item, item[method])
            full = f"{server.path.rstrip('/')}/{plain.lstrip('/')}"
            below = self._below_base_url(full)
            written = tuple(dict.fromkeys((below, full, plain, path)))
            found.append(described(document, self.schemas, item, method, below, written, server.elsewhere))
        return found

    @cached_property
    def _order(self) -> Mapping[str, Any] | None:
        found = order_operation(self.reference.document)
        return found[1] if found else None

    # Where an operation is

    def _server(self, item: Mapping[str, Any], operation: Mapping[str, Any]) -> _Server:
        own = list(self._addresses(operation)) or list(self._addresses(item))
        general = list(self._addresses(self.reference.document))
        ours = origin(self._base_url)
        near = next((url for url in own or general if origin(url) == ours), None)
        if near is not None:
            return _Server(urlsplit(near).path, None)
        # A service behind a proxy may not know its own name: what is beside the documented operations is here, too.
        aliases = {origin(url) for url in general} if self._documented else set()
        first = next((url for url in own or general if origin(url) in aliases), None)
        if first is not None or not (own or general):
            return _Server(urlsplit(first or "").path, None)
        there = urlsplit((own or general)[0])
        return _Server(there.path, clean(f"{there.scheme}://{there.netloc}", 200))

    def _addresses(self, holder: Mapping[str, Any]) -> Iterator[str]:
        """The absolute addresses of ``servers``, or of OpenAPI 2.0's host and basePath."""
        if "swagger" in holder:
            host, base_path = holder.get("host"), holder.get("basePath")
            path = f"/{base_path.lstrip('/')}" if isinstance(base_path, str) else "/"
            schemes = holder.get("schemes")
            names = [str(each) for each in schemes] if isinstance(schemes, list) else []
            scheme = urlsplit(self.reference.url).scheme
            prefix = f"{scheme if scheme in names or not names else names[0]}://{host}" if isinstance(host, str) else ""
            yield from self._absolute(prefix + path)
            return
        servers = holder.get("servers")
        for server in servers[:25] if isinstance(servers, list) else ():
            url = server.get("url") if isinstance(server, Mapping) else None
            if isinstance(url, str) and len(url) < 1000:
                variables = server.get("variables")
                for name, variable in list(variables.items())[:25] if isinstance(variables, Mapping) else ():
                    if isinstance(variable, Mapping):
                        url = url.replace(f"{{{name}}}", str(variable.get("default", ""))[:100])
                yield from self._absolute(url)

    def _absolute(self, url: str) -> Iterator[str]:
        try:
            yield urljoin(self.reference.url, url)
        except ValueError:
            return

    @cached_property
    def _documented(self) -> tuple[str, str] | None:
        """What stands before a documented path in the reference, and what must stand there below base_url."""
        document = self.reference.document
        for found, steps in ((order_operation(document), ORDER_PATH), (products_operation(document), PRODUCTS_PATH)):
            for path, item, method in operations_of(document, self.schemas):
                if found is None or item[method] is not found[1]:
                    continue
                for url in (*self._addresses(item[method]), *self._addresses(item), *self._addresses(document), ""):
                    full = f"{urlsplit(url).path.rstrip('/')}/{_FORMAT.sub('', path).strip('/')}"
                    for missing in ((), steps[:1]):
                        tail = "/".join(("", *steps[len(missing) :]))
                        if full.endswith(tail):
                            return full.removesuffix(tail), "".join(f"/{step}" for step in missing)
        return None

    def _below_base_url(self, full: str) -> str:
        if self._documented is not None:
            before, instead = self._documented
        else:
            before, instead = urlsplit(self._base_url).path, ""
        if before and full.startswith(f"{before}/"):
            full = full.removeprefix(before)
        elif before:
            return full
        return instead + full

    def _unknown(self, wanted: str, option: str) -> UnknownOperationError:
        names = [name for each in self.all for name in (each.name, each.operation_id) if name]
        method, _space, path = wanted.partition(" ")
        near = nearest(wanted, names)
        same = [each.name for each in self.all if path and path in each.written]
        message = f"{option}: the reference publishes no operation {clean(wanted, 80)!r}. Nothing was sent."
        if same:
            message += f"\n{path} has only: {', '.join(same[:_MOST_LISTED])}."
        elif near:
            message += f"\nNearest: {', '.join(near)}."
        elif not names:
            message += f"\nThe reference at {clean(self.reference.url, 200)} publishes no operations at all."
        form = "" if method and path.startswith("/") else " Write METHOD /path or an operationId."
        return UnknownOperationError(f"{message}\nreseller_reference_info lists all published operations.{form}")
