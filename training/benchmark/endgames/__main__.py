"""Measure agents in endgames with exact values: ``python -m training.benchmark.endgames --agents champion greedy``."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import tyro
from rich.console import Console
from rich.progress import track
from rich.table import Table
from rich.text import Text

from dunaia_env.arena.match import describe
from dunaia_env.harness import commands, opponents
from dunaia_env.statistics.workers import play_all
from dunaia_env.support import messages, terminal
from training.benchmark.endgames.suite import SHIPPED, Regret, check, measure_named, read_suite, write_results


@dataclass(frozen=True)
class Options:
    """Measure how much of the win agents lose in endgames whose exact values are known."""

    agents: tuple[str, ...] = ("champion", "greedy", "random")
    """The agents."""
    file: Path = SHIPPED
    """The suite."""
    verify: bool = False
    """Solve all endgames again and compare the stored values, instead of measuring agents."""
    json: Path | None = None
    """File into which the results are written."""
    seed: int = 0
    """Seed of the agents."""
    jobs: int = 0
    """Number of workers; 0 for one on each core."""


def main(options: Options) -> list[Regret]:
    """Measure the agents and print a table, or verify the suite."""
    commands.check_numbers(options, not_negative=("seed", "jobs"))
    suite, console = read_suite(options.file), Console(highlight=False)
    if options.verify:
        numbers = range(len(suite.endgames))
        checked = play_all(partial(check, suite), numbers, jobs=options.jobs)
        for _ in track(checked, "endgames", len(numbers), transient=True):
            pass
        console.print(f"{options.file}: {len(numbers):,} endgames have the stored values", soft_wrap=True)
        return []
    for name in options.agents:
        opponents.load(name, game=suite.game)
    measured = play_all(partial(measure_named, suite, options.seed), options.agents, jobs=options.jobs)
    done = dict(track(measured, "agents", len(options.agents), transient=True))
    table = Table(title=f"{len(suite.endgames):,} endgames of {suite.game.name}")
    for title in ("agent", "share of the win lost by a decision (95 %)", "decisions that lose nothing (95 %)"):
        table.add_column(title)
    for name in options.agents:
        regret = done[name]
        table.add_row(Text(messages.printable(name)), describe(regret.regret), describe(regret.best))
    console.print(table)
    if options.json is not None:
        write_results(options.json, [done[name] for name in options.agents], suite)
    return [done[name] for name in options.agents]


def _run() -> int:
    options = tyro.cli(Options, prog="python -m training.benchmark.endgames")
    return commands.run_command("endgames", lambda: main(options))


if __name__ == "__main__":
    sys.exit(terminal.run_main(_run, has_workers=True))
