# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Opens the ledger in a task's options, and checks whether the task may use it."""

from __future__ import annotations

import os
import pwd
from contextlib import suppress
from typing import Literal

from .._core.errors import Advice, LedgerError
from .._ledger.database import Actor, Mode
from .._ledger.store import Ledger
from .._locations.known_ledgers import KnownLedgers, LedgerCheck
from .._locations.locations import FileLocation, Location, is_job, location_of, pipeline_of, state_folder
from .._locations.opening import open_ledger
from .context import Context

#: What a task does with its ledger. Whoever settles is a person, who may correct one that is not to be ordered with.
Purpose = Literal["read", "order", "settle"]


def ledger_of(context: Context, purpose: Purpose) -> Ledger:
    """Return the ledger in the options. Check mode only reads it, and refuses what the task would."""
    location, known = location_of(context.params["ledger"], context.environ), known_ledgers(context)
    mode: Mode = "read" if purpose == "read" else "check" if context.check_mode else "write"

    def make() -> Ledger:
        ledger = open_ledger(location, mode, actor_of(context), context.clocks)
        try:
            _check(context, known, ledger, location, purpose)
        except BaseException:
            ledger.close()
            raise
        return ledger

    # One that is only read may be a file that nobody had made yet, or that others replace.
    if mode == "write":
        key = (location, frozenset(context.environ.items()), context.params["new_ledger"], purpose)
        ledger = context.shared.opened(key, make)
        if ledger.on_change is not None:
            # The task that opened it may have ended.
            known.remember_changes(ledger, context.warn)
    else:
        ledger = make()
        context.at_end.callback(ledger.close)
    return ledger


def actor_of(context: Context) -> Actor:
    """Return who runs the task: the user and job of AWX, else the user of this machine."""
    user = context.user
    with suppress(KeyError):
        user = user or pwd.getpwuid(os.getuid()).pw_name
    return Actor(user or f"uid {os.getuid()}", context.job.get("awx_job_id"), context.job.get("awx_workflow_job_id"))


def known_ledgers(context: Context) -> KnownLedgers:
    """Return what this user knows of ledgers at this moment."""
    folder = None
    with suppress(LedgerError):
        folder = state_folder(context.environ)
    # A job remembers nothing.
    return KnownLedgers(folder, (lambda _text: None) if is_job(context.environ) else context.warn)


def _check(context: Context, known: KnownLedgers, ledger: Ledger, location: Location, purpose: Purpose) -> None:
    """Warn of what is to be known of this ledger. Raises LedgerError if it is refused."""
    check, in_job, pipeline = known.check(ledger), is_job(context.environ), pipeline_of(context.environ)
    if pipeline and not ledger.exists and isinstance(location, FileLocation) and location.is_default:
        raise LedgerError(
            f"There is no ledger at {ledger.place}, and no default one is made in a pipeline. Nothing was sent.\n"
            f"{pipeline} is set. With a new ledger in each run, each run would order again.",
            Advice(
                "Set ledger (or RESELLER_LEDGER) to a PostgreSQL address (postgresql://user@host/database), or to a "
                "path that is kept.",
            ),
        )
    refused = check.why_not_for_orders(context.params["new_ledger"] or ("refuse" if in_job or pipeline else None))
    if refused is None:
        _note(context, known, ledger, check, purpose)
    elif purpose == "order" or (purpose == "settle" and check.history.closed is not None):
        raise LedgerError(refused)
    else:
        context.warn(refused)


def _note(context: Context, known: KnownLedgers, ledger: Ledger, check: LedgerCheck, purpose: Purpose) -> None:
    """Warn of what is new here, and remember the ledger if the task may write to it."""
    may_write = purpose != "read" and not context.check_mode
    if ledger.seen.token is None and not may_write:
        context.warn(f"There is no ledger at {ledger.place} yet. Orders recorded elsewhere are missing in it.")
    elif purpose != "read" and not is_job(context.environ) and known.is_able and (first := check.first()):
        context.warn(first)
    if may_write:
        known.remember(ledger)
        known.remember_changes(ledger, context.warn)
