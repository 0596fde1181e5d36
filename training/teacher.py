"""Expert iteration: a search guided by the present network decides, and the network learns what the search has found.

Anthony, Tian, Barber, "Thinking fast and slow with deep learning and tree search" (2017); the search and the improved
policy that is learned are those of Danihelka, Guez, Schrittwieser, Silver, "Policy improvement by planning with Gumbel"
(2022), see `dunaia_env.harness.compiled.guided`. With few simulations a decision, as dice make deep plans worth little.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
from numpy.typing import NDArray

from agents.guided import GuidedAgent
from agents.network import NetworkAgent


class Teacher:
    """Searches many decisions of lanes.

    Args:
        player: the network.
        simulations: of each search, at least 2.
        candidates, value_scale: see `agents.guided.GuidedAgent`.
        seed: of all chance in the searches, together with the positions.
        threads: that search at the same time.
    """

    def __init__(
        self, player: NetworkAgent, *, simulations: int, candidates: int, value_scale: float, seed: int, threads: int
    ) -> None:
        self._search = GuidedAgent(player, simulations, candidates=candidates, value_scale=value_scale, noise=True)
        self._search.reset(seed)
        self._threads = threads

    def decide(self, lanes: Any, selected: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.float16]]:
        """What the search chooses in K lanes, int32 ``(K,)``, and the improved policies, float16 ``(K, actions)``.

        The choice is drawn by Gumbel noise; the policy is without it.
        """
        actions = np.zeros(len(selected), np.int32)
        policies = np.zeros((len(selected), lanes.num_actions), np.float16)
        positions = lanes.snapshot()["states"][selected]

        def work(part: NDArray[np.int64]) -> None:
            found = self._search.search_positions(positions[part], lanes.components)
            actions[part] = found.best()
            rows = np.repeat(part, found.counts)
            policies[rows, found.actions[found.legal]] = found.policies[found.legal]

        parts = [part for part in np.array_split(np.arange(len(selected)), self._threads) if len(part)]
        with ThreadPoolExecutor(self._threads, "search") as pool:
            list(pool.map(work, parts))
        return actions, policies
