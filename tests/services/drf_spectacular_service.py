# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Django REST framework, described by drf-spectacular (OpenAPI 3.0 in YAML, its own page)."""

from __future__ import annotations

from typing import Any

from django.urls import path
from drf import main


def documentation() -> list[Any]:
    from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerView

    return [
        path("api/schema/", SpectacularAPIView.as_view(), name="schema"),
        path("api/docs", SpectacularSwaggerView.as_view(url_name="schema")),
    ]


if __name__ == "__main__":
    main("spectacular", documentation)
