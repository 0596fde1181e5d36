"""The command that judges a recorded game."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dunaia_env.analysis.__main__ import main
from dunaia_env.harness.opponents import RandomAgent
from dunaia_env.replay import record_game, write
from tests.toy_game import GAME as BIDS

pytestmark = pytest.mark.once

TOY = ("--game", "tests.toy_game", "--adviser", "greedy")


@pytest.fixture(scope="module")
def toy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("games") / "bids.jsonl"
    write(record_game(5, [RandomAgent(1), RandomAgent(2)], game=BIDS, num_players=3, hand=3, open_bids=True), path)
    return path


@pytest.mark.compiled
def test_it_prints_tables_and_writes_the_analysis(
    toy: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "new" / "analysis.json"
    assert main([str(toy), *TOY, "--out", str(out), "--mistakes", "2"]) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    content = json.loads(out.read_text(encoding="utf-8"))
    assert content["adviser"] == "greedy"
    assert len(content["positions"]) == len(content["decisions"]) + 1
    assert printed.out.endswith(f"written to {out}\n")
    lines = [" ".join(line.split()) for line in printed.out.splitlines()]
    assert lines[0].startswith("Win probability and points, judged by greedy")
    assert any(line.startswith(f"The biggest of {len(content['mistakes'])} mistakes") for line in lines)
    biggest = content["decisions"][content["mistakes"][0]]
    seat, number, cost = biggest["seat"], biggest["number"], biggest["cost"]
    done, better = (f"player {seat}: {biggest[key]}" for key in ("action", "best"))
    assert f"│ {number} │ {seat} │ {cost:.1%} │ {done} │ {better} │" in lines
    assert sum(f"player {seat}: bid" in line for line in lines for seat in range(3)) <= 2 * 3
    total = content["totals"][0]
    assert any(f"{100 * total['luck']:+.1f}" in line and "player 0 (random)" in line for line in lines)

    assert main([str(toy), *TOY, "--mistakes", "0"]) == 0
    assert "player 0: bid" not in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("missing.jsonl",), "missing.jsonl: cannot be read"),
        (("FILE",), "line 1: game: expected one of dunaia, dune, dunaia_assigned, got 'tests.toy_game'"),
        (("FILE", "--game", "tests.toy_game"), "adviser: 'champion' cannot judge this game"),
        (("FILE", *TOY, "--simulations", "5"), "simulations: expected 0, because greedy does not search, got 5"),
        (("FILE", *TOY, "--mistakes", "-1"), "mistakes: expected at least 0, got -1"),
        (
            ("FILE", "--game", "nothing"),
            ("game: expected one of dunaia, dune, dunaia_assigned, or a module such as my_package.game, got 'nothing'"),
        ),
    ],
)
def test_mistakes_are_named(
    toy: Path, capsys: pytest.CaptureFixture[str], words: tuple[str, ...], message: str
) -> None:
    assert main([str(toy) if word == "FILE" else word for word in words]) == 2
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith("dunaia analysis: ")
    assert message in printed.err
    assert printed.err.count("\n") == 1
