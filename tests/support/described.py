# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Files that describe services, for tests: with the names of fields that the simulator's shapes have, or others."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import yaml

from ansible_collections.hosting.reseller.plugins.module_utils._service.description import Description, Field
from tests.support.playbooks import Runner

#: What the file of a service of the plain shape says of its contracts.
PLAIN: dict[str, Any] = {
    "id": "id",
    "hostname": "settings.hostname",
    "product": "productId",
    "end_user": "target",
    "own": ["__self__"],
    "state": "state",
}


def service_file(folder: Path, base_url: str, **parts: Any) -> str:
    """Write the file of a service with these parts, which may be written again, and return its path."""
    path = folder / "service.yml"
    folder.mkdir(exist_ok=True)
    path.write_text(yaml.safe_dump({"base_url": base_url, **parts}), encoding="utf-8")
    path.chmod(0o600)
    return str(path)


def elements(end_user: str, product: str) -> Description:
    """Return what a file says that names the elements of an order."""
    named = {"order.end_user": Field(end_user, "file"), "order.product": Field(product, "file")}
    return Description("/etc/service.yml", named)


def end_users(organizations: dict[str, str | None]) -> dict[str, Any]:
    """The part ``end_users`` of a file with these organizations, by UUID."""
    named = enumerate(organizations.items(), 1)
    return {f"customer-{at}": {"id": user, **({"organization_id": each} if each else {})} for at, (user, each) in named}


HOUSE = Path(__file__).resolve().parents[2] / "playbooks/files/simulator/shapes/house.yml"


def house() -> dict[str, Any]:
    """Return what the file of the simulator's shape ``house`` says, but for its address."""
    said = yaml.safe_load(HOUSE.read_text(encoding="utf-8"))
    return {name: value for name, value in said.items() if name != "base_url"}


def connect_once(runner: Runner, env: dict[str, str], base_url: str) -> tuple[dict[str, Any], str]:
    """Let ``connect`` write the file below XDG_CONFIG_HOME of ``env``; return what that says, and what is shown then.

    Nothing is written in check mode, or a second time.
    """
    path = Path(env["XDG_CONFIG_HOME"], f"hosting.reseller/127.0.0.1_{base_url.rpartition(':')[2]}.yml")
    checked = runner.playbook("connect", env, "--check", "--diff", write=True)
    assert f'+base_url: "{base_url}"' in checked.output, checked.output
    assert not path.exists()
    written = runner.playbook("connect", env, write=True)
    assert written.status == 0, written.output
    text = path.read_text(encoding="utf-8")
    assert Path(text.splitlines()[0].partition("$schema=file://")[2]).is_file()
    assert path.stat().st_mode & 0o777 == 0o600
    again = runner.playbook("connect", env, write=True)
    assert f"Lines for {path}:" in again.output, again.output
    assert path.read_text(encoding="utf-8") == text
    said: dict[str, Any] = yaml.safe_load(text)
    assert said["base_url"] == base_url
    return said, again.output
