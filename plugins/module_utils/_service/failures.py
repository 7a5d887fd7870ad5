# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The words with which answers of any status say that a request failed. A word that is not known says nothing. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from .._core.text import by_folded_name, clean, fold, words
from .._secrets.recognition import words_of

#: Elements that report a failed request, unless they are empty.
ERRORS = re.compile("errors?|err|error(code|message|msg|text|description)|violations|fault(code|string)?|exception")
_SUCCESS = re.compile("(is)?(success(ful)?|ok)")
_RESULT = re.compile("(http|status|result|response|return)?(code|status|result)")
_MESSAGES = ("message", "msg", "detail")
#: Objects beside the record that say how the request ended.
_HEADS = ("status", "meta", "metadata", "header")
_FAILED = words("error errors fault rejected declined")
_NO_SUCCESS = re.compile(r"-\d{1,9}|[45]\d\d")
_STATE = re.compile("(contract|order)?(state|status)(name|text|value)?")
#: States of what never became a contract, or is none.
_ENDED = words("failed failure rejected declined cancelled canceled expired draft quote quotation offer")
#: A longer text is no word.
_LONGEST = 40


def envelope_failure(record: Mapping[str, Any]) -> Iterator[str]:
    """Words of failure in an object, by its folded names, around the record of an answer."""
    for name, value in record.items():
        if ERRORS.fullmatch(name) and _says_something(value):
            yield f"{name} in it is not empty"
        elif _SUCCESS.fullmatch(name) and value is not None and str(value).strip().lower() in ("false", "0", "no"):
            yield f"{name} in it is false"
        elif _RESULT.fullmatch(name) and _says_failure(value):
            yield f"{name} in it is {clean(str(value), 60)}"
    for head in _HEADS:
        if isinstance(inner := record.get(head), Mapping):
            yield from envelope_failure(by_folded_name(inner))


def message_failure(record: Mapping[str, Any]) -> Iterator[str]:
    """The message of an object, by its folded names, in an answer without the record that was wanted."""
    yield from (f"it has a {name}, and no contract" for name in _MESSAGES if _says_something(record.get(name)))


def other_failure(record: Mapping[str, Any]) -> Iterator[str]:
    """Words of failure in an object, by its folded names, in the answer to a request that promises no record.

    A message is no such word, but for one beside a ``false`` that says how it ended.
    """
    yield from envelope_failure(record)
    if any(value is False for name, value in record.items() if _RESULT.fullmatch(name)):
        yield from (f"it has a {name} beside false" for name in _MESSAGES if _says_something(record.get(name)))


def record_failure(record: Mapping[str, Any]) -> Iterator[str]:
    """The state of a record, by its folded names, that never became a contract: failed, rejected, a draft or offer."""
    for name, value in record.items():
        if _STATE.fullmatch(name):
            inner = by_folded_name(value) if isinstance(value, Mapping) else {"value": value}
            for text in (inner.get(key) for key in ("name", "code", "value", "id")):
                if isinstance(text, str) and len(text) <= _LONGEST and _ENDED.intersection(words_of(text)):
                    yield f"the {name} {clean(text, 60)}"


def _says_failure(value: Any) -> bool:
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return False
    text = str(value).strip()
    said = words_of(text) if len(text) <= _LONGEST else ()
    if said[:1] in (("no",), ("without",)):
        return False
    failed = any(word in _FAILED or word.startswith("fail") for word in said)
    return failed or "notavailable" in fold(text[:_LONGEST]) or _NO_SUCCESS.fullmatch(text) is not None


def _says_something(value: Any) -> bool:
    if isinstance(value, Mapping):
        return any(map(_says_something, value.values()))
    if isinstance(value, list):
        return any(map(_says_something, value))
    return bool(value) and str(value).strip().lower() not in ("", "0", "false", "none", "null")
