#!/usr/bin/python
# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: reseller_nameservers_info
short_description: Check whether a domain's nameservers are ready for ordering it
version_added: 1.0.0
author: hosting.reseller contributors (!UNKNOWN)
description:
  - >-
    Queries all nameservers of a domain at all their addresses. Before you order a domain with your own nameservers, the zone must exist, and
    each nameserver must respond to an NS query of the domain with exactly these nameservers.
  - >-
    A response is good if it is authoritative and contains exactly O(nameservers). Case, a trailing dot and duplicates do not matter.
  - >-
    TCP is used if a response by UDP is truncated or missing. An address without a route from this machine, such as IPv6 on a host without IPv6,
    is not queried, which is no failure if another address of the nameserver can be.
  - If a nameserver is not ready, the task does not fail. See RV(ok). This module sends no requests to the service.
options:
  domain:
    description: The domain that you want to order.
    type: str
    required: true
  nameservers:
    description: Nameservers of the domain, as a list or as a string separated by spaces.
    type: list
    elements: str
    required: true
  resolvers:
    description:
      - Resolvers that look up the addresses of nameservers, such as V(192.0.2.53), V(dns.example.com:5353) or V([2001:db8::53]:5353).
      - They are queried in turn. By default, those of the system, which find a nameserver in the domain itself only once that is delegated.
      - An order queries the C(nameserver_resolvers) in the file that describes its service.
    type: list
    elements: str
  port:
    description: Port of the nameservers.
    type: int
    default: 53
  dns_timeout:
    description:
      - Seconds to wait for each response of a resolver or a nameserver by UDP. In this time, the query is sent up to three times.
      - If the response is truncated or missing, the query is sent by TCP, with as many seconds again.
    type: float
    default: 5
requirements:
  - dnspython >= 2.4
extends_documentation_fragment:
  - hosting.reseller.attributes
  - hosting.reseller.attributes.info_module
seealso:
  - module: hosting.reseller.reseller_contract
"""

EXAMPLES = r"""
- name: Check the nameservers
  hosting.reseller.reseller_nameservers_info:
    domain: example.org
    nameservers:
      - ns1.example.net
      - ns2.example.net
  register: nameservers

- name: Stop if one of them is not ready
  ansible.builtin.assert:
    that: nameservers.ok
    fail_msg: "{{ nameservers.problems | join('\n') }}"

- name: Wait until all nameservers have the zone
  hosting.reseller.reseller_nameservers_info:
    domain: example.org
    nameservers: ns1.example.net ns2.example.net
  register: served
  until: served.ok
  retries: 30
  delay: 10
"""

RETURN = r"""
failure:
  description: Why the task failed, with the keys of RV(hosting.reseller.reseller_contract#module:failure).
  returned: failure
  type: dict
ok:
  description: Whether all nameservers are ready, so that the domain can be ordered.
  returned: success
  type: bool
servers:
  description: Result for each nameserver, in the order of O(nameservers), without duplicates. Names are in lower case and have no trailing dot.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: Name of the nameserver.
      type: str
    ok:
      description: Whether at least one address was queried, and all queried addresses are good.
      type: bool
    addresses:
      description: Result for each of its addresses that was queried.
      type: list
      elements: dict
      contains:
        address:
          description: An IPv4 or IPv6 address of the nameserver.
          type: str
        ok:
          description: Whether the response is good.
          type: bool
        message:
          description: The response in words, and what to do.
          type: str
        nameservers:
          description: Nameservers in the response, sorted.
          type: list
          elements: str
    message:
      description: Why it was not queried at any address.
      type: str
problems:
  description: Responses of the nameservers that are not ready, and what to do.
  returned: success
  type: list
  elements: str
  sample:
    - >-
      ns2.example.net (192.0.2.2) refused the NS query of example.org (REFUSED). Set up the zone there, let everybody query it, and wait until
      the server has loaded it.
violations:
  description: Rules that are broken. Each entry has C(path), C(value), C(fix), C(rule) and C(source), which is V(specification), V(catalogue) or V(service).
  returned: on failure
  type: list
  elements: dict
"""
