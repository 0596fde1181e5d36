"""Training on a game of one's own by the command line, and what checkpoints and model files say of a game."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from agents.network import Network, NetworkAgent  # noqa: E402
from dunaia_env import opponents  # noqa: E402
from dunaia_env.arena.match import play_match  # noqa: E402
from dunaia_env.support.array_files import ArrayFileError  # noqa: E402
from tests.clocks import HANGS  # noqa: E402
from tests.toy_game import GAME  # noqa: E402
from training import __main__ as command  # noqa: E402
from training.arguments import Arguments, header_of  # noqa: E402
from training.models.lineage import commands  # noqa: E402
from training.models.publish import model_card  # noqa: E402
from training.running import checkpoint, resume  # noqa: E402
from training.running.checkpoint import FILE, MODEL_FILE, RESULTS_FILE, CheckpointError  # noqa: E402
from training.trainer import Trainer  # noqa: E402

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parent.parent
NAME = "tests.toy_game"
NUMERIC = {option.name: option for option in GAME.options if type(option.default) is int}
OPTION = next(name for name in NUMERIC if name != "num_players")
# Two values of an option, neither by default.
FIRST, SECOND = [n for n in range(NUMERIC[OPTION].least, NUMERIC[OPTION].most + 1) if n != NUMERIC[OPTION].default][:2]
SMALL: dict[str, Any] = {
    "lanes": 16,
    "steps": 16,
    "layers": 1,
    "width": 16,
    "minibatches": 2,
    "device": "cpu",
    "threads": 1,
    "engine_threads": 1,
    "precision": "fp32",
    "compile": "off",
}


def run(*more: object) -> subprocess.CompletedProcess[str]:
    small = [word for name, value in SMALL.items() for word in (f"--{name.replace('_', '-')}", value)]
    words = [sys.executable, "-m", "training.ppo", *small, "--opponents", "random", *more]
    return subprocess.run([str(word) for word in words], cwd=ROOT, capture_output=True, text=True, timeout=HANGS)


@pytest.mark.long
def test_a_game_of_ones_own_is_trained_resumed_and_played(tmp_path: Path) -> None:
    folder, option = tmp_path / "run", f"--{OPTION.replace('_', '-')}"
    own = ("--game", NAME)
    begun = run(*own, "--run", folder, "--decisions", 512, "--players", 2, 3, option, FIRST, SECOND, "--final-games", 8)
    assert begun.returncode == 0, begun.stdout + begun.stderr
    assert f"--resume --run {folder} --game {NAME} --minutes" in begun.stdout
    assert f"--game {NAME} {option} {FIRST} " in begun.stdout
    told = json.loads((folder / RESULTS_FILE).read_text())["results"]
    assert [(one["players"], one[OPTION], one["opponent"]) for one in told] == [
        (2, FIRST, "random"),
        (3, FIRST, "random"),
    ]

    player = NetworkAgent.load(folder / MODEL_FILE, game=GAME)
    header = player.network.header
    assert (header["game"], header["players"], header[OPTION]) == (NAME, [2, 3], [FIRST, SECOND])
    match = play_match([player, opponents.load("random")], blocks=3, num_players=3, game=GAME, **{OPTION: FIRST})
    assert match.games == 9
    with pytest.raises(ArrayFileError, match="made for another game, or another version of the game: action_hash"):
        NetworkAgent.load(folder / MODEL_FILE)

    refused = run("--resume", "--run", folder)
    assert refused.returncode == 2
    assert (
        f"game: expected one of dunaia, dune, dunaia_assigned, or one named by --game too, got '{NAME}'"
        in refused.stdout
    )
    resumed = run(*own, "--resume", "--run", folder, "--decisions", 1024, "--final-games", 0)
    assert resumed.returncode == 0, resumed.stdout + resumed.stderr
    assert "512 decisions (50 % of the budget)" in resumed.stdout
    assert resume.read(folder / FILE).counters.decisions == 1024
    other = run(*own, "--resume", "--run", folder, option, SECOND)
    assert other.returncode == 2
    assert f"{OPTION} was ({FIRST}, {SECOND}) and cannot become ({SECOND},); start a new run" in other.stdout


def trainer_of(**changes: Any) -> Trainer:
    before = torch.get_num_threads()
    trainer = Trainer(Arguments(**SMALL | {"decisions": 4096} | changes))
    trainer.prepare()
    torch.set_num_threads(before)
    return trainer


def weights(trainer: Trainer) -> dict[str, np.ndarray]:
    return {name: tensor.numpy().copy() for name, tensor in trainer.network.state_dict().items()}


def test_a_checkpoint_that_names_no_game_is_gone_on_with(tmp_path: Path) -> None:
    options: dict[str, Any] = {"players": (2, 3), "game_options": {"elites": (True, False)}}
    straight, broken, resumed = (trainer_of(**options) for _ in range(3))
    for trainer in (straight, broken):
        trainer.learn(trainer.collect())
    broken.save(tmp_path)
    groups, header = checkpoint.load(tmp_path / FILE)
    for told in (header["arguments"], *(part["arguments"] for part in header["history"])):
        assert told.pop("game") == "dunaia"
        assert told["elites"] == [True, False]
        assert told["max_rounds"] == [100]
        told["max_rounds"] = 100
    checkpoint.save(tmp_path / FILE, groups, header)
    assert resume.read(tmp_path / FILE).arguments == broken.arguments
    resumed.restore(tmp_path)
    assert resumed.history == straight.history
    for trainer in (straight, resumed):
        trainer.learn(trainer.collect())
    for name, array in weights(straight).items():
        np.testing.assert_array_equal(array, weights(resumed)[name])
    with pytest.raises(CheckpointError, match=r"max_rounds was \(100,\) and cannot become \(50,\); start a new run"):
        trainer_of(players=(2, 3), game_options={"elites": (True, False), "max_rounds": 50}).restore(tmp_path)


def test_what_a_command_line_does_not_say_comes_from_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trainer = trainer_of(players=(2, 3), game_options={"elites": (False, True), "max_rounds": 9})
    trainer.save(tmp_path)

    def parsed(*words: str) -> Arguments:
        monkeypatch.setattr("sys.argv", ["ppo", *words])
        return command.parse_arguments()

    resumed = parsed("--resume", "--run", str(tmp_path), "--max-rounds", "50", "--epochs", "3")
    assert (resumed.players, resumed.epochs, resumed.resume) == ((2, 3), 3, True)
    assert resumed.game_options == {"elites": (False, True), "max_rounds": (50,)}
    assert parsed("--players", "4").game_options == {"elites": (True,), "max_rounds": (100,)}
    assert parsed("--elites", "True", "False").game_options["elites"] == (True, False)
    assert header_of(parsed(f"--game={NAME}", "--resume", "--run", str(tmp_path)))["game"] == NAME


def test_a_repeated_number_of_players_gets_more_lanes_but_no_second_match() -> None:
    trainer = trainer_of(
        players=(3, 2, 3), game_options={"elites": (True, True, False)}, opponents=("random",), evaluation_games=6
    )
    header = trainer.model_header()
    assert (header["players"], header["elites"]) == ([2, 3], [True, False])
    assert [part.split(":")[0] for part in trainer.evaluate().split("; ")] == ["3 players", "2 players"]


def test_the_card_of_a_player_of_another_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    trainer = trainer_of(game=NAME, game_options={OPTION: FIRST})
    network = trainer.player().network
    result = {"opponent": "random", "players": 2, OPTION: FIRST, "share": 0.5, "low": 0.4, "high": 0.6, "games": 40}
    header = network.header | {
        "name": "own",
        "version": "1",
        "layers": [14, 16],
        "weights": {"type": "float32"},
        "seed": 0,
        "hours": 0.1,
        "games": 7,
        "command": commands(trainer.history),
        "data": "of itself",
        "results": [result],
        "licence": "MIT",
        "versions": {"python": "3"},
    }
    card = model_card(header)
    assert f"A player of {GAME.title} for 2 players, {OPTION} {FIRST}" in card
    assert f"| player | against | players | {OPTION} | games |" in card
    assert f"| the network alone | random | 2 | {FIRST} | 40 |" in card
    assert f"--{OPTION.replace('_', '-')} {FIRST} --game {NAME}" in card
    Network(network.arrays, header).save(tmp_path / "own.safetensors")
    monkeypatch.setattr(opponents, "models_folder", lambda: tmp_path)
    exec(card.partition("```python\n")[2].partition("```")[0], {})
    assert capsys.readouterr().out.strip() in [GAME.action_text(action) for action in range(GAME.num_actions)]
