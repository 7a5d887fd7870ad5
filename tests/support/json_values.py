# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""JSON values of any form, for tests that whatever a service or a user writes has a defined end."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st


def json_values(names: str = "", *leaves: Any) -> st.SearchStrategy[Any]:
    """Values in which some keys and some single values are those that the code looks for."""
    keys = st.sampled_from(names.split() or [""]) | st.text(max_size=4)
    single = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5)
    return st.recursive(
        single | st.sampled_from(leaves or [None]),
        lambda inner: st.lists(inner, max_size=4) | st.dictionaries(keys, inner, max_size=6),
        max_leaves=30,
    )
