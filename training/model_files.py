"""Networks of model files, which play with NumPy alone, as networks of the trainer."""

from __future__ import annotations

import torch
from torch import Tensor

from agents.network import Network
from dunaia_env.support.array_files import ArrayFileError
from training.ppo import PolicyNetwork


def network_of(model: Network, input_size: int) -> PolicyNetwork:
    """The network of a model file that decides in training; its score head is not trained.

    Args:
        model: the model.
        input_size: number of inputs that are used: those that can differ from zero at the tables of the run.
    """
    state = {name: tensor for name, tensor in _state_of(model, input_size).items() if not name.startswith("score.")}
    width, actions, seats = (len(state[f"{name}.bias"]) for name in ("hidden.0", "policy", "value"))
    network = PolicyNetwork(state["input_scale"], actions, seats, layers=model.depth, width=width, seed=0)
    network.load_state_dict(network.state_dict() | state)
    return network


def load_weights(network: PolicyNetwork, model: Network, path: str) -> None:
    """Give a network the weights of a model, which may be one for larger tables, with or without a score head.

    Args:
        network: the network of a run.
        model: the model.
        path: its file, for messages.

    Raises `ArrayFileError` if they do not fit.
    """
    state = network.state_dict()
    found = _state_of(model, len(network.input_scale), len(network.value.bias))
    for name, tensor in sorted(found.items()):
        shape, needed = tuple(tensor.shape), tuple(state[name].shape) if name in state else "none"
        if shape != needed:
            raise ArrayFileError(f"{path}: {name} has shape {shape}; {needed} is needed")
    missing = sorted(name for name in state.keys() - found.keys() if not name.startswith("score."))
    if missing:
        raise ArrayFileError(f"{path}: has no {missing[0]}; {len(network.hidden)} hidden layers are needed")
    network.load_state_dict(state | found)


def _state_of(model: Network, input_size: int, seats: int | None = None) -> dict[str, Tensor]:
    """A model's arrays as the state of a network for smaller tables, with as many inputs and seats as those have."""
    state = {name: torch.tensor(array) for name, array in model.used().items()}
    state["input_scale"] = state["input_scale"][:input_size]
    state["hidden.0.weight"] = state["hidden.0.weight"][:, :input_size]
    heads = [name for name in state if name.startswith(("value.", "score."))]
    return state | {name: state[name][:seats] for name in heads}
