# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Processes that tests start or share."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import psycopg
import pytest

from tests.support import forked_playbook, playbooks
from tests.support import postgresql as servers
from tests.support.nursery import Nursery

TELL = """#!{python}
import atexit, json, os, sys
from ansible import constants
from ansible.plugins import loader
from ansible.utils import color, display
atexit.register(print, "the end")
settings = {{name: getattr(constants, name) for name in constants.config.get_configuration_definitions()}}
made = settings.pop("DEFAULT_LOCAL_TMP")
settings["made in"] = os.path.dirname(made), os.listdir(made)
print(json.dumps({{
    "name": __name__, "arguments": sys.argv, "path": sys.path, "folder": os.getcwd(), "environ": dict(os.environ),
    "leader": os.getsid(0) == os.getpgrp() == os.getpid(), "files": len(os.listdir("/proc/self/fd")),
    "standard input": os.readlink("/proc/self/fd/0"), "terminal": sys.stdout.isatty(),
    "settings": settings, "color": color.ANSIBLE_COLOR, "logger": display.logger,
}}, default=str), flush=True)
print("an error", file=sys.stderr, flush=True)
exec(sys.argv[1])
"""


def test_fork_is_what_a_process_from_its_start_would_be(tmp_path: Path) -> None:
    program, environ = tmp_path / "program", playbooks.environment(tmp_path, {})
    program.write_text(TELL.format(python=sys.executable))
    program.chmod(0o700)
    nursery = Nursery(forked_playbook.__name__)
    for ending in ("sys.exit('why')", "os.kill(os.getpid(), 15)"):
        status, said = forked_playbook.run(nursery, program, [ending, "--check"], tmp_path, environ, 60)
        started = playbooks.Runner(tmp_path).start({}, ending, "--check", program=program)
        (facts, *printed), (other_facts, *others_printed) = (
            text.splitlines() for text in (said, started.communicate()[0])
        )
        assert json.loads(facts) == json.loads(other_facts)
        assert (status, printed) == (started.returncode, others_printed)
    nursery.close()


def test_given_server_is_shared_and_left_running(
    postgresql: servers.Server, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv(servers.GIVEN, postgresql.dsn)
    given = servers.shared(tmp_path)
    database = given.create_database()
    given.drop_database(database)
    servers.close_shared(tmp_path)
    assert list(tmp_path.iterdir()) == []
    psycopg.connect(postgresql.dsn).close()
