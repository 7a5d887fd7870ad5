# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The manners in which the service can speak: one file each."""

from __future__ import annotations

from functools import cache

from .apiplatform import ApiPlatform
from .base import Shape
from .house import House
from .laravel import Laravel
from .plain import Plain

SHAPES: dict[str, type[Shape]] = {shape.key: shape for shape in (ApiPlatform, House, Laravel, Plain)}


@cache
def shape_of(key: str, contracts: bool = True) -> Shape:
    """The shape of this name; *contracts*: whether contracts can be read. It makes its reference once."""
    return SHAPES[key](contracts)
