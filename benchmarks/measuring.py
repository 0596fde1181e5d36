"""What the benchmarks share: machine and versions, measuring in turn, and the file of results."""

from __future__ import annotations

import json
import platform
import statistics
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import tyro
from rich.console import Console
from rich.progress import Progress

from dunaia_env.support.atomic import write_text
from dunaia_env.support.machine import machine

DECISIONS = "decisions/s"
SIMULATIONS = "simulations/s"


class Count(NamedTuple):
    """What a piece of work did: decisions that were asked and answered, and games that ended."""

    decisions: int
    games: int


class Rate(NamedTuple):
    """Decisions and games per second, see `Count`."""

    decisions: float
    games: float


Work = Callable[[], Count]


@dataclass(frozen=True)
class Arguments:
    """Options of every benchmark."""

    json: Path | None = None
    """File for the results; they are printed in any case."""
    seconds: float = 1.0
    """Length in seconds of one repeat of a throughput row."""
    repeats: int = 5
    """Number of repeats of a row; the median counts."""


ArgumentsType = TypeVar("ArgumentsType", bound=Arguments)


@dataclass(frozen=True)
class Row:
    """A result: ``value`` in ``unit``, the median of repeats with ``batch`` games at once on ``threads`` threads."""

    name: str
    value: float
    unit: str
    batch: int
    threads: int
    lowest: float
    highest: float


def parse(arguments: type[ArgumentsType], program: str) -> ArgumentsType:
    """The options of the command line; exits with a message if one is out of range."""
    parsed = tyro.cli(arguments, prog=f"python -m {program}")
    if parsed.repeats < 1 or parsed.seconds <= 0:
        raise SystemExit("repeats: expected at least 1; seconds: expected more than 0")
    return parsed


def versions(packages: Sequence[str]) -> dict[str, str]:
    """The versions of Python and of those packages that are installed."""
    found = {"python": platform.python_version()}
    for name in packages:
        try:
            found[name] = version(name)
        except PackageNotFoundError:
            continue
    return found


def per_second(work: Work, seconds: float) -> Rate:
    """How much work is done per second, measured over at least ``seconds`` seconds and at least one piece of work."""
    decisions = games = 0
    passed = 0.0
    begin = time.perf_counter()
    while passed < seconds:
        done = work()
        decisions += done.decisions
        games += done.games
        passed = time.perf_counter() - begin
    return Rate(decisions / passed, games / passed)


Item = TypeVar("Item")


def progress(items: Sequence[Item], text: Callable[[Item], str]) -> Iterator[Item]:
    """The items one after the other, with a progress bar for people."""
    with Progress(console=Console(stderr=True), transient=True, disable=not sys.stderr.isatty()) as bar:
        task = bar.add_task("", total=len(items))
        for item in items:
            bar.update(task, description=text(item))
            yield item
            bar.advance(task)


def in_turn(works: Mapping[str, Work], seconds: float, repeats: int) -> dict[str, list[Rate]]:
    """Measure works that are compared with each other: all once, then all again, because a machine's speed drifts.

    The first turn is not counted: after it, games that all began together have spread over all stages of a game.
    """
    rates: dict[str, list[Rate]] = {name: [] for name in works}
    turns = [(turn, name) for turn in range(repeats + 1) for name in works]
    for turn, name in progress(turns, lambda item: f"{item[0]}/{repeats} {item[1]}"):
        rate = per_second(works[name], seconds)
        if turn > 0:
            rates[name].append(rate)
    return rates


def middle(values: Sequence[float]) -> dict[str, float]:
    """The fields of a `Row` that say what was measured: the median, the lowest and the highest value."""
    return {"value": statistics.median(values), "lowest": min(values), "highest": max(values)}


def write_results(path: Path, rows: Sequence[Row], versions: dict[str, str], **more: Any) -> None:
    """Write rows to a JSON file, with the machine and the versions; `docs.generate` makes tables of it."""
    result = {"machine": machine(), "versions": versions, "rows": [asdict(row) for row in rows], **more}
    write_text(path, json.dumps(result, indent=2, ensure_ascii=False) + "\n")
