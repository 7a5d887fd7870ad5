# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Cancels the contract of a recorded order, once: reseller_contract with ``state: absent``."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .._adapter.context import Context, Result
from .._adapter.ledger_opener import ledger_of
from .._adapter.service_opener import service_of
from .._catalogue.catalogue import catalogue_of
from .._contracts.canceling import Ending, cancelable, ending, kept_source, not_canceled
from .._contracts.contract_list import ShownContract
from .._contracts.reading import ContractReader, read_lists
from .._contracts.reconciling import Reconciler
from .._core.errors import Advice, ConfigurationError, PublishedReferenceError, ResellerError, ServiceError
from .._core.pasting import PLACEHOLDER
from .._core.text import as_yaml, clean, folded_text, is_uuid
from .._ledger.identity import taken_name_error
from .._ledger.ledger_errors import offer_by_hand, pending_error, refuse_pending
from .._ledger.order_records import ListedIds, Outcome, Record, Request, Settlement
from .._orders.drift import drift_of
from .._orders.order import check_end_user, check_name
from .._orders.order_errors import adopting_offer, in_doubt_error, other_order_error
from .._orders.placed_order import result_of
from .._placing.placer import End
from .._product_types.registry import IDENTITIES, PRODUCT_TYPES
from .._requests.canceling_request import CancelSender, cancel_call
from .._requests.operation_call import OperationCall
from .._requests.operation_sender import not_done, sent_once
from .run_results import with_end_user_names


def run_absent(context: Context) -> Result:
    """Cancel the contract of an order, or show what would be sent."""
    task = _Cancellation(context)
    try:
        result = task.run()
    except ResellerError as error:
        raise error.with_results(**with_end_user_names(error.results, task.service.described)) from error
    return with_end_user_names(result, task.service.described)


class _Cancellation:
    """One task: the order that it names, and how its contract is canceled."""

    def __init__(self, context: Context) -> None:
        self._context, self._params = context, context.params
        self.service, self._ledger = service_of(context), ledger_of(context, "order")
        self._described = self.service.described
        self._end_user = self._described.id_of(self._params["end_user"])
        check_end_user(self._end_user, "Nothing was sent", self._described.end_users)
        settings = self._params["settings"]
        self._subject = {identity: settings[identity] for identity in IDENTITIES if settings.get(identity)}
        self._name = str(self._params["name"] or next(iter(self._subject.values()), ""))
        if not self._name:
            raise ConfigurationError(
                "It is not known which order is meant. Nothing was sent.\n"
                "Give name, or the hostname or domain in settings."
            )
        check_name(self._name)
        self._reader = ContractReader(self.service)

    def run(self) -> Result:
        """Return the result, once the contract is canceled if it was not before."""
        record = self._ledger.look_up([self._name])[1].get(self._name)
        if error := taken_name_error("order", self._name, record, "Nothing was sent"):
            raise error
        if record is None:
            return self._not_recorded()
        refuse_pending(record)
        if record.status == "in_doubt":
            raise in_doubt_error(record)
        request = self._same(record)
        if record.cancelled:
            return self._result(record, None)
        self._check_known(record)
        key = self._ledger.cancellation_of(record)
        earlier = self._ledger.find([key]).get(key)
        if earlier is not None and earlier.status == "in_doubt" and not self._settled(record, request, earlier):
            raise in_doubt_error(earlier)
        record = self._ledger.find([record.name])[record.name]
        if record.cancelled:
            return self._result(record, None)
        lists = self._read(request)
        return self._canceled(record, request, lists, cancelable(lists, record, request))

    # What is recorded

    def _same(self, record: Record) -> Request:
        """Return what is recorded of the order. Raises ResellerError if the task names another one."""
        known, params = record.request, self._params
        if known is None:
            raise not_canceled(record, "the ledger does not know what it was ordered for")
        product = params["product"] or ""
        if product and not is_uuid(product):
            is_recorded = folded_text(product) == folded_text(known.product_name or "")
            product = known.product if is_recorded else catalogue_of(self.service).find(product).id
        wanted = self._wanted(product, params["product_type"] or "")
        if differences := [*drift_of(known, wanted)]:
            raise other_order_error(record, differences)
        return known

    def _wanted(self, product: str, product_type: str) -> Request:
        config = self.service.config
        account = config.base_url, config.organization_id, self._end_user
        return Request(self._name, *account, product, None, product_type, self._subject, partial=True)

    def _check_known(self, record: Record) -> None:
        """Raise ResellerError without an ID, and without a way to cancel."""
        if not record.outcome.contract_id:
            options = {"name": record.name, "state": "present", "contract_id": PLACEHOLDER}
            by_hand = offer_by_hand("Record the ID of the contract", options, record.ledger)
            raise ConfigurationError(
                f"The contract of {record.name} was not canceled: the ledger does not have its ID. Nothing was sent.",
                Advice(f"Record it, as the customer portal shows it, with this {by_hand.form}:\n{by_hand}"),
            )
        if self._described.get("cancel") is None:
            try:
                names = [operation.name for operation in self.service.openapi().operations if operation.may_cancel]
            except PublishedReferenceError:
                names = []
            published = (
                f" The OpenAPI document has {' and '.join(clean(name, 100) for name in names[:5])}." if names else ""
            )
            raise not_canceled(record, f"the service's file does not say how: it has no cancel.{published}")

    def _not_recorded(self) -> Result:
        """Return the result for an order that the ledger lacks, if the service shows nothing like it, either."""
        wanted, why, like = self._meant(), "the product and its type are not known", tuple[ShownContract, ...]()
        if wanted is not None:
            try:
                existing = self._read(wanted).existing(wanted)
                why, like = existing.unread, existing.unrecorded
            except ServiceError as error:
                why = error.message.splitlines()[0]
        if wanted is not None and like:
            by_hand = adopting_offer(wanted, like[0].id, self._ledger.place)
            raise ConfigurationError(
                f"Order {self._name} is not in the ledger, but the service shows {like[0].name}. Nothing was sent.",
                Advice(
                    f"If it is this order's, adopt it with this {by_hand.form}, and run this task again.\n{by_hand}"
                ),
            )
        if why:
            raise ConfigurationError(
                f"Order {self._name} is not in the ledger, and it is not known whether the service has it.",
                why,
                Advice("Nothing was sent. Check name and ledger, and look for the contract in the customer portal."),
            )
        return self._result(None, None)

    def _meant(self) -> Request | None:
        """Return the order that the task names, as far as lists are compared with it."""
        product, given = self._params["product"] or "", self._params["product_type"]
        named = [kind for kind in PRODUCT_TYPES.values() if kind.identity in self._subject and not product]
        kind = PRODUCT_TYPES[given] if given else next(iter(named), None)
        if not (product or kind):
            return None
        if product:
            listed = catalogue_of(self.service).find(product)
            product, kind = listed.id, kind or listed.product_type
        if kind is None or not (kind.identity in self._subject if kind.identity else product):
            return None
        return self._wanted(product or kind.product_id or "", kind.name)

    # The list

    def _read(self, request: Request) -> Reconciler:
        """Read the list of the end user's contracts anew, and the ledger after it. Raises ServiceError."""
        self._reader.forget()
        return read_lists(self._reader, self._ledger, [request.end_user])

    def _ending(self, record: Record, request: Request, source: str | None) -> Ending | None:
        """Return how the list shows now that the contract was canceled."""
        before = ListedIds(frozenset(), source, self._ledger.digest_key) if source else None
        try:
            return ending(self._read(request), record, request, before)
        except ServiceError:
            return None

    def _settled(self, record: Record, request: Request, sent: Record) -> bool:
        """Settle a cancellation in doubt if the list shows that it was done, but for check mode."""
        end = self._ending(record, request, sent.operation.list_source if sent.operation else None)
        if end is None or self._context.check_mode:
            return False
        outcome = Outcome("ordered", f"Settled by the list of contracts: {end.why}.", until=end.until)
        return self._ledger.settle([Settlement(sent.name, outcome, None, sent)]) == [None]

    # Sending

    def _canceled(self, record: Record, request: Request, lists: Reconciler, shown: ShownContract) -> Result:
        contract_id, listing = shown.id, lists.own_list(request.end_user)
        client = self.service.client.acting_for(listing.organization_id)
        call = cancel_call(self._described, client, contract_id, self._context.hidden)
        already = ending(lists, record, request, None)
        if already:
            self._context.warn(f"Contract {contract_id} of {record.name} is canceled already: {already.why}.")
        planned = {} if already else {"changed": True, "request": call.shown}
        if self._context.check_mode:
            return self._result(record, shown, **planned)
        self._ledger.make()
        source = kept_source(lists, request.end_user, self._ledger.digest_key)

        sender = CancelSender(
            client,
            call,
            self._context.job,
            order=record.name,
            list_source=source,
            is_gone=lambda: self._ending(record, request, source) is not None,
            ends_at=listing.fields.get("ends_at"),
        )
        if already:
            return self._result(self._marked(record, sender, already), shown)
        is_sent = self._send(record, request, sender, call)
        # What another run has sent changed nothing here.
        done = planned if is_sent else {}
        return self._result(self._ledger.find([record.name]).get(record.name, record), shown, **done)

    def _send(self, record: Record, request: Request, sender: CancelSender, call: OperationCall) -> bool:
        """Claim and send the request once, and return whether it was this run that sent it.

        Raises ResellerError unless the contract is canceled.
        """

        def renewed(_indexes: object, is_outdated: bool) -> Mapping[int, str | ResellerError]:
            """Look again after another run's attempt."""
            try:
                if is_outdated:
                    cancelable(self._read(request), record, request)
            except ResellerError as error:
                return {0: error}
            return {}

        name = self._ledger.cancellation_of(record)
        stopped = f"Contract {record.outcome.contract_id} was not canceled"
        done, end = sent_once(self._context, sender, self._ledger, name, stopped, renewed)
        self._check_done(record, request, done, end, call)
        if end.outcome and end.outcome.warning:
            self._context.warn(end.outcome.warning)
        return end.outcome is not None

    def _marked(self, record: Record, sender: CancelSender, already: Ending) -> Record:
        """Mark the record of a contract that was canceled elsewhere, as by this request, which is not sent."""
        name = self._ledger.cancellation_of(record)
        _ended, (other,) = self._ledger.exchange({}, [sender.request(name, self._ledger)], longest=0)
        if other is None:
            outcome = Outcome("ordered", f"It was canceled elsewhere: {already.why}.", until=already.until)
            self._ledger.exchange({name: outcome}, [], longest=0)
        return self._ledger.find([record.name])[record.name]

    def _check_done(self, record: Record, request: Request, done: Record, end: End, call: OperationCall) -> None:
        """Raise ResellerError unless the cancellation is done, or the list shows that it is."""
        if done.status == "in_doubt" and self._settled(record, request, done):
            done = self._ledger.find([done.name])[done.name]
        if done.status == "in_doubt":
            raise in_doubt_error(done)
        if done.status == "pending":
            raise pending_error(done)
        if done.status != "ordered":
            raise not_done(end.outcome or done.outcome, end.answer.status if end.answer else None, call)

    def _result(self, record: Record | None, shown: ShownContract | None, **more: Any) -> Result:
        result = result_of(record, contract=dict(shown.raw) if shown else None, **more)
        if self._context.diff:
            side = record and {
                **{
                    name: record.order()[name]
                    for name in ("name", "product_name", "product", "end_user", "contract_id")
                },
                "settings": {name: record.request.settings.get(name) for name in self._subject}
                if record.request
                else {},
            }
            after = {"canceled": result["request"]} if result["changed"] else side
            result["diff"] = {"before": as_yaml(side) if side else "", "after": as_yaml(after) if after else ""}
        return result
