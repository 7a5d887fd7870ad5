# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The ledger that a task's options name."""

from __future__ import annotations

import os

from .._ledger.ledger import Ledger
from .._ledger.opening import hindrance, open_ledger
from .._ledger.places import relative
from .context import Context


def ledger_of(context: Context, *, writing: bool) -> Ledger:
    """The ledger that the options name; in check mode only read, with a warning where it could not be written.

    Raises LedgerError.
    """
    address, environ = context.params.get("ledger"), context.environ
    ordering = writing
    if writing and (advice := relative(address, environ=environ)):
        context.warn(advice)
    if writing and context.check_mode:
        writing = False
        if reason := hindrance(address, environ=environ):
            context.warn(f"Without check mode, this task would be refused. {reason}")

    def make() -> Ledger:
        ledger = open_ledger(address, environ=environ, writing=writing)
        for warning in ledger.warnings if ordering else ():
            context.warn(warning)
        return ledger

    # One that is only read may be a file that nobody had made yet, or that others replace.
    if context.shared is not None and writing:
        return context.shared.ledger((address, os.getcwd(), frozenset(environ.items())), make)
    ledger = make()
    context.opened.append(ledger)
    return ledger


__all__ = ["ledger_of"]
