"""The compiled step of Adam beside that of torch."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from training.adam import Flat, FlatAdam, flattened, parameters_of  # noqa: E402

MOST_NORM = 0.5


def layers_and_optimizer() -> tuple[list[Any], Any]:
    torch.manual_seed(0)
    layers = [torch.nn.Linear(7, 5), torch.nn.Linear(5, 3)]
    return layers, torch.optim.Adam(parameters_of(layers), 0.01, eps=1e-5)


def test_steps_equal_those_of_torch_before_and_after_the_state_is_loaded() -> None:
    (expected, optimizer), (found, other) = layers_and_optimizer(), layers_and_optimizer()
    adam, flat = FlatAdam(found, flattened(found)), Flat(found)
    for step in range(20):
        if step == 10:
            other.load_state_dict(copy.deepcopy(other.state_dict()))
        random = np.random.default_rng(step)
        parameters = parameters_of(expected)
        for parameter, gradient in zip(parameters, flat.parts, strict=True):
            # Some of the gradients are clipped.
            gradient.copy_(torch.from_numpy(random.standard_normal(gradient.shape) * 0.3 ** (step % 5)))
            parameter.grad = gradient.clone()
        torch.nn.utils.clip_grad_norm_(parameters, MOST_NORM)
        optimizer.step()
        adam.step(other, flat.values, MOST_NORM)
        for one, two in zip(parameters, parameters_of(found), strict=True):
            np.testing.assert_allclose(two.detach(), one.detach(), rtol=0, atol=1e-6)
    for one, two in zip(optimizer.state_dict()["state"].values(), other.state_dict()["state"].values(), strict=True):
        assert list(one) == list(two)
        for name in one:
            np.testing.assert_allclose(two[name], one[name], rtol=0, atol=1e-6, err_msg=name)
