# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write the release note of the version in galaxy.yml: its text from the fragments, its names from the tree.

    python -m tests.tools.changelog [--check] [--date 2026-12-01]

The first release has one fragment, VERSION.yml, because nothing can have changed before it. Others are left out, and
named. With --check, nothing is written, and the status is 1 if the note is not current.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from tests.tools.sanity import copy_checkout

ROOT = Path(__file__).resolve().parents[2]
TREE = ROOT / ".cache" / "changelog" / "ansible_collections" / "hosting" / "reseller"
CHANGES = "changelogs/changelog.yaml"
WRITTEN = (CHANGES, "CHANGELOG.rst")


def loaded(path: Path) -> Any:
    return yaml.safe_load(path.read_text(encoding="utf-8"))


def version() -> str:
    """The version that is released next, or was released last."""
    return str(loaded(ROOT / "galaxy.yml")["version"])


def to_fold(root: Path) -> list[Path]:
    """The fragments of changes to what was never released."""
    if {*loaded(root / CHANGES)["releases"]} - {version()}:
        return []
    return [path for path in sorted((root / "changelogs/fragments").glob("*.yml")) if path.stem != version()]


def playbooks(root: Path) -> dict[str, str]:
    """The names of playbooks, each with that of its first play. What follows antsibull-changelog does not find."""
    return {path.stem: loaded(path)[0]["name"] for path in sorted((root / "playbooks").glob("*.yml"))}


def with_playbooks(changes: Mapping[str, Any], found: Mapping[str, str]) -> dict[str, Any]:
    """The changes with the playbooks that no earlier release has."""
    releases = {name: dict(release) for name, release in changes["releases"].items()}
    known = {each["name"] for name, release in releases.items() for each in _playbooks_of(release) if name != version()}
    new = [{"description": does, "name": name, "namespace": None} for name, does in found.items() if name not in known]
    release = releases[version()]
    release["objects"] = {**release.get("objects", {}), **({"playbook": new} if new else {})}
    return {**changes, "releases": releases}


def _playbooks_of(release: Mapping[str, Any]) -> list[dict[str, str]]:
    found: list[dict[str, str]] = release.get("objects", {}).get("playbook", [])
    return found


def names(release: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """The kind and the name of each module, plugin, role and playbook in a release note."""
    yield from (("module", each["name"]) for each in release.get("modules", []))
    for group in ("plugins", "objects"):
        yield from ((kind, each["name"]) for kind, those in release.get(group, {}).items() for each in those)


def written(date: str | None) -> dict[str, str]:
    """The files of the changelog as they should be, made in a copy of the checkout."""
    copy_checkout(TREE)
    for path in to_fold(TREE):
        path.unlink()
    changes = loaded(TREE / CHANGES)
    before = changes["releases"].pop(version(), {})
    _save(changes)
    date = date or before.get("release_date")
    _antsibull("release", "--reload-plugins", "--version", version(), *(("--date", date) if date else ()))
    _save(with_playbooks(loaded(TREE / CHANGES), playbooks(TREE)))
    _antsibull("generate")
    return {name: (TREE / name).read_text(encoding="utf-8") for name in WRITTEN}


def _save(changes: Mapping[str, Any]) -> None:
    (TREE / CHANGES).write_text(yaml.safe_dump(dict(changes)), encoding="utf-8")


def _antsibull(*arguments: str) -> None:
    program = Path(sys.executable).with_name("antsibull-changelog")
    done = subprocess.run([program, *arguments], cwd=TREE, check=False, capture_output=True, text=True)
    if done.returncode:
        sys.exit(f"antsibull-changelog {arguments[0]} ended with {done.returncode}:\n{done.stdout}{done.stderr}")


def main() -> int:
    """Write the files that differ; with --check, name them and return 1."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--check", action="store_true", help="write nothing, and fail if the note is not current")
    parser.add_argument("--date", help="date of the release, as 2026-12-01; by default the one that the note has")
    options = parser.parse_args()
    made = written(options.date)
    wrong = [name for name, text in made.items() if (ROOT / name).read_text(encoding="utf-8") != text]
    for name in wrong:
        if options.check:
            print(f"{name} is not current: run make changelog")
        else:
            (ROOT / name).write_text(made[name], encoding="utf-8")
    if left := to_fold(ROOT):
        told = ", ".join(path.name for path in left)
        print(f"Left out, since nothing was released before {version()}: {told}")
        print(f"Take what users need to know of them into changelogs/fragments/{version()}.yml, and delete them.")
    return int(options.check and bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
