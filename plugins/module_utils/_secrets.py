# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Keeping secrets and personal data out of results, messages and the ledger."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from ansible_collections.hosting.reseller.plugins.module_utils._settings import CONTACT_SETTINGS, SECRET_SETTINGS

MASK = "********"
#: Masking strings of one or two characters wherever they stand would make any text unreadable.
SHORTEST_MASKED = 3
#: Settings and elements that the document does not name are secret if their name says so.
_SECRET_NAME = re.compile(
    r"pass(word|wd|phrase)?$|secret|token|credential|auth_?code|(api|private|access|license)_?key", re.IGNORECASE
)


def is_secret_name(name: str) -> bool:
    """Whether a setting, request element or answer key of this name holds a secret."""
    return name in SECRET_SETTINGS or bool(_SECRET_NAME.search(name))


def secret_values(value: Any) -> set[str]:
    """All values, as text, that stand under a secret name anywhere in ``value``; empty ones are no secret."""
    return {text for text in _secrets_in(value, secret=False) if text}


def _secrets_in(value: Any, *, secret: bool) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _secrets_in(item, secret=secret or is_secret_name(str(key)))
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _secrets_in(item, secret=secret)
    elif secret and value is not None and not isinstance(value, bool):
        yield str(value)


def masked(value: Any, secrets: Collection[str] = ()) -> Any:
    """A copy of ``value`` with everything under a secret name masked, and ``secrets`` masked inside all strings."""
    return _masked(value, sorted((text for text in secrets if len(text) >= SHORTEST_MASKED), key=len, reverse=True))


def _masked(value: Any, secrets: list[str]) -> Any:
    if isinstance(value, Mapping):
        return {
            masked_text(str(key), secrets): MASK
            if is_secret_name(str(key)) and item is not None and not isinstance(item, bool)
            else _masked(item, secrets)
            for key, item in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [_masked(item, secrets) for item in value]
    if isinstance(value, str):
        return masked_text(value, secrets)
    if value is not None and not isinstance(value, bool) and str(value) in secrets:
        return MASK
    return value


def masked_text(text: str, secrets: Collection[str]) -> str:
    """``text`` with each of ``secrets`` (and its form inside a JSON string) masked."""
    for secret in secrets:
        if len(secret) >= SHORTEST_MASKED:
            text = text.replace(secret, MASK).replace(json.dumps(secret)[1:-1], MASK)
    return text


def contact_digest(text: str, key: bytes) -> str:
    """A digest of contact data that tells whether they changed, and nothing else without the ledger's key."""
    return "hmac-sha256:" + hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def kept_settings(settings: Mapping[str, Any], key: bytes, secret_names: Collection[str] = ()) -> dict[str, Any]:
    """Settings as the ledger keeps them: without secrets (nor those of ``secret_names``), contacts as digests."""
    return {
        name: contact_digest(str(value), key) if name in CONTACT_SETTINGS else value
        for name, value in settings.items()
        if not is_secret_name(name) and name not in secret_names
    }


def kept_elements(elements: Mapping[str, Any], key: bytes) -> dict[str, str]:
    """Additional elements as the ledger keeps them: the document does not know what they hold, so only digests."""
    return {
        name: contact_digest(json.dumps(value, sort_keys=True, ensure_ascii=False), key)
        for name, value in elements.items()
    }


def kept_contract(body: Any, settings: Mapping[str, Any], secrets: Collection[str]) -> Any:
    """An answer as the ledger keeps it: secrets masked, and the contact data of this order left out wherever echoed."""
    personal = {
        value
        for name in CONTACT_SETTINGS
        for value in _contact_values(settings.get(name))
        # A country code or a one-letter name is no trace of a person, and would blank unrelated values.
        if len(value) > SHORTEST_MASKED
    }
    return _without_contacts(masked(body, secrets), personal)


def _contact_values(text: Any) -> Iterator[str]:
    if isinstance(text, str):
        yield text
        yield from (value for value in json.loads(text).values() if isinstance(value, str))


def _without_contacts(value: Any, personal: set[str]) -> Any:
    if isinstance(value, Mapping):
        return {
            key: "(contact data, not kept)" if key in CONTACT_SETTINGS else _without_contacts(item, personal)
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [_without_contacts(item, personal) for item in value]
    if isinstance(value, str) and any(text in value for text in personal):
        return "(contact data, not kept)"
    return value


__all__ = [
    "MASK",
    "contact_digest",
    "is_secret_name",
    "kept_contract",
    "kept_elements",
    "kept_settings",
    "masked",
    "masked_text",
    "secret_values",
]
