# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compares a record of the ledger with a task. Pure.

An unknown text of a record is empty, and a ``partial`` one may lack settings.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from typing import Any, NamedTuple

from .._core.text import folded_text, same_id
from .._ledger.order_records import NamedOperation, Request
from .._product_types.registry import CONTACT_SETTINGS, PRODUCT_TYPES, SELF, TEMPLATE_SETTINGS
from .._secrets.masker import WITHHELD

#: Stands for values that are kept as a digest only, and for those that may be secret.
NOT_SHOWN = "(not shown)"
ABSENT = "(not given)"

#: The options of reseller_record without which a record answers no order, each with what to give.
NEEDED = {
    "end_user": f"UUID of the end user, or {SELF}",
    "product_type": " or ".join(PRODUCT_TYPES),
    "base_url": "address of the service",
}
#: The fields of options that have another name.
_FIELDS = {"base_url": "service"}


class DriftedValue(NamedTuple):
    """One difference between a record and what is requested."""

    #: Dotted: ``settings.template``.
    path: str
    #: The two values, or what stands for them.
    recorded: Any
    requested: Any

    def __str__(self) -> str:
        if self.recorded == self.requested == NOT_SHOWN:
            return f"{self.path} differs"
        return f"{self.path}: recorded {self.recorded!r}, requested {self.requested!r}"


def of_settings(differences: Iterable[DriftedValue]) -> bool:
    """Return whether all differences are in the settings, none in the product, the service or the end user."""
    return all(difference.path.startswith(("settings.", "additional_elements.")) for difference in differences)


def drift_of(recorded: Request, requested: Request) -> Iterator[DriftedValue]:
    """The differences between a record and what is requested.

    What one of them does not know cannot differ: an empty text, or what a ``partial`` one leaves out. Secrets are in
    neither; contacts and additional elements are compared by digest.
    """
    yield from _other_drift(recorded, requested)
    kind = PRODUCT_TYPES.get(requested.product_type or recorded.product_type)
    documented: Container[str] = kind.settings if kind else ()
    for prefix in ("settings", "additional_elements"):
        old, new = getattr(recorded, prefix), getattr(requested, prefix)
        for name in dict.fromkeys([*old, *new]):
            in_both = (name in old or not recorded.partial) and (name in new or not requested.partial)
            if in_both and not _is_same(name, old.get(name), new.get(name), documented):
                yield _drifted(prefix, name, old.get(name), new.get(name), documented)


def _other_drift(recorded: Request, requested: Request) -> Iterator[DriftedValue]:
    """What differs beside the settings: the service, the organization, the end user, the product."""
    for path in ("base_url", "organization_id", "end_user", "product", "product_type"):
        before, after = (getattr(request, _FIELDS.get(path, path)) for request in (recorded, requested))
        if before and after and not same_id(before, after):
            yield DriftedValue(path, (recorded.product_name if path == "product" else None) or before, after)


def _is_same(name: str, before: Any, after: Any, documented: Container[str]) -> bool:
    """Return whether two values ask for the same, or may not be compared."""
    if before == after or WITHHELD in (before, after):
        return True
    # Templating makes text of numbers; where no rule of the specification says the type, "4" and 4 ask for the same.
    # Of a text that the catalogue lists, the record has the listed form.
    if name in documented and name not in TEMPLATE_SETTINGS:
        return False
    texts = (folded_text(str(before)), folded_text(str(after)))
    return len({text if name in documented else text.casefold() for text in texts}) == 1


def _drifted(prefix: str, name: str, before: Any, after: Any, documented: Container[str]) -> DriftedValue:
    digest = prefix != "settings" or name in CONTACT_SETTINGS
    # The rules of the catalogue, which are not read here, may call a setting secret that no rule of ours does.
    unknown = before is None and name not in documented
    shown = ((before, digest), (after, digest or unknown))
    values = (ABSENT if value is None else NOT_SHOWN if hidden else value for value, hidden in shown)
    return DriftedValue(f"{prefix}.{name}", *values)


def operation_drift(recorded: NamedOperation, requested: NamedOperation) -> list[DriftedValue]:
    """The differences between a recorded and a requested operation. The ledger has only a digest of query and body."""
    pairs = {
        "operation": (recorded.operation, requested.operation),
        "base_url": (recorded.service, requested.service),
        "organization_id": (recorded.organization_id, requested.organization_id),
    }
    differences = [DriftedValue(path, before, after) for path, (before, after) in pairs.items() if before != after]
    if not differences and recorded.content_digest != requested.content_digest:
        differences = [DriftedValue("query or body (kept as a digest only)", NOT_SHOWN, NOT_SHOWN)]
    return differences


def missing_options(request: Request | None) -> list[str]:
    """The options of reseller_record that say what a record does not know and an order has to be compared with."""
    return [option for option in NEEDED if not (request and getattr(request, _FIELDS.get(option, option)))]
