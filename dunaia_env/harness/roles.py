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
        drafted: options with which the players get their roles as the rules say.
        absent: options with which nobody has a role.
        assigned_game: name of the game in which seats get given roles; it has the same states and actions.
        assigned: its options with which each seat gets a given role, different ones or `NOBODY`. Raises `ValueError`
            for other roles.
        held: the role of each seat, int8 ``(N, seats)``, in states ``(N, state_size)``; `NOBODY` also for a seat that
            is not there or has no role yet.
        offered: the roles that the deciding seat may choose from, bool ``(N, roles)``; none unless it chooses one.
        uses_power: whether an action uses the power of the deciding seat's role, bool ``(N,)``; of states
            ``(N, state_size)``, the components of all of them, and actions ``(N,)``.
    """

    title: str
    names: tuple[str, ...]
    drafted: Mapping[str, int]
    absent: Mapping[str, int]
    assigned_game: str
    assigned: Callable[[Sequence[int]], dict[str, int]]
    held: Callable[[Bytes], NDArray[np.int8]]
    offered: Callable[[Bytes], NDArray[np.bool_]]
    uses_power: Callable[[Bytes, Any, NDArray[np.integer]], NDArray[np.bool_]]
