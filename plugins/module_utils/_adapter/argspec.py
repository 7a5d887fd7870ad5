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


def explained(message: str) -> str:
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


def learning() -> ArgumentSpec:
    """Options of the modules that learn from the service: how long learned values are used."""
    return {
        "catalogue_max_age": {"type": "int", "default": 300},
        "refresh": {"type": "bool", "default": False},
    }


def reading() -> ArgumentSpec:
    """Options of the modules that read contracts back from the service."""
    return {
        "organizations": {"type": "dict", "default": {}},
        "elements": {"type": "dict", "default": {}},
        "list_path": {"type": "str"},
        "item_path": {"type": "str"},
    }


def unusable(arguments: Mapping[str, Any], spec: ArgumentSpec, prefix: str = "") -> str | None:
    """The error of the first value that must be a mapping and is not. ansible-core checks everything else itself.

    Numbers that it cannot bear are refused by check_options().
    """
    for name, each in spec.items():
        value = arguments.get(name)
        if each.get("type") == "dict" and each.get("options"):
            if value is not None and not isinstance(value, (Mapping, str)):
                return f"argument '{prefix}{name}' must be a mapping, but is of type {type(value).__name__}."
            inner = [(f"{prefix}{name}.", value)]
        else:
            items = value if each.get("options") and isinstance(value, (list, tuple)) else ()
            inner = [(f"{prefix}{name}[{index}].", item) for index, item in enumerate(items)]
        for place, item in inner:
            wrong = unusable(item, each["options"], place) if isinstance(item, Mapping) else None
            if wrong is not None:
                return wrong
    return None


def order() -> ArgumentSpec:
    """Options of one order."""
    return {
        "name": {"type": "str"},
        "end_user": {"type": "str"},
        "product": {"type": "str"},
        "product_type": {"type": "str", "choices": list(PRODUCT_TYPES)},
        "settings": {"type": "dict", "default": {}},
        "additional_elements": {"type": "dict", "default": {}},
        "validation": {"type": "str", "choices": ["live", "documented"], "default": "live"},
        "org_max_ram": {"type": "int"},
        "on_drift": {"type": "str", "choices": ["fail", "warn", "ignore"], "default": "fail"},
        "on_duplicate": {"type": "str", "choices": ["fail", "warn", "ignore"], "default": "fail"},
        "verify_nameservers": {"type": "bool", "default": True},
        "save_answer": {"type": "path"},
    }


def order_defaults() -> ArgumentSpec:
    """Options that several orders can share: all except the name and the file."""
    return {name: spec for name, spec in order().items() if name not in ("name", "save_answer")}


def operation() -> ArgumentSpec:
    """Options of one published operation."""
    return {
        "operation": {"type": "str", "required": True},
        "path_parameters": {"type": "dict", "default": {}},
        "query": {"type": "dict", "default": {}},
        "headers": {"type": "dict", "default": {}},
        "body": {"type": "raw"},
        "media_type": {"type": "str"},
        "accept_status": {"type": "list", "elements": "int", "default": []},
        "secrets": {"type": "list", "elements": "str", "default": [], "no_log": False},
        "save_answer": {"type": "path"},
        "validation": {"type": "str", "choices": ["strict", "warn"], "default": "strict"},
    }


def waiting() -> ArgumentSpec:
    """Options of a wait for conditions."""
    return {
        "until": {"type": "list", "elements": "dict", "required": True},
        "fail_on": {"type": "list", "elements": "dict", "default": []},
        "timeout": {"type": "float", "default": 600.0},
        "interval": {"type": "float", "default": 5.0},
    }


def placing() -> ArgumentSpec:
    """Options of the modules that place orders, for the run as a whole."""
    return {
        "wait_in_flight": {"type": "int"},
        "nameserver_resolvers": {"type": "list", "elements": "str"},
        "nameserver_port": {"type": "int", "default": 53},
        "awx_job_id": {"type": "str"},
        "awx_workflow_job_id": {"type": "str"},
        "read_back": {"type": "bool", "default": False},
        # The default depends on read_back.
        "on_unrecorded": {"type": "str", "choices": ["fail", "warn", "ignore"]},
        "marker_element": {"type": "str"},
        **reading(),
    }
