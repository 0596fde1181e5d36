"""Learning by differences: kernels beside dense matrix products, and runs beside runs with whole observations."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from dunaia_env.harness.compiled.differences import WORD, padded  # noqa: E402
from dunaia_env.harness.compiled.legal_policy import list_legal_actions  # noqa: E402
from dunaia_env.support.threads import Threads  # noqa: E402
from tests.sampling import sampled_as_plain  # noqa: E402
from tests.test_training_ppo import FIXED, toy_trainer, update, weights  # noqa: E402
from training.compute import Compute, ComputeOptions  # noqa: E402
from training.differences import DifferencesCompute, find_chains, first_layer, legal_logprobs  # noqa: E402
from training.policy import LegalPolicy, MaskedPolicy  # noqa: E402
from training.trainer import Trainer  # noqa: E402

STEPS, LANES, INPUTS, UNITS, SEATS = 9, 5, 21, 13, 3


def a_rollout(seed: int) -> tuple[np.ndarray[Any, Any], np.ndarray[Any, Any], np.ndarray[Any, Any]]:
    """Observations that change in a few entries from row to row, deciding seats, and what is learned from."""
    random = np.random.default_rng(seed)
    observations = np.zeros((STEPS, LANES, padded(INPUTS)), np.int8)
    observations[0, :, :INPUTS] = random.integers(-128, 128, (LANES, INPUTS))
    for row in range(1, STEPS):
        observations[row] = observations[row - 1]
        lanes = np.arange(LANES)
        observations[row, lanes, random.integers(0, INPUTS, LANES)] = random.integers(-128, 128, LANES)
    seats = random.integers(-1, SEATS, (STEPS, LANES)).astype(np.int8)
    return observations, seats, (seats >= 0) & (random.random(seats.shape) < 0.7)


@pytest.mark.parametrize(("seed", "threads"), sampled_as_plain(product(range(4), [1, 2]), 5))
def test_the_first_layer_and_its_gradients_equal_matrix_products(seed: int, threads: int) -> None:
    observations, seats, learned = a_rollout(seed)
    random = np.random.default_rng(100 + seed)
    weights = torch.tensor(random.standard_normal((INPUTS, UNITS)) / 50, dtype=torch.float32, requires_grad=True)
    bias = torch.tensor(random.standard_normal(UNITS), dtype=torch.float32, requires_grad=True)
    lanes = np.array([4, 0, 2])
    rows = [observations[row, lane, :INPUTS] for lane in lanes for row in range(STEPS) if learned[row, lane]]
    expected = torch.relu(torch.from_numpy(np.stack(rows)).float() @ weights + bias)
    given = torch.tensor(random.standard_normal(expected.shape), dtype=torch.float32)
    expected_gradients = torch.autograd.grad(expected, (weights, bias), given)
    found = first_layer(weights, bias, find_chains(observations, seats, learned, Threads(threads)), lanes)
    np.testing.assert_allclose(found.detach(), expected.detach(), rtol=0, atol=1e-5)
    for one, other in zip(torch.autograd.grad(found, (weights, bias), given), expected_gradients, strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-5 * float(other.abs().max()))


def test_only_what_differs_is_listed() -> None:
    observations, seats, learned = a_rollout(1)
    chains = find_chains(observations, seats, learned, Threads(1))
    assert padded(INPUTS) % WORD == 0
    ends = chains.ends.reshape(LANES, STEPS)
    for lane in range(LANES):
        present: dict[int, Any] = {}
        for row in range(STEPS):
            seat = int(seats[row, lane])
            first = ends.flat[lane * STEPS + row - 1] if lane or row else 0
            entries = slice(first, ends[lane, row])
            changes = np.zeros(padded(INPUTS), np.int64)
            changes[chains.columns[entries]] = chains.changes[entries]
            assert (chains.changes[entries] != 0).all()
            if seat >= 0:
                before = present.get(seat, np.zeros(padded(INPUTS), np.int64))
                np.testing.assert_array_equal(changes, observations[row, lane] - before)
                present[seat] = observations[row, lane].astype(np.int64)
            else:
                assert not changes.any()


def test_a_policy_of_legal_actions_equals_the_masked_one() -> None:
    random, decisions, actions = np.random.default_rng(3), 11, 17
    masks = (random.random((decisions, actions)) < 0.4).astype(np.int8)
    masks[:, 5] = 1
    chosen_actions = np.array([random.choice(np.flatnonzero(mask)) for mask in masks])
    hidden, weights, bias = (
        torch.tensor(random.standard_normal(shape), dtype=torch.float32, requires_grad=True)
        for shape in ((decisions, UNITS), (actions, UNITS), (actions,))
    )
    targets = torch.from_numpy(masks / masks.sum(axis=1, keepdims=True)).float()
    row_weights = torch.from_numpy(random.random(decisions)).float()

    def losses(policy: Any) -> Any:
        entropy, cross_entropy = policy.entropy(row_weights), policy.cross_entropy(targets, row_weights)
        return policy.chosen_logprobs @ row_weights + 0.3 * entropy + 0.2 * cross_entropy

    masked = MaskedPolicy(hidden @ weights.t() + bias, torch.from_numpy(masks), torch.from_numpy(chosen_actions))
    cells, ends, chosen = np.arange(decisions), np.empty(decisions, np.int64), np.empty(decisions, np.int64)
    listed = np.empty(masks.size + 1, np.int16)
    list_legal_actions(masks, chosen_actions, cells, ends, listed, chosen)
    np.testing.assert_array_equal(listed[: ends[-1]], np.nonzero(masks)[1])
    np.testing.assert_array_equal(listed[chosen], chosen_actions)
    logprobs = legal_logprobs(hidden, weights, bias, ends, listed)
    rows = torch.from_numpy(np.nonzero(masks)[0])
    legal = LegalPolicy(logprobs, torch.from_numpy(chosen), rows, torch.from_numpy(listed[: ends[-1]]))
    np.testing.assert_allclose(legal.chosen_logprobs.detach(), masked.chosen_logprobs.detach(), atol=1e-5)
    parameters = hidden, weights, bias
    one, other = (torch.autograd.grad(losses(policy), parameters) for policy in (legal, masked))
    for found, expected in zip(one, other, strict=True):
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5)


def both(**changes: Any) -> tuple[Trainer, Trainer]:
    """A trainer that computes by differences, and one with whole observations."""
    by_differences, whole = (toy_trainer(**changes, differences=one) for one in ("auto", "off"))
    assert type(by_differences.compute) is DifferencesCompute
    assert type(whole.compute) is Compute
    return by_differences, whole


@pytest.mark.parametrize(
    "changes",
    [
        {"players": (2, 3), "layers": 2, "first_width": 48, "score_weight": 0.5},
        {"certain_share": 0.25, "epochs": 3, "minibatches": 3},
        {"past_share": 0.5, "past_updates": 1},
        {"imitate": "random", "imitated": 1000},
        {"threads": 3, "minibatches": 4},
    ],
    ids=["players", "certain", "past", "imitation", "threads"],
)
def test_both_ways_to_compute_learn_the_same(changes: dict[str, Any]) -> None:
    by_differences, whole = both(**changes)
    before = weights(by_differences)
    for trainer in (by_differences, whole):
        update(trainer, 4)
    np.testing.assert_array_equal(by_differences.rollout.actions, whole.rollout.actions)
    for name, expected in weights(whole).items():
        found = weights(by_differences)[name]
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-5, err_msg=name)
        assert name in ("input_scale", "score.bias", "score.weight") or not np.allclose(found, before[name], atol=1e-5)


def test_estimates_are_those_of_the_network() -> None:
    trainer = toy_trainer(players=(2, 3), layers=2)
    update(trainer, 2)
    trainer.compute.begin_rollout()
    seen = torch.from_numpy(trainer.lanes.observations[:, : trainer.input_size].copy())
    with torch.no_grad():
        expected = trainer.network(seen)
    legal = trainer.lanes.action_masks != 0
    # A second time, so that there is nothing to change.
    for _ in range(2):
        logits, values, scores = trainer.estimate()
        np.testing.assert_allclose(logits[legal], expected.logits.numpy()[legal], rtol=0, atol=1e-5)
        np.testing.assert_allclose(values, expected.values, rtol=0, atol=1e-5)
        np.testing.assert_allclose(scores, expected.scores, rtol=0, atol=1e-5)


@pytest.mark.parametrize("options", [{"precision": "bf16"}, {"compile": "on"}, {"differences": "off"}])
def test_matrix_products_can_be_asked_for(options: dict[str, Any]) -> None:
    sizes = {"inputs": 2000, "actions": 300, "seats": 6}
    assert DifferencesCompute.suits(ComputeOptions(device="cpu"), **sizes)
    assert not DifferencesCompute.suits(ComputeOptions(**{"device": "cpu", **options}), **sizes)
    for name, number in (("inputs", 2**15), ("actions", 2**15), ("seats", 65)):
        assert not DifferencesCompute.suits(ComputeOptions(device="cpu"), **sizes | {name: number})


def test_networks_of_ones_own_are_computed_from_whole_observations() -> None:
    assert type(toy_trainer(network="training.examples.own_network:make_network").compute) is Compute
    assert "compile" in FIXED
