# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Judges what a read shows: conditions that are met or can never be met, and things that are really gone."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import Any

from .._core.conditions import Condition, unpublished
from .._core.errors import ResellerError, ServiceError, ViolationsError
from .._core.text import clean
from .._http.client import Client
from .._http.waiting import GONE
from .._reference.operation_lookup import OperationLookup
from .._reference.published import Operation
from .._secrets.masker import hide, masked
from .elements import secret_paths
from .reading import OperationPages, body_of, failed, masker_of, read
from .requests import Prepared, Preparer, RequestOptions

PRODUCTS = "/api/reseller/products"


class UnprovenError(ResellerError):
    """A read proves neither that a thing exists nor that it does not."""


def shows(client: Client, prepared: Prepared, preparer: Preparer, conditions: Sequence[Condition]) -> bool:
    """Whether the response to a read, or one record of its list, meets all conditions.

    Raises ServiceError and its kinds, and UnprovenError if that it is not there is not certain.
    """
    answer = read(client, prepared)
    if answer.status in GONE:
        if control(client, prepared, preparer) is None:
            raise unproven(prepared, answer.status)
        return False
    if not answer.ok:
        raise failed(answer, prepared, masker_of(prepared, client.config.api_key))
    if all(each.holds(body_of(answer)) for each in conditions):
        return True
    pages = OperationPages(client, prepared, answer)
    pages.read_all()
    if any(all(each.holds(record) for each in conditions) for record in pages.records or ()):
        return True
    if pages.incomplete:
        raise UnprovenError(
            f"{prepared.operation.name} was not read as a whole: {clean(pages.incomplete, 200)}. Nothing was sent.\n"
            "That none of its records meets the conditions is not certain. Narrow the list with query."
        )
    return False


def unproven(prepared: Prepared, status: int) -> UnprovenError:
    """The error of an absence without confirmation."""
    return UnprovenError(
        f"{prepared.operation.name} was answered {status}, and no other read in this organization succeeded.\n"
        "So it is not certain that the thing is gone: a wrong organization_id or a key without rights looks the same.\n"
        "Check organization_id and the id, or set read_with to an operation that succeeds in this organization.",
        status=status,
    )


def control(client: Client, prepared: Prepared, preparer: Preparer, known: Prepared | None = None) -> str | None:
    """The name of a read that succeeds in this organization, which makes a 404 of another read credible.

    That is ``known``, the list that the thing is in, or the catalogue, whichever succeeds first.
    """
    for name, wanted in _controls(prepared, preparer, known):
        try:
            answer = client.get(wanted, retries=0) if isinstance(wanted, str) else read(client, wanted)
        except ServiceError:
            continue
        if answer.ok:
            return name
    return None


def _controls(prepared: Prepared, preparer: Preparer, known: Prepared | None) -> Iterator[tuple[str, Prepared | str]]:
    if known is not None and known.url != prepared.url:
        yield known.operation.name, known
    parent = prepared.operation.path.rstrip("/").rpartition("/")[0]
    for path in (parent, f"{parent}/"):
        found = preparer.lookup.published("GET", path)
        if found is None:
            continue
        given = {name: value for name, value in prepared.path_parameters.items() if f"{{{name}}}" in path}
        try:
            # What it lacks of required parameters nobody gave: then it is none that can be read here.
            listed = Preparer(preparer.lookup, preparer.base_url).prepare(RequestOptions(found.name, given))
        except ViolationsError:
            continue
        yield found.name, listed
        # The list that the thing would be in tells more than any other.
        return
    yield f"GET {PRODUCTS}", PRODUCTS


def shown_body(lookup: OperationLookup, operation: Operation, body: Any, names: Collection[str]) -> Any:
    """The body of a response with secrets masked, by its published schemas and the given names."""
    schemas = [schema for _media_type, schema in operation.json_answers]
    return masked(hide(body, set(secret_paths(lookup.schemas, schemas, body))), named=names)


def never_met(lookup: OperationLookup, operation: Operation, conditions: Sequence[Condition]) -> list[str]:
    """A sentence for each wanted value that the published reference excludes."""
    schemas = [schema for _media_type, schema in operation.json_answers]
    allowed: dict[str, list[Any]] = {}
    for condition in conditions:
        nodes: Sequence[Any] = schemas
        for step in condition.steps:
            found = lookup.schemas.described(nodes)
            nodes = found.items if step.isdigit() else found.properties.get(step, [])
        if nodes:
            allowed[condition.pointer] = lookup.schemas.described(nodes).enum
    return list(unpublished(conditions, allowed))
