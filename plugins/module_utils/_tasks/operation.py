# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_operation: changes something with a published operation."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from functools import cached_property
from typing import Any

from .._adapter.context import Context, Result, Task
from .._adapter.ledger_opener import ledger_of
from .._core.conditions import is_there, pointer_to, read_conditions, steps_of
from .._core.errors import ConfigurationError, ViolationsError
from .._core.text import clean, describe_json
from .._http.waiting import GONE
from .._ledger.claiming import pending_error
from .._ledger.identity import similar_name_error
from .._ledger.operation_records import shown_operation
from .._ledger.order_records import RELEASED, Outcome, Record
from .._operations.comparing import diff_of, differences, given_part, shown_differences, shown_object
from .._operations.operation_reads import body_of, failed, prove_gone, read_operation, read_there, shown_body, shows
from .._operations.requests import Prepared
from .._operations.schema_elements import Path, is_within
from .._operations.writing import CHANGING
from .._order.order import check_name
from .._placing.answer_files import check_writable
from .._placing.operations import OperationSender, not_done
from .._placing.outcomes import SendResult
from .._placing.placer import Placer
from .._placing.sending import Pace
from .operation_info import preparer_of


def run(context: Context) -> Result:
    """Send one operation unless it is already done, or show what would be sent."""
    return _Change(context).run()


class _Change:
    """One task: its request, what is read beside it, and how it is sent."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._params = params = context.params
        self._shows = read_conditions(params["unless"]["shows"], "unless.shows") if params["unless"] else ()
        pointer = (params["read_with"] or {}).get("pointer")
        self._pointer = None if pointer is None else steps_of(pointer, "read_with.pointer")
        if params["name"] is not None:
            check_name(params["name"])
        self._preparer = preparer_of(context)
        self._prepared = self._preparer.prepare(params, CHANGING)
        self._body = self._prepared.body
        _refuse_useless(params, self._prepared.method)
        self._read_with, self._unless = map(self._reading, ("read_with", "unless"))
        # A named operation that is done already saves nothing.
        if params["name"] is None:
            check_writable(params["save_answer"])

    def run(self) -> Result:
        post = self._post if self._params["name"] is None else self._named
        act = {"POST": post, "DELETE": self._delete}.get(self._prepared.method, self._replace)
        with self._preparer.telling_outdated(self._context.warn):
            return act()

    # The methods

    def _replace(self) -> Result:
        """PUT and PATCH: sent only if what a read shows differs."""
        body, item = self._body, self._item
        if self._params["compare"] == "none":
            return self._done(self._planned(None, body), lambda: False)
        if item is None:
            raise ConfigurationError(
                f"{self._prepared.operation.name}: the reference publishes no GET of the same path. Nothing was sent.\n"
                "Set read_with to an operation that shows what is changed, or compare: none to send it in every run."
            )
        shown = self._shown(item)
        found, part = self._differing(shown), given_part(body, shown)
        if not found:
            return self._unchanged(part)
        listed = shown_differences(found, self._prepared, shown)
        return self._done(self._planned(part, body, listed), lambda: not self._differing(self._shown(item)))

    def _delete(self) -> Result:
        def is_gone() -> bool:
            item = self._item
            return item is not None and read_there(self._preparer, item, self._read_with) is None

        planned = self._planned({"exists": True}, None)
        if self._context.check_mode:
            return self._unchanged(None) if is_gone() else planned
        sent = self._send(is_gone)
        status = sent.answer.status if sent.answer is not None else None
        if status in GONE and status not in self._params["accept_status"]:
            prove_gone(self._preparer, self._prepared, status, self._read_with)
            return {**self._unchanged(None), "sent": True, "status": status}
        return self._finished(sent, planned)

    def _post(self) -> Result:
        def is_shown() -> bool:
            return self._unless is not None and shows(self._preparer, self._unless, self._shows)

        if is_shown():
            return self._unchanged(None)
        return self._done(self._planned(None, self._body), is_shown)

    def _named(self) -> Result:
        context, pace, name = self._context, Pace(), self._params["name"]
        ledger = ledger_of(context, writing=True)
        records, others = ledger.look_up([name])
        if name in others:
            raise similar_name_error("operation", name, others[name], "Nothing was sent")
        sender, planned = self._sender, self._planned(None, self._body)
        recorded = records.get(name)
        if recorded is not None and recorded.status not in RELEASED:
            if recorded.kind != sender.kind:
                raise sender.other(name, recorded, ledger)
            sender.refuse_other(recorded, ledger)
            if context.check_mode or recorded.status == "ordered":
                return self._done_earlier(recorded)
        if context.check_mode:
            return planned
        check_writable(self._params["save_answer"])
        with context.signals_held(pace.stop):
            record, sent = Placer(sender, ledger, pace=pace).place(name)
        if sent is None or record.status == "in_doubt":
            sender.refuse_other(record, ledger)
        if record.status == "pending":
            raise pending_error(record)
        if sent is None:
            return self._done_earlier(record)
        return self._finished(sent, {**planned, "record": shown_operation(record)})

    def _done_earlier(self, record: Record) -> Result:
        return {**self._unchanged(None), "record": shown_operation(record)}

    # Reading

    def _reading(self, option: str) -> Prepared | None:
        given = self._params[option]
        return given and self._preparer.prepare_read(given, option, self._prepared.path_parameters)

    @cached_property
    def _item(self) -> Prepared | None:
        """What reads the thing that is changed: ``read_with``, or GET on the same path."""
        found = self._preparer.published.reading(self._prepared.operation.path)
        if self._read_with is not None or found is None:
            return self._read_with
        query = {each.name: self._params["query"].get(each.name) for each in found.of("query")}
        reading = {"operation": found.name, "query": query}
        with suppress(ViolationsError):
            return self._preparer.prepare_read(reading, "GET of the path", self._prepared.path_parameters)
        return None

    def _shown(self, reading: Prepared) -> Any:
        answer = read_operation(self._preparer.client, reading)
        if self._prepared.method == "PUT" and answer.status in GONE:
            # A PUT may make what is not there.
            prove_gone(self._preparer, reading, answer.status)
            return None
        if not answer.ok:
            raise failed(answer, reading)
        body = body_of(answer)
        if self._pointer is not None and not is_there(body, self._pointer):
            raise ConfigurationError(
                f"read_with.pointer: {reading.name} shows nothing at {pointer_to(self._pointer)}. Nothing was sent.\n"
                f"It shows {clean(describe_json(body), 300)}. Correct the pointer."
            )
        return shown_object(body, self._body, self._pointer)

    def _differing(self, shown: Any) -> list[Path]:
        """Where the body and what is shown differ; secrets, which no service shows, only with ``update_secrets``."""
        found = differences(self._body, shown, self._params["compare"])
        secret = () if self._params["update_secrets"] else self._prepared.secret_places
        return [path for path in found if not is_within(path, secret)]

    # Sending

    @property
    def _sender(self) -> OperationSender:
        return OperationSender(self._preparer.client, self._prepared, self._params, self._context.job)

    def _done(self, planned: Result, is_done: Callable[[], bool]) -> Result:
        """The result of the request, which is sent unless in check mode. ``is_done`` reads whether it was done."""
        return planned if self._context.check_mode else self._finished(self._send(is_done), planned)

    def _send(self, is_done: Callable[[], bool]) -> SendResult:
        pace = Pace()
        with self._context.signals_held(pace.stop):
            sent = self._sender.sent(pace)
        if sent.status == "in_doubt" and is_done():
            self._context.warn(f"The answer to {self._prepared.operation.name} was lost. A read shows that it is done.")
            return sent._replace(outcome=Outcome("ordered"), error=None)
        return sent

    # The result

    def _planned(self, before: Any, after: Any, listed: list[dict[str, Any]] | None = None) -> Result:
        """The result in check mode: what would be sent, and what it would change."""
        shown: Result = {
            "changed": True,
            "sent": False,
            "operation": self._prepared.operation.name,
            "request": self._prepared.shown,
            "status": None,
            "body": None,
            "location": None,
            "differences": listed or [],
            "record": None,
        }
        return {**shown, "diff": diff_of(before, after, self._prepared)} if self._context.diff else shown

    def _unchanged(self, shown: Any) -> Result:
        return {**self._planned(shown, shown), "changed": False}

    def _finished(self, sent: SendResult, planned: Result) -> Result:
        if sent.status != "ordered":
            error = not_done(sent, self._prepared, repeatable=bool(self._params["repeatable"]))
            kept = ("differences", "record", "diff")
            error.results = {**error.results, **{name: planned[name] for name in kept if planned.get(name)}}
            raise error
        if sent.warning:
            self._context.warn(sent.warning)
        body = shown_body(self._preparer, self._prepared.operation, sent.body)
        answer = sent.answer
        told = {"status": answer.status, "location": answer.header("Location")} if answer is not None else {}
        return {**planned, "sent": True, **told, "body": body}


def _refuse_useless(params: Mapping[str, Any], method: str) -> None:
    """Raise ConfigurationError for options without meaning for the method, and for a POST without a safeguard."""
    once, reading = ("name", "unless", "repeatable"), ("read_with", "compare", "update_secrets")
    given = [option for option in once if params[option]]
    if method == "POST" and len(given) != 1:
        raise ConfigurationError(
            f"A POST needs exactly one of name, unless and repeatable (given: {', '.join(given) or 'none'}). Nothing "
            "was sent.\nname: sent once for the ledger. unless: not sent if a read shows that it is done. repeatable: "
            "true: sent in every run."
        )
    useless = {"POST": reading, "DELETE": (*once, *reading[1:])}.get(method, once)
    found = [option for option in useless if params[option] not in (None, False, "subset")]
    if found:
        raise ConfigurationError(f"{' and '.join(found)}: this means nothing for {method}. Nothing was sent.")


TASK = Task(run)
