# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Build the tarball that is released, reproducibly, and check what users would get with it.

    python -m tests.tools.release

Each tool has a virtual environment of its own in .cache/release, where the tarball is, too. What could not be checked,
because a service is out of reach, is neither passed nor failed, and is said.
"""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import os
import re
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Mapping
from pathlib import Path

from tests.simulator.running import Simulator
from tests.support import documentation
from tests.tools import editors, stack_schema
from tests.tools.sanity import copy_checkout

ROOT = Path(__file__).resolve().parents[2]
HOME = ROOT / ".cache" / "release"
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
#: What stands where a secret could: "postgresql://user:password@host", "secret: true", and in an expression the name of
#: a variable, with what follows it ("secrets=awx_secrets, l2vpn_ids=awx_read.l2vpn_ids) }}").
NO_SECRETS = r"^(password|true|false|(awx|customer_stack)_secrets,[^'\"]*\}\})$"
#: Has to be found, or the scanner did not look.
CANARY = "-----BEGIN RSA PRIVATE KEY-----\n"
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


def make_venv(name: str, *requirements: str, clear: bool = False) -> Path:
    """Make a virtual environment with the newest versions of these; return its bin directory."""
    scripts = HOME / name / "bin"
    if clear or not scripts.exists():
        run(sys.executable, "-m", "venv", "--clear", HOME / name)
    run(scripts / "python", "-m", "pip", "install", "--quiet", "--upgrade", *requirements)
    return scripts


def environment(scripts: Path, home: Path) -> dict[str, str]:
    """An environment in which only this virtual environment and the system's own programs are found."""
    return {"PATH": f"{scripts}:/usr/bin:/bin", "HOME": str(home), "LC_ALL": "C.UTF-8"}


def moment() -> int:
    """The time that all files in the tarball have: SOURCE_DATE_EPOCH, or that of the last commit."""
    return int(os.environ.get("SOURCE_DATE_EPOCH") or run("git", "log", "-1", "--format=%ct").stdout)


def read(tarball: Path) -> dict[str, tuple[tarfile.TarInfo, bytes]]:
    """The members of a tarball and what they hold."""
    with tarfile.open(tarball) as tar:
        return {info.name: (info, file.read() if (file := tar.extractfile(info)) else b"") for info in tar.getmembers()}


def normalise(built: Path, artefact: Path, mtime: int) -> None:
    """Write what ansible-galaxy built without what depends on when and where: times, and the order of a folder."""
    members = read(built)
    listing = json.loads(members["FILES.json"][1])
    listing["files"].sort(key=lambda entry: entry["name"])
    files = json.dumps(listing, indent=1).encode()
    manifest = json.loads(members["MANIFEST.json"][1])
    manifest["file_manifest_file"]["chksum_sha256"] = hashlib.sha256(files).hexdigest()
    made = {"MANIFEST.json": json.dumps(manifest, indent=1).encode(), "FILES.json": files}
    with (
        artefact.open("wb") as file,
        gzip.GzipFile("", "wb", fileobj=file, mtime=mtime) as zipped,
        tarfile.open(fileobj=zipped, mode="w") as tar,
    ):
        for name in [*made, *sorted(members.keys() - made.keys())]:
            info, content = members[name]
            content = made.get(name, content)
            info.size, info.mtime, info.pax_headers = len(content), mtime, {}
            tar.addfile(info, io.BytesIO(content))


def build() -> Path:
    """Build twice, from copies that differ in times and place; return the tarball."""
    first, second = HOME / "1", HOME / "2"
    copy_checkout(first)
    shutil.rmtree(second, ignore_errors=True)
    shutil.copytree(first, second, copy_function=shutil.copy)
    artefacts = []
    for tree in (first, second):
        run(Path(sys.executable).with_name("ansible-galaxy"), "collection", "build", "--force", cwd=tree)
        (built,) = tree.glob("*.tar.gz")
        normalise(built, HOME / f"{tree.name}.tar.gz", moment())
        artefacts.append(HOME / f"{tree.name}.tar.gz")
    if artefacts[0].read_bytes() != artefacts[1].read_bytes():
        raise CheckError(f"two builds differ: {artefacts[0]} and {artefacts[1]}")
    artefacts[1].unlink()
    return artefacts[0].rename(HOME / built.name)


def check_build(tarball: Path) -> str:
    digest = hashlib.sha256(tarball.read_bytes()).hexdigest()
    state = ", with changes that are not committed" if run("git", "status", "--porcelain").stdout else ""
    return f"{tarball.relative_to(ROOT)}{state}\n  sha256 {digest}, equal in two builds"


def wrong_contents(packed: set[str], tracked: set[str]) -> list[str]:
    """What is too much in a tarball, and what it lacks."""
    expected = {name for name in tracked if name.split("/")[0] in WANTED and not name.startswith(UNWANTED)} | MADE
    missing = {each for each in WANTED if not any(name.split("/")[0] == each for name in packed)}
    return [f"not needed: {name}" for name in sorted(packed - expected)] + [
        f"missing: {name}" for name in sorted((expected - packed) | missing)
    ]


def check_contents(tarball: Path) -> str:
    members = read(tarball)
    packed = {name for name, (info, _content) in members.items() if not info.isdir()}
    tree = HOME / "1"
    tracked = {str(path.relative_to(tree)) for path in tree.rglob("*") if path.is_file() and ".git" not in path.parts}
    wrong = wrong_contents(packed, tracked)
    # Folders are members, too: an empty one is left where all its files are ignored.
    wrong += [f"empty: {each}" for each in members.keys() - packed if not any(f.startswith(f"{each}/") for f in packed)]
    links = re.findall(r"\]\(([^)#:]+)\)", members["README.md"][1].decode())
    wrong += [f"the README links to what is missing: {link}" for link in links if link not in members]
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


def check_importer(_tarball: Path) -> str:
    """As the tarball, with the address of a repository: Galaxy wants one, and galaxy.yml names none so far."""
    scripts = make_venv("importer", "galaxy-importer")
    with tempfile.TemporaryDirectory() as folder:
        tree = Path(folder, "tree")
        shutil.copytree(HOME / "1", tree)
        with (tree / "galaxy.yml").open("a", encoding="utf-8") as metadata:
            metadata.write("repository: https://repository.example.org/\n")
        run(Path(sys.executable).with_name("ansible-galaxy"), "collection", "build", "--force", cwd=tree)
        (tarball,) = tree.glob("*.tar.gz")
        env = environment(scripts, Path(folder))
        done = run(scripts / "python", "-m", "galaxy_importer.main", tarball, cwd=Path(folder), env=env)
    lines = (done.stdout + done.stderr).splitlines()
    # It ends with 0 on these.
    if complaints := [line for line in lines if COMPLAINT.search(line)]:
        raise CheckError("\n  ".join(["galaxy-importer complains:", *complaints]))
    if not any("completed successfully" in line for line in lines):
        raise CheckError("\n  ".join(["galaxy-importer did not complete:", *lines]))
    return f"{len(lines)} lines, no warning, with a made-up address of a repository"


def audited(report: str) -> tuple[list[str], list[str], int]:
    """What pip-audit's report says: vulnerabilities, why libraries were left out, and how many libraries there are."""
    libraries = json.loads(report)["dependencies"]
    vulnerable = [f"{each['name']} {each['version']}: {v['id']}" for each in libraries for v in each.get("vulns", ())]
    return vulnerable, [each["skip_reason"] for each in libraries if "skip_reason" in each], len(libraries)


def check_vulnerabilities(_tarball: Path) -> str:
    scripts = make_venv("audit", "pip-audit")
    options = ["-f", "json", "--progress-spinner", "off", "-r", ROOT / "requirements-postgresql.txt"]
    done = run(scripts / "pip-audit", *options, good=False)
    try:
        vulnerable, skipped, count = audited(done.stdout)
    except ValueError as exc:
        raise NotChecked((done.stderr.strip() or "no report").splitlines()[-1]) from exc
    if vulnerable:
        raise CheckError("\n  ".join(["known vulnerabilities:", *vulnerable]))
    if skipped:
        # With these it ends with 0 and "No known vulnerabilities found".
        raise NotChecked(f"{len(skipped)} of {count} libraries were left out, the first because: {skipped[0]}")
    return f"none known in {count} libraries"


def check_installation(tarball: Path) -> str:
    """Do what the README says, as somebody who has nothing yet."""
    scripts = make_venv("installed", "ansible-core", "-r", str(ROOT / "requirements.txt"), clear=True)
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
        if leftovers := [path.name for path in Path(folder).iterdir() if path.name != "order.yml"]:
            raise CheckError(f"a run left {', '.join(leftovers)} in the working folder")
    version = run(scripts / "python", "-c", "import ansible.release as a; print(a.__version__)").stdout.strip()
    return f"installed and verified with ansible-core {version}; the README's playbook: would change, changed, ok"


def check_editors(_tarball: Path) -> str:
    """What the guide promises to a person who writes a stack file in an editor, or checks one in a pipeline."""
    if shutil.which("npm") is None:
        raise NotChecked("npm was not found")
    scripts, node = make_venv("editors", "check-jsonschema"), HOME / "editors-node"
    run("npm", "install", "--prefix", node, "--no-audit", "--no-fund", "yaml-language-server")
    server = node / "node_modules/yaml-language-server/bin/yaml-language-server"
    with tempfile.TemporaryDirectory() as folder:
        customers = Path(folder, "customers")
        shutil.copytree(stack_schema.SCHEMA.parent, customers)
        wrong = customers / "4711.yml"
        wrong.write_text(editors.mistakes(), encoding="utf-8")
        examples = [Path(shutil.copy(example, customers)) for example in editors.EXAMPLES]
        shown = editors.underlined(server, Path(folder), [wrong, *examples])
        command = [scripts / "check-jsonschema", "-o", "json", "--schemafile", stack_schema.SCHEMA]
        run(*command, *examples)
        errors = json.loads(run(*command, wrong, good=False).stdout)["errors"]
    if complaints := [each["message"] for example in examples for each in shown[example]]:
        raise CheckError("\n  ".join(["yaml-language-server complains of an example:", *complaints]))
    said, found = editors.said(), [(each["range"]["start"]["line"], each["message"]) for each in shown[wrong]]
    unsaid = [words for line, words in said.items() if not any(at == line and m.startswith(words) for at, m in found)]
    if unsaid or {at for at, _message in found} != said.keys():
        raise CheckError(
            "\n  ".join(["the guide's comments are not what yaml-language-server says:", *unsaid, *map(str, found)])
        )
    # All but the secret, of which JSON Schema itself has no word, and the country, which is a string in YAML 1.2.
    if len(paths := {each["path"] for each in errors}) != len(said) - 2:
        raise CheckError("\n  ".join(["check-jsonschema does not find the mistakes of the guide, but these:", *paths]))
    return f"the {len(said)} mistakes of the guide are found, and none in {len(examples)} examples"


CHECKS = {
    "build": check_build,
    "contents": check_contents,
    "secrets": check_secrets,
    "galaxy-importer": check_importer,
    "vulnerabilities": check_vulnerabilities,
    "installation": check_installation,
    "editors": check_editors,
}


def main() -> int:
    HOME.mkdir(parents=True, exist_ok=True)
    try:
        tarball = build()
    except CheckError as exc:
        print(f"build: FAILED: {exc}")
        return 1
    failures = 0
    for name, check in CHECKS.items():
        try:
            outcome = f"passed: {check(tarball)}"
        except NotChecked as exc:
            outcome = f"not checked: {exc}"
        except CheckError as exc:
            outcome = f"FAILED: {exc}"
            failures += 1
        print(f"{name}: {outcome}", flush=True)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
