"""The speed of Dune compared with PettingZoo's connect four, in one run on one thread.

``python -m benchmarks.dune [--json FILE] [--seconds 1.0] [--repeats 5]``. All rows are uniformly random legal play.
Connect four is what its ``env()`` returns, in the loop of PettingZoo's documentation; it needs ``pettingzoo[classic]``.
"""

from __future__ import annotations

import sys
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

from rich.console import Console
from rich.table import Table

from benchmarks import measuring
from benchmarks.engine import LANES, lanes_work, random_games_work
from benchmarks.peers import OWN, VERSIONED, Entry, PeerRow, Play, aec, classic, left_out, measure
from dunaia_env import dune_v0
from dunaia_env.dune import GAME
from dunaia_env.support.machine import machine
from dunaia_env.support.terminal import run_main

OBSERVED, BARE, AEC = "lanes with observation and mask", "games without observation", "PettingZoo's AEC interface"
PEER = "connect four"
# How many times as fast as connect four the rows should be at least.
WANTED = {OBSERVED: 15, BARE: 40}
HEADS = ("game", "what", "decisions/s", "times connect four", "wanted")
TABLES: dict[str, dict[str, Any]] = {
    "duel": {"preset": "duel"},
    "plain, 6 players": {"preset": "plain", "num_players": 6},
    "full, 2 players": {"num_players": 2},
    "full, 6 players": {"num_players": 6},
}


@dataclass(frozen=True)
class Arguments(measuring.Arguments):
    """Compare Dune with PettingZoo's connect four."""


def observed(options: dict[str, Any]) -> Play:
    """Dune's lanes."""
    return Play(lanes_work(1, GAME, **options), GAME.observation_size, GAME.num_actions, batch=LANES)


def bare(options: dict[str, Any]) -> Play:
    """Dune's games, one after the other inside compiled code."""
    return Play(random_games_work(GAME, **options), 0, 0)


def one_game(options: dict[str, Any]) -> Play:
    """Dune's PettingZoo environment."""
    return aec(dune_v0.env(**options))


ENTRIES = (
    Entry(AEC, "PettingZoo", PEER, partial(classic, "connect_four_v3", "env")),
    *(Entry(OBSERVED, OWN, name, partial(observed, options)) for name, options in TABLES.items()),
    *(Entry(BARE, OWN, name, partial(bare, options)) for name, options in TABLES.items()),
    *(Entry(AEC, OWN, name, partial(one_game, options)) for name, options in TABLES.items()),
)


def cells(rows: list[PeerRow]) -> list[tuple[str, str, str, str, str]]:
    """The rows as texts below `HEADS`; "-" where there is no number."""
    peer = next((row.value for row in rows if row.game == PEER), None)
    return [
        (
            row.game,
            row.door,
            f"{row.value:,.0f}",
            f"{row.value / peer:.1f}" if peer else "-",
            str(WANTED.get(row.door, "-")),
        )
        for row in rows
    ]


def main() -> None:
    """Measure, print and write."""
    arguments = measuring.parse(Arguments, "benchmarks.dune")
    rows, skipped = measure(arguments, ENTRIES)
    found, versions = machine(), measuring.versions(VERSIONED)
    table = Table(title=f"{found['processor']}, {found['cores']} cores")
    for head in HEADS:
        table.add_column(head)
    for texts in cells(rows):
        table.add_row(*texts)
    Console(width=120).print(table)
    for line in left_out(skipped):
        print(f"skipped: {line}")
    print("versions: " + ", ".join(f"{name} {number}" for name, number in versions.items()))
    if arguments.json is not None:
        measuring.write_results(arguments.json, rows, versions, skipped=[asdict(entry) for entry in skipped])


if __name__ == "__main__":
    sys.exit(run_main(main))
