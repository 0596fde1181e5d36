"""Place players on the scale of a task: ``python -m training.benchmark.place greedy --task dunaia-elites-2``."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import partial
from typing import Annotated

import tyro
from rich.console import Console
from rich.table import Table
from rich.text import Text

from dunaia_env.harness import commands, opponents
from dunaia_env.statistics.workers import play_all
from dunaia_env.support import messages, terminal
from training.benchmark.results import scale_words
from training.benchmark.scale import Place, place_named, references_of
from training.benchmark.tasks import find_task


@dataclass(frozen=True)
class Options:
    """Place players on the scale of a named task, where random is 0 and the champion 100."""

    agents: Annotated[tuple[str, ...], tyro.conf.Positional]
    """The players: names of agents, or model files."""
    task: str = "dunaia-elites-2"
    """The task."""
    games: int = 400
    """Games against each reference; rounded up to whole blocks."""
    jobs: int = 0
    """Number of workers; 0 for one on each core."""


def main(options: Options) -> dict[str, Place]:
    """Place the players and print a table with their win shares and residuals."""
    commands.check_numbers(options, positive=("games",), not_negative=("jobs",))
    task = find_task(options.task)
    references_of(task)
    for name in options.agents:
        opponents.load(name, game=task.load_game())
    found = dict(play_all(partial(place_named, task.name, options.games), options.agents, jobs=options.jobs))
    table = Table(title=f"{task.title}: random is 0, the champion 100")
    for title in ("player", "place (95 %)", *(f"against {name}" for name in task.references)):
        table.add_column(title)
    for name in options.agents:
        own = found[name]
        shares = [f"{100 * own.shares[one]:.1f} % ({100 * own.residuals[one]:+.1f})" for one in task.references]
        table.add_row(Text(messages.printable(name)), scale_words(own.scale), *shares)
    console = Console(highlight=False)
    console.print(table)
    console.print("In brackets: the difference from the share that the place predicts, in points.")
    return {name: found[name] for name in options.agents}


def _run() -> int:
    options = tyro.cli(Options, prog="python -m training.benchmark.place")
    return commands.run_command("benchmark.place", lambda: main(options))


if __name__ == "__main__":
    sys.exit(terminal.run_main(_run))
