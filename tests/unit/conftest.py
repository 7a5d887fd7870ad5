# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What all unit tests share."""

from __future__ import annotations

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._http import client


@pytest.fixture(autouse=True)
def read_retries(monkeypatch: pytest.MonkeyPatch) -> None:
    """No read is tried again by itself, and none waits. The tests of the client bring a fixture of their own."""
    monkeypatch.setattr(client, "READ_RETRIES", 0)
    monkeypatch.setattr(client, "sleep", lambda _seconds: None)
