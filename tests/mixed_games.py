"""Games of greedy and random seats in turn, so that both rich and odd positions occur.

As plain Python a greedy seat thinks a hundred times as long as its actions take to be applied. Where compilation is
switched off, a process with compilation decides, and here its actions are applied.
"""

from __future__ import annotations

import functools
import json
import os
import subprocess
import sys
from pathlib import Path

from dunaia_env import GameState, Stream
from dunaia_env.harness.opponents import GreedyAgent, RandomAgent
from dunaia_env.support.compile_cache import COMPILES

ROOT = Path(__file__).resolve().parent.parent
TABLES = [(players, elites) for players in (2, 3, 4) for elites in (False, True)]
GAMES = 3
ROUNDS = 30


def begin(players: int, elites: bool, seed: int) -> tuple[GameState, Stream]:
    """A new game, and its chance."""
    chance = Stream(1000 + seed)
    return GameState.new(chance, num_players=players, elites=elites, max_rounds=ROUNDS), chance


def decide(players: int, elites: bool, seed: int) -> list[int]:
    """The actions of a whole game."""
    state, chance = begin(players, elites, seed)
    agents = [GreedyAgent() if (seat + seed) % 2 else RandomAgent(seed) for seat in range(players)]
    odd, actions = RandomAgent(seed + 1), []
    while not state.is_over:
        agent = odd if len(actions) % 7 == 0 else agents[state.seat]
        actions.append(agent.act(state))
        state.apply(actions[-1], chance)
    return actions


@functools.cache
def actions_of(players: int, elites: bool, seed: int) -> list[int]:
    """The actions of one of the `GAMES` of a table."""
    if COMPILES:
        return decide(players, elites, seed)
    return _decided_elsewhere()[TABLES.index((players, elites))][seed]


@functools.cache
def _decided_elsewhere() -> list[list[list[int]]]:
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "0"}
    command = [sys.executable, "-m", "tests.mixed_games"]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=True)
    games: list[list[list[int]]] = json.loads(done.stdout)
    return games


if __name__ == "__main__":
    print(json.dumps([[decide(*table, seed) for seed in range(GAMES)] for table in TABLES]))
