# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Run ansible-test sanity on a copy of the checkout, with the ansible-core and the Python that run this script.

Arguments are handed on to ansible-test: `python tests/tools/sanity.py --test validate-modules`.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path

import ansible_test
from ansible.release import __version__ as core_version

ROOT = Path(__file__).resolve().parents[2]
PYTHON = f"{sys.version_info.major}.{sys.version_info.minor}"
BOOTSTRAP = "import ensurepip\nensurepip.bootstrap()\n"
# ansible-test ends with 0 on these, though something was not looked at.
SKIPPED = re.compile(r"All targets skipped|Skipping|Required program .* not found|No tests applicable")


def copy_checkout(tree: Path) -> None:
    """Copy what git tracks or would track into tree, an own repository.

    In a tree that git ignores, ansible-test finds no target; it does not follow the link that Ansible is given.
    """
    shutil.rmtree(tree, ignore_errors=True)
    listed = subprocess.run(
        ["git", "ls-files", "-co", "--exclude-standard", "-z"], cwd=ROOT, check=True, capture_output=True, text=True
    ).stdout
    for name in filter(None, listed.split("\0")):
        if (source := ROOT / name).is_file():
            (target := tree / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source, target, follow_symlinks=False)
    subprocess.run(["git", "init", "-q"], cwd=tree, check=True)


def provide_pip() -> None:
    """Let ansible-test make its virtual environments with Python's own pip.

    It downloads a bootstrap script from a host that may be out of reach, unless it finds the script in its cache.
    """
    source = Path(ansible_test.__path__[0], "_internal", "python_requirements.py").read_text(encoding="utf-8")
    versions = set(re.findall(r"""\bpip=['"]([0-9.]+)['"]""", source))
    if not versions:
        sys.exit(f"sanity: ansible-core {core_version} no longer says which pip it bootstraps: adapt {__file__}")
    cache = Path.home() / ".ansible" / "test" / "cache"
    cache.mkdir(parents=True, exist_ok=True)
    for version in versions:
        script = cache / f"get_pip_{version.replace('.', '_')}.py"
        if not script.exists():
            script.write_text(BOOTSTRAP, encoding="utf-8")


def run_ansible_test(tree: Path, command: str, *arguments: str) -> int:
    """Run ansible-test in a copy of the checkout; return its status, and 1 if it skipped something."""
    provide_pip()
    # The scripts' directory holds the python3.X that ansible-test looks for, and not a launcher of the same name.
    env = {name: value for name, value in os.environ.items() if not name.startswith("ANSIBLE_")}
    env["PATH"] = os.pathsep.join([sysconfig.get_path("scripts"), env["PATH"]])
    words = ["ansible-test", command, "--local", "--python", PYTHON, "--color", "no", *arguments]
    process = subprocess.Popen(words, cwd=tree, env=env, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    skipped = []
    for line in process.stdout or ():
        print(line, end="", flush=True)
        if SKIPPED.search(line):
            skipped.append(line.strip())
    if process.wait():
        return process.returncode
    if skipped:
        print(f"{command}: ansible-test skipped something, so this does not count as passed:", *skipped, sep="\n  ")
        return 1
    print(f"{command}: passed on ansible-core {core_version}, Python {PYTHON}")
    return 0


def main() -> int:
    tree = ROOT / ".cache" / "sanity" / f"{core_version}-{PYTHON}" / "ansible_collections" / "hosting" / "reseller"
    copy_checkout(tree)
    if ignores := list((tree / "tests" / "sanity").glob("ignore-*.txt")):
        print(f"sanity: ignore files are not used in this collection: {', '.join(path.name for path in ignores)}")
        return 1
    unreleased = [part for each in ("tests/", "bench/", "demo/") for part in ("--exclude", each)]
    return run_ansible_test(tree, "sanity", *unreleased, *sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
