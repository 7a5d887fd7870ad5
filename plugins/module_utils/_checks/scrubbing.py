# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Removes secrets and personal data from everything that the service reports about an order.

Answers are scrubbed whole, before anything of them is shortened or cleaned: of a password that is cut off, all but the
last letter would remain.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import Any

from .._core import strict_json
from .._core.echoes import MASK, Echoes
from .._core.text import brief, is_uuid, words
from .._http.client import Answer
from .._http.problems import read_problem
from .._ledger.order_records import Outcome
from .._product_types.registry import CONTACT_SETTINGS
from .._product_types.secret_names import is_address, is_date, is_secret_name, words_of
from .secrets import masked

CONTACT_MASK = "(contact data, not kept)"
#: Of a contact, these are removed wherever they stand; a country is no trace of a person, a label is the caller's own.
_NOT_PERSONAL = frozenset({"country", "label"})
_SHORTEST_CONTACT = 4
#: What no id of a contract is taken from.
_NEVER_AN_ID = ("email", "telephone", "fax", "street")

_STATES = words("status state stage phase")
_IDS = words("id ids uuid uuids guid iri identifier contract l2vpn vlan order")
_ADDRESSES = words(
    "ip ips ipv address addresses addr gateway gateways subnet subnets network networks netmask prefix nameserver "
    "nameservers dns host cidr"
)
_DATES = words(
    "date dates at on created updated changed modified ordered activated started ended expires expired expiry "
    "expiration since until from to start end begin renewal renew renews due valid time timestamp paid cancelled "
    "canceled terminated delivered provisioned"
)
_BIRTHS = words("birth birthday birthdate born dob geburt geburtstag geburtsdatum")
#: Names that say nothing of what they hold: the name above them does.
_EMPTY = words("value values item items data entry")
_STATE = re.compile(r"[A-Za-z]+(?:[ _-][A-Za-z]+){0,4}")
_PLAIN_NAME = re.compile(r"[\w@:.-]{1,64}", re.ASCII)
#: More is no contract's record.
_MOST_KEPT = 200


class Scrubber:
    """Removes secrets from what the service reports about one order.

    ``secrets`` are all that were sent with it, ``settings`` its settings as they are sent, ``names`` what it and its
    product are called by: a name stays as it is, also where a secret is a part of it.
    """

    def __init__(self, secrets: Collection[str], settings: Mapping[str, Any], names: Collection[str]) -> None:
        self._secrets = frozenset(secrets)
        self._settings = settings
        self._names = [name for name in names if name not in self._secrets]

    @cached_property
    def _echoes(self) -> Echoes:
        return Echoes(self._secrets, kept=self._names)

    @cached_property
    def _contacts(self) -> Echoes:
        texts = [text for name, text in self._fields if name not in _NOT_PERSONAL and len(text) >= _SHORTEST_CONTACT]
        return Echoes(texts, words=True, kept=self._names)

    @cached_property
    def _fields(self) -> list[tuple[str, str]]:
        return [field for name in sorted(CONTACT_SETTINGS) for field in _contact_fields(self._settings.get(name))]

    def text(self, text: str, *, contacts: bool = True) -> str:
        """A text without secrets, and by default without contact data."""
        told: str = masked(self._echoes.replaced(text, MASK))
        return self._contacts.replaced(told, CONTACT_MASK) if contacts else told

    def value(self, value: Any) -> Any:
        """A decoded value without the secrets of the order and without values that have secret names."""
        return masked(value, self._secrets, names=self._names)

    def answer(self, answer: Answer, *, contacts: bool = True) -> Answer:
        """The same response without secrets and, by default, without contact data."""
        headers = {name: self.text(value, contacts=contacts) for name, value in answer.headers.items()}
        flaw = None if answer.flaw is None else self.text(answer.flaw, contacts=contacts)
        return replace(answer, body=self._body(answer, contacts), headers=headers, flaw=flaw)

    def _body(self, answer: Answer, contacts: bool) -> bytes:
        try:
            value = strict_json.read(answer.body)
        except strict_json.JsonError:
            # A page, or a body that was cut off. What is not readable in it stays so.
            encoding = json.detect_encoding(answer.body)
            errors = "surrogateescape" if encoding.startswith("utf-8") else "replace"
            return self.text(answer.body.decode(encoding, errors), contacts=contacts).encode(encoding, errors)
        # Under a secret's name an error says what is wrong with it; where it says nothing, the body itself is shown.
        silent = read_problem(value).message == brief(value, 500)
        value = masked(value, self._secrets, names=self._names, by_name=silent)
        return json.dumps(self._without_contacts(value) if contacts else value).encode()

    def _without_contacts(self, value: Any) -> Any:
        if isinstance(value, Mapping):
            return {self._without_contacts(name): self._without_contacts(item) for name, item in value.items()}
        if isinstance(value, list):
            return [self._without_contacts(item) for item in value]
        if isinstance(value, str):
            return self._contacts.replaced(value, CONTACT_MASK)
        if isinstance(value, (int, float)) and not isinstance(value, bool) and self._contacts.found_in(str(value)):
            return CONTACT_MASK
        return value

    def outcome(self, outcome: Outcome) -> Outcome:
        """An outcome as the ledger stores it: only parts of the response that cannot be credentials."""
        contract_id = None if self._no_id(outcome.contract_id) else outcome.contract_id
        return replace(
            outcome,
            reason=outcome.reason and self.text(outcome.reason),
            contract_id=contract_id,
            contract=self._kept(outcome.contract, contract_id),
            l2vpn_id=None if self._no_id(outcome.l2vpn_id) else outcome.l2vpn_id,
            told_id=None if self._no_id(outcome.told_id) else outcome.told_id,
        )

    def _no_id(self, told: str | None) -> bool:
        if told is None or told in self._secrets:
            return True
        return any(name in _NEVER_AN_ID and text.casefold() == told.casefold() for name, text in self._fields)

    def _kept(self, body: Any, contract_id: str | None) -> Any:
        left = [_MOST_KEPT]

        def kept(value: Any, named: frozenset[str]) -> Any:
            if isinstance(value, Mapping):
                held = {
                    name: inner
                    for name, item in value.items()
                    if _PLAIN_NAME.fullmatch(name)
                    and not is_secret_name(name)
                    and not self._found(name)
                    and (inner := kept(item, frozenset(words_of(name)) - _EMPTY or named)) is not None
                }
                return held or None
            if isinstance(value, list):
                items = [inner for item in value if (inner := kept(item, named)) is not None]
                return items or None
            if isinstance(value, bool) or not isinstance(value, (str, int)):
                return None
            text = str(value)
            if not left[0] or not _plainly_harmless(text, named, contract_id):
                return None
            if text != contract_id and self._found(text):
                return None
            left[0] -= 1
            return value

        return kept(body, frozenset())

    def _found(self, text: str) -> bool:
        return self._echoes.found_in(text) or self._contacts.found_in(text)


def _plainly_harmless(text: str, named: frozenset[str], contract_id: str | None) -> bool:
    """Whether this, under a name of these words, is a state, an id, an IP address or a date, and no credential."""
    if named & _IDS and (is_uuid(text) or text == contract_id):
        return True
    if named & _ADDRESSES and is_address(text):
        return True
    if named & _DATES and not named & _BIRTHS and is_date(text):
        return True
    return bool(named & _STATES) and len(text) <= 40 and _STATE.fullmatch(text) is not None


def _contact_fields(text: Any) -> Iterator[tuple[str, str]]:
    if not isinstance(text, str) or not text:
        return
    yield "", text
    try:
        held = json.loads(text)
    except (ValueError, RecursionError):
        return
    if isinstance(held, dict):
        for name, value in held.items():
            if isinstance(value, str) and value:
                yield name, value
                digits = re.sub(r"\D", "", value)
                if name in ("telephone", "fax") and len(digits) > _SHORTEST_CONTACT:
                    yield from ((name, form) for form in (digits, f"+{digits}", value.partition(".")[2]) if form)
