# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """The options of one request."""

    DOCUMENTATION = r"""
options:
  path:
    description:
      - Path below O(base_url), with its values filled in, such as V(/api/reseller/invoices). Encode other characters than letters as in a URL.
      - A query, a placeholder, empty parts, C(.) and C(..), C(;), C(\\), C(#), and encoded letters, dots or slashes are refused.
      - M(hosting.reseller.reseller_service_info) lists the paths that the service publishes.
    type: str
    required: true
  query:
    description: Query parameters, by name. A list is sent as one parameter for each entry.
    type: dict
    default: {}
  status_code:
    description: HTTP statuses with which the task succeeds, as numbers, and C(2xx) for all from 200 to 299.
    type: list
    elements: str
    default: [2xx]
  secrets:
    description:
      - Names of parameters and elements with secret values, in the request or in the response. They are masked in all output.
      - Names such as C(password) and C(token) are always masked.
    type: list
    elements: str
    default: []
  save_answer:
    description:
      - Absolute path of a new file for the service's response as it arrives, with credentials that it shows only once.
      - It is created before the request is sent, and only its owner can read it. If it cannot be created, nothing is sent.
      - It is removed if no response with a body arrives. In check mode, no file is created.
    type: path
"""
