# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """The options of one published operation."""

    DOCUMENTATION = r"""
options:
  operation:
    description:
      - The operation, as C(METHOD /path) with parameters in braces, as the published reference writes it, or an operationId that only one operation has.
      - M(hosting.reseller.reseller_reference_info) lists all operations, and with its option O(hosting.reseller.reseller_reference_info#module:operation)
        shows a task for one.
    type: str
    required: true
  path_parameters:
    description: Values for the parameters in the path. They are encoded. Empty ones, C(.) and C(..) are refused.
    type: dict
    default: {}
  query:
    description: Query parameters, by name. Lists and mappings are written in the style that the reference publishes.
    type: dict
    default: {}
  headers:
    description: Header parameters, by name. Headers that the collection sets itself, such as C(X-API-Key) and C(X-Organization-ID), are refused.
    type: dict
    default: {}
  body:
    description: The body. Texts that a template made of numbers and booleans are sent as such where the reference allows no text.
    type: raw
  media_type:
    description: The media type of the body. By default JSON where the reference publishes it, else the first published one.
    type: str
  accept_status:
    description: Further HTTP statuses that count as success. By default those from 200 to 299 do.
    type: list
    elements: int
    default: []
  secrets:
    description:
      - Names of parameters and elements, in the request or the response, whose values are secret. They are masked in all output.
      - Names that tell it, such as C(password) and C(token), and elements that the reference calls a password, are masked in any case.
    type: list
    elements: str
    default: []
  save_answer:
    description:
      - Path of a file for the response as it arrives, such as a password that is told only once. It must not exist. Its mode is 0600.
      - In check mode nothing is written.
    type: path
  validation:
    description:
      - Whether a request that breaks a published rule is refused (V(strict)), or sent with a warning (V(warn)).
      - What cannot be sent at all, such as a missing path parameter, is refused in any case.
    type: str
    choices: [strict, warn]
    default: strict
requirements:
  - jsonschema >= 4.18.0
"""
