# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""reseller_nameservers_info: checks whether a domain's nameservers are ready. It sends no requests to the service."""

from __future__ import annotations

from .._adapter.context import Context, Result, Task
from .._checks.nameservers import ask_nameservers
from .._checks.setting_rules import check_specification_rules
from .._core.errors import ConfigurationError, ViolationsError
from .._product_types.domain import DOMAIN


def run(context: Context) -> Result:
    """Query every nameserver."""
    params = context.params
    domain = params["domain"].strip()
    names = [name for given in params["nameservers"] for name in given.split()]
    if not names:
        raise ConfigurationError("nameservers is empty. Give the nameservers that the domain is to be ordered with.")
    # Both are held to the rules of the specification of an order.
    given = {"domain": domain, "nameservers": names}
    if broken := check_specification_rules(DOMAIN, given).violations_of(given):
        ours = [violation._replace(path=violation.path.removeprefix("settings.")) for violation in broken]
        raise ViolationsError(ours, "The task", "No nameserver was queried.")
    options = {"resolvers": params["resolvers"], "port": params["port"], "timeout": params["dns_timeout"]}
    (reports,) = ask_nameservers([(domain, names)], **options)
    return {
        "changed": False,
        "ok": all(report.ok for report in reports),
        "servers": [
            {
                "name": report.name,
                "ok": report.ok,
                "addresses": [answer._asdict() for answer in report.answers],
                "message": report.message,
            }
            for report in reports
        ],
        "problems": [problem for report in reports for problem in report.problems],
    }


TASK = Task(run)
