"""The files of a run of the arena: its plan, and one line for each finished game.

A run is a folder with ``run.json``, written once when the run begins, and ``games.jsonl``, to which every finished game
adds a line. Statistics, reports and resumption read nothing else. Everything that is read is checked: the fields, their
types and ranges, and that the games belong to the plan.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import asdict, fields
from pathlib import Path
from typing import Any

from dunaia_env.arena import records
from dunaia_env.arena.records import Game, RecordsError, Run
from dunaia_env.harness import registry, seeds
from dunaia_env.support import atomic, locking, messages, reading
from dunaia_env.support.typed_json import FieldError, build, convert, parse, read_versioned

FORMAT = "dunaia-arena"
VERSION = 2
# Files of version 1 have no field `seeding`: their seeds are consecutive.
_FIRST_VERSION = 1
# The game of files that name none.
_UNNAMED_GAME = registry.name_of(registry.DEFAULT_GAME)
# The text of a table or of a game has hundreds to thousands of characters.
MOST_PLAN_BYTES, MOST_LINE_BYTES = 64_000_000, 1_000_000


@contextmanager
def exclusive_folder(folder: Path, files: Iterable[str] = (records.RUN_FILE, records.GAMES_FILE)) -> Iterator[None]:
    """Lock a folder against writing by other processes; a missing folder is created.

    Args:
        folder: the folder of a run or of the stored runs.
        files: files in the folder; leftovers of processes that were killed while writing these files are removed.

    Raises `RecordsError` if another process holds the lock, or if the folder cannot be created.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise RecordsError(f"{folder}: cannot be created ({error.strerror})") from error
    with ExitStack() as stack:
        try:
            stack.enter_context(locking.locked(folder))
        except locking.FolderInUseError:
            raise RecordsError(f"{folder}: another process is writing there") from None
        except OSError as error:
            raise RecordsError(f"{folder}: cannot be locked ({error.strerror})") from error
        for name in files:
            atomic.remove_leftovers(folder / name)
        yield


def write_run(folder: str | os.PathLike[str], run: Run) -> None:
    """Write the plan of a run; raises `RecordsError` if it cannot be written."""
    content = {"format": FORMAT, "version": VERSION, **flattened(run)}
    with _writing(Path(folder) / records.RUN_FILE) as path:
        atomic.write_text(path, json.dumps(content, indent=2) + "\n")


def flattened(run: Run) -> dict[str, Any]:
    """A plan as the fields of ``run.json``, without format and version.

    The game's options stand among the other fields: booleans before the seed, numbers after it. The game's name is left
    out if it is that of the default game.
    """
    content: dict[str, Any] = {}
    for name, value in asdict(run).items():
        if name == "game" and value != _UNNAMED_GAME:
            content[name] = value
        elif name == "seed":
            booleans = {option: one for option, one in run.options.items() if isinstance(one, bool)}
            numbers = {option: one for option, one in run.options.items() if option not in booleans}
            content |= {**booleans, name: value, **numbers}
        elif name not in ("game", "options"):
            content[name] = value
    return content


def _unflattened(content: Mapping[str, Any]) -> dict[str, Any]:
    """The fields of a `Run` from those of ``run.json``.

    Raises `ValueError` for a game that is not known here, and for a missing or invalid option of the game.
    """
    game = registry.game_of_file(convert(str, content.get("game", _UNNAMED_GAME), "game"))
    options = records.options_of(game)
    run_fields = [field.name for field in fields(Run) if field.name != "options"]
    for name in content:
        if name not in run_fields and name not in options:
            raise FieldError(
                f"{messages.printable(name, 60)}: unknown; the fields are {', '.join([*run_fields, *options])}"
            )
    values = {}
    for name, option in options.items():
        if name not in content:
            raise FieldError(f"{name}: missing")
        values[name] = option.from_json(content[name])
    others = {name: value for name, value in content.items() if name in run_fields}
    return others | {"game": registry.name_of(game), "options": values}


@contextmanager
def _writing(path: Path) -> Iterator[Path]:
    """Turn an `OSError` while a file is written into a `RecordsError`."""
    try:
        yield path
    except OSError as error:
        raise RecordsError(f"{path}: cannot be written ({error.strerror}); what was finished before is kept") from error


def read_run(folder: str | os.PathLike[str]) -> Run:
    """Read the plan of a run; raises `RecordsError` naming the file and what is wrong."""
    path = Path(folder) / records.RUN_FILE
    try:
        content, version = read_versioned(path, FORMAT, _FIRST_VERSION, VERSION, most=MOST_PLAN_BYTES)
        if version == _FIRST_VERSION:
            content.setdefault("seeding", seeds.CONSECUTIVE)
        run = build(Run, _unflattened(content))
        records.check_run(run)
    except reading.ReadingError as error:
        raise RecordsError(f"{path}: {error}") from error
    except ValueError as error:
        raise RecordsError(f"{path}: not the plan of a run: {messages.reason(error)}") from error
    return run


def append_games(folder: str | os.PathLike[str], games: Iterable[Game]) -> None:
    """Append finished games to a run and flush them to the disk.

    Raises `RecordsError` if they cannot be written; the file is then cut back to its former length if possible.
    """
    unwritten = memoryview(to_lines(games))
    with _writing(Path(folder) / records.GAMES_FILE) as path, path.open("ab", buffering=0) as file:
        begin = file.seek(0, os.SEEK_END)
        try:
            while unwritten:
                unwritten = unwritten[file.write(unwritten) :]
            os.fsync(file.fileno())
        except BaseException:
            with suppress(OSError):
                file.truncate(begin)
            raise


def to_lines(games: Iterable[Game]) -> bytes:
    """Games as lines of ``games.jsonl``."""
    return "".join(json.dumps(_fields(game), separators=(",", ":")) + "\n" for game in games).encode()


def _fields(game: Game) -> dict[str, Any]:
    """The fields of a game's line; a game whose agents' seeds follow from the plan has no field for them."""
    content = asdict(game)
    if not game.agent_seeds:
        del content["agent_seeds"]
    return content


def replace_games(folder: str | os.PathLike[str], games: Iterable[Game]) -> None:
    """Replace the games of a run atomically; raises `RecordsError` if they cannot be written."""
    with _writing(Path(folder) / records.GAMES_FILE) as path:
        atomic.write_bytes(path, to_lines(games))


def read_games(folder: str | os.PathLike[str], run: Run | None = None, *, repair: bool = False) -> list[Game]:
    """Read the finished games of a run, in the order in which they finished.

    Args:
        folder: the run's folder.
        run: the run's plan; read from the folder if absent.
        repair: remove a half-written last line, which a kill or a full disk left behind, from the file, so that games
            can be appended; otherwise the line is ignored.

    Raises `RecordsError` naming the line for any other fault: a line that is not a game, a game that is not in the plan
    (`check_game`), or a game that occurs twice.
    """
    path = Path(folder) / records.GAMES_FILE
    try:
        if not path.exists():
            return []
        run = read_run(folder) if run is None else run
        with reading.open_file(path, records.MOST_GAMES * MOST_LINE_BYTES) as file:
            games = games_of_lines(reading.lines_of(reading.pieces_of(file), MOST_LINE_BYTES), run, path)
        if repair:
            _cut_to_lines(path)
    except (OSError, reading.ReadingError) as error:
        raise RecordsError(f"{path}: {messages.reason(error)}") from error
    return games


def _cut_to_lines(path: Path) -> None:
    """Remove what follows the last complete line of a file."""
    with path.open("r+b") as file:
        end = file.seek(0, os.SEEK_END)
        begin = file.seek(max(0, end - MOST_LINE_BYTES - 1))
        whole = begin + file.read().rfind(b"\n") + 1
        if whole < end:
            file.truncate(whole)


def games_of_lines(lines: Iterable[bytes], run: Run, source: str | os.PathLike[str]) -> list[Game]:
    """The games of complete lines, which come from a file; raises the errors of `read_games`."""
    games: list[Game] = []
    seen: set[tuple[int, int, int]] = set()
    for number, line in reading.numbered_lines(lines):
        try:
            if len(line) > MOST_LINE_BYTES:
                raise FieldError(f"{len(line):,} bytes; a game has at most {MOST_LINE_BYTES:,}")
            record = parse(line)
            if run.seeding != seeds.SECRET and isinstance(record, dict):
                record.setdefault("agent_seeds", [])
            game = build(Game, record)
            records.check_game(run, game)
        except FieldError as error:
            raise RecordsError(f"{source}: line {number}: not a game: {messages.reason(error)}") from error
        except ValueError as error:
            raise RecordsError(f"{source}: line {number}: {messages.reason(error)}") from error
        if game.key in seen:
            raise RecordsError(f"{source}: line {number}: table, block, order {game.key} occur twice")
        seen.add(game.key)
        games.append(game)
    return games
