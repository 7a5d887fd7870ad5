# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Waits after the service has accepted an operation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._core.addresses import absolute_url, origin
from .._core.conditions import steps_of, value_at
from .._core.errors import ResellerError
from .._core.text import clean
from .._http.answers import service_error
from .._http.client import accept_header
from .._http.waiting import Awaited, WaitFor, wait
from .._operations.operation_reads import body_of, read_operation, shown_body
from .._operations.requests import Prepared, Preparer
from .._operations.writing import READING
from .._reference.published import Operation
from .outcomes import SendResult


class Afterwards:
    """Waits for ``wait_for``: reads its operation, the response's ``Location``, or what was changed."""

    def __init__(self, preparer: Preparer, params: Mapping[str, Any], wait_for: WaitFor | None) -> None:
        self._client = preparer.client
        self._preparer = preparer
        self._params = params
        self._wait = wait_for

    def check(self, prepared: Prepared) -> None:
        """Refuse a wait that is not possible, before a request is sent. Raises ConfigurationError and its kinds."""
        given = self._params["wait_for"]
        if self._wait is None or not given["operation"]:
            return
        own = given["path_parameters"] or {}
        late = {name: value["pointer"] for name, value in own.items() if _is_pointer(value)}
        for name, pointer in late.items():
            steps_of(pointer, f"wait_for.path_parameters.{name}.pointer")
        if late:
            self._preparer.find(given["operation"], READING, "wait_for.operation")
        else:
            self._preparer.prepare_read(given, "wait_for", prepared.path_parameters)

    def waited(self, prepared: Prepared, sent: SendResult, item: Prepared | None) -> dict[str, Any] | None:
        """The return value ``wait``, once the conditions are met; ``item`` reads the thing that was changed.

        Raises ResellerError, of kind ``service`` where no condition is met in time.
        """
        if self._wait is None:
            return None
        client, target = self._client, self._place(prepared, sent, item)
        operation = target.operation if isinstance(target, Prepared) else self._serving(target)
        what = operation.name if operation is not None else f"GET {clean(str(target), 200)}"

        def look() -> Any:
            if isinstance(target, Prepared):
                answer = read_operation(client, target)
            else:
                answer = client.get(target, accept=accept_header(()))
            if not answer.ok:
                raise service_error(answer, f"the request for {what}")
            return body_of(answer)

        awaited = Awaited(what, look)
        waited = wait(self._wait, [awaited])
        return {**waited, "body": shown_body(self._preparer, operation or prepared.operation, awaited.value)}

    def _serving(self, url: str) -> Operation | None:
        """The published operation that reads an address, whose schemas tell what is secret in it."""
        path = url.removeprefix(self._client.config.base_url).partition("?")[0].partition("#")[0]
        return self._preparer.published.serving("GET", path)

    def _place(self, prepared: Prepared, sent: SendResult, item: Prepared | None) -> Prepared | str:
        name, given = prepared.operation.name, self._params["wait_for"]
        if given["operation"]:
            own = given["path_parameters"]
            parameters = prepared.path_parameters if own is None else own
            found = {key: _from_answer(sent.body, value, name) for key, value in parameters.items()}
            return self._preparer.prepare_read({**given, "path_parameters": found}, "wait_for", {})
        location = sent.answer.header("Location") if sent.answer is not None else None
        if location:
            url = absolute_url(prepared.url, location)
            if origin(url) != origin(self._client.config.base_url):
                raise ResellerError(
                    f"{name} was done, but its Location is on another host: {clean(url, 200)}. It is not followed.\n"
                    "The API key is sent to base_url only. Set wait_for.operation to a published operation.",
                    kind="service",
                )
            return url
        if item is not None:
            return item
        raise ResellerError(
            f"{name} was done, but its response has no Location to wait at.\n"
            "Set wait_for.operation to a published operation.",
            kind="service",
        )


def _is_pointer(value: Any) -> bool:
    return isinstance(value, Mapping) and set(value) == {"pointer"} and isinstance(value["pointer"], str)


def _from_answer(body: Any, value: Any, name: str) -> Any:
    """A path parameter, taken from the answer where it is a pointer into it."""
    if not _is_pointer(value):
        return value
    found = value_at(body, steps_of(value["pointer"], "wait_for.path_parameters"))
    if found is None:
        raise ResellerError(
            f"{name} was done, but its answer shows nothing at {value['pointer']}, so nothing could be waited for.\n"
            "Look at body, and correct wait_for.path_parameters.",
            kind="service",
        )
    return found
