"""The compiled step of Adam beside that of torch."""

from __future__ import annotations

import copy
import itertools
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from training.adam import FlatAdam  # noqa: E402
from training.differences import Flat  # noqa: E402

MOST_NORM = 0.5


def layers_and_optimizer() -> tuple[list[Any], Any]:
    torch.manual_seed(0)
    layers = [torch.nn.Linear(7, 5), torch.nn.Linear(5, 3)]
    return layers, torch.optim.Adam([parameter for layer in layers for parameter in layer.parameters()], 0.01, eps=1e-5)


def flat_adam(layers: list[Any]) -> tuple[FlatAdam, Flat]:
    """Makes the layers' parameters parts of one array; returns what makes the steps, and room for the gradients."""
    values, means, squares, gradients = (Flat(layers) for _ in range(4))
    parameters = [parameter for layer in layers for parameter in layer.parameters()]
    for parameter, part in zip(parameters, itertools.chain(*values.layers), strict=True):
        part.copy_(parameter.data)
        parameter.data = part
    state = list(zip(parameters, itertools.chain(*means.layers), itertools.chain(*squares.layers), strict=True))
    return FlatAdam(values.values, means.values, squares.values, state), gradients


def test_steps_equal_those_of_torch_before_and_after_the_state_is_loaded() -> None:
    (expected, optimizer), (found, other) = layers_and_optimizer(), layers_and_optimizer()
    adam, flat = flat_adam(found)
    for step in range(20):
        if step == 10:
            other.load_state_dict(copy.deepcopy(other.state_dict()))
        random = np.random.default_rng(step)
        parameters = [parameter for layer in expected for parameter in layer.parameters()]
        for parameter, gradient in zip(parameters, itertools.chain(*flat.layers), strict=True):
            # Some of the gradients are clipped.
            gradient.copy_(torch.from_numpy(random.standard_normal(gradient.shape) * 0.3 ** (step % 5)))
            parameter.grad = gradient.clone()
        torch.nn.utils.clip_grad_norm_(parameters, MOST_NORM)
        optimizer.step()
        adam.step(other, flat.values, MOST_NORM)
        for one, two in zip(parameters, (part for layer in found for part in layer.parameters()), strict=True):
            np.testing.assert_allclose(two.detach(), one.detach(), rtol=0, atol=1e-6)
    for one, two in zip(optimizer.state_dict()["state"].values(), other.state_dict()["state"].values(), strict=True):
        assert list(one) == list(two)
        for name in one:
            np.testing.assert_allclose(two[name], one[name], rtol=0, atol=1e-6, err_msg=name)
