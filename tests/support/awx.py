# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What awx/configuration.yml says, and what AWX makes of it when it launches a job."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from typing import Any

import yaml

from tests.support.playbooks import ROOT


class Unsafe(str):
    """A text that is not to be templated."""


class _Loader(yaml.SafeLoader):
    """Reads !unsafe as a kind of text."""


_Loader.add_constructor("!unsafe", lambda loader, node: Unsafe(loader.construct_scalar(node)))  # type: ignore[arg-type]


class ExtraVarsDumper(yaml.SafeDumper):
    """Marks each text of a launch as AWX does, so that no answer to a survey is templated."""


ExtraVarsDumper.add_representer(str, lambda dumper, text: dumper.represent_scalar("!unsafe", text, style="'"))
ExtraVarsDumper.ignore_aliases = lambda *_arguments: True  # type: ignore[method-assign]


@cache
def configuration() -> dict[str, Any]:
    """The variables of awx/configuration.yml, not templated."""
    found: dict[str, Any] = yaml.load((ROOT / "awx/configuration.yml").read_text(encoding="utf-8"), _Loader)
    return found


def launched(name: str, answers: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The job template "VPS (check)", and the variables of a job: its own, its survey's defaults, those of the launch.

    A default that the survey itself would refuse as an answer is left out; an empty text is one, unless it may be.
    """
    templates = configuration()["controller_templates"]
    template = next(each for each in templates if each["name"] == f"Hosting Reseller: {name}")
    found = {key: _filled(value) for key, value in template["extra_vars"].items()}
    questions = template.get("survey_spec", {}).get("spec", ())
    for question in questions:
        default = question["default"]
        if default != "" or not (question["required"] or question["type"] == "integer"):
            found[question["variable"]] = default.splitlines() if question["type"] == "multiselect" else default
    found |= answers
    assert {each["variable"] for each in questions if each["required"]} <= found.keys()
    return template, found


def _filled(value: Any) -> Any:
    """A value from the top of the file where a template names one."""
    reference = re.fullmatch(r"{{ (awx_reseller_\w+) }}", str(value))
    return configuration()[reference[1]] if reference else value
