# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import PublishedReferenceError
from ansible_collections.hosting.reseller.plugins.module_utils._reference import schemas
from ansible_collections.hosting.reseller.plugins.module_utils._reference.schemas import Schemas

#: Each twice the one below: a small document that is long to look at.
NESTED = {f"S{n}": {"allOf": [{"$ref": f"#/components/schemas/S{n + 1}"}] * 2} for n in range(8)}
DOCUMENT: dict[str, Any] = {"components": {"schemas": {**NESTED, "S8": {"properties": {"name": {"type": "string"}}}}}}
LOOK = 18_000
REFERENCE = "#/components/schemas/S0"


def test_work_is_bounded_for_a_document_and_a_second_look_costs_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(schemas, "WORK", 3 * LOOK)
    document, schema = Schemas(DOCUMENT), {"$ref": REFERENCE}
    first = document.described([schema])
    assert all(document.described([schema]) is first for _look in range(1000))
    assert [element.name for element in document.elements(schema)] == ["name"]
    with pytest.raises(PublishedReferenceError, match="too many or too deeply composed"):
        [document.described([{"$ref": REFERENCE}]) for _look in range(10)]
