"""Expert iteration: searches decide, and the network learns what they have found."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from agents.guided import GuidedAgent  # noqa: E402
from tests.prepared_trainers import prepared_trainer  # noqa: E402
from training.arguments import Arguments, check  # noqa: E402
from training.compute import network_loss  # noqa: E402
from training.facts import Estimates  # noqa: E402
from training.ppo import METRICS, Batch, ppo_loss  # noqa: E402
from training.teachers import Teacher  # noqa: E402
from training.trainer import Trainer  # noqa: E402

pytestmark = pytest.mark.compiled

FIXED: dict[str, Any] = {
    "lanes": 12,
    "steps": 6,
    "layers": 1,
    "width": 16,
    "minibatches": 2,
    "players": (2, 3),
    "decisions": 10**5,
    "simulations": 6,
    "candidates": 4,
    "value_scale": 1.0,
}


def trainer_of(**changes: Any) -> Trainer:
    return prepared_trainer(**{**FIXED, **changes})


def test_searches_decide_where_they_are_asked() -> None:
    trainer = trainer_of(searched=0.5, past_share=0.25)
    trainer.collect()
    rollout, rows = trainer.rollout, slice(trainer.rollout.first_row, None)
    improved, masks, actions = rollout.teacher_policies[rows], rollout.action_masks[rows], rollout.actions[rows]
    searched = improved.sum(axis=2) > 0
    assert 0.3 < searched[rollout.seats[rows] >= 0].mean() < 0.7
    assert not searched[rollout.seats[rows] < 0].any()  # past players' decisions
    np.testing.assert_allclose(improved[searched].astype(np.float32).sum(axis=1), 1, atol=2e-3)
    assert (improved[masks == 0] == 0).all()
    assert np.take_along_axis(masks, actions[:, :, None], axis=2)[searched].all()


def test_the_search_decides_as_the_guided_agent_does() -> None:
    trainer = trainer_of()
    lanes, player = trainer.lanes, trainer.player()
    options: dict[str, Any] = {"simulations": 6, "candidates": 4, "value_scale": 0.5, "seed": 5}
    selected = np.array([1, 4, 5, 11])
    actions, policies = Teacher(player, threads=1, **options).decide(lanes, selected)
    shared_out = Teacher(player, threads=3, **options).decide(lanes, selected)
    np.testing.assert_array_equal(actions, shared_out[0])
    np.testing.assert_array_equal(policies, shared_out[1])
    agent = GuidedAgent(player, 6, candidates=4, value_scale=0.5, noise=True)
    agent.reset(5)
    for row, lane in enumerate(selected):
        state = lanes.get_state(int(lane))
        found = agent.search(state)
        assert actions[row] == agent.act(state)
        expected = np.zeros(lanes.num_actions)
        expected[found.actions] = found.policy
        np.testing.assert_allclose(policies[row], expected, atol=1e-3)


def test_the_network_learns_what_the_search_found() -> None:
    trainer = trainer_of(learning_rate=1e-2, steps=16, epochs=20)
    with torch.no_grad():
        trainer.network.value.weight *= 20  # a value head that has something to say
    first = trainer.collect()
    rollout = trainer.rollout
    played = slice(rollout.first_row, None)
    observations = torch.from_numpy(rollout.observations[played].reshape(-1, trainer.input_size).copy())
    improved = torch.from_numpy(rollout.teacher_policies[played].reshape(len(observations), -1).astype(np.float32))
    masks = torch.from_numpy(rollout.action_masks[played].reshape(len(observations), -1).copy())

    def divergence() -> float:
        with torch.no_grad():
            logits = torch.where(masks != 0, trainer.network(observations).logits, -1e9)
        terms = torch.special.xlogy(improved, improved) - improved * logits.log_softmax(dim=1)
        return float(terms.sum(dim=1).mean())

    before = divergence()
    trainer.learn(first)
    assert divergence() < 0.9 * before
    assert trainer.metrics["losses/policy_loss"] == 0.0
    assert trainer.metrics["losses/imitation_kl"] > 0


def test_what_searches_found_waits_with_open_decisions() -> None:
    trainer = trainer_of(searched=0.5)
    first = trainer.collect()
    rollout = trainer.rollout
    # The last decisions of some seats are still open, whether they were searched or not.
    last = {
        (int(rollout.seats[row, lane]), lane): (rollout.actions[row, lane], rollout.teacher_policies[row, lane].copy())
        for row in range(rollout.first_row, len(rollout.seats))
        for lane in range(rollout.seats.shape[1])
    }
    trainer.learn(first)
    carried = np.argwhere(rollout.seats[: rollout.first_row] >= 0)
    searched = [bool(last[seat, lane][1].any()) for seat, lane in carried]
    assert any(searched)
    assert not all(searched)
    for seat, lane in carried:
        action, improved = last[seat, lane]
        assert rollout.actions[seat, lane] == action
        np.testing.assert_array_equal(rollout.teacher_policies[seat, lane], improved)


def test_loss_of_searched_and_played_rows() -> None:
    logits = torch.tensor([[0.0, np.log(3.0), 0.0]] * 2, dtype=torch.float32)
    said = Estimates(logits, torch.zeros(2, 1), torch.zeros(2, 1))
    ones = torch.ones(2)
    batch = Batch(
        observations=torch.zeros(2, 1, dtype=torch.int8),
        action_masks=torch.tensor([[1, 1, 0]] * 2, dtype=torch.int8),
        actions=torch.tensor([1, 1]),
        logprobs=torch.log(torch.tensor([0.75, 0.75])),
        advantages=2 * ones,
        returns=torch.zeros(2, 1),
        score_targets=torch.zeros(2, 1),
        teacher_policies=torch.tensor([[0.5, 0.5, 0.0], [0.0, 0.0, 0.0]]),
        weights=ones,
    )
    loss, metrics = network_loss(ppo_loss, lambda _: said, batch, torch.tensor([0.2, 0.0, 0.0, 0.0, 0.1]))
    found = dict(zip(METRICS, metrics.tolist(), strict=True))
    assert found["policy_loss"] == pytest.approx(-2.0)  # of the second row alone: its ratio is 1
    entropy = -(0.75 * np.log(0.75) + 0.25 * np.log(0.25))
    assert found["entropy"] == pytest.approx(entropy, rel=1e-5)
    cross = -0.5 * (np.log(0.25) + np.log(0.75))
    assert found["imitation_kl"] == pytest.approx(cross - np.log(2), rel=1e-4)
    assert float(loss) == pytest.approx(-2.0 + 0.1 * cross, rel=1e-5)


def test_a_run_goes_on_with_searches_and_without(tmp_path: Path) -> None:
    played = trainer_of(simulations=0)
    played.learn(played.collect())
    played.save(tmp_path)
    for simulations in (6, 0):
        resumed = trainer_of(simulations=simulations)
        resumed.restore(tmp_path)
        resumed.learn(resumed.collect())
        assert resumed.updates > played.updates
        resumed.save(tmp_path)


def test_resuming_with_searches_changes_nothing(tmp_path: Path) -> None:
    straight, broken, resumed = (trainer_of(searched=0.5) for _ in range(3))
    for _ in range(2):
        straight.learn(straight.collect())
    broken.learn(broken.collect())
    broken.save(tmp_path)
    resumed.restore(tmp_path)
    resumed.learn(resumed.collect())
    for name, tensor in straight.network.state_dict().items():
        np.testing.assert_array_equal(tensor.numpy(), resumed.network.state_dict()[name].numpy())


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"simulations": 1}, "simulations: expected 0 or at least 2, got 1"),
        ({"searched": -0.5}, "searched: expected a number in 0..1, got -0.5"),
    ],
)
def test_bad_arguments(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check(Arguments(**changes))
