# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Masks secrets and personal data in whatever is shown or stored: results, messages, responses and the ledger.

What is masked stands under the name of a secret, or equals or contains one. Responses are masked whole, before anything
of them is shortened or cleaned: of a password that is cut off, all but the last letter would remain.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from .._core import strict_json
from .._core.text import UNSAFE, fold, legible
from .._product_types.registry import CONTACT_SETTINGS
from .echoes import MASK, SHORTEST, Echoes
from .names import holds_secret, is_secret_name, may_be_credential, may_be_secret_name

CONTACT_MASK = "(contact data, not kept)"
#: Of a contact, these are shown: a country is no trace of a person, a label is the caller's own.
_NOT_PERSONAL = frozenset({"country", "label"})
_SHORTEST_CONTACT = 4
#: Elements of an object that may say what the value beside them is.
_NAMING = frozenset({"name", "key", "label", "field", "option", "setting", "property", "attribute", "title"})
_NAMED = frozenset({"value", "val", "content", "text", "data"})
_USER_INFO = re.compile(r"(https?://)[^/\s?#\"'<>@:]+@|(://[^/\s?#\"'<>@:]*):[^/\s?#\"'<>]*@", re.IGNORECASE)
_PARAMETER = re.compile(r"([?&;#])([\w.\[\]-]{1,100})=([^&;#\s\"'<>]+)")
#: A control character as json.dumps writes it.
_ESCAPED_CONTROL = re.compile(r"\\(?:u00|[brf])")
#: How sure a name makes it that the value is a secret.
_NO, _PERHAPS, _YES = range(3)

Steps: TypeAlias = Sequence["str | int"]


class Masker:
    """Masks the secrets of one task or order.

    ``secrets`` are masked inside all strings, in the forms of ``echoes``; ``whole`` are only masked as whole strings.
    ``names`` stay as they are, also where a secret is a part of one. ``settings``: the contacts in these settings of an
    order are masked in texts and responses. ``named`` are names of secrets beside those that are known for it;
    ``by_name``: whether what stands under such names is masked, what strings hold as JSON, and credentials in URLs.
    """

    def __init__(
        self,
        secrets: Collection[str] = (),
        *,
        whole: Collection[str] = (),
        names: Collection[str] = (),
        settings: Mapping[str, Any] | None = None,
        named: Collection[str] = (),
        by_name: bool = True,
    ) -> None:
        self.secrets = frozenset(secrets)
        self.contacts = tuple(
            field for name in sorted(CONTACT_SETTINGS) for field in _contact_fields((settings or {}).get(name))
        )
        self._exact = frozenset(text for text in self.secrets.union(whole) if len(text) >= SHORTEST)
        self._named = frozenset(map(fold, named))
        self._by_name = by_name
        kept = [name for name in names if name not in self._exact]
        self._echoes = Echoes(self.secrets, kept=kept)
        personal = [
            text for name, text in self.contacts if name not in _NOT_PERSONAL and len(text) >= _SHORTEST_CONTACT
        ]
        self._contacts = Echoes(personal, words=True, kept=kept)
        # The results of many orders repeat their names and strings: each is looked at once.
        self._names: dict[tuple[str, int, bool], tuple[str, int]] = {}
        self._strings: dict[tuple[str, int], str] = {}

    def found_in(self, text: str) -> bool:
        """Whether a text contains a secret or contact data."""
        return self._echoes.found_in(text) or self._contacts.found_in(text)

    def text(self, text: str) -> str:
        """A message or other text as it may be shown."""
        shown = self._echoes.replaced(text, MASK)
        return self._contacts.replaced(self._without_credentials(shown), CONTACT_MASK)

    def value(self, value: Any) -> Any:
        """A copy of a JSON value with its secrets masked. Contact data stay."""
        return self._masked(value, _NO)

    def result(self, result: dict[str, Any]) -> dict[str, Any]:
        """The result of a task as it may be shown, without characters that no terminal should get."""
        result = self.value(result)
        text = json.dumps(result, default=str, ensure_ascii=False)
        if UNSAFE.search(text) or _ESCAPED_CONTROL.search(text):
            result = _with_each(result, lambda each: legible(each) if isinstance(each, str) else each)
        return result

    def body(self, content: bytes) -> bytes:
        """The body of a response without secrets and contact data. Names decide nothing: errors stand under them."""
        encoding = json.detect_encoding(content)
        # What is not readable in it stays so.
        errors = "surrogateescape" if encoding.startswith("utf-8") else "replace"
        text = content.decode(encoding, errors)
        try:
            value = strict_json.read(content)
        except strict_json.JsonError:
            # A page, or a body that was cut off.
            shown = self.text(text)
            return content if shown == text else shown.encode(encoding, errors)
        if not self.found_in(text):
            return content
        return json.dumps(_with_each(value, self._without_any)).encode()

    def _without_any(self, value: Any) -> Any:
        # A message may itself be JSON, as zod writes it, and is to stay so.
        inner = _parsed(value) if isinstance(value, str) and value.lstrip()[:1] in ("{", "[") else None
        if inner is not None and value not in self._exact:
            shown = _with_each(inner, self._without_any)
            value = value if shown == inner else json.dumps(shown, ensure_ascii=False)
        return self._without_contacts(self._without_secrets(value))

    def _masked(self, value: Any, known: int) -> Any:
        if isinstance(value, str):
            at = value, known
            if at not in self._strings:
                self._strings[at] = self._string(value, known)
            return self._strings[at]
        if isinstance(value, Mapping):
            named = self._by_name and _names_a_secret(value)
            shown: dict[str, Any] = {}
            for key, item in value.items():
                of = str(key), known, named
                if of not in self._names:
                    self._names[of] = self._name(*of)
                name, sure = self._names[of]
                shown[name] = MASK if sure == _YES and _is_given(item) else self._masked(item, sure)
            return shown
        if isinstance(value, (list, tuple)):
            return [self._masked(item, known) for item in value]
        return MASK if known == _PERHAPS and may_be_credential(value) else self._without_secrets(value)

    def _name(self, name: str, known: int, named: bool) -> tuple[str, int]:
        """A name as it may be shown, and how sure it makes it that its value is a secret."""
        sure = _known(name, known, named, self._named) if self._by_name else _NO
        return self._echoes.replaced(name, MASK), sure

    def _string(self, text: str, known: int) -> str:
        if known == _PERHAPS and may_be_credential(text):
            return MASK
        shown: str = self._without_secrets(text)
        return self._without_credentials(shown)

    def _without_secrets(self, value: Any) -> Any:
        if isinstance(value, str):
            return MASK if value in self._exact else self._echoes.replaced(value, MASK)
        return MASK if _is_given(value) and str(value) in self._exact else value

    def _without_credentials(self, text: str) -> str:
        """A text without the secrets that its own form shows: those of JSON by their names, and those of URLs."""
        if not self._by_name:
            return text
        if text.lstrip()[:1] in ("{", "["):
            value = _parsed(text)
            shown = self._masked(value, _NO)
            text = text if shown == value else json.dumps(shown, ensure_ascii=False)
        if "@" in text:
            text = _USER_INFO.sub(lambda found: f"{found[1] or found[2] + ':'}{MASK}@", text)
        if "=" in text:
            text = _PARAMETER.sub(_parameter, text)
        return text

    def _without_contacts(self, value: Any) -> Any:
        if isinstance(value, str):
            return self._contacts.replaced(value, CONTACT_MASK)
        return CONTACT_MASK if _is_given(value) and self._contacts.found_in(str(value)) else value


def masked(
    value: Any, secrets: Collection[str] = (), *, names: Collection[str] = (), named: Collection[str] = ()
) -> Any:
    """A copy of ``value`` as ``Masker.value`` makes it."""
    return Masker(secrets, names=names, named=named).value(value)


def hide(value: Any, paths: Collection[Steps]) -> Any:
    """A copy of a value with these paths masked."""
    if () in paths:
        return MASK
    deeper: dict[str | int, list[Steps]] = {}
    for path in paths:
        deeper.setdefault(path[0], []).append(tuple(path[1:]))
    if isinstance(value, Mapping):
        return {name: hide(item, deeper.get(str(name), [])) for name, item in value.items()}
    if isinstance(value, list):
        return [hide(item, deeper.get(at, [])) for at, item in enumerate(value)]
    return value


def secret_values(value: Any, named: Collection[str] = ()) -> set[str]:
    """All values, as text, that stand under a secret name anywhere in ``value``; empty ones are no secret.

    ``named`` are names of secrets beside those that are known for it. Strings that hold JSON are looked into, since a
    mapping may be given as one.
    """
    return {text for text in _secrets_in(value, _NO, frozenset(map(fold, named))) if text}


def _secrets_in(value: Any, known: int, named: frozenset[str]) -> Iterator[str]:
    if isinstance(value, Mapping):
        naming = _names_a_secret(value)
        for key, item in value.items():
            if item is not None and not isinstance(item, bool):
                yield from _secrets_in(item, _known(str(key), known, naming, named), named)
    elif isinstance(value, (list, tuple)):
        for item in value:
            yield from _secrets_in(item, known, named)
    elif value is not None and not isinstance(value, bool):
        if known == _YES or (known == _PERHAPS and may_be_credential(value)):
            yield str(value)
        if isinstance(value, str) and value.lstrip()[:1] in ("{", "["):
            yield from _secrets_in(_parsed(value), known, named)


def _known(name: str, above: int, naming: bool, named: frozenset[str]) -> int:
    if is_secret_name(name) or (naming and name.lower() in _NAMED) or (named and fold(name) in named):
        return _YES
    return max(above, _PERHAPS) if may_be_secret_name(name) else above


def _names_a_secret(value: Mapping[Any, Any]) -> bool:
    """Whether an object tells a secret's name beside its value, as in ``{"name": "password", "value": …}``."""
    names = [value[key] for key in _NAMING & value.keys()]
    return any(isinstance(name, str) and is_secret_name(name) for name in names)


def _is_given(value: Any) -> bool:
    """Whether a value is more than a null or boolean, which are no secrets."""
    return value is not None and not isinstance(value, bool)


def _parsed(text: str) -> Any:
    try:
        value = strict_json.read(text.encode())
    except (UnicodeEncodeError, strict_json.JsonError):
        return None
    return value if isinstance(value, (dict, list)) else None


def _parameter(found: re.Match[str]) -> str:
    return f"{found[1]}{found[2]}={MASK}" if holds_secret(found[2], found[3]) else found[0]


def _with_each(value: Any, change: Callable[[Any], Any]) -> Any:
    """A copy of a JSON value in which each name and each text, number, boolean and null was changed."""
    if isinstance(value, Mapping):
        return {change(str(name)): _with_each(item, change) for name, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [_with_each(item, change) for item in value]
    return change(value)


def _contact_fields(contact: Any) -> Iterator[tuple[str, str]]:
    """The fields of a contact, also one that is serialised: pairs of name and text. The whole has no name."""
    if isinstance(contact, str) and contact:
        yield "", contact
        contact = _parsed(contact)
    for name, value in contact.items() if isinstance(contact, Mapping) else ():
        if isinstance(value, str) and value:
            yield name, value
            digits = re.sub(r"\D", "", value)
            if name in ("telephone", "fax") and len(digits) > _SHORTEST_CONTACT:
                yield from ((name, form) for form in (digits, f"+{digits}", value.partition(".")[2]) if form)
