# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The report of a plan in a browser: nothing runs in it that an order brought, and it prints on one page."""

from __future__ import annotations

import html
import json
import re
from pathlib import Path
from typing import Any

from playbooks.files.simulator import data
from tests.conftest import SimulatorFactory
from tests.site.browser import dom, needs_chromium, printed_pages
from tests.support.playbooks import ROOT, Runner

WHOLE = ROOT / "docs/examples/stacks/customer-4711.yml"
RAN = "document.documentElement.dataset.ran"
#: What would run in a page that shows it as it is: in text, and in an attribute that it is put into.
HOSTILE = f"""<script>{RAN} = 1</script>"><img src="x:" onerror="{RAN} = 2"> '' <svg onload={RAN}=3>"""

pytestmark = needs_chromium


def report(runner: Runner, start_simulator: SimulatorFactory, stack: Path, **variables: Any) -> Path:
    """The page that the playbook writes."""
    play = runner.playbook("plan", start_simulator().env, customer_stack_file=str(stack), **variables)
    page = runner.folder / f"{stack.stem}.plan.html"
    assert page.exists(), play.output
    return page


def test_nothing_runs_that_an_order_brought(runner: Runner, start_simulator: SimulatorFactory, tmp_path: Path) -> None:
    servers = [{"name": HOSTILE, "hostname": "web01.example.org", "product": "VPS M", "template": HOSTILE}]
    shops = [{"name": f"shop {HOSTILE}", "product": "Webhosting Start"}]
    content = {"end_user": data.END_USER, HOSTILE: 1, "contracts": {"vps": servers, "webhosting": shops}}
    page = report(runner, start_simulator, runner.save("hostile.yml", json.dumps(content)))
    shown = dom(tmp_path, page)
    assert html.escape(HOSTILE, quote=False) in shown
    assert re.findall(r"data-ran|<script|<img|<svg", shown) == []
    # With nothing escaped and everything allowed, it runs.
    naive = page.with_name("naive.html")
    text = re.sub(r'<meta http-equiv="Content-Security-Policy".*?>', "", page.read_text(encoding="utf-8"))
    naive.write_text(html.unescape(text), encoding="utf-8")
    assert "data-ran" in dom(tmp_path, naive)


def test_plan_of_seven_orders_is_printed_on_one_page(
    runner: Runner, start_simulator: SimulatorFactory, tmp_path: Path
) -> None:
    secrets = {"example.com": {"authcode": "secret-code-1"}}
    page = report(runner, start_simulator, WHOLE, customer_stack_secrets=secrets)
    assert printed_pages(tmp_path, page) == 1
