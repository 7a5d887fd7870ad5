# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later
"""Ledgers at these locations, as the tests of the ledger make them."""

from tests.unit.plugins.module_utils._ledger.conftest import postgresql_store, sqlite_store, store  # noqa: F401
