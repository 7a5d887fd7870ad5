# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Who orders, for whom and where: what differs between users, and no promise may depend on."""

from __future__ import annotations

import os
import shutil
import subprocess
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

    ``ledger`` is a path or, in a ``database``, an address. ``apart``: each run is in a container of its own, and its
    process ID is 1.
    """

    api_key: str
    own_organization: str
    end_user: str
    organization: str
    is_told: bool
    database: bool
    apart: bool
    ledger: str = ""

    @property
    def is_own(self) -> bool:
        return self.end_user == data.SELF

    @property
    def is_read(self) -> bool:
        """Whether the service's lists show the contracts of the end user."""
        return self.is_own or self.is_told

    @property
    def account(self) -> dict[str, str]:
        """The options that say who orders."""
        return {"api_key": self.api_key, "organization_id": self.own_organization}

    @property
    def end_users(self) -> dict[str, Any]:
        """What the file of the service says: the end user, with or without the organization."""
        return {} if self.is_own else end_users({self.end_user: self.organization if self.is_told else None})

    def env(self, simulator: Simulator, folder: Path) -> dict[str, str]:
        """What this user sets for runs of Ansible."""
        return {
            "RESELLER_BASE_URL": simulator.base_url,
            "RESELLER_API_KEY": self.api_key,
            "RESELLER_ORGANIZATION_ID": self.own_organization,
            "RESELLER_SERVICE": service_file(folder, simulator.base_url, **self.described()),
            "RESELLER_LEDGER": self.ledger,
        }

    def described(self, **parts: Any) -> dict[str, Any]:
        """These parts of the file of a service, and the end user unless they have others."""
        return {**({"end_users": self.end_users} if self.end_users else {}), **parts}

    def start(self, runner: Runner, env: dict[str, str], *arguments: str) -> subprocess.Popen[str]:
        """Start ansible-playbook, in a container if this life has them."""
        if not (self.apart and has_containers()):
            return runner.start(env, *arguments)
        program, *others = CONTAINER
        return runner.start(env, *others, str(PROGRAM), *arguments, program=Path(str(shutil.which(program))))


#: The life of a test that draws none.
CERTAIN = Life(
    data.API_KEY, data.ORGANIZATION_ID, data.SELF, data.ORGANIZATION_ID, is_told=True, database=False, apart=False
)


def drawn(seed: str, **wanted: Any) -> Life:
    """The first life of this seed that is as wanted, as with ``is_read=True``. It has no ledger yet."""
    draw = Random(seed)
    while True:
        key, own, users = draw.choice(RESELLERS)
        user = draw.choice((data.SELF, *users, *users))
        chances = [draw.random() < chance for chance in (0.5, 0.25, 0.5)]
        life = Life(key, own, user, users.get(user, own), *chances)
        if all(getattr(life, name) == value for name, value in wanted.items()):
            return life
