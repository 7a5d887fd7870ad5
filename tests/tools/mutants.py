# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Make each mistake of mutants.yml in a copy of the core, and name those that the package's own tests do not see.

python -m tests.tools.mutants [--jobs 2] [--list] [ID ...]

The status is 1 if one survives without a reason, more than five survive, or one no longer applies: adapt its text to
the code, or drop it with the mechanism that it breaks. With --list, nothing runs: it names what no longer applies.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import queue
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import NamedTuple

import yaml

from tests.tools.sanity import copy_checkout

ROOT = Path(__file__).resolve().parents[2]
HOME = ROOT / ".cache" / "mutants"
CORE = "plugins/module_utils"
#: How many may survive, each with its reason.
MOST = 5
#: Seconds for the tests of a package. What takes longer hangs, which is seen.
LONGEST = 600


class Mutant(NamedTuple):
    """One mistake. ``tests`` are paths, by default the tests of the package that the text is found in."""

    id: str
    file: str
    old: str
    new: str
    effect: str
    tests: tuple[str, ...] = ()
    reason: str = ""


class Place(NamedTuple):
    """A file, with its text before and after a mistake, and the tests that have to see it."""

    file: str
    text: str
    changed: str
    tests: tuple[str, ...]


def known_mutants() -> list[Mutant]:
    listed = yaml.safe_load(Path(__file__).with_suffix(".yml").read_text(encoding="utf-8"))
    return [Mutant(**{**each, "tests": tuple(each.get("tests", ()))}) for each in listed]


def changed(text: str, mutant: Mutant) -> str | None:
    """Return the text with this mistake, indented as the text is, or None unless what it changes stands there once."""
    lines = [re.escape(line.strip()) for line in mutant.old.strip().splitlines()]
    found = [*re.finditer(r"\n[ \t]*".join(lines), text)]
    if len(found) != 1:
        return None
    begin = text.rfind("\n", 0, found[0].start()) + 1
    indent = re.match(r"[ \t]*", text[begin:])
    new = mutant.new.strip().replace("\n", "\n" + (indent[0] if indent else ""))
    return text[: found[0].start()] + new + text[found[0].end() :]


def place_of(mutant: Mutant, root: Path) -> Place | None:
    """Return where it is made: in its file, else in the only other file of the core that has its text."""
    core = root / CORE
    for paths in ([core / mutant.file], sorted({*core.rglob("*.py")} - {core / mutant.file})):
        texts = {path: path.read_text(encoding="utf-8") for path in paths if path.exists()}
        made = [(path, text, new) for path, text in texts.items() if (new := changed(text, mutant)) is not None]
        if len(made) == 1:
            path, text, new = made[0]
            file = str(path.relative_to(core))
            return Place(file, text, new, mutant.tests or (f"tests/unit/{CORE}/{file.partition('/')[0]}",))
    return None


def prepared(copy: Path) -> Path:
    """Make a copy of the checkout in which the tests run."""
    copy_checkout(copy)
    (copy / ".venv").symlink_to(sys.prefix)
    link = copy / ".cache/ansible_collections/hosting/reseller"
    link.parent.mkdir(parents=True)
    link.symlink_to("../../..")
    return copy


def status_of(copy: Path, tests: Sequence[str]) -> str:
    """Run tests in a copy; return ``survived`` if all pass, ``killed`` if one fails, else how pytest ended."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST_", "RESELLER_", "CI"))}
    env["ANSIBLE_CONFIG"] = str(copy / "tests/ansible.cfg")
    command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", *tests]
    try:
        done = subprocess.run(command, cwd=copy, env=env, check=False, capture_output=True, text=True, timeout=LONGEST)
    except subprocess.TimeoutExpired:
        return "killed"
    (copy / ".cache/last.log").write_text(done.stdout + done.stderr, encoding="utf-8")
    return {0: "survived", 1: "killed"}.get(done.returncode, f"not run: pytest ended with {done.returncode}")


def write(path: Path, text: str) -> None:
    """Write a file of the core, without what was compiled of it: two texts of one second may be as long."""
    path.write_text(text, encoding="utf-8")
    Path(importlib.util.cache_from_source(str(path))).unlink(missing_ok=True)


def judged(places: Sequence[Place], jobs: int) -> Iterator[str]:
    """Make each mistake in a copy of its own time, and yield how each ended, in this order."""
    copies: queue.SimpleQueue[Path] = queue.SimpleQueue()
    for number in range(jobs):
        copies.put(prepared(HOME / str(number)))

    def ended(place: Place) -> str:
        copy = copies.get()
        path = copy / CORE / place.file
        try:
            write(path, place.changed)
            return status_of(copy, place.tests)
        finally:
            write(path, place.text)
            copies.put(copy)

    with ThreadPoolExecutor(jobs) as pool:
        # Without a mistake, all tests pass.
        unchanged = [*{place.tests: place._replace(changed=place.text) for place in places}.values()]
        for place, end in zip(unchanged, pool.map(ended, unchanged), strict=True):
            if end != "survived":
                sys.exit(f"Without a mistake, these tests fail: {' '.join(place.tests)}")
        yield from pool.map(ended, places)


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--jobs", type=int, default=2, help="how many copies there are")
    parser.add_argument("--list", action="store_true", help="run nothing, and name what no longer applies")
    parser.add_argument("ids", nargs="*", metavar="ID", help="only these")
    options = parser.parse_args()
    wanted = [each for each in known_mutants() if not options.ids or each.id in options.ids]
    found = {each.id: place_of(each, ROOT) for each in wanted}
    gone = [each for each in wanted if found[each.id] is None]
    places = {name: place for name, place in found.items() if place is not None}
    for each in wanted:
        if (place := places.get(each.id)) and place.file != each.file:
            print(f"{each.id:<5} has moved from {each.file} to {place.file}")
    for each in gone:
        print(f"{each.id:<5} no longer applies to {each.file}: {each.effect}")
    made, alive = [each for each in wanted if each.id in places and not options.list], []
    for each, end in zip(made, judged([*places.values()], options.jobs) if made else (), strict=True):
        if end != "killed":
            alive.append(each)
            reason = each.reason or "No reason is given"
            # All of them take an hour.
            print(f"{each.id:<5} {end}, {places[each.id].file}: {each.effect}. {reason}", flush=True)
    if made:
        print(f"{len(made) - len(alive)} of {len(made)} mistakes are seen by the tests of their own package")
    return int(bool(gone) or len(alive) > MOST or any(not each.reason for each in alive))


if __name__ == "__main__":
    sys.exit(main())
