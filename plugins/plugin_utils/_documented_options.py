# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Checks the options of a task against the documentation of its module, the only place that describes them."""

from __future__ import annotations

import os
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from ansible.module_utils.common.arg_spec import ArgumentSpecValidator, ValidationResult
from ansible.module_utils.common.yaml import yaml_load
from ansible.module_utils.errors import AnsibleFallbackNotFound, UnsupportedError

from ..module_utils._core.text import clean
from ..module_utils._product_types.registry import PRODUCT_TYPES
from ._option_hints import instead_of, refuse_slips

ArgumentSpec = dict[str, dict[str, Any]]

_PLUGINS = __name__.rpartition(".plugin_utils.")[0]
_CHECKED = ("type", "elements", "default", "choices", "required")
#: Options with an environment variable, which is named RESELLER_ and the option.
_FROM_ENVIRONMENT = {
    *("base_url", "api_key", "organization_id", "service"),
    *("ledger", "new_ledger"),
}


def argument_spec(module: str) -> ArgumentSpec:
    """Return the argument spec of a module, from its documentation and the fragments that this extends."""
    documentation = yaml_load(import_module(f"{_PLUGINS}.modules.{module}").DOCUMENTATION)
    options = documentation.get("options") or {}
    for fragment in documentation["extends_documentation_fragment"]:
        # What a module says of an option of its own takes precedence, as in ansible-doc.
        shared = {name: {**option, **options.get(name, {})} for name, option in fragment_options(fragment).items()}
        options = {**options, **shared}
    spec = _spec_of(options)
    for name in _FROM_ENVIRONMENT & spec.keys():
        spec[name]["fallback"] = (nonempty_env, [f"RESELLER_{name.upper()}"])
    return spec


@cache
def fragment_options(name: str) -> Mapping[str, Any]:
    """The options of a documentation fragment."""
    _namespace, _collection, file, *part = name.split(".")
    fragments = import_module(f"{_PLUGINS}.doc_fragments.{file}").ModuleDocFragment
    text = getattr(fragments, part[0].upper() if part else "DOCUMENTATION")
    return yaml_load(text).get("options") or {}


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


def with_composed_names(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options with all names of orders in Unicode's NFC form, as the ledger has them: a Mac decomposes them."""
    return {name: _composed(value) if name in ("name", "names") else value for name, value in options.items()} | {
        name: [with_composed_names(contract) if isinstance(contract, Mapping) else contract for contract in value]
        for name, value in options.items()
        if name == "contracts" and isinstance(value, list)
    }


def _composed(value: Any) -> Any:
    if isinstance(value, list):
        return [_composed(name) for name in value]
    return unicodedata.normalize("NFC", value) if isinstance(value, str) else value


class OptionsValidator:
    """Validates the options of one module. ``constraints`` are what its documentation has no keys for."""

    def __init__(self, module: str, constraints: Mapping[str, Any]) -> None:
        self._module = module
        self.argument_spec = argument_spec(module)
        self._validator = ArgumentSpecValidator(self.argument_spec, **constraints)

    def validated(self, arguments: Mapping[str, Any]) -> tuple[dict[str, Any], str | None]:
        """The options with their defaults, as far as they are valid, and what is wrong with them, if anything is.

        Raises ConfigurationError for a value that ansible-core cannot check, or refuses without saying what to write.
        """
        refuse_slips(self.argument_spec, arguments)
        result = self._validator.validate(arguments)
        made = with_composed_names({**arguments, **result.validated_parameters})
        return made, self._message(result) if result.error_messages else None

    def _message(self, result: ValidationResult) -> str:
        """Return what is wrong. Options that do not exist come first: they may be the ones that are missing."""
        others = [str(error) for error in result.errors if not isinstance(error, UnsupportedError)]
        # Of an entry of a list, Ansible names the list, too.
        unknown = sorted(path if isinstance(path, tuple) else (path,) for path in result.unsupported_parameters)
        return "\n".join([*self._unsupported(unknown), *others[:1]])

    def _unsupported(self, unknown: Sequence[tuple[str, ...]]) -> Iterator[str]:
        takes_settings = "settings" in self.argument_spec or "contracts" in self.argument_spec
        settings = {name for kind in PRODUCT_TYPES.values() for name in kind.settings if takes_settings}
        misplaced = [path for path in unknown if path[-1] in settings]
        if misplaced:
            yield f"{_listed(misplaced)}: a setting of the product, not an option. Nothing was sent."
            yield "Write each setting below settings."
        left = [path for path in unknown if path not in misplaced]
        if left:
            module = f"hosting.reseller.{self._module}"
            yield f"Unsupported parameters for ({module}) module: {_listed(left)}. Nothing was sent."
            yield from (f"{_listed([path])}: {self._instead(path)}" for path in left)

    def _instead(self, path: tuple[str, ...]) -> str:
        """Return what to do about an option that does not exist."""
        *holders, name = path
        spec = self.argument_spec
        for holder in holders:
            spec = spec[holder]["options"]
        return instead_of(name, self._module, spec, [] if holders else _modules_with(name))


@cache
def _modules_with(option: str) -> list[str]:
    """The modules of the collection that have an option of this name."""
    modules = (file.stem for file in (Path(__file__).parents[1] / "modules").glob("reseller_*.py"))
    return [module for module in modules if option in argument_spec(module)]


def _listed(paths: Sequence[tuple[str, ...]]) -> str:
    return ", ".join(clean(".".join(map(str, path)), 100) for path in paths)
