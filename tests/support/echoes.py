# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Answers of a service that repeats what it was sent, in every form and in every place that an answer has."""

from __future__ import annotations

import json
import random
import string
from collections.abc import Callable, Mapping
from urllib.parse import quote, quote_plus

from tests.support.http_server import Reply

CONTRACT = "0197f7ac-5b1e-7c2f-b5d7-0f3a4e4f7f3c"
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


#: The kinds of replies() after which the service holds the contract.
PLACED = ("created", "silent", "page", "torn")


def replies(text: str, form: str) -> dict[str, Reply]:
    """Answers that repeat a text in every place that an answer has; by the form and the kind of the answer."""
    long = "x" * (1990 - len(text)) + " " + text
    headers = {"X-Request-Id": quote(text, safe=" "), "Location": f"https://elsewhere.example/?x={quote(text)}"}
    return {
        f"{form}-created": Reply(
            {"id": CONTRACT, "status": "new", "echo": text, "list": [text], text: 1, "state": text}, 201
        ),
        f"{form}-refused": Reply({"message": text, "errors": {"settings.x": [text], text: ["no"]}}, 422, headers),
        f"{form}-cut": Reply({"message": long, "violations": [{"propertyPath": text, "message": long}]}, 400),
        f"{form}-silent": Reply({"sent": {"y": text}, "requestId": text}, 500, headers),
        f"{form}-moved": Reply({"message": text}, 301, headers),
        f"{form}-page": Reply(f"<html><title>{text}</title><body>{text}</body></html>".encode(), 502),
        f"{form}-text": Reply(text.encode(), 503),
        f"{form}-torn": Reply(f'{{"message": "{text}'.encode(), 201),
    }
