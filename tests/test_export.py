"""Players as ONNX: the same numbers in another runtime, and one clear error where that cannot be."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from agents.forward import Forward
from agents.network import Network
from dunaia_env.dunaia import NUM_ACTIONS, OBSERVATION_SIZE
from tests.test_agents_network import lanes_in_play, random_network
from tests.toy_game import GAME
from training.models import export
from training.models.export import ExportError, Options

pytestmark = pytest.mark.once


@pytest.fixture
def model(tmp_path: Path) -> Path:
    """The file of a small network for two players, which uses a part of the observation."""
    random_network(elites=[True]).save(tmp_path / "small.safetensors")
    return tmp_path / "small.safetensors"


@pytest.fixture
def exported(model: Path) -> Path:
    """The same as ONNX."""
    pytest.importorskip("onnx", reason="optional: pip install 'dunaia-env[onnx]'")
    pytest.importorskip("onnxruntime", reason="optional: pip install 'dunaia-env[onnx]'")
    path, difference = export.export(Options(str(model), out=model.with_suffix(".onnx")))
    assert difference <= 1e-5
    return path


def test_the_same_numbers_in_batches_of_any_size(exported: Path) -> None:
    session = pytest.importorskip("onnxruntime").InferenceSession(str(exported))
    (given,) = session.get_inputs()
    assert (given.name, given.type, given.shape) == ("observations", "tensor(int8)", ["batch", OBSERVATION_SIZE])
    shapes = {one.name: (one.type, one.shape) for one in session.get_outputs()}
    assert shapes == {
        "logits": ("tensor(float)", ["batch", NUM_ACTIONS]),
        "values": ("tensor(float)", ["batch", 1]),
    }
    network, observations = random_network(), lanes_in_play().observations
    for size in (1, 3, 16):
        logits, values = session.run(["logits", "values"], {"observations": observations[:size]})
        expected = network.evaluate(observations[:size])
        np.testing.assert_allclose(logits, expected[0], rtol=0, atol=1e-5)
        np.testing.assert_allclose(values[:, 0], expected[1], rtol=0, atol=1e-5)


def test_the_header_goes_with_it(exported: Path, model: Path) -> None:
    properties = pytest.importorskip("onnxruntime").InferenceSession(str(exported)).get_modelmeta().custom_metadata_map
    assert json.loads(properties["header"]) == Network.load(model).header


def test_a_player_of_another_game(tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    runtime = pytest.importorskip("onnxruntime")
    arrays = {
        name: np.random.default_rng(len(name)).normal(size=shape).astype(np.float32)
        for name, shape in {
            "hidden.0.weight": (8, GAME.observation_size),
            "hidden.0.bias": (8,),
            "policy.weight": (GAME.num_actions, 8),
            "policy.bias": (GAME.num_actions,),
            "value.weight": (2, 8),
            "value.bias": (2,),
        }.items()
    } | {"input_scale": np.array(GAME.observation_scale)}
    hashes = {"action_hash": GAME.action_hash, "observation_hash": GAME.observation_hash}
    network = Network(arrays, hashes | {"components_hash": GAME.load(None).hash, "players": [2]})
    network.save(tmp_path / "toy.safetensors")
    options = Options(str(tmp_path / "toy.safetensors"), game="tests.toy_game", out=tmp_path / "toy.onnx")
    path, difference = export.export(options)
    assert difference <= export.TOLERANCE
    (given,) = runtime.InferenceSession(str(path)).get_inputs()
    assert given.shape == ["batch", GAME.observation_size]
    with pytest.raises(ValueError, match="made for another game, or another version of the game"):
        export.export(replace(options, game="dunaia"))
    with pytest.raises(ValueError, match=r"game: expected .*, got 'nowhere'"):
        export.export(replace(options, game="nowhere"))


def test_other_numbers_are_an_error_and_nothing_is_written(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("onnx")
    pytest.importorskip("onnxruntime")
    random = np.random.default_rng(0)

    class Wrong(Forward):
        def __call__(self, observations: Any, slots: Any = None) -> Any:
            logits, values = super().__call__(observations, slots)
            return logits + np.float32(1e-3) * (random.random(logits.shape) > 0.5), values

    monkeypatch.setattr("agents.network.Forward", Wrong)
    with pytest.raises(ExportError, match=r"ONNX gives other numbers, by 0\.001; 0\.0001 is allowed"):
        export.export(Options(str(model), out=model.with_suffix(".onnx")))
    assert not model.with_suffix(".onnx").exists()


@pytest.mark.parametrize("package", ["onnx", "onnxruntime"])
def test_a_missing_package_is_named(monkeypatch: pytest.MonkeyPatch, package: str) -> None:
    for name in ("onnx", "onnxruntime"):
        monkeypatch.setitem(sys.modules, name, None if name == package else sys)
    with pytest.raises(ExportError, match=rf"{package} is not installed: pip install 'dunaia-env\[onnx\]'"):
        export.export(Options())


def test_only_networks_are_exported(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("onnx", "onnxruntime"):
        monkeypatch.setitem(sys.modules, name, sys)
    for name in ("greedy", f"{model}+8"):
        with pytest.raises(ExportError, match="expected a network without search"):
            export.export(Options(name))
