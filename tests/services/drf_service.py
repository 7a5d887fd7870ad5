# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""A service made with Django REST framework: serializers, its metadata as options, its pagination and its errors.

drf-spectacular describes it, in OpenAPI 3.0 and YAML.
"""

from __future__ import annotations

import sys
import uuid
from typing import Any

import django
import uvicorn
from a2wsgi import WSGIMiddleware
from django.conf import settings
from django.http import JsonResponse
from django.urls import path


def main() -> None:
    """Serve it on the port of the command line."""
    routes = type(sys)("routes")
    routes.urlpatterns = []  # type: ignore[attr-defined]
    sys.modules["routes"] = routes
    settings.configure(
        DEBUG=False,
        SECRET_KEY="of a test",
        ALLOWED_HOSTS=["*"],
        ROOT_URLCONF="routes",
        STATIC_URL="/static/",
        INSTALLED_APPS=["django.contrib.staticfiles", "rest_framework", "drf_spectacular"],
        TEMPLATES=[{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}],
        REST_FRAMEWORK={
            "DEFAULT_SCHEMA_CLASS": "drf_spectacular.openapi.AutoSchema",
            "DEFAULT_PAGINATION_CLASS": "rest_framework.pagination.PageNumberPagination",
            "PAGE_SIZE": 15,
            "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
            "UNAUTHENTICATED_USER": None,
            "DEFAULT_AUTHENTICATION_CLASSES": [],
        },
    )
    django.setup()

    from django.core.wsgi import get_wsgi_application
    from django.utils import timezone
    from drf_settings import (
        DATA,
        PRODUCTS,
        SETTINGS,
        ContractSerializer,
        Keys,
        OneKey,
        OrderSerializer,
        ProductSerializer,
        SignedIn,
    )
    from drf_spectacular.views import SpectacularAPIView, SpectacularSwaggerView
    from rest_framework.exceptions import NotFound, ValidationError
    from rest_framework.generics import (
        ListAPIView,
        ListCreateAPIView,
        RetrieveAPIView,
    )
    from rest_framework.metadata import SimpleMetadata
    from rest_framework.request import Request
    from rest_framework.response import Response

    orders: list[dict[str, Any]] = []
    contracts: list[dict[str, Any]] = []

    class Products(ListAPIView[Any]):  # type: ignore[misc, valid-type]
        """The products that can be ordered."""

        permission_classes = [SignedIn]
        serializer_class = ProductSerializer

        def get_queryset(self) -> list[dict[str, Any]]:
            metadata = SimpleMetadata()
            return [
                {**one, "options": metadata.get_serializer_info(SETTINGS[one["type"]]())} for one in DATA["products"]
            ]

    class Contracts(ListCreateAPIView[Any]):  # type: ignore[misc, valid-type]
        """Order a product, and list what was ordered."""

        permission_classes = [SignedIn]

        def get_serializer_class(self) -> type[Any]:
            return OrderSerializer if self.request.method == "POST" else ContractSerializer

        def get_queryset(self) -> list[dict[str, Any]]:
            return contracts

        def create(self, request: Request, *args: Any, **kwargs: Any) -> Response:
            wanted = OrderSerializer(data=request.data)
            wanted.is_valid(raise_exception=True)
            product = PRODUCTS.get(str(wanted.validated_data["product"]))
            if product is None:
                raise NotFound("There is no such product.")
            inner = SETTINGS[product["type"]](data=request.data.get("settings", {}))
            if not inner.is_valid():
                raise ValidationError({"settings": inner.errors})
            orders.append(request.data)
            made = {"id": str(uuid.uuid4()), "status": "ordered"}
            contracts.append(
                {
                    "id": made["id"],
                    "product_name": product["name"],
                    "end_user": request.data["end_user"],
                    "hostname": request.data.get("settings", {}).get("hostname"),
                    "status": "running",
                    "created": timezone.now(),
                }
            )
            return Response(made, status=201)

    class OneContract(RetrieveAPIView[Any]):  # type: ignore[misc, valid-type]
        """Show a contract."""

        permission_classes = [SignedIn]
        serializer_class = ContractSerializer

        def get_object(self) -> dict[str, Any]:
            found = [each for each in contracts if each["id"] == str(self.kwargs["pk"])]
            if not found:
                raise NotFound("There is no such contract.")
            return found[0]

    routes.urlpatterns = [  # type: ignore[attr-defined]
        path("api/reseller/products", Products.as_view()),
        path("api/reseller/contracts", Contracts.as_view()),
        path("api/reseller/contracts/<uuid:pk>", OneContract.as_view()),
        path("api/reseller/ssh-keys", Keys.as_view()),
        path("api/reseller/ssh-keys/<int:pk>", OneKey.as_view()),
        path("_orders", lambda request: JsonResponse(orders, safe=False)),
        path("api/schema/", SpectacularAPIView.as_view(), name="schema"),
        path("api/docs", SpectacularSwaggerView.as_view(url_name="schema")),
    ]
    application = WSGIMiddleware(get_wsgi_application())
    uvicorn.run(application, host="127.0.0.1", port=int(sys.argv[1]), log_level="warning")


if __name__ == "__main__":
    main()
