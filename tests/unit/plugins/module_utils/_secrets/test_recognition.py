# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.text import words
from ansible_collections.hosting.reseller.plugins.module_utils._product_types.domain import CONTACT
from ansible_collections.hosting.reseller.plugins.module_utils._product_types.registry import (
    PRODUCT_TYPES,
    SECRET_SETTINGS,
)
from ansible_collections.hosting.reseller.plugins.module_utils._secrets.recognition import (
    distinctive,
    holds_secret,
    is_secret_name,
    may_be_secret_name,
)
from ansible_collections.hosting.reseller.plugins.plugin_utils._documented_options import argument_spec
from tests.support.returned import MODULES, documented

#: What a service may call a secret, in any case style, in English and German.
SECRET_NAMES = words(
    """
    password Password PASSWORD rootPassword ROOT_PASSWORD root-password user.password settings[password]
    password_confirmation adminpasswd pw rootPW rootpw pwd pass ftpPass passphrase passPhrase passcode passkey
    accessPIN accessPin access_pin PINs puk tan totp_seed token refresh-token JWT secret secrets rootCredentials
    creds authCode AUTHCODE auth-info epp apiKEY APIKey APIKeys X-API-Key privateKey accessKeyValue license_key
    licenceKey encryptionKey signing_key presharedKey psk pre_shared_key activation_code recoveryCodes
    securityCode verification_code sessionId cookie cvv authorization benutzerpasswort KennWort kennwort geheim
    Geheimnis zugangscode zugangsdaten Zugangsschlüssel zugangsschluessel privaterSchlüssel Api-Schlüssel
    """
)

#: Names that hold parts of such words, and stand for something else.
NONE = words(
    """
    author passenger passive compass bypass passed pinned spin shopping typing tokenizer secretary
    accreditation keyboard monkey privately tango pukka cookiecutter epperson stepped reply username postal_code
    error_code code public_ip privateIp private_network public_key PUBLIC_KEY ssh_public_key keyId wort motive
    """
)

#: Their values decide.
DOUBTFUL = words(
    """
    key Key KEY keys sshKey ssh_key privateData private auth Auth AUTH signature schlüssel
    """
)


def test_names_that_must_be_masked_and_no_others() -> None:
    assert [name for name in SECRET_NAMES if not is_secret_name(name)] == []
    assert [name for name in NONE if is_secret_name(name) or holds_secret(name, "192.0.2.7")] == []


@pytest.mark.parametrize("value", ["hunter2", ["192.0.2.7", "hunter2"], {"value": "x"}, 483920])
def test_value_that_may_be_a_credential_is_secret_under_a_doubtful_name(value: Any) -> None:
    assert [name for name in DOUBTFUL if is_secret_name(name) or not holds_secret(name, value)] == []


@pytest.mark.parametrize(
    "value",
    [
        *(None, True, "", 3, {}, "2001:db8::1", "2026-11-21T10:00:00Z", "configurable_vps"),
        *("0197f7ac-5b1e-7c2f-b5d7-0f3a4e4f7f3c", "-----BEGIN PUBLIC KEY-----\nMIIB"),
        *("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMq", ["192.0.2.7", "192.0.2.8"]),
    ],
)
def test_value_that_is_none_is_secret_under_a_secret_name_alone(value: Any) -> None:
    assert [name for name in DOUBTFUL if holds_secret(name, value)] == []
    assert holds_secret("root_password", value) is (value is not None and value is not True)


def test_documented_names_are_no_secrets_but_for_two() -> None:
    settings = {name for kind in PRODUCT_TYPES.values() for name in kind.settings}
    assert {name for name in settings if is_secret_name(name)} == SECRET_SETTINGS == {"password", "authcode"}
    assert not [name for name in (*settings, *CONTACT["properties"]) if may_be_secret_name(name)]


def names_in(described: Mapping[str, Any]) -> set[str]:
    """All names of a RETURN or an argument spec."""
    inner = [each for entry in described.values() for each in (entry.get("contains"), entry.get("options")) if each]
    return {*described}.union(*map(names_in, inner))


def test_no_option_or_return_key_is_masked_by_mistake() -> None:
    names = set[str]()
    for module in (path.stem for path in MODULES.glob("*.py")):
        names |= names_in(argument_spec(module)) | names_in(documented(module))
    assert len(names) > 80
    assert {name for name in names if is_secret_name(name) or may_be_secret_name(name)} <= {
        "api_key",
        "secrets",
        "update_secrets",  # booleans, which no name masks
    }


def test_secret_that_no_other_text_holds_by_chance() -> None:
    plain = ["web", "portal", "Portal", "2026", "123456", "correct horse battery", "api_key"]
    secret = ["hunter2", "S3cret!", "aBcdEf", "pass/word"]
    assert [word for word in (*plain, *secret) if distinctive(word)] == secret
