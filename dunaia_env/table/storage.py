"""The folder of the tables: each table's settings and decisions, so that a crash or a restart loses nothing.

Each table has a folder of its own::

    tables/1f0c.../table.json       what was chosen when the table was opened; the links' tokens as SHA-256 digests
    tables/1f0c.../decisions.jsonl  a line for each decision, as in a replay, and for what people agree on besides (who
                                    decides for a seat, what is undone); written before anybody sees it

The folder is private to the user, because the seed of a game reveals its future.
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Final, Literal

from dunaia_env.harness import recording
from dunaia_env.support import atomic, locking, messages, reading, system, typed_json
from dunaia_env.table.errors import StorageError

FORMAT: Final = "dunaia-table"
VERSION: Final = 2
MOST_BYTES_OF_A_HEADER = 1 << 20
MOST_BYTES_OF_DECISIONS = 1 << 26

_HEADER = "table.json"
_DECISIONS = "decisions.jsonl"
_NAME = re.compile(r"[0-9a-f]{32}")

PERSON: Final = "person"
AGENT: Final = "agent"


@dataclass(frozen=True)
class Seat:
    """Who sits in a seat.

    Attributes:
        kind: whether a person or an agent sits there.
        name: the person's name, or the name by which the agent is loaded.
        digest: SHA-256 of the token in the person's link; empty for an agent.
    """

    kind: Literal["person", "agent"]
    name: str
    digest: str


@dataclass(frozen=True)
class Clock:
    """A limit on the time that a person has for a decision.

    Attributes:
        seconds: the time for each decision.
        agent: the name of the agent that decides for whoever takes longer.
    """

    seconds: float
    agent: str


@dataclass(frozen=True)
class LaterSeed:
    """From a decision on, the outcomes of chance follow from another seed than before.

    Attributes:
        decision: number of decisions before it.
        seed: the seed.
    """

    decision: int
    seed: int


@dataclass(frozen=True)
class Header:
    """What was chosen when a table was opened.

    Attributes:
        format, version: format and version of the file.
        game: name of the game.
        rules: hash of the components.
        options: all options of the game.
        seed: seed of the game.
        seats: who sits where.
        watcher: SHA-256 of the token in the link for watching; empty if nobody may watch.
        coach: whether people may ask for advice.
        opened: seconds since 1970.
        opener: SHA-256 of the key of whoever opened the table; empty at tables of version 1.
        clock: limit on the time for a decision; None for no limit, as at tables of version 1.
        later_seeds: other seeds from later decisions on, ascending, in a game that was played on with new draws.
    """

    format: Literal["dunaia-table"]
    version: Literal[1, 2]
    game: str
    rules: str
    options: dict[str, Any]
    seed: int
    seats: tuple[Seat, ...]
    watcher: str
    coach: bool
    opened: float
    opener: str = ""
    clock: Clock | None = None
    later_seeds: tuple[LaterSeed, ...] = ()

    def seed_of(self, decision: int) -> int:
        """The seed from which the outcomes of chance of a decision follow, by the number of decisions before it."""
        later_seeds = ((later.decision, later.seed) for later in self.later_seeds)
        return recording.seed_at(decision, self.seed, later_seeds)


@dataclass(frozen=True)
class Decision:
    """A decision.

    Attributes:
        seat: the seat for which it was made.
        action: the action's text.
        agent: the agent that made this decision alone in place of the person; empty if whoever had the seat made it.
    """

    seat: int
    action: str
    agent: str = ""


Reason = Literal["resigned", "returned", "replaced", "late"]


@dataclass(frozen=True)
class Seating:
    """From now on somebody else decides for a seat.

    Attributes:
        seat: the seat.
        agent: the agent that decides; empty for the person who has the seat's link.
        reason: the person resigned or returned, was replaced by others or was late; agents are replaced only.
        by: the seat of the person who asked for it; None for a watcher, for the key of the opener, and for the clock.
    """

    seat: int
    agent: str
    reason: Reason
    by: int | None


@dataclass(frozen=True)
class Consent:
    """A person asks for an undo or agrees to it, or takes the request back or declines it.

    Attributes:
        seat: the person's seat.
        agrees: whether the person wants the undo.
    """

    seat: int
    agrees: bool


@dataclass(frozen=True)
class Undo:
    """The game goes back.

    Attributes:
        seat: the seat whose person wanted that.
        decisions: number of decisions that are left.
    """

    seat: int
    decisions: int


Record = Decision | Seating | Consent | Undo
_KINDS: Final[dict[str, type[Seating | Consent | Undo]]] = {"seating": Seating, "consent": Consent, "undo": Undo}


class Folder:
    """The folder of the tables, held by one server at a time; see `open_folder`."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._tables = path / "tables"
        system.make_private_folder(self._tables, exist_ok=True)

    def names(self) -> list[str]:
        """The names of the stored tables."""
        return sorted(path.name for path in self._tables.iterdir() if _NAME.fullmatch(path.name) and path.is_dir())

    def create(self, name: str, header: Header, records: Sequence[Record]) -> int:
        """Store a new table and return the size of its records in bytes.

        Raises `StorageError`, and then leaves nothing behind.
        """
        folder = self._of(name)
        try:
            system.make_private_folder(folder)
            size = self._append(folder / _DECISIONS, _lines(records), 0)
            # The header comes last: a folder without one is a table that was never opened.
            content = json.dumps(asdict(header), ensure_ascii=False, indent=1) + "\n"
            atomic.write_text(folder / _HEADER, content, private=True)
            for parent in (folder, self._tables):
                system.sync_folder(parent)
        except OSError as error:
            shutil.rmtree(folder, ignore_errors=True)
            raise StorageError(f"{folder}: {messages.reason(error)}") from error
        return size

    def append(self, name: str, records: Sequence[Record], size: int) -> int:
        """Add records to a table; they are on the disk when this returns.

        Args:
            name: name of the table.
            records: what to add.
            size: size of the file so far, in bytes. Anything that an earlier failed write left beyond this size is cut
                off.

        Returns:
            The new size.

        Raises `StorageError` if nothing was added.
        """
        path = self._of(name) / _DECISIONS
        try:
            return self._append(path, _lines(records), size)
        except OSError as error:
            raise StorageError(f"{path}: {messages.reason(error)}") from error

    def _append(self, path: Path, lines: bytes, size: int) -> int:
        with system.open_private(path, "ab") as file:
            file.truncate(size)
            try:
                file.write(lines)
                file.flush()
                os.fsync(file.fileno())
            except OSError:
                file.truncate(size)
                raise
        return size + len(lines)

    def read(self, name: str) -> tuple[Header, Iterator[Record], int]:
        """A table's header, its records and their size in bytes.

        A last line that a crash has cut short is left out: nobody has seen its record. Each record is read when it is
        asked for, so that nothing after the first wrong one is read. Raises `StorageError` for any other damage, and so
        does the iterator of the records.
        """
        folder = self._of(name)
        path = folder / _HEADER
        try:
            header = _header(typed_json.parse(reading.read_bytes(path, MOST_BYTES_OF_A_HEADER)))
            path = folder / _DECISIONS
            content = reading.read_bytes(path, MOST_BYTES_OF_DECISIONS)
        except (reading.ReadingError, typed_json.FieldError) as error:
            raise StorageError(f"{path}: {error}") from error
        complete = content[: content.rfind(b"\n") + 1]
        return header, _records(path, complete), len(complete)

    def touched(self, name: str) -> float:
        """When a table was last played at, in seconds since 1970; 0 if that cannot be told."""
        try:
            return (self._of(name) / _DECISIONS).stat().st_mtime
        except OSError:
            return 0.0

    def remove(self, name: str) -> None:
        """Remove a table; what cannot be removed stays."""
        folder = self._of(name)
        # The header first: a table is either whole or gone.
        with suppress(OSError):
            (folder / _HEADER).unlink()
        shutil.rmtree(folder, ignore_errors=True)

    def remove_unopened(self) -> None:
        """Remove what a crash has left behind of tables that were never opened."""
        for name in self.names():
            if not self._may_have_a_header(name):
                self.remove(name)

    def _may_have_a_header(self, name: str) -> bool:
        """Whether a table was opened, also if its header cannot be read or is a link that leads nowhere."""
        try:
            (self._of(name) / _HEADER).lstat()
        except FileNotFoundError:
            return False
        except OSError:
            return True
        return True

    def write_file(self, kind: str, name: str, content: Mapping[str, Any]) -> None:
        """Store a private JSON file in the folder of its kind; raises `StorageError`."""
        path = self._file(kind, name)
        try:
            system.make_private_folder(path.parent, exist_ok=True)
            atomic.write_text(path, json.dumps(content, ensure_ascii=False) + "\n", private=True)
        except OSError as error:
            raise StorageError(f"{path}: {messages.reason(error)}") from error

    def read_file(self, kind: str, name: str) -> Any:
        """The content of a private JSON file; raises `StorageError`."""
        path = self._file(kind, name)
        try:
            return typed_json.parse(reading.read_bytes(path, MOST_BYTES_OF_DECISIONS))
        except (reading.ReadingError, typed_json.FieldError) as error:
            raise StorageError(f"{path}: {error}") from error

    def files(self, kind: str) -> list[str]:
        """The names of the files of a kind, oldest first."""
        found = [path for path in (self.path / kind).glob("*.json") if _NAME.fullmatch(path.stem)]
        # The times of links themselves: what they lead to may be missing.
        return [path.stem for path in sorted(found, key=lambda path: (path.lstat().st_mtime, path.name))]

    def remove_file(self, kind: str, name: str) -> None:
        """Remove a private JSON file if it exists; what cannot be removed stays."""
        with suppress(OSError):
            self._file(kind, name).unlink()

    def _file(self, kind: str, name: str) -> Path:
        return self.path / _checked(kind, re.compile("[a-z]+")) / f"{_checked(name, _NAME)}.json"

    def _of(self, name: str) -> Path:
        return self._tables / _checked(name, _NAME)


def _checked(name: str, pattern: re.Pattern[str]) -> str:
    # No name comes from outside; this is the last of several guards.
    if not pattern.fullmatch(name):
        raise ValueError(f"name: expected {pattern.pattern}, got {messages.shorten(name)}")
    return name


def _header(content: object) -> Header:
    """A header of any version; raises `dunaia_env.support.typed_json.FieldError`."""
    if isinstance(content, dict) and content.get("version") == 1:
        content = {**content, "opener": "", "clock": None}
    if isinstance(content, dict):
        content = {"later_seeds": [], **content}
    return typed_json.build(Header, content)


def _records(path: Path, lines: bytes) -> Iterator[Record]:
    """The records of some lines, read one at a time; raises `StorageError` at the first wrong one."""
    for number, line in reading.numbered_lines(io.BytesIO(lines)):
        try:
            yield _record(typed_json.parse(line))
        except typed_json.FieldError as error:
            raise StorageError(f"{path}:{number}: {error}") from error


def _record(content: object) -> Record:
    if not isinstance(content, dict) or "kind" not in content:
        return typed_json.build(Decision, {"agent": "", **content} if isinstance(content, dict) else content)
    kind = content["kind"]
    if not isinstance(kind, str) or kind not in _KINDS:
        known = ", ".join(map(repr, _KINDS))
        raise typed_json.FieldError(f"kind: expected one of {known}, got {messages.shorten(kind)}")
    record: Record = typed_json.build(_KINDS[kind], {name: value for name, value in content.items() if name != "kind"})
    return record


def _lines(records: Sequence[Record]) -> bytes:
    names = {kind: name for name, kind in _KINDS.items()}

    def content(record: Record) -> dict[str, Any]:
        if isinstance(record, Decision):
            return {name: value for name, value in asdict(record).items() if value != "" or name != "agent"}
        return {"kind": names[type(record)], **asdict(record)}

    return "".join(json.dumps(content(record)) + "\n" for record in records).encode("utf-8")


def default_folder() -> Path:
    """The folder in which tables are kept if none is named, in the user's data folder.

    Raises `OSError` if the user has no home folder.
    """
    folder = system.user_folder("data")
    if folder is None:
        raise OSError("folder: expected a folder for the tables, because you have no home folder")
    return folder / "table"


@contextmanager
def open_folder(path: Path) -> Iterator[Folder]:
    """Hold the folder of the tables, which is created if it is missing.

    Raises `dunaia_env.support.locking.FolderInUseError` if another server holds it, and `OSError` if it cannot be used.
    """
    system.make_private_folder(path, exist_ok=True)
    with locking.locked(path):
        folder = Folder(path)
        folder.remove_unopened()
        yield folder


def now() -> float:
    """The time in seconds since 1970."""
    return time.time()
