# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

from __future__ import annotations

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import (
    ApprovalError,
    InDoubtError,
    PartlyPlacedError,
    RefusedError,
    ResellerError,
)
from ansible_collections.hosting.reseller.plugins.plugin_utils._awx import message_of
from tests.support.awx import configuration

JOB = {"AWX_ISOLATED_DATA_DIR": "/runner/artifacts/7", "JOB_ID": "7"}
COMMAND = "Run this line.\nansible localhost -m hosting.reseller.reseller_ledger -a name=web01"
DOUBTFUL = InDoubtError(f"In doubt.\n{COMMAND}", advice=[COMMAND], settle_with="- task\n")
MANY = PartlyPlacedError(
    f"2 of 3 orders failed.\nweb01: In doubt.\n{COMMAND}\nweb02: rejected",
    advice=[COMMAND],
    results=[{"changed": True}, {"settle_with": "- task\n"}],
)
CHANGED = ApprovalError("Another plan.\nUse check mode.", advice=["Use check mode."])
LARGE = RefusedError("Too many.\nRaise max_orders.", advice=["Raise max_orders."])


@pytest.mark.parametrize(
    ("error", "first", "advice"),
    [
        (DOUBTFUL, "In doubt.", "Settle an order"),
        (MANY, "2 of 3 orders failed.\nweb01: In doubt.\nweb02: rejected", "Settle an order"),
        (CHANGED, "Another plan.", "Launch the workflow again"),
        (LARGE, "Too many.", "awx_reseller_max_orders"),
    ],
)
def test_advice_in_awx_is_what_a_person_can_do_there(error: ResellerError, first: str, advice: str) -> None:
    told, line = message_of(error, JOB).rsplit("\n", 1)
    assert told == first
    assert line.count(advice) == 1


def test_advice_in_awx_names_templates_of_the_configuration() -> None:
    advice = message_of(DOUBTFUL, JOB)
    for kind, name in (("workflows", "Settle an order"), ("templates", "Orders in doubt")):
        assert f'"Hosting Reseller: {name}"' in advice
        assert f"Hosting Reseller: {name}" in {each["name"] for each in configuration()[f"controller_{kind}"]}
    assert "awx_reseller_max_orders" in configuration()


@pytest.mark.parametrize(
    ("error", "environ"),
    [
        (DOUBTFUL, {}),
        (DOUBTFUL, {**JOB, "JOB_ID": ""}),
        (DOUBTFUL, {"AWX_ISOLATED_DATA_DIR": "/runner/artifacts/7"}),
        (ResellerError("rejected"), JOB),
    ],
)
def test_other_messages_stay_as_they_are(error: ResellerError, environ: dict[str, str]) -> None:
    assert message_of(error, environ) == error.message
