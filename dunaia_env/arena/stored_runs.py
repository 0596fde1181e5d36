"""Stored runs of the arena, on which the leaderboard rests: what is taken in, and how it is kept.

A stored run is a folder of ``leaderboard/`` with ``run.json`` as the arena wrote it and ``games.jsonl.xz``, its games
by table, block and order. The same run gives the same bytes.
"""

from __future__ import annotations

import lzma
import re
import shutil
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from dunaia_env.arena.playing import is_guarded
from dunaia_env.arena.records import (
    GAMES_FILE,
    Game,
    RecordsError,
    Run,
    alone,
    game_count,
    games_of_lines,
    in_lines,
    read_games,
    read_run,
    write_run,
)
from dunaia_env.arena.summary import ENOUGH_GAMES, Summary, summarise
from dunaia_env.games import GAMES
from dunaia_env.harness.opponents import model_file
from dunaia_env.harness.registry import find_game
from dunaia_env.support.atomic import write_bytes
from dunaia_env.support.messages import reason

_CHECKOUT = Path(__file__).resolve().parents[2]
# An installed library has no folder of stored runs: they are where the command is given.
ROOT = _CHECKOUT if (_CHECKOUT / "pyproject.toml").exists() else Path()
FOLDER = ROOT / "leaderboard"
STORED_GAMES = GAMES_FILE + ".xz"
# Thinking times are noise beyond so many significant digits, luck beyond so many decimals: more would only cost space.
_SECONDS_DIGITS = 4
_LUCK_DECIMALS = 6
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
# A run that is being stored; one that a kill left behind goes when the next run is stored.
_UNFINISHED = ".unfinished"
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
    games = tuple(compact(game) for game in sorted(read_games(source, run), key=lambda game: game.key))
    try:
        _check(run, games)
        summary = summarise(run, games)
        _check_worth(summary, allow_dirty=allow_dirty)
    except ValueError as error:
        raise LeaderboardError(f"{source}: {error}") from error
    with alone(folder):
        for left in folder.glob(f".*{_UNFINISHED}"):
            shutil.rmtree(left)
        place = folder / f".{name}{_UNFINISHED}"
        try:
            write_run(place, run)
            write_bytes(place / STORED_GAMES, lzma.compress(in_lines(games), preset=9 | lzma.PRESET_EXTREME))
            place.rename(folder / name)
        except BaseException:
            shutil.rmtree(place, ignore_errors=True)
            raise
    return Stored(name, run, games)


def read_stored(folder: Path = FOLDER) -> list[Stored]:
    """All stored runs by name; raises `RecordsError` naming the file for a damaged one."""
    if not folder.exists():
        return []
    return [_read_one(place) for place in sorted(folder.iterdir()) if place.is_dir() and place.name[0] != "."]


def _read_one(place: Path) -> Stored:
    run = read_run(place)
    path = place / STORED_GAMES
    try:
        games = tuple(games_of_lines(lzma.decompress(path.read_bytes()), run, path))
        _check(run, games)
    except LeaderboardError as error:
        raise RecordsError(f"{path}: {error}") from error
    except (OSError, lzma.LZMAError) as error:
        raise RecordsError(f"{path}: cannot be read ({reason(error)})") from error
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
    """Raise `LeaderboardError` unless all games of the plan are there, and game and agents are anybody's."""
    if run.game not in GAMES:
        raise LeaderboardError(f"game: {run.game!r}; one of the library's, {', '.join(GAMES)}, is needed")
    for entrant in run.entrants:
        if why := why_not_repeatable(entrant.label):
            raise LeaderboardError(f"agent {entrant.label!r}: {why}")
    planned = game_count(run.tables)
    if len(games) < planned:
        raise LeaderboardError(f"the run is not finished: {planned - len(games)} of {planned} games are missing")


def _check_worth(summary: Summary, *, allow_dirty: bool) -> None:
    """Raise `LeaderboardError` for a run that others could not repeat, or that says too little."""
    run = summary.run
    if not allow_dirty and (run.commit == "unknown" or run.commit.endswith("-dirty")):
        raise LeaderboardError(
            f"commit: {run.commit}; the run of a checkout without changes is needed, or --allow-dirty"
        )
    if run.components != (own := find_game(run.game).load(None).hash):
        raise LeaderboardError(f"components: {run.components}; the project's own, {own}, is needed")
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
