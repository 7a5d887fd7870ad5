# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The serializers of the service that is made with Django REST framework, and its SSH keys, which it publishes beside
ordering. To be imported once Django is set up."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rest_framework import serializers
from rest_framework.exceptions import NotFound
from rest_framework.generics import ListCreateAPIView, RetrieveUpdateDestroyAPIView
from rest_framework.permissions import BasePermission
from rest_framework.request import Request

DATA = json.loads(Path(__file__).with_name("catalogue.json").read_text(encoding="utf-8"))
PRODUCTS = {product["id"]: product for product in DATA["products"]}
HOSTNAME = r"^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\.[A-Za-z0-9-]+)*$"


def template() -> serializers.ChoiceField:
    return serializers.ChoiceField(choices=[(name, name.replace("-", " ").title()) for name in DATA["templates"]])


class Vps(serializers.Serializer[Any]):
    hostname = serializers.RegexField(HOSTNAME, max_length=253)
    template = template()


class Step(serializers.IntegerField):
    """An integer in steps."""

    def __init__(self, step: int, **bounds: int) -> None:
        super().__init__(**bounds)
        self.step = step

    def to_internal_value(self, data: Any) -> int:
        value: int = super().to_internal_value(data)
        if value % self.step:
            raise serializers.ValidationError(f"Must be a multiple of {self.step}.")
        return value


class ConfigurableVps(serializers.Serializer[Any]):
    cpu_cores = serializers.IntegerField(min_value=1, max_value=10, label="CPU cores")
    ram = Step(1024, min_value=1024, max_value=DATA["org_max_ram"])
    disk_size = Step(10, min_value=10, max_value=1000)
    username = serializers.RegexField("^[A-Za-z0-9]+$", min_length=3, max_length=32)
    password = serializers.CharField(style={"input_type": "password"}, trim_whitespace=False)
    template_name = template()
    hostname = serializers.RegexField(HOSTNAME, max_length=253)
    ipv4_addresses = serializers.IntegerField(min_value=1, max_value=10)
    traffic_display = Step(128, min_value=128)
    backup_count = serializers.IntegerField(min_value=5)
    snapshot_count = serializers.IntegerField(min_value=2)
    ha_upgrade = serializers.BooleanField()

    def get_fields(self) -> dict[str, Any]:
        return {**super().get_fields(), "10g_upgrade": serializers.BooleanField()}


class DedicatedServer(serializers.Serializer[Any]):
    hostname = serializers.RegexField(HOSTNAME, max_length=253)
    template = template()
    ip4_subnet_size = serializers.IntegerField(min_value=25, max_value=29, required=False)
    ip4_count = serializers.IntegerField(min_value=1, max_value=10, required=False, allow_null=True)
    ip6_subnet_size = serializers.IntegerField(min_value=48, max_value=64, required=False)
    existing_l2vpn = serializers.UUIDField(required=False)


class Webhosting(serializers.Serializer[Any]):
    pass


class Domain(serializers.Serializer[Any]):
    domain = serializers.CharField(max_length=253)
    action = serializers.ChoiceField(choices=[("register", "Register a new domain"), ("transfer", "Transfer it")])
    authcode = serializers.CharField(required=False, write_only=True)
    nameservers = serializers.CharField(required=False, help_text="Separated by spaces")
    ownercRef = serializers.CharField(required=False)  # noqa: N815 - the interface's names
    ownercData = serializers.CharField(required=False)  # noqa: N815
    admincRef = serializers.CharField(required=False)  # noqa: N815
    admincData = serializers.CharField(required=False)  # noqa: N815


SETTINGS: dict[str, type[serializers.Serializer[Any]]] = {
    "vps": Vps,
    "configurable_vps": ConfigurableVps,
    "dedicated_server": DedicatedServer,
    "webhosting": Webhosting,
    "domain": Domain,
}


class EndUserField(serializers.CharField):
    def to_internal_value(self, data: Any) -> str:
        text: str = super().to_internal_value(data)
        return text if text == "__self__" else str(serializers.UUIDField().to_internal_value(text))


class ProductSerializer(serializers.Serializer[Any]):
    id = serializers.UUIDField()
    name = serializers.CharField()
    options = serializers.JSONField()


class OrderSerializer(serializers.Serializer[Any]):
    end_user = EndUserField(help_text="UUID of an end-user, or __self__")
    product = serializers.UUIDField()
    settings = serializers.JSONField(required=False)


class ContractSerializer(serializers.Serializer[Any]):
    """A contract as it is read; an order is answered otherwise."""

    id = serializers.UUIDField()
    product_name = serializers.CharField()
    end_user = serializers.CharField()
    hostname = serializers.CharField(allow_null=True)
    status = serializers.ChoiceField(choices=["ordered", "running", "cancelled"])
    created = serializers.DateTimeField()


class KeySerializer(serializers.Serializer[Any]):
    id = serializers.IntegerField(read_only=True)
    label = serializers.CharField(max_length=40)
    public_key = serializers.CharField()
    comment = serializers.CharField(required=False, allow_null=True)


class SignedIn(BasePermission):
    message = "The API key is not known."

    def has_permission(self, request: Request, view: Any) -> bool:
        given = (request.headers.get("X-API-Key"), request.headers.get("X-Organization-ID"))
        return given == (DATA["api_key"], DATA["organization_id"])


keys: dict[int, dict[str, Any]] = {1: {"id": 1, "label": "office", "public_key": "ssh-ed25519 AAAA office"}}


class Keys(ListCreateAPIView[Any]):  # type: ignore[misc, valid-type]
    """The SSH keys."""

    permission_classes = [SignedIn]
    serializer_class = KeySerializer

    def get_queryset(self) -> list[dict[str, Any]]:
        return list(keys.values())

    def perform_create(self, serializer: Any) -> None:
        number = max(keys, default=0) + 1
        keys[number] = {"id": number, "comment": None, **serializer.validated_data}
        serializer.instance = keys[number]


class OneKey(RetrieveUpdateDestroyAPIView[Any]):  # type: ignore[misc, valid-type]
    """One SSH key."""

    permission_classes = [SignedIn]
    serializer_class = KeySerializer

    def get_object(self) -> dict[str, Any]:
        if self.kwargs["pk"] not in keys:
            raise NotFound("There is no such key.")
        return keys[self.kwargs["pk"]]

    def perform_update(self, serializer: Any) -> None:
        keys[self.kwargs["pk"]].update(serializer.validated_data)
        serializer.instance = keys[self.kwargs["pk"]]

    def perform_destroy(self, instance: dict[str, Any]) -> None:
        del keys[instance["id"]]
