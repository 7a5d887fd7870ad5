# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What the filter contact_data refuses."""

from __future__ import annotations

from typing import Any

import pytest
from ansible.errors import AnsibleFilterError

from ansible_collections.hosting.reseller.plugins.filter.contact_data import FilterModule
from ansible_collections.hosting.reseller.plugins.module_utils._product_types import dialect
from tests.support.order_examples import CONTACT

contact_data = FilterModule().filters()["contact_data"]


def test_all_that_is_wrong_is_told_at_once() -> None:
    wrong = {**CONTACT, "country": "DEU", "postal_code": 51147, "emial": "x@example.org"}
    del wrong["city"]
    with pytest.raises(AnsibleFilterError) as caught:
        contact_data(wrong)
    message = str(caught.value)
    assert "the contact breaks 4 rules. Nothing was sent.\n" in message
    for path in ("contact.country", "contact.postal_code", "contact.city", "contact.emial"):
        assert f"- {path}: " in message
    assert "ownercData" not in message


@pytest.mark.parametrize("given", [None, 4, [CONTACT], "", "no JSON", "[]", {}])
def test_what_is_no_contact_is_refused(given: Any) -> None:
    with pytest.raises(AnsibleFilterError, match="contact"):
        contact_data(given)


def test_a_missing_library_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dialect, "JSONSCHEMA_ERROR", ImportError("No module named 'jsonschema'"))
    with pytest.raises(AnsibleFilterError, match="pip install jsonschema"):
        contact_data(CONTACT)
