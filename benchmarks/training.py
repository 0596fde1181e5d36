"""The speed of `training.ppo`, and where its time goes.

``python -m benchmarks.training [--json FILE] [--widths 256 512] [--epochs 1 2] [--updates 6]``. Real runs are measured
one after the other on the CPU, with a network for every kind of table. They use one process with one thread, one
process with a thread for each core, and one process for each core. They learn from each decision once, as the champion
did most of the time, or twice. A row is the median of the updates, without the first ones.
"""

from __future__ import annotations

import itertools
import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table
from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from benchmarks import measuring
from benchmarks.measuring import DECISIONS, Row
from dunaia_env.harness.registry import DEFAULT_GAME
from dunaia_env.support.machine import machine
from dunaia_env.support.terminal import run_main

LANES, STEPS = 2048, 64
# Number of minibatches of each update, all epochs together.
GRADIENTS = 32
# Number of updates that are not counted: in them, games that all began together are not yet in all stages of a game.
FIRST = 3
PART = "microseconds a decision"
VERSIONED = ("dunaia-env", "numpy", "numba", "torch")


@dataclass(frozen=True)
class Arguments(measuring.Arguments):
    """Measure how fast the trainer is."""

    widths: tuple[int, ...] = (256, 512)
    """Numbers of units of each of the two hidden layers."""
    epochs: tuple[int, ...] = (1, 2)
    """Numbers of times that each decision is learned from."""
    updates: int = 6
    """Number of updates that are counted."""


@dataclass(frozen=True)
class Way:
    """A way to use the cores."""

    processes: int
    threads: int


def ways(cores: int) -> list[Way]:
    """The different ways on a machine with ``cores`` cores."""
    return list(dict.fromkeys((Way(1, 1), Way(1, cores), Way(cores, 1))))


def run(folder: Path, width: int, epochs: int, way: Way, updates: int) -> dict[str, list[float]]:
    """Train in a folder; returns the measurements by name, one number for each counted update."""
    options = {
        "run": folder,
        "width": width,
        "processes": way.processes,
        "threads": way.threads,
        "engine-threads": way.threads,
        "lanes": LANES,
        "steps": STEPS,
        "epochs": epochs,
        "minibatches": GRADIENTS // epochs,
        "decisions": LANES * STEPS * (FIRST + updates),
        "evaluation-seconds": 1e9,
        "save-seconds": 1e9,
        "final-games": 0,
        "device": "cpu",
    }
    words = [word for name, value in options.items() for word in (f"--{name}", str(value))]
    tables = ["--players", *map(str, range(DEFAULT_GAME.min_players, DEFAULT_GAME.max_players + 1))]
    for name, value in DEFAULT_GAME.default_options().items():
        if isinstance(value, bool):
            tables += [f"--{name.replace('_', '-')}", "True", "False"]
    environment = {**os.environ, "OMP_NUM_THREADS": str(way.threads)}
    command = [sys.executable, "-m", "training.ppo", *words, *tables]
    subprocess.run(command, env=environment, check=True, stdout=subprocess.DEVNULL)
    events = EventAccumulator(str(folder))
    events.Reload()
    names = [name for name in events.Tags()["scalars"] if name.startswith(("microseconds/", "charts/decisions_per"))]
    return {name.partition("/")[2]: [event.value for event in events.Scalars(name)][FIRST:] for name in names}


def measure(arguments: Arguments) -> list[Row]:
    """All rows."""
    cores = os.cpu_count() or 1
    works = list(itertools.product(arguments.widths, arguments.epochs, ways(cores)))
    rows = []
    for width, epochs, way in measuring.progress(works, lambda work: f"{work[0]} units, epochs: {work[1]}, {work[2]}"):
        with tempfile.TemporaryDirectory() as folder:
            found = run(Path(folder) / "run", width, epochs, way, arguments.updates)
        start = f"training_{width}_{epochs}_{way.processes}x{way.threads}"
        threads = way.processes * way.threads
        speeds = measuring.middle(found.pop("decisions_per_second"))
        rows.append(Row(name=start, unit=DECISIONS, batch=LANES, threads=threads, **speeds))
        for name, values in found.items():
            part = measuring.middle(values)
            rows.append(Row(name=f"{start}_{name}", unit=PART, batch=LANES, threads=threads, **part))
    return rows


def main() -> None:
    """Measure, print and write."""
    arguments = measuring.parse(Arguments, "benchmarks.training")
    rows = measure(arguments)
    table = Table(title=machine()["processor"])
    for heading in ("name", "median", "unit", "lowest", "highest"):
        table.add_column(heading)
    for row in rows:
        digits = 0 if row.unit == DECISIONS else 2
        table.add_row(
            row.name, *(f"{row.value:,.{digits}f}", row.unit, f"{row.lowest:,.{digits}f}", f"{row.highest:,.{digits}f}")
        )
    Console(width=110).print(table)
    versions = measuring.versions(VERSIONED)
    print("versions: " + ", ".join(f"{name} {number}" for name, number in versions.items()))
    if arguments.json is not None:
        measuring.write_results(arguments.json, rows, versions)


if __name__ == "__main__":
    sys.exit(run_main(main))
