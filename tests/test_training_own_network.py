"""Networks of one's own: trained, saved, resumed and played like the default one; what is no network is named."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from torch import nn  # noqa: E402

from agents.model import digest  # noqa: E402
from agents.network import NetworkAgent  # noqa: E402
from dunaia_env import opponents  # noqa: E402
from dunaia_env.arena.match import play_match  # noqa: E402
from dunaia_env.harness.state import GameState  # noqa: E402
from dunaia_env.support.array_files import ArrayFileError, Arrays  # noqa: E402
from tests.clocks import HANGS  # noqa: E402
from tests.test_training_ppo import FIXED, toy_trainer, update, weights  # noqa: E402
from tests.toy_game import GAME  # noqa: E402
from training.arguments import Arguments, check  # noqa: E402
from training.examples import own_network  # noqa: E402
from training.facts import Estimates, GameFacts  # noqa: E402
from training.models.own_networks import TorchAgent, load_function  # noqa: E402
from training.ppo import PPO, PPOArguments, make_network  # noqa: E402
from training.running.checkpoint import FILE, MODEL_FILE, CheckpointError, load  # noqa: E402

pytestmark = pytest.mark.compiled

ROOT = Path(__file__).resolve().parent.parent
OWN: dict[str, Any] = {"network": "training.examples.own_network:make_network", "decisions": 8192}


def assert_same(one: Arrays, other: Arrays) -> None:
    assert one.keys() == other.keys()
    for name, array in one.items():
        np.testing.assert_array_equal(array, other[name])


def test_it_learns_the_toy_game() -> None:
    trainer = toy_trainer(network=OWN["network"], lanes=128, decisions=60_000, learning_rate=3e-3)
    before = weights(trainer)
    while trainer.progress() < 1:
        update(trainer, 1)
    assert isinstance(trainer.network, own_network.GroupedNetwork)
    assert not np.array_equal(before["shared.weight"], weights(trainer)["shared.weight"])
    np.testing.assert_array_equal(before["scale"], weights(trainer)["scale"])
    assert trainer.play("random", 400, 1).interval()[0] > 0.85


def test_its_file_plays_as_the_trainer_does(tmp_path: Path) -> None:
    trainer = toy_trainer(**OWN, players=(2, 3))
    update(trainer, 3)
    trainer.save(tmp_path)
    player = TorchAgent.load(tmp_path / MODEL_FILE, own_network.make_network, game=GAME)
    assert_same(player.arrays, weights(trainer))
    assert (player.name, player.version) == ("ppo", str(3 * 32 * 16))
    trainer.lanes.reset(9)
    everywhere = np.arange(trainer.lanes.num_lanes)
    actions = player.act_batch(trainer.lanes, everywhere)
    np.testing.assert_array_equal(actions, trainer.player().act_batch(trainer.lanes, everywhere))
    assert actions.tolist() == [player.act(trainer.lanes.get_state(lane)) for lane in everywhere]
    expected = trainer.estimate()[1]
    assert player.value(trainer.lanes.get_state(0)) == pytest.approx(expected[0, 0], abs=1e-5)
    present, before = trainer.player(), weights(trainer)
    update(trainer, 1)
    assert_same(present.arrays, before)  # it does not change with the network that is trained
    match = play_match([player, opponents.load("random")], blocks=4, num_players=3, game=GAME)
    assert match.games == 12
    with pytest.raises(ValueError, match="num_players: 4; the network 'ppo' was trained for at most 3"):
        player.check_players(4)


def test_it_is_resumed_and_its_weights_are_taken(tmp_path: Path) -> None:
    options = OWN | {"past_share": 0.5, "past_updates": 1}
    straight, broken, resumed = (toy_trainer(**options) for _ in range(3))
    update(straight, 4)
    update(broken, 2)
    broken.save(tmp_path)
    resumed.restore(tmp_path)
    update(resumed, 2)
    assert_same(weights(straight), weights(resumed))
    begun = toy_trainer(**OWN, seed=5)
    begun.load_weights(str(tmp_path / MODEL_FILE))
    assert_same(weights(begun), weights(broken))
    (ancestor,) = begun.player().lineage.ancestors
    assert (ancestor.name, ancestor.weights) == (str(tmp_path / MODEL_FILE), digest(broken.player().arrays))
    with pytest.raises(CheckpointError, match=r"network was 'training.examples.own_network:make_network' and cannot"):
        toy_trainer(**options | {"network": None}).restore(tmp_path)
    groups, _ = load(tmp_path / FILE)
    assert "0.shared.weight" in groups["past"]


def test_the_first_weights_are_those_of_the_seed() -> None:
    one, same, other = (toy_trainer(**OWN, seed=seed) for seed in (3, 3, 4))
    assert_same(weights(one), weights(same))
    assert not np.array_equal(weights(one)["first.weight"], weights(other)["first.weight"])


@pytest.mark.long
def test_the_example_is_trained_and_played_by_commands(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "run"
    own = {name: value for name, value in FIXED.items() if name != "game_options"}
    small = [word for name, value in own.items() for word in (f"--{name.replace('_', '-')}", value)]
    small[small.index("--game") + 1] = "dunaia"
    small[small.index("--opponents") + 1] = "random"
    words = [sys.executable, "-m", "training.ppo", *small, "--run", folder, "--decisions", 1024, "--network"]
    done = subprocess.run(
        [*map(str, words), OWN["network"]], cwd=ROOT, capture_output=True, text=True, timeout=HANGS, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "Against random: wins" in done.stdout
    monkeypatch.setattr(own_network, "MODEL", str(folder / MODEL_FILE))
    player = opponents.load("training.examples.own_network:player")
    match = play_match([player, opponents.load("random")], blocks=2, num_players=2, elites=True)
    assert match.games == 4
    assert player.act(GameState.new(1)) in GameState.new(1).legal_actions()
    with pytest.raises(
        ArrayFileError,
        match=r"expected format 'dunaia-network', got 'dunaia-network for training.models.own_networks.TorchAgent'",
    ):
        NetworkAgent.load(folder / MODEL_FILE)


class Wrong(nn.Module):
    def __init__(self, facts: GameFacts) -> None:
        super().__init__()
        self.layer = nn.Linear(len(facts.input_scale), facts.num_actions)
        self.facts = facts

    def forward(self, observations: torch.Tensor) -> Any:
        x = self.layer(observations.float())
        return Estimates(x, x[:, :1], x[:, : self.facts.seats])


class Pair(Wrong):
    def forward(self, observations: torch.Tensor) -> Any:
        return super().forward(observations)[:2]


def nothing(facts: GameFacts, arguments: PPOArguments) -> Any:
    return None


def wrong(facts: GameFacts, arguments: PPOArguments) -> nn.Module:
    return Wrong(facts)


def pair(facts: GameFacts, arguments: PPOArguments) -> nn.Module:
    return Pair(facts)


def dropping(facts: GameFacts, arguments: PPOArguments) -> nn.Module:
    network = Wrong(facts)
    network.more = nn.Dropout(0.1)
    return network


def normalised(facts: GameFacts, arguments: PPOArguments) -> nn.Module:
    network = Wrong(facts)
    network.more = nn.BatchNorm1d(4)
    return network


def double(facts: GameFacts, arguments: PPOArguments) -> nn.Module:
    return Wrong(facts).double()


HERE = "tests.test_training_own_network"


@pytest.mark.parametrize(
    ("network", "message"),
    [
        (
            "nowhere",
            (
                r"network: 'nowhere': expected my_module:make_network, or \./my_module\.py:make_network;"
                r" expected a module such as my_package\.my_module, or a file such as \./my_module\.py, before"
                r" the colon, got ''"
            ),
        ),
        ("nowhere.at_all:make", "network: 'nowhere.at_all:make': .*No module"),
        (f"{HERE}:nobody", "my_module:make_network, or"),
        (f"{HERE}:HERE", "expected a function like make_network"),
        (f"{HERE}:nothing", "expected a torch module from .*nothing, got NoneType"),
        (f"{HERE}:wrong", r"values of 2 observations: expected torch.float32 \(2, 2\), got torch.float32 \(2, 1\)"),
        (f"{HERE}:pair", "pair: expected Estimates from forward, got tuple"),
        (f"{HERE}:dropping", "more is Dropout, which computes differently in training and in play"),
        (f"{HERE}:normalised", "more is BatchNorm1d, which computes differently"),
        (f"{HERE}:double", "layer.weight: expected torch.float32, got torch.float64"),
    ],
)
def test_what_is_no_network_is_named(network: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        toy_trainer(network=network)


def test_a_search_does_not_teach_it() -> None:
    with pytest.raises(ValueError, match="simulations: 8; a search needs the network mlp or shared, not a:b"):
        check(Arguments(network="a:b", simulations=8))


def test_a_file_of_another_network_does_not_fit(tmp_path: Path) -> None:
    toy_trainer(**OWN).save(tmp_path)
    with pytest.raises(ArrayFileError, match=f"{MODEL_FILE}: does not fit the network"):
        TorchAgent.load(tmp_path / MODEL_FILE, make_network, game=GAME)
    with pytest.raises(ArrayFileError, match="made for another game, or another version of the game"):
        TorchAgent.load(tmp_path / MODEL_FILE, own_network.make_network)
    assert load_function(OWN["network"]) is own_network.make_network


def test_the_algorithm_alone_is_what_a_run_without_plugged_in_parts_computes() -> None:
    names = [name for name in PPOArguments.__dataclass_fields__ if name in FIXED]
    alone = PPO(PPOArguments(decisions=4096, **{name: FIXED[name] for name in names}))
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    alone.train()
    torch.set_num_threads(threads)
    trainer = toy_trainer(decisions=4096)
    while trainer.progress() < 1:
        update(trainer, 1)
    assert alone.decisions == trainer.decisions == 4096
    assert_same({name: tensor.numpy() for name, tensor in alone.network.state_dict().items()}, weights(trainer))
