# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a user does, against services whose reference, page, paging, options and errors are a framework's own work."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import requests

from playbooks.files.simulator import data
from tests.support.described import connect_once
from tests.support.order_examples import CONTACT, CONTACT_DATA, SETTINGS, with_changes
from tests.support.playbooks import Play, Runner, order

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]
DATA: dict[str, Any] = json.loads((FOLDER / "catalogue.json").read_text(encoding="utf-8"))
#: The frameworks are no requirements of the other tests, and have an environment of their own (`make test-services`).
PYTHON = ROOT / ".cache" / "services" / "bin" / "python"
NODE_MODULES = ROOT / ".cache" / "services-node" / "node_modules"
COMMANDS: dict[str, list[Path | str]] = {
    "fastapi": [PYTHON, FOLDER / "fastapi_service.py"],
    "nestjs": ["node", "-r", NODE_MODULES / "ts-node/register/transpile-only", FOLDER / "node" / "nestjs.ts"],
}
LONGEST_START = 60.0


class Service:
    """A service in a process of its own, on a free port of loopback: ``with Service("nestjs") as service``."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __enter__(self) -> Service:
        """Start it, and wait until it answers. Raises RuntimeError with its output if it does not."""
        environ = {**os.environ, "NODE_PATH": str(NODE_MODULES), "TS_NODE_PROJECT": str(FOLDER / "node/tsconfig.json")}
        # Whoever connects to the port waits until the service takes the connection.
        with socket.create_server(("127.0.0.1", 0)) as listening, tempfile.TemporaryFile() as output:
            self.base_url = f"http://127.0.0.1:{listening.getsockname()[1]}"
            self.process = subprocess.Popen(
                [*COMMANDS[self.name], str(listening.fileno())],
                pass_fds=[listening.fileno()],
                env=environ,
                stdout=output,
                stderr=subprocess.STDOUT,
            )
            listening.close()
            try:
                self.orders()
            except requests.ConnectionError as error:
                output.seek(0)
                said = output.read().decode(errors="replace")
                raise RuntimeError(f"{self.name} did not start: {said[-2000:]}") from error
        return self

    def __exit__(self, *_ended: object) -> None:
        self.process.terminate()
        self.process.wait()

    @property
    def env(self) -> dict[str, str]:
        """The variables with which a playbook uses it."""
        return {
            "RESELLER_BASE_URL": self.base_url,
            "RESELLER_API_KEY": DATA["api_key"],
            "RESELLER_ORGANIZATION_ID": DATA["organization_id"],
        }

    def orders(self) -> list[dict[str, Any]]:
        """The bodies of the orders that it accepted, in their order."""
        found: list[dict[str, Any]] = requests.get(f"{self.base_url}/_orders", timeout=LONGEST_START).json()
        return found


#: The first is tried in the short form, too.
SERVICES = ("fastapi", pytest.param("nestjs", marks=pytest.mark.full))

END_USER = DATA["end_user"]
VPS = {"hostname": "web01.customer.example", "template": "debian-12"}
CONFIGURABLE = SETTINGS[data.CONFIGURABLE_VPS]
Row = tuple[str, dict[str, Any], dict[str, Any]]


def vps(name: str, **settings: Any) -> Row:
    return name, {"product": "VPS 7", "settings": {**VPS, **settings}}, {**VPS, **settings}


def configurable(name: str, sent: dict[str, Any] | None = None, **settings: Any) -> Row:
    given = {**CONFIGURABLE, "hostname": f"{name}.customer.example", **settings}
    return name, {"product_type": "configurable_vps", "settings": given}, {**given, **(sent or {})}


def dedicated(name: str, sent: dict[str, Any] | None = None, **settings: Any) -> Row:
    given = {"hostname": f"{name}.customer.example", "template": "debian-12", "ip6_subnet_size": 64, **settings}
    options = {"product": "Dedicated Server M", "product_type": "dedicated_server", "settings": given}
    return name, options, {**given, **(sent or {})}


def domain(name: str, sent: dict[str, Any] | None = None, **settings: Any) -> Row:
    shared = {"domain": f"{name}.example", "action": "register", "ownercRef": "c-1", "admincRef": "c-2"}
    given = with_changes(shared, settings)
    options = {"product_type": "domain", "settings": given, "verify_nameservers": False}
    return name, options, {**given, **(sent or {})}


#: At bounds, as other types, and with characters that are easily lost.
ORDERS: list[Row] = [
    ("homepage", {"product": "Webhosting Start", "product_type": "webhosting"}, {}),
    vps("longest label", hostname=f"{'a' * 63}.customer.example"),
    vps("template with blanks", hostname="win01.customer.example", template="Windows Server 2022"),
    configurable("most", cpu_cores=10, ram=65536, disk_size=1000, ipv4_addresses=10, username="u" * 32),
    configurable("texts", {"cpu_cores": 4, "ha_upgrade": True}, cpu_cores="4", ha_upgrade="yes"),
    configurable("secret", password="ä'\"\\ { } €"),
    dedicated("null", ip4_subnet_size=25, ip4_count=None),
    dedicated("joined", ip4_count=10, existing_l2vpn=DATA["l2vpn"].upper()),
    domain("moved", action="transfer", authcode="A1;&<\"'%ü"),
    domain(
        "contacts",
        {"ownercData": CONTACT_DATA, "admincData": CONTACT_DATA},
        ownercRef=...,
        ownercData=CONTACT,
        admincRef=...,
        admincData=CONTACT_DATA,
    ),
    domain(
        "own-servers",
        {"nameservers": "ns1.other.example ns2.other.example"},
        nameservers=["ns1.other.example", "ns2.other.example"],
    ),
    ("for ourselves", {"product": "Webhosting Agency", "product_type": "webhosting", "end_user": "__self__"}, {}),
]


@pytest.fixture(scope="module", params=SERVICES)
def service(request: pytest.FixtureRequest) -> Iterator[Service]:
    if not (PYTHON.exists() if request.param == "fastapi" else shutil.which("node") and NODE_MODULES.exists()):
        pytest.skip(f"{request.param} needs what `make test-services` installs")
    with Service(request.param) as found:
        yield found


INFO = "hosting.reseller.reseller_contract_info"


def batch(rows: list[Row]) -> dict[str, Any]:
    """A task that orders these rows."""
    entries = [{"name": name, **given} for name, given, _sent in rows]
    options = {"defaults": {"end_user": END_USER}, "contracts": entries, "on_error": "continue"}
    return {"hosting.reseller.reseller_contracts": options}


def canonical(settings: dict[str, Any]) -> str:
    return json.dumps(settings, sort_keys=True)


#: Of the ledger that a run made, and of an end user whose organization no file tells.
EXPECTED = ("ledger", "not compared with what the service lists")


def unexpected_warnings(play: Play) -> list[str]:
    firsts = [warning.splitlines()[0].lower() for warning in play.output.split("[WARNING]: ")[1:]]
    return [first for first in firsts if not any(words in first for words in EXPECTED)]


def test_orders_of_every_kind_are_placed_once_and_read_back(service: Service, runner: Runner) -> None:
    """They are more than a page of the list."""
    before = len(service.orders())
    play = runner.run([batch(ORDERS), batch(ORDERS), {INFO: {}}, {INFO: {"names": ["moved"]}}], service.env)
    placed, again, whole, one = play.results
    assert [result["msg"] for result in (*play.results, *placed["results"]) if result.get("msg")] == []
    assert unexpected_warnings(play) == []
    assert [each["changed"] for each in placed["results"]] == [True] * len(ORDERS)
    assert all(each["contract_id"] for each in placed["results"])
    assert not again["changed"]
    arrived = [each.get("settings", {}) for each in service.orders()[before:]]
    assert sorted(map(canonical, arrived)) == sorted(canonical(sent) for _name, _given, sent in ORDERS)
    assert (whole["complete"], whole["why_incomplete"]) == (True, "")
    shown = {each["name"]: each for each in whole["contracts"] if each["name"]}
    assert {*shown} == {name for name, _given, _sent in ORDERS}
    assert shown["secret"]["hostname"] == "secret.customer.example"
    assert [each["presence"] for each in one["contracts"]] == ["present"]


def test_catalogue_is_read_and_wrong_values_are_told_with_their_paths(service: Service, runner: Runner) -> None:
    """By the catalogue, and by the service itself, whose own words are read."""
    ids = {each["name"]: each["id"] for each in DATA["products"]}
    wrong = {
        "vps": ("VPS 7", {**VPS, "template": "debian-99"}, "settings.template"),
        "configurable_vps": ("VPS-Konfigurator", {**CONFIGURABLE, "ram": 131072}, "settings.ram"),
    }
    before = len(service.orders())
    tasks = [
        order(end_user=END_USER, product=ids[name], product_type=kind, settings=settings, validation=validation)
        for kind, (name, settings, _path) in wrong.items()
        for validation in ("catalogue", "specification")
    ]
    play = runner.run([{"hosting.reseller.reseller_products_info": {}}, *tasks], service.env)
    shown, *refused = play.results
    assert sorted(each["id"] for each in shown["products"]) == sorted(each["id"] for each in DATA["products"])
    # What class-validator knows holds each rule's values in one more list, and is left to the service.
    assert shown["os_templates"] == (sorted(DATA["templates"]) if service.name == "fastapi" else [])
    assert unexpected_warnings(play) == []
    paths = [path for _name, _settings, path in wrong.values() for _time in range(2)]
    for result, path in zip(refused, paths, strict=True):
        assert path in [violation["path"] for violation in result["violations"]], result["msg"]
    assert len(service.orders()) == before


#: The elements of an order at each framework, and where its list shows a contract's ID.
LEARNED = {"fastapi": ("end_user", "product", "contract"), "nestjs": ("endUserId", "productId", "contractId")}


def test_connect_shows_what_is_known_and_writes_it_once(service: Service, runner: Runner) -> None:
    env, before = {**service.env, "XDG_CONFIG_HOME": str(runner.folder / "config")}, len(service.orders())
    end_user, product, contract_id = LEARNED[service.name]
    runner.run(batch([vps("connected", hostname="connected.customer.example")]), env)
    said, shown = connect_once(runner, env, service.base_url)
    assert said["contracts"]["id"] == contract_id
    assert {"hostname", "end_user"} <= said["contracts"].keys()
    for line in (
        f"order.end_user: '{end_user}' (from the OpenAPI document)",
        f"order.product: '{product}' (from the OpenAPI document)",
        f"contracts.id: '{contract_id}' (from the file, proven)",
    ):
        assert line in shown
    assert len(service.orders()) == before + 1
