# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Build the tarball that is released, and check what users would get with it.

    python -m tests.tools.release [--repository URL] [--issues URL] [--homepage URL] [--maintainers NAMES]

What only the publisher knows is in galaxy.yml, and nothing is built without it. Values that are given here stand for it
in the tarball alone, to check all the rest before it is known.

Each tool has a virtual environment of its own in .cache/release, where the tarball is, too. What could not be checked,
because a service is out of reach, is neither passed nor failed, and is said.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from playbooks.files.simulator.running import Simulator
from tests.support import documentation
from tests.tools import authors, changelog
from tests.tools.sanity import copy_checkout

ROOT = Path(__file__).resolve().parents[2]
HOME = ROOT / ".cache" / "release"
TREE = HOME / "tree"
#: What a user needs. Anything else in the tarball is a mistake, and so is a file of these that is not in it.
WANTED = {
    ".ansible-lint",  # Galaxy lints what it imports, and has to know the modules of awx/apply.yml
    "CHANGELOG.rst",
    "CODE_OF_CONDUCT.md",
    "COPYING",
    "LICENSES",
    "README.md",
    "REUSE.toml",
    "SECURITY.md",
    "awx",
    "bindep.txt",
    "changelogs",
    "docs",
    "execution-environment.yml",
    "meta",
    "playbooks",
    "plugins",
    "requirements-postgresql.txt",
    "requirements.txt",
    "roles",
}
UNWANTED = ("changelogs/config.yaml", "changelogs/fragments/", "docs/site/")
MADE = {"FILES.json", "MANIFEST.json"}
#: What stands where a secret could: "postgresql://user:password@host", "secret: true" with what follows it, the keys of
#: the simulated service, and in an expression the name of a variable, with what follows it
#: ("secrets=awx_secrets, l2vpn_ids=awx_read.l2vpn_ids) }}").
NO_SECRETS = (
    r"^(password|(true|false)(, help_text: [^'\"]*)?|sim-key-[0-9a-z-]+"
    r"|(awx|customer_stack)_secrets,[^'\"]*\}\})$"
)
#: Has to be found, or the scanner did not look.
CANARY = "-----BEGIN RSA PRIVATE KEY-----\n"
#: What the publisher fills in: option of this program, key of galaxy.yml.
PUBLISHER = {"repository": "repository", "issues": "issues", "homepage": "homepage", "maintainers": "authors"}
COMPLAINT = re.compile(r"WARNING|ERROR")
RECAP = re.compile(r"changed=(\d+).*failed=(\d+)")


class CheckError(Exception):
    """What is wrong with the release."""


class NotChecked(Exception):
    """Why something could not be checked."""


def run(
    *command: str | Path, cwd: Path = ROOT, env: Mapping[str, str] | None = None, good: bool = True
) -> subprocess.CompletedProcess[str]:
    """Run a command and return what it printed; raise CheckError when it fails, unless that is for the caller."""
    done = subprocess.run(command, cwd=cwd, env=env, check=False, capture_output=True, text=True)
    if good and done.returncode:
        raise CheckError(f"{Path(command[0]).name} ended with {done.returncode}:\n{done.stdout}{done.stderr}")
    return done


def make_venv(name: str, *requirements: str) -> Path:
    """Make a virtual environment with the newest versions of these; return its bin directory."""
    scripts = HOME / name / "bin"
    if not scripts.exists():
        run(sys.executable, "-m", "venv", "--clear", HOME / name)
    run(scripts / "python", "-m", "pip", "install", "--quiet", "--upgrade", *requirements)
    return scripts


def environment(scripts: Path, home: Path) -> dict[str, str]:
    """An environment in which only this virtual environment and the system's own programs are found."""
    return {"PATH": f"{scripts}:/usr/bin:/bin", "HOME": str(home), "LC_ALL": "C.UTF-8"}


def build(metadata: Mapping[str, Any]) -> Path:
    """Build from a copy without what git ignores, with this galaxy.yml; return the tarball."""
    copy_checkout(TREE)
    (TREE / "galaxy.yml").write_text(yaml.safe_dump(dict(metadata), sort_keys=False), encoding="utf-8")
    for path, text in authors.outdated(TREE, metadata["authors"]).items():
        path.write_text(text, encoding="utf-8")
    run(Path(sys.executable).with_name("ansible-galaxy"), "collection", "build", "--force", cwd=TREE)
    (tarball,) = TREE.glob("*.tar.gz")
    return tarball.replace(HOME / tarball.name)


def check_changelog(_tarball: Path) -> str:
    if left := changelog.to_fold(ROOT):
        raise CheckError(f"{len(left)} fragments to fold into the release note: see what make changelog prints")
    known = changelog.loaded(ROOT / changelog.CHANGES)["releases"].get(changelog.version())
    if known is None:
        raise CheckError(f"no release note of {changelog.version()}: run make changelog DATE=...")
    return f"one release note of {changelog.version()}, of {known['release_date']}"


def check_contents(tarball: Path) -> str:
    with tarfile.open(tarball) as tar:
        folders = {info.name for info in tar.getmembers() if info.isdir()}
        packed = {*tar.getnames()} - folders
    files = {str(path.relative_to(TREE)) for path in TREE.rglob("*") if path.is_file()}
    expected = {name for name in files if name.split("/")[0] in WANTED and not name.startswith(UNWANTED)} | MADE
    wrong = [f"not needed: {name}" for name in sorted(packed - expected)]
    wrong += [f"missing: {name}" for name in sorted(expected - packed)]
    links = re.findall(r"\]\(([^)#:]+)\)", (TREE / "README.md").read_text(encoding="utf-8"))
    wrong += [f"the README links to what is missing: {link}" for link in links if link not in packed | folders]
    if wrong:
        raise CheckError("\n  ".join(["adapt build_ignore in galaxy.yml, or WANTED:", *wrong]))
    return f"{len(packed)} files, all of them needed, and all {len(links)} links of the README lead to one"


def check_secrets(tarball: Path) -> str:
    scripts = make_venv("secrets", "detect-secrets")
    with tempfile.TemporaryDirectory() as folder:
        shutil.unpack_archive(tarball, folder)
        Path(folder, "canary.pem").write_text(CANARY, encoding="utf-8")
        # The files that are excluded are the lists of checksums.
        options = ["--exclude-files", r"(^|/)(FILES|MANIFEST)\.json$", "--exclude-secrets", NO_SECRETS]
        command = [scripts / "detect-secrets", "scan", "--all-files", "--no-verify", *options]
        results = json.loads(run(*command, ".", cwd=Path(folder)).stdout)["results"]
    if not results.pop("canary.pem", None):
        raise CheckError("the scanner does not find a private key")
    if results:
        found = [f"{name}:{each['line_number']}: {each['type']}" for name in results for each in results[name]]
        raise CheckError("\n  ".join(["looks like a secret:", *found]))
    return "none found"


def check_importer(tarball: Path) -> str:
    scripts = make_venv("importer", "galaxy-importer")
    with tempfile.TemporaryDirectory() as folder:
        env = environment(scripts, Path(folder))
        done = run(scripts / "python", "-m", "galaxy_importer.main", tarball, cwd=Path(folder), env=env)
    lines = (done.stdout + done.stderr).splitlines()
    # It ends with 0 on these.
    if complaints := [line for line in lines if COMPLAINT.search(line)]:
        raise CheckError("\n  ".join(["galaxy-importer complains:", *complaints]))
    if not any("completed successfully" in line for line in lines):
        raise CheckError("\n  ".join(["galaxy-importer did not complete:", *lines]))
    return f"{len(lines)} lines, no warning"


def check_vulnerabilities(_tarball: Path) -> str:
    scripts = make_venv("audit", "pip-audit")
    options = ["-f", "json", "--progress-spinner", "off", "-r", ROOT / "requirements-postgresql.txt"]
    done = run(scripts / "pip-audit", *options, good=False)
    try:
        libraries = json.loads(done.stdout)["dependencies"]
    except ValueError as exc:
        raise NotChecked((done.stderr.strip() or "no report").splitlines()[-1]) from exc
    if vulnerable := [f"{each['name']} {found['id']}" for each in libraries for found in each.get("vulns", ())]:
        raise CheckError("\n  ".join(["known vulnerabilities:", *vulnerable]))
    if skipped := [each["skip_reason"] for each in libraries if "skip_reason" in each]:
        # With these it ends with 0 and "No known vulnerabilities found".
        raise NotChecked(f"{len(skipped)} of {len(libraries)} libraries were left out, as the first: {skipped[0]}")
    return f"none known in {len(libraries)} libraries"


def check_installation(tarball: Path) -> str:
    """Do what the README says, as somebody who has nothing yet."""
    scripts = make_venv("installed", "ansible-core", "-r", str(ROOT / "requirements.txt"))
    playbook = next(
        block.text
        for block in documentation.yaml_blocks("README.md")
        if any("hosts" in play for document in block.documents() for play in document)
    )
    with Simulator() as simulator, tempfile.TemporaryDirectory() as home, tempfile.TemporaryDirectory() as folder:
        env = {**environment(scripts, Path(home)), **simulator.env, "RESELLER_LEDGER": f"{home}/ledger.db"}
        galaxy = [scripts / "ansible-galaxy", "collection"]
        run(*galaxy, "install", "--offline", tarball, cwd=Path(folder), env=env)
        run(*galaxy, "verify", "--offline", "hosting.reseller", cwd=Path(folder), env=env)
        Path(folder, "order.yml").write_text(playbook, encoding="utf-8")
        for arguments, changed, orders in ((["--check", "--diff"], 1, 0), ([], 1, 1), ([], 0, 1)):
            done = run(scripts / "ansible-playbook", *arguments, "order.yml", cwd=Path(folder), env=env)
            recap = RECAP.search(done.stdout)
            found = (recap.groups() if recap else None, len(simulator.orders()))
            if found != ((str(changed), "0"), orders):
                wanted = f"changed={changed} failed=0 and {orders} orders at the service"
                raise CheckError(f"{arguments or 'run'}: expected {wanted}:\n{done.stdout}{done.stderr}")
    version = run(scripts / "python", "-c", "import ansible.release as a; print(a.__version__)").stdout.strip()
    return f"installed and verified with ansible-core {version}; the README's playbook: would change, changed, ok"


CHECKS = {
    "changelog": check_changelog,
    "contents": check_contents,
    "secrets": check_secrets,
    "galaxy-importer": check_importer,
    "vulnerabilities": check_vulnerabilities,
    "installation": check_installation,
}


def missing(metadata: Mapping[str, Any]) -> list[str]:
    """The keys of galaxy.yml that the publisher has to fill in. An author is a person with an account."""
    empty = [key for key in PUBLISHER.values() if not metadata.get(key)]
    nobody = any(authors.UNKNOWN in authors.documented(each) for each in metadata["authors"])
    return [*empty, *(["authors"] if nobody and "authors" not in empty else [])]


def main() -> int:
    parser = argparse.ArgumentParser(description="Build the tarball that is released, and check it.")
    for name, key in PUBLISHER.items():
        parser.add_argument(
            f"--{name}", dest=key, help=f"stands for {key} in galaxy.yml; several are separated by commas"
        )
    given = {key: value for key, value in vars(parser.parse_args()).items() if value}
    metadata = yaml.safe_load((ROOT / "galaxy.yml").read_text(encoding="utf-8")) | given
    if isinstance(authors := metadata["authors"], str):
        metadata["authors"] = [each.strip() for each in authors.split(",")]
    if names := missing(metadata):
        print(f"galaxy.yml: not filled in: {', '.join(names)}. See Publish a release in CONTRIBUTING.md.")
        return 1
    HOME.mkdir(parents=True, exist_ok=True)
    tarball, failures = build(metadata), 0
    for name, check in CHECKS.items():
        try:
            outcome = f"passed: {check(tarball)}"
        except NotChecked as exc:
            outcome = f"not checked: {exc}"
        except CheckError as exc:
            outcome = f"FAILED: {exc}"
            failures += 1
        print(f"{name}: {outcome}", flush=True)
    stand_ins = f"not to be published: {', '.join(given)} were given for this check alone"
    print(f"{tarball.relative_to(ROOT)}: {stand_ins if given else 'built'}")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
