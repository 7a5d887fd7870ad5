# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds the operations that read contracts in the published reference (API specification 4.4 shows none).

Found are GET on the path of the order, which lists contracts, and GET on it with one path parameter. A user may give
another path for that of the order. Pure.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from .published import ORDER_PATH, PARAMETER
from .published_operations import PublishedOperations


@dataclass(frozen=True)
class ContractOperations:
    """The paths for reading contracts below ``base_url``. ``None`` for those that are not published.

    ``item_path`` has ``{}`` for the id. ``parameters`` are those of the list, see
    Operation.query_parameters.
    """

    list_path: str | None = None
    item_path: str | None = None
    parameters: Mapping[str, int | None] = field(default_factory=dict)


def contract_operations(published: PublishedOperations, path: str | None = None) -> ContractOperations:
    """The operations that read contracts. Those of a given ``path`` exist, whether they are published or not."""
    steps = tuple(filter(None, path.split("/"))) if path else ORDER_PATH
    listing, item = published.at("GET", steps), published.at("GET", (*steps, PARAMETER))
    whole, slash = "/" + "/".join(steps), _slash(path or (listing.template if listing else ""))
    return ContractOperations(
        list_path=whole + slash if listing or path else None,
        item_path=f"{whole}/{PARAMETER}{_slash(item.template) if item else slash}" if item or path else None,
        parameters=listing.query_parameters if listing else {},
    )


def _slash(template: str) -> str:
    """The slash at the end of a path, which some frameworks want."""
    return "/" if template.endswith("/") else ""
