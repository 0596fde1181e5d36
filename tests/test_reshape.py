"""Perceptrons of other widths that decide as before, and perceptrons without some preferences."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("torch")  # which `training` needs

from agents.model import digest
from agents.network import Network, NetworkAgent, depth_of, load_model
from dunaia_env.harness.registry import DEFAULT_GAME
from tests.test_agents_network import random_network
from tests.test_models import make_run, trained
from training.models import publish, reshape
from training.models.positions import played_positions
from training.models.reshape import Options, after, with_fresh_units, without_idle_units, without_preferences

pytestmark = pytest.mark.compiled


def with_idle_units(network: Network, idle: tuple[int, ...]) -> Network:
    """The network with biases that keep these units of each hidden layer at zero."""
    arrays = {name: np.array(array) for name, array in network.arrays.items()}
    for index in range(depth_of(arrays)):
        arrays[f"hidden.{index}.bias"][list(idle)] = -1e4
    return Network(arrays, network.header)


@pytest.mark.long
def test_units_without_effect_go() -> None:
    network = with_idle_units(random_network(width=16), (2, 3, 11))
    observations, _ = played_positions(network, positions=512)
    observations = observations[:, : network.input_size]
    arrays = without_idle_units(network.arrays, observations)
    slim = Network(arrays, network.header)
    assert all(width <= 13 for width in slim.widths)
    before, later = (NetworkAgent(one).forward(observations) for one in (network, slim))
    for one, other in zip(before, later, strict=True):
        assert other == pytest.approx(one, abs=1e-5)
    # What is still there is used: without any one of the units, some output changes.
    weights = [slim.arrays[f"{name}.weight"] for name in after(slim.arrays, depth_of(slim.arrays) - 1)]
    assert all(np.abs(weight).max(axis=0).min() > 0 for weight in weights)


def test_a_layer_of_idle_units_keeps_one() -> None:
    network = with_idle_units(random_network(width=4), (0, 1, 2, 3))
    arrays = without_idle_units(network.arrays, np.zeros((3, network.input_size), np.int8))
    assert set(Network(arrays, network.header).widths) == {1}


def test_fresh_units_change_nothing_and_can_learn() -> None:
    network = random_network(width=16)
    observations, _ = played_positions(network, positions=512)
    observations = observations[:, : network.input_size]
    widths = tuple(width + 8 for width in network.widths)
    arrays = with_fresh_units(network.arrays, widths, observations, seed=3)
    wide = Network(arrays, network.header)
    assert tuple(wide.widths) == widths
    before, later = (NetworkAgent(one).forward(observations) for one in (network, wide))
    for one, other in zip(before, later, strict=True):
        assert other == pytest.approx(one, abs=1e-5)
    inputs = reshape.scaled(arrays, observations)
    for index, width in enumerate(network.widths):
        sums = reshape.sums_of_layer(arrays, index, inputs)
        active = (sums[:, width:] > 0).mean(axis=0)
        assert active == pytest.approx(np.full(8, reshape.ACTIVE), abs=0.02)
        for name in after(arrays, index):
            former = len(network.arrays[f"{name}.weight"])
            assert not arrays[f"{name}.weight"][:former, width:].any()
        inputs = np.maximum(sums, 0)
    again = with_fresh_units(network.arrays, widths, observations, seed=3)
    assert all(np.array_equal(again[name], array) for name, array in arrays.items())


@pytest.mark.parametrize("widths", [(16,), (15, 20), (16, 16, 16)])
def test_impossible_widths_are_refused(widths: tuple[int, ...]) -> None:
    network = random_network(width=16)
    with pytest.raises(ValueError, match="widths: expected at least 16"):
        with_fresh_units(network.arrays, widths, np.zeros((2, network.input_size), np.int8))


def test_a_network_forgets_what_it_prefers_among_the_actions_of_a_verb() -> None:
    network, table = random_network(width=16), DEFAULT_GAME.actions
    forgotten = table[1]
    other = Network(without_preferences(network.arrays, table, [forgotten.name]), network.header)
    observations = played_positions(network, positions=64)[0][:, : network.input_size]
    (before, _), (after_it, _) = (NetworkAgent(one).forward(observations) for one in (network, other))
    actions = np.arange(forgotten.first, forgotten.first + forgotten.count)
    assert np.ptp(before[:, actions], axis=1).min() > 0.01
    assert np.ptp(after_it[:, actions], axis=1).max() < 1e-5
    assert after_it[:, actions].mean(axis=1) == pytest.approx(before[:, actions].mean(axis=1), abs=1e-5)
    assert np.array_equal(np.delete(after_it, actions, axis=1), np.delete(before, actions, axis=1))


def test_an_unknown_verb_cannot_be_forgotten() -> None:
    network = random_network(width=4)
    with pytest.raises(ValueError, match=r"forget: expected verbs of .*, got 'sing'"):
        without_preferences(network.arrays, DEFAULT_GAME.actions, ["sing"])


def test_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(reshape, "POSITIONS", 256)
    network = with_idle_units(random_network(width=16), (0,))
    source, out = tmp_path / "source.safetensors", tmp_path / "wide.safetensors"
    network.save(source)
    widths = tuple(24 for _ in network.widths)
    used, written = reshape.reshape(Options(out, str(source), widths))
    assert max(used) <= 15
    model = load_model(out)
    assert tuple(written) == tuple(model.widths) == widths
    assert model.header["version"] == digest(model.arrays)
    assert model.header["layers"] == [model.input_size, *widths]

    monkeypatch.setattr("sys.argv", ["reshape", "--out", str(tmp_path / "no.safetensors"), "--model", "greedy"])
    assert reshape.main() == 2
    assert "model: expected a perceptron without search, got 'greedy'" in capsys.readouterr().err
    assert not (tmp_path / "no.safetensors").exists()


def test_a_player_is_published_without_its_idle_units(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(publish, "POSITIONS", 256)
    monkeypatch.setattr(reshape, "POSITIONS", 4096)
    models = tmp_path / "models"
    models.mkdir()
    run = make_run(tmp_path / "run", with_idle_units(trained(width=16), (2, 5)))
    model, card = publish.publish(publish.Options(run, out=models, prune=True))
    published = load_model(model)
    removed = sum(load_model(run / "model.safetensors").widths) - sum(published.widths)
    assert removed >= 2
    assert published.header["layers"] == [published.input_size, *published.widths]
    assert published.header["weights"]["idle_units"] == removed
    assert f"without {removed} units that were never active; in 256 positions" in card.read_text(encoding="utf-8")
