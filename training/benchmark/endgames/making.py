"""Make a suite of endgames: ``python -m training.benchmark.endgames.making --out endgames.jsonl``.

Agents of several strengths play each other; `training.benchmark.endgames.positions` says which of their decisions are
taken. The suite holds no position in which everything is decided, and only positions that can be solved: nearly all of
them in the last round.
"""

from __future__ import annotations

import itertools
import sys
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import tyro

from dunaia_env.harness import commands
from dunaia_env.harness.registry import DEFAULT_GAME, find_game
from dunaia_env.harness.state import prepare
from dunaia_env.statistics.workers import play_all, progress
from dunaia_env.support import terminal
from training.benchmark.endgames.positions import part_of
from training.benchmark.endgames.suite import Endgame, Suite, write_suite


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


def make(options: Options, advance: Callable[[int], None] = lambda count: None) -> Suite:
    """Make a suite; the same options, except the number of workers, give the same suite.

    Args:
        options: the options.
        advance: called with the number of endgames that were found, each time some are.
    """
    game = find_game(options.game)
    prepare(game, evaluation=True)
    found: dict[int, list[Endgame]] = {}

    def first() -> list[Endgame]:
        """The endgames of the first games, without gaps, whichever worker was faster."""
        complete = itertools.takewhile(found.__contains__, itertools.count())
        return [endgame for part in complete for endgame in found[part]]

    parts = itertools.takewhile(lambda _: len(first()) < options.endgames, itertools.count())
    for part, endgames in play_all(partial(part_of, options.game, options.seed), parts, jobs=options.jobs):
        found[part] = endgames
        advance(len(endgames))
    return Suite(game, game.load(None).hash, tuple(first()[: options.endgames]))


def main(options: Options) -> None:
    """Make a suite and write it."""
    commands.check_numbers(options, positive=("endgames",), not_negative=("seed", "jobs"))
    with progress("endgames.making", options.endgames, 0, "endgames") as advance:
        suite = make(options, advance)
    write_suite(options.out, suite)


def _run() -> int:
    options = tyro.cli(Options, prog="python -m training.benchmark.endgames.making")
    return commands.run_command("endgames.making", lambda: main(options))


if __name__ == "__main__":
    sys.exit(terminal.run_main(_run, has_workers=True))
