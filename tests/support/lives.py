# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Who orders, for whom and where: what differs between users, and no promise may depend on."""

from __future__ import annotations

import os
import shutil
import subprocess
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from playbooks.files.simulator import data
from playbooks.files.simulator.running import Simulator
from tests.support.described import end_users, service_file
from tests.support.playbooks import PROGRAM, Runner

#: The key of each reseller, with its own organization, and those of its end users.
RESELLERS: tuple[tuple[str, str, dict[str, str]], ...] = tuple(
    (key, own, {each.end_user: each.id for each in data.ORGANIZATIONS if each.end_user and each.reseller == own})
    for key, own in data.RESELLERS.items()
)
#: Runs a program as the first process of a container, which ends with it. Only root needs no user namespace.
CONTAINER = ("unshare", "--pid", "--fork", "--kill-child", *(() if os.geteuid() == 0 else ("--map-root-user",)), "--")


@cache
def has_containers() -> bool:
    """Whether this machine lets its user make one."""
    return bool(shutil.which("unshare")) and not subprocess.run([*CONTAINER, "true"], capture_output=True).returncode


@dataclass(frozen=True)
class Life:
    """One user. ``organization`` is that of the end user, and ``is_told`` whether the service's file has it.

    ``ledger`` is a path or an address. ``apart``: each run is in a container of its own, and its process ID is 1.
    """

    api_key: str
    own_organization: str
    end_user: str
    organization: str
    is_told: bool
    ledger: str
    apart: bool

    def env(self, simulator: Simulator, folder: Path) -> dict[str, str]:
        """What this user sets for runs of Ansible."""
        return {
            "RESELLER_BASE_URL": simulator.base_url,
            "RESELLER_API_KEY": self.api_key,
            "RESELLER_ORGANIZATION_ID": self.own_organization,
            "RESELLER_SERVICE": self.service_file(simulator, folder, is_told=self.is_told),
            "RESELLER_LEDGER": self.ledger,
        }

    def service_file(self, simulator: Simulator, folder: Path, *, is_told: bool) -> str:
        """Write the file of the service, with or without the organization of the end user."""
        told = {} if self.end_user == data.SELF else {self.end_user: self.organization if is_told else None}
        parts: dict[str, Any] = {"end_users": end_users(told)} if told else {}
        return service_file(folder, simulator.base_url, **parts)

    def start(self, runner: Runner, env: dict[str, str], *arguments: str) -> subprocess.Popen[str]:
        """Start ansible-playbook, in a container if this life has them."""
        if not (self.apart and has_containers()):
            return runner.start(env, *arguments)
        program, *others = CONTAINER
        return runner.start(env, *others, str(PROGRAM), *arguments, program=Path(str(shutil.which(program))))


def drawn(seed: str, folder: Path, new_database: Callable[[], str]) -> Life:
    """The life that this seed stands for."""
    draw = Random(seed)
    key, own, users = draw.choice(RESELLERS)
    user = draw.choice((data.SELF, *users, *users))
    ledger = draw.choice((lambda: str(folder / "ledger" / "ledger.db"), new_database))()
    return Life(key, own, user, users.get(user, own), draw.random() < 0.5, ledger, draw.random() < 0.5)
