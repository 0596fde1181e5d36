"""The policies of agents and networks in a game of which all positions are listed."""

from __future__ import annotations

from functools import cache

import numpy as np

from agents.network import NetworkAgent
from dunaia_env.dunaia.tiny import GAME
from dunaia_env.harness import opponents
from dunaia_env.harness.game import Game
from dunaia_env.harness.lanes import Lanes
from dunaia_env.harness.opponents import Agent, RandomAgent
from training.benchmark.listed import Floats, uniform_policy
from training.benchmark.tiny.positions import Positions, list_positions
from training.benchmark.tiny.values import Solution, policy_of_choices, solve

# Positions that an agent decides about at once.
BATCH = 256


@cache
def solved() -> Solution:
    """The solution of the miniature of Dunaïa with its own components and options."""
    return solve(list_positions(GAME))


def load_player(name: str, game: Game) -> Agent:
    """An agent by name, see `opponents.load`; a trained model may have been trained with other components.

    Raises `ValueError` naming what cannot be loaded and why.
    """
    file = opponents.model_file(name, game)
    is_plain = file and name in (file, opponents.CHAMPION)
    return NetworkAgent.load(file, any_components=True, game=game) if is_plain else opponents.load(name, game=game)


def policy_of_agent(positions: Positions, agent: Agent, *, seed: int = 0) -> Floats:
    """The policy of an agent, float64 ``(A,)``.

    The policy of the random agent is known. Every other agent decides once in each position, and this decision stands
    for all of its decisions there.

    Args:
        positions: all positions of the game.
        agent: the agent; it is reset.
        seed: seed of the agent, 0..2**32-1.
    """
    if type(agent) is RandomAgent:
        return uniform_policy(positions)
    agent.reset(seed)
    lanes = Lanes(BATCH, game=positions.game, components=positions.components, autoreset=False, **positions.options)
    choices = np.zeros(len(positions), np.int64)
    for first in range(0, len(positions), BATCH):
        # Every position gets a game seed of its own, from which agents draw.
        lanes.reset(seed=first)
        here = range(first, min(first + BATCH, len(positions)))
        for lane, position in enumerate(here):
            lanes.set_state(lane, positions.state(position))
        choices[here.start : here.stop] = agent.act_batch(lanes, np.arange(len(here)))
    return policy_of_choices(positions, choices)
