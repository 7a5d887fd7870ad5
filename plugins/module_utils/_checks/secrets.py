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

from .._core.text import fold
from .._product_types.registry import CONTACT_SETTINGS, is_secret_name

MASK = "********"
#: Masking strings of one or two characters wherever they stand would make any text unreadable.
SHORTEST_MASKED = 3
#: One of these is in every name that matches, and in those of SECRET_SETTINGS.
_PARTS_OF_NAMES = ("pass", "pwd", "secret", "token", "credential", "auth", "epp", "key")
#: From so many texts on, each is looked for by its first letters.
_MOST_ALTERNATIVES = 24
_NOT_KEPT = "(contact data, not kept)"
#: Stands in the ledger for a secret that its name does not show to be one.
WITHHELD = "(secret, not kept)"


def secret_values(value: Any) -> set[str]:
    """All values, as text, that stand under a secret name anywhere in ``value``; empty ones are no secret.

    Strings that hold JSON are looked into: whether a template makes one or a mapping depends on the ansible-core.
    """
    return {text for text in _secrets_in(value, secret=False) if text}


def _secrets_in(value: Any, *, secret: bool) -> Iterator[str]:
    if isinstance(value, Mapping):
        for key, item in value.items():
            yield from _secrets_in(item, secret=secret or is_secret_name(str(key)))
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _secrets_in(item, secret=secret)
    elif value is not None and not isinstance(value, bool):
        if secret:
            yield str(value)
        if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
            yield from _secrets_in(_parsed(value), secret=secret)


def _parsed(text: str) -> Any:
    try:
        held = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return held if isinstance(held, (dict, list)) else None


def masked(value: Any, secrets: Collection[str] = (), *, by_name: bool = True) -> Any:
    """A copy of ``value`` with ``secrets`` masked inside all strings, and by default all that has a secret's name."""
    return _masked(value, frozenset(secrets), _pattern(secrets), by_name)


def _masked(value: Any, secrets: Collection[str], pattern: re.Pattern[str] | _Finder | None, by_name: bool) -> Any:
    if isinstance(value, Mapping):
        return {
            _replaced(str(key), pattern): MASK
            if by_name and is_secret_name(str(key)) and item is not None and not isinstance(item, bool)
            else _masked(item, secrets, pattern, by_name)
            for key, item in value.items()
        }
    if isinstance(value, (list, tuple)):
        return [_masked(item, secrets, pattern, by_name) for item in value]
    if isinstance(value, str):
        return _replaced(value, pattern)
    if value is None or isinstance(value, bool) or len(str(value)) < SHORTEST_MASKED:
        return value
    return MASK if str(value) in secrets else value


def masked_text(text: str, secrets: Collection[str]) -> str:
    """``text`` with each of ``secrets`` (and its forms inside a JSON string) masked."""
    return _replaced(text, _pattern(secrets))


def masked_result(value: dict[str, Any], secrets: Collection[str], *, by_name: bool = True) -> dict[str, Any]:
    """A result as it may be shown: as masked() makes it, or itself where there is nothing to mask.

    Most results hold no secret. One look at them as JSON is a tenth of the time that a look at each value takes.
    ``by_name``: whether what stands under a secret's name is one; in a description of settings it is none.
    """
    text = json.dumps(value, default=str)
    finder = _pattern({json.dumps(form)[1:-1] for secret in secrets for form in _forms(secret)})
    if (finder is None or finder.sub("", text) == text) and not (by_name and _may_name_a_secret(text)):
        return value
    shown: dict[str, Any] = masked(value, secrets, by_name=by_name)
    return shown


def _may_name_a_secret(text: str) -> bool:
    lowered = text.lower()
    return any(part in lowered for part in _PARTS_OF_NAMES)


def _pattern(secrets: Collection[str]) -> re.Pattern[str] | _Finder | None:
    """Finds all secrets at once, so that none is found in the mask of another; the longest first."""
    forms = {form for text in secrets if len(text) >= SHORTEST_MASKED for form in _forms(text)}
    if len(forms) > _MOST_ALTERNATIVES:
        return _Finder(forms)
    return re.compile("|".join(map(re.escape, sorted(forms, key=len, reverse=True)))) if forms else None


class _Finder:
    """Replaces any of very many texts. A regular expression tries them one after the other, at every place."""

    def __init__(self, forms: Collection[str]) -> None:
        self._by_head: dict[str, list[str]] = {}
        for form in sorted(forms, key=len, reverse=True):
            self._by_head.setdefault(form[:SHORTEST_MASKED], []).append(form)

    def sub(self, mask: str, text: str) -> str:
        heads, size = self._by_head, SHORTEST_MASKED
        parts, end = [], 0
        for at in [at for at in range(len(text) - size + 1) if text[at : at + size] in heads]:
            if at >= end:
                found = next((form for form in heads[text[at : at + size]] if text.startswith(form, at)), None)
                if found is not None:
                    parts += [text[end:at], mask]
                    end = at + len(found)
        return "".join([*parts, text[end:]]) if parts else text


def _forms(text: str) -> tuple[str, str, str]:
    return text, json.dumps(text)[1:-1], json.dumps(text, ensure_ascii=False)[1:-1]


def _replaced(text: str, pattern: re.Pattern[str] | _Finder | None) -> str:
    return pattern.sub(MASK, text) if pattern else text


def contact_digest(text: str, key: bytes) -> str:
    """A digest of contact data that tells whether they changed, and nothing else without the ledger's key."""
    return "hmac-sha256:" + hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def kept_settings(settings: Mapping[str, Any], key: bytes, secret_names: Collection[str] = ()) -> dict[str, Any]:
    """Settings as the ledger keeps them: without secrets, also inside of values, and with contacts as digests.

    Of a setting that only the live rules call secret (``secret_names``) it is kept that there was one: whoever reads
    the ledger later cannot tell.
    """
    kept: dict[str, Any] = {}
    for name, value in settings.items():
        if name in CONTACT_SETTINGS:
            kept[name] = contact_digest(str(value), key)
        elif not is_secret_name(name):
            kept[name] = WITHHELD if name in secret_names else masked(value, secret_values(value))
    return kept


def kept_elements(elements: Mapping[str, Any], key: bytes) -> dict[str, str]:
    """Additional elements as the ledger keeps them: the document does not know what they hold, so only digests."""
    return {
        name: contact_digest(json.dumps(value, sort_keys=True, ensure_ascii=False), key)
        for name, value in elements.items()
    }


def kept_contract(body: Any, settings: Mapping[str, Any], secrets: Collection[str]) -> Any:
    """An answer as the ledger keeps it: secrets masked, and the contact data of this order left out wherever echoed."""
    fields = [field for name in CONTACT_SETTINGS for field in _contact_fields(settings.get(name))]
    # A country code or a name of two letters is no trace of a person, and would blank unrelated values.
    texts = {form.casefold() for _name, text in fields if len(text) > SHORTEST_MASKED for form in _forms(text)}
    return _without_contacts(masked(body, secrets), texts, {(fold(name), text.casefold()) for name, text in fields})


def _contact_fields(text: Any) -> Iterator[tuple[str, str]]:
    if isinstance(text, str) and text:
        yield "", text
        held = _parsed(text)
        if isinstance(held, dict):
            yield from ((name, value) for name, value in held.items() if isinstance(value, str) and value)


def _without_contacts(value: Any, texts: Collection[str], fields: Collection[tuple[str, str]], name: str = "") -> Any:
    if isinstance(value, Mapping):
        return {
            key: _NOT_KEPT if key in CONTACT_SETTINGS else _without_contacts(item, texts, fields, fold(key))
            for key, item in value.items()
        }
    if isinstance(value, list):
        return [_without_contacts(item, texts, fields, name) for item in value]
    if value is None or isinstance(value, bool):
        return value
    held = str(value).casefold()
    personal = (name, held) in fields or any(text in held for text in texts)
    return _NOT_KEPT if personal else value


__all__ = [
    "MASK",
    "WITHHELD",
    "contact_digest",
    "kept_contract",
    "kept_elements",
    "kept_settings",
    "masked",
    "masked_result",
    "masked_text",
    "secret_values",
]
