# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a record says of itself: whether its contract is over, and whether it may not stand."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._contracts.endings import ended_or_failed, over
from ansible_collections.hosting.reseller.plugins.module_utils._service.description import Description, Field
from ansible_collections.hosting.reseller.plugins.module_utils._service.proofs import fields_of

PAST, AHEAD = "2020-01-31", "2999-01-31T00:00:00Z"

#: A record, whether it is over, and whether it says in any form that it does not stand; for a file with ``ended``, too.
LEARNED: list[tuple[dict[str, Any], bool, bool]] = [
    *(({"status": word}, True, True) for word in ("deleted", "Ended", "closed", "expired")),
    *(({"status": word}, False, True) for word in ("cancelled", "canceled", "Terminated")),
    *(({"status": word, "endsAt": PAST}, True, True) for word in ("cancelled", "terminated")),
    *(({"status": "cancelled", "endsAt": when}, False, True) for when in (AHEAD, "31.01.2020", 1580428800)),
    # The day on which it was made is no end.
    ({"status": "cancelled", "created_at": PAST}, False, True),
    ({"status": "deleted", "next_invoice": AHEAD}, False, True),
    *(({"status": word}, False, True) for word in ("FAILED", "provisioning_failed", "Payment rejected.", "declined")),
    ({"status": "cancelled to the end of term"}, False, True),
    *(({name: word}, False, True) for name, word in (("kind", "quote"), ("art", "Angebot"), ("note", "failed"))),
    ({"isDraft": True}, False, True),
    ({"deleted_at": PAST}, False, True),
    ({"attributes": {"result": "failed"}}, False, True),
    ({"status": "active", "error": None, "failed": False, "isDraft": 0, "ends_at": AHEAD}, False, False),
    ({"hostname": "failed.example.org", "email": "draft@example.org", "quoteId": 7, "cancelable": True}, False, False),
    ({"comment": "The old one was deleted, and this one took its place last week."}, False, False),
]


def said(raw: dict[str, Any], given: dict[str, Any], *, is_domain: bool = False) -> tuple[bool, bool]:
    description = Description("file", {f"contracts.{name}": Field(value, "file") for name, value in given.items()})
    fields = fields_of([raw], description, [], "4711")
    return over(raw, fields, is_domain=is_domain) is not None, ended_or_failed(raw, fields) is not None


@pytest.mark.parametrize(("raw", "is_over", "ended"), LEARNED)
def test_what_a_record_says_of_itself_in_usual_words(raw: dict[str, Any], is_over: bool, ended: bool) -> None:
    assert said(raw, {}) == (is_over, ended)


def test_domain_that_expired_is_not_over() -> None:
    assert said({"status": "expired"}, {}, is_domain=True) == (False, True)


@pytest.mark.parametrize(
    ("raw", "is_over", "ended"),
    [
        ({"zustand": "Gekündigt"}, True, True),
        ({"zustand": "gekündigt", "bis": AHEAD}, False, True),
        ({"zustand": "gekündigt", "bis": "irgendwann"}, True, True),
        ({"zustand": "kaputt"}, False, True),
        ({"zustand": "deleted"}, False, True),
        ({"zustand": "aktiv"}, False, False),
    ],
)
def test_states_of_the_file_are_those_that_count(raw: dict[str, Any], is_over: bool, ended: bool) -> None:
    assert said(raw, {"state": "zustand", "ended": ["gekündigt"], "failed": ["kaputt"]}) == (is_over, ended)
