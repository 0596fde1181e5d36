"""Make a suite of endgames: ``python -m training.benchmark.endgames.making --out endgames.jsonl``.

Agents of several strengths play each other. If a game ends with a small lead, its decisions are solved from the last
one backwards, until one is too large. Of the decisions in which some action loses at least `LEAST_AT_STAKE` of the win,
one or two are drawn. So the suite holds no position in which everything is decided, and only positions that can be
solved: nearly all of them in the last round.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
import tyro
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from dunaia_env.harness import commands, opponents
from dunaia_env.harness.compiled.chance import AGENT, Stream, hashed_seed
from dunaia_env.harness.exact import PLAYERS, Solver
from dunaia_env.harness.registry import DEFAULT_GAME, find_game
from dunaia_env.harness.state import GameState
from dunaia_env.statistics.workers import play_all
from dunaia_env.support import terminal
from training.benchmark.endgames.suite import Endgame, Suite, write_suite

AGENTS = ("easy", "medium", "hard", "greedy", "champion")
LEAST_AT_STAKE = 0.05
MOST_OF_A_GAME = 2
# Points between the players at the end; with more, nearly every decision of the last round is indifferent.
LARGEST_LEAD = 5
# Positions that are solved for one decision.
MOST_POSITIONS = 30_000
_GAMES_OF_A_PART = 8


@dataclass(frozen=True)
class Options:
    """Make a suite of endgames with exact values."""

    out: Path
    """File of the suite."""
    endgames: int = 1000
    """Number of endgames."""
    seed: int = 0
    """Seed of the games."""
    game: str = DEFAULT_GAME.name
    """The game: one of two players without hidden information."""
    jobs: int = 0
    """Number of workers; 0 for one on each core."""


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


def _part(options: Options, part: int) -> tuple[int, list[Endgame]]:
    games = range(part * _GAMES_OF_A_PART, (part + 1) * _GAMES_OF_A_PART)
    return part, [endgame for number in games for endgame in endgames_of(options.game, number, options.seed)]


def make(options: Options, advance: Callable[[int], None] = lambda count: None) -> Suite:
    """Make a suite; the same options, except the number of workers, give the same suite.

    Args:
        options: the options.
        advance: called with the number of endgames that were found, each time some are.
    """
    game = find_game(options.game)
    found: dict[int, list[Endgame]] = {}

    def first() -> list[Endgame]:
        """The endgames of the first games, without gaps, whichever worker was faster."""
        complete = itertools.takewhile(found.__contains__, itertools.count())
        return [endgame for part in complete for endgame in found[part]]

    parts = itertools.takewhile(lambda _: len(first()) < options.endgames, itertools.count())
    for part, endgames in play_all(partial(_part, options), parts, jobs=options.jobs):
        found[part] = endgames
        advance(len(endgames))
    return Suite(game, game.load(None).hash, tuple(first()[: options.endgames]))


def main(options: Options) -> None:
    """Make a suite and write it."""
    commands.check_numbers(options, positive=("endgames",), not_negative=("seed", "jobs"))
    with Progress(TextColumn("endgames"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn()) as bar:
        task = bar.add_task("", total=options.endgames)
        suite = make(options, lambda count: bar.advance(task, count))
    write_suite(options.out, suite)


def _run() -> int:
    options = tyro.cli(Options, prog="python -m training.benchmark.endgames.making")
    return commands.run_command("endgames.making", lambda: main(options))


if __name__ == "__main__":
    sys.exit(terminal.run_main(_run))
