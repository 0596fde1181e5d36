"""The skill ladder: its rungs, its results file and picture, and going on after a stop."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from dunaia_env.arena import ladder, playing
from dunaia_env.arena.ladder import (
    Options,
    Rung,
    doublings,
    label_of,
    main,
    play_ladder,
    read_results,
    read_rung,
    write_results,
)
from dunaia_env.arena.records import RecordsError
from dunaia_env.arena.run_files import read_games, read_run

pytestmark = pytest.mark.once


def test_each_budget_is_twice_the_one_before() -> None:
    assert doublings(25, 800) == [50, 100, 200, 400, 800]
    assert doublings(25, 799) == [50, 100, 200, 400]
    assert doublings(3, 6) == [6]
    for first, last in ((0, 8), (5, 9), (4, 4)):
        with pytest.raises(ValueError, match=f"first, last: expected .*, got {first}, {last}"):
            doublings(first, last)


def test_searches_are_named_with_their_options() -> None:
    assert label_of(100, "") == "mcts:100"
    assert label_of(100, "playout=random") == "mcts:100,playout=random"


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> tuple[Options, list[Rung]]:
    options = Options(out=tmp_path_factory.mktemp("ladder"), players=(2, 3), first=2, last=8, games=6, jobs=1)
    return options, play_ladder(options)


@pytest.mark.long
def test_every_rung_is_played_one_against_all(played: tuple[Options, list[Rung]]) -> None:
    options, rungs = played
    found = [(rung.players, rung.simulations, rung.games) for rung in rungs]
    assert found == [(2, 4, 6), (3, 4, 6), (2, 8, 6), (3, 8, 6)]
    for rung in rungs:
        folder = options.out / f"{rung.players}p-{rung.simulations}"
        run = read_run(folder)
        assert [entrant.label for entrant in run.entrants] == [
            f"mcts:{rung.simulations}",
            f"mcts:{rung.simulations // 2}",
        ]
        assert [table.entrants for table in run.tables] == [(0,) + (1,) * (rung.players - 1)]
        shares = [(game.ranks[game.seating.index(0)] == 1) / game.ranks.count(1) for game in read_games(folder)]
        assert rung.share.value == pytest.approx(sum(shares) / 6)
        assert rung.fair == pytest.approx(1 / rung.players)
        assert rung.share.low <= rung.share.value <= rung.share.high
        assert rung.seconds > 0


def test_results_are_written_and_read(played: tuple[Options, list[Rung]]) -> None:
    options, rungs = played
    assert read_results(options.out / "ladder.json") == rungs
    assert (options.out / "ladder.png").read_bytes().startswith(b"\x89PNG")


def test_a_finished_ladder_is_not_played_again(
    played: tuple[Options, list[Rung]], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    options, rungs = played
    monkeypatch.setattr(playing, "play_chunk", lambda *_: pytest.fail("a game was played"))
    assert main(options) == rungs
    assert "4 against 2" in capsys.readouterr().out


def test_what_is_no_ladder_is_refused(
    tmp_path: Path, played: tuple[Options, list[Rung]], capsys: pytest.CaptureFixture[str]
) -> None:
    write_results(tmp_path, played[1])
    path = tmp_path / ladder.RESULTS_FILE
    content = json.loads(path.read_text(encoding="utf-8"))
    path.write_text(json.dumps(content | {"version": 2}), encoding="utf-8")
    with pytest.raises(ValueError, match="expected format and version"):
        read_results(path)
    for unreadable, message in ((b"{", "not JSON"), ("{}".encode("utf-16"), "the text is UTF-16")):
        path.write_bytes(unreadable)
        with pytest.raises(ValueError, match=rf"ladder\.json: .*{message}"):
            read_results(path)
    with pytest.raises(RecordsError):
        read_rung(tmp_path, 4)
    with pytest.raises(SystemExit, match=r"^2$"):
        main(Options(out=tmp_path, first=9, last=10))
    assert capsys.readouterr().err.startswith(
        "ladder: first, last: expected first >= 1 and last >= 2 * first, got 9, 10"
    )
