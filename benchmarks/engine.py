"""How fast the engine and the AEC environment are, measured with what a user would write.

``python -m benchmarks.engine [--json FILE] [--seconds 1.0] [--repeats 5]``. Every row is the median of several repeats;
two rows that are compared with each other are measured in turn, because machines drift.
"""

from __future__ import annotations

import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import tyro
from rich.console import Console
from rich.progress import track
from rich.table import Table

from dunaia_env import GameState, Lanes, dunaia, dunaia_v0
from dunaia_env.atomic import write_text
from dunaia_env.dunaia.kernels import copy_many

LANES = 1024
VERSIONED = ("dunaia-env", "numpy", "numba", "gymnasium", "pettingzoo")


@dataclass(frozen=True)
class Arguments:
    """Measure the engine."""

    json: Path | None = None
    """File for the results; they are printed in any case."""
    seconds: float = 1.0
    """Length of one repeat of a throughput row."""
    repeats: int = 5
    """Repeats of a row; the median counts."""


@dataclass(frozen=True)
class Row:
    """A result: ``value`` in ``unit``, the median of the repeats; for decisions, over how many games and threads."""

    name: str
    value: float
    unit: str
    batch: int
    threads: int
    spread: tuple[float, float]


def machine() -> dict[str, Any]:
    """What the measurements ran on."""
    model = platform.processor()
    cpu_info = Path("/proc/cpuinfo")
    if cpu_info.exists():
        for line in cpu_info.read_text().splitlines():
            if line.startswith("model name"):
                model = line.partition(":")[2].strip()
                break
    return {
        "processor": model,
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
    }


def versions() -> dict[str, str]:
    """The versions that decide the speed."""
    return {"python": platform.python_version(), **{name: version(name) for name in VERSIONED}}


def per_second(work: Callable[[], int], seconds: float) -> float:
    """Units of work a second; ``work`` does some and returns how much."""
    done = 0
    begin = time.perf_counter()
    while time.perf_counter() - begin < seconds:
        done += work()
    return done / (time.perf_counter() - begin)


def lanes_work(threads: int) -> Callable[[], int]:
    """Uniformly random legal play of a batch: asked, answered, mask and observation written."""
    lanes = Lanes(LANES, threads=threads)
    lanes.reset(seed=1)

    def work() -> int:
        for _ in range(20):
            lanes.step(lanes.random_actions(seed=1))
        return 20 * LANES

    work()
    return work


def random_games_work() -> Callable[[], int]:
    """Whole random games inside compiled code, without observations."""
    rules = dunaia.load()
    seeds = iter(range(1, 10**9))
    return lambda: int(dunaia.random_games(rules.buffer, next(seeds), 50, 2, False, 100))


def aec_work(environment: Any) -> Callable[[], int]:
    """The loop of PettingZoo's documentation with `last`, the action picked among the legal ones."""
    generator = np.random.default_rng(0)
    environment.reset(seed=1)

    def work() -> int:
        decisions = 0
        for _ in range(500):
            observation, _, terminated, truncated, _ = environment.last()
            if terminated or truncated:
                environment.step(None)
                if not environment.agents:
                    environment.reset()
                continue
            legal = np.flatnonzero(observation["action_mask"])
            environment.step(legal[int(generator.random() * len(legal))])
            decisions += 1
        return decisions

    work()
    return work


def clone_seconds() -> float:
    """Seconds of one `GameState.clone`."""
    state = GameState.new(1)
    count = 100_000
    begin = time.perf_counter()
    for _ in range(count):
        state.clone()
    return (time.perf_counter() - begin) / count


def kernel_clone_seconds() -> float:
    """Seconds of one copy of a state inside compiled code."""
    states = np.stack([np.frombuffer(GameState.new(seed).to_bytes(), np.uint8) for seed in range(64)])
    copy_many(states, 1)
    count = 1_000_000
    begin = time.perf_counter()
    copy_many(states, count)
    return (time.perf_counter() - begin) / count


def run_python(code: str, **environment: str) -> float:
    """Seconds that a fresh interpreter reports for the code, which must print them."""
    output = subprocess.run(
        [sys.executable, "-c", code],
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=True,
    )
    return float(output.stdout)


_TIMED = "import time; begin = time.perf_counter(); {}; print(time.perf_counter() - begin)"
_IMPORT = _TIMED.format("import dunaia_env")
_COMPILE = "import dunaia_env; " + _TIMED.format("dunaia_env.Lanes(1).reset(seed=1)")


def measure(arguments: Arguments) -> list[Row]:
    """All rows."""
    repeats = range(arguments.repeats)
    rows: list[Row] = []

    def add(name: str, values: list[float], unit: str, batch: int = 1, threads: int = 1) -> None:
        rows.append(Row(name, statistics.median(values), unit, batch, threads, (min(values), max(values))))

    throughput: dict[str, tuple[Callable[[], int], int, int]] = {
        "lanes_1_thread": (lanes_work(1), LANES, 1),
        "lanes_2_threads": (lanes_work(2), LANES, 2),
        "random_games_kernel": (random_games_work(), 1, 1),
        "aec_raw": (aec_work(dunaia_v0.raw_env()), 1, 1),
        "aec_wrapped": (aec_work(dunaia_v0.env()), 1, 1),
    }
    values: dict[str, list[float]] = {name: [] for name in throughput}
    for _ in track(repeats, "measuring", disable=not sys.stderr.isatty()):
        for name, (work, _, _) in throughput.items():
            values[name].append(per_second(work, arguments.seconds))
    for name, (_, batch, threads) in throughput.items():
        add(name, values[name], "decisions/s", batch, threads)
    add("clone_python", [clone_seconds() for _ in repeats], "s")
    add("clone_kernel", [kernel_clone_seconds() for _ in repeats], "s")
    add("import_seconds", [run_python(_IMPORT) for _ in repeats], "s")
    with tempfile.TemporaryDirectory() as folder:
        cold = {"XDG_CACHE_HOME": folder, "NUMBA_CACHE_DIR": ""}
        add("compile_cold_seconds", [run_python(_COMPILE, **cold)], "s")
        add("compile_warm_seconds", [run_python(_COMPILE, **cold) for _ in repeats], "s")
    return rows


def main() -> None:
    """Measure, print and write."""
    arguments = tyro.cli(Arguments, prog="python -m benchmarks.engine")
    if arguments.repeats < 1 or arguments.seconds <= 0:
        raise SystemExit("repeats: at least 1 is needed; seconds: more than 0 are needed")
    rows = measure(arguments)
    table = Table(title=f"{machine()['processor']}, {machine()['cores']} cores")
    for heading in ("name", "median", "unit", "batch", "threads", "lowest", "highest"):
        table.add_column(heading)
    for row in rows:
        numbers = [
            f"{number:,.0f}" if row.unit == "decisions/s" else f"{number:.3g}" for number in (row.value, *row.spread)
        ]
        table.add_row(row.name, numbers[0], row.unit, str(row.batch), str(row.threads), *numbers[1:])
    Console(width=100).print(table)
    print("versions: " + ", ".join(f"{name} {number}" for name, number in versions().items()))
    if arguments.json is not None:
        result = {
            "machine": machine(),
            "versions": versions(),
            "rows": [
                {
                    "name": row.name,
                    "value": row.value,
                    "unit": row.unit,
                    "batch": row.batch,
                    "threads": row.threads,
                    "lowest": row.spread[0],
                    "highest": row.spread[1],
                }
                for row in rows
            ],
        }
        write_text(arguments.json, json.dumps(result, indent=2) + "\n")


if __name__ == "__main__":
    main()
