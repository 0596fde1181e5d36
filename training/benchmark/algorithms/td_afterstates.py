"""TD(λ) of afterstates: a network values the positions after the legal actions, and learns from every seat."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from agents.network import check_made_for
from dunaia_env import Lanes
from dunaia_env.harness.compiled import chance
from dunaia_env.harness.game import Game
from dunaia_env.harness.opponents import check_game
from dunaia_env.harness.state import GameState, View, prepare, view_of
from dunaia_env.support.array_files import Arrays, read_arrays, write_arrays
from training.benchmark.algorithms import Task
from training.benchmark.algorithms.afterstates import flattened, value_actions, value_actions_one
from training.benchmark.algorithms.replay import Floats, ReplayLearner
from training.running import checkpoint

FORMAT, SCHEMA = "dunaia-afterstates", 1
LAYERS = 3
# Positions that are evaluated at once.
CHUNK = 4096


class ValueNetwork(nn.Module):
    """A multilayer perceptron with ReLU that estimates the reward which the observing seat expects.

    Args:
        input_scale: float32 ``(inputs,)``, the numbers by which observations are divided.
        widths: number of units of both hidden layers.
        seed: seed of the initial weights.
    """

    input_scale: Tensor

    def __init__(self, input_scale: Tensor, widths: tuple[int, int], seed: int) -> None:
        super().__init__()
        self.register_buffer("input_scale", input_scale.clone())
        sizes = [len(input_scale), *widths, 1]
        self.layers = nn.ModuleList(nn.Linear(*pair) for pair in itertools.pairwise(sizes))
        generator = torch.Generator().manual_seed(seed)
        for layer, gain in zip(self.linear(), (2**0.5, 2**0.5, 0.1), strict=True):
            nn.init.orthogonal_(layer.weight, gain, generator)
            nn.init.zeros_(layer.bias)

    def linear(self) -> list[nn.Linear]:
        """The layers in order."""
        return [layer for layer in self.layers if isinstance(layer, nn.Linear)]

    def forward(self, observations: Tensor) -> Tensor:
        """The estimates, float32 ``(B,)``, for observations, int8 ``(B, inputs)``."""
        first, second, last = self.linear()
        # Dividing the weights instead of the observations gives the same result with less work.
        x = torch.relu(nn.functional.linear(observations.float(), first.weight / self.input_scale, first.bias))
        values: Tensor = last(torch.relu(second(x))).squeeze(1)
        return values

    def arrays(self) -> Arrays:
        """Copies of the weights by name, for unscaled observations: ``<layer>.weight`` ``(inputs, outputs)``, bias."""
        found: Arrays = {}
        for number, layer in enumerate(self.linear()):
            weight = layer.weight / self.input_scale if number == 0 else layer.weight
            found[f"{number}.weight"] = weight.detach().T.contiguous().numpy().copy()
            found[f"{number}.bias"] = layer.bias.detach().numpy().copy()
        return found


def parameters_of(arrays: Arrays, margin: float) -> Floats:
    """The array of a network for compiled code, from `ValueNetwork.arrays` and the weight of the margin."""
    return flattened([(arrays[f"{number}.weight"], arrays[f"{number}.bias"]) for number in range(LAYERS)], margin)


class AfterstateAgent:
    """Takes the action whose afterstate has the highest value; its decisions are the same alone and in any batch.

    Args:
        arrays: the weights, see `ValueNetwork.arrays`.
        game: the game that the network was trained for.
        header: the header of the agent's file, with ``version``, ``players`` (of the largest table) and
            ``margin`` (its weight in the reward).
    """

    name = "td_afterstates"

    def __init__(self, arrays: Arrays, game: Game, header: dict[str, Any]) -> None:
        self.arrays, self._game, self._header = arrays, game, header
        self.version = str(header["version"])
        self.parameters = sum(array.size for array in arrays.values())
        self._parameters = parameters_of(arrays, header["margin"])
        self.reset(0)

    def reset(self, seed: int) -> None:
        """Set the seed of what is drawn when an action is tried."""
        # Hashed, because with a seed that equals the game's, the samples would be the game's own outcomes.
        self._seed = int(chance.hashed_seed(seed, chance.AGENT, 0, 0))

    def act(self, view: View | GameState) -> int:
        """The best legal action for the seat that decides; ties go to the first."""
        self._check(view.game, view.num_players)
        view = view_of(view)
        actions = view.legal_actions()
        legal = np.zeros(self._game.num_actions, np.int16)
        legal[: len(actions)] = actions
        values = np.full(self._game.num_actions, -np.inf, np.float32)
        # A copy, because kernels are compiled ahead for writable arrays.
        state = np.frombuffer(view.to_bytes(), np.uint8).copy()
        decision = state, view.components.buffer, self._parameters, self._seed, legal, len(actions)
        value_actions_one(prepare(self._game), *decision, values)
        return int(values.argmax())

    def act_batch(self, lanes: Lanes, selected: NDArray[np.int64]) -> NDArray[np.int32]:
        """The best legal action for each selected lane; ties go to the first."""
        self._check(lanes.game, int(lanes.num_players[selected].max(initial=0)))
        return best_actions(lanes, self._parameters, self._seed, selected).astype(np.int32)

    def _check(self, game: Game, players: int) -> None:
        """Raise `ValueError` for another game, and for a table that is larger than those of the training."""
        check_game(self.name, self._game, game)
        if players > self._header["players"]:
            raise ValueError(f"num_players: {players}; {self.name} was trained for at most {self._header['players']}")

    def save(self, path: Path) -> None:
        """Write the agent, for `TDAfterstates.load_player`."""
        write_arrays(path, self.arrays, self._header | {"format": FORMAT, "schema": SCHEMA})


def best_actions(lanes: Lanes, parameters: Floats, seed: int, selected: NDArray[np.int64]) -> NDArray[np.int64]:
    """The legal action with the best afterstate for each selected lane, int64 ``(K,)``."""
    values = np.full((len(selected), lanes.num_actions), -np.inf, np.float32)
    lanes.call_kernel(value_actions, parameters, seed, selected, values)
    best: NDArray[np.int64] = values.argmax(axis=1)
    return best


class TDAfterstates(ReplayLearner):
    """TD(λ) of afterstates with one ply of search, self-play on every seat.

    Like TD-Gammon (Tesauro, 1995), but with a network that sees the raw observation, and with targets for a memory of
    decisions. The value of an afterstate is learned from that of the same seat's next one.

    Args:
        task: what to learn.
    """

    OPTIONS: ClassVar[dict[str, Any]] = {
        "lanes": 64,
        "steps": 64,
        "memory": 32_768,
        "batch": 512,
        "replays": 2.0,
        "learning_rate": 1e-3,
        "trace_decay": 0.9,
        "exploration": (0.2, 0.02),
        "exploration_part": 0.5,
        "margin": 0.5,
        "widths": (256, 32),
    }
    SPACE: ClassVar[dict[str, tuple[Any, ...]]] = {
        "learning_rate": (5e-4, 1e-3, 2e-3),
        "trace_decay": (0.7, 0.9, 0.97),
        "replays": (1.0, 2.0, 4.0),
        "margin": (0.0, 0.5, 1.0),
    }

    network: ValueNetwork

    def __init__(self, task: Task) -> None:
        options = {**self.OPTIONS, **task.options}
        super().__init__(task, options, 0, lambda scale: ValueNetwork(scale, tuple(options["widths"]), task.seed))

    def begin_rollout(self) -> None:
        """Copy the present network for compiled code."""
        self._parameters = parameters_of(self.network.arrays(), self.options["margin"])

    def play(self) -> None:
        """Make one decision in each lane, and remember the afterstates that really came."""
        lanes = self.lanes
        everywhere, seats = np.arange(lanes.num_lanes), lanes.seats.copy()
        actions = self.explored(best_actions(lanes, self._parameters, int(self.random.integers(2**52)), everywhere))
        lanes.step(actions)  # also begins the next game where one has ended; its position is not used
        seen = np.zeros((lanes.num_lanes, lanes.observation_size), np.int8)
        for lane, seat in enumerate(seats):
            lanes.write_observation(lane, int(seat), seen[lane])
        self.memory.add(
            observations=seen[:, : self.inputs],
            seats=seats,
            rewards=self.rewards(),
            terminations=lanes.terminations,
        )

    def returns(self) -> tuple[Floats, NDArray[np.bool_]]:
        """The λ-returns of afterstates; that of a finished game is its reward, and nothing is to be learned of it."""
        memory, order = self.memory, self.memory.order
        with torch.no_grad():
            seen = torch.split(torch.from_numpy(memory.observations[order].reshape(-1, self.inputs)), CHUNK)
            values = torch.cat([self.network(part) for part in seen]).numpy().reshape(len(order), -1)
        ended = memory.terminations[order]
        own = np.take_along_axis(memory.rewards[order], memory.seats[order][:, :, None].astype(np.int64), 2)[:, :, 0]
        values[ended] = own[ended]
        returns, known = memory.returns(values, self.options["trace_decay"])
        return returns, known & ~ended

    def predict(self, rows: NDArray[np.int64], lanes: NDArray[np.int64]) -> Tensor:
        """See `ReplayLearner.predict`."""
        values: Tensor = self.network(torch.from_numpy(self.memory.observations[rows, lanes]))
        return values

    def player(self) -> AfterstateAgent:
        """A player that takes the action with the best afterstate."""
        header = checkpoint.game_hashes(self.task.game, self.lanes.components_of(0)) | {
            "version": str(self.decisions),
            "players": self.task.players,
            "margin": self.options["margin"],
        }
        return AfterstateAgent(self.network.arrays(), self.task.game, header)

    @staticmethod
    def load_player(path: Path, task: Task) -> AfterstateAgent:
        """Read a player that `AfterstateAgent.save` has written; raises `ArrayFileError` for one of another game."""
        arrays, header = read_arrays(path, kind=FORMAT, schema=SCHEMA)
        check_made_for(path, header, task.game, None, any_components=task.family is not None)
        return AfterstateAgent(arrays, task.game, header)
