"""The measurement of how fast trainers learn: what is computed from learning curves, and a short run of the command."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

pytest.importorskip("torch")

from agents.network import Network
from benchmarks.learning import (
    HERE,
    MASKABLE_PPO,
    SHARES,
    Arguments,
    Point,
    Training,
    check,
    judged,
    main,
    make_train,
    middle_seconds,
    read,
    rows_of,
    seconds_until,
)

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parent.parent
CURVE = [
    Point(0.0, 0, 0.0, 0.0, 0.0, 0),
    Point(10.0, 1000, 0.2, 0.1, 0.3, 40),
    Point(30.0, 3000, 0.6, 0.5, 0.7, 40),
    Point(50.0, 5000, 0.4, 0.3, 0.5, 40),
]
TRAINING = Training(HERE, 0, 100.0, (12.5, 25.0, None), CURVE)


def test_seconds_until_a_share_lie_on_the_line_between_two_points() -> None:
    assert seconds_until(CURVE, 0.1) == 5.0
    assert seconds_until(CURVE, 0.2) == 10.0
    assert seconds_until(CURVE, 0.5) == 25.0  # and no more after the curve has fallen
    assert seconds_until(CURVE, 0.75) is None


def test_the_median_over_seeds_is_absent_where_too_few_reach_the_share() -> None:
    others = [replace(TRAINING, seed=seed, seconds_until=(20.0, None, None)) for seed in (1, 2)]
    assert middle_seconds([TRAINING, *others], 0) == 20.0
    assert middle_seconds([TRAINING, *others], 1) is None
    assert middle_seconds([TRAINING], 1) == 25.0


def test_a_row_for_each_trainer() -> None:
    slow = Training(MASKABLE_PPO, 0, 20.0, (None, None, None), CURVE[:2])
    rows = rows_of([TRAINING, slow], None, 5.0)
    assert rows[0] == ["training.ppo", "1", "100", "12 s", "25 s", "not in 5 min", "40.0 % (40.0 to 40.0)"]
    assert rows[1][3:] == ["not in 5 min"] * len(SHARES) + ["20.0 % (20.0 to 20.0)"]


def test_make_train_is_read_from_the_makefile(tmp_path: Path) -> None:
    assert make_train(ROOT)[:4] == ["-m", "training.ppo", "--imitate", "greedy"]
    (tmp_path / "Makefile").write_text("train:\n\t@echo nothing\n")
    with pytest.raises(ValueError, match=r"Makefile: expected a target train that runs training\.ppo$"):
        make_train(tmp_path)


def test_a_preset_with_a_number_of_players_is_judged(tmp_path: Path) -> None:
    network = Network.load(ROOT / "agents" / "models" / "dune_champion.safetensors")
    network.header["seconds"] = 60.0  # as a training writes it
    network.save(model := tmp_path / "model.safetensors")
    found = judged(HERE, 3, [model], Arguments(game="dune", preset="duel", games=4))
    assert [(point.seconds, point.games) for point in found.curve] == [(0.0, 0), (60.0, 12)]
    assert found.seed == 3


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"minutes": 0.0}, "minutes: expected more than 0, got 0.0"),
        ({"games": 0}, "games: expected more than 0, got 0"),
        ({"trainers": ("dqn",)}, "trainers: expected some of here, commit, maskable_ppo, got 'dqn'"),
        ({"seeds": ()}, "trainers, seeds: expected at least one of each"),
    ],
)
def test_arguments_out_of_range_are_refused(wrong: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=f"^{message}$"):
        check(replace(Arguments(), **wrong))  # type: ignore[arg-type]


@pytest.mark.slow
def test_two_trainers_are_measured(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    results, picture = tmp_path / "learning.json", tmp_path / "learning.svg"
    options = ["--trainers", HERE, MASKABLE_PPO, "--seeds", "3", "--minutes", "0.1", "--copy-seconds", "2"]
    files = ["--json", str(results), "--plot", str(picture)]
    monkeypatch.setattr("sys.argv", ["learning", *options, "--games", "8", *files])
    main()
    trainings = read(json.loads(results.read_text(encoding="utf-8")))
    assert [(one.trainer, one.seed) for one in trainings] == [(HERE, 3), (MASKABLE_PPO, 3)]
    for training in trainings:
        assert len(training.curve) > 1
        assert training.decisions_per_second > 0
        last = training.curve[-1]
        assert last.seconds > 1
        assert last.low <= last.share <= last.high
        assert last.games >= 24
    assert picture.read_text(encoding="utf-8").lstrip().startswith("<?xml")
