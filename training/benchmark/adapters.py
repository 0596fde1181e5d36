"""What brings an algorithm of another library to the benchmark: games with one learner, and its network as a player."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import nn

from agents.network import check_made_for, choose
from dunaia_env.envs.vector import DunaiaVectorEnv
from dunaia_env.harness.game import Game
from dunaia_env.harness.lanes import Lanes
from dunaia_env.harness.opponents import check_game
from dunaia_env.harness.state import GameState, View
from dunaia_env.support.array_files import ArrayFileError, read_arrays, write_arrays
from dunaia_env.support.messages import reason
from training.benchmark.algorithms import Task
from training.models.own_networks import state_arrays
from training.running import checkpoint

FORMAT, SCHEMA = "dunaia-benchmark-policy", 1


def one_seat(task: Task, games: int, opponents: Any = "random") -> DunaiaVectorEnv:
    """The games of a task with the learner in one seat, whichever the seed of each game says.

    Observations are ``{"observation": float32 (games, inputs), "action_mask": int8 (games, actions)}``. The entries are
    divided by their scales. An illegal action raises an error.

    Args:
        task: what to learn.
        games: number of games at once.
        opponents: who plays the other seats: one agent for all of them, by name or as an object, or a list.
    """
    return DunaiaVectorEnv(
        games,
        game=task.game,
        num_players=task.players,
        opponents=opponents,
        components=task.components(games),
        scale=True,
        illegal="raise",
        **task.game_options,
    )


class PolicyPlayer:
    """Plays the legal action with the highest output of a torch module, computed on the CPU.

    Args:
        policy: a module that maps observations as `one_seat` gives them, float32 ``(N, inputs)``, to logits or values
            of the actions, float32 ``(N, actions)``. The player keeps a copy.
        game: the game.

    Attributes:
        policy: the copy.
        parameters: number of its weights.
    """

    name, version = "policy", "1"

    def __init__(self, policy: nn.Module, game: Game) -> None:
        self.policy, self.game = deepcopy(policy).cpu().eval(), game
        self.parameters = sum(weights.numel() for weights in self.policy.parameters())

    def reset(self, seed: int) -> None:
        """Nothing is random."""

    def act(self, view: View | GameState) -> int:
        """The best legal action for the seat that decides."""
        check_game(self.name, self.game, view.game)
        return int(self._best(view.observation()[None], view.action_mask()[None])[0])

    def act_batch(self, lanes: Lanes, selected: NDArray[np.int64]) -> NDArray[np.int32]:
        """The best legal action for each selected lane."""
        check_game(self.name, self.game, lanes.game)
        return self._best(lanes.observations[selected], lanes.action_masks[selected])

    def _best(self, observations: NDArray[np.int8], action_masks: NDArray[np.int8]) -> NDArray[np.int32]:
        with torch.no_grad():
            logits = self.policy(torch.from_numpy(observations / self.game.observation_scale)).numpy()
        return choose(logits, action_masks, 0.0, np.zeros(len(logits)))

    def save(self, path: Path) -> None:
        """Write the weights, for `load`."""
        # Components are not compared: the task of a training says with which ones it plays.
        header = checkpoint.game_hashes(self.game, None) | {"format": FORMAT, "schema": SCHEMA}
        write_arrays(path, state_arrays(self.policy), header)

    @classmethod
    def load(cls, path: Path, policy: nn.Module, game: Game) -> PolicyPlayer:
        """Read a player that `save` has written.

        Args:
            path: the file.
            policy: a module like the one that was written, whose weights are replaced.
            game: the game.

        Raises `ArrayFileError` if the file is of another game or does not fit the module.
        """
        arrays, header = read_arrays(path, kind=FORMAT, schema=SCHEMA)
        check_made_for(path, header, game, None, any_components=True)
        try:
            policy.load_state_dict({name: torch.tensor(array) for name, array in arrays.items()})
        except RuntimeError as error:
            raise ArrayFileError(f"{path}: does not fit the network ({reason(error, 300)})") from error
        return cls(policy, game)
