"""Training with a family of component files: which lanes play which file, and who knows the family afterwards."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from agents.guided import GuidedAgent  # noqa: E402
from agents.network import NetworkAgent  # noqa: E402
from dunaia_env import Lanes, opponents  # noqa: E402
from dunaia_env.harness.dealing import dealt, tables  # noqa: E402
from dunaia_env.harness.registry import DEFAULT_GAME  # noqa: E402
from dunaia_env.support.array_files import ArrayFileError  # noqa: E402
from tests.test_training_group import assert_alike, train  # noqa: E402
from tests.test_training_ppo import toy_trainer, update, weights  # noqa: E402
from tests.toy_game import GAME, GoalFamily  # noqa: E402
from training import __main__ as command, family  # noqa: E402
from training.arguments import Arguments  # noqa: E402
from training.examples import own_network  # noqa: E402
from training.models import publish  # noqa: E402
from training.models.own_networks import TorchAgent  # noqa: E402
from training.past_players import choose_tables  # noqa: E402
from training.running.checkpoint import FILE, MODEL_FILE, CheckpointError, load  # noqa: E402
from training.teachers import Teacher  # noqa: E402

pytestmark = pytest.mark.once

FAMILY: dict[str, Any] = {"family": "20..60", "decisions": 8192}


def goals_of(trainer: Any) -> list[int]:
    lanes = trainer.lanes
    return [int(lanes.components_of(lane).buffer[0]) for lane in range(lanes.num_lanes)]


@pytest.mark.parametrize("share", [0.0, 0.1, 0.29, 0.5, 0.75, 1.0])
@pytest.mark.parametrize("past_share", [0.0, 0.3, 1.0])
@pytest.mark.parametrize("players", [(2,), (2, 3, 4), (2, 3, 4, 3)])
def test_the_family_gets_its_share_of_every_kind_of_table(
    share: float, past_share: float, players: tuple[int, ...]
) -> None:
    kinds = len(tables(DEFAULT_GAME, players, dealt(DEFAULT_GAME, {"elites": (True, False)})))
    lanes = np.arange(512)
    past = choose_tables(len(lanes), past_share)
    chosen = family.choose_lanes(share, kinds, past)
    assert abs(chosen.sum() - share * len(lanes)) <= 0.5
    for kind in range(kinds):
        for table in (False, True):
            alike = (lanes % kinds == kind) & (past == table)
            assert abs(chosen[alike].sum() - share * alike.sum()) < 1
    assert (chosen == family.choose_lanes(share, kinds, past)).all()


def test_a_lanes_file_depends_on_the_seed_and_its_number_alone() -> None:
    whole = goals_of(toy_trainer(**FAMILY, past_share=0.25))
    assert sum(goal == 40 for goal in whole) in (16, 17)
    assert len(set(whole)) > 8
    assert min(whole) >= 20
    assert max(whole) <= 60
    assert goals_of(toy_trainer(**FAMILY, past_share=0.25)) == whole
    assert goals_of(toy_trainer(**FAMILY, past_share=0.25, seed=1)) != whole
    chosen, own = np.ones(32, np.bool_), GAME.load(None)
    files = family.files_of(own, GoalFamily(20, 60), chosen, 3, range(32))
    half = family.files_of(own, GoalFamily(20, 60), chosen, 3, range(16, 32))
    assert [one.hash for one in files[16:]] == [one.hash for one in half]


def test_members_vary_in_the_chosen_values() -> None:
    trainer = toy_trainer(**FAMILY, family_values=("least",))
    goals = goals_of(trainer)
    assert len(set(goals)) > 8
    assert max(goals) == 40
    assert trainer.model_header()["family"] == {"goals": [20, 40]}
    with pytest.raises(ValueError, match=r"family: '20..60': values: expected least, got \['most'\]"):
        toy_trainer(**FAMILY, family_values=("most",))
    with pytest.raises(ValueError, match="family_values: expected none without --family, got least"):
        toy_trainer(decisions=8192, family_values=("least",))


def test_without_a_family_every_lane_plays_the_runs_own_file() -> None:
    trainer = toy_trainer()
    assert trainer.family is None
    assert goals_of(trainer) == [40] * 32
    assert len(trainer.lanes.components) == 1
    assert "family" not in trainer.model_header()


@pytest.mark.slow
def test_two_processes_train_what_one_trains_with_a_family(tmp_path: Path) -> None:
    one = train(tmp_path / "one", 1, 2, family="20..60")
    two = train(tmp_path / "two", 2, 2, family="20..60")
    assert_alike(one, two)
    assert len({bytes(row) for row in one[0]["lanes"]["components"]}) > 8
    assert (one[0]["lanes"]["components"] == two[0]["lanes"]["components"]).all()


def test_a_run_with_a_family_resumes_bit_for_bit_and_only_with_this_family(tmp_path: Path) -> None:
    straight, broken, resumed = (toy_trainer(**FAMILY, simulations=4, searched=0.3) for _ in range(3))
    update(straight, 3)
    update(broken, 1)
    broken.save(tmp_path)
    _, header = load(tmp_path / FILE)
    assert (header["family"], header["family_hash"]) == ({"goals": [20, 60]}, "goals 20..60")
    resumed.restore(tmp_path)
    update(resumed, 2)
    for name, array in weights(straight).items():
        np.testing.assert_array_equal(weights(resumed)[name], array)
    for changes, message in (
        (
            {"family": "20..61"},
            "trained with the family 'goals 20..60' of component files and cannot go on with the fam",
        ),
        ({"family": None}, "trained with the family 'goals 20..60' of component files and cannot go on with no family"),
        ({"family_share": 0.25}, "family_share was 0.5 and cannot become 0.25; start a new run"),
        ({"seed": 5}, "seed was 0 and cannot become 5; start a new run"),
    ):
        with pytest.raises(CheckpointError, match=message):
            toy_trainer(**{**FAMILY, "simulations": 4, "searched": 0.3, **changes}).restore(tmp_path)
    plain = tmp_path / "plain"
    toy_trainer(decisions=8192).save(plain)
    with pytest.raises(CheckpointError, match="trained with no family of component files and cannot go on with the"):
        toy_trainer(**FAMILY).restore(plain)


def test_a_model_plays_what_it_was_made_for_and_its_family(tmp_path: Path) -> None:
    trainer = toy_trainer(**FAMILY)
    update(trainer, 1)
    trainer.save(tmp_path)
    path = tmp_path / MODEL_FILE
    for components in (None, 40, 20, 60, [20, 33, 40]):
        assert NetworkAgent.load(path, components=components, game=GAME).name == "ppo"
        assert isinstance(opponents.load(f"{path}+4", components=components, game=GAME), GuidedAgent)
    needed = r"trained for a family of component files, but the goal is 61, outside 20\.\.60; load it with any_comp"
    for load_it in (
        lambda: NetworkAgent.load(path, components=61, game=GAME),
        lambda: NetworkAgent.load(path, components=[40, 61], game=GAME),
        lambda: opponents.load(path, components=61, game=GAME),
        lambda: opponents.load(f"{path}+4", components=61, game=GAME),
        lambda: toy_trainer(against=str(path), family="50..61", family_share=1.0, lanes=64),
    ):
        with pytest.raises(ArrayFileError, match=needed):
            load_it()
    assert NetworkAgent.load(path, components=61, any_components=True, game=GAME).name == "ppo"
    toy_trainer(against=str(path), family="50..60")


def test_a_model_of_ones_own_network_knows_its_family_too(tmp_path: Path) -> None:
    trainer = toy_trainer(**FAMILY, network="training.examples.own_network:make_network")
    update(trainer, 1)
    trainer.save(tmp_path)
    path, make = tmp_path / MODEL_FILE, own_network.make_network
    assert TorchAgent.load(path, make, components=[40, 25], game=GAME).name == "ppo"
    with pytest.raises(ArrayFileError, match=r"the goal is 19, outside 20\.\.60"):
        TorchAgent.load(path, make, components=19, game=GAME)
    assert TorchAgent.load(path, make, components=19, any_components=True, game=GAME).name == "ppo"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("20..60", "family: expected a table, got '20..60'"),
        ({"goals": [1]}, "family: goals: expected two numbers, got .*"),
        ({"goals": [20, 61]}, r"family_hash 'goals 20..60'; that of the family is goals 20..61"),
    ],
)
def test_a_damaged_family_in_a_model_is_named(tmp_path: Path, content: Any, message: str) -> None:
    player = toy_trainer(**FAMILY).player()
    assert isinstance(player, NetworkAgent)
    player.network.header["family"] = content
    player.network.save(tmp_path / MODEL_FILE)
    with pytest.raises(ArrayFileError, match=message):
        NetworkAgent.load(tmp_path / MODEL_FILE, components=30, game=GAME)


def test_a_family_that_cannot_be_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    for changes, message in (
        ({"family": "many"}, r"family: 'many': goals: expected two numbers, got \['many'\]"),
        ({"family_share": 1.5}, r"family_share: expected a number in 0\.\.1, got 1\.5"),
    ):
        with pytest.raises(ValueError, match=message):
            toy_trainer(**changes)
    assert toy_trainer(family="own").family == GoalFamily(30, 60)
    monkeypatch.setitem(vars(GAME), "load_family", None)
    with pytest.raises(ValueError, match="family: 'own': sealed_bids: this game has no family of component files"):
        toy_trainer(family="own")


def test_a_published_model_keeps_its_family_and_says_so(tmp_path: Path) -> None:
    trainer = toy_trainer(**FAMILY)
    update(trainer, 1)
    trainer.save(tmp_path / "run")
    result = {"opponent": "random", "players": 2, "games": 4, "share": 0.5, "low": 0.1, "high": 0.9}
    told = {"decisions": trainer.decisions, "results": [result]}
    (tmp_path / "run" / "results.json").write_text(json.dumps(told))
    options = publish.Options(run=tmp_path / "run", name="small", out=tmp_path, game=GAME.module)
    model, card = publish.publish(options)
    assert NetworkAgent.load(model, components=25, game=GAME).network.header["family"] == {"goals": [20, 60]}
    assert "| or a component file of the family | `goals 20..60` |" in card.read_text()
    assert "--family 20..60" in card.read_text()
    assert "those with values outside are refused" in card.read_text()


def test_the_command_takes_a_family(monkeypatch: pytest.MonkeyPatch) -> None:
    words = ["ppo", "--game", GAME.module, "--family", "own", "--family-share", "0.25"]
    monkeypatch.setattr("sys.argv", words)
    arguments = command.parse_arguments()
    assert (arguments.family, arguments.family_share) == ("own", 0.25)
    assert Arguments().family is None


def test_a_teacher_searches_each_lane_with_its_own_file() -> None:
    player = toy_trainer(**FAMILY).player()
    assert isinstance(player, NetworkAgent)
    goals, found = [5, 60], {}
    for components in (goals, *goals):
        lanes = Lanes(16, game=GAME, components=components, hand=4)
        lanes.reset([seed // 2 for seed in range(16)])
        for _ in range(4):
            lanes.step(lanes.legal_actions[:, 0])
        teacher = Teacher(player, simulations=32, candidates=4, value_scale=1.0, seed=3, threads=2)
        found[str(components)] = teacher.decide(lanes, np.arange(16))
    together, first, second = (found[str(components)] for components in (goals, *goals))
    for both, short, long in zip(together, first, second, strict=True):
        assert (both[0::2] == short[0::2]).all()
        assert (both[1::2] == long[1::2]).all()
    assert (first[1][0::2] != second[1][1::2]).any()
