# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core import errors
from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import (
    WANTED,
    Advice,
    ResellerError,
    Violation,
    ViolationsError,
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
    masked = error.masked(lambda text: text.replace("s3cret", "…").replace("ansible", "…"))
    assert masked.message == "The key … is wrong.\nRun this line.\n… localhost\nRequest 7."
    assert masked.statement == "The key … is wrong.\nRequest 7."


def test_error_that_says_more_is_another_one_of_its_class() -> None:
    violations = [Violation("settings.ram", 1, "at least 2", "specification")]
    error = ViolationsError(violations, "The order")
    more = error.saying(*error.parts, "Read the guide.").with_results(kind="rejected", order="web01")
    assert isinstance(more, ViolationsError)
    assert (more.violations, more.kind) == (error.violations, "rejected")
    assert more.message == f"{error.message}\nRead the guide."
    assert more.results == {**error.results, "order": "web01"}
    assert ("order" in error.results, error.kind, len(error.parts)) == (False, "invalid", 1)


def test_tree_of_errors_is_drawn() -> None:
    def drawn(kind: type[ResellerError], depth: int = 1) -> Iterator[tuple[int, str]]:
        yield depth, kind.__name__
        for each in kind.__subclasses__():
            if each.__module__ == kind.__module__:
                yield from drawn(each, depth + 1)

    lines = re.findall(r"(?m)^((?:  )+  )(\w+Error)  +\w", str(errors.__doc__))
    levels: list[tuple[int, str]] = [(len(indent) // 2 - 1, name) for indent, name in lines]
    assert sorted(levels) == sorted(drawn(ResellerError))
