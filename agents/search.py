"""Agents that look ahead by simulation: Monte Carlo tree search and flat Monte Carlo, compiled with the game.

They draw the outcomes of every simulation themselves, and what other players hide, from their own seed and what their
seat knows, so they see nothing of a game's future or of other hands. With a budget of simulations the same seed and
view give the same move, in a batch, on any number of threads or alone.
"""

from __future__ import annotations

import inspect
import math
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dunaia_env.harness.compiled import search as kernels
from dunaia_env.harness.game import Game
from dunaia_env.harness.lanes import Lanes
from dunaia_env.harness.opponents import check_game, load_weights
from dunaia_env.harness.registry import DEFAULT_GAME
from dunaia_env.harness.state import GameState, View, prepare, view_of

PLAYOUTS = ("none", "random", "greedy")
OTHERS = ("search", "greedy")
MOST_SIMULATIONS = 10_000_000
# Simulations between two looks at the clock or at the room that is left.
SLICE = 64

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class SearchResult:
    """What a search found out about a decision with K legal actions at a table of S players.

    Attributes:
        actions: int64 ``(K,)``, the legal actions.
        visits: int64 ``(K,)``, simulations that began with each.
        values: float64 ``(K, S)``, every seat's mean share of the win after each; NaN where there was no visit.
        value: float64 ``(S,)``, the mean over all simulations.
        nodes: size of the tree, 0 where none was grown.
    """

    actions: NDArray[np.int64]
    visits: NDArray[np.int64]
    values: Floats
    value: Floats
    nodes: int

    def ranking(self, seat: int) -> list[int]:
        """Indices of the actions, best first: the most visited, among equals the one with the best value for a seat."""
        values = np.nan_to_num(self.values[:, seat], nan=-1.0)
        return [int(index) for index in np.lexsort((self.actions, -values, -self.visits))]


class SearchingAgent:
    """What agents that search share: they decide by what a search found out, and say so."""

    _seed = 0

    def reset(self, seed: int) -> None:
        """Set the seed of what it imagines."""
        self._seed = seed

    def search(self, view: View | GameState) -> SearchResult:
        """What the agent finds out about a decision from what the deciding seat knows."""
        raise NotImplementedError

    def act(self, view: View | GameState) -> int:
        """The action that the search ranks first."""
        found = self.search(view)
        return int(found.actions[found.ranking(view.seat)[0]])

    def hints(self, view: View | GameState) -> list[tuple[int, str]]:
        """The actions that were tried, best first, each with its part of the visits and its expected win share."""
        found = self.search(view)
        total = int(found.visits.sum())
        rows = [(index, found.visits[index], found.values[index, view.seat]) for index in found.ranking(view.seat)]
        return [
            (int(found.actions[index]), f"{visits / total:.0%} of {total:,} simulations, wins {value:.0%}")
            for index, visits, value in rows
            if visits > 0
        ]

    def win_shares(self, view: View | GameState) -> Floats:
        """Every seat's expected share of the win, float64 ``(num_players,)``, by a search of the decision."""
        return self.search(view).value


class _SimulatingAgent(SearchingAgent):
    """What the simulating agents share: settings, names and batches on threads."""

    name: str
    version = "1"

    def __init__(
        self, kind: str, *, playout: str, cutoff: int | None, threads: int, evaluation: str | None, game: Game
    ) -> None:
        if playout not in PLAYOUTS:
            raise ValueError(f"{kind}: playout = {playout!r}; one of {', '.join(PLAYOUTS)} is needed")
        if cutoff is not None and (playout == "none" or cutoff < 1):
            raise ValueError(
                f"{kind}: cutoff = {cutoff} with playout = {playout}; at least 1, with a play-out, is needed"
            )
        if threads < 1:
            raise ValueError(f"{kind}: threads = {threads}; at least 1 is needed")
        self._settings = np.zeros(kernels.SETTINGS_SIZE)
        self._settings[kernels.PLAYOUT] = kernels.GREEDY_PLAYOUT if playout == "greedy" else kernels.RANDOM_PLAYOUT
        self._settings[kernels.CUTOFF] = 0 if playout == "none" else -1 if cutoff is None else cutoff
        self._kind, self._game = kind, game
        self._weights = load_weights(game, evaluation)
        self._threads = threads
        self.reset(0)

    def _checked(self, view: View | GameState) -> View:
        return searched(self._kind, self._game, view)

    def act_batch(self, lanes: Lanes, selected: NDArray[np.int64]) -> NDArray[np.int32]:
        """The same for each selected lane, on as many threads as the agent was given."""

        def decide(lane: int) -> int:
            return self.act(lanes.get_state(lane).view())

        chosen = [int(lane) for lane in selected]
        if self._threads == 1 or len(chosen) < 2:
            return np.array([decide(lane) for lane in chosen], np.int32)
        with ThreadPoolExecutor(min(self._threads, len(chosen))) as threads:
            return np.array(list(threads.map(decide, chosen)), np.int32)


class MCTSAgent(_SimulatingAgent):
    """Monte Carlo tree search with open-loop chance and a value for each player.

    The search itself is `dunaia_env.harness.compiled.search`.

    Args:
        simulations: budget a decision, 1..10,000,000.
        seconds: budget of time a decision instead; the moves then depend on the machine.
        playout: how a new position is valued: ``none`` by the evaluation, ``random`` or ``greedy`` by playing on.
        cutoff: decisions of a play-out, after which the position is evaluated; to the end for None.
        exploration: weight of the prior against the value.
        prior_temperature: how far the prior trusts the evaluation, in points; 0 for equal priors.
        first_visit: how much less than its parent an action that was not tried yet is taken to be worth.
        others: how the other players' decisions in the tree are made: ``search`` for their own good like one's own, or
            ``greedy`` by the evaluation alone, which leaves more simulations for one's own.
        threads: decisions of a batch that are worked on at once; changes no move.
        evaluation: data file of the evaluation; the game's own for None.
        game: the game to play.

    Raises `ValueError` naming the option and what is allowed.
    """

    version = "2"

    def __init__(
        self,
        simulations: int | None = None,
        *,
        seconds: float | None = None,
        playout: str = "none",
        cutoff: int | None = None,
        exploration: float = 0.1,
        prior_temperature: float = 0.5,
        first_visit: float = 0.0,
        others: str = "search",
        threads: int = 1,
        evaluation: str | None = None,
        game: Game = DEFAULT_GAME,
    ) -> None:
        if (simulations is None) == (seconds is None):
            raise ValueError("mcts: a number of simulations or seconds, one of the two, is needed, as in mcts:1000")
        if simulations is not None and not 1 <= simulations <= MOST_SIMULATIONS:
            raise ValueError(f"mcts: simulations = {simulations}; an integer in 1..{MOST_SIMULATIONS} is needed")
        if seconds is not None and not 0 < seconds < math.inf:
            raise ValueError(f"mcts: seconds = {seconds}; a number above 0 is needed")
        for name, value in (("exploration", exploration), ("prior_temperature", prior_temperature)):
            if not 0 <= value < math.inf:
                raise ValueError(f"mcts: {name} = {value}; a number of at least 0 is needed")
        if others not in OTHERS or (others == "greedy" and prior_temperature == 0):
            raise ValueError(
                f"mcts: others = {others!r}; search, or with a prior_temperature above 0 greedy, is needed"
            )
        if not math.isfinite(first_visit):
            raise ValueError(f"mcts: first_visit = {first_visit}; a number is needed")
        super().__init__("mcts", playout=playout, cutoff=cutoff, threads=threads, evaluation=evaluation, game=game)
        self._settings[kernels.EXPLORATION] = exploration
        self._settings[kernels.PRIOR_TEMPERATURE] = prior_temperature
        self._settings[kernels.FIRST_VISIT] = first_visit
        self._settings[kernels.OTHERS] = kernels.FOLLOW_THE_PRIOR if others == "greedy" else kernels.SEARCH
        self._simulations = MOST_SIMULATIONS if simulations is None else simulations
        self._seconds = seconds
        budget = f"seconds={seconds:g}" if simulations is None else f"{simulations}"
        self.name = written_name(self, f"mcts:{budget}", locals())

    def search(self, view: View | GameState) -> SearchResult:
        """Grow a tree from the decision; see `SearchResult`."""
        view = self._checked(view)
        table = prepare(view.game, evaluation=True)
        deadline = math.inf if self._seconds is None else time.perf_counter() + self._seconds
        position = np.frombuffer(view.to_bytes(), np.uint8).copy()
        name = kernels.search_seed(position, self._seed)
        used, done = 1, 0
        while done < self._simulations:
            stop = min(done + SLICE, self._simulations)
            tree = _room_for(used + (stop - done) * view.game.num_actions, used)
            used = kernels.grow_tree(
                table, position, view.components.buffer, self._weights, self._settings, name, done, stop, tree, used
            )
            done = stop
            if time.perf_counter() >= deadline:
                break
        return _read_root(tree[: used * kernels.NODE_SIZE].view(kernels.NODE_DTYPE), view, used)


# Each thread grows one tree at a time and keeps its room, because fresh memory costs more than small searches.
_rooms = threading.local()


def _room_for(nodes: int, used: int) -> NDArray[np.uint8]:
    """The thread's room for trees, with space for so many nodes; the first ``used`` ones are kept when it grows."""
    room: NDArray[np.uint8] | None = getattr(_rooms, "tree", None)
    if room is None or len(room) < nodes * kernels.NODE_SIZE:
        larger = np.empty(2 * nodes * kernels.NODE_SIZE, np.uint8)
        if room is not None:
            larger[: used * kernels.NODE_SIZE] = room[: used * kernels.NODE_SIZE]
        _rooms.tree = room = larger
    return room


def written_name(agent: object, start: str, given: dict[str, Any]) -> str:
    """What `dunaia_env.harness.opponents.load` makes such an agent of: the options that differ from their defaults.

    Threads are left out, because they change no move.
    """
    options = inspect.signature(type(agent)).parameters.values()
    shown = [
        option
        for option in options
        if option.kind is option.KEYWORD_ONLY and option.name not in ("threads", "seconds", "game")
    ]
    return ",".join([start, *(f"{one.name}={given[one.name]}" for one in shown if given[one.name] != one.default)])


def _read_root(nodes: Any, view: View, used: int) -> SearchResult:
    players = view.num_players
    siblings = nodes["next_sibling"]
    places = [int(nodes["first_child"][0])]
    while siblings[places[-1]] != 0:
        places.append(int(siblings[places[-1]]))
    children = nodes[places]
    children = children[children["action"].argsort()]
    visits = children["visits"].astype(np.int64)
    with np.errstate(invalid="ignore"):
        values = children["values"][:, :players] / visits[:, None]
    value = nodes["values"][0, :players] / nodes["visits"][0]
    return SearchResult(children["action"].astype(np.int64), visits, values, value, used)


class FlatMonteCarloAgent(_SimulatingAgent):
    """Plays every legal action out equally often and takes the one that wins most; no tree.

    Args:
        playouts: budget a decision, shared out over the legal actions, each at least one.
        playout: how to play on: ``random`` or ``greedy``; ``none`` evaluates at once.
        cutoff: decisions of a play-out, after which the position is evaluated; to the end for None.
        threads: decisions of a batch that are worked on at once; changes no move.
        evaluation: data file of the evaluation; the game's own for None.
        game: the game to play.

    Raises `ValueError` naming the option and what is allowed.
    """

    def __init__(
        self,
        playouts: int,
        *,
        playout: str = "random",
        cutoff: int | None = None,
        threads: int = 1,
        evaluation: str | None = None,
        game: Game = DEFAULT_GAME,
    ) -> None:
        if not 1 <= playouts <= MOST_SIMULATIONS:
            raise ValueError(f"flat: playouts = {playouts}; an integer in 1..{MOST_SIMULATIONS} is needed")
        super().__init__("flat", playout=playout, cutoff=cutoff, threads=threads, evaluation=evaluation, game=game)
        self._playouts = playouts
        self.name = written_name(self, f"flat:{playouts}", locals())

    def search(self, view: View | GameState) -> SearchResult:
        """Play the legal actions out; see `SearchResult`."""
        view = self._checked(view)
        position = np.frombuffer(view.to_bytes(), np.uint8).copy()
        actions = np.array(view.legal_actions(), np.int16)
        each = max(self._playouts // len(actions), 1)
        values = np.zeros((len(actions), view.game.max_players))
        kernels.value_actions(
            prepare(view.game, evaluation=True),
            position,
            view.components.buffer,
            self._weights,
            self._settings,
            kernels.search_seed(position, self._seed),
            each,
            actions,
            len(actions),
            values,
        )
        values = values[:, : view.num_players]
        best = values[values[:, view.seat].argmax()]
        return SearchResult(actions.astype(np.int64), np.full(len(actions), each), values, best, 0)


def searched(kind: str, game: Game, position: View | GameState) -> View:
    """The view to search; raises `ValueError` for one of another game or a game that is over."""
    check_game(kind, game, position.game)
    if position.is_over:
        raise ValueError(f"{kind}: the game is over; a state with a decision is needed")
    return view_of(position)
