# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs of ansible-playbook in forks of a process that has imported libraries (nursery.py).

Each run executes the program ansible-playbook from its first line, in a session of its own. What reads settings is
imported anew each time, and so is the collection.
"""

from __future__ import annotations

import contextlib
import functools
import gc
import io
import os
import runpy
import select
import signal
import socket
import sys
import time
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.support.nursery import Nursery

#: What an interpreter and the C library read once, when they start.
READ_AT_START = ("PYTHON", "COVERAGE_", "LC_", "LANG", "LD_", "MALLOC_", "TZ")
#: This module and whatever imports it read Ansible's settings, from the environment and from files.
SETTINGS = "ansible.constants"
#: Libraries that Ansible and the collection use, and parts of ansible-core that read no settings, where they are found.
PRELOADED = (
    "concurrent.futures",
    "jinja2.nativetypes",
    "jsonschema",
    "multiprocessing.queues",
    "packaging.requirements",
    "requests",
    "sqlite3",
    "yaml",
    "ansible._internal._ssh._ssh_agent",
    "ansible.parsing.utils.addresses",
    "ansible.vars.hostvars",
)


def can_be_forked(environment: Mapping[str, str]) -> bool:
    """Whether a fork of a process of this one's environment is what a process with that one would be."""
    return "COVERAGE_PROCESS_CONFIG" not in environment and all(
        os.environ.get(name) == environment.get(name)
        for name in {*os.environ, *environment}
        if name.startswith(READ_AT_START)
    )


def run(
    nursery: Nursery, program: Path, arguments: Sequence[str], folder: Path, environ: Mapping[str, str], timeout: float
) -> tuple[int, str]:
    """Run a program, and return its exit status and output once nothing is left that could print.

    Raises:
        TimeoutError: it took longer, and was killed
    """
    wanted = {"argv": [str(program), *arguments], "folder": str(folder), "environ": dict(environ)}
    reading, writing = os.pipe()
    with nursery.fork(wanted, writing) as connection, open(reading, "rb", buffering=0) as output:
        os.close(writing)
        told = connection.makefile("rb")
        pid = int(told.readline())
        try:
            printed = read(output, timeout)
        except TimeoutError:
            os.killpg(pid, signal.SIGKILL)
            raise
        status = int(told.readline())
    return status, io.TextIOWrapper(io.BytesIO(printed), encoding="utf-8").read()


def read(file: io.RawIOBase, timeout: float) -> bytes:
    """All that comes until the file's end."""
    found, deadline = [b""], time.monotonic() + timeout
    while select.select([file], [], [], max(0.0, deadline - time.monotonic()))[0]:
        if not (part := file.read(1 << 18)):
            return b"".join(found)
        found.append(part)
    raise TimeoutError(f"no end within {timeout:g} s after {b''.join(found)!r}")


def serve(wanted: Mapping[str, Any], connection: socket.socket, descriptors: list[int]) -> None:
    """Be what a process is that was started like that, and tell of its id and its exit status."""
    (output,) = descriptors
    if pid := os.fork():
        os.close(output)
        connection.send(b"%d\n" % pid)
        _pid, status = os.waitpid(pid, 0)
        connection.send(b"%d\n" % os.waitstatus_to_exitcode(status))
        os._exit(0)
    connection.close()
    os.setsid()
    with open(os.devnull) as nothing:
        os.dup2(nothing.fileno(), 0)
    for standard in (1, 2):
        os.dup2(output, standard)
    os.close(output)
    os.chdir(wanted["folder"])
    os.environ.clear()
    os.environ.update(wanted["environ"])
    sys.argv[:] = wanted["argv"]
    sys.path[0] = os.path.dirname(sys.argv[0])
    runpy.run_path(sys.argv[0], run_name="__main__")


def preload() -> None:
    """Import what is the same whatever the settings are."""
    # Out of reach meanwhile, so that nothing that reads settings can come along.
    sys.modules[SETTINGS] = None  # type: ignore[assignment]
    for name in PRELOADED:
        with contextlib.suppress(ImportError):
            import_module(name)
    # Where plugins of ansible-core are is a fifth of what a run takes to start, and tools may read it in their own way.
    finder: Any = import_module("ansible.utils.collection_loader._collection_finder")
    finder._meta_yml_to_dict = functools.cache(finder._meta_yml_to_dict)
    routing = Path(import_module("ansible").__path__[0], "config/ansible_builtin_runtime.yml").read_bytes()
    finder._meta_yml_to_dict(routing, ("ansible.builtin", "runtime.yml"))
    del sys.modules[SETTINGS]
    gc.collect()
    gc.freeze()
