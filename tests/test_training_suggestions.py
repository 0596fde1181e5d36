"""Suggestions by trained players: one learns the files that are searched, another one judges the file that is found."""

from __future__ import annotations

import json
import shutil
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

torch = pytest.importorskip("torch")

from rich.console import Console  # noqa: E402

from agents.network import load_model  # noqa: E402
from dunaia_env.balance import suggest  # noqa: E402
from dunaia_env.harness import opponents  # noqa: E402
from dunaia_env.harness.registry import DEFAULT_GAME  # noqa: E402
from training.running.checkpoint import MODEL_FILE  # noqa: E402
from training.studies import further_training, suggestions  # noqa: E402
from training.studies.suggestions import Options, run  # noqa: E402

pytestmark = pytest.mark.once

QUIET = Console(quiet=True)


@pytest.fixture
def options(tmp_path: Path) -> Options:
    """A search that is over soon, whatever it finds."""
    return Options(
        role=("mystic",), values=("characters.mystic",), most=1, within=20.0, precision=0.2, players=(2,), files=3,
        minutes=0.02, jobs=1, backend="threading", out=tmp_path / "suggestion",
    )  # fmt: skip


@pytest.fixture
def trainings(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """The trainings that are started; each gives the player that it begins with."""
    started: list[dict[str, Any]] = []

    def pretend(folder: Path, *, file: str, **given: Any) -> bool:
        shutil.copyfile(file, folder / MODEL_FILE)
        started.append(given | {"folder": folder, "file": file})
        return True

    monkeypatch.setattr(suggestions, "train_further", pretend)
    for name, value in {"_TRIAL": 3, "_ROUNDS": 1, "_HALVINGS": ((2, 1),), "_UNCHANGED": 1}.items():
        monkeypatch.setattr(suggest, name, value)
    return started


def test_a_player_learns_the_files_and_another_one_judges(options: Options, trainings: list[dict[str, Any]]) -> None:
    judged = run(options, QUIET)
    player, judge = trainings
    assert player["file"] == opponents.model_file("champion")
    assert player["game"].name == "dunaia_assigned"
    assert player["options"] == {
        "players": (2,), "seed": 0, "processes": 1, "family": "own", "family-values": ("characters.mystic",),
        "family-share": suggestions.FAMILY_SHARE,
    }  # fmt: skip
    assert judge["file"] == str(options.out / "player" / MODEL_FILE)
    assert judge["options"]["components"] == options.out / "suggestion.toml"
    found = json.loads((options.out / "suggestion.json").read_text())
    assert found["agent"] == str(options.out / "player" / MODEL_FILE)
    assert judged.agent == str(options.out / "judge" / MODEL_FILE)
    assert judged.trained
    assert [change.path for change in judged.best.changes] == [
        change["path"] for change in found["confirmed"][0]["changes"]
    ]
    text = (options.out / "judged" / "suggestion.md").read_text()
    assert "were played on fresh seeds by judge/model, which was trained for the changed file" in text
    assert (options.out / "judged" / "suggestion.toml").read_text() == (options.out / "suggestion.toml").read_text()


@pytest.mark.slow
def test_a_screening_is_not_played_again(options: Options, trainings: list[dict[str, Any]]) -> None:
    first = run(options, QUIET)
    (options.out / "suggestion.toml").unlink()
    screening = options.out / "screening.json"
    content = json.loads(screening.read_text())
    games = content["games"]
    screening.write_text(json.dumps(content | {"games": games + 1}))
    assert run(options, QUIET).confirmed == first.confirmed
    assert json.loads((options.out / "suggestion.json").read_text())["games"] > games + 1


def test_a_player_and_a_screening_of_another_search_are_taken(
    options: Options, trainings: list[dict[str, Any]], tmp_path: Path
) -> None:
    first = run(options, QUIET)
    player, screening = options.out / "player" / MODEL_FILE, options.out / "screening.json"
    trainings.clear()
    again = replace(options, player=str(player), screening=screening, out=tmp_path / "other")
    second = run(again, QUIET)
    assert second.confirmed == first.confirmed
    (judge,) = trainings
    assert judge["file"] == str(player)
    with pytest.raises(ValueError, match=r"--screening: .*agent: expected .*safetensors'"):
        run(replace(again, player=opponents.model_file("champion")), QUIET)
    with pytest.raises(ValueError, match=r"missing\.json"):
        run(replace(again, screening=tmp_path / "missing.json"), QUIET)


def test_what_does_not_fit_is_named(options: Options, monkeypatch: pytest.MonkeyPatch) -> None:
    for wrong, message in (
        ({"values": ()}, "values: expected at least one beginning of a path such as characters.mystic, got none"),
        ({"model": "greedy"}, "model: expected a model file or the name of a shipped player, got 'greedy'"),
        ({"minutes": 0.0}, r"minutes: expected more than 0, got 0\.0"),
        ({"game": "chess"}, "chess"),
    ):
        with pytest.raises(ValueError, match=message):
            run(replace(options, **wrong), QUIET)
    monkeypatch.setattr(suggestions, "train_further", lambda *_, **__: False)
    with pytest.raises(ValueError, match="stopped in the training of the player; the same command continues"):
        run(options, QUIET)


@pytest.mark.slow
def test_the_command_trains_and_judges(
    options: Options, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(further_training.TRAINING, "lanes", 64)
    monkeypatch.setattr(suggest, "_TRIAL", 3)
    words = ["--role", "mystic", "--values", "characters.mystic", "--within", "20", "--most", "1", "--precision", "0.2"]
    words += ["--players", "2", "--files", "3", "--minutes", "0.05", "--jobs", "1", "--out", str(options.out)]
    monkeypatch.setattr(sys, "argv", ["suggestions", *words])
    assert suggestions.main() == 0
    assert "which was trained for the changed file" in " ".join(capsys.readouterr().out.split())
    family = DEFAULT_GAME.require("load_family")(None).narrowed(["characters.mystic"])
    assert load_model(options.out / "player" / MODEL_FILE).header["family"] == family.content
    judge = load_model(options.out / "judge" / MODEL_FILE).header
    assert judge["components_hash"] == DEFAULT_GAME.load(options.out / "suggestion.toml").hash
    assert len(judge["began_with"]) > len(load_model(options.out / "player" / MODEL_FILE).header["began_with"])
