# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds the order elements for the end user and the product (API specification 4.1 names neither).

The evidence has tiers. The strongest is a literal value of the API specification (``__self__``, the UUID of a
documented product) as an example or allowed value. Then comes a name or description with the specification's own word
(end-user, product), or a description that mentions such a value. The weakest is a name or description with a synonym,
which counts only if no other element could carry the role at all. Only one element may be left in the strongest tier
that any element has: an element is never chosen by elimination.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from .._core.text import is_uuid, words
from .._product_types.registry import DOCUMENTED_PRODUCTS, SELF
from .schemas import Element

Kind = Literal["value", "mention", "name", "text", "similar name", "similar text"]
Evidence = frozenset[Kind]

TIERS: tuple[frozenset[Kind], ...] = (
    frozenset({"value"}),
    frozenset({"mention", "name", "text"}),
    frozenset({"similar name", "similar text"}),
)
DOCUMENTED_PRODUCT_NAMES = ("vps-konfigurator", "domain-default")
UUID_LENGTH = 36
DESCRIPTION_LENGTH = 200


def _phrases(text: str) -> frozenset[tuple[str, ...]]:
    return frozenset(tuple(phrase.split()) for phrase in text.split(","))


ID_WORDS = words("id uuid guid iri uri uid ref identifier ident")
#: What a description may begin with before it names its subject, and what may follow the subject.
OPENING_WORDS = ID_WORDS | words(
    "the a an this your our one any either which what desired chosen selected requested existing valid ordered unique "
    "of for to on behalf identifies specifies"
)
FOLLOWING_WORDS = ID_WORDS | words(
    "that which who whom whose for to being or of the on from as owning identified ordered you"
)
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
SUBJECT_WORDS = (frozenset(noun[0] for noun in NOUNS if len(noun) == 1) | {"end", "reseller"}) - OPENING_WORDS


def fitting(role: Role, elements: Sequence[Element]) -> list[Element]:
    """The elements that may carry a role: none, the one that is clear, or several not told apart, the likeliest first.

    Elements whose type, format or allowed values rule out the specification's values are left out. The specification
    has no IRI there, so an element of that format counts only if no other one does.
    """
    able = [element for element in elements if _can_carry(element)]
    plain = [element for element in able if element.format not in IRI_FORMATS]
    named = [element for element in able if _evidence(role, element) & TIERS[0]]
    return _best(role, named) or _best(role, plain) or _best(role, able)


def _best(role: Role, able: Sequence[Element]) -> list[Element]:
    judged = [(element, _evidence(role, element)) for element in able]
    plainly_named = [element.name for element, evidence in judged if "name" in evidence]
    judged = [(element, evidence - _borrowed(element, plainly_named)) for element, evidence in judged]
    for tier in TIERS:
        best = [(element, evidence) for element, evidence in judged if evidence & tier]
        if not best:
            continue
        if tier is TIERS[-1]:
            # A word that is used for the same may as well stand for something else: it counts where nothing else can.
            likely = [element for element, _rest in best]
            others = [each for each in able if each not in likely and not _is_for_another(role, each)]
            # The document requires both roles' elements: beside a required one, an optional one carries neither.
            return likely + [each for each in others if each.required or not all(one.required for one in likely)]
        # One that has all the evidence of each other one, and more, is clear; more evidence of another kind is not.
        clear = [
            element
            for place, (element, evidence) in enumerate(best)
            if all(evidence > other for at, (_rest, other) in enumerate(best) if at != place)
        ]
        if len(clear) != 1 and role.is_uuid:
            clear = [element for element, _rest in best if _is_uuid(element)]
        if len(clear) != 1:
            clear = [element for element, _rest in best if element.required]
        return clear if len(clear) == 1 else [element for element, _rest in best]
    return []


def _is_for_another(role: Role, element: Element) -> bool:
    return any(_evidence(other, element) for other in ROLES if other is not role)


def _evidence(role: Role, element: Element) -> Evidence:
    found: set[Kind] = set()
    noun = _noun_of_name(element.name)
    if _means(role.nouns, role, noun):
        found |= {"name", "similar name"}
    elif _means(role.hints, role, noun):
        found.add("similar name")
    for text in element.texts:
        subject = _subject_of_text(text)
        if _means(role.nouns, role, subject):
            found |= {"text", "similar text"}
        elif _means(role.hints, role, subject):
            found.add("similar text")
    strings = [value for value in (*element.values, element.pattern) if isinstance(value, str)]
    if any(role.has_value(value) for value in strings):
        found.add("value")
    # A description may mention the value for another element's sake, so that counts no more than a word.
    if any(role.is_mentioned(text) for text in element.texts):
        found.add("mention")
    return frozenset(found)


def _borrowed(element: Element, plain: Sequence[str]) -> Evidence:
    """A mention that is for an element with a plain name, as in "not needed when end_user is __self__"."""
    others = [name for name in plain if name != element.name]
    return frozenset({"mention"} if any(name in text for name in others for text in element.texts) else ())


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


def words_of(name: str) -> list[str]:
    """The words of a name in any case style: ``forUser``, ``for_user``, ``for-user``, ``ForUSER``, ``userid``."""
    spaced = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", " ", name)
    words = [word.lower() for word in re.findall(r"[^\W_]+", spaced)]
    for suffix in ("uuid", "guid", "iri", "id"):
        stem = words[0].removesuffix(suffix) if len(words) == 1 else ""
        if stem and (stem,) in NOUNS:
            return [stem, suffix]
    return words


def _noun_of_name(name: str) -> list[str]:
    words = words_of(name)
    while words and words[-1] in ID_WORDS:
        words.pop()
    while words and words[0] in ID_WORDS:
        words.pop(0)
    return words


def _subject_of_text(text: str) -> list[str]:
    """What a description says that the element is, not what else it mentions; empty when that is not plain."""
    words = words_of(text[:DESCRIPTION_LENGTH])
    start = 0
    while start < len(words) and words[start] in OPENING_WORDS:
        start += 1
    end = start
    while end < len(words) and words[end] in SUBJECT_WORDS:
        end += 1
    return words[start:end] if end == len(words) or words[end] in FOLLOWING_WORDS else []


def _means(nouns: frozenset[tuple[str, ...]], role: Role, words: Sequence[str]) -> bool:
    """Whether the last words are one of ``nouns`` and those before may stand there: a product note is no product."""
    return any(
        tuple(words[-length:]) in nouns and role.modifiers.issuperset(words[:-length])
        for length in range(1, min(len(words), 3) + 1)
    )
