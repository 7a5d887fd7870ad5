# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A module imports what its task needs: each file that it imports, it compiles first, in each run.

But while an order is sent and recorded, nothing is imported: an import that fails there would leave the order in doubt.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.support import fixed_service
from tests.support.http_server import ScriptedServer
from tests.unit.plugins.test_layers import PACKAGE, PLUGINS

#: How many files of module_utils an order imports, with room for some that are split.
MOST = 88
#: What it does not import if the catalogue and the form of an order are in the cache, and of which packages only these.
UNUSED = "_operations _stack"
IN_PART = {
    "_catalogue": {"catalogue", "records"},
    # What the settings hold is checked; nameservers are for domains.
    "_checks": {"coercion", "documented", "live", "reading", "scrubbing", "secrets"},
    # What an answer to an order shows.
    "_contracts": {"contract_ids", "contradictions"},
    "_reference": {"element_names", "order_answers", "order_shape"},
}
#: Nor these libraries.
LIBRARIES = {"dns", "psycopg", "yaml"}

#: Runs a module. Prints what it has imported, and what of that while orders were sent or recorded.
PROGRAM = f"""
import atexit, json, runpy, sys
late, at_work = [], []

def watched(function):
    def watching(*arguments):
        at_work.append(function)
        try:
            return function(*arguments)
        finally:
            at_work.pop()
    return watching

if sys.argv[1] == "watched":
    from {PACKAGE}._placing import placer
    placer.send = watched(placer.send)
    placer.Placer.record = watched(placer.Placer.record)
    sys.addaudithook(lambda event, what: late.append(what[0]) if event == "import" and at_work else None)
atexit.register(lambda: print(json.dumps([sorted(sys.modules), late]), file=sys.stderr))
sys.argv[1:] = []
runpy.run_path({str(PLUGINS / "modules/reseller_contract.py")!r}, run_name="__main__")
"""


@dataclass(frozen=True)
class Ran:
    """What a module returned, what it had imported, and what of that while orders were sent or recorded."""

    result: dict[str, Any]
    imported: list[str]
    late: list[str]


@dataclass(frozen=True)
class Bench:
    """A service, and a folder for the ledger and the caches."""

    folder: Path
    service: ScriptedServer

    def order(self, hostname: str, *, watched: bool = False, without: str | None = None, **options: Any) -> Ran:
        """Order a VPS. ``without`` is a library that is not installed."""
        arguments = {
            "base_url": self.service.url,
            "api_key": fixed_service.API_KEY,
            "organization_id": fixed_service.ORGANIZATION_ID,
            "ledger": str(self.folder / "ledger/ledger.db"),
            "end_user": fixed_service.END_USER,
            "product": "VPS M",
            "settings": {"hostname": hostname, "template": "debian-12"},
            **options,
        }
        folders = {name: str(self.folder / name.lower()) for name in ("XDG_STATE_HOME", "XDG_CACHE_HOME")}
        program = f"import sys; sys.modules[{without!r}] = None\n{PROGRAM}" if without else PROGRAM
        done = subprocess.run(
            [sys.executable, "-c", program, "watched" if watched else ""],
            input=json.dumps({"ANSIBLE_MODULE_ARGS": arguments}),
            env={**os.environ, **folders, "PYTHONPATH": os.pathsep.join(sys.path)},
            capture_output=True,
            text=True,
            check=False,
        )
        return Ran(json.loads(done.stdout), *json.loads(done.stderr.splitlines()[-1]))


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Bench]:
    """A service of which the catalogue and the form of an order are in the cache."""
    with ScriptedServer(fixed_service.answer) as service:
        bench = Bench(tmp_path, service)
        assert bench.order("first").result["changed"]
        yield bench


def test_order_imports_only_what_it_needs(bench: Bench) -> None:
    ran = bench.order("web01")
    assert ran.result["changed"]
    names = [name.removeprefix(f"{PACKAGE}.") for name in ran.imported if name.startswith(f"{PACKAGE}._")]
    files = [tuple(name.split(".")) for name in names if "." in name]
    more = {package: {name for each, name in files if each == package} - known for package, known in IN_PART.items()}
    assert not any(more.values()), more
    assert not [name for name in names if name.split(".")[0] in UNUSED.split()]
    assert not LIBRARIES.intersection(ran.imported)
    assert len(files) <= MOST, files


@pytest.mark.parametrize(
    ("hostname", "status"),
    [("web01", "ordered"), ("refused", "rejected"), ("lost", "in_doubt"), ("silent", "ordered")],
)
def test_nothing_is_imported_while_an_order_is_sent_or_recorded(bench: Bench, hostname: str, status: str) -> None:
    ran = bench.order(hostname, watched=True)
    assert ran.result["order"]["status"] == status
    assert not [name for name in ran.late if name.startswith("ansible_collections.")]


def test_library_that_a_diff_lacks_is_named_before_the_order_is_sent(bench: Bench) -> None:
    sent = len(bench.service.requests)
    ran = bench.order("web01", without="yaml", _ansible_diff=True)
    assert ran.result["failed"]
    assert ran.result["msg"].startswith("The Python library PyYAML, needed to show a diff, cannot be imported.")
    assert len(bench.service.requests) == sent
    assert bench.order("web01", without="yaml").result["changed"]
