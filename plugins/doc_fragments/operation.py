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
      - The operation, as C(METHOD /path) in the form of the published reference, with parameters in braces, or by a unique operationId.
      - M(hosting.reseller.reseller_reference_info) lists all operations, and shows a task for each of them.
    type: str
    required: true
  path_parameters:
    description: Values for the parameters in the path, by name. The module encodes them. Empty values, C(.) and C(..) are refused.
    type: dict
    default: {}
  query:
    description:
      - Query parameters, by name. Lists and mappings are written in the style C(form).
      - Other styles are not supported. Use M(ansible.builtin.uri) for an operation that needs one.
    type: dict
    default: {}
  headers:
    description: Header parameters, by name. Headers that the collection sets itself, such as C(X-API-Key) and C(X-Organization-ID), are refused.
    type: dict
    default: {}
  body:
    description:
      - The request body. It is sent as JSON, or as the fields of a form with files.
      - Of several media types in the published reference, C(application/json) is preferred, then others based on JSON. With files, it is the form.
      - Other media types are not supported. Use M(ansible.builtin.uri) for them.
      - In a merge patch (C(application/merge-patch+json)) and in a PATCH with JSON:API, no element is required.
      - Where the published reference does not allow a string, a string that a template made of a number or a boolean is converted back.
    type: raw
  accept_status:
    description: Additional HTTP statuses that count as success. Statuses from 200 to 299 always do.
    type: list
    elements: int
    default: []
  secrets:
    description:
      - Names of parameters and elements with secret values, in the request or in the response. They are masked in all output.
      - Names such as C(password) and C(token), and elements that the published reference marks as passwords, are always masked.
    type: list
    elements: str
    default: []
  save_answer:
    description:
      - Path of a new file for the response as it arrives, for example with a password that the service shows only once. The file must not exist.
      - Its mode is 0600. In check mode, no file is created.
    type: path
requirements:
  - jsonschema >= 4.18.0
"""
