# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from tests.tools import matrix


def test_every_supported_version_is_documented() -> None:
    """What the matrix runs is what the metadata promises, and what the guides call tested."""
    lowest = min(matrix.SUPPORTED, key=_ordered)
    pythons = sorted({python for each in matrix.SUPPORTED.values() for python in each}, key=_ordered)
    for path, words in (
        ("meta/runtime.yml", f"requires_ansible: '>={lowest}.0'"),
        ("execution-environment.yml", f"ansible-core>={lowest}.0"),
        ("README.md", f"for ansible-core {lowest} or newer and Python {pythons[0]} or newer"),
        ("docs/docsite/rst/upgrading.rst", f"ansible-core {lowest} to {max(matrix.SUPPORTED, key=_ordered)}"),
    ):
        assert words in (matrix.ROOT / path).read_text(encoding="utf-8")


def _ordered(version: str) -> tuple[int, ...]:
    return tuple(map(int, version.split(".")))
