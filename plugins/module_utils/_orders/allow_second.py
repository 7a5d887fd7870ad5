# Copyright: (c) 2026, hosting.reseller contributors
# GNU General Public License v3.0+ (see LICENSES/GPL-3.0-or-later.txt or https://www.gnu.org/licenses/gpl-3.0.txt)
# SPDX-License-Identifier: GPL-3.0-or-later

"""The option ``allow_second``: beside what another server or webhosting may be bought. Pure."""

from __future__ import annotations

from typing import Any, NamedTuple

from .._core.errors import ConfigurationError
from .._core.text import clean, truth
from .._ledger.identity import same_contract_id


class AllowSecond(NamedTuple):
    """``recorded``: beside what the ledger has. ``ids``: beside these contracts of the list that the ledger lacks."""

    recorded: bool = False
    ids: frozenset[str] = frozenset()

    def allows(self, contract_id: str) -> bool:
        """Return whether the contract with this ID, which the ledger lacks, stands in the way of nothing."""
        return any(same_contract_id(contract_id, each) for each in self.ids)


def allow_second_of(value: Any) -> AllowSecond:
    """Return the meaning of the option: a boolean or one of Ansible's words for it, or a list of contract IDs.

    Raises ConfigurationError for anything else.
    """
    if isinstance(value, (list, tuple)):
        ids = [str(each).strip() for each in value if isinstance(each, (str, int)) and not isinstance(each, bool)]
        if len(ids) == len(value) and all(ids):
            return AllowSecond(ids=frozenset(ids))
    elif (meant := truth(value)) is not None:
        return AllowSecond(recorded=meant)
    raise ConfigurationError(
        f"allow_second {clean(str(value), 60)!r} is neither true, false nor a list of contract IDs. "
        'This order was not sent.\nWrite IDs as a list, such as ["1013"].'
    )
