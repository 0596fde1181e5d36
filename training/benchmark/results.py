"""The results of `training.benchmark`: their files, and the table and the plot made from them."""

from __future__ import annotations

import io
import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dunaia_env.arena.match import describe
from dunaia_env.harness.dealing import first_of, read_dealt, variant
from dunaia_env.harness.registry import DEFAULT_GAME, find_game, game_of_file
from dunaia_env.reports.parts import number_text
from dunaia_env.statistics.intervals import Estimate
from dunaia_env.support import atomic
from dunaia_env.support.typed_json import read_versioned
from training.benchmark.aggregates import interquartile_estimate, probability_of_improvement
from training.benchmark.scale import stored_references, strength_of

RUN_FORMAT, FORMAT, VERSION = "dunaia-learning-run", "dunaia-learning", 2
RESULTS_FILE, TABLE_FILE, PLOT_FILE = "benchmark.json", "benchmark.md", "benchmark.png"
# The largest file of results that is read.
MOST_BYTES = 1 << 26
# The name of the score that is a place on the scale of a task.
SCALE = "scale"
# Bootstrap samples for the bands in the plot, which need not be as exact as the table.
BAND_SAMPLES = 2000
# Okabe and Ito's colours, which colour-blind people can distinguish, without the yellow, which is too light for a line.
COLOURS = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9", "#000000")


class ResultsError(ValueError):
    """A file of results that cannot be used; the message says why."""


@dataclass(frozen=True)
class Setting:
    """The setting of all trainings of a benchmark.

    Attributes:
        players: number of players at the table.
        game: name of the game.
        game_options: all options of the game except the number of players, by name.
        decisions: budget of each training in decisions of the learner; 0 for a budget of time.
        evaluations: number of evaluations: after the whole budget, half of it, a quarter, ..., besides the one before
            training.
        games: least number of games against each opponent in each evaluation.
        opponents: names of the references.
        threads: largest number of threads.
        task: title of the named task (`training.benchmark.tasks`); empty for none.
        minutes: budget of each training in minutes of training; 0 for a budget of decisions.
    """

    players: int
    game: str
    game_options: Mapping[str, Any]
    decisions: int
    evaluations: int
    games: int
    opponents: tuple[str, ...]
    threads: int
    task: str = ""
    minutes: float = 0.0

    @property
    def parts(self) -> tuple[float, ...]:
        """The parts of the budget after which the player is evaluated."""
        return tuple(2.0**-number for number in reversed(range(self.evaluations)))

    @property
    def budget(self) -> str:
        """The budget as text."""
        return f"{self.minutes:g} minutes" if self.minutes else f"{self.decisions:,} decisions of the learner"

    @property
    def scores(self) -> tuple[str, ...]:
        """The numbers that a player is judged by: its place on the task's scale, or its win share by opponent."""
        return (SCALE,) if self.task else self.opponents

    def content(self) -> dict[str, Any]:
        """The content of a file: the values by name, with the game's options among them."""
        values = asdict(self)
        options: dict[str, Any] = values.pop("game_options")
        for name in ("task", "minutes"):
            if not values[name]:
                del values[name]
        return values | options

    @classmethod
    def of_content(cls, content: Mapping[str, Any]) -> Setting:
        """The setting in a file's content; a missing option has its default.

        Raises `ValueError` or `TypeError` for wrong content.
        """
        game = game_of_file(content.get("game", DEFAULT_GAME.name))
        options = game.default_options() | first_of(read_dealt(game, content))
        own = {name: value for name, value in content.items() if name not in options}
        given = own | {"opponents": tuple(own["opponents"]), "game": content.get("game", DEFAULT_GAME.name)}
        return cls(**given, game_options=options)


@dataclass(frozen=True)
class Point:
    """A point of a training: decisions, seconds and core seconds so far, without evaluations, and win shares."""

    decisions: int
    seconds: float
    core_seconds: float
    shares: dict[str, float]


@dataclass(frozen=True)
class Run:
    """A finished training.

    Attributes:
        algorithm: name of the algorithm.
        description: one line about the algorithm.
        options: its options by name.
        seed: seed of the training.
        setting: see `Setting`.
        task_hash: hash of the named task; empty for none.
        points: the evaluations, from before the training to its end.
        blocks: win share of the final player in each block, by opponent; empty in a file of several trainings.
        memory: largest memory of the process in bytes, with evaluations, if known.
        parameters: number of weights of the player, if known.
        player_file, player_digest: name of the player's file beside that of the training, and its SHA-256 digest, if it
            was written.
        machine: the machine that it ran on, see `dunaia_env.support.machine`.
        versions: versions of the libraries.
        commit: commit of the checkout, if there is one.
    """

    algorithm: str
    description: str
    options: dict[str, Any]
    seed: int
    setting: Setting
    task_hash: str
    points: tuple[Point, ...]
    blocks: dict[str, list[float]]
    memory: int | None
    parameters: int | None
    player_file: str | None
    player_digest: str | None
    machine: dict[str, Any]
    versions: dict[str, str]
    commit: str | None


@dataclass(frozen=True)
class Row:
    """An algorithm's results over its seeds.

    Attributes:
        algorithm, description: as in `Run`.
        seeds: number of trainings.
        shares: interquartile mean of the final win shares by opponent, and the mean of these as ``all`` where there
            are several, or the place on the task's scale as ``scale``; with 95 % intervals.
        decisions: the learner's decisions, the largest number of any seed; a rollout that has begun is finished.
        seconds, core_seconds: median seconds and core seconds of a training.
        speed: median decisions per second.
        memory: largest memory of a process in bytes, if known.
        parameters: number of weights of a player, if known.
    """

    algorithm: str
    description: str
    seeds: int
    shares: dict[str, Estimate]
    decisions: int
    seconds: float
    core_seconds: float
    speed: float
    memory: int | None
    parameters: int | None


def write_run(path: Path, run: Run) -> None:
    """Write a finished training atomically."""
    _write(path, {"format": RUN_FORMAT, "version": VERSION} | _content_of(run))


def _content_of(run: Run) -> dict[str, Any]:
    return asdict(run) | {"setting": run.setting.content()}


def _write(path: Path, content: dict[str, Any]) -> None:
    atomic.write_text(path, json.dumps(content, indent=1) + "\n")


def _read(path: Path, kind: str) -> dict[str, Any]:
    try:
        content, _ = read_versioned(path, kind, VERSION, most=MOST_BYTES)
    except ValueError as error:
        raise ResultsError(f"{path}: {error}") from error
    return content


def _run_of(content: dict[str, Any], path: Path) -> Run:
    try:
        setting = Setting.of_content(content["setting"])
        points = tuple(Point(**point) for point in content["points"])
        run = Run(**content | {"setting": setting, "points": points})
    except (KeyError, TypeError, AttributeError, ValueError) as error:
        raise ResultsError(f"{path}: a training is incomplete ({error!r})") from error
    if len(run.points) != run.setting.evaluations + 1:
        raise ResultsError(f"{path}: expected {run.setting.evaluations + 1} points, got {len(run.points)}")
    return run


def read_run(path: Path) -> Run:
    """Read a finished training; raises `ResultsError` for a damaged file or another kind of file."""
    return _run_of(_read(path, RUN_FORMAT), path)


def write_results(out: Path, runs: Sequence[Run]) -> None:
    """Write ``benchmark.json``, ``benchmark.md`` and ``benchmark.png`` for runs with the same setting."""
    rows = [asdict(row) | {"shares": {name: e._asdict() for name, e in row.shares.items()}} for row in summarise(runs)]
    content = {
        "format": FORMAT,
        "version": VERSION,
        "summary": rows,
        "runs": [_content_of(replace(run, blocks={})) for run in runs],
    }
    _write(out / RESULTS_FILE, content)
    atomic.write_text(out / TABLE_FILE, f"![learning curves]({PLOT_FILE})\n\n{markdown(runs)}")
    atomic.write_bytes(out / PLOT_FILE, plot(runs))


def read_results(path: Path) -> list[Run]:
    """The runs of a ``benchmark.json``; raises `ResultsError` for any other file."""
    return [_run_of(run, path) for run in _read(path, FORMAT)["runs"]]


def _by_algorithm(runs: Iterable[Run]) -> dict[str, list[Run]]:
    """Each algorithm's runs, in their order."""
    found: dict[str, list[Run]] = {}
    for run in runs:
        found.setdefault(run.algorithm, []).append(run)
    return found


def score(run: Run, name: str, point: int = -1) -> float:
    """A score at one of the points: the win share against an opponent, or the place on the task's scale (`SCALE`).

    Raises `training.benchmark.scale.ScaleError` if the references of the task are not stored.
    """
    shares, setting = run.points[point].shares, run.setting
    if name != SCALE:
        return shares[name]
    references = stored_references(setting.task)
    others = np.array([references.strengths[opponent] for opponent in shares])
    found = np.array(list(shares.values()))
    return references.scaled(float(strength_of(found, others, setting.players, setting.games)))


def scores_of(runs: Sequence[Run], names: Sequence[str], point: int = -1) -> NDArray[np.float64]:
    """Scores at one of the points, float64 ``(names, runs)``."""
    return np.array([[score(run, name, point) for run in runs] for name in names])


def summarise(runs: Sequence[Run]) -> list[Row]:
    """A row for each algorithm."""
    rows = []
    for algorithm, own in _by_algorithm(runs).items():
        setting = own[0].setting
        names = (SCALE, *setting.opponents) if setting.task else setting.opponents
        kinds: dict[str, tuple[str, ...]] = {name: (name,) for name in names}
        if len(setting.opponents) > 1 and not setting.task:
            kinds["all"] = setting.opponents
        last = [run.points[-1] for run in own]
        rows.append(
            Row(
                algorithm,
                own[0].description,
                seeds=len(own),
                shares={kind: interquartile_estimate(scores_of(own, names)) for kind, names in kinds.items()},
                decisions=max(point.decisions for point in last),
                seconds=median(point.seconds for point in last),
                core_seconds=median(point.core_seconds for point in last),
                speed=median(point.decisions / point.seconds for point in last),
                memory=max((run.memory for run in own if run.memory), default=None),
                parameters=own[0].parameters,
            )
        )
    return rows


def improvements(runs: Sequence[Run]) -> dict[tuple[str, str], Estimate]:
    """The probability that a training with one algorithm ends ahead of one with another, by the pair of names."""
    scores = {name: scores_of(own, own[0].setting.scores) for name, own in _by_algorithm(runs).items()}
    return {
        (name, other): probability_of_improvement(scores[name], scores[other])
        for name in scores
        for other in scores
        if name != other
    }


_HEADS = {"all": "mean", SCALE: "scale: random 0, champion 100"}


def scale_words(place: Estimate) -> str:
    """A place on a scale with its interval, as text."""
    value, *ends = (number_text(end, 0) for end in place)
    return value + (f" ({ends[0]} to {ends[1]})" if np.isfinite(place.low) else "")


def _table(heads: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(cells) + " |\n" for cells in (heads, *rows)]
    return lines[0] + "|" + "---|" * len(heads) + "\n" + "".join(lines[1:])


def markdown(runs: Sequence[Run]) -> str:
    """The setting, the machine and the results as Markdown."""
    setting, rows = runs[0].setting, summarise(runs)
    seeds = ", ".join(map(str, sorted({run.seed for run in runs})))
    where = dict.fromkeys(
        f"{run.machine['processor']}, {run.machine['cores']} cores, {run.machine['system']};"
        f" {', '.join(f'{name} {version}' for name, version in run.versions.items())}"
        for run in runs
    )
    threads = "1 thread" if setting.threads == 1 else f"{setting.threads} threads"
    kind = " ".join(filter(None, ["players", variant(find_game(setting.game), setting.game_options)]))
    task = f"Task `{setting.task}`: " if setting.task else ""
    what = (
        f"{task}{setting.players} {kind}, {setting.budget}, seeds"
        f" {seeds}, {threads} each; {setting.games:,} games, rounded up to whole blocks, against each reference at each"
        f" point. A fair share is {100 / setting.players:.1f} %.\n"
    )
    parts = [what, f"{'. '.join(where)}.\n"]
    heads = [_HEADS.get(name, f"against {name}") for name in rows[0].shares]
    cells = [
        [
            f"`{row.algorithm}`",
            *(scale_words(share) if name == SCALE else describe(share) for name, share in row.shares.items()),
            str(row.seeds),
            f"{row.decisions:,}",
            f"{row.seconds:,.0f}",
            f"{row.core_seconds:,.0f}",
            f"{row.speed:,.0f}",
            f"{row.memory / 2**20:,.0f}" if row.memory else "",
            f"{row.parameters:,}" if row.parameters else "",
        ]
        for row in rows
    ]
    used = ["seeds", "decisions", "seconds", "core seconds", "decisions/s", "memory, MiB", "parameters"]
    columns = ["algorithm", *heads, *used]
    parts.append("Win shares at the end, interquartile means over seeds (95 %):\n\n" + _table(columns, cells))
    if len(rows) > 1 and all(row.seeds > 1 for row in rows):
        found, names = improvements(runs), [row.algorithm for row in rows]
        cells = [
            [f"`{name}`", *("" if name == other else describe(found[name, other]) for other in names)] for name in names
        ]
        parts.append(
            "How likely a training with the algorithm of the row ends ahead of one with that of the column (95 %):\n\n"
            + _table(["", *(f"`{name}`" for name in names)], cells)
        )
    options = {run.algorithm: run.options for run in runs}
    parts.append("".join(_about(row, options[row.algorithm]) for row in rows))
    return "\n".join(part for part in parts if part)


def _about(row: Row, options: Mapping[str, Any]) -> str:
    """A line about an algorithm and its options."""
    told = ", ".join(f"{name} {value}" for name, value in options.items())
    about = "; ".join(filter(None, [row.description, told]))
    return f"- `{row.algorithm}`: {about}.\n" if about else ""


def curve(runs: Sequence[Run], name: str) -> list[Estimate]:
    """Interquartile mean of a score of runs with different seeds, with its interval, at each point."""
    return [
        interquartile_estimate(scores_of(runs, (name,), point), samples=BAND_SAMPLES)
        for point in range(len(runs[0].points))
    ]


def plot(runs: Sequence[Run]) -> bytes:
    """A PNG picture: a column for each score, its curves over decisions above and over time below."""
    from matplotlib.figure import Figure

    setting, groups = runs[0].setting, _by_algorithm(runs)
    count = len(setting.scores)
    figure = Figure(figsize=(4.2 * max(count, 1.6) + 0.6, 6.4), layout="constrained")
    panels = figure.subplots(2, count, sharey=True, squeeze=False)
    for column, name in enumerate(setting.scores):
        unit = 1 if name == SCALE else 100
        for index, (algorithm, own) in enumerate(groups.items()):
            colour = COLOURS[index % len(COLOURS)]
            values, lows, highs = unit * np.array(curve(own, name)).T
            for axes, field in zip(panels[:, column], ("decisions", "core_seconds"), strict=True):
                places = np.mean([[getattr(point, field) for point in run.points] for run in own], axis=0)
                # The logarithmic axis has no place for the evaluation before training.
                axes.plot(places[1:], values[1:], color=colour, label=algorithm, marker="o", markersize=3)
                axes.fill_between(places[1:], lows[1:], highs[1:], color=colour, alpha=0.18, linewidth=0)
        panels[0, column].set_title(setting.task if name == SCALE else f"against {name}")
        panels[0, column].set_xlabel("decisions of the learner")
        panels[1, column].set_xlabel("core seconds of training")
    for axes in panels.flat:
        axes.set_xscale("log")
        if setting.task:
            _mark_references(axes, setting.task)
        else:
            axes.axhline(100 / setting.players, color="grey", linestyle="--", linewidth=0.8)
            axes.set_ylim(-2, 102)
        axes.grid(linewidth=0.4)
    for axes in panels[:, 0]:
        axes.set_ylabel("scale (interquartile mean)" if setting.task else "win share, % (interquartile mean)")
    figure.legend(*panels[0, 0].get_legend_handles_labels(), loc="outside upper center", ncols=4, fontsize=8)
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=100)
    return content.getvalue()


def _mark_references(axes: Any, task: str) -> None:
    """A dashed line with its name for each reference of a task, at its place on the scale."""
    references = stored_references(task)
    for name, strength in references.strengths.items():
        height = references.scaled(strength)
        axes.axhline(height, color="grey", linestyle="--", linewidth=0.8)
        axes.annotate(name, (1.01, height), xycoords=("axes fraction", "data"), fontsize=7, va="center")
