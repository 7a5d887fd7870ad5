# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds the operations that read contracts in the published reference (API specification 4.4 shows none).

Found are GET on the path of the order, which lists contracts, and GET on it with one path parameter. A user may give
another path for that of the order. Pure.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from .._core.conditions import pointer_to
from .._core.errors import PublishedReferenceError
from .._core.text import fold, words
from .published import ORDER_PATH, PARAMETER
from .published_operations import PublishedOperations
from .request_parts import QueryParameter
from .schemas import KEPT, Schemas

#: Elements of an answer that may hold the record, or a list of records.
_ENVELOPES = words(
    "contracts contract data member hydramember items item results result records record content embedded response "
    "payload body rows list collection entries edges nodes node resource entity objects object elements value"
)
#: How many envelopes may be around the record, with itself.
_LEVELS = 3
#: How deep a published record's elements are looked at, and how many of them.
_DEPTH = 4
_MOST_ELEMENTS = 500


@dataclass(frozen=True)
class ContractOperations:
    """The paths for reading contracts below ``base_url``. ``None`` for those that are not published.

    ``item_path`` has ``{}`` for the id. ``parameters`` are those of the list. ``allowed`` are the
    values that an element of a contract can have, by JSON pointers into its record, where the reference lists them all.
    """

    list_path: str | None = None
    item_path: str | None = None
    parameters: tuple[QueryParameter, ...] = ()
    allowed: Mapping[str, Sequence[Any]] | None = None


def contract_operations(published: PublishedOperations, path: str | None = None) -> ContractOperations:
    """The operations that read contracts. Those of a given ``path`` exist, whether they are published or not."""
    steps = tuple(filter(None, path.split("/"))) if path else ORDER_PATH
    listing, item = published.at("GET", steps), published.at("GET", (*steps, PARAMETER))
    whole, slash = "/" + "/".join(steps), _slash(path or (listing.template if listing else ""))
    answers = listing.answer_schemas if listing else []
    return ContractOperations(
        list_path=whole + slash if listing or path else None,
        item_path=f"{whole}/{PARAMETER}{_slash(item.template) if item else slash}" if item or path else None,
        parameters=tuple(listing.query_parameters) if listing else (),
        allowed=_allowed(published.schemas, [*(item.answer_schemas if item else ()), *answers]),
    )


def _slash(template: str) -> str:
    """The slash at the end of a path, which some frameworks want."""
    return "/" if template.endswith("/") else ""


def _allowed(schemas: Schemas, answers: Sequence[object]) -> dict[str, list[Any]]:
    """The allowed values of a record's elements, by pointer; what different forms of the record allow is united.

    The record may be the answer, or stand in an envelope: an element is left out if any of these does not list its
    values.
    """
    found: dict[str, list[Any]] = {}
    open_ones: set[str] = set()
    try:
        for nodes in record_schemas(schemas, answers):
            for pointer, values in islice(_elements(schemas, nodes, (), _DEPTH), _MOST_ELEMENTS):
                known = found.setdefault(pointer, [])
                known.extend(value for value in values if value is not None and value not in known)
                open_ones |= {pointer} if not values else set()
    except PublishedReferenceError:
        # What is known so far may be a part of it.
        return {}
    return {pointer: values for pointer, values in found.items() if pointer not in open_ones}


def record_schemas(schemas: Schemas, answers: Sequence[object]) -> list[list[Any]]:
    """The schemas of all that may be the record: the answers, and what they hold as it or as a list of it."""
    found: list[list[Any]] = []
    holders = [[schema] for schema in answers]
    for _level in range(_LEVELS):
        found += holders
        described = [schemas.described(nodes) for nodes in holders]
        holders = [each.items for each in described if each.items]
        holders += [parts for each in described for name, parts in each.properties.items() if fold(name) in _ENVELOPES]
    return found


def _elements(
    schemas: Schemas, parts: Sequence[object], steps: tuple[str, ...], depth: int
) -> Iterator[tuple[str, Sequence[Any]]]:
    found = schemas.described(parts)
    if steps:
        yield pointer_to(steps), found.enum if found.closed and len(found.enum) < KEPT else ()
    for name, inner in found.properties.items() if depth else ():
        yield from _elements(schemas, inner, (*steps, name), depth - 1)
