"""Learning by differences: kernels beside dense matrix products, and runs beside runs with whole observations."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from dunaia_env.harness.compiled.differences import WORD, backward_chains, forward_chains, padded  # noqa: E402
from dunaia_env.harness.compiled.ppo_loss import METRICS  # noqa: E402
from dunaia_env.support.threads import Threads  # noqa: E402
from tests.sampling import sampled_as_plain  # noqa: E402
from tests.test_training_ppo import FIXED, toy_trainer, update, weights  # noqa: E402
from training.compute import Compute, ComputeOptions  # noqa: E402
from training.differences import DifferencesCompute, find_chains, find_legal_actions  # noqa: E402
from training.ppo import Batch, PolicyNetwork, ppo_loss  # noqa: E402
from training.trainer import Trainer  # noqa: E402

STEPS, LANES, INPUTS, UNITS, SEATS, ACTIONS = 9, 5, 21, 13, 3, 17
SCALE = np.linspace(1, 3, INPUTS, dtype=np.float32)


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
    expected = torch.relu(torch.from_numpy(np.stack(rows) / SCALE) @ weights + bias)
    given = torch.tensor(random.standard_normal(expected.shape), dtype=torch.float32)
    expected_gradients = torch.autograd.grad(expected, (weights, bias), given)
    chained = np.where(learned, seats, np.int8(-1))
    chains = find_chains(observations, chained, SCALE, Threads(threads))
    found, gradients = np.empty(expected.shape, np.float32), [np.zeros((INPUTS, UNITS), np.float32), np.zeros(UNITS)]
    forward_chains(*chains, lanes, weights.detach().numpy(), bias.detach().numpy(), found)
    backward_chains(*chains, lanes, found, given.numpy(), *gradients)
    np.testing.assert_allclose(found, expected.detach(), rtol=0, atol=1e-5)
    for one, other in zip(gradients, expected_gradients, strict=True):
        np.testing.assert_allclose(one, other, rtol=0, atol=1e-5 * float(other.abs().max()))


def test_only_what_differs_is_listed() -> None:
    observations, seats, _ = a_rollout(1)
    chains = find_chains(observations, seats, np.ones(INPUTS, np.float32), Threads(1))
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


@pytest.mark.parametrize("threads", [1, 2])
def test_legal_actions_are_listed(threads: int) -> None:
    masks = (np.random.default_rng(3).random((11, ACTIONS)) < 0.4).astype(np.int8)
    found = find_legal_actions(masks, Threads(threads))
    cells, actions = np.nonzero(masks)
    np.testing.assert_array_equal(np.repeat(np.arange(11), np.diff(found.ends, prepend=0)), cells)
    np.testing.assert_array_equal(found.actions, actions)


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("taught", [False, True])
@pytest.mark.parametrize("widths", [[UNITS], [UNITS, 6], [UNITS, 6, 9]])
def test_the_gradient_is_that_of_the_loss(widths: list[int], taught: bool, threads: int) -> None:
    observations, seats, learned = a_rollout(2)
    random, cells = np.random.default_rng(7), STEPS * LANES
    masks = (random.random((cells, ACTIONS)) < 0.4).astype(np.int8)
    masks[:, 5] = 1
    teachers = masks / masks.sum(axis=1, keepdims=True) * (random.random((cells, 1)) < 0.5)
    numbers = [torch.from_numpy(random.standard_normal(shape)).float() for shape in (cells, (cells, 3), (cells, 3))]
    batch = Batch(
        torch.from_numpy(observations[:, :, :INPUTS].reshape(cells, INPUTS)),
        torch.from_numpy(masks),
        torch.tensor([random.choice(np.flatnonzero(mask)) for mask in masks]),
        torch.from_numpy(np.log(masks.sum(axis=1)) * -random.uniform(0.8, 1.2, cells)).float(),
        *numbers,
        torch.from_numpy(teachers if taught else teachers[:, :0]).half(),
        torch.from_numpy(random.random(cells)).float(),
    )
    coefficients, lanes = torch.tensor([0.1, 0.3, 0.5, 0.7, 0.9]), np.array([3, 0, 4])
    found = []
    for kind in (DifferencesCompute, Compute):
        network = PolicyNetwork(torch.from_numpy(SCALE), ACTIONS, SEATS, widths=widths, seed=1)
        options = ComputeOptions(device="cpu", threads=threads)
        compute = kind(options, network, ppo_loss, inputs=INPUTS, rows=cells)
        compute.begin_learning(batch, observations, seats, learned)
        # Twice, because the second gradient replaces the first.
        for some in (np.array([1, 2]), lanes):
            metrics = compute.backward(some, coefficients, 10.0)
        assert isinstance(metrics, torch.Tensor)
        gradients = {name: parameter.grad for name, parameter in network.named_parameters()}
        found.append(gradients | dict(zip(METRICS, metrics, strict=True)))
    assert taught == bool(found[1]["imitation_kl"])
    assert found[1]["clip_fraction"] > 0
    for name, expected in found[1].items():
        assert expected is not None
        largest = max(float(expected.abs().max()), 0.1)
        np.testing.assert_allclose(found[0][name], expected, rtol=0, atol=1e-5 * largest, err_msg=name)


def both(**changes: Any) -> tuple[Trainer, Trainer]:
    """A trainer that computes by differences, and one with whole observations."""
    by_differences, whole = (toy_trainer(**changes, differences=one) for one in ("auto", "off"))
    assert type(by_differences.compute) is DifferencesCompute
    assert type(whole.compute) is Compute
    return by_differences, whole


def test_past_players_decide_alike_in_both_ways() -> None:
    trainers = both(past_share=0.5, past_updates=1, players=(2, 3))
    for trainer in trainers:
        random = np.random.default_rng(1)
        with torch.no_grad():
            for parameter in trainer.compute.past_network.parameters():
                parameter.copy_(torch.from_numpy(random.standard_normal(parameter.shape)))
        trainer.compute.begin_rollout()
    lanes, tables = trainers[0].lanes, trainers[0].past_players.tables
    observations = np.zeros_like(trainers[0].rollout.padded_observations[0])
    compared = 0
    for _ in range(12):
        observations[:, : trainers[0].input_size] = lanes.observations[:, : trainers[0].input_size]
        seats = np.where(tables, lanes.seats, np.int8(-1))
        found, expected = (one.compute.forward_past(observations, seats, lanes.action_masks) for one in trainers)
        legal = (seats >= 0)[:, None] & (lanes.action_masks > 0)
        np.testing.assert_allclose(found[legal], expected[legal], rtol=1e-4, atol=1e-4)
        compared += np.count_nonzero(np.abs(expected[legal]) > 0.1)
        lanes.step(lanes.random_actions(1))
    assert compared > 100


@pytest.mark.compiled
@pytest.mark.parametrize(
    "changes",
    [
        {"players": (2, 3), "layers": 2, "first_width": 48, "score_weight": 0.5},
        {"certain_share": 0.25, "epochs": 3, "minibatches": 3},
        {"past_share": 0.5, "past_updates": 1},
        {"rivals": ("random",), "rival_share": 0.5},
        {"imitate": "random", "imitated": 1000},
        {"threads": 3, "minibatches": 4},
    ],
    ids=["players", "certain", "past", "rivals", "imitation", "threads"],
)
def test_both_ways_to_compute_learn_the_same(changes: dict[str, Any]) -> None:
    by_differences, whole = both(**changes)
    before = weights(by_differences)
    for trainer in (by_differences, whole):
        update(trainer, 4)
    np.testing.assert_array_equal(by_differences.rollout.actions, whole.rollout.actions)
    for name, expected in weights(whole).items():
        found = weights(by_differences)[name]
        # Rounding can decide whether a unit is active in a row; then its weights differ.
        np.testing.assert_allclose(found, expected, rtol=0, atol=5e-3, err_msg=name)
        assert np.mean(np.abs(found - expected) > 1e-5) < 0.05, name
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
