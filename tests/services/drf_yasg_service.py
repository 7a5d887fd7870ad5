# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Django REST framework, described by drf-yasg (Swagger 2.0, its own page)."""

from __future__ import annotations

from typing import Any

from django.urls import path
from drf import main


def documentation() -> list[Any]:
    from drf_yasg import openapi
    from drf_yasg.views import get_schema_view
    from rest_framework.permissions import AllowAny

    view = get_schema_view(
        openapi.Info(title="Portal", default_version="v1"), public=True, permission_classes=[AllowAny]
    )
    return [
        path("api/docs", view.with_ui("swagger", cache_timeout=0)),
        path("api/swagger<str:format>", view.without_ui(cache_timeout=0)),
    ]


if __name__ == "__main__":
    main("yasg", documentation)
