# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Reads the bodies of responses, and makes errors of them with what to do (API specification 4.1 and 7 show none)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from http.client import responses
from typing import Any

from .._core.errors import Advice, ServiceError, UnreadableAnswerError, Violation
from .._core.text import JsonError, clean
from .problems import read_problem
from .transport import Answer

#: Headers in which a service names a request, as in ``X-Request-Id`` and ``X-Amzn-RequestId``.
_REQUEST_ID_HEADER = re.compile(r"(?:.*-)?(?:request|correlation|trace)-?id", re.IGNORECASE)

#: The thing does not exist, or nobody may see it.
GONE = (404, 410)
#: Statuses of requests that were not processed. 406 and 408 are missing: both can come after the request was processed.
UNPROCESSED = frozenset({*range(400, 406), 407, *range(409, 427), 428, 429, 431, 451, 301, 307, 308, 501})


# Bodies


def read_json(answer: Answer) -> Any:
    """The JSON value of a response's body, whatever its media type is.

    Raises UnreadableAnswerError that tells apart: not whole, empty, an HTML page, no JSON.
    """
    if answer.flaw is not None:
        raise _unreadable(answer, f", but the body cannot be used: {answer.flaw}.")
    if not answer.body.strip(b" \t\r\n\0\xef\xbb\xbf"):
        raise _unreadable(answer, " with an empty body, where JSON was expected.")
    try:
        return answer.json()
    except JsonError as error:
        if is_page(answer):
            raise _unreadable(
                answer,
                " with an HTML page, where JSON was expected.",
                Advice(
                    "Check base_url: it may name the portal's web pages. A login page or proxy may stand in between.",
                ),
            ) from None
        start = clean(answer.body[:400].decode("utf-8", "replace"), 80)
        raise _unreadable(answer, f" with a body that is not valid JSON: {error}.\nIt begins with: {start}") from None


def _unreadable(answer: Answer, how: str, *advice: Advice) -> UnreadableAnswerError:
    what = f"{clean(answer.url, 300)} answered {_status(answer.status)}{how}"
    return UnreadableAnswerError(what, *advice, status=answer.status, request_id=_request_id(answer))


def is_page(answer: Answer) -> bool:
    """Return whether the body is an HTML page, whatever its media type is."""
    start = answer.body[:1000].lstrip().lower()
    claimed = answer.media_type in ("text/html", "application/xhtml+xml")
    return start.startswith((b"<!doctype html", b"<html", b"<head", b"<body")) or (claimed and start.startswith(b"<"))


def _status(status: int) -> str:
    return f"{status} {responses.get(status, '')}".rstrip()


# Errors


def service_error(answer: Answer, what: str, names: Collection[str] = (), within: str = "settings") -> ServiceError:
    """The error for a response, with the service's own words and what to do.

    ``what`` was sent, as in "the order". A message about one of ``names`` gets the path ``settings.<name>``, or that
    ``within`` something else, even where the service tells only the name.
    """
    message, violations = _problem(answer, names, within)
    verb = "failed on" if answer.status >= 500 else "rejected" if answer.status in UNPROCESSED else "answered"
    ending = f": {message.rstrip('.')}." if message else "." if violations else ", without a reason."
    request_id = _request_id(answer)
    return ServiceError(
        f"The service {verb} {what} ({_status(answer.status)}){ending}",
        *(f"  - {violation}" for violation in violations),
        *_advice(answer),
        f"The service calls this request {request_id}." if request_id else "",
        status=answer.status,
        service_message=message or None,
        violations=violations,
        request_id=request_id,
    )


def _problem(answer: Answer, names: Collection[str], within: str) -> tuple[str, tuple[Violation, ...]]:
    try:
        return read_problem(answer.json(), names, within)
    except JsonError:
        pass
    # A page says nothing that its status does not, and a body that is no text nothing at all. One that was cut off may
    # end within a secret, which is then not known for one.
    text = "" if is_page(answer) or answer.flaw is not None else answer.body[:16000].decode("utf-8", "replace")
    return clean(text) if text.count("\ufffd") + text.count("\0") <= len(text) // 20 else "", ()


def _request_id(answer: Answer) -> str | None:
    found = (value for name, value in answer.headers.items() if value.strip() and _REQUEST_ID_HEADER.fullmatch(name))
    return next((clean(request_id, 200) for request_id in found), None)


def _advice(answer: Answer) -> Iterator[str]:
    status = answer.status
    base_url, twice, _rest = answer.url.partition("/api/api/")
    if status == 401:
        yield Advice(
            "Check api_key: the service does not accept it. Keys are made in the portal under Profile > API Keys.\n"
            "Check organization_id, too: some services answer 401 for a wrong organization.",
        )
    elif status == 403:
        yield Advice(
            "Check that the API key may do this, and organization_id: the organization must be your own or one of your "
            "end users'.",
        )
    elif status in (404, 405, 410) and twice:
        yield Advice(f"Check base_url: it ends in /api, which is added to it. Write it as {base_url}.")
    elif status in (404, 405, 410):
        yield Advice(
            "Check base_url (the address before /api/reseller), organization_id, and that the end user, product and "
            "other ids that were sent exist.",
        )
    elif status in (406, 415):
        yield "The service expects another form of request. Check that its OpenAPI document describes this service."
    elif status in (425, 429):
        yield Advice("Run again later.")
    elif 300 <= status < 400:
        # Its query may carry tokens.
        location = clean(re.split("[?#]", answer.header("Location") or "")[0], 200)
        yield f"A redirect{location and f' to {location}'} is not followed."
        # 303 names what was made, not where the service is.
        yield from () if status == 303 else (Advice("Set base_url to the address of the service."),)
    elif status >= 500:
        yield "If it continues to fail, contact its operator."
    elif status >= 400:
        yield Advice("Correct what the service names, and run again.")
