"""The stored runs of the arena that the leaderboard is made from: which runs are accepted and how they are stored.

A stored run is a folder in ``leaderboard/``. It holds ``run.json`` as the arena wrote it, and ``games.jsonl.xz``, the
games sorted by table, block and order. The same run gives the same bytes.
"""

from __future__ import annotations

import lzma
import re
import shutil
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import BinaryIO

from dunaia_env.arena import playing, run_files
from dunaia_env.arena.records import GAMES_FILE, Game, RecordsError, Run, game_count
from dunaia_env.arena.summary import ENOUGH_GAMES, Summary, summarise
from dunaia_env.games import GAMES
from dunaia_env.harness import opponents, registry
from dunaia_env.harness.game import Game as PlayedGame
from dunaia_env.support import atomic, messages, reading

_CHECKOUT = Path(__file__).resolve().parents[2]
# An installed library has no folder of stored runs; it is then looked for in the current directory.
ROOT = _CHECKOUT if (_CHECKOUT / "pyproject.toml").exists() else Path()
FOLDER = ROOT / "leaderboard"
STORED_GAMES = GAMES_FILE + ".xz"
# Further digits of thinking times and further decimals of luck are noise and would only take space.
_SECONDS_DIGITS = 4
_LUCK_DECIMALS = 6
# The games of a stored run, packed and unpacked: 30 times as much as the largest of the project's runs. Packed data can
# be unpacked to ten thousand times their size.
MOST_PACKED_BYTES, MOST_UNPACKED_BYTES = 1 << 26, 1 << 30
# What unpacking may need; the preset with which runs are packed needs 65 MB.
_MOST_MEMORY, _PIECE = 1 << 27, 1 << 16
_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
# Suffix of the folder of a run that is being stored. A folder that a kill left behind is removed when the next run is
# stored.
_UNFINISHED = ".unfinished"
# Options of agents that name a data file.
_FILE_OPTIONS = ("evaluation", "weights")


class LeaderboardError(ValueError):
    """A run that cannot be stored, or a stored run that cannot be used; the message says why."""


@dataclass(frozen=True)
class Stored:
    """A stored run: its name, its plan, and its games sorted by table, block and order."""

    name: str
    run: Run
    games: tuple[Game, ...]


def add_run(source: Path, name: str, *, folder: Path = FOLDER, allow_dirty: bool = False) -> Stored:
    """Store a finished run under a new name; raises `LeaderboardError` or `RecordsError` if it cannot be stored."""
    if not _NAME.fullmatch(name):
        raise LeaderboardError(f"name: expected words of lower-case letters and digits, joined by -, got {name!r}")
    if (folder / name).exists():
        raise LeaderboardError(f"name: {name!r}; {folder / name} exists already")
    run = run_files.read_run(source)
    # Rounded as they are stored, so that the checks see what others will read.
    games = tuple(compact(game) for game in sorted(run_files.read_games(source, run), key=lambda game: game.key))
    try:
        _check(run, games)
        summary = summarise(run, games)
        _check_acceptable(summary, allow_dirty=allow_dirty)
    except ValueError as error:
        raise LeaderboardError(f"{source}: {error}") from error
    content = run_files.to_lines(games)
    packed = lzma.compress(content, preset=9 | lzma.PRESET_EXTREME)
    for what, size, most in (("", len(content), MOST_UNPACKED_BYTES), ("packed ", len(packed), MOST_PACKED_BYTES)):
        if size > most:
            raise LeaderboardError(f"{source}: the games have {size:,} {what}bytes; at most {most:,} can be stored")
    with run_files.exclusive_folder(folder):
        for leftover in folder.glob(f".*{_UNFINISHED}"):
            shutil.rmtree(leftover)
        unfinished = folder / f".{name}{_UNFINISHED}"
        try:
            run_files.write_run(unfinished, run)
            atomic.write_bytes(unfinished / STORED_GAMES, packed)
            unfinished.rename(folder / name)
        except BaseException:
            shutil.rmtree(unfinished, ignore_errors=True)
            raise
    return Stored(name, run, games)


def read_stored(folder: Path = FOLDER) -> list[Stored]:
    """All stored runs, sorted by name; raises `RecordsError` naming the file of a damaged one."""
    if not folder.exists():
        return []
    return [_read_one(path) for path in sorted(folder.iterdir()) if path.is_dir() and path.name[0] != "."]


def _read_one(folder: Path) -> Stored:
    run = run_files.read_run(folder)
    path = folder / STORED_GAMES
    try:
        with reading.open_file(path, MOST_PACKED_BYTES) as file:
            games = tuple(
                run_files.games_of_lines(reading.lines_of(_unpacked(file), run_files.MOST_LINE_BYTES), run, path)
            )
        _check(run, games)
    except (LeaderboardError, reading.ReadingError) as error:
        raise RecordsError(f"{path}: {error}") from error
    except (OSError, lzma.LZMAError) as error:
        raise RecordsError(f"{path}: cannot be read ({messages.reason(error)})") from error
    return Stored(folder.name, run, games)


def _unpacked(file: BinaryIO) -> Iterator[bytes]:
    """The unpacked content of an xz file in pieces, so that nobody holds more of it than has been found to be games.

    Raises `ReadingError` as soon as it is longer than allowed, and `lzma.LZMAError` for a damaged file.
    """
    unpacker = lzma.LZMADecompressor(lzma.FORMAT_XZ, _MOST_MEMORY)
    packed, size = reading.pieces_of(file), 0
    while not unpacker.eof:
        given = next(packed, b"") if unpacker.needs_input else b""
        if unpacker.needs_input and not given:
            raise lzma.LZMAError("it ends too early")
        piece = unpacker.decompress(given, _PIECE)
        size += len(piece)
        if size > MOST_UNPACKED_BYTES:
            raise reading.ReadingError(f"unpacks to more than {MOST_UNPACKED_BYTES:,} bytes, the most that are allowed")
        yield piece
    if unpacker.unused_data or next(packed, b""):
        raise lzma.LZMAError("something follows its end")


def compact(game: Game) -> Game:
    """A game with thinking times and luck rounded as they are stored."""
    return replace(
        game,
        seconds=tuple(float(f"{value:.{_SECONDS_DIGITS}g}") for value in game.seconds),
        # Adding zero turns negative zero into zero.
        luck=tuple(round(value, _LUCK_DECIMALS) + 0.0 for value in game.luck),
    )


def _check(run: Run, games: Sequence[Game]) -> None:
    """Raise `LeaderboardError` unless all planned games are there and everybody can load the game and the agents."""
    if run.game not in GAMES:
        raise LeaderboardError(f"game: expected one of the library's, {', '.join(GAMES)}, got {run.game!r}")
    for entrant in run.entrants:
        if why := why_not_repeatable(entrant.label, registry.find_game(run.game)):
            raise LeaderboardError(f"agent {entrant.label!r}: {why}")
    planned = game_count(run.tables)
    if len(games) < planned:
        raise LeaderboardError(f"the run is not finished: {planned - len(games)} of {planned} games are missing")


def _check_acceptable(summary: Summary, *, allow_dirty: bool) -> None:
    """Raise `LeaderboardError` for a run that others cannot repeat, or that has too few games."""
    run = summary.run
    if not allow_dirty and (run.commit == "unknown" or run.commit.endswith("-dirty")):
        raise LeaderboardError(
            f"commit: expected a run from a checkout without changes, or --allow-dirty, got {run.commit}"
        )
    if run.components != (default := registry.find_game(run.game).load(None).hash):
        raise LeaderboardError(f"components: expected the game's own, {default}, got {run.components}")
    for row in summary.rows:
        if row.few:
            raise LeaderboardError(
                f"table {row.table}: expected at least {ENOUGH_GAMES}, or a sequential test that reached a decision,"
                f" got {row.games} games of {row.entrant}"
            )


def why_not_repeatable(label: str, game: PlayedGame = registry.DEFAULT_GAME) -> str:
    """Why other people cannot repeat an agent's decisions in a game; empty if they can."""
    kind, _, options = label.partition(":")
    if playing.runs_in_subprocess(label):
        return "does not belong to the project, so nobody else can repeat its decisions"
    if kind == "terminal":
        return "is a person, so nobody can repeat its decisions"
    model = opponents.model_file(label, game)
    if not label.startswith(model) and Path(model).is_relative_to(ROOT):
        # The label is the name of an agent that comes with the project, not the path of its model.
        model = Path(model).relative_to(ROOT).as_posix()
    files = [model] if model else []
    for option in options.split(",") if options and not files else []:
        name, _, value = option.rpartition("=")
        if name == "seconds":
            return "has a time budget, so nobody can repeat its decisions; give it a number of simulations"
        if name in _FILE_OPTIONS or (kind == "greedy" and not name):
            files.append(value)
    for file in files:
        if Path(file).is_absolute() or not _is_tracked(file):
            return f"{file} is not a file of the repository, given relative to its root, so nobody else can load it"
    return ""


def _is_tracked(file: str) -> bool:
    command = ["git", "-C", str(ROOT), "ls-files", "--error-unmatch", "--", file]
    try:
        return subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        return False
