# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Tells the response of a proxy or firewall in front of the service from one of the service itself. Pure."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from typing import NamedTuple

from .._core.errors import Advice
from .._core.text import JsonError, clean
from .transport import Answer, is_page

#: Proxies and firewalls, as headers and pages name them.
_NAMES = re.compile(
    r"cloudflare|akamai|cloudfront|awselb|squid|varnish|imperva|incapsula|sucuri|big-?ip|forti(?:net|gate|web|guard)"
    r"|zscaler|barracuda|sophos|blue ?coat|haproxy|envoy|ddos-guard|fastly|mod_?security|websense|mcafee",
    re.IGNORECASE,
)
_NAMING_HEADERS = ("Server", "Via", "X-Squid-Error", "X-Cache", "X-CDN")
_ID_HEADERS = ("CF-Ray", "X-Amz-Cf-Id", "X-Iinfo", "X-Sucuri-ID", "X-Azure-Ref", "X-Akamai-Request-ID")
_ID_IN_PAGE = re.compile(
    r"\b(?:ray|reference|incident|support|event)\s*(?:id|number|#)\W{0,4}(?:is\W{1,4})?([\w.-]{6,80})", re.IGNORECASE
)
#: Statuses with which they answer: what else is no JSON comes through them from a web server.
_STATUSES = frozenset({403, 407, 429, 502, 503, 504, *range(520, 531)})


class Front(NamedTuple):
    """A proxy or firewall: its name, and the ID that it gives to the request; both empty where they are not known."""

    name: str
    request_id: str


def front_of(answer: Answer) -> Front | None:
    """The proxy or firewall that answered in place of the service, which answers in JSON. ``None`` if none did."""
    mitigated = answer.header("CF-Mitigated")
    if not mitigated and (answer.status not in _STATUSES or _is_json(answer)):
        return None
    page = html.unescape(re.sub("<[^<>]*>", " ", answer.body[:100_000].decode("utf-8", "replace")))
    page = page if is_page(answer) else ""
    found = _NAMES.search(" ".join([*filter(None, map(answer.header, _NAMING_HEADERS)), page]))
    named = _ID_IN_PAGE.search(page)
    request_id = next(filter(None, map(answer.header, _ID_HEADERS)), named[1] if named else "")
    if not (found or request_id or mitigated or page or answer.status == 407):
        return None
    return Front("cloudflare" if mitigated else found[0].lower() if found else "", clean(request_id, 100))


def _is_json(answer: Answer) -> bool:
    try:
        return answer.json is not None
    except JsonError:
        return False


def front_advice(front: Front) -> Iterator[str]:
    """The sentences of an error about it."""
    name, named = f" ({front.name})" if front.name else "", f" Its ID: {front.request_id}." if front.request_id else ""
    yield f"A proxy or firewall{name} answered in place of the service.{named}"
    yield Advice(
        "Check the network: HTTPS_PROXY, NO_PROXY, and whether the controller's address may reach the service.\n"
        "Whoever operates the proxy or firewall can look up why it answered."
    )
