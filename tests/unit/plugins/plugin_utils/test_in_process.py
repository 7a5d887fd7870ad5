# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a task in the controller's process is given."""

from __future__ import annotations

from ansible_collections.hosting.reseller.plugins.plugin_utils._in_process import as_module_input


class StaysUnsafe(str):
    """A text as ansible-core 2.17 and 2.18 mark it: str() does not take the mark off."""

    def __str__(self) -> str:  # pylint: disable=invalid-str-returned
        return self


def test_marked_texts_become_plain_ones_wherever_they_stand() -> None:
    plain = as_module_input({StaysUnsafe("hostnames"): [StaysUnsafe("web01.example.org")]})
    assert plain == {"hostnames": ["web01.example.org"]}
    assert [type(key) for key in plain] == [str]
    assert [type(item) for item in plain["hostnames"]] == [str]
