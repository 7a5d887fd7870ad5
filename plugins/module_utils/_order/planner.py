# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a run would do: for each order, whether it is to be sent, is there, differs, is in doubt, or is refused."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, TypeGuard

from .._catalogue.catalogue import Product
from .._checks.documented import check_documented
from .._core.errors import (
    ConfigurationError,
    ResellerError,
    ServiceError,
    UnknownProductError,
    Violation,
    ViolationsError,
)
from .._core.text import clean, is_uuid, nearest, same_id
from .._ledger.ledger import RELEASED, Ledger, Record, Request
from .._product_types.product_type import ProductType
from .._product_types.registry import PRODUCT_TYPES, infer
from .drift import Difference, differences
from .order import Order, Target, Wish, check_wish, order_name, prepare, wished_type
from .service import Service

_DOCUMENTED = frozenset(name for kind in PRODUCT_TYPES.values() for name in kind.settings)
#: Asks whether what an order needs is there; what is missing comes back as violations.
Preflight = Callable[[Mapping[str, Any]], list[Violation]]

#: ``order``: to be sent; ``none``: recorded, or being placed by another run; the others stand in the way of sending.
Action = Literal["order", "none", "in_doubt", "drift", "refused"]


@dataclass(frozen=True)
class Step:
    """One order of a plan.

    ``order`` is set when it could be prepared, ``record`` when the ledger has one of this name, ``error`` says why
    it is refused; ``ledger`` is the place of the ledger in which an order in doubt is to be settled.
    """

    name: str
    wish: Wish
    action: Action
    order: Order | None = None
    record: Record | None = None
    differences: tuple[Difference, ...] = ()
    error: ResellerError | None = None
    warnings: tuple[str, ...] = field(default=())
    ledger: str = ""

    @property
    def in_flight(self) -> bool:
        """Whether another run is placing this order now."""
        return self.record is not None and self.record.status == "pending"


class Planner:
    """Plans orders against one ledger and one service.

    ``offline``: no request may be made. ``preflight`` asks the world about settings that keep all rules.
    """

    def __init__(
        self, service: Service, ledger: Ledger, *, offline: bool = False, preflight: Preflight | None = None
    ) -> None:
        self._service = service
        self._ledger = ledger
        self._offline = offline
        self._preflight = preflight

    def plan(self, wishes: Sequence[Wish]) -> list[Step]:
        """One step for each wish, in order. What is wrong with a wish is in its step; a service that cannot be read
        raises ServiceError, a ledger that cannot be read LedgerError.
        """
        names = [self._name(wish) for wish in wishes]
        records = self._ledger.find(sorted({name for name in names if isinstance(name, str)}))
        new = {name for name in names if isinstance(name, str) and not _stands(records.get(name))}
        twins = self._ledger.differing_in_case(sorted(new)) if new else {}
        return [
            self._step(name, wish, records.get(name), twins.get(name))
            if isinstance(name, str)
            else Step(wish.name or "", wish, "refused", error=name)
            for name, wish in zip(names, wishes, strict=True)
        ]

    def _name(self, wish: Wish) -> str | ResellerError:
        try:
            check_wish(wish)
            name = order_name(wish)
        except ConfigurationError as error:
            return error
        if name is not None:
            return name
        kind = wished_type(wish)
        missing = check_documented(kind, wish.settings).violations if kind and kind.identity else ()
        if missing:
            return ViolationsError(missing)
        return ConfigurationError(
            f"The order has no name{_misspelt(wish)}. It is the order's identity in the ledger, by which a second run "
            "knows that this is the same order: give settings.hostname or settings.domain, which are the name by "
            "default, or set name. Webhosting has neither and needs name."
        )

    def _step(self, name: str, wish: Wish, record: Record | None, twin: str | None) -> Step:
        if not _stands(record):
            if twin is None:
                return self._new(name, wish, record)
            error = ConfigurationError(
                f"The order {name} is not in the ledger, but {twin} is, which differs in capital letters only: it may "
                "well be the same. Write it as the ledger has it, or give this order a name of its own."
            )
            return Step(name, wish, "refused", record=record, error=error)
        if record.status == "in_doubt":
            return Step(name, wish, "in_doubt", record=record, ledger=self._ledger.place)
        if record.status == "pending":
            return replace(self._new(name, wish, record), action="none")
        return self._recorded(name, wish, record)

    def _recorded(self, name: str, wish: Wish, record: Record) -> Step:
        if record.request is None:
            return Step(name, wish, "none", record=record)
        asked = wished_type(wish)
        kind = asked or PRODUCT_TYPES.get(record.request.product_type)
        if kind is None:
            unknown = f"The ledger holds {name} as a {record.request.product_type}, which this version does not know."
            return Step(name, wish, "none", record=record, warnings=(unknown,))
        checked = check_documented(kind, wish.settings, org_max_ram=wish.org_max_ram, also_known=_names(wish.settings))
        if checked.violations:
            # Nothing in the playbook says that it is of this type: then another contract may be meant.
            recorded = (
                f"The order {name} is recorded as a {kind.title}; another contract needs another name. What is asked"
            )
            error = ViolationsError(checked.violations, "The order" if asked else recorded)
            return Step(name, wish, "refused", record=record, error=error)
        config, key = self._service.config, self._ledger.digest_key
        asked_now = self._identified(wish, record.request)
        found = tuple(differences(record.request, asked_now, kind, checked.settings, config, key))
        action: Action = "drift" if found and wish.on_drift == "fail" else "none"
        return Step(name, wish, action, record=record, differences=found)

    def _identified(self, wish: Wish, recorded: Request) -> Wish:
        """The wish, with the recorded product if it names that one otherwise: a product may have several names."""
        offline = self._offline and wish.validation == "documented"
        if offline or not wish.product or is_uuid(wish.product) or wish.product == recorded.product_name:
            return wish
        try:
            product = self._service.catalogue().find(wish.product)
        except UnknownProductError:
            return wish
        return replace(wish, product=recorded.product) if same_id(product.id, recorded.product) else wish

    def _new(self, name: str, wish: Wish, record: Record | None) -> Step:
        try:
            return self._prepared(name, wish, record)
        except (ConfigurationError, ViolationsError, UnknownProductError) as error:
            return Step(name, wish, "refused", record=record, error=error)
        except ServiceError:
            # What is wrong in the playbook itself is worth more to the reader than a service that does not answer.
            kind = wished_type(wish)
            violations = (
                check_documented(kind, wish.settings, also_known=_names(wish.settings)).violations if kind else ()
            )
            if not violations:
                raise
            return Step(name, wish, "refused", record=record, error=ViolationsError(violations))

    def _prepared(self, name: str, wish: Wish, record: Record | None) -> Step:
        offline = self._offline and wish.validation == "documented"
        kind = wished_type(wish)
        wanted = wish.product or (kind.product_id if kind else None) or ""
        product = None
        if offline:
            _refuse_what_needs_a_request(wanted, kind)
        elif wish.validation == "live" or not is_uuid(wanted) or kind is None:
            product = self._service.catalogue().find(wanted)
        kind = kind or _inferred(product, wanted)
        target = Target(product.id if product else wanted, product.name if product else None, kind)
        options = product.options if product and wish.validation == "live" else None
        shape = self._service.known_shape() if offline else self._service.shape()
        order, violations = prepare(wish, target, options, shape)
        if self._preflight and wish.verify_nameservers and not (offline or violations):
            violations = self._preflight(order.settings)
        other = _of_another_type(product, kind) if options else None
        if violations:
            contradiction = (Violation("product_type", kind.name, other, "live"),) if other else ()
            raise ViolationsError([*contradiction, *violations])
        warnings = (*order.warnings, *(shape.warnings if shape else ()))
        if other:
            warnings += (f"product_type is {kind.name}: {other}.",)
        if product and options is None and wish.validation == "live":
            warnings += (f"The options of product {wanted} are missing or unreadable; only the documented rules hold.",)
        return Step(name, wish, "order", order=order, record=record, warnings=warnings)


def _refuse_what_needs_a_request(wanted: str, kind: ProductType | None) -> None:
    if not is_uuid(wanted):
        raise ConfigurationError(
            f"Product {wanted!r} is given by name. With validation: documented, check mode makes no request, so the "
            "name cannot be looked up. Give the product's UUID, or use validation: live."
        )
    if kind is None:
        raise ConfigurationError(
            f"The type of product {wanted} is not known. With validation: documented, check mode makes no request, so "
            "it cannot be inferred. Set product_type, or use validation: live."
        )


def _inferred(product: Product | None, wanted: str) -> ProductType:
    options = product.options if product else None
    kind = infer([option.name for option in options]) if options is not None else None
    if kind is None:
        shown = "no options that can be read" if options is None else f"the options {[o.name for o in options]}"
        raise ConfigurationError(
            f"The type of product {wanted!r} cannot be inferred: the catalogue lists {shown} for it. Set product_type "
            f"to one of {', '.join(PRODUCT_TYPES)}."
        )
    return kind


def _of_another_type(product: Product | None, kind: ProductType) -> str | None:
    """What is to be said of a product whose options are clearly those of another type than the playbook says."""
    names = [option.name for option in product.options or ()] if product else []
    told = infer(names) if names else None
    if product is None or told is None or told is kind:
        return None
    return (
        f"the options that the catalogue lists for {product.name or product.id} are those of the product type {told}; "
        "correct product or product_type"
    )


def _stands(record: Record | None) -> TypeGuard[Record]:
    """Whether a record keeps an order of its name from being sent."""
    return record is not None and record.status not in RELEASED


def _misspelt(wish: Wish) -> str:
    """A setting that may be meant to name the order."""
    identities = {kind.identity for kind in PRODUCT_TYPES.values() if kind.identity}
    for name in _names(wish.settings):
        near = nearest(name, sorted(identities - wish.settings.keys()), 1)
        if near and name not in _DOCUMENTED:
            return f" (settings.{clean(name, 60)}: did you mean {near[0]}?)"
    return ""


def _names(settings: Mapping[str, Any]) -> list[str]:
    return [name for name in settings if isinstance(name, str)]


__all__ = ["Action", "Planner", "Step"]
