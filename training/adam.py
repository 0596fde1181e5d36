"""The parameters of a network as one array, and a step of Adam with clipped gradients as one compiled pass over it."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor, nn

from dunaia_env.support.compile_cache import any_order_kernel

Floats = NDArray[np.float32]


@any_order_kernel
def square_sum(values: Floats) -> float:
    """The sum of the squares of a float32 array."""
    total = 0.0
    for i in range(len(values)):
        total += values[i] * values[i]
    return total


@any_order_kernel
def adam(
    values: Floats,
    gradients: Floats,
    means: Floats,
    squares: Floats,
    factor: np.float32,
    keep_mean: np.float32,
    keep_square: np.float32,
    rate: np.float32,
    scale: np.float32,
    eps: np.float32,
) -> None:
    """Change parameters by a step of Adam (Kingma and Ba, 2015, algorithm 1).

    Args (P parameters):
        values, gradients: float32 ``(P,)``, the parameters and their gradients.
        means, squares: float32 ``(P,)``, the running means of the gradients and of their squares; brought up to date.
        factor: the gradients are multiplied by it.
        keep_mean, keep_square: the decay rates of the running means.
        rate: the learning rate, divided by the bias correction of the means.
        scale: 1 / the square root of the bias correction of the squares.
        eps: added to the root of the corrected squares.
    """
    one = np.float32(1)
    for i in range(len(values)):
        gradient = factor * gradients[i]
        means[i] = keep_mean * means[i] + (one - keep_mean) * gradient
        squares[i] = keep_square * squares[i] + (one - keep_square) * gradient * gradient
        # Unlike the operator, this function does not ask whether the divisor is 0, and is vectorised.
        values[i] -= rate * np.divide(means[i], np.sqrt(squares[i]) * scale + eps)


class Flat:
    """The parameters of some layers, or as many other numbers, in one array.

    Args:
        layers: the layers; with the strides of their parameters.

    Attributes:
        values: float32, all numbers; zeros at first.
        parts: the numbers of the weights and of the bias of each layer in turn, parts of ``values``.
    """

    def __init__(self, layers: Sequence[nn.Linear]) -> None:
        parameters = parameters_of(layers)
        *places, size = itertools.accumulate((parameter.numel() for parameter in parameters), initial=0)
        self.values = torch.zeros(size)
        self.parts = [
            self.values.as_strided(parameter.shape, parameter.stride(), place)
            for parameter, place in zip(parameters, places, strict=True)
        ]

    @property
    def layers(self) -> list[tuple[Tensor, Tensor]]:
        """The numbers of the weights and the bias of each layer."""
        return list(zip(self.parts[::2], self.parts[1::2], strict=True))


def parameters_of(layers: Sequence[nn.Linear]) -> list[Tensor]:
    """The weights and the bias of each layer in turn."""
    return [parameter for layer in layers for parameter in (layer.weight, layer.bias)]


def flattened(layers: Sequence[nn.Linear]) -> Flat:
    """Make the parameters of the layers parts of one array, which is returned; their values stay."""
    flat = Flat(layers)
    for parameter, part in zip(parameters_of(layers), flat.parts, strict=True):
        part.copy_(parameter.data)
        parameter.data = part
    return flat


class FlatAdam:
    """Makes the steps of a `torch.optim.Adam`, without weight decay and variants, on flat arrays.

    The optimiser keeps the state, which is saved and loaded as always.

    Args:
        layers: the layers whose parameters are optimised.
        parameters: their parameters, see `flattened`.
    """

    def __init__(self, layers: Sequence[nn.Linear], parameters: Flat) -> None:
        means, squares = Flat(layers), Flat(layers)
        self._arrays = [flat.values.numpy() for flat in (parameters, means, squares)]
        self._state = list(zip(parameters_of(layers), means.parts, squares.parts, strict=True))

    def step(self, optimizer: torch.optim.Adam, gradients: Tensor, most_norm: float) -> None:
        """Clip the norm of the gradients, float32 ``(P,)``, and make a step."""
        steps = self._next_step(optimizer)
        (group,), (values, means, squares), given = optimizer.param_groups, self._arrays, gradients.numpy()
        norm, (keep_mean, keep_square) = math.sqrt(square_sum(given)), group["betas"]
        rate, scale = group["lr"] / (1 - keep_mean**steps), 1 / math.sqrt(1 - keep_square**steps)
        numbers = min(1.0, most_norm / (norm + 1e-6)), keep_mean, keep_square, rate, scale, group["eps"]
        adam(values, given, means, squares, *(np.float32(number) for number in numbers))

    def _next_step(self, optimizer: torch.optim.Adam) -> float:
        """Count a step, and give the optimiser the flat state if it is new or its state was loaded."""
        for parameter, mean, square in self._state:
            state = optimizer.state[parameter]
            if state.get("exp_avg") is not mean:
                mean.copy_(state.get("exp_avg", torch.zeros(())))
                square.copy_(state.get("exp_avg_sq", torch.zeros(())))
                state |= {"step": state.get("step", torch.zeros(())), "exp_avg": mean, "exp_avg_sq": square}
            state["step"] += 1
        return float(state["step"])
