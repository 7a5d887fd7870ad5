# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Build the documentation site in .cache/docs/build/html: the guides, and a page for every module, plugin and role.

`make docs` runs this. antsibull-docs writes the pages of the plugins and roles. This puts the examples and results of
the roles' READMEs into theirs, the installation that works into all, and our front page, a page for each group of
guides and the page Reference before them. Drawings get a dark copy. Sphinx does the rest; its warnings are errors.
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
    "inventory": "Inventory plugins",
    "filter": "Filter plugins",
    "lookup": "Lookup plugins",
}
#: The colors of drawings, and those that take their place on a dark page.
DARK = {
    "#ffffff": "#131416",
    "#f8fafc": "#1a1c1e",
    "#cbd5e1": "#303335",
    "#0f172a": "#e2e8f0",
    "#475569": "#94a3b8",
    "#eff6ff": "#172554",
    "#2563eb": "#60a5fa",
    "#f0fdf4": "#052e16",
    "#15803d": "#4ade80",
    "#fff7ed": "#431407",
    "#c2410c": "#fb923c",
    "#fef2f2": "#450a0a",
    "#b91c1c": "#f87171",
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
    darken(PAGES / "docsite" / "images")
    for page in sorted(PAGES.glob("*.rst")):
        page.write_text(improved(page.stem, page.read_text("utf-8")), "utf-8")
    for guide in sorted((PAGES / "docsite").glob("*.rst")):
        guide.write_text(with_dark_drawings(guide.read_text("utf-8")), "utf-8")
    (PAGES / "reference.rst").write_text(reference(), "utf-8")
    front = with_dark_drawings((HERE / "index.rst").read_text("utf-8"))
    (PAGES / "index.rst").write_text(front + groups(), "utf-8")
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
    text = re.sub(r"(?m)^\.\. note::\n    This module has a corresponding .*\n", "", text)
    text = text.replace("are needed on the host that executes this", "are needed on the controller for this")
    if kind == "role":
        text, examples = re.subn(r"(?m)^\.\. Options\n", lambda found: example_of(name) + found[0], text, count=1)
        if not examples:
            sys.exit(f"{stem}: no place for the example was found")
        text = f"{text.rstrip()}\n\n{results_of(name)}"
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


def results_of(role: str) -> str:
    """What a role leaves in variables: the section of customer_stack, through which all roles order."""
    readme = (ROOT / "roles/customer_stack/README.md").read_text("utf-8")
    found = re.search(r"(?ms)^## Results\n\n(.*?)\n(?=## |\Z)", readme)
    if found is None:
        sys.exit("roles/customer_stack/README.md has no section on results")
    return "Results\n-------\n\n" + found[1].replace("`", "``").replace("customer_stack_", f"{role}_")


def darken(images: Path) -> None:
    """Write a dark copy of each drawing. The picture of a terminal is dark already."""
    for drawing in images.glob("*.svg"):
        if drawing.stem != "terminal":
            dark = re.sub("#[0-9a-f]{6}", lambda color: DARK[color[0]], drawing.read_text("utf-8"))
            drawing.with_name(f"{drawing.stem}-dark.svg").write_text(dark, "utf-8")


def with_dark_drawings(text: str) -> str:
    """A page that shows each drawing in the colors of the theme."""

    def both(found: re.Match[str]) -> str:
        dark = found[0].replace(".svg", "-dark.svg")
        lines = [
            block.replace("\n", f"\n   :class: only-{mode}\n", 1)
            for block, mode in ((found[0], "light"), (dark, "dark"))
        ]
        return "\n".join(lines)

    return re.sub(r"(?m)^\.\. image:: \S*images/(?!terminal)\S+\.svg\n(?: +\S.*\n)*", both, text)


def groups() -> str:
    """A page for each group of guides, and the table of contents from which the theme makes the navigation."""
    names = []
    for section in yaml.safe_load((GUIDES / "extra-docs.yml").read_text("utf-8"))["sections"]:
        title, name = section["title"], f"docsite/{section['title'].lower().replace(' ', '_')}"
        entries = "".join(f"   {guide}\n" for guide in section["toctree"])
        toctree = f".. toctree::\n   :maxdepth: 1\n\n{entries}"
        (PAGES / f"{name}.rst").write_text(f":orphan:\n\n{title}\n{'=' * len(title)}\n\n{toctree}", "utf-8")
        names.append(name)
    return "\n.. toctree::\n   :hidden:\n\n" + "".join(f"   {name}\n" for name in [*names, "reference"])


def reference() -> str:
    """The page that lists all modules, roles and plugins, each with what it does."""
    text = "Reference\n=========\n"
    for ending, title in KINDS.items():
        text += f"\n{title}\n{'-' * len(title)}\n\n"
        pages = sorted(PAGES.glob(f"*_{ending}.rst"), key=lambda page: page.stem.removesuffix(f"_{ending}"))
        for page in pages:
            name = page.stem.removesuffix(f"_{ending}")
            found = re.search(rf"(?m)^{name} -- (.+)$", page.read_text("utf-8"))
            text += f"- :doc:`{name} <{page.stem}>`: {found[1] if found else ''}\n"
        text += "\n.. toctree::\n   :hidden:\n\n"
        text += "".join(f"   {page.stem.removesuffix(f'_{ending}')} <{page.stem}>\n" for page in pages)
    text += "\nEnvironment variables\n---------------------\n\n"
    text += "- :doc:`environment_variables`: set the common options of all modules\n"
    return text + "\n.. toctree::\n   :hidden:\n\n   Environment variables <environment_variables>\n"


if __name__ == "__main__":
    main()
