"""Search agents: Monte Carlo tree search and flat Monte Carlo, compiled with the game.

In every simulation they draw chance outcomes and other players' hidden information from their own seed and from what
their seat knows. They therefore see nothing of a game's future or of other hands. With a budget of simulations, the
same seed and view give the same action: in a batch, on any number of threads, or alone.
"""

from __future__ import annotations

import inspect
import math
import threading
import time
from collections.abc import Mapping
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
# Simulations between two checks of the clock and of the tree's capacity.
CHUNK = 64

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class SearchResult:
    """The result of a search of a decision with K legal actions in a game of S players.

    Attributes:
        actions: int64 ``(K,)``, the legal actions.
        visits: int64 ``(K,)``, the number of simulations that began with each action.
        values: float64 ``(K, S)``, every seat's mean win share after each action; NaN for an unvisited action.
        value: float64 ``(S,)``, every seat's mean win share over all simulations.
        nodes: number of nodes in the tree; 0 if the search has no tree.
    """

    actions: NDArray[np.int64]
    visits: NDArray[np.int64]
    values: Floats
    value: Floats
    nodes: int

    def ranking(self, seat: int) -> list[int]:
        """Indices of the actions, best first: sorted by visits, then by a seat's value."""
        values = np.nan_to_num(self.values[:, seat], nan=-1.0)
        return [int(index) for index in np.lexsort((self.actions, -values, -self.visits))]

    def best(self, seat: int, mask: NDArray[np.int8] | None = None) -> int:
        """The action that is ranked first; with an action mask, the first that the mask allows."""
        ranked = self.actions[self.ranking(seat)]
        return int(ranked[0] if mask is None else ranked[mask[ranked] != 0][0])


class SearchAgent:
    """Base class of agents that search: `act`, `hints` and `win_shares` are derived from `search`."""

    _seed = 0

    def reset(self, seed: int) -> None:
        """Set the seed of the simulations."""
        self._seed = seed

    def search(self, view: View | GameState) -> SearchResult:
        """Search a decision, with nothing but what the deciding seat knows."""
        raise NotImplementedError

    def act(self, view: View | GameState) -> int:
        """The action that the search ranks first."""
        return self.search(view).best(view.seat)

    def hints(self, view: View | GameState) -> list[tuple[int, str]]:
        """The visited actions, best first, each with its fraction of the visits and its expected win share as text."""
        result = self.search(view)
        total = int(result.visits.sum())
        rows = [(index, result.visits[index], result.values[index, view.seat]) for index in result.ranking(view.seat)]
        return [
            (int(result.actions[index]), f"{visits / total:.0%} of {total:,} simulations, win share {value:.0%}")
            for index, visits, value in rows
            if visits > 0
        ]

    def win_shares(self, view: View | GameState) -> Floats:
        """Every seat's expected win share, float64 ``(num_players,)``, from a search of the decision."""
        return self.search(view).value


class _MonteCarloAgent(SearchAgent):
    """Base class of the Monte Carlo agents: settings, names, and batches on threads."""

    name: str
    version = "1"

    def __init__(
        self, kind: str, *, playout: str, cutoff: int | None, threads: int, evaluation: str | None, game: Game
    ) -> None:
        if playout not in PLAYOUTS:
            raise ValueError(f"{kind}: playout: expected one of {', '.join(PLAYOUTS)}, got {playout!r}")
        if cutoff is not None and (playout == "none" or cutoff < 1):
            raise ValueError(f"{kind}: cutoff: expected at least 1 and a playout, got {cutoff} with playout {playout}")
        if threads < 1:
            raise ValueError(f"{kind}: threads: expected at least 1, got {threads}")
        self._settings = np.zeros(kernels.SETTINGS_SIZE)
        self._settings[kernels.PLAYOUT] = kernels.GREEDY_PLAYOUT if playout == "greedy" else kernels.RANDOM_PLAYOUT
        self._settings[kernels.CUTOFF] = 0 if playout == "none" else -1 if cutoff is None else cutoff
        self._kind, self._game = kind, game
        self._weights = load_weights(game, evaluation)
        self._threads = threads
        self.reset(0)

    def _checked_view(self, view: View | GameState) -> View:
        return checked_view(self._kind, self._game, view)

    def act_batch(self, lanes: Lanes, selected: NDArray[np.int64]) -> NDArray[np.int32]:
        """The action that `act` chooses for each selected lane, computed on the agent's threads.

        Where `Lanes.restrict` forbids it, the best action that is not forbidden.
        """

        def decide(lane: int) -> int:
            view = lanes.get_state(lane).view()
            return self.search(view).best(view.seat, lanes.action_masks[lane])

        numbers = [int(lane) for lane in selected]
        if self._threads == 1 or len(numbers) < 2:
            return np.array([decide(lane) for lane in numbers], np.int32)
        with ThreadPoolExecutor(min(self._threads, len(numbers))) as threads:
            return np.array(list(threads.map(decide, numbers)), np.int32)


class MCTSAgent(_MonteCarloAgent):
    """Open-loop Monte Carlo tree search (PUCT) with a value for each player.

    The search itself is `dunaia_env.harness.compiled.search`.

    Args:
        simulations: simulations per decision, 1..10,000,000.
        seconds: time per decision, instead of ``simulations``; the actions then depend on the machine.
        playout: how a leaf is evaluated: ``none`` by the evaluation, ``random`` or ``greedy`` by a playout.
        cutoff: number of decisions in a playout, after which the position is evaluated; None plays to the end.
        exploration: weight of the prior in PUCT.
        prior_temperature: temperature, in points, of the softmax of the evaluation that gives the priors; 0 for equal
            priors.
        fpu_reduction: first-play urgency: the value of an unvisited action is the parent's value minus this.
        others: how the other players decide in the tree: ``search`` maximises their own values, like the agent's;
            ``greedy`` follows the evaluation, which leaves more simulations for the agent's own decisions.
        threads: number of decisions of a batch that are searched in parallel; it changes no action.
        evaluation: data file of the evaluation; the game's own for None.
        game: the game to play.

    Raises `ValueError` naming the option and what is allowed.
    """

    version = "2"
    kind = "mcts"

    def __init__(
        self,
        simulations: int | None = None,
        *,
        seconds: float | None = None,
        playout: str = "none",
        cutoff: int | None = None,
        exploration: float = 0.1,
        prior_temperature: float = 0.5,
        fpu_reduction: float = 0.0,
        others: str = "search",
        threads: int = 1,
        evaluation: str | None = None,
        game: Game = DEFAULT_GAME,
    ) -> None:
        kind = self.kind
        if (simulations is None) == (seconds is None):
            raise ValueError(f"{kind}: expected a number of simulations or seconds, one of the two, as in {kind}:1000")
        if simulations is not None and not 1 <= simulations <= MOST_SIMULATIONS:
            raise ValueError(f"{kind}: simulations: expected an integer in 1..{MOST_SIMULATIONS}, got {simulations}")
        if seconds is not None and not 0 < seconds < math.inf:
            raise ValueError(f"{kind}: seconds: expected a number above 0, got {seconds}")
        for name, value in (("exploration", exploration), ("prior_temperature", prior_temperature)):
            if not 0 <= value < math.inf:
                raise ValueError(f"{kind}: {name}: expected a number of at least 0, got {value}")
        if others not in OTHERS or (others == "greedy" and prior_temperature == 0):
            allowed = "search, or with a prior_temperature above 0 greedy"
            raise ValueError(f"{kind}: others: expected {allowed}, got {others!r}")
        if not math.isfinite(fpu_reduction):
            raise ValueError(f"{kind}: fpu_reduction: expected a number, got {fpu_reduction}")
        super().__init__(kind, playout=playout, cutoff=cutoff, threads=threads, evaluation=evaluation, game=game)
        self._settings[kernels.EXPLORATION] = exploration
        self._settings[kernels.PRIOR_TEMPERATURE] = prior_temperature
        self._settings[kernels.FPU_REDUCTION] = fpu_reduction
        self._settings[kernels.OTHERS] = kernels.FOLLOW_THE_PRIOR if others == "greedy" else kernels.SEARCH
        self._simulations = MOST_SIMULATIONS if simulations is None else simulations
        self._seconds = seconds
        budget = f"seconds={seconds:g}" if simulations is None else f"{simulations}"
        options = {
            "playout": playout,
            "cutoff": cutoff,
            "exploration": exploration,
            "prior_temperature": prior_temperature,
            "fpu_reduction": fpu_reduction,
            "others": others,
            "evaluation": evaluation,
        }
        self.name = full_name(self, f"{kind}:{budget}", options)

    def search(self, view: View | GameState) -> SearchResult:
        """Search a decision with a tree."""
        view = self._checked_view(view)
        entry_points = prepare(view.game, evaluation=True)
        deadline = math.inf if self._seconds is None else time.perf_counter() + self._seconds
        position = np.frombuffer(view.to_bytes(), np.uint8).copy()
        seed = kernels.search_seed(position, self._seed)
        components, used, done = view.components.buffer, 1, 0
        while done < self._simulations:
            stop = min(done + CHUNK, self._simulations)
            tree = _tree_buffer(used + (stop - done) * view.game.num_actions, used)
            used = kernels.grow_tree(
                entry_points, position, components, self._weights, self._settings, seed, done, stop, tree, used
            )
            done = stop
            if time.perf_counter() >= deadline:
                break
        return _read_root(tree[: used * kernels.NODE_SIZE].view(kernels.NODE_DTYPE), view, used)


class ISMCTSAgent(MCTSAgent):
    """Information set search: `MCTSAgent` in a game in which seats know different things.

    Each simulation begins at a state of its own, drawn from those that agree with everything that the deciding seat
    knows. The arguments are those of `MCTSAgent`; the defaults were measured in such games, see docs/results/dune.md.

    Raises `ValueError` naming the option and what is allowed, and for a game of perfect information.
    """

    version = "1"
    kind = "ismcts"

    def __init__(
        self,
        simulations: int | None = None,
        *,
        seconds: float | None = None,
        playout: str = "none",
        cutoff: int | None = None,
        exploration: float = 0.1,
        prior_temperature: float = 2.0,
        fpu_reduction: float = 0.0,
        others: str = "search",
        threads: int = 1,
        evaluation: str | None = None,
        game: Game = DEFAULT_GAME,
    ) -> None:
        if game.perfect_information:
            raise ValueError(f"ismcts: {game.name} has no hidden information; mcts searches it")
        super().__init__(
            simulations,
            seconds=seconds,
            playout=playout,
            cutoff=cutoff,
            exploration=exploration,
            prior_temperature=prior_temperature,
            fpu_reduction=fpu_reduction,
            others=others,
            threads=threads,
            evaluation=evaluation,
            game=game,
        )


# Each thread searches one tree at a time and keeps its buffer, because a small search costs less than new memory.
_buffers = threading.local()


def _tree_buffer(nodes: int, used: int) -> NDArray[np.uint8]:
    """The thread's buffer for trees, with space for a number of nodes; the first ``used`` nodes are preserved."""
    buffer: NDArray[np.uint8] | None = getattr(_buffers, "tree", None)
    if buffer is None or len(buffer) < nodes * kernels.NODE_SIZE:
        larger = np.empty(2 * nodes * kernels.NODE_SIZE, np.uint8)
        if buffer is not None:
            larger[: used * kernels.NODE_SIZE] = buffer[: used * kernels.NODE_SIZE]
        _buffers.tree = buffer = larger
    return buffer


def full_name(agent: object, start: str, options: Mapping[str, object]) -> str:
    """The name of a search agent with those of its options that differ from their defaults.

    `dunaia_env.harness.opponents.load` makes the same agent from it. Options that change no action, such as
    ``threads``, need not be named.
    """
    defaults = inspect.signature(type(agent)).parameters
    changed = (f"{name}={value}" for name, value in options.items() if value != defaults[name].default)
    return ",".join([start, *changed])


def _read_root(nodes: Any, view: View, used: int) -> SearchResult:
    """The result of a search from the nodes of its tree, of which ``used`` are in use."""
    players = view.num_players
    siblings = nodes["next_sibling"]
    indices = [int(nodes["first_child"][0])]
    while siblings[indices[-1]] != 0:
        indices.append(int(siblings[indices[-1]]))
    children = nodes[indices]
    children = children[children["action"].argsort()]
    visits = children["visits"].astype(np.int64)
    with np.errstate(invalid="ignore"):
        values = children["values"][:, :players] / visits[:, None]
    value = nodes["values"][0, :players] / nodes["visits"][0]
    return SearchResult(children["action"].astype(np.int64), visits, values, value, used)


class FlatMonteCarloAgent(_MonteCarloAgent):
    """Flat Monte Carlo: the same number of playouts after every legal action, without a tree; the best mean wins.

    Args:
        playouts: playouts per decision, divided among the legal actions; each action gets at least one.
        playout: the policy of the playouts: ``random`` or ``greedy``; ``none`` evaluates the position at once.
        cutoff: number of decisions in a playout, after which the position is evaluated; None plays to the end.
        threads: number of decisions of a batch that are searched in parallel; it changes no action.
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
            raise ValueError(f"flat: playouts: expected an integer in 1..{MOST_SIMULATIONS}, got {playouts}")
        super().__init__("flat", playout=playout, cutoff=cutoff, threads=threads, evaluation=evaluation, game=game)
        self._playouts = playouts
        options = {"playout": playout, "cutoff": cutoff, "evaluation": evaluation}
        self.name = full_name(self, f"flat:{playouts}", options)

    def search(self, view: View | GameState) -> SearchResult:
        """Run the playouts after every legal action."""
        view = self._checked_view(view)
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


def checked_view(kind: str, game: Game, position: View | GameState) -> View:
    """The view to search; raises `ValueError` for a position of another game or of a game that is over."""
    check_game(kind, game, position.game)
    if position.is_over:
        raise ValueError(f"{kind}: expected a state with a decision, got the end of a game")
    return view_of(position)
