# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Publish the tarball that `make release-check` has built and checked.

    python -m tests.tools.publish [--tag 1.0.0]

The token is read from GALAXY_TOKEN. Without it, nothing is sent. GALAXY_URL is another server than Ansible Galaxy.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tarfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from tests.tools.release import HOME, PUBLISHER, ROOT

GALAXY = "https://galaxy.ansible.com"


def wrong(metadata: Mapping[str, Any], packed: Mapping[str, Any], tag: str | None) -> list[str]:
    """Return why the tarball is not that of galaxy.yml and of the tag; ``packed`` is what its MANIFEST.json says."""
    found = [
        f"{key}: galaxy.yml has {metadata[key]!r}, the tarball {packed.get(key)!r}"
        for key in ("namespace", "name", "version", *PUBLISHER.values())
        if (metadata[key] or None) != (packed.get(key) or None)
    ]
    if tag is not None and tag.removeprefix("v") != metadata["version"]:
        found.append(f"the tag is {tag}, and the version in galaxy.yml {metadata['version']}")
    return found


def manifest(tarball: Path) -> dict[str, Any]:
    """Return what MANIFEST.json in a tarball says of the collection."""
    with tarfile.open(tarball) as tar:
        member = tar.extractfile("MANIFEST.json")
        found: dict[str, Any] = json.load(member)["collection_info"] if member else {}
    return found


def environment(token: str) -> dict[str, str]:
    """Return an environment that names the server and its token, which no list of processes shows."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(("ANSIBLE_", "GALAXY_"))}
    server = {"URL": os.environ.get("GALAXY_URL", GALAXY), "TOKEN": token}
    named = {f"ANSIBLE_GALAXY_SERVER_PUBLISHER_{key}": value for key, value in server.items()}
    return {**kept, "ANSIBLE_GALAXY_SERVER_LIST": "publisher", **named}


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--tag", help="the tag of the release, which has to be the version in galaxy.yml")
    tag = parser.parse_args().tag
    metadata = yaml.safe_load((ROOT / "galaxy.yml").read_text(encoding="utf-8"))
    tarball = HOME / "{namespace}-{name}-{version}.tar.gz".format_map(metadata)
    if not tarball.exists():
        print(f"{tarball} is missing: run make release-check")
        return 1
    token = os.environ.get("GALAXY_TOKEN")
    problems = wrong(metadata, manifest(tarball), tag)
    for problem in problems:
        print(f"{tarball.name}: {problem}")
    if not token:
        print(f"Dry run: GALAXY_TOKEN is not set, so {tarball.name} was not sent to {GALAXY}.")
        return 0
    if problems:
        print("Nothing was published.")
        return 1
    program = Path(sys.executable).with_name("ansible-galaxy")
    return subprocess.run([program, "collection", "publish", tarball], env=environment(token), check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
