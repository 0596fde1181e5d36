"""What the layers above know of roles: what makes the players of a game unequal, such as characters or factions."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]

NOBODY = -1
"""In place of a role: the seat holds none, and plays without a power."""


class Roles(NamedTuple):
    """The roles of a game, by number from 0.

    Attributes:
        title: what a role is, as people write it: "faction".
        names: name of each role.
        drafted: options with which the players get their roles as the rules say: they choose them, or draw them.
        absent: options with which nobody has a role, or with which no role has its power.
        assigned_game: name of the game in which seats get given roles; it has the same states and actions.
        assigned: its options with which each seat gets a given role, different ones or `NOBODY`. Raises `ValueError`
            for other roles, and for `NOBODY` beside roles unless ``apart``.
        held: the role of each seat, int8 ``(N, seats)``, in states ``(N, state_size)``; `NOBODY` also for a seat that
            is not there or has no role yet.
        offered: the roles that the deciding seat may choose from, bool ``(N, roles)``; none unless it chooses one.
        uses_power: whether an action uses the power of the deciding seat's role, bool ``(N,)``; of states
            ``(N, state_size)``, the components of all of them, and actions ``(N,)``.
        apart: whether a seat can be without a role while others have theirs; if not, it is not known what the power of
            a single role is worth.
        drafted_words, absent_words: what reports call games with the options ``drafted`` and ``absent``; "factions
            drafted" and "without factions" if empty.
        seat_note, power_note: what readers of a report need to know of the seats, and of what counts as the use of a
            power; sentences, or empty.
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
        """Names of the options that say who has which role, so that nothing else may set them."""
        return frozenset({*self.drafted, *self.absent})
