# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_operation_info: reads data with a published operation."""

from __future__ import annotations

from typing import Any

from .._adapter.context import Context, Result, Task
from .._adapter.openers import service_of
from .._core.errors import ConfigurationError, UnreadableAnswerError
from .._core.text import clean, describe_json
from .._http.client import Answer, Client
from .._http.waiting import GONE, Awaited, WaitFor, read_wait_for, wait
from .._operations.operation_reads import OperationPages, body_of, failed, masker_of, read_operation
from .._operations.presence import never_met, refuse_mistyped, shown_body
from .._operations.requests import READING, Prepared, Preparer
from .._operations.task_options import refuse_placeholders, request_options
from .._placing.answer_files import AnswerFile, unwritable
from .._reference.operation_lookup import OperationLookup


def preparer_of(context: Context) -> tuple[Client, Preparer]:
    """The client for the service, and the preparer of requests.

    The reference is read once for a task, or for all items of its loop. Raises ConfigurationError, ServiceError and
    PublishedReferenceError.
    """
    service = service_of(context)
    base_url = service.config.base_url
    preparer = Preparer(
        OperationLookup(service.reference(), base_url), base_url, strict=context.params["validation"] == "strict"
    )
    preparer.hidden = context.hidden
    return service.client, preparer


def run(context: Context) -> Result:
    """Read an operation: once, until conditions are met, or all of its pages."""
    params = context.params
    refuse_placeholders(params)
    wanted = read_wait_for(params["wait_for"]) if params["wait_for"] else None
    _refuse_useless(params, wanted)
    client, preparer = preparer_of(context)
    methods = ("POST",) if params["reads"] else READING
    prepared = preparer.prepare(request_options(params), methods)
    _check_wait(preparer, prepared, wanted)
    for warning in preparer.warnings:
        context.warn(warning)
    hindrance = unwritable(params["save_answer"])
    if hindrance is not None:
        raise hindrance
    waited: dict[str, Any] | None = None
    if wanted is not None:
        seen: list[Answer] = []

        def look() -> Any:
            seen[:] = [read_operation(client, prepared)]
            if not seen[0].ok:
                raise failed(seen[0], prepared, masker_of(prepared, client.config.api_key))
            body = body_of(seen[0])
            refuse_mistyped(preparer.lookup, prepared.operation, wanted, body)
            return body

        waited = wait(wanted, [Awaited(prepared.operation.name, look)])
        answer = seen[0]
    else:
        answer = read_operation(client, prepared)
    result = _result(context, client, preparer, prepared, answer)
    return {**result, "wait": None if waited is None else {**waited, "body": result["body"]}}


def _result(context: Context, client: Client, preparer: Preparer, prepared: Prepared, answer: Answer) -> Result:
    params = context.params
    shown: Result = {
        "changed": False,
        "operation": prepared.operation.name,
        "request": prepared.shown(params["secrets"]),
        "status": answer.status,
        "body": None,
        "records": None,
        "complete": None,
    }
    if answer.status in GONE and params["missing_ok"]:
        return {**shown, "records": [], "complete": True} if params["all_pages"] else shown
    if not answer.ok and answer.status not in params["accept_status"]:
        raise failed(answer, prepared, masker_of(prepared, client.config.api_key))
    if prepared.method == "HEAD":
        return shown
    if not context.check_mode:
        _save(params["save_answer"], answer)
    body = body_of(answer)

    def mask(value: Any) -> Any:
        return shown_body(preparer.lookup, prepared.operation, value, params["secrets"])

    shown["body"] = mask(body)
    if not answer.ok or body is None or isinstance(body, str):
        return shown
    pages = OperationPages(client, prepared, answer, params["max_records"], mask)
    _read_records(context, pages, prepared.operation.name, body)
    complete = None if pages.records is None else not pages.incomplete
    return {**shown, "records": pages.records, "complete": complete}


def _read_records(context: Context, pages: OperationPages, name: str, body: Any) -> None:
    """Read the records of the first page, or of all of them, and warn if there may be more."""
    if not context.params["all_pages"]:
        pages.read_first()
        if pages.incomplete:
            context.warn(f"{name} was read without all_pages: {pages.incomplete}.")
        return
    pages.read_all()
    if pages.records is None:
        raise UnreadableAnswerError(
            f"{name} is not a list, so it has no pages. Leave out all_pages.\n"
            f"Its answer is {clean(describe_json(body), 500)}."
        )
    if pages.incomplete:
        context.warn(f"Not all records of {name} were read: {pages.incomplete}.")


def _refuse_useless(params: Any, wait: WaitFor | None) -> None:
    if params["max_records"] is not None and not params["all_pages"]:
        raise ConfigurationError("max_records bounds all pages. Set all_pages: true, or leave it out.")
    if params["max_records"] is not None and params["max_records"] < 1:
        raise ConfigurationError(f"max_records is at least 1 (given: {params['max_records']}).")
    if params["reads"] and (params["all_pages"] or wait is not None):
        raise ConfigurationError("reads is for one POST. It has neither pages nor something to wait for.")
    if not params["reads"] and params["body"] is not None:
        raise ConfigurationError("body is for a POST that only reads. Set reads: true if the operation is one.")


def _check_wait(preparer: Preparer, prepared: Prepared, wait: WaitFor | None) -> None:
    conditions = () if wait is None else (*wait.until, *wait.fail_on)
    wrong = never_met(preparer.lookup, prepared.operation, conditions)
    if wrong:
        preparer.refuse_or_warn("wait_for can never be met", wrong)


def _save(path: str | None, answer: Answer) -> None:
    file = AnswerFile(path)
    file.make()
    try:
        unsaved = file.write(answer.body)
    finally:
        file.close(keep=True)
    if unsaved is not None:
        raise ConfigurationError(unsaved)


TASK = Task(run)
