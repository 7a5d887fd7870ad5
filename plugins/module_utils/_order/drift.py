# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Finds drift, differences between the record of an order and the task, and tells what to do about it. Pure."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from .._core.addresses import is_loopback, same_service
from .._core.errors import DriftError
from .._core.text import caseless, same_id
from .._http.config import ServiceConfig
from .._ledger.order_records import Record, Request
from .._ledger.settling import offer_by_hand
from .._product_types.product_type import ProductType
from .._product_types.registry import CONTACT_SETTINGS
from .._secrets.kept import WITHHELD, kept_elements, kept_settings
from .._secrets.names import is_secret_name
from .order import RequestedOrder

#: Stands for values that are kept as a digest only, and for those that may be secret.
NOT_SHOWN = "(not shown)"
ABSENT = "(not given)"


@dataclass(frozen=True)
class DriftedValue:
    """One difference: its dotted path, the recorded value and the requested value."""

    path: str
    recorded: Any
    asked: Any

    @property
    def of_settings(self) -> bool:
        """Whether the difference is in the settings, not in the product, the service or the end user."""
        return self.path.startswith(("settings.", "additional_elements."))

    def as_dict(self) -> dict[str, Any]:
        return {"path": self.path, "recorded": self.recorded, "asked": self.asked}

    def __str__(self) -> str:
        if self.recorded == self.asked == NOT_SHOWN:
            return f"{self.path} differs"
        return f"{self.path}: recorded {self.recorded!r}, requested {self.asked!r}"


def drift_of(
    recorded: Request,
    requested: RequestedOrder,
    kind: ProductType,
    settings: Mapping[str, Any],
    config: ServiceConfig,
    digest_key: bytes,
) -> Iterator[DriftedValue]:
    """The differences between the requested order, with its checked ``settings``, and the record.

    Secrets are not in the ledger and cannot differ; contacts and additional elements are compared by digest. Of what an
    adopted contract was ordered with, only what is known can differ.
    """
    # Of an adopted contract, each of these may be unknown.
    if recorded.service and not same_service(recorded.service, config.base_url):
        yield DriftedValue("base_url", recorded.service, config.base_url)
    if recorded.organization_id not in ("", config.organization_id):
        yield DriftedValue("organization_id", recorded.organization_id, config.organization_id)
    if recorded.end_user and not same_id(recorded.end_user, requested.end_user):
        yield DriftedValue("end_user", recorded.end_user, requested.end_user)
    product = requested.product or kind.product_id
    if recorded.product and product and not same_id(recorded.product, product) and product != recorded.product_name:
        yield DriftedValue("product", recorded.product_name or recorded.product, product)
    if recorded.product_type not in ("", kind.name):
        yield DriftedValue("product_type", recorded.product_type, kind.name)
    asked = kept_settings(settings, digest_key)
    if recorded.partial:
        asked = {name: value for name, value in asked.items() if name in recorded.settings}
    yield from _entries("settings", recorded.settings, asked, kind)
    if not recorded.partial:
        elements = kept_elements(requested.additional_elements, digest_key)
        yield from _entries("additional_elements", recorded.additional_elements, elements, kind)


def _entries(
    prefix: str, recorded: Mapping[str, Any], asked: Mapping[str, Any], kind: ProductType
) -> Iterator[DriftedValue]:
    documented = kind.schema.get("properties", {})
    for name in dict.fromkeys([*recorded, *asked]):
        before, after = recorded.get(name), asked.get(name)
        # Templating makes text of numbers; where no documented rule says the type, "4" and 4 ask for the same.
        same = before == after if name in documented else caseless(str(before)) == caseless(str(after))
        if same or is_secret_name(name) or WITHHELD in (before, after):
            continue
        digest = prefix != "settings" or name in CONTACT_SETTINGS
        # The live rules, which are not asked here, may call a setting secret that the API specification does not.
        unknown = before is None and name not in documented
        yield DriftedValue(f"{prefix}.{name}", _shown(before, hidden=digest), _shown(after, hidden=digest or unknown))


def _shown(value: Any, *, hidden: bool) -> Any:
    if value is None:
        return ABSENT
    return NOT_SHOWN if hidden else value


def drift_message(name: str, differences: Sequence[DriftedValue]) -> str:
    """How the record of an order differs from the task, and what to do."""
    listed = "\n".join(f"  - {difference}" for difference in differences)
    if all(difference.of_settings for difference in differences):
        advice = (
            "The API specification has no way to change or cancel a contract. Restore the recorded values, or set "
            "on_drift to warn or ignore. To order another one, change its name and its hostname or domain."
        )
    else:
        advice = (
            "This is another contract than the recorded one, so on_drift does not cover it. Restore the recorded "
            "values. To order another one, change its name and its hostname or domain."
        )
    return f"Order {name} differs from its record in the ledger. It is not sent again.\n{listed}\n{advice}"


def _is_local(address: str) -> bool:
    return is_loopback(urlsplit(address).hostname or "")


def drift_error(record: Record, differences: Sequence[DriftedValue], ledger: str) -> DriftError:
    """The error of an order in ``ledger`` (its ``place``) that on_drift does not let pass."""
    message = drift_message(record.name, differences)
    moved = next((each for each in differences if each.path == "base_url"), None)
    # An address of this machine is a service for trying out, which no contract moves to or from.
    if moved is not None and not any(map(_is_local, (moved.recorded, moved.asked))):
        options = {"state": "moved", "from": moved.recorded, "to": moved.asked}
        by_hand = offer_by_hand("Record the new address of the service", options, ledger)
        message += f"\nIf the service has a new address, run this {by_hand.form}:\n{by_hand}"
    return DriftError(
        message,
        differences=[difference.as_dict() for difference in differences],
        order=record.order(),
        contract_id=record.outcome.contract_id,
    )
