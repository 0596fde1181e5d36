"""Tree search guided by a trained network: its policy gives the priors, its value head evaluates the leaves.

A batch of decisions is searched together, so that the network evaluates many positions in each call. The chance
outcomes of the simulations depend on the agent's seed and the position, and the network's outputs do not depend on the
batch: the same seed and position give the same action, in a batch or alone.
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
from dunaia_env.harness.compiled.search import search_seed
from dunaia_env.harness.game import Game
from dunaia_env.harness.lanes import Lanes, stack_components
from dunaia_env.harness.lineage import Lineage
from dunaia_env.harness.state import GameState, View, prepare

from .network import NetworkAgent, choose, uniform
from .search import Floats, SearchAgent, SearchResult, checked_view, full_name

MOST_SIMULATIONS = 100_000
# Nodes of all trees that are searched together, about 11 MB; four times as many were no faster.
NODES_AT_ONCE = 8192
# In place of Gumbel noise, the first number makes an action a candidate that no halving removes, and the second one
# makes it a candidate only if there are too few others.
_INCLUDED, _EXCLUDED = 1e6, -1e6


@dataclass(frozen=True)
class GuidedResult(SearchResult):
    """The result of a guided search of a decision with K legal actions in a game of S players.

    Attributes:
        actions: int64 ``(K,)``, the legal actions.
        visits: int64 ``(K,)``, the number of simulations that began with each action.
        values: float64 ``(K, S)``, every seat's mean win share after each action; NaN for an unvisited action.
        value: float64 ``(S,)``, every seat's expected win share under ``policy``.
        nodes: number of nodes in the tree.
        policy: float64 ``(K,)``, the improved policy: a softmax of the sum of logit and scaled value, without noise.
        scores: float64 ``(K,)``, the sum of Gumbel noise, logit and scaled value of each action, which ranks actions
            with equally many visits.
    """

    policy: Floats
    scores: Floats

    def ranking(self, seat: int) -> list[int]:
        """Indices of the actions, best first: sorted by visits, then by score."""
        return [int(index) for index in np.lexsort((self.actions, -self.scores, -self.visits))]


class SearchBatch(NamedTuple):
    """The results of the searches of R positions with at most A legal actions each; see `guided.read_roots`.

    Attributes:
        counts: int64 ``(R,)``, the numbers of legal actions.
        actions: int64 ``(R, A)``, the legal actions.
        visits: int64 ``(R, A)``, the visits of each action.
        values: float64 ``(R, A + 1, MAX_PLAYERS)``, the values after each action, and last those of the position.
        scores: float64 ``(R, A)``, the scores of the actions.
        policies: float64 ``(R, A)``, the improved policies.
        nodes: int64 ``(R,)``, the numbers of nodes in the trees.
    """

    counts: NDArray[np.int64]
    actions: NDArray[np.int64]
    visits: NDArray[np.int64]
    values: Floats
    scores: Floats
    policies: Floats
    nodes: NDArray[np.int64]

    @classmethod
    def zeros(cls, number: int, game: Game) -> SearchBatch:
        """Zero-filled results for a number of positions of a game."""
        size = game.num_actions
        counts, nodes = np.zeros((2, number), np.int64)
        actions, visits = np.zeros((2, number, size), np.int64)
        scores, policies = np.zeros((2, number, size))
        return cls(counts, actions, visits, np.zeros((number, size + 1, game.max_players)), scores, policies, nodes)

    @classmethod
    def concatenate(cls, batches: Sequence[SearchBatch]) -> SearchBatch:
        """The results of several batches, one after the other."""
        return cls(*(np.concatenate(arrays) for arrays in zip(*batches, strict=True)))

    @property
    def legal(self) -> NDArray[np.bool_]:
        """Which entries belong to a legal action, ``(R, A)``."""
        return np.arange(self.actions.shape[1]) < self.counts[:, None]

    def best(self, excluded: NDArray[np.bool_] | None = None) -> NDArray[np.int64]:
        """The action of each position that is first in `GuidedResult.ranking`, among those not excluded, ``(R, A)``."""
        visits = np.where(self.legal, self.visits, -1)
        if excluded is not None:
            visits[np.take_along_axis(excluded, self.actions, axis=1)] = -1
        scores = np.where(visits == visits.max(axis=1, keepdims=True), self.scores, -np.inf)
        chosen: NDArray[np.int64] = self.actions[np.arange(len(scores)), scores.argmax(axis=1)]
        return chosen

    def result(self, index: int, players: int) -> GuidedResult:
        """The result for one position."""
        legal = int(self.counts[index])
        visited = self.visits[index, :legal, None] > 0
        return GuidedResult(
            actions=self.actions[index, :legal],
            visits=self.visits[index, :legal],
            values=np.where(visited, self.values[index, :legal, :players], np.nan),
            value=self.values[index, -1, :players],
            nodes=int(self.nodes[index]),
            policy=self.policies[index, :legal],
            scores=self.scores[index, :legal],
        )


class GuidedAgent(SearchAgent):
    """Gumbel search with sequential halving and a network's policy and value.

    See `dunaia_env.harness.compiled.guided`.

    Args:
        player: the agent that plays the network without search.
        simulations: simulations per decision, 1..100,000; with 1 the network's policy decides alone.
        candidates: number of actions with the highest logits among which the simulations are divided, at least 2.
        value_scale: weight of the values relative to the network's logits, at least 0.
        noise: add Gumbel noise, which depends on seed and position, to the logits at the root, so that the actions in
            training are distributed according to the improved policy.

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
            raise ValueError(f"simulations: expected an integer in 1..{MOST_SIMULATIONS}, got {simulations}")
        if not 2 <= candidates <= player.game.num_actions:
            raise ValueError(f"candidates: expected an integer in 2..{player.game.num_actions}, got {candidates}")
        if not 0 <= value_scale < math.inf:
            raise ValueError(f"value_scale: expected a number of at least 0, got {value_scale}")
        self.player = player
        self._forward = player.forward
        self._settings = np.zeros(kernels.SETTINGS_SIZE)
        self._settings[kernels.SIMULATIONS] = simulations
        self._settings[kernels.CANDIDATES] = candidates
        self._settings[kernels.VALUE_SCALE] = value_scale
        self._settings[kernels.NOISE] = noise
        self._simulations = simulations
        self._candidates = min(candidates, simulations)
        options = {"candidates": candidates, "value_scale": value_scale, "noise": noise}
        self.name = full_name(self, f"{player.name}+{simulations}", options)
        self.version = f"{player.version}+{kernels.VERSION}"
        self.reset(0)

    @property
    def lineage(self) -> Lineage:
        """The lineage of the network's weights; raises `ValueError` naming what is wrong with the header."""
        return self.player.lineage

    def search(self, view: View | GameState) -> GuidedResult:
        """Search one decision."""
        return self.search_many([view])[0]

    def search_many(
        self, views: Sequence[View | GameState], included: Sequence[Sequence[int]] | None = None
    ) -> list[GuidedResult]:
        """Search many decisions together; the leaves of all trees are evaluated together.

        Args:
            views: the positions.
            included: for each position the legal actions that stay candidates until the end of the search, so that
                their values rest on as many simulations as the best one's; none for None.
        """
        if not views:
            return []
        checked = self._checked_views(views)
        mask = None
        if included is not None:
            if len(included) != len(checked):
                raise ValueError(f"{self.name}: included: expected {len(checked)} entries, got {len(included)}")
            mask = np.zeros((len(checked), self.player.game.num_actions), np.bool_)
            for row, view, actions in zip(mask, checked, included, strict=True):
                row[[view.check(action) for action in actions]] = True
        batch = self._search_checked(checked, mask)
        return [batch.result(i, view.num_players) for i, view in enumerate(checked)]

    def _checked_views(self, views: Sequence[View | GameState]) -> list[View]:
        checked = [checked_view(self.name, self.player.game, view) for view in views]
        for view in checked:
            self.player.check_players(view.num_players)
        return checked

    def _search_checked(
        self,
        views: Sequence[View],
        included: NDArray[np.bool_] | None = None,
        excluded: NDArray[np.bool_] | None = None,
    ) -> SearchBatch:
        """Search all of some checked views, see `search_positions`."""
        positions = np.stack([np.frombuffer(view.to_bytes(), np.uint8) for view in views])
        return self.search_positions(positions, [view.components for view in views], included, excluded)

    def search_positions(
        self,
        positions: NDArray[np.uint8],
        components: Sequence[Any],
        included: NDArray[np.bool_] | None = None,
        excluded: NDArray[np.bool_] | None = None,
    ) -> SearchBatch:
        """Search R positions, uint8 ``(R, STATE_SIZE)`` in the format of views, each with its components.

        Args:
            positions: the positions.
            components: the components of each position.
            included: bool ``(R, A)``, the legal actions that stay candidates, see `search_many`; none for None.
            excluded: bool ``(R, A)``, the actions that become candidates only if too few others are legal; none for
                None.
        """
        if len(components) != len(positions):
            raise ValueError(f"{self.name}: expected components of {len(positions)} positions, got {len(components)}")
        buffers, rows = stack_components(components)
        at_once = max(NODES_AT_ONCE // (self._simulations + 1), 1)
        chosen = np.zeros((len(positions), self.player.game.num_actions))  # in place of noise
        if excluded is not None:
            chosen[excluded] = _EXCLUDED
        if included is not None:
            chosen[included] = _INCLUDED
        parts = [slice(first, first + at_once) for first in range(0, len(positions), at_once)]
        batches = [self._search_together(positions[part], buffers, rows[part], chosen[part]) for part in parts]
        return batches[0] if len(batches) == 1 else SearchBatch.concatenate(batches)

    def act(self, view: View | GameState) -> int:
        """The action that the search ranks first; a draw from the improved policy where the decision is sealed."""
        return int(self._decide(self._checked_views([view]))[0])

    def act_batch(self, lanes: Lanes, selected: NDArray[np.int64]) -> NDArray[np.int32]:
        """A legal action for each selected lane, as `act` chooses it; none that `Lanes.restrict` forbids."""
        if not len(selected):
            return np.zeros(0, np.int32)
        views = self._checked_views([lanes.get_state(int(lane)).view() for lane in selected])
        return self._decide(views, lanes.action_masks[selected] == 0)

    def _decide(self, views: Sequence[View], excluded: NDArray[np.bool_] | None = None) -> NDArray[np.int32]:
        """An action for each view, none of those excluded, bool ``(R, A)``.

        Visits would make a sealed decision (see `Game.sealed`) predictable, so it is drawn from the improved policy.
        """
        batch = self._search_checked(views, excluded=excluded)
        actions = batch.best(excluded).astype(np.int32)
        for row, view in enumerate(views):
            if not view.is_sealed:
                continue
            legal, policy = (array[row, : batch.counts[row]] for array in (batch.actions, batch.policies))
            possible = policy > 0
            if excluded is not None:
                possible &= ~excluded[row, legal]
            if possible.any():
                position = np.frombuffer(view.to_bytes(), np.uint8)
                drawn = np.array([uniform(int(search_seed(position, self._seed)), 0, 0)])
                masks = np.ones((1, np.count_nonzero(possible)), np.int8)
                actions[row] = legal[possible][choose(np.log(policy[possible])[None], masks, 1.0, drawn)[0]]
        return actions

    def _search_together(
        self,
        positions: NDArray[np.uint8],
        buffers: NDArray[np.uint8],
        rows: NDArray[np.int32],
        chosen: NDArray[np.float64],
    ) -> SearchBatch:
        number, capacity, game = len(positions), self._simulations + 1, self.player.game
        roots = np.zeros((number, kernels.ROOT_SIZE), np.uint8)
        roots.view(kernels.ROOT_DTYPE)["components_row"][:, 0] = rows
        trees = np.empty((number, capacity * kernels.NODE_SIZE), np.uint8)
        logits = np.empty((number, capacity, game.num_actions), np.float32)
        ranking = (
            np.zeros((number, game.num_actions), np.int16),
            np.zeros((number, game.num_actions)),
            np.zeros((number, game.num_actions)),
        )
        entry_points = prepare(game, evaluation=True)
        if not game.perfect_information:
            # As in a view, so that the search's chance outcomes do not depend on what the seat does not know.
            positions = positions.copy()
            for position, row in zip(positions, rows, strict=True):
                resample(entry_points, position, buffers[row], Stream(0).begin(), seat_of(entry_points, position))
        games = entry_points, positions, buffers, self._settings
        search = (*games, roots, ranking, trees, logits)
        leaves = np.empty((number * self._candidates, kernels.LEAF_SIZE), np.int32)
        observations = np.empty((len(leaves), game.observation_size), np.int8)
        count = kernels.begin(*games, self._seed, roots, ranking, trees, leaves, observations)
        noise = ranking[2]
        drawn = noise.copy()
        np.copyto(noise, chosen, where=chosen != 0)
        while kernels.back_up(*search, leaves, count, *self._estimate(leaves[:count], observations[:count])):
            count = kernels.descend(*search, leaves, observations)
        noise[:] = drawn
        batch = SearchBatch.zeros(number, game)
        kernels.read_roots(*search, *batch[:-1])
        batch.nodes[:] = roots.view(kernels.ROOT_DTYPE)["used"][:, 0]
        return batch

    def _estimate(
        self, leaves: NDArray[np.int32], observations: NDArray[np.int8]
    ) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """The network's outputs for leaves; what a seat sees in the leaves of one tree is alike."""
        slots = leaves[:, kernels.ROOT].astype(np.int64) * self.player.game.max_players + leaves[:, kernels.SEAT]
        return self._forward(observations, slots)
