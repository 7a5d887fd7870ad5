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

    # How a customer's stack is given and checked.
    STACK = r"""
options:
  path:
    description: The stack file, read where the task runs. With O(content), only what the file is called in messages.
    type: path
  content:
    description:
      - The text of the stack file, for a file that was read (and decrypted) elsewhere.
      - Before ansible-core 2.19 a template that makes text in JSON hands over a dictionary. For a stack that is written as JSON
        use O(path), or O(stack) with C(from_json).
    type: str
  stack:
    description: The stack as data, in the form of the file.
    type: dict
  defaults:
    description:
      - What contracts say that do not say it themselves, by kind, such as C(vps) or C(domain).
      - The C(defaults) of the stack come first. An entry that is V(null) or empty counts as not given, except C(existing_l2vpn).
    type: dict
    default: {}
  secrets:
    description: Settings that are kept out of the stack, by the name of the contract, such as a C(password) or an C(authcode).
    type: dict
    default: {}
  file_is_private:
    description:
      - Whether the stack may hold secrets in readable text, such as a C(password) or an C(authcode).
      - If V(false), the task fails on them. Move them to O(secrets), or encrypt the file with ansible-vault and give its text as O(content).
      - Default is V(false) for a file that the task reads by O(path) alone, and V(true) for O(content) and O(stack).
    type: bool
  l2vpn_ids:
    description:
      - The UUIDs of L2VPNs by the name of the dedicated server that each comes from, where the service's response did not hold them.
      - A server of this name that is not ordered yet joins the L2VPN.
    type: dict
    default: {}
  shown_as:
    description:
      - What parts of the stack are called in messages, by the beginning of their path, such as C(contracts.vps).
      - For roles and playbooks that make the stack of variables of their own.
      - A word that ends with C(_) is the beginning of a variable's name. C(given defaults) stands for O(defaults), and C(l2vpn_ids) for O(l2vpn_ids).
    type: dict
    default: {}
  validation:
    description: Whether the live rules of the catalogue are checked beside the documented ones.
    type: str
    choices: [live, documented]
    default: live
  org_max_ram:
    description: The most RAM in MB that your organization may order for one configurable VPS.
    type: int
  on_drift:
    description: What a recorded contract with other settings counts as, see M(hosting.reseller.reseller_contract).
    type: str
    choices: [fail, warn, ignore]
    default: fail
  on_duplicate:
    description: What a contract of the same thing under another name counts as, see M(hosting.reseller.reseller_contract).
    type: str
    choices: [fail, warn, ignore]
    default: fail
  verify_nameservers:
    description: Whether the nameservers of domains are asked, see M(hosting.reseller.reseller_contract).
    type: bool
    default: true
"""

    # How many orders are sent in one task.
    MANY = r"""
options:
  concurrency:
    description: How many orders are sent at the same time, from 1 to 32. When the service asks to slow down, all of them wait.
    type: int
    default: 4
  on_error:
    description:
      - V(stop) sends nothing if an order of the plan is in doubt or differs from what was ordered, and sends no further orders after one failed.
      - V(continue) places all others, and fails at the end.
    type: str
    choices: [stop, continue]
    default: stop
  max_orders:
    description: Fail, and send nothing, if the plan holds more orders than this.
    type: int
  approved_plan:
    description:
      - Fail, and send nothing, if the plan of now is not the one that was approved. The differences are listed.
      - Either the RV(plan_digest) of a dry run, or a mapping with its RV(plan) and RV(plan_digest).
      - With the mapping the differences can be listed on every machine.
      - A plan in which there is nothing left to order needs no approval.
    type: raw
  wait_in_flight:
    description:
      - Seconds to wait for another run that is placing one of the orders at this moment.
      - The default is 30 more than O(order_timeout), and the most is a week.
    type: int
  awx_job_id:
    description: The AWX job that orders, kept with the orders. By default the variable C(awx_job_id) that AWX gives to its jobs.
    type: str
  awx_workflow_job_id:
    description: The AWX workflow job that orders, kept with the orders. By default the variable C(awx_workflow_job_id) that AWX gives to its jobs.
    type: str
"""

    READ_BACK = r"""
options:
  read_back:
    description:
      - Whether to read the service's contracts before and after ordering, where its published reference has an operation for it.
      - Before, the contracts like each order are noted with it. If an order is in doubt at the end, the list is read once more, and settles it
        if there is only one new contract that has everything that it asked for.
      - If the service has no such operation, a warning says so, and everything is as without this option.
    type: bool
    default: false
  on_unrecorded:
    description:
      - What to do if the service already has a contract that looks like an order, and the ledger does not have that contract. So a lost ledger, or
        another one, does not order everything again.
      - A contract looks like an order if it has the same domain, the same hostname and end user, or for webhosting the same product and end user.
      - V(fail) sends nothing. V(warn) sends the order with a warning. V(ignore) does not look.
      - The default is V(fail) with O(read_back=true), else V(ignore). If you set it to V(fail) or V(warn), the list is read without O(read_back).
      - If the list is not published, not complete or not understood, V(fail) sends nothing only if you set it yourself. Otherwise a warning says so once.
    type: str
    choices: [fail, warn, ignore]
  marker_element:
    description:
      - An element of an order that carries a text of your own, such as a note. The published reference must name it.
      - Each order is sent with a new marker there. A contract that shows the marker is known to be that order's.
      - The element must not be in C(additional_elements), too.
    type: str
"""
