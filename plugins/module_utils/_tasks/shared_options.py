# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Options that several modules have beside those of the action group."""

from __future__ import annotations

from .._adapter.argspec import ArgumentSpec
from .._product_types.registry import PRODUCT_TYPES


def learning() -> ArgumentSpec:
    """Options of the modules that learn from the service: how long learned values are used."""
    return {
        "catalogue_max_age": {"type": "int", "default": 300},
    }


def reading() -> ArgumentSpec:
    """Options of the modules that read contracts back from the service."""
    return {
        "organizations": {"type": "dict", "default": {}},
        "list_path": {"type": "str"},
        "item_path": {"type": "str"},
    }


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
        "read_back": {"type": "bool", "default": False},
        # The default depends on read_back.
        "on_unrecorded": {"type": "str", "choices": ["fail", "warn", "ignore"]},
        "marker_element": {"type": "str"},
        **reading(),
    }
