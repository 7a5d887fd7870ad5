# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a person is told of a service: each field and what it permits, lines for the file, and end users in lists."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import yaml

from ansible_collections.hosting.reseller.plugins.module_utils._service.description import Description, EndUser, Field
from ansible_collections.hosting.reseller.plugins.module_utils._service.end_user_candidates import (
    end_user_lists,
    end_users_in,
)
from ansible_collections.hosting.reseller.plugins.module_utils._service.field_report import (
    WITHOUT,
    field_report,
    file_text,
    lines_for,
)
from ansible_collections.hosting.reseller.plugins.module_utils._service.openapi_document import OpenApiDocument
from ansible_collections.hosting.reseller.plugins.module_utils._service.service_file import PARTS, read_description

GUIDE, TERM = Path(__file__).resolve().parents[5] / "docs/docsite/rst/describe.rst", re.compile("``.*?``")
BASE_URL = "https://portal.example.com"
USER, OTHER = "d19f51a8-e747-452b-89a9-286bfa544c77", "85c6fa90-c539-4eb3-ad3a-5991a524246b"
ALL = "all that it is for"
GUESS = "refuses duplicates and names candidates, and settles nothing"


AGAINST = "contract 7 shows its own elsewhere"


@pytest.mark.parametrize(
    ("name", "field", "proven", "contradicted", "permits", "is_missing"),
    [
        ("contracts.hostname", Field("fqdn", "file", 7), False, None, ALL, False),
        ("contracts.hostname", Field("fqdn", "name"), False, None, GUESS, False),
        ("contracts.hostname", Field("fqdn", "name"), True, None, ALL, False),
        ("contracts.hostname", Field("fqdn", "name"), False, AGAINST, "nothing", True),
        ("contracts.hostname", Field("fqdn", "file", 7), False, AGAINST, "nothing", False),
        ("contracts.hostname", None, False, None, "nothing", True),
        # null in the file: there is none.
        ("contracts.next", Field(None, "file", 7), False, None, ALL, False),
        ("contracts.state", Field("status", "name"), False, None, "is shown, and decides nothing", False),
        ("order.end_user", Field("customer", "openapi"), False, None, "is used as it is", False),
        ("cancel", None, False, None, "nothing", True),
    ],
)
def test_what_a_field_permits(
    name: str, field: Field | None, proven: bool, contradicted: str | None, permits: str, is_missing: bool
) -> None:
    description, against = Description("/s.yml", {name: field} if field else {}), {name: contradicted or ""}
    rows = {row["name"]: row for row in field_report(description, [name] * proven, against)}
    assert (rows[name]["permits"], bool(rows[name]["without"])) == (permits, is_missing)
    assert rows[name]["line"] == (field.line if field else None)


def test_every_field_of_a_part_has_a_row() -> None:
    """Those of products are shown by the catalogue itself."""
    fields = {f"{part}.{name}" for part in ("order", "contracts") for name in PARTS[part]["properties"]}
    assert {*WITHOUT} == fields | {"cancel"}


def test_only_what_is_proven_becomes_a_line_and_a_guess_a_comment() -> None:
    fields = {
        "order.end_user": Field("customer", "openapi"),
        "contracts.id": Field("uuid", "name"),
        "contracts.hostname": Field("server: name #", "name"),
        "contracts.product": Field("sku", "name"),
        "contracts.own": Field([None], "name"),
        "contracts.state": Field("status", "file", 3),
    }
    report = field_report(
        Description("/etc/service.yml", fields),
        ["contracts.id", "contracts.own"],
        {"contracts.product": "contract 7 …"},
    )
    text = file_text(BASE_URL, report, [EndUser("shop", USER, "4201")])
    assert yaml.safe_load(text) == {
        "base_url": BASE_URL,
        "order": None,
        "contracts": {"id": "uuid", "own": [None]},
        "end_users": None,
    }
    assert "  # end_user: customer  # learned (openapi): check it\n" in text
    assert '  # hostname: "server: name #"  # learned (name): check it\n' in text
    assert "sku" not in text
    assert "status" not in text
    found = read_description(text, "/etc/service.yml", BASE_URL, "4200")
    assert (found.get("contracts.id"), found.get("contracts.own"), found.end_users) == ("uuid", [None], {})
    # Whoever has checked a comment removes its mark.
    checked = read_description(re.sub(r"(?m)^( *)# ", r"\1", text), "/etc/service.yml", BASE_URL, "4200")
    assert (checked.get("order.end_user"), checked.get("contracts.hostname")) == ("customer", "server: name #")
    assert checked.end_users == {"shop": EndUser("shop", USER, "4201")}


def test_lines_say_the_value_the_source_and_the_proof() -> None:
    fields = {"contracts.id": Field("uuid", "name"), "contracts.hostname": Field("fqdn", "file", 7)}
    report = field_report(Description("/etc/service.yml", fields), ["contracts.id"], {"contracts.hostname": "Shown."})
    lines = {line.partition(":")[0]: line for line in lines_for(report)}
    assert lines["contracts.id"] == f"contracts.id: 'uuid' (learned by its name, proven). It permits: {ALL}."
    assert lines["contracts.hostname"].endswith("(from the file). It permits: nothing. Contradicted: Shown.")
    assert lines["cancel"] == "cancel: not known. Without it, state: absent is refused."


def test_guide_says_where_to_look_for_each_field() -> None:
    heading = lines_for([])[0].partition("under ")[2].rstrip(".")
    section = GUIDE.read_text(encoding="utf-8").split(f"\n{heading}\n---")[1].partition("\n---")[0]
    missing = [
        each for each in WITHOUT if not {f"``{each}``", f"``{each.rpartition('.')[2]}``"} & {*TERM.findall(section)}
    ]
    assert missing == []


# End users


def test_published_lists_of_end_users() -> None:
    paths = ["/api/reseller/end-users", "/api/reseller/contracts", "/api/customers/{id}", "/api/customers/", "/users"]
    document = {"openapi": "3.1.0", "paths": {path: {"get": {}} for path in paths}}
    assert end_user_lists(OpenApiDocument("", document)) == ["/api/reseller/end-users", "/api/customers/", "/users"]


@pytest.mark.parametrize(
    ("record", "candidate"),
    [
        ({"uuid": USER.upper(), "organizationId": 4201, "name": "Shop & Co"}, EndUser("Shop-Co", USER, "4201")),
        ({"id": 7, "endUserUuid": USER, "organisation": {"id": "4201"}}, EndUser("customer-d19f51a8", USER, "4201")),
        ({"id": USER, "org_id": "4201", "customerNumber": "K-4711"}, EndUser("K-4711", USER, "4201")),
        ({"id": USER, "organization_id": "4201", "name": OTHER}, EndUser("customer-d19f51a8", USER, "4201")),
        ({"id": USER}, None),
        ({"id": 7, "organizationId": 4201}, None),
        ({"id": USER, "organizationId": True}, None),
        ("text", None),
    ],
)
def test_candidate_shows_a_uuid_beside_an_organization(record: Any, candidate: EndUser | None) -> None:
    assert end_users_in([record]) == ([candidate] if candidate else [])
    assert end_users_in([record], [USER]) == []


def test_candidates_have_names_of_their_own() -> None:
    records = [{"uuid": each, "organizationId": at, "name": "Shop"} for at, each in ((1, USER), (2, OTHER), (1, USER))]
    assert [each.name for each in end_users_in(records)] == ["Shop", "85c6fa90"]
