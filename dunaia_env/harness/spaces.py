"""The Gymnasium spaces of a game."""

from __future__ import annotations

import numpy as np
from gymnasium.spaces import Box, Dict

from dunaia_env.harness.game import Game


def observations(game: Game) -> Box:
    """The space of a game's observations: int8 ``(O,)``, whose entries are counts and flags, never negative."""
    return Box(0, np.iinfo(np.int8).max, (game.observation_size,), np.int8)


def masked_observations(game: Game) -> Dict:
    """The space of observations with action masks: ``{"observation": int8 (O,), "action_mask": int8 (A,)}``."""
    return Dict({"observation": observations(game), "action_mask": Box(0, 1, (game.num_actions,), np.int8)})
