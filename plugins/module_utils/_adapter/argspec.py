# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Options that modules share."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from typing import Any

from ansible.module_utils.errors import AnsibleFallbackNotFound

from .._core.errors import ConfigurationError
from .._product_types.registry import PRODUCT_TYPES

ArgumentSpec = dict[str, dict[str, Any]]


def nonempty_env(variable: str) -> str:
    """The value of an environment variable. An empty one counts as unset, because AWX injects empty optional fields."""
    value = os.environ.get(variable)
    if not value:
        raise AnsibleFallbackNotFound
    return value


def _with_env(variable: str, **spec: Any) -> dict[str, Any]:
    return {**spec, "fallback": (nonempty_env, [variable])}


_UNSUPPORTED = re.compile(
    r"(?s)Unsupported parameters for .*?: (?P<given>.*?)\. Supported parameters include: (?P<known>.*)"
)


def with_settings_hint(message: str) -> str:
    """Ansible's message about unknown options, with a hint where to write settings."""
    found = _UNSUPPORTED.match(message)
    settings = {name for kind in PRODUCT_TYPES.values() for name in kind.settings}
    # Of an entry of a list, Ansible names the list, too: contracts.hostname.
    given = found["given"].split(", ") if found else []
    misplaced = [name for name in given if name.rpartition(".")[2] in settings]
    if not found or not misplaced or not re.search(r"\bsettings\b", found["known"]):
        return message
    if len(misplaced) == 1:
        what, where = f"{misplaced[0]} is a setting of the product, not an option", "it"
    else:
        what, where = f"{' and '.join(misplaced)} are settings of the product, not options", "them"
    return f"{what}. Nothing was sent.\nWrite {where} below settings.\n{message}"


def common() -> ArgumentSpec:
    """Options of every module of the action group. ServiceConfig checks that they are present."""
    return {
        "base_url": _with_env("RESELLER_BASE_URL", type="str"),
        "api_key": _with_env("RESELLER_API_KEY", type="str", no_log=True),
        "organization_id": _with_env("RESELLER_ORGANIZATION_ID", type="str"),
        "allow_http": {"type": "bool", "default": False},
        "validate_certs": {"type": "bool", "default": True},
        "ca_path": {"type": "path"},
        "timeout": {"type": "float", "default": 30.0},
        "read_timeout": {"type": "float"},
        "order_timeout": {"type": "float"},
        "read_retries": {"type": "int", "default": 3},
        "end_user_element": _with_env("RESELLER_END_USER_ELEMENT", type="str"),
        "product_element": _with_env("RESELLER_PRODUCT_ELEMENT", type="str"),
        # A PostgreSQL address holds a password; a path is taken out of the masked values again by the adapters.
        "ledger": _with_env("RESELLER_LEDGER", type="str", no_log=True),
        "ledger_shared": _with_env("RESELLER_LEDGER_SHARED", type="bool", default=False),
        "ledger_is_kept": _with_env("RESELLER_LEDGER_IS_KEPT", type="bool", default=False),
        "new_ledger": _with_env("RESELLER_NEW_LEDGER", type="str", choices=["allow", "refuse"], default="allow"),
    }


def refuse_unusable(arguments: Mapping[str, Any], spec: ArgumentSpec, prefix: str = "") -> None:
    """Raise ConfigurationError for the first value that must be a mapping and is not.

    ansible-core checks everything else itself, but for numbers that it cannot bear: see check_options().
    """
    for name, each in spec.items():
        value, place = arguments.get(name), f"{prefix}{name}"
        if not each.get("options"):
            continue
        if each["type"] == "dict":
            if value is not None and not isinstance(value, (Mapping, str)):
                raise ConfigurationError(
                    f"argument '{place}' must be a mapping, but is of type {type(value).__name__}."
                )
            inner = {f"{place}.": value}
        else:
            items = value if isinstance(value, (list, tuple)) else ()
            inner = {f"{place}[{index}].": item for index, item in enumerate(items)}
        for beginning, item in inner.items():
            if isinstance(item, Mapping):
                refuse_unusable(item, each["options"], beginning)
