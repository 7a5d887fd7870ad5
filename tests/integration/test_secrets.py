# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The API key, passwords, authcodes and the ledger's password are in no output, no result and no file."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote, urlsplit

import psycopg

from playbooks.files.simulator import data
from playbooks.files.simulator.running import Simulator
from tests.integration.conftest import in_shape
from tests.support.order_examples import settings
from tests.support.playbooks import Play, Runner, order

pytestmark = in_shape("plain")

# Newer releases of ansible-core return the options of a task only on demand.
VERBOSE = ("-vvvv", "--diff")
# Each part alone would be a leak; what stands between them is escaped differently in JSON, YAML, URLs and Python.
PASSWORD_PARTS = ("PwBegin7xQ", "PwMiddle3kZ", "PwEnd9vT")
PASSWORD = "{} \"'\\{}%40ü€&<>{}".format(*PASSWORD_PARTS)
LINES = ("LnFirst5wB", "LnSecond8cR")
AUTHCODE_PARTS = ("AcBegin2mN", "AcEnd6pH")
AUTHCODE = "{}'\"#: {}".format(*AUTHCODE_PARTS)
#: One secret is a part of another one.
TOKEN = PASSWORD_PARTS[0]
DATABASE_PARTS = ("DbBegin1jF", "DbEnd0gL")
DATABASE_PASSWORD = "{} p@s:s/w?#'%{}".format(*DATABASE_PARTS)
SECRETS = (data.API_KEY, *PASSWORD_PARTS, *LINES, *AUTHCODE_PARTS, *DATABASE_PARTS)


def configurable(**changes: Any) -> dict[str, Any]:
    return settings(data.CONFIGURABLE_VPS, **{"password": PASSWORD, **changes})


def server(host: str, **changes: Any) -> dict[str, Any]:
    return order(end_user=data.SELF, product_type="configurable_vps", settings=configurable(hostname=host, **changes))


def transfer(domain: str, **changes: Any) -> dict[str, Any]:
    asked = settings(data.DOMAIN, domain=domain, action="transfer", authcode=AUTHCODE, **changes)
    return order(end_user=data.SELF, product_type="domain", settings=asked)


#: The password is looked up by what stands in the item, so that no item holds it.
LOOP = {
    **server("{{ item.host }}", password="{{ passwords[item.host] }}"),
    "loop": [{"host": "loop1"}, {"host": "loop2"}],
    "loop_control": {"label": "{{ item.host }}"},
}
VARIABLES = {"passwords": {"loop1": PASSWORD, "loop2": LINES[0]}}


LEDGER_INFO: dict[str, Any] = {"hosting.reseller.reseller_ledger_info": {}}


def leaks(where: str, text: str) -> list[str]:
    return [
        f"{secret} in {where}: …{text[max(0, text.find(secret) - 150) :][:300]}…"
        for secret in SECRETS
        if secret in text
    ]


def leaks_of_files(runner: Runner) -> list[str]:
    return [leak for path in runner.files() for leak in leaks(str(path), path.read_bytes().decode(errors="replace"))]


def leaks_of(play: Play) -> list[str]:
    return leaks("output", play.output) + leaks("results", json.dumps(play.results, ensure_ascii=False))


#: The answer of the service to an order for this host; it repeats the password where it can.
ECHO = f"The password {PASSWORD} is too weak, as is {json.dumps(PASSWORD)}."
ANSWERS: dict[str, dict[str, Any]] = {
    "refused": {"status": 422, "body": {"message": ECHO, "errors": {"settings.password": [ECHO]}}},
    "doubtful": {"status": 500, "body": {"error": ECHO, "sent": {"password": PASSWORD}}, "process": True},
    "settled": {"status": 500, "body": {"error": ECHO}, "process": True},
    "page": {"status": 502, "body": f"<html><title>Rejected {PASSWORD}</title></html>"},
    "empty": {"status": 201, "body": "", "process": True},
}


def test_orders_and_their_errors_show_no_secret(runner: Runner, simulator: Simulator) -> None:
    """Also where the service repeats what it was sent: the shape "plain" does so in its answer to every order."""
    expected = {"one": True, "lines": True, "two lines": False, "one.example": True, "loop": True}
    # No password has two lines, and is not shown for that either.
    refused = server("two-lines", password="\n".join(LINES))
    tasks = [server("one"), server("lines"), refused, transfer("one.example"), LOOP]
    for host, answer in ANSWERS.items():
        simulator.arm("answer", match={"hostname": host}, **answer)
        tasks.append(server(host))
        expected[host] = host in ("empty", "settled")
    for task in tasks:
        options = task["hosting.reseller.reseller_contract"]
        host = options["settings"].get("hostname")
        options["additional_elements"] = {"accessToken": "\n".join(LINES) if host == "lines" else TOKEN}
        if host == "doubtful":
            options["read_back"] = False
    change = {"method": "PUT", "path": "/nowhere", "query": {"authcode": AUTHCODE}, "body": {"note": PASSWORD}}
    tasks.append({"hosting.reseller.reseller_operation": {**change, "secrets": ["note"]}})
    expected["operation"] = False
    env = {**simulator.env, "ANSIBLE_LOG_PATH": str(runner.folder / "log")}
    shown = runner.run(tasks, env, *VERBOSE, "--check", vars=VARIABLES)
    assert shown.changed == [name != "two lines" for name in expected], shown.output
    assert leaks_of(shown) == []
    placed = runner.run(tasks, env, *VERBOSE, vars=VARIABLES)
    assert placed.changed == list(expected.values()), placed.output
    assert leaks_of(placed) == []
    assert not any("invocation" in result for result in placed.results)
    assert "********" in placed.results[0]["contract"]["settings"]["password"]
    assert placed.results[0]["diff"]["after"].count("********") >= 1
    # What was sent is the secret itself.
    sent = {found["settings"].get("hostname"): found for found in simulator.orders()}
    assert sent["one"]["settings"]["password"] == PASSWORD
    assert sent["loop2"]["settings"]["password"] == LINES[0]
    assert sent["lines"]["body"]["accessToken"] == "\n".join(LINES)
    assert sent["one"]["body"]["accessToken"] == TOKEN

    repeated = runner.run([*tasks, LEDGER_INFO], env, *VERBOSE, vars=VARIABLES)
    assert {"one", "loop1", "loop2", "doubtful"} <= {entry["name"] for entry in repeated.results[-1]["records"]}
    assert leaks_of(repeated) == []
    assert leaks_of_files(runner) == []


def test_no_log_hides_the_result_and_not_the_error(runner: Runner, simulator: Simulator) -> None:
    """As the guide says. In a variable, the result is complete."""
    simulator.arm("answer", status=500, body={"error": ECHO})
    told = {"ansible.builtin.debug": {"msg": "{{ done.failed }}, {{ done.order.status }}"}}
    tasks = [{**server("one"), "no_log": True, "register": "done"}, told]
    output = runner.run(tasks, simulator.env).output
    assert "Order one is in doubt" in output
    assert "the output has been hidden" in output
    assert "settle_with" not in output
    assert "True, in_doubt" in output
    assert leaks("output", output) == []


#: Secrets where they do not belong, or as what they cannot be.
MISPLACED: list[dict[str, Any]] = [
    order(end_user=data.SELF, product="VPS M", password=PASSWORD, settings=settings(data.VPS)),
    order(end_user=data.SELF, product="VPS M", settings=json.dumps({"password": PASSWORD, "hostname": "a"})),
    order(end_user=data.SELF, product="VPS M", settings=settings(data.VPS, pasword=PASSWORD, authCode=AUTHCODE)),
    order(end_user="nobody", product_type="configurable_vps", settings=configurable(hostname="-")),
    order(end_user=data.SELF, product_type="configurable_vps", settings=configurable(password={"is": PASSWORD})),
    order(end_user=data.SELF, product="VPS M", api_key=f"{data.API_KEY}\n", settings=settings(data.VPS)),
    order(end_user=data.SELF, product="VPS M", settings=settings(data.VPS), base_url=f"https://me:{TOKEN}@localhost"),
    order(end_user=data.SELF, product="VPS M", settings=settings(data.VPS), additional_elements={"apiToken": TOKEN}),
    {"hosting.reseller.reseller_contracts": {"contracts": [{"end_user": data.SELF, "password": PASSWORD}]}},
    {
        "hosting.reseller.reseller_contracts": {
            "contracts": [{"product_type": "configurable_vps", "settings": configurable(ram=1)}, {"settings": 1}],
            "defaults": {"end_user": data.SELF, "settings": {"authcode": AUTHCODE}},
        }
    },
]


def test_errors_about_arguments_show_no_secret(runner: Runner, simulator: Simulator) -> None:
    play = runner.run(MISPLACED, simulator.env, *VERBOSE)
    assert len(play.results) == len(MISPLACED), play.output
    assert not any(play.changed)
    assert leaks_of(play) == []
    assert leaks_of_files(runner) == []
    assert not simulator.requests("POST")


def test_the_password_of_the_ledger_is_not_shown(runner: Runner, simulator: Simulator, postgresql_dsn: str) -> None:
    """By option and by variable; also where the database refuses it, is not there, or its address is none."""
    quoted = quote(DATABASE_PASSWORD, safe="")
    user, password = urlsplit(postgresql_dsn).username, str(urlsplit(postgresql_dsn).password)
    others = [
        postgresql_dsn.replace(f"{user}:{password}@", f"nobody:{quoted}@"),
        postgresql_dsn.replace(f":{password}@", f":{quoted}@"),
        f"postgresql://me:{quoted}@127.0.0.1:1/orders",
        f"postgresql://me@127.0.0.1:1/orders?password={quoted}",
        f"postgresql://me:{DATABASE_PASSWORD}@127.0.0.1:1/orders",
        f"host=127.0.0.1 port=1 user=me password='{DATABASE_PARTS[0]}'",
        f"postgresql//me:{quoted}@127.0.0.1:1/orders",
    ]
    tasks = [server("a"), LEDGER_INFO, {"hosting.reseller.reseller_ledger_info": {"ledger": postgresql_dsn}}]
    for other in others:
        tasks.append(server("b"))
        tasks[-1]["hosting.reseller.reseller_contract"]["ledger"] = other
    play = runner.run(tasks, {**simulator.env, "RESELLER_LEDGER": postgresql_dsn}, *VERBOSE)
    assert [entry["name"] for entry in play.results[1]["records"]] == ["a"], play.output
    assert play.changed == [True, *[False] * (len(tasks) - 1)]
    assert password not in play.output
    assert leaks_of(play) == []
    assert leaks_of_files(runner) == []
    with psycopg.connect(postgresql_dsn) as connection:
        tables = connection.execute(
            "SELECT format('TABLE %I.%I', schemaname, tablename)::bytea FROM pg_tables "
            "WHERE schemaname NOT IN ('pg_catalog', 'information_schema')"
        ).fetchall()
        kept = "\n".join(str(value) for [table] in tables for row in connection.execute(table) for value in row)
    assert "configurable_vps" in kept
    assert leaks("tables", kept) == []
