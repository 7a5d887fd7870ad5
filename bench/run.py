# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Measures what orders cost, against `ansible.builtin.uri` and a plain script with requests.

    python -m bench.run [--rounds 5] [row ...]

Each round runs every side of every row once, one after the other, so that a machine that is busy for a while is so for
all of them. What counts are the ratios within a round; the table shows their medians, and those of the times.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.support.fixed_service import END_USER, VPS

ROOT = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Spent:
    """What a process and those that it started took: seconds, and the largest of them in megabytes."""

    seconds: float
    megabytes: float

    def __sub__(self, other: Spent) -> Spent:
        return Spent(self.seconds - other.seconds, self.megabytes)


@dataclass
class Bench:
    """A folder to work in, and the addresses of services that answer at once, late, and with a large catalogue."""

    folder: Path
    at_once: str
    late: str
    large: str
    playbooks: dict[str, Path] = field(default_factory=dict)

    def playbook(self, *tasks: dict[str, Any], **variables: Any) -> Path:
        """A file with a play of these tasks; variables are in a file beside it."""
        plays = [{"hosts": "localhost", "gather_facts": False, "vars_files": [], "tasks": list(tasks)}]
        if variables:
            values = json.dumps(variables)
            place = self.folder / f"variables-{len(self.playbooks)}.json"
            if values not in self.playbooks:
                place.write_text(values)
                self.playbooks[values] = place
            plays[0]["vars_files"] = [str(self.playbooks[values])]
        text = json.dumps(plays)
        if text not in self.playbooks:
            self.playbooks[text] = self.folder / f"playbook-{len(self.playbooks)}.yml"
            self.playbooks[text].write_text(text)
        return self.playbooks[text]

    def play(self, playbook: Path, service: str, *arguments: str, keep: bool = False) -> Spent:
        """Run a playbook, with an empty ledger unless what is there is to be kept."""
        ledger = self.folder / "ledger"
        if not keep:
            for folder in (ledger, self.folder / "state", self.folder / "cache"):
                shutil.rmtree(folder, ignore_errors=True)
        program = Path(sys.executable).with_name("ansible-playbook")
        environment = {
            "RESELLER_BASE_URL": service,
            "RESELLER_API_KEY": "bench-key",
            "RESELLER_ORGANIZATION_ID": "4711",
            "RESELLER_LEDGER": str(ledger / "ledger.db"),
            "XDG_STATE_HOME": str(self.folder / "state"),
            "XDG_CACHE_HOME": str(self.folder / "cache"),
            "ANSIBLE_CONFIG": str(ROOT / "tests/ansible.cfg"),
            "ANSIBLE_COLLECTIONS_PATH": str(ROOT / ".cache"),
        }
        return self.spent([str(program), *arguments, str(playbook)], environment)

    def script(self, *arguments: str) -> Spent:
        return self.spent([sys.executable, str(ROOT / "bench" / "script.py"), *arguments], {})

    def spent(self, command: Sequence[str], environment: dict[str, str]) -> Spent:
        """Run a command to its end. It has to succeed."""
        kept = {name: value for name, value in os.environ.items() if not name.startswith(("RESELLER_", "ANSIBLE_"))}
        with tempfile.TemporaryFile("w+") as output:
            began = time.monotonic()
            process = subprocess.Popen(command, env={**kept, **environment}, stdout=output, stderr=output)
            _pid, status, usage = os.wait4(process.pid, 0)
            seconds = time.monotonic() - began
            process.returncode = os.waitstatus_to_exitcode(status)
            if process.returncode:
                output.seek(0)
                sys.exit(f"{' '.join(command)} ended with {process.returncode}:\n{output.read()[-3000:]}")
        return Spent(seconds, usage.ru_maxrss / 1024)

    def nothing(self) -> Spent:
        """ansible-playbook that does nothing."""
        return self.play(self.playbook(), self.at_once)

    def orders(self, count: int, service: str, *arguments: str, keep: bool = False) -> Spent:
        """Orders in one task, 16 at a time."""
        task = {
            "hosting.reseller.reseller_contracts": {
                "defaults": {"end_user": END_USER, "product": "VPS M", "settings": {"template": "debian-12"}},
                "contracts": "{{ contracts }}",
                "concurrency": 16,
            }
        }
        contracts = [{"settings": {"hostname": f"web{number}.example.com"}} for number in range(count)]
        return self.play(self.playbook(task, contracts=contracts), service, *arguments, keep=keep)

    def marginal(self, play: Callable[[int], Spent], few: int, many: int) -> Spent:
        """What one more costs, from a play with few and one with many."""
        return Spent((play(many).seconds - play(few).seconds) / (many - few), 0.0)


def order(hostname: str) -> dict[str, Any]:
    settings = {"hostname": hostname, "template": "debian-12"}
    return {"hosting.reseller.reseller_contract": {"end_user": END_USER, "product": "VPS M", "settings": settings}}


def post(hostname: str, service: str) -> dict[str, Any]:
    """The same with ansible.builtin.uri, which knows nothing of ledgers and rules."""
    settings = {"hostname": hostname, "template": "debian-12"}
    options = {
        "url": f"{service}/api/reseller/contracts",
        "method": "POST",
        "headers": {"X-API-Key": "bench-key", "X-Organization-ID": "4711"},
        "body_format": "json",
        "body": {"endUser": END_USER, "product": VPS, "settings": settings},
        "status_code": 201,
    }
    return {"ansible.builtin.uri": options}


Sides = tuple[Spent, Spent]


def loop(bench: Bench) -> Sides:
    def ours(count: int) -> Spent:
        return bench.play(bench.playbook({**order("web{{ item }}.example.com"), **items(count)}), bench.at_once)

    def uri(count: int) -> Spent:
        task = {**post("web{{ item }}.example.com", bench.at_once), **items(count)}
        return bench.play(bench.playbook(task), bench.at_once)

    return bench.marginal(uri, 1, 11), bench.marginal(ours, 1, 201)


def items(count: int) -> dict[str, Any]:
    return {"loop": f"{{{{ range({count}) | list }}}}"}


def tasks(bench: Bench) -> Sides:
    def ours(count: int) -> Spent:
        return bench.play(
            bench.playbook(*(order(f"web{number}.example.com") for number in range(count))), bench.at_once
        )

    def uri(count: int) -> Spent:
        listed = [post(f"web{number}.example.com", bench.at_once) for number in range(count)]
        return bench.play(bench.playbook(*listed), bench.at_once)

    return bench.marginal(uri, 1, 11), bench.marginal(ours, 1, 61)


def late(bench: Bench) -> Sides:
    return bench.script("orders", bench.late, "1000", "16"), bench.orders(1000, bench.late)


def at_once(bench: Bench) -> Sides:
    return bench.script("orders", bench.at_once, "1000", "16"), bench.orders(1000, bench.at_once)


def per_order(bench: Bench) -> Sides:
    nothing = bench.nothing()
    few, many = (bench.orders(count, bench.at_once) - nothing for count in (1000, 10000))
    return Spent(few.seconds / 1000, few.megabytes), Spent(many.seconds / 10000, many.megabytes)


def again(bench: Bench) -> Sides:
    first = bench.orders(1000, bench.late)
    before = counts(bench.late)
    second = bench.orders(1000, bench.late, keep=True)
    sent = {request: number - before.get(request, 0) for request, number in counts(bench.late).items()}
    posts = sum(number for request, number in sent.items() if request.startswith("POST"))
    if posts or sent.get("GET /api/reseller/products", 0) > 1:
        sys.exit(f"The second run sent what it must not: {sent}")
    return first, second


def counts(service: str) -> dict[str, int]:
    with urllib.request.urlopen(f"{service}/counts", timeout=10) as answer:
        found: dict[str, int] = json.load(answer)
    return found


def check(bench: Bench) -> Sides:
    return bench.nothing(), bench.orders(1000, bench.at_once, "--check")


def products(bench: Bench) -> Sides:
    playbook = bench.playbook({"hosting.reseller.reseller_products_info": {}})
    return bench.script("products", bench.large), bench.play(playbook, bench.large)


def products_elsewhere(bench: Bench) -> Spent:
    """The catalogue as ansible.builtin.uri returns it: as it is, and with nothing checked."""
    task = {"ansible.builtin.uri": {"url": f"{bench.large}/api/reseller/products"}}
    return bench.play(bench.playbook(task), bench.large)


@dataclass(frozen=True)
class Row:
    """One line of the table.

    ``megabytes``: whether memory is compared, too, and how much more it may be. ``floor``: what Ansible itself takes
    for work of this kind, whoever does it.
    """

    name: str
    work: str
    reference: str
    goal: float
    measure: Callable[[Bench], Sides]
    megabytes: float | None = None
    floor: Callable[[Bench], Spent] | None = None


ROWS = [
    Row("loop", "one order more in a loop, service answers at once", "uri loop item", 0.025, loop),
    Row("tasks", "one order more as a task of its own", "uri task", 0.10, tasks),
    Row("late", "1,000 orders in one task, 50 ms, 16 at a time", "requests script, 16 threads", 1.4, late),
    Row("at_once", "1,000 orders in one task, service answers at once", "the same script", 4.5, at_once),
    Row("per_order", "10,000 orders in one task: time per order", "the same at 1,000", 1.2, per_order, megabytes=3.0),
    Row("again", "re-run of 1,000 orders that are all there", "the first run at 50 ms", 0.5, again),
    Row("check", "check-mode plan of 1,000 orders", "ansible-playbook that does nothing", 4.0, check),
    Row(
        *("products", "reseller_products_info, 10,000 products", "requests script", 4.0, products),
        floor=products_elsewhere,
    ),
]


def ratio(sides: Sides) -> float:
    return sides[1].seconds / sides[0].seconds


def shown(row: Row, measured: Sequence[Sides], floors: Sequence[Spent]) -> Iterator[str]:
    reference, ours = (statistics.median(sides[side].seconds for sides in measured) for side in (0, 1))
    middle = statistics.median(map(ratio, measured))
    spread = f"{min(map(ratio, measured)):.3f}-{max(map(ratio, measured)):.3f}"
    yield line(row.work, row.reference, f"{reference * 1000:.2f}", f"{ours * 1000:.2f}", middle, spread, row.goal)
    if row.megabytes is not None:
        few, many = (statistics.median(sides[side].megabytes for sides in measured) for side in (0, 1))
        yield line("  its peak memory (MB)", "", f"{few:.0f}", f"{many:.0f}", many / few, "", row.megabytes)
    if floors:
        floor = statistics.median(spent.seconds for spent in floors)
        work = "  floor: ansible.builtin.uri that returns the same"
        yield f"{work:<86} {'':>9} {floor * 1000:>9.2f} {floor / reference:>7.3f}"


def line(work: str, reference: str, theirs: str, ours: str, middle: float, spread: str, goal: float) -> str:
    verdict = "met" if middle <= goal else "NOT MET"
    return f"{work:<50} {reference:<35} {theirs:>9} {ours:>9} {middle:>7.3f} {spread:>13} {goal:>6} {verdict}"


@contextmanager
def service(*arguments: str) -> Iterator[str]:
    """The address of a server for benchmarks."""
    command = [sys.executable, "-m", "bench.server", *arguments]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            yield (process.stdout.readline() if process.stdout else "").strip()
        finally:
            process.terminate()


def main() -> None:
    names = [row.name for row in ROWS]
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rounds", type=int, default=5, help="how often everything is measured")
    parser.add_argument("rows", nargs="*", metavar="row", help=f"only these: {', '.join(names)}")
    options = parser.parse_args()
    if unknown := set(options.rows) - set(names):
        parser.error(f"no such row: {', '.join(sorted(unknown))}")
    chosen = [row for row in ROWS if not options.rows or row.name in options.rows]
    measured: dict[str, list[Sides]] = {row.name: [] for row in chosen}
    floors: dict[str, list[Spent]] = {row.name: [] for row in chosen}
    with (
        service() as quick,
        service("--latency", "50") as slow,
        service("--products", "10000") as large,
        tempfile.TemporaryDirectory() as folder,
    ):
        bench = Bench(Path(folder), quick, slow, large)
        bench.nothing()
        for number in range(options.rounds):
            for row in chosen:
                measured[row.name].append(row.measure(bench))
                if row.floor:
                    floors[row.name].append(row.floor(bench))
                print(f"round {number + 1}: {row.name:<10} {ratio(measured[row.name][-1]):.3f}", file=sys.stderr)
    columns = f"{'work':<50} {'reference':<35} {'ref. ms':>9} {'ours ms':>9} {'ratio':>7} {'range':>13} {'goal':>6}"
    print("", columns, "-" * len(columns), sep="\n")
    for row in chosen:
        print(*shown(row, measured[row.name], floors[row.name]), sep="\n")


if __name__ == "__main__":
    main()
