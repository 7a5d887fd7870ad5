# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Opens the service and the ledger in a task's options, and checks whether the task may use the ledger."""

from __future__ import annotations

from .._core.cache import Cache
from .._core.errors import LedgerError
from .._http.config import ServiceConfig
from .._ledger.custody import Custody
from .._ledger.locations import cache_folder, state_folder
from .._ledger.opening import hindrance, open_ledger, unfit
from .._ledger.order_records import Filter
from .._ledger.seen import Seen
from .._ledger.store import AbsentLedger, Ledger
from .._order.service import Service, ServiceOptions
from .context import Context

_DRY = "Without check mode, this task would be refused."


def service_of(context: Context, pool_size: int = 1) -> Service:
    """The service in the options. Nothing is sent yet. Raises ConfigurationError."""
    params = context.params
    options = ServiceOptions(
        end_user_element=params.get("end_user_element") or None,
        product_element=params.get("product_element") or None,
        catalogue_max_age=float(params.get("catalogue_max_age", 0)),
        refresh=params.get("refresh", True),
    )
    config, folder = ServiceConfig.from_options(params), cache_folder(context.environ)

    def make() -> Service:
        return Service(config, Cache(folder), options, pool_size=pool_size)

    return context.shared.opened((config, options, folder, pool_size), make)


def ledger_of(context: Context, *, writing: bool, settling: bool = False) -> Ledger:
    """The ledger in the options. In check mode, it is only read, with a warning if it is not writable.

    ``settling``: it is written to by a person, who may correct one that is not to be ordered with. Raises LedgerError.
    """
    address, environ = context.params.get("ledger"), context.environ
    ordering, dry = writing, writing and context.check_mode
    shared = bool(context.params["ledger_shared"])
    if dry and (reason := _unfit(context) or hindrance(address, environ=environ, shared=shared)):
        context.warn(f"{_DRY} {reason}")

    def make() -> Ledger:
        if not dry and (refused := _unfit(context)):
            raise LedgerError(refused)
        custody = _custody_of(context)
        ledger = open_ledger(
            address, environ=environ, writing=writing, before_making=custody.before_making, shared=shared
        )
        for warning in ledger.warnings if ordering else ():
            context.warn(warning)
        try:
            if _look_at(context, custody, ledger, refusing=writing and not settling, dry=dry) and writing:
                custody.watch(ledger)
        except BaseException:
            ledger.close()
            raise
        return ledger

    writing = writing and not dry
    # One that is only read may be a file that nobody had made yet, or that others replace.
    if writing:
        options = (context.params[name] for name in ("new_ledger", "ledger_is_kept"))
        key = (address, frozenset(environ.items()), *options, settling, shared)
        ledger = context.shared.opened(key, make)
    else:
        ledger = make()
        context.at_end.callback(ledger.close)
    if ledger.at_end is not None:
        # Not when a shared ledger is closed: once the result is told, Ansible may end the process at any time.
        context.at_end.callback(ledger.at_end)
    return ledger


def accept_ledger(context: Context) -> bool:
    """Accept what is at the ledger's location as the ledger. Return whether that changes anything."""
    ledger = _read(context)
    changed = _custody_of(context).accept(ledger, really=not context.check_mode)
    if ledger.mark().moved_to is None:
        return changed
    if not context.check_mode:
        with _opened_for_writing(context) as moved:
            moved.move(None, [])
    return True


def retire_ledger(context: Context, moved_to: str) -> bool:
    """Record in the ledger that it was moved to this address. Return whether that changes anything.

    Raises LedgerError unless that is another ledger, which holds all orders of this one that are not released.
    """
    ledger, new = _read(context), open_ledger(moved_to, environ=context.environ, writing=False)
    context.at_end.callback(new.close)
    if isinstance(ledger, AbsentLedger):
        raise LedgerError(f"There is no ledger at {ledger.place} that could have been moved.")
    if isinstance(new, AbsentLedger):
        if context.check_mode:
            return True
        raise LedgerError(f"There is no ledger at {new.place}.\nRun the playbook move_ledger, which moves the orders.")
    if new.id == ledger.id:
        raise LedgerError(f"{new.place} is the same ledger as {ledger.place}.\nGive the address of the new one.")
    if ledger.mark().moved_to == new.place:
        return False
    if not context.check_mode:
        standing = ["ordered", "pending", "in_doubt"]
        kinds = (Filter(statuses=standing), Filter(statuses=standing, operations=True))
        known = {record.name for wanted in kinds for record in new.select(wanted)}
        with _opened_for_writing(context) as old:
            old.move(new.place, known)
    return True


def _read(context: Context) -> Ledger:
    refused = _unfit(context)
    if refused is not None:
        raise LedgerError(refused)
    ledger = open_ledger(context.params["ledger"], environ=context.environ, writing=False)
    context.at_end.callback(ledger.close)
    return ledger


def _opened_for_writing(context: Context) -> Ledger:
    params = context.params
    return open_ledger(params["ledger"], environ=context.environ, writing=True, shared=params["ledger_shared"])


def _custody_of(context: Context) -> Custody:
    try:
        folder = state_folder(context.environ)
    except LedgerError:
        folder = None
    return Custody(Seen(folder), context.params["new_ledger"])


def _look_at(context: Context, custody: Custody, ledger: Ledger, *, refusing: bool, dry: bool) -> bool:
    """Say what is to be known of this ledger, or raise LedgerError; whether nothing speaks against it."""
    objection = custody.objection(ledger)
    if objection is not None:
        if refusing or (isinstance(ledger, AbsentLedger) and not dry):
            raise LedgerError(objection)
        context.warn(f"{_DRY} {objection}" if dry else objection)
    elif isinstance(ledger, AbsentLedger):
        context.warn(f"There is no ledger at {ledger.place} yet. Orders recorded elsewhere are missing in it.")
    elif ledger.made:
        context.warn(
            f"A new ledger was made: {ledger.place}.\n"
            "Orders recorded elsewhere are missing in it, and would be placed again.\n"
            "If there is an older ledger, stop, and set ledger (or RESELLER_LEDGER) to it."
        )
    return objection is None


def _unfit(context: Context) -> str | None:
    return unfit(context.params.get("ledger"), environ=context.environ, is_kept=context.params["ledger_is_kept"])
