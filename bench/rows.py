# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The rows of the benchmark's table: what each compares with what, and the goal.

One order *more* is the difference of a play with many and one with few, divided by how many more there are: what
Ansible takes to start is in neither side. Where a script reads the rows of a ledger, a playbook that does nothing is
taken off what ours takes, for the same reason; starting Python and opening the file are in both.

A floor is what the same costs where nothing of the collection runs: no change here makes a row less than that. The
goal of a row with a floor is for what is above the floor of the same round, in the unit of the row: the reference.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from playbooks.files.simulator.data import END_USER
from playbooks.files.simulator.data import VPS_M as VPS

from .plays import FEW_RECORDED, MANY_HOSTS, MANY_ORDERS, MANY_RECORDED, Bench, Spent, counts, marginal

#: The reference, and ours.
Sides = tuple[Spent, Spent]
SETTINGS = {"template": "debian-12"}


def order(hostname: str) -> dict[str, Any]:
    settings = {"hostname": hostname, **SETTINGS}
    return {"hosting.reseller.reseller_contract": {"end_user": END_USER, "product": "VPS M", "settings": settings}}


def post(hostname: str, service: str) -> dict[str, Any]:
    """The same with ansible.builtin.uri, which knows nothing of ledgers and rules."""
    options = {
        "url": f"{service}/api/reseller/contracts",
        "method": "POST",
        "headers": {"X-API-Key": "bench-key", "X-Organization-ID": "4711"},
        "body_format": "json",
        "body": {"endUser": END_USER, "product": VPS, "settings": {"hostname": hostname, **SETTINGS}},
        "status_code": 201,
    }
    return {"ansible.builtin.uri": options}


def in_loop(task: dict[str, Any], count: int) -> dict[str, Any]:
    """This task for so many hosts, whose names begin with the variable ``prefix``."""
    return {**task, "loop": f"{{{{ range({count}) | list }}}}"}


HOSTNAME = "{{ prefix }}{{ item }}.example.com"


def debug(hostname: str) -> dict[str, Any]:
    """A task that does nothing with a host name."""
    return {"ansible.builtin.debug": {"msg": hostname}}


def loop_of(bench: Bench, task: dict[str, Any], service: str, *arguments: str, ledger: str | None = None) -> Any:
    """A play with a loop, by how many items it has."""

    def play(count: int) -> Spent:
        names = ("-e", f"prefix={bench.new_name()}")
        return bench.play(bench.playbook(in_loop(task, count)), service, *names, *arguments, ledger=ledger)

    return play


def loop(bench: Bench) -> Sides:
    uri = loop_of(bench, post(HOSTNAME, bench.at_once), bench.at_once)
    ours = loop_of(bench, order(HOSTNAME), bench.at_once)
    return marginal(uri, 1, 11), marginal(ours, 1, 201)


def least_order(bench: Bench, hostname: str) -> dict[str, Any]:
    """The same with an action of the benchmark, which makes two durable changes and sends the request."""
    return least_orders(bench, bench.at_once, name=hostname)


def least_orders(bench: Bench, service: str, *, ordering: bool = True, **more: Any) -> dict[str, Any]:
    (options,) = post("", service).values()
    taken = {name: options[name] for name in ("url", "headers", "body")}
    return {"least": {**taken, **more, "ordering": ordering, "ledger": str(bench.folder / "least.db")}}


def loop_floor(bench: Bench) -> Spent:
    return marginal(loop_of(bench, least_order(bench, HOSTNAME), bench.at_once), 1, 201)


def with_ca(bench: Bench, task: dict[str, Any]) -> dict[str, Any]:
    return {name: {**options, "ca_path": str(bench.private_ca)} for name, options in task.items()}


def tls(bench: Bench) -> Sides:
    uri = loop_of(bench, with_ca(bench, post(HOSTNAME, bench.tls)), bench.tls)
    ours = loop_of(bench, with_ca(bench, order(HOSTNAME)), bench.tls)
    return marginal(uri, 1, 11), marginal(ours, 1, 201)


def tls_floor(bench: Bench) -> Spent:
    task = with_ca(bench, least_orders(bench, bench.tls, name=HOSTNAME))
    return marginal(loop_of(bench, task, bench.tls), 1, 201)


def postgresql(bench: Bench) -> Sides:
    with_file = loop_of(bench, order(HOSTNAME), bench.at_once)
    with_server = loop_of(bench, order(HOSTNAME), bench.at_once, ledger=bench.new_database())
    return marginal(with_file, 1, 201), marginal(with_server, 1, 201)


def large(bench: Bench) -> Sides:
    empty = loop_of(bench, order(HOSTNAME), bench.at_once)
    full = loop_of(bench, order(HOSTNAME), bench.at_once, ledger=str(bench.filled_ledger(MANY_ORDERS)))
    # Opening the large one takes seconds, which vary: more orders than elsewhere keep that out of the difference.
    return marginal(empty, 1, 401), marginal(full, 1, 401)


def read_back(bench: Bench) -> Sides:
    """The first order, which reads the list before it."""

    def play(service: str) -> Spent:
        return least(lambda: bench.play(bench.playbook(order("web.example.com")), service))

    return play(bench.at_once), play(bench.listing)


def loop_listed(bench: Bench) -> Sides:
    without = loop_of(bench, order(HOSTNAME), bench.at_once)
    listed = loop_of(bench, order(HOSTNAME), bench.listing)
    return marginal(without, 1, 201), marginal(listed, 1, 201)


def tasks_of(bench: Bench, task: Callable[[str], dict[str, Any]], count: int) -> Spent:
    """A play with so many tasks, each for another host."""
    names = [f"web{number}.example.com" for number in range(count)]
    return bench.play(bench.playbook(*map(task, names)), bench.at_once)


def tasks(bench: Bench) -> Sides:
    uri = partial(tasks_of, bench, lambda name: post(name, bench.at_once))
    return marginal(uri, 1, 11), marginal(partial(tasks_of, bench, order), 1, 61)


def tasks_floor(bench: Bench) -> Spent:
    return marginal(partial(tasks_of, bench, partial(least_order, bench)), 1, 61)


def contracts(count: int) -> list[dict[str, Any]]:
    return [{"settings": {"hostname": f"web{number}.example.com"}} for number in range(count)]


def orders(bench: Bench, count: int, service: str, *arguments: str, keep: bool = False) -> Spent:
    """Orders in one task, 16 at a time."""
    task = {
        "hosting.reseller.reseller_contracts": {
            "defaults": {"end_user": END_USER, "product": "VPS M", "settings": SETTINGS},
            "contracts": "{{ contracts }}",
            "concurrency": 16,
        }
    }
    return bench.play(bench.playbook(task, contracts=contracts(count)), service, *arguments, keep=keep)


def late(bench: Bench) -> Sides:
    return bench.script("orders", bench.late, "1000", "16"), orders(bench, 1000, bench.late)


def at_once(bench: Bench) -> Sides:
    return bench.script("orders", bench.at_once, "1000", "16"), orders(bench, 1000, bench.at_once)


def orders_floor(bench: Bench, *, service: str) -> Spent:
    """1,000 orders in one task of that action, whose playbook has the same contracts."""
    address = getattr(bench, service)
    task = least_orders(bench, address, contracts="{{ contracts }}")
    playbook = bench.playbook(task, contracts=contracts(1000))
    return bench.play(playbook, address)


def per_order(bench: Bench) -> Sides:
    nothing = bench.nothing()
    few, many = (orders(bench, count, bench.at_once) - nothing for count in (1000, 10000))
    return Spent(few.seconds / 1000, few.megabytes), Spent(many.seconds / 10000, many.megabytes)


def again(bench: Bench) -> Sides:
    orders(bench, 1000, bench.at_once)
    before = counts(bench.at_once)
    second = orders(bench, 1000, bench.at_once, keep=True)
    sent = {request: number - before.get(request, 0) for request, number in counts(bench.at_once).items()}
    posts = sum(number for request, number in sent.items() if request.startswith("POST"))
    if posts or sent.get("GET /api/reseller/products", 0) > 1:
        sys.exit(f"The second run sent what it must not: {sent}")
    return bench.nothing(), second


def check(bench: Bench) -> Sides:
    return bench.nothing(), orders(bench, 1000, bench.at_once, "--check")


def plan_floor(bench: Bench) -> Spent:
    """That action, which is given the same contracts, orders none of them, and shows as much of each."""
    task = least_orders(bench, bench.at_once, ordering=False, contracts="{{ contracts }}")
    return bench.play(bench.playbook(task, contracts=contracts(1000)), bench.at_once)


def products(bench: Bench) -> Sides:
    uri = bench.playbook({"ansible.builtin.uri": {"url": f"{bench.catalogue}/api/reseller/products"}})
    ours = bench.playbook({"hosting.reseller.reseller_products_info": {}})
    return bench.play(uri, bench.catalogue), bench.play(ours, bench.catalogue)


def least(play: Callable[[], Spent], *, times: int = 4) -> Spent:
    """The shortest of several runs: what is left of two of them can be less than either varies."""
    return min((play() for _each in range(times)), key=lambda spent: spent.seconds)


def shortest_start(bench: Bench, task: dict[str, Any]) -> Spent:
    return least(lambda: bench.play(bench.playbook(task), bench.at_once, keep=True), times=7)


def start(bench: Bench) -> Sides:
    ours = order("web.example.com")
    bench.play(bench.playbook(ours), bench.at_once)
    return shortest_start(bench, debug("web.example.com")), shortest_start(bench, ours)


def recorded(bench: Bench) -> Sides:
    def play(orders: int) -> Spent:
        ledger, playbook = str(bench.filled_ledger(orders)), bench.playbook(order("web.example.com"))
        bench.play(playbook, bench.at_once, ledger=ledger)
        again = partial(bench.play, playbook, bench.at_once, ledger=ledger, keep=True)
        return least(again, times=5) - least(bench.nothing)

    return play(FEW_RECORDED), play(MANY_RECORDED)


def start_floor(bench: Bench) -> Spent:
    return shortest_start(bench, least_orders(bench, bench.at_once, ordering=False, contracts=[]))


def ledger_info(bench: Bench, *, column: str, option: str, value: str) -> Sides:
    ledger = str(bench.filled_ledger(MANY_ORDERS))
    playbook = bench.playbook({"hosting.reseller.reseller_ledger_info": {option: [value]}})
    ours = least(lambda: bench.play(playbook, bench.at_once, ledger=ledger)) - least(bench.nothing)
    return least(lambda: bench.script("rows", ledger, column, value)), ours


def inventory(bench: Bench) -> Sides:
    ledger = str(bench.filled_ledger(MANY_HOSTS))
    source = bench.file("reseller_ledger.yml", {"plugin": "hosting.reseller.ledger", "ledger": ledger})
    ours = bench.play(bench.playbook(), bench.at_once, "-i", str(source)) - bench.nothing()
    return bench.script("rows", ledger, "status", "ordered"), ours


def inventory_floor(bench: Bench) -> Spent:
    hosts = bench.folder / "hosts.ini"
    hosts.write_text("".join(f"host{number}.example.com ansible_host=192.0.2.1\n" for number in range(MANY_HOSTS)))
    return bench.play(bench.playbook(), bench.at_once, "-i", str(hosts)) - bench.nothing()


@dataclass(frozen=True)
class Row:
    """One line of the table.

    ``megabytes``: how much more memory ours may take, where memory is compared.
    ``floor``: a name and a measure of the same without the collection, shown below the line. What ours takes above it
    counts.
    """

    name: str
    work: str
    reference: str
    goal: float
    measure: Callable[[Bench], Sides]
    megabytes: float | None = None
    floor: tuple[str, Callable[[Bench], Spent]] | None = None


#: What the floors have in common: an action with the libraries that ours has.
LEAST = "an action that reads the catalogue, makes two durable changes and a request"
NONE = "an action that is given the same and does nothing"
SAME = "an action that is given the same and shows as much"

ROWS = [
    Row(
        *("start", "a playbook with one order that is recorded", "the same with debug", 0.2, start),
        floor=(NONE, start_floor),
    ),
    Row(
        *("loop", "one order more in a loop, service answers at once", "uri loop item", 0.015, loop),
        floor=(LEAST, loop_floor),
    ),
    Row(
        # That of a loop, and a handshake (0.003): ours makes one for each order, and the floor keeps its connection.
        *("tls", "the same over TLS with a private CA", "uri loop item over TLS", 0.018, tls),
        floor=(LEAST, tls_floor),
    ),
    Row(
        *("tasks", "one order more as a task of its own", "uri task", 0.06, tasks),
        floor=(LEAST, tasks_floor),
    ),
    Row(
        *("late", "1,000 orders in one task, 50 ms, 16 at a time", "requests script, 16 threads", 0.3, late),
        floor=(LEAST, partial(orders_floor, service="late")),
    ),
    Row(
        *("at_once", "1,000 orders in one task, service answers at once", "the same script", 0.85, at_once),
        floor=(LEAST, partial(orders_floor, service="at_once")),
    ),
    Row("per_order", "10,000 orders in one task: time per order", "the same at 1,000", 1.2, per_order, megabytes=2.5),
    Row(
        *("again", "re-run of 1,000 orders that are all there", "a playbook that does nothing", 1.0, again),
        floor=(SAME, plan_floor),
    ),
    Row(
        *("check", "check-mode plan of 1,000 orders", "a playbook that does nothing", 0.9, check),
        floor=(SAME, plan_floor),
    ),
    Row("recorded", "a recorded order, 200,000 in the ledger", "the same, 200 in the ledger", 2.0, recorded),
    Row("read_back", "a playbook with one order, 500 contracts listed", "the same, no list published", 1.25, read_back),
    # Each order of a loop reads the list anew, so that it sees what others have bought since the order before it.
    # Measured: 4.0 in processor time, 5.3 in all.
    Row("listed", "one order more in a loop, 500 contracts listed", "the same, no list published", 4.5, loop_listed),
    Row("products", "reseller_products_info, 200 products", "uri that returns the same", 1.2, products),
    Row("postgresql", "one order more in a loop, ledger in PostgreSQL", "the same in SQLite", 1.3, postgresql),
    Row("large", "one order more in a loop, 1,000,000 in the ledger", "the same, ledger empty", 1.1, large),
    Row(
        *("by_name", "reseller_ledger_info there, one of them by name", "script that reads the same rows", 3.0),
        partial(ledger_info, column="name", option="names", value="host4711.example.com"),
    ),
    Row(
        *("by_status", "reseller_ledger_info there, 1,000 by status", "script that reads the same rows", 2.5),
        partial(ledger_info, column="status", option="statuses", value="in_doubt"),
    ),
    Row(
        *("inventory", "inventory of 100,000 hosts", "script that reads the same rows", 0.3, inventory),
        floor=("a file with these hosts", inventory_floor),
    ),
]
