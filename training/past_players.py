"""Past players: snapshots of the network at some of the tables, so that the network still learns to beat them.

At such a table they hold all seats but one. Nothing is learned from their decisions. A frozen model can play in their
place; the run then trains a best response to it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from dunaia_env.support.array_files import Arrays


class PastPlayers:
    """Holds up to ``capacity`` snapshots; when there is no room, a new snapshot replaces a random one.

    Args:
        network: plays for all past players; for each rollout it takes the weights of a random snapshot.
        tables: bool ``(N,)``, the lanes at whose tables past players play, see `choose_tables`.
        forward: computes ``network``, see `training.compute.Compute.forward_past`.
        capacity: largest number of snapshots, at least 1.
        interval: number of updates between two snapshots.
        frozen: whether the network keeps its own weights and no snapshot is taken.
    """

    def __init__(
        self,
        network: nn.Module,
        tables: NDArray[np.bool_],
        forward: Callable[[NDArray[np.int8], NDArray[np.int8], NDArray[np.int8]], NDArray[np.float32]],
        *,
        capacity: int,
        interval: int = 1,
        frozen: bool = False,
    ) -> None:
        if capacity < 1:
            raise ValueError(f"past_kept: expected at least 1, got {capacity}")
        self.network = network
        self.tables = tables
        self.capacity = capacity
        self.snapshots: list[dict[str, Tensor]] = []
        self._forward = forward
        self._interval = interval
        self._frozen = frozen

    def begin_rollout(self, learner: nn.Module, updates: int, random: np.random.Generator) -> None:
        """Take a snapshot of the learner if one is due, and load a random snapshot for the next rollout.

        Args:
            learner: the network that is trained.
            updates: number of updates of the learner so far.
            random: draws the snapshot that is replaced and the snapshot that plays.
        """
        if self._frozen:
            return
        if updates % self._interval == 0:
            self.add(learner, random)
        self.network.load_state_dict(self.snapshots[int(random.integers(len(self.snapshots)))])

    def add(self, learner: nn.Module, random: np.random.Generator) -> None:
        """Take a snapshot of a network."""
        while len(self.snapshots) >= self.capacity:  # a resumed run may keep fewer than before
            del self.snapshots[int(random.integers(self.capacity))]
        self.snapshots.append({name: tensor.detach().clone() for name, tensor in learner.state_dict().items()})

    def replace_logits(
        self,
        logits: NDArray[np.float32],
        observations: NDArray[np.int8],
        learner_seats: NDArray[np.int8],
        action_masks: NDArray[np.int8],
        seats: NDArray[np.int8],
    ) -> None:
        """Overwrite the logits of the lanes in which a past player decides.

        Args:
            logits: float32 ``(N, actions)``.
            observations: int8 ``(N, padded inputs)``.
            learner_seats: int8 ``(N,)``, see `learner_seats`.
            action_masks: int8 ``(N, actions)``.
            seats: int8 ``(N,)``, the deciding seats.
        """
        by_past_player = self.tables & (learner_seats < 0)
        if by_past_player.any():
            deciding = np.where(by_past_player, seats, np.int8(-1))
            logits[by_past_player] = self._forward(observations, deciding, action_masks)[by_past_player]

    def arrays(self) -> Arrays:
        """All snapshots as the arrays of a checkpoint, named ``<number>.<name of the weights>``."""
        return {
            f"{number}.{name}": tensor.cpu().numpy()
            for number, snapshot in enumerate(self.snapshots)
            for name, tensor in snapshot.items()
        }

    def restore(self, arrays: Arrays, device: torch.device) -> None:
        """The inverse of `arrays`."""
        found: dict[int, dict[str, Tensor]] = {}
        for key, array in arrays.items():
            number, name = key.split(".", 1)
            found.setdefault(int(number), {})[name] = torch.tensor(array, device=device)
        self.snapshots = [found[number] for number in sorted(found)]


def choose_tables(tables: int, share: float) -> NDArray[np.bool_]:
    """A share of the tables, bool ``(tables,)``, picked at random but always the same; a larger share has them all."""
    chosen = np.zeros(tables, np.bool_)
    chosen[np.random.default_rng(0).permutation(tables)[: round(share * tables)]] = True
    return chosen


def learner_seats(lanes: Any, tables: NDArray[np.bool_]) -> NDArray[np.int8]:
    """The seat that decides in each lane, int8 ``(N,)``; -1 where it is not the learner's.

    Args:
        lanes: the N games.
        tables: bool ``(N,)``, the lanes at whose tables others hold all seats but one. The game's seed determines the
            learner's seat there, so it changes from game to game.
    """
    by_another = tables & (lanes.seats != lanes.game_seeds % lanes.num_players)
    return np.where(by_another, np.int8(-1), lanes.seats)
