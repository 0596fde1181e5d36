"""A worker's part of a tournament: a chunk of games of one table is played and comes back as records.

Agents of the project (`is_guarded` is false) decide for all games of a chunk at once in the worker's own process. Their
choices are named by their seed, the game's seed and the decision, so it does not matter which games are played side by
side; they are reset once, with a seed that the run's seed and the entrant's number name. An agent of the user may
remember what it likes: it plays one game after another in a process of its own, and before each game it is reset with a
seed that the game's seed and the entrant's number name. Either way a game is the same whoever plays it and when.

An agent of the user that does something wrong loses the game (`Fault`). Its seat is played on at random, so that the
others' game goes to its end. A fault of an agent of the project is the project's: it stops the run.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from dunaia_env.arena.guard import AgentError, Guard, introduction, one_line
from dunaia_env.arena.records import Entrant, Fault, Game
from dunaia_env.harness import opponents
from dunaia_env.harness.compiled.chance import AGENT, random_words
from dunaia_env.harness.game import Game as PlayedGame
from dunaia_env.harness.lanes import Lanes
from dunaia_env.harness.opponents import Agent
from dunaia_env.harness.registry import find_game
from dunaia_env.harness.state import IllegalActionError

# An entrant with so many faults in a chunk loses the rest of it unasked: an agent that never answers would otherwise
# cost its time limit in every game.
MOST_FAULTS = 3
# Nobody's seed: with it and the game's seed the choices for a seat are named whose agent did something wrong.
_SUBSTITUTE_SEED = 0
_NOBODY = -1


class Valuer(Protocol):
    """Estimates what chance gave to each seat.

    Attributes:
        name: what the estimates come from; the run notes it.
    """

    name: str

    def luck(self, lanes: Lanes, actions: NDArray[np.int32], selected: NDArray[np.int64]) -> NDArray[np.float64]:
        """The luck of the step that is about to be made, called just before it.

        Args:
            lanes: of which the games are; not to be changed.
            actions: int32 ``(len(selected),)``: what is about to be played in the selected lanes.
            selected: int64: the lanes whose games go on.

        Returns:
            float64 ``(len(selected), num_players)``, in win shares.
        """
        ...


@dataclass(frozen=True)
class Conditions:
    """What all games of a run have in common.

    Attributes:
        entrants: the agents, by number.
        game: name of the game.
        options: of the game, but for the number of players.
        seed: of the run.
        components: of the games.
        time_limit: seconds an agent of the user may think about one decision, or take to begin a game.
        load_valuer: makes the valuer of a worker for the game; None if luck is not measured.
    """

    entrants: tuple[Entrant, ...]
    game: str
    options: dict[str, Any]
    seed: int
    components: Any
    time_limit: float
    load_valuer: Callable[[PlayedGame], Valuer] | None = None


@dataclass(frozen=True)
class Place:
    """A game to be played: its block, seat order and seed, and the entrant in each seat."""

    block: int
    order: int
    seed: int
    seating: tuple[int, ...]


@dataclass(frozen=True)
class Chunk:
    """Games of one table that a worker plays together."""

    table: int
    places: tuple[Place, ...]


@dataclass
class Answers:
    """What a decider says about some lanes.

    Attributes:
        actions: int32, one for each lane that was asked about; meaningless where there is a failure.
        seconds: thinking time, of all of them together.
        failures: what went wrong, by index.
    """

    actions: NDArray[np.int32]
    seconds: float
    failures: dict[int, AgentError] = field(default_factory=dict)


def is_guarded(label: str) -> bool:
    """Whether an agent is the user's own (``package.module:Attribute``) and so plays in a process of its own."""
    own = {name.partition(":")[0] for name in opponents.names()}
    return ":" in label and not opponents.model_file(label) and label.partition(":")[0] not in own


class Trusted:
    """Decides with an agent of the project, in this process.

    Args:
        agent: that decides.
        seed: of its own, with which it begins before its first decision.
    """

    def __init__(self, agent: Agent, seed: int) -> None:
        self._agent = agent
        self._seed = seed
        self._has_begun = False

    def decide(self, lanes: Lanes, selected: NDArray[np.int64]) -> Answers:
        """Ask about all lanes in one call.

        What the agent raises is raised here; an answer that is not one legal action for each lane is a `RuntimeError`.
        """
        begin = time.perf_counter()
        if not self._has_begun:
            self._agent.reset(self._seed)
            self._has_begun = True
        given = self._agent.act_batch(lanes, selected)
        seconds = time.perf_counter() - begin
        actions = np.asarray(given)
        if actions.shape != selected.shape or actions.dtype.kind not in "iu":
            found = f"{actions.dtype} of shape {actions.shape}"
            raise RuntimeError(f"agent {self._agent.name!r}: {found}; {len(selected)} actions are needed")
        # Numbers outside the table become -1, which is not legal.
        known = (actions >= 0) & (actions < lanes.num_actions)
        checked = np.where(known, actions, -1).astype(np.int32)
        illegal = np.flatnonzero(~known | (lanes.action_masks[selected, checked] == 0))
        if len(illegal):
            fault = _illegal(lanes, int(selected[illegal[0]]), int(actions[illegal[0]]))
            raise RuntimeError(f"agent {self._agent.name!r}: {fault.detail}")
        return Answers(checked, seconds)

    def close(self) -> None:
        """Nothing to be ended: the agent stays loaded."""


class Guarded:
    """Decides with an agent of the user in its `Guard`, for one game at a time. A fault ends the agent's process.

    Args:
        entrant: the agent.
        number: its number in the run.
        conditions: of the run.
    """

    def __init__(self, entrant: Entrant, number: int, conditions: Conditions) -> None:
        self._label, self._number = entrant.label, number
        self._conditions = conditions
        self._guard: Guard | None = None
        self._seed: int | None = None
        self._faults = 0
        self._last: AgentError | None = None

    def decide(self, lanes: Lanes, selected: NDArray[np.int64]) -> Answers:
        """Ask about one lane, in a game that it has begun or in a new one."""
        (lane,) = selected.tolist()
        answers = Answers(np.zeros(1, np.int32), 0.0)
        try:
            action, answers.seconds = self._ask(lanes, lane)
            if not (0 <= action < lanes.num_actions and lanes.action_masks[lane, action]):
                raise _illegal(lanes, lane, action)
            answers.actions[0] = action
        except AgentError as error:
            answers.failures[0] = error
            if self._faults < MOST_FAULTS:
                self._faults += 1
                self._last = error
            self.close()
        return answers

    def _ask(self, lanes: Lanes, lane: int) -> tuple[int, float]:
        if self._faults >= MOST_FAULTS and self._last is not None:
            detail = f"not asked after {MOST_FAULTS} faults among these games; the last one: {self._last.detail}"
            raise AgentError(self._last.kind, one_line(detail))
        if self._guard is None:
            self._guard = Guard(
                self._label,
                game=lanes.game,
                components=lanes.components,
                time_limit=self._conditions.time_limit,
            )
        seed = int(lanes.game_seeds[lane])
        if self._seed != seed:
            self._guard.reset(guarded_seed(seed, self._number))
            self._seed = seed
        view = lanes.get_state(lane).view().to_bytes()
        begin = time.perf_counter()
        action = self._guard.act(view)
        return action, time.perf_counter() - begin

    def begin_game(self) -> None:
        """The next decision is one of another game."""
        self._seed = None

    def close(self) -> None:
        """End the agent's process."""
        if self._guard is not None:
            self._guard.close()
        self._guard = self._seed = None


def guarded_seed(game_seed: int, entrant: int) -> int:
    """The seed (0..2**32-1) of an agent of the user for a game."""
    return int(random_words(game_seed, AGENT, entrant, 0)[0])


def trusted_seed(seed: int, entrant: int) -> int:
    """The seed (0..2**32-1) of an agent of the project for a run."""
    return (seed + entrant) % 2**32


def _illegal(lanes: Lanes, lane: int, action: int) -> AgentError:
    try:
        lanes.get_state(lane).check(action)
    except IllegalActionError as error:
        return AgentError("illegal", one_line(str(error)))
    return AgentError("illegal", f"action {action} is not legal")


Decider = Trusted | Guarded


@dataclass
class _Account:
    """What is noted while games are played side by side; arrays ``(games, players)``."""

    decisions: NDArray[np.int64]
    seconds: NDArray[np.float64]
    luck: NDArray[np.float64]
    faulty: NDArray[np.bool_]
    faults: list[list[Fault]]
    lanes: list[NDArray[np.int64]] = field(default_factory=list)
    actions: list[NDArray[np.int32]] = field(default_factory=list)

    @classmethod
    def empty(cls, games: int, players: int) -> _Account:
        shape = games, players
        return cls(
            np.zeros(shape, np.int64),
            np.zeros(shape),
            np.zeros(shape),
            np.zeros(shape, bool),
            [[] for _ in range(games)],
        )

    def actions_of_games(self) -> list[list[int]]:
        """The actions of each game, in their order."""
        lanes, actions = np.concatenate(self.lanes), np.concatenate(self.actions)
        by_game = actions[np.argsort(lanes, kind="stable")]
        counts = np.bincount(lanes, minlength=len(self.faults))
        return [part.tolist() for part in np.split(by_game, np.cumsum(counts)[:-1])]


def play_games(
    lanes: Lanes,
    places: Sequence[Place],
    deciders: dict[int, Decider],
    *,
    table: int = 0,
    valuer: Valuer | None = None,
) -> list[Game]:
    """Play a game in each lane, from its beginning to its end.

    Args:
        lanes: as many as there are places, without ``autoreset``.
        places: the games.
        deciders: of the entrants that sit there, by number.
        table: number of their table.
        valuer: estimates luck; zeros without one.
    """
    lanes.reset([place.seed for place in places])
    seating = np.array([place.seating for place in places])
    account = _Account.empty(*seating.shape)
    while len(active := np.flatnonzero(lanes.seats >= 0)):
        seats = lanes.seats[active].astype(np.int64)
        entrants = np.where(account.faulty[active, seats], _NOBODY, seating[active, seats])
        actions = np.zeros(len(active), np.int32)
        for entrant in np.unique(entrants).tolist():
            asked = np.flatnonzero(entrants == entrant)
            if entrant == _NOBODY:
                actions[asked] = lanes.random_actions(_SUBSTITUTE_SEED, active[asked])
                continue
            answers = deciders[entrant].decide(lanes, active[asked])
            actions[asked] = answers.actions
            account.seconds[active[asked], seats[asked]] += answers.seconds / len(asked)
            for index, failure in answers.failures.items():
                one = asked[index]
                lane, seat = int(active[one]), int(seats[one])
                account.faulty[lane, seat] = True
                fault = Fault(seat, int(lanes.decisions[lane]), failure.kind, failure.detail)
                account.faults[lane].append(fault)
                actions[one] = lanes.random_actions(_SUBSTITUTE_SEED, active[[one]])[0]
        account.decisions[active, seats] += 1
        account.lanes.append(active)
        account.actions.append(actions)
        if valuer is not None:
            account.luck[active] += valuer.luck(lanes, actions, active)
        lanes.step(actions, active)
    return _records(lanes, places, account, table)


def _records(lanes: Lanes, places: Sequence[Place], account: _Account, table: int) -> list[Game]:
    players = account.faulty.shape[1]
    actions = account.actions_of_games()
    return [
        Game(
            table=table,
            block=place.block,
            order=place.order,
            seed=place.seed,
            seating=place.seating,
            scores=tuple(lanes.final_scores[lane, :players].tolist()),
            ranks=ranks_with_faults(lanes.final_ranks[lane, :players].tolist(), account.faulty[lane].tolist()),
            rounds=int(lanes.final_rounds[lane]),
            stopped=bool(lanes.max_rounds_reached[lane]),
            decisions=tuple(account.decisions[lane].tolist()),
            seconds=tuple(account.seconds[lane].tolist()),
            luck=tuple(account.luck[lane].tolist()),
            faults=tuple(account.faults[lane]),
            actions=tuple(actions[lane]),
        )
        for lane, place in enumerate(places)
    ]


def ranks_with_faults(ranks: Sequence[int], faulty: Sequence[bool]) -> tuple[int, ...]:
    """Ranks from 1 with the faulty seats behind all others, where they share the last place."""
    good = [rank for rank, fault in zip(ranks, faulty, strict=True) if not fault]
    return tuple(
        1 + (len(good) if fault else sum(other < rank for other in good))
        for rank, fault in zip(ranks, faulty, strict=True)
    )


# An agent is loaded once in each worker; threads do not share theirs, since an agent may keep what it calculates with.
_loaded = threading.local()


def _agent_of(entrant: Entrant, conditions: Conditions) -> Agent:
    agents: dict[tuple[Entrant, str, str], Agent] = _loaded.__dict__.setdefault("agents", {})
    key = entrant, conditions.game, conditions.components.hash
    if key not in agents:
        game = find_game(conditions.game)
        agent = opponents.load(entrant.label, game=game, components=conditions.components)
        name, version = introduction(agent)
        if (name, version) != (entrant.name, entrant.version):
            found, asked = f"{name} {version}", f"{entrant.name} {entrant.version}"
            raise RuntimeError(f"agent {entrant.label!r}: a worker found {found}; {asked} is needed")
        agents[key] = agent
    return agents[key]


def _valuer_of(conditions: Conditions) -> Valuer | None:
    if conditions.load_valuer is None:
        return None
    valuers: dict[tuple[Any, str], Valuer] = _loaded.__dict__.setdefault("valuers", {})
    key = conditions.load_valuer, conditions.game
    if key not in valuers:
        valuers[key] = conditions.load_valuer(find_game(conditions.game))
    return valuers[key]


def make_decider(number: int, conditions: Conditions) -> Decider:
    """Who decides for an entrant; to be closed in the end."""
    entrant = conditions.entrants[number]
    if is_guarded(entrant.label):
        return Guarded(entrant, number, conditions)
    return Trusted(_agent_of(entrant, conditions), trusted_seed(conditions.seed, number))


def make_lanes(count: int, players: int, conditions: Conditions) -> Lanes:
    """Lanes for games of a run."""
    return Lanes(
        count,
        game=find_game(conditions.game),
        num_players=players,
        components=conditions.components,
        autoreset=False,
        **conditions.options,
    )


def play_chunk(conditions: Conditions, chunk: Chunk) -> list[Game]:
    """Play the games of a chunk: all at once, or one by one where an agent of the user sits at the table."""
    players = len(chunk.places[0].seating)
    numbers = sorted(set(chunk.places[0].seating))
    valuer = _valuer_of(conditions)
    with ExitStack() as stack:
        deciders = {number: stack.enter_context(closing(make_decider(number, conditions))) for number in numbers}
        guarded = [decider for decider in deciders.values() if isinstance(decider, Guarded)]
        if not guarded:
            lanes = make_lanes(len(chunk.places), players, conditions)
            return play_games(lanes, chunk.places, deciders, table=chunk.table, valuer=valuer)
        lanes = make_lanes(1, players, conditions)
        games = []
        for place in chunk.places:
            for decider in guarded:
                decider.begin_game()
            games += play_games(lanes, [place], deciders, table=chunk.table, valuer=valuer)
        return games
