# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_service_info: shows what is known of the service, by what, and what that permits."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from .._adapter.context import Context, Result, Task
from .._adapter.ledger_opener import ledger_of
from .._adapter.service_opener import service_of
from .._contracts.reading import ContractReader, reconciler_of
from .._core.errors import ConfigurationError, PublishedReferenceError, ServiceError
from .._core.text import clean
from .._http.transport import read_json
from .._ledger.order_records import Filter
from .._ledger.store import Ledger
from .._product_types.registry import SELF
from .._service.description import Description
from .._service.end_user_candidates import end_user_lists, end_users_in
from .._service.field_report import field_report, file_text, lines_for
from .._service.list_names import records_place
from .._service.openapi_document import OpenApiDocument
from .._service.order_shape import order_shape
from .._service.places import inside
from .._service.schemas import elements_of
from .._service.service import Service
from .._service.service_file import default_path

_LISTED = ("method", "path", "summary", "group")
#: Statuses that tell that an order was placed, whatever the body is (API specification 7).
_PLACED = ("201", "202", "204")
#: So many lists of end users are looked at, the first page of each.
_MOST_LISTS = 3


@dataclass(frozen=True)
class ListedFields:
    """What the lists of contracts tell of the fields."""

    #: The description of the service with what they tell.
    description: Description
    #: The names of fields at which a recorded contract shows its own value.
    proven: frozenset[str] = frozenset()
    #: By the name of a field, why it cannot be right.
    contradicted: Mapping[str, str] = field(default_factory=dict)
    #: The lists that were read, or why they could not be.
    lists: Sequence[Mapping[str, Any]] = ()


def run(context: Context) -> Result:
    """Read what the service publishes and lists, and report what is known of it and what is not."""
    service = service_of(context)
    ledger = ledger_of(context, "read")
    wanted, document, problem = context.params["operation"], None, None
    try:
        document = service.openapi()
    except PublishedReferenceError as error:
        if wanted:
            raise
        problem = error.message
    listed = listed_fields(service, ledger)
    report = field_report(listed.description, listed.proven, listed.contradicted)
    known = [user.id for user in service.described.end_users.values()]
    candidates = end_users_in(_records_of(service, end_user_lists(document)), known) if document else []
    elements, order = map(service.described.get, ("order.end_user", "order.product")), None
    try:
        order = asdict(order_shape(document, *elements) if document else service.shape())
    except PublishedReferenceError as error:
        problem = error.message
    file = service.described.path or default_path(service.config.base_url, context.environ)
    return {
        "changed": False,
        "problem": problem,
        "order": order,
        "file": {"path": file, "exists": os.path.exists(file)},
        "fields": report,
        "lines": lines_for(report),
        "text": file_text(service.config.base_url, report, candidates),
        "end_users": [user._asdict() for user in service.described.end_users.values()],
        "candidates": [user._asdict() for user in candidates],
        "lists": [*listed.lists],
        "notices": [*_notices(service, document), *(order["warnings"] if order else ())],
        **_published(document),
        "operation": described_operation(document, wanted) if wanted and document else None,
    }


def _published(document: OpenApiDocument | None) -> Result:
    """Return where the OpenAPI document is, and its operations."""
    if document is None:
        return {"url": None, "openapi": None, "operations": []}
    return {
        "url": document.url,
        "openapi": document.openapi,
        "operations": [{name: getattr(operation, name) for name in _LISTED} for operation in document.operations],
    }


def _notices(service: Service, document: OpenApiDocument | None) -> Iterator[str]:
    """Yield what the first orders will meet."""
    published = document.order.successes if document and document.order else []
    if published and not {*published} & {*_PLACED, "2XX"} and service.described.get("order.placed") is None:
        only = " and ".join(clean(status, 10) for status in published)
        yield (
            f"This service publishes {only} as its only success. If it accepts an order so, add order.placed: an order "
            "that is confirmed without a receipt is in doubt otherwise."
        )
    canceling = [operation.name for operation in document.operations if operation.may_cancel] if document else []
    if canceling and service.described.get("cancel") is None:
        shown = " and ".join(clean(name, 100) for name in canceling[:_MOST_LISTS])
        yield f"This service publishes {shown}. If that cancels a contract, add cancel: state: absent needs it."
    if not service.described.organizations:
        yield (
            "No organization of an end user is known. Orders for end users are compared only with what your own list "
            "shows of them. Add end_users with organization_id, from the organization management of the portal."
        )


def _records_of(service: Service, paths: Sequence[str]) -> Iterator[Any]:
    """Yield the records on the first pages of these lists. One that cannot be read has none."""
    for path in paths[:_MOST_LISTS]:
        try:
            answer = service.client.get(path)
            body = read_json(answer) if answer.ok else None
        except ServiceError:
            continue
        place = records_place(body, "")
        yield from (record for records in (inside(body, place) if place is not None else ()) for record in records)


def listed_fields(service: Service, ledger: Ledger) -> ListedFields:
    """Return what the lists of contracts tell of the fields, held against the ledger, which is read after them."""
    reader, shown = ContractReader(service), list[dict[str, Any]]()
    description, proven, contradicted = service.description, set[str](), dict[str, str]()
    try:
        reader.read(reader.organizations)
        reconciler = reconciler_of(reader, ledger.select(Filter()))
    except ServiceError as error:
        unread = {"end_user": SELF, "contracts": None, "complete": False, "why": error.message.splitlines()[0]}
        return ListedFields(description, lists=[{"organization_id": reader.own, **unread}])
    for organization, end_user in reader.organizations.items():
        entry: dict[str, Any] = {"organization_id": organization, "end_user": end_user}
        try:
            listing = reconciler.listing(organization)
        except ServiceError as error:
            shown.append({**entry, "contracts": None, "complete": False, "why": error.message.splitlines()[0]})
            continue
        why = listing.why_incomplete or None
        shown.append({**entry, "contracts": len(listing.contracts), "complete": why is None, "why": why})
        # What a list proves goes before what another one is called.
        earlier = {name: description.fields[name] for name in proven}
        learned = listing.fields.description.fields
        description = replace(description, fields={**description.fields, **learned, **earlier})
        proven |= {f"contracts.{name}" for name in listing.fields.proven}
        contradicted |= {f"contracts.{name}": said for name, said in listing.fields.contradicted.items()}
    return ListedFields(description, frozenset(proven), contradicted, shown)


def described_operation(document: OpenApiDocument, wanted: str) -> dict[str, Any]:
    """Return what the document says of the operation ``METHOD /path``, and the elements of its body as texts.

    Raises ConfigurationError with the nearest operations if there is none, and PublishedReferenceError for schemas that
    cannot be followed.
    """
    method, _space, path = wanted.strip().partition(" ")
    operation = document.find(method.upper(), path.strip())
    if operation is None:
        near = ", ".join(document.nearest(method.upper(), path.strip()))
        raise ConfigurationError(
            f"The OpenAPI document has no operation {clean(wanted, 60)!r}. Nothing was sent.\n"
            f"Write it as METHOD /path.{f' Nearest: {near}.' if near else ''}"
        )
    return {
        **{name: getattr(operation, name) for name in _LISTED},
        "description": operation.description,
        "parameters": operation.parameters,
        "body": {
            media_type: [*map(str, elements_of(document, media.get("schema")))]
            for media_type, media in operation.body.items()
        },
    }


TASK = Task(run, describes=True)
