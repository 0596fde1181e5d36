"""Tree search guided by a trained network: its policy says what to try, its value what a position is worth.

A batch of decisions is searched together, so that the network sees many positions in each call. The outcomes of
the simulations are named by the agent's seed and the position, and the network's numbers do not depend on the batch:
the same seed and position give the same move, in a batch or alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from dunaia_env.harness.compiled import guided as kernels
from dunaia_env.harness.compiled.chance import Stream
from dunaia_env.harness.compiled.entry_points import resample, seat_of
from dunaia_env.harness.game import Game
from dunaia_env.harness.lanes import Lanes
from dunaia_env.harness.state import GameState, View, prepare

from .network import NetworkAgent
from .search import Floats, SearchingAgent, SearchResult, searched, written_name

MOST_SIMULATIONS = 100_000
# Nodes of the trees that grow at once, about 11 MB of them: four times as many were no faster.
NODES_AT_ONCE = 8192


@dataclass(frozen=True)
class GuidedResult(SearchResult):
    """What a guided search found out about a decision with K legal actions at a table of S players.

    Attributes:
        actions: int64 ``(K,)``, the legal actions.
        visits: int64 ``(K,)``, simulations that began with each.
        values: float64 ``(K, S)``, every seat's mean share of the win after each; NaN where there was no visit.
        value: float64 ``(S,)``, every seat's expected share of the win under ``policy``.
        nodes: size of the tree.
        policy: float64 ``(K,)``, the improved policy: a softmax of logits and scaled values, without noise.
        scores: float64 ``(K,)``: noise, logit and scaled value of each action, its rank among equally visited ones.
    """

    policy: Floats
    scores: Floats

    def ranking(self, seat: int) -> list[int]:
        """Indices of the actions, best first: the most visited, among equals the one with the best score."""
        return [int(index) for index in np.lexsort((self.actions, -self.scores, -self.visits))]


class Searches(NamedTuple):
    """What searches found out about R positions with at most A legal actions each; see `guided.read_roots`.

    Attributes:
        counts: int64 ``(R,)``, numbers of legal actions.
        actions, visits: int64 ``(R, A)``.
        values: float64 ``(R, A + 1, MAX_PLAYERS)``.
        scores, policies: float64 ``(R, A)``.
        nodes: int64 ``(R,)``, sizes of the trees.
    """

    counts: NDArray[np.int64]
    actions: NDArray[np.int64]
    visits: NDArray[np.int64]
    values: Floats
    scores: Floats
    policies: Floats
    nodes: NDArray[np.int64]

    @classmethod
    def room_for(cls, number: int, game: Game) -> Searches:
        """Zeros for so many positions of a game."""
        most = game.num_actions
        counts, nodes = np.zeros((2, number), np.int64)
        actions, visits = np.zeros((2, number, most), np.int64)
        scores, policies = np.zeros((2, number, most))
        return cls(counts, actions, visits, np.zeros((number, most + 1, game.max_players)), scores, policies, nodes)

    @classmethod
    def join(cls, parts: Sequence[Searches]) -> Searches:
        """All of them, one after the other."""
        return cls(*(np.concatenate(arrays) for arrays in zip(*parts, strict=True)))

    @property
    def legal(self) -> NDArray[np.bool_]:
        """Which entries stand for a legal action, ``(R, A)``."""
        return np.arange(self.actions.shape[1]) < self.counts[:, None]

    def best(self) -> NDArray[np.int64]:
        """The action of each position that comes first in `GuidedResult.ranking`."""
        visits = np.where(self.legal, self.visits, -1)
        scores = np.where(visits == visits.max(axis=1, keepdims=True), self.scores, -np.inf)
        chosen: NDArray[np.int64] = self.actions[np.arange(len(scores)), scores.argmax(axis=1)]
        return chosen

    def result(self, index: int, players: int) -> GuidedResult:
        """What was found out about one position."""
        legal = int(self.counts[index])
        tried = self.visits[index, :legal, None] > 0
        return GuidedResult(
            actions=self.actions[index, :legal],
            visits=self.visits[index, :legal],
            values=np.where(tried, self.values[index, :legal, :players], np.nan),
            value=self.values[index, -1, :players],
            nodes=int(self.nodes[index]),
            policy=self.policies[index, :legal],
            scores=self.scores[index, :legal],
        )


class GuidedAgent(SearchingAgent):
    """Search with a network's policy and value, by sequential halving; see `dunaia_env.harness.compiled.guided`.

    Args:
        player: plays the network without search.
        simulations: budget a decision, 1..100,000; with 1 the network's policy decides alone.
        candidates: actions with the best logits among which the simulations are shared out, at least 2.
        value_scale: how far values outweigh the network's policy, at least 0.
        noise: add Gumbel noise, named by seed and position, to the logits at the root, so that in training moves vary
            as the improved policy says.

    Raises `ValueError` naming the option and what is allowed.
    """

    def __init__(
        self,
        player: NetworkAgent,
        simulations: int,
        *,
        candidates: int = 8,
        value_scale: float = 1.0,
        noise: bool = False,
    ) -> None:
        if not 1 <= simulations <= MOST_SIMULATIONS:
            raise ValueError(f"simulations = {simulations}; an integer in 1..{MOST_SIMULATIONS} is needed")
        if not 2 <= candidates <= player.game.num_actions:
            raise ValueError(f"candidates = {candidates}; an integer in 2..{player.game.num_actions} is needed")
        if not 0 <= value_scale < math.inf:
            raise ValueError(f"value_scale = {value_scale}; a number of at least 0 is needed")
        self.player = player
        self._forward = player.forward
        self._settings = np.zeros(kernels.SETTINGS_SIZE)
        self._settings[kernels.SIMULATIONS] = simulations
        self._settings[kernels.CANDIDATES] = candidates
        self._settings[kernels.VALUE_SCALE] = value_scale
        self._settings[kernels.NOISE] = noise
        self._simulations = simulations
        self._candidates = min(candidates, simulations)
        self.name = written_name(self, f"{player.name}+{simulations}", locals())
        self.version = f"{player.version}+{kernels.VERSION}"
        self.reset(0)

    def search(self, view: View | GameState) -> GuidedResult:
        """Grow a tree from the decision; see `GuidedResult`."""
        return self.search_many([view])[0]

    def search_many(self, views: Sequence[View | GameState]) -> list[GuidedResult]:
        """The same for each of many views with the same components, with the leaves of all evaluated together."""
        if not views:
            return []
        found = self._search_views(views)
        return [found.result(i, view.num_players) for i, view in enumerate(views)]

    def _search_views(self, views: Sequence[View | GameState]) -> Searches:
        """The same for at least one view, each of which is checked."""
        checked = [searched(self.name, self.player.game, view) for view in views]
        for view in checked:
            self.player.check_players(view.num_players)
            if view.components.hash != checked[0].components.hash:
                raise ValueError(f"{self.name}: states with different components; the same are needed")
        positions = np.stack([np.frombuffer(view.to_bytes(), np.uint8) for view in checked])
        return self.search_positions(positions, checked[0].components)

    def search_positions(self, positions: NDArray[np.uint8], components: Any) -> Searches:
        """The same for R positions, uint8 ``(R, STATE_SIZE)`` as views hold them, with the same components."""
        at_once = max(NODES_AT_ONCE // (self._simulations + 1), 1)
        parts = [
            self._search_together(positions[first : first + at_once], components)
            for first in range(0, len(positions), at_once)
        ]
        return parts[0] if len(parts) == 1 else Searches.join(parts)

    def act_batch(self, lanes: Lanes, selected: NDArray[np.int64]) -> NDArray[np.int32]:
        """A legal action for each selected lane."""
        if not len(selected):
            return np.zeros(0, np.int32)
        return self._search_views([lanes.get_state(int(lane)).view() for lane in selected]).best().astype(np.int32)

    def _search_together(self, positions: NDArray[np.uint8], components: Any) -> Searches:
        number, room, game = len(positions), self._simulations + 1, self.player.game
        roots = np.zeros((number, kernels.ROOT_SIZE), np.uint8)
        trees = np.empty((number, room * kernels.NODE_SIZE), np.uint8)
        logits = np.empty((number, room, game.num_actions), np.float32)
        ranking = (
            np.zeros((number, game.num_actions), np.int16),
            np.zeros((number, game.num_actions)),
            np.zeros((number, game.num_actions)),
        )
        table, buffer = prepare(game, evaluation=True), components.buffer
        if not game.perfect_information:
            # As a view does: what the seat does not know names no search.
            positions = positions.copy()
            for position in positions:
                resample(table, position, buffer, Stream(0).begin(), seat_of(table, position))
        games = table, positions, buffer, self._settings
        search = (*games, roots, ranking, trees, logits)
        leaves = np.empty((number * self._candidates, kernels.LEAF_SIZE), np.int32)
        observations = np.empty((len(leaves), game.observation_size), np.int8)
        count = kernels.begin(*games, self._seed, roots, ranking, trees, leaves, observations)
        while kernels.back_up(*search, leaves, count, *self._forward(observations[:count])):
            count = kernels.descend(*search, leaves, observations)
        found = Searches.room_for(number, game)
        kernels.read_roots(*search, *found[:-1])
        found.nodes[:] = roots.view(kernels.ROOT_DTYPE)["used"][:, 0]
        return found
