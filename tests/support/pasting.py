# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Pastes as a person does: into a playbook, or into a shell. What is pasted may hold what others wrote."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ansible.parsing.dataloader import DataLoader
from ansible.parsing.splitter import parse_kv
from ansible.template import Templar, trust_as_template

#: Makes the file CANARY where a shell or a template runs it.
CANARY = "made-by-a-text"
_RUN = f"lookup('ansible.builtin.pipe', 'touch {CANARY}')"
_WORDS = r"""
it's a"b 'a' "a" ' " a\b \ \n \x41 \u0041 %41 ${HOME} $HOME ~ * = =x a=b ! !x & &x *x @/etc/passwd @x << | > %x `
x: - --diff -e ?
"""
#: Texts that say more than they show if they are written as they are.
HOSTILE = (
    *(f"x{end}- name: y{end}  ansible.builtin.command: touch {CANARY}{end}" for end in ("\n", "\r\n", "\r", "\x0b")),
    *(f"x{end}    evil: true # y" for end in ("\x85", "\u2028", "\u2029", "\x0c", "\x1c", "\n")),
    *(f"{{{{ {_RUN} }}}}", f"{{% if {_RUN} %}}{{% endif %}}", "{{", "{%", "{#", "{# x #}", "}}", "!unsafe {{ 1 }}"),
    f"#jinja2:variable_start_string:'[[', variable_end_string:']]'\n[[ {_RUN} ]]",
    "#jinja2:variable_start_string:'[['",
    *("# x", "x # y", "x #y", "x: y", "- x", "? x", "a=b c=d", "!!str x"),
    *(f"$(touch {CANARY})", f"`touch {CANARY}`", f"x; touch {CANARY}", f"x' ; touch {CANARY} '", f"| touch {CANARY}"),
    *(f"x && touch {CANARY}", f"x\ntouch {CANARY}\n", f"> {CANARY}", f"!touch {CANARY}", f"=(touch {CANARY})"),
    *_WORDS.split(),
    *("yes", "No", "null", "true", "y", "007", "0x1f", "1e3", "1_000", "12:30:45", "2026-01-01", ".inf", "", " ", "…"),
    *("{", "}", "{}", "[]", "[x]", "{a: b}", "{'a': 1}", '{"name": "x"}', ",", "...", "---", "_ansible_x", "omit"),
    *("a b", " a", "a ", "a  b", "\ta", "a\tb", "\xa0a", "b\xfcro", "\U0001f600", "\u4e2d\u6587", "e\u0301"),
    *("\x1b[2J", "\x07", "\x00", "\x7f", "\x9b31m", "\u202egnp", "\u2066x", "\u200b", "\ufeff", "\u3164", "\U000e0041"),
)


def tasks_of(text: str) -> list[Any]:
    """The tasks in a text, read and evaluated by Ansible as those of a playbook."""
    loader = DataLoader()
    read = loader.load(trust_as_template(text))
    return list(Templar(loader=loader, variables={}).template(read or []))


def arguments_of(word: str) -> Any:
    """The arguments in a word of a command, as ``ansible -a`` and ``ansible-playbook -e`` read them."""
    return json.loads(word) if word.startswith("{") else parse_kv(word)


def words_of(lines: Sequence[str], folder: Path) -> list[list[str]]:
    """The words of each line, as a shell in this folder hands them to ``ansible``."""
    folder.mkdir()
    stub = "ansible() { printf '%s\\0' $# \"$@\"; }"
    script = "\n".join([stub, *lines, ""])
    shown = subprocess.run(["sh", "-eu"], input=script, cwd=folder, stdout=subprocess.PIPE, text=True, check=True)
    assert [*folder.iterdir()] == []
    words, found = iter(shown.stdout.split("\0")), []
    while number := next(words):
        found.append([next(words) for _word in range(int(number))])
    return found
