# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The file of a service: what it may say, where it is, whether it may be trusted, and what it says.

The JSON Schema is what editors show, too. In it, null means that there is none.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path as FilePath
from typing import TYPE_CHECKING, Any
from urllib.parse import urljoin, urlsplit

from .._core.addresses import origin
from .._core.errors import Advice, ConfigurationError, ResellerError
from .._core.files import distrust_of
from .._core.text import clean, is_uuid, kind_of, shown_name
from .._product_types.registry import SELF
from .description import Description, EndUser, Field

if TYPE_CHECKING:
    from .._core.yaml_reader import Document

Schema = Mapping[str, Any]

_NAMES = r"\S(?:.*\S)?"
#: Dotted names; * is any position of a list, which one field alone may have.
_PLACE = rf"^(?!(?:.*\.)?\*(?:\.|$)){_NAMES}$"
_ELEMENT = r"^(?!settings$)\S+$"
#: A path below base_url, without a query and without steps that lead elsewhere.
_BELOW = r"^(?!/[/\\])(?!(?:[^?#]*/)?\.\.?(?:/|$))"
_PATH = rf"{_BELOW}/[^\s?#\\]*$"
#: The same, with no braces but those of {id}, which is one step.
_PATH_WITH_ID = rf"{_BELOW}(?:/(?:\{{id\}}|[^/\s?#\\{{}}]*))+$"


def _text(description: str, pattern: str = f"^{_NAMES}$") -> Schema:
    return {"description": description, "type": ["string", "null"], "pattern": pattern}


def _places(**whose: str) -> Mapping[str, Schema]:
    return {name: _text(f"the place of {value}, as dotted names", _PLACE) for name, value in whose.items()}


def _list(description: str, *types: str) -> Schema:
    items = {"description": description, "type": [*types]}
    return {"description": description, "type": ["array", "null"], "minItems": 1, "items": items}


def _states(meaning: str) -> Schema:
    return _list(f"a list of the states, in quotes, that mean that a contract {meaning}", "string")


def _megabytes(whose: str) -> Schema:
    what = f"the maximum RAM in MB that {whose} may order for one configurable VPS, at least 1024"
    return {"description": what, "type": ["integer", "null"], "minimum": 1024}


def _mapping(description: str, properties: Mapping[str, Schema], *required: str) -> dict[str, Any]:
    kinds = ["object", "null"]
    made = {"description": description, "type": kinds, "properties": {**properties}, "required": [*required]}
    return {**made, "additionalProperties": False}


_NAME: Schema = {"type": "string", "pattern": f"^{_NAMES}$"}
_AT: Schema = {"description": "a place, as dotted names", "type": "string", "pattern": _PLACE}
_STATUS: Schema = {"description": "a status from 200 to 299", "type": "integer", "minimum": 200, "maximum": 299}
_FORMS: tuple[Mapping[str, Schema], ...] = (
    {"link": _AT},
    {"parameter": _NAME, "first": {"type": "integer", "minimum": 0}},
    {"offset": _NAME, "limit": _NAME},
    {"cursor": _AT, "parameter": _NAME},
)
_NEXT: Schema = {
    "description": "null, or a mapping with link, parameter and first, offset and limit, or cursor and parameter",
    "anyOf": [{"type": "null"}, *({**_mapping("", form, *form), "type": "object"} for form in _FORMS)],
}
_CANCEL_PATH = "a path below base_url, in which {id}, the contract's ID, is one whole step, and nothing else has braces"
_OWNED = "a boolean: whether contracts that show no owner belong to the organization whose list it is"

PARTS: Mapping[str, Mapping[str, Any]] = {
    "order": _mapping(
        "how an order is written and confirmed",
        {
            "end_user": _text("the name of the request element for the end user, which is not settings", _ELEMENT),
            "product": _text("the name of the request element for the product, which is not settings", _ELEMENT),
            "placed": _mapping(
                "the status of a response that confirms an order, and the place of the contract's id in it",
                {"status": _STATUS, "id": _AT},
                *("status", "id"),
            ),
        },
    ),
    "products": _mapping(
        "where the catalogue shows products",
        _places(records="the list of products", id="a product's UUID", name="a product's name", options="its options"),
    ),
    "contracts": _mapping(
        "where the service shows contracts",
        {
            "path": _text("a path below base_url that lists contracts, without a query", _PATH),
            "next": _NEXT,
            **_places(
                records="the list of contracts",
                total="the number of all contracts",
                id="a contract's ID",
                hostname="a server's hostname",
                domain="a domain's name",
                product="a contract's product",
                end_user="the UUID of a contract's end user",
                state="a contract's state",
                ends_at="the last day of a contract that was canceled to one",
            ),
            "own": _list("a list of the values that own contracts show at end_user", *("string", "integer", "null")),
            "owned_by_list": {"description": _OWNED, "type": ["boolean", "null"]},
            "ready": _states("can be used"),
            "failed": _states("failed"),
            "ended": _states("is over"),
            "address": _text("the place of a server's address, as dotted names; * is any position of a list"),
        },
    ),
    "cancel": _mapping(
        "the request that cancels a contract",
        {
            "method": {"description": "DELETE, POST, PUT or PATCH", "enum": ["DELETE", "POST", "PUT", "PATCH"]},
            "path": {**_text(_CANCEL_PATH, _PATH_WITH_ID), "type": "string"},
            "body": {"description": "a mapping: the body of the request", "type": ["object", "null"]},
        },
        *("method", "path"),
    ),
}
_END_USER = _mapping(
    "a mapping with the end user's id",
    {
        "id": {"description": "the end user's UUID", "type": "string"},
        "organization_id": _text("the ID of the end user's organization, in quotes"),
        "org_max_ram": _megabytes("the end user's organization"),
    },
    "id",
)
SERVICE_SCHEMA: Schema = {
    **_mapping(
        "a mapping that describes one service",
        {
            "base_url": {**_text("the address of the service, as in the option base_url"), "type": "string"},
            "openapi_url": _text("the path or URL of the OpenAPI document, at base_url's own origin"),
            "nameserver_resolvers": _list("a list of resolvers that look up nameservers", "string"),
            "org_max_ram": _megabytes("your organization"),
            **PARTS,
            "end_users": {
                "description": "a mapping from names of your choice to end users",
                "type": ["object", "null"],
                "additionalProperties": {**_END_USER, "type": "object"},
            },
        },
        "base_url",
    ),
    "type": "object",
}

_MOST_SHOWN = 10


def default_path(base_url: str, environ: Mapping[str, str]) -> str:
    """``$XDG_CONFIG_HOME/hosting.reseller/HOST.yml``, with ``_PORT`` behind the host where base_url has a port."""
    parts = urlsplit(base_url)
    base = environ.get("XDG_CONFIG_HOME") or ""
    # The XDG specification has relative paths ignored.
    folder = base if os.path.isabs(base) else os.path.join(_home(environ), ".config")
    port = f"_{parts.port}" if parts.port else ""
    return os.path.join(folder, "hosting.reseller", f"{parts.hostname}{port}.yml")


def read_service_file(
    given: str | None,
    base_url: str,
    organization_id: str,
    environ: Mapping[str, str],
    read: Callable[[str], str],
) -> Description:
    """Return what the file in the option ``service`` says, otherwise the default file: nothing, if that is missing.

    ``read`` returns the text of a file, decrypted, and raises OSError. Raises ConfigurationError for a relative path, a
    file that cannot be read, that others may write, or that describes another service, and for all its mistakes.
    """
    path = given and _expanded(given, environ)
    if path and not os.path.isabs(path):
        raise ConfigurationError(
            f"The path of the service's file is relative: {clean(path, 60)}. Nothing was sent.",
            Advice("Give the option service (or RESELLER_SERVICE) an absolute path; ~ and variables are allowed."),
        )
    path = path or default_path(base_url, environ)
    try:
        if distrust := distrust_of(FilePath(path), group_may=True):
            raise ConfigurationError(
                f"Others could change the service's file: {distrust.why}. Nothing was sent.\n{path}",
                Advice(f"It decides what is ordered for whom. {distrust.cure}"),
            )
        text = read(path)
    except OSError as error:
        if isinstance(error, FileNotFoundError) and not given:
            return Description()
        raise ConfigurationError(
            f"The service's file cannot be read. Nothing was sent.\n{path}\nReason: {clean(str(error), 300)}.",
            Advice("Correct the option service (or RESELLER_SERVICE), or the file."),
        ) from error
    return read_description(text, path, base_url, organization_id)


class OtherServiceError(ConfigurationError):
    """The file describes another service."""


def described_services(
    given: str | None,
    base_urls: Iterable[str],
    environ: Mapping[str, str],
    read: Callable[[str], str],
    warn: Callable[[str], None],
) -> dict[str, Description]:
    """Return what the files of these services say, by their addresses, for people to read.

    A file that is ``given`` is that of one of them. What is wrong with one is only warned of, once.
    """
    descriptions, wrong = dict[str, Description](), dict[str, None]()
    for base_url in dict.fromkeys(filter(None, base_urls)):
        try:
            descriptions[base_url] = read_service_file(given, base_url, "", environ, read)
        except OtherServiceError:
            continue
        except ResellerError as error:
            wrong[error.message] = None
    for message in wrong:
        warn(f"The names of end users are not known. {message}")
    return descriptions


def _home(environ: Mapping[str, str]) -> str:
    return environ.get("HOME") or os.path.expanduser("~")


def _expanded(path: str, environ: Mapping[str, str]) -> str:
    path = os.path.expandvars(path)
    return _home(environ) + path[1:] if path == "~" or path.startswith("~/") else path


def read_description(text: str, path: str, base_url: str, organization_id: str) -> Description:
    """Return what a text says of the service at ``base_url``. Raises ConfigurationError with all its mistakes."""
    # Imported here: many services have no file.
    from .._core.yaml_reader import read_yaml

    document = read_yaml(text)
    data = document.data
    if data is not None:
        _check(document)
    if not document.problems:
        if origin(data["base_url"]) != origin(base_url):
            raise OtherServiceError(
                f"The service's file describes another service. Nothing was sent.\n{path}\n"
                f"It describes {clean(data['base_url'], 200)}, and base_url is {base_url}.",
                Advice("Give the option service (or RESELLER_SERVICE) the file of this service."),
            )
        _check_meaning(document, base_url)
        _check_end_users(document, organization_id)
    if document.problems:
        shown = [problem.shown(path) for problem in document.problems]
        more = [f"… and {len(shown) - _MOST_SHOWN} more"] if len(shown) > _MOST_SHOWN else []
        raise ConfigurationError(
            "The service's file has mistakes. Nothing was sent.\n" + "\n".join([*shown[:_MOST_SHOWN], *more]),
            Advice("Correct it. The guide Describe your service shows all fields."),
        )
    users = {
        name: EndUser(name, entry["id"].lower(), entry.get("organization_id"), entry.get("org_max_ram"))
        for name, entry in (data.get("end_users") or {}).items()
    }
    return Description(path, dict(_fields(document)), users)


def _fields(document: Document) -> Iterator[tuple[str, Field]]:
    """The fields by their dotted names. A part without fields says nothing."""
    for name, value in document.data.items():
        if name in ("base_url", "end_users"):
            continue
        if name not in PARTS or name == "cancel":
            yield name, Field(value, "file", document.places[(name,)][0])
            continue
        for field, inner in (value or {}).items():
            yield f"{name}.{field}", Field(inner, "file", document.places[(name, field)][0])


def _check(document: Document) -> None:
    """Report what the schema does not allow. Of a mapping with unknown names, the nearest known ones are told."""
    # Measured: jsonschema takes 80 ms to import, which an inventory without such a file does not need.
    from .._product_types.dialect import validator

    for error in validator(SERVICE_SCHEMA).iter_errors(document.data):
        path, is_missing = tuple(error.absolute_path), error.validator == "required"
        if error.validator == "additionalProperties":
            document.unknown(path, error.instance, error.schema["properties"])
            continue
        rule = error.schema["properties"][path[-1]] if is_missing else error.schema
        given = f", not {kind_of(error.instance)}" if error.validator == "type" else ""
        document.add(path, f"{'required: ' * is_missing}{rule['description']}{given}")


def _check_meaning(document: Document, base_url: str) -> None:
    """Report what no schema can tell of addresses and names."""
    data = document.data
    openapi_url, order, cancel = data.get("openapi_url"), data.get("order") or {}, data.get("cancel")
    if openapi_url and origin(urljoin(f"{base_url}/", openapi_url)) != origin(base_url):
        document.add(("openapi_url",), "it is not at the service itself, which alone gets the API key")
    if order.get("end_user") and order.get("end_user") == order.get("product"):
        document.add(("order", "product"), "it is the element for the end user, too: correct one of them")
    if cancel and "{id}" not in f"{cancel['path']}{cancel.get('body')}":
        document.add(("cancel", "path"), "{id}, the contract's ID, is neither in the path nor in the body")


def _check_end_users(document: Document, organization_id: str) -> None:
    """Report names that mean something else, and UUIDs and organizations that stand in two places."""
    seen: dict[tuple[str, str], str] = {("organization_id", organization_id.lower()): "your own organization"}
    for name, entry in (document.data.get("end_users") or {}).items():
        place = ("end_users", name)
        if is_uuid(name) or name == SELF or not name.strip():
            document.add(place, f"a name of your choice, which is not a UUID, not {SELF} and not empty")
        if not is_uuid(entry["id"]):
            document.add((*place, "id"), "the end user's UUID")
        for key in ("id", "organization_id"):
            other = seen.setdefault((key, entry[key].lower()), name) if entry.get(key) else name
            if other != name:
                document.add((*place, key), f"this is also that of {shown_name(other)}: each end user has its own")
