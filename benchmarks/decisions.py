"""What a decision is like: how many actions are legal, and how much of an observation changes from one to the next.

``python -m benchmarks.decisions [--json FILE] [--games 60]``. One player, ``greedy``, plays every seat. The results are
counts, so they do not depend on the machine.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np
import tyro
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from benchmarks.measuring import progress
from dunaia_env import GameState
from dunaia_env.harness.opponents import load
from dunaia_env.harness.registry import DEFAULT_GAME, find_game
from dunaia_env.support.atomic import write_text
from dunaia_env.support.terminal import run_main

PLAYER = "greedy"
TABLES: tuple[tuple[str, str, dict[str, Any]], ...] = (
    *((DEFAULT_GAME.name, f"{players} players", {"num_players": players, "elites": True}) for players in (2, 3, 4)),
    ("dune", "duel", {"preset": "duel"}),
    ("dune", "classic, 4 players", {"preset": "classic", "num_players": 4}),
    ("dune", "classic, 6 players", {"preset": "classic", "num_players": 6}),
)


@dataclass(frozen=True)
class Arguments:
    """Count legal actions, and the entries of observations that change."""

    json: Path | None = None
    """File for the results; they are printed in any case."""
    games: int = 60
    """Games of each table, with the seeds 0, 1, ..."""


@dataclass(frozen=True)
class Counts:
    """Means over the decisions of a table's games.

    Attributes:
        game, table: what was played.
        games: how many games.
        decisions: decisions of a game.
        legal: legal actions of a decision.
        nonzero: entries of an observation that are not zero.
        changed: entries that differ from what the same seat saw at its decision before, from its second decision on.
    """

    game: str
    table: str
    games: int
    decisions: float
    legal: float
    nonzero: float
    changed: float


def count(game_name: str, table: str, options: dict[str, Any], games: int) -> Counts:
    """Play the games of a table and count."""
    game = find_game(game_name)
    chosen, player = game.check_options(options), load(PLAYER, game=game)
    legal, nonzero, changed = [], [], []
    for seed in range(games):
        state = GameState.new(seed, game=game, **chosen)
        player.reset(seed)
        seen: dict[int, NDArray[np.int8]] = {}
        while not state.is_over:
            view = state.view()
            observation = view.observation()
            legal.append(len(view.legal_actions()))
            nonzero.append(int(np.count_nonzero(observation)))
            if view.seat in seen:
                changed.append(int(np.count_nonzero(observation != seen[view.seat])))
            seen[view.seat] = observation
            state.apply(player.act(view), seed)
    means = (round(float(np.mean(values)), 2) for values in (legal, nonzero, changed))
    return Counts(game.name, table, games, round(len(legal) / games, 1), *means)


def print_results(rows: Sequence[Counts]) -> None:
    """Print a table."""
    table = Table()
    for name in asdict(rows[0]):
        table.add_column(name)
    for row in rows:
        table.add_row(*map(str, asdict(row).values()))
    Console(width=120).print(table)


def main() -> None:
    """Count, print and write."""
    arguments = tyro.cli(Arguments, prog="python -m benchmarks.decisions")
    if arguments.games < 1:
        raise SystemExit(f"games: expected at least 1, got {arguments.games}")
    rows = [count(*table, arguments.games) for table in progress(TABLES, lambda table: f"{table[0]}, {table[1]}")]
    print_results(rows)
    if arguments.json is not None:
        content = {"player": PLAYER, "rows": [asdict(row) for row in rows]}
        write_text(arguments.json, json.dumps(content, indent=2, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    sys.exit(run_main(main))
