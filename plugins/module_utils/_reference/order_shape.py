# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The request body of an order and the answer to it, which API specification 4.1 leaves open, as learned or given."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from .._core.errors import ConfigurationError

SETTINGS = "settings"


def own_elements(end_user_element: str | None, product_element: str | None) -> dict[str, str]:
    """The option that sets each element, by the element's name; ``None``: that name is not known yet.

    Raises ConfigurationError if one element would carry two of them, however the names were given or learned.
    """
    if end_user_element and end_user_element == product_element:
        raise ConfigurationError(
            f"end_user_element and product_element are both {end_user_element!r}. Nothing was sent.\n"
            "They name two different elements of the request body. Correct one of them."
        )
    if SETTINGS in (end_user_element, product_element):
        option = "end_user_element" if end_user_element == SETTINGS else "product_element"
        raise ConfigurationError(
            f"{option} cannot be settings. Nothing was sent.\n"
            "That element holds the product's settings. Give the name of another one."
        )
    known = {end_user_element: "end_user", product_element: "product", SETTINGS: SETTINGS}
    return {name: option for name, option in known.items() if name}


def check_free(names: Iterable[str], own: dict[str, str]) -> None:
    """Raise ConfigurationError if additional elements have a name that an option sets."""
    for name in names:
        if name in own:
            raise ConfigurationError(
                f"additional_elements.{name} is what the option {own[name]} sets. Nothing was sent.\n"
                "Leave it out of additional_elements."
            )


@dataclass(frozen=True)
class OrderAnswers:
    """The published 2xx answers of POST /api/reseller/contracts.

    ``media_types`` are those of all of them that are JSON. ``only_success`` is the status if the reference lists
    exactly one; then ``empty`` says that it has no body, and ``elements`` are those that an object in it may have.
    ``id_parameter`` is that of the path that reads one contract, which names the element of its id.
    """

    media_types: tuple[str, ...] = ()
    only_success: int | None = None
    empty: bool = False
    elements: tuple[str, ...] = ()
    id_parameter: str = ""

    def confirm(self, status: int, body: Any) -> bool:
        """Whether an answer with a whole JSON body is the published one to an order that was placed."""
        if status != self.only_success or self.empty:
            return False
        return not self.elements or (isinstance(body, dict) and not body.keys().isdisjoint(self.elements))


@dataclass(frozen=True)
class OrderShape:
    """What the body of an order looks like beyond what the API specification shows.

    ``required`` names further elements that the user has to give; ``elements`` all elements that the reference names
    (empty when it names none); ``settings_required`` whether ``settings`` is sent even when there are none; ``answers``
    what the reference says of the answer to an accepted order; ``lists_contracts`` whether it has a list of contracts.
    Raises ConfigurationError if one element would carry two things.
    """

    end_user_element: str
    product_element: str
    media_type: str = "application/json"
    required: tuple[str, ...] = ()
    elements: tuple[str, ...] = ()
    settings_required: bool = False
    warnings: tuple[str, ...] = field(default=(), compare=False)
    # It changes nothing about what is sent.
    answers: OrderAnswers = field(default=OrderAnswers(), compare=False)
    lists_contracts: bool = field(default=False, compare=False)

    def __post_init__(self) -> None:
        own_elements(self.end_user_element, self.product_element)

    def to_cache(self) -> dict[str, Any]:
        """A JSON value that from_cache reads."""
        return asdict(self)

    @classmethod
    def from_cache(cls, value: Any) -> OrderShape | None:
        """The shape that was kept, or ``None`` for what another version kept."""
        try:
            return cls(**_tuples({**value, "answers": OrderAnswers(**_tuples(value["answers"]))}))
        except (TypeError, KeyError, AttributeError, ConfigurationError):
            return None


def _tuples(kept: Mapping[str, Any]) -> dict[str, Any]:
    """What JSON has as lists."""
    return {name: tuple(value) if isinstance(value, list) else value for name, value in kept.items()}
