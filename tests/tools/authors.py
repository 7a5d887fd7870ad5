# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Write the authors of galaxy.yml into the documentation of modules, plugins and roles; --check only compares."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[2]
#: As a string, or as a list whose entries are indented further.
LINES = re.compile(r"(?m)^(?P<indent> *)author:(?: \S.*\n|\n(?:(?P=indent) +- .*\n)+)")
#: What ansible-doc shows of an author without an account.
UNKNOWN = "!UNKNOWN"


def documented(author: str) -> str:
    """An author of galaxy.yml, ``Jane Doe <jane@example.org> (https://example.org) @jane``, as pages name one."""
    account = re.search(r"(?<=\s)@[\w-]+$", author.strip())
    name = re.split(r"\s+(?=[<(@])", author.strip())[0]
    return f"{name} ({account[0] if account else UNKNOWN})"


def with_authors(text: str, authors: Sequence[str]) -> str:
    """A page with these authors: one in the line itself, as long as it stood there, or all in a list."""

    def lines(found: re.Match[str]) -> str:
        if len(authors) == 1 and found[0].count("\n") == 1:
            return f"{found['indent']}author: {documented(authors[0])}\n"
        entries = "".join(f"{found['indent']}  - {documented(author)}\n" for author in authors)
        return f"{found['indent']}author:\n{entries}"

    return LINES.sub(lines, text)


def pages(root: Path) -> Iterator[Path]:
    """The files that name authors."""
    for pattern in ("plugins/*/*.py", "roles/*/meta/argument_specs.yml"):
        yield from sorted(root.glob(pattern))


def outdated(root: Path, authors: Sequence[str]) -> dict[Path, str]:
    """The files that name others, each with the text that it should have."""
    texts = {path: path.read_text(encoding="utf-8") for path in pages(root)}
    return {path: made for path, text in texts.items() if (made := with_authors(text, authors)) != text}


def main() -> int:
    """Write the files that differ; with --check, name them and return 1."""
    wrong = outdated(ROOT, yaml.safe_load((ROOT / "galaxy.yml").read_text(encoding="utf-8"))["authors"])
    for path, text in wrong.items():
        if "--check" in sys.argv[1:]:
            print(f"{path.relative_to(ROOT)} names other authors than galaxy.yml: run make generate")
        else:
            path.write_text(text, encoding="utf-8")
    return int(bool(wrong) and "--check" in sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
