"""Time to strength: how fast trainers learn, and how long they take until they beat greedy.

``python -m benchmarks.learning [--json FILE] [--plot FILE] [--commit 21fc663] [--minutes 5] [--seeds 0 1 2]``. Three
trainers learn one after the other, seed by seed, with all cores and nothing beside them:

- here: ``make train`` of this checkout;
- commit: ``make train`` of an earlier commit, see `benchmarks.compare`, if one is named;
- maskable_ppo: sb3-contrib's MaskablePPO, as `training.sb3_maskable` sets it up.

While they learn, their model files are copied. Afterwards each copy plays against greedy at a table for two, without
search and with its best action. Seconds count from the first rollout, so importing and compiling is not part of them;
the matches that a trainer plays to draw its own curves are.
"""

from __future__ import annotations

import itertools
import json
import os
import re
import shlex
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import tyro
from matplotlib.figure import Figure
from rich.console import Console
from rich.table import Table

from agents.network import NetworkAgent, load_model
from benchmarks import measuring
from benchmarks.compare import ROOT, check_out
from dunaia_env.arena.match import blocks_for, play_match
from dunaia_env.harness import opponents
from dunaia_env.harness.options import NUM_PLAYERS
from dunaia_env.harness.registry import find_game
from dunaia_env.support.atomic import write_bytes, write_text
from dunaia_env.support.machine import machine
from dunaia_env.support.terminal import run_main
from training.running.checkpoint import MODEL_FILE

HERE, COMMIT, MASKABLE_PPO = "here", "commit", "maskable_ppo"
TITLES = {
    HERE: "training.ppo",
    COMMIT: "training.ppo at {commit}",
    MASKABLE_PPO: "sb3-contrib's MaskablePPO",
}
COLOURS = {HERE: "#0072b2", COMMIT: "#d55e00", MASKABLE_PPO: "#009e73"}
REFERENCE = "greedy"
SHARES = (0.25, 0.5, 0.75)
SEED = 3_000_000  # of the matches
RUN = "run"
VERSIONED = ("dunaia-env", "numpy", "numba", "torch", "stable-baselines3", "sb3-contrib")


@dataclass(frozen=True)
class Arguments:
    """Measure how fast trainers learn, and how long they take until they beat greedy."""

    json: Path | None = None
    """File for the results; they are printed in any case."""
    plot: Path | None = None
    """File for the picture of the learning curves, such as curves.svg."""
    trainers: tuple[str, ...] = (HERE, COMMIT, MASKABLE_PPO)
    """Trainers to measure; commit is left out if no commit is named."""
    commit: str | None = None
    """An earlier commit whose trainer is measured too."""
    seeds: tuple[int, ...] = (0, 1, 2)
    """Seeds of the trainings of each trainer."""
    minutes: float = 5.0
    """Length of each training."""
    maskable_decisions: int = 2_000_000
    """Budget of decisions over which MaskablePPO's learning rate falls to zero. It is stopped after the same minutes as
    the other trainers, so the best budget is what it learns from in that time."""
    copy_seconds: float = 15.0
    """Seconds of training between two copies of a model file."""
    games: int = 400
    """Games against greedy for each copy; the last copy plays three times as many."""
    game: str = "dunaia"
    """Game that is learned, a name of the library."""
    preset: str | None = None
    """Options of the game that are chosen together, such as duel."""


@dataclass(frozen=True)
class Point:
    """A point of a learning curve.

    Attributes:
        seconds: time of training.
        decisions: number of decisions that were learned from.
        share: share of the games that were won against greedy.
        low, high: ends of its 95 % interval.
        games: number of games that were played.
    """

    seconds: float
    decisions: int
    share: float
    low: float
    high: float
    games: int


@dataclass(frozen=True)
class Training:
    """A trainer's learning curve with one seed.

    Attributes:
        trainer: name of the trainer.
        seed: seed of the training.
        decisions_per_second: decisions learned from per second, over the whole training.
        seconds_until: seconds until the learning curve reaches each of `SHARES`; None where it does not.
        curve: the points of the curve, in order.
    """

    trainer: str
    seed: int
    decisions_per_second: float
    seconds_until: tuple[float | None, ...]
    curve: list[Point]


def main() -> None:
    """Train, judge, print and write."""
    arguments = tyro.cli(Arguments, prog="python -m benchmarks.learning")
    try:
        check(arguments)
        folder = check_out(arguments.commit) if arguments.commit else None
    except ValueError as error:
        raise SystemExit(f"benchmarks.learning: {error}") from None
    trainers = [name for name in arguments.trainers if name != COMMIT or folder]
    works = [(seed, trainer) for seed in arguments.seeds for trainer in trainers]
    trainings = []
    for seed, trainer in measuring.progress(works, lambda work: f"{work[1]}, seed {work[0]}"):
        checkout = folder if trainer == COMMIT and folder else ROOT
        with tempfile.TemporaryDirectory() as folder_name:
            work_folder = Path(folder_name)
            command = command_of(trainer, arguments, seed, work_folder / RUN, checkout)
            copies = train(command, checkout, arguments, work_folder)
            trainings.append(judged(trainer, seed, copies, arguments))
        print(summary(trainings[-1]), flush=True)
        write(arguments, trainings)  # after each training, because all of them take long
    console = Console()
    console.print(table_of(trainings, arguments.commit, arguments.minutes))


def check(arguments: Arguments) -> None:
    """Raise `ValueError` naming an argument that is out of range and what is allowed."""
    for name in ("minutes", "maskable_decisions", "copy_seconds", "games"):
        if not 0 < getattr(arguments, name) < float("inf"):
            raise ValueError(f"{name}: expected more than 0, got {getattr(arguments, name)}")
    for trainer in arguments.trainers:
        if trainer not in TITLES:
            raise ValueError(f"trainers: expected some of {', '.join(TITLES)}, got {trainer!r}")
    if not arguments.trainers or not arguments.seeds:
        raise ValueError("trainers, seeds: expected at least one of each")
    game = find_game(arguments.game)
    if arguments.preset:
        game.preset(arguments.preset)


def command_of(trainer: str, arguments: Arguments, seed: int, run: Path, checkout: Path) -> list[str]:
    """The command of a training that writes its model file to the folder ``run``."""
    shared: dict[str, Any] = {"run": run, "seed": seed, "game": arguments.game, "final-games": 0}
    if arguments.preset:
        shared["preset"] = arguments.preset
    if trainer == MASKABLE_PPO:
        words = ["-m", "training.sb3_maskable"]
        shared |= {"decisions": arguments.maskable_decisions, "save-seconds": arguments.copy_seconds}
        shared["evaluation-rollouts"] = 0
    else:
        words = make_train(checkout)
        shared |= {"minutes": arguments.minutes, "save-seconds": arguments.copy_seconds}
    return [sys.executable, *words, *(str(word) for name, value in shared.items() for word in (f"--{name}", value))]


def make_train(checkout: Path) -> list[str]:
    """What ``make train`` of a checkout passes to Python."""
    recipe = (checkout / "Makefile").read_text(encoding="utf-8").replace("\\\n", " ")
    found = re.search(r"^train:.*\n\t@\$\(BIN\)/python (-m training\.ppo .*)\$\(ARGS\)$", recipe, re.MULTILINE)
    if found is None:
        raise ValueError(f"{checkout / 'Makefile'}: expected a target train that runs training.ppo")
    return shlex.split(found[1])


def train(command: Sequence[str], checkout: Path, arguments: Arguments, folder: Path) -> list[Path]:
    """Train until the command ends or the minutes are over; returns copies of its model files, in order."""
    environment = os.environ | {"PYTHONPATH": str(checkout)}
    model, written = folder / RUN / MODEL_FILE, 0
    copies: list[Path] = []
    with (folder / "output").open("w+") as output:
        process = subprocess.Popen(command, cwd=checkout, env=environment, stdout=output, stderr=output)
        try:
            while True:
                ended = process.poll() is not None
                if model.exists() and (changed := model.stat().st_mtime_ns) != written:
                    written = changed
                    copies.append(folder / f"{len(copies)}.safetensors")
                    shutil.copyfile(model, copies[-1])
                    if load_model(copies[-1]).header["seconds"] >= 60 * arguments.minutes and not ended:
                        process.terminate()  # unlike an interrupt, this ends it also in the background of a shell
                if ended:
                    break
                time.sleep(0.2)
        finally:
            process.kill()
            process.wait()
        if not copies:
            output.seek(0)
            raise RuntimeError(f"{shlex.join(command)}: wrote no model file; its output ends:\n{output.read()[-1000:]}")
    return copies


def judged(trainer: str, seed: int, copies: Sequence[Path], arguments: Arguments) -> Training:
    """The learning curve of a training: its model files play against greedy."""
    curve = [Point(0.0, 0, 0.0, 0.0, 0.0, 0)]
    game = find_game(arguments.game)
    options = dict(game.preset(arguments.preset)) if arguments.preset else game.default_options(full=True)
    options |= {NUM_PLAYERS: 2}
    for number, copy in enumerate(copies, start=1):
        player = NetworkAgent.load(copy, game=game)
        header = player.network.header
        games = arguments.games * (3 if number == len(copies) else 1)
        match = play_match(
            [player, opponents.load(REFERENCE, game=game)],
            blocks=blocks_for(games, 2, 2),
            seed=SEED,
            game=game,
            threads=os.cpu_count() or 1,
            **options,
        )
        share, low, high = (round(value, 4) for value in match.interval())
        curve.append(Point(round(header["seconds"], 1), header["decisions"], share, low, high, match.games))
    last = curve[-1]
    until = tuple(seconds_until(curve, share) for share in SHARES)
    return Training(trainer, seed, round(last.decisions / last.seconds, 1), until, curve)


def seconds_until(curve: Sequence[Point], share: float) -> float | None:
    """When a learning curve reaches a share of the games for the first time, linear between points; None if never."""
    for before, after in itertools.pairwise(curve):
        if after.share >= share:
            part = (share - before.share) / (after.share - before.share)
            return round(before.seconds + part * (after.seconds - before.seconds), 1)
    return None


def middle_seconds(trainings: Sequence[Training], place: int) -> float | None:
    """The median over the seeds of the seconds until a share is reached; None if fewer than half reach it."""
    seconds = [training.seconds_until[place] for training in trainings]
    found = statistics.median(float("inf") if value is None else value for value in seconds)
    return None if found == float("inf") else found


def summary(training: Training) -> str:
    """A training in one line."""
    last = training.curve[-1]
    return (
        f"{training.trainer}, seed {training.seed}: {training.decisions_per_second:,.0f} decisions/s; after"
        f" {last.seconds:.0f} s {100 * last.share:.1f} % ({100 * last.low:.1f} to {100 * last.high:.1f})"
    )


def rows_of(trainings: Sequence[Training], commit: str | None, minutes: float) -> list[list[str]]:
    """The cells of a table: for each trainer its speed, the seconds until each share, and its share at the end."""
    rows = []
    for trainer in dict.fromkeys(training.trainer for training in trainings):
        own = [training for training in trainings if training.trainer == trainer]
        speeds = [training.decisions_per_second for training in own]
        middles = [middle_seconds(own, place) for place in range(len(SHARES))]
        ends = [training.curve[-1].share for training in own]
        rows.append(
            [
                TITLES[trainer].format(commit=commit),
                str(len(own)),
                f"{statistics.median(speeds):,.0f}",
                *(f"not in {minutes:g} min" if value is None else f"{value:.0f} s" for value in middles),
                f"{100 * statistics.fmean(ends):.1f} % ({100 * min(ends):.1f} to {100 * max(ends):.1f})",
            ]
        )
    return rows


def heads() -> list[str]:
    """The heads of the columns of `rows_of`."""
    return [
        *("trainer", "seeds", "decisions learned a second"),
        *(f"until {100 * share:.0f} %" for share in SHARES),
        "at the end (lowest to highest)",
    ]


def table_of(trainings: Sequence[Training], commit: str | None, minutes: float) -> Table:
    """The results as a table for the terminal."""
    table = Table(title=f"{machine()['processor']}, against {REFERENCE}")
    for head in heads():
        table.add_column(head)
    for row in rows_of(trainings, commit, minutes):
        table.add_row(*row)
    return table


def write(arguments: Arguments, trainings: Sequence[Training]) -> None:
    """Write the results and the picture, where the arguments name files for them."""
    if arguments.json:
        options = {name: value for name, value in asdict(arguments).items() if name not in ("json", "plot")}
        content = {
            "machine": machine(),
            "versions": measuring.versions(VERSIONED),
            "arguments": options,
            "trainings": [asdict(training) for training in trainings],
        }
        write_text(arguments.json, json.dumps(content, indent=2, ensure_ascii=False) + "\n")
    if arguments.plot:
        content_of_plot = BytesIO()
        plot(trainings, arguments.commit).savefig(content_of_plot, format=arguments.plot.suffix[1:] or "svg")
        write_bytes(arguments.plot, content_of_plot.getvalue())


def read(content: dict[str, Any]) -> list[Training]:
    """The trainings in the content of a file of results."""
    return [
        Training(
            **entry
            | {
                "seconds_until": tuple(entry["seconds_until"]),
                "curve": [Point(**point) for point in entry["curve"]],
            }
        )
        for entry in content["trainings"]
    ]


def plot(trainings: Sequence[Training], commit: str | None) -> Figure:
    """The learning curves: a line for each seed, a colour and a marker for each trainer."""
    figure = Figure(figsize=(7, 4), layout="constrained")
    axes = figure.subplots()
    marks = dict(zip(TITLES, "os^", strict=True))
    named: set[str] = set()
    for training in trainings:
        trainer = training.trainer
        axes.plot(
            [point.seconds / 60 for point in training.curve],
            [100 * point.share for point in training.curve],
            color=COLOURS[trainer],
            marker=marks[trainer],
            markersize=3,
            linewidth=1,
            label=None if trainer in named else TITLES[trainer].format(commit=commit),
        )
        named.add(trainer)
    for share in SHARES:
        axes.axhline(100 * share, color="#888888", linewidth=0.6, linestyle=":")
    axes.set_xlim(left=0)
    axes.set_ylim(bottom=0)
    axes.set_xlabel("minutes of training")
    axes.set_ylabel(f"wins against {REFERENCE} (%)")
    axes.grid(linewidth=0.3)
    axes.legend(frameon=False)
    return figure


if __name__ == "__main__":
    sys.exit(run_main(main))
