# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Where a ledger lies, and how its place is written and shown."""

from __future__ import annotations

from pathlib import Path

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import LedgerError
from ansible_collections.hosting.reseller.plugins.module_utils._locations.locations import (
    FileLocation,
    ServerLocation,
    location_of,
    read_address,
)


@pytest.mark.parametrize(
    ("option", "environ", "path"),
    [
        (None, {"HOME": "/h"}, "/h/.local/state/hosting.reseller/ledger.db"),
        ("", {"HOME": "/h", "XDG_STATE_HOME": "state"}, "/h/.local/state/hosting.reseller/ledger.db"),
        (None, {"HOME": "/h", "XDG_STATE_HOME": "~/s"}, "/h/s/hosting.reseller/ledger.db"),
        ("/srv/ledger.db", {"HOME": "home"}, "/srv/ledger.db"),
        ("~/l.db", {"HOME": "/h"}, "/h/l.db"),
        ("$STATE/ledger.db", {"STATE": "/s"}, "/s/ledger.db"),
        ("${STATE}/a:b@c.db", {"STATE": "/s"}, "/s/a:b@c.db"),
    ],
)
def test_path_of_a_ledger(option: str | None, environ: dict[str, str], path: str) -> None:
    assert location_of(option, environ) == FileLocation(Path(path), is_default=not option)


INVALID = "is not a valid PostgreSQL address"


@pytest.mark.parametrize(
    ("address", "words"),
    [
        (" postgresql://u:s3cret@h/d", "begins or ends with whitespace"),
        ('"/srv/ledger.db"', "quotation mark"),
        ("postgresql://u:s3cret@h/d\n", INVALID),
        ("postgresql://u:s3cr%zzet@h/d", INVALID),
        ("postgresql://u:cr@s3et@h/d", INVALID),
        ("postgresql://u:s3/cret@h/d", INVALID),
        ("postgresql://u:s3cret@h:s3/d", INVALID),
        ("postgresql://u:s3cret@h/d?user=s3@x", INVALID),
        ("postgresql://u:s3cr%00et@h/d", INVALID),
        ("postgresql://u:s3cret@h/d d", INVALID),
        ("postgresql:/u:s3cret@h/d", "neither the path"),
        ("host=h password=s3cret", "neither the path"),
        ("postgresql+psycopg://u:s3cret@h/d", "neither the path"),
        ("./orders.db", "is relative"),
        (None, "is relative"),
        ("u:s3cret@h/d", "neither the path"),
        ("$NOT_SET/ledger.db", "the variable $NOT_SET, which is not set"),
        ("/srv/led\0ger.db", "neither the path"),
        ("/srv/${EMPTY}/ledger.db", "the variable ${EMPTY}, which is not set"),
    ],
)
def test_what_would_name_a_ledger_by_mistake_is_refused_and_not_repeated(address: str | None, words: str) -> None:
    with pytest.raises(LedgerError) as caught:
        location_of(address, {"EMPTY": "", "HOME": "home"})
    assert words in caught.value.message
    assert "s3" not in f"{caught.value.message}{caught.value.__cause__}{caught.value.__context__}"


@pytest.mark.parametrize(
    ("address", "place"),
    [
        ("postgresql://u:s3cret@h:5433/d?sslmode=require&sslpassword=s3cret", "postgresql://u@h:5433/d"),
        ("postgresql:///d?host=/run/pg&password=s3cret", "postgresql:///d?host=/run/pg"),
        ("postgresql://u:s3cret@?service=old", "postgresql://u@?service=old"),
        ("postgresql://u%40x:s3cret@a:1,[::1]:2/d", "postgresql://u%40x@a:1,[::1]:2/d"),
        ("postgresql://", "postgresql://"),
        ("postgresql://u:s3cret@a,b,c/d?port=5433", "postgresql://u@a,b,c/d?port=5433"),
        ("postgres://u:s3:cret@h/", "postgresql://u@h/"),
        ("postgresql://u:s3cret@h/d?options=-csearch_path%3Da", "postgresql://u@h/d?options=-csearch_path%3Da"),
    ],
)
def test_a_place_in_postgresql_is_shown_without_secrets(address: str, place: str) -> None:
    assert read_address(address).place == place


USUAL = "postgresql://u:s3cret@h/d?sslmode=require"


@pytest.mark.parametrize(
    ("option", "usual", "text"),
    [
        # As messages name it.
        ("postgresql://u@h/d", USUAL, USUAL),
        ("postgres://u@h/d", USUAL, USUAL),
        # Another user, server or database, and one with a password of its own.
        *((other, USUAL, other) for other in ("postgresql://v@h/d", "postgresql://u@i/d", "postgresql://u@h/e")),
        ("postgresql://u:other@h/d", USUAL, "postgresql://u:other@h/d"),
        # Nothing to take it from.
        *(
            ("postgresql://u@h/d", other, "postgresql://u@h/d")
            for other in ("", "/srv/ledger.db", "postgresql://u:a@b@h")
        ),
    ],
)
def test_address_without_a_password_has_that_of_the_usual_ledger_if_it_is_the_same(
    option: str, usual: str, text: str
) -> None:
    location = location_of(option, {"RESELLER_LEDGER": usual})
    assert isinstance(location, ServerLocation)
    assert location.text == text
