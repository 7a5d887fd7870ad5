# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What a service says: it repeats secrets and contact values in every form, wherever an answer has texts."""

from __future__ import annotations

import json
import random
import string
from collections.abc import Callable, Mapping
from typing import Any
from urllib.parse import quote, quote_plus

from playbooks.files.simulator import data
from playbooks.files.simulator.shapes.base import PRODUCTS
from tests.faults.scene import Scene

FORMS: Mapping[str, Callable[[str], str]] = {
    "raw": str,
    "json": lambda text: json.dumps(text)[1:-1],
    "slashes": lambda text: json.dumps(text)[1:-1].replace("/", "\\/"),
    "url": lambda text: quote(text, safe=""),
    "url-small": lambda text: quote(text, safe="").lower() if text.islower() else quote_plus(text),
    "wrapped": lambda text: text.replace(" ", "\n  "),
}
CONTACT = {
    "label": "c-4711",
    "first_name": "Zebulonia",
    "last_name": "Quendelmann",
    "company_name": 'Quokka/Sons & "Söhne"',
    "street": "Xylophonweg 17",
    "postal_code": "89073",
    "city": "Yggdrasilheim",
    "country": "DE",
    "telephone": "+49.7319987654",
    "email": "zebulonia@quendelmann.example",
}
#: Parts of the contact that no form changes, so that they can be looked for.
PERSONAL = ("Zebulonia", "Quendelmann", "Quokka", "Xylophonweg", "Yggdrasilheim", "7319987654", "quendelmann")


def secret(chance: random.Random) -> tuple[str, list[str]]:
    """A password, and the parts of it that show it in any form."""
    parts = ["".join(chance.choices(string.ascii_letters + string.digits, k=9)) for _each in range(3)]
    between = ["".join(chance.choices(" /\"'\\%&<>+=?#@:;ü€{}", k=3)) for _each in range(2)]
    return f"{parts[0]}{between[0]}{parts[1]}{between[1]}{parts[2]}", parts


def answers(text: str) -> dict[str, dict[str, Any]]:
    """Answers of the simulator that repeat a text in every place that an answer has."""
    long = "x" * (1990 - len(text)) + " " + text
    headers = {"X-Request-Id": quote(text, safe=" "), "Location": f"https://elsewhere.example/?x={quote(text)}"}
    created = {"id": "0197f7ac-5b1e-7c2f-b5d7-0f3a4e4f7f3c", "echo": text, "list": [text], text: 1, "state": text}
    refused = {"message": text, "errors": {"settings.x": [text], text: ["no"]}}
    cut = {"message": long, "violations": [{"propertyPath": text, "message": long}]}
    page = f"<html><title>{text}</title><body>{text}</body></html>"
    return {
        "created": {"status": 201, "process": True, "body": created},
        "refused": {"status": 422, "headers": headers, "body": refused},
        "cut": {"status": 400, "body": cut},
        "silent": {"status": 500, "process": True, "headers": headers, "body": {"sent": {"y": text}}},
        "moved": {"status": 301, "headers": headers, "body": {"message": text}},
        "page": {"status": 502, "process": True, "body": page},
        "torn": {"status": 201, "process": True, "body": f'{{"message": "{text}'},
    }


def echo(scene: Scene) -> None:
    """The service repeats an order's secret, the API key and the contact, in a form for each kind of answer in turn."""
    simulator, chance, forms = scene.site.simulator, random.Random(scene.number), [*FORMS.values()]
    scene.contacts = PERSONAL
    contracts: dict[str, str] = {}
    for at, kind in enumerate(answers("")):
        domain = f"{kind}.example"
        contracts[domain], parts = secret(chance)
        scene.secrets = [*scene.secrets, *parts]
        text = forms[(at + scene.number) % len(forms)](" ".join([contracts[domain], data.API_KEY, *CONTACT.values()]))
        simulator.arm("answer", match={"domain": domain}, **answers(text)[kind])
    simulator.arm("answer", method="GET", on=PRODUCTS, status=404, body={"message": data.API_KEY})
    scene.refused(validation="catalogue")
    # What is in doubt stays so, and repeats what the service said.
    first = scene.ended(_order(scene, contracts, read_back=False))
    statuses = {each["order"]["status"] for each in first["results"]}
    scene.expect(statuses == {"ordered", "rejected", "in_doubt"}, statuses)
    scene.expect("********" in json.dumps(first))
    for name in scene.in_doubt():
        scene.settle(name)
    # All of it again, from a service that repeats nothing.
    for _time in range(2):
        last = scene.ended(_order(scene, contracts))
    scene.expect(not last["changed"] and not last.get("failed"))
    scene.expect(scene.site.ordered().keys() == contracts.keys())


def _order(scene: Scene, contracts: Mapping[str, str], **more: Any) -> Any:
    """Begin to transfer domains, with an authcode each."""
    settings = {"action": "transfer", "ownercData": CONTACT, "admincRef": data.ADMIN_CONTACT}
    shared = {"end_user": "__self__", "product": data.DOMAIN_DEFAULT, "product_type": "domain", "settings": settings}
    orders = [{"settings": {"domain": domain, "authcode": authcode}} for domain, authcode in contracts.items()]
    options = {
        "defaults": {**shared, "validation": "specification", "verify_nameservers": False},
        "contracts": orders,
        "on_error": "continue",
        **more,
    }
    return scene.fork("reseller_contracts", options)
