# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checks the options of a task against the documentation of its module, the only place that describes them."""

from __future__ import annotations

import os
from collections.abc import Mapping
from importlib import import_module
from typing import Any

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator, ValidationResult
from ansible.module_utils.common.yaml import yaml_load
from ansible.module_utils.errors import AnsibleFallbackNotFound, UnsupportedError

from ..module_utils._core.errors import ConfigurationError
from ..module_utils._product_types.registry import PRODUCT_TYPES

ArgumentSpec = dict[str, dict[str, Any]]

_PLUGINS = __name__.rpartition(".plugin_utils.")[0]
_CHECKED = ("type", "elements", "default", "choices", "required")
#: Options with an environment variable, which is named RESELLER_ and the option.
_FROM_ENVIRONMENT = {
    *("base_url", "api_key", "organization_id", "end_user_element", "product_element"),
    *("ledger", "ledger_shared", "new_ledger"),
}


def argument_spec(module: str) -> ArgumentSpec:
    """The argument spec of a module, from its documentation and the fragments that this extends."""
    documentation = yaml_load(import_module(f"{_PLUGINS}.modules.{module}").DOCUMENTATION)
    options = documentation.get("options") or {}
    for fragment in documentation["extends_documentation_fragment"]:
        _namespace, _collection, file, *part = fragment.split(".")
        fragments = import_module(f"{_PLUGINS}.doc_fragments.{file}").ModuleDocFragment
        text = getattr(fragments, part[0].upper() if part else "DOCUMENTATION")
        options = {**(yaml_load(text).get("options") or {}), **options}
    spec = _spec_of(options)
    for name in _FROM_ENVIRONMENT & spec.keys():
        spec[name]["fallback"] = (nonempty_env, [f"RESELLER_{name.upper()}"])
    return spec


def _spec_of(options: Mapping[str, Mapping[str, Any]]) -> ArgumentSpec:
    spec = {}
    for name, option in options.items():
        spec[name] = {key: option[key] for key in _CHECKED if key in option}
        if "suboptions" in option:
            spec[name]["options"] = _spec_of(option["suboptions"])
    return spec


def nonempty_env(variable: str) -> str:
    """The value of an environment variable. An empty one counts as unset, because AWX injects empty optional fields."""
    value = os.environ.get(variable)
    if not value:
        raise AnsibleFallbackNotFound
    return value


class OptionsValidator:
    """Validates the options of one module. ``constraints`` are what its documentation has no keys for."""

    def __init__(self, module: str, constraints: Mapping[str, Any]) -> None:
        self._module = module
        self.argument_spec = argument_spec(module)
        self._validator = ArgumentSpecValidator(self.argument_spec, **constraints)

    def validated(self, arguments: Mapping[str, Any]) -> tuple[dict[str, Any], str | None]:
        """The options with their defaults, as far as they are valid, and what is wrong with them, if anything is.

        Raises ConfigurationError for a value that ansible-core cannot check.
        """
        for name, each in self.argument_spec.items():
            value = arguments.get(name)
            if "options" in each and each["type"] == "dict" and not isinstance(value, (Mapping, str, type(None))):
                raise ConfigurationError(f"argument '{name}' must be a mapping, but is of type {type(value).__name__}.")
        result = self._validator.validate(arguments)
        return {**arguments, **result.validated_parameters}, self._message(result) if result.error_messages else None

    def _message(self, result: ValidationResult) -> str:
        message = str(result.errors.msg)
        if not isinstance(result.errors[0], UnsupportedError):
            return message
        message = f"Unsupported parameters for (hosting.reseller.{self._module}) module: {message}"
        takes_settings = "settings" in self.argument_spec or "contracts" in self.argument_spec
        settings = {name for kind in PRODUCT_TYPES.values() for name in kind.settings}
        # Of an entry of a list, Ansible names the list, too.
        unknown = [each if isinstance(each, tuple) else (each,) for each in result.unsupported_parameters]
        misplaced = sorted(".".join(path) for path in unknown if path[-1] in settings)
        if not takes_settings or not misplaced:
            return message
        return (
            f"{', '.join(misplaced)}: a setting of the product, not an option. Nothing was sent.\n"
            f"Write each setting below settings.\n{message}"
        )
