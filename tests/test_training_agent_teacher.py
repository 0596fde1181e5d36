"""A network that imitates an agent at first."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from dunaia_env.harness.opponents import load  # noqa: E402
from tests.prepared_trainers import REPEATABLE, prepared_trainer  # noqa: E402
from tests.toy_game import GAME  # noqa: E402
from training.arguments import Arguments, check  # noqa: E402
from training.trainer import Trainer  # noqa: E402

pytestmark = pytest.mark.once

LANES, STEPS = 32, 8
FIXED: dict[str, Any] = {
    "game": GAME.module,
    "lanes": LANES,
    "steps": STEPS,
    "layers": 1,
    "width": 32,
    "minibatches": 2,
    "players": (2, 3),
    "decisions": 10**6,
    "learning_rate": 1e-2,
    "opponents": (),
    "imitate": "greedy",
    "imitated": 4 * LANES * STEPS,
    **REPEATABLE,
}


def trainer_of(**changes: Any) -> Trainer:
    return prepared_trainer(**{**FIXED, **changes})


def taught_and_decided(trainer: Trainer) -> tuple[Any, Any]:
    """Which decisions of the rollout were taught, and in which of those the agent's choice was made."""
    own = slice(trainer.rollout.first_row, None)
    policies = trainer.rollout.teacher_policies[own]
    taught = policies.sum(axis=2) > 0
    return taught, taught & (policies.argmax(axis=2) == trainer.rollout.actions[own])


def test_the_agent_decides_in_all_lanes_and_then_in_fewer_and_fewer() -> None:
    trainer = trainer_of()
    agent_lanes = []
    for _ in range(5):
        before = trainer.decisions
        rollout = trainer.collect()
        taught, decided = taught_and_decided(trainer)
        seats = trainer.rollout.seats[trainer.rollout.first_row :]
        over = before >= trainer.arguments.imitated
        np.testing.assert_array_equal(taught, (seats >= 0) & (not over))
        share = max(0.0, 1 - before / trainer.arguments.imitated)
        lanes = np.arange(LANES) / LANES < share
        assert (decided == taught)[:, lanes].all()
        agent_lanes.append(int(lanes.sum()))
        trainer.learn(rollout)
    assert agent_lanes == sorted(agent_lanes, reverse=True)
    assert (agent_lanes[0], agent_lanes[-1]) == (LANES, 0)
    assert 0 < agent_lanes[2] < LANES


def test_its_choices_are_those_of_the_agent() -> None:
    trainer = trainer_of()
    trainer.collect()
    agent = load("greedy", game=GAME)
    selected = np.flatnonzero(trainer.lanes.seats >= 0)
    expected = agent.act_batch(trainer.lanes, selected)
    actions = np.full(LANES, -1, np.int32)
    policies = np.ones((LANES, GAME.num_actions), np.float16)
    trainer.imitation.begin_rollout(trainer.random)  # type: ignore[union-attr]
    seats = np.where(trainer.lanes.seats >= 0, trainer.lanes.seats, -1).astype(np.int8)
    trainer.decisions = trainer.arguments.imitated // 2
    trainer.imitation.begin_rollout(trainer.random)  # type: ignore[union-attr]
    trainer.imitation.replace_actions(trainer.lanes, seats, actions, policies, trainer.random)  # type: ignore[union-attr]
    np.testing.assert_array_equal(policies.argmax(axis=1)[selected], expected)
    np.testing.assert_array_equal(policies.sum(axis=1)[selected], 1)
    first = selected[selected < LANES // 2]
    np.testing.assert_array_equal(actions[first], expected[: len(first)])
    assert (actions[LANES // 2 :] == -1).all()


def test_the_network_takes_over_the_agents_choices() -> None:
    trainer = trainer_of(imitated=10**9)
    distances = []
    for _ in range(100):
        trainer.learn(trainer.collect())
        distances.append(trainer.metrics["losses/imitation_kl"])
    assert distances[0] > 0.3
    assert distances[-1] < 0.5 * distances[0]


def test_a_resumed_run_has_no_second_lesson(tmp_path: Path) -> None:
    trainer = trainer_of(imitated=LANES)
    trainer.learn(trainer.collect())
    trainer.save(tmp_path)
    again = trainer_of(imitated=LANES)
    again.restore(tmp_path)
    again.collect()
    assert not taught_and_decided(again)[0].any()


def test_teachers_that_do_not_fit_are_refused() -> None:
    for other in ({"simulations": 4}, {"distill": "model.safetensors"}):
        with pytest.raises(ValueError, match="imitate: greedy; neither simulations nor distill go with it"):
            check(Arguments(**{**FIXED, **other}))
    with pytest.raises(ValueError, match="imitated: expected more than 0, got 0"):
        check(Arguments(**{**FIXED, "imitated": 0}))
    with pytest.raises(ValueError, match="nobody"):
        trainer_of(imitate="nobody")
