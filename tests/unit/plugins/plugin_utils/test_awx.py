# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.plugin_utils._awx import with_awx_advice
from tests.support.awx import configuration

JOB = {"AWX_ISOLATED_DATA_DIR": "/runner", "JOB_ID": "7"}
DOUBTFUL: dict[str, Any] = {"failed": True, "msg": "In doubt.\n- task\n", "settle_with": "- task\n"}
MANY = {"failed": True, "msg": "1 in doubt", "results": [{"changed": True}, {"settle_with": "- task\n"}]}


@pytest.mark.parametrize("result", [DOUBTFUL, MANY])
def test_order_in_doubt_in_awx_names_templates_of_the_configuration(result: dict[str, Any]) -> None:
    message = with_awx_advice(result, JOB)["msg"]
    first, _line, advice = message.rpartition("\n")
    assert first == result["msg"].rstrip()
    for kind, name in (("workflows", "Settle an order"), ("templates", "Orders in doubt")):
        assert f'"Hosting Reseller: {name}"' in advice
        assert f"Hosting Reseller: {name}" in {each["name"] for each in configuration()[f"controller_{kind}"]}


@pytest.mark.parametrize(
    ("result", "environ"),
    [
        (DOUBTFUL, {}),
        (DOUBTFUL, {**JOB, "JOB_ID": ""}),
        (DOUBTFUL, {"AWX_ISOLATED_DATA_DIR": "/runner"}),
        ({"failed": True, "msg": "rejected"}, JOB),
        ({"changed": True, "results": [{"changed": True}]}, JOB),
        ({"failed": True, "msg": "1 rejected", "results": [{"failed": True}]}, JOB),
    ],
)
def test_other_results_stay_as_they_are(result: dict[str, Any], environ: dict[str, str]) -> None:
    assert with_awx_advice(result, environ) == result
