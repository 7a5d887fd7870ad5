# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The order element names are learned from the service, or asked for; they are never guessed."""

from __future__ import annotations

from typing import Any

import pytest

from tests.integration.conftest import Runner
from tests.simulator import data
from tests.simulator.fixtures import SimulatorFactory
from tests.simulator.running import Simulator
from tests.simulator.shapes import SHAPES
from tests.support.playbooks import order

#: Names that a service may well use, published without any description or example.
SENSIBLE = [
    ("customer", "productUuid"),
    ("forUser", "product"),
    ("organization_user_id", "product-id"),
    ("EndUserUUID", "ProductUUID"),
    ("beneficiary", "offer_id"),
    ("client", "orderedProduct"),
]
#: Names that tell nothing: only a description or an example could.
HINTLESS = ("alpha", "beta")


def vps(simulator: Simulator, host: str, **options: Any) -> dict[str, Any]:
    """An order whose name is its service's alone, since all share one ledger."""
    host = f"{host}.{simulator.shape}.example"
    return order(
        **{
            "base_url": simulator.base_url,
            "end_user": data.END_USER,
            "product": "VPS M",
            "settings": {"hostname": host, "template": "debian-12"},
            **options,
        }
    )


def start(start_simulator: SimulatorFactory, shape: str, names: tuple[str, str], **options: Any) -> Simulator:
    return start_simulator(shape, end_user_element=names[0], product_element=names[1], **options)


def test_sensible_names_work_unconfigured(runner: Runner, start_simulator: SimulatorFactory) -> None:
    """By the names alone; two of them in each shape."""
    shapes = sorted(SHAPES) * 2
    simulators = [
        start(start_simulator, shape, names, no_hints=True) for shape, names in zip(shapes, SENSIBLE, strict=True)
    ]
    tasks = [vps(simulator, f"host{number}") for number, simulator in enumerate(simulators)]
    results = runner.table(tasks, simulators[0].env)
    assert [result["changed"] for result in results] == [True] * len(tasks), [result.get("msg") for result in results]
    for simulator, names in zip(simulators, SENSIBLE, strict=True):
        [placed] = simulator.orders()
        assert placed["body"][names[0]] == data.END_USER
        assert placed["body"][names[1]] == data.VPS_M


@pytest.mark.full
def test_names_without_any_hint_are_listed_and_asked_for(runner: Runner, start_simulator: SimulatorFactory) -> None:
    simulators = [start(start_simulator, shape, HINTLESS, no_hints=True) for shape in sorted(SHAPES)]
    given = {"end_user_element": "alpha", "product_element": "beta"}
    unclear = [
        *(vps(simulator, "unclear") for simulator in simulators),
        # One of the two does not tell the other, though it is the only one left.
        vps(simulators[0], "unclear", end_user_element="alpha"),
        vps(simulators[0], "unclear", product_element="beta"),
    ]
    for arguments in ((), ("--check",)):
        results = runner.table(unclear, simulators[0].env, *arguments)
        for result in results:
            assert not result["changed"]
            for words in ("alpha", "beta", "end_user_element", "product_element", "Set the options"):
                assert words in result["msg"], result["msg"]
    assert not any(simulator.requests("POST") for simulator in simulators)

    env = {**simulators[0].env, "RESELLER_END_USER_ELEMENT": "alpha", "RESELLER_PRODUCT_ELEMENT": "beta"}
    by_env = runner.table([vps(simulator, "by-env") for simulator in simulators], env)
    by_option = runner.table([vps(simulator, "by-option", **given) for simulator in simulators], simulators[0].env)
    assert [result["changed"] for result in by_env + by_option] == [True] * 6, by_env + by_option
    assert [[placed["body"]["beta"] for placed in simulator.orders()] for simulator in simulators] == [
        [data.VPS_M] * 2
    ] * 3


def test_names_that_the_service_does_not_know_are_rejected_and_can_be_corrected(
    runner: Runner, start_simulator: SimulatorFactory
) -> None:
    simulator = start_simulator("plain")
    wrong = {"end_user_element": "customer", "product_element": "product"}
    results = runner.table([vps(simulator, "host", **wrong), vps(simulator, "host")], simulator.env)
    assert [result["changed"] for result in results] == [False, True], results
    assert results[0]["order"]["status"] == "rejected"
    assert len(simulator.orders()) == 1
