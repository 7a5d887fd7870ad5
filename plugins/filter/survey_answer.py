# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: survey_answer
short_description: Read a YAML mapping from the answer to a survey question
version_added: 1.0.0
author:
  - hosting.reseller contributors (!UNKNOWN)
description:
  - >-
    Reads the answer to a question of an AWX survey. A problem names the question, line and column, and never shows values of the answer, which
    may be personal data.
  - A problem is returned instead of raised, so that a task can fail with it alone.
positional: _input, question
options:
  _input:
    description: The answer. An empty answer and C(null) return an empty mapping.
    type: str
    required: true
  question:
    description: The question of the survey, for error messages.
    type: str
    required: true
  in_clear:
    description: Whether AWX stores the answer in plain text. If V(true), passwords and other secrets in it are a problem.
    type: bool
    default: false
seealso:
  - module: hosting.reseller.reseller_stack
"""

EXAMPLES = r"""
- name: Refuse a contact that cannot be read
  ansible.builtin.fail:
    msg: "{{ contact.problem }}"
  when: contact.problem is not none
  vars:
    contact: "{{ order_contact | hosting.reseller.survey_answer('Contact') }}"
    order_contact: |
      label: customer-4711
      first_name: Erika
"""

RETURN = r"""
_value:
  description: What the answer is.
  type: dict
  contains:
    mapping:
      description: The mapping in the answer. Empty if there is a problem.
      type: dict
    problem:
      description: Why the answer is refused, and what to do. V(null) if it is not.
      type: str
"""

from collections.abc import Callable, Iterator, Mapping
from typing import Any

from ansible.errors import AnsibleFilterError

from ..module_utils._core.errors import MissingLibraryError
from ..module_utils._core.yaml_reader import Document, dotted, read_yaml
from ..module_utils._secrets.recognition import holds_secret

_MOST_PLACES = 5


def survey_answer(answer: Any, question: str, in_clear: bool = False) -> dict[str, Any]:
    """The mapping in the answer to a survey question, or its problem. Raises AnsibleFilterError without PyYAML."""
    if answer is None or not str(answer).strip():
        return {"mapping": {}, "problem": None}
    try:
        document = read_yaml(str(answer), braces=not in_clear)
    except MissingLibraryError as error:
        raise AnsibleFilterError(error.message) from error
    problem = _problem(document, question, in_clear)
    return {"mapping": {} if problem else dict(document.data), "problem": problem}


def _problem(document: Document, question: str, in_clear: bool) -> str | None:
    """Why an answer is refused, in words that quote nothing from it."""
    if document.problems:
        # Not the parser's own words, which quote from the answer.
        problems = document.problems[:_MOST_PLACES]
        places = ", ".join(f"line {problem.line} column {problem.column}" for problem in problems)
        return (
            f'The answer to "{question}" is not valid YAML: {places}. Nothing was sent.\n'
            "Write each name once, and put values with special characters in double quotes."
        )
    if not isinstance(document.data, Mapping):
        return f'The answer to "{question}" is not a mapping. Nothing was sent.\nWrite one "name: value" on each line.'
    secret = next(_secrets(document.data, ()), None) if in_clear else None
    if secret is None:
        return None
    line = document.places.get(secret, (None, None))[0]
    return (
        f'The answer to "{question}" contains a secret: {dotted(secret)} (line {line}). Nothing was sent.\n'
        "AWX stores this answer in plain text, and so the secret: choose another one, and give it in the answer to "
        '"Secrets".'
    )


def _secrets(data: Any, path: tuple[str | int, ...]) -> Iterator[tuple[str | int, ...]]:
    """Yield the paths of secrets."""
    if isinstance(data, Mapping):
        for name, value in data.items():
            if isinstance(value, (Mapping, list)):
                yield from _secrets(value, (*path, name))
            elif value != "" and holds_secret(name, value):
                yield (*path, name)
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from _secrets(value, (*path, index))


class FilterModule:
    def filters(self) -> dict[str, Callable[..., dict[str, Any]]]:
        return {"survey_answer": survey_answer}
