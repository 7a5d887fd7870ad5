# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_operation: sends a request that changes something."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any
from urllib.parse import unquote

from .._adapter.context import Context, Result, Task
from .._adapter.ledger_opener import ledger_of
from .._adapter.service_opener import service_of
from .._core.errors import ConfigurationError, ServiceError
from .._core.text import as_yaml
from .._http.problems import GONE
from .._http.transport import RawAnswer
from .._ledger.identity import taken_name_error
from .._ledger.ledger_errors import pending_error
from .._ledger.order_records import RELEASED, Outcome, Record
from .._orders.order import check_name
from .._placing.placer import End
from .._placing.sending import Delivery, Pace, send
from .._requests.operation_call import body_of, differing, operation_call, read_call, shown_object, with_nearest
from .._requests.operation_sender import OperationSender, not_done, sent_once
from .._secrets.masker import secret_values

#: Methods whose path names what is changed or deleted.
_CHANGING = ("PUT", "PATCH", "DELETE")
#: The methods for which each option has a meaning.
_METHODS = {"name": ("POST",), "repeatable": ("POST",), "force": _CHANGING}


def run(context: Context) -> Result:
    """Send one request unless that is not needed, or show what would be sent."""
    return _Change(context).run()


class _Change:
    """One task: its request, what is read beside it, and how it is sent."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._params = params = context.params
        _check_safeguard(params)
        self._service = service_of(context)
        self._call = operation_call(params, self._service.config, context.hidden)
        self._sender = OperationSender(self._service.client, self._call, params["save_answer"], context.job)

    def run(self) -> Result:
        if self._params["name"] is not None:
            return self._named(self._params["name"])
        self._check_end()
        compares = self._call.method in ("PUT", "PATCH") and not self._params["force"]
        change: tuple[Any, Any] | None = None, self._call.body
        if compares:
            change = self._differing()
        planned = self._planned(change)
        if change is None or self._context.check_mode:
            return planned
        pace, delivery = Pace(self._context.clocks), Delivery(clocks=self._context.clocks)
        with self._context.signals_held(pace.stop):
            send(delivery, self._sender.message(), pace)
        outcome, answer = delivery.outcome, delivery.answer
        if compares and outcome.status == "in_doubt" and self._differing() is None:
            self._context.warn(f"The answer to {self._call.name} does not tell. A read shows that it is done.")
            outcome, answer = Outcome("ordered", body=outcome.body), None
        return self._finished(outcome, answer, planned)

    def _check_end(self) -> None:
        """Raise ConfigurationError for a path whose last value may be empty, so that all of a list would be meant."""
        method, path = self._call.method, self._call.path
        if method not in _CHANGING or not path.endswith("/") or self._params["force"]:
            return
        with suppress(ServiceError):
            published = self._service.openapi().find(method, unquote(path))
            if published is not None and published.template.endswith("/"):
                return
        raise ConfigurationError(
            f"The path of {self._call.name} ends in a slash: a value in it may be empty. Nothing was sent.\n"
            "The OpenAPI document does not publish it with that slash.\n"
            "Give the value. If the path ends so, set force: true."
        )

    def _named(self, name: str) -> Result:
        """Send a POST once for the ledger."""
        context, body = self._context, self._call.body
        ledger = ledger_of(context, "order")
        record, end = ledger.look_up([name])[1].get(name), End()
        if error := taken_name_error("operation", name, record, "Nothing was sent"):
            raise error
        if record is None and context.check_mode:
            return self._planned((None, body))
        if record is None or (record.status == "pending" and not context.check_mode):
            record, end = sent_once(context, self._sender, ledger, name, f"{name} was not sent")
        if end.outcome is None or record.status == "in_doubt":
            self._sender.refuse_other(record, ledger)
        if record.status == "pending" and not context.check_mode:
            raise pending_error(record)
        if end.outcome is None:
            return self._planned(None, record)
        return self._finished(end.outcome, end.answer, self._planned((None, body), record))

    def _differing(self) -> tuple[Any, Any] | None:
        """Return what GET shows otherwise than requested, and that; all of the body where GET fails."""
        body = self._call.body
        try:
            answer = read_call(self._service, self._call)
            shown = body_of(answer, answer.masked(self._call.masker))
        except ServiceError:
            return None, body
        return differing(body, shown_object(shown, body)) if answer.ok else (None, body)

    # The result

    def _planned(self, change: tuple[Any, Any] | None, record: Record | None = None) -> Result:
        """The result in check mode: what would be sent, and what it would change (``None``: nothing)."""
        result: Result = {
            "changed": change is not None,
            "sent": False,
            "request": self._call.shown,
            "status": None,
            "body": None,
            "location": None,
            "record": record and record.as_dict(),
        }
        if self._context.diff:
            shown = [self._call.masker.value(side) for side in change or (None, None)]
            sides = [None if side is None else {"body": side} for side in shown]
            result["diff"] = dict(zip(("before", "after"), map(as_yaml, sides), strict=True))
        return result

    def _finished(self, outcome: Outcome, answer: RawAnswer | None, planned: Result) -> Result:
        call = self._call
        status, gone = answer.status if answer is not None else None, ""
        if call.method == "DELETE" and status in GONE:
            gone = f"Organization {self._service.config.organization_id} has no such thing. In another one it may "
            gone += "exist, and be billed: check organization_id."
        if not self._is_done(outcome, answer):
            shown = {name: planned[name] for name in ("record", "diff") if planned.get(name)}
            error = not_done(outcome, status, call).with_results(**shown)
            if gone:
                error = error.saying(*error.parts, f"{gone}\nIf it may be gone already, add {status} to status_code.")
            raise with_nearest(error, self._service, call) if isinstance(error, ServiceError) else error
        self._warn_of(outcome)
        if gone:
            self._context.warn(f"{call.name} was answered {status}, so nothing was deleted.\n{gone}")
        # What the service did not process changed nothing, also if its status is accepted.
        result = {"changed": outcome.status not in RELEASED, "sent": True, "body": call.shown_body(outcome.body)}
        if answer is not None:
            result |= {"status": status, "location": answer.masked(call.masker).header("Location")}
        return {**planned, **result}

    def _is_done(self, outcome: Outcome, answer: RawAnswer | None) -> bool:
        """Return whether the task succeeds. A success that says that it is none is accepted by nobody."""
        if answer is None:
            # What a read shows as done has no status.
            return outcome.status == "ordered"
        return answer.status in self._call.accepted and not (answer.ok and outcome.status == "in_doubt")

    def _warn_of(self, outcome: Outcome) -> None:
        """Warn of what is wrong with what was done, and of a secret in the response, which is lost."""
        call = self._call
        if outcome.warning:
            self._context.warn(outcome.warning)
        # What the request had is known.
        if self._params["save_answer"] is None and secret_values(outcome.body, call.secrets) - call.masker.secrets:
            self._context.warn(
                f"The response to {call.name} has a secret, which is masked and may be shown only once.\n"
                "For the next one, add this line to the task. It keeps the response in a new file that only you can "
                "read:\n  save_answer: /a/directory/answer.json"
            )


def _check_safeguard(params: Mapping[str, Any]) -> None:
    """Raise ConfigurationError for an option without meaning for the method, and for a POST without a safeguard."""
    method, given = params["method"], [option for option in _METHODS if params[option]]
    useless = [option for option in given if method not in _METHODS[option]]
    if useless:
        raise ConfigurationError(f"{useless[0]} has no meaning for {method}. Nothing was sent.")
    if method == "POST" and len(given) != 1:
        raise ConfigurationError(
            f"A POST needs either name or repeatable (given: {', '.join(given) or 'none'}). Nothing was sent.\n"
            "name: it is recorded in the ledger and sent once. repeatable: true: it is sent in every run."
        )
    if params["name"] is not None:
        check_name(params["name"])


TASK = Task(run)
