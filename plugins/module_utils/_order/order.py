# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Makes an order from the values of a playbook: named, typed, checked and serialized. Pure.

Document sections 4.1 (request body), 4.3 (settings) and 8 (limits).
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, TypeVar

from .._catalogue.option import Option
from .._checks.coercion import is_json
from .._checks.documented import check_documented
from .._checks.live import check_live
from .._core.advice import Advice
from .._core.errors import ConfigurationError, Violation
from .._core.pasting import PLACEHOLDER
from .._core.text import is_legible, is_uuid, nearest
from .._ledger.identity import identity
from .._ledger.order_records import ClaimEvidence, Identity
from .._product_types.product_type import ProductType
from .._product_types.registry import (
    CONTACT_SETTINGS,
    PRODUCT_TYPES,
    SELF,
    contact_text,
    product_type_of_id,
)
from .._reference.order_shape import OrderShape, check_free, own_elements
from .._secrets.masker import Masker, masked, secret_values
from .._secrets.needles import distinctive

OnDrift = Literal["fail", "warn", "ignore"]
OnDuplicate = Literal["fail", "warn", "ignore"]
CONTRACTS = "/api/reseller/contracts"
EXISTING_L2VPN = "existing_l2vpn"
#: Stands in a plan for a value that only the real run will know.
NOT_KNOWN_YET = "(not known yet)"


@dataclass(frozen=True)
class RequestedOrder:
    """One order as in the playbook. The fields are the options of reseller_contract.

    ``l2vpn_of`` is the name of the order whose L2VPN is joined, if that L2VPN arises in the same run.
    """

    end_user: str
    name: str | None = None
    product: str | None = None
    product_type: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    additional_elements: Mapping[str, Any] = field(default_factory=dict)
    validation: Literal["live", "documented"] = "live"
    org_max_ram: int | None = None
    on_drift: OnDrift = "fail"
    on_duplicate: OnDuplicate = "fail"
    verify_nameservers: bool = True
    l2vpn_of: str | None = None
    save_answer: str | None = None

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


@dataclass(frozen=True)
class Target:
    """The product of an order: its ID and type, and its name and prices if the catalogue was read."""

    product: str
    product_name: str | None
    product_type: ProductType
    prices: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True)
class Order:
    """An order that follows every rule, ready to be sent. ``settings`` are as they are sent, but for contacts,
    which are mappings.

    ``listed_prices`` is what the catalogue lists for the product and the settings, verbatim. ``secret_names`` are
    settings that the live rules call secret, beyond those that are so by name. An order with ``l2vpn_of`` is ready once
    the order of that name has an L2VPN, see ``joining``. ``not_known`` are settings that have no value in check mode
    yet. ``evidence`` is what was seen before it is sent.
    """

    name: str
    end_user: str
    target: Target
    settings: Mapping[str, Any]
    additional_elements: Mapping[str, Any]
    warnings: tuple[str, ...] = ()
    listed_prices: Mapping[str, Any] = field(default_factory=dict)
    secret_names: frozenset[str] = frozenset()
    l2vpn_of: str | None = None
    on_duplicate: OnDuplicate = "fail"
    save_answer: str | None = None
    not_known: tuple[str, ...] = ()
    marker_element: str | None = None
    evidence: ClaimEvidence | None = None

    @cached_property
    def identity(self) -> Identity | None:
        """What the order is about, see identity_of."""
        return identity_of(self.target.product_type, self.settings, self.end_user)

    @property
    def may_repeat(self) -> bool:
        """Whether the order may be sent although another order has the same identity."""
        return self.on_duplicate != "fail" and not self.target.product_type.unique

    @property
    def planned_settings(self) -> Mapping[str, Any]:
        """The settings with values that are not known yet, and an L2VPN named after the order it comes from."""
        unknown = dict.fromkeys(self.not_known, NOT_KNOWN_YET)
        if self.l2vpn_of is not None:
            unknown[EXISTING_L2VPN] = f"that of {self.l2vpn_of}"
        return {**self.settings, **unknown} if unknown else self.settings


Joining = TypeVar("Joining", RequestedOrder, Order)


def joining(one: Joining, l2vpn_id: str) -> Joining:
    """A requested order, or one that is ready, with the UUID of the L2VPN that it joins."""
    return replace(one, settings={**one.settings, EXISTING_L2VPN: l2vpn_id}, l2vpn_of=None)


def identity_of(kind: ProductType | None, settings: Mapping[str, Any], end_user: str) -> Identity | None:
    """The identity of what an order is for, whatever its name is. ``None`` if there are no duplicates of it.

    Of an adopted contract, ``kind`` (``None``) and ``end_user`` (empty) may not be known.
    """
    kinds = [kind] if kind else [each for each in PRODUCT_TYPES.values() if each.identity in settings]
    value = settings.get(kinds[0].identity or "") if kinds else None
    if not isinstance(value, str) or not value:
        return None
    return identity(kinds[0].identity, value, None if kinds[0].unique else end_user or None)


def order_name(requested: RequestedOrder) -> str | None:
    """The name of the order: ``name``, otherwise the hostname or domain as written. ``None`` without any.

    Raises ConfigurationError, see check_name.
    """
    if requested.name:
        check_name(requested.name)
        return requested.name
    identities = (kind.identity for kind in PRODUCT_TYPES.values() if kind.identity)
    given = (requested.settings.get(identity) for identity in identities)
    return next((str(value) for value in given if value not in (None, "")), None)


def check_name(name: str) -> None:
    """Raise ConfigurationError for a name of an order or operation that looks like another one."""
    if name == PLACEHOLDER or name != name.strip() or not is_legible(name) or len(name) > 255:
        raise ConfigurationError(
            f"The name {name[:60]!r} is not a valid name.\n"
            "It is a placeholder, begins or ends with whitespace, contains a character that cannot be printed, or is "
            "longer than 255 characters.\nGive the order or operation a plain name."
        )
    if not unicodedata.is_normalized("NFC", name):
        raise ConfigurationError(
            f"The name {name[:60]!r} is not in Unicode NFC form.\n"
            "It differs from a name that looks the same.\n"
            f"Write it as {unicodedata.normalize('NFC', name)!r}."
        )


def check_requested(requested: RequestedOrder) -> None:
    """Check everything that needs no catalogue. Raises ConfigurationError."""
    if requested.end_user != SELF and not is_uuid(requested.end_user):
        raise ConfigurationError(
            f"end_user {requested.end_user[:60]!r} is neither a UUID nor {SELF}. This order was not sent.\n"
            f"Give the end user's UUID, or {SELF} to order for your own organization."
        )
    if order_name(requested) in secret_values([requested.settings, requested.additional_elements]):
        # Its value is not shown: whoever reads it would know the secret.
        raise ConfigurationError(
            "The name of this order equals one of its secrets. This order was not sent.\n"
            "A name is shown and recorded. Give the order another name, or change the secret."
        )
    kind = requested.kind()
    if not requested.product and not (kind and kind.product_id):
        with_default = " and ".join(kind.name for kind in PRODUCT_TYPES.values() if kind.product_id)
        raise ConfigurationError(
            "product is missing. This order was not sent.\n"
            f"Give the UUID or the name of a product. Only the product types {with_default} have a documented one.",
            Advice("products", "reseller_products_info lists what can be ordered."),
        )


def prepare(
    requested: RequestedOrder,
    target: Target,
    options: Sequence[Option] | None,
    shape: OrderShape | None,
    own: Mapping[str, str],
    *,
    marker_element: str | None = None,
    check_mode: bool = False,
) -> tuple[Order, list[Violation]]:
    """The order and its violations. It must not be sent unless the list of violations is empty.

    ``options`` are the live rules (``None``: none are known), ``shape`` what the published reference says of the
    request body (``None``: not asked), ``own`` which option sets which of its elements, and ``marker_element`` where
    the claim's marker is sent, if anywhere.
    """
    listed = [option.name for option in options or ()]
    checked = check_documented(
        target.product_type,
        requested.settings,
        org_max_ram=requested.org_max_ram,
        also_known=listed,
        check_mode=check_mode,
    )
    violations, settings = list(checked.violations), checked.settings
    if options is not None:
        known = target.product_type.schema.get("properties", {})
        broken, checked_live = check_live(sent_settings(settings), options, documented=known)
        settings = {**checked_live, **{name: settings[name] for name in CONTACT_SETTINGS & settings.keys()}}
        already = {violation.path for violation in violations} | {f"settings.{name}" for name in checked.not_known}
        # A contact with a mistake in it is not serialised yet: live rules cannot tell anything of it.
        already |= {path.rpartition(".")[0] for path in already if path.count(".") > 1}
        violations += [each for each in broken if each.path not in already]
    violations += _check_elements(requested.additional_elements, shape, own, marker_element)
    order = Order(
        name=order_name(requested) or "",
        end_user=requested.end_user,
        target=target,
        settings=settings,
        additional_elements=requested.additional_elements,
        warnings=tuple(checked.warnings),
        listed_prices=_listed_prices(target, settings, options or ()),
        secret_names=frozenset(option.name for option in options or () if option.secret),
        l2vpn_of=requested.l2vpn_of,
        on_duplicate=requested.on_duplicate,
        save_answer=requested.save_answer,
        not_known=checked.not_known,
        marker_element=marker_element,
    )
    return order, violations


def _listed_prices(target: Target, settings: Mapping[str, Any], options: Sequence[Option]) -> dict[str, Any]:
    """What the catalogue lists as prices: of the product, of each setting given, and of the choices made."""
    prices = {"product": dict(target.prices)} if target.prices else {}
    for option in options:
        value = settings.get(option.name)
        chosen = [each.price for each in option.choices if value is not None and value in each.accepted]
        listed = {**option.price, **(chosen[0] if chosen else {})}
        if listed and value is not None:
            prices[f"settings.{option.name}"] = listed
    return prices


def _check_elements(
    elements: Mapping[str, Any], shape: OrderShape | None, own: Mapping[str, str], marker: str | None
) -> Iterator[Violation]:
    """What is wrong with further elements of the request, and with that of the marker, which nobody else may set."""
    for name, value in elements.items():
        rule = _no_free_element(name, own, "leave it out here", shape.elements if shape else ())
        if rule is None and not is_json(value):
            rule = "holds what JSON cannot carry (a number that is not finite, or a character that is not Unicode)"
        if rule is not None:
            yield Violation(f"additional_elements.{name}", masked({name: value})[name], rule, "live")
    for name in shape.required if shape else ():
        if name not in elements and name != marker:
            yield Violation(
                f"additional_elements.{name}", None, "the published reference requires this element", "live"
            )
    if marker is None:
        return
    # A shape in which no elements are known has none for the marker.
    known = (shape.elements or (shape.product_element,)) if shape else ()
    rule = _no_free_element(marker, own, "give an element that has no other use", known)
    if marker in elements:
        rule = "is in additional_elements, too; the marker would not be told from your value. Leave it out there"
    if rule is not None:
        yield Violation("marker_element", marker, rule, "live")


def _no_free_element(name: str, own: Mapping[str, str], instead: str, published: Sequence[str]) -> str | None:
    """The rule that a further element of an order breaks by its name; ``published`` are all that may be given."""
    if name in own:
        return f"is what the option {own[name]} sets; {instead}"
    if not published or name in published:
        return None
    near = nearest(name, published, 1)
    return "the published reference names no such element of an order" + (f"; did you mean {near[0]}?" if near else "")


def order_secrets(order: Order) -> set[str]:
    """All secret values of an order as strings."""
    return secret_values([order.settings, order.additional_elements], order.secret_names)


def order_names(order: Order) -> list[str]:
    """The names of an order, of its server or domain, and of its product."""
    kinds = PRODUCT_TYPES.values()
    identities = [order.settings.get(kind.identity) for kind in kinds if kind.identity]
    names = (order.name, order.target.product_name, *identities)
    return [name for name in names if isinstance(name, str) and name]


def masked_settings(order: Order) -> dict[str, Any]:
    """The settings of an order with secrets masked."""
    secrets = set(filter(distinctive, order_secrets(order)))
    shown: dict[str, Any] = Masker(secrets, kept=order_names(order), secret_names=order.secret_names).value(
        order.planned_settings
    )
    return shown


def sent_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings as they are sent: a contact is a string of JSON (API specification 4.3.5)."""
    return {
        name: contact_text(value) if name in CONTACT_SETTINGS and isinstance(value, Mapping) else value
        for name, value in settings.items()
    }


def body(order: Order, shape: OrderShape, marker: str | None = None) -> dict[str, Any]:
    """The request body (API specification 4.1). Settings are left out when there are none and none are required.

    ``marker`` is what its claim is known by, for an order with a ``marker_element``.
    """
    made: dict[str, Any] = {
        shape.end_user_element: order.end_user,
        shape.product_element: order.target.product,
    }
    if order.settings or shape.settings_required:
        made["settings"] = sent_settings(order.settings)
    # A shape that was learned after the elements were checked must not let one of them decide who pays for what.
    marked = {order.marker_element: marker} if order.marker_element and marker else {}
    check_free([*order.additional_elements, *marked], own_elements(shape.end_user_element, shape.product_element))
    return {**made, **order.additional_elements, **marked}
