# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Waits that the published reference shows to be vain."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.conditions import read_conditions
from ansible_collections.hosting.reseller.plugins.module_utils._http.waiting import WaitFor
from ansible_collections.hosting.reseller.plugins.module_utils._operations.presence import never_met
from ansible_collections.hosting.reseller.plugins.module_utils._reference.operation_lookup import OperationLookup
from ansible_collections.hosting.reseller.plugins.module_utils._reference.reference import Reference

STATUS = {"enum": ["building", "active"]}


@pytest.mark.parametrize(
    ("schema", "pointer", "told"),
    [
        ({"type": "array", "items": {"properties": {"status": STATUS}}}, "/0/status", "/0/status is never"),
        ({"properties": {"status": {"enum": ["building", "ready"]}}}, "/status", None),
        # Another value may come where not all of them are published.
        ({"properties": {"status": {"enum": [*range(30)]}}}, "/status", None),
        ({"properties": {"status": STATUS, "data": {"properties": {"status": {}}}}}, "/status", None),
        ({"properties": {"status": STATUS}}, "/statsu", "did you mean /status?"),
        ({"properties": {"status": STATUS}, "additionalProperties": True}, "/statsu", None),
        ({"properties": {"status": STATUS}}, "/elsewhere", None),
    ],
)
def test_wait_is_vain_only_if_the_reference_excludes_it(schema: Any, pointer: str, told: str | None) -> None:
    answer = {"200": {"content": {"application/json": {"schema": schema}}}}
    document = {"openapi": "3.1.0", "paths": {"/api/reseller/x": {"get": {"operationId": "x", "responses": answer}}}}
    lookup = OperationLookup(Reference("https://h/api/docs", document), "https://h")
    conditions = read_conditions({"pointer": pointer, "equals": "ready"}, "until")
    found = never_met(lookup, lookup.find("x")[0], WaitFor(conditions))
    assert [told in each for each in found if told] == [True] * bool(told)
    assert bool(found) == bool(told)
