# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Build the documentation site in .cache/docs/build/html: the guides, and a page for every module, plugin and role.

    python docs/site/build.py

antsibull-docs writes the pages of the plugins and roles; this puts the examples of the roles' READMEs into theirs, the
installation that works into all, and our front page before them. Sphinx does the rest; its warnings are errors.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path

import yaml

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[1]
OUT = ROOT / ".cache" / "docs"
PAGES = OUT / "rst"
GUIDES = ROOT / "docs" / "docsite"
#: The kinds of pages that antsibull-docs writes, by how their file names end, and the titles of their sections.
KINDS = {
    "module": "Modules",
    "role": "Roles",
    "inventory": "Other plugins",
    "filter": "Other plugins",
    "lookup": "Other plugins",
}
THEIR_NOTE = re.compile(r"(?s)\.\. note::\n    This [\w ]+ is part of the `hosting\.reseller.*?\n\n(?=\S)")
NOTE = """\
.. note::
    This {kind} is part of the collection hosting.reseller.
    :ref:`Install the collection <ansible_collections.hosting.reseller.docsite.first_order.install>` first.
    In a playbook, write :code:`{name}`.

"""


def main() -> None:
    """Build the site, or fail with the status of what failed."""
    shutil.rmtree(OUT, ignore_errors=True)
    PAGES.mkdir(parents=True, mode=0o755)
    run("antsibull-docs", "--config-file", HERE / "antsibull-docs.cfg", "collection", "--cleanup", "everything",
        "--fail-on-error", "--use-current", "--squash-hierarchy", "--dest-dir", PAGES, "hosting.reseller")  # fmt: skip
    shutil.copytree(GUIDES / "rst" / "images", PAGES / "docsite" / "images")
    for page in sorted(PAGES.glob("*.rst")):
        page.write_text(improved(page.stem, page.read_text("utf-8")), "utf-8")
    (PAGES / "index.rst").write_text((HERE / "index.rst").read_text("utf-8") + navigation(), "utf-8")
    run("sphinx-build", "-M", "html", PAGES, OUT / "build", "-c", HERE, "-W", "--keep-going", "-q")
    print(f"The site is in {(OUT / 'build/html/index.html').relative_to(ROOT)}")


def run(*command: str | Path) -> None:
    """Run a command of this virtual environment."""
    program, *arguments = command
    done = subprocess.run([Path(sys.executable).with_name(str(program)), *arguments], check=False)
    if done.returncode:
        sys.exit(done.returncode)


def improved(stem: str, text: str) -> str:
    """A page as antsibull-docs wrote it, with our note, without its table of contents, and a role's with an example."""
    name, kind = stem.rsplit("_", 1) if "_" in stem else ("", stem)
    if kind not in KINDS:
        return text
    text = re.sub(r"(?m)^:github_url:.*\n", "", text)
    text = re.sub(r"(?m)^\.\. contents::\n(   .*\n)+\n", "", text)
    note = NOTE.format(kind=kind if kind in ("module", "role") else f"{kind} plugin", name=f"hosting.reseller.{name}")
    text, notes = THEIR_NOTE.subn(note, text)
    if notes != 1:
        sys.exit(f"{stem}: the note on how to install the collection was not found")
    text = re.sub(r"(?m)^hosting\.reseller\.(\w+) \w+ -- (.+)\n\++\n", lambda found: title(found[1], found[2]), text)
    if kind == "role":
        text, examples = re.subn(r"(?m)^\.\. Options\n", lambda found: example_of(name) + found[0], text, count=1)
        if not examples:
            sys.exit(f"{stem}: no place for the example was found")
    return text


def title(name: str, does: str) -> str:
    """The heading of a page, which a phone has to show."""
    line = f"{name} -- {does}"
    return f"{line}\n{'+' * len(line)}\n"


def example_of(role: str) -> str:
    """The first example of a role's README, which the tests run."""
    readme = (ROOT / "roles" / role / "README.md").read_text("utf-8")
    found = re.search(r"(?ms)^```yaml\n(.*?)^```", readme)
    if found is None:
        sys.exit(f"roles/{role}/README.md holds no example")
    lines = "".join(f"   {line}\n" if line else "\n" for line in found[1].splitlines())
    return f"Example\n^^^^^^^\n\n.. code-block:: yaml+jinja\n\n{lines}\n"


def navigation() -> str:
    """The tables of contents of the front page, of which the theme makes the navigation of all pages."""
    sections: dict[str, list[str]] = {}
    for section in yaml.safe_load((GUIDES / "extra-docs.yml").read_text("utf-8"))["sections"]:
        sections[section["title"]] = [f"docsite/{name}" for name in section["toctree"]]
    for ending, title in KINDS.items():
        names = sorted(page.stem.removesuffix(f"_{ending}") for page in PAGES.glob(f"*_{ending}.rst"))
        entries = [f"{name} <{name}_{ending}>" for name in names]
        if title == "Other plugins":
            entries = [f"{ending} {entry}" for entry in entries]
        sections.setdefault(title, []).extend(entries)
    sections["Other plugins"].append("Environment variables <environment_variables>")
    return "".join(
        f"\n.. toctree::\n   :caption: {title}\n   :hidden:\n\n" + "".join(f"   {entry}\n" for entry in entries)
        for title, entries in sections.items()
    )


if __name__ == "__main__":
    main()
