# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is offered for settling names the order, its ledger, and what is known of it."""

from __future__ import annotations

import shlex
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._ledger.ledger_errors import offer_settling
from tests.support.pasting import arguments_of, tasks_of

CONTRACT = "0197f7ac-5b1e-7c2f-b5d7-0f3a4e4f7f3c"
LEDGER = "/var/lib/ledger.db"
DATABASE = "postgresql://reseller@db.example.org/ledger"


@pytest.mark.parametrize(
    ("known", "options"),
    [
        ({}, {"state": "present", "contract_id": "unknown"}),
        ({"state": "present", "contract_id": CONTRACT}, {"state": "present", "contract_id": CONTRACT}),
        ({"kind": "operation"}, {"state": "present"}),
    ],
)
@pytest.mark.parametrize("place", [LEDGER, DATABASE])
def test_line_and_task_say_the_same(known: dict[str, str], options: dict[str, str], place: str) -> None:
    offered = offer_settling("it's: #1", place, **known)
    expected: dict[str, Any] = {"name": "it's: #1", **options} | ({"ledger": place} if place == LEDGER else {})
    ((_name, given),) = (each.values() for each in tasks_of(offered.task))
    assert given == expected
    words = shlex.split(offered.line or "")
    assert arguments_of(words[-1]) == expected
    # Its password is not shown.
    assert (words[0] == f"RESELLER_LEDGER={DATABASE}") is (place == DATABASE)
    assert ("# ledger: …  # in RESELLER_LEDGER, " in offered.task) is (place == DATABASE)
