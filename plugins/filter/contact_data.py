# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: contact_data
short_description: Convert a domain contact to the string that the API requires
version_added: 1.0.0
author:
  - hosting.reseller contributors (!UNKNOWN)
description:
  - >-
    Checks a contact against the rules of the specification, and converts it to the JSON string for C(ownercData) and C(admincData), with the fields in
    the order of the API specification.
  - M(hosting.reseller.reseller_contract) converts a mapping in the same way. Use this filter to check contacts before you order anything.
positional: _input
options:
  _input:
    description:
      - The contact, as a mapping or as a string that contains it as a JSON object.
      - The fields are C(label), C(first_name), C(last_name), C(company_name), C(street), C(postal_code), C(city), C(country), C(telephone), C(email)
        and C(fax).
      - All fields are strings, and all except C(fax) are required.
      - C(company_name) and C(fax) may be empty.
      - C(country) has two letters.
      - C(telephone) has the form C(+49.301234567).
    type: raw
    required: true
requirements:
  - jsonschema >= 4.18.0
seealso:
  - module: hosting.reseller.reseller_contract
"""

EXAMPLES = r"""
- name: Check all contacts before the first order
  ansible.builtin.set_fact:
    contact_data: "{{ contacts | map('hosting.reseller.contact_data') | list }}"
  vars:
    contacts:
      - label: customer-4711
        first_name: Erika
        last_name: Mustermann
        company_name: ""
        street: Heidestraße 17
        postal_code: "51147"
        city: Köln
        country: DE
        telephone: "+49.221123456"
        email: erika@example.org
"""

RETURN = r"""
_value:
  description: The contact as a JSON object in a string, without whitespace between its parts.
  type: str
"""

from collections.abc import Callable
from typing import Any

from ansible.errors import AnsibleFilterError

from ..module_utils._checks.setting_rules import check_specification_rules
from ..module_utils._core.errors import MissingLibraryError, Violation, ViolationsError
from ..module_utils._product_types.domain import CONTACT, DOMAIN
from ..module_utils._product_types.registry import contact_text

_NAME = "hosting.reseller.contact_data"
_SETTING = "ownercData"


def contact_data(contact: Any) -> str:
    """The JSON string of a contact (API specification 2.4 and 4.3.5). Raises AnsibleFilterError."""
    given = {_SETTING: contact}
    try:
        checked = check_specification_rules(DOMAIN, given)
    except MissingLibraryError as error:
        raise AnsibleFilterError(f"{_NAME}: {error.message}") from error
    violations = [
        violation._replace(path=violation.path.replace(f"settings.{_SETTING}", "contact", 1))
        for violation in checked.violations_of(given)
    ]
    if contact is None:
        violations = [Violation("contact", None, CONTACT["description"], "specification")]
    if violations:
        raise AnsibleFilterError(ViolationsError(violations, f"{_NAME}: the contact", "Nothing was sent.").message)
    return contact_text(checked.settings[_SETTING])


class FilterModule:
    def filters(self) -> dict[str, Callable[[Any], str]]:
        return {"contact_data": contact_data}
