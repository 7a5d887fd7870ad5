# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Keeps secrets and personal data out of results, messages and the ledger."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Collection, Iterator, Mapping
from typing import Any

from .._core.echoes import MASK, SHORTEST, Echoes
from .._core.text import UNSAFE, fold, legible
from .._product_types.registry import CONTACT_SETTINGS, PRODUCT_TYPES
from .._product_types.secret_names import (
    any_may_be_secret,
    holds_secret,
    is_secret_name,
    may_be_credential,
    may_be_secret_name,
)

#: Stands in the ledger for a secret that its name does not show to be one.
WITHHELD = "(secret, not kept)"
#: Elements of an object that may say what the value beside them is.
_NAMING = frozenset({"name", "key", "label", "field", "option", "setting", "property", "attribute", "title"})
_NAMED = frozenset({"value", "val", "content", "text", "data"})
#: All settings that are documented and neither secrets nor contacts: they are what an order is known by.
_PLAIN_SETTINGS = (
    frozenset(name for kind in PRODUCT_TYPES.values() for name in kind.settings if not is_secret_name(name))
    - CONTACT_SETTINGS
)
_QUOTED = re.compile(r'"([^"\\]{1,200})(?=\\*")')
#: How much of a text is searched for names at once, and how much further, so that none is cut in two.
_PIECE, _LONGEST_QUOTED = 500_000, 5_000
_USER_INFO = re.compile(r"(https?://)[^/\s?#\"'<>@:]+@|(://[^/\s?#\"'<>@:]*):[^/\s?#\"'<>]*@", re.IGNORECASE)
_PARAMETER = re.compile(r"([?&;#])([\w.\[\]-]{1,100})=([^&;#\s\"'<>]+)")
#: A control character as json.dumps writes it.
_ESCAPED_CONTROL = re.compile(r"\\(?:u00|[brf])")
#: How sure a name makes it that the value is a secret.
_NO, _PERHAPS, _YES = range(3)


def secret_values(value: Any) -> set[str]:
    """All values, as text, that stand under a secret name anywhere in ``value``; empty ones are no secret.

    Strings that hold JSON are looked into: whether a template makes one or a mapping depends on the ansible-core.
    """
    return {text for text in _secrets_in(value, _NO) if text}


def _secrets_in(value: Any, known: int) -> Iterator[str]:
    if isinstance(value, Mapping):
        named = _names_a_secret(value)
        for key, item in value.items():
            if item is not None and not isinstance(item, bool):
                yield from _secrets_in(item, _known(str(key), known, named))
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _secrets_in(item, known)
    elif value is not None and not isinstance(value, bool):
        if known == _YES or (known == _PERHAPS and may_be_credential(value)):
            yield str(value)
        if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
            yield from _secrets_in(_parsed(value), known)


def _known(name: str, above: int, named: bool) -> int:
    if is_secret_name(name) or (named and name.lower() in _NAMED):
        return _YES
    return max(above, _PERHAPS) if may_be_secret_name(name) else above


def _names_a_secret(value: Mapping[Any, Any]) -> bool:
    """Whether an object tells a secret's name beside its value, as in ``{"name": "password", "value": …}``."""
    return any(
        isinstance(item, str) and str(key).lower() in _NAMING and is_secret_name(item) for key, item in value.items()
    )


def _parsed(text: str) -> Any:
    try:
        held = json.loads(text)
    except (ValueError, RecursionError):
        return None
    return held if isinstance(held, (dict, list)) else None


def masked(
    value: Any,
    secrets: Collection[str] = (),
    *,
    whole: Collection[str] = (),
    names: Collection[str] = (),
    by_name: bool = True,
) -> Any:
    """A copy of ``value`` with ``secrets`` masked inside all strings, and by default all that has a secret's name.

    Of ``whole`` only strings are masked that are one of them. ``names`` stay as they are, also where a secret is a part
    of one. By name also what strings hold as JSON is masked, and the credentials in URLs.
    """
    return _masked(value, frozenset(secrets).union(whole), Echoes(secrets, kept=names), by_name, _NO)


def _masked(value: Any, secrets: Collection[str], echoes: Echoes, by_name: bool, known: int) -> Any:
    if isinstance(value, Mapping):
        named = by_name and _names_a_secret(value)
        shown: dict[str, Any] = {}
        for key, item in value.items():
            name = echoes.replaced(str(key), MASK)
            if item is None or isinstance(item, bool):
                shown[name] = item
                continue
            sure = _known(str(key), known, named) if by_name else _NO
            shown[name] = MASK if sure == _YES else _masked(item, secrets, echoes, by_name, sure)
        return shown
    if isinstance(value, (list, tuple)):
        return [_masked(item, secrets, echoes, by_name, known) for item in value]
    if known == _PERHAPS and may_be_credential(value):
        return MASK
    if isinstance(value, str):
        left = MASK if len(value) >= SHORTEST and value in secrets else echoes.replaced(value, MASK)
        return _without_credentials(left) if by_name else left
    if value is None or isinstance(value, bool) or len(str(value)) < SHORTEST:
        return value
    return MASK if str(value) in secrets else value


def _without_credentials(text: str) -> str:
    """A text without the secrets that its own form shows: those of JSON by their names, and those of URLs."""
    if text.lstrip()[:1] in ("{", "["):
        held = _parsed(text)
        shown = masked(held)
        text = text if shown == held else json.dumps(shown, ensure_ascii=False)
    if "@" in text:
        text = _USER_INFO.sub(lambda found: f"{found[1] or found[2] + ':'}{MASK}@", text)
    if "=" in text:
        text = _PARAMETER.sub(_parameter, text)
    return text


def _parameter(found: re.Match[str]) -> str:
    return f"{found[1]}{found[2]}={MASK}" if holds_secret(found[2], found[3]) else found[0]


def named_values(value: Any, names: Collection[str]) -> Iterator[str]:
    """All strings and numbers below one of these names, at any depth, ignoring case."""
    folded = set(map(fold, names))

    def values(item: Any, secret: bool) -> Iterator[str]:
        if isinstance(item, Mapping):
            for name, inner in item.items():
                yield from values(inner, secret or fold(name) in folded)
        elif isinstance(item, (list, tuple)):
            for inner in item:
                yield from values(inner, secret)
        elif secret and item is not None and not isinstance(item, bool) and str(item):
            yield str(item)

    yield from values(value, False)


def hide_named(value: Any, names: Collection[str]) -> Any:
    """A copy in which everything below one of these names is masked."""
    folded = set(map(fold, names))
    if not folded:
        return value

    def hidden(item: Any) -> Any:
        if isinstance(item, Mapping):
            return {
                name: MASK if fold(name) in folded and inner is not None else hidden(inner)
                for name, inner in item.items()
            }
        return [hidden(inner) for inner in item] if isinstance(item, (list, tuple)) else item

    return hidden(value)


def masked_result(
    value: dict[str, Any],
    secrets: Collection[str],
    *,
    whole: Collection[str] = (),
    names: Collection[str] = (),
    by_name: bool = True,
) -> dict[str, Any]:
    """A result as it may be shown: as masked() makes it, without characters that no terminal should get.

    ``by_name``: whether what stands under a secret's name is one; in a description of settings it is none.
    """
    # Most results hold no secret. One look at them as JSON is a tenth of the time that a look at each value takes.
    text = json.dumps(value, default=str, ensure_ascii=False)
    if whole or Echoes(secrets, kept=names).found_in(text) or (by_name and _may_hold_a_secret(text)):
        value = masked(value, secrets, whole=whole, names=names, by_name=by_name)
    return _legible(value) if UNSAFE.search(text) or _ESCAPED_CONTROL.search(text) else value


def _may_hold_a_secret(text: str) -> bool:
    # Piece by piece: all that is quoted in the results of many orders takes more memory than these.
    pieces = (_QUOTED.findall(text, at, at + _PIECE + _LONGEST_QUOTED) for at in range(0, len(text), _PIECE))
    if any_may_be_secret({name for piece in pieces for name in piece}) or ("@" in text and _USER_INFO.search(text)):
        return True
    return "=" in text and any_may_be_secret({found[2] for found in _PARAMETER.finditer(text)})


def _legible(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {legible(str(key)): _legible(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_legible(item) for item in value]
    return legible(value) if isinstance(value, str) else value


def contact_digest(text: str, key: bytes) -> str:
    """A digest of contact data that tells whether they changed, and nothing else without the ledger's key."""
    return "hmac-sha256:" + hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def kept_settings(settings: Mapping[str, Any], key: bytes, secret_names: Collection[str] = ()) -> dict[str, Any]:
    """Settings as the ledger stores them: without secrets, also inside values, and with contacts as digests.

    Of a setting that only its value or the live rules call secret (``secret_names``) it is kept that there was one:
    whoever reads the ledger later cannot tell.
    """
    secrets = secret_values(settings)
    secrets |= {str(settings[name]) for name in secret_names if settings.get(name) is not None}
    kept: dict[str, Any] = {}
    for name, value in settings.items():
        if name in CONTACT_SETTINGS:
            kept[name] = contact_digest(str(value), key)
        elif is_secret_name(name):
            continue
        elif name in secret_names or holds_secret(name, value):
            kept[name] = WITHHELD
        elif name in _PLAIN_SETTINGS and not isinstance(value, (dict, list)):
            kept[name] = value
        else:
            kept[name] = masked(value, secrets)
    return kept


def kept_elements(elements: Mapping[str, Any], key: bytes) -> dict[str, str]:
    """Additional elements as the ledger stores them: only digests, because their content is unknown."""
    return {
        name: contact_digest(json.dumps(value, sort_keys=True, ensure_ascii=False), key)
        for name, value in elements.items()
    }
