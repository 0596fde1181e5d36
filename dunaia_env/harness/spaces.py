"""The spaces of a game, for every interface that has Gymnasium's."""

from __future__ import annotations

import numpy as np
from gymnasium.spaces import Box, Dict

from dunaia_env.harness.game import Game


def observations(game: Game) -> Box:
    """Of a game's observations: int8 ``(O,)``; its entries are counts and flags, so that none is negative."""
    return Box(0, np.iinfo(np.int8).max, (game.observation_size,), np.int8)


def masked_observations(game: Game) -> Dict:
    """Of observations with the mask of legal actions: ``{"observation": int8 (O,), "action_mask": int8 (A,)}``."""
    return Dict({"observation": observations(game), "action_mask": Box(0, 1, (game.num_actions,), np.int8)})
