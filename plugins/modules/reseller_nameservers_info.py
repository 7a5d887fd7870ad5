#!/usr/bin/python
# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

DOCUMENTATION = r"""
module: reseller_nameservers_info
short_description: Ask a domain's nameservers whether the domain can be ordered with them
version_added: 0.1.0
author:
  - hosting.reseller contributors (@hosting)
description:
  - Before a domain is ordered with nameservers of your own, the zone must exist, and each of them must answer an NS
    query of the domain with exactly these nameservers. This module asks all of them, at all their addresses, all at
    once, by UDP, and by TCP where an answer is truncated or missing.
  - An answer is good if it is authoritative and names exactly O(nameservers). Case, a dot at the end and duplicates do not matter.
  - A nameserver whose name is an alias (CNAME) is good, but a warning names what it is an alias of.
  - An address that this machine has no route to (IPv6, on a host without it) is not asked. That is no failure if
    another address of the same nameserver is asked.
  - The task does not fail when a nameserver is not ready; see RV(ok). It never talks to the service.
options:
  domain:
    description: The domain that is to be ordered.
    type: str
    required: true
  nameservers:
    description: The nameservers that it is to be ordered with, as a list, or as the text that the document asks for, separated by spaces.
    type: list
    elements: str
    required: true
  resolvers:
    description:
      - Who is asked for the addresses of the nameservers, each as an address or a host, with a port if that is not 53
        (V(192.0.2.53), V(192.0.2.53:5353), V([2001:db8::53]:5353)). By default the resolvers of the system.
      - They are queried in turn until one knows the address.
      - A nameserver whose name is in the domain itself can be looked up only once the domain is delegated. To ask it
        before, name a resolver that knows it already, for example one of the domain's nameservers.
    type: list
    elements: str
  port:
    description: The port on which the nameservers are asked.
    type: int
    default: 53
  dns_timeout:
    description:
      - Seconds to wait for each resolver, and for each nameserver's answer.
      - Within this time a nameserver is queried three times by UDP, and once by TCP if it does not answer.
    type: float
    default: 5
extends_documentation_fragment:
  - hosting.reseller.reseller
  - hosting.reseller.attributes
  - hosting.reseller.attributes.info_module
  - hosting.reseller.attributes.action_group
requirements:
  - dnspython >= 2.4
seealso:
  - module: hosting.reseller.reseller_contract
"""

EXAMPLES = r"""
- name: Ask the nameservers
  hosting.reseller.reseller_nameservers_info:
    domain: example.org
    nameservers:
      - ns1.example.net
      - ns2.example.net
  register: nameservers

- name: Stop here while one of them is not ready
  ansible.builtin.assert:
    that: nameservers.ok
    fail_msg: "{{ nameservers.problems | join('\n') }}"

- name: Wait until the zone is served everywhere
  hosting.reseller.reseller_nameservers_info:
    domain: example.org
    nameservers: ns1.example.net ns2.example.net
  register: served
  until: served.ok
  retries: 30
  delay: 10
"""

RETURN = r"""
ok:
  description: Whether all nameservers are ready for the domain to be ordered.
  returned: success
  type: bool
servers:
  description: What each nameserver answered, in the order of O(nameservers), each once. Names are in lower case, without the dot at the end.
  returned: success
  type: list
  elements: dict
  contains:
    name:
      description: The nameserver.
      type: str
    ok:
      description: Whether all its addresses that were asked are good, and at least one was.
      type: bool
    status:
      description:
        - V(ok), or the gravest of what its addresses answered.
        - V(unresolvable) has no address that is known, V(refused) refused the query, V(no_zone) does not have the zone
          (NXDOMAIN, SERVFAIL, NOTAUTH, no NS records, or an answer that is not authoritative), V(other_set) names other
          nameservers, V(no_answer) gave no answer that is of use, V(not_asked) cannot be reached from this machine.
      type: str
    addresses:
      description: What each of its addresses answered.
      type: list
      elements: dict
      contains:
        address:
          description: An IPv4 or IPv6 address of the nameserver.
          type: str
        status:
          description: As RV(servers[].status), for this address.
          type: str
        nameservers:
          description: The nameservers that it named, sorted.
          type: list
          elements: str
        message:
          description: What it answered, in words.
          type: str
    missing:
      description: Nameservers that were given, and that an answer of this server does not name.
      type: list
      elements: str
    unexpected:
      description: Nameservers that an answer of this server names, and that were not given.
      type: list
      elements: str
    message:
      description: Why its addresses are not known, in whole or in part.
      type: str
    canonical_name:
      description: The name that the nameserver's name is an alias (CNAME) of; V(null) if it is none.
      type: str
problems:
  description: What nameservers that are not ready answered and what to do, one entry for each different answer.
  returned: success
  type: list
  elements: str
  sample:
    - "ns2.example.net (192.0.2.2) refused the NS query of example.org (REFUSED). Set up the zone there, and let everybody query it."
"""

from ansible_collections.hosting.reseller.plugins.module_utils._adapter.python import refuse_old_python


def main() -> None:
    refuse_old_python()

    from ansible_collections.hosting.reseller.plugins.module_utils._adapter.module import run_module
    from ansible_collections.hosting.reseller.plugins.module_utils._tasks.nameservers_info import TASK

    run_module(TASK)


if __name__ == "__main__":
    main()
