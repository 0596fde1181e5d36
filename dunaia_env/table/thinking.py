"""Agents think in threads, as many at once as the machine has cores, and no table waits long for another table's agent.

Compiled code releases Python's global lock, so threads are enough. Of the waiting pieces of work, the next one is that
of the table whose agents have had the least time (start-time fair queueing: Goyal, Vin and Cheng, 1996). Agents that
are known to be slow never occupy all threads, unless there is only one.
"""

from __future__ import annotations

import asyncio
import logging
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from typing import Any, NamedTuple, TypeVar

from dunaia_env.harness import opponents
from dunaia_env.harness.compiled.chance import AGENT as AGENT_STREAM, random_words
from dunaia_env.harness.state import GameState, IllegalActionError
from dunaia_env.support import system
from dunaia_env.table import errors, naming, offers, storage

T = TypeVar("T")

SLOW_SECONDS = 0.25
# Number of threads that may be lost to work that never ends before other work has to wait.
SPARE_THREADS = 8
# The decisions of one piece of work together take little longer than this, so that tables take turns.
SECONDS_OF_A_TURN = 0.1

_LOG = logging.getLogger(__name__)
_MEMORY_OF_DURATIONS = 0.2


class TooLongError(Exception):
    """A piece of work has taken longer than it may."""


class Played(NamedTuple):
    """What agents have played.

    Attributes:
        decisions: in order.
        states: the bytes of the state after each of them.
        fault: why the next agent could not decide; None if all went well.
    """

    decisions: list[storage.Decision]
    states: list[bytes]
    fault: errors.Sentence | None


@dataclass(order=True)
class _Waiting:
    start: float
    number: int
    key: str = field(compare=False)
    kind: str = field(compare=False)
    ready: asyncio.Future[None] = field(compare=False)


class Thinkers:
    """Threads for work that takes long, shared fairly between tables.

    Args:
        threads: number of pieces of work at once; by default the number of `available_cores`, but at least two.
        most_seconds: seconds after which a piece of work is given up.
    """

    def __init__(self, threads: int | None = None, most_seconds: float = 120.0) -> None:
        self.threads = max(2, system.available_cores()) if threads is None else threads
        self._most_seconds = most_seconds
        self._pool = ThreadPoolExecutor(self.threads + SPARE_THREADS, thread_name_prefix="thinking")
        self._waiting: list[_Waiting] = []
        self._running = self._slow = self._number = self._lost = 0
        self._clock = 0.0
        self._used: dict[str, float] = {}
        self._duration: dict[str, float] = {}

    async def run(self, key: str, kind: str, work: Callable[[], T]) -> T:
        """Do a piece of work in a thread.

        Args:
            key: name of the table; tables take turns.
            kind: name of a kind of work, all of which takes about the same time.
            work: a function that may block.

        Raises what the work raises, and `TooLongError` if the work takes too long. It then continues in its thread, and
        its result is ignored.
        """
        start = max(self._used.get(key, 0.0), self._clock)
        self._number += 1
        one = _Waiting(start, self._number, key, kind, asyncio.get_running_loop().create_future())
        self._waiting.append(one)
        self._dispatch()
        try:
            await one.ready
        except asyncio.CancelledError:
            if one in self._waiting:
                self._waiting.remove(one)
            else:
                self._release(one, 0.0)
            raise
        begin = time.monotonic()
        future = asyncio.get_running_loop().run_in_executor(self._pool, work)
        try:
            done, _ = await asyncio.wait([future], timeout=self._most_seconds)
        except asyncio.CancelledError:
            self._abandon(one, future, begin)
            raise
        passed = time.monotonic() - begin
        if not done:
            self._give_up(one, future, passed)
            raise TooLongError
        self._release(one, passed)
        return future.result()

    def _abandon(self, one: _Waiting, future: asyncio.Future[Any], begin: float) -> None:
        """Let work whose result nobody wants any more have its thread for as long as it might have taken."""

        def ended(done: asyncio.Future[Any]) -> None:
            if not done.cancelled():
                done.exception()  # marks it as seen
            late.cancel()
            self._release(one, time.monotonic() - begin)

        def is_late() -> None:
            future.remove_done_callback(ended)
            self._give_up(one, future, time.monotonic() - begin)

        left = max(0.0, begin + self._most_seconds - time.monotonic())
        late = asyncio.get_running_loop().call_later(left, is_late)
        future.add_done_callback(ended)

    def _give_up(self, one: _Waiting, future: asyncio.Future[Any], passed: float) -> None:
        if self._lost >= SPARE_THREADS:  # no thread is left to take its place
            future.add_done_callback(lambda _: self._release(one, passed))
            return
        self._lost += 1

        def found(done: asyncio.Future[Any]) -> None:
            done.exception()  # marks it as seen
            self._lost -= 1

        future.add_done_callback(found)
        self._release(one, passed)

    def _is_slow(self, kind: str) -> bool:
        return self._duration.get(kind, 0.0) > SLOW_SECONDS

    def _dispatch(self) -> None:
        """Begin the work that may begin now."""
        for waiting in sorted(self._waiting):
            if self._running >= self.threads:
                return
            slow = self._is_slow(waiting.kind)
            if slow and self._slow >= max(1, self.threads - 1):
                continue
            self._waiting.remove(waiting)
            self._running += 1
            self._slow += slow
            self._clock = max(self._clock, waiting.start)
            waiting.kind = ("slow " if slow else "quick ") + waiting.kind
            if not waiting.ready.done():
                waiting.ready.set_result(None)

    def _release(self, one: _Waiting, passed: float) -> None:
        speed, _, kind = one.kind.partition(" ")
        self._running -= 1
        self._slow -= speed == "slow"
        self._used[one.key] = one.start + passed
        before = self._duration.get(kind, passed)
        self._duration[kind] = before + _MEMORY_OF_DURATIONS * (passed - before)
        if len(self._used) > 10_000:  # a table behind the clock starts at the clock anyway
            self._used = {key: used for key, used in self._used.items() if used > self._clock}
        self._dispatch()

    def close(self) -> None:
        """End the threads; work in progress is not waited for."""
        self._pool.shutdown(wait=False, cancel_futures=True)


_own = threading.local()


def agent_of(offer: offers.Offer, name: str) -> opponents.Agent:
    """An agent that only the calling thread uses."""
    kept: dict[tuple[str, str, str], opponents.Agent] = _own.__dict__.setdefault("agents", {})
    key = (offer.name, offer.components.hash, name)
    if key not in kept:
        kept[key] = opponents.load(name, components=offer.components, game=offer.game)
    return kept[key]


def may_play(offer: offers.Offer, name: str) -> bool:
    """Whether an agent that a stored table names may be loaded: no file decides which code is imported."""
    try:
        opponents.check_in_file(name, "agent", named=offer.agents, option="--agents")
    except ValueError:
        return False
    return True


def told_of_agent(offer: offers.Offer, template: str, name: str) -> errors.Sentence:
    """What all seats are told of an ``{agent}``; if information is hidden, its name may be secret."""
    known = name if offer.game.perfect_information else ""
    return errors.Sentence(template, {"agent": naming.Program(known)})


def play_on(
    offer: offers.Offer,
    state: GameState,
    seats: Sequence[storage.Seat],
    seed_of: Callable[[int], int],
    number: int,
    most: int,
) -> Played:
    """Let agents decide until a person has to decide, the game is over, or the table's turn is over.

    Every agent is reset before each decision with a seed that follows from the game's seed, the seat and the number of
    the decision. Its decisions therefore do not depend on restarts or on other tables.

    Args:
        offer: the game.
        state: a state at a decision; it is changed.
        seats: who sits where.
        seed_of: the game's seed at a decision, by the number of decisions before it.
        number: number of decisions before this one.
        most: largest number of decisions to play.
    """
    played = Played([], [], None)
    begin = time.monotonic()
    while not state.is_over and len(played.decisions) < most:
        seat, made = state.seat, number + len(played.decisions)
        if seats[seat].kind != storage.AGENT or time.monotonic() - begin > SECONDS_OF_A_TURN:
            break
        name = seats[seat].name
        if not may_play(offer, name):
            return played._replace(fault=told_of_agent(offer, "{agent} cannot play on this server any more", name))
        try:
            agent = agent_of(offer, name)
            agent.reset(int(random_words(seed_of(made), AGENT_STREAM, seat, made)[0]))
            text = offer.game.action_text(state.check(agent.act(state.view())))
        except IllegalActionError:
            _LOG.exception("%s: an illegal action", name)
            return played._replace(fault=told_of_agent(offer, "{agent} chose an action that the rules forbid", name))
        except Exception:
            _LOG.exception("%s: failed", name)
            return played._replace(fault=told_of_agent(offer, "{agent} has failed", name))
        state.apply(text, seed_of(made))
        played.decisions.append(storage.Decision(seat, text))
        played.states.append(state.to_bytes())
    return played
