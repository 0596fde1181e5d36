"""Conversions between the networks of model files, which need only NumPy and Numba, and those of the trainer."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn

from agents.dunaia.shared_network import SHARED, SharedModel
from agents.model import FIRST_LAYER, FIXED_POINT
from agents.network import Model, Network, make_model
from dunaia_env.dunaia.state import SQUARES
from dunaia_env.harness.game import Game
from dunaia_env.support.array_files import ArrayFileError, Arrays
from training.facts import facts_of
from training.models.networks import SharedNetwork
from training.ppo import PolicyNetwork


def model_of(network: nn.Module, arrays: Arrays, header: dict[str, Any]) -> Model | None:
    """The model that a network makes with some weights, ready to be saved; None for a network of the user's own.

    Raises `ValueError` naming weights that are not finite or too large.
    """
    if isinstance(network, PolicyNetwork):
        return make_model(arrays, header | {FIRST_LAYER: FIXED_POINT})
    if isinstance(network, SharedNetwork):
        return make_model(arrays, header | architecture_of(SHARED))
    return None


def architecture_of(name: str | None) -> dict[str, Any]:
    """The header entries of a model file for the network with this name in ``--network``."""
    return {} if name is None else {"architecture": name}


def network_of(model: Model, game: Game, seats: int) -> nn.Module:
    """The trainer's form of a model's network, which decides at tables of up to ``seats`` seats.

    The score head of a perceptron is not trained.
    """
    facts = facts_of(game, seats)
    if isinstance(model, SharedModel):
        shared = SharedNetwork(facts, len(model.widths), model.widths[0])
        shared.load_state_dict(_shared_state(model, seats))
        return shared
    assert isinstance(model, Network)
    input_size = len(facts.input_scale)
    state = {name: tensor for name, tensor in _state_of(model, input_size).items() if not name.startswith("score.")}
    actions, values = (len(state[f"{name}.bias"]) for name in ("policy", "value"))
    network = PolicyNetwork(state["input_scale"], actions, values, widths=model.widths, seed=0)
    network.load_state_dict(network.state_dict() | state)
    return network


def load_weights(network: nn.Module, model: Model, seats: int, path: str) -> None:
    """Give a network the weights of a model. The model may be for larger tables, and may have a score head or not.

    Args:
        network: the network of a run.
        model: the model.
        seats: number of seats of the run's largest table.
        path: the model's file, for messages.

    Raises `ArrayFileError` if the weights do not fit.
    """
    state = network.state_dict()
    if isinstance(network, SharedNetwork) and isinstance(model, SharedModel):
        found = _shared_state(model, seats)
    elif isinstance(network, PolicyNetwork) and isinstance(model, Network):
        found = _state_of(model, len(network.input_scale), len(network.value.bias))
    else:
        needed = SHARED if isinstance(network, SharedNetwork) else Network.architecture
        raise ArrayFileError(f"{path}: expected architecture {needed!r}, got {model.architecture!r}")
    for name, tensor in sorted(found.items()):
        shape, needed_shape = tuple(tensor.shape), tuple(state[name].shape) if name in state else "none"
        if shape != needed_shape:
            raise ArrayFileError(f"{path}: {name}: expected shape {needed_shape}, got {shape}")
    missing = sorted(name for name in state.keys() - found.keys() if not name.startswith("score."))
    if missing:
        hidden = sum(name.startswith("hidden.") and name.endswith(".weight") for name in state)
        hidden += isinstance(network, SharedNetwork)  # its first layer has another name
        raise ArrayFileError(f"{path}: expected {hidden} hidden layers, but there is no {missing[0]}")
    network.load_state_dict(state | found)


def _state_of(model: Network, input_size: int, seats: int | None = None) -> dict[str, Tensor]:
    """A model's arrays, cut to the inputs and seats of smaller tables, as the state of a network for those tables."""
    state = {name: torch.tensor(array) for name, array in model.used().items()}
    state["input_scale"] = state["input_scale"][:input_size]
    state["hidden.0.weight"] = state["hidden.0.weight"][:, :input_size]
    heads = [name for name in state if name.startswith(("value.", "score."))]
    return state | {name: state[name][:seats] for name in heads}


def _shared_state(model: SharedModel, seats: int) -> dict[str, Tensor]:
    """A model's arrays as the state of a network for smaller tables, where it decides as the model does.

    There the codes of absent players' squares are constant; what they contribute to the trunk is added to its bias.
    """
    arrays, former = model.used(), model.num_values
    others, units = SQUARES * (seats - 1), arrays["other_place"].shape[1]
    sizes = model.code_sizes
    first = sum(sizes[:3])
    columns = np.arange(sum(sizes))
    absent = (columns >= first + others * units) & (columns < first + sizes[3])
    codes = arrays["from_codes.weight"]
    arrays["from_codes.bias"] += codes[:, absent] @ np.maximum(arrays["other_place"][others:], 0).ravel()
    arrays["from_codes.weight"] = codes[:, ~absent]
    arrays["other_place"] = arrays["other_place"][:others]
    arrays["from_rest.weight"] = arrays["from_rest.weight"][:, : model.inputs_of_rest(seats)]
    rows = np.arange(len(arrays["trunk_heads.bias"]))
    kept = (rows % former < seats) | (rows >= 2 * former)  # without the values and scores of absent seats
    for name in ("trunk_heads.weight", "trunk_heads.bias"):
        arrays[name] = arrays[name][kept]
    return {name: torch.tensor(array) for name, array in arrays.items()}
