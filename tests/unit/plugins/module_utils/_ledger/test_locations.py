# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Which ledger an address means, and what is refused before anything is made."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import LedgerError, MissingLibraryError
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.locations import (
    FileLocation,
    cache_folder,
    location_of,
    read_address,
)
from ansible_collections.hosting.reseller.plugins.module_utils._ledger.store import open_ledger


@pytest.mark.parametrize(
    ("environ", "path"),
    [
        ({"HOME": "/h"}, "/h/.local/state/hosting.reseller/ledger.db"),
        ({"HOME": "/h", "XDG_STATE_HOME": "state"}, "/h/.local/state/hosting.reseller/ledger.db"),
        ({"HOME": "/h", "XDG_STATE_HOME": "~/s"}, "/h/s/hosting.reseller/ledger.db"),
    ],
)
def test_default_path(environ: dict[str, str], path: str) -> None:
    assert location_of(None, environ) == location_of("", environ) == FileLocation(Path(path), is_default=True)


def test_cache_folder_is_that_of_the_user_if_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    assert cache_folder({"HOME": "/h"}) == Path("/h/.cache/hosting.reseller")
    assert cache_folder({"HOME": "/h", "XDG_CACHE_HOME": "/c"}) == Path("/c/hosting.reseller")

    def unknown(_path: Path) -> Path:
        raise RuntimeError("Could not determine home directory.")

    monkeypatch.setattr(Path, "expanduser", unknown)
    assert cache_folder({}) is None


@pytest.mark.parametrize("address", [None, "/srv/orders.db"])
def test_a_job_whose_files_vanish_does_not_order(address: str | None, tmp_path: Path) -> None:
    environ = {"AWX_ISOLATED_DATA_DIR": "/", "HOME": str(tmp_path)}
    with pytest.raises(LedgerError) as caught:
        open_ledger(location_of(address, environ), "read")
    for words in ("AWX_ISOLATED_DATA_DIR", "RESELLER_LEDGER", "postgresql://", "volume"):
        assert words in caught.value.message
    assert list(tmp_path.iterdir()) == []


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
        ("u:s3cret@h/d", "neither the path"),
        ("$NOT_SET/ledger.db", "the variable $NOT_SET, which is not set"),
        ("/srv/led\0ger.db", "neither the path"),
        ("/srv/${EMPTY}/ledger.db", "the variable ${EMPTY}, which is not set"),
    ],
)
def test_what_would_name_a_ledger_by_mistake_is_refused_and_not_repeated(address: str, words: str) -> None:
    with pytest.raises(LedgerError) as caught:
        location_of(address, {"EMPTY": ""})
    assert words in caught.value.message
    assert "s3" not in f"{caught.value.message}{caught.value.__cause__}{caught.value.__context__}"


@pytest.mark.parametrize("address", ["$STATE/ledger.db", "${STATE}/a:b@c.db"])
def test_variables_in_a_path_are_those_of_the_task(address: str, tmp_path: Path) -> None:
    with open_ledger(location_of(address, {"STATE": str(tmp_path)}), "write") as ledger:
        assert ledger.place == str(tmp_path / address.rpartition("/")[2])


def test_psycopg_is_needed_only_for_postgresql(tmp_path: Path) -> None:
    code = """if True:
        import sys
        sys.modules["psycopg"] = None
        from ansible_collections.hosting.reseller.plugins.module_utils._ledger.locations import location_of
        from ansible_collections.hosting.reseller.plugins.module_utils._ledger.store import open_ledger
        open_ledger(location_of(sys.argv[1], {}), "write").make()
        try:
            open_ledger(location_of("postgresql://h/d", {}), "write")
        except Exception as error:
            print(type(error).__name__, error)
    """
    cache = Path(__file__).parents[5] / ".cache"
    command = [sys.executable, "-c", code, str(tmp_path / "ledger.db")]
    done = subprocess.run(command, env={"PYTHONPATH": str(cache)}, capture_output=True, text=True, check=True)
    assert done.stdout.startswith(MissingLibraryError.__name__)
    assert "The Python library psycopg[binary], needed for a ledger in PostgreSQL, cannot be imported." in done.stdout
    assert "pip install 'psycopg[binary]'\n" in done.stdout


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
