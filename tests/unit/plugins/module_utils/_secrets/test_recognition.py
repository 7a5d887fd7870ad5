# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import base64
import html
import json
import random
import re
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote, quote_plus

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.text import words
from ansible_collections.hosting.reseller.plugins.module_utils._product_types.domain import CONTACT
from ansible_collections.hosting.reseller.plugins.module_utils._product_types.registry import (
    PRODUCT_TYPES,
    SECRET_SETTINGS,
)
from ansible_collections.hosting.reseller.plugins.module_utils._secrets.recognition import (
    Needles,
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


SECRET = "p\"a\\s/w<o>r'd=???>>>~~~ü"
#: How services and libraries write a text into another one, beside the encodings of single characters below.
FORMS: list[Callable[[str], str]] = [
    lambda text: json.dumps(json.dumps(json.dumps(text))),
    lambda text: json.dumps(html.escape(html.escape(text))).replace("/", "\\/").replace("&", "\\u0026"),
    lambda text: html.escape(text).replace("&", "&#038;"),
    lambda text: quote_plus(quote(text, safe="")),
    lambda text: base64.urlsafe_b64encode(text.encode()).decode().rstrip("="),
    *(
        lambda text, user=user: base64.b64encode(f"{user}{text}".encode()).decode().replace("/", "\\/")
        for user in ("", "root:", "admin:", "api_key:")
    ),
]


@pytest.mark.parametrize("form", FORMS)
def test_text_is_found_in_each_form(form: Callable[[str], str]) -> None:
    needles = Needles([SECRET, *(f"other-{number}" for number in range(40))])
    for around in ("", '"', "ü", ": ", '{"a": "', "&", "\\n", "%20"):
        shown = needles.replaced(f"{around}{form(SECRET)}{around}", "\x00")
        assert "\x00" in shown
        assert form(SECRET).strip() not in shown


#: What programs make of one character, so that it is known what they make of each part of a text.
ENCODERS: list[Callable[[str], str]] = [
    lambda c: json.dumps(c)[1:-1],
    lambda c: json.dumps(c, ensure_ascii=False)[1:-1].replace("/", "\\/"),
    lambda c: c if c.isalnum() and c.isascii() else "".join(f"%{octet:02X}" for octet in c.encode()),
    lambda c: quote(c, safe="!'()*").lower() if not c.isalnum() else quote(c),
    lambda c: html.escape(c),
    lambda c: f"&#x{ord(c):X};" if c in "\"&<>'ü€🔑" else c,
]
#: No letter of an escape, and what programs escape.
LETTERS, SPECIAL = "hkvyHKVXZ", "\"\\/%&<>'=?ü€🔑 "


def secret_of(chance: random.Random, special: str) -> str:
    """A random secret, in which nothing looks like an escape, and which has no blank at its ends."""
    middle = "".join(chance.choice(chance.choice((LETTERS, special))) for _each in range(chance.randint(1, 8)))
    ends = LETTERS + special.strip()
    return chance.choice(ends) + middle + chance.choice(ends)


def overlapping(chance: random.Random, special: str) -> list[str]:
    """Random secrets, of which some are a part of others, begin as others end, or begin alike."""
    secrets = [secret_of(chance, special)]
    for _each in range(chance.randint(1, 4)):
        one, other = chance.choice(secrets), secret_of(chance, special)
        cut = chance.randint(1, len(one) - 1)
        secrets.append(chance.choice([one[: cut + 1], one[cut - 1 :], one[cut:] + other, other + one[:cut]]))
    return [each.strip() for each in secrets if len(each.strip("\\ ")) >= 3]


def places(secrets: list[str], text: str) -> set[int]:
    """Where any secret stands in a plain text: the oracle."""
    found: set[int] = set()
    for each in secrets:
        # Of backslashes and blanks, any number counts as one.
        pattern = re.sub(r"(?:\\\\)+", r"\\\\+", re.sub(r"(?:\\ )+", " +", re.escape(each)))
        for match in re.finditer(f"(?=({pattern}))", text):
            found.update(range(*match.span(1)))
    return found


@pytest.mark.parametrize("seed", range(100))
def test_union_of_all_occurrences_is_masked_in_every_encoding(seed: int) -> None:
    chance = random.Random(seed)
    # With these, a text may be the same as another one in another encoding.
    is_ambiguous = chance.random() < 0.5
    secrets = overlapping(chance, SPECIAL if is_ambiguous else re.sub(r"[%&\\]", "", SPECIAL))
    parts = [*secrets, *(each[:-1] for each in secrets), *(each[len(each) // 2 :] for each in secrets)]
    plain = "".join(chance.choice([*parts, "", "x", "(y) ", ".", "Q"]) for _each in range(12))
    written = [*plain]
    for encode in chance.choices(ENCODERS, k=chance.randint(0, 3)):
        written = ["".join(map(encode, each)) for each in written]
    text, sought = "".join(written), places(secrets, plain)
    # Which character of the plain text each one of the encoded text is of.
    letters = [at for at, each in enumerate(written) for _letter in each]
    masked = {index for span in Needles(secrets).spans(text) for index in range(*span)}
    assert not {at for index, at in enumerate(letters) if index not in masked} & sought, (secrets, plain, text)
    if not is_ambiguous:
        assert {letters[index] for index in masked} == sought, (secrets, plain, text)


HOSTILE = ["\\", "%", "%25", "%5C", "\\u005c", " ", "\n", "+", "a", "\\n", "%C3", "\\ud83d", "=", "aGVsbG8", '\\"']


@pytest.mark.parametrize("unit", HOSTILE)
def test_no_text_makes_a_match_expensive(unit: str) -> None:
    for secret in ("\\x-hunter2", "%25%25%25", "aaaaaaaaaaaab", "  hunter2", "0 x hunter2", '"C%5\\\\ x'):
        text = unit * 20_000 + secret + unit * 20_000
        assert secret not in Needles([secret]).replaced(text, "#")


@pytest.mark.parametrize(
    ("secret", "text", "shown"),
    [
        # What follows makes an escape of the end, and what is before it one of the beginning.
        ("P6'x/y%e", "P6%27x%2Fy%25eb P6'x/y%eb", "#b #b"),
        ("hunter%a", "hunter%a hunter%25a1", "# #1"),
        ("41ü", "50%2541%C3%BC", "50%25#"),
        # Whitespace, plus signs and backslashes at the ends.
        ("+hunter ", "a+hunter  b, hunter. a%2Bhunter%20", "a# b,#. a#"),
        ("\\hunter\\", 'C:\\hunter\\, "C:\\\\hunter\\\\"', 'C:#, "C:#"'),
        ("   ", "a    b  c", "a#b  c"),
        # Whitespace beyond ASCII, also where it is escaped more than once.
        ("a\u2003b\xa0cd", 'a\\\\u2003b\\\\u00a0cd a%E2%80%83b%c2%a0cd "a b  cd"', '# # "#"'),
        # Letters of other scripts, and beyond U+FFFF, in other cases of the escapes.
        ("п🔑-x", "\\u043F\\uD83D\\uDD11-x \\u043f\\ud83d\\udd11-x", "# #"),
        ("п🔑-x", "%d0%bf%f0%9f%94%91-x %D0%BF%F0%9F%94%91-x", "# #"),
        # Each escape of HTML that has a name.
        ("a<b>'\"&c", "a&lt;b&gt;&apos;&quot;&amp;c", "#"),
        # So few letters of Base64 are in other words by chance.
        ("abc", "FiYa", "FiYa"),
        ("abc", "root YWJj", "root #"),
    ],
)
def test_the_text_is_masked_whole_and_no_more(secret: str, text: str, shown: str) -> None:
    assert Needles([secret]).replaced(text, "#") == shown


@pytest.mark.parametrize(
    ("texts", "kept", "text", "shown"),
    [
        (["web"], ["web01"], "web01 is taken, web is not", "web01 is taken, # is not"),
        (["web"], ["web01", "web"], "web01 and web", "web01 and web"),
        # A secret that is more than a name is no part of it.
        (["web", "web01-hunter"], ["web01"], "web01-hunter and web01", "# and web01"),
        (["web", "1-hunter"], ["web01"], "web01-hunter and web01", "#0# and web01"),
        # Short ones would blank half of the text.
        (["a", "12", "ab", "", "  "], [], "a is in  ab, and 12 is 12", "a is in  ab, and 12 is 12"),
        # The longer one first, and none in the mask of another. A pattern is text.
        (["abc", "abcdef", "cde", "***"], [], "abcdef cde ***", "# # #"),
        (["a.c"], [], "a.c abc", "# abc"),
    ],
)
def test_names_stay(texts: list[str], kept: list[str], text: str, shown: str) -> None:
    assert Needles(texts, kept=kept).replaced(text, "#") == shown


def test_secret_that_no_other_text_holds_by_chance() -> None:
    plain = ["web", "portal", "Portal", "2026", "123456", "correct horse battery", "api_key"]
    secret = ["hunter2", "S3cret!", "aBcdEf", "pass/word"]
    assert [word for word in (*plain, *secret) if distinctive(word)] == secret
