"""The work of a tournament's worker: it plays a chunk of games at one table and returns their records.

Agents of the project (`runs_in_subprocess` is false) decide for all games of a chunk at once in the worker's process.
Their random choices depend on the agent's seed, the game's seed and the number of the decision, so it does not matter
which games are played together; they are reset once. A user agent may keep any state between decisions. It therefore
plays one game after another in a child process, and is reset before each game. `dunaia_env.arena.seeding` says which
seeds agents are reset with.

A user agent that does something wrong loses the game (`Fault`). Random actions are then played for its seat, so that
the game reaches its end for the other players. A fault of an agent of the project is a bug of the project and stops the
run.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dunaia_env.arena.records import Entrant, Fault, Game
from dunaia_env.arena.subprocess_agent import AgentError, SubprocessAgent, name_and_version, one_line
from dunaia_env.harness import opponents, registry, state
from dunaia_env.harness.game import Game as PlayedGame
from dunaia_env.harness.lanes import Lanes
from dunaia_env.harness.opponents import Agent

# An entrant with this many faults in a chunk loses the chunk's other games without being asked: otherwise an agent that
# never answers would cost its time limit in every game.
MOST_FAULTS = 3
# The seed, and the entrant's number, of the random player that replaces an agent after its fault.
_SUBSTITUTE_SEED = 0
_SUBSTITUTE = -1


class Valuer(Protocol):
    """Estimates the luck of each seat.

    Attributes:
        name: the name of the estimates' source, which is stored with the run.
    """

    name: str

    def luck(self, lanes: Lanes, actions: NDArray[np.int32], selected: NDArray[np.int64]) -> NDArray[np.float64]:
        """The luck of the step that is about to be made, called just before it.

        Args:
            lanes: the lanes that hold the games; they must not be changed.
            actions: int32 ``(len(selected),)``: the actions that are about to be played in the selected lanes.
            selected: int64: the lanes whose games are not over.

        Returns:
            float64 ``(len(selected), num_players)``, in win shares.
        """
        ...


@dataclass(frozen=True)
class Conditions:
    """What all games of a run have in common.

    Attributes:
        entrants: the agents, by number.
        game: the name of the game.
        options: the game's options, except the number of players.
        components: the game's components.
        time_limit: seconds that a user agent may take for one decision or for one reset.
        load_valuer: creates a worker's valuer for the game; None if luck is not measured.
        records_agent_seeds: whether the records of the games hold the seeds of their agents.
    """

    entrants: tuple[Entrant, ...]
    game: str
    options: dict[str, Any]
    components: Any
    time_limit: float
    load_valuer: Callable[[PlayedGame], Valuer] | None = None
    records_agent_seeds: bool = False


@dataclass(frozen=True)
class ScheduledGame:
    """A game that is to be played.

    Attributes:
        block: the number of its block.
        order: the number of its seat order in the block.
        seed: the game seed.
        seating: the entrant in each seat.
        agent_seeds: the seed of each seat's agent, 0..2**32-1; seats of the same entrant have the same seed.
    """

    block: int
    order: int
    seed: int
    seating: tuple[int, ...]
    agent_seeds: tuple[int, ...]


@dataclass(frozen=True)
class Chunk:
    """Games of one table that a worker plays together."""

    table: int
    games: tuple[ScheduledGame, ...]


@dataclass
class Decisions:
    """A decider's actions for some lanes.

    Attributes:
        actions: int32 ``(number of lanes,)``; the entry of a lane with an error has no meaning.
        seconds: thinking time for all lanes together.
        errors: what went wrong, by index in ``actions``.
    """

    actions: NDArray[np.int32]
    seconds: float
    errors: dict[int, AgentError] = field(default_factory=dict)


def runs_in_subprocess(label: str) -> bool:
    """Whether an agent is a user agent (``package.module:Attribute``), which plays in a child process."""
    return opponents.imports_module(label)


class InProcessDecider:
    """Decides with an agent of the project in this process.

    Args:
        agent: the agent.
        seed: the agent's seed; the agent is reset with it before its first decision.
    """

    def __init__(self, agent: Agent, seed: int) -> None:
        self._agent = agent
        self._seed = seed
        self._has_begun = False

    def decide(self, lanes: Lanes, selected: NDArray[np.int64]) -> Decisions:
        """Decide for all selected lanes in one call.

        Exceptions of the agent are passed on. Raises `RuntimeError` unless the agent gives one legal action for each
        lane.
        """
        begin = time.perf_counter()
        if not self._has_begun:
            self._agent.reset(self._seed)
            self._has_begun = True
        output = self._agent.act_batch(lanes, selected)
        seconds = time.perf_counter() - begin
        actions = np.asarray(output)
        if actions.shape != selected.shape or actions.dtype.kind not in "iu":
            array = f"{actions.dtype} of shape {actions.shape}"
            raise RuntimeError(f"agent {self._agent.name!r}: expected {len(selected)} actions, got {array}")
        # Numbers out of range become -1, so that they can be used as indices.
        in_range = (actions >= 0) & (actions < lanes.num_actions)
        checked = np.where(in_range, actions, -1).astype(np.int32)
        illegal = np.flatnonzero(~in_range | (lanes.action_masks[selected, checked] == 0))
        if len(illegal):
            error = _illegal_action(lanes, int(selected[illegal[0]]), int(actions[illegal[0]]))
            raise RuntimeError(f"agent {self._agent.name!r}: {error.detail}")
        return Decisions(checked, seconds)

    def close(self) -> None:
        """Do nothing: the agent stays loaded in this process."""


class SubprocessDecider:
    """Decides with a user agent in a child process, for one game at a time. A fault ends the child process.

    Args:
        entrant: the agent.
        conditions: the run's conditions.
        seed: the agent's seed for its first game.
    """

    def __init__(self, entrant: Entrant, conditions: Conditions, seed: int) -> None:
        self._label = entrant.label
        self._conditions = conditions
        self._agent: SubprocessAgent | None = None
        self._seed, self._is_reset = seed, False
        self._faults = 0
        self._last_error: AgentError | None = None

    def decide(self, lanes: Lanes, selected: NDArray[np.int64]) -> Decisions:
        """Decide for the one selected lane; the agent is reset before its first decision in a game."""
        (lane,) = selected.tolist()
        decisions = Decisions(np.zeros(1, np.int32), 0.0)
        try:
            action, decisions.seconds = self._ask(lanes, lane)
            if not (0 <= action < lanes.num_actions and lanes.action_masks[lane, action]):
                raise _illegal_action(lanes, lane, action)
            decisions.actions[0] = action
        except AgentError as error:
            decisions.errors[0] = error
            if self._faults < MOST_FAULTS:
                self._faults += 1
                self._last_error = error
            self.close()
        return decisions

    def _ask(self, lanes: Lanes, lane: int) -> tuple[int, float]:
        if self._faults >= MOST_FAULTS and self._last_error is not None:
            detail = f"not asked after {MOST_FAULTS} faults in these games; the last one: {self._last_error.detail}"
            raise AgentError(self._last_error.kind, one_line(detail))
        if self._agent is None:
            self._agent = SubprocessAgent(
                self._label,
                game=lanes.game,
                components=lanes.components_of(lane),
                time_limit=self._conditions.time_limit,
            )
        if not self._is_reset:
            self._agent.reset(self._seed)
            self._is_reset = True
        view = lanes.get_state(lane).view().to_bytes()
        begin = time.perf_counter()
        action = self._agent.act(view)
        return action, time.perf_counter() - begin

    def begin_game(self, seed: int) -> None:
        """Announce that the next decision belongs to another game, and the agent's seed for that game."""
        self._seed, self._is_reset = seed, False

    def close(self) -> None:
        """End the agent's process."""
        if self._agent is not None:
            self._agent.close()
        self._agent = None
        self._is_reset = False


def _illegal_action(lanes: Lanes, lane: int, action: int) -> AgentError:
    """The error for an illegal action, with the reason why it is illegal where the rules give one."""
    try:
        lanes.get_state(lane).check(action)
    except state.IllegalActionError as error:
        return AgentError("illegal", one_line(str(error)))
    return AgentError("illegal", f"action {action} is not legal")


Decider = InProcessDecider | SubprocessDecider


@dataclass
class _GameLog:
    """What is recorded while games are played together.

    Attributes:
        decisions: int64 ``(games, players)``, number of decisions of each seat.
        seconds: float64 ``(games, players)``, thinking time of each seat.
        luck: float64 ``(games, players)``, in win shares.
        faulty: bool ``(games, players)``, whether the seat's agent did something wrong.
        faults: the faults of each game.
        lanes: the lanes of each step.
        actions: the actions of each step, one for each of its lanes.
    """

    decisions: NDArray[np.int64]
    seconds: NDArray[np.float64]
    luck: NDArray[np.float64]
    faulty: NDArray[np.bool_]
    faults: list[list[Fault]]
    lanes: list[NDArray[np.int64]] = field(default_factory=list)
    actions: list[NDArray[np.int32]] = field(default_factory=list)

    @classmethod
    def empty(cls, games: int, players: int) -> _GameLog:
        shape = games, players
        return cls(
            np.zeros(shape, np.int64),
            np.zeros(shape),
            np.zeros(shape),
            np.zeros(shape, bool),
            [[] for _ in range(games)],
        )

    def actions_of_games(self) -> list[list[int]]:
        """The actions of each game, in the order in which they were played."""
        lanes, actions = np.concatenate(self.lanes), np.concatenate(self.actions)
        by_game = actions[np.argsort(lanes, kind="stable")]
        counts = np.bincount(lanes, minlength=len(self.faults))
        return [own.tolist() for own in np.split(by_game, np.cumsum(counts)[:-1])]


def play_games(
    lanes: Lanes,
    games: Sequence[ScheduledGame],
    deciders: dict[int, Decider],
    *,
    table: int = 0,
    valuer: Valuer | None = None,
    records_agent_seeds: bool = False,
) -> list[Game]:
    """Play a game in each lane, from its beginning to its end.

    Args:
        lanes: one lane for each game, without ``autoreset``.
        games: the games.
        deciders: the deciders of the entrants at the table, by the entrant's number.
        table: the table's number.
        valuer: estimates luck; without one, luck is recorded as 0.
        records_agent_seeds: whether the records hold the agents' seeds.
    """
    lanes.reset([game.seed for game in games])
    seating = np.array([game.seating for game in games])
    log = _GameLog.empty(*seating.shape)
    while len(active := np.flatnonzero(lanes.seats >= 0)):
        seats = lanes.seats[active].astype(np.int64)
        entrants = np.where(log.faulty[active, seats], _SUBSTITUTE, seating[active, seats])
        actions = np.zeros(len(active), np.int32)
        for entrant in np.unique(entrants).tolist():
            rows = np.flatnonzero(entrants == entrant)
            if entrant == _SUBSTITUTE:
                actions[rows] = lanes.random_actions(_SUBSTITUTE_SEED, active[rows])
                continue
            decisions = deciders[entrant].decide(lanes, active[rows])
            actions[rows] = decisions.actions
            log.seconds[active[rows], seats[rows]] += decisions.seconds / len(rows)
            for index, error in decisions.errors.items():
                row = rows[index]
                lane, seat = int(active[row]), int(seats[row])
                log.faulty[lane, seat] = True
                fault = Fault(seat, int(lanes.decisions[lane]), error.kind, error.detail)
                log.faults[lane].append(fault)
                actions[row] = lanes.random_actions(_SUBSTITUTE_SEED, active[[row]])[0]
        log.decisions[active, seats] += 1
        log.lanes.append(active)
        log.actions.append(actions)
        if valuer is not None:
            log.luck[active] += valuer.luck(lanes, actions, active)
        lanes.step(actions, active)
    return _records(lanes, games, log, table, records_agent_seeds=records_agent_seeds)


def _records(
    lanes: Lanes, games: Sequence[ScheduledGame], log: _GameLog, table: int, *, records_agent_seeds: bool
) -> list[Game]:
    players = log.faulty.shape[1]
    actions = log.actions_of_games()
    return [
        Game(
            table=table,
            block=game.block,
            order=game.order,
            seed=game.seed,
            seating=game.seating,
            scores=tuple(lanes.final_scores[lane, :players].tolist()),
            ranks=ranks_with_faults(lanes.final_ranks[lane, :players].tolist(), log.faulty[lane].tolist()),
            rounds=int(lanes.final_rounds[lane]),
            stopped=bool(lanes.max_rounds_reached[lane]),
            decisions=tuple(log.decisions[lane].tolist()),
            seconds=tuple(log.seconds[lane].tolist()),
            luck=tuple(log.luck[lane].tolist()),
            faults=tuple(log.faults[lane]),
            actions=tuple(actions[lane]),
            agent_seeds=game.agent_seeds if records_agent_seeds else (),
        )
        for lane, game in enumerate(games)
    ]


def ranks_with_faults(ranks: Sequence[int], faulty: Sequence[bool]) -> tuple[int, ...]:
    """Ranks from 1, with the faulty seats behind all others, where they share one rank."""
    faultless = [rank for rank, fault in zip(ranks, faulty, strict=True) if not fault]
    return tuple(
        1 + (len(faultless) if fault else sum(other < rank for other in faultless))
        for rank, fault in zip(ranks, faulty, strict=True)
    )


# Each worker loads an agent once. Threads do not share agents, because an agent may reuse its buffers.
_loaded = threading.local()


def _agent_of(entrant: Entrant, conditions: Conditions) -> Agent:
    agents: dict[tuple[Entrant, str, str], Agent] = _loaded.__dict__.setdefault("agents", {})
    key = entrant, conditions.game, conditions.components.hash
    if key not in agents:
        game = registry.find_game(conditions.game)
        agent = opponents.load(entrant.label, game=game, components=conditions.components)
        name, version = name_and_version(agent)
        if (name, version) != (entrant.name, entrant.version):
            loaded, needed = f"{name} {version}", f"{entrant.name} {entrant.version}"
            raise RuntimeError(f"agent {entrant.label!r}: expected {needed}, got {loaded} in a worker")
        agents[key] = agent
    return agents[key]


def _valuer_of(conditions: Conditions) -> Valuer | None:
    if conditions.load_valuer is None:
        return None
    valuers: dict[tuple[Any, str], Valuer] = _loaded.__dict__.setdefault("valuers", {})
    key = conditions.load_valuer, conditions.game
    if key not in valuers:
        valuers[key] = conditions.load_valuer(registry.find_game(conditions.game))
    return valuers[key]


def make_decider(number: int, conditions: Conditions, seed: int) -> Decider:
    """The decider of an entrant, with the agent's seed for the first game; the caller closes it."""
    entrant = conditions.entrants[number]
    if runs_in_subprocess(entrant.label):
        return SubprocessDecider(entrant, conditions, seed)
    return InProcessDecider(_agent_of(entrant, conditions), seed)


def make_lanes(count: int, players: int, conditions: Conditions) -> Lanes:
    """Lanes for a number of games of a run."""
    return Lanes(
        count,
        game=registry.find_game(conditions.game),
        num_players=players,
        components=conditions.components,
        autoreset=False,
        **conditions.options,
    )


def play_chunk(conditions: Conditions, chunk: Chunk) -> list[Game]:
    """Play the games of a chunk: all together, or one after another if a user agent sits at the table."""
    players = len(chunk.games[0].seating)
    play = partial(
        play_games,
        table=chunk.table,
        valuer=_valuer_of(conditions),
        records_agent_seeds=conditions.records_agent_seeds,
    )
    with ExitStack() as stack:
        deciders = {
            entrant: stack.enter_context(closing(make_decider(entrant, conditions, seed)))
            for entrant, seed in sorted(_seeds_of_entrants(chunk.games[0]).items())
        }
        user_agents = {
            entrant: decider for entrant, decider in deciders.items() if isinstance(decider, SubprocessDecider)
        }
        if not user_agents:
            return play(make_lanes(len(chunk.games), players, conditions), chunk.games, deciders)
        lanes = make_lanes(1, players, conditions)
        records = []
        for game in chunk.games:
            seeds = _seeds_of_entrants(game)
            for entrant, decider in user_agents.items():
                decider.begin_game(seeds[entrant])
            records += play(lanes, [game], deciders)
        return records


def _seeds_of_entrants(game: ScheduledGame) -> dict[int, int]:
    """The seed of each entrant's agent in a game."""
    return dict(zip(game.seating, game.agent_seeds, strict=True))
