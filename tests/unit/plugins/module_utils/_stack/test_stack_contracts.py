# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which server of a stack joins which L2VPN, from what the user gives and what the ledger holds."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import Outcome, Record, Request
from ansible_collections.hosting.reseller.plugins.module_utils._stack.stack_contracts import l2vpns_of
from ansible_collections.hosting.reseller.plugins.module_utils._stack.stack_document import Document
from ansible_collections.hosting.reseller.plugins.module_utils._stack.stack_reader import read_stack

X = "7b4f0c52-3d5c-4f0e-9d3e-0f1b2c3d4e5f"
Y = "1b4f0c52-3d5c-4f0e-9d3e-0f1b2c3d4e5f"


def record(name: str, *, joined: str | None = None, shown: str | None = None, status: Any = "ordered") -> Record:
    """A recorded server that joined an L2VPN, or whose own L2VPN the service shown, or neither."""
    settings = {"hostname": name} | ({"existing_l2vpn": joined} if joined else {})
    request = Request(name, "http://x", "1", "__self__", "p", "Server", "dedicated_server", settings)
    return Record(name, Outcome(status, l2vpn_id=shown), request, None, None, None, "")


def resolved(records: list[Record], given: dict[str, Any], first: dict[str, Any]) -> tuple[Any, ...]:
    """ids, joins, waiting and messages for a stack in which b and c join a."""
    server = {"product": "Server", "template": "debian-12", "ip4_count": 1}
    entries = [{"name": "a", "hostname": "a.example.org", **server, **first}]
    entries += [{"name": name, "hostname": f"{name}.example.org", "l2vpn_of": "a", **server} for name in "bc"]
    document = Document({"end_user": "__self__", "contracts": {"dedicated_server": entries}})
    stack = read_stack(document)
    assert document.problems == []
    found = l2vpns_of(stack, {each.name: each for each in records}, given)
    return found.ids, found.joins, found.waiting, [problem.message for problem in document.problems]


KNOWN = {
    "nothing is known": ([], {}, {}, {}, {}, {"b": "a", "c": "a"}),
    "told by the service": ([record("a", shown=X)], {}, {}, {"a": X}, {"b": X, "c": X}, {}),
    "in the stack": ([], {}, {"existing_l2vpn": X}, {"a": X}, {"b": X, "c": X}, {}),
    "joined before": ([record("a"), record("b", joined=X)], {}, {}, {"a": X}, {"b": X, "c": X}, {}),
    "new first server, and given": ([], {"a": X}, {}, {"a": X}, {"a": X, "b": X, "c": X}, {}),
    "new first server, and joined before": ([record("b", joined=X)], {}, {}, {"a": X}, {"a": X, "b": X, "c": X}, {}),
    "new first server before the one that made it": ([record("b", shown=X)], {}, {}, {"a": X}, {"a": X, "c": X}, {}),
    "the one that made it is not known to, but given": ([record("b")], {"a": X}, {}, {"a": X}, {"a": X, "c": X}, {}),
    "rejected before": ([record("a", status="rejected")], {}, {}, {}, {}, {"b": "a", "c": "a"}),
}


@pytest.mark.parametrize(("records", "given", "first", "ids", "joins", "waiting"), KNOWN.values(), ids=KNOWN)
def test_servers_join_the_l2vpn_of_their_cluster(
    records: list[Record], given: Any, first: Any, ids: Any, joins: Any, waiting: Any
) -> None:
    assert resolved(records, given, first) == (ids, joins, waiting, [])


REFUSED = {
    "contradiction": ([record("a", shown=X), record("b", joined=Y)], {}, "it is not clear which L2VPN it has: "),
    "no UUID": ([], {"a": "my-l2vpn"}, "the id of its L2VPN is a UUID (given: 'my-l2vpn')"),
    "no such server": ([], {"aa": X}, "l2vpn_ids holds an L2VPN for aa, which is not a dedicated server here"),
    "second L2VPN by a new first server": (
        [record("b")],
        {},
        "b is recorded with an L2VPN of its own, whose UUID is not known, so it would not be that of a: set l2vpn_ids",
    ),
}


@pytest.mark.parametrize(("records", "given", "expected"), REFUSED.values(), ids=REFUSED)
def test_what_would_make_two_l2vpns_is_refused(records: list[Record], given: Any, expected: str) -> None:
    *_found, messages = resolved(records, given, {})
    assert len(messages) == 1
    assert messages[0].startswith(expected)
