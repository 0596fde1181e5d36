"""Tables: who sits where, whose turn it is, and what has been played. All methods run in the server's event loop."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
import time
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from dunaia_env.harness.options import NUM_PLAYERS
from dunaia_env.harness.state import GameState
from dunaia_env.replay import Replay, make_header, result_of, to_text
from dunaia_env.table import errors, offers, showing
from dunaia_env.table.storage import AGENT, PERSON, Decision, Header

TOKEN_BYTES = 32
MOST_PACE_SECONDS = 10.0
# How long a game without people goes on after somebody has looked at it.
WATCHED_SECONDS = 20.0


def new_token() -> str:
    """A token that nobody can guess, for a link."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def digest_of(token: str) -> str:
    """The digest by which a token is stored and found: the folder reveals no link, and timing reveals nothing."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


class Moment(NamedTuple):
    """A table at one moment, for use in threads."""

    version: int
    deciding: int | None
    thinking: bool
    problem: str | None
    connected: list[bool]
    pace: dict[str, Any] | None
    may_download: bool


class Table:
    """A table.

    Args:
        name: name of its folder.
        header: what was chosen when it was opened.
        offer: the game.
        state: state after the set-up.
        decisions: decisions that were made already.
        size: size of the file of these decisions, in bytes.

    Raises `ValueError` for a decision that the rules forbid.

    Attributes:
        name, header, offer: as given.
        decisions: in order.
        states: the bytes of the state after 0, 1, ... decisions.
        showing: what seats and watchers see.
        lock: held while decisions are stored.
        problem: why the table cannot go on; None if it can.
        paused, seconds: whether a game without people is paused, and the seconds between its decisions.
        step: whether one decision is wanted while it is paused.
        advising: held while somebody is advised.
        advice: the last advice, and how many decisions had been made before it.
        size: size of the file of decisions, in bytes.
        driver: the task in which agents play; None while they have nothing to do.
    """

    def __init__(
        self,
        name: str,
        header: Header,
        offer: offers.Offer,
        state: GameState,
        decisions: Iterable[Decision],
        size: int,
    ) -> None:
        self.name, self.header, self.offer, self.size = name, header, offer, size
        self.decisions: list[Decision] = []
        self.states: list[bytes] = [state.to_bytes()]
        for number, decision in enumerate(decisions):
            if decision.seat != state.seat:
                raise ValueError(f"decision {number}: seat {decision.seat}; seat {state.seat} decides")
            state.apply(decision.action, header.seed)
            self.decisions.append(decision)
            self.states.append(state.to_bytes())
        self._state = state
        self.showing = showing.Showing(offer, [seat.name for seat in header.seats], self.states, self.decisions)
        self.lock = asyncio.Lock()
        self.problem: str | None = None
        self.paused, self.seconds, self.step = False, 1.0, False
        self.advising = asyncio.Lock()
        self.advice: tuple[int, dict[str, Any]] | None = None
        self.driver: asyncio.Task[None] | None = None
        self.nudged = asyncio.Event()
        self._listeners: set[asyncio.Event] = set()
        self._present: Counter[int | None] = Counter()
        self._asked = -WATCHED_SECONDS

    @property
    def version(self) -> int:
        """Number of decisions made."""
        return len(self.decisions)

    @property
    def is_over(self) -> bool:
        """Whether the game has ended."""
        return self._state.is_over

    @property
    def people(self) -> int:
        """Number of seats in which people sit."""
        return sum(seat.kind == PERSON for seat in self.header.seats)

    def state(self) -> GameState:
        """A copy of the present state."""
        return self._state.clone()

    def state_after(self, number: int) -> GameState:
        """The state after ``number`` decisions."""
        return showing.state_of(self.offer, self.states[number])

    @property
    def agent_decides(self) -> bool:
        """Whether an agent has to decide and can."""
        return not self.is_over and self.problem is None and self.header.seats[self._state.seat].kind == AGENT

    @property
    def is_watched(self) -> bool:
        """Whether somebody looks at the table, or has done so lately."""
        return bool(self._listeners) or time.monotonic() - self._asked < WATCHED_SECONDS

    def looked_at(self) -> None:
        """Note that somebody has asked for the position."""
        self._asked = time.monotonic()

    def moment(self) -> Moment:
        """The table now."""
        is_shown = not self.people
        return Moment(
            version=self.version,
            deciding=None if self.is_over else self._state.seat,
            thinking=self.agent_decides and not self.paused,
            problem=self.problem,
            connected=[seat.kind == AGENT or self._present[k] > 0 for k, seat in enumerate(self.header.seats)],
            pace={"paused": self.paused, "seconds": self.seconds} if is_shown else None,
            may_download=self.may_download(),
        )

    def check_decision(self, seat: int | None, version: int, present: int, action: str) -> tuple[Decision, bytes]:
        """Check a person's decision; returns the decision and the state after it.

        Args:
            seat: whose link was used; None for a watcher.
            version: the number of the position that the person saw.
            present: the seat's number of the present position.
            action: the action's text.

        Raises `RefusedError` or `IllegalActionError`.
        """
        if seat is None:
            raise errors.RefusedError(errors.FORBIDDEN, "whoever watches cannot decide")
        if version != present:
            raise errors.RefusedError(errors.CONFLICT, f"version: {version}; the game is at {present} now")
        if self.is_over:
            raise errors.RefusedError(errors.CONFLICT, "the game is over")
        if seat != self._state.seat:
            raise errors.RefusedError(errors.FORBIDDEN, "another seat has to decide")
        after = self._state.clone()
        number = after.check(action)
        after.apply(number, self.header.seed)
        return Decision(seat, self.offer.game.action_text(number)), after.to_bytes()

    def add(self, decisions: Sequence[Decision], states: Sequence[bytes]) -> None:
        """Add decisions that are stored already, and tell everybody."""
        self.states += states  # before the decisions, because their number says how many positions there are
        self.decisions += decisions
        self._state = showing.state_of(self.offer, self.states[-1])
        self.publish()

    def publish(self) -> None:
        """Tell everybody who listens that something has changed."""
        for listener in self._listeners:
            listener.set()
        self.nudged.set()

    @contextmanager
    def listening(self, seat: int | None) -> Iterator[asyncio.Event]:
        """An event that is set at every change; meanwhile the seat counts as connected."""
        event = asyncio.Event()
        self._listeners.add(event)
        self._present[seat] += 1
        if self._present[seat] == 1 and seat is not None:
            self.publish()
        try:
            yield event
        finally:
            self._listeners.discard(event)
            self._present[seat] -= 1
            if not self._present[seat] and seat is not None:
                self.publish()

    def replay(self) -> str:
        """The game so far as the text of a replay."""
        header, game = self.header, self.offer.game
        names = [seat.name for seat in header.seats]
        head = make_header(game, self.offer.components, header.options, seed=header.seed, agents=names)
        lines = [{"seat": decision.seat, "action": decision.action} for decision in self.decisions]
        return to_text(Replay(head, lines, result_of(self._state), game))

    def may_download(self) -> bool:
        """Whether the replay may leave the server: before the end its seed would tell others the future."""
        return self.is_over or self.people <= 1


class Role(NamedTuple):
    """What a link allows.

    Attributes:
        table: the table.
        seat: the seat; None for a watcher.
        digest: digest of the link's token.
    """

    table: Table
    seat: int | None
    digest: str


def roles_of(table: Table) -> Iterator[Role]:
    """The roles of all links of a table."""
    for number, seat in enumerate(table.header.seats):
        if seat.digest:
            yield Role(table, number, seat.digest)
    if table.header.watcher:
        yield Role(table, None, table.header.watcher)


def is_token_of(token: str, role: Role) -> bool:
    """Whether a token is that of a role; takes the same time for every token."""
    return hmac.compare_digest(digest_of(token), role.digest)


def restored(name: str, header: Header, offer: offers.Offer, decisions: Iterable[Decision], size: int) -> Table:
    """A stored table as it was; raises `StorageError` if it cannot be played with this game or these components."""
    try:
        if header.rules != offer.components.hash:
            raise ValueError(f"played with other components ({header.rules}, not {offer.components.hash})")
        options = offer.game.check_options(header.options)
        if len(header.seats) != options[NUM_PLAYERS]:
            raise ValueError(f"{len(header.seats)} seats for {options[NUM_PLAYERS]} players")
        state = GameState.new(header.seed, game=offer.game, components=offer.components, **options)
        return Table(name, header, offer, state, decisions, size)
    except (ValueError, TypeError) as error:
        raise errors.StorageError(f"table {name}: {error}") from error
