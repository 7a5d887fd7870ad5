# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reduces settings and responses to what the ledger stores: no secret in any form, contact data as digests."""

from __future__ import annotations

import hashlib
import hmac
import json
import re
from collections.abc import Collection, Mapping
from typing import Any

from .._core.text import is_uuid, words
from .._product_types.registry import CONTACT_SETTINGS, DOCUMENTED_SETTINGS, SECRET_SETTINGS, contact_text
from .masker import Masker, masked, secret_values
from .names import holds_secret, is_address, is_date, is_secret_name, words_of
from .needles import Needles, distinctive

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
#: More is no contract's record.
_MOST_KEPT = 200


def contact_digest(text: str, key: bytes) -> str:
    """A digest of contact data that tells whether they changed, and nothing else without the ledger's key."""
    return "hmac-sha256:" + hmac.new(key, text.encode(), hashlib.sha256).hexdigest()


def kept_settings(settings: Mapping[str, Any], key: bytes, secret_names: Collection[str] = ()) -> dict[str, Any]:
    """Settings as the ledger stores them: without secrets, also inside values, and with contacts as digests.

    Of a setting that only its value or the rules of the catalogue call secret (``secret_names``) it is kept that there
    was one: whoever reads the ledger later cannot tell.
    """
    kept: dict[str, Any] = {}
    secrets: set[str] | None = None
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
            # Most orders have no such setting.
            secrets = secret_values(settings, secret_names) if secrets is None else secrets
            kept[name] = masked(value, secrets)
    return kept


def kept_elements(elements: Mapping[str, Any], key: bytes) -> dict[str, str]:
    """Additional elements as the ledger stores them: only digests, because their content is unknown.

    Secrets are left out. A list of words finds a short secret in its digest, whose key lies beside it.
    """
    return {
        name: contact_digest(json.dumps(value, sort_keys=True, ensure_ascii=False), key)
        for name, value in elements.items()
        if not is_secret_name(name) and not secret_values({name: value})
    }


def kept_id(contract_id: str | None, masker: Masker) -> str | None:
    """An id from a response, or ``None`` for one that is or contains a secret or contact data.

    A secret that is a plain word is part of many ids by chance; such an id stays.
    """
    if contract_id is None or contract_id in masker.secrets:
        return None
    secrets = Needles(filter(distinctive, masker.secrets))
    personal = Needles((text for name, text in masker.contacts if name in _NEVER_AN_ID), words=True)
    return None if secrets.spans(contract_id) or personal.spans(contract_id) else contract_id


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
        if not left[0] or not _plainly_harmless(text, named, contract_id):
            return None
        if text != contract_id and masker.found_in(text):
            return None
        left[0] -= 1
        return value

    return kept(body, frozenset())


def _plainly_harmless(text: str, named: frozenset[str], contract_id: str | None) -> bool:
    """Return whether this text under these words is a state, an id, an IP address or a date, and no credential."""
    if is_address(text) or (is_date(text) and not named & _BIRTHS):
        return True
    if named & _IDS and (is_uuid(text) or text == contract_id):
        return True
    return bool(named & _STATES) and len(text) <= 40 and _STATE.fullmatch(text) is not None
