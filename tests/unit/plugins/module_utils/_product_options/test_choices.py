# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Which face of a choice an order carries: told by the document, then by what looks like an identifier."""

from __future__ import annotations

from typing import Any

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._product_options.entry_reader import read_options

UUIDS = ("2f0c9a4e-6f0b-4a56-9d55-2f0c9a4e6f0b", "2f0c9a4e-6f0b-4a56-9d55-2f0c9a4e6f0c")


def accepted(name: str, choices: Any) -> list[Any]:
    """Everything that the choices of a setting accept, beside another setting of its product type."""
    other = {"template_name": "hostname", "action": "domain", "ip4_subnet_size": "template"}.get(name, "hostname")
    options = read_options([{"name": name, "choices": choices}, {"name": other, "required": True}])
    assert options is not None
    return [face for choice in options[0].choices for face in choice.accepted]


@pytest.mark.parametrize(
    ("name", "choices", "faces"),
    [
        # The document decides.
        ("action", {"register": "Register", "transfer": "Transfer"}, ["register", "transfer"]),
        ("action", {"Register": "register", "Transfer": "transfer"}, ["register", "transfer"]),
        ("action", [{"id": 1, "name": "register"}, {"id": 2, "name": "transfer"}], ["register", "transfer"]),
        ("action", {"REG": "Register", "TRF": "Transfer"}, []),
        ("cpu_cores", {"1": "1 core", "8": "8 cores"}, [1, 8]),
        ("cpu_cores", {"1 core": 1, "8 cores": 8}, [1, 8]),
        ("cpu_cores", ["1 core", "8 cores"], [1, 8]),
        ("ram", [{"id": 3, "name": "2048 MB"}, {"id": 4, "name": "4096 MB"}], [2048, 4096]),
        ("ram", {"1 GB": 1024, "2 GB": 2048}, [1024, 2048]),
        ("ram", ["1 GB", "2 GB"], []),
        ("disk_size", {"min": 10, "max": 100}, []),
        ("ip4_subnet_size", [8, 16, 32], []),
        ("ip4_subnet_size", [{"id": 29, "name": "/29 (8 IPs)"}, {"id": 28, "name": "/28 (16 IPs)"}], [29, 28]),
        ("ha_upgrade", {"1": "Yes", "0": "No"}, ["1", "Yes", "0", "No"]),
        ("template_name", [{"id": 17, "name": "Debian 12"}, {"id": 18, "name": "Rocky 9"}], ["Debian 12", "Rocky 9"]),
        ("template_name", {"17": "Debian 12", "18": "Rocky 9"}, ["Debian 12", "Rocky 9"]),
        ("template_name", {UUIDS[0]: "debian", UUIDS[1]: "rocky"}, ["debian", "rocky"]),
        ("template_name", [17, 18], []),
        # An identifier.
        ("template_name", {"Debian 12": "debian-12", "Rocky 9": "rocky-9"}, ["debian-12", "rocky-9"]),
        ("template_name", [{"value": "a-1", "label": "A 1"}, {"value": "B 2", "label": "B  2"}], ["a-1", "B 2"]),
        ("backup", [{"id": "n", "name": "At night"}, {"id": "d", "name": "By day"}], ["n", "d"]),
        # Nothing decides: every face is accepted.
        ("cpu_cores", [{"id": 1, "name": "1 core"}, {"id": 4, "name": "8 cores"}], [1, 1, 4, 8]),
        ("template_name", {"debian-12": "bookworm", "rocky-9": "onyx"}, ["debian-12", "bookworm", "rocky-9", "onyx"]),
        ("template_name", [{"name": "Debian 12", "slug": "debian-12"}], ["Debian 12", "debian-12"]),
        ("template_name", [{"id": "debian-12", "name": "Debian 12"}], ["Debian 12", "debian-12"]),
        ("backup", {"0": "At night", "2": "By day"}, ["0", "At night", "2", "By day"]),
        ("backup", {"NIGHT": "night", "DAY": "day"}, ["NIGHT", "night", "DAY", "day"]),
        # Names that say the same of several choices name none of them.
        ("template_name", [{"uuid": UUIDS[0], "name": "Debian"}, {"uuid": UUIDS[1], "name": "Debian"}], []),
    ],
)  # fmt: skip
def test_faces(name: str, choices: Any, faces: list[Any]) -> None:
    assert sorted(map(str, accepted(name, choices))) == sorted(map(str, faces))


def test_what_a_template_is_written_as_is_its_name() -> None:
    options = read_options({"template": {"choices": [{"id": "a-1", "name": "A 1"}]}, "hostname": "required"})
    assert options is not None
    assert [(choice.value, choice.label) for choice in options[0].choices] == [("A 1", "a-1")]


@pytest.mark.parametrize(
    ("name", "rule", "schema"),
    [
        # Other units than the document's leave none of its values.
        ("ram", {"type": "integer", "min": 1, "max": 64}, {"type": "integer", "minimum": 1}),
        ("traffic_display", {"min": 1, "max": 50}, {"minimum": 1}),
        ("disk_size", {"min": 10240, "step": 10240}, {}),
        ("cpu_cores", {"min": 2, "max": 1}, {"minimum": 2}),
        ("ram", {"minimum": 1000, "multipleOf": 1000}, {"minimum": 1000, "multipleOf": 1000}),
        ("ha_upgrade", {"type": "integer", "min": 0, "max": 1}, {}),
        # The digits of a number, not its value.
        ("cpu_cores", {"type": "string", "max": 2}, {}),
        ("nameservers", {"type": "array", "minItems": 2}, {"minItems": 2}),
        ("username", {"pattern": "^[^A-Za-z0-9]+$"}, {}),
        ("username", {"pattern": "^[a-z]+$", "maxLength": 2}, {"pattern": "^[a-z]+$"}),
    ],
)
def test_a_rule_that_leaves_no_documented_value_is_dropped(name: str, rule: Any, schema: dict[str, Any]) -> None:
    options = read_options({name: rule, "hostname": "required", "domain": "required"})
    assert options is not None
    assert dict(options[0].schema) == schema
    # What is dropped is told.
    assert bool(options[0].unclear) is (schema.keys() != {_KEYWORDS.get(word, word) for word in rule})


_KEYWORDS = {"min": "minimum", "max": "maximum", "step": "multipleOf"}


def test_of_settings_that_exclude_each_other_not_all_are_required() -> None:
    options = read_options(
        {"ip4_subnet_size": "required|integer", "ip4_count": "required|integer", "template": "required"}
    )
    assert [option.required for option in options or ()] == [False, False, True]
