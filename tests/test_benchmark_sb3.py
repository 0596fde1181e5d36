"""The benchmark of MaskablePPO: all that is spent in the games counts, and nothing else."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import torch
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported

from benchmarks import measuring, sb3
from benchmarks.measuring import DECISIONS
from benchmarks.sb3 import SHARE, Learning, TimedVecEnv
from dunaia_env.envs.sb3 import DunaiaVecEnv
from tests.clocks import Clock, set_clock

pytestmark = pytest.mark.once


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return set_clock(monkeypatch, sb3)


def test_all_that_is_spent_in_the_games_counts(monkeypatch: pytest.MonkeyPatch, clock: Clock) -> None:
    def slow(seconds: float, method: Callable[..., Any]) -> Callable[..., Any]:
        def moved(*given: Any, **named: Any) -> Any:
            clock.now += seconds
            return method(*given, **named)

        return moved

    for name, seconds in {"reset": 1, "step_async": 2, "step_wait": 4, "env_method": 8, "has_attr": 16}.items():
        monkeypatch.setattr(DunaiaVecEnv, name, slow(seconds, getattr(DunaiaVecEnv, name)))
    games = TimedVecEnv(4, seed=0)
    games.reset()
    assert games.seconds == 1
    games.step(games.games.lanes.random_actions(0))
    assert games.seconds == 1 + 2 + 4
    get_action_masks(games)
    assert games.seconds == 1 + 2 + 4 + 8
    assert is_masking_supported(games)
    assert games.seconds == 1 + 2 + 4 + 8 + 16


def test_the_part_of_the_games_and_the_decisions_a_second(clock: Clock) -> None:
    games = SimpleNamespace(seconds=99.0)

    def learn(decisions: int, *, reset_num_timesteps: bool) -> None:
        assert decisions == sb3.GAMES * sb3.STEPS
        assert not reset_num_timesteps
        clock.now += 2.0
        games.seconds += 0.5

    learning: Any = Learning(SimpleNamespace(learn=learn), games)  # type: ignore[arg-type]
    assert sb3.cost(learning, 3.0) == (sb3.GAMES * sb3.STEPS / 2, 0.25)
    assert clock.now == 4


def test_the_command_measures_three_ways_to_learn(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    path, threads = tmp_path / "sb3.json", torch.get_num_threads()
    monkeypatch.setattr(sys, "argv", ["sb3", "--json", str(path), "--seconds", "0.01", "--repeats", "1"])
    monkeypatch.setattr(sb3, "GAMES", 8)
    monkeypatch.setattr(sb3, "STEPS", 4)
    sb3.main()
    torch.set_num_threads(threads)
    results = json.loads(path.read_text(encoding="utf-8"))
    assert results["machine"] == measuring.machine()
    rows = {row["name"]: row for row in results["rows"]}
    assert len(rows) == 6
    printed = capsys.readouterr().out
    for name, row in rows.items():
        assert name in printed
        assert 0 < row["lowest"] <= row["value"] <= row["highest"]
        assert row["batch"] == 8
        assert row["unit"] == (DECISIONS if name.endswith("_learn") else SHARE)
        if row["unit"] == SHARE:
            assert row["value"] < 1
