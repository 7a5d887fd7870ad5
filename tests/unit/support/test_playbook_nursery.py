# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.playbook_nursery import Nursery

TELL = """#!{python}
import atexit, json, os, sys
atexit.register(print, "the end")
loaded = sorted(name for name in sys.modules if name.startswith(("ansible.", "ansible_collections")))
print(json.dumps({{
    "name": __name__, "arguments": sys.argv, "path": sys.path, "folder": os.getcwd(), "environ": dict(os.environ),
    "leader": os.getsid(0) == os.getpgrp() == os.getpid(), "files": sorted(os.listdir("/proc/self/fd")),
    "standard input": os.readlink("/proc/self/fd/0"), "terminal": sys.stdout.isatty(),
}}), flush=True)
print("loaded:", *loaded)
print("an error", file=sys.stderr, flush=True)
exec(sys.argv[1])
"""


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """Tells all that it sees of its process, and does what its argument says."""
    path = tmp_path / "program"
    path.write_text(TELL.format(python=sys.executable))
    path.chmod(0o700)
    return path


@pytest.fixture
def nursery(program: Path) -> Iterator[Nursery]:
    made = Nursery(program)
    yield made
    made.close()


def plain(program: Path, arguments: list[str], folder: Path, environ: dict[str, str]) -> tuple[int, str]:
    done = subprocess.run(
        [program, *arguments],
        cwd=folder,
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
        check=False,
    )
    return done.returncode, done.stdout


@pytest.mark.parametrize(
    "ending",
    [
        "pass",
        "sys.exit('why')",
        "os._exit(4)",
        "os.kill(os.getpid(), 15)",
    ],
)
def test_fork_is_what_a_process_from_its_start_would_be(program: Path, nursery: Nursery, ending: str) -> None:
    folder = program.parent
    for marker in ("first", "second"):
        environ = {**os.environ, "HOME": str(folder), marker: "set"}
        status, said = nursery.run([ending, "--check"], folder, environ, 60)
        expected_status, expected = plain(program, [ending, "--check"], folder, environ)
        assert status == expected_status
        seen, others = json.loads(said.splitlines()[0]), json.loads(expected.splitlines()[0])
        # Standard input, output and error, and the folder that is listed.
        assert len(seen.pop("files")) == len(others.pop("files")) == 4
        assert seen == others
        rest, expected_rest = (
            [line for line in text.splitlines()[1:] if "loaded" not in line] for text in (said, expected)
        )
        assert rest == expected_rest


def test_nothing_is_preloaded_that_reads_settings_or_is_ours(program: Path, nursery: Nursery) -> None:
    _status, said = nursery.run(["pass"], program.parent, os.environ, 60)
    (line,) = [line for line in said.splitlines() if line.startswith("loaded: ")]
    loaded = line.split()[1:]
    assert "ansible.errors" in loaded
    assert not [
        name for name in loaded if name.startswith(("ansible_collections", "ansible.config", "ansible.plugins"))
    ]
    assert not {"ansible.constants", "ansible.utils.display", "ansible.cli"} & set(loaded)


def test_run_that_takes_too_long_is_killed_with_all_that_it_started(program: Path, nursery: Nursery) -> None:
    with pytest.raises(TimeoutError, match="an error"):
        nursery.run(["os.fork(); import time; time.sleep(600)"], program.parent, os.environ, 3)
    assert nursery.run(["sys.exit(5)"], program.parent, os.environ, 60)[0] == 5
