# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.addresses import same_service


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        ("https://portal.example.org", "https://portal.example.org", True),
        ("https://portal.example.org", "HTTPS://Portal.Example.ORG", True),
        ("https://portal.example.org", "https://portal.example.org/", True),
        ("https://portal.example.org", "https://portal.example.org:443", True),
        ("http://portal.example.org:80/", "http://portal.example.org", True),
        ("https://portal.example.org.", "https://portal.example.org", True),
        ("https://portal.example.org/a/", "https://portal.example.org/a", True),
        ("https://portal.example.org/a", "https://portal.example.org/A", False),
        ("https://portal.example.org/a", "https://portal.example.org", False),
        ("https://portal.example.org:8443", "https://portal.example.org", False),
        ("http://portal.example.org", "https://portal.example.org", False),
        ("http://portal.example.org:443", "https://portal.example.org", False),
        ("https://[::1]:8443", "https://[::1]:8443/", True),
        ("https://portal.example.org:x", "https://portal.example.org:y", False),
        ("portal", "portal", True),
        ("portal", "other", False),
        ("", "", True),
    ],
)
def test_same_service(first: str, second: str, same: bool) -> None:
    assert same_service(first, second) is same
    assert same_service(second, first) is same
