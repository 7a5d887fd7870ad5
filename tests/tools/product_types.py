# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Writes what follows from the registry of product types into documentation and roles; --check only compares.

That is the choices of `product_type` in the documentation of plugins, the settings that reseller_contract lists, the
titles in plan reports, and the schema of stack files.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / ".cache"), str(ROOT)]

from ansible_collections.hosting.reseller.plugins.module_utils._product_types.registry import PRODUCT_TYPES  # noqa: E402
from tests.tools import settings_block, stack_schema  # noqa: E402

_CHOICES = re.compile(r"(?<=choices: \[)vps, [^\]]*(?=\])")
_COMMENT = re.compile(r"(?<=# )vps, \S.*")
_TITLES = re.compile(r"(?<=customer_stack__kinds:\n)(?:  \w+: .*\n)+")


def generated() -> Iterator[tuple[Path, str]]:
    """Each file that holds something generated, with the text that it should have."""
    names = ", ".join(PRODUCT_TYPES)
    for path in [*ROOT.glob("plugins/modules/*.py"), *ROOT.glob("plugins/doc_fragments/*.py")]:
        text = _CHOICES.sub(names, path.read_text(encoding="utf-8"))
        yield path, settings_block.written(text) if path == settings_block.MODULE else text
    readme = ROOT / "roles/customer_stack/README.md"
    yield readme, _COMMENT.sub(names, readme.read_text(encoding="utf-8"))
    titles = "".join(f"  {name}: {kind.title[0].upper()}{kind.title[1:]}\n" for name, kind in PRODUCT_TYPES.items())
    variables = ROOT / "roles/customer_stack/vars/main.yml"
    yield variables, _TITLES.sub(titles, variables.read_text(encoding="utf-8"))
    yield stack_schema.SCHEMA, stack_schema.text()


def main() -> int:
    """Write the files that differ; with --check, name them and return 1."""
    wrong = [(path, text) for path, text in generated() if path.read_text(encoding="utf-8") != text]
    for path, text in wrong:
        if "--check" in sys.argv[1:]:
            print(f"{path.relative_to(ROOT)} does not follow from the product types: run make generate")
        else:
            path.write_text(text, encoding="utf-8")
    return int(bool(wrong) and "--check" in sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
