# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Ways to ask for an order: validation, products, environment, module defaults, contacts, templates, and drift."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.integration.conftest import Runner
from tests.simulator import data
from tests.simulator.examples import CONTACT, CONTACT_DATA, PRODUCTS, SETTINGS, settings
from tests.simulator.fixtures import SimulatorFactory
from tests.support.playbooks import order


def vps(host: str, **options: Any) -> dict[str, Any]:
    asked = {"hostname": host, "template": "debian-12"}
    return order(**{"end_user": data.SELF, "product": "VPS M", "settings": asked, **options})


def told(results: list[dict[str, Any]]) -> str:
    return "\n".join(str(result.get("msg", "")) for result in results)


# Validation


def test_documented_validation_in_check_mode_makes_no_request(
    runner: Runner, start_simulator: SimulatorFactory
) -> None:
    simulator = start_simulator("plain")
    known = {"end_user": data.END_USER, "validation": "documented"}
    shown = [
        order(name=f"x{number}", product=PRODUCTS[product_type], product_type=product_type, settings=held, **known)
        for number, (product_type, held) in enumerate(SETTINGS.items())
    ]
    named = {**known, "end_user_element": "customer", "product_element": "offer"}
    shown.append(order(product_type="domain", settings=settings(data.DOMAIN), **named))
    refused = [vps("a", **known), vps("b", **{**known, "product": data.VPS_M})]
    results = runner.table([*shown, *refused], simulator.env, "--check", "--diff")
    assert [result["changed"] for result in results] == [True] * 6 + [False] * 2, told(results)
    for result in results[:5]:
        names = list(result["request"]["body"])[:2]
        assert ["not yet known" in name for name in names] == [True, True]
        assert next(iter(result["request"]["body"].values())) == data.END_USER
    assert results[5]["request"]["body"]["customer"] == data.END_USER
    assert results[5]["request"]["body"]["offer"] == data.DOMAIN_DEFAULT
    for result, words in zip(results[6:], (["'VPS M'", "by name", "UUID"], ["product_type", "inferred"]), strict=True):
        assert all(word in result["msg"] for word in [*words, "makes no request", "validation: live"]), result["msg"]
    assert simulator.requests() == []


@pytest.mark.full
def test_documented_validation_orders_what_the_catalogue_does_not_list(
    runner: Runner, start_simulator: SimulatorFactory
) -> None:
    """Then it is for the service to refuse it; by UUID and with a type, the catalogue is not even asked."""
    simulator = start_simulator("plain")
    unlisted = {"hostname": "a", "template": "debian12"}
    known = {"product": data.VPS_M, "product_type": "vps", "validation": "documented"}
    results = runner.table([vps("a", settings=unlisted), vps("a", settings=unlisted, **known)], simulator.env)
    assert [result["changed"] for result in results] == [False, False]
    assert [violation["source"] for result in results for violation in result["violations"]] == ["live", "service"]
    simulator.reset()
    assert runner.run(vps("b", **known), simulator.env).changed == [True]
    assert "/api/reseller/products" not in [found["path"] for found in simulator.requests()]


# Products


# Environment and defaults


@pytest.mark.full
def test_empty_environment_variables_count_as_unset(
    runner: Runner, start_simulator: SimulatorFactory, state: Path
) -> None:
    simulator = start_simulator("plain")
    names = ("END_USER_ELEMENT", "PRODUCT_ELEMENT", "LEDGER")
    empty = {f"RESELLER_{name}": "" for name in names} | {"XDG_STATE_HOME": str(state)}
    assert runner.run(vps("a"), {**simulator.env, **empty}).changed == [True]
    assert (state / "hosting.reseller/ledger.db").is_file()
    # An empty credential is missing. An option wins over a variable.
    unset = {**simulator.env, "RESELLER_API_KEY": "", "RESELLER_BASE_URL": "https://no-such-host.invalid"}
    tasks = [vps("b", base_url=simulator.base_url), vps("b", base_url=simulator.base_url, api_key=data.API_KEY)]
    missing, given = runner.table(tasks, unset)
    assert missing["msg"].startswith("api_key is missing or empty.")
    assert "RESELLER_API_KEY. An empty variable counts as unset." in missing["msg"]
    assert given["changed"]


def test_module_defaults_of_the_group_serve_all_modules(runner: Runner, start_simulator: SimulatorFactory) -> None:
    simulator = start_simulator("laravel")
    defaults = {
        "group/hosting.reseller.reseller": {
            "base_url": simulator.base_url,
            "api_key": data.API_KEY,
            "organization_id": data.ORGANIZATION_ID,
            "ledger": str(runner.folder / "elsewhere" / "ledger.db"),
        },
        "hosting.reseller.reseller_contract": {"end_user": data.END_USER, "product": "VPS S"},
    }
    tasks: list[dict[str, Any]] = [
        {"hosting.reseller.reseller_contract": {"settings": {"hostname": "a", "template": "debian-12"}}},
        {"hosting.reseller.reseller_products_info": {"product": "VPS S"}},
        {"hosting.reseller.reseller_ledger_info": {}},
        {"hosting.reseller.reseller_reference_info": {}},
    ]
    play = runner.run(tasks, {"RESELLER_LEDGER": ""}, module_defaults=defaults, ignore_errors=False)
    assert play.status == 0, play.output
    [placed] = simulator.orders()
    assert (placed["product"], placed["end_user"]) == (data.VPS_S, data.END_USER)
    assert [entry["name"] for entry in play.results[2]["orders"]] == ["a"]


# Contacts and templates


@pytest.mark.parametrize(
    "shape", ["apiplatform", *(pytest.param(shape, marks=pytest.mark.full) for shape in ("laravel", "plain"))]
)
@pytest.mark.full
def test_a_contact_is_sent_as_the_same_string_however_it_is_given(
    shape: str, runner: Runner, start_simulator: SimulatorFactory
) -> None:
    """A mapping, a template of one, JSON text: written out, templated, from a file, spaced otherwise."""
    simulator = start_simulator(shape)
    path = runner.folder / "contact.json"
    path.write_text(json.dumps(dict(reversed(CONTACT.items())), indent=2), encoding="utf-8")
    forms: list[Any] = [
        CONTACT,
        CONTACT_DATA,
        "{{ contact }}",
        "{{ contact | to_json }}",
        json.dumps(CONTACT, indent=4),
        "{{ contact | to_nice_json }}",
        "{{ contact | to_json | string }}",
        "{{ text }}",
        f"{{{{ lookup('ansible.builtin.file', '{path}') }}}}",
        {**CONTACT, "label": "{{ 'customer-' ~ 1001 }}"},
    ]
    tasks = [
        order(
            end_user=data.SELF,
            product_type="domain",
            settings=settings(
                data.DOMAIN, domain=f"d{number}.example", ownercData=form, admincRef=..., admincData=form
            ),
        )
        for number, form in enumerate(forms)
    ]
    results = runner.run(tasks, simulator.env, vars={"contact": CONTACT, "text": CONTACT_DATA}).results
    assert [result["changed"] for result in results] == [True] * len(forms), told(results)
    for placed in simulator.orders():
        assert placed["settings"]["ownercData"] == placed["settings"]["admincData"] == CONTACT_DATA
    # Another form of the same contact is the same order.
    tasks[0]["hosting.reseller.reseller_contract"]["settings"]["ownercData"] = "{{ contact | to_nice_json }}"
    tasks[3]["hosting.reseller.reseller_contract"]["settings"]["ownercData"] = CONTACT
    asked = len(simulator.requests())
    again = runner.run([tasks[0], tasks[3]], simulator.env, vars={"contact": CONTACT, "text": CONTACT_DATA})
    assert again.changed == [False, False], told(again.results)
    assert len(simulator.requests()) == asked


def test_templates_give_numbers_and_booleans(runner: Runner, start_simulator: SimulatorFactory) -> None:
    simulator = start_simulator("apiplatform")
    templated = settings(
        data.CONFIGURABLE_VPS,
        cpu_cores="{{ cores }}",
        ram="{{ 4 * 1024 }}",
        disk_size="{{ '80' }}",
        password="{{ '0123456' }}",
        ipv4_addresses="{{ [1, 2] | length }}",
        backup_count="{{ cores | int + 3 }}",
        ha_upgrade="{{ 'yes' }}",
        **{"10g_upgrade": "{{ 1 == 2 }}"},
    )
    configured = {"end_user": "{{ user }}", "product_type": "{{ 'configurable' ~ '_vps' }}"}
    tasks = [
        order(settings=templated, **configured),
        order(settings={**templated, "hostname": "b", "ram": "{{ 4 * 1024.0 }}"}, **configured),
        order(settings="{{ all_of_them }}", **configured),
    ]
    variables = {"cores": "4", "user": data.SELF, "all_of_them": {**templated, "hostname": "c"}}
    results = runner.run(tasks, simulator.env, vars=variables).results
    assert [result["changed"] for result in results] == [True, False, True], told(results)
    assert "settings.ram" in results[1]["msg"]
    assert "in a template add | int" in results[1]["msg"]
    for placed in simulator.orders():
        expected = {"cpu_cores": 4, "ram": 4096, "disk_size": 80, "password": "0123456", "ipv4_addresses": 2}
        expected |= {"backup_count": 7, "ha_upgrade": True, "10g_upgrade": False}
        assert {name: placed["settings"][name] for name in expected} == expected
        assert [type(placed["settings"][name]) for name in expected] == [type(value) for value in expected.values()]


# Drift


def test_what_was_ordered_otherwise_is_told_and_never_ordered_again(
    runner: Runner, start_simulator: SimulatorFactory
) -> None:
    simulator = start_simulator("plain")
    domain = {"end_user": data.SELF, "product_type": "domain"}
    assert runner.run([vps("web.example"), order(settings=settings(data.DOMAIN), **domain)], simulator.env).changed == [
        True,
        True,
    ]
    asked = len(simulator.requests())
    other = {"hostname": "web.example", "template": "rocky-9"}
    moved = {**CONTACT, "street": "Domplatz 1"}
    changes: list[tuple[dict[str, Any], list[str]]] = [
        (vps("x", settings=other), ["settings.template: recorded 'debian-12', requested 'rocky-9'"]),
        (vps("web.example", end_user=data.END_USER), ["end_user", data.END_USER]),
        (vps("web.example", product="VPS L"), ["product: recorded 'VPS M', requested 'VPS L'"]),
        (order(settings=settings(data.DOMAIN, ownercData=moved), **domain), ["settings.ownercData differs"]),
        # A domain of the same name as a host is another contract, and needs another name.
        (order(settings=settings(data.DOMAIN, domain="web.example"), **domain), ["product_type", "change its name"]),
        (
            order(end_user=data.SELF, product="VPS M", name="customer.example", settings=other),
            ["customer.example, recorded as a domain, breaks", "Another contract needs another name"],
        ),
    ]
    results = runner.table([task for task, _rest in changes], simulator.env)
    for result, (_rest, said) in zip(results, changes, strict=True):
        assert not result["changed"]
        assert all(words in result["msg"] for words in said), result["msg"]
        assert "Domplatz" not in result["msg"] + json.dumps(result.get("differences", []))
    warned, ignored = runner.table(
        [vps("x", settings=other, on_drift="warn"), vps("x", settings=other, on_drift="ignore")], simulator.env
    )
    assert "settings.template" in warned["warnings"][0]
    assert "warnings" not in ignored
    for result in (warned, ignored):
        assert not result["changed"]
        assert result["differences"] == [{"path": "settings.template", "recorded": "debian-12", "asked": "rocky-9"}]
    assert len(simulator.requests()) == asked
