# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Compares two addresses: do they belong to one service?"""

from __future__ import annotations

from urllib.parse import urlsplit

_DEFAULT_PORTS = {"http": 80, "https": 443}


def same_service(one: str, other: str) -> bool:
    """Whether these addresses have the same scheme, host, port and path. Only the path is case-sensitive.

    What is no URL is the same as itself only.
    """
    return one == other or (_parts(one) is not None and _parts(one) == _parts(other))


def _parts(address: str) -> tuple[str, str, int | None, str] | None:
    try:
        parts = urlsplit(address)
        port = parts.port
    except ValueError:
        return None
    if not parts.hostname:
        return None
    known_port = _DEFAULT_PORTS.get(parts.scheme) if port is None else port
    return parts.scheme, parts.hostname.rstrip("."), known_port, parts.path.rstrip("/")
