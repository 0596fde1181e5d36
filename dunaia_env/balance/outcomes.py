"""What the commands on causes and what-ifs find."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from dunaia_env.balance.design import Kind
from dunaia_env.reports.parts import to_json_data
from dunaia_env.statistics.intervals import Estimate
from dunaia_env.support import atomic, messages, reading, typed_json

CauseKind = Literal["event", "delay", "exchange", "power", "change", "length"]


@dataclass(frozen=True)
class Cause:
    """A thing that was taken away, and what is then different.

    Attributes:
        kind: what was taken away. ``event``: an event is forbidden to all seats; ``delay``: an event is forbidden to
            the subject before a round; ``exchange``: the subject and another seat exchange all that lies before them,
            but a role and its exchange partner keep their roles; ``power``: the subject has no power; ``change``: the
            components are changed; ``length``: the game is stopped after a round, and nothing else.
        name: name of the event, text of the change, the other seat of an exchange (``seat 1`` or ``the next seat``),
            the role whose power is taken away, or the round after which the game is stopped.
        round: for a delay, the first round in which the event is allowed again; for an exchange, the round at whose
            start it happens; for a length, the last round; otherwise 0.
        clause: what was taken away, as a clause: "if nobody buys …".
        share: win share of the subject without the thing, with an interval of its own.
        change: difference between this share and the share in the unchanged games, with an interval that is
            simultaneous over all causes.
        carried: part of the advantage that disappears: (effect - effect without) / effect. For an exchange, the part
            that went with the board: 1 if the subject then does as well as the other seat did before.
        beyond: for an event, its change minus the mean change without each of the other events, the placebo: what the
            removal of any event does, for example because the game then takes longer. The intervals are simultaneous
            over all events; None for other kinds, and with a single event.
        rounds: mean number of rounds of a game without the thing.
        uses: number of times a game that the subject then uses its power; NaN for a seat.
        everybody: change of the share of each of `Causes.subjects`, with intervals that are simultaneous over all
            events and subjects; empty for kinds other than ``event`` and ``length``.
        occurs: share of the unchanged games in which the event occurs; NaN unless the kind is ``event`` or ``delay``.
        first: share of these games in which the subject is the first to cause the event.
        buyer: mean win share of the seat that causes the event first.
        clear: whether the interval of the change lies on one side of 0.
        largest: whether the event is known to carry more than any other single event.
    """

    kind: CauseKind
    name: str
    round: int
    clause: str
    share: Estimate
    change: Estimate
    carried: typed_json.Measured
    beyond: Estimate | None = None
    rounds: typed_json.Measured = float("nan")
    uses: typed_json.Measured = float("nan")
    everybody: tuple[Estimate, ...] = ()
    occurs: typed_json.Measured = float("nan")
    first: typed_json.Measured = float("nan")
    buyer: typed_json.Measured = float("nan")
    clear: bool = False
    largest: bool = False

    @property
    def specific(self) -> bool:
        """Whether the event is known to do more than the removal of the other events does on average, the same way."""
        sign = 1.0 if self.change.value > 0 else -1.0
        beyond = self.beyond
        return self.clear and beyond is not None and min(sign * beyond.low, sign * beyond.high) > 0


@dataclass(frozen=True)
class Causes:
    """The result of a study of causes.

    Attributes:
        game, agent: names of the game and of the agent in all seats.
        players: number of players at the table.
        kind: kind of the games, see `dunaia_env.balance.design.Condition`.
        subject: name of the seat or role whose share is explained.
        share: win share of the subject in the unchanged games, with an interval of its own.
        fair: the fair share, 1 / players.
        subjects: names of all roles, or of all seats, whose changes are in `Cause.everybody`.
        rounds: mean number of rounds of an unchanged game.
        uses: number of times a game that the subject uses its power; NaN for a seat.
        causes: the causes, sorted by the smallest change towards the fair share that the interval allows, largest
            first. Causes that are clear and carry some of the effect therefore come first.
        sentences: conclusions from the numbers, for a report.
        blocks: number of common blocks.
        games: number of games that were played.
        seed: the seed from which the game seeds follow.
    """

    game: str
    agent: str
    players: int
    kind: Kind
    subject: str
    share: Estimate
    fair: float
    subjects: tuple[str, ...]
    rounds: float
    uses: typed_json.Measured
    causes: tuple[Cause, ...]
    sentences: tuple[str, ...]
    blocks: int
    games: int
    seed: int


@dataclass(frozen=True)
class Row:
    """A role's or a seat's share with one setting.

    Attributes:
        kind: kind of the condition.
        setting: number of the setting.
        subject: name of the role, or ``seat 0``.
        seat: number of the seat; -1 for a role.
        share: win share, with an interval of its own.
        change: change against the reference, with an interval that is simultaneous over all changes; zero for the
            reference itself.
        margin: mean of the points minus the mean of the other players' points.
    """

    kind: str
    setting: int
    subject: str
    seat: int
    share: Estimate
    change: Estimate
    margin: float


@dataclass(frozen=True)
class Shape:
    """What the games of a setting are like: their mean length and points.

    Attributes:
        kind: kind of the condition.
        setting: number of the setting.
        rounds: mean number of rounds, with an interval of its own.
        points: mean points of a player, with an interval of its own.
        stopped: share of the games that were stopped at their round limit.
    """

    kind: str
    setting: int
    rounds: Estimate
    points: Estimate
    stopped: float


@dataclass(frozen=True)
class WhatIf:
    """The result of a what-if.

    Attributes:
        game, agent: names of the game and of the agent in all seats.
        players: number of players at the table.
        kinds: kinds of the conditions.
        settings: label, path, value and hash of the components of each setting; the first is the reference.
        rows: shares and changes.
        shapes: lengths and points.
        blocks: number of common blocks of every setting and kind.
        games: number of games that were played.
        seed: the seed from which the game seeds follow.
        half_width: largest half-width of the simultaneous interval of a change; drafted roles do not count.
        seconds: duration of playing.
    """

    game: str
    agent: str
    players: int
    kinds: tuple[str, ...]
    settings: tuple[dict[str, str], ...]
    rows: tuple[Row, ...]
    shapes: tuple[Shape, ...]
    blocks: int
    games: int
    seed: int
    half_width: float
    seconds: float


@dataclass(frozen=True, order=True)
class Change:
    """A number of the component file with another value.

    Attributes:
        path: path of the number.
        before, after: its values.
        size: the size of the change as a part of what is allowed for this number, 0..1.
    """

    path: str
    before: int
    after: int
    size: float


Changes = tuple[Change, ...]
Fairness = Literal["fair", "not fair", "not known"]


@dataclass(frozen=True)
class Confirmed:
    """A proposal on fresh seeds.

    Attributes:
        changes: the changed numbers.
        verdict: whether all chosen roles are known to be fair at all tables, or one of them known not to be.
        effects: the effects of all roles by table, with intervals that are simultaneous over all of them.
        blocks: number of blocks at each table.
    """

    changes: Changes
    verdict: Fairness
    effects: tuple[tuple[Estimate, ...], ...]
    blocks: tuple[int, ...]


@dataclass(frozen=True)
class Screening:
    """What changes of many numbers do to the roles, measured on files in which a few of them are changed at random.

    Attributes:
        game, agent, agent_version: names of the game and of the agent in all seats, and the agent's version.
        components: hash of the unchanged file.
        options: the options of the games.
        players: numbers of players, one for each of T tables.
        numbers: paths of the numbers that may be changed.
        files: the changes of each of K files.
        file_games: number of games with each of these files at each table.
        effects: win share minus fair share of R roles at T tables with each of K files.
        unchanged_games: number of games with the unchanged file at each table.
        before: its effects, with intervals.
        games: number of games that were played.
        seed: the seed from which the game seeds and the files follow.
    """

    game: str
    agent: str
    agent_version: str
    components: str
    options: dict[str, Any]
    players: tuple[int, ...]
    numbers: tuple[str, ...]
    files: tuple[Changes, ...]
    file_games: tuple[int, ...]
    effects: tuple[tuple[tuple[float, ...], ...], ...]
    unchanged_games: tuple[int, ...]
    before: tuple[tuple[Estimate, ...], ...]
    games: int
    seed: int


@dataclass(frozen=True)
class Suggestion:
    """The result of a search.

    Attributes:
        game, agent: names of the game and of the agent in all seats.
        roles: names of all roles.
        chosen: names of the roles that are to be fair.
        players: numbers of players.
        within: the tolerance, in win shares.
        before: the effects of all roles with the unchanged file, by table.
        confirmed: what was confirmed, in the order in which it was tried; the first one that is fair ends the search.
        screened: number of numbers whose effect was measured.
        files: number of files of the screening.
        games: number of games that were played.
        seed: the seed from which the game seeds follow.
        trained: whether ``confirmed`` and ``games`` are those of an agent that was trained for the changed file.
    """

    game: str
    agent: str
    roles: tuple[str, ...]
    chosen: tuple[str, ...]
    players: tuple[int, ...]
    within: float
    before: tuple[tuple[Estimate, ...], ...]
    confirmed: tuple[Confirmed, ...]
    screened: int
    files: int
    games: int
    seed: int
    trained: bool = False

    @property
    def best(self) -> Confirmed:
        """The first that is fair, or else may be fair, or else the one whose chosen roles come nearest to it."""
        fair = [one for one in self.confirmed if one.verdict == "fair"]
        open_ones = [one for one in self.confirmed if one.verdict == "not known"]
        columns = [self.roles.index(role) for role in self.chosen]

        def farthest(one: Confirmed) -> float:
            return max(abs(row[column].value) for row in one.effects for column in columns)

        return fair[0] if fair else min(open_ones or self.confirmed, key=farthest)


_MOST_BYTES = 1 << 26
_NO_OLDER: Mapping[int, Callable[[dict[str, Any]], None]] = {}


def write_result(path: Path, result: Any, file_format: str, version: int, **more: Any) -> None:
    """Write the result of a command, which `read_result` reads, with further fields after its own."""
    content = {"format": file_format, "version": version, **to_json_data(result), **more}
    atomic.write_text(path, json.dumps(content, indent=1, ensure_ascii=False, allow_nan=False) + "\n")


def read_result(
    path: Path,
    kind: Any,
    file_format: str,
    version: int,
    older: Mapping[int, Callable[[dict[str, Any]], None]] = _NO_OLDER,
) -> Any:
    """The result of a kind that a command stored.

    Args:
        path: the file.
        kind: the class of the result.
        file_format: the format.
        version: the present version of the format.
        older: by the number of an older version, what brings its fields to those of the present one.

    Raises `ValueError` naming the file and what is wrong with it.
    """
    try:
        content, found = typed_json.read_versioned(path, file_format, *older, version, most=_MOST_BYTES)
        if found in older:
            older[found](content)
        return typed_json.build(kind, content)
    except reading.ReadingError as error:
        raise ValueError(f"{path}: {error}") from error
    except ValueError as error:
        raise ValueError(f"{path}: {messages.reason(error)}") from error
