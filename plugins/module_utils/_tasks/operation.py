# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_operation: changes something with a published operation."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any

from .._adapter import argspec
from .._adapter.context import Context, Result, Task
from .._adapter.openers import ledger_of
from .._core.conditions import MISSING, is_there, pointer_to, read_conditions, steps_of
from .._core.errors import ConfigurationError, NotReadyError, ServiceError
from .._core.text import clean, describe_json
from .._http.waiting import GONE, read_wait_for
from .._ledger.operation_records import check_operation_name, key_of, operation_name
from .._ledger.order_records import RELEASED, Outcome, Record
from .._operations.comparing import differences, shown_object, without
from .._operations.operation_reads import body_of, failed, masker_of, read_operation
from .._operations.presence import control, shown_body, shows, unproven
from .._operations.requests import CHANGING, READING, Prepared, RequestOptions
from .._operations.task_options import read_of, refuse_placeholders, refuse_useless, request_options
from .._placing.afterwards import Afterwards
from .._placing.answer_files import unwritable
from .._placing.operations import NamedOperation, OperationSender, in_progress
from .._placing.outcomes import SendResult
from .._placing.placer import Placer
from .._placing.sending import Pace
from . import operation_results as results
from . import shared_options
from .operation_info import preparer_of

#: Seconds that another run may take to record its outcome.
IN_FLIGHT_MARGIN = 30.0


def run(context: Context) -> Result:
    """Send one operation unless it is already done, or show what would be sent."""
    return _Change(context).run()


class _Change:
    """One task: its request, what is read beside it, and how it is sent."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._params = params = context.params
        refuse_placeholders(params)
        self._secrets = params["secrets"]
        self._wait = read_wait_for(params["wait_for"]) if params["wait_for"] else None
        self._shows = read_conditions(params["unless"]["shows"], "unless.shows") if params["unless"] else ()
        pointer = (params["read_with"] or {}).get("pointer")
        self._pointer = None if pointer is None else steps_of(pointer, "read_with.pointer")
        if params["name"] is not None:
            check_operation_name(params["name"])
        self._client, self._preparer = preparer_of(context)
        self._prepared = prepared = self._preparer.prepare(request_options(params), CHANGING)
        refuse_useless(params, prepared.method)
        self._read_with = self._reading("read_with")
        self._unless = self._reading("unless")
        self._afterwards = Afterwards(self._client, self._preparer, params, self._wait)
        self._afterwards.check(prepared)
        hindrance = unwritable(params["save_answer"])
        # A named operation that is done already saves nothing.
        if hindrance is not None and params["name"] is None:
            raise hindrance
        for warning in self._preparer.warnings:
            context.warn(warning)

    def run(self) -> Result:
        method = self._prepared.method
        if method in ("PUT", "PATCH"):
            return self._replace()
        return self._delete() if method == "DELETE" else self._post()

    # The methods

    def _replace(self) -> Result:
        """PUT and PATCH: sent only if what a read shows differs."""
        if self._params["compare"] == "none":
            return self._done_or_planned({}, None)
        reading = self._item
        if reading is None:
            raise ConfigurationError(
                f"{self._prepared.operation.name}: the reference publishes no GET of the same path. Nothing was sent.\n"
                "Set read_with to an operation that shows what is changed, or compare: none to send it in every run."
            )
        shown = self._shown(reading)
        found = self._differing(shown)
        told = results.shown_differences(found, self._prepared, self._secrets)
        if not found:
            same = results.given_part(self._prepared.body, shown)
            return {**self._base, **self._diff(same, same)}
        return self._done_or_planned({"differences": told}, shown, verify=True)

    def _delete(self) -> Result:
        reading = self._item
        if self._context.check_mode:
            if reading is not None and self._is_gone(reading):
                return {**self._base, **self._diff(None, None)}
            return {**self._planned, **self._diff(reading and {"exists": True}, None)}
        sent = self._send()
        accepted = self._params["accept_status"]
        if sent.answer is not None and sent.answer.status in GONE and sent.answer.status not in accepted:
            if control(self._client, self._prepared, self._preparer, self._read_with) is None:
                raise unproven(self._prepared, sent.answer.status)
            return {**self._base, "sent": True, "status": sent.answer.status}
        if sent.status == "in_doubt" and reading is not None and self._is_gone(reading):
            self._context.warn(f"The answer to {self._prepared.operation.name} was lost. A read shows that it is done.")
            sent = replace(sent, outcome=Outcome("ordered"), error=None)
        return self._finished(sent, {}, self._diff({"exists": True}, None))

    def _post(self) -> Result:
        name: str | None = self._params["name"]
        if name is not None:
            return self._named(name)
        if self._unless is not None and shows(self._client, self._unless, self._preparer, self._shows):
            return {**self._base, **self._diff(None, None)}
        return self._done_or_planned({}, None)

    def _named(self, name: str) -> Result:
        context, config, pace = self._context, self._client.config, Pace()
        ledger, key = ledger_of(context, writing=True), key_of(name)
        twin = ledger.differing_in_case([key]).get(key)
        if twin is not None:
            raise ConfigurationError(
                f"The operation {name} is not in the ledger, but {operation_name(twin)} is. Nothing was sent.\n"
                "The name differs in capital letters only. Write it as the ledger has it, or use another name."
            )
        sender, operation = self._sender(), NamedOperation(name, self._prepared)
        standing = ledger.find([key]).get(key)
        if standing is not None and standing.status in RELEASED:
            standing = None
        if standing is not None:
            sender.refuse_other(standing, operation, ledger)
        if context.check_mode or (standing is not None and standing.status == "ordered"):
            kept = results.recorded_operation(standing)
            self._tell_of_no_wait(name, standing)
            return {**(self._base if standing else {**self._planned, **self._diff(None, self._prepared.body)}), **kept}
        hindrance = unwritable(self._params["save_answer"])
        if hindrance is not None:
            raise hindrance
        placer = Placer(sender, ledger, wait_in_flight=config.order_timeout + IN_FLIGHT_MARGIN, pace=pace)
        with context.signals_held(pace.stop):
            placed = placer.place(operation)
        if placed.sent is None or placed.record.status == "in_doubt":
            sender.refuse_other(placed.record, operation, ledger)
        if placed.record.status == "pending":
            raise in_progress(placed.record, name, placer.wait_in_flight)
        kept = results.recorded_operation(placed.record)
        if placed.sent is None:
            self._tell_of_no_wait(name, placed.record)
            return {**self._base, **kept}
        return self._finished(placed.sent, kept, self._diff(None, self._prepared.body))

    def _tell_of_no_wait(self, name: str, record: Record | None) -> None:
        """Warn that what was done earlier is not waited for: the run that did it may have waited in vain."""
        if self._wait is not None and record is not None:
            self._context.warn(
                f"The operation {name} was done earlier (claimed at {record.claimed_at}).\n"
                "It is neither sent nor waited for. To wait for it, read it with reseller_operation_info and wait_for. "
                "To do it again, use another name."
            )

    # Reading

    def _reading(self, option: str) -> Prepared | None:
        if not self._params[option]:
            return None
        return self._preparer.prepare(read_of(self._params, option, self._prepared.path_parameters), READING)

    @cached_property
    def _item(self) -> Prepared | None:
        """What reads the thing that is changed: ``read_with``, or GET on the same path."""
        if self._read_with is not None:
            return self._read_with
        found = self._preparer.lookup.published("GET", self._prepared.operation.path)
        if found is None:
            return None
        query = self._params["query"]
        given = {each.name: query[each.name] for each in found.of("query") if each.name in query}
        wish = RequestOptions(
            found.name, self._prepared.path_parameters, given, secrets=self._secrets, option="GET of the path"
        )
        return self._preparer.prepare(wish, READING)

    def _shown(self, reading: Prepared) -> Any:
        answer = read_operation(self._client, reading)
        if answer.status in GONE and self._prepared.method == "PUT":
            # A PUT may make what is not there.
            if control(self._client, reading, self._preparer) is None:
                raise unproven(reading, answer.status)
            return MISSING
        if not answer.ok:
            raise failed(answer, reading, masker_of(self._prepared, self._client.config.api_key))
        body = body_of(answer)
        if self._pointer is not None and not is_there(body, self._pointer):
            raise ConfigurationError(
                f"read_with.pointer: {reading.name} shows nothing at {pointer_to(self._pointer)}. Nothing was sent.\n"
                f"It shows {clean(describe_json(body), 300)}. Correct the pointer."
            )
        return shown_object(body, self._prepared.body, self._pointer)

    def _differing(self, shown: Any) -> list[Any]:
        given = self._prepared.body
        if not self._params["update_secrets"]:
            given = without(given, self._prepared.secret_paths)
        return list(differences(given, shown, self._params["compare"]))

    def _is_gone(self, reading: Prepared) -> bool:
        answer = read_operation(self._client, reading)
        if answer.status not in GONE:
            if answer.ok:
                return False
            raise failed(answer, reading, masker_of(self._prepared, self._client.config.api_key))
        if control(self._client, reading, self._preparer, self._read_with) is None:
            raise unproven(reading, answer.status)
        return True

    # Sending

    def _done_or_planned(self, more: Result, shown: Any, *, verify: bool = False) -> Result:
        diff = self._diff(shown, self._prepared.body)
        if self._context.check_mode:
            return {**self._planned, **more, **diff}
        sent = self._send()
        if sent.status == "in_doubt" and self._reads_as_done(verify=verify):
            self._context.warn(f"The answer to {self._prepared.operation.name} was lost. A read shows that it is done.")
            sent = replace(sent, outcome=Outcome("ordered"), error=None)
        return self._finished(sent, more, diff)

    def _reads_as_done(self, *, verify: bool) -> bool:
        if verify and self._item is not None:
            return not self._differing(self._shown(self._item))
        return self._unless is not None and shows(self._client, self._unless, self._preparer, self._shows)

    def _sender(self) -> OperationSender:
        accepted, save_answer = self._params["accept_status"], self._params["save_answer"]
        return OperationSender(self._client, accepted=accepted, save_answer=save_answer, job=self._context.job)

    def _send(self) -> SendResult:
        pace = Pace()
        with self._context.signals_held(pace.stop):
            return self._sender().sent(self._prepared, pace)

    def _finished(self, sent: SendResult, more: Result, diff: Result) -> Result:
        if sent.status != "ordered":
            error = results.not_done(sent, self._prepared, repeatable=bool(self._params["repeatable"]))
            error.results = {**error.results, **more}
            raise error
        if sent.warning:
            self._context.warn(sent.warning)
        body = shown_body(self._preparer.lookup, self._prepared.operation, sent.body, self._secrets)
        result = {**self._base, **results.sent_result(sent, body), **more, **diff}
        try:
            return {**result, "wait": self._afterwards.waited(self._prepared, sent, self._item)}
        except (NotReadyError, ServiceError) as error:
            error.results = {**result, **error.results, "body": result["body"]}
            raise

    @property
    def _base(self) -> Result:
        return results.base_result(self._prepared, self._secrets)

    @property
    def _planned(self) -> Result:
        return {**self._base, "changed": True}

    def _diff(self, before: Any, after: Any) -> Result:
        if not self._context.diff:
            return {}
        before = None if before is MISSING else results.given_part(self._prepared.body, before)
        return {"diff": results.diff_of(before, after, self._prepared, self._secrets)}


ARGUMENTS: argspec.ArgumentSpec = {
    **argspec.common(),
    **shared_options.operation(),
    "files": {"type": "dict", "default": {}},
    "name": {"type": "str"},
    "unless": {
        "type": "dict",
        "options": {
            "operation": {"type": "str", "required": True},
            "path_parameters": {"type": "dict"},
            "query": {"type": "dict", "default": {}},
            "shows": {"type": "list", "elements": "dict", "required": True},
        },
    },
    "repeatable": {"type": "bool", "default": False},
    "read_with": {
        "type": "dict",
        "options": {
            "operation": {"type": "str", "required": True},
            "path_parameters": {"type": "dict"},
            "query": {"type": "dict", "default": {}},
            "pointer": {"type": "str"},
        },
    },
    "compare": {"type": "str", "choices": ["subset", "exact", "none"], "default": "subset"},
    "update_secrets": {"type": "bool", "default": False},
    "wait_for": {
        "type": "dict",
        "options": {"operation": {"type": "str"}, "path_parameters": {"type": "dict"}, **shared_options.waiting()},
    },
}

TASK = Task(ARGUMENTS, run)
