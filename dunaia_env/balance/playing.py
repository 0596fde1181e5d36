"""Plays blocks of a condition, many games at a time, and records what happened in them."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dunaia_env.balance.design import Condition, Exchange, Forbidden, Lineup, RoleExchange, games_in_block, lineups
from dunaia_env.balance.games import CURVE_ROUNDS, Games
from dunaia_env.harness import opponents, registry, seeds
from dunaia_env.harness.events import NO_EVENT, Events
from dunaia_env.harness.game import Game
from dunaia_env.harness.lanes import Lanes
from dunaia_env.harness.opponents import Agent
from dunaia_env.harness.options import NUM_PLAYERS
from dunaia_env.harness.roles import NOBODY, Roles
from dunaia_env.harness.state import GameState, prepare
from dunaia_env.statistics.workers import play_all, progress

Bytes = NDArray[np.uint8]

# A worker plays about this many games together.
GAMES_AT_ONCE = 512
# Seed with which every agent of a study is reset; its random choices depend on the game's seed too.
AGENT_SEED = 0
# Key of the agent that plays for all roles without an agent of their own.
_ANY = NOBODY - 1
_NO_EVENTS = Events((), lambda states, components, actions: np.full(len(states), NO_EVENT, np.int8), lambda s, a, b: s)


@dataclass(frozen=True)
class Work:
    """Blocks of a condition for a worker.

    Attributes:
        game: name of the game.
        condition: the condition.
        components: its components, loaded.
        seed: the study's seed, from which the game seed of each block follows.
        first, last: the blocks ``first`` to ``last - 1``.
        seeding: how game seeds follow from the seed, see `dunaia_env.harness.seeds`.
    """

    game: str
    condition: Condition
    components: Any
    seed: int
    first: int
    last: int
    seeding: seeds.Seeding = seeds.HASHED


class Chunk(NamedTuple):
    """Some blocks of the work with a number, their games, and the time that playing them took, in seconds."""

    number: int
    work: Work
    games: Games
    seconds: float


def play_works(
    game: Game, works: Sequence[Work], *, jobs: int, backend: str, title: str, done: int = 0
) -> Iterator[Chunk]:
    """Play works in chunks of whole blocks with about `GAMES_AT_ONCE` games; yields each chunk as it is finished.

    No result depends on the chunks or on the number of workers.

    Args:
        game: the game of all works.
        works: what is played.
        jobs: number of workers; 0 for one on each core.
        backend: joblib backend of the workers.
        title: title of the progress bar.
        done: number of games that were played before; they count as progress.

    Raises the first exception of a worker.
    """
    prepare(game)
    roles = len(game.require("roles").names)
    total = done + sum((work.last - work.first) * games_in_block(work.condition, roles) for work in works)
    parts = [(number, part) for number, work in enumerate(works) for part in chunks(work, roles)]
    with progress(title, total, done) as advance:
        for chunk in play_all(_play_timed, parts, jobs=jobs, backend=backend):
            yield chunk
            advance(len(chunk.games))


def _play_timed(part: tuple[int, Work]) -> Chunk:
    number, work = part
    begin = time.perf_counter()
    games = play(work)
    return Chunk(number, work, games, time.perf_counter() - begin)


def chunks(work: Work, roles: int) -> Iterator[Work]:
    """Split work into parts of whole blocks with about `GAMES_AT_ONCE` games each, in a game with ``roles`` roles."""
    size = max(1, GAMES_AT_ONCE // games_in_block(work.condition, roles))
    for first in range(work.first, work.last, size):
        yield replace(work, first=first, last=min(first + size, work.last))


# Each worker keeps the agents that it used last. Threads do not share agents, because an agent may reuse its buffers.
_loaded = threading.local()
_KEPT = 8  # a study of many component files needs as many agents, each of which takes some 20 MB


def load_agent(label: str, game: Game, components: Any) -> Agent:
    """The agent with a name, loaded if this thread has not used it lately.

    Studies play many games at a time and store no decisions, so a network is computed by differences.

    Raises `ValueError` for an unknown name.
    """
    agents: dict[tuple[str, str, str], Agent] = _loaded.__dict__.setdefault("agents", {})
    key = label, game.name, components.hash
    if (found := agents.pop(key, None)) is None:
        found = opponents.load(label, game=game, components=components)
        if by_differences := getattr(found, "by_differences", None):
            found = by_differences()
    agents[key] = found
    if len(agents) > _KEPT:
        del agents[next(iter(agents))]
    return found


def game_options(condition: Condition, lineup: Lineup, roles: Roles) -> dict[str, Any]:
    """The options of a game of a condition, including the number of players."""
    if condition.kind == "drafted":
        chosen = dict(roles.drafted)
    elif condition.kind == "absent":
        chosen = dict(roles.absent)
    else:
        chosen = roles.assigned(lineup.roles)
    return {NUM_PLAYERS: condition.players, **condition.options, **chosen}


def game_of(condition: Condition, game: Game) -> Game:
    """The game that a condition plays: the game itself, or the one with assigned roles."""
    assigned = condition.kind in ("assigned", "powerless")
    return registry.find_game(game.require("roles").assigned_game) if assigned else game


def play(work: Work) -> Games:
    """Play blocks of a condition."""
    game, condition = registry.find_game(work.game), work.condition
    roles = game.require("roles")
    scheduled = [
        (block, lineup)
        for block in range(work.first, work.last)
        for lineup in lineups(condition, block, len(roles.names))
    ]
    options = [game_options(condition, lineup, roles) for _, lineup in scheduled]
    dealt: dict[str, Any] = {name: [option[name] for option in options] for name in options[0]}
    lanes = Lanes(
        len(scheduled),
        game=game_of(condition, game),
        components=work.components,
        autoreset=False,
        **dealt,
    )
    lanes.reset([seeds.block_seed(work.seed, block, work.seeding) for block, _ in scheduled])
    recorder = _Recorder(lanes, roles, game.events or _NO_EVENTS, work.components, condition)
    agents = _Agents(condition, lanes, work.components)
    while len(active := np.flatnonzero(lanes.seats >= 0)):
        recorder.read_positions(active)
        for exchange in condition.exchanges:
            _exchange(lanes, recorder, exchange, active)
        for forbidden in condition.forbidden:
            _forbid(lanes, recorder, forbidden, active)
        actions = agents.decide(active, recorder.roles)
        recorder.record(active, actions)
        lanes.step(actions, active)
    return recorder.games(scheduled)


class _Agents:
    """The agents of a condition."""

    def __init__(self, condition: Condition, lanes: Lanes, components: Any) -> None:
        self._lanes = lanes
        self._agents = {
            role: load_agent(label, lanes.game, components)
            for role, label in {_ANY: condition.agent, **condition.role_agents}.items()
        }
        for agent in {id(agent): agent for agent in self._agents.values()}.values():
            agent.reset(AGENT_SEED)

    def decide(self, active: NDArray[np.int64], roles: NDArray[np.int8]) -> NDArray[np.int32]:
        """The actions of the active lanes, int32; ``roles``, ``(N, seats)``, are the roles in all lanes."""
        deciding = roles[active, self._lanes.seats[active]]
        special = [role for role in self._agents if role != _ANY]
        chosen = np.where(np.isin(deciding, special), deciding, _ANY)
        actions = np.zeros(len(active), np.int32)
        for role in np.unique(chosen).tolist():
            rows = np.flatnonzero(chosen == role)
            actions[rows] = self._agents[role].act_batch(self._lanes, active[rows])
        return actions


class _Recorder:
    """Records games while they are played."""

    def __init__(self, lanes: Lanes, roles: Roles, events: Events, components: Any, condition: Condition) -> None:
        self.lanes, self.events, self.components = lanes, events, components
        self._roles_of = roles
        self._role_bytes: NDArray[np.int64] | None = None
        count, seats = lanes.num_lanes, condition.players
        self._seats = seats
        self.roles = np.full((count, seats), NOBODY, np.int8)
        self.rounds = np.zeros(count, np.int32)
        self.new_round = np.zeros(count, np.bool_)
        self._curve = np.full((count, CURVE_ROUNDS, seats), -1, np.int16)
        self._uses = np.zeros((count, seats), np.int16)
        self._offered = np.zeros((count, seats), np.uint16)
        self._events = np.zeros((count, seats, len(events.names)), np.int16)
        self._first_round = np.zeros((count, seats, len(events.names)), np.int16)
        self._first_seat = np.full((count, len(events.names)), NOBODY, np.int8)

    def read_positions(self, active: NDArray[np.int64]) -> None:
        """Read rounds, scores and roles of the active lanes."""
        scores, rounds = self.lanes.standings(active)
        self.new_round[active] = rounds > self.rounds[active]
        self.rounds[active] = rounds
        begun = self.new_round[active] & (rounds <= CURVE_ROUNDS)
        self._curve[active[begun], rounds[begun] - 1] = scores[begun, : self._seats]
        if (self.roles[active] == NOBODY).any():
            self.roles[active] = self._roles_of.held(self.lanes.states[active])[:, : self._seats]

    def role_bytes(self, state: Bytes) -> NDArray[np.int64]:
        """The indices of those bytes of the game's states that say which seat has which role."""
        if self._role_bytes is None:
            self._role_bytes = find_role_bytes(self._roles_of.held, state)
        return self._role_bytes

    def record(self, active: NDArray[np.int64], actions: NDArray[np.int32]) -> None:
        """Record the actions that the deciding seats of the active lanes are about to play."""
        states, seats = self.lanes.states[active], self.lanes.seats[active].astype(np.int64)
        used = self._roles_of.uses_power(states, self.components, actions)
        self._uses[active[used], seats[used]] += 1
        offered = self._roles_of.offered(states)
        sets = (offered.astype(np.uint16) << np.arange(offered.shape[1], dtype=np.uint16)).sum(axis=1)
        choosing = sets > 0
        self._offered[active[choosing], seats[choosing]] = sets[choosing]
        events = self.events.of(states, self.components, actions)
        caused = events != NO_EVENT
        where = active[caused], seats[caused], events[caused]
        self._events[where] += 1
        first = self._first_round[where] == 0
        self._first_round[where] = np.where(first, self.rounds[active[caused]], self._first_round[where])
        lane, _, event = where
        self._first_seat[lane, event] = np.where(
            self._first_seat[lane, event] == NOBODY, seats[caused], self._first_seat[lane, event]
        )

    def games(self, scheduled: Sequence[tuple[int, Lineup]]) -> Games:
        """The finished games."""
        lanes, seats = self.lanes, self._seats
        final = lanes.final_scores[:, :seats]
        # A round without a choice has the scores of the next round; a round that was not reached has the final scores.
        curve, following = self._curve.copy(), final.astype(np.int16)
        for number in reversed(range(CURVE_ROUNDS)):
            unseen = curve[:, number, :1] < 0
            following = np.where(unseen, following, curve[:, number])
            curve[:, number] = following
        return Games(
            block=np.array([block for block, _ in scheduled], np.int32),
            order=np.array([lineup.order for _, lineup in scheduled], np.int16),
            roles=self.roles,
            ranks=lanes.final_ranks[:, :seats].copy(),
            scores=final.copy(),
            rounds=lanes.final_rounds.copy(),
            stopped=lanes.max_rounds_reached.copy(),
            decisions=lanes.final_decisions.copy(),
            curve=curve,
            uses=self._uses,
            offered=self._offered,
            events=self._events,
            first_round=self._first_round,
            first_seat=self._first_seat,
        )


def _exchange(lanes: Lanes, recorder: _Recorder, exchange: Exchange | RoleExchange, active: NDArray[np.int64]) -> None:
    """Exchange two seats in those active lanes in which the round of the exchange has just begun."""
    seats = recorder.roles.shape[1]
    for lane in active[recorder.new_round[active] & (recorder.rounds[active] == exchange.round)].tolist():
        before = lanes.states[lane].copy()
        if isinstance(exchange, Exchange):
            one, other = exchange.seats
            recorder.roles[lane, [one, other]] = recorder.roles[lane, [other, one]]
            state = recorder.events.exchange(before, one, other)
        else:
            holders = np.flatnonzero(recorder.roles[lane] == exchange.role)
            if not len(holders):
                continue
            one = int(holders[0])
            state = recorder.events.exchange(before, one, (one + exchange.distance) % seats)
            places = recorder.role_bytes(before)
            state[places] = before[places]
        lanes.set_state(lane, GameState(state, game=lanes.game, components=lanes.components_of(lane)))


def find_role_bytes(held: Callable[[Bytes], NDArray[np.int8]], state: Bytes) -> NDArray[np.int64]:
    """The indices of those bytes of a state that say which seat has which role.

    They are found by changing one byte at a time, so that no game has to name them.

    Args:
        held: see `dunaia_env.harness.roles.Roles`.
        state: uint8 ``(state_size,)``.
    """
    changed = np.repeat(state[None], len(state), axis=0)
    places = np.arange(len(state))
    changed[places, places] ^= 1
    return np.flatnonzero((held(changed) != held(state[None])).any(axis=1))


def _forbid(lanes: Lanes, recorder: _Recorder, forbidden: Forbidden, active: NDArray[np.int64]) -> None:
    """Exclude the actions of a forbidden event for the seats that may not cause it in the present round."""
    first, last = forbidden.rounds
    rounds = recorder.rounds[active]
    seats = lanes.seats[active]
    if forbidden.role == NOBODY:
        meant = np.isin(seats, forbidden.seats)
    else:
        meant = recorder.roles[active, seats] == forbidden.role
    rows = active[meant & (rounds >= first) & (rounds <= last)]
    places, actions = np.nonzero(lanes.action_masks[rows])
    events = recorder.events.of(lanes.states[rows[places]], recorder.components, actions)
    excluded = np.zeros((len(rows), lanes.num_actions), np.bool_)
    excluded[places, actions] = events == forbidden.event
    lanes.restrict(rows, excluded)
