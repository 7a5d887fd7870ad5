# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Pages name the authors of galaxy.yml, and only these."""

from __future__ import annotations

import pytest

from tests.tools import authors
from tests.tools.authors import ROOT


@pytest.mark.parametrize(
    ("author", "shown"),
    [
        ("Jane Doe <jane@example.org> (https://example.org) @jane-d", "Jane Doe (@jane-d)"),
        ("Jane Doe @jane", "Jane Doe (@jane)"),
        ("Jane Doe <jane@example.org>", "Jane Doe (!UNKNOWN)"),
        ("hosting.reseller contributors", "hosting.reseller contributors (!UNKNOWN)"),
    ],
)
def test_author_is_named_with_an_account(author: str, shown: str) -> None:
    assert authors.documented(author) == shown


JANE, JOHN = "Jane Doe @jane", "John Doe @john"


@pytest.mark.parametrize(
    ("page", "people", "made"),
    [
        ("author: A (!UNKNOWN)\noptions:\n", [JANE], "author: Jane Doe (@jane)\noptions:\n"),
        ("author:\n  - A (!UNKNOWN)\noptions:\n", [JANE], "author:\n  - Jane Doe (@jane)\noptions:\n"),
        ("author: A (@a)\n", [JANE, JOHN], "author:\n  - Jane Doe (@jane)\n  - John Doe (@john)\n"),
        ("  author:\n    - A (@a)\n    - B (@b)\n  x: 1\n", [JANE], "  author:\n    - Jane Doe (@jane)\n  x: 1\n"),
        ("no author:\n  - x\n", [JANE], "no author:\n  - x\n"),
    ],
)
def test_page_gets_the_authors(page: str, people: list[str], made: str) -> None:
    assert authors.with_authors(page, people) == made


def test_all_pages_change_with_galaxy_yml() -> None:
    changed = {path for path, text in authors.outdated(ROOT, [JANE]).items() if authors.UNKNOWN not in text}
    named = {path for path in authors.pages(ROOT) if "author:" in path.read_text(encoding="utf-8")}
    assert changed == named
    assert len(named) > 20
