"""Measure the references of named tasks: ``python -m training.benchmark.references dunaia-elites-2``.

All pairs of the references play equally many games. Their strengths are stored in
``training/benchmark/references.json``, where those of other tasks stay.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console

from dunaia_env.harness import commands
from dunaia_env.support import terminal
from training.benchmark.scale import STORED, measure_references, read_references, write_references
from training.benchmark.tasks import find_task


@dataclass(frozen=True)
class Options:
    """Measure the strengths of the references of named tasks."""

    tasks: Annotated[tuple[str, ...], tyro.conf.Positional]
    """Names of the tasks."""
    games: int = 1000
    """Games of each pair of references; rounded up to whole blocks."""
    out: Path = STORED
    """File of the strengths."""


def main(options: Options) -> None:
    """Measure the references and store them."""
    commands.check_numbers(options, positive=("games",))
    console = Console(highlight=False, soft_wrap=True)
    tasks = [find_task(name) for name in options.tasks]
    known = read_references(options.out) if options.out.exists() else {}
    for task in tasks:
        known[task.title] = measure_references(task, options.games, lambda line: console.print(line, markup=False))
        write_references(options.out, [known[title] for title in sorted(known)])
        places = [
            f"{name} {known[task.title].scaled(value):.0f}" for name, value in known[task.title].strengths.items()
        ]
        console.print(f"{task.title}: {', '.join(places)}", markup=False)


def _run() -> int:
    options = tyro.cli(Options, prog="python -m training.benchmark.references")
    return commands.run_command("benchmark.references", lambda: main(options))


if __name__ == "__main__":
    sys.exit(terminal.run_main(_run))
