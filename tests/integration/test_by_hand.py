# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a person settles, adopts, removes and fills in by hand, from another shell: the service's contracts are counted.

Each row orders, says something by hand, and orders again. All rows share three playbooks and one ledger.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import yaml

from tests.integration.conftest import Runner
from tests.simulator import data
from tests.simulator.fixtures import SimulatorFactory
from tests.simulator.running import Simulator
from tests.support.playbooks import Task, order, vps

ERIKA, MAX = data.END_USER, data.OTHER_END_USER
BOUGHT, OTHER = "0197f7ac-5b1e-7c2f-b5d7-0f3a4e4f7f3c", "0197f7ac-99a2-7d30-8f0e-2a6c1b7e4d55"
#: Another shell: nothing that it says is looked at for what is recorded.
ELSEWHERE = {"RESELLER_BASE_URL": "https://test.example.org", "RESELLER_ORGANIZATION_ID": "4201"}

#: A task, with what becomes of it: whether it changes anything, or the words that it fails with.
Step = tuple[Task, "bool | str"]
DOUBT = "is in doubt: the service may have accepted it"


@dataclass(frozen=True)
class Row:
    """``wanted`` is how many contracts of this host or domain the service holds in the end."""

    first: Callable[[str], Sequence[Step]]
    by_hand: Callable[[str, Simulator], Sequence[Step]]
    again: Callable[[str, Simulator], Sequence[Step]]
    wanted: int = 1


def host(hostname: str, **options: Any) -> Task:
    return vps(hostname, **{"end_user": ERIKA, **options})


def lost(hostname: str) -> list[Step]:
    return [(host(hostname), DOUBT)]


def nothing(*_given: Any) -> list[Step]:
    return []


def domain(name: str, **options: Any) -> Task:
    contacts = {"ownercRef": data.OWNER_CONTACT, "admincRef": data.ADMIN_CONTACT}
    settings = {"domain": name.partition("/")[0], "action": "register", **contacts}
    return order(
        name=name, end_user=ERIKA, product_type="domain", verify_nameservers=False, settings=settings, **options
    )


def say(name: str, state: str = "ordered", **options: Any) -> Task:
    return {"hosting.reseller.reseller_ledger": {"name": name, "state": state, **options}}


def contract(hostname: str, simulator: Simulator) -> str:
    return next(each["id"] for each in simulator.orders() if each["settings"].get("hostname") == hostname)


def local(simulator: Simulator) -> str:
    return simulator.base_url.replace("127.0.0.1", "localhost")


ADOPTED = {"contract_id": BOUGHT, "product_type": "vps"}

ROWS: dict[str, Row] = {
    "settled from another shell": Row(
        lost,
        lambda name, service: [(say(name, contract_id=contract(name, service), end_user=ERIKA), True)],
        lambda name, _service: [
            (host(name), False),
            (host(name, name="other"), f"is for the same hostname as {name}"),
            (host(name, organization_id="4201"), "organization_id: recorded '4200', requested '4201'"),
        ],
    ),
    "settled as something else": Row(
        lost,
        lambda name, _service: [
            (say(name, end_user=MAX), "end_user: recorded"),
            (say(name, product_type="dedicated_server"), "product_type: recorded"),
            (say(name, settings={"hostname": "x.example.org"}), "settings.hostname: recorded"),
        ],
        lambda name, _service: [(host(name), DOUBT), (host(name, end_user=MAX), DOUBT)],
    ),
    "settled as another contract": Row(
        lambda name: [(host(name), True)],
        lambda name, service: [
            (say(name, contract_id=OTHER), f"is recorded as contract {contract(name, service)}, not {OTHER}"),
            (say(name, contract_id=OTHER, **{"from": BOUGHT}), "from is not the recorded contract ID"),
        ],
        lambda name, _service: [(host(name), False)],
    ),
    "one contract for two orders": Row(
        lambda name: [*lost(name), *lost(f"twin.{name}")],
        lambda name, service: [
            (say(name, contract_id=contract(name, service)), True),
            (say(f"twin.{name}", contract_id=f" {contract(name, service).upper()} "), "A contract settles one order"),
            (say("adopted", contract_id=f"/api/reseller/contracts/{contract(name, service)}"), f"recorded as {name}"),
        ],
        lambda name, _service: [(host(f"twin.{name}"), DOUBT)],
    ),
    "removed under a wrong name": Row(
        lost,
        lambda name, _service: [
            (say(f"{name}.", "absent"), f"{name} is in doubt. Nothing was removed."),
            (say("of another kind", "absent"), False),
        ],
        lambda name, _service: [(host(name), DOUBT)],
    ),
    "adopted without its owner": Row(
        nothing,
        lambda name, service: [
            (say(name, **ADOPTED, base_url=service.base_url, settings={"hostname": name}), True),
            (say(f"again.{name}", contract_id=BOUGHT.upper()), "A contract settles one order"),
        ],
        lambda name, _service: [
            (host(name), "Not known of it: end_user."),
            (host(name, end_user=MAX), "Not known of it: end_user."),
            (host(name, name="renamed"), f"is for the same hostname as {name}"),
        ],
        wanted=0,
    ),
    "adopted by its name alone": Row(
        nothing,
        lambda name, _service: [(say(name, contract_id=OTHER), True)],
        lambda name, _service: [
            (host(name), "Not known of it: end_user, product_type."),
            (host(name, name="shop"), f"is for the same hostname as {name}"),
        ],
        wanted=0,
    ),
    "a domain at another address of its service": Row(
        lambda name: [(domain(name), True)],
        nothing,
        lambda name, service: [
            (domain(f"{name}/2", base_url=local(service)), "needs a ledger of its own"),
            (domain(f"{name}/2", base_url=local(service)), f"state=moved from={service.base_url} to={local(service)}"),
            (domain(name, base_url=local(service)), "base_url: recorded"),
        ],
    ),
    "an end user in another organization": Row(
        lambda name: [(host(name), True)],
        nothing,
        lambda name, service: [
            (host(name, name="b", organization_id="4201"), f"is for the same hostname as {name}"),
            (host(name, name="c", base_url=local(service)), "needs a ledger of its own"),
        ],
    ),
}


def test_nothing_that_is_said_by_hand_buys_twice_or_loses_an_order(
    runner: Runner, start_simulator: SimulatorFactory
) -> None:
    simulator = start_simulator("plain")
    names = {f"row{at}.example.org": row for at, row in enumerate(ROWS.values())}

    def run(steps: Sequence[Step], env: dict[str, str]) -> list[dict[str, Any]]:
        results = runner.table([task for task, _expected in steps], {**simulator.env, **env})
        for (task, expected), result in zip(steps, results, strict=True):
            if isinstance(expected, str):
                assert expected in result.get("msg", ""), (task, result)
                assert not result["changed"], (task, result)
            else:
                assert result["changed"] is expected, (task, result)
        return results

    first = [step for name, row in names.items() for step in row.first(name)]
    for task, expected in first:
        if expected == DOUBT:
            simulator.arm("drop_after", match=task["hosting.reseller.reseller_contract"]["settings"])
    run(first, {})
    run([step for name, row in names.items() for step in row.by_hand(name, simulator)], ELSEWHERE)
    results = run([step for name, row in names.items() for step in row.again(name, simulator)], {})

    held = Counter(each["settings"].get("hostname") or each["settings"]["domain"] for each in simulator.orders())
    twins = {name: count for name, count in held.items() if name not in names}
    assert {name: held[name] for name in names} == {name: row.wanted for name, row in names.items()}
    assert set(twins.values()) == {1}

    # The task that fills in what is missing is refused as it is, and works once that is written into it.
    offered = [each["settle_with"] for each in results if "Not known of it" in each.get("msg", "")]
    known = {"end_user": ERIKA, "product_type": "vps", "base_url": simulator.base_url}
    tasks = [yaml.safe_load(each)[0] for each in (offered[0], offered[-1])]
    module = "hosting.reseller.reseller_ledger"
    done = [{module: {**task[module], **{key: known[key] for key in task[module] if key in known}}} for task in tasks]
    bare = next(name for name, row in names.items() if row is ROWS["adopted by its name alone"])
    owned = next(name for name, row in names.items() if row is ROWS["adopted without its owner"])
    address = say(bare, base_url=simulator.base_url)
    steps: list[Step] = [(tasks[0], "end_user is still a placeholder"), (done[0], True), (done[1], True)]
    steps += [
        (done[1], False),
        (address, False),
        (host(owned), False),
        (host(owned, end_user=MAX), "end_user: recorded"),
    ]
    # Until its hostname is known, its name stands for that.
    steps += [
        (host(bare), "base_url: recorded 'https://test.example.org'"),
        (host(bare, name="shop"), f"is for the same hostname as {bare}"),
    ]
    run(steps, {})
    assert Counter(each["settings"].get("hostname") for each in simulator.orders())[owned] == 0
