# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads the settings of an API documentation page from its JavaScript, without running it.

A tokenizer finds string literals, keys and JSON objects; expressions are understood as far as they join strings with
``window.location``. Everything else in a script is passed over.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Literal, NamedTuple
from urllib.parse import urlsplit

from .docs_findings import PageFindings, is_setting
from .document import json_at

MOST_TOKENS = 200_000
#: Tokens of one expression that are looked at.
LONGEST_EXPRESSION = 40
MOST_VARIABLES = 1000

SPACE = re.compile(r"\s+|//[^\n]*")
NAME = re.compile(r"[^\W\d][\w$]*|\$[\w$]*")
NUMBER = re.compile(r"\d[\w.]*")
TEXT = {
    '"': re.compile(r'"[^"\\\n]*(?:\\.[^"\\\n]*)*"', re.DOTALL),
    "'": re.compile(r"'[^'\\\n]*(?:\\.[^'\\\n]*)*'", re.DOTALL),
    "`": re.compile(r"`[^`\\]*(?:\\.[^`\\]*)*`", re.DOTALL),
}
PATTERN = re.compile(r"/[^/\\\n\[]*(?:(?:\\.|\[[^\]\\\n]*(?:\\.[^\]\\\n]*)*\])[^/\\\n\[]*)*/[a-z]*")
JSON_BEGIN = re.compile(r'\{\s*"')
ESCAPE = re.compile(r"\\(u\{[0-9a-fA-F]{1,6}\}|u[0-9a-fA-F]{4}|x[0-9a-fA-F]{2}|\r\n|.)", re.DOTALL)
ESCAPES = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f", "v": "\v", "0": "\0", "\n": "", "\r\n": ""}
HOLE = re.compile(r"\$\{\s*([\w$.]*)\s*\}")
ENDS = frozenset(",;}])")


class Token(NamedTuple):
    kind: Literal["name", "text", "template", "json", "mark"]
    value: Any


def read_script(text: str, findings: PageFindings) -> None:
    """Add to ``findings`` what a script tells. Its relative URLs are the page's, as in a browser."""
    tokens = list(_tokens(text))
    variables = _location(findings.page)
    for at, token in enumerate(tokens):
        if token.kind == "json":
            findings.inspect(token.value)
            continue
        assigned = token.kind == "name" and _is_assignment(tokens, at + 1)
        is_key = token.kind in ("name", "text") and (assigned or _is_mark(tokens, at + 1, ":"))
        if assigned or (is_key and is_setting(token.value)):
            value = _expression(tokens[at + 2 : at + 2 + LONGEST_EXPRESSION], variables)
            if value is not None:
                findings.add_setting(token.value, value)
            if value is not None and assigned and len(variables) < MOST_VARIABLES:
                variables.setdefault(token.value, value)
        if token.kind in ("text", "template") and not is_key and not findings.inspect_text(token.value):
            findings.add_hint(token.value)


def _tokens(text: str) -> Iterator[Token]:
    reader = _Reader(text)
    for _count in range(MOST_TOKENS):
        token = reader.next()
        if token is None:
            return
        yield token


class _Reader:
    """Gives one token after the other. Every failed attempt is paid for, so that the time grows with the length."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._at = 0
        self._json_work = 3 * len(text)
        self._no_pattern_before = 0
        self._operand = False

    def next(self) -> Token | None:
        while self._at < len(self._text):
            character = self._text[self._at]
            if space := SPACE.match(self._text, self._at):
                self._at = space.end()
            elif self._text.startswith("/*", self._at):
                end = self._text.find("*/", self._at + 2)
                self._at = len(self._text) if end < 0 else end + 2
            elif character in TEXT:
                if token := self._text_literal(character):
                    return token
            elif name := NAME.match(self._text, self._at):
                return self._token("name", name.group(), name.end())
            elif number := NUMBER.match(self._text, self._at):
                self._at, self._operand = number.end(), True
            elif character != "/" or not self._skip_pattern():
                return self._json() or self._token("mark", character, self._at + 1)
        return None

    def _token(self, kind: Literal["name", "text", "template", "json", "mark"], value: Any, end: int) -> Token:
        self._at = end
        # After a value a slash divides, elsewhere it begins a pattern.
        self._operand = kind != "mark" or value in ")]}"
        return Token(kind, value)

    def _text_literal(self, quote: str) -> Token | None:
        found = TEXT[quote].match(self._text, self._at)
        if found:
            content = found.group()[1:-1]
            if quote != "`":
                return self._token("text", _unescaped(content), found.end())
            if "${" in content:
                return self._token("template", content, found.end())
            return self._token("text", _unescaped(content), found.end())
        # A literal without an end: what follows in its line (for a template: at all) cannot be told from text.
        end = self._text.find("\n", self._at) if quote != "`" else -1
        self._at = len(self._text) if end < 0 else end
        return None

    def _skip_pattern(self) -> bool:
        if self._operand or self._at < self._no_pattern_before:
            return False
        found = PATTERN.match(self._text, self._at)
        if found:
            self._at, self._operand = found.end(), True
            return True
        end = self._text.find("\n", self._at)
        self._no_pattern_before = len(self._text) if end < 0 else end
        return False

    def _json(self) -> Token | None:
        if self._json_work <= 0 or not JSON_BEGIN.match(self._text, self._at):
            return None
        try:
            value, end = json_at(self._text, self._at)
        except json.JSONDecodeError as error:
            self._json_work -= max(error.pos - self._at, 0) + 100
        except ValueError:
            self._json_work = 0
        else:
            self._json_work -= end - self._at
            return self._token("json", value, end)
        return None


def _is_mark(tokens: Sequence[Token], at: int, mark: str) -> bool:
    return at < len(tokens) and tokens[at] == Token("mark", mark)


def _is_assignment(tokens: Sequence[Token], at: int) -> bool:
    """Whether an assignment is here, not a comparison or an arrow."""
    return _is_mark(tokens, at, "=") and not _is_mark(tokens, at + 1, "=") and not _is_mark(tokens, at + 1, ">")


def _expression(tokens: Sequence[Token], variables: Mapping[str, str]) -> str | None:
    """The first alternative (``a || b``, ``a ?? b``) that is a string, or strings and known names joined by ``+``."""
    alternative: list[Token] = []
    depth = 0
    for token in (*tokens, Token("mark", ";")):
        mark = token.value if token.kind == "mark" else ""
        if depth == 0 and (mark in ENDS or mark in ("|", "?")) and mark:
            value = _joined(alternative, variables)
            if value is not None or mark in ENDS:
                return value
            alternative = []
            continue
        depth += (mark in ("(", "[", "{")) - (mark in (")", "]", "}"))
        alternative.append(token)
    return None


def _joined(tokens: Sequence[Token], variables: Mapping[str, str]) -> str | None:
    parts: list[str] = []
    at = 0
    while at < len(tokens):
        kind, value = tokens[at]
        at += 1
        if kind == "name":
            while _is_mark(tokens, at, ".") and at + 1 < len(tokens) and tokens[at + 1].kind == "name":
                value = f"{value}.{tokens[at + 1].value}"
                at += 2
            value = variables.get(value)
        elif kind == "template":
            value = _filled(value, variables)
        elif kind != "text":
            return None
        if value is None:
            return None
        parts.append(value)
        if at == len(tokens) or tokens[at].kind == "name":
            # A name after a value begins the next statement.
            return "".join(parts)
        if not _is_mark(tokens, at, "+"):
            return None
        at += 1
    return None


def _filled(template: str, variables: Mapping[str, str]) -> str | None:
    """A template literal with its names filled in; ``None`` when it needs more than names."""
    names = HOLE.findall(template)
    if len(names) != template.count("${") or any(name not in variables for name in names):
        return None
    return _unescaped(HOLE.sub(lambda hole: variables[hole.group(1)], template))


def _unescaped(text: str) -> str:
    def character(escape: re.Match[str]) -> str:
        code = escape.group(1)
        if len(code) == 1 or code == "\r\n":
            return ESCAPES.get(code, code)
        number = int(code[1:].strip("{}"), 16)
        return chr(number) if number < 0x110000 else ""

    return ESCAPE.sub(character, text) if "\\" in text else text


def _location(page: str) -> dict[str, str]:
    """What ``window.location`` says on this page."""
    parts = urlsplit(page)
    location = {
        "origin": f"{parts.scheme}://{parts.netloc}",
        "protocol": f"{parts.scheme}:",
        "host": parts.netloc,
        "hostname": parts.hostname or "",
        "port": str(parts.port or ""),
        "pathname": parts.path,
        "href": page,
    }
    return {
        f"{holder}.{name}": value
        for holder in ("location", "window.location", "document.location", "self.location")
        for name, value in location.items()
    } | {"window.origin": location["origin"], "origin": location["origin"]}


__all__ = ["read_script"]
