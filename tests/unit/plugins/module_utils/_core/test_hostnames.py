# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.hostnames import lookalikes


@pytest.mark.parametrize(
    ("name", "found"),
    [
        ("web01.example.org", []),
        ("Müller & Söhne, Łódź", []),
        ("сервер", []),
        ("customer § 4711", []),
        ("w\u0435b01", ["CYRILLIC SMALL LETTER IE"]),
        ("\u0441\u043e\u0441\u043e", ["CYRILLIC SMALL LETTER ES", "CYRILLIC SMALL LETTER O"]),
        ("\u039fK", ["GREEK CAPITAL LETTER OMICRON"]),
        ("\U0001d430eb", ["MATHEMATICAL BOLD SMALL W"]),
        ("\ufb01le", ["LATIN SMALL LIGATURE FI"]),
    ],
)
def test_letters_that_pass_for_others(name: str, found: list[str]) -> None:
    told = lookalikes(name)
    assert len(told) == len(found)
    assert all(one in other for one, other in zip(found, told, strict=True))
