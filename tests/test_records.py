"""The records of a run: whatever stands in its files is a run that the arena could have played, or is refused."""

from __future__ import annotations

import codecs
import json
from collections.abc import Callable
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

import pytest

from dunaia_env.arena import ladder, leaderboard, report
from dunaia_env.arena.records import (
    GAMES_FILE,
    RUN_FILE,
    Entrant,
    Fault,
    Game,
    RecordsError,
    Run,
    Table,
    check_entrant,
    check_game,
)
from dunaia_env.arena.run_files import append_games, read_games, read_run, write_run
from dunaia_env.arena.tournament import Options, main
from dunaia_env.harness.registry import find_game
from tests.arena_runs import imagined_games, run_of

pytestmark = pytest.mark.once

Change = Callable[[dict[str, Any]], object]
BIDS = find_game("tests.toy_game")


def small_run(folder: Path) -> tuple[Run, list[Game]]:
    """A run of two tables, written: two and three players, a fault in each game of the second."""
    run = run_of(["a", "b"], [Table(2, (0, 1), 2), Table(3, (0, 1, 1), 1)], seeding="consecutive")
    games = imagined_games(run, [0.5, 0.0], luck=0.5)
    fault = Fault(1, 17, "time-out", "no answer within 10 s")
    games = [game for game in games if game.table == 0] + [
        game for game in imagined_games(run, [0.5, 0.0], luck=0.5, faults=[fault]) if game.table == 1
    ]
    folder.mkdir(exist_ok=True)
    write_run(folder, run)
    append_games(folder, games)
    return run, games


def test_what_is_written_is_read(tmp_path: Path) -> None:
    run, games = small_run(tmp_path)
    assert read_run(tmp_path) == run
    assert read_games(tmp_path) == games
    assert read_games(tmp_path / "nothing") == []


def test_a_byte_order_mark_and_empty_lines_change_nothing(tmp_path: Path) -> None:
    """What editors and other systems add."""
    run, games = small_run(tmp_path)
    for path, end in ((tmp_path / RUN_FILE, b"\r\n\r\n"), (tmp_path / GAMES_FILE, b"\n \r\n\n")):
        path.write_bytes(codecs.BOM_UTF8 + path.read_bytes().replace(b"\n", b"\r\n") + end)
    assert read_run(tmp_path) == run
    assert read_games(tmp_path) == read_games(tmp_path, repair=True) == games
    path.write_bytes(path.read_bytes() + b"{\n")
    with pytest.raises(RecordsError, match=rf"line {len(games) + 4}: not a game"):
        read_games(tmp_path)


DEEP = 100_000 * "[" + 100_000 * "]"
PLANS: list[tuple[str, Change | str | bytes, str]] = [
    ("empty", "", "not JSON ("),
    ("not UTF-8", b'{"format": "\xff"}', "cannot be read: the byte 0xff in line 1 is not UTF-8"),
    ("UTF-16", "{}".encode("utf-16"), "cannot be read: the text is UTF-16; save it as UTF-8"),
    ("deep", DEEP, "not JSON: lists and objects are nested too deeply"),
    ("an integer of 5,000 digits", "1" * 5000, "not JSON ("),
    ("a list", "[]", "expected a table of fields, got []"),
    (
        "another format",
        lambda run: run.update(format="chess"),
        "expected format and version ('dunaia-arena', 2), got ('chess', 2)",
    ),
    ("a field less", lambda run: run.pop("seed"), "seed: missing"),
    ("a field more", lambda run: run.update({"x\x1b": 1}), r"x\x1b: unknown; the fields are entrants, "),
    ("a text for a number", lambda run: run.update(seed="7"), "seed: expected a 64-bit integer, got '7'"),
    ("a boolean for a number", lambda run: run.update(seed=True), "seed: expected a 64-bit integer, got True"),
    ("a number for a boolean", lambda run: run.update(elites=1), "elites: expected true or false, got 1"),
    (
        "a number for a text",
        lambda run: run.update(commit=1),
        "commit: expected a text of at most 100000 characters, got 1",
    ),
    (
        "a huge seed",
        lambda run: run.update(seed=10**30),
        "seed: expected a 64-bit integer, got 1000000000000000000000000000000",
    ),
    ("a seed too high", lambda run: run.update(seed=2**63 - 1), "seed: 9223372036854775807; the seeds of all blocks"),
    ("a negative seed", lambda run: run.update(seed=-1), "seed: expected an integer in 0..9223372036854775807, got -1"),
    ("no limit", lambda run: run.update(time_limit=float("nan")), "time_limit: expected a finite number, got nan"),
    (
        "an endless limit",
        lambda run: run.update(time_limit=1e300),
        "time_limit: expected more than 0 and at most 1e+06 s, got 1e+300",
    ),
    (
        "a game that is none",
        lambda run: run.update(game="chess"),
        (
            "game: expected one of dunaia, dune, dunaia_assigned, or one named by --game too, got 'chess': no"
            " file decides which code is imported"
        ),
    ),
    (
        "a module that is none",
        lambda run: run.update(game="..x"),
        (
            "game: expected one of dunaia, dune, dunaia_assigned, or one named by --game too, got '..x': no file"
            " decides which code is imported"
        ),
    ),
    (
        "a game of another kind",
        lambda run: run.update(game=7),
        "game: expected a text of at most 100000 characters, got 7",
    ),
    ("another game", lambda run: run.update(game=BIDS.module), "elites: unknown; the fields are entrants, "),
    ("an option less", lambda run: run.pop("elites"), "elites: missing"),
    ("options in a table", lambda run: run.update(options={}), "options: unknown; the fields are entrants, "),
    ("no rounds", lambda run: run.update(max_rounds=0), "max_rounds: expected an integer in 1..1000, got 0"),
    ("no games at once", lambda run: run.update(games_at_once=-5), "games_at_once: expected 1..100000, got -5"),
    (
        "an unknown mode",
        lambda run: run.update(mode="duel"),
        "mode: expected one of round-robin, one-against-all, table, got 'duel'",
    ),
    (
        "a test at two tables",
        lambda run: run.update(sprt=[0.5, 0.6]),
        "sprt: expected exactly one table in the plan, got 2",
    ),
    (
        "three hypotheses",
        lambda run: run.update(sprt=[0.5, 0.6, 0.7]),
        "sprt: expected a list of 2, got [0.5, 0.6, 0.7]",
    ),
    ("no table", lambda run: run.update(tables=[]), "expected at least one entrant and one table, got 2 and 0"),
    ("too many games", lambda run: run["tables"][0].update(blocks=10**10), "games: more than 10,000,000 at all tables"),
    ("no block", lambda run: run["tables"][1].update(blocks=0), "tables[1]: expected at least 1 block, got 0"),
    ("nine players", lambda run: run["tables"][1].update(players=9), "num_players: expected an integer in 2..4, got 9"),
    (
        "an unknown entrant",
        lambda run: run["tables"][0].update(entrants=[0, 2]),
        "tables[0]: expected as many of 0..1, ascending, got entrants (0, 2) for 2",
    ),
    (
        "a seat too many",
        lambda run: run["tables"][0].update(entrants=[0, 1, 1]),
        "tables[0]: expected as many of 0..1, ascending, got entrants (0, 1, 1) for 2",
    ),
    (
        "a table that is none",
        lambda run: run["tables"].__setitem__(0, 7),
        "tables[0]: expected a table of fields, got 7",
    ),
    (
        "two alike",
        lambda run: run["entrants"][1].update(label="a"),
        "entrants: expected different labels, got ['a', 'a']",
    ),
    ("a long name", lambda run: run["entrants"][1].update(name="x" * 999), "entrants[1]: its name has 999 characters"),
    (
        "a huge text",
        lambda run: run.update(commit="x" * 10**6),
        "commit: expected a text of at most 100000 characters, got 'xxx",
    ),
]


def write_plan(folder: Path, change: Change | str | bytes) -> None:
    path = folder / RUN_FILE
    if isinstance(change, bytes):
        path.write_bytes(change)
    elif isinstance(change, str):
        path.write_text(change)
    else:
        content = json.loads(path.read_text())
        change(content)
        path.write_text(json.dumps(content))


@pytest.mark.parametrize("field", ["label", "name", "version"])
def test_an_entrant_has_no_control_characters(field: str) -> None:
    entrant = replace(Entrant("random", "random", "1"), **{field: "\x1b[2J"})
    with pytest.raises(RecordsError, match=rf"its {field} is '.*x1b.*'; only printable characters"):
        check_entrant(entrant)


@pytest.mark.parametrize(("change", "message"), [row[1:] for row in PLANS], ids=[row[0] for row in PLANS])
def test_a_plan_that_cannot_be_is_refused_in_a_sentence(
    tmp_path: Path, change: Change | str | bytes, message: str
) -> None:
    small_run(tmp_path)
    write_plan(tmp_path, change)
    with pytest.raises(RecordsError) as caught:
        read_run(tmp_path)
    text = str(caught.value)
    assert text.startswith(f"{tmp_path / RUN_FILE}: not the plan of a run: {message}")
    assert len(text) < 500
    assert text.isprintable()


GAMES: list[tuple[str, Change | str, str]] = [
    ("no JSON", "{", "not a game: not JSON ("),
    ("deep", DEEP, "not a game: not JSON: lists and objects are nested too deeply"),
    ("two games", "{} {}", "not a game: not JSON ("),
    ("a number", "7", "not a game: expected a table of fields, got 7"),
    ("an endless line", "7" * 1_000_001, "not a game: 1,000,001 bytes; a game has at most 1,000,000"),
    ("a field less", lambda game: game.pop("luck"), "not a game: luck: missing"),
    ("a field more", lambda game: game.update(more=1), "not a game: more: unknown; the fields are table, "),
    ("a text", lambda game: game.update(rounds="9"), "not a game: rounds: expected a 64-bit integer, got '9'"),
    (
        "a fraction",
        lambda game: game.update(scores=[1.5, 2]),
        "not a game: scores[0]: expected a 64-bit integer, got 1.5",
    ),
    ("a table that is not", lambda game: game.update(table=7), "game (7, 0, 1): the run has 2 tables"),
    ("a negative table", lambda game: game.update(table=-1), "game (-1, 0, 1): the run has 2 tables"),
    ("a block too many", lambda game: game.update(block=2), "game (0, 2, 1) is not in the plan"),
    ("an order too many", lambda game: game.update(order=2), "game (0, 0, 2) is not in the plan"),
    (
        "another seed",
        lambda game: game.update(seed=5),
        "game (0, 0, 1): seed 5 and seating (1, 0); the plan has 0 and (1, 0)",
    ),
    (
        "another seating",
        lambda game: game.update(seating=[0, 1]),
        "game (0, 0, 1): seed 0 and seating (0, 1); the plan",
    ),
    ("three scores", lambda game: game.update(scores=[1, 2, 3]), "game (0, 0, 1): scores has 3 seats, not 2"),
    ("no luck", lambda game: game.update(luck=[]), "game (0, 0, 1): luck has 0 seats, not 2"),
    (
        "endless scores",
        lambda game: game.update(scores=[10**9, 1]),
        "game (0, 0, 1): scores: expected -32768..32768, got (1000000000, 1)",
    ),
    ("odd ranks", lambda game: game.update(ranks=[7, 9]), "game (0, 0, 1): ranks: expected 1..2, got (7, 9)"),
    ("ranks against scores", lambda game: game["ranks"].reverse(), "game (0, 0, 1): ranks ("),
    (
        "nobody first",
        lambda game: game.update(ranks=[2, 2], scores=[3, 3]),
        "game (0, 0, 1): ranks (2, 2) contradict the scores (3",
    ),
    (
        "endless seconds",
        lambda game: game.update(seconds=[float("inf"), 1]),
        "not a game: seconds[0]: expected a finite number, got inf",
    ),
    (
        "no seconds",
        lambda game: game.update(seconds=[float("nan"), 1]),
        "not a game: seconds[0]: expected a finite number, got nan",
    ),
    (
        "negative seconds",
        lambda game: game.update(seconds=[-1, 1]),
        "game (0, 0, 1): seconds: expected 0..218000000.0, got (-1.0, 1.0)",
    ),
    (
        "much luck",
        lambda game: game.update(luck=[1e300, 0]),
        "game (0, 0, 1): luck: expected -218..218, got (1e+300, 0.0)",
    ),
    ("a round too many", lambda game: game.update(rounds=101), "game (0, 0, 1): rounds: expected 0..100, got 101"),
    ("negative rounds", lambda game: game.update(rounds=-1), "game (0, 0, 1): rounds: expected 0..100, got -1"),
    ("an action less", lambda game: game["actions"].pop(), "game (0, 0, 1): "),
    (
        "an unknown action",
        lambda game: game["actions"].__setitem__(3, 10**6),
        "game (0, 0, 1): expected actions in 0..315, got one out of range",
    ),
    ("a fault of nobody", lambda game: game.update(faults=[fault(seat=2)]), "game (0, 0, 1): Fault(seat=2, "),
    ("a fault too late", lambda game: game.update(faults=[fault(decision=9999)]), "game (0, 0, 1): Fault("),
    ("an unknown fault", lambda game: game.update(faults=[fault(kind="sin")]), "game (0, 0, 1): Fault("),
    ("two faults", lambda game: game.update(faults=[fault(), fault()]), "game (0, 0, 1): faults of the seats [0, 0]; "),
    (
        "a fault unpunished",
        lambda game: game.update(faults=[fault()], ranks=[1, 2]),
        "game (0, 0, 1): ranks (1, 2) contradict",
    ),
    (
        "a fault that is none",
        lambda game: game.update(faults=[7]),
        "not a game: faults[0]: expected a table of fields, got 7",
    ),
]


def fault(**fields: Any) -> dict[str, Any]:
    return asdict(replace(Fault(0, 0, "crash", ""), **fields))


def write_game(folder: Path, change: Change | str) -> None:
    """Change the second line of a run's games."""
    path = folder / GAMES_FILE
    lines = path.read_text().splitlines()
    if isinstance(change, str):
        lines[1] = change
    else:
        content = json.loads(lines[1])
        change(content)
        lines[1] = json.dumps(content)
    path.write_text("\n".join(lines) + "\n")


@pytest.mark.parametrize(("change", "message"), [row[1:] for row in GAMES], ids=[row[0] for row in GAMES])
def test_a_game_that_cannot_be_is_refused_in_a_sentence(tmp_path: Path, change: Change | str, message: str) -> None:
    small_run(tmp_path)
    write_game(tmp_path, change)
    with pytest.raises(RecordsError) as caught:
        read_games(tmp_path)
    text = str(caught.value)
    assert text.startswith(f"{tmp_path / GAMES_FILE}: line 2: {message}")
    assert len(text) < 500
    assert text.isprintable()


@pytest.mark.parametrize(
    ("fields", "most"),
    [
        ({}, 100),
        ({"options": {"max_rounds": 7}}, 7),
        ({"game": BIDS.module, "options": {"laps": 4}}, 4),
        ({"game": BIDS.module}, 8),  # three cards each, then three a round of the other 24
        ({"game": BIDS.module, "components": "another rule set"}, 32767),
    ],
)
def test_a_game_has_at_most_as_many_rounds_as_the_game_allows(fields: dict[str, Any], most: int) -> None:
    run = run_of(["a", "b"], [Table(2, (0, 1), 1)], **fields)
    game = replace(imagined_games(run, [0.0, 0.0])[0], actions=(0, 0), decisions=(1, 1), luck=(0.0, 0.0))
    check_game(run, replace(game, rounds=most))
    with pytest.raises(RecordsError, match=rf"^game \(0, 0, 0\): rounds: expected 0\.\.{most}, got {most + 1}$"):
        check_game(run, replace(game, rounds=most + 1))


def test_in_a_game_that_names_its_winners_ranks_need_not_follow_scores() -> None:
    for name, ranks, allowed in (("dune", (1, 1), True), ("dune", (1, 3), False), ("dunaia", (1, 1), False)):
        run = run_of(["a", "b"], [Table(2, (0, 1), 1)], game=name)
        game = replace(imagined_games(run, [0.0, 0.0])[0], scores=(2, 0), ranks=ranks)
        if allowed:
            check_game(run, game)
        else:
            with pytest.raises(RecordsError, match=r"ranks \(1, \d\) contradict|ranks: expected 1..2, got \(1, 3\)"):
                check_game(run, game)


def test_a_game_that_stands_there_twice_is_refused(tmp_path: Path) -> None:
    _, games = small_run(tmp_path)
    append_games(tmp_path, games[2:3])
    with pytest.raises(RecordsError, match=r"line 8: table, block, order \(0, 1, 0\) occur twice"):
        read_games(tmp_path)


def test_texts_of_files_are_printable(tmp_path: Path) -> None:
    run, games = small_run(tmp_path)
    nasty = "a\x1b[31m\u202e\n"
    entrants = tuple(replace(entrant, name=nasty, label=nasty + entrant.label) for entrant in run.entrants)
    write_run(tmp_path, replace(run, entrants=entrants, command=nasty))
    (tmp_path / GAMES_FILE).unlink()
    append_games(tmp_path, [replace(games[-1], faults=(replace(games[-1].faults[0], detail=nasty),))])
    found = read_run(tmp_path)
    shown = r"a\x1b[31m\u202e\n"
    assert [found.command, found.entrants[0].name, found.entrants[1].label] == [shown, shown, f"{shown}b"]
    assert read_games(tmp_path)[0].faults[0].detail == shown
    # Written again, they stay.
    write_run(tmp_path, found)
    assert read_run(tmp_path) == found


@pytest.mark.parametrize("place", [RUN_FILE, GAMES_FILE])
def test_every_command_refuses_a_damaged_run_in_a_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], place: str
) -> None:
    asked = ladder.Options(out=tmp_path, players=(2,), first=1, last=2, games=2, jobs=1)
    ladder.play_ladder(asked)
    folder = tmp_path / "2p-2"
    damaged = folder / place
    damaged.write_text(DEEP + "\n")
    commands: list[Callable[[], object]] = [
        lambda: main(Options(("mcts:2", "mcts:1"), folder, games=2, mode="one-against-all", jobs=1)),
        lambda: report.main(report.Options(folder)),
        lambda: leaderboard.main(["add", str(folder), "--name", "mine", "--folder", str(tmp_path / "board")]),
        lambda: ladder.main(asked),
    ]
    capsys.readouterr()
    for command in commands:
        try:
            status = command()
        except SystemExit as error:
            status = error.code
        printed = capsys.readouterr()
        assert status == 2
        line = printed.err.splitlines()[-1]
        assert len(line) < 400
        assert str(damaged) in line
    assert damaged.read_text() == DEEP + "\n"
