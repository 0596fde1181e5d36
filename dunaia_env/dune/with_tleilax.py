"""Dune with the Bene Tleilax among the factions, for studies of balance in which they are a role like the others.

This is the same game with its option ``tleilax`` on by default. States, actions and observations are those of
`dunaia_env.dune`, so whoever plays one of the two plays both. Commands find the game by the name of this module.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dunaia_env.dune import GAME as PLAIN_GAME, roles
from dunaia_env.dune.state import FACTION_NAMES, FACTIONS

__all__ = ["GAME"]

_WITH = {"tleilax": True}


def offered(states: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """The factions that the deciding seat may choose: none, bool ``(N, 7)``."""
    return np.zeros((len(states), FACTIONS), np.bool_)


def assigned(factions: Sequence[int]) -> dict[str, Any]:
    """The options that give each seat one of the seven factions; see `dunaia_env.dune.roles.assigned`.

    Raises `ValueError` for an unknown faction, or one that two seats have.
    """
    return roles.assigned(factions, FACTIONS)


GAME = replace(
    PLAIN_GAME,
    module=__name__,
    name="dune_with_tleilax",
    title="Dune with the Bene Tleilax",
    variant_of=PLAIN_GAME.name,
    options=tuple(replace(option, default=True) if option.name in _WITH else option for option in PLAIN_GAME.options),
    roles=roles.ROLES._replace(
        names=FACTION_NAMES,
        drafted={**roles.ROLES.drafted, **_WITH},
        assigned_game=__name__,
        assigned=assigned,
        offered=offered,
    ),
)
