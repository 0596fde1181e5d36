"""Trained players as files: what is shipped, how it is named, how fast it plays, and what is refused."""

from __future__ import annotations

import json
import os
import pickle
import re
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")  # which `training.models.publish` needs

from agents.guided import GuidedAgent
from agents.model import digest
from agents.network import Network, NetworkAgent, load_model
from dunaia_env import GameState
from dunaia_env.arena.playing import runs_in_subprocess
from dunaia_env.arena.stored_runs import ROOT, why_not_repeatable
from dunaia_env.dunaia import NUM_ACTIONS, OBSERVATION_SIZE, STATE_HASH
from dunaia_env.harness import opponents
from dunaia_env.harness.compiled.lane import LANE_HASH
from dunaia_env.harness.registry import find_game
from dunaia_env.support.array_files import ArrayFileError, read_arrays, write_arrays
from tests.test_agents_network import lanes_in_play, random_network
from tests.test_training_ppo import toy_trainer
from tests.toy_game import GAME as TOY
from training.arguments import Arguments, header_of, with_part
from training.models import publish
from training.models.lineage import commands
from training.models.publish import Options, PublishError, data, different_decisions, halved, model_card
from training.running import checkpoint

pytestmark = pytest.mark.compiled

CHAMPION = ROOT / "agents" / "models" / "champion.safetensors"
RESULT = {"opponent": "greedy", "players": 2, "elites": True, "share": 0.61, "low": 0.55, "high": 0.67, "games": 400}


def trained(width: int = 16, seed: int = 0, **header: Any) -> Network:
    """A network as a training run leaves it, score head included."""
    network = random_network(seed, width)
    heads = {"score.weight": np.zeros((2, width), np.float32), "score.bias": np.zeros(2, np.float32)}
    told = {"name": "ppo", "version": "640", "elites": [True, False], "decisions": 640, "seconds": 7200.0}
    told |= {"commit": "abc", "other_components": []}
    return Network(network.arrays | heads, network.header | told | header)


def make_run(folder: Path, network: Network, **arguments: Any) -> Path:
    """The folder of a training run that has ended with this network."""
    folder.mkdir()
    network.save(folder / "model.safetensors")
    given = Arguments(**{"players": (2,), "game_options": {"elites": (True, False)}, "seed": 5, **arguments})
    header = {
        **{name: network.header[name] for name in ("action_hash", "observation_hash", "components_hash")},
        "state_hash": STATE_HASH,
        "lane_hash": LANE_HASH,
        "frozen": None,
        "commit": "abc",
        "other_components": [],
        "family": None,
        "family_hash": None,
        "arguments": header_of(given),
        "history": [part.header() for part in with_part([], 0, 0.0, given)],
        "counters": {"updates": 1, "decisions": 640, "games": 1234, "seconds": 7200.0},
        "random": np.random.default_rng(0).bit_generator.state,
        "versions": {"python": "3.11.7", "numpy": "2.4.6"},
    }
    checkpoint.save(folder / checkpoint.FILE, {"network": network.arrays}, header)
    (folder / "results.json").write_text(json.dumps({"results": [RESULT], "decisions": 640}))
    return folder


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder in place of the project's shipped models."""
    monkeypatch.setattr(opponents, "models_folder", lambda: tmp_path / "models")
    return tmp_path / "models"


# What is shipped


def test_a_run_becomes_a_named_player_with_a_card(
    tmp_path: Path, models: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    network = trained()
    model, card = publish.publish(Options(make_run(tmp_path / "run", network), out=models))
    assert (model, card) == (models / "champion.safetensors", models / "champion.md")
    agent = opponents.load("champion")
    assert isinstance(agent, NetworkAgent)
    assert not [name for name in agent.network.arrays if name.startswith("score")]
    observations = lanes_in_play().observations
    for found, expected in zip(agent.forward(observations), NetworkAgent(network).forward(observations), strict=True):
        np.testing.assert_array_equal(found, expected)
    header = agent.network.header
    assert (header["name"], header["seed"], header["hours"], header["games"]) == ("champion", 5, 2.0, 1234)
    assert header["command"] == "python -m training.ppo --seed 5 --elites True False"
    assert (header["results"], header["commit"], header["weights"]) == ([RESULT], "abc", {"type": "float32"})
    text = card.read_text(encoding="utf-8")
    assert text == model_card(header)
    assert "| the network alone | greedy | 2 | with | 400 | 61.0 % (55.0 to 67.0) | 50.0 % |" in text
    assert all(str(value) in text for name, value in header.items() if name.endswith("_hash") or name == "command")
    exec(text.partition("```python\n")[2].partition("```")[0], {})
    assert capsys.readouterr().out.strip() in [
        GameState.new(7, elites=True).game.action_text(i) for i in range(NUM_ACTIONS)
    ]
    assert sorted(path.name for path in models.iterdir()) == ["champion.md", "champion.safetensors"]


def test_the_version_names_the_weights(tmp_path: Path, models: Path) -> None:
    versions = []
    for number, seed in enumerate((0, 1, 0)):
        publish.publish(Options(make_run(tmp_path / f"run{number}", trained(seed=seed)), out=models))
        versions.append(opponents.load("champion").version)
    assert versions[0] == versions[2] != versions[1]


def test_large_weights_are_stored_in_half_precision(
    tmp_path: Path, models: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(publish, "POSITIONS", 256)
    options = Options(make_run(tmp_path / "run", trained(width=800)), out=models)
    model, card = publish.publish(options)
    assert 1_500_000 < model.stat().st_size <= publish.MOST_BYTES
    arrays, header = read_arrays(model, kind="dunaia-network", schema=1)
    assert arrays["hidden.0.weight"].dtype == np.float16
    assert header["weights"]["type"] == "float16"
    assert header["weights"]["trained"] == digest(load_model(tmp_path / "run" / "model.safetensors").arrays)
    assert 0 <= header["weights"]["different_decisions"] <= publish.MOST_DIFFERENT
    assert "in 256 positions" in card.read_text(encoding="utf-8")
    agent = opponents.load("champion")
    assert isinstance(agent, NetworkAgent)
    assert agent.forward(lanes_in_play().observations)[0].dtype == np.float32

    monkeypatch.setattr(publish, "different_decisions", lambda *_, **__: 0.02)
    with pytest.raises(
        PublishError, match=r"2\.00 % of the decisions of the published weights differ; at most 0\.1 % may"
    ):
        publish.publish(options)
    monkeypatch.setattr(publish, "MOST_BYTES", 1_000_000)
    monkeypatch.setattr(publish, "different_decisions", lambda *_, **__: 0.0)
    with pytest.raises(PublishError, match=r"bytes in half precision; at most 1,000,000 may be shipped"):
        publish.publish(options)


def test_different_decisions_are_counted() -> None:
    network = random_network(elites=[True])
    assert different_decisions(network, network, positions=200) == 0
    other = random_network(1, elites=True)  # as other programs may write it
    assert 0.3 < different_decisions(network, other, positions=200) < 1
    assert 0.3 < different_decisions(other, network, positions=200) < 1
    assert different_decisions(network, Network(halved(network.arrays)), positions=200) < 0.05


def without_commit(network: Network) -> Network:
    return Network(network.arrays, {name: value for name, value in network.header.items() if name != "commit"})


@pytest.mark.parametrize(
    ("spoil", "options", "message"),
    [
        (lambda run: (run / "model.safetensors").unlink(), {}, r"model\.safetensors: cannot be read"),
        (lambda run: (run / "checkpoint.safetensors").unlink(), {}, r"checkpoint\.safetensors: cannot be read"),
        (lambda run: (run / "results.json").unlink(), {}, r"results\.json: missing, for the run has not ended"),
        (lambda run: (run / "results.json").write_text("{}"), {}, "not the results of matches"),
        (lambda run: (run / "results.json").write_text('{"results": [{}]}'), {}, "not the results of matches"),
        (
            lambda run: (run / "results.json").write_text(json.dumps({"results": [RESULT], "decisions": 7})),
            {},
            "expected the results of decision 640, got those of 7",
        ),
        (
            lambda run: (run / "results.json").write_text('{"results": [], "decisions": 640}'),
            {},
            "expected at least one match, got none",
        ),
        (
            lambda run: trained(decisions=1280).save(run / "model.safetensors"),
            {},
            r"of decision 1280, but checkpoint\.safetensors of 640",
        ),
        (
            lambda run: without_commit(trained()).save(run / "model.safetensors"),
            {},
            "expected a model of training.ppo, got a header without commit",
        ),
        (
            lambda run: trained(observation_hash="old").save(run / "model.safetensors"),
            {},
            "made for another game, or another version of the game: observation_hash 'old'",
        ),
        (lambda run: None, {"name": "greedy"}, "name: expected small letters, digits, - and _, got 'greedy'"),
        (lambda run: None, {"name": "easy"}, "name: expected small letters, digits, - and _, got 'easy'"),
        (lambda run: None, {"name": "../other"}, r"name: expected small letters, digits, - and _, got '\.\./other'"),
    ],
)
def test_what_cannot_be_published_is_named(
    tmp_path: Path, models: Path, spoil: Callable[[Path], Any], options: dict[str, Any], message: str
) -> None:
    run = make_run(tmp_path / "run", trained())
    spoil(run)
    with pytest.raises(ValueError, match=message):
        publish.publish(Options(run, out=models, **options))
    assert not models.exists()


def test_further_results_join_those_of_the_run(tmp_path: Path, models: Path) -> None:
    run = make_run(tmp_path / "run", trained())
    more = RESULT | {"player": "champion+64", "opponent": "mcts:10000", "players": 4, "elites": False}
    (tmp_path / "more.json").write_text(json.dumps({"results": [more]}))
    _, card = publish.publish(Options(run, out=models, results=(tmp_path / "more.json",)))
    text = card.read_text(encoding="utf-8")
    assert "| the network alone | greedy | 2 |" in text
    assert "| champion+64 | mcts:10000 | 4 | without | 400 | 61.0 % (55.0 to 67.0) | 25.0 % |" in text


def test_a_published_player_is_published_again(tmp_path: Path, models: Path) -> None:
    network = trained()
    own, _ = publish.publish(Options(make_run(tmp_path / "run", network), out=models))
    more = RESULT | {"opponent": "mcts:1000"}
    (tmp_path / "more.json").write_text(json.dumps({"results": [more]}))
    game, results = "dunaia_assigned", (tmp_path / "more.json",)
    model, card = publish.publish(Options(model=own, name="other", game=game, out=models, results=results))
    before, after = (read_arrays(path, kind="dunaia-network", schema=1) for path in (own, model))
    for name, array in before[0].items():
        np.testing.assert_array_equal(after[0][name], array)
    assert after[1] == before[1] | {"name": "other", "game": game, "results": [RESULT, more]}
    assert card.read_text(encoding="utf-8") == model_card(after[1])
    back, _ = publish.publish(Options(model=model, name="back", out=models))
    assert read_arrays(back, kind="dunaia-network", schema=1)[1] == after[1] | {"name": "back", "game": "dunaia"}


def test_options_of_another_game_leave_the_header(tmp_path: Path, models: Path) -> None:
    assigned = {"game": "dunaia_assigned", "characters": [0, 9], "elites": [True], "max_rounds": [100]}
    own, _ = publish.publish(Options(make_run(tmp_path / "run", trained()), out=models))
    published = load_model(own)
    Network(published.arrays, published.header | assigned).save(own)
    model, card = publish.publish(Options(model=own, name="other", out=models))
    found = read_arrays(model, kind="dunaia-network", schema=1)[1]
    assert (found["game"], found["elites"], found["max_rounds"]) == ("dunaia", [True], [100])
    assert "characters" not in found
    assert "A player of Dunaïa for 2 players, with elite characters: a network" in card.read_text(encoding="utf-8")


def test_only_a_run_or_a_published_player_is_published(tmp_path: Path, models: Path) -> None:
    run = make_run(tmp_path / "run", trained())
    for options in (Options(out=models), Options(run, model=run / "model.safetensors", out=models)):
        with pytest.raises(
            PublishError, match=r"expected a run \(--run\) or a published model \(--model\), one of the two"
        ):
            publish.publish(options)
    with pytest.raises(
        PublishError, match=r"model.safetensors: expected the model of a published player, got a header without game"
    ):
        publish.publish(Options(model=run / "model.safetensors", out=models))
    assert not models.exists()


def test_other_components_stand_in_the_card(tmp_path: Path, models: Path) -> None:
    run = make_run(tmp_path / "run", trained(other_components=["0123abcd"]))
    _, card = publish.publish(Options(run, out=models))
    assert "It was trained before with other components: 0123abcd." in card.read_text(encoding="utf-8")


def test_the_card_tells_the_trainings_before(tmp_path: Path, models: Path) -> None:
    before = [
        {
            "name": "champion",
            "weights": "0123abcd",
            "seed": 7,
            "decisions": 12_345,
            "hours": 2.5,
            "command": "python x",
        },
        {"name": "runs/two/model.safetensors", "weights": "4567cdef"},
    ]
    model, card = publish.publish(Options(make_run(tmp_path / "run", trained(began_with=before)), out=models))
    header = load_model(model).header
    assert header["began_with"] == before
    text = card.read_text(encoding="utf-8")
    expected = """Its weights come from 3 trainings, one after the other.

`champion` (weights `0123abcd`, seed 7, 12,345 decisions, 2.5 hours):

```
python x
```

`runs/two/model.safetensors` (weights `4567cdef`):

```
# its file does not say how it was trained
```

This one:

```
python -m training.ppo --seed 5"""
    assert expected in text
    assert "trainings, one after" not in model_card(header | {"began_with": []})


def test_the_command_names_what_is_not_default() -> None:
    arguments = Arguments(run="runs/x", players=(2, 4), learning_rate=1e-3, allow_other_components=True, compile="off")
    history = with_part([], 0, 0.0, arguments)
    first = "python -m training.ppo --players 2 4 --learning-rate 0.001 --allow-other-components --compile off"
    assert commands(history) == first
    # What is back at its default is said, what has not changed is not.
    changed = replace(arguments, epochs=1, compile="auto", allow_other_components=False, run="runs/y", resume=True)
    history = with_part(history, 12_345, 600.0, changed)
    assert commands(history).splitlines() == [
        first,
        "# stopped after 10.0 minutes and 12,345 decisions",
        "python -m training.ppo --resume --epochs 1 --no-allow-other-components --compile auto",
    ]
    other = with_part([], 0, 0.0, Arguments(components="my file.toml"))
    assert commands(other) == "python -m training.ppo --components 'my file.toml'"


def test_the_card_tells_the_games_of_every_part() -> None:
    history = with_part([], 0, 0.0, Arguments())
    history = with_part(history, 10, 1.0, Arguments(epochs=1, resume=True))
    assert data(history) == "of the network against itself"
    history = with_part(history, 20, 2.0, Arguments(past_share=0.25, resume=True))
    history = with_part(history, 30, 3.0, Arguments(simulations=16, resume=True))
    assert data(history) == (
        "of the network against itself, then of the network against itself, at 25 % of the tables against former"
        " versions, then of the network against itself, its moves chosen by searches"
    )


@pytest.mark.parametrize(
    ("share", "games"),
    [
        (0.0, "of the network against champion.safetensors"),
        (0.5, "of the network against itself, at 50 % of the tables against champion.safetensors"),
        (1.0, "of the network against champion.safetensors"),
    ],
)
def test_the_card_tells_at_which_tables_a_frozen_opponent_sat(share: float, games: str) -> None:
    history = with_part([], 0, 0.0, Arguments(against="champion.safetensors", past_share=share))
    assert data(history) == games


def test_the_card_tells_at_which_tables_rivals_sat() -> None:
    history = with_part([], 0, 0.0, Arguments(past_share=0.25, rivals=("greedy", "random"), rival_share=0.5))
    others = "at 25 % of the tables against former versions, at 50 % of the tables against greedy and random"
    assert data(history) == f"of the network against itself, {others}"


@pytest.mark.long
def test_the_command_line_publishes_or_says_why_not(tmp_path: Path) -> None:
    run = make_run(tmp_path / "run", trained())
    words = [sys.executable, "-m", "training.models.publish", "--run", str(run), "--out", str(tmp_path / "models")]
    done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 0, done.stderr
    assert "champion.safetensors: " in done.stdout
    (run / "results.json").unlink()
    done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT)
    assert done.returncode == 2
    assert done.stderr.startswith("training.models.publish: ")
    assert len(done.stderr.splitlines()) == 1


@pytest.mark.parametrize("path", sorted(CHAMPION.parent.glob("*.safetensors")), ids=lambda path: path.stem)
def test_shipped_players_fit_this_version_and_their_cards(path: Path) -> None:
    game = find_game(str(load_model(path).header["game"]))
    agent = opponents.load(path.stem, game=game)
    assert isinstance(agent, NetworkAgent)
    assert agent.name == path.stem
    assert opponents.model_file("champion", game) == str(path)
    assert path.stat().st_size <= publish.MOST_BYTES
    assert path.with_suffix(".md").read_text(encoding="utf-8") == model_card(agent.network.header)


def test_the_card_names_the_preset_of_matches_or_their_options() -> None:
    header = load_model(CHAMPION.with_name("dune_champion.safetensors")).header
    assert "| player | against | players | preset | games |" in model_card(header)
    assert "| greedy | 6 | `plain` | 1,002 |" in model_card(header)
    larger = [result | {"deck": 43} for result in header["results"]]
    card = model_card(header | {"results": larger})
    assert "preset" not in card
    assert "| greedy | 6 | without | without | none |" in card


# Names


def test_names_of_shipped_players(models: Path) -> None:
    assert opponents.names()[-4:] == ("champion", "easy", "medium", "hard")
    random_network(name="champion").save(models / "champion.safetensors")
    random_network(3, name="other").save(models / "other.safetensors")
    assert opponents.names()[-5:] == ("champion", "other", "easy", "medium", "hard")
    state = GameState.new(4)
    expected = NetworkAgent(random_network()).act(state)
    for name, own in {
        "champion": "champion",
        "champion+8": "champion+8",
        "champion+8,candidates=4": "champion+8,candidates=4",
        "champion:temperature=0.5": "champion:temperature=0.5",
        "champion:0.5": "champion:temperature=0.5",
        "champion:temperature=0": "champion",
        "other": "other",
        f"{models}/other.safetensors:temperature=2": "other:temperature=2",
        f"{models}/other.safetensors+8": "other+8",
    }.items():
        agent = opponents.load(name)
        assert agent.name == own
        assert isinstance(agent, GuidedAgent if "+" in name else NetworkAgent)
        assert agent.act(state) in state.legal_actions()
        if name in ("champion", "champion:temperature=0"):
            assert agent.act(state) == expected
    first, second = (opponents.load(name) for name in ("champion:temperature=2", "champion"))
    assert isinstance(first, NetworkAgent)
    assert isinstance(second, NetworkAgent)
    assert (first.temperature, second.temperature) == (2.0, 0.0)


def test_levels_are_the_champion_with_other_options(models: Path) -> None:
    random_network(name="champion").save(models / "champion.safetensors")
    lanes = lanes_in_play()
    for level in opponents.LEVELS:
        meant = opponents.level_of(level)
        agent, same = opponents.load(level), opponents.load(meant)
        assert (agent.name, agent.version) == (level, f"{meant} 7")
        for one in (agent, same):
            one.reset(5)
        everywhere = np.arange(16)
        np.testing.assert_array_equal(agent.act_batch(lanes, everywhere), same.act_batch(lanes, everywhere))


@pytest.mark.parametrize("name", ["champion", "champion+64", "champion:temperature=1", *opponents.LEVELS])
def test_without_a_champion_the_names_say_what_is_missing(models: Path, name: str) -> None:
    with pytest.raises(ValueError, match=r"is missing; python -m training\.models\.publish makes it") as caught:
        opponents.load(name)
    assert str(caught.value).startswith(f"agent {name!r}: {models / 'champion.safetensors'} is missing")


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("champion:temperature=-1", "temperature: expected a finite number of at least 0, got -1.0"),
        ("champion:temperature=nan", "temperature: expected a finite number of at least 0, got nan"),
        ("champion:temperature=warm", "temperature: expected a number, got 'warm'"),
        ("champion:heat=1", "option 'heat=1'; temperature, once each, are allowed"),
        ("champion:", "temperature: expected a number, got ''"),
        ("champion+0", "simulations: expected an integer in 1..100000, got 0"),
        ("champion+8:temperature=1", "option '8:temperature=1'; simulations, candidates, value_scale, once each"),
        ("champion:temperature=1+8", "temperature: expected a number, got '1+8'"),
        ("easy:temperature=1", f"easy stands for {opponents.level_of('easy')} and takes no options"),
        ("hard+64", f"hard stands for {opponents.level_of('hard')} and takes no options"),
        ("champions", "agent 'champions': expected one of random, greedy"),
    ],
)
def test_wrong_names_are_named(models: Path, name: str, message: str) -> None:
    random_network(name="champion").save(models / "champion.safetensors")
    with pytest.raises(ValueError, match=re.escape(message)) as caught:
        opponents.load(name)
    assert str(caught.value).startswith(f"agent {name!r}: ")


@pytest.mark.parametrize(
    ("variant", "own"),
    [
        ("dunaia_env.dunaia.assigned", "champion"),
        ("dunaia_env.dunaia.tiny", "champion"),
        ("dunaia_env.dune.with_tleilax", "dune_champion"),
        ("training.benchmark.battle.game", "dune_champion"),
    ],
)
def test_a_variant_has_the_players_of_its_game(variant: str, own: str) -> None:
    game = find_game(variant)
    original = find_game(game.variant_of)
    assert Path(opponents.model_file("champion+64", game)) == ROOT / "agents" / "models" / f"{own}.safetensors"
    assert [opponents.level_of(level, game) for level in opponents.LEVELS] == [
        opponents.level_of(level, original) for level in opponents.LEVELS
    ]


def test_each_game_has_its_own_champion(models: Path) -> None:
    random_network(name="champion").save(models / "champion.safetensors")
    assert opponents.model_file("champion+8", TOY) == str(models / "champion.safetensors")
    player = toy_trainer(players=(2,)).player()
    assert isinstance(player, NetworkAgent)
    player.network.save(models / f"{TOY.name}_champion.safetensors")
    assert opponents.model_file("champion+8", TOY) == str(models / f"{TOY.name}_champion.safetensors")
    assert opponents.model_file("easy", TOY) == opponents.model_file("champion", TOY)
    assert opponents.model_file("champion") == str(models / "champion.safetensors")
    state = GameState.new(1, game=TOY)
    assert opponents.load("champion", game=TOY).act(state) == player.act(state)
    own = opponents.load(f"{TOY.name}_champion:temperature=2", game=TOY)
    assert isinstance(own, NetworkAgent)
    assert own.temperature == 2
    with pytest.raises(ValueError, match="action"):
        opponents.load(f"{TOY.name}_champion")


def test_a_shipped_model_never_hides_another_agent(models: Path) -> None:
    random_network().save(models / "random.safetensors")
    assert isinstance(opponents.load("random"), opponents.RandomAgent)


def test_the_file_of_a_name() -> None:
    champion = str(CHAMPION)
    for name in ("champion", "champion+64,candidates=8", "champion:temperature=0.5", *opponents.LEVELS):
        assert opponents.model_file(name) == champion
        assert not runs_in_subprocess(name)
    for rest in ("", "+64", ":temperature=0.5", "+64,candidates=8"):
        assert opponents.model_file(f"C:/a/model.safetensors{rest}") == "C:/a/model.safetensors"
        assert not runs_in_subprocess(f"C:/a/model.safetensors{rest}")
    for name in ("random", "mcts:1000", "agents.mine:Mine", "champions", "tests.champion:Champion"):
        assert opponents.model_file(name) == ""
    assert runs_in_subprocess("agents.mine:Mine")


def test_a_named_player_is_repeatable_if_its_file_is_in_the_repository(monkeypatch: pytest.MonkeyPatch) -> None:
    tracked: list[str] = []
    monkeypatch.setattr("dunaia_env.arena.stored_runs._is_tracked", lambda file: file in tracked)
    assert why_not_repeatable("champion+64").startswith("agents/models/champion.safetensors is not a file of")
    tracked.append("agents/models/champion.safetensors")
    assert why_not_repeatable("champion+64") == why_not_repeatable("easy") == why_not_repeatable("champion") == ""
    assert "is not a file of" in why_not_repeatable(str(CHAMPION))


# Without torch, and fast


WITHOUT_TORCH = """
import sys
sys.modules["torch"] = None  # any import of it fails
import numpy as np
from dunaia_env import GameState, Lanes
from dunaia_env.harness import opponents
agent, searching = opponents.load(sys.argv[1]), opponents.load(sys.argv[1] + "+8")
state, lanes = GameState.new(1), Lanes(4)
lanes.reset(1)
for one in (agent, searching):
    assert one.act(state) in state.legal_actions()
    assert lanes.action_masks[np.arange(4), one.act_batch(lanes, np.arange(4))].all()
print("played")
"""


def test_plays_without_torch(tmp_path: Path) -> None:
    random_network().save(tmp_path / "small.safetensors")
    words = [sys.executable, "-c", WITHOUT_TORCH, str(tmp_path / "small.safetensors")]
    done = subprocess.run(words, capture_output=True, text=True, cwd=ROOT)
    assert (done.stdout, done.returncode) == ("played\n", 0), done.stderr


def test_the_order_and_the_size_of_a_batch_change_no_bit() -> None:
    agent, observations = NetworkAgent(random_network(width=64)), lanes_in_play().observations
    logits, values = agent.forward(observations)
    for rows in (np.arange(16)[::-1], np.arange(5), np.array([7])):
        np.testing.assert_array_equal(agent.forward(observations[rows])[0], logits[rows])
        np.testing.assert_array_equal(agent.forward(observations[rows])[1], values[rows])


# What is refused


class Trap:
    """Makes a folder when it is unpickled."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def __reduce__(self) -> Any:
        return os.mkdir, (str(self.folder),)


def test_a_pickle_is_refused_and_not_run(tmp_path: Path) -> None:
    path, trap = tmp_path / "x.safetensors", tmp_path / "sprung"
    path.write_bytes(pickle.dumps(Trap(trap)))
    with pytest.raises(ArrayFileError, match=r"x\.safetensors: damaged, or not a file of this project"):
        opponents.load(path)
    assert not trap.exists()


def file_with_header(text: str) -> bytes:
    """A safetensors file without arrays, with this as the JSON text of its header."""
    outer = json.dumps({"__metadata__": {"header": text}}).encode()
    return len(outer).to_bytes(8, "little") + outer


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"1234567",
        (2**62).to_bytes(8, "little") + b"{}",
        (2**64 - 1).to_bytes(8, "little") + b"{}",
        (100).to_bytes(8, "little") + b"{}",
        file_with_header("no JSON"),
        file_with_header("[]"),
        file_with_header('{"format": "dunaia-network"}'),
        file_with_header('{"format": "dunaia-network", "schema": "one"}'),
        file_with_header('{"format": "dunaia-network", "schema": Infinity}'),
        file_with_header("[" * 100_000),
    ],
    ids=["empty", "short", "huge", "largest", "longer", "text", "list", "no schema", "word", "infinite", "deep"],
)
def test_damaged_files_are_refused(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "x.safetensors"
    path.write_bytes(content)
    with pytest.raises(ArrayFileError, match=r"x\.safetensors: damaged, or not a file of this project"):
        opponents.load(path)


@pytest.mark.parametrize("kept", [0.0001, 0.5, 0.99999])
def test_truncated_files_are_refused(tmp_path: Path, kept: float) -> None:
    path = tmp_path / "x.safetensors"
    random_network().save(path)
    whole = path.read_bytes()
    path.write_bytes(whole[: int(len(whole) * kept)])
    with pytest.raises(ArrayFileError, match=r"x\.safetensors: damaged"):
        opponents.load(path)


def with_first(array: np.ndarray, value: float) -> np.ndarray:
    changed = array.copy()
    changed.flat[0] = value
    return changed


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        (
            "hidden.1.weight",
            lambda array: array[:, 1:],
            r"hidden\.1\.weight: expected \(any, 16\), got \(16, 15\)\)",
        ),
        ("hidden.1.weight", lambda array: array[0], r"hidden\.1\.weight: expected \(any, 16\), got \(16,\)\)"),
        ("hidden.0.bias", lambda array: array[:4], r"hidden\.0\.bias: expected \(16\), got \(4,\)\)"),
        ("hidden.0.weight", None, r"hidden\.0\.weight: missing"),
        ("policy.bias", None, r"policy\.bias: missing"),
        ("value.weight", lambda array: array[:0], r"value\.weight: expected \(any, 16\), got \(0, 16\)"),
        ("input_scale", lambda array: array[None], r"input_scale: expected \(any\), got \(1, 1646\)\)"),
        ("input_scale", lambda array: with_first(array, 0), "input_scale: expected numbers above 0"),
        (
            "policy.weight",
            lambda array: with_first(array, np.nan),
            r"policy\.weight: expected finite numbers, got NaN or infinity",
        ),
        (
            "value.bias",
            lambda array: with_first(array, -np.inf),
            r"value\.bias: expected finite numbers, got NaN or infinity",
        ),
        ("policy.bias", lambda array: array.astype(np.int32), r"policy\.bias: expected float32 or float16, got int32"),
    ],
)
def test_weights_of_wrong_shapes_or_no_numbers_are_refused(
    tmp_path: Path, name: str, change: Callable[[Any], Any] | None, message: str
) -> None:
    path, network = tmp_path / "x.safetensors", random_network()
    arrays = dict(network.arrays)
    array = arrays.pop(name)
    if change:
        arrays[name] = change(array)
    write_arrays(path, arrays, network.header | {"format": "dunaia-network", "schema": 1})
    with pytest.raises(ArrayFileError, match=rf"x\.safetensors: the weights do not make a network \({message}"):
        opponents.load(path)


def resized(**sizes: int) -> Network:
    """A network whose inputs, policy or value have another size."""
    network = random_network()
    arrays = dict(network.arrays)
    if inputs := sizes.pop("inputs", 0):
        arrays["input_scale"] = np.ones(inputs, np.float32)
        arrays["hidden.0.weight"] = np.zeros((16, inputs), np.float32)
    for head, outputs in sizes.items():
        arrays[f"{head}.weight"] = np.zeros((outputs, 16), np.float32)
        arrays[f"{head}.bias"] = np.zeros(outputs, np.float32)
    return Network(arrays, network.header)


@pytest.mark.parametrize(
    ("network", "message"),
    [
        (
            resized(inputs=OBSERVATION_SIZE + 1),
            f"expected at most {OBSERVATION_SIZE} inputs, got {OBSERVATION_SIZE + 1}",
        ),
        (resized(policy=NUM_ACTIONS - 1), "expected 316 actions, got 315"),
        (resized(value=5), "expected values of at most 4 seats, got 5"),
        (random_network(players="all"), "players: expected a list of numbers of players, got 'all'"),
        (random_network(players=[]), r"players: expected a list of numbers of players, got \[\]"),
        (
            random_network(action_hash="race", observation_hash="race observation", components_hash="race"),
            (
                "made for another game, or another version of the game: "
                "action_hash 'race' .*, observation_hash .*, components_hash 'race'"
            ),
        ),
        (
            Network(random_network().arrays),
            (
                "made for another game, or another version of the game: "
                "action_hash None .*, observation_hash None .*, components_hash None"
            ),
        ),
    ],
    ids=["inputs", "actions", "values", "players", "no players", "another game", "no hashes"],
)
def test_networks_for_something_else_are_refused(tmp_path: Path, network: Network, message: str) -> None:
    path = tmp_path / "x.safetensors"
    network.save(path)
    with pytest.raises(ArrayFileError, match=rf"x\.safetensors: {message}"):
        opponents.load(path)


def test_other_formats_and_future_schemas_are_refused(tmp_path: Path) -> None:
    path, network = tmp_path / "x.safetensors", random_network()
    write_arrays(path, network.arrays, network.header | {"format": "dunaia-checkpoint", "schema": 1})
    with pytest.raises(ArrayFileError, match="expected format 'dunaia-network', got 'dunaia-checkpoint'"):
        opponents.load(path)
    write_arrays(path, network.arrays, network.header | {"format": "dunaia-network", "schema": 2})
    with pytest.raises(ArrayFileError, match=r"schema 2; this version reads 1\.\.1, expected a newer one"):
        opponents.load(path)
