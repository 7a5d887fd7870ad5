# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_operation_info: reads data with a published operation."""

from __future__ import annotations

from functools import partial
from typing import Any

from .._adapter.context import Context, Result, Task
from .._adapter.service_opener import service_of
from .._core.errors import ConfigurationError, UnreadableAnswerError
from .._core.text import clean, describe_json
from .._http.transport import Answer
from .._http.waiting import GONE
from .._operations.operation_reads import OperationPages, body_of, failed, read_operation, shown_body
from .._operations.requests import Prepared, Preparer
from .._operations.writing import READING
from .._placing.answer_files import AnswerFile, check_writable


def preparer_of(context: Context) -> Preparer:
    """What prepares the requests of a task. Raises ConfigurationError."""
    service, params = service_of(context), context.params
    return Preparer(service.client, service.reference, service.renew, params["secrets"], context.hidden)


def run(context: Context) -> Result:
    """Read an operation: once, or all of its pages."""
    params = context.params
    _refuse_useless(params)
    preparer = preparer_of(context)
    prepared = preparer.prepare(params, ("POST",) if params["reads"] else READING)
    check_writable(params["save_answer"])
    with preparer.telling_outdated(context.warn):
        return _result(context, preparer, prepared, read_operation(preparer.client, prepared))


def _result(context: Context, preparer: Preparer, prepared: Prepared, answer: Answer) -> Result:
    params = context.params
    shown: Result = {
        "changed": False,
        "operation": prepared.operation.name,
        "request": prepared.shown,
        "status": answer.status,
        "body": None,
        "records": None,
        "complete": None,
    }
    if answer.status in GONE and params["missing_ok"]:
        return {**shown, "records": [], "complete": True} if params["all_pages"] else shown
    if not answer.ok and answer.status not in params["accept_status"]:
        raise failed(answer, prepared)
    if prepared.method == "HEAD":
        return shown
    if not context.check_mode:
        _save(params["save_answer"], answer)
    body = body_of(answer)
    mask = partial(shown_body, preparer, prepared.operation)
    shown["body"] = mask(body)
    if not answer.ok or body is None or isinstance(body, str):
        return shown
    pages = OperationPages(preparer.client, prepared, answer, params["max_records"], mask)
    why = _read_records(context, pages, body)
    return {**shown, "records": pages.records, "complete": None if pages.records is None else not why}


def _read_records(context: Context, pages: OperationPages, body: Any) -> str | None:
    """Read the records of the first page, or of all of them, and warn if there may be more. Return why."""
    if not context.params["all_pages"]:
        why = pages.read_first()
        if why:
            context.warn(f"{pages.what} was read without all_pages: {why}.")
        return why
    why = pages.read()
    if pages.records is None:
        raise UnreadableAnswerError(
            f"{pages.what} is not a list, so it has no pages. Leave out all_pages.\n"
            f"Its answer is {clean(describe_json(body), 500)}."
        )
    if why:
        context.warn(f"Not all records of {pages.what} were read: {why}.")
    return why


def _refuse_useless(params: Any) -> None:
    if params["max_records"] is not None and not params["all_pages"]:
        raise ConfigurationError("max_records bounds all pages. Set all_pages: true, or leave it out.")
    if params["reads"] and params["all_pages"]:
        raise ConfigurationError("reads is for one POST. It has no pages.")
    if not params["reads"] and params["body"] is not None:
        raise ConfigurationError("body is for a POST that only reads. Set reads: true if the operation is one.")


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
