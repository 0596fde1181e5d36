"""The room holds all tables: it opens and finds them, stores every decision, and lets agents play."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import secrets
from collections.abc import Callable, Coroutine, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from functools import partial
from typing import Any, NamedTuple, TypeVar

from dunaia_env.harness import opponents
from dunaia_env.harness.compiled.chance import MAX_SEED
from dunaia_env.harness.options import NUM_PLAYERS
from dunaia_env.harness.state import GameState, IllegalActionError
from dunaia_env.replay import Replay, ReplayError, parse
from dunaia_env.support.messages import reason
from dunaia_env.table import errors
from dunaia_env.table.errors import CONFLICT, FORBIDDEN, NOT_ALLOWED, UNAVAILABLE, UNKNOWN, RefusedError, StorageError
from dunaia_env.table.limits import Limits, checked_name
from dunaia_env.table.offers import Offer
from dunaia_env.table.storage import (
    AGENT,
    FORMAT,
    PERSON,
    VERSION,
    Clock,
    Consent,
    Decision,
    Folder,
    Header,
    LaterSeed,
    Record,
    Seat,
    Seating,
    now,
)
from dunaia_env.table.tables import (
    Moment,
    Role,
    Table,
    digest_of,
    is_token_of,
    new_token,
    next_digest,
    restored,
    roles_of,
)
from dunaia_env.table.thinking import Played, Thinkers, TooLongError, play_on, told_of_agent

T = TypeVar("T")

DAY = 86_400.0
SWEEP_SECONDS = 3600.0
# Largest number of agents' decisions that are stored together, at a table where people play.
MOST_AT_ONCE = 64
# Seconds that a clock may leave for a decision.
LEAST_CLOCK_SECONDS, MOST_CLOCK_SECONDS = 10.0, 7 * DAY
# Size in bytes of a table's records up to which people may undo decisions and change who plays, so that a table can
# always be played to its end.
MOST_BYTES_OF_CHANGES = 1 << 22

_LOG = logging.getLogger(__name__)
_AGENTS_NOT_STORED = "the agents' decisions could not be stored on the server's disk"
_NOT_STORED = "this could not be stored on the server's disk, so it was not done; try again later"


class Wanted(NamedTuple):
    """A seat of a table that is to be opened: a person with a name, or an agent by name."""

    kind: str
    name: str


class Opened(NamedTuple):
    """A table that was opened.

    Attributes:
        table: the table.
        seats: the tokens of the people's links by seat.
        watcher: the token of the link for watching; None if nobody may watch.
        key: the key of whoever opened the table, with which agents may be seated.
    """

    table: Table
    seats: dict[int, str]
    watcher: str | None
    key: str


class Room:
    """All tables of a server.

    Args:
        folder: folder in which they are stored.
        offers: the games by name.
        limits: limits on numbers and ages.
        thinkers: threads in which agents think.
    """

    def __init__(self, folder: Folder, offers: Mapping[str, Offer], limits: Limits, thinkers: Thinkers) -> None:
        self.offers, self.limits, self.thinkers = offers, limits, thinkers
        self._folder = folder
        self._tables: dict[str, Table] = {}
        self._roles: dict[str, Role] = {}
        # Quick work that would still hold up the event loop: writing to the disk, and drawing.
        self._disk = ThreadPoolExecutor(4, thread_name_prefix="disk")
        self._drawing = ThreadPoolExecutor(2, thread_name_prefix="drawing")
        self._sweeper: asyncio.Task[None] | None = None
        self._opening = asyncio.Lock()
        self._background: set[asyncio.Task[None]] = set()
        self.closing = asyncio.Event()

    @property
    def tables(self) -> list[Table]:
        """All tables."""
        return list(self._tables.values())

    async def draw(self, work: Callable[[], T]) -> T:
        """Do some milliseconds of work outside the event loop."""
        return await asyncio.get_running_loop().run_in_executor(self._drawing, work)

    async def store(self, work: Callable[[], T]) -> T:
        """Read or write files outside the event loop."""
        return await asyncio.get_running_loop().run_in_executor(self._disk, work)

    async def start(self) -> None:
        """Load all stored tables, and continue those at which an agent has to decide."""
        for name in self._folder.names():
            try:
                self._admit(await self.store(partial(self._restore, name)))
            except StorageError as error:
                _LOG.warning("a table stays in its folder, but cannot be played on: %s", error)
            except Exception:  # whatever is wrong with one table, the others are loaded
                _LOG.exception("a table stays in its folder, but cannot be played on: table %s", name)
        self._sweep()
        self._sweeper = asyncio.create_task(self._sweep_often())
        for table in self.tables:
            self.wake(table)

    def _restore(self, name: str) -> Table:
        header, records, size = self._folder.read(name)
        if header.game not in self.offers:
            raise StorageError(f"table {name}: the game {header.game} is not offered")
        table = restored(name, header, self.offers[header.game], records, size)
        for number, seat in enumerate(table.seats):
            if seat.kind == AGENT:
                try:
                    where = f"seats[{number}].name"
                    opponents.check_in_file(seat.name, where, named=table.offer.agents, option="--agents")
                except ValueError as error:
                    _LOG.warning("table %s: another agent has to play: %s", name, error)
        return table

    async def close(self) -> None:
        """Stop all agents; every decision is stored already."""
        self.closing.set()
        tasks = [task for task in (self._sweeper, *(table.driver for table in self.tables)) if task is not None]
        for task in tasks:
            task.cancel()
        for table in self.tables:
            table.stop_timers()
        await asyncio.gather(*tasks, *self._background, return_exceptions=True)
        self.thinkers.close()
        self._disk.shutdown()
        self._drawing.shutdown()

    def _admit(self, table: Table) -> None:
        self._tables[table.name] = table
        self._roles |= {role.digest: role for role in roles_of(table)}
        table.late = self._late
        table.start_timers()

    def known(self, token: str) -> Role | None:
        """What a link allows; None for an unknown token."""
        role = self._roles.get(digest_of(token))
        return role if role is not None and is_token_of(token, role) else None

    def find(self, token: str) -> Role:
        """What a link allows; raises `RefusedError` for an unknown token."""
        role = self.known(token)
        if role is None:
            raise RefusedError(UNKNOWN, "there is no table with this link")
        return role

    def offer(self, game: str) -> Offer:
        """The offer of a game; raises `RefusedError` for any other name."""
        if game not in self.offers:
            raise RefusedError(NOT_ALLOWED, "game: expected one of {known}", known=", ".join(self.offers))
        return self.offers[game]

    async def open(
        self,
        offer: Offer,
        options: Mapping[str, Any],
        seats: Sequence[Wanted],
        *,
        seed: int | None = None,
        coach: bool = False,
        clock: Clock | None = None,
        decisions: Sequence[Decision] = (),
        later_seeds: Sequence[LaterSeed] = (),
    ) -> Opened:
        """Open a table.

        Args:
            offer: the game.
            options: options of the game, without the number of players.
            seats: who sits where.
            seed: seed of the game; None for a secret one.
            coach: whether people may ask for advice.
            clock: limit on the time for a decision.
            decisions: decisions that were made already, in a game that is played on.
            later_seeds: other seeds from later decisions on, in a game that is played on.

        Raises `RefusedError` for anything that is not allowed, and if there are too many tables.
        """
        if NUM_PLAYERS in options:
            raise RefusedError(NOT_ALLOWED, "options: {name} follows from the seats", name=NUM_PLAYERS)
        game = offer.game
        checked = [self._checked_seat(offer, number, seat) for number, seat in enumerate(seats)]
        people = sum(seat.kind == PERSON for seat in checked)
        if not game.min_players <= len(seats) <= game.max_players:
            least, most = game.min_players, game.max_players
            raise RefusedError(
                NOT_ALLOWED, "seats: expected {least} to {most}, got {count}", least=least, most=most, count=len(seats)
            )
        if seed is not None and people > 1 and not decisions:
            raise RefusedError(NOT_ALLOWED, "seed: whoever knows it knows the future, so only one person may play")
        if seed is not None and not 0 <= seed <= MAX_SEED:
            raise RefusedError(NOT_ALLOWED, "seed: expected an integer in 0..{most}", most=MAX_SEED)
        _check_clock(offer, clock)
        try:
            chosen = game.check_options({NUM_PLAYERS: len(seats), **options})
        except (ValueError, TypeError) as error:
            raise RefusedError(NOT_ALLOWED, "options: {reason}", reason=reason(error)) from None
        # A watcher sees everything. Where hands are hidden, a player at the table could look over a watcher's shoulder.
        may_watch = game.perfect_information or people == 0
        tokens = {number: new_token() for number, seat in enumerate(checked) if seat.kind == PERSON}
        watcher, key = new_token() if may_watch else None, new_token()
        header = Header(
            format=FORMAT,
            version=VERSION,
            game=offer.name,
            rules=offer.components.hash,
            options=chosen,
            seed=secrets.randbelow(MAX_SEED + 1) if seed is None else seed,
            seats=tuple(
                Seat(seat.kind, seat.name, digest_of(tokens[number]) if number in tokens else "")  # type: ignore[arg-type]
                for number, seat in enumerate(checked)
            ),
            watcher="" if watcher is None else digest_of(watcher),
            coach=coach,
            opened=now(),
            opener=digest_of(key),
            clock=clock,
            later_seeds=tuple(later_seeds),
        )
        async with self._opening:
            self._make_place()
            table = await self._store_new(header, offer, decisions)
        self.wake(table)
        return Opened(table, tokens, watcher, key)

    async def _store_new(self, header: Header, offer: Offer, decisions: Sequence[Decision]) -> Table:
        table = await self.store(partial(self._create, secrets.token_hex(16), header, offer, decisions))
        self._admit(table)
        return table

    def _create(self, name: str, header: Header, offer: Offer, decisions: Sequence[Decision]) -> Table:
        state = GameState.new(header.seed, game=offer.game, components=offer.components, **header.options)
        table = Table(name, header, offer, state, decisions, 0)
        try:
            table.size = self._folder.create(name, header, decisions)
        except StorageError as error:
            _LOG.error("%s", error)
            raise RefusedError(UNAVAILABLE, "the table could not be stored on the server's disk") from None
        return table

    @staticmethod
    def _checked_seat(offer: Offer, number: int, seat: Wanted) -> Wanted:
        if seat.kind == PERSON:
            return Wanted(PERSON, checked_name(seat.name))
        if seat.name not in offer.agents:
            known = ", ".join(offer.agents) or "no agent"
            raise RefusedError(
                NOT_ALLOWED, "seats[{number}]: agent: unknown; {known} can play here", number=number, known=known
            )
        return Wanted(AGENT, seat.name)

    def parse(self, text: str) -> tuple[Replay, Offer]:
        """A replay from outside and the offer of its game; raises `ReplayError` or `RefusedError`."""
        games = [offer.game for offer in self.offers.values()]
        fault: ReplayError | None = None
        for game in games:
            try:
                replay = parse(text, game=game)
                break
            except ReplayError as error:
                fault = fault or error
        else:
            raise fault or ReplayError("replay: no game is offered")
        offer = next((offered for offered in self.offers.values() if offered.game is replay.game), None)
        if offer is None:
            raise RefusedError(NOT_ALLOWED, "replay: its game is not offered here")
        if len(replay.decisions) > self.limits.decisions:
            most = self.limits.decisions
            raise RefusedError(
                NOT_ALLOWED,
                "replay: {count} decisions; at most {most} are allowed",
                count=len(replay.decisions),
                most=most,
            )
        return replay, offer

    def rematch_of(self, role: Role) -> Role | None:
        """The role of the same person at the rematch of their table; None if there is no rematch yet."""
        return self._roles.get(next_digest(role.digest))

    async def rematch(self, role: Role) -> None:
        """Open a table at which the same people play once more, if it is not open yet.

        Everybody sits a seat further to the front, and the first in turn order becomes the last. The options stay. The
        links follow from those of the former table (`tables.next_token`), so that nobody has to pass them on.

        Raises `RefusedError`.
        """
        table = role.table
        if not table.is_over:
            raise RefusedError(CONFLICT, "rematch: the game is not over")
        if role.seat is None and table.people:
            raise RefusedError(FORBIDDEN, "rematch: whoever watches has no seat")
        # A client that disconnects meanwhile must not leave a table without its roles.
        await asyncio.shield(self._in_background(self._rematch(role)))

    async def _rematch(self, role: Role) -> None:
        table, header = role.table, role.table.header
        async with self._opening:
            if self.rematch_of(role) is not None:
                return
            self._make_place(kept=table)
            people = [
                Seat(first.kind, present.name if first.kind == AGENT else first.name, _next_of(first.digest))
                for first, present in zip(header.seats, table.seats, strict=True)
            ]
            fresh = replace(
                header,
                version=VERSION,
                seed=secrets.randbelow(MAX_SEED + 1),
                seats=(*people[1:], people[0]),
                watcher=_next_of(header.watcher),
                opened=now(),
                later_seeds=(),
            )
            made = await self._store_new(fresh, table.offer, ())
        self.wake(made)
        table.publish()

    async def decide(self, role: Role, version: int, action: str, undone: int = 0) -> None:
        """Make a person's decision; when this returns, the decision is stored and others are told of it.

        Args:
            role: role of the person's link.
            version: the seat's number of the position that the person saw.
            action: the action's text.
            undone: the number of times that the game had gone back then.

        Raises `RefusedError`.
        """
        # A client that disconnects meanwhile must leave neither the file nor the table half changed.
        await asyncio.shield(self._in_background(self._decide(role, version, undone, action)))
        self.wake(role.table)

    async def _decide(self, role: Role, version: int, undone: int, action: str) -> None:
        table = role.table
        async with table.lock:
            present = await self.draw(partial(table.showing.number_for, table.version, role.seat))
            try:
                records, after = table.check_decision(role.seat, version, undone, present, action)
            except IllegalActionError as error:
                raise RefusedError(NOT_ALLOWED, "{reason}", reason=reason(error)) from None
            if not await self._add(table, records, [after]):
                raise RefusedError(UNAVAILABLE, _NOT_STORED, wait=5)
            self._interrupt(table)

    async def change(self, table: Table, wanted: Callable[[Moment], list[Record]]) -> None:
        """Store what a person wants besides deciding, and tell everybody of it.

        Args:
            table: the table.
            wanted: checks at a moment of the table whether that is allowed, and returns its records; it is called in a
                thread and may raise `RefusedError`.

        Raises `RefusedError`.
        """

        async def work() -> None:
            async with table.lock:
                records = await self.draw(partial(wanted, table.moment()))
                if table.size > MOST_BYTES_OF_CHANGES:
                    raise RefusedError(NOT_ALLOWED, "too much was undone and changed at this table already")
                if not await self._add(table, records):
                    raise RefusedError(UNAVAILABLE, _NOT_STORED, wait=5)
                if any(not isinstance(record, Consent) for record in records):
                    self._interrupt(table)

        await asyncio.shield(self._in_background(work()))
        self.wake(table)

    def _late(self, table: Table, turn: int) -> None:
        self._in_background(self._replace_late(table, turn))

    async def _replace_late(self, table: Table, turn: int) -> None:
        """Let the clock's agent play for a person who has not decided in time.

        If others do not know who decides, the agent makes this decision only, because that it has the seat would tell.
        """
        clock = table.header.clock
        async with table.lock:
            if clock is None or table.turn != turn or table.is_over or self.closing.is_set():
                return
            seat, made, show = table.state().seat, table.version, table.showing
            others = [number for number, one in enumerate(table.header.seats) if one.kind == PERSON and number != seat]
            if await self.draw(lambda: all(show.decider(made, other) is not None for other in others)):
                if not await self._add(table, [Seating(seat, clock.agent, "late", None)]):
                    table.start_timers()
            else:
                table.stand_in = clock.agent
        self.wake(table)

    async def _add(self, table: Table, records: Sequence[Record], states: Sequence[bytes] = ()) -> bool:
        """Store records and add them to the table; False if they could not be stored."""
        try:
            work = partial(self._folder.append, table.name, records, table.size)
            table.size = await self.store(work)
        except StorageError as error:
            _LOG.error("%s", error)
            return False
        table.add(records, states)
        return True

    @staticmethod
    def _interrupt(table: Table) -> None:
        """Wait no longer for an agent that was asked something else than is asked now."""
        if table.driver is not None:
            table.driver.cancel()
            table.driver = None

    def _in_background(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)
        return task

    def set_pace(self, role: Role, *, paused: bool, seconds: float, step: bool = False) -> None:
        """Set the pace of a game in which no person decides.

        Args:
            role: role of the watcher's link.
            paused: whether the game is paused.
            seconds: seconds between two decisions.
            step: whether one decision is made although the game is paused.

        Raises `RefusedError` if people play at the table.
        """
        table = role.table
        if table.deciding_people:
            raise RefusedError(FORBIDDEN, "pace: people play at this table")
        table.paused, table.seconds, table.step = paused, seconds, paused and step
        table.publish()
        self.wake(table)

    def try_again(self, role: Role) -> None:
        """Let an agent that has failed try again; raises `RefusedError` if none has."""
        if role.table.problem is None:
            raise RefusedError(CONFLICT, "again: no agent has failed")
        role.table.problem = None
        role.table.publish()
        self.wake(role.table)

    def wake(self, table: Table) -> None:
        """Let agents play if it is their turn."""
        if table.driver is None and table.agent_decides and not self.closing.is_set():
            table.driver = asyncio.create_task(self._drive(table))

    async def _drive(self, table: Table) -> None:
        try:
            while table.agent_decides and (table.deciding_people or await self._paced(table)):
                await self._let_play(table, MOST_AT_ONCE if table.deciding_people else 1)
        except Exception:
            _LOG.exception("a table cannot go on")
            table.problem = errors.Sentence("the server has failed at this table")
        finally:
            if table.driver is asyncio.current_task():
                table.driver = None
            if table.problem is not None:
                table.publish()

    async def _paced(self, table: Table) -> bool:
        """Wait until the next decision of a game without people is due; False if nobody watches or it is paused."""
        loop = asyncio.get_running_loop()
        begin = loop.time()
        while (left := begin + table.seconds - loop.time()) > 0 and not table.paused:
            table.nudged.clear()
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(table.nudged.wait(), left)
        if table.step:
            table.step = False
            return True
        return table.is_watched and not table.paused

    async def _let_play(self, table: Table, most: int) -> None:
        header, state, turn, seats = table.header, table.state(), table.turn, table.playing
        name = seats[state.seat].name
        # Whoever stands in makes one decision.
        most = 1 if table.stand_in is not None else most
        work = partial(play_on, table.offer, state, seats, header.seed_of, table.version, most)
        try:
            played = await self.thinkers.run(table.name, name, work)
        except TooLongError:
            _LOG.error("%s: gives no answer", name)
            table.problem = told_of_agent(table.offer, "{agent} has taken too long", name)
            return
        await asyncio.shield(self._in_background(self._add_played(table, played, turn)))

    async def _add_played(self, table: Table, played: Played, turn: int) -> None:
        async with table.lock:
            if table.turn != turn:  # something else is asked now
                return
            decisions, stand_in = played.decisions, table.stand_in
            if stand_in is not None:
                decisions = [replace(decision, agent=stand_in) for decision in decisions]
            stored = not decisions or await self._add(table, decisions, played.states)
            table.problem = played.fault if stored else errors.Sentence(_AGENTS_NOT_STORED)

    async def _sweep_often(self) -> None:
        while True:
            await asyncio.sleep(SWEEP_SECONDS)
            self._sweep()

    def _sweep(self) -> None:
        """Remove tables that are older than the limits say."""
        for table in self.tables:
            days = self.limits.finished_days if table.is_over else self.limits.unfinished_days
            if table.driver is None and now() - self._folder.touched(table.name) > days * DAY:
                self._remove(table)

    def _make_place(self, kept: Table | None = None) -> None:
        """Remove finished or idle tables, but not ``kept``, while there are too many.

        Raises `RefusedError` if none can be removed.
        """
        while len(self._tables) >= self.limits.tables:
            idle_since = now() - self.limits.idle_days * DAY
            ages = {table: self._folder.touched(table.name) for table in self.tables if table is not kept}
            removable = [table for table in ages if table.is_over or ages[table] < idle_since]
            if not removable:
                text = "there are {count} tables at which people play, the most that this server keeps"
                raise RefusedError(UNAVAILABLE, text, count=len(self._tables))
            self._remove(min(removable, key=lambda table: (not table.is_over, ages[table])))

    def _remove(self, table: Table) -> None:
        del self._tables[table.name]
        table.stop_timers()
        for role in roles_of(table):
            self._roles.pop(role.digest, None)
        table.problem = errors.Sentence("this table has been removed")
        table.publish()
        self._folder.remove(table.name)


def _next_of(digest: str) -> str:
    return next_digest(digest) if digest else ""


def _check_clock(offer: Offer, clock: Clock | None) -> None:
    """Raise `RefusedError` for a clock that cannot run."""
    if clock is None:
        return
    if not LEAST_CLOCK_SECONDS <= clock.seconds <= MOST_CLOCK_SECONDS:
        raise RefusedError(
            NOT_ALLOWED,
            "clock: seconds: expected {least:g} to {most:g}, got {given:g}",
            least=LEAST_CLOCK_SECONDS,
            most=MOST_CLOCK_SECONDS,
            given=clock.seconds,
        )
    if clock.agent not in offer.agents:
        known = ", ".join(offer.agents) or "no agent"
        raise RefusedError(NOT_ALLOWED, "clock: agent: unknown; {known} can play here", known=known)
