# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_operation_info: reads data from any path of the service."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing, suppress
from typing import Any
from urllib.parse import unquote, urlsplit

from .._adapter.context import Context, Result, Task
from .._adapter.service_opener import service_of
from .._core.errors import ConfigurationError, UnreadableAnswerError
from .._core.text import JsonError, clean, describe_json, fold
from .._http.answer_file import AnswerFile
from .._http.transport import Answer
from .._requests.operation_call import OperationCall, body_of, failed, operation_call, read_call, with_nearest
from .._service.description import Description
from .._service.list_names import records_place
from .._service.record_list import RecordList
from .._service.service import Service


def run(context: Context) -> Result:
    """Read one response, or all pages of a list."""
    params, service = context.params, service_of(context)
    call = operation_call(params, service.config, context.hidden)
    if call.method == "HEAD" and (params["all_pages"] or params["save_answer"]):
        raise ConfigurationError("all_pages and save_answer have no meaning for HEAD. Nothing was sent.")
    answer = read_call(service, call)
    masked = answer.masked(call.masker)
    if answer.status not in call.accepted:
        raise with_nearest(failed(masked, call), service, call)
    body, records, complete = None, None, None
    if call.method == "GET":
        if params["save_answer"] and not context.check_mode:
            with closing(AnswerFile(params["save_answer"])) as file:
                unsaved = file.write(answer.body)
            if unsaved is not None:
                raise ConfigurationError(unsaved)
        body = body_of(answer, masked)
    if params["all_pages"] and answer.ok:
        records, why = _read_pages(service, call, answer, body)
        complete = not why
        if why:
            context.warn(f"Not all records of {call.name} were read: {why}.")
    shown = {"request": call.shown, "status": answer.status, "body": call.shown_body(body)}
    return {"changed": False, **shown, "records": records, "complete": complete}


def _read_pages(service: Service, call: OperationCall, first: Answer, body: Any) -> tuple[list[Any], str | None]:
    """Return the records of all pages with secrets masked, and why there may be more. Raises ServiceError."""
    # The path /invoices names the list in {"invoices": […]}.
    noun = fold(urlsplit(call.url).path.rstrip("/").rpartition("/")[2])
    if records_place(body, noun, any_name=False) is None:
        raise UnreadableAnswerError(
            f"{call.name} is not a list, so it has no pages. Leave out all_pages.\n"
            f"Its answer is {clean(describe_json(call.masker.value(body)), 500)}."
        )
    kept = [first]

    def get(url: str) -> Answer:
        answer = kept.pop() if kept else read_call(service, call, url)
        with suppress(JsonError):
            if answer.ok and answer.json is not None:
                # Its next page may have the secrets of the request in its address.
                return answer
        return answer.masked(call.masker)

    def published() -> Mapping[str, int | None]:
        return service.query_parameters(lambda document: document.find("GET", unquote(call.path)))

    read = RecordList(
        service.client,
        call.url,
        Description(),
        part="records",
        noun=noun,
        what=call.name,
        parameters=published,
        get=get,
    ).read()
    return [call.shown_body(record) for record in read.records], read.why_incomplete or None


TASK = Task(run)
