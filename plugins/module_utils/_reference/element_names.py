# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checks the elements of an order's body that the options of a task set: each needs its own name."""

from __future__ import annotations

from collections.abc import Iterable

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
