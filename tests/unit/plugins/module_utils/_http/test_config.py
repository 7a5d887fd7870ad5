# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest
import urllib3.util
from hypothesis import given
from hypothesis import strategies as st

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import ConfigurationError
from ansible_collections.hosting.reseller.plugins.module_utils._http.config import ServiceConfig, checked_base_url

KEY = "s3cret-key"


def options(**changed: Any) -> dict[str, Any]:
    return {
        "base_url": "https://portal.example.com",
        "api_key": KEY,
        "organization_id": "4711",
        "allow_http": False,
        "validate_certs": True,
        "ca_path": None,
        "timeout": 30.0,
        **changed,
    }


def refusal(**changed: Any) -> str:
    with pytest.raises(ConfigurationError) as caught:
        ServiceConfig.from_options(options(**changed))
    assert KEY not in caught.value.message
    lines = caught.value.message.split("\n")
    assert len(lines) <= 3
    assert all(line.isprintable() for line in lines)
    return caught.value.message


# The address


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("HTTPS://Portal.Example.COM.:443/reseller/v2/", "https://portal.example.com/reseller/v2"),
        ("https://reseller_api:8443", "https://reseller_api:8443"),
        ("https://[2001:DB8::0:7]:8443/", "https://[2001:db8::7]:8443"),
        # Not what IDNA 2003 makes of it: strasse.example is somebody else's.
        ("https://straße.example", "https://xn--strae-oqa.example"),
        ("https://portal.example.com/api/resellers", "https://portal.example.com/api/resellers"),
        *((f"http://{host}:8000", f"http://{host}:8000") for host in ("127.1.2.3", "localhost", "[::1]")),
    ],
)
def test_one_service_has_one_address(given: str, kept: str) -> None:
    assert ServiceConfig.from_options(options(base_url=given)).base_url == kept
    assert checked_base_url(kept, allow_http=False) == kept


REFUSED = [
    ("portal.example.com", "has no scheme https://"),
    ("https:/portal.example.com", "has no scheme https://"),
    ("https://", "has no valid host"),
    ("https://-portal.example.com", "has no valid host"),
    ("https://" + "a" * 64 + ".example", "has no valid host"),
    ("https://" + ".".join(["a" * 63] * 5), "has no valid host"),
    ("https://ä\u200b\ud800.example", "has no valid host"),
    ("https://portal.example.com:0", "has no valid host"),
    ("https://user:p4ssword@portal.example.com", "contains a user name, a password"),
    ("https://user:p4ss/p4ssword@portal.example.com", "is not a valid URL"),
    ("https://portal.example.com?token=p4ss", "must not contain a query"),
    ("https://portal.example.com?token=p4ss and more", "or whitespace"),
    ("https://portal.example.com/x#p4ss", "must not contain a query or a fragment"),
]


@pytest.mark.parametrize(
    ("given", "reason", "right"),
    [
        *((given, reason, "https://host[:port], for example https://portal.example.com") for given, reason in REFUSED),
        ("https://portal.example.com/x/api/reseller", "must end before /api/reseller", "https://portal.example.com/x"),
        ("https://a.example/api/docs?token=p4ss#/Contracts", "must end before /api/docs", "https://a.example"),
    ],
)
def test_address_is_refused_without_the_secret_in_it(given: str, reason: str, right: str) -> None:
    message = refusal(base_url=given)
    assert message.startswith("base_url ")
    assert reason in message
    assert "p4ss" not in message
    assert message.endswith(f"Write it as {right}.")


@pytest.mark.parametrize("given", ["http://portal.example.com", "http://evil.localhost", "http://10.0.0.1"])
def test_an_unencrypted_address_elsewhere_must_be_allowed(given: str) -> None:
    message = refusal(base_url=given)
    assert "is not encrypted" in message
    assert "allow_http: true" in message
    assert ServiceConfig.from_options(options(base_url=given, allow_http=True)).base_url == given


@given(st.text(alphabet="htps:/\\@.[]%?#aé1\t \u200b", max_size=24), st.sampled_from(["", "https://", "https://a"]))
def test_an_accepted_address_leads_to_its_host_for_the_library_that_sends(junk: str, before: str) -> None:
    try:
        kept = checked_base_url(before + junk, allow_http=False)
    except ConfigurationError:
        return
    assert checked_base_url(kept, allow_http=False) == kept
    parsed = urllib3.util.parse_url(f"{kept}/api/reseller/products")
    authority = kept.partition("//")[2].partition("/")[0]
    assert parsed.netloc == authority
    assert parsed.auth is None


# Credentials


def test_all_that_is_missing_is_named_at_once() -> None:
    assert refusal(base_url="", api_key=None, organization_id="") == (
        "base_url, api_key, organization_id are missing or empty.\n"
        "Set each as an option, or in the environment as RESELLER_BASE_URL, RESELLER_API_KEY, "
        "RESELLER_ORGANIZATION_ID. An empty variable counts as unset."
    )
    assert refusal(api_key="").startswith("api_key is missing or empty.\nSet it as an option")


@pytest.mark.parametrize(
    ("reason", "templates"),
    [
        ("is in quotation marks", ['"{}"', "'{}'", "“{}”", "„{}“"]),
        ("cannot be sent as an HTTP header", ["{}\n", "{}\r\nX-Other: 1", "{}\u00a0", "{}\x00{}", "{}€"]),
    ],
)
def test_credential_that_cannot_be_meant_is_refused_and_a_key_not_shown(reason: str, templates: list[str]) -> None:
    for template in templates:
        for name, text in (("api_key", KEY), ("organization_id", "4711")):
            message = refusal(**{name: template.format(text, text)})
            assert message.startswith(f"{name} {reason}")
            assert KEY not in message
            assert ("4711" in message) is (name == "organization_id" and "header" in reason)


@pytest.mark.parametrize(
    ("given", "fields"),
    [
        ({"timeout": 0.5}, {"read_timeout": 5, "order_timeout": 120}),
        ({"timeout": 600}, {"read_timeout": 6000, "order_timeout": 600}),
        ({"ca_path": ""}, {"verify": True}),
        ({"ca_path": "/etc/ca.pem"}, {"verify": "/etc/ca.pem"}),
        ({"ca_path": "/etc/ca.pem", "validate_certs": False}, {"verify": False}),
        ({"api_key": "schlüssel ÿ", "organization_id": "0"}, {"api_key": "schlüssel ÿ", "organization_id": "0"}),
    ],
)
def test_configuration_follows_from_options(given: dict[str, Any], fields: dict[str, Any]) -> None:
    config = ServiceConfig.from_options(options(**given))
    assert {name: getattr(config, name) for name in fields} == fields
    assert config.api_key not in repr(config)
