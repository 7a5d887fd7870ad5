# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: os_templates
short_description: The names of the OS templates that can be ordered
version_added: 0.1.0
author:
  - hosting.reseller contributors (@hosting)
description:
  - Reads the names of the OS templates from the catalogue of the service, sorted, each once. They are the same across all products.
  - The options are those of the modules. They are not taken from C(module_defaults); the environment variables serve both.
  - Takes no terms.
options:
  base_url:
    description:
      - Where the service is, as C(https://host[:port]).
      - C(http://) is refused unless the host is loopback or O(allow_http=true).
      - Required. For all options, an empty environment variable counts as unset.
    type: str
    env:
      - name: RESELLER_BASE_URL
  api_key:
    description: An API key, created in the customer portal under Profile > API Keys. Required.
    type: str
    env:
      - name: RESELLER_API_KEY
  organization_id:
    description: The organization in whose context the service acts. Required.
    type: str
    env:
      - name: RESELLER_ORGANIZATION_ID
  allow_http:
    description: Whether O(base_url) may be C(http://) on a host that is not loopback. The API key can then be read on the way.
    type: bool
    default: false
  validate_certs:
    description: Whether the service's TLS certificate is checked.
    type: bool
    default: true
  ca_path:
    description: A file or folder with the certificates of the authorities to trust. By default those of the Python library C(requests).
    type: path
  timeout:
    description: Seconds that one request may take, from connecting to the last byte of its answer.
    type: float
    default: 30
  read_timeout:
    description: Seconds that the whole read may take, with its retries, waits, pages and redirects. The default is ten times O(timeout).
    type: float
  read_retries:
    description: How often the request is tried again after a lost connection or the statuses 429, 502, 503 and 504.
    type: int
    default: 3
  catalogue_max_age:
    description: Seconds for which a catalogue that was read before may be used. V(0) reads it again each time.
    type: int
    default: 300
  refresh:
    description: Whether the catalogue is read again, whatever the cache holds.
    type: bool
    default: false
requirements:
  - requests >= 2.31
seealso:
  - module: hosting.reseller.reseller_products_info
"""

EXAMPLES = r"""
- name: Show all OS templates
  ansible.builtin.debug:
    msg: "{{ query('hosting.reseller.os_templates') }}"

- name: Order with the last of the Debian templates
  hosting.reseller.reseller_contract:
    end_user: __self__
    product: VPS M
    settings:
      hostname: web01.example.com
      template: "{{ query('hosting.reseller.os_templates') | select('match', 'debian-') | last }}"
"""

RETURN = r"""
_list:
  description: The names of the OS templates, sorted. C(query) gives them as a list, C(lookup) joined by commas.
  type: list
  elements: str
"""

import os
from collections.abc import Mapping, Sequence
from typing import Any

from ansible.errors import AnsibleLookupError
from ansible.plugins.lookup import LookupBase
from ansible.utils.display import Display

from ..module_utils._adapter.context import Context
from ..module_utils._adapter.no_log import secrets_in_options
from ..module_utils._adapter.services import service_of
from ..module_utils._checks.secrets import masked
from ..module_utils._core.errors import ResellerError
from ..module_utils._core.text import legible

_NAME = "hosting.reseller.os_templates"

display = Display()


class LookupModule(LookupBase):  # type: ignore[misc]
    def run(self, terms: Sequence[Any], variables: Mapping[str, Any] | None = None, **kwargs: Any) -> list[str]:
        self.set_options(var_options=variables, direct=kwargs)
        params: dict[str, Any] = self.get_options()
        unknown = sorted(set(kwargs) - params.keys())
        if terms or unknown:
            what = f"has no option {unknown[0]}" if unknown else "takes no terms"
            raise AnsibleLookupError(f"{_NAME} {what}; its options are {', '.join(sorted(params))}.")

        def warn(text: str) -> None:
            display.warning(legible(masked(text, secrets_in_options(params))))

        context = Context(params=params, check_mode=False, diff=False, environ=os.environ, warn=warn)
        try:
            catalogue = service_of(context).catalogue()
            for warning in catalogue.warnings:
                context.warn(warning)
            return [legible(name) for name in catalogue.os_templates()]
        except ResellerError as error:
            raise AnsibleLookupError(
                f"{_NAME}: {legible(masked(error.message, secrets_in_options(params)))}"
            ) from error
        finally:
            context.close()
