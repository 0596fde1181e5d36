"""Learning from a share of the decisions about which the network is certain."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from tests.prepared_trainers import prepared_trainer  # noqa: E402
from training.arguments import Arguments, check  # noqa: E402
from training.thinning import CERTAIN, thin_out  # noqa: E402

pytestmark = pytest.mark.once

ROWS, LANES = 40, 50
TOY: dict[str, Any] = {
    "game": "tests.toy_game",
    "lanes": 32,
    "steps": 16,
    "layers": 1,
    "width": 32,
    "minibatches": 1,
    "decisions": 10**6,
    "opponents": (),
}


def test_a_share_of_the_certain_decisions_stands_for_all_of_them() -> None:
    random = np.random.default_rng(0)
    finished = random.random((ROWS, LANES)) < 0.7
    probabilities = np.where(random.random((ROWS, LANES)) < 0.5, 0.97, 0.6)
    probabilities[0, :4] = CERTAIN, CERTAIN - 1e-3, 1, 0.01
    finished[0, :4] = True
    certain = probabilities >= CERTAIN
    logprobs = np.log(probabilities.astype(np.float32))
    values, sums = random.normal(1, 1, (ROWS, LANES)), []
    for _ in range(400):
        learned, weights = thin_out(finished, logprobs, 0.25, LANES, slice(None), random)
        assert not learned[~finished].any()
        assert learned[finished & ~certain].all()
        np.testing.assert_array_equal(weights, np.where(certain, 4, 1))
        sums.append((values * weights)[learned].sum())
    error = np.std(sums) / np.sqrt(len(sums))
    assert abs(np.mean(sums) - values[finished].sum()) < 4 * error
    assert 0.2 < learned[finished & certain].mean() < 0.3


def test_processes_draw_for_their_own_lanes() -> None:
    finished, logprobs = np.ones((ROWS, LANES), np.bool_), np.zeros((ROWS, LANES), np.float32)
    together = thin_out(finished, logprobs, 0.5, LANES, slice(None), np.random.default_rng(1)).learned
    for own in (slice(0, 20), slice(20, LANES)):
        alone = thin_out(finished[:, own], logprobs[:, own], 0.5, LANES, own, np.random.default_rng(1)).learned
        np.testing.assert_array_equal(alone, together[:, own])


def test_a_share_of_1_changes_and_draws_nothing() -> None:
    random = np.random.default_rng(2)
    finished = random.random((ROWS, LANES)) < 0.5
    before = random.bit_generator.state
    learned, weights = thin_out(finished, np.zeros((ROWS, LANES), np.float32), 1, LANES, slice(None), random)
    assert learned is finished
    assert (weights == 1).all()
    assert random.bit_generator.state == before


def test_the_gradient_is_that_of_all_decisions_on_average() -> None:
    def gradient(share: float, draw: int) -> torch.Tensor:
        trainer = prepared_trainer(**TOY, certain_share=share, gradient_norm=1e9)
        with torch.no_grad():
            trainer.network.policy.weight *= 400  # a policy that is often certain
        bootstrap = trainer.collect()
        trainer.random = np.random.default_rng(draw)
        trainer.optimizer = torch.optim.SGD(trainer.network.parameters(), 0.0)
        trainer.learn(bootstrap)
        parts = [parameter.grad.ravel() for parameter in trainer.network.parameters()]
        return torch.cat(parts)

    full = gradient(1.0, 0)
    drawn = torch.stack([gradient(0.5, draw) for draw in range(60)])
    assert (drawn[0] - full).norm() > 0.02 * full.norm()  # a part was left out
    # The mean of 60 draws is nearer than one draw, by the root of 60.
    distance, single = (drawn.mean(dim=0) - full).norm(), (drawn - full).norm(dim=1).mean()
    assert distance < 0.3 * single


def test_a_rollout_without_a_drawn_decision_teaches_nothing() -> None:
    trainer = prepared_trainer(**{**TOY, "lanes": 2, "steps": 4}, certain_share=1e-9)
    with torch.no_grad():
        trainer.network.policy.weight *= 1e6
    trainer.learn(trainer.collect())
    assert trainer.updates == 0
    assert not any(name.startswith("losses/") for name in trainer.metrics)


@pytest.mark.parametrize("share", [0.0, -0.5, 1.5])
def test_wrong_shares_are_named(share: float) -> None:
    with pytest.raises(ValueError, match=f"certain_share: expected a number above 0 and up to 1, got {share}"):
        check(Arguments(certain_share=share))
