"""Expert iteration: a search guided by the present network decides, and the network learns what the search has found.

The method is that of Anthony, Tian, Barber, "Thinking fast and slow with deep learning and tree search" (2017). The
search, and the improved policy that the network learns, are those of Danihelka, Guez, Schrittwieser, Silver, "Policy
improvement by planning with Gumbel" (2022), see `dunaia_env.harness.compiled.guided`. Few simulations per decision are
enough: with dice, deep plans are worth little.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.guided import GuidedAgent
from agents.network import NetworkAgent
from training.imitation import Imitation


class Teacher:
    """Searches the positions of many lanes at once.

    Args:
        player: the network that guides the search.
        simulations: number of simulations of each search, at least 2.
        candidates, value_scale: see `agents.guided.GuidedAgent`.
        seed: determines, together with the positions, all chance in the searches.
        threads: number of threads that search at the same time.
    """

    def __init__(
        self, player: NetworkAgent, *, simulations: int, candidates: int, value_scale: float, seed: int, threads: int
    ) -> None:
        self._search = GuidedAgent(player, simulations, candidates=candidates, value_scale=value_scale, noise=True)
        self._search.reset(seed)
        self._threads = threads

    def decide(self, lanes: Any, selected: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.float16]]:
        """Actions int32 ``(K,)`` for K lanes, and the improved policies, float16 ``(K, actions)``.

        The actions are drawn with Gumbel noise; the policies are computed without it.
        """
        actions = np.zeros(len(selected), np.int32)
        policies = np.zeros((len(selected), lanes.num_actions), np.float16)
        positions = lanes.snapshot()["states"][selected]
        components = [lanes.components_of(lane) for lane in selected.tolist()]

        def search(part: NDArray[np.int64]) -> None:
            found = self._search.search_positions(positions[part], [components[row] for row in part])
            actions[part] = found.best()
            rows = np.repeat(part, found.counts)
            policies[rows, found.actions[found.legal]] = found.policies[found.legal]

        parts = [part for part in np.array_split(np.arange(len(selected)), self._threads) if len(part)]
        with ThreadPoolExecutor(self._threads, "search") as pool:
            list(pool.map(search, parts))
        return actions, policies


class ExpertIteration(Imitation):
    """Lets a teacher decide in a share of the lanes at every step of a rollout.

    Args:
        make_teacher: makes a teacher from the present network and a seed.
        share: share of the decisions that are searched, 0..1.
        own_lanes: this process's lanes among those of all processes.
        num_lanes: number of lanes of all processes.
        weight: weight of the imitation loss.
    """

    def __init__(
        self, make_teacher: Callable[[int], Teacher], *, share: float, own_lanes: slice, num_lanes: int, weight: float
    ) -> None:
        self.weight = weight
        self._make_teacher = make_teacher
        self._share = share
        self._own_lanes = own_lanes
        self._num_lanes = num_lanes

    def begin_rollout(self, random: np.random.Generator) -> None:
        """Search with the present network until the next rollout begins."""
        self._teacher = self._make_teacher(int(random.integers(2**32)))

    def replace_actions(
        self,
        lanes: Any,
        seats: NDArray[np.int8],
        actions: NDArray[np.int32],
        teacher_policies: NDArray[np.float16],
        random: np.random.Generator,
    ) -> None:
        """Overwrite the actions of the lanes that are searched, and write the policies that the searches found."""
        uniforms = random.random(self._num_lanes, np.float32)[self._own_lanes]
        selected = np.flatnonzero((uniforms < self._share) & (seats >= 0))
        teacher_policies[:] = 0
        actions[selected], teacher_policies[selected] = self._teacher.decide(lanes, selected)
