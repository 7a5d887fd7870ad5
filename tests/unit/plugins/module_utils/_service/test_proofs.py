# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What recorded contracts prove of a description, and what they contradict."""

from __future__ import annotations

from typing import Any, NamedTuple

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._ledger.order_records import (
    Outcome,
    Record,
    StoredRequest,
)
from ansible_collections.hosting.reseller.plugins.module_utils._service.description import Description, Field
from ansible_collections.hosting.reseller.plugins.module_utils._service.proofs import fields_of

OWN = "4711"
VPS, VPS_L = "7d1f3c52-4a0b-4c8e-9d37-0f6f5e1c2b3a", "8e2f4d63-5b1c-4d9f-8e48-1a7f6f2d3c4b"
USER, OTHER = "3f0c7d3e-8a54-4a0e-9f5e-2f6a3a1f9b11", "9d0c7d3e-8a54-4a0e-9f5e-2f6a3a1f9b99"
WEB, DB = "web01.example.org", "db01.example.org"


def bought(contract_id: str = "c1", hostname: str = WEB, **changes: Any) -> Record:
    """A recorded contract whose run was told its id."""
    record = {"run_id": "run", "claimed_at": "2026-11-21T12:00:00Z"}
    record |= {name: changes.pop(name) for name in list(changes) if name in record}
    request = {
        "name": hostname,
        "service": "https://x",
        "organization_id": OWN,
        "end_user": "__self__",
        "product": VPS,
        "product_name": "VPS M",
        "product_type": "vps",
        "settings": {"hostname": hostname},
    }
    outcome = Outcome("ordered", contract_id=contract_id)
    return Record(hostname, outcome, StoredRequest(**{**request, **changes}), ordered_at=None, updated_at="", **record)


def raw(id_: str = "c1", hostname: str | None = WEB, **more: Any) -> dict[str, Any]:
    return {"id": id_, "hostname": hostname, "product": VPS, **more}


class Case(NamedTuple):
    """A field, the records of a list and of the ledger; its place, and whether it is proven or contradicted."""

    field: str
    rows: list[dict[str, Any]]
    ledger: list[Record]
    place: Any
    state: str
    given: dict[str, Any] = {}


CASES = {
    "nothing is recorded": Case("hostname", [raw()], [], "hostname", "learned"),
    "as ordered": Case("hostname", [raw()], [bought()], "hostname", "proven"),
    "a contract of another list": Case("hostname", [raw()], [bought("c9")], "hostname", "learned"),
    "a new name in the portal": Case("hostname", [raw(hostname="x.example.org")], [bought()], "hostname", "learned"),
    "adopted": Case("hostname", [raw()], [bought(claimed_at=None, run_id=None)], "hostname", "learned"),
    "filled in": Case("hostname", [raw()], [bought(partial=True)], "hostname", "learned"),
    "the only place that shows it": Case("hostname", [{"id": "c1", "rechner": WEB}], [bought()], "rechner", "proven"),
    "in settings by name and value": Case(
        "hostname",
        [{"id": "c1", "settings": [{"name": "hostname", "value": WEB}]}],
        [bought()],
        "settings.hostname",
        "proven",
    ),
    "elsewhere, and not there": Case(
        "hostname",
        [raw(hostname="x.example.org", label=WEB)],
        [bought()],
        "hostname",
        "contradicted",
        given={"id": "id", "hostname": "hostname"},
    ),
    "that of another record": Case(
        "hostname",
        [raw(hostname=DB)],
        [bought(), bought("c2", DB)],
        "hostname",
        "contradicted",
        given={"id": "id", "hostname": "hostname"},
    ),
    "another candidate is proven": Case("hostname", [raw(hostname=None, label=WEB)], [bought()], "label", "proven"),
    "given": Case("hostname", [raw(hostname=None, x=1)], [], "x", "given", given={"hostname": "x"}),
    "given as none": Case("hostname", [raw()], [bought()], None, "given", given={"hostname": None}),
    # Ids
    "id beside what was ordered": Case("id", [raw()], [bought()], "id", "proven"),
    "id beside something else": Case("id", [raw(hostname=DB)], [bought()], "id", "learned"),
    "id at another usual name": Case("id", [raw("17", uuid="c1")], [bought()], "uuid", "proven"),
    "id at the only place": Case("id", [{"nr": "c1", "hostname": WEB, "id": 7}], [bought()], "nr", "proven"),
    "id that a person told": Case("id", [raw()], [bought(run_id=None)], "id", "learned"),
    "id elsewhere": Case("id", [raw("17", nr="c1")], [bought()], "id", "contradicted", given={"id": "id"}),
    "id nested in a record": Case("id", [{"server": {"id": "c1"}, "hostname": WEB}], [], None, "unknown"),
    "id at the place of the hostname": Case(
        "id", [raw()], [], None, "contradicted", given={"id": "hostname", "hostname": "hostname"}
    ),
    "hostname at the place of the id": Case(
        "hostname", [raw()], [bought()], None, "contradicted", given={"id": "hostname", "hostname": "id"}
    ),
    "id at either of two places": Case(
        "id", [{"nr": "c1", "code": "c1", "hostname": WEB}], [bought()], None, "unknown"
    ),
    # Products and end users
    "product by UUID": Case("product", [raw()], [bought()], "product", "proven"),
    "product as an object": Case(
        "product", [raw(product={"id": VPS, "name": "VPS M"})], [bought()], "product.id", "proven"
    ),
    "product by name": Case("product", [raw(product="VPS M")], [bought()], "product", "proven"),
    "product of another one": Case(
        "product",
        [raw(product=VPS_L), raw("c2", DB, product=VPS_L)],
        [bought(), bought("c2", DB, product=VPS_L)],
        "product",
        "contradicted",
    ),
    "end user by an IRI": Case(
        "end_user", [raw(owner=f"/api/users/{USER}")], [bought(end_user=USER)], "owner", "proven"
    ),
    "end user of another one": Case(
        "end_user",
        [raw(owner=OTHER), raw("c2", DB, owner=OTHER)],
        [bought(end_user=USER), bought("c2", DB, end_user=OTHER)],
        "owner",
        "contradicted",
    ),
    "the word of the specification": Case("end_user", [raw(empfaenger="__self__")], [bought()], "empfaenger", "proven"),
    # What own contracts show
    "own is null, beside an end user": Case(
        "own",
        [raw(owner=None), raw("c2", DB, owner=USER)],
        [bought(), bought("c2", DB, end_user=USER)],
        [None],
        "proven",
    ),
    "own is null, beside nobody": Case("own", [raw(owner=None)], [bought()], ["__self__", OWN], "learned"),
    "own differs": Case(
        "own",
        [raw(owner=None), raw("c2", DB, owner="x"), raw("c3", "a.example.org", owner=USER)],
        [bought(), bought("c2", DB), bought("c3", "a.example.org", end_user=USER)],
        ["__self__", OWN],
        "learned",
    ),
    "own is what an end user shows": Case(
        "own",
        [raw(owner=None), raw("c2", DB, owner=None)],
        [bought(), bought("c2", DB, end_user=USER)],
        [None],
        "contradicted",
        given={"end_user": "owner", "own": [None]},
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_field_is_given_proven_learned_or_contradicted(case: str) -> None:
    name, rows, ledger, place, state, given = CASES[case]
    description = Description("file", {f"contracts.{each}": Field(value, "file") for each, value in given.items()})
    fields = fields_of(rows, description, ledger, OWN)
    found = "contradicted" if name in fields.contradicted else "proven" if name in fields.proven else "learned"
    if found == "learned" and description.source(f"contracts.{name}") is not None:
        found = "given"
    elif found == "learned" and fields.get(name) is None:
        found = "unknown"
    assert found == state, fields
    assert found == "contradicted" or fields.get(name) == place
    assert fields.settles(name) is (found in ("proven", "given") and (place is not None))
    assert found != "contradicted" or fields.get(name) is None
    assert all("contracts." in sentence for sentence in fields.contradicted.values())
