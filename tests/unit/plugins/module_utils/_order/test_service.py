# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What is kept of a service between tasks: the reference that was found, or that there is none."""

from __future__ import annotations

import pytest

from ansible_collections.hosting.reseller.plugins.module_utils._core.errors import (
    ConfigurationError,
)
from ansible_collections.hosting.reseller.plugins.module_utils._http.config import ServiceConfig
from ansible_collections.hosting.reseller.plugins.module_utils._order.service import Service


@pytest.mark.parametrize(("end_user", "product"), [("a", "a"), ("settings", None), (None, "settings")])
def test_options_that_cannot_be_meant_are_refused(end_user: str | None, product: str | None) -> None:
    words = "are both 'a'" if end_user == product else "cannot be settings"
    with pytest.raises(ConfigurationError, match=words):
        Service(ServiceConfig("https://portal.example", "key-0123456789", "4200"), end_user, product)
