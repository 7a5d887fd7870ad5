# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The layers of the code: adapters, order, service and ledger, common ground. Imports go down or stay, never up."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PLUGINS = ROOT / "plugins"
PACKAGE = "ansible_collections.hosting.reseller.plugins.module_utils"

#: The packages below module_utils, from the ground up. A package knows those in the lines above its own.
LAYERS = (
    "_core",
    "_product_types",
    "_secrets",
    "_http _ledger",
    "_locations _service",
    "_catalogue",
    "_checks",
    "_orders",
    "_contracts _placing _stack _adapter",
    "_requests",
    "_runs",
    "_tasks",
)

#: The tasks that send nothing.
READING = [
    "contract_info",
    "ledger_info",
    "nameservers_info",
    "operation_info",
    "products_info",
    "reconcile",
    "service_info",
]

FILES = sorted((PLUGINS / "module_utils").rglob("*.py"))


def rank(package: str) -> int:
    """The layer of a package."""
    return next(layer for layer, packages in enumerate(LAYERS) if package in packages.split())


def package_of(path: Path) -> str:
    return path.relative_to(PLUGINS / "module_utils").parts[0]


def imports(path: Path, root: Path = PLUGINS / "module_utils", package: str = PACKAGE) -> Iterator[str]:
    """The full names of everything that a file of a package imports, wherever in it."""
    here = [*package.split("."), *path.relative_to(root).with_suffix("").parts]
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            module = ".".join([*(here[: -node.level] if node.level else ()), *([node.module] if node.module else ())])
            yield module
            yield from (f"{module}.{alias.name}" for alias in node.names)


def test_imports_go_down_and_only_plugins_know_ansible() -> None:
    wrong = []
    for path in FILES:
        own, names = package_of(path), [*imports(path)]
        others = {name.removeprefix(f"{PACKAGE}.").split(".")[0] for name in names if name.startswith(f"{PACKAGE}._")}
        wrong += [(own, other) for other in others - {own} if rank(other) >= rank(own)]
        wrong += [(own, name) for name in names if name.split(".")[0] == "ansible"]
    assert wrong == []


def test_what_only_reads_imports_nothing_that_sends() -> None:
    """However many files are between."""
    files = {
        ".".join((PACKAGE, *path.relative_to(PLUGINS / "module_utils").with_suffix("").parts)): path for path in FILES
    }
    seen, found = set[str](), [f"{PACKAGE}._tasks.{name}" for name in READING]
    while found:
        name = found.pop()
        if name in files and name not in seen:
            seen.add(name)
            found += imports(files[name])
    assert len(seen) > 50
    assert [name for name in seen if "._placing." in name] == []


def test_simulator_imports_only_the_standard_library_and_requirements_of_the_collection() -> None:
    """It shares no code with what it tests, and runs where only the collection is installed."""
    simulator, requirements = ROOT / "playbooks/files/simulator", (ROOT / "requirements.txt").read_text("utf-8")
    assert {"requests", "PyYAML"} <= set(re.findall(r"(?m)^[\w-]+", requirements))
    names = {name for path in simulator.rglob("*.py") for name in imports(path, simulator, "simulator")}
    top = {name.partition(".")[0] for name in names}
    assert top - sys.stdlib_module_names == {"requests", "yaml", "simulator"}


def test_a_name_stands_once() -> None:
    """A class, a file or a public function has one meaning in the collection; each task has its own ``run``."""
    found = defaultdict(list)
    for path in (path for path in FILES if path.name != "__init__.py"):
        found[path.name].append(path)
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            function = isinstance(node, ast.FunctionDef) and not node.name.startswith("_")
            if isinstance(node, ast.ClassDef) or (function and (package_of(path), node.name) != ("_tasks", "run")):
                found[node.name].append(path)
    assert {name: paths for name, paths in found.items() if len(paths) > 1} == {}


WITHOUT_LIBRARIES = """
import importlib, sys
sys.modules.update(dict.fromkeys("dns idna jsonschema psycopg referencing requests urllib3 yaml".split()))
for name in sys.argv[1:]:
    if ".module_utils" not in name:
        sys.modules.pop("yaml", None)  # ansible-core brings it
    importlib.import_module(name)
"""


#: Imports all files, and fails on what would change the process of Ansible, or prepare in it what no task needs yet.
UNCHANGED = """
import gc, importlib, os, sys
import requests

def refused(name, call):
    def replacement(*args, **options):
        if "/hosting/reseller/plugins/" in sys._getframe(1).f_code.co_filename:
            raise SystemExit(f"{name} is called on import")
        return call(*args, **options)
    return replacement

for owner, name in ((gc, "freeze"), (gc, "disable"), (os, "register_at_fork"), (requests, "Session")):
    setattr(owner, name, refused(name, getattr(owner, name)))
for name in sys.argv[1:]:
    importlib.import_module(name)
"""


def import_all(program: str) -> None:
    paths = [*FILES, *sorted(set(PLUGINS.rglob("*.py")) - {*FILES})]
    parts = [path.relative_to(PLUGINS).with_suffix("").parts for path in paths if path.name != "__init__.py"]
    names = [".".join((PACKAGE.removesuffix(".module_utils"), *each)) for each in parts]
    assert len(names) > 100
    subprocess.run([sys.executable, "-c", program, *names], cwd=PLUGINS.parent / ".cache", check=True)


def test_each_file_can_be_imported_without_the_libraries() -> None:
    """So that a missing one is an error of a task, and the documentation can be read all the same."""
    import_all(WITHOUT_LIBRARIES)


def test_importing_the_plugins_leaves_the_process_of_ansible_as_it_is() -> None:
    import_all(UNCHANGED)
