"""Networks of your own: made by a function that ``--network`` names, trained like the default one, played with torch.

    python -m training.ppo --network my_module:make_network

`training/examples/own_network.py` is an example. The function takes `training.facts.GameFacts` and the arguments and
returns a module that maps observations, int8 ``(N, inputs)``, to `training.facts.Estimates`. Initial weights that it
draws from torch's global generator depend on ``--seed``.

The model file of such a run holds the weights and the name of the function; nothing in it is executed. `TorchAgent`
plays it. A search (``model.safetensors+64``, ``--simulations``), `training.models.publish` and `training.models.export`
do not work with it, because they need a network of the project. Layers that compute differently in training and in
play, such as dropout and batch normalisation, are refused.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from agents.model import lineage_of
from agents.network import check_made_for, choose
from dunaia_env.harness.game import Game
from dunaia_env.harness.lanes import Lanes
from dunaia_env.harness.lineage import Lineage
from dunaia_env.harness.registry import DEFAULT_GAME
from dunaia_env.harness.state import GameState, View
from dunaia_env.support.array_files import ArrayFileError, Arrays, read_arrays, write_arrays
from dunaia_env.support.messages import MOST_OF_A_TEXT, reason, shorten
from dunaia_env.support.modules import load_attribute
from training.arguments import arguments_of
from training.facts import Estimates, GameFacts, facts_of
from training.ppo import MakeNetwork, PPOArguments

# Part of the message of code that needs a network of the project.
MODEL_FORMAT = "dunaia-network for training.models.own_networks.TorchAgent"
MODEL_SCHEMA = 1
# Layers whose output depends on whether the network is in training, or on the rest of the batch.
REFUSED_LAYERS = (nn.modules.dropout._DropoutNd, nn.modules.batchnorm._NormBase)


def load_function(name: str) -> MakeNetwork:
    """The function that ``--network`` names; raises `ValueError` if there is none."""
    try:
        function: MakeNetwork = load_attribute(name)
    except (ImportError, AttributeError, TypeError, ValueError) as error:
        raise ValueError(
            f"network: {shorten(name, MOST_OF_A_TEXT)}: expected my_module:make_network, or"
            f" ./my_module.py:make_network; {reason(error)}"
        ) from error
    if not callable(function):
        raise ValueError(f"network: {shorten(name, MOST_OF_A_TEXT)}: expected a function like make_network")
    return function


def make(function: MakeNetwork, facts: GameFacts, arguments: PPOArguments) -> nn.Module:
    """The network that a function makes, with initial weights that depend on the arguments' seed.

    Raises `ValueError` if the result is no network, if a layer or a weight is not allowed, or if it does not return
    `Estimates` of the right types and shapes.
    """
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(arguments.seed)
        network = function(facts, arguments)
    if not isinstance(network, nn.Module):
        raise ValueError(f"network: expected a torch module from {arguments.network}, got {type(network).__name__}")
    for name, layer in network.named_modules():
        if isinstance(layer, REFUSED_LAYERS):
            raise ValueError(
                f"network: expected a layer that does not, such as LayerNorm, got {name} is {type(layer).__name__},"
                " which computes differently in training and in play"
            )
    for name, tensor in network.state_dict().items():
        if tensor.is_floating_point() and tensor.dtype != torch.float32:
            raise ValueError(f"network: {name}: expected torch.float32, got {tensor.dtype}")
    sizes = {"logits": facts.num_actions, "values": facts.seats, "scores": facts.seats}
    with torch.no_grad():
        estimates = network(torch.zeros((2, len(facts.input_scale)), dtype=torch.int8))
    if not (isinstance(estimates, tuple) and len(estimates) == len(sizes)):
        raise ValueError(
            f"network: {arguments.network}: expected Estimates from forward, got {type(estimates).__name__}"
        )
    for (name, size), tensor in zip(sizes.items(), estimates, strict=True):
        if not isinstance(tensor, Tensor) or tensor.dtype != torch.float32 or tensor.shape != (2, size):
            found = f"{tensor.dtype} {tuple(tensor.shape)}" if isinstance(tensor, Tensor) else type(tensor).__name__
            raise ValueError(
                f"network: {arguments.network}: {name} of 2 observations: expected torch.float32 (2, {size}), got"
                f" {found}"
            )
    return network


def state_arrays(network: nn.Module) -> Arrays:
    """Copies of a network's weights and buffers as arrays, by name."""
    return {name: tensor.detach().cpu().numpy().copy() for name, tensor in network.state_dict().items()}


class TorchAgent:
    """Plays the most likely legal action of a network of your own, computed by torch on the CPU.

    torch may round differently in batches of different sizes, so the choice between two equally good actions may depend
    on the batch.

    Args:
        network: a module as `training.ppo.make_network` returns it; it is moved to the CPU.
        header: the header of its model file, see `training.trainer.Trainer.model_header`.
        game: the game that the network was trained for.

    Attributes:
        name, version: the agent's name and version in tables and replays.
        arrays: the weights by name.
    """

    def __init__(self, network: nn.Module, header: Mapping[str, Any], *, game: Game = DEFAULT_GAME) -> None:
        self.network = network.cpu()
        self.header = dict(header)
        self.game = game
        self.name = str(header["name"])
        self.version = str(header["version"])
        self._most_players = max(header["players"])
        self._input_size = int(game.used_size(self._most_players))

    @property
    def arrays(self) -> Arrays:
        """The weights and buffers by name."""
        return state_arrays(self.network)

    @property
    def lineage(self) -> Lineage:
        """The lineage of the network's weights; raises `ValueError` naming what is wrong with the header."""
        return lineage_of(self.arrays, self.header)

    @classmethod
    def load(
        cls,
        path: str | os.PathLike[str],
        function: MakeNetwork,
        *,
        components: Any = None,
        any_components: bool = False,
        game: Game = DEFAULT_GAME,
    ) -> TorchAgent:
        """Load the player of a model file.

        Args:
            path: the file.
            function: the function that made the network.
            components: the component file that the network must have been trained for, or a sequence of them; the
                game's own for None.
            any_components: allow any components.
            game: the game.

        Raises `ArrayFileError` naming what does not fit.
        """
        arrays, header = read_arrays(path, kind=MODEL_FORMAT, schema=MODEL_SCHEMA)
        check_made_for(path, header, game, components, any_components=any_components)
        try:
            arguments = arguments_of(header.get("arguments"))
            network = make(function, facts_of(game, max(arguments.players)), arguments)
            network.load_state_dict({name: torch.tensor(array) for name, array in arrays.items()})
            return cls(network, header | {"players": list(arguments.players)}, game=game)
        except (ValueError, KeyError, RuntimeError) as error:
            raise ArrayFileError(f"{path}: does not fit the network ({reason(error, 300)})") from error

    def reset(self, seed: int) -> None:
        """Nothing depends on the seed."""

    def check_players(self, players: int) -> None:
        """Raise `ValueError` for a table with more players than the network was trained for."""
        if players > self._most_players:
            raise ValueError(
                f"num_players: {players}; the network {self.name!r} was trained for at most {self._most_players}"
            )

    def forward(self, observations: NDArray[np.int8]) -> tuple[NDArray[np.float32], NDArray[np.float32]]:
        """Logits ``(N, actions)`` and values ``(N, seats)`` of observations ``(N, at least the used inputs)``."""
        with torch.no_grad():
            estimates: Estimates = self.network(torch.from_numpy(observations[:, : self._input_size].copy()))
        return estimates.logits.numpy(), estimates.values.numpy()

    def act(self, view: View | GameState) -> int:
        """A legal action for the seat that decides."""
        self.check_players(view.num_players)
        logits, _ = self.forward(view.observation()[None])
        return int(choose(logits, view.action_mask()[None], 0.0, np.zeros(1))[0])

    def act_batch(self, lanes: Lanes, selected: NDArray[np.int64]) -> NDArray[np.int32]:
        """A legal action for each selected lane."""
        self.check_players(int(lanes.num_players[selected].max(initial=0)))
        logits, _ = self.forward(lanes.observations[selected])
        return choose(logits, lanes.action_masks[selected], 0.0, np.zeros(len(selected)))

    def value(self, view: View | GameState) -> float:
        """The expected reward of the seat that decides."""
        self.check_players(view.num_players)
        return float(self.forward(view.observation()[None])[1][0, 0])

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the model file."""
        write_arrays(path, self.arrays, self.header | {"format": MODEL_FORMAT, "schema": MODEL_SCHEMA})
