# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""SSH keys with Django REST framework: what a service publishes beside ordering. Imported once Django is set up."""

from __future__ import annotations

from typing import Any

from drf_settings import KeySerializer, SignedIn
from rest_framework.exceptions import NotFound
from rest_framework.generics import ListCreateAPIView, RetrieveUpdateDestroyAPIView

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
