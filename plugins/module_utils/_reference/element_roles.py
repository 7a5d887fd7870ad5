# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds the order elements for the end user and the product (API specification 4.1 names neither).

Three kinds of evidence, of which the first that any element has decides: a literal value of the API specification
(``__self__``, the UUID of a documented product) as an example or allowed value; the specification's own word (end user,
product) as the name, or such a value in a description, also in that of the operation; a synonym as the name, which
counts only if no other element could carry the role. An element is never chosen by elimination.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from .._core.text import is_uuid, words
from .._product_types.registry import DOCUMENTED_PRODUCTS, SELF
from .schemas import Element

Evidence = Literal["value", "mention", "name", "synonym"]

DECIDING: tuple[frozenset[Evidence], ...] = (
    frozenset({"value"}),
    frozenset({"mention", "name"}),
    frozenset({"synonym"}),
)
DOCUMENTED_PRODUCT_NAMES = ("vps-konfigurator", "domain-default")
UUID_LENGTH = 36
#: Sentences of the operation's description that are looked at.
MOST_SENTENCES = 200


def _phrases(text: str) -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(phrase.split()) for phrase in text.split(","))


ID_WORDS = words("id uuid guid iri uri uid ref identifier ident")
#: Formats that neither a UUID nor ``__self__`` has.
OTHER_FORMATS = words(
    "date date-time time duration email idn-email hostname idn-hostname ipv4 ipv6 binary byte password regex "
    "json-pointer int32 int64 float double"
)
IRI_FORMATS = words("iri iri-reference uri uri-reference uri-template url")


@dataclass(frozen=True)
class Role:
    """What an element may be for.

    ``nouns`` are the specification's words for it, ``hints`` synonyms, and ``modifiers`` words that may precede both.
    """

    title: str
    option: str
    nouns: frozenset[tuple[str, ...]]
    hints: frozenset[tuple[str, ...]]
    modifiers: frozenset[str]
    has_value: Callable[[str], bool]
    is_mentioned: Callable[[str], bool]
    is_uuid: bool


END_USER = Role(
    title="the end user",
    option="end_user_element",
    nouns=_phrases(
        "end user,enduser,end customer,endcustomer,end client,endclient,endkunde,endnutzer,endbenutzer,end user target,"
        "reseller end user,reseller enduser"
    ),
    hints=_phrases(
        "user,customer,client,owner,account,organization,organisation,org,target,recipient,receiver,beneficiary,tenant,"
        "holder,subscriber,consumer,assignee,buyer,contractee,member,subuser,subaccount,subcustomer,subclient,kunde,benutzer,"
        "nutzer,mandant,besitzer,inhaber,auftraggeber,for,whom,for whom,on behalf of,behalf of,on behalf,ordered for,"
        "order for,contract for,assigned to,assign to,belongs to,reseller customer,reseller client"
    ),
    modifiers=words(
        "for to target the my end sub owning final receiving default contract assigned organization organisation org "
        "customer client user account on behalf of"
    ),
    has_value=lambda value: SELF in value,
    is_mentioned=lambda text: SELF in text,
    is_uuid=False,
)
PRODUCT = Role(
    title="the product",
    option="product_element",
    nouns=_phrases("product,produkt"),
    hints=_phrases(
        "item,offer,offering,article,plan,sku,package,tariff,tarif,artikel,angebot,paket,bundle,service,variant"
    ),
    modifiers=words(
        "ordered order target contract new selected chosen requested desired wanted the my hosting catalog catalogue "
        "reseller product line"
    ),
    has_value=lambda value: value.strip().lower() in DOCUMENTED_PRODUCTS,
    is_mentioned=lambda text: any(known in text.lower() for known in (*DOCUMENTED_PRODUCTS, *DOCUMENTED_PRODUCT_NAMES)),
    is_uuid=True,
)
ROLES = (END_USER, PRODUCT)
NOUNS = frozenset(noun for role in ROLES for noun in role.nouns | role.hints)
#: The words that a description's subject may be made of.


def fitting(role: Role, elements: Sequence[Element], operation_texts: Sequence[str] = ()) -> list[Element]:
    """The elements that may carry a role: none, the one that is clear, or several not told apart.

    ``operation_texts`` describe the operation. Elements whose type, format or allowed values rule out the API
    specification's values are left out. It has no IRI there, so an element of that format counts if no other one does.
    """
    able = [element for element in elements if _can_carry(element)]
    with_value = [element for element in able if "value" in _evidence(role, element)]
    no_iri = [element for element in able if element.format not in IRI_FORMATS]
    for candidates in (with_value, no_iri, able):
        mentioned = _mentioned(role, candidates, operation_texts)
        plain = [element.name for element in candidates if "name" in _evidence(role, element)]
        told: dict[str, set[Evidence]] = {}
        for element in candidates:
            told[element.name] = _evidence(role, element) - _borrowed(element, plain)
            if element.name in mentioned:
                told[element.name].add("mention")
        for kinds in DECIDING:
            found = [element for element in candidates if told[element.name] & kinds]
            if found and "synonym" in kinds:
                return found + _others(role, candidates, found)
            if found:
                return _narrowed(role, found, told)
    return []


def _narrowed(role: Role, found: list[Element], told: dict[str, set[Evidence]]) -> list[Element]:
    """The only one that has all the evidence, else the only one with the documented format, else the required one."""
    everything = set().union(*(told[element.name] for element in found))
    tests: list[Callable[[Element], bool]] = [lambda element: told[element.name] == everything]
    tests += [_is_uuid] if role.is_uuid else []
    tests.append(lambda element: element.required)
    return next((left for test in tests if len(left := [*filter(test, found)]) == 1), found)


def _others(role: Role, able: Sequence[Element], found: list[Element]) -> list[Element]:
    """The elements that could carry a role as well as those that have a synonym for it.

    The API specification requires both roles' elements: beside a required one, an optional one carries neither.
    """
    others = [each for each in able if each not in found and not _is_for_another(role, each)]
    return [each for each in others if each.required or not all(one.required for one in found)]


def _is_for_another(role: Role, element: Element) -> bool:
    return any(_evidence(other, element) for other in ROLES if other is not role)


def _evidence(role: Role, element: Element) -> set[Evidence]:
    found: set[Evidence] = set()
    noun = _noun_of_name(element.name)
    if _means(role.nouns, role, noun):
        found.add("name")
    if _means(role.hints, role, noun):
        found.add("synonym")
    strings = [value for value in (*element.values, element.pattern) if isinstance(value, str)]
    if any(role.has_value(value) for value in strings):
        found.add("value")
    # A description may mention the value for another element's sake, so that counts no more than a word.
    if any(role.is_mentioned(text) for text in element.texts):
        found.add("mention")
    return found


def _mentioned(role: Role, candidates: Sequence[Element], texts: Sequence[str]) -> set[str]:
    """The elements of which the operation's description says that they take the documented value.

    A sentence with the value counts if it names one element alone: those in quotes, else any.
    """
    found: set[str] = set()
    for sentence in re.split(r"[.;!?](?=\s)|\n", "\n".join(texts))[:MOST_SENTENCES]:
        if role.is_mentioned(sentence):
            named = {
                each.name for each in candidates if re.search(rf"(?<![\w-]){re.escape(each.name)}(?![\w-])", sentence)
            }
            quoted = {name for name in named if re.search(rf"[`'\"*]{re.escape(name)}[`'\"*]", sentence)}
            told = quoted or named
            found |= told if len(told) == 1 else set()
    return found


def _borrowed(element: Element, plain: Sequence[str]) -> set[Evidence]:
    """A mention that is for an element with a plain name, as in "not needed when end_user is __self__"."""
    others = [name for name in plain if name != element.name]
    return {"mention"} if any(name in text for name in others for text in element.texts) else set()


def _can_carry(element: Element) -> bool:
    values = [value for value in element.enum if isinstance(value, str)]
    usable = any(value == SELF or is_uuid(value) for value in values)
    return (
        (not element.types or "string" in element.types)
        and not element.read_only
        and element.format not in OTHER_FORMATS
        and (not element.closed or usable)
        and (element.max_length is None or element.max_length >= UUID_LENGTH)
    )


def _is_uuid(element: Element) -> bool:
    return element.format == "uuid" or any(is_uuid(value) for value in element.values)


def _words_of(name: str) -> list[str]:
    """The words of a name in any case style: ``forUser``, ``for_user``, ``for-user``, ``ForUSER``, ``userid``."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    words = [word.lower() for word in re.findall(r"[^\W_]+", spaced)]
    for suffix in ("uuid", "guid", "iri", "id"):
        stem = words[0].removesuffix(suffix) if len(words) == 1 else ""
        if stem and (stem,) in NOUNS:
            return [stem, suffix]
    return words


def _noun_of_name(name: str) -> list[str]:
    words = _words_of(name)
    while words and words[-1] in ID_WORDS:
        words.pop()
    while words and words[0] in ID_WORDS:
        words.pop(0)
    return words


def _means(nouns: frozenset[tuple[str, ...]], role: Role, words: Sequence[str]) -> bool:
    """Whether the last words are one of ``nouns`` and those before may stand there: a product note is no product."""
    return any(
        tuple(words[-length:]) in nouns and role.modifiers.issuperset(words[:-length])
        for length in range(1, min(len(words), 3) + 1)
    )
