"""Reports of runs: complete, the same twice, alone on a page, honest about what is missing."""

from __future__ import annotations

import dataclasses
import itertools
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dunaia_env import replay
from dunaia_env.arena import pages
from dunaia_env.arena.notable import choose, distances, replay_of
from dunaia_env.arena.plots import wrapped
from dunaia_env.arena.records import Fault, Game, RecordsError, Run, Table
from dunaia_env.arena.report import FORMAT, VERSION, Options, main, write_report
from dunaia_env.arena.run_files import append_games, read_run, write_run
from dunaia_env.arena.summary import summarise
from dunaia_env.harness.opponents import RandomAgent
from dunaia_env.harness.registry import DEFAULT_GAME
from dunaia_env.render.html import inline
from dunaia_env.render.scenes import scenes, seat_names
from dunaia_env.reports.moments import curve, largest_step, winners_of, write_moment
from dunaia_env.reports.parts import number_text
from tests.arena_runs import imagined_games, orders_of, real_games, run_of
from tests.drawn_bids import GAME as BIDS
from tests.html_pages import read_page
from tests.silent_bids import GAME as SILENT_BIDS

pytestmark = pytest.mark.once

LABELS = ("random", "greedy", "mcts:1000,playout=greedy,cutoff=20", "runs/a_b/$x^$/model<b>.safetensors")
FILES = ("report.json", "report.md", "report.html")


def store(folder: Path, run: Run, games: list[Game]) -> Path:
    folder.mkdir(exist_ok=True)
    write_run(folder, run)
    append_games(folder, games)
    return folder


def three_player_counts(**fields: Any) -> tuple[Run, list[Game]]:
    """Two players in a round robin with faults, three and four at one table each."""
    tables = [Table(2, (0, 1), 30), Table(2, (1, 2), 30), Table(2, (0, 3), 30)]
    run = run_of(LABELS, [*tables, Table(3, (1, 2, 3), 12), Table(4, (1, 1, 1, 2), 20)], **fields)
    games = imagined_games(run, [-2.0, 0.0, 1.0, 0.5], luck=0.5)
    fault = Fault(0, 17, "time-out", "no answer within <10> s | none")
    return run, [
        dataclasses.replace(game, faults=(fault,), ranks=(2, 1)) if game.key == (2, 7, 1) else game for game in games
    ]


def content_of(folder: Path) -> dict[str, Any]:
    content: dict[str, Any] = json.loads((folder / "report.json").read_text(encoding="utf-8"))
    return content


def test_a_page_stands_alone_and_names_everybody(tmp_path: Path) -> None:
    run, games = three_player_counts()
    write_report(store(tmp_path, run, games))
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "http" not in text
    assert "@import" not in text
    assert "url(" not in text.replace("url(#", "")
    page = read_page(tmp_path)
    assert not {"script", "link", "img", "iframe", "metadata"} & set(page.elements)
    assert len(set(page.identifiers)) == len(page.identifiers)
    assert {reference[1:] for reference in page.references if reference[0] == "#"} <= set(page.identifiers)
    used = set(re.findall(r"url\(#([^)]*)\)", text))
    assert used
    assert used <= set(page.identifiers)
    assert page.elements.count("svg") == 3 * 3  # ratings, scores and seats for each number of players
    for label in LABELS:
        assert label in page.text
    assert "luck-adjusted" in page.text
    for title in (
        "Results",
        "Ratings",
        "Who beats whom",
        "Scores",
        "Seats",
        "Tables",
        "Faults",
        "How to repeat the run",
    ):
        assert title in page.text
    for fact in (run.components, run.command, run.package, run.commit):
        assert fact in page.text
    assert "no answer within <10> s" in page.text


def test_markdown_says_the_same(tmp_path: Path) -> None:
    run, games = three_player_counts()
    write_report(store(tmp_path, run, games))
    lines = (tmp_path / "report.md").read_text(encoding="utf-8").splitlines()
    assert "### 4 players" in lines
    assert f"{run.command}" in lines
    columns = 0
    for line in lines:
        cells = len(re.findall(r"(?<!\\)\|", line))
        if line.startswith("|"):
            assert columns in (0, cells), line
        columns = cells
    assert any("runs/a\\_b/$x^$/model\\<b>.safetensors" in line for line in lines)


def test_the_same_records_give_the_same_bytes(tmp_path: Path) -> None:
    run, games = three_player_counts()
    first, second = store(tmp_path / "a", run, games), store(tmp_path / "b", run, games[::-1])
    for folder in (first, second):
        write_report(folder)
    assert [(first / name).read_bytes() for name in FILES] == [(second / name).read_bytes() for name in FILES]


def test_the_numbers(tmp_path: Path) -> None:
    run, games = three_player_counts()
    summary = write_report(store(tmp_path, run, games))
    content = content_of(tmp_path)
    assert (content["format"], content["version"], content["finished"]) == (FORMAT, VERSION, True)
    assert content["games"] == len(games) == 3 * 60 + 12 * 6 + 20 * 4
    assert [(row["players"], row["entrant"]) for row in content["standings"]] == [
        *((2, label) for label in LABELS),
        *((3, label) for label in LABELS[1:]),
        *((4, label) for label in LABELS[1:3]),
    ]
    assert len(content["rows"]) == 2 * 3 + 3 + 2
    rows = {(row.players, row.table, row.entrant): row for row in (*summary.rows, *summary.standings)}
    assert (rows[2, None, "greedy"].games, rows[2, None, "greedy"].blocks) == (120, 60)
    assert rows[2, None, "greedy"].share.value == pytest.approx(
        (rows[2, 0, "greedy"].share.value + rows[2, 1, "greedy"].share.value) / 2
    )
    assert rows[4, None, LABELS[2]].fair == 0.25
    own, copies = rows[4, 4, LABELS[2]], rows[4, 4, "greedy"]
    assert own.share.value + 3 * copies.share.value == pytest.approx(1)
    assert own.margin.value == pytest.approx(-3 * copies.margin.value)
    assert own.place.value + 3 * copies.place.value == pytest.approx(10)
    assert own.share.low < own.share.value < own.share.high
    assert own.adjusted is not None
    assert own.variance_ratio is not None
    assert own.variance_ratio > 0.8
    assert own.decision_seconds is not None
    assert own.slow_seconds is not None
    assert own.decision_seconds < own.slow_seconds < 1e-3
    assert content["rows"][-1]["share"] == {
        name: pytest.approx(number, rel=1e-6) for name, number in own.share._asdict().items()
    }
    assert [row.faults for row in summary.standings[:4]] == [0, 0, 0, 1]
    assert summary.faults[0].entrant == LABELS[3]
    assert (summary.faults[0].table, summary.faults[0].block, summary.faults[0].order) == (2, 7, 1)
    assert summary.ratings[3][0].entrant == LABELS[2]
    pairs = {(pair.entrant, pair.opponent): pair for pair in summary.pairs[2]}
    assert pairs["random", "greedy"].share.value + pairs["greedy", "random"].share.value == pytest.approx(1)
    assert pairs["random", "greedy"].games == 60
    assert ("random", LABELS[2]) not in pairs
    greedy = next(scores for scores in summary.scores[4] if scores.entrant == "greedy")
    assert sum(greedy.counts) == 3 * 80
    shares = [seat.share.value for seat in summary.seats if seat.players == 4 and seat.table is None]
    assert sum(shares) == pytest.approx(1)


def test_rows_of_few_games_are_marked(tmp_path: Path) -> None:
    run = run_of(["a", "b"], [Table(2, (0, 1), 200), Table(3, (0, 1, 1), 133)])
    summary = write_report(store(tmp_path, run, imagined_games(run, [0.3, 0])))
    assert [(row.games, row.few) for row in summary.standings] == [(400, False)] * 2 + [(399, True)] * 2
    text = (tmp_path / "report.md").read_text(encoding="utf-8")
    assert text.count("| a\u00a0†") == 1
    assert "fewer than 400 games" in text


def test_a_sequential_test_that_decided_is_enough(tmp_path: Path) -> None:
    run = run_of(["a", "b"], [Table(2, (0, 1), 1000)], sprt=(0.5, 0.55))
    blocks = [game for game in imagined_games(run, [1.5, 0]) if game.block < 60]
    summary = write_report(store(tmp_path, run, blocks))
    assert read_run(tmp_path).sprt == summary.run.sprt == (0.5, 0.55)
    assert summary.progress[0].decision == "accept"
    assert summary.finished
    assert [(row.decision, row.few) for row in summary.rows] == [("accept", False), (None, False)]
    assert "the higher share after 60 blocks" in (tmp_path / "report.md").read_text(encoding="utf-8")
    assert not summarise(run, blocks[:20]).finished
    assert [row.few for row in summarise(run, blocks[:20]).rows] == [True, True]


def test_an_unfinished_run_says_so(tmp_path: Path) -> None:
    run, games = three_player_counts()
    kept = [game for game in games if game.table == 0 and game.block < 20 and game.key != (0, 3, 1)]
    summary = write_report(store(tmp_path, run, kept))
    assert not summary.finished
    assert (summary.progress[0].blocks, summary.progress[0].incomplete_blocks) == (19, 1)
    assert summary.standings[0].games == 38
    page = read_page(tmp_path)
    assert "This run is not finished: 39 games, 19 of 122 blocks complete; 1 incomplete block is left out." in page.text
    assert all(label in page.text for label in LABELS)
    assert content_of(tmp_path)["finished"] is False


def test_a_run_without_a_complete_block(tmp_path: Path) -> None:
    run, games = three_player_counts()
    for kept in ([], games[:1]):
        summary = write_report(store(tmp_path / str(len(kept)), run, kept))
        assert summary.games == len(kept)
        assert all(np.isnan(row.share.value) for row in summary.rows)
        assert all(label in read_page(tmp_path / str(len(kept))).text for label in LABELS)
        assert content_of(tmp_path / str(len(kept)))["rows"][0]["share"] == {"value": None, "low": None, "high": None}


def test_one_block_has_no_interval(tmp_path: Path) -> None:
    run = run_of(["a", "b"], [Table(2, (0, 1), 1)], valuer="")
    summary = write_report(store(tmp_path, run, imagined_games(run, [0, 0])))
    assert np.isnan(summary.ratings[2][0].rating.low)
    assert np.isnan(summary.rows[0].margin.low)
    assert summary.rows[0].adjusted is None
    assert "luck-adjusted" not in read_page(tmp_path).text


def test_an_agent_against_itself(tmp_path: Path) -> None:
    run = run_of(["a"], [Table(2, (0, 0), 20)])
    summary = write_report(store(tmp_path, run, imagined_games(run, [0])))
    assert summary.rows[0].share == (0.5, 0.5, 0.5)
    assert (summary.rows[0].games, summary.rows[0].blocks) == (20, 20)
    assert summary.ratings[2] == summary.pairs[2] == ()
    read_page(tmp_path)


def test_components_of_another_game(tmp_path: Path) -> None:
    run = run_of(["greedy", "random"], [Table(2, (0, 1), 1)], components="0123456789abcdef")
    write_report(store(tmp_path, run, imagined_games(run, [0, 0])))
    assert {found["path"] for found in content_of(tmp_path)["replays"]} == {None}
    assert "expected the components of the run, 0123456789abcdef" in read_page(tmp_path).text


@pytest.fixture(scope="module")
def real_run() -> tuple[Run, list[Game]]:
    run = run_of(
        ["greedy", "random"], [Table(2, (0, 1), 3), Table(3, (0, 1, 1), 2)], seed=5, valuer="", options={"elites": True}
    )
    return run, real_games(run)


def test_replays_of_notable_games_verify(tmp_path: Path, real_run: tuple[Run, list[Game]]) -> None:
    run, games = real_run
    folder = store(tmp_path, run, games)
    (folder / "replays").mkdir()
    for ending in ("jsonl", "svg"):
        (folder / "replays" / f"strangest-9.{ending}").write_text("of an earlier report")
    write_report(folder)
    names = ["median", *(f"strangest-{place}" for place in range(1, 6))]
    written = sorted(path.name for path in (folder / "replays").iterdir())
    assert written == [f"{name}.{ending}" for name in names for ending in ("jsonl", "svg")]
    chosen = content_of(folder)["replays"]
    assert [found["name"] for found in chosen] == names
    assert len({(found["table"], found["block"], found["order"]) for found in chosen}) == 6
    for found in chosen:
        assert found["problem"] == ""
        read = replay.read(folder / found["path"])
        assert replay.verify(read) == len(read.decisions) > 20
        assert (read.header["seed"], read.result["scores"]) == (found["seed"], found["scores"])
        assert read.header["agents"] == [*found["agents"]]
        assert read.header["elites"] is True
    page = read_page(folder)
    assert {found["path"] for found in chosen} <= set(page.references)


def test_deciding_moments_are_pictured(tmp_path: Path, real_run: tuple[Run, list[Game]]) -> None:
    run, games = real_run
    folder = store(tmp_path, run, games)
    write_report(folder)
    lines = (folder / "report.md").read_text(encoding="utf-8").splitlines()
    page = read_page(folder)
    text = (folder / "report.html").read_text(encoding="utf-8")
    assert "http" not in text
    assert set(re.findall(r"url\((?!#)([^)]{0,20})", text)) == {"data:font/ttf;base64"}
    for found in content_of(folder)["replays"]:
        moment = found["moment"]
        played = replay.read(folder / found["path"])
        names = seat_names(found["agents"], DEFAULT_GAME.require("presentation").wording("en"))
        (scene,) = scenes(played, only=moment["last"])
        assert (folder / moment["picture"]).read_text(encoding="utf-8") == scene.picture
        assert inline(scene.picture) in text
        own = played.decisions[moment["first"] - 1 : moment["last"]]
        assert {line["seat"] for line in own} == {moment["seat"]}
        assert moment["decisions"] == len(played.decisions)
        assert moment["winners"] == [seat for seat, rank in enumerate(played.result["ranks"]) if rank == 1]
        assert moment["measure"] == "chance"
        assert 0 <= moment["before"] < moment["after"] <= 1
        told = moment["caption"].partition(": ")[2]
        assert moment["caption"].startswith(f"Round {moment['round']}: {scene.caption.partition(' ')[0]} ")
        assert scene.caption.removeprefix(names[moment["seat"]]) in told
        assert told.count("; ") >= len(own) - 1
        winners = " and ".join(names[seat] for seat in moment["winners"])
        assert f"The chance of {winners} to win rises from {100 * moment['before']:.0f} % to " in moment["caption"]
        assert moment["caption"] in page.text
        assert f"### {found['name']}" in lines
        (line,) = [line for line in lines if line.startswith("![") and line.endswith(f"({moment['picture']})")]
        assert line.startswith(f"![Round {moment['round']}")
    assert "The pictures show the deciding moments" in page.text


def test_a_report_of_other_games_has_no_pictures(tmp_path: Path) -> None:
    run, games = three_player_counts()
    write_report(store(tmp_path, run, games))
    text = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "font-face" not in text
    assert "deciding moment" not in text
    assert all(found["moment"] is None for found in content_of(tmp_path)["replays"])


def test_the_largest_lasting_rise() -> None:
    assert largest_step(np.array([0.5, 0.9, 0.4, 0.6, 0.7, 1.0])) == (4, 0.7, 1.0)  # the first rise is lost again
    assert largest_step(np.array([0.5, 0.2, 0.8, 0.75, 1.0])) == (1, 0.2, 0.75)
    assert largest_step(np.array([0.0, 0.5, 1.0])) == (0, 0.0, 0.5)
    assert largest_step(np.array([1.0, 1.0, 1.0])) == (1, 1.0, 1.0)
    assert largest_step(np.array([-3.0, 5.0, 2.0, 2.0])) == (0, -3.0, 2.0)


def test_turns_are_what_a_seat_decides_without_a_break(real_run: tuple[Run, list[Game]]) -> None:
    run, games = real_run
    played = replay_of(run, games[0])
    _, turns, values = curve(played)
    assert len(values) == len(turns) + 1
    assert [turn.first for turn in turns] == [1, *(turn.last + 1 for turn in turns[:-1])]
    assert turns[-1].last == len(played.decisions)
    assert 2 < len(turns) < len(played.decisions)
    rounds = [state.ending()[0] for _, state, _ in replay.positions(played)]
    for turn in turns:
        whose = {
            (rounds[number - 1], played.decisions[number - 1]["seat"]) for number in range(turn.first, turn.last + 1)
        }
        assert whose == {(turn.round, turn.seat)}
    for one, two in itertools.pairwise(turns):
        assert (one.round, one.seat) != (two.round, two.seat)


def test_a_game_without_an_evaluation_is_decided_by_the_lead(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    played = replay.record_game(3, [RandomAgent()], game=BIDS, num_players=3)
    positions = [state.scores() for _, state, _ in replay.positions(played)]
    measure, turns, chances = curve(played)
    assert [turn.last for turn in turns] == [turn.first for turn in turns] == list(range(1, len(turns) + 1))
    assert measure == "chance"
    assert chances[-1] == 1
    assert ((chances >= 0) & (chances <= 1)).all()
    monkeypatch.setattr(type(BIDS.entry_points), "has_evaluation", False)
    measure, _, leads = curve(played)
    (winner,) = winners_of(played)
    assert measure == "lead"
    assert leads.tolist() == [
        scores[winner] - max(score for seat, score in enumerate(scores) if seat != winner) for scores in positions
    ]
    moment = write_moment(tmp_path, "a.svg", played)
    assert moment is not None
    step, before, after = largest_step(leads)
    assert (moment.last, moment.before, moment.after, moment.measure) == (step + 1, before, after, "lead")
    change = f"from {before:g} to {after:g} points and is never less again.".replace("-", "−")
    assert moment.caption.endswith(f"The lead of player {winner} changes {change}")
    assert (tmp_path / "a.svg").read_text().startswith("<svg")
    everybody = dataclasses.replace(played, result=played.result | {"ranks": [1, 1, 1]})
    shared = write_moment(tmp_path, "a.svg", everybody)
    assert shared is not None
    assert shared.last == len(played.decisions)
    assert shared.caption.endswith("No turn of this game changed anything for good.")


def test_there_is_no_moment_without_pictures_or_decisions(tmp_path: Path) -> None:
    silent = replay.record_game(3, [RandomAgent()], game=SILENT_BIDS)
    assert write_moment(tmp_path, "a.svg", silent) is None
    assert write_moment(tmp_path, "a.svg", dataclasses.replace(silent, game=BIDS, decisions=[])) is None
    assert list(tmp_path.iterdir()) == []


def test_records_that_tell_another_game_are_not_replayed(real_run: tuple[Run, list[Game]]) -> None:
    run, games = real_run
    game = games[0]
    assert replay_of(run, game).result["scores"] == [*game.scores]
    for change, message in (
        ({"actions": game.actions[:-1]}, "the game is not over after the recorded actions"),
        ({"actions": (*game.actions, 0)}, "the game is over after"),
        ({"scores": (0, 0)}, "the scores are"),
        ({"actions": (10**6, *game.actions)}, "1000000"),
        ({"seed": game.seed + 99}, r"\w"),
    ):
        with pytest.raises(ValueError, match=message):
            replay_of(run, dataclasses.replace(game, **change))  # type: ignore[arg-type]


def test_the_strangest_and_the_median_game() -> None:
    run = run_of(["a", "b"], [Table(2, (0, 1), 40)])
    games = imagined_games(run, [0, 0])
    assert len(games) == 40 * len(orders_of(run.tables[0]))
    games[17] = dataclasses.replace(games[17], rounds=90)
    games[30] = dataclasses.replace(games[30], scores=(500, 0), ranks=(1, 2))
    found = choose(games)
    assert [name for name, *_ in found] == ["median", *(f"strangest-{place}" for place in range(1, 6))]
    assert {found[1][1].key, found[2][1].key} == {games[17].key, games[30].key}
    assert found[1][2] >= found[2][2] >= found[5][2]
    rounds = np.median([game.rounds for game in games])
    assert abs(found[0][1].rounds - rounds) <= 2
    assert found[0][2] < 0.6
    assert choose([]) == []
    assert [name for name, *_ in choose(games[:1])] == ["median"]


def test_distances_worked_out_by_hand() -> None:
    values = np.array([[1, 5, 0], [2, 5, 0], [3, 5, 0], [4, 5, 0], [100, 5, 10]], np.float64)
    found = distances(values)
    np.testing.assert_allclose(found[:, 0], np.array([-2, -1, 0, 1, 97]) / 1.4826)
    np.testing.assert_array_equal(found[:, 1], 0)
    np.testing.assert_allclose(found[:, 2], np.array([0, 0, 0, 0, 10]) / (1.2533 * 2))


def test_long_names_are_broken_where_their_parts_meet() -> None:
    assert wrapped("greedy") == "greedy"
    assert wrapped("mcts:1000,playout=greedy,cutoff=20") == "mcts:1000,playout=greedy,\ncutoff=20"
    assert max(map(len, wrapped("x" * 100 + "/model.safetensors").split("\n"))) <= 28
    assert wrapped("a/b" * 30).replace("\n", "") == "a/b" * 30


def test_the_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = run_of(["a", "b"], [Table(2, (0, 1), 5)])
    store(tmp_path, run, imagined_games(run, [0, 0]))
    assert main(Options(tmp_path)) == 0
    assert "10 games, 5 of 5 blocks complete." in capsys.readouterr().out
    assert main(Options(tmp_path / "nothing")) == 2
    missing = tmp_path / "nothing" / "run.json"
    assert capsys.readouterr().err == f"report: {missing}: cannot be read: No such file or directory\n"


def test_a_damaged_run_is_refused(tmp_path: Path) -> None:
    run = run_of(["a", "b"], [Table(2, (0, 1), 1)])
    games = imagined_games(run, [0, 0])
    store(tmp_path, run, [games[0], dataclasses.replace(games[1], table=7)])
    with pytest.raises(RecordsError, match=r"game \(7, 0, 1\): the run has 1 tables"):
        write_report(tmp_path)
    assert not (tmp_path / "report.html").exists()


def test_a_command_cannot_end_its_place_in_the_page(tmp_path: Path) -> None:
    run = run_of(["a", "b"], [Table(2, (0, 1), 1)], command="arena\n```\n# Mine\n<script>")
    write_report(store(tmp_path, run, imagined_games(run, [0, 0])))
    assert "\n````sh\narena\\n```\\n# Mine\\n<script>\n````\n" in (tmp_path / "report.md").read_text(encoding="utf-8")
    assert "<script>" not in (tmp_path / "report.html").read_text(encoding="utf-8")


def test_parts_come_in_the_order_in_which_people_look() -> None:
    run, games = three_player_counts()
    titles = [part.title for part in pages.sections(summarise(run, games), ())]
    assert titles[:3] == ["Results", "Ratings", "Who beats whom"]
    assert titles[-2:] == ["How to repeat the run", "Replays"]


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [(-1.25, 1, "−1.2"), (-0.04, 1, "0.0"), (-0.4, 0, "0"), (12.0, 0, "12"), (float("nan"), 1, "–")],
)
def test_numbers_have_a_typographic_minus_sign_but_zero_has_none(value: float, digits: int, text: str) -> None:
    assert number_text(value, digits) == text
