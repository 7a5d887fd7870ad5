# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
from __future__ import annotations

import pytest
import urllib3
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.reseller.plugins.module_utils._core import addresses
from ansible_collections.hosting.reseller.plugins.module_utils._core.addresses import (
    origin,
    punycode,
    usable_address,
)


@pytest.mark.parametrize(
    ("other", "same"),
    [
        ("https://a.example/x?y#z", True),
        ("HTTPS://A.Example:443/", True),
        ("http://a.example:443", False),
        ("https://a.example\\.evil.example", False),
        ("https://a.example:443@evil.example", False),
        ("https://a.exam\tple", False),
        ("https://[a.example", False),
    ],
)
def test_which_urls_are_on_one_origin(other: str, same: bool) -> None:
    assert (origin("https://a.example") == origin(other)) is same


@given(
    st.text(alphabet="a.@\\/:#?[]%1\t %", max_size=12),
    st.sampled_from(
        ["https://{}a.example/", "https://a.example{}", "https://evil.example{}a.example/", "{}//a.example"]
    ),
)
def test_a_url_of_the_origin_leads_to_its_host_for_the_library_that_sends(junk: str, form: str) -> None:
    url = form.format(junk)
    if origin(url) == origin("https://a.example"):
        parsed = urllib3.util.parse_url(url)
        assert (parsed.scheme, str(parsed.host).rstrip("."), parsed.port or 443) == ("https", "a.example", 443)


@pytest.mark.parametrize(
    ("texts", "usable"),
    [
        (["2001:db8::1", "192.0.2.1", "192.0.2.2"], "192.0.2.1"),
        (["2001:db8::1/64"], "2001:db8::1"),
        (["192.0.2.0/28", "192.0.2.3/28"], "192.0.2.3"),
        (["192.0.2.1, 2001:db8::1"], "192.0.2.1"),
        (
            ["127.0.0.1", "0.0.0.0", "::1", "fe80::1", "169.254.0.1", "224.0.0.1", "::ffff:127.0.0.1", "10.0.0.1"],
            "10.0.0.1",
        ),
        (["web01.example.org", "", "-oProxyCommand=id", "127.1", "7"], None),
        ([], None),
    ],
)
def test_first_address_of_another_machine_is_usable(texts: list[str], usable: str | None) -> None:
    assert usable_address(texts) == usable


def test_punycode_is_at_most_as_long_as_a_name_may_be_and_needs_its_library(monkeypatch: pytest.MonkeyPatch) -> None:
    names = [".".join(["\uff41" * 63] * 3 + ["\uff42" * length]) for length in (61, 62)]
    assert [punycode(name) for name in (*names, "a..ü")] == [".".join(["a" * 63] * 3 + ["b" * 61]), None, None]
    monkeypatch.setattr(addresses, "idna", None)
    assert punycode("müller.example") is None
