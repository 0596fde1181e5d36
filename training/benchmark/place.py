"""Place players on the scale of a task: ``python -m training.benchmark.place greedy --task dunaia-elites-2``."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console
from rich.table import Table
from rich.text import Text

from dunaia_env.harness import commands, opponents
from dunaia_env.harness.opponents import Agent
from dunaia_env.statistics.workers import play_all
from dunaia_env.support import messages, terminal
from training.benchmark.results import scale_words
from training.benchmark.scale import Place, place, references_of
from training.benchmark.tasks import NamedTask, find_task
from training.benchmark.verify import player_of, read_training


@dataclass(frozen=True)
class Options:
    """Place players on the scale of a named task, where random is 0 and the champion 100."""

    agents: Annotated[tuple[str, ...], tyro.conf.Positional]
    """The players: names of agents, model files, or the JSON files of trainings."""
    task: str = "dunaia-elites-2"
    """The task."""
    games: int = 400
    """Games against each reference; rounded up to whole blocks."""
    algorithms: tuple[str, ...] = ()
    """Algorithms of your own that files of trainings may name; no file decides which code is imported."""
    jobs: int = 0
    """Number of workers; 0 for one on each core."""


def load_any(name: str, task: NamedTask, algorithms: tuple[str, ...]) -> Agent | str:
    """The player of a training by the name of its JSON file; otherwise the name of an agent, which is loaded to see."""
    if name.endswith(".json"):
        return player_of(Path(name), read_training(Path(name), algorithms))
    opponents.load(name, game=task.load_game())
    return name


def place_named(task: str, games: int, algorithms: tuple[str, ...], name: str) -> tuple[str, Place]:
    """The place of the player with a name on the scale of the task with a name."""
    found = find_task(task)
    return name, place(load_any(name, found, algorithms), found, games)


def main(options: Options) -> dict[str, Place]:
    """Place the players and print a table with their win shares and residuals."""
    commands.check_numbers(options, positive=("games",), not_negative=("jobs",))
    task = find_task(options.task)
    references_of(task)
    for name in options.agents:
        load_any(name, task, options.algorithms)
    work = partial(place_named, task.name, options.games, options.algorithms)
    found = dict(play_all(work, options.agents, jobs=options.jobs))
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
    sys.exit(terminal.run_main(_run, has_workers=True))
