"""Positions of a network's games, in which its units are observed and converted forms of it are compared with it."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.network import Model, NetworkAgent
from dunaia_env import Lanes
from dunaia_env.harness.dealing import dealt, for_lanes, read_dealt, tables
from dunaia_env.harness.game import Game
from dunaia_env.harness.registry import DEFAULT_GAME

_LANES = 64


def played_positions(
    network: Model, *, game: Game = DEFAULT_GAME, components: Any = None, positions: int, seed: int = 0
) -> tuple[NDArray[np.int8], NDArray[np.int8]]:
    """Observations ``(positions, O)`` and masks ``(positions, A)`` of a network's games against itself.

    The games are played at all tables that the network was trained for, with actions sampled from its policy, so that
    the positions are diverse.
    """
    kinds = tables(game, network.header["players"], dealt(game, read_dealt(game, network.header)))
    lanes = Lanes(_LANES, game=game, components=components, **for_lanes(kinds, range(_LANES)))
    lanes.reset(seed)
    player, everywhere = NetworkAgent(network, temperature=1.0, game=game), np.arange(_LANES)
    observations, masks = [], []
    for _ in range(-(-positions // _LANES)):
        observations.append(lanes.observations.copy())
        masks.append(lanes.action_masks.copy())
        lanes.step(player.act_batch(lanes, everywhere))
    return np.concatenate(observations)[:positions], np.concatenate(masks)[:positions]
