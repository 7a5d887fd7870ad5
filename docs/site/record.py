# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Record the commands of the README's quick start in a terminal, as the picture terminal.svg of the guides.

    .venv/bin/python docs/site/record.py

The playbook is the README's, the service is simulated, and everything shown is what the commands printed, without the
recap of each play.
"""

from __future__ import annotations

import html
import os
import pty
import re
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from playbooks.files.simulator.running import Simulator  # noqa: E402
from tests.support import documentation  # noqa: E402

PICTURE = ROOT / "docs/docsite/rst/images/terminal.svg"
COMMANDS = ("ansible-playbook --check --diff order.yml", "ansible-playbook order.yml", "ansible-playbook order.yml")
COLUMNS = 80
SIZE, LINE, MARGIN = 14, 19, 20
COLORS = {
    "31": "#ff7b72",
    "32": "#7ee787",
    "33": "#e3b341",
    "34": "#79c0ff",
    "35": "#d2a8ff",
    "36": "#76e3ea",
    "90": "#8b949e",
}
ANSI = re.compile(r"\x1b\[([\d;]*)m")


def recorded(command: str, env: dict[str, str], folder: Path) -> str:
    """What a command prints to a terminal."""
    ours, theirs = pty.openpty()
    program, *arguments = command.split()
    process = subprocess.Popen(
        [Path(sys.executable).with_name(program), *arguments], cwd=folder, env=env, stdout=theirs, stderr=theirs
    )
    os.close(theirs)
    said = b""
    while True:
        try:
            part = os.read(ours, 4096)
        except OSError:  # the other end is closed
            break
        if not part:
            break
        said += part
    os.close(ours)
    if process.wait() != 0:
        sys.exit(said.decode())
    return said.decode().replace("\r\n", "\n")


def wrapped(text: str) -> list[str]:
    """A line as a terminal breaks it, with the color that a new line begins with."""
    lines, column, color = [""], 0, ""
    for position, part in enumerate(ANSI.split(text)):
        if position % 2:
            color = f"\x1b[{part}m"
            lines[-1] += color
            continue
        for character in part:
            if column == COLUMNS:
                lines.append(color)
                column = 0
            lines[-1] += character
            column += 1
    return lines


def _kept(text: str) -> str:
    """Text in which a browser keeps more than one space."""
    return html.escape(text, quote=False).replace("  ", "\u00a0 ")


def line_of(text: str, row: int) -> str:
    """A line of a terminal as SVG."""
    spans, color = [], ""
    for position, part in enumerate(ANSI.split(text)):
        if position % 2:
            color = next((COLORS[code] for code in part.split(";") if code in COLORS), "")
        elif part:
            fill = f' fill="{color}"' if color else ""
            spans.append(f"<tspan{fill}>{_kept(part)}</tspan>")
    y = MARGIN + SIZE + row * LINE
    return f'  <text x="{MARGIN}" y="{y}">{"".join(spans)}</text>\n' if spans else ""


def picture(lines: list[str]) -> str:
    """A terminal with these lines."""
    width = round(2 * MARGIN + COLUMNS * SIZE * 0.602)
    height = 2 * MARGIN + LINE * len(lines)
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}" '
        'role="img" '
        'aria-label="A terminal: check mode shows the order, the next run places it, and the last one changes nothing" '
        f'font-family="ui-monospace, DejaVu Sans Mono, Liberation Mono, monospace" font-size="{SIZE}" fill="#e6edf3" '
        'style="white-space: pre">\n'
        f'  <rect width="{width}" height="{height}" rx="10" fill="#0d1117"/>\n'
        + "".join(line_of(line, row) for row, line in enumerate(lines))
        + "</svg>\n"
    )


def main() -> None:
    """Run the commands one after the other, and write the picture."""
    (playbook,) = [block for block in documentation.blocks("README.md") if block.file_name == "order.yml"]
    with Simulator("apiplatform") as simulator, tempfile.TemporaryDirectory() as home:
        folder = Path(home)
        (folder / "order.yml").write_text(playbook.text, encoding="utf-8")
        env = {
            **{name: os.environ[name] for name in ("PATH",) if name in os.environ},
            **simulator.env,
            "HOME": home,
            "RESELLER_LEDGER": str(folder / "ledger.db"),
            "ANSIBLE_CONFIG": str(ROOT / "tests/ansible.cfg"),
            "ANSIBLE_COLLECTIONS_PATH": str(ROOT / ".cache"),
            "COLUMNS": str(COLUMNS),
            "TERM": "xterm-256color",
            "LC_ALL": "C.UTF-8",
        }
        # So that there is a ledger, and no warning of a new one.
        earlier = playbook.text.replace("web01", "web00")
        (folder / "earlier.yml").write_text(earlier, encoding="utf-8")
        recorded("ansible-playbook earlier.yml", env, folder)
        lines: list[str] = []
        for command in COMMANDS:
            said = recorded(command, env, folder).partition("\nPLAY RECAP")[0]
            said = re.sub(r"\n{2,}", "\n\n", said.strip("\n"))
            lines += [f"\x1b[90m$\x1b[0m {command}", *(row for line in said.splitlines() for row in wrapped(line)), ""]
    PICTURE.write_text(picture(lines[:-1]), encoding="utf-8")
    print(f"{PICTURE.relative_to(ROOT)}: {len(lines)} lines")


if __name__ == "__main__":
    main()
