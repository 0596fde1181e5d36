"""Past players: snapshots of the network that sit at some of the tables, so that old weaknesses are not forgotten."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from dunaia_env.support.array_files import Arrays
from training.policy import PolicyNetwork


class PastPlayers:
    """Up to ``capacity`` snapshots. A new one takes the place of a random one when there is no room.

    Args:
        capacity: most snapshots, at least 1.
    """

    def __init__(self, capacity: int) -> None:
        if capacity < 1:
            raise ValueError(f"past_kept: {capacity}; at least 1 is needed")
        self.capacity = capacity
        self.snapshots: list[dict[str, Tensor]] = []

    def add(self, network: PolicyNetwork, random: np.random.Generator) -> None:
        """Keep the network as it is now."""
        while len(self.snapshots) >= self.capacity:  # a resumed run may keep fewer than before
            del self.snapshots[int(random.integers(self.capacity))]
        self.snapshots.append({name: tensor.detach().clone() for name, tensor in network.state_dict().items()})

    def seat(self, network: PolicyNetwork, random: np.random.Generator) -> None:
        """Give a network the weights of a random snapshot."""
        network.load_state_dict(self.snapshots[int(random.integers(len(self.snapshots)))])

    def arrays(self) -> Arrays:
        """All snapshots, to be saved, as ``<number>.<name of the weights>``."""
        return {
            f"{number}.{name}": tensor.cpu().numpy()
            for number, snapshot in enumerate(self.snapshots)
            for name, tensor in snapshot.items()
        }

    def restore(self, arrays: dict[str, NDArray[Any]], device: torch.device) -> None:
        """The inverse of `arrays`."""
        found: dict[int, dict[str, Tensor]] = {}
        for key, array in arrays.items():
            number, name = key.split(".", 1)
            found.setdefault(int(number), {})[name] = torch.tensor(array, device=device)
        self.snapshots = [found[number] for number in sorted(found)]


def tables_of_past(tables: int, share: float) -> NDArray[np.bool_]:
    """At which tables past players sit, bool ``(tables,)``: a share of them, picked at random but always the same."""
    chosen = np.zeros(tables, np.bool_)
    chosen[np.random.default_rng(0).permutation(tables)[: round(share * tables)]] = True
    return chosen


def seats_of_past(
    seats: NDArray[np.integer[Any]],
    game_seeds: NDArray[np.integer[Any]],
    num_players: NDArray[np.integer[Any]],
    tables: NDArray[np.bool_],
) -> NDArray[np.bool_]:
    """Whether a past player decides, bool ``(N,)``: at some tables in all seats but one, named by the game's seed."""
    by_past: NDArray[np.bool_] = tables & (seats != game_seeds % num_players)
    return by_past
