# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_reference_info: shows what the service publishes beyond the API specification."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

from .._adapter.context import Context, Result, Task
from .._adapter.service_opener import service_of
from .._core.errors import ConfigurationError, PublishedReferenceError
from .._core.text import clean
from .._service.order_shape import order_shape
from .._service.reference import Reference

_LISTED = ("method", "path", "summary", "group")


def run(context: Context) -> Result:
    """Find the OpenAPI document, and report what could be learned from it and what could not."""
    service = service_of(context)
    reference = service.reference()
    wanted = context.params["operation"]
    elements = map(service.described.get, ("order.end_user", "order.product"))
    shape, problem = None, None
    try:
        shape = asdict(order_shape(reference, *elements))
    except PublishedReferenceError as error:
        problem = error.message
    return {
        "changed": False,
        "url": reference.url,
        "openapi": reference.openapi,
        "title": reference.info("title"),
        "version": reference.info("version"),
        "order": shape,
        "problem": problem,
        "operations": [{name: getattr(each, name) for name in _LISTED} for each in reference.operations],
        "operation": described_operation(reference, wanted) if wanted else None,
    }


def described_operation(reference: Reference, wanted: str) -> dict[str, Any]:
    """Return what the document says of the operation ``METHOD /path``, with its references followed.

    Raises ConfigurationError with the nearest operations if there is none.
    """
    method, _space, path = wanted.strip().partition(" ")
    found = reference.find(method.upper(), path.strip())
    if found is None:
        near = ", ".join(reference.nearest(method.upper(), path.strip()))
        raise ConfigurationError(
            f"The OpenAPI document has no operation {clean(wanted, 60)!r}. Nothing was sent.\n"
            f"Write it as METHOD /path.{f' Nearest: {near}.' if near else ''}"
        )
    expanded = reference.schemas.expanded
    return {
        **{name: getattr(found, name) for name in _LISTED},
        "description": found.description,
        "parameters": expanded(found.parameters),
        "body": {media_type: expanded(media.get("schema")) for media_type, media in found.body.items()},
        "body_required": found.body_required,
    }


TASK = Task(run, describes=True)
