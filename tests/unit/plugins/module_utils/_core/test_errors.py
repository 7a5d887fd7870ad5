# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import (
    WANTED,
    Advice,
    ResellerError,
    message_of,
)

BY_HAND = Advice("Run this line.\nansible localhost")
AGAIN = Advice("Run again.")


@pytest.mark.parametrize(
    ("parts", "expected"),
    [
        (["In doubt.", BY_HAND], "In doubt.\nRun this line.\nansible localhost"),
        (["1.", BY_HAND, "2.", AGAIN], "1.\nRun this line.\nansible localhost\n2.\nRun again."),
        # Where the advice on several orders is the same, it stands behind the last of them.
        (["1.", AGAIN, "2.", AGAIN], "1.\n2.\nRun again."),
        # What happened is never left out.
        (["1.", "", "1."], "1.\n1."),
    ],
)
def test_message_has_each_advice_once(parts: list[str], expected: str) -> None:
    assert message_of(parts) == expected


def test_releases_are_those_of_the_requirements() -> None:
    lines = (Path(__file__).parents[5] / "requirements.txt").read_text(encoding="utf-8").splitlines()
    wanted = {line.partition(">")[0]: line[line.index(">") :] for line in lines if ">" in line and line[0] != "#"}
    assert wanted == WANTED


def test_error_tells_what_happened_without_what_to_do() -> None:
    error = ResellerError("The key s3cret is wrong.", BY_HAND, "Request 7.", status=401)
    assert error.statement == "The key s3cret is wrong.\nRequest 7."
    assert error.results == {"status": 401}
    assert str(error) == error.message
    error.mask(lambda text: text.replace("s3cret", "…").replace("ansible", "…"))
    assert error.message == "The key … is wrong.\nRun this line.\n… localhost\nRequest 7."
    assert error.statement == "The key … is wrong.\nRequest 7."
