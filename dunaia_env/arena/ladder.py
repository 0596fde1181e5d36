"""The skill ladder: what each doubling of a search's budget is worth, for several numbers of players.

On every rung, a search with 2N simulations plays against copies of a search with N simulations, in an arena run of its
own. The number of rungs until the longer search no longer wins more than its fair share measures the game's strategic
depth (the idea is that of the skill ladder of the TAG framework: Gaina, Balla, Dockhorn, Montoliu, Perez-Liebana,
2020). A ladder that was stopped continues where it stopped when the command is run again.
"""

from __future__ import annotations

import io
import json
import sys
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from dunaia_env.arena import records, run_files, tournament
from dunaia_env.arena.summary import Row, summarise
from dunaia_env.harness import commands, registry
from dunaia_env.statistics.intervals import Estimate
from dunaia_env.support import atomic, messages, reading, terminal, typed_json

FORMAT = "dunaia-ladder"
VERSION = 1
RESULTS_FILE = "ladder.json"
PLOT_FILE = "ladder.png"
# The largest file of results that is read.
MOST_BYTES = 1 << 20


class LadderError(ValueError):
    """A ladder that cannot be played, or a file that holds none; the message says why."""


@dataclass(frozen=True)
class Rung:
    """One comparison of a ladder.

    Attributes:
        players: number of players.
        simulations: simulations of the longer search; all other searches have half as many.
        games: number of games in complete blocks.
        fair: the share of equal players.
        share: win share of the longer search, with its interval.
        adjusted: luck-adjusted win share of the longer search; None if luck was not measured.
        seconds: mean thinking time of a decision of the longer search.
    """

    players: int
    simulations: int
    games: int
    fair: float
    share: Estimate
    adjusted: Estimate | None
    seconds: float


@dataclass(frozen=True)
class Options:
    """Measure what each doubling of a search's budget is worth."""

    out: Path
    """Folder of the ladder; each rung is an arena run in a subfolder."""
    players: tuple[int, ...] = (2, 3, 4)
    """Numbers of players."""
    first: int = 25
    """Number of simulations of the shortest search."""
    last: int = 800
    """Largest number of simulations of a longer search."""
    options: str = ""
    """Further options of the searches, such as playout=random."""
    games: int = 400
    """Minimum number of games on a rung; rounded up to whole blocks."""
    game: str = registry.DEFAULT_GAME.name
    """The game to play."""
    game_options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the game."""
    seed: int = 0
    """Game seed of every rung's first block."""
    jobs: int = 0
    """Number of workers; 0 for one on each core."""


def doublings(first: int, last: int) -> list[int]:
    """Budgets of the longer searches: 2 * first, 4 * first, ... up to last; raises `LadderError` if there is none."""
    if first < 1 or 2 * first > last:
        raise LadderError(f"first, last: expected first >= 1 and last >= 2 * first, got {first}, {last}")
    return [first * 2**power for power in range(1, (last // first).bit_length())]


def label_of(simulations: int, options: str) -> str:
    """The label of a search in the arena."""
    return f"mcts:{simulations},{options}" if options else f"mcts:{simulations}"


def play_ladder(options: Options) -> list[Rung]:
    """Play all rungs of the ladder from the lowest budget up, each for all numbers of players; returns the rungs."""
    rungs: list[Rung] = []
    for simulations in doublings(options.first, options.last):
        for players in options.players:
            folder = options.out / f"{players}p-{simulations}"
            labels = (label_of(simulations, options.options), label_of(simulations // 2, options.options))
            print(f"ladder: {labels[0]} against {labels[1]}, {players} players", file=sys.stderr)
            tournament.run_arena(
                tournament.Options(
                    agents=labels,
                    out=folder,
                    players=(players,),
                    games=options.games,
                    seed=options.seed,
                    game=options.game,
                    game_options=options.game_options,
                    mode="one-against-all",
                    jobs=options.jobs,
                ),
                command=f"python -m dunaia_env.arena.ladder, rung {folder.name}",
            )
            rungs.append(read_rung(folder, simulations))
            write_results(options.out, rungs)
    return rungs


def read_rung(folder: Path, simulations: int) -> Rung:
    """The result of a finished rung; raises `RecordsError` for a folder without a finished rung."""
    run = run_files.read_run(folder)
    summary = summarise(run, run_files.read_games(folder, run))
    row: Row = summary.rows[0]
    if row.decision_seconds is None:
        raise records.RecordsError(f"{folder}: no complete block")
    return Rung(row.players, simulations, row.games, row.fair, row.share, row.adjusted, row.decision_seconds)


def write_results(out: Path, rungs: Sequence[Rung]) -> None:
    """Write ``ladder.json`` and ``ladder.png``."""
    rows = [
        asdict(rung)
        | {"share": rung.share._asdict(), "adjusted": None if rung.adjusted is None else rung.adjusted._asdict()}
        for rung in rungs
    ]
    atomic.write_text(
        out / RESULTS_FILE, json.dumps({"format": FORMAT, "version": VERSION, "rungs": rows}, indent=2) + "\n"
    )
    atomic.write_bytes(out / PLOT_FILE, plot(rungs))


def read_results(path: Path) -> list[Rung]:
    """The rungs of a ``ladder.json``; raises `LadderError` for another file."""
    try:
        content, _ = typed_json.read_versioned(path, FORMAT, VERSION, most=MOST_BYTES)
    except (reading.ReadingError, typed_json.FieldError) as error:
        raise LadderError(f"{path}: {error}") from error
    for row in content["rungs"]:
        row["share"] = Estimate(**row["share"])
        row["adjusted"] = None if row["adjusted"] is None else Estimate(**row["adjusted"])
    return [Rung(**row) for row in content["rungs"]]


def plot(rungs: Sequence[Rung]) -> bytes:
    """A PNG plot: the longer search's win share on each rung, in a panel for each number of players."""
    from matplotlib.figure import Figure

    counts = sorted({rung.players for rung in rungs})
    figure = Figure(figsize=(3.2 * len(counts) + 0.6, 3.2), layout="constrained")
    for column, players in enumerate(counts):
        axes = figure.add_subplot(1, len(counts), column + 1)
        own = [rung for rung in rungs if rung.players == players]
        values = [100 * rung.share.value for rung in own]
        errors = [[100 * (rung.share.value - rung.share.low) for rung in own], []]
        errors[1] = [100 * (rung.share.high - rung.share.value) for rung in own]
        axes.axhline(100 * own[0].fair, color="#d9822b", linestyle="--", linewidth=1.2)
        axes.errorbar([rung.simulations for rung in own], values, yerr=errors, fmt="o-", color="#2a85c7", capsize=3)
        axes.set_xscale("log", base=2)
        axes.set_xticks([rung.simulations for rung in own], [str(rung.simulations) for rung in own], rotation=45)
        axes.set_title(f"{players} players")
        axes.set_xlabel("simulations, against half as many")
        axes.grid(axis="y", linewidth=0.5)
        if column == 0:
            axes.set_ylabel("win share, %")
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=110)
    return content.getvalue()


def main(options: Options) -> list[Rung]:
    """Play the ladder and print its rungs; raises `SystemExit` of status 2, after a message, for invalid options."""
    from rich.console import Console
    from rich.table import Table

    try:
        rungs = play_ladder(options)
    except (LadderError, tournament.ArenaError, records.RecordsError, OSError) as error:
        print(f"ladder: {messages.reason(error)}", file=sys.stderr)
        raise SystemExit(2) from None
    table = Table(title="Each budget against half the budget")
    for title in ("players", "simulations", "games", "win share (95 %)", "fair", "ms/decision"):
        table.add_column(title)
    for rung in rungs:
        share = f"{rung.share.value:.1%} ({rung.share.low:.1%} to {rung.share.high:.1%})"
        table.add_row(
            str(rung.players),
            f"{rung.simulations} against {rung.simulations // 2}",
            str(rung.games),
            share,
            f"{rung.fair:.1%}",
            f"{1000 * rung.seconds:.1f}",
        )
    Console().print(table)
    return rungs


def _run() -> list[Rung]:
    return main(commands.parse_command(Options, program="dunaia ladder"))


if __name__ == "__main__":
    sys.exit(terminal.run_main(_run, has_workers=True))
