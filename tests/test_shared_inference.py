"""The network with shared encoders plays without torch: the same numbers, alone and in a batch, from checked files."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from agents.dunaia.shared_network import SharedModel  # noqa: E402
from agents.guided import GuidedAgent  # noqa: E402
from agents.network import Network, NetworkAgent, load_model, make_model  # noqa: E402
from dunaia_env.arena.match import play_match  # noqa: E402
from dunaia_env.dunaia import ACTION_HASH, OBSERVATION_HASH, load  # noqa: E402
from dunaia_env.dunaia.observation import PIECES, used_size  # noqa: E402
from dunaia_env.dunaia.state import SEARCH  # noqa: E402
from dunaia_env.harness import opponents  # noqa: E402
from dunaia_env.harness.state import GameState  # noqa: E402
from dunaia_env.support.array_files import ArrayFileError, Arrays, write_arrays  # noqa: E402
from tests.clocks import HANGS  # noqa: E402
from tests.test_networks import estimates, random_observations, shared_network  # noqa: E402
from training.models.own_networks import state_arrays  # noqa: E402

pytestmark = pytest.mark.compiled

ROOT = Path(__file__).resolve().parent.parent
FORMAT = {"format": "dunaia-network", "schema": 1, "architecture": "shared"}


def shared_model(seats: int = 2, **sizes: int) -> SharedModel:
    hashes = {"action_hash": ACTION_HASH, "observation_hash": OBSERVATION_HASH, "components_hash": load(None).hash}
    header = {**hashes, "players": list(range(2, seats + 1)), "elites": [True, False], "name": "small", "version": "7"}
    return SharedModel(state_arrays(shared_network(seats, **sizes)), header)


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize(("width", "layers"), [(32, 2), (20, 1), (48, 3)])
def test_equals_torch(players: int, width: int, layers: int) -> None:
    network = shared_network(players, width=width, layers=layers)
    observations = random_observations(players)
    model = SharedModel(state_arrays(network))
    assert (model.input_size, model.num_values, model.widths) == (used_size(players), players, [width] * layers)
    logits, values = model.outputs()(observations.numpy())
    expected = estimates(network, observations)
    assert logits.dtype == values.dtype == np.float32
    np.testing.assert_allclose(logits, expected.logits.numpy(), rtol=0, atol=1e-4)
    np.testing.assert_allclose(values, expected.values.numpy(), rtol=0, atol=1e-4)
    searching = observations.numpy()[:, PIECES["decision"].first + SEARCH] != 0
    assert 0 < searching.sum() < len(searching)


def test_any_int8_observation_gives_what_torch_gives() -> None:
    network = shared_network(3)
    observations = np.random.default_rng(0).integers(-128, 128, (50, used_size(3)), dtype=np.int8)
    logits, values = SharedModel(state_arrays(network)).outputs()(observations)
    expected = estimates(network, torch.from_numpy(observations))
    for found, wanted in ((logits, expected.logits.numpy()), (values, expected.values.numpy())):
        np.testing.assert_allclose(found, wanted, rtol=0, atol=1e-5 * np.abs(logits).max())


def test_no_row_depends_on_the_others() -> None:
    forward = shared_model(2).outputs()
    observations = random_observations(2).numpy()
    logits, values = forward(observations)
    order = np.random.default_rng(1).permutation(len(observations))
    for rows in (order, order[:7], *order[:40, None]):
        again, valued = forward(observations[rows])
        np.testing.assert_array_equal(again, logits[rows])
        np.testing.assert_array_equal(valued, values[rows])


def test_without_a_compiler_the_numbers_are_the_same(tmp_path: Path) -> None:
    model = shared_model(2, width=8)
    observations = random_observations(2).numpy()
    searching = observations[:, PIECES["decision"].first + SEARCH] != 0
    rows = np.stack([observations[searching][0], observations[~searching][-1]])
    model.save(tmp_path / "x")
    np.save(tmp_path / "rows.npy", rows)
    program = (
        "import sys, numpy as np; from agents.network import load_model; folder = sys.argv[1];"
        "logits, values = load_model(folder + '/x').outputs()(np.load(folder + '/rows.npy'));"
        "np.savez(folder + '/out.npz', logits=logits, values=values)"
    )
    environment = os.environ | {"NUMBA_DISABLE_JIT": "1"}
    subprocess.run([sys.executable, "-c", program, str(tmp_path)], cwd=ROOT, env=environment, check=True, timeout=HANGS)
    found = np.load(tmp_path / "out.npz")
    logits, values = model.outputs()(rows)
    np.testing.assert_array_equal(found["logits"], logits)
    np.testing.assert_array_equal(found["values"], values)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_a_file_plays_everywhere_an_agent_does(tmp_path: Path, dtype: Any) -> None:
    model = shared_model(2)
    arrays = {name: array.astype(dtype) for name, array in model.arrays.items()}
    path = tmp_path / "small.safetensors"
    SharedModel(arrays, model.header).save(path)
    player = opponents.load(path)
    assert isinstance(player, NetworkAgent)
    assert (player.name, player.version) == ("small", "7")
    state = GameState.new(1, elites=True)
    expected = SharedModel(arrays).outputs()(state.observation()[None])
    np.testing.assert_array_equal(player.forward(state.observation()[None])[0], expected[0])
    assert player.value(state) == expected[1][0, 0]
    drawing = opponents.load(f"{path}:temperature=0.5")
    searching = opponents.load(f"{path}+8")
    assert isinstance(searching, GuidedAgent)
    match = play_match([searching, player], blocks=2, num_players=2, elites=True)
    assert match.games == 4
    assert drawing.act(state.view()) in state.legal_actions()
    with pytest.raises(ValueError, match="num_players: 3; the network 'small' was trained for at most 2"):
        player.act(GameState.new(1, num_players=3))


def test_a_search_of_several_positions_finds_what_one_alone_does() -> None:
    guided = GuidedAgent(NetworkAgent(shared_model(3)), 8)
    states = [GameState.new(seed, num_players=3) for seed in range(5)]
    together = guided.search_many(states)
    for state, found in zip(states, together, strict=True):
        alone = guided.search(state)
        np.testing.assert_array_equal(alone.policy, found.policy)
        np.testing.assert_array_equal(alone.visits, found.visits)


def test_the_header_says_which_network_it_is(tmp_path: Path) -> None:
    model = shared_model(2)
    model.save(tmp_path / "x")
    assert isinstance(load_model(tmp_path / "x"), SharedModel)
    with pytest.raises(ArrayFileError, match="x: expected architecture 'perceptron', got 'shared'"):
        Network.load(tmp_path / "x")
    for architecture, message in [
        ("other", r"architecture: expected 'perceptron' or 'shared', got 'other'"),
        (None, r"architecture: expected 'perceptron' or 'shared', got None"),
        (["shared"], r"architecture: expected 'perceptron' or 'shared', got \['shared'\]"),
        ("perceptron", "input_scale: missing"),
    ]:
        write_arrays(tmp_path / "x", model.arrays, model.header | FORMAT | {"architecture": architecture})
        with pytest.raises(ArrayFileError, match=message):
            NetworkAgent.load(tmp_path / "x")
    assert isinstance(make_model(model.arrays, {"architecture": "shared"}), SharedModel)
    with pytest.raises(ValueError, match="input_scale: missing"):
        make_model(model.arrays, {})


def changed(name: str, change: Any) -> Arrays:
    arrays = dict(shared_model(2).arrays)
    arrays[name] = change(arrays[name])
    return arrays


def filled(value: float) -> Any:
    return lambda array: np.full_like(array, value)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("tile", lambda array: array[:, 1:], r"tile: expected \(32, 31\), got \(32, 30\)\)"),
        (
            "other_place",
            lambda array: array[1:],
            r"other_place: expected 9 or 18 or 27 squares of other players, got 8\)",
        ),
        ("other_place", lambda array: array[:, 1:], r"other_place: expected \(any, 12\), got \(9, 11\)\)"),
        (
            "other_place",
            lambda array: np.tile(array, (3, 1)),
            r"from_rest.weight: expected \(32, \d+\), got \(32, \d+\)",
        ),
        ("from_rest.bias", lambda array: array[1:], r"from_rest\.weight: expected \(31, 363\), got \(32, 363\)\)"),
        ("hidden.0.weight", np.transpose, None),
        ("hidden.0.bias", lambda array: array[:0], r"hidden\.0\.bias: expected \(32\), got \(0,\)\)"),
        ("pile_head.weight", filled(np.nan), r"pile_head\.weight: expected finite numbers, got NaN or infinity\)"),
        ("edge_place", lambda array: array.astype(np.float64), "edge_place: expected float32 or float16, got float64"),
        *(
            (name, filled(3e38), f"{layer}: expected weights with which no output exceeds 1e\\+38")
            for name, layer in [
                ("tile", "the encoder of own squares"),
                ("square_status", "the encoder of own squares"),
                ("offer_status", "the encoder of offers"),
                ("other_square", "the encoder of other players' squares"),
                ("from_rest.weight", "from_rest"),
                ("from_codes.bias", "from_codes"),
                ("hidden.0.weight", "hidden.0"),
                ("trunk_heads.weight", "trunk_heads"),
                ("square_key.weight", "square_key"),
                ("offer_key.bias", "offer_key"),
                ("square_heads.weight", "square_heads"),
                ("offer_heads.weight", "offer_heads"),
                ("other_key.weight", "other_key"),
                ("other_head.bias", "other_head"),
                ("pile_key.weight", "pile_key"),
                ("pile_head.weight", "pile_head"),
                ("edge_place", "edge_place"),
            ]
        ),
    ],
)
def test_weights_that_make_no_network_are_refused(tmp_path: Path, name: str, change: Any, message: str | None) -> None:
    arrays = changed(name, change)
    write_arrays(tmp_path / "x", arrays, shared_model(2).header | FORMAT)
    if message is None:
        NetworkAgent.load(tmp_path / "x")
        return
    with pytest.raises(ArrayFileError, match=rf"x: the weights do not make a network \({message}") as refused:
        NetworkAgent.load(tmp_path / "x")
    assert len(str(refused.value)) < 300 + len(str(tmp_path))


@pytest.mark.parametrize("name", sorted(shared_model(2).arrays))
def test_a_missing_array_is_named(name: str) -> None:
    arrays = dict(shared_model(2).arrays)
    del arrays[name]
    needed = "from_codes.weight|hidden" if name == "hidden.0.weight" else f"{name}: missing"
    if name == "hidden.0.weight":
        assert SharedModel(arrays).widths == [32]  # what is left of the layer is not used
        return
    with pytest.raises(ValueError, match=needed):
        SharedModel(arrays)


@pytest.mark.parametrize(
    ("one", "other"), [("square_heads.bias", "offer_heads.bias"), ("trunk_heads.bias", "edge_place")]
)
def test_products_beyond_the_range_of_numbers_are_refused(one: str, other: str) -> None:
    arrays = {name: array.copy() for name, array in shared_model(2).arrays.items()}
    arrays[other][:] = 1e25
    SharedModel(arrays)
    products = slice(96, 96 + 6 * 16) if one == "trunk_heads.bias" else slice(None)  # of the Dunaias with the edges
    arrays[one][products] = 1e25
    names = " and ".join(name.removesuffix(".bias") for name in (one, other))
    with pytest.raises(ValueError, match=f"{names}: expected weights with which no output exceeds"):
        SharedModel(arrays)


def test_the_largest_weights_give_numbers_for_any_observation() -> None:
    """Just below what is refused, no output is infinite, whatever the observation."""
    plain, largest = dict(shared_model(2).arrays), None
    for exponent in range(1, 60):
        try:
            largest = SharedModel({name: array * np.float32(2.0**exponent) for name, array in plain.items()})
        except ValueError:
            break
    assert largest is not None
    observations = np.random.default_rng(0).choice(np.array([-128, 127], np.int8), (64, used_size(2)))
    logits, values = largest.outputs()(observations)
    assert np.isfinite(logits).all()
    assert np.isfinite(values).all()
    assert np.abs(logits).max() > 1e20


@pytest.mark.parametrize(
    "name", ["", *sorted(path.name for path in (ROOT / "training" / "studies" / "held_out").iterdir())]
)
def test_the_champion_plays_every_file_of_its_family(name: str) -> None:
    components = str(ROOT / "training" / "studies" / "held_out" / name) if name else None
    agent = NetworkAgent.load(ROOT / "agents" / "models" / "champion.safetensors", components=components)
    state = GameState.new(3, num_players=4, elites=True, components=components)
    assert state.action_mask()[agent.act(state)] == 1
