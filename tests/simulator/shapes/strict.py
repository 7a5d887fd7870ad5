# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""As API Platform, and strict about media types: who does not accept its one type gets 406 (RFC 9110, 15.5.7)."""

from __future__ import annotations

from .apiplatform import LD_JSON, ApiPlatform


class Strict(ApiPlatform):
    """JSON-LD alone, in both directions."""

    key = "strict"
    only_type = LD_JSON
