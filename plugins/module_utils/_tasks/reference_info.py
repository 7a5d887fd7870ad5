# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_reference_info: shows what the service publishes beyond the API specification."""

from __future__ import annotations

from dataclasses import asdict

from .._adapter.context import Context, Result, Task
from .._adapter.service_opener import service_of
from .._core.errors import PublishedReferenceError
from .._operations.ready_task import description_of

_LISTED = ("method", "path", "summary", "operation_id")


def run(context: Context) -> Result:
    """Find the published reference, and report what could be learned from it and what could not."""
    service = service_of(context, anew=True)
    reference = service.reference()
    published, wanted = reference.published, context.params["operation"]
    elements = (context.params[name] or None for name in ("end_user_element", "product_element"))
    shape, problem = None, None
    try:
        shape = asdict(reference.order_shape(*elements))
    except PublishedReferenceError as error:
        problem = error.message
    return {
        "changed": False,
        "url": reference.url,
        "openapi": reference.openapi,
        "title": reference.title,
        "version": reference.version,
        "order": shape,
        "problem": problem,
        "tried": list(reference.tried),
        "operations": [
            {name: getattr(each, name) for name in _LISTED} | {"tags": [*each.tags]} for each in published.all
        ],
        "operation": description_of(published.find(wanted), published) if wanted else None,
    }


TASK = Task(run, describes=True)
