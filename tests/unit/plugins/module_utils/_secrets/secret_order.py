# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""An order with secrets and a contact, and what masks them."""

from __future__ import annotations

import json

from ansible_collections.hosting.reseller.plugins.module_utils._secrets.masker import Masker

CONTACT = {
    "label": "c-4711",
    "first_name": "Al",
    "last_name": "Müller-Ng",
    "company_name": "",
    "street": 'Haus "Sonne" 7',
    "postal_code": "89073",
    "city": "Ulm",
    "country": "DE",
    "telephone": "+49.731123",
    "email": "al@example.com",
    "fax": "",
}
CONTACT_TEXT = json.dumps(CONTACT, ensure_ascii=False, separators=(",", ":"))
SECRETS = {"Hunter/2 ü", "web"}
NAMES = ["web01.example.org", "VPS M"]
ORDER = Masker(SECRETS, settings={"hostname": "web01.example.org", "ownercData": CONTACT_TEXT}, kept=NAMES)
