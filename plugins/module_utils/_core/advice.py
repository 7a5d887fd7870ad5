# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""What to do about an error or a warning.

An advice has a key, as messages of gettext have. Where people have other means than a shell and a playbook, such as in
AWX, a table has the sentence for each key.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Literal, NamedTuple

AdviceKey = Literal[
    # Orders and plans
    "again",  # run again
    "approve",  # look at the current plan, and approve that one
    "correct",  # correct what the service names
    "drift",  # restore the recorded values, or choose another name
    "duplicate",  # use the other name, or remove this order
    "l2vpn",  # look up the L2VPN, and tell the task its UUID
    "max_orders",  # check the ledger, then raise max_orders
    "nameservers",  # order without the check of nameservers
    "products",  # list what can be ordered
    "results",  # look at all that is known
    # Orders that are in the ledger
    "adopt",  # adopt what the service lists
    "look",  # list the ledger
    "read_back",  # correct what prevents reading back, or do without it
    "record",  # correct the record
    "settle",  # record how an order in doubt ended
    "settle_as",  # record that this is its contract
    # Surroundings
    "address",  # record that the service moved
    "connection",  # check base_url, api_key and organization_id
    "elements",  # give the names of the two request elements
    "ids",  # check what was sent, and the connection
    "ledger",  # give the location of the ledger
    "libraries",  # install what is missing
    "network",  # check what is between here and the service
    "older_ledger",  # give the location of the older ledger, if there is one
    "release",  # use the release that wrote the ledger
    "resolvers",  # name resolvers
    "restore",  # restore the ledger
]

#: The table of the surroundings of this process. By itself, each advice has its own text.
_words: Mapping[AdviceKey, str] = {}


class Advice(NamedTuple):
    """What to do, in words for who runs Ansible. Without a ``text``, only a table has words for it."""

    key: AdviceKey
    text: str = ""

    def __str__(self) -> str:
        return _words.get(self.key, self.text)


def told(parts: Iterable[str | Advice]) -> str:
    """A message of these parts, one below the other. An advice that is given several times stands at its last place."""
    shown = [(str(part), isinstance(part, Advice)) for part in parts]
    last = {text: index for index, (text, is_advice) in enumerate(shown) if is_advice}
    return "\n".join(text for index, (text, _is_advice) in enumerate(shown) if text and last.get(text, index) == index)


@contextmanager
def worded(words: Mapping[AdviceKey, str]) -> Iterator[None]:
    """Within this context, each advice is told in the words that the table has for its key."""
    global _words
    before, _words = _words, words
    try:
        yield
    finally:
        _words = before
