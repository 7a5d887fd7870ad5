# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The layers of the code: adapters, order, service and ledger, common ground. Imports go down or stay, never up."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PLUGINS = Path(__file__).resolve().parents[3] / "plugins"
PACKAGE = "ansible_collections.hosting.reseller.plugins.module_utils"

#: From the bottom up: how the names below module_utils begin.
LAYERS = {
    "common ground": "_errors _json _text _product _settings _secrets _config",
    "service and ledger": (
        "_answers _cache _catalogue _client _dns _docs_ _element_roles _init_script _ledger _live_ _nameservers "
        "_observed _openapi _pages _problems _records _reference _schema _transport"
    ),
    "order": (
        "_approval _batch _documented _drift _interrupts _many _order _pace _placing _plan _progress _reports _service "
        "_settling _stack"
    ),
    "adapters": "_argspec _hiding _module _task",
}
#: The only files below the plugins themselves that know Ansible.
KNOW_ANSIBLE = {"_argspec", "_module"}

FILES = sorted((PLUGINS / "module_utils").rglob("*.py"))


def rank(part: str) -> int:
    """The layer of a file; the longest beginning decides."""
    found = [
        (len(name), layer)
        for layer, names in enumerate(LAYERS.values())
        for name in names.split()
        if part.startswith(name)
    ]
    assert found, f"{part} has no layer: add it to LAYERS"
    return max(found)[1]


def part_of(path: Path) -> str:
    return path.relative_to(PLUGINS / "module_utils").parts[0].removesuffix(".py")


def imports(path: Path) -> Iterator[str]:
    """The full names of everything that a file imports, wherever in it."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PLUGINS)))
def test_imports_go_down(path: Path) -> None:
    parts = {name.removeprefix(PACKAGE + ".").split(".")[0] for name in imports(path) if name.startswith(PACKAGE + ".")}
    up = {part for part in parts if rank(part) > rank(part_of(path))}
    assert not up, f"{part_of(path)} is below {up}"


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(PLUGINS)))
def test_only_adapters_know_ansible(path: Path) -> None:
    known = {name for name in imports(path) if name.split(".")[0] == "ansible"}
    assert not known or part_of(path) in KNOW_ANSIBLE
