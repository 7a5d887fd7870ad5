# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Waits after the service has accepted an operation."""

from __future__ import annotations

from typing import Any

from .._core.addresses import absolute_url, origin
from .._core.errors import ResellerError
from .._core.text import clean
from .._http.answers import service_error
from .._http.client import accept_header
from .._http.waiting import Awaited, WaitFor, wait
from .._operations.operation_reads import body_of, read_operation, shown_body
from .._operations.requests import Prepared, Preparer
from .outcomes import SendResult


def wait_afterwards(
    preparer: Preparer,
    wanted: WaitFor,
    prepared: Prepared,
    sent: SendResult,
    reading: Prepared | None,
    item: Prepared | None,
) -> dict[str, Any]:
    """The return value ``wait``, once what is read meets the conditions.

    That is ``reading``, else the response's ``Location``, else ``item``. Raises ResellerError, of kind ``service`` if
    they are not met in time.
    """
    client, target = preparer.client, reading or _location(preparer, prepared, sent) or item
    if target is None:
        raise ResellerError(
            f"{prepared.operation.name} was done, but its response has no Location to wait at.\n"
            "Set wait_for.operation to a published operation, or read one with reseller_operation_info and wait_for.",
            kind="service",
        )
    if isinstance(target, Prepared):
        operation, what = target.operation, target.name
    else:
        # Its schemas tell what is secret in the answer.
        path = target.removeprefix(client.config.base_url).partition("?")[0].partition("#")[0]
        operation, what = preparer.published.serving("GET", path) or prepared.operation, f"GET {clean(path, 200)}"

    def look() -> Any:
        if isinstance(target, Prepared):
            answer = read_operation(client, target)
        else:
            answer = client.get(target, accept=accept_header(()))
        if not answer.ok:
            raise service_error(answer, f"the request for {what}")
        return body_of(answer)

    awaited = Awaited(what, look)
    waited = wait(wanted, [awaited])
    return {**waited, "body": shown_body(preparer, operation, awaited.value)}


def _location(preparer: Preparer, prepared: Prepared, sent: SendResult) -> str | None:
    location = sent.answer.header("Location") if sent.answer is not None else None
    if location is None:
        return None
    url = absolute_url(prepared.url, location)
    if origin(url) != origin(preparer.client.config.base_url):
        raise ResellerError(
            f"{prepared.operation.name} was done, but its Location is on another host: {clean(url, 200)}.\n"
            "The API key is sent to base_url only, so it is not followed. Set wait_for.operation.",
            kind="service",
        )
    return url
