# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.unit.plugins.test_layers import PACKAGE, PLUGINS

MODULES = sorted((PLUGINS / "modules").glob("*.py"))
CHECK = PLUGINS / "module_utils/_adapter/python.py"
#: What a module that is run by an old Python has imported of the collection.
PROGRAM = f"""
import atexit, runpy, sys
from {PACKAGE}._adapter import python
python.OLDEST = (99, 0)
atexit.register(lambda: print(sorted(name for name in sys.modules if "module_utils._" in name and "hosting" in name)))
runpy.run_path(sys.argv.pop(), run_name="__main__")
"""
#: Imports a package out of a zip. Prints the files that were imported, and those that were compiled.
ZIPPED = f"""
import json, sys
from {PACKAGE}._adapter.python import prepare_python
prepare_python()
compiled = []
sys.addaudithook(lambda event, what: compiled.append(what[1]) if event == "compile" else None)
sys.path.insert(0, sys.argv[1])
import zipped.inner.module
from zipped import inner
print(json.dumps([[each.__file__ for each in (zipped, inner, inner.module)], compiled]))
"""


@pytest.mark.parametrize("path", [CHECK, *MODULES], ids=lambda path: path.stem)
def test_what_an_old_python_has_to_read_can_be_read(path: Path) -> None:
    tree = ast.parse(path.read_text(encoding="utf-8"), feature_version=(3, 7))
    first = [node.module for node in tree.body if isinstance(node, ast.ImportFrom) and node.module != "__future__"]
    assert first == (["typing", "ansible.module_utils.basic"] if path == CHECK else [f"{PACKAGE}._adapter.python"])


@pytest.mark.parametrize("path", [MODULES[0], MODULES[-1]], ids=lambda path: path.stem)
def test_an_old_python_imports_nothing_more_and_is_named(path: Path) -> None:
    options = {"ANSIBLE_MODULE_ARGS": {"api_key": "s3cret-key", "settings": {"password": "s3cret"}, "anything": 1}}
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path[:] = {sys.path!r}\n{PROGRAM}", path],
        input=json.dumps(options),
        capture_output=True,
        text=True,
        check=False,
    )
    result, imported = done.stdout.strip().splitlines()
    told = json.loads(result)
    assert told["failed"]
    assert told["msg"].startswith("This task needs Python 99.0 or newer, but this is 3.")
    assert f" Nothing was sent.\nHost: {os.uname().nodename}. Python: {sys.executable}.\n" in told["msg"]
    assert "s3cret" not in done.stdout + done.stderr
    assert ast.literal_eval(imported) == [f"{PACKAGE}._adapter", f"{PACKAGE}._adapter.python"]


def test_each_file_of_a_zip_is_compiled_once(tmp_path: Path) -> None:
    archive = tmp_path / "module.zip"
    names = ["zipped/__init__.py", "zipped/inner/__init__.py", "zipped/inner/module.py"]
    with zipfile.ZipFile(archive, "w") as target:
        for name in names:
            target.writestr(name, "")
    program = f"import sys; sys.path[:] = {sys.path!r}\n{ZIPPED}"
    done = subprocess.run([sys.executable, "-c", program, archive], capture_output=True, text=True, check=True)
    files, compiled = json.loads(done.stdout)
    assert files == [str(archive / name) for name in names]
    assert compiled == files
