# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Orders and products as lines that fit a terminal."""

from __future__ import annotations

from typing import Any

from ansible_collections.hosting.reseller.plugins.module_utils._tasks.ledger_info import WIDTH, order_lines
from ansible_collections.hosting.reseller.plugins.module_utils._tasks.products_info import product_lines

ORDER = {
    "name": "web01.example.org",
    "status": "ordered",
    "product_name": "VPS M",
    "ordered_at": "2026-11-21T08:00:01Z",
}


def option(name: str, **told: Any) -> dict[str, Any]:
    nothing = dict.fromkeys(("default", "minimum", "maximum", "step", "pattern", "choices"))
    return {"name": name, "type": "integer", "required": False, **nothing, **told}


def test_orders_are_a_table_in_which_a_long_name_moves_its_own_line_alone() -> None:
    doubtful = {"name": "d" * 30, "status": "in_doubt", "product_type": "vps", "claimed_at": "2026-11-22T08:00:01Z"}
    lines = order_lines([ORDER, doubtful])
    assert lines == [
        "NAME                          STATUS    PRODUCT            SINCE",
        "web01.example.org             ordered   VPS M              2026-11-21",
        f"{'d' * 30}  in_doubt  vps                2026-11-22",
    ]
    assert len(lines[1]) == WIDTH
    assert order_lines([]) == []


def test_each_setting_has_its_range_and_choices() -> None:
    ram = option("ram", minimum=1024, maximum=8192, step=1024, required=True)
    disk, most = option("disk", minimum=10), option("most", maximum=5, default=3)
    images = [{"value": f"image-{number:02}", "label": "x"} for number in range(9)]
    template = option("template", type="string", choices=images)
    vps = {"name": "VPS S", "product_type": "vps", "id": "43444cec", "options": [ram, disk, most, template]}
    *lines, last = product_lines([vps, {**vps, "options": None, "product_type": None}])
    assert last == "VPS S  of an unknown type  43444cec"
    assert lines == [
        "VPS S  vps  43444cec",
        "  ram  integer, 1024 to 8192, step 1024, required",
        "  disk  integer, 10 or more",
        "  most  integer, up to 5, default 3",
        "  template  string",
        "    image-00, image-01, image-02, image-03, image-04, image-05,",
        "    image-06, image-07, image-08",
    ]
    assert max(map(len, lines)) <= WIDTH
