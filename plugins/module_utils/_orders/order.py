# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An order as it is requested, and as it is sent: its names, its secrets and its request body. Pure.

API specification sections 2.2 (products), 2.3 (end users) and 4.1 (request body).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, fields
from functools import cached_property
from typing import Any, Literal, NamedTuple

from .._core.errors import ConfigurationError
from .._core.pasting import PLACEHOLDER
from .._core.text import character_name, clean, is_uuid, nearest, odd_character, truth
from .._http.config import ServiceConfig
from .._ledger.identity import NAMELESS, identity, same_contract_id
from .._ledger.order_records import Identity, Request, StoredRequest
from .._product_types.product_type import ProductType
from .._product_types.registry import (
    CONTACT_SETTINGS,
    IDENTITIES,
    PRODUCT_TYPES,
    SELF,
    contact_text,
    product_type_of_id,
)
from .._secrets.masker import Masker, kept_elements, kept_settings, secret_values
from .._secrets.recognition import distinctive
from .._service.order_shape import OrderShape, own_elements

CONTRACTS = "/api/reseller/contracts"
EXISTING_L2VPN = "existing_l2vpn"


class AllowSecond(NamedTuple):
    """Beside what another server or webhosting may be ordered: the option ``allow_second``."""

    #: Beside what the ledger has.
    recorded: bool = False
    #: Beside these contracts of the list that the ledger lacks.
    ids: frozenset[str] = frozenset()

    def allows(self, contract_id: str) -> bool:
        """Return whether the contract with this ID, which the ledger lacks, stands in the way of nothing."""
        return any(same_contract_id(contract_id, allowed) for allowed in self.ids)


@dataclass(frozen=True, slots=True)
class RequestedOrder:
    """One order as in the playbook. The fields are the options of reseller_contract."""

    #: A UUID, ``__self__``, or, until the service's file has been read, a name in that.
    end_user: str
    #: The name in the ledger; ``None`` until it is taken from the hostname or domain.
    name: str | None = None
    #: A UUID, or a name in the catalogue.
    product: str | None = None
    #: A key of PRODUCT_TYPES.
    product_type: str | None = None
    #: As in the playbook: secrets, and values of the wrong YAML type.
    settings: Mapping[str, Any] = field(default_factory=dict)
    #: Further elements of the request body.
    additional_elements: Mapping[str, Any] = field(default_factory=dict)
    #: The rules that hold: those of the specification alone, or those of the catalogue as well.
    validation: Literal["catalogue", "specification"] = "catalogue"
    #: The most RAM of a configurable VPS in MB, where the service's file has it.
    org_max_ram: int | None = None
    #: What other settings of a recorded order do.
    on_drift: Literal["fail", "warn"] = "fail"
    #: A boolean, one of Ansible's words for it, or a list of contract IDs.
    allow_second: Any = False
    #: Whether a domain's nameservers are queried.
    verify_nameservers: bool = True
    #: The name of the order whose L2VPN is joined, if that L2VPN arises in the same run.
    l2vpn_of: str | None = None
    #: The organization of the end user, where the service's file has it.
    end_user_organization_id: str | None = None
    #: The path of the file for the response.
    save_answer: str | None = None

    @property
    def second(self) -> AllowSecond:
        """What ``allow_second`` means. Raises ConfigurationError if it is none of what it may be."""
        value = self.allow_second
        if isinstance(value, (list, tuple)):
            ids = [str(one).strip() for one in value if isinstance(one, (str, int)) and not isinstance(one, bool)]
            if len(ids) == len(value) and all(ids):
                return AllowSecond(ids=frozenset(ids))
        elif (meant := truth(value)) is not None:
            return AllowSecond(recorded=meant)
        raise ConfigurationError(
            f"allow_second {clean(str(value), 60)!r} is neither true, false nor a list of contract IDs. "
            'This order was not sent.\nWrite IDs as a list, such as ["1013"].'
        )

    def kind(self, product_id: str | None = None) -> ProductType | None:
        """The product type, as far as it is given or told by a documented UUID (API specification 2.2).

        ``product_id`` is the product's UUID where that is known; else it is ``product``. Raises ConfigurationError if
        the given type is another one than that of the UUID.
        """
        given = PRODUCT_TYPES[self.product_type] if self.product_type else None
        documented = product_type_of_id(product_id or self.product or "")
        if given and documented and given is not documented:
            raise ConfigurationError(
                f"product_type is {given.name}, but {self.product} is the documented {documented.title}.\n"
                "This order was not sent. Correct one of them."
            )
        return documented or given

    def order(
        self, config: ServiceConfig, kind: ProductType, product: str, product_name: str | None = None, **more: Any
    ) -> Order:
        """Return what is to be sent, with ``more`` of its fields."""
        return Order(
            name=self.name or "",
            service=config.base_url,
            organization_id=config.organization_id,
            end_user=self.end_user,
            product=product,
            product_name=product_name,
            product_type=kind.name,
            end_user_organization_id=self.end_user_organization_id,
            # A domain exists once.
            may_be_second=self.second.recorded and not kind.unique,
            save_answer=self.save_answer,
            additional_elements=self.additional_elements,
            **more,
        )


#: Masks what is shown of orders without secrets.
_NO_SECRETS = Masker()


@dataclass(frozen=True)
class Order(Request):
    """A request for an order that follows every rule, ready to be sent.

    Its settings are as they are sent, with secrets, but for contacts, which are mappings, and for texts that stand for
    values that are not known yet: in check mode, or until it joins the L2VPN of another order.
    """

    #: Settings that the rules of the catalogue call secret, beyond those that are so by name.
    secret_names: frozenset[str] = frozenset()
    #: The path of the file for the response.
    save_answer: str | None = None

    @property
    def kind(self) -> ProductType:
        return PRODUCT_TYPES[self.product_type]

    @property
    def names(self) -> list[str]:
        """The names of the order, of its server or domain, and of its product."""
        names = (self.name, self.product_name, *map(self.settings.get, IDENTITIES))
        return [name for name in names if isinstance(name, str) and name]

    def stored(self, key: bytes) -> StoredRequest:
        """Return what a ledger with this digest key stores of it. Secrets are in no form in it."""
        stored = {field.name: getattr(self, field.name) for field in fields(StoredRequest)}
        stored["settings"] = kept_settings(self.settings, key, self.secret_names)
        stored["additional_elements"] = kept_elements(self.additional_elements, key)
        return StoredRequest(**stored)

    @cached_property
    def secrets(self) -> frozenset[str]:
        """All secret values of the order as strings."""
        return frozenset(secret_values([self.settings, self.additional_elements], self.secret_names))

    @property
    def masker(self) -> Masker:
        """Masks what is shown of the order. A plain word stays, also if it is a password elsewhere."""
        # Of many orders, what they have in common is in each masker: none is kept.
        secrets = set(filter(distinctive, self.secrets))
        if not (secrets or self.secret_names):
            return _NO_SECRETS
        return Masker(secrets, kept=self.names, secret_names=self.secret_names)


def l2vpn_of(root: str) -> str:
    """Return what stands for the UUID of the L2VPN of the order ``root`` until that is known."""
    return f"that of {root}"


def identity_of(kind: ProductType | None, settings: Mapping[str, Any], end_user: str) -> Identity | None:
    """The identity of what an order is for, whatever its name is. ``None`` if there are no duplicates of it.

    Of an adopted contract, ``kind`` (``None``) and ``end_user`` (empty) may not be known.
    """
    if kind is not None and kind.identity is None:
        return identity(NAMELESS, kind.name, end_user or None)
    kinds = [kind] if kind else [kind for kind in PRODUCT_TYPES.values() if kind.identity in settings]
    value = settings.get(kinds[0].identity or "") if kinds else None
    if not isinstance(value, str) or not value:
        return None
    return identity(kinds[0].identity, value, None if kinds[0].unique else end_user or None)


def check_name(name: str) -> None:
    """Raise ConfigurationError for a name of an order or operation that looks like another one."""
    if name == PLACEHOLDER or name != name.strip() or len(name) > 255:
        raise ConfigurationError(
            f"The name {name[:60]!a} is not a valid name.\n"
            "It is a placeholder, begins or ends with whitespace, or is longer than 255 characters.\n"
            "Give the order or operation a plain name."
        )
    unprintable = next((character_name(character) for character in name if not character.isprintable()), None)
    if odd := odd_character(name) or unprintable:
        raise ConfigurationError(
            f"The name {name[:60]!a} is not a valid name: it contains {odd}.\n"
            "It would differ from a name that looks the same.\nWrite it again, without that character."
        )
    if not unicodedata.is_normalized("NFC", name):
        combining = next((letter for letter in name if unicodedata.combining(letter)), name)
        raise ConfigurationError(
            f"The name {name[:60]!r} is not in Unicode NFC form.\n"
            f"It contains {character_name(combining[0])}, and differs from a name that looks the same.\n"
            f"Write it as {unicodedata.normalize('NFC', name)!r}."
        )


def check_end_user(end_user: str, outcome: str = "This order was not sent", known: Collection[str] = ()) -> None:
    """Raise ConfigurationError for what is no end user of the service (API specification 2.3).

    ``known`` are the names of end users in the service's file, which stand for UUIDs.
    """
    if end_user != SELF and not is_uuid(end_user):
        near = "".join(f" Did you mean {name}?" for name in nearest(end_user, known, 1))
        raise ConfigurationError(
            f"end_user {end_user[:60]!r} is not a UUID, {SELF} or a name in the service's file. {outcome}.{near}\n"
            f"Give the end user's UUID, {SELF} to order for your own organization, or a name of end_users in that file."
        )


def body(order: Order, shape: OrderShape) -> dict[str, Any]:
    """The request body (API specification 4.1). Settings are left out when there are none and none are required."""
    made: dict[str, Any] = {
        shape.end_user_element: order.end_user,
        shape.product_element: order.product,
    }
    settings = order.settings
    if settings or shape.settings_required:
        made["settings"] = {
            name: contact_text(value) if name in CONTACT_SETTINGS and isinstance(value, Mapping) else value
            for name, value in settings.items()
        }
    # A shape that was learned after the elements were checked must not let one of them decide who pays for what.
    elements = order.additional_elements
    own = own_elements(shape.end_user_element, shape.product_element)
    for name in own.keys() & elements.keys():
        raise ConfigurationError(
            f"additional_elements.{name} is what the option {own[name]} sets. Nothing was sent.\n"
            "Leave it out of additional_elements."
        )
    return {**made, **elements}
