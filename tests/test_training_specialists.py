"""Specialists: players that learn one component file, measured against the player that they began as."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from rich.console import Console  # noqa: E402

from agents.network import load_model  # noqa: E402
from tests.clocks import until  # noqa: E402
from tests.prepared_trainers import prepared_trainer  # noqa: E402
from tests.toy_game import GAME  # noqa: E402
from training.running import checkpoint  # noqa: E402
from training.running.checkpoint import MODEL_FILE  # noqa: E402
from training.studies import further_training, specialists  # noqa: E402
from training.studies.further_training import LOG  # noqa: E402
from training.studies.specialists import RESULT, Options, measure  # noqa: E402

pytestmark = pytest.mark.once

QUIET = Console(quiet=True)
ENOUGH = 500_000  # decisions after which a beginner is beaten


@pytest.fixture(scope="module")
def player(tmp_path_factory: pytest.TempPathFactory) -> str:
    """A beginner that knows a family of the toy game."""
    trainer = prepared_trainer(
        game=GAME.module, lanes=32, steps=8, layers=1, width=16, minibatches=2, family="20..60", opponents=()
    )
    trainer.learn(trainer.collect())
    folder: Path = tmp_path_factory.mktemp("player")
    trainer.save(folder)
    return str(folder / MODEL_FILE)


@pytest.fixture
def options(player: str, tmp_path: Path) -> Options:
    return Options(
        model=player, components=(), sampled=2, minutes=600.0, games=200, workers=2, out=tmp_path / "specialists"
    )


@pytest.mark.slow
def test_specialists_learn_their_file_and_are_measured_on_it(options: Options, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(further_training.TRAINING, "decisions", ENOUGH)
    results = measure(options, QUIET)
    assert [result.name for result in results] == ["member_1000000", "member_1000001"]
    for result in results:
        assert result.games >= 200
        assert result.decisions > 0
        assert result.share.low < result.share.value < result.share.high
        assert result.share.value > 0.55
    hashes = {load_model(options.out / result.name / MODEL_FILE).header["components_hash"] for result in results}
    assert len(hashes) == 2

    # What is done is not done again.
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("a training is started")

    monkeypatch.setattr(subprocess, "Popen", refuse)
    assert measure(options, QUIET) == results
    with pytest.raises(ValueError, match=r"result\.json: .*'games': 200.*; now .*'games': 300.*; choose another --out"):
        measure(replace(options, games=300), QUIET)


@pytest.mark.slow
def test_a_training_that_is_stopped_is_continued(options: Options, monkeypatch: pytest.MonkeyPatch) -> None:
    class Stop(checkpoint.StopRequest):
        """Asks to stop when the first training has begun."""

        def __enter__(self) -> Stop:
            super().__enter__()
            threading.Thread(target=self.wait, daemon=True).start()
            return self

        def wait(self) -> None:
            log = options.out / "member_1000000" / LOG
            until(lambda: log.exists() and "Prepared" in log.read_text())
            self.name = "SIGINT"

    one = replace(options, sampled=1)
    with monkeypatch.context() as patched:
        patched.setattr(checkpoint, "StopRequest", Stop)
        with pytest.raises(ValueError, match="stopped after 0 of 1 files; the same command continues"):
            measure(one, QUIET)
    folder = options.out / "member_1000000"
    before = checkpoint.load(folder / checkpoint.FILE)[1]["counters"]
    assert before["decisions"] > 0
    assert not (folder / RESULT).exists()
    # A second more than it has had.
    (result,) = measure(replace(one, minutes=(before["seconds"] + 1) / 60), QUIET)
    after = checkpoint.load(folder / checkpoint.FILE)[1]["counters"]
    assert after["seconds"] >= before["seconds"] + 1
    assert result.decisions == after["decisions"] > before["decisions"]


def test_what_does_not_fit_is_named(options: Options, tmp_path: Path) -> None:
    with pytest.raises(
        ValueError, match="components: expected at least one component file, or sampled above 0, got neither"
    ):
        measure(replace(options, sampled=0), QUIET)
    outside = tmp_path / "far.toml"
    outside.write_text("70\n")
    with pytest.raises(ValueError, match=r"model\.safetensors: "):
        measure(replace(options, components=(outside,)), QUIET)
    for wrong, message in (
        ({"workers": 0}, "workers: expected more than 0, got 0"),
        ({"players": 9}, "9"),
        ({"minutes": 0.0}, r"minutes: expected more than 0, got 0\.0"),
    ):
        with pytest.raises(ValueError, match=message):
            measure(replace(options, **wrong), QUIET)
    other = tmp_path / "other"
    other.mkdir()
    twins: list[Path] = [tmp_path / "one.toml", other / "one.toml"]
    for twin in twins:
        twin.write_text("30\n")
    with pytest.raises(ValueError, match="components: two files of the same name"):
        measure(replace(options, components=tuple(twins)), QUIET)
    changed = options.out / "member_1000000" / specialists.COMPONENTS
    changed.parent.mkdir(parents=True, exist_ok=True)
    changed.write_text("31\n")
    with pytest.raises(ValueError, match=r"components\.toml: another file than member_1000000 is now"):
        measure(options, QUIET)


def test_a_player_without_a_family_has_no_members(options: Options, tmp_path: Path) -> None:
    trainer = prepared_trainer(game=GAME.module, lanes=8, steps=8, layers=1, width=16, minibatches=1, opponents=())
    trainer.save(tmp_path)
    with pytest.raises(ValueError, match="sampled: expected 0, because the player knows no family, got 2"):
        measure(replace(options, model=str(tmp_path / MODEL_FILE)), QUIET)


def test_a_training_that_fails_says_why(options: Options, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(further_training.TRAINING, "epochs", -1)
    with pytest.raises(
        ValueError, match=r"member_1000000: the training failed: training\.ppo: epochs: expected more than 0, got -1"
    ):
        measure(replace(options, sampled=1), QUIET)


def test_the_others_stop_when_one_fails(options: Options, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of three trainings with two workers, the first is stopped when the second fails, and the third never begins."""
    begun: list[str] = []

    def pretend(folder: Path, *, stop: checkpoint.StopRequest, **_: Any) -> bool:
        begun.append(folder.name)
        if folder.name.endswith("1"):
            raise ValueError("no more memory")
        while not stop.name:
            time.sleep(0.01)
        return False

    monkeypatch.setattr(specialists, "train_further", pretend)
    with pytest.raises(ValueError, match="no more memory"):
        measure(replace(options, sampled=3, minutes=60.0), QUIET)
    assert begun == ["member_1000000", "member_1000001"]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{", "not a result"),
        ('{"settings": {}, "share": [0.5, 0.4], "games": 2, "decisions": 1}', r"not a result \(share.*remove it to"),
        ('{"settings": {"games": 7}, "share": [0.5, 0.4, 0.6], "games": 2, "decisions": 1}', "choose another --out"),
    ],
)
def test_damaged_and_other_results_are_refused_before_anything_is_trained(
    options: Options, monkeypatch: pytest.MonkeyPatch, text: str, message: str
) -> None:
    def refuse(*_: object, **__: object) -> bool:
        raise AssertionError("a training is started")

    monkeypatch.setattr(specialists, "train_further", refuse)
    path = options.out / "member_1000001" / RESULT
    path.parent.mkdir(parents=True)
    path.write_text(text)
    with pytest.raises(ValueError, match=rf"member_1000001/result\.json: .*{message}"):
        measure(options, QUIET)


@pytest.mark.slow
def test_the_command_prints_a_table(
    options: Options, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = options.out / "member_1000000"
    words: list[Any] = ["--model", options.model, "--components", "--sampled", 1, "--games", 200, "--minutes", 0.05]
    monkeypatch.setattr(sys, "argv", ["specialists", *map(str, words), "--out", str(options.out)])
    assert specialists.main() == 0
    printed = capsys.readouterr().out
    share = 100 * json.loads((folder / RESULT).read_text())["share"][0]
    assert "member_1000000" in printed
    assert f"{share:.1f} %" in printed
    monkeypatch.setattr(sys, "argv", ["specialists", "--model", "nothing.safetensors"])
    assert specialists.main() == 2
    assert "training.studies.specialists: nothing.safetensors: " in capsys.readouterr().err
