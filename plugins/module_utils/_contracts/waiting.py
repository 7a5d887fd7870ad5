# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Waits until contracts are ready, by the states that their lists show. One list serves many contracts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal, NamedTuple

from .._core.addresses import usable_address
from .._core.clocks import Clocks
from .._core.errors import ConfigurationError, LedgerError, ResellerError, ServiceError
from .._service.description import Description
from .._service.places import texts_at
from .contract_list import ContractList
from .endings import is_one_of, state_of
from .reconciling import Reconciler, line_for

#: Seconds between two looks: the first ones, by how much they grow, and the longest.
FIRST_PAUSE, GROWTH, LONGEST_PAUSE = 2.0, 1.5, 30.0
_NEEDED = ("contracts.state", "contracts.ready")


class AwaitedContract(NamedTuple):
    """A recorded contract, and whose it is (a UUID or ``__self__``)."""

    contract_id: str
    end_user: str


class LastLook(NamedTuple):
    """The last that the service showed of a contract."""

    #: ``unread``: its list is not to be read.
    status: Literal["waiting", "ready", "failed", "unread"] = "waiting"
    #: The same in words.
    why: str = "Its list does not show it"
    state: str | None = None
    address: str | None = None
    raw: Mapping[str, Any] | None = None
    #: The seconds for which the service asks not to be read.
    retry_after: float = 0.0


def refuse_without_states(description: Description) -> None:
    """Raise ConfigurationError where the file of a service does not say which states mean ready."""
    missing = [name for name in _NEEDED if description.source(name) != "file" or description.get(name) is None]
    if missing:
        raise ConfigurationError(
            f"wait needs {' and '.join(missing)} in the service's file. Nothing was sent.\n"
            "The guide Describe your service says where to find them. Add, with your service's own words:\n"
            "contracts:\n  state: status\n  ready: [active]"
        )


def refuse_without_list(lists: Reconciler, end_users: Sequence[str]) -> None:
    """Raise ConfigurationError where the list of an end user's contracts cannot be read."""
    for end_user in end_users:
        try:
            lists.own_list(end_user)
            why = line_for(end_user, lists.reader.service.described) if lists.is_hidden(end_user) else ""
        except ServiceError as error:
            why = error.message
        if why:
            raise ConfigurationError("wait needs the list of contracts, which cannot be read. Nothing was sent.", why)


def last_look(listing: ContractList, contract_id: str) -> LastLook:
    """Return what a list shows of a contract, judged by the states that the file gives."""
    shown, fields = listing.find(contract_id), listing.fields
    if shown is None:
        return LastLook()
    state, said = state_of(shown.raw, fields)
    means = {name for name in ("ready", "failed", "ended") if is_one_of(state, fields.get(name))}
    status: Literal["waiting", "ready", "failed"] = "waiting"
    if means:
        status = "ready" if means == {"ready"} else "failed"
    address = usable_address(texts_at(shown.raw, fields.get("address")))
    return LastLook(status, said, state, address, dict(shown.raw))


def wait_until_ready(
    awaited: Mapping[int, AwaitedContract],
    read: Callable[[Sequence[str]], Reconciler],
    timeout: float,
    clocks: Clocks,
    sleep: Callable[[float], None],
    is_stopped: Callable[[], bool],
    *,
    keep_going: bool,
) -> dict[int, LastLook]:
    """Look at the lists until contracts are ready, at most ``timeout`` seconds. Return the last looks by index.

    ``read`` reads the lists of end users anew. ``sleep`` sleeps so many seconds, or less if ``is_stopped``. With
    ``keep_going``, one that failed does not end the wait for the others.
    """
    end, pause = clocks.monotonic() + timeout, FIRST_PAUSE
    looks = dict.fromkeys(awaited, LastLook())
    while waiting := {at: awaited[at] for at, look in looks.items() if look.status == "waiting"}:
        now = _looks(waiting, read, looks)
        looks |= now
        statuses, left = {look.status for look in looks.values()}, end - clocks.monotonic()
        is_lost = not keep_going and not statuses.isdisjoint({"failed", "unread"})
        if is_lost or "waiting" not in statuses or left <= 0 or is_stopped():
            return looks
        sleep(min(max(pause, *(look.retry_after for look in now.values())), left))
        pause = min(pause * GROWTH, LONGEST_PAUSE)
        if is_stopped():
            return looks
    return looks


def _looks(
    awaited: Mapping[int, AwaitedContract],
    read: Callable[[Sequence[str]], Reconciler],
    before: Mapping[int, LastLook],
) -> dict[int, LastLook]:
    """Look once. What could not be read is as it was ``before``."""
    try:
        lists = read([*dict.fromkeys(contract.end_user for contract in awaited.values())])
    except (ServiceError, LedgerError) as error:
        return {at: _unread(before[at], error) for at in awaited}
    now = dict[int, LastLook]()
    for at, contract in awaited.items():
        try:
            now[at] = last_look(lists.own_list(contract.end_user), contract.contract_id)
        except ServiceError as error:
            look = _unread(before[at], error)._replace(retry_after=error.retry_after or 0.0)
            now[at] = look._replace(status="unread") if error.status in (401, 403) else look
    return now


def _unread(before: LastLook, error: ResellerError) -> LastLook:
    return before._replace(why=error.message.splitlines()[0].rstrip("."), retry_after=0.0)
