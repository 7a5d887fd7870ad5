# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Names of elements that hold records, as ``fold`` returns them. API specification 4.1 and 4.2 show no envelope."""

from __future__ import annotations

#: Hold one record, or a list.
ENVELOPES = ("data", "result", "response", "payload", "body")
#: Hold one record, unless what is around them has an id: a contract may well have an item.
WRAPPERS = ("item", "node", "record", "resource", "object", "content", "entity")
#: Hold a list, or an object with one; the most telling first.
LISTS = (
    *("member", "hydramember", "items", "data", "results", "records", "content", "entries", "rows", "list", "objects"),
    *("collection", "elements", "edges", "nodes", "value", "result", "response", "payload", "body", "embedded"),
    *("@graph", "catalogue", "catalog"),
)
#: Name the id of a record, the most telling first.
IDS = ("id", "uuid", "@id", "identifier", "guid")
