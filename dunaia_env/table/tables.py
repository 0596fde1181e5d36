"""Tables: who sits where, whose turn it is, and what has been played. All methods run in the server's event loop."""

from __future__ import annotations

import asyncio
import hashlib
import hmac
import secrets
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from dunaia_env.harness.options import NUM_PLAYERS
from dunaia_env.harness.state import GameState
from dunaia_env.replay import MOST_OF_A_NAME, Replay, make_header, result_of, to_text
from dunaia_env.table import errors, offers, showing, storage
from dunaia_env.table.storage import AGENT, PERSON, Decision, Header, Record

TOKEN_BYTES = 32
MOST_PACE_SECONDS = 10.0
# How long a game without people goes on after somebody has looked at it.
WATCHED_SECONDS = 20.0
# Seconds without an open page after which a person is absent.
ABSENT_SECONDS = 120.0
# Seconds after which others need not wait any longer for the decision of an agent or of a person.
AGENT_SECONDS, PERSON_SECONDS = 20.0, 600.0
MOST_REMATCHES = 999
# Largest number of changes of seats and undos that a table tells of.
MOST_NOTES = 200


def new_token() -> str:
    """A token that nobody can guess, for a link."""
    return secrets.token_urlsafe(TOKEN_BYTES)


def digest_of(token: str) -> str:
    """The digest by which a token is stored and found: the folder reveals no link, and timing reveals nothing."""
    base, number = _parts_of(token)
    digest = hashlib.sha256(base.encode("utf-8", "surrogatepass")).hexdigest()
    for _ in range(number):
        digest = next_digest(digest)
    return digest


def next_digest(digest: str) -> str:
    """The digest of the link of the same person to a rematch: it follows from that of the present link."""
    return hashlib.sha256(f"rematch {digest}".encode()).hexdigest()


def next_token(token: str) -> str:
    """The token of the same person's link to a rematch; raises `RefusedError` after too many rematches."""
    base, number = _parts_of(token)
    if number >= MOST_REMATCHES:
        raise errors.RefusedError(
            errors.NOT_ALLOWED, "rematch: at most {most} in a row; open a new table", most=MOST_REMATCHES
        )
    return f"{base}.{number + 1}"


def _parts_of(token: str) -> tuple[str, int]:
    """A token without the number of rematches that it counts, and that number."""
    base, dot, number = token.rpartition(".")
    if dot and number.isascii() and number.isdecimal() and number[0] != "0" and int(number[:9]) <= MOST_REMATCHES:
        return base, int(number[:9])
    return token, 0


class UndoRequest(NamedTuple):
    """A request to undo a decision.

    Attributes:
        seat: the seat of the person who asks.
        decisions: number of decisions that would be left.
        agreed: the seats of the people who agree, the one who asks included.
    """

    seat: int
    decisions: int
    agreed: frozenset[int]


class Note(NamedTuple):
    """What has happened at the table besides decisions, after a number of decisions."""

    made: int
    record: storage.Seating | storage.Undo


class Moment(NamedTuple):
    """A table at one moment, for use in threads.

    Attributes:
        version: number of decisions made.
        undone: number of times that the game has gone back.
        showing: what seats and watchers see.
        deciding: the seat that decides; None if the game is over.
        thinking: whether an agent thinks.
        problem: why the table cannot go on; None if it can.
        connected: for each seat whether its page is open, or whether an agent has the seat.
        absent: for each seat whether its person has not been there for some time.
        overdue: whether the present decision takes longer than others have to wait.
        agents: for each seat the agent that decides for it, or None for a person.
        undoable: for each seat whether its person may ask to undo a decision.
        notes: what has happened besides decisions.
        request: the request to undo a decision, if there is one.
        left: seconds that the clock leaves for the decision; None if it does not run.
        pace: the pace of a game in which no person decides.
        may_download: whether the replay may leave the server.
    """

    version: int
    undone: int
    showing: showing.Showing
    deciding: int | None
    thinking: bool
    problem: errors.Sentence | None
    connected: tuple[bool, ...]
    absent: tuple[bool, ...]
    overdue: bool
    agents: tuple[str | None, ...]
    undoable: tuple[bool, ...]
    notes: tuple[Note, ...]
    request: UndoRequest | None
    left: float | None
    pace: dict[str, Any] | None
    may_download: bool


class Table:
    """A table.

    Args:
        name: name of its folder.
        header: what was chosen when it was opened.
        offer: the game.
        state: state after the set-up.
        records: what has happened already.
        size: size of the file of these records, in bytes.

    Raises `ValueError` for a record that cannot be.

    Attributes:
        name, header, offer: as given.
        seats: who decides for each seat now.
        decisions: those that stand, in order.
        makers: for each of them the agent that made it; empty for the person whose seat it is.
        states: the bytes of the state after 0, 1, ... decisions.
        undone: number of times that the game has gone back.
        request: the request to undo a decision, if there is one.
        showing: what seats and watchers see.
        turn: a number that changes whenever what an agent was asked may not be asked any more.
        stand_in: the agent that makes the present decision alone in place of the person who decides; None for nobody.
        lock: held while records are stored.
        problem: why the table cannot go on; None if it can.
        paused, seconds: whether a game in which no person decides is paused, and the seconds between its decisions.
        step: whether one decision is wanted while it is paused.
        advising: held while somebody is advised.
        advice: the last advice, and the version and the number of undos at which it was given.
        size: size of the file of records, in bytes.
        driver: the task in which agents play; None while they have nothing to do.
        late: called when the clock has run out, with the table and the turn at which it began.
    """

    def __init__(
        self,
        name: str,
        header: storage.Header,
        offer: offers.Offer,
        state: GameState,
        records: Iterable[Record],
        size: int,
    ) -> None:
        self.name, self.header, self.offer, self.size = name, header, offer, size
        self.seats = list(header.seats)
        self.decisions: list[Decision] = []
        self.makers: list[str] = []
        self.states: list[bytes] = [state.to_bytes()]
        self._last: dict[int, int] = {}
        self.undone = 0
        self.request: UndoRequest | None = None
        self._notes: list[Note] = []
        self._state = state
        self.turn = 0
        self.stand_in: str | None = None
        self.problem: errors.Sentence | None = None
        for record in records:
            self._restore(record)
        self.showing = self._shown()
        self.lock = asyncio.Lock()
        self.paused, self.seconds, self.step = False, 1.0, False
        self.advising = asyncio.Lock()
        self.advice: tuple[tuple[int, int], dict[str, Any]] | None = None
        self.driver: asyncio.Task[None] | None = None
        self.late: Callable[[Table, int], None] = lambda table, turn: None
        self.nudged = asyncio.Event()
        self._listeners: set[asyncio.Event] = set()
        self._present: Counter[int | None] = Counter()
        self._asked = -WATCHED_SECONDS
        self._timers: list[asyncio.TimerHandle] = []
        now = time.monotonic()
        self._begun = now
        self._left = dict.fromkeys(range(len(header.seats)), now)
        self._arrived = set(self._last)

    def _restore(self, record: Record) -> None:
        """Let a stored record happen again; raises `ValueError` for one that cannot be."""
        number, seats = len(self.decisions), range(len(self.seats))
        if isinstance(record, Decision):
            if record.seat != self._state.seat:
                raise ValueError(f"decision {number}: seat {record.seat}; seat {self._state.seat} decides")
            self._state.apply(record.action, self.header.seed_of(number))
            self._decided(record, self._state.to_bytes())
            return
        if record.seat not in seats:
            raise ValueError(f"seat: expected one of 0..{seats[-1]}, got {record.seat}")
        if isinstance(record, storage.Undo) and not 0 <= record.decisions < number:
            raise ValueError(f"undo: expected 0..{number - 1} decisions, got {record.decisions}")
        if isinstance(record, storage.Seating) and not record.agent and self.header.seats[record.seat].kind == AGENT:
            raise ValueError(f"seating: expected an agent for seat {record.seat}, at which no person sits")
        self._happened(record)

    def _shown(self) -> showing.Showing:
        seats = self.header.seats
        people = [number for number, seat in enumerate(seats) if seat.kind == PERSON]
        names = [seat.name for seat in seats]
        return showing.Showing(self.offer, names, self.states, self.decisions, people, self.makers)

    def _decided(self, decision: Decision, after: bytes) -> None:
        seat = self.seats[decision.seat]
        maker = decision.agent or (seat.name if seat.kind == AGENT else "")
        self.states.append(after)  # before the decision, because their number says how many positions there are
        self.makers.append(maker)
        self.decisions.append(decision)
        if not maker:
            self._last[decision.seat] = self.version - 1

    def _happened(self, record: storage.Seating | storage.Consent | storage.Undo) -> None:
        if isinstance(record, storage.Consent):
            if not record.agrees:
                self.request = None
            elif self.request is not None:
                self.request = self.request._replace(agreed=self.request.agreed | {record.seat})
            elif (target := self.before_last_of(record.seat)) is not None:
                self.request = UndoRequest(record.seat, target, frozenset([record.seat]))
            return
        self.request = None
        if isinstance(record, storage.Seating):
            person = self.header.seats[record.seat]
            agent = storage.Seat(AGENT, record.agent, person.digest)
            self.seats[record.seat] = agent if record.agent else person
        else:
            made = record.decisions
            self.undone += 1
            # Lists of their own, because threads may still read the others.
            self.states, self.decisions = self.states[: made + 1], self.decisions[:made]
            self.makers = self.makers[:made]
            by = zip(self.decisions, self.makers, strict=True)
            self._last = {decision.seat: number for number, (decision, maker) in enumerate(by) if not maker}
            self._notes = [note._replace(made=min(note.made, made)) for note in self._notes]
            self._state = showing.state_of(self.offer, self.states[-1])
        self._notes = [*self._notes, Note(len(self.decisions), record)][-MOST_NOTES:]

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
        """Number of seats that people have, whether or not an agent decides for them now."""
        return sum(seat.kind == PERSON for seat in self.header.seats)

    @property
    def deciding_people(self) -> list[int]:
        """The seats for which people decide now."""
        return [number for number, seat in enumerate(self.seats) if seat.kind == PERSON]

    def state(self) -> GameState:
        """A copy of the present state."""
        return self._state.clone()

    @property
    def agent_decides(self) -> bool:
        """Whether an agent has to decide and can."""
        return not self.is_over and self.problem is None and self.playing[self._state.seat].kind == AGENT

    @property
    def playing(self) -> list[storage.Seat]:
        """Who makes the present decision of each seat, if it has one."""
        seats = list(self.seats)
        if self.stand_in is not None:
            seats[self._state.seat] = storage.Seat(AGENT, self.stand_in, "")
        return seats

    @property
    def is_watched(self) -> bool:
        """Whether somebody looks at the table, or has done so lately."""
        return bool(self._listeners) or time.monotonic() - self._asked < WATCHED_SECONDS

    def looked_at(self, seat: int | None) -> None:
        """Note that somebody has asked for the position."""
        self._asked = time.monotonic()
        self._arrive(seat)

    def before_last_of(self, seat: int) -> int | None:
        """Number of decisions before the last one that the person at a seat made; None if there is none."""
        return self._last.get(seat)

    def _may_undo(self, seat: int) -> bool:
        is_open = not self.is_over or self.people == 1
        return is_open and seat in self._last and self.seats[seat].kind == PERSON

    def moment(self) -> Moment:
        """The table now."""
        now, seats = time.monotonic(), self.header.seats
        is_agent = [seat.kind == AGENT for seat in seats]
        there = [self._present[number] > 0 for number in range(len(seats))]
        gone = [not here and now - self._left[number] >= ABSENT_SECONDS for number, here in enumerate(there)]
        return Moment(
            version=self.version,
            undone=self.undone,
            showing=self.showing,
            deciding=None if self.is_over else self._state.seat,
            thinking=self.agent_decides and not self.paused,
            problem=self.problem,
            connected=tuple(agent or here for agent, here in zip(is_agent, there, strict=True)),
            absent=tuple(not agent and away for agent, away in zip(is_agent, gone, strict=True)),
            overdue=not self.is_over and not self.paused and now - self._begun >= self._patience(),
            agents=tuple(seat.name if seat.kind == AGENT else None for seat in self.seats),
            undoable=tuple(map(self._may_undo, range(len(seats)))),
            notes=tuple(self._notes),
            request=self.request,
            left=None if (time_left := self._time_left()) is None else round(time_left, 1),
            pace=None if self.deciding_people else {"paused": self.paused, "seconds": self.seconds},
            may_download=self.may_download(),
        )

    def _patience(self) -> float:
        """Seconds after which the present decision is overdue."""
        return AGENT_SECONDS if self.agent_decides else PERSON_SECONDS

    def _time_left(self) -> float | None:
        """Seconds that the clock leaves for the present decision; None if it does not run."""
        clock, seat = self.header.clock, self._state.seat
        if clock is None or self.is_over or seat not in self._arrived or self.playing[seat].kind == AGENT:
            return None
        return max(0.0, self._begun + clock.seconds - time.monotonic())

    def start_timers(self) -> None:
        """Let the clock run for whoever decides now, and tell everybody when the decision is overdue."""
        self.stop_timers()
        if self.is_over:
            return
        loop = asyncio.get_running_loop()
        overdue = max(0.0, self._begun + self._patience() - time.monotonic())
        self._timers.append(loop.call_later(overdue, self.publish))
        if (left := self._time_left()) is not None:
            self._timers.append(loop.call_later(left, lambda: self.late(self, self.turn)))

    def stop_timers(self) -> None:
        """Let no clock run any more."""
        for timer in self._timers:
            timer.cancel()
        self._timers.clear()

    def _arrive(self, seat: int | None) -> None:
        """Note that the person at a seat is there; the clock does not run for anybody who has never been there."""
        if seat is None or seat in self._arrived:
            return
        self._arrived.add(seat)
        if seat == self._state.seat:
            self._begun = time.monotonic()
            self.start_timers()

    def check_decision(
        self, seat: int | None, version: int, undone: int, present: int, action: str
    ) -> tuple[list[Record], bytes]:
        """Check a person's decision; returns the records that it makes and the state after it.

        A person for whom an agent decides takes the seat back by deciding.

        Args:
            seat: whose link was used; None for a watcher.
            version: the number of the position that the person saw.
            undone: the number of times that the game had gone back then.
            present: the seat's number of the present position.
            action: the action's text.

        Raises `RefusedError` or `IllegalActionError`.
        """
        if seat is None:
            raise errors.RefusedError(errors.FORBIDDEN, "whoever watches cannot decide")
        if undone != self.undone:
            text = "undone: {number}; the game has gone back {times} times"
            raise errors.RefusedError(errors.CONFLICT, text, number=undone, times=self.undone)
        if self.request is not None:
            raise errors.RefusedError(errors.CONFLICT, "an undo is asked for; it has to be agreed to or declined first")
        if version != present:
            raise errors.RefusedError(
                errors.CONFLICT, "version: {version}; the game is at {present} now", version=version, present=present
            )
        if self.is_over:
            raise errors.RefusedError(errors.CONFLICT, "the game is over")
        if seat != self._state.seat:
            raise errors.RefusedError(errors.FORBIDDEN, "another seat has to decide")
        after = self._state.clone()
        number = after.check(action)
        after.apply(number, self.header.seed_of(self.version))
        records: list[Record] = [Decision(seat, self.offer.game.action_text(number))]
        if self.seats[seat].kind == AGENT:
            records.insert(0, storage.Seating(seat, "", "returned", seat))
        return records, after.to_bytes()

    def add(self, records: Sequence[Record], states: Sequence[bytes] = ()) -> None:
        """Add records that are stored already, with the state after each decision, and tell everybody."""
        after = iter(states)
        for record in records:
            if isinstance(record, Decision):
                self._decided(record, next(after))
            else:
                self._happened(record)
                if isinstance(record, storage.Undo):
                    self.showing = self.showing.until(self.states, self.decisions, self.makers)
        self._state = showing.state_of(self.offer, self.states[-1])
        if any(not isinstance(record, storage.Consent) for record in records):
            self.turn += 1
        if any(self._concerns_the_decision(record) for record in records):
            self.stand_in, self.problem = None, None
            self._begun = time.monotonic()
            self.start_timers()
        self.publish()

    def _concerns_the_decision(self, record: Record) -> bool:
        """Whether another decision has to be made now, or somebody else has to make it."""
        if isinstance(record, storage.Seating):
            return record.seat == self._state.seat or self.problem is not None
        return not isinstance(record, storage.Consent)

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
        self._arrive(seat)
        if self._present[seat] == 1 and seat is not None:
            self.publish()
        try:
            yield event
        finally:
            self._listeners.discard(event)
            self._present[seat] -= 1
            if not self._present[seat] and seat is not None:
                self._left[seat] = time.monotonic()
                self.publish()
                asyncio.get_running_loop().call_later(ABSENT_SECONDS, self.publish)

    def names_of_makers(self) -> list[str]:
        """Who made the decisions of each seat, as a replay names them: everybody who made one, in order."""
        names = []
        for number, seat in enumerate(self.header.seats):
            found = dict.fromkeys(
                maker or seat.name
                for decision, maker in zip(self.decisions, self.makers, strict=True)
                if decision.seat == number
            )
            name = ", ".join(found) or self.seats[number].name
            names.append(name if len(name) <= MOST_OF_A_NAME else f"{name[: MOST_OF_A_NAME - 1]}…")
        return names

    def replay(self) -> str:
        """The game so far as the text of a replay, without what was undone."""
        header, game = self.header, self.offer.game
        head = make_header(
            game,
            self.offer.components,
            header.options,
            seed=header.seed,
            agents=self.names_of_makers(),
            later_seeds=[(one.decision, one.seed) for one in header.later_seeds if one.decision <= self.version],
        )
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


def is_key_of(key: str, table: Table) -> bool:
    """Whether a key is that of whoever opened a table; takes the same time for every key."""
    return hmac.compare_digest(digest_of(key), table.header.opener)


def restored(name: str, header: Header, offer: offers.Offer, records: Iterable[Record], size: int) -> Table:
    """A stored table as it was; raises `StorageError` if it cannot be played with this game or these components."""
    try:
        if header.rules != offer.components.hash:
            raise ValueError(f"played with other components ({header.rules}, not {offer.components.hash})")
        options = offer.game.check_options(header.options)
        if len(header.seats) != options[NUM_PLAYERS]:
            raise ValueError(f"{len(header.seats)} seats for {options[NUM_PLAYERS]} players")
        state = GameState.new(header.seed, game=offer.game, components=offer.components, **options)
        return Table(name, header, offer, state, records, size)
    except (ValueError, TypeError) as error:
        raise errors.StorageError(f"table {name}: {error}") from error
