# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The file of a service: where it is, who may write it, what it may say, and where a mistake in it stands."""

from __future__ import annotations

import os
import textwrap
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from ansible_collections.hosting.reseller.plugins.module_utils._core import files
from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import ConfigurationError
from ansible_collections.hosting.reseller.plugins.module_utils._service.description import Description, EndUser
from ansible_collections.hosting.reseller.plugins.module_utils._service.service_file import (
    SERVICE_SCHEMA,
    default_path,
    read_description,
    read_service_file,
)

BASE_URL = "https://portal.example.com"
USER, OTHER = "d19f51a8-e747-452b-89a9-286bfa544c77", "85c6fa90-c539-4eb3-ad3a-5991a524246b"
GUIDE = Path(__file__).resolve().parents[5] / "docs/docsite/rst/describe.rst"
#: The example of the guide that has every field.
_LAST_PART = GUIDE.read_text(encoding="utf-8").split("This file has every field:")[1]
FULL = textwrap.dedent(_LAST_PART.split(":class: fragment\n")[1].split("\n\n- ")[0]).strip()


def read(text: str, base_url: str = BASE_URL) -> Description:
    return read_description(text, "/etc/service.yml", base_url, "4200")


def test_all_that_a_file_may_say() -> None:
    description = read(FULL)
    for name, value in {
        "contracts.hostname": "hostname",
        "contracts.next": {"link": "view.next"},
        "order.placed": {"status": 200, "id": "id"},
        "contracts.own": [None],
        "cancel": {"method": "DELETE", "path": "/api/reseller/contracts/{id}"},
        "openapi_url": "/api/docs",
    }.items():
        assert (description.get(name), description.source(name)) == (value, "file")
    assert FULL.splitlines()[(description.fields["contracts.hostname"].line or 0) - 1] == "  hostname: hostname"
    assert description.end_users == {"customer-4711": EndUser("customer-4711", USER, "4201")}


def test_organization_and_ram_of_end_users() -> None:
    users = f"a: {{id: {USER.upper()}, organization_id: '4201', org_max_ram: 2048}}\n  b: {{id: {OTHER}}}"
    description = read(f"base_url: {BASE_URL}\norg_max_ram: 65536\nend_users:\n  {users}")
    assert description.organizations == {USER: "4201"}
    assert [description.most_ram(user) for user in (USER.upper(), OTHER, "__self__")] == [2048, 65536, 65536]


def test_every_field_of_the_example_is_in_the_schema_and_the_other_way_round() -> None:
    """What the guide shows is what a file may say."""
    jsonschema.Draft202012Validator.check_schema(SERVICE_SCHEMA)
    properties: Any = SERVICE_SCHEMA["properties"]
    shown = yaml.safe_load(FULL)
    assert {*properties} == {*shown}
    for part in ("order", "products", "contracts"):
        assert {*properties[part]["properties"]} == {*shown[part]}


def test_null_is_known_and_a_field_that_is_left_out_is_learned() -> None:
    found = read(f"base_url: {BASE_URL}\ncontracts:\n  next: null\n")
    assert (found.get("contracts.next"), found.source("contracts.next")) == (None, "file")
    assert (found.get("contracts.total"), found.source("contracts.total")) == (None, None)
    assert read(f"base_url: {BASE_URL}\ncontracts:\nend_users:\n").fields == {}


OPENAPI = "2:1: openapi_url: it is not at the service itself"
PLACE, PATH = "3:3: contracts.hostname: the place of a server's hostname", "3:3: contracts.path: a path below base_url"
TWICE = "{}: this is also that of {}: each end user has its own"
#: Mistakes, each in a part of a file (as a whole without one), with the place and the words that tell it.
MISTAKES = [
    ("", f"openapi_ur: x\nbase_url: {BASE_URL}", "1:1: openapi_ur: unknown key; did you mean openapi_url?"),
    ("contracts", "hostnme: x", "3:3: contracts.hostnme: unknown key; did you mean hostname?"),
    ("contracts", "hostname: [x]", f"{PLACE}, as dotted names, not a list"),
    ("contracts", "hostname: a.*.b", PLACE),
    ("contracts", "ended: [no]", "3:11: contracts.ended[0]: a list of the states, in quotes"),
    ("contracts", "next: {parameter: page}", "3:3: contracts.next: null, or a mapping with link, parameter"),
    ("contracts", "own: []", "3:3: contracts.own: a list of the values that own contracts show"),
    *(
        ("contracts", f"path: {path}", PATH)
        for path in ("//evil.example/x", "https://evil.example/x", "/a/../b", "/a?b")
    ),
    ("order", "end_user: settings", "3:3: order.end_user: the name of the request element for the end user"),
    ("order", "{end_user: a, product: a}", "3:17: order.product: it is the element for the end user, too"),
    ("order", "placed: {status: 200}", "order.placed.id: required: a place, as dotted names"),
    ("order", "placed: {status: 404, id: x}", "order.placed.status: a status from 200 to 299"),
    ("order", "end_user: '{{ element }}'", "3:13: order.end_user: this file is data, and templates in it"),
    ("cancel", "{method: DELETE, path: /c}", "cancel.path: {id}, the contract's ID, is neither in the path nor"),
    (
        "cancel",
        "{method: DELETE, path: '/c/x{id}'}",
        "cancel.path: a path below base_url, in which {id}, the contract's",
    ),
    ("cancel", "{method: GET, path: '/c/{id}'}", "cancel.method: DELETE, POST, PUT or PATCH"),
    ("", f"base_url: {BASE_URL}\nopenapi_url: https://evil.example/x", OPENAPI),
    ("", f"base_url: {BASE_URL}\nopenapi_url: //evil.example/x", OPENAPI),
    ("", f"base_url: {BASE_URL}\norg_max_ram: 64 GB", "2:1: org_max_ram: the maximum RAM in MB that your organization"),
    ("end_users", f"{USER}: {{id: {USER}}}", f"3:3: end_users.{USER}: a name of your choice"),
    ("end_users", f"__self__: {{id: {USER}}}", "3:3: end_users.__self__: a name of your choice"),
    ("end_users", "a: {id: 4711}", "end_users.a.id: the end user's UUID, not an integer"),
    ("end_users", "a: {id: x}", "end_users.a.id: the end user's UUID"),
    ("end_users", f"a: {{id: {USER}}}\n  b: {{id: {USER.upper()}}}", "4:7: " + TWICE.format("end_users.b.id", "a")),
    (
        "end_users",
        f"a: {{id: {USER}, organization_id: '1'}}\n  b: {{id: {OTHER}, organization_id: '1'}}",
        TWICE.format("end_users.b.organization_id", "a"),
    ),
    (
        "end_users",
        f"a: {{id: {USER}, organization_id: '4200'}}",
        TWICE.format("end_users.a.organization_id", "your own organization"),
    ),
    # YAML reads 0420 as 272.
    ("end_users", f"a: {{id: {USER}, organization_id: 0420}}", "organization, in quotes, not an integer"),
    ("", "order: {}", "1:1: base_url: required: the address of the service"),
    ("", "- base_url: x", "1:1: a mapping that describes one service, not a list"),
    ("", "", "1:1: the file is empty"),
]


@pytest.mark.parametrize(("part", "text", "words"), MISTAKES)
def test_mistake_is_told_with_its_line(part: str, text: str, words: str) -> None:
    with pytest.raises(ConfigurationError) as error:
        read(f"base_url: {BASE_URL}\n{part}:\n  {text}\n" if part else text)
    first, *lines = error.value.message.splitlines()
    assert first == "The service's file has mistakes. Nothing was sent."
    assert any(words in line and line.startswith("/etc/service.yml:") for line in lines), error.value.message


def test_all_mistakes_are_told_at_once() -> None:
    with pytest.raises(ConfigurationError) as error:
        read("contracts: {idd: x, path: y}\norder: {placed: 3}\n")
    assert [line.split(":")[1] for line in error.value.message.splitlines()[1:-1]] == ["1", "1", "1", "2"]


def test_file_is_of_the_service_of_the_task() -> None:
    for base_url in ("https://portal.example.com:443/", "https://PORTAL.example.com"):
        assert read(f"base_url: {base_url}").fields == {}
    for base_url in (
        "http://portal.example.com",
        f"{BASE_URL}:8443",
        "https://user@portal.example.com",
        "portal.example",
    ):
        with pytest.raises(ConfigurationError, match="describes another service") as error:
            read(f"base_url: {base_url}")
        assert f"It describes {base_url}, and base_url is {BASE_URL}." in error.value.message


# Where it is


@pytest.mark.parametrize(
    ("base_url", "environ", "path"),
    [
        (BASE_URL, {"XDG_CONFIG_HOME": "/c"}, "/c/hosting.reseller/portal.example.com.yml"),
        (f"{BASE_URL}:8443", {"XDG_CONFIG_HOME": "/c"}, "/c/hosting.reseller/portal.example.com_8443.yml"),
        (BASE_URL, {"HOME": "/h"}, "/h/.config/hosting.reseller/portal.example.com.yml"),
        (BASE_URL, {"HOME": "/h", "XDG_CONFIG_HOME": "c"}, "/h/.config/hosting.reseller/portal.example.com.yml"),
    ],
)
def test_default_file(base_url: str, environ: dict[str, str], path: str) -> None:
    assert default_path(base_url, environ) == path


def opened(given: str | None, environ: dict[str, str] | None = None) -> Description:
    return read_service_file(given, BASE_URL, "4200", environ or {}, lambda path: Path(path).read_text("utf-8"))


def test_default_file_may_be_missing_and_a_given_one_not(tmp_path: Path) -> None:
    assert opened(None, {"XDG_CONFIG_HOME": str(tmp_path)}) == Description()
    with pytest.raises(ConfigurationError, match=r"cannot be read. Nothing was sent.\n.*missing.yml"):
        opened(str(tmp_path / "missing.yml"))
    with pytest.raises(ConfigurationError, match=r"file is relative: service.yml. Nothing was sent"):
        opened("service.yml")
    file = tmp_path / "hosting.reseller/portal.example.com.yml"
    file.parent.mkdir()
    file.write_text(FULL, encoding="utf-8")
    file.chmod(0o644)
    by_default = opened(None, {"XDG_CONFIG_HOME": str(tmp_path)})
    assert by_default == opened("~/hosting.reseller/portal.example.com.yml", {"HOME": str(tmp_path)})
    assert by_default.path == str(file)


def test_file_that_cannot_be_decrypted_is_refused_with_the_reason(tmp_path: Path) -> None:
    def no_secret(path: str) -> str:
        raise OSError("no vault secrets found")

    (tmp_path / "s.yml").write_text("", encoding="utf-8")
    with pytest.raises(ConfigurationError, match=r"s.yml\nReason: no vault secrets found\."):
        read_service_file(str(tmp_path / "s.yml"), BASE_URL, "4200", {}, no_secret)


@pytest.mark.parametrize(
    ("mode", "is_private", "writers"),
    [(0o644, False, ""), (0o664, True, ""), (0o664, False, "its group"), (0o646, True, "everyone")],
)
def test_file_that_others_may_write_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, mode: int, is_private: bool, writers: str
) -> None:
    monkeypatch.setattr(files, "_is_private", lambda group, user: is_private)
    file = tmp_path / "s.yml"
    file.write_text(FULL, encoding="utf-8")
    file.chmod(mode)
    if not writers:
        assert opened(str(file)).path == str(file)
        return
    words = f"Others could change the service's file: {file} can be written by {writers}"
    with pytest.raises(ConfigurationError, match=words) as error:
        opened(str(file))
    assert f"chmod go-w {file}" in error.value.message


@pytest.mark.skipif(os.geteuid() != 0, reason="only root gives a file to somebody else")
def test_file_of_another_user_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "s.yml"
    file.write_text(FULL, encoding="utf-8")
    os.chown(file, 12345, -1)
    with pytest.raises(ConfigurationError, match="belongs to user 12345"):
        opened(str(file))
