"""Compare the speed of this checkout with an earlier commit: ``python -m benchmarks.compare e8deded [--json FILE]``.

The commit is checked out under ``.compat/commits`` and measured with this environment's libraries. Each side, this
checkout and the commit, has a process of its own. A row is measured on one side, then on the other, round after round,
so that a slow phase of the machine affects both sides. A ratio above 1 says that this checkout is faster.
"""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Annotated

import tyro
from rich.console import Console
from rich.table import Table

from benchmarks import measuring
from dunaia_env.support.atomic import write_text
from dunaia_env.support.machine import machine
from dunaia_env.support.terminal import run_main

ROOT = Path(__file__).resolve().parent.parent
CHECKOUTS = ROOT / ".compat" / "commits"
ROWS = (
    *("lanes_1_thread", "lanes_2_threads", "aec_raw", "aec_wrapped"),
    *("search_evaluations", "network_batch", "training"),
)
# First uses that are timed with an empty cache: of lanes alone, and of lanes and a search.
COLD = {
    "compile_cold_seconds": "dunaia_env.Lanes(1).reset(seed=1)",
    "compile_cold_search_seconds": (
        "dunaia_env.Lanes(1).reset(seed=1); opponents.load('mcts:10').act(dunaia_env.GameState.new(1))"
    ),
}

# The program that each side runs. It reads lines with the name of a row and a number of seconds, and answers each with
# the amount of work per second. The functions that it uses have been in `benchmarks.engine` since the first commit that
# can be compared.
MEASURE = """
import sys
from benchmarks import engine, measuring
from dunaia_env import dunaia_v0


def training_work():
    from training.arguments import Arguments
    from training.trainer import Trainer

    fixed = dict(device="cpu", threads=1, engine_threads=1, precision="fp32", compile="off")
    size = dict(players=(2, 3, 4), lanes=512, steps=32, width=512, epochs=1, minibatches=8)
    trainer = Trainer(Arguments(decisions=10**12, **fixed, **size))

    def work():
        trainer.learn(trainer.collect())
        return measuring.Count(512 * 32, 0)

    return work


MAKERS = {
    "lanes_1_thread": lambda: engine.lanes_work(1),
    "lanes_2_threads": lambda: engine.lanes_work(2),
    "aec_raw": lambda: engine.aec_work(dunaia_v0.raw_env()),
    "aec_wrapped": lambda: engine.aec_work(dunaia_v0.env()),
    "search_evaluations": lambda: engine.search_work("mcts:1000"),
    "network_batch": lambda: engine.network_work(engine.LANES),
    "training": training_work,
}
works = {}
for line in sys.stdin:
    name, seconds = line.split()
    works.setdefault(name, MAKERS[name]())
    print(measuring.per_second(works[name], float(seconds)).decisions, flush=True)
"""


@dataclass(frozen=True)
class Arguments:
    """Measure this checkout and an earlier commit in turn."""

    commit: Annotated[str, tyro.conf.Positional]
    """The commit to compare with, by any name that git knows."""
    rounds: int = 3
    """Number of times that each row is measured on each side."""
    seconds: float = 3.0
    """Seconds of each measurement."""
    rows: tuple[str, ...] = ROWS
    """Rows to measure."""
    cold: bool = False
    """Measure the first compilation too, once on each side."""
    json: Path | None = None
    """File to write the results to."""


@dataclass(frozen=True)
class Comparison:
    """A row: each side's work per second (or the seconds that it took), one number per round, and the ratio.

    Attributes:
        name: name of the row.
        here: numbers of this checkout.
        there: numbers of the commit.
        ratio: median over the rounds of how many times faster this checkout is.
    """

    name: str
    here: list[float]
    there: list[float]
    ratio: float


class Side:
    """A checkout and the process that measures it.

    Args:
        folder: folder of the checkout.
        program: Python code that answers each line ``ROW SECONDS`` with a number.
    """

    def __init__(self, folder: Path, program: str = MEASURE) -> None:
        self._folder = folder
        self._process = subprocess.Popen(
            [sys.executable, "-c", program],
            cwd=folder,
            env=os.environ | {"PYTHONPATH": str(folder)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def measure(self, row: str, seconds: float) -> float:
        """The side's work per second; raises `RuntimeError` if its process ended."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            print(row, seconds, file=self._process.stdin, flush=True)
            return float(self._process.stdout.readline())
        except (BrokenPipeError, ValueError) as error:
            raise RuntimeError(f"{self._folder}: cannot measure {row}") from error

    def close(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.communicate()


def check_out(commit: str) -> Path:
    """The folder of a commit, which is checked out if needed; raises `ValueError` for an unknown commit."""

    def git(*words: str) -> str:
        done = subprocess.run(["git", "-C", str(ROOT), *words], capture_output=True, text=True)
        if done.returncode:
            raise ValueError(f"commit: {commit!r}; {done.stderr.strip().splitlines()[-1]}")
        return done.stdout.strip()

    number = git("rev-parse", "--verify", f"{commit}^{{commit}}")
    folder = CHECKOUTS / number
    if not folder.exists():
        CHECKOUTS.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=CHECKOUTS) as beside:
            git("archive", "--format=tar", f"--output={beside}/content.tar", number)
            (Path(beside) / "content").mkdir()
            subprocess.run(["tar", "-xf", f"{beside}/content.tar", "-C", f"{beside}/content"], check=True)
            (Path(beside) / "content").replace(folder)
    return folder


def compare(here: Side, there: Side, rows: Sequence[str], rounds: int, seconds: float) -> list[Comparison]:
    """Measure the rows on both sides in turn. The first turn, which compiles, is not counted."""
    numbers: dict[str, tuple[list[float], list[float]]] = {row: ([], []) for row in rows}
    turns = [(turn, row) for turn in range(rounds + 1) for row in rows]
    for turn, row in measuring.progress(turns, lambda item: f"{item[0]}/{rounds} {item[1]}"):
        found = here.measure(row, seconds), there.measure(row, seconds)
        if turn > 0:
            for values, number in zip(numbers[row], found, strict=True):
                values.append(number)
    return [
        Comparison(row, own, other, statistics.median(a / b for a, b in zip(own, other, strict=True)))
        for row, (own, other) in numbers.items()
    ]


def cold_seconds(folder: Path, use: str) -> float:
    """Seconds that a first use, given as a line of Python, takes with an empty cache."""
    code = (
        "import time, dunaia_env; from dunaia_env import opponents; begin = time.perf_counter();"
        f" {use}; print(time.perf_counter() - begin)"
    )
    with tempfile.TemporaryDirectory() as cache:
        empty = {"XDG_CACHE_HOME": cache, "NUMBA_CACHE_DIR": "", "PYTHONPATH": str(folder)}
        command = [sys.executable, "-c", code]
        done = subprocess.run(command, cwd=folder, env=os.environ | empty, capture_output=True, text=True, check=True)
    return float(done.stdout)


def main(arguments: Arguments) -> list[Comparison]:
    """Measure, print and write."""
    unknown = [row for row in arguments.rows if row not in ROWS]
    if unknown or arguments.rounds < 1 or not 0 < arguments.seconds < float("inf"):
        allowed = f"rows: {', '.join(ROWS)}; rounds: at least 1; seconds: more than 0"
        raise SystemExit(f"benchmarks.compare: {', '.join(unknown) or 'numbers out of range'}; allowed are {allowed}")
    try:
        folder = check_out(arguments.commit)
    except ValueError as error:
        raise SystemExit(f"benchmarks.compare: {error}") from None
    with ExitStack() as open_sides:
        here, there = Side(ROOT), Side(folder)
        open_sides.callback(here.close)
        open_sides.callback(there.close)
        found = compare(here, there, arguments.rows, arguments.rounds, arguments.seconds)
    if arguments.cold:
        for name, use in COLD.items():
            own, other = cold_seconds(ROOT, use), cold_seconds(folder, use)
            found.append(Comparison(name, [own], [other], other / own))
    on = machine()
    table = Table(title=f"{on['processor']}, {on['cores']} cores")
    for heading in ("row", "here", f"at {arguments.commit}", "ratio"):
        table.add_column(heading)
    for row in found:
        middles = (f"{statistics.median(values):,.4g}" for values in (row.here, row.there))
        table.add_row(row.name, *middles, f"{row.ratio:.3f}")
    Console().print(table)
    if arguments.json:
        content = {"machine": on, "commit": arguments.commit, "rows": [asdict(row) for row in found]}
        write_text(arguments.json, json.dumps(content, indent=2) + "\n")
    return found


if __name__ == "__main__":
    sys.exit(run_main(lambda: main(tyro.cli(Arguments, prog="python -m benchmarks.compare"))))
