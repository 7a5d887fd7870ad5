# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Errors of responses, with what the service says in whatever form and what to do (API specification 4.1 and 7 show
none).

An object with a message may name the value that it is about, by a path or by the name of a setting that was sent;
without a message, it maps paths to messages. What is no sentence is no message, and neither is what says no more than
the status. A body without any is shown as it is.
"""

from __future__ import annotations

import html
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from http import HTTPStatus
from itertools import islice
from typing import Any

from .._core.errors import JSON_API, NOT_IN_JSON_API, Advice, ServiceError, Violation
from .._core.text import JsonError, brief, by_folded_name, clean, fold, json_in, words
from .._secrets.masker import Masker
from .transport import Answer, is_page

#: The thing does not exist, or nobody may see it.
GONE = (404, 410)
#: Statuses of requests that were not processed. 406 and 408 are missing: both can come after the request was processed.
UNPROCESSED = frozenset({*range(400, 406), 407, *range(409, 427), 428, 429, 431, 451, 301, 307, 308, 501})
#: More messages than a person reads at night.
MOST_VIOLATIONS = 50
_MOST_ENTRIES = 200
_DEEPEST = 12
#: Names (folded) of a message, the most telling first.
_MESSAGES = (
    *("errordescription", "longmessage", "message", "messages", "msg", "detail", "hydradescription", "description"),
    *("desc", "reason", "reasons", "errormessage", "errormsg", "errmsg", "errortext", "errtext", "responsetext"),
    *("statusmessage", "statusmsg", "defaultmessage", "faultstring", "shortmessage", "error", "errors", "err", "text"),
    *("details", "info", "title", "hydratitle"),
)
#: Names of what holds messages about single values, or the error as an object of its own.
_HOLDERS = words("fault invalid invalidparams invalidfields issues constraints problems causes fields validation") | {
    *_MESSAGES
}
_HOLDER_ENDS = ("errors", "violations", "messages", "errordetails")
#: Names of the path to a value, in an object that has a message, and in what it holds beside it.
_FIELDS = ("sourcefield", "propertypath", "field", "fieldname", "pointer", "instancepath", "parameter", "attribute")
_PATHS = (*_FIELDS, "path", "loc", "property", "param", "target", "members", "keys", "key", "name", "source")
_BESIDE = ("meta", "extensions")
#: Names of lists of values that are missing or wrong, with what that says of each.
_LISTS = {
    **dict.fromkeys(words("missing missingfields missingparameters missingparams"), "is missing"),
    **dict.fromkeys(words("invalid invalidfields invalidparameters"), "is invalid"),
}
#: Names of what a message was made of: it says no more than the message.
_CONTEXT = ("ctx", "params", "parameters", "input", "args", "values")
#: Names of what is for the service's own programmers, and may show its files, and of what says nothing to anybody.
_INTERNAL = words(
    "trace traces stack stacktrace backtrace file line exception exceptions previous innererror debug debuginfo "
    "debugmessage @context @type @id timestamp requestid traceid correlationid"
)
#: Where a text goes on with calls of functions.
_CALLS = re.compile(r"(?:\n[ \t]+at\s|\n#0\s|\bStack trace:|\bTraceback \(most recent).*", re.DOTALL)
#: Names that are no part of a path to a setting.
_STRUCTURE = (
    _HOLDERS
    | _LISTS.keys()
    | words("children data body payload request properties attributes json nonfielderrors fields $ #")
)
#: A text that names a kind of error to a program: it has no blank, and looks like no word.
_CODE = re.compile(r"\S*[\d_.:/\\-]\S*[^.!?]|[A-Z0-9]+|[A-Za-z][a-z0-9]*[A-Z]\S*")
#: Sentences that say no more than a status does, of which Python calls two by their older or newer names.
_VAGUE = {"", *(fold(status.phrase) for status in HTTPStatus)} | words(
    "anerroroccurred validationfailed validationerror unprocessablecontent unprocessableentity contenttoolarge "
    "requestentitytoolarge error failed failure errors fail resourcenotfound therequestedresourcewasnotfound "
    "invalidrequest invalidinput invaliddata invalidparameters requestfailed operationfailed internalerror servererror "
    "unknownerror somethingwentwrong badrequestexception parameterverificationfailed oneormorevalidationerrorsoccurred"
)
#: What joins the messages of ajv (Fastify's allErrors).
_JOINED = re.compile(r",\s(?=body(?:/\S+)? must )")
#: Headers in which proxies and firewalls name a request, what their pages call that, and statuses of their own: what is
#: no JSON and has another comes through them from a web server.
_FRONT_IDS = ("CF-Ray", "X-Amz-Cf-Id", "X-Iinfo", "X-Sucuri-ID", "X-Azure-Ref", "X-Akamai-Request-ID")
_FRONT_ID = re.compile(
    r"\b(?:ray|reference|incident|support|event)\s*(?:id|number|#)\W{0,4}(?:is\W{1,4})?([\w.-]{6,80})", re.IGNORECASE
)
_OF_FRONTS = frozenset({403, 407, 429, 502, 503, 504, *range(520, 531)})

Message = tuple[tuple[str, ...], str]


def service_error(answer: Answer, what: str, names: Collection[str] = (), within: str = "settings") -> ServiceError:
    """The error for a response, with the service's own words and what to do.

    ``what`` was sent, as in "the order". A message about one of ``names`` gets the path ``settings.<name>``, or that
    ``within`` something else, even where the service tells only the name.
    """
    message, violations = _problem(answer, names, within)
    verb = "failed on" if answer.status >= 500 else "rejected" if answer.status in UNPROCESSED else "answered"
    ending = f": {message.rstrip('.')}." if message else "." if violations else ", without a reason."
    request_id, (front_advice, is_front) = answer.request_id, _front_advice(answer)
    return ServiceError(
        f"The service {verb} {what} ({answer.described_status}){ending}",
        *(f"  - {violation}" for violation in violations),
        *front_advice,
        *(() if is_front else _advice(answer)),
        f"The service calls this request {request_id}." if request_id else "",
        status=answer.status,
        service_message=message or None,
        violations=violations,
        request_id=request_id,
        retry_after=answer.retry_after(),
    )


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
        usual = "The service expects another form of request. Check that its OpenAPI document describes this service."
        yield f"The service takes JSON:API alone. {NOT_IN_JSON_API}" if _wants_json_api(answer) else usual
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


def _wants_json_api(answer: Answer) -> bool:
    """Return whether JSON:API is the only JSON that a response names."""
    headers = " ".join(answer.header(name) or "" for name in ("Accept-Post", "Accept-Patch", "Accept"))
    named = re.findall(r"application/(?:[\w.-]+\+)?json", f"{headers} {answer.body[:16000].decode('utf-8', 'replace')}")
    return bool(named) and {*named} == {JSON_API}


def _front_advice(answer: Answer) -> tuple[Sequence[str], bool]:
    """Return what to say where a proxy or firewall answered in place of the service, and whether none but they do so.

    The service answers in JSON.
    """
    is_json = answer.body.lstrip()[:1] in (b"{", b"[")
    page = answer.body[:100_000].decode("utf-8", "replace") if is_page(answer) else ""
    named = _FRONT_ID.search(html.unescape(re.sub("<[^<>]*>", " ", page)))
    request_id = next(filter(None, map(answer.header, _FRONT_IDS)), named[1] if named else "")
    is_told = answer.header("CF-Mitigated") or answer.status == 407
    if not is_told and (answer.status not in _OF_FRONTS or is_json or not (page or request_id)):
        return (), False
    name = answer.header("Server") or answer.header("Via")
    return (
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


# Bodies of errors


def _problem(answer: Answer, names: Collection[str], within: str) -> tuple[str, tuple[Violation, ...]]:
    """Return what a body says in general, which may be nothing, and about single values."""
    try:
        body = _without_internals(answer.json)
    except JsonError:
        return _text_of(answer), ()
    messages = islice(_Messages(names).of(body, (), _DEEPEST, is_message=isinstance(body, (list, str))), _MOST_ENTRIES)
    places = dict.fromkeys((_place(path, text, names, within), text) for path, text in messages)
    rules = {text for place, text in places if place}

    def repeats(text: str) -> bool:
        """Return whether a sentence has one in it that stands under its setting's path."""
        return any(text != rule and rule in text for rule in rules)

    violations = [Violation(place, None, text, "service") for place, text in places if place and not repeats(text)]
    message = _joined([text for place, text in places if not (place or text in rules or repeats(text))])
    if not (violations or message or _says_nothing(body)):
        # Under a secret's name no error stands here, but what was sent or made.
        message = brief(Masker().value(body), 500)
    return message, tuple(violations[:MOST_VIOLATIONS])


def _text_of(answer: Answer) -> str:
    """The text of a body that is not JSON, as far as it says anything."""
    # A page says nothing that its status does not. What was cut off may end within a secret, which is then not
    # known for one.
    text = "" if is_page(answer) or answer.flaw is not None else answer.body[:16000].decode("utf-8", "replace")
    is_text = text.count("\ufffd") + text.count("\0") <= len(text) // 20
    return clean(_CALLS.sub("", text)) if is_text else ""


def _joined(texts: Sequence[str]) -> str:
    """The sentences as one text, without those that say no more than a status."""
    telling = [text for text in texts if fold(text) not in _VAGUE]
    ended = [text if text.endswith((".", "!", "?", ":", ";")) else f"{text}." for text in telling[:-1]]
    return clean(" ".join([*ended, *telling[-1:]]))


def _without_internals(value: Any) -> Any:
    """A body without what is for the service's own programmers."""
    if isinstance(value, Mapping):
        return {name: _without_internals(inner) for name, inner in value.items() if fold(name) not in _INTERNAL}
    if isinstance(value, list):
        return [_without_internals(inner) for inner in value]
    return _CALLS.sub("", value) if isinstance(value, str) else value


def _says_nothing(value: Any) -> bool:
    """Return whether all texts say no more than the status does."""
    if isinstance(value, (Mapping, list)):
        return all(map(_says_nothing, value.values() if isinstance(value, Mapping) else value))
    # A number is the status, and an address the kind of the error.
    return (
        not isinstance(value, str)
        or fold(value) in _VAGUE
        or value.isdigit()
        or value.startswith(("/", "http", "about:"))
    )


class _Messages:
    """Finds pairs of a path and a message in a body; the path is empty where none is told.

    ``names`` are those of settings.
    """

    def __init__(self, names: Collection[str]) -> None:
        self._names = names

    def of(self, value: Any, path: tuple[str, ...], depth: int, *, is_message: bool) -> Iterator[Message]:
        """Yield what a value says. ``is_message``: this stands where messages stand, and a text may itself be JSON.

        Elsewhere a message is in a list of texts, since any object could be there.
        """
        if isinstance(value, str) and is_message:
            inner = json_in(value)
            if inner is not None:
                yield from self.of(inner, path, depth - 1, is_message=True)
            else:
                yield from ((path, sentence) for sentence in _sentences(value))
        elif isinstance(value, list) and depth > 0:
            is_message = is_message or all(isinstance(item, str) for item in value)
            for item in value[:_MOST_ENTRIES]:
                yield from self.of(item, path, depth - 1, is_message=is_message)
        elif isinstance(value, Mapping) and depth > 0:
            yield from self._of_object(value, path, depth, is_message)

    def _of_object(
        self, value: Mapping[Any, Any], path: tuple[str, ...], depth: int, is_message: bool
    ) -> Iterator[Message]:
        folded = by_folded_name(value)
        texts = {name: said for name in _MESSAGES if (said := [*_own_sentences(folded.get(name))])}
        # What says more than its kind comes before what does not.
        chosen = min(texts, key=lambda name: all(fold(text) in _VAGUE for text in texts[name]), default="")
        if chosen:
            # That of the whole error is the request's.
            path = (*path, *(self._own_path(value, folded) if depth < _DEEPEST else ()))
            for text in texts[chosen] if path else (folded.get("title"), *texts[chosen]):
                yield from self.of(text, path, depth, is_message=True)
        done = {chosen, *_PATHS, *_CONTEXT} if chosen else {chosen}
        for name, inner in islice(value.items(), _MOST_ENTRIES):
            word = fold(name)
            if word not in done and not (isinstance(inner, str) and (chosen or word in _PATHS or word in _MESSAGES)):
                yield from self._of_member(str(name), inner, path, depth, is_message)

    def _of_member(
        self, name: str, inner: Any, path: tuple[str, ...], depth: int, is_message: bool
    ) -> Iterator[Message]:
        word = fold(name)
        if word in _LISTS and isinstance(inner, list):
            yield from ((parts, _LISTS[word]) for value in inner if (parts := _parts(value)))
            return
        inside = path if word in _STRUCTURE else (*path, *_parts(name))
        # From the name of a rule to its message.
        messages = list(inner.values()) if word == "constraints" and isinstance(inner, Mapping) else inner
        is_holder = word in _HOLDERS or word.endswith(_HOLDER_ENDS)
        yield from self.of(messages, inside, depth - 1, is_message=is_message or is_holder)

    def _own_path(self, value: Mapping[Any, Any], folded: Mapping[str, Any]) -> tuple[str, ...]:
        """Return the path that an object tells beside its message, or the setting that a text in it is the name of."""
        told = [
            *(_parts(folded.get(name)) for name in _PATHS),
            *(_parts(folded.get(name), _FIELDS) for name in _BESIDE),
        ]
        path = next(filter(None, told), ())
        settings = ((text,) for text in value.values() if isinstance(text, str) and text in self._names)
        return path if any(part in self._names for part in path) else next(settings, path)


def _own_sentences(value: Any) -> Iterator[str]:
    """The sentences of a text, or of a list of texts."""
    for text in value if isinstance(value, list) else [value]:
        if isinstance(text, str):
            yield from _sentences(text)


def _sentences(text: str) -> Iterator[str]:
    return (shown for shown in _JOINED.split(clean(text)) if shown and not _CODE.fullmatch(shown))


# Paths


def _parts(path: Any, names: Collection[str] = _PATHS) -> tuple[str, ...]:
    """The parts of a path, from ``a.b``, ``a[b]``, ``/a/b``, ``$.a.b``, ``["a", "b"]`` or ``{"pointer": "/a/b"}``.

    In a mapping, it has one of these names.
    """
    if isinstance(path, Mapping):
        inner = by_folded_name(path)
        return next((parts for name in names if (parts := _parts(inner.get(name)))), ())
    if isinstance(path, list):
        return tuple(clean(str(part), 100) for part in path[:10] if isinstance(part, (str, int)))
    if not isinstance(path, str) or " " in path.strip():
        return ()
    return tuple(clean(part, 100) for part in re.split(r"[.\[\]/'\"]+", path) if part.strip())


def _place(path: tuple[str, ...], text: str, names: Collection[str], within: str) -> str:
    """The path as the user writes it, or the value that the sentence begins with.

    As in ``"settings.ram" must be …`` and ``body/ram must be …``.
    """
    begun = _written(_parts(text.split(maxsplit=1)[0].strip("\"'`:,")), names, within)
    return _written(path, names, within) or (begun if begun.startswith(f"{within}.") else "")


def _written(path: tuple[str, ...], names: Collection[str], within: str) -> str:
    """The path from the value on that has one of ``names``, whatever stands before it."""
    parts = [part for part in path if part not in _STRUCTURE]
    if all(part.isdigit() for part in parts):
        # The place in a list of messages.
        return ""
    for at, part in enumerate(parts):
        # ``cpuCores`` may be how the service writes ``cpu_cores``.
        meant = [part] if part in names else [name for name in names if fold(name) == fold(part)]
        if len(meant) == 1:
            return ".".join([within, *meant, *parts[at + 1 :]])
    return ".".join(parts)
