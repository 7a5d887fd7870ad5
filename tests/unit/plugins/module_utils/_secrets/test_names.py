# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.hosting.reseller.plugins.module_utils._product_types.domain import CONTACT
from ansible_collections.hosting.reseller.plugins.module_utils._product_types.registry import (
    PRODUCT_TYPES,
    SECRET_SETTINGS,
)
from ansible_collections.hosting.reseller.plugins.module_utils._secrets.names import (
    holds_secret,
    is_secret_name,
    may_be_credential,
    may_be_secret_name,
)

MODULES = Path(__file__).resolve().parents[5] / "plugins" / "modules"


def words(text: str) -> list[str]:
    return text.split()


#: What a service may call a secret, in any case style, in English and German.
SECRET = words(
    """
    password Password PASSWORD rootPassword root_password ROOT_PASSWORD root-password RootPassword
    initialPassword password_confirmation plain_password passwordHash rootpassword adminpasswd user.password
    settings[password] pw PW rootPw root_pw rootPW rootpw pwd PWD userPwd pass Pass ftp_pass ftpPass sql-pass
    passphrase passPhrase pass_phrase passcode passkey passwd pin PIN accessPIN accessPin access_pin PINs puk
    tan otp OTP otpSecret totp_seed token TOKEN accessToken access_token apiToken refresh-token tokens JWT
    bearerToken secret clientSecret client_secret secrets secretKey credential credentials rootCredentials
    creds auth_code authCode AuthCode authcode authcodes auth_codes auth-info authInfo AUTHCODE epp eppCode
    EPPCode epp_code api_key apiKey apiKEY APIKey APIKEY APIKeys api-keys X-API-Key apikey private_key
    privateKey PrivateKEY access_key accessKeyValue license_key licenceKey encryptionKey signing_key
    presharedKey psk pre_shared_key activation_code recoveryCodes recovery_codes securityCode
    verification_code session_id sessionId cookie cvv authorization Authorization passwort Passwort
    rootPasswort benutzerpasswort Benutzer-Passwort kennwort Kennwort ftpKennwort KennWort geheim Geheimnis
    zugangscode zugangsdaten Zugangsschlüssel zugangsschluessel
    privaterSchlüssel Api-Schlüssel
    """
)

#: Names that hold parts of such words, and stand for something else.
NONE = words(
    """
    author authors authority authoritative passenger passengers passive passport compass bypass surpass passed
    passing pinned pinning spin spinning opinion pingTime shopping happiness mapping typing tokenizer
    tokenized secretary secretariat accreditation keyboard keyword keywords monkey turkey keynote privately
    privacy sparkle standard tango tangent pukka cookiecutter epperson stepped reply hostname username
    user_name domain action template template_name nameservers id uuid name label status state postal_code
    country_code status_code error_code code zip_code postcode city street telephone email fax created_at
    expires_at ipv4_addresses ip_address gateway public_ip private_ip privateIp private_network public_key
    publicKey PUBLIC_KEY ssh_public_key keyId count total wort motive
    """
)

#: Their values decide.
DOUBTFUL = words(
    """
    key Key KEY keys sshKey ssh_key privateData private auth Auth AUTH signature schlüssel
    """
)


def test_names_that_must_be_masked() -> None:
    assert [name for name in SECRET if not is_secret_name(name)] == []


def test_names_that_must_not_be_masked() -> None:
    assert [name for name in NONE if is_secret_name(name)] == []
    # Most of them whatever the value; the others where the value is what such a name announces.
    assert [name for name in NONE if holds_secret(name, "192.0.2.7")] == []


@pytest.mark.parametrize(
    ("value", "secret"),
    [
        ("hunter2", True),
        ("-----BEGIN OPENSSH PRIVATE KEY-----\nb3Bl", True),
        (["192.0.2.7", "hunter2"], True),
        ({"value": "x"}, True),
        (483920, True),
        (None, False),
        (True, False),
        ("", False),
        (3, False),
        ("2001:db8::1", False),
        ("2026-11-21T10:00:00Z", False),
        ("0197f7ac-5b1e-7c2f-b5d7-0f3a4e4f7f3c", False),
        ("configurable_vps", False),
        ("ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMq", False),
        ("-----BEGIN PUBLIC KEY-----\nMIIB", False),
        (["192.0.2.7", "192.0.2.8"], False),
        ({}, False),
    ],
)
def test_value_decides_under_a_doubtful_name(value: Any, secret: bool) -> None:
    assert [name for name in DOUBTFUL if is_secret_name(name) or not may_be_secret_name(name)] == []
    assert [name for name in DOUBTFUL if holds_secret(name, value) is not secret] == []
    assert may_be_credential(value) is secret


def test_certain_name_makes_a_secret_of_any_value_but_null_and_booleans() -> None:
    values = ["0197f7ac-5b1e-7c2f-b5d7-0f3a4e4f7f3c", "2026-11-21", "192.0.2.7", 7, "hostname", None, True]
    assert [holds_secret("root_password", value) for value in values] == [*[True] * 5, False, False]


def test_documented_names_are_no_secrets_but_for_two() -> None:
    settings = {name for kind in PRODUCT_TYPES.values() for name in kind.settings}
    assert {name for name in settings if is_secret_name(name)} == SECRET_SETTINGS == {"password", "authcode"}
    assert not [name for name in (*settings, *CONTACT["properties"]) if may_be_secret_name(name)]


def names_in(documentation: Any) -> set[str]:
    found = set()
    for name, entry in (documentation or {}).items():
        found.add(name)
        found |= names_in(entry.get("contains")) | names_in(entry.get("suboptions"))
    return found


def test_no_option_or_return_key_is_masked_by_mistake() -> None:
    names = set()
    for path in MODULES.glob("*.py"):
        text = path.read_text(encoding="utf-8")
        for part in text.split('r"""')[1::2]:
            block = part.partition('"""')[0]
            if block.startswith("\n- ") or block.lstrip().startswith("#"):
                continue
            told = yaml.safe_load(block)
            names |= names_in(told.get("options") if "module" in told else told)
    assert len(names) > 80
    assert {name for name in names if is_secret_name(name) or may_be_secret_name(name)} <= {
        "secrets",
        "update_secrets",  # a boolean, which no name masks
    }
