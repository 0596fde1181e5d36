"""The comparison with an earlier commit: what is measured on which side, in which order, and how it is told."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from benchmarks import compare
from benchmarks.compare import Arguments, Comparison, Side

pytestmark = pytest.mark.once

# Answers with the number of the call; notes on which side it was.
COUNT = """
import sys
for number, line in enumerate(sys.stdin):
    with open("../order", "a") as file:
        file.write({name!r} + line)
    print(number * {factor}, flush=True)
"""


def make_sides(folder: Path) -> tuple[Side, Side]:
    sides = []
    for name, factor in (("here", 2.0), ("there", 1.0)):
        (folder / name).mkdir()
        sides.append(Side(folder / name, COUNT.format(name=f"{name} ", factor=factor)))
    return sides[0], sides[1]


def test_rows_are_measured_in_turn_and_the_first_turn_is_not_counted(tmp_path: Path) -> None:
    here, there = make_sides(tmp_path)
    try:
        found = compare.compare(here, there, ["a", "b"], rounds=2, seconds=0.5)
    finally:
        here.close()
        there.close()
    assert found == [Comparison("a", [4.0, 8.0], [2.0, 4.0], 2.0), Comparison("b", [6.0, 10.0], [3.0, 5.0], 2.0)]
    order = (tmp_path / "order").read_text().splitlines()
    assert order == [f"{side} {row} 0.5" for row in ("a", "b") for side in ("here", "there")] * 3


def test_a_side_that_ends_is_named(tmp_path: Path) -> None:
    side = Side(tmp_path, "raise SystemExit(1)")
    try:
        with pytest.raises(RuntimeError, match="cannot measure lanes_1_thread"):
            side.measure("lanes_1_thread", 1.0)
    finally:
        side.close()


def test_a_commit_is_checked_out_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def git(*words: str) -> None:
        identity = ["-c", "user.name=somebody", "-c", "user.email=somebody@example.org"]
        subprocess.run(["git", *identity, "-C", str(tmp_path), *words], check=True, capture_output=True)

    git("init")
    (tmp_path / "file").write_text("before")
    git("add", "file")
    git("commit", "-m", "one")
    (tmp_path / "file").write_text("after")
    monkeypatch.setattr(compare, "ROOT", tmp_path)
    monkeypatch.setattr(compare, "CHECKOUTS", tmp_path / "checkouts")
    folder = compare.check_out("HEAD")
    assert (folder / "file").read_text() == "before"
    (folder / "file").write_text("kept")
    assert compare.check_out("HEAD") == folder
    assert (folder / "file").read_text() == "kept"
    assert len(list((tmp_path / "checkouts").iterdir())) == 1
    with pytest.raises(ValueError, match=r"commit: 'nowhere'; .*Needed a single revision"):
        compare.check_out("nowhere")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (Arguments("HEAD", rows=("speed",)), "speed; allowed are rows: lanes_1_thread"),
        (Arguments("HEAD", rounds=0), "numbers out of range"),
        (Arguments("HEAD", seconds=float("nan")), "numbers out of range"),
    ],
)
def test_what_cannot_be_measured_is_refused(arguments: Arguments, message: str) -> None:
    with pytest.raises(SystemExit, match=message):
        compare.main(arguments)


def test_results_are_printed_and_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(compare, "check_out", lambda commit: tmp_path / "there")
    sides = iter(make_sides(tmp_path))
    monkeypatch.setattr(compare, "Side", lambda folder: next(sides))
    monkeypatch.setattr(compare, "cold_seconds", lambda folder, _: 10.0 if folder == tmp_path / "there" else 5.0)
    file = tmp_path / "results.json"
    compare.main(Arguments("older", rows=("aec_raw",), rounds=1, seconds=0.1, cold=True, json=file))
    shown = capsys.readouterr().out
    assert "at older" in shown
    rows = json.loads(file.read_text())["rows"]
    assert rows[0] == {"name": "aec_raw", "here": [2.0], "there": [1.0], "ratio": 2.0}
    assert [row.pop("name") for row in rows[1:]] == ["compile_cold_seconds", "compile_cold_search_seconds"]
    assert rows[1:] == [{"here": [5.0], "there": [10.0], "ratio": 2.0}] * 2


@pytest.mark.slow
def test_this_checkout_can_be_measured() -> None:
    """Every row that the options name is one that a side can measure."""
    side = Side(compare.ROOT)
    try:
        for row in compare.ROWS:
            assert side.measure(row, 0.01) > 0
    finally:
        side.close()
