# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations


class ModuleDocFragment:
    """The options that all modules share, and those of one order."""

    DOCUMENTATION = r"""
options:
  base_url:
    description:
      - Where the service is, as C(https://host[:port]). A trailing slash is accepted.
      - Required by every module that talks to the service.
      - C(http://) is refused unless the host is loopback or O(allow_http=true).
      - If not set, the environment variable E(RESELLER_BASE_URL) is used. For all options, an empty variable counts as unset.
    type: str
  api_key:
    description:
      - An API key, created in the customer portal under Profile > API Keys. It is sent as C(X-API-Key) with every request.
      - Required by every module that talks to the service.
      - If not set, the environment variable E(RESELLER_API_KEY) is used.
    type: str
  organization_id:
    description:
      - The organization in whose context the service acts, sent as C(X-Organization-ID) with every request. It is
        found in the customer portal's organization management, and may be your own or that of one of your end-users.
      - Required by every module that talks to the service.
      - If not set, the environment variable E(RESELLER_ORGANIZATION_ID) is used.
    type: str
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
    description:
      - Seconds that a whole read may take, with its retries, waits, pages and redirects.
      - The default is ten times O(timeout).
    type: float
  order_timeout:
    description:
      - Seconds that the request that orders may take. An order whose answer comes later is in doubt.
      - The default is 120, or O(timeout) where that is longer, since a registry may be slow.
    type: float
  read_retries:
    description:
      - How often a reading request is tried again after a lost connection or the statuses 429, 502, 503 and 504.
      - An order is never tried again unless the service answered that it did not process it, whatever this option says.
    type: int
    default: 3
  end_user_element:
    description:
      - The name of the request element that carries the end-user target. The document of the interface does not show it.
      - By default it is read from the published reference (OpenAPI) of the service.
      - If not set, the environment variable E(RESELLER_END_USER_ELEMENT) is used.
    type: str
  product_element:
    description:
      - The name of the request element that carries the product. The document of the interface does not show it.
      - By default it is read from the published reference (OpenAPI) of the service.
      - If not set, the environment variable E(RESELLER_PRODUCT_ELEMENT) is used.
    type: str
  ledger:
    description:
      - Where the record of every order is kept, by which a second run knows what was ordered. A path of a file
        (SQLite), or an address C(postgresql://user:password@host/database).
      - Give an absolute path, which may begin with V(~) or hold environment variables. Tasks run in the folder of
        their playbook, so a relative one is another ledger for each playbook folder, and the same order could be
        bought twice. It makes a warning.
      - By default C(hosting.reseller/ledger.db) in E(XDG_STATE_HOME), which is C(~/.local/state) if unset. The default is for
        the user who runs Ansible, on the controller. A task on another host or with C(become) must name its ledger, and
        so must every task where that path is on C(/) and C(/) is an overlay or in memory, as in a container.
      - The file must be on a local file system; network file systems do not keep its locks. Use PostgreSQL where
        several machines order, or where files vanish with the job, as in AWX.
      - If not set, the environment variable E(RESELLER_LEDGER) is used.
    type: str
  ledger_shared:
    description:
      - Whether a O(ledger) file is shared with other users on purpose.
      - By default a task that orders refuses a ledger that others could have changed. The file, what lies beside it and their directory
        must belong to the user of the task or to root, and must not be writable by everyone or by a group with other members. Root may use
        the ledgers of all users.
      - If not set, the environment variable E(RESELLER_LEDGER_SHARED) is used.
    type: bool
    default: false
  ledger_is_kept:
    description:
      - Whether the directory of a O(ledger) file outlives the job, although nothing shows that it does.
      - With E(AWX_ISOLATED_DATA_DIR) set (execution environment), a ledger file is refused unless its directory is on a mount of
        its own, that is not C(/), not in the job's own directory, not in memory and not an C(emptyDir) volume.
      - If not set, the environment variable E(RESELLER_LEDGER_IS_KEPT) is used.
    type: bool
    default: false
  new_ledger:
    description:
      - Whether a ledger may be made where there is none. Orders that another ledger holds are not known in a new one, and would be placed again.
      - V(allow) makes it, with a warning. V(refuse) fails the task, so that a scheduled job notices a missing ledger.
      - Where this user has seen a ledger before, none is made in any case, see O(hosting.reseller.reseller_ledger#module:state=accepted).
      - If not set, the environment variable E(RESELLER_NEW_LEDGER) is used.
    type: str
    choices: [allow, refuse]
    default: allow
requirements:
  - requests >= 2.31.0
  - jsonschema >= 4.18.0
  - PyYAML (for a published reference in YAML, and for diffs)
  - psycopg >= 3.2.2 (for a ledger in PostgreSQL)
  - dnspython >= 2.4 (to ask the nameservers of a domain)
"""

    LEARNING = r"""
options:
  catalogue_max_age:
    description: Seconds for which a catalogue that was read before may be used, from a cache in E(XDG_CACHE_HOME). V(0) reads it in each task. At most a year.
    type: int
    default: 300
  refresh:
    description: Whether the catalogue and the published reference are read again, whatever the cache holds.
    type: bool
    default: false
"""

    NAMESERVERS = r"""
options:
  nameserver_resolvers:
    description:
      - Resolvers that look up the addresses of nameservers, as C(host) or C(host:port). Default are the resolvers of the system.
      - They are queried in turn until one knows the address. A nameserver within the domain itself is known only to
        resolvers that have the zone, such as the zone's own server, until the domain is delegated.
    type: list
    elements: str
  nameserver_port:
    description: Port of the nameservers.
    type: int
    default: 53
"""

    READING = r"""
options:
  organizations:
    description:
      - The organizations in which the contracts of end users lie, as a mapping of end-user UUIDs to organization ids.
      - Without it, contracts are read in O(organization_id) alone. A service may not list those of end users there.
    type: dict
    default: {}
  elements:
    description:
      - "Where a contract's record holds what, as a mapping of roles to JSON pointers (RFC 6901), such as C(hostname: /server/name)."
      - Roles are C(id), C(product), C(end_user), C(organization), C(hostname), C(domain), C(addresses), C(status), C(created_at) and C(marker).
      - By default they are learned from the contracts whose ids the ledger has, except C(addresses) and C(status), which no order tells.
    type: dict
    default: {}
  list_path:
    description: The path below O(base_url) that lists contracts, where the published reference does not tell it.
    type: str
  item_path:
    description: The path of one contract, with C({id}) for its id, where the published reference does not tell it.
    type: str
"""
