# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a task knows of the things of a service."""

from __future__ import annotations

from ansible_collections.hosting.reseller.plugins.module_utils._http.config import ServiceConfig
from ansible_collections.hosting.reseller.plugins.module_utils._order.service import Service
from ansible_collections.hosting.reseller.plugins.module_utils._service.description import Description, EndUser
from playbooks.files.simulator.http_server import Reply, ScriptedServer


def test_known_ids_are_those_of_the_file_and_of_the_catalogue_once_it_was_read() -> None:
    product, end_user = "43444cec-30eb-4f99-a44d-4e7c1373723d", "d19f51a8-e747-452b-89a9-286bfa544c77"
    described = Description(end_users={"customer": EndUser("customer", end_user)})
    with ScriptedServer(lambda _request: Reply([{"id": product, "name": "VPS M", "options": []}])) as server:
        service = Service(ServiceConfig(server.url, "key-0123456789", "4200"), described)
        assert service.known_ids == {end_user}
        assert server.requests == []
        service.catalogue()
        assert service.known_ids == {end_user, product}
        service.close()
