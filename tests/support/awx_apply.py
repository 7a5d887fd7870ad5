# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Applies the configuration to the stand-in for AWX, with the modules of awx.awx."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pytest

from tests.support import awx_collection
from tests.support.awx import configuration
from tests.support.awx_service import ADMIN, AwxService
from tests.support.playbooks import PROGRAM, ROOT, environment

PREFIX = "Hosting Reseller: "
PLACE = ROOT / ".cache/awx"


def of(names: Collection[str], kind: str) -> list[dict[str, Any]]:
    """Of this kind, as in "templates", those of the bundles and other things with these names."""
    records = configuration()[f"controller_{kind}"]
    return [each for each in records if each["name"].removeprefix(PREFIX).partition(" (")[0] in names]


def apply(
    folder: Path, service: AwxService, names: Collection[str], *arguments: str, token: str = ADMIN, **env: str
) -> tuple[int, str]:
    """Run awx/apply.yml as the owner of a token, with these bundles alone; the exit status and what it printed."""
    if not (PLACE / awx_collection.COLLECTION).is_dir():
        pytest.skip("needs awx.awx, which `make pytest` fetches")
    variables = {
        "ANSIBLE_COLLECTIONS_PATH": f"{PLACE}:{ROOT}/.cache",
        "CONTROLLER_HOST": service.server.url,
        "CONTROLLER_OAUTH_TOKEN": token,
        **env,
    }
    few = folder / "few.json"
    shown = {f"controller_{kind}": of(names, kind) for kind in ("templates", "workflows")}
    few.write_text(json.dumps({**shown, "awx_reseller_notify": ["orders@example.org"]}), encoding="utf-8")
    done = subprocess.run(
        [PROGRAM, *arguments, "--extra-vars", f"@{few}", ROOT / "awx/apply.yml"],
        env=environment(folder, variables),
        cwd=folder,
        check=False,
        capture_output=True,
        text=True,
        timeout=600,
    )
    return done.returncode, done.stdout + done.stderr
