# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.advice import Advice, AdviceKey, told, worded
from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import ResellerError

BY_HAND = Advice("settle", "Run this line.\nansible localhost")
AGAIN = Advice("again", "Run again.")
TABLE: dict[AdviceKey, str] = {"settle": "Launch it."}


@pytest.mark.parametrize(
    ("parts", "expected", "elsewhere"),
    [
        (["In doubt.", BY_HAND], "In doubt.\nRun this line.\nansible localhost", "In doubt.\nLaunch it."),
        (["1.", BY_HAND, "2.", AGAIN], "1.\nRun this line.\nansible localhost\n2.\nRun again.", None),
        # Where the advice on several orders is the same, it stands behind the last of them.
        (["1.", AGAIN, "2.", AGAIN], "1.\n2.\nRun again.", "1.\n2.\nRun again."),
        (["1.", BY_HAND, "2.", Advice("settle", "Another line.")], None, "1.\n2.\nLaunch it."),
        (["1.", Advice("settle")], "1.", "1.\nLaunch it."),
        # What happened is never left out.
        (["1.", "1."], "1.\n1.", "1.\n1."),
    ],
)
def test_advice_is_told_in_the_words_of_the_surroundings(
    parts: list[str | Advice], expected: str | None, elsewhere: str | None
) -> None:
    assert expected is None or told(parts) == expected
    with worded(TABLE):
        assert elsewhere is None or told(parts) == elsewhere
    assert expected is None or told(parts) == expected


def test_error_tells_what_happened_without_what_to_do() -> None:
    error = ResellerError("The key s3cret is wrong.", BY_HAND, "Request 7.", status=401)
    assert error.statement == "The key s3cret is wrong.\nRequest 7."
    assert error.results == {"status": 401}
    assert str(error) == error.message
    error.mask(lambda text: text.replace("s3cret", "…").replace("ansible", "…"))
    assert error.message == "The key … is wrong.\nRun this line.\n… localhost\nRequest 7."
    with worded(TABLE):
        assert error.message == "The key … is wrong.\nLaunch it.\nRequest 7."
