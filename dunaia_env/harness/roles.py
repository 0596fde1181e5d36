"""What the layers above know about roles, which make the players of a game unequal, such as characters or factions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]

NOBODY = -1
"""Used in place of a role: the seat holds no role and plays without a power."""


class Roles(NamedTuple):
    """The roles of a game, numbered from 0.

    Attributes:
        title: the word for a role in texts for people: "faction".
        names: name of each role.
        drafted: options with which players get their roles as the rules say, by choosing or drawing them.
        absent: options with which nobody has a role, or with which no role has its power.
        assigned_game: name of the game in which given roles are assigned to the seats; it has the same states and
            actions.
        assigned: takes a role for each seat, all different or `NOBODY`; returns the options of ``assigned_game`` with
            which the seats get these roles. Raises `ValueError` for other roles, and for `NOBODY` beside roles unless
            ``apart``.
        held: the role of each seat, int8 ``(N, seats)``, in states ``(N, state_size)``; `NOBODY` also for a seat that
            is absent or has no role yet.
        offered: the roles that the deciding seat may choose, bool ``(N, roles)``; all False unless it is choosing a
            role.
        uses_power: takes states ``(N, state_size)``, the components of all of them, and actions ``(N,)``; returns
            whether each action uses the power of the deciding seat's role, bool ``(N,)``.
        apart: whether a seat can be without a role while others have theirs; if not, what the power of a single role is
            worth cannot be measured.
        drafted_words, absent_words: what reports call games with the options ``drafted`` and ``absent``; "factions
            drafted" and "without factions" if empty.
        seat_note, power_note: what readers of a report need to know about the seats, and about what counts as the use
            of a power, as sentences; may be empty.
    """

    title: str
    names: tuple[str, ...]
    drafted: Mapping[str, Any]
    absent: Mapping[str, Any]
    assigned_game: str
    assigned: Callable[[Sequence[int]], dict[str, Any]]
    held: Callable[[Bytes], NDArray[np.int8]]
    offered: Callable[[Bytes], NDArray[np.bool_]]
    uses_power: Callable[[Bytes, Any, NDArray[np.integer]], NDArray[np.bool_]]
    apart: bool = True
    drafted_words: str = ""
    absent_words: str = ""
    seat_note: str = ""
    power_note: str = ""

    @property
    def decided(self) -> frozenset[str]:
        """Names of the options that determine who has which role; nothing else may set them."""
        return frozenset({*self.drafted, *self.absent})
