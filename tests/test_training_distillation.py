"""Policy distillation: a network learns to decide as a model does, in the positions of its own games."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from agents.network import load_model  # noqa: E402
from dunaia_env.support.array_files import ArrayFileError  # noqa: E402
from tests.prepared_trainers import REPEATABLE, prepared_trainer  # noqa: E402
from tests.toy_game import GAME  # noqa: E402
from training.arguments import Arguments, check  # noqa: E402
from training.models.model_files import network_of  # noqa: E402
from training.teachers import logits_of_network  # noqa: E402
from training.trainer import Trainer  # noqa: E402

pytestmark = pytest.mark.once

FIXED: dict[str, Any] = {
    "game": GAME.module,
    "lanes": 32,
    "steps": 8,
    "layers": 1,
    "width": 32,
    "minibatches": 2,
    "players": (2, 3),
    "decisions": 10**6,
    "learning_rate": 1e-2,
    "opponents": (),
    **REPEATABLE,
}


def trainer_of(**changes: Any) -> Trainer:
    return prepared_trainer(**{**FIXED, **changes})


@pytest.fixture(scope="module")
def teacher(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A model whose choices are far from even, with an arbitrary taste."""
    trainer = trainer_of(seed=3)
    with torch.no_grad():
        trainer.network.policy.weight *= 300
    folder: Path = tmp_path_factory.mktemp("teacher")
    trainer.save(folder)
    return str(folder / "model.safetensors")


@pytest.mark.long
def test_a_network_takes_over_the_policy_of_a_model(teacher: str) -> None:
    trainer = trainer_of(distill=teacher, seed=5)
    distances = []
    for _ in range(150):
        trainer.learn(trainer.collect())
        distances.append(trainer.metrics["losses/imitation_kl"])
    assert distances[0] > 0.1
    assert distances[-1] < 0.35 * distances[0]


def test_the_learner_decides_and_the_teacher_is_seen_in_the_lanes_whose_file_it_knows(teacher: str) -> None:
    alone = trainer_of(family="own", family_share=0.5)
    trainer = trainer_of(family="own", family_share=0.5, distill=teacher)
    alone.collect()
    trainer.collect()
    own = slice(trainer.rollout.first_row, None)
    np.testing.assert_array_equal(trainer.rollout.actions[own], alone.rollout.actions[own])
    taught = trainer.rollout.teacher_policies[own].sum(axis=2) > 0
    known = [trainer.lanes.components_of(lane).hash == trainer.components for lane in range(32)]
    assert sum(known) == 16
    np.testing.assert_array_equal(taught, (trainer.rollout.seats[own] >= 0) & np.array(known))
    assert (trainer.rollout.teacher_policies[own][trainer.rollout.action_masks[own] == 0] == 0).all()
    network = network_of(load_model(teacher), trainer.game, trainer.seats)
    with torch.no_grad():
        logits = network(torch.from_numpy(trainer.rollout.observations[own][taught])).logits.numpy()
    computed = logits_of_network(network, torch.device("cpu"), trainer.input_size)
    np.testing.assert_array_equal(computed(trainer.rollout.observations[own][taught], np.zeros(0, np.int64)), logits)
    logits[trainer.rollout.action_masks[own][taught] == 0] = -np.inf
    weights = np.exp(logits - logits.max(axis=1, keepdims=True))
    expected = weights / weights.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(trainer.rollout.teacher_policies[own][taught], expected, atol=1e-3)


def test_a_run_continues_without_its_teacher(teacher: str, tmp_path: Path) -> None:
    trainer = trainer_of(distill=teacher)
    trainer.learn(trainer.collect())
    trainer.save(tmp_path)
    again = trainer_of()
    again.restore(tmp_path)
    again.learn(again.collect())
    assert again.metrics["losses/imitation_kl"] == 0
    assert again.updates == 2


def test_teachers_that_do_not_fit_are_refused(teacher: str, tmp_path: Path) -> None:
    with pytest.raises(
        ValueError, match="simulations: expected 0 with distill, because there is one teacher at a time, got 4"
    ):
        check(Arguments(**{**FIXED, "simulations": 4, "distill": teacher}))
    with pytest.raises(ArrayFileError, match=r"nothing\.safetensors: "):
        trainer_of(distill=str(tmp_path / "nothing.safetensors"))
    with pytest.raises(ArrayFileError, match=r"model\.safetensors: expected 78 inputs for 4 players, got 74 inputs"):
        trainer_of(distill=teacher, players=(4,))
