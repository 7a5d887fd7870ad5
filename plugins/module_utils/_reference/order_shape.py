# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The request body of an order, which API specification 4.1 leaves open, as it was learned or given."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from .._core.errors import ConfigurationError
from .element_names import own_elements
from .order_answers import OrderAnswers
from .request_parts import JSON


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
    media_type: str = JSON
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
    def from_cache(cls, value: object) -> OrderShape | None:
        """The shape that was kept, or ``None`` when the value is no such thing."""
        if not isinstance(value, Mapping):
            return None
        names = _texts([value.get(name) for name in ("end_user_element", "product_element", "media_type")])
        required, elements, warnings = (_texts(value.get(name)) for name in ("required", "elements", "warnings"))
        answers = OrderAnswers.from_cache(value.get("answers"))
        if names is None or required is None or elements is None or warnings is None or answers is None:
            return None
        end_user, product, media_type = names
        settings_required, lists = (value.get(name) is True for name in ("settings_required", "lists_contracts"))
        try:
            return cls(end_user, product, media_type, required, elements, settings_required, warnings, answers, lists)
        except ConfigurationError:
            return None


def _texts(value: object) -> tuple[str, ...] | None:
    if isinstance(value, (list, tuple)) and all(isinstance(text, str) and text for text in value):
        return tuple(value)
    return None
