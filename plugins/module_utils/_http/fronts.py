# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Tells the response of a proxy or firewall in front of the service from one of the service itself. Pure."""

from __future__ import annotations

import html
import re
from typing import NamedTuple

from .._core.errors import Advice
from .._core.text import clean
from .transport import Answer, is_page

_ID_HEADERS = ("CF-Ray", "X-Amz-Cf-Id", "X-Iinfo", "X-Sucuri-ID", "X-Azure-Ref", "X-Akamai-Request-ID")
_ID_IN_PAGE = re.compile(
    r"\b(?:ray|reference|incident|support|event)\s*(?:id|number|#)\W{0,4}(?:is\W{1,4})?([\w.-]{6,80})", re.IGNORECASE
)
#: Statuses with which they answer: what else is no JSON comes through them from a web server.
_STATUSES = frozenset({403, 407, 429, 502, 503, 504, *range(520, 531)})


class Front(NamedTuple):
    """What to say of a proxy or firewall that answered."""

    advice: tuple[str, ...] = ()
    #: Whether no service answers like this.
    is_certain: bool = False


def front_advice(answer: Answer) -> Front:
    """Return what to say where a proxy or firewall answered in place of the service, which answers in JSON."""
    is_json = answer.body.lstrip()[:1] in (b"{", b"[")
    page = answer.body[:100_000].decode("utf-8", "replace") if is_page(answer) else ""
    named = _ID_IN_PAGE.search(html.unescape(re.sub("<[^<>]*>", " ", page)))
    request_id = next(filter(None, map(answer.header, _ID_HEADERS)), named[1] if named else "")
    is_told = answer.header("CF-Mitigated") or answer.status == 407
    if not is_told and (answer.status not in _STATUSES or is_json or not (page or request_id)):
        return Front()
    name = answer.header("Server") or answer.header("Via")
    return Front(
        (
            f"A proxy or firewall{f' ({clean(name, 100)})' if name else ''} answered in place of the service."
            + (f" Its ID: {clean(request_id, 100)}." if request_id else ""),
            Advice(
                "Check the network: HTTPS_PROXY, NO_PROXY, and whether the controller's address may reach the service. "
                "Whoever operates the proxy or firewall can look up why it answered."
            ),
        ),
        bool(is_told or request_id),
    )
