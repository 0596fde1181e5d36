"""Golden playthroughs: stored games are played again, decision by decision, to the same result."""

from __future__ import annotations

from pathlib import Path

import pytest

from dunaia_env.harness.opponents import load
from dunaia_env.replay import read, record_game, to_text, verify

from .make_playthroughs import FOLDER, GAMES

FILES = sorted(FOLDER.glob("*.jsonl"))


def test_playthroughs__all_are_there() -> None:
    assert len(FILES) == len(GAMES)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_playthroughs__replay_to_the_same_result(path: Path) -> None:
    replay = read(path)
    assert verify(replay, source=path.name) == len(replay.decisions) > 40


@pytest.mark.compiled
@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_playthroughs__agents_decide_the_same_again(path: Path) -> None:
    replay = read(path)
    header = replay.header
    agents = {name: load(name) for name in header["agents"]}
    again = record_game(
        header["seed"],
        [agents[name] for name in header["agents"]],
        num_players=header["players"],
        elites=header["elites"],
        max_rounds=header["max_rounds"],
    )
    assert [line["action"] for line in again.decisions] == [line["action"] for line in replay.decisions]
    assert to_text(again).splitlines()[-1] == path.read_text().splitlines()[-1]
