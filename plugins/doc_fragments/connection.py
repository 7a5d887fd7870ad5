# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """The connection of modules (C(connection)) and other plugins (C(connection.plugin)), both with C(connection.tls)."""

    DOCUMENTATION = r"""
options:
  base_url:
    description:
      - Address of the service, as C(https://host[:port]). C(http://) is refused unless the host is loopback or C(allow_http=true).
      - Required, here or in E(RESELLER_BASE_URL). An empty environment variable counts as unset.
    type: str
  organization_id:
    description:
      - ID of your own organization, or of that of an end user. The service acts in its context.
      - Required, here or in E(RESELLER_ORGANIZATION_ID).
    type: str
  api_key:
    description: API key, from the customer portal under Profile > API Keys. Required, here or in E(RESELLER_API_KEY).
    type: str
  service:
    description:
      - Absolute path of the file that describes the service, such as where its lists show things. It may be encrypted with ansible-vault.
      - By default E(RESELLER_SERVICE), otherwise C(hosting.reseller/HOST.yml) (or C(HOST_PORT.yml)) in E(XDG_CONFIG_HOME) (C(~/.config)), if it is
        there.
    type: str
  timeout:
    description:
      - Seconds for one request. Reading everything may take ten times O(timeout), including retries.
      - A request that orders or changes something has 120 seconds, or O(timeout) if that is longer. Later, an order is in doubt.
      - Ansible's own C(timeout) of a task does not cut a request that was begun. It only keeps the task from sending more.
    type: float
    default: 30
requirements:
  - requests >= 2.31.0
  - jsonschema >= 4.18.0
  - PyYAML (for an OpenAPI document in YAML, for a file of O(service), and for diffs)
"""

    TLS = r"""
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
  service:
    description:
      - Path of the file that describes the service at O(base_url), such as where its lists show things, and the organizations of end users.
      - A relative path is refused, and so is a file that others can write. The file may be encrypted with ansible-vault.
      - The default is C(hosting.reseller/HOST.yml) in E(XDG_CONFIG_HOME), which is C(~/.config) if unset, and may be missing. With a port in
        O(base_url) it is C(HOST_PORT.yml).
    type: str
    env:
      - name: RESELLER_SERVICE
  timeout:
    description: Seconds for one request, from connecting to the last byte of its response. Reading everything may take ten times O(timeout), including retries.
    type: float
    default: 30
requirements:
  - requests >= 2.31.0
  - jsonschema >= 4.18.0 (for a file of O(service))
"""
