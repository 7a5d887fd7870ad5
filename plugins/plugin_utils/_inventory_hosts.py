# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Names for the hosts of an inventory: text of a service becomes a host name only if it can do no harm as one."""

from __future__ import annotations

import ipaddress
import re
import socket
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from ..module_utils._contracts.server_addresses import is_of_another_machine
from ..module_utils._core.addresses import is_hostname

# What Ansible and ssh read as a name alone: no option, pattern, range, path, port or template.
_NAME = re.compile(r"[A-Za-z0-9_](?:[A-Za-z0-9_.-]*[A-Za-z0-9_])?", re.ASCII)
#: Names that lead to the controller itself.
_LOCAL = re.compile(
    r"(?:.*\.)?localhost(?:\.localdomain)?|localhost[46](?:\.localdomain[46])?|ip6-(?:localhost|loopback)"
)


def host_names(orders: Sequence[Mapping[str, Any]], groups: Collection[str] = ()) -> list[str | None]:
    """A unique host name for each order, or ``None`` where it has no name that can be one.

    The name is the hostname, otherwise the name of the order (if several orders have the hostname, too), otherwise the
    contract's id. No host has the name of one of ``groups``.
    """
    hostnames = [str((order["settings"] or {}).get("hostname") or "") for order in orders]
    # Order names are unique, so no other order may have one of them as its host name either.
    often = Counter(
        each for order, host in zip(orders, hostnames, strict=True) for each in dict.fromkeys((host, order["name"]))
    )
    names, taken = list[str | None](), set(groups)
    for order, hostname in zip(orders, hostnames, strict=True):
        first = [hostname] if often[hostname] == 1 and is_hostname(hostname) else []
        possible = (*first, str(order["name"]), str(order["contract_id"] or ""))
        name = next((each for each in possible if each not in taken and is_host_name(each)), None)
        names.append(name)
        taken |= {name} if name else set()
    return names


def is_host_name(text: str) -> bool:
    """Return whether Ansible and ssh take a text as the name of one other machine, and as nothing else."""
    return _NAME.fullmatch(text) is not None and not _LOCAL.fullmatch(text.lower()) and not _is_loopback(text)


def _is_loopback(text: str) -> bool:
    """Return whether a text is an address of this machine in any form that the system reads: 127.1, 0x7f000001, 0."""
    try:
        return not is_of_another_machine(ipaddress.IPv4Address(socket.inet_aton(text)))
    except OSError:
        return False
