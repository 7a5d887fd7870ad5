# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""Waits until contracts are ready, by the states that their lists show. One list serves many contracts."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

from .._core.addresses import usable_address
from .._core.clocks import Clocks
from .._core.errors import ConfigurationError, LedgerError, ServiceError
from .._core.text import clean
from .._service.description import Description
from .._service.places import comparable, only_at, texts_at
from .contract_list import ContractList
from .reconciling import Reconciler, line_for

#: Seconds between two looks: the first ones, by how much they grow, and the longest.
FIRST_PAUSE, GROWTH, LONGEST_PAUSE = 2.0, 1.5, 30.0
_NEEDED = ("contracts.state", "contracts.ready")


class AwaitedContract(NamedTuple):
    """A recorded contract, and whose it is (a UUID or ``__self__``)."""

    contract_id: str
    end_user: str


class LastLook(NamedTuple):
    """The last that the service showed of a contract, ``why`` in words. ``unread``: its list is not to be read."""

    status: Literal["waiting", "ready", "failed", "unread"] = "waiting"
    why: str = "Its list does not show it"
    state: str | None = None
    address: str | None = None
    raw: Mapping[str, Any] | None = None


def refuse_without_states(description: Description) -> None:
    """Raise ConfigurationError where the file of a service does not say which states mean ready."""
    missing = [each for each in _NEEDED if description.source(each) != "file" or description.get(each) is None]
    if missing:
        raise ConfigurationError(
            f"wait needs {' and '.join(missing)} in the service's file. Nothing was sent.\n"
            "The guide Describe your service says where to find them. Add, with your service's own words:\n"
            "contracts:\n  state: status\n  ready: [active]"
        )


def refuse_without_list(found: Reconciler, end_users: Sequence[str]) -> None:
    """Raise ConfigurationError where the list of an end user's contracts cannot be read."""
    for end_user in end_users:
        try:
            found.own_list(end_user)
            why = line_for(end_user) if found.is_hidden(end_user) else ""
        except ServiceError as error:
            why = error.message
        if why:
            raise ConfigurationError("wait needs the list of contracts, which cannot be read. Nothing was sent.", why)


def last_look(listing: ContractList, contract_id: str) -> LastLook:
    """Return what a list shows of a contract, judged by the states that the file gives."""
    shown, fields = listing.find(contract_id), listing.fields
    if shown is None:
        return LastLook()
    state = only_at(shown.raw, fields.get("state")) if fields.is_given("state") else None
    said = f"{clean(str(fields.get('state')), 60)}: {clean(str(state), 60)}"
    seen = {
        name
        for name in ("ready", "failed", "ended")
        if state is not None and comparable(state) in map(comparable, fields.get(name) or ())
    }
    status: Literal["waiting", "ready", "failed"] = "waiting"
    if seen:
        status = "ready" if seen == {"ready"} else "failed"
    address = usable_address(texts_at(shown.raw, fields.get("address")))
    return LastLook(status, said, state, address, dict(shown.raw))


@dataclass(frozen=True)
class Waiter:
    """Looks at the lists until contracts are ready, at most ``timeout`` seconds by these ``clocks``.

    ``read`` reads the lists of end users anew. ``sleep`` sleeps so many seconds, or less if ``is_stopped``. With
    ``keep_going``, one that failed does not end the wait for the others.
    """

    read: Callable[[Sequence[str]], Reconciler]
    timeout: float
    clocks: Clocks
    sleep: Callable[[float], None]
    is_stopped: Callable[[], bool]
    keep_going: bool = False

    def wait(self, awaited: Mapping[str, AwaitedContract]) -> dict[str, LastLook]:
        """Return the last look at each contract, by names of the caller."""
        end, pause = self.clocks.monotonic() + self.timeout, FIRST_PAUSE
        looks = dict.fromkeys(awaited, LastLook())
        while True:
            waiting = [name for name, each in looks.items() if each.status == "waiting"]
            delay = self._look(awaited, waiting, looks)
            statuses = {each.status for each in looks.values()}
            has_failed, is_over = not statuses.isdisjoint({"failed", "unread"}), "waiting" not in statuses
            left = end - self.clocks.monotonic()
            if is_over or left <= 0 or self.is_stopped() or (has_failed and not self.keep_going):
                return looks
            self.sleep(min(max(pause, delay), left))
            pause = min(pause * GROWTH, LONGEST_PAUSE)
            if self.is_stopped():
                return looks

    def _look(
        self, awaited: Mapping[str, AwaitedContract], waiting: Sequence[str], looks: dict[str, LastLook]
    ) -> float:
        """Look once, and return for how many seconds the service asks not to."""
        delay = 0.0
        try:
            found = self.read([*dict.fromkeys(awaited[name].end_user for name in waiting)])
        except (ServiceError, LedgerError) as unread:
            for name in waiting:
                looks[name] = looks[name]._replace(why=unread.message.splitlines()[0].rstrip("."))
            return delay
        for name in waiting:
            try:
                looks[name] = last_look(found.own_list(awaited[name].end_user), awaited[name].contract_id)
            except ServiceError as error:
                status: Literal["waiting", "unread"] = "unread" if error.status in (401, 403) else "waiting"
                looks[name] = looks[name]._replace(status=status, why=error.message.splitlines()[0].rstrip("."))
                delay = max(delay, error.retry_after or 0.0)
        return delay
