"""Measure players exactly in a game that is solved: ``python -m training.benchmark.tiny --agents champion greedy``."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path

import tyro
from rich.console import Console
from rich.progress import track
from rich.table import Table
from rich.text import Text

from dunaia_env.harness import commands
from dunaia_env.support import messages, terminal
from training.benchmark.tiny.players import load_player, policy_of_agent, solved
from training.benchmark.tiny.results import COLUMNS, Results, write_results


@dataclass(frozen=True)
class Options:
    """Measure players exactly in the miniature of Dunaïa, which is solved from its first decision."""

    agents: tuple[str, ...] = ("champion", "greedy", "random")
    """The agents. A trained model may have been trained with other components."""
    json: Path | None = None
    """File into which the results are written."""
    seed: int = 0
    """Seed of the agents."""


def main(options: Options) -> Results:
    """Solve the game, measure the agents and print a table."""
    commands.check_numbers(options, not_negative=("seed",))
    console, solution = Console(highlight=False), solved()
    positions = solution.positions
    agents = {name: load_player(name, positions.game) for name in options.agents}
    measured = {"optimal": solution.measure(solution.optimal)}
    for name in track(agents, "agents", len(agents), transient=True):
        measured[name] = solution.measure(policy_of_agent(positions, agents[name], seed=options.seed))
    results = Results(len(positions), len(positions.actions), solution.value, measured)
    console.print(table_of(positions.game.title, results))
    if options.json is not None:
        write_results(options.json, results)
    return results


def table_of(title: str, results: Results) -> Table:
    """What was measured, for the terminal."""
    table = Table(title=f"{title}: {results.positions:,} positions; seat 0 gets {100 * results.value:.2f} % of the win")
    for heading in ("agent", *COLUMNS.values()):
        table.add_column(heading)
    for name, measures in results.measured.items():
        table.add_row(
            Text(messages.printable(name)), *(f"{100 * getattr(measures, column):.1f} %" for column in COLUMNS)
        )
    return table


def _run() -> int:
    options = tyro.cli(Options, prog="python -m training.benchmark.tiny")
    return commands.run_command("tiny", lambda: main(options))


if __name__ == "__main__":
    sys.exit(terminal.run_main(_run))
