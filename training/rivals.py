"""Rivals: agents at some of the tables, so that the network also learns to beat players that are unlike itself.

In self-play with several players, everyone grows strong at once, and nobody learns how to punish the mistakes of a
weak player before the others do. A rival holds all seats but one at its tables. Nothing is learned from its decisions.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dunaia_env.harness.opponents import Agent


class Rivals:
    """The rivals of a run; they take the tables in turn.

    Args:
        agents: at least one agent.
        tables: bool ``(N,)``, the lanes at whose tables rivals play.
    """

    def __init__(self, agents: Sequence[Agent], tables: NDArray[np.bool_]) -> None:
        lanes = np.flatnonzero(tables)
        self._tables = [(agent, lanes[number :: len(agents)]) for number, agent in enumerate(agents)]

    def replace_actions(self, lanes: Any, seats: NDArray[np.int8], actions: NDArray[np.int32]) -> None:
        """Overwrite the actions of the lanes in which a rival decides.

        Args:
            lanes: the N games.
            seats: int8 ``(N,)``, see `training.past_players.learner_seats`.
            actions: int32 ``(N,)``.
        """
        for agent, tables in self._tables:
            selected = tables[seats[tables] < 0]
            if len(selected):
                actions[selected] = agent.act_batch(lanes, selected)
