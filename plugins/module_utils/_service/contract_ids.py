# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The IDs of a record, in whatever form it has them (API specification 2.5 does not show them). Pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote, urlsplit

from .._core.pasting import PLACEHOLDER
from .._core.text import by_folded_name, fold

#: Hold one record, unless what is around them has an id: a contract may well have an item.
WRAPPERS = ("item", "node", "record", "resource", "object", "content", "entity")
#: May hold the contract.
CONTRACTS = ("contract", "contracts")
#: What is called so, is of such a kind, or stands in such a collection is no contract, and its ID not that of one.
OTHER_KIND = re.compile(
    "[a-z@]*(order|request|job|task|queue|operation|action|user|customer|product|invoice|payment|quote)s?(ids?|uuid|no)?"
)
_ROOT = re.compile(r"api|v\d+", re.IGNORECASE)


def names_of_parameter(parameter: str) -> tuple[str, ...]:
    """The folded names of the element that a path parameter names, as in ``/contracts/{number}``.

    None for ``id`` and ``contract``: these may mean any id, of which the usual names are known.
    """
    plain = fold(parameter).removeprefix("contract")
    return () if plain in ("", "id") else (f"contract{plain}", plain)


def as_mapping(value: Any) -> Any:
    """A list of names with their values (``[{key, value}]``, ``[{name, value}]``) as a mapping; else the value."""
    if not isinstance(value, list) or not all(isinstance(pair, Mapping) and len(pair) == 2 for pair in value):
        return value
    rows = [by_folded_name(pair) for pair in value]
    names = [row.get("key", row.get("name")) for row in rows if "value" in row]
    named = {name: row["value"] for name, row in zip(names, rows, strict=False) if isinstance(name, str) and name}
    return named if named and len(named) == len(rows) else value


def unlisted(value: Any) -> Any:
    """A value, or the only one of a list; of names with their values, a mapping."""
    value = as_mapping(value)
    return value[0] if isinstance(value, list) and len(value) == 1 else value


def self_link_id(record: Mapping[str, Any]) -> str | None:
    """The id in the link of a record, with folded names, to itself."""
    links = unlisted(record.get("links"))
    link = (by_folded_name(links).get("self") if isinstance(links, Mapping) else None) or record.get("self")
    return id_in_url(link.get("href") if isinstance(link, Mapping) else link)


def identifier(value: Any) -> str | None:
    """An ID as a string: a positive number, a word, or the last segment of an IRI."""
    if isinstance(value, bool) or not isinstance(value, (str, int)):
        return None
    text = str(value).strip()
    if isinstance(value, int):
        return text if value > 0 else None
    if text.startswith("_:") or "/.well-known/genid/" in text:
        # JSON-LD's names for things that have none.
        return None
    if text.startswith("/") or "://" in text:
        text = next(reversed(_segments(text)), "")
    # Of all that separates words, a space alone is printable. No path can name . and .. as ids.
    if text in ("", ".", "..", PLACEHOLDER) or len(text) > 255 or not text.isprintable() or " " in text:
        return None
    return text


def _segments(url: str) -> list[str]:
    try:
        path = urlsplit(url).path
    except ValueError:
        return []
    return [unquote(segment) for segment in path.split("/") if segment]


def leads_elsewhere(url: Any) -> bool:
    """Return whether an address names an order, request, job or user, and no contract."""
    segments = _segments(url) if isinstance(url, str) and "/" in url else []
    if any(fold(segment) in CONTRACTS for segment in segments):
        return False
    return any(OTHER_KIND.fullmatch(fold(segment)) or _ROOT.fullmatch(segment) for segment in segments[-2:])


def id_in_url(url: Any) -> str | None:
    """The id in a URL of the contract: what follows ``contracts``, or a last segment that can be an id."""
    if not isinstance(url, str):
        return None
    segments = [re.sub(r"\.json(ld|api)?\Z", "", segment) for segment in _segments(url.strip())]
    places = [at for at, segment in enumerate(segments) if fold(segment) in CONTRACTS]
    if places:
        return identifier(segments[places[-1] + 1]) if places[-1] + 1 < len(segments) else None
    if not segments or not any(map(str.isdigit, segments[-1])) or leads_elsewhere(f"/{url}"):
        return None
    return identifier(segments[-1])
