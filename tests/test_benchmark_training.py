"""The benchmark of the trainer: real runs, read from their curves."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")

from benchmarks import training
from benchmarks.measuring import DECISIONS
from benchmarks.training import PART, Way, ways
from docs import measured

pytestmark = pytest.mark.once


def test_ways_to_use_the_cores() -> None:
    assert ways(4) == [Way(1, 1), Way(1, 4), Way(4, 1)]
    assert ways(1) == [Way(1, 1)]


@pytest.mark.slow
def test_rows_and_the_table_made_of_them(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name, value in {"LANES": 16, "STEPS": 4, "GRADIENTS": 2}.items():
        monkeypatch.setattr(training, name, value)
    monkeypatch.setattr(training, "ways", lambda cores: [Way(1, 1)])
    stored = tmp_path / "training.json"
    options = ["--widths", "8", "--epochs", "2", "--updates", "2", "--json", str(stored)]
    monkeypatch.setattr(sys, "argv", ["training", *options])
    training.main()
    rows = {row["name"]: row for row in json.loads(stored.read_text())["rows"]}
    assert rows["training_8_2_1x1"]["unit"] == DECISIONS
    parts = {name.removeprefix("training_8_2_1x1_"): row for name, row in rows.items() if row["unit"] == PART}
    assert parts.keys() == {"engine", "network", "gradient", "exchange"}
    assert 0 < sum(row["lowest"] for row in parts.values()) < 1e6 / rows["training_8_2_1x1"]["lowest"]
    monkeypatch.setattr(measured, "TRAINER", stored)
    assert "| 8 × 8 | 2 | 1 | 1 |" in measured.trainer()
