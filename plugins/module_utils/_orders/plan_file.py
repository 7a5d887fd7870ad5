# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A plan as a file: what check mode planned, and a run is compared with. It approves nothing by itself."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .._core.errors import ConfigurationError
from .._core.files import refuse_unsafe
from .plan import Entries

#: A plan of 100,000 orders is smaller.
_LARGEST = 100_000_000


def write_plan(path: str, plan: Entries, digest: str | None) -> None:
    """Write ``plan`` and ``plan_digest`` as JSON, readable by this user alone, in place of an earlier plan.

    Raises ConfigurationError if that is not possible or others could change it, and for a file that holds no plan. When
    it is read, its digest alone decides.
    """
    file = Path(path)
    text = json.dumps({"plan_digest": digest, "plan": [*plan]}, indent=1, ensure_ascii=False) + "\n"
    made = None
    try:
        refuse_unsafe("plan_file", path)
        if os.path.lexists(file):
            read_plan(path)
        # A reader sees the earlier plan or this one. The file is made with the mode 0600.
        descriptor, made = tempfile.mkstemp(prefix=f".{file.name}.", dir=file.parent)
        with open(descriptor, "w", encoding="utf-8") as new:
            new.write(text)
        os.replace(made, file)
    except OSError as error:
        if made is not None:
            with contextlib.suppress(OSError):
                os.unlink(made)
        raise ConfigurationError(
            f"plan_file {path!r} cannot be written: {error.strerror}. Nothing was sent.\n"
            "Give the path of a file in a directory that this user can write to."
        ) from error


def read_plan(path: str) -> list[Any]:
    """Return the entries of a plan file. Raises ConfigurationError for what is none."""
    try:
        with open(path, encoding="utf-8") as file:
            found = json.loads(file.read(_LARGEST))
    except OSError as error:
        raise ConfigurationError(
            f"plan_file {path!r} cannot be read: {error.strerror}. Nothing was sent.\n"
            "Run the playbook with --check, which writes it."
        ) from error
    except (ValueError, RecursionError):
        found = None
    plan = found.get("plan") if isinstance(found, Mapping) and "plan_digest" in found else None
    if not isinstance(plan, list):
        raise ConfigurationError(
            f"plan_file {path!r} is not a plan. Nothing was sent or changed.\n"
            "Give the path of a file that --check wrote, or of a new one."
        )
    return plan
