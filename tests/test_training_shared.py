"""Training the network with shared encoders: its files play without torch, and runs begin, go on, learn from them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from agents.dunaia.shared_network import SharedModel  # noqa: E402
from agents.network import NetworkAgent  # noqa: E402
from dunaia_env.support.array_files import ArrayFileError  # noqa: E402
from tests.prepared_trainers import prepared_trainer  # noqa: E402
from training.models.export import ExportError, Options, export  # noqa: E402
from training.models.model_files import network_of  # noqa: E402
from training.running.checkpoint import MODEL_FILE  # noqa: E402
from training.trainer import Trainer  # noqa: E402

pytestmark = pytest.mark.once

FIXED: dict[str, Any] = {
    "network": "shared",
    "lanes": 8,
    "steps": 8,
    "width": 16,
    "minibatches": 2,
    "decisions": 10**6,
    "opponents": (),
}


def trainer_of(**changes: Any) -> Trainer:
    return prepared_trainer(**{**FIXED, **changes})


def learn(trainer: Trainer, times: int = 1) -> None:
    for _ in range(times):
        trainer.learn(trainer.collect())


def weights(trainer: Trainer) -> dict[str, Any]:
    return {name: tensor.numpy().copy() for name, tensor in trainer.network.state_dict().items()}


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A model file for up to four players."""
    trainer = trainer_of(players=(2, 4), seed=3)
    learn(trainer)
    folder: Path = tmp_path_factory.mktemp("large")
    trainer.save(folder)
    return str(folder / MODEL_FILE)


def test_its_file_plays_as_the_network_decides(tmp_path: Path) -> None:
    trainer = trainer_of(players=(2, 3))
    learn(trainer, 2)
    trainer.save(tmp_path)
    player = NetworkAgent.load(tmp_path / MODEL_FILE)
    assert isinstance(player.network, SharedModel)
    seen = trainer.lanes.observations[:, : trainer.input_size].copy()
    with torch.no_grad():
        expected = trainer.network(torch.from_numpy(seen))
    np.testing.assert_allclose(player.forward(seen)[0], expected.logits.numpy(), rtol=0, atol=1e-4)
    np.testing.assert_allclose(player.forward(seen)[1], expected.values.numpy(), rtol=0, atol=1e-4)


def test_a_run_goes_on_bit_for_bit_by_either_name(tmp_path: Path) -> None:
    straight, broken = trainer_of(), trainer_of()
    learn(straight, 3)
    learn(broken, 2)
    broken.save(tmp_path)
    resumed = trainer_of(network="training.models.networks:make_shared")
    resumed.restore(tmp_path)
    learn(resumed)
    for name, array in weights(straight).items():
        np.testing.assert_array_equal(array, weights(resumed)[name])


@pytest.mark.parametrize("players", [(2,), (3,), (4,)])
def test_a_model_for_larger_tables_decides_the_same_at_smaller_ones(large: str, players: tuple[int, ...]) -> None:
    trainer = trainer_of(players=players)
    trainer.load_weights(large)
    model = NetworkAgent.load(large).network
    learn(trainer_of(players=players, against=large, past_share=0.5))
    seen = trainer.lanes.observations
    logits, values = model.outputs()(seen)
    smaller = torch.from_numpy(seen[:, : trainer.input_size].copy())
    for network in (trainer.network, network_of(model, trainer.game, players[0])):
        with torch.no_grad():
            found = network(smaller)
        legal = trainer.lanes.action_masks != 0
        np.testing.assert_allclose(found.logits.numpy()[legal], logits[legal], rtol=0, atol=1e-4)
        np.testing.assert_allclose(found.values.numpy(), values[:, : players[0]], rtol=0, atol=1e-4)


def test_teachers_of_both_kinds(large: str) -> None:
    for changes in ({"distill": large}, {"distill": large, "network": None}, {"simulations": 2, "searched": 0.2}):
        trainer = trainer_of(**changes)
        learn(trainer)
        assert trainer.metrics["losses/imitation_kl"] > 0


def test_weights_that_do_not_fit_are_refused(large: str, tmp_path: Path) -> None:
    with pytest.raises(ArrayFileError, match=r"edge_place|from_codes.bias: expected shape \(8,\), got \(16,\)"):
        trainer_of(width=8).load_weights(large)
    with pytest.raises(ArrayFileError, match=r"expected 3 hidden layers, but there is no hidden.1.bias"):
        trainer_of(layers=3).load_weights(large)
    with pytest.raises(ArrayFileError, match="expected architecture 'perceptron', got 'shared'"):
        trainer_of(network=None).load_weights(large)
    trainer_of(network=None).save(tmp_path)
    with pytest.raises(ArrayFileError, match="expected architecture 'shared', got 'perceptron'"):
        trainer_of().load_weights(str(tmp_path / MODEL_FILE))


def test_it_is_not_written_as_onnx(large: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("training.models.export._package", lambda name: None)
    with pytest.raises(ExportError, match=r"expected a perceptron, got .* with a network 'shared'"):
        export(Options(model=large))
