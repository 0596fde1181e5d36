"""What a run of the arena leaves behind: its plan, and one line for each game that was finished.

A run is a folder with ``run.json``, written once when the run begins, and ``games.jsonl``, to which every finished game
adds a line. Statistics, reports and resumption read nothing else.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from dunaia_env.atomic import write_text

RUN_FILE = "run.json"
GAMES_FILE = "games.jsonl"
FORMAT = "dunaia-arena"
VERSION = 1


class RecordsError(ValueError):
    """A folder that holds no run, a damaged one, or another one than was asked for."""


@dataclass(frozen=True)
class Entrant:
    """An agent of a run.

    Attributes:
        label: how it was asked for, as in ``mcts:1000``; unique in the run.
        name: how it calls itself.
        version: its own.
    """

    label: str
    name: str
    version: str


@dataclass(frozen=True)
class Table:
    """Who sits together in a number of blocks of a run; only games of one table are comparable.

    Attributes:
        players: number of players.
        entrants: the run's entrants by number, one for each player, ascending; a number that comes twice plays with a
            copy of itself.
        blocks: number of blocks: game seeds, each played in every different order of seats.
    """

    players: int
    entrants: tuple[int, ...]
    blocks: int


@dataclass(frozen=True)
class Run:
    """The plan of a run: with the same package and agents it gives the same games again.

    Attributes:
        entrants: the agents.
        tables: who plays with whom.
        mode: how the tables were made: ``round-robin``, ``one-against-all`` or ``table``.
        elites: whether elite characters are drafted.
        seed: block b of every table has the game seed ``seed + b``.
        max_rounds: a game that has not ended after so many rounds is stopped and scored.
        components: hash of the rule set.
        package: version of the package.
        commit: of the checkout, ``unknown`` outside one; ``-dirty`` is appended where files differ from it.
        command: the command line that began the run.
        time_limit: seconds an agent of the user may think about one decision.
        games_at_once: games that a worker plays side by side.
        valuer: whose value estimates the luck of a game was measured with; empty if it was not.
        sprt: the two win shares of the first agent between which a sequential test decides; None without one.
    """

    entrants: tuple[Entrant, ...]
    tables: tuple[Table, ...]
    mode: str
    elites: bool
    seed: int
    max_rounds: int
    components: str
    package: str
    commit: str
    command: str
    time_limit: float
    games_at_once: int
    valuer: str
    sprt: tuple[float, float] | None


@dataclass(frozen=True)
class Fault:
    """What an agent did wrong in a game; the game is lost for its seat, whoever played on for it.

    Attributes:
        seat: where it sat.
        decision: number of the game's decision at which it happened, from 0.
        kind: ``exception``, ``illegal``, ``garbage``, ``time-out`` or ``crash``.
        detail: one line for people.
    """

    seat: int
    decision: int
    kind: str
    detail: str


@dataclass(frozen=True)
class Game:
    """A finished game.

    Attributes:
        table: its table's number in the run.
        block: the block's number at the table, from 0.
        order: number of the seat order in the block, from 0.
        seed: the game seed.
        seating: the entrant in each seat.
        scores: points of each seat.
        ranks: rank of each seat, from 1, equal when shared; seats with a fault stand behind all others.
        rounds: rounds played.
        stopped: whether ``max_rounds`` stopped it.
        decisions: number of decisions asked of each seat.
        seconds: thinking time of each seat.
        luck: what chance gave to each seat, in win shares, by the run's valuer; zeros without one.
        faults: of the agents.
        actions: every decision's action number.
    """

    table: int
    block: int
    order: int
    seed: int
    seating: tuple[int, ...]
    scores: tuple[int, ...]
    ranks: tuple[int, ...]
    rounds: int
    stopped: bool
    decisions: tuple[int, ...]
    seconds: tuple[float, ...]
    luck: tuple[float, ...]
    faults: tuple[Fault, ...]
    actions: tuple[int, ...]

    @property
    def key(self) -> tuple[int, int, int]:
        """What names the game in its run: table, block, order."""
        return self.table, self.block, self.order


def write_run(folder: str | os.PathLike[str], run: Run) -> None:
    """Write the plan of a run that begins."""
    content = {"format": FORMAT, "version": VERSION, **asdict(run)}
    write_text(Path(folder) / RUN_FILE, json.dumps(content, indent=2) + "\n")


def read_run(folder: str | os.PathLike[str]) -> Run:
    """The plan of a run; raises `RecordsError` naming the file and what is wrong."""
    path = Path(folder) / RUN_FILE
    try:
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        found = content.pop("format"), content.pop("version")
        if found != (FORMAT, VERSION):
            raise RecordsError(f"{path}: format and version {found}; {(FORMAT, VERSION)} are needed")
        content["entrants"] = tuple(Entrant(**entrant) for entrant in content["entrants"])
        content["tables"] = tuple(Table(**_tuples(table)) for table in content["tables"])
        return Run(**_tuples(content))
    except OSError as error:
        raise RecordsError(f"{path}: cannot be read ({error.strerror})") from error
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        if isinstance(error, RecordsError):
            raise
        raise RecordsError(f"{path}: not the plan of a run ({error!r})") from error


def _tuples(content: dict[str, Any]) -> dict[str, Any]:
    return {name: tuple(value) if isinstance(value, list) else value for name, value in content.items()}


def append_games(folder: str | os.PathLike[str], games: Iterable[Game]) -> None:
    """Add finished games to a run and make sure that they are on the disk."""
    text = "".join(json.dumps(asdict(game), separators=(",", ":")) + "\n" for game in games)
    with (Path(folder) / GAMES_FILE).open("a", encoding="utf-8") as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def read_games(folder: str | os.PathLike[str], *, mend: bool = False) -> list[Game]:
    """The finished games of a run, in the order in which they finished.

    Args:
        folder: of the run.
        mend: cut off a last line that a kill left half-written, so that games can be added; otherwise it is passed
            over.

    Raises `RecordsError` naming the line for any other fault, a game that stands there twice among them.
    """
    path = Path(folder) / GAMES_FILE
    if not path.exists():
        return []
    content = path.read_bytes()
    whole = content.rfind(b"\n") + 1
    if mend and whole < len(content):
        os.truncate(path, whole)
    games: list[Game] = []
    seen: set[tuple[int, int, int]] = set()
    for number, line in enumerate(content[:whole].splitlines(), start=1):
        try:
            fields = json.loads(line)
            fields["faults"] = [Fault(**fault) for fault in fields["faults"]]
            game = Game(**_tuples(fields))
        except (KeyError, TypeError, ValueError) as error:
            raise RecordsError(f"{path}: line {number}: not a game ({error!r})") from error
        if game.key in seen:
            raise RecordsError(f"{path}: line {number}: table, block, order {game.key} stand there twice")
        seen.add(game.key)
        games.append(game)
    return games
