"""The messages that pages send, and the numbers and texts in the addresses of requests."""

from __future__ import annotations

from dataclasses import MISSING, dataclass, field, fields
from typing import Any, TypeVar

from starlette.requests import Request

from dunaia_env.harness.presentation import ENGLISH
from dunaia_env.support.typed_json import FieldError, build
from dunaia_env.table import room, storage
from dunaia_env.table.errors import MALFORMED, RefusedError

T = TypeVar("T")

_LARGEST_NUMBER = 10**9


@dataclass(frozen=True)
class _Seat:
    kind: str
    name: Any = ""
    agent: str = ""


@dataclass(frozen=True)
class Opening:
    """A request to open a table."""

    game: str
    seats: tuple[Any, ...]
    options: dict[str, Any] = field(default_factory=dict)
    seed: int | None = None
    coach: bool = False
    clock: storage.Clock | None = None


@dataclass(frozen=True)
class Resuming:
    """A request to play on a game from its present position or an earlier one.

    The game is that of a replay, of an analysis, or of a table at which it is over; the latter two are named by the
    tokens of links. ``decisions`` says from which position on, as the link counts positions.
    """

    seats: tuple[Any, ...]
    replay: Any = None
    analysis: str | None = None
    table: str | None = None
    decisions: int | None = None
    new_draws: bool = False
    coach: bool = False
    clock: storage.Clock | None = None


@dataclass(frozen=True)
class Deciding:
    """A decision."""

    version: int
    action: str
    undone: int = 0


@dataclass(frozen=True)
class Resigning:
    """A person lets an agent play."""

    agent: str


@dataclass(frozen=True)
class Replacing:
    """Others let an agent play for a seat; ``key`` is that of whoever opened the table."""

    seat: int
    agent: str
    key: str = ""


@dataclass(frozen=True)
class Undoing:
    """A request for an undo, or with ``asked`` the answer to the request of that seat."""

    undone: int
    asked: int | None = None
    agrees: bool = True


@dataclass(frozen=True)
class Pace:
    """The pace of a game without people."""

    paused: bool
    seconds: float
    step: bool = False


@dataclass(frozen=True)
class Solving:
    """The answer to a puzzle."""

    action: str


@dataclass(frozen=True)
class Nothing:
    """A message without fields."""


@dataclass(frozen=True)
class Statuses:
    """A question whose turn it is at tables, by the tokens of links."""

    links: tuple[str, ...]


@dataclass(frozen=True)
class Analysing:
    """A request to analyse a game: a replay, or the token of a table."""

    replay: Any = None
    table: str | None = None


def built(kind: type[T], content: object) -> T:
    """A message as a dataclass; fields with defaults may be left out. Raises `RefusedError`."""
    if isinstance(content, dict):
        try:
            defaults = vars(kind(**dict.fromkeys(_needed(kind))))
        except TypeError:
            defaults = {}
        content = {**{name: value for name, value in defaults.items() if name not in _needed(kind)}, **content}
    try:
        return build(kind, content)
    except FieldError as error:
        raise RefusedError(MALFORMED, str(error)) from None


def _needed(kind: Any) -> list[str]:
    return [member.name for member in fields(kind) if member.default is MISSING and member.default_factory is MISSING]


def seats_of(seats: tuple[Any, ...]) -> list[room.Wanted]:
    """The seats of a message; raises `RefusedError`."""
    wanted = []
    for number, content in enumerate(seats[:100]):
        try:
            seat = built(_Seat, content)
        except RefusedError as error:
            raise RefusedError(MALFORMED, f"seats[{number}]: {error.text}") from None
        if seat.kind not in (storage.PERSON, storage.AGENT):
            raise RefusedError(MALFORMED, f"seats[{number}].kind: expected {storage.PERSON!r} or {storage.AGENT!r}")
        wanted.append(room.Wanted(seat.kind, seat.name if seat.kind == storage.PERSON else seat.agent))
    return wanted


def text_of(value: object) -> str:
    """The text of a replay; raises `RefusedError` for anything else."""
    if not isinstance(value, str):
        raise RefusedError(MALFORMED, "replay: expected a text")
    return value.replace("\r\n", "\n")


def language_of(request: Request) -> str:
    """The language that a request asks for, which may be unknown."""
    return request.query_params.get("language", ENGLISH)


def number_of(text: str, name: str) -> int:
    """An integer in an address, limited to -1..10**9; raises `RefusedError` naming it."""
    if not (text.removeprefix("-").isascii() and text.removeprefix("-").isdecimal() and len(text) <= 10):
        raise RefusedError(MALFORMED, f"{name}: expected an integer")
    return max(-1, min(int(text), _LARGEST_NUMBER))
