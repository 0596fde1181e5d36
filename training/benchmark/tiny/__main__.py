"""Measure players exactly in a game that is solved: ``python -m training.benchmark.tiny --agents champion greedy``."""

from __future__ import annotations

import json
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

import tyro
from rich.console import Console
from rich.progress import track
from rich.table import Table
from rich.text import Text

from dunaia_env.harness import commands
from dunaia_env.statistics.intervals import round_portably
from dunaia_env.support import atomic, messages, terminal
from training.benchmark.tiny.players import load_player, policy_of_agent, solved
from training.benchmark.tiny.values import Measures, Solution

FORMAT, VERSION = "dunaia-tiny-results", 1
COLUMNS = {
    "first": "share in seat 0 against the optimal player",
    "second": "in seat 1",
    "itself": "share of seat 0 against itself",
    "regret": "lost by a decision",
    "exploitability": "exploitability",
}


@dataclass(frozen=True)
class Options:
    """Measure players exactly in the miniature of Dunaïa, which is solved from its first decision."""

    agents: tuple[str, ...] = ("champion", "greedy", "random")
    """The agents. A trained model may have been trained with other components."""
    json: Path | None = None
    """File into which the results are written."""
    seed: int = 0
    """Seed of the agents."""


def main(options: Options) -> dict[str, Measures]:
    """Solve the game, measure the agents and print a table; returns what was measured, by name of the agent."""
    commands.check_numbers(options, not_negative=("seed",))
    console, solution = Console(highlight=False), solved()
    game = solution.positions.game
    agents = {name: load_player(name, game) for name in options.agents}
    measured = {"optimal": solution.measure(solution.optimal)}
    for name in track(agents, "agents", len(agents), transient=True):
        policy = policy_of_agent(solution.positions, agents[name], seed=options.seed)
        measured[name] = solution.measure(policy)
    console.print(table_of(solution, measured))
    if options.json is not None:
        atomic.write_text(options.json, json.dumps(content_of(solution, measured), indent=1) + "\n")
    return measured


def table_of(solution: Solution, measured: dict[str, Measures]) -> Table:
    """What was measured, for the terminal."""
    positions = solution.positions
    found = f"{len(positions):,} positions, value {solution.value:.4f} for seat 0"
    table = Table(title=f"{positions.game.title}: {found}")
    for title in ("agent", *COLUMNS.values()):
        table.add_column(title)
    for name, measures in measured.items():
        numbers = (f"{100 * getattr(measures, column):.2f} %" for column in COLUMNS)
        table.add_row(Text(messages.printable(name)), *numbers)
    return table


def content_of(solution: Solution, measured: dict[str, Measures]) -> dict[str, object]:
    """What was measured, for a file."""
    rows = [
        {"agent": name, **{key: float(round_portably(value)) for key, value in asdict(measures).items()}}
        for name, measures in measured.items()
    ]
    positions = solution.positions
    return {
        "format": FORMAT,
        "version": VERSION,
        "positions": len(positions),
        "actions": len(positions.actions),
        "value": solution.value,
        "rows": rows,
    }


def _run() -> int:
    options = tyro.cli(Options, prog="python -m training.benchmark.tiny")
    return commands.run_command("tiny", lambda: main(options))


if __name__ == "__main__":
    sys.exit(terminal.run_main(_run))
