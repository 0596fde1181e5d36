"""What the commands on causes and what-ifs find."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from dunaia_env.balance.design import Kind
from dunaia_env.statistics.intervals import Estimate
from dunaia_env.support import messages, reading, typed_json

CauseKind = Literal["event", "delay", "exchange", "power", "change"]


@dataclass(frozen=True)
class Cause:
    """A thing that was taken away, and the part of the advantage that it carries.

    Attributes:
        kind: what was taken away. ``event``: an event is forbidden to all seats; ``delay``: an event is forbidden to
            the subject before a round; ``exchange``: the subject and another seat exchange all that lies before them,
            but a role and its exchange partner keep their roles; ``power``: the subject has no power; ``change``: the
            components are changed.
        name: name of the event, text of the change, the other seat of an exchange (``seat 1`` or ``the next seat``), or
            the role whose power is taken away.
        round: for a delay, the first round in which the event is allowed again; for an exchange, the round at whose
            start it happens; otherwise 0.
        clause: what was taken away, as a clause: "if nobody buys …".
        share: win share of the subject without the thing, with an interval of its own.
        change: difference between this share and the share in the unchanged games, with an interval that is
            simultaneous over all causes.
        carried: part of the advantage that disappears: (effect - effect without) / effect. For an exchange, the part
            that went with the board: 1 if the subject then does as well as the other seat did before.
        occurs: share of the unchanged games in which the event occurs; NaN unless the kind is ``event`` or ``delay``.
        first: share of these games in which the subject is the first to cause the event.
        buyer: mean win share of the seat that causes the event first.
        clear: whether the interval of the change lies on one side of 0, so that the thing is known to carry something.
        largest: whether the event is known to carry more than any other single event.
    """

    kind: CauseKind
    name: str
    round: int
    clause: str
    share: Estimate
    change: Estimate
    carried: typed_json.Measured
    occurs: typed_json.Measured = float("nan")
    first: typed_json.Measured = float("nan")
    buyer: typed_json.Measured = float("nan")
    clear: bool = False
    largest: bool = False


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


_MOST_BYTES = 1 << 26


def read_result(path: Path, kind: Any, file_format: str, version: int) -> Any:
    """The result of a kind that a command stored; raises `ValueError` naming the file and what is wrong with it."""
    try:
        content = typed_json.parse(reading.read_bytes(path, _MOST_BYTES))
        if not isinstance(content, dict):
            raise ValueError(f"expected a table of fields, got {messages.shorten(content)}")
        found = content.pop("format", None), content.pop("version", None)
        if found != (file_format, version):
            raise ValueError(f"expected format and version {(file_format, version)}, got {messages.shorten(found)}")
        return typed_json.build(kind, content)
    except reading.ReadingError as error:
        raise ValueError(f"{path}: {error}") from error
    except ValueError as error:
        raise ValueError(f"{path}: {messages.reason(error)}") from error
