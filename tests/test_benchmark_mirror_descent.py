"""Magnetic mirror descent: its loss and gradient by hand, its penalties, and that it learns and repeats."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from dunaia_env.arena.match import play_match  # noqa: E402
from dunaia_env.harness import opponents  # noqa: E402
from tests import toy_game  # noqa: E402
from training.benchmark.algorithms import Task, load, options_of  # noqa: E402
from training.benchmark.algorithms.mirror_descent import MirrorDescent, mirror_descent_loss  # noqa: E402
from training.policy import Policy  # noqa: E402
from training.ppo import Batch  # noqa: E402

pytestmark = pytest.mark.compiled

SMALL = {"lanes": 64, "steps": 16, "layers": 1, "width": 32, "learning_rate": 3e-3}
MASKS = np.array([[1, 1, 1, 0], [1, 0, 1, 1], [0, 1, 1, 0]], np.int8)
ACTIONS, WEIGHTS = np.array([2, 0, 1]), np.array([1.0, 0.5, 2.0])
ADVANTAGES, COEFFICIENTS = np.array([1.5, -0.7, 0.3]), np.array([0.3, 0.2, 0.5])


def numbers(seed: int, *shape: int) -> Any:
    return np.random.default_rng(seed).normal(size=shape)


LOGITS, FORMER, MAGNET, VALUES, RETURNS = (
    *(numbers(seed, 3, 4) for seed in range(3)),
    *(numbers(seed, 3, 2) for seed in (3, 4)),
)
LOGPROBS = np.array([-0.9, -1.4, -0.5])


def softmax(logits: Any) -> Any:
    weights = np.where(MASKS, np.exp(logits), 0)
    return weights / weights.sum(axis=1, keepdims=True)


def loss_by_hand(logits: Any, values: Any) -> float:
    """The loss in NumPy, action by action."""
    policy, former, magnet = map(softmax, (logits, FORMER, MAGNET))
    inverse_stepsize, temperature, value_weight = COEFFICIENTS
    total = 0.0
    for row in range(3):
        of_row = -ADVANTAGES[row] * policy[row, ACTIONS[row]] / np.exp(LOGPROBS[row])
        for action in np.flatnonzero(MASKS[row]):
            p = policy[row, action]
            of_row += inverse_stepsize * p * np.log(p / former[row, action])
            of_row += temperature * p * np.log(p / magnet[row, action])
        total += WEIGHTS[row] * (of_row + value_weight * ((values[row] - RETURNS[row]) ** 2).sum())
    return float(total)


def test_the_loss_and_its_gradient_by_hand() -> None:
    logits, values = (torch.tensor(array, requires_grad=True) for array in (LOGITS, VALUES))
    columns = {"action_masks": MASKS, "actions": ACTIONS, "logprobs": LOGPROBS, "advantages": ADVANTAGES}
    columns |= {"returns": RETURNS, "weights": WEIGHTS}
    batch = Batch(**{name: torch.tensor(columns.get(name, np.zeros(3))) for name in Batch._fields})
    policy = Policy(logits, batch.action_masks, batch.actions)
    former, magnet = (torch.tensor(np.log(np.maximum(softmax(one), 1e-30))) for one in (FORMER, MAGNET))
    loss, _ = mirror_descent_loss(policy, values, batch, former, magnet, torch.tensor(COEFFICIENTS))
    assert loss.item() == pytest.approx(loss_by_hand(LOGITS, VALUES))
    loss.backward()
    step = 1e-6
    for tensor, own in ((logits, 0), (values, 1)):
        for place in np.ndindex(tensor.shape):
            both = [LOGITS.copy(), VALUES.copy()], [LOGITS.copy(), VALUES.copy()]
            both[0][own][place] += step
            both[1][own][place] -= step
            slope = (loss_by_hand(*both[0]) - loss_by_hand(*both[1])) / (2 * step)
            assert tensor.grad[place].item() == pytest.approx(slope, abs=1e-7)


def toy(decisions: int = 4096, players: int = 2, seed: int = 3, **options: Any) -> MirrorDescent:
    task = Task(players, toy_game.GAME, {"hand": 8}, decisions, 1, seed, options=SMALL | options)
    made: Any = load("mirror_descent")(task)
    return made


def weights(network: Any) -> list[Any]:
    return [tensor.detach().numpy().copy() for tensor in network.parameters()]


def are_equal(first: list[Any], second: list[Any]) -> bool:
    return all((one == other).all() for one, other in zip(first, second, strict=True))


def test_the_same_seed_repeats_the_player_and_others_do_not() -> None:
    made = []
    for seed in (3, 3, 4):
        algorithm = toy(1024, players=3, seed=seed)
        assert algorithm.decisions == 0
        algorithm.train(1024)
        assert algorithm.decisions == 1024
        made.append(weights(algorithm._trainer.network))
    assert are_equal(made[0], made[1])
    assert not are_equal(made[0], made[2])


def test_it_learns_the_toy_game() -> None:
    algorithm = toy(65_536)
    algorithm.train(65_536)
    agents = [algorithm.player(), opponents.load("random")]
    match = play_match(agents, blocks=200, num_players=2, seed=1, game=toy_game.GAME, hand=8)
    assert match.interval()[0] > 0.8


def test_the_penalties_hold_the_policy_back() -> None:
    entropies, moved = {}, {}
    for name, options in {"free": {}, "hot": {"temperature": 10.0}, "slow": {"inverse_stepsize": 1e4}}.items():
        algorithm = toy(16_384, **{"temperature": 0.0, "inverse_stepsize": 0.0} | options)
        trainer = algorithm._trainer
        algorithm.train(12_288)
        entropies[name] = trainer.metrics["losses/entropy"]
        moved[name] = trainer.metrics["losses/approx_kl"]
    assert entropies["free"] < entropies["hot"] - 0.01
    assert moved["slow"] < moved["free"] / 5


def test_the_magnet_is_renewed_at_intervals() -> None:
    trainer = toy(magnet_updates=2)._trainer
    before = []
    for _ in range(3):
        bootstrap = trainer.collect()
        before.append(weights(trainer.network))
        trainer.learn(bootstrap)
        assert are_equal(weights(trainer.former), before[-1])
        assert not are_equal(weights(trainer.network), before[-1])
        assert are_equal(weights(trainer.magnet), before[len(before) - 1 - (len(before) + 1) % 2])


@pytest.mark.parametrize("magnet_updates", [0, 1])
def test_the_former_policy_and_the_magnet_are_over_the_legal_actions(magnet_updates: int) -> None:
    trainer = toy(magnet_updates=magnet_updates)._trainer
    seen, masks = (
        torch.from_numpy(array[:, :size].copy())
        for array, size in (
            (trainer.lanes.observations, trainer.input_size),
            (trainer.lanes.action_masks, trainer.lanes.num_actions),
        )
    )
    rows = len(seen)
    zeros, ones = torch.zeros(rows), torch.ones(rows)
    actions = masks.argmax(dim=1)
    policy = Policy(trainer.network(seen).logits, masks, actions)
    batch = Batch(seen, masks, actions, policy.chosen_logprobs.detach(), zeros, zeros[:, None], zeros, zeros, ones)
    loss, metrics = trainer.loss(policy, zeros[:, None], zeros, batch, torch.tensor([1.0, 1.0, 0.0]))
    uniform = masks.sum(dim=1).float().log().sum() - policy.entropy(ones)
    assert loss.item() == pytest.approx(0.0 if magnet_updates else uniform.item(), abs=1e-3)
    assert metrics[4].item() == pytest.approx(0.0, abs=1e-4)


def test_the_weights_of_the_penalties_fall_with_the_square_root() -> None:
    trainer = toy(10_000, temperature=0.02, inverse_stepsize=0.3)._trainer
    found = []
    for decisions in (0, 2400, 9900):
        trainer.decisions = decisions
        found.append(trainer.coefficients().tolist())
    assert found == [pytest.approx([0.3 * falling, 0.02 * falling, 0.5]) for falling in (10.0, 2.0, 1.0)]


def test_wrong_options_are_named() -> None:
    with pytest.raises(ValueError, match=r"^temperature: expected at least 0, got -1"):
        toy(temperature=-1)
    with pytest.raises(ValueError, match=r"^mirror_descent: expected one of the options lanes, .*, got 'heat'"):
        options_of("mirror_descent", {"heat": 1})
    space = MirrorDescent.SPACE
    assert space.keys() <= MirrorDescent.OPTIONS.keys()
    assert all(MirrorDescent.OPTIONS[name] in values for name, values in space.items())
