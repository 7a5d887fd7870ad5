# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The meaning of allow_second."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import ConfigurationError
from ansible_collections.hosting.reseller.plugins.module_utils._orders.order import AllowSecond, RequestedOrder


@pytest.mark.parametrize(
    ("value", "meaning"),
    [
        (False, AllowSecond()),
        (True, AllowSecond(recorded=True)),
        ("yes", AllowSecond(recorded=True)),
        ("no", AllowSecond()),
        ([], AllowSecond()),
        (["1013", 1014, " a-1 "], AllowSecond(ids=frozenset({"1013", "1014", "a-1"}))),
        *((wrong, None) for wrong in ("warn", "1013", '["1013"]', None, {}, 2, [True], [""], [None], [["1013"]])),
    ],
)
def test_allow_second_is_a_boolean_or_a_list_of_ids(value: Any, meaning: AllowSecond | None) -> None:
    if meaning is not None:
        assert RequestedOrder("__self__", allow_second=value).second == meaning
        return
    with pytest.raises(ConfigurationError, match="is neither true, false nor a list of contract IDs"):
        _ = RequestedOrder("__self__", allow_second=value).second


def test_only_a_listed_id_is_allowed() -> None:
    second = AllowSecond(ids=frozenset({"AB-1"}))
    assert (second.allows("ab-1"), second.allows("ab-2")) == (True, False)
