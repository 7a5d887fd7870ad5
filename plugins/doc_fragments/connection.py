# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """How modules and plugins connect to the service, and the other connection options of lookup and inventory plugins."""

    DOCUMENTATION = r"""
options:
  allow_http:
    description: Whether O(base_url) may be C(http://) on a host that is not loopback. Others can then read the API key. No proxy is used.
    type: bool
    default: false
  validate_certs:
    description: Whether to check the service's TLS certificate.
    type: bool
    default: true
  ca_path:
    description: File or directory with the certificate authorities to trust. By default, those of the Python library C(requests).
    type: path
"""

    PLUGIN = r"""
options:
  base_url:
    description:
      - Address of the service, as C(https://host[:port]). C(http://) is refused unless the host is loopback or O(allow_http=true). Required.
      - For all options, an empty environment variable counts as unset.
    type: str
    env:
      - name: RESELLER_BASE_URL
  api_key:
    description: API key. Create it in the customer portal under Profile > API Keys. Required.
    type: str
    env:
      - name: RESELLER_API_KEY
  organization_id:
    description: ID of the organization in whose context the service acts. Required.
    type: str
    env:
      - name: RESELLER_ORGANIZATION_ID
  timeout:
    description:
      - Seconds for one request, from connecting to the last byte of its response.
      - A whole list, with further tries, waits, pages and redirects, has ten times as long.
    type: float
    default: 30
requirements:
  - requests >= 2.31.0
"""
