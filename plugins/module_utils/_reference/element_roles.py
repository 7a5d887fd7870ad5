# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds the order elements for the end user and the product (API specification 4.1 names neither).

The first of these that any element has decides: a literal value of the API specification (``__self__``, the UUID of a
documented product) as an example or allowed value; such a value in a description, also in that of the operation, or the
specification's own word (end user, product) as the name; a synonym as the name, which counts only if no other element
could carry the role. An element is never chosen by elimination.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from .._core.text import is_uuid, words
from .._product_types.registry import DOCUMENTED_PRODUCTS, SELF
from .schemas import Element

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

    ``literals`` are values of the API specification, ``nouns`` its words for the role, ``synonyms`` other words, and
    ``modifiers`` words that may precede both.
    """

    option: str
    literals: tuple[str, ...]
    nouns: frozenset[tuple[str, ...]]
    synonyms: frozenset[tuple[str, ...]]
    modifiers: frozenset[str]

    def in_text(self, text: object) -> bool:
        """Whether a text holds a value of the API specification."""
        return isinstance(text, str) and any(literal in text.lower() for literal in self.literals)

    def means(self, name: str, nouns: frozenset[tuple[str, ...]]) -> bool:
        """Whether a name ends with one of these nouns after modifiers alone: a product note is no product."""
        found = _noun_of_name(name)
        return any(
            tuple(found[-length:]) in nouns and self.modifiers.issuperset(found[:-length])
            for length in range(1, min(len(found), 3) + 1)
        )

    def is_plain(self, element: Element) -> bool:
        return self.means(element.name, self.nouns | self.synonyms)

    def is_shown(self, element: Element) -> bool:
        """Whether a value, or the pattern of the values, is one of the API specification."""
        return any(map(self.in_text, (*element.values, element.described.text("pattern"))))


END_USER = Role(
    option="end_user_element",
    literals=(SELF,),
    nouns=_phrases(
        "end user,enduser,end customer,endcustomer,end client,endclient,endkunde,endnutzer,endbenutzer,end user target,"
        "reseller end user,reseller enduser"
    ),
    synonyms=_phrases(
        "user,customer,client,owner,account,organization,organisation,org,target,recipient,receiver,beneficiary,tenant,"
        "holder,subscriber,consumer,assignee,buyer,contractee,member,subuser,subaccount,subcustomer,subclient,kunde,benutzer,"
        "nutzer,mandant,besitzer,inhaber,auftraggeber,for,whom,for whom,on behalf of,behalf of,on behalf,ordered for,"
        "order for,contract for,assigned to,assign to,belongs to,reseller customer,reseller client"
    ),
    modifiers=words(
        "for to target the my end sub owning final receiving default contract assigned organization organisation org "
        "customer client user account on behalf of"
    ),
)
PRODUCT = Role(
    option="product_element",
    literals=(*DOCUMENTED_PRODUCTS, "vps-konfigurator", "domain-default"),
    nouns=_phrases("product,produkt"),
    synonyms=_phrases(
        "item,offer,offering,article,plan,sku,package,tariff,tarif,artikel,angebot,paket,bundle,service,variant"
    ),
    modifiers=words(
        "ordered order target contract new selected chosen requested desired wanted the my hosting catalog catalogue "
        "reseller product line"
    ),
)
ROLES = (END_USER, PRODUCT)
NOUNS = frozenset(noun for role in ROLES for noun in role.nouns | role.synonyms)


def fitting(role: Role, elements: Sequence[Element], operation_texts: Sequence[str] = ()) -> list[Element]:
    """The elements that may carry a role: none, the one that is clear, or several that are alike.

    ``operation_texts`` describe the operation. Elements whose type, format or allowed values rule out the API
    specification's values are left out. It has no IRI there, so an element of that format counts if no other one does.
    """
    able = [element for element in elements if _can_carry(element)]
    shown = [element for element in able if role.is_shown(element)]
    if shown:
        return _narrowed(role, shown)
    for candidates in ([each for each in able if each.described.text("format") not in IRI_FORMATS], able):
        mentioned = {*_mentioned(role, candidates), *_mentioned_in(role, candidates, operation_texts)}
        likely = [each for each in candidates if role.means(each.name, role.nouns) or each.name in mentioned]
        if likely:
            return _narrowed(role, likely)
        similar = [each for each in candidates if role.is_plain(each)]
        if similar:
            return similar + _others(role, candidates, similar)
    return []


def _narrowed(role: Role, found: list[Element]) -> list[Element]:
    """The only one with a plain name, else the only product with the documented format, else the required one."""
    tests: list[Callable[[Element], bool]] = [role.is_plain, lambda element: element.required]
    if role is PRODUCT:
        tests.insert(1, _is_uuid)
    return next((left for test in tests if len(left := [*filter(test, found)]) == 1), found)


def _others(role: Role, able: Sequence[Element], found: list[Element]) -> list[Element]:
    """The elements that could carry a role as well as those that have a synonym for it.

    The API specification requires both roles' elements: beside a required one, an optional one carries neither.
    """
    others = [each for each in able if each not in found and not _is_for_another(role, each)]
    return [each for each in others if each.required or not all(one.required for one in found)]


def _is_for_another(role: Role, element: Element) -> bool:
    others = [each for each in ROLES if each is not role]
    return any(each.is_plain(element) or any(map(each.in_text, element.texts)) for each in others)


def _mentioned(role: Role, candidates: Sequence[Element]) -> list[str]:
    """The elements that a value is mentioned of: not of another one, as in "not needed when end_user is __self__"."""
    plain = [each.name for each in candidates if role.means(each.name, role.nouns)]
    return [
        each.name
        for each in candidates
        if any(role.in_text(text) for text in each.texts)
        and not any(name in text for name in plain if name != each.name for text in each.texts)
    ]


def _mentioned_in(role: Role, candidates: Sequence[Element], texts: Sequence[str]) -> set[str]:
    """The elements of which the operation's description says that they take the documented value.

    A sentence with the value counts if it names one element alone: those in quotes, else any.
    """
    found: set[str] = set()
    for sentence in re.split(r"[.;!?](?=\s)|\n", "\n".join(texts))[:MOST_SENTENCES]:
        if role.in_text(sentence):
            named = {
                each.name for each in candidates if re.search(rf"(?<![\w-]){re.escape(each.name)}(?![\w-])", sentence)
            }
            quoted = {name for name in named if re.search(rf"[`'\"*]{re.escape(name)}[`'\"*]", sentence)}
            meant = quoted or named
            found |= meant if len(meant) == 1 else set()
    return found


def _can_carry(element: Element) -> bool:
    found, longest = element.described, element.described.first("maxLength")
    usable = any(value == SELF or is_uuid(value) for value in found.enum)
    return (
        (not found.types or "string" in found.types)
        and found.text("format") not in OTHER_FORMATS
        and (not found.closed or usable)
        and (not isinstance(longest, int) or longest >= UUID_LENGTH)
    )


def _is_uuid(element: Element) -> bool:
    return element.described.text("format") == "uuid" or any(map(is_uuid, element.values))


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
    found = _words_of(name)
    while found and found[-1] in ID_WORDS:
        found.pop()
    while found and found[0] in ID_WORDS:
        found.pop(0)
    return found
