# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Masks secrets and personal data in whatever is shown or stored: results, messages, responses and the ledger.

What is masked stands under the name of a secret, or equals or contains one. Responses are masked whole, before anything
of them is shortened or cleaned: of a password that is cut off, all but the last letter would remain.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from functools import cached_property
from typing import Any, NewType

from .._core.text import JsonError, fold, is_uuid, json_in, legible, words
from .._product_types.registry import CONTACT_SETTINGS, DOCUMENTED_SETTINGS, SECRET_SETTINGS, contact_text
from .needles import NOT_SHOWN, Needles, Span, replaced
from .recognition import (
    MASK,
    SHORTEST,
    distinctive,
    holds_secret,
    is_address,
    is_date,
    is_secret_name,
    may_be_credential,
    may_be_secret_name,
    words_of,
)

#: Values of a request as a ledger stores them: without secrets, and with digests of personal data.
Kept = NewType("Kept", dict[str, Any])

CONTACT_MASK = "(contact data, not kept)"
#: Of a contact, these are shown: a country is no trace of a person, a label is the caller's own.
_NOT_PERSONAL = frozenset({"country", "label"})
_SHORTEST_CONTACT = 4
#: Elements of an object that may say what the value beside them is.
_NAMING = frozenset({"name", "key", "label", "field", "option", "setting", "property", "attribute", "title"})
_NAMED = frozenset({"value", "val", "content", "text", "data"})
_USER_INFO = re.compile(r"(https?://)[^/\s?#\"'<>@:]+@|(://[^/\s?#\"'<>@:]*):[^/\s?#\"'<>]*@", re.IGNORECASE)
#: How sure a name makes it that the value is a secret.
_NO, _PERHAPS, _YES = range(3)
#: Types of a null and of booleans, which are no secrets.
_NO_SECRET = (type(None), bool)
_PARAMETER = re.compile(r"([?&;#])([\w.\[\]-]{1,100})=([^&;#\s\"'<>]+)")
#: Stands in the ledger for a secret that its name does not show to be one.
WITHHELD = "(secret, not kept)"
#: All settings that are documented and neither secrets nor contacts: they are what an order is known by.
_PLAIN_SETTINGS = DOCUMENTED_SETTINGS - SECRET_SETTINGS - CONTACT_SETTINGS
#: Fields of a contact that no id of a contract contains.
_NEVER_AN_ID = frozenset({"email", "telephone", "fax", "street"})
_STATES = words("status state stage phase")
_IDS = words("id ids uuid uuids guid iri identifier contract l2vpn vlan order")
_BIRTHS = words("birth birthday birthdate born dob geburt geburtstag geburtsdatum")
_STATE = re.compile(r"[A-Za-z]+(?:[ _-][A-Za-z]+){0,4}")
_PLAIN_NAME = re.compile(r"[\w@:.-]{1,64}", re.ASCII)
#: Names or strings that a masker remembers.
_MOST_REMEMBERED = 1_000
#: More is no contract's record.
_MOST_KEPT = 200


class Masker:
    """Masks the secrets of one task or order.

    ``secrets`` are masked inside all strings, in the forms of ``needles``; ``whole`` are only masked as whole strings.
    ``kept`` are names that stay as they are, also where a secret is a part of one. ``settings``: the contacts in these
    settings of an order are masked in texts and responses. ``secret_names`` are names of secrets beside those that are
    known for it; ``by_name``: whether what stands under such names is masked, what strings hold as JSON, and
    credentials in URLs.
    """

    def __init__(
        self,
        secrets: Collection[str] = (),
        *,
        whole: Collection[str] = (),
        kept: Collection[str] = (),
        settings: Mapping[str, Any] | None = None,
        secret_names: Collection[str] = (),
        by_name: bool = True,
    ) -> None:
        self.secrets = frozenset(secrets)
        self.contacts = tuple(
            field for name in sorted(CONTACT_SETTINGS) for field in _contact_fields((settings or {}).get(name))
        )
        self._exact = frozenset(text for text in self.secrets.union(whole) if len(text) >= SHORTEST)
        self._secret_names = frozenset(map(fold, secret_names))
        self._by_name = by_name
        kept = [name for name in kept if name not in self._exact]
        personal = [
            text for name, text in self.contacts if name not in _NOT_PERSONAL and len(text) >= _SHORTEST_CONTACT
        ]
        self._secret = Needles(self.secrets, kept=kept)
        self._personal = Needles(personal, CONTACT_MASK, words=True, kept=kept)
        # The results of many orders repeat their names and strings. Several threads may share a masker.
        self._remembered: dict[Any, tuple[dict[Any, dict[str, tuple[str, int | None]]], dict[Any, Any]]] = {}

    @cached_property
    def never_in_ids(self) -> tuple[Needles, Needles]:
        """The secrets and contact data that no id of a contract contains by chance."""
        personal = (text for name, text in self.contacts if name in _NEVER_AN_ID)
        return Needles(filter(distinctive, self.secrets)), Needles(personal, words=True)

    def found_in(self, text: str) -> bool:
        """Return whether a text is or contains a secret, or contains contact data."""
        return text in self._exact or bool(self._masks(text))

    def text(self, text: str) -> str:
        """A message or other text as it may be shown."""
        return self._without_credentials(replaced(text, self._masks(text)))

    def value(self, value: Any) -> Any:
        """A copy of a JSON value with its secrets masked. Contact data stay."""
        return self._copy(value, _NO, self._scalar)

    def result(self, result: dict[str, Any]) -> dict[str, Any]:
        """The result of a task as it may be shown, without characters that no terminal should get.

        Its parts are taken out of it: that of many orders would take its memory twice.
        """
        shown: dict[str, Any] = self._copy(result, _NO, self._legible, taken=result)
        return shown

    def body(self, content: bytes, read: Callable[[], Any]) -> bytes:
        """The body of a response without secrets and contact data. Names decide nothing: errors stand under them.

        ``read`` returns the body's JSON value, or raises JsonError.
        """
        encoding = json.detect_encoding(content)
        # What is not readable in it stays so.
        errors = "surrogateescape" if encoding.startswith("utf-8") else "replace"
        text = content.decode(encoding, errors)
        masks = self._masks(text)
        if not masks and not self._by_name:
            return content
        if any(mask == NOT_SHOWN for _start, _end, mask in masks):
            return NOT_SHOWN.encode()
        try:
            value = read()
        except JsonError:
            # A page, or a body that was cut off.
            shown = self._without_credentials(replaced(text, masks))
            return content if shown == text else shown.encode(encoding, errors)
        return json.dumps(self._copy(value, None, self._without_any)).encode() if masks else content

    def _masks(self, text: str) -> list[Span]:
        """Return the spans of secrets and contact data in a text."""
        return [*self._secret.spans(text), *self._personal.spans(text)]

    def _copy(
        self,
        value: Any,
        certainty: int | None,
        change: Callable[[Any, int | None], Any],
        taken: dict[str, Any] | None = None,
    ) -> Any:
        """A copy of a JSON value with each name, text and number changed. The members of what is ``taken`` are removed.

        ``certainty`` is how sure the names above it make it that it is a secret; with ``None``, names decide nothing.
        """
        names, strings = self._remembered.setdefault(change, ({}, {}))

        def copied(value: Any, certainty: int | None) -> Any:
            if isinstance(value, str):
                text = value, certainty
                if (changed := strings.get(text)) is None:
                    _bound(strings)
                    changed = strings[text] = change(value, certainty)
                return changed
            if isinstance(value, _NO_SECRET):
                return value
            if isinstance(value, (list, tuple)):
                return [copied(item, certainty) for item in value]
            if not isinstance(value, (dict, Mapping)):
                return change(value, certainty)
            names_one, shown = self._by_name and _names_a_secret(value), dict[str, Any]()
            names_here = names.setdefault((certainty, names_one), {})
            for name, item in value.items():
                if (known := names_here.get(str(name))) is None:
                    _bound(names_here)
                    below = self._below(str(name), certainty, names_one)
                    known = names_here[str(name)] = change(str(name), None), below
                changed, below = known
                shown[changed] = MASK if below == _YES and not isinstance(item, _NO_SECRET) else copied(item, below)
                if taken is value:
                    taken[name] = None
            return shown

        return copied(value, certainty)

    def _below(self, name: str, certainty: int | None, names_one: bool) -> int | None:
        """How sure what stands under a name is a secret."""
        if certainty is None or not self._by_name:
            return certainty
        return _certainty(name, certainty, names_one, self._secret_names)

    def _scalar(self, value: Any, certainty: int | None) -> Any:
        if (certainty == _PERHAPS and may_be_credential(value)) or str(value) in self._exact:
            return MASK
        return self._without_credentials(self._secret.replaced(value)) if isinstance(value, str) else value

    def _legible(self, value: Any, certainty: int | None) -> Any:
        shown = self._scalar(value, certainty)
        return legible(shown) if isinstance(shown, str) else shown

    def _without_any(self, value: Any, _certainty: int | None) -> Any:
        text = str(value)
        if isinstance(value, str) and text not in self._exact:
            return replaced(text, self._masks(text))
        return MASK if text in self._exact else CONTACT_MASK if self._personal.spans(text) else value

    def _without_credentials(self, text: str) -> str:
        """A text without the secrets that its own form shows: those of JSON by their names, and those of URLs."""
        if not self._by_name:
            return text
        value = json_in(text)
        shown = None if value is None else self.value(value)
        text = text if shown == value else json.dumps(shown, ensure_ascii=False)
        if "@" in text:
            text = _USER_INFO.sub(lambda match: f"{match[1] or match[2] + ':'}{MASK}@", text)
        if "=" in text:
            text = _PARAMETER.sub(
                lambda match: f"{match[1]}{match[2]}={MASK}" if holds_secret(match[2], match[3]) else match[0], text
            )
        return text


def _bound(remembered: dict[Any, Any]) -> None:
    if len(remembered) > _MOST_REMEMBERED:
        remembered.clear()


def secret_values(value: Any, secret_names: Collection[str] = ()) -> set[str]:
    """All values, as text, that stand under a secret name anywhere in ``value``; empty ones are no secret.

    ``secret_names`` are names of secrets beside those that are known for it. Strings that hold JSON are looked into,
    since a mapping may be given as one.
    """
    return {*_secrets_in(value, _NO, frozenset(map(fold, secret_names)))} - {""}


def _secrets_in(value: Any, certainty: int, secret_names: frozenset[str]) -> Iterator[str]:
    if isinstance(value, Mapping):
        names_one = _names_a_secret(value)
        for key, item in value.items():
            yield from _secrets_in(item, _certainty(str(key), certainty, names_one, secret_names), secret_names)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _secrets_in(item, certainty, secret_names)
    elif not isinstance(value, _NO_SECRET):
        if certainty == _YES or (certainty == _PERHAPS and may_be_credential(value)):
            yield str(value)
        if (held := json_in(value)) is not None:
            yield from _secrets_in(held, certainty, secret_names)


def _certainty(name: str, above: int, names_one: bool, secret_names: frozenset[str]) -> int:
    """How sure a name makes it that the value at it is a secret, where those above it make it so sure."""
    if is_secret_name(name) or (names_one and name.lower() in _NAMED) or (secret_names and fold(name) in secret_names):
        return _YES
    return max(above, _PERHAPS) if may_be_secret_name(name) else above


def _names_a_secret(value: Mapping[Any, Any]) -> bool:
    """Return whether an object tells a secret's name beside its value, as in ``{"name": "password", "value": …}``."""
    if _NAMING.isdisjoint(value):
        return False
    return any(is_secret_name(value[key]) for key in value if key in _NAMING and isinstance(value[key], str))


def _contact_fields(contact: Any) -> Iterator[tuple[str, str]]:
    """The fields of a contact, also one that is serialized: pairs of name and text. The whole has no name."""
    if isinstance(contact, str) and contact:
        yield "", contact
        contact = json_in(contact)
    for name, value in contact.items() if isinstance(contact, Mapping) else ():
        if isinstance(value, str) and value:
            yield name, value
            if name in ("telephone", "fax"):
                yield name, value.partition(".")[2]


# What the ledger keeps


def contact_digest(text: str, key: bytes) -> str:
    """A digest of contact data that tells whether they changed, and nothing else without the ledger's key."""
    return "hmac-sha256:" + hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def kept_settings(settings: Mapping[str, Any], key: bytes, secret_names: Collection[str] = ()) -> Kept:
    """Settings as the ledger stores them: without secrets, also inside values, and with contacts as digests.

    Of a setting that only its value or the rules of the catalogue call secret (``secret_names``) it is kept that there
    was one: whoever reads the ledger later cannot tell.
    """
    kept: dict[str, Any] = {}
    for name, value in settings.items():
        if name in CONTACT_SETTINGS:
            kept[name] = contact_digest(contact_text(value) if isinstance(value, Mapping) else str(value), key)
        elif is_secret_name(name):
            continue
        elif name in secret_names or holds_secret(name, value):
            kept[name] = WITHHELD
        elif name in _PLAIN_SETTINGS and not isinstance(value, (dict, list)):
            kept[name] = value
        else:
            kept[name] = Masker(secret_values(settings, secret_names)).value(value)
    return Kept(kept)


def kept_elements(elements: Mapping[str, Any], key: bytes) -> Kept:
    """Additional elements as the ledger stores them: only digests, because their content is unknown.

    Secrets are left out. A list of words finds a short secret in its digest, whose key lies beside it.
    """
    return Kept(
        {
            name: contact_digest(json.dumps(value, sort_keys=True, ensure_ascii=False), key)
            for name, value in elements.items()
            if not is_secret_name(name) and not secret_values({name: value})
        }
    )


def kept_id(contract_id: str | None, masker: Masker) -> str | None:
    """An id from a response, or ``None`` for one that is or contains a secret or contact data.

    A secret that is a plain word is part of many ids by chance; such an id stays.
    """
    if contract_id is None or contract_id in masker.secrets:
        return None
    return None if any(needles.spans(contract_id) for needles in masker.never_in_ids) else contract_id


def kept_answer(body: Any, contract_id: str | None, masker: Masker) -> Any:
    """The parts of a response that cannot be credentials, or ``None``: states, ids, IP addresses and dates."""
    left = [_MOST_KEPT]

    def kept(value: Any, named: frozenset[str]) -> Any:
        if isinstance(value, Mapping):
            items = {
                name: inner
                for name, item in value.items()
                if _PLAIN_NAME.fullmatch(name)
                and not is_secret_name(name)
                and not masker.found_in(name)
                and (inner := kept(item, frozenset(words_of(name)) | (named & _BIRTHS))) is not None
            }
            return items or None
        if isinstance(value, list):
            return [inner for item in value if (inner := kept(item, named)) is not None] or None
        if isinstance(value, bool) or not isinstance(value, (str, int)):
            return None
        text = str(value)
        is_harmless = (
            is_address(text)
            or (is_date(text) and not named & _BIRTHS)
            or (named & _IDS and (is_uuid(text) or text == contract_id))
            or (named & _STATES and len(text) <= 40 and _STATE.fullmatch(text))
        )
        if not left[0] or not is_harmless or (text != contract_id and masker.found_in(text)):
            return None
        left[0] -= 1
        return value

    return kept(body, frozenset())
