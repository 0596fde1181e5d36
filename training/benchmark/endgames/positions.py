"""Endgames of games between agents.

If a game ends with a small lead, its decisions are solved from the last one backwards, until one is too large. Of the
decisions in which some action loses at least `LEAST_AT_STAKE` of the win, one or two are drawn.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np

from dunaia_env.analysis.exact import PLAYERS, Solver
from dunaia_env.harness import opponents
from dunaia_env.harness.compiled.chance import AGENT, Stream, hashed_seed
from dunaia_env.harness.registry import find_game
from dunaia_env.harness.state import GameState
from training.benchmark.endgames.suite import Endgame

AGENTS = ("easy", "medium", "hard", "greedy", "champion")
LEAST_AT_STAKE = 0.05
MOST_OF_A_GAME = 2
# Points between the players at the end; with more, nearly every decision of the last round is indifferent.
LARGEST_LEAD = 5
# Positions that are solved for one decision.
MOST_POSITIONS = 30_000
GAMES_OF_A_PART = 8


def play(game_name: str, players: Sequence[str], seed: int) -> list[GameState]:
    """The positions of a game at its decisions and at its end, with the options of the full game."""
    game = find_game(game_name)
    agents = [opponents.load(name, game=game) for name in players]
    for seat, agent in enumerate(agents):
        agent.reset(int(hashed_seed(seed, AGENT, seat, 1)) % 2**32)
    chance = Stream(seed)
    state = GameState.new(chance, game=game, **{**game.default_options(full=True), "num_players": PLAYERS})
    states = []
    while not state.is_over:
        states.append(state.clone())
        state.apply(agents[state.seat].act(state.view()), chance)
    return [*states, state]


def endgames_of(game_name: str, number: int, seed: int) -> list[Endgame]:
    """The endgames of one game, at most `MOST_OF_A_GAME`; the number of the game decides who plays."""
    pairs = list(itertools.product(AGENTS, repeat=PLAYERS))
    players = pairs[number % len(pairs)]
    own_seed = int(hashed_seed(seed, AGENT, number, 0))
    *states, end = play(game_name, players, own_seed)
    scores = end.scores()
    if max(scores) - min(scores) > LARGEST_LEAD:
        return []
    solver = Solver(states[0], most_positions=MOST_POSITIONS)
    solved: list[Endgame] = []
    for state in reversed(states):
        solution = solver.solve(state)
        if solution is None:
            break
        if solution.spread >= LEAST_AT_STAKE:
            solved.append(Endgame(state.to_dict(), tuple(solution.values.values()), players))
    places = np.random.default_rng(own_seed).permutation(len(solved))[:MOST_OF_A_GAME]
    return [solved[place] for place in sorted(places.tolist(), reverse=True)]


def part_of(game_name: str, seed: int, part: int) -> tuple[int, list[Endgame]]:
    """The endgames of `GAMES_OF_A_PART` games in a row, with the number of the part."""
    games = range(part * GAMES_OF_A_PART, (part + 1) * GAMES_OF_A_PART)
    return part, [endgame for number in games for endgame in endgames_of(game_name, number, seed)]
