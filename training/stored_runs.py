"""Stored runs of the arena, on which the leaderboard rests: what is taken in, and how it is kept.

A stored run is a folder of ``leaderboard/`` with ``run.json`` as the arena wrote it and ``games.jsonl.xz``, its games
by table, block and order. The same run gives the same bytes.
"""

from __future__ import annotations

import lzma
import re
import subprocess
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dunaia_env.atomic import write_bytes
from dunaia_env.game import DUNAIA
from dunaia_env.opponents import model_file
from training.plan import keys, seat_orders
from training.playing import is_guarded
from training.records import GAMES_FILE, RUN_FILE, Game, RecordsError, Run, append_games, read_games, read_run
from training.statistics import check_game
from training.summary import ENOUGH_GAMES, Summary, summarise

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "leaderboard"
STORED_GAMES = GAMES_FILE + ".xz"
# Thinking times are noise beyond so many significant digits, luck beyond so many decimals: more would only cost space.
_SECONDS_DIGITS = 4
_LUCK_DECIMALS = 6
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
# Options of agents that name a data file.
_FILE_OPTIONS = ("evaluation", "weights")


class LeaderboardError(ValueError):
    """A run that cannot be stored, or a stored one that cannot be used: the message says why."""


@dataclass(frozen=True)
class Stored:
    """A stored run: its name, its plan and its games by table, block and order."""

    name: str
    run: Run
    games: tuple[Game, ...]


def add_run(source: Path, name: str, *, folder: Path = FOLDER, allow_dirty: bool = False) -> Stored:
    """Store a finished run under a new name; raises `LeaderboardError` or `RecordsError` if that cannot be."""
    if not _NAME.fullmatch(name):
        raise LeaderboardError(f"name: {name!r}; small letters and digits, in words joined by -, are needed")
    if (folder / name).exists():
        raise LeaderboardError(f"name: {name!r}; {folder / name} exists already")
    run = read_run(source)
    # Without the digits that are not stored: what is checked is what others will read.
    games = tuple(compact(game) for game in sorted(read_games(source), key=lambda game: game.key))
    try:
        _check(run, games)
        summary = summarise(run, games)
        _check_worth(summary, allow_dirty=allow_dirty)
    except ValueError as error:
        raise LeaderboardError(f"{source}: {error}") from error
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=folder, prefix=".") as beside:
        place = Path(beside) / name
        place.mkdir()
        write_bytes(place / RUN_FILE, (source / RUN_FILE).read_bytes())
        append_games(beside, games)
        content = (Path(beside) / GAMES_FILE).read_bytes()
        write_bytes(place / STORED_GAMES, lzma.compress(content, preset=9 | lzma.PRESET_EXTREME))
        place.rename(folder / name)
    return Stored(name, run, games)


def read_stored(folder: Path = FOLDER) -> list[Stored]:
    """All stored runs by name; raises `RecordsError` naming the file for a damaged one."""
    if not folder.exists():
        return []
    return [_read_one(place) for place in sorted(folder.iterdir()) if place.is_dir() and place.name[0] != "."]


def _read_one(place: Path) -> Stored:
    run = read_run(place)
    path = place / STORED_GAMES
    with tempfile.TemporaryDirectory() as beside:
        unpacked = Path(beside) / GAMES_FILE
        try:
            unpacked.write_bytes(lzma.decompress(path.read_bytes()))
            games = tuple(read_games(beside))
            _check(run, games)
        except (OSError, lzma.LZMAError, ValueError) as error:
            raise RecordsError(f"{path}: {str(error).removeprefix(f'{unpacked}: ')}") from error
    return Stored(place.name, run, games)


def compact(game: Game) -> Game:
    """A game without the digits that are not stored."""
    return replace(
        game,
        seconds=tuple(float(f"{value:.{_SECONDS_DIGITS}g}") for value in game.seconds),
        # Adding zero makes the negative zero a zero.
        luck=tuple(round(value, _LUCK_DECIMALS) + 0.0 for value in game.luck),
    )


def _check(run: Run, games: Sequence[Game]) -> None:
    """Raise `LeaderboardError` unless the games are those of the plan, whole, and their agents anybody's."""
    for entrant in run.entrants:
        if reason := why_not_repeatable(entrant.label):
            raise LeaderboardError(f"agent {entrant.label!r}: {reason}")
    planned = keys(run)
    found = {game.key for game in games}
    if missing := planned - found:
        raise LeaderboardError(f"the run is not finished: {len(missing)} of {len(planned)} games are missing")
    if unknown := found - planned:
        raise LeaderboardError(f"game {min(unknown)} is not in the plan")
    orders = [seat_orders(table.entrants) for table in run.tables]
    for game in games:
        check_game(run, game)
        table, block, order = game.key
        if (game.seed, game.seating) != (run.seed + block, orders[table][order]):
            raise LeaderboardError(
                f"game {game.key}: seed {game.seed} and seating {game.seating}; the plan has {run.seed + block} and"
                f" {orders[table][order]}"
            )
        if len(game.actions) != sum(game.decisions):
            raise LeaderboardError(
                f"game {game.key}: {len(game.actions)} actions of {sum(game.decisions)} decisions; all are needed"
            )


def _check_worth(summary: Summary, *, allow_dirty: bool) -> None:
    """Raise `LeaderboardError` for a run that others could not repeat, or that says too little."""
    run = summary.run
    if not allow_dirty and (run.commit == "unknown" or run.commit.endswith("-dirty")):
        raise LeaderboardError(
            f"commit: {run.commit}; the run of a checkout without changes is needed, or --allow-dirty"
        )
    if run.components != DUNAIA.load(None).hash:
        raise LeaderboardError(f"rule set: {run.components}; the project's own, {DUNAIA.load(None).hash}, is needed")
    for row in summary.rows:
        if row.few:
            raise LeaderboardError(
                f"table {row.table}: {row.games} games of {row.entrant}; at least {ENOUGH_GAMES}, or a sequential test"
                " that decided, are needed"
            )


def why_not_repeatable(label: str) -> str:
    """Why nobody else could play an agent again; empty if everybody can."""
    kind, _, options = label.partition(":")
    if is_guarded(label):
        return "is not the project's: nobody else could play it again"
    if kind == "terminal":
        return "is a person: nobody could play it again"
    model = model_file(label)
    if not label.startswith(model) and Path(model).is_relative_to(ROOT):
        # The label is not its path but the name of a player that comes with the project.
        model = Path(model).relative_to(ROOT).as_posix()
    files = [model] if model else []
    for option in options.split(",") if options and not files else []:
        name, _, value = option.rpartition("=")
        if name == "seconds":
            return "thinks by the clock: nobody could play it again; give it a number of simulations"
        if name in _FILE_OPTIONS or (kind == "greedy" and not name):
            files.append(value)
    for file in files:
        if Path(file).is_absolute() or not _is_tracked(file):
            return f"{file} is no file of the repository, named from its root: nobody else could play it again"
    return ""


def _is_tracked(file: str) -> bool:
    command = ["git", "-C", str(ROOT), "ls-files", "--error-unmatch", "--", file]
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False
