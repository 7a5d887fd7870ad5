# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
name: os_templates
short_description: List the OS templates that can be ordered
version_added: 1.0.0
author:
  - hosting.reseller contributors (!UNKNOWN)
description:
  - Reads the names of the OS templates from the service's catalogue, which are the same for all products.
  - The options are those of the modules. Environment variables work for both, C(module_defaults) only for modules. This lookup takes no terms.
options: {}
extends_documentation_fragment:
  - hosting.reseller.connection.plugin
  - hosting.reseller.connection.tls
seealso:
  - module: hosting.reseller.reseller_products_info
"""

EXAMPLES = r"""
- name: Show all OS templates
  ansible.builtin.debug:
    msg: "{{ query('hosting.reseller.os_templates') }}"

- name: Order a VPS with the last of the Debian templates
  hosting.reseller.reseller_contract:
    end_user: __self__
    product: VPS M
    settings:
      hostname: web01.example.com
      template: "{{ query('hosting.reseller.os_templates') | select('match', 'debian-') | last }}"
"""

RETURN = r"""
_list:
  description: Names of the OS templates, sorted and without duplicates. C(query) returns a list, C(lookup) a string joined by commas.
  type: list
  elements: str
"""

import os
from collections.abc import Mapping, Sequence
from typing import Any

from ansible.errors import AnsibleLookupError
from ansible.plugins.lookup import LookupBase
from ansible.utils.display import Display

from ..module_utils._adapter.context import Context, task_masker
from ..module_utils._adapter.options import check_options
from ..module_utils._adapter.service_opener import service_of
from ..module_utils._catalogue.catalogue import catalogue_of
from ..module_utils._core.errors import ResellerError
from ..module_utils._core.text import legible
from ..plugin_utils._decrypted import text_reader

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

        masker = task_masker(params)

        def warn(text: str) -> None:
            display.warning(legible(masker.text(text)))

        context = Context(
            params=params,
            check_mode=False,
            diff=False,
            environ=os.environ,
            warn=warn,
            read_text=text_reader(self._loader),
        )
        try:
            check_options(params)
            catalogue = catalogue_of(service_of(context))
            for warning in catalogue.warnings:
                context.warn(warning)
            return [legible(name) for name in catalogue.os_templates()]
        except ResellerError as error:
            # Ansible would show the cause, too, in which nothing is masked.
            raise AnsibleLookupError(f"{_NAME}: {legible(masker.text(error.message))}") from None
        finally:
            context.shared.close()
