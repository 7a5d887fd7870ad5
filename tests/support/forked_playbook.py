# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Runs of Ansible's programs in forks of a process that has imported Ansible and the tasks (nursery.py).

Each run executes its program from the first line, in a session of its own, and looks up all settings of Ansible anew.
"""

from __future__ import annotations

import functools
import gc
import io
import os
import runpy
import select
import signal
import socket
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.support.nursery import ROOT, Nursery

#: The settings that all runs have in common.
SETTINGS = {
    "ANSIBLE_CONFIG": str(ROOT / "tests/ansible.cfg"),
    "ANSIBLE_COLLECTIONS_PATH": str(ROOT / ".cache"),
    "ANSIBLE_CALLBACK_PLUGINS": str(ROOT / "tests/support/callback_plugins"),
    "ANSIBLE_CALLBACKS_ENABLED": "record",
    "ANSIBLE_NOCOLOR": "1",
}
#: What an interpreter, the C library and Ansible's modules read once, when they start.
READ_AT_START = ("ANSIBLE_", "NO_COLOR", "COLUMNS", "PYTHON", "COVERAGE_", "LC_", "LANG", "LD_", "MALLOC_", "TZ")
#: Settings that no module reads when it is imported.
READ_LATE = ("ANSIBLE_CACHE_PLUGIN", "ANSIBLE_FORKS")
#: The programs, and libraries that they and the collection import in a run.
PRELOADED = (
    "concurrent.futures",
    "jinja2.nativetypes",
    "jsonschema",
    "multiprocessing.queues",
    "packaging.requirements",
    "requests",
    "sqlite3",
    "yaml",
    "ansible.cli.inventory",
    "ansible.cli.playbook",
    "ansible.plugins.strategy.linear",
)
#: The kinds of plugins that each run looks at.
PLUGINS = ("become", "callback", "connection", "filter", "inventory", "shell", "test", "vars")


def can_be_forked(environment: Mapping[str, str]) -> bool:
    """Whether a fork, which has the environment of this process and SETTINGS, is what a process of its own would be."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith("ANSIBLE_")} | SETTINGS
    return "COVERAGE_PROCESS_CONFIG" not in environment and all(
        kept.get(name) == environment.get(name)
        for name in {*kept, *environment}
        if name.startswith(READ_AT_START) and not name.startswith(READ_LATE)
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
    constants: Any = import_module("ansible.constants")
    for name in constants.config.get_configuration_definitions():
        constants.set_constant(name, constants.config.get_config_value(name, variables=vars(constants)))
    runpy.run_path(sys.argv[0], run_name="__main__")


def preload() -> None:
    """Import what all runs use of Ansible, and read the documentation of its plugins, which defines their settings."""
    for name in [name for name in os.environ if name.startswith("ANSIBLE_")]:
        del os.environ[name]
    os.environ.update(SETTINGS)
    # Ansible makes a directory in it.
    with tempfile.TemporaryDirectory() as home:
        os.environ["HOME"] = home
        for name in PRELOADED:
            import_module(name)
        loader = import_module("ansible.plugins.loader")
        for kind in PLUGINS:
            list(getattr(loader, f"{kind}_loader").all(class_only=True))
    # Runs configure it, too: it is there already, in the way of the same settings.
    loader.init_plugin_loader()
    loader._configure_collection_loader = lambda *_paths: None
    for path in (ROOT / "plugins/module_utils/_tasks").glob("[!_]*.py"):
        import_module(f"ansible_collections.hosting.reseller.plugins.module_utils._tasks.{path.stem}")
    # Where plugins of ansible-core are is a fifth of what a run takes to start, and tools may read it in their own way.
    finder: Any = import_module("ansible.utils.collection_loader._collection_finder")
    finder._meta_yml_to_dict = functools.cache(finder._meta_yml_to_dict)
    routing = Path(import_module("ansible").__path__[0], "config/ansible_builtin_runtime.yml").read_bytes()
    finder._meta_yml_to_dict(routing, ("ansible.builtin", "runtime.yml"))
    gc.collect()
    gc.freeze()
