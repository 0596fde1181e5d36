"""The leaderboard: what is taken in, what is shown, and that every difference of a stored game is found.

The slow test plays a sample of the repository's own stored games again. Its seed is the commit (the first eight digits
of its hash, 0 outside a repository): each commit checks other games, and a failure can be repeated.
"""

from __future__ import annotations

import json
import lzma
import re
import shutil
from collections.abc import Callable, Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from dunaia_env.arena import leaderboard, stored_runs
from dunaia_env.arena.leaderboard import (
    PAGE,
    categories_of,
    draw_games,
    main,
    pool,
    verify,
)
from dunaia_env.arena.records import RUN_FILE, Entrant, Game, RecordsError, Run, Table
from dunaia_env.arena.run_files import append_games, read_run, write_run
from dunaia_env.arena.stored_runs import (
    FOLDER,
    STORED_GAMES,
    LeaderboardError,
    Stored,
    add_run,
    read_stored,
    why_not_repeatable,
)
from dunaia_env.arena.tournament import Options, run_arena
from dunaia_env.harness.opponents import GreedyAgent
from dunaia_env.harness.seeds import block_seed
from dunaia_env.support import atomic
from dunaia_env.support.locking import LOCK_FILE
from dunaia_env.support.machine import git_commit
from tests.arena_runs import imagined_games, run_of

pytestmark = pytest.mark.once

COMMIT = "0123456789abcdef0123456789abcdef01234567"


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of short real games: random, greedy and mcts:20, two at a table."""
    folder = tmp_path_factory.mktemp("runs") / "played"
    agents = ("random", "greedy", "mcts:20")
    options = Options(
        agents=agents, out=folder, games=4, jobs=1, game_options={"max_rounds": 3}, games_at_once=3, seed=9
    )
    run_arena(options, command="python -m dunaia_env.arena --agents random greedy mcts:20")
    write_run(folder, replace(read_run(folder), commit=COMMIT))
    return folder


@pytest.fixture
def board(tmp_path: Path, played: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with that run stored."""
    monkeypatch.setattr("dunaia_env.arena.summary.ENOUGH_GAMES", 1)
    folder = tmp_path / "board"
    assert main(["add", str(played), "--name", "short", "--folder", str(folder)]) == 0
    return folder


def imagined(folder: Path, run: Run, strengths: list[float], *, seed: int = 0) -> Path:
    """A finished run of imagined players, with as many actions as decisions."""
    folder.mkdir(parents=True)
    write_run(folder, run)
    games = imagined_games(run, strengths, seed=seed, luck=0.5)
    append_games(folder, [replace(game, actions=(0,) * sum(game.decisions)) for game in games])
    return folder


def run_with(*labels: str, blocks: int = 200, **fields: Any) -> Run:
    tables = [Table(2, (one, one + 1), blocks) for one in range(len(labels) - 1)]
    return run_of(labels, tables, **{"commit": COMMIT, "valuer": "evaluation", "seeding": "consecutive", **fields})


def rewrite(place: Path, change: Callable[[list[dict[str, Any]]], None]) -> None:
    """Change the stored games of a run as a forger would."""
    path = place / STORED_GAMES
    games = [json.loads(line) for line in lzma.decompress(path.read_bytes()).splitlines()]
    change(games)
    path.write_bytes(lzma.compress("".join(json.dumps(game) + "\n" for game in games).encode()))


# --- storing


def test_a_stored_run_is_the_run(board: Path, played: Path) -> None:
    (one,) = read_stored(board)
    assert (one.name, one.run) == ("short", read_run(played))
    assert (board / "short" / RUN_FILE).read_bytes() == (played / RUN_FILE).read_bytes()
    assert [game.key for game in one.games] == [(t, b, o) for t in range(3) for b in range(2) for o in range(2)]
    assert sorted(path.name for path in board.rglob("*")) == [LOCK_FILE, STORED_GAMES, RUN_FILE, "short"]


def test_the_same_run_gives_the_same_bytes_in_whatever_order_its_games_finished(board: Path, played: Path) -> None:
    shuffled = board.parent / "shuffled"
    shutil.copytree(played, shuffled)
    lines = (played / "games.jsonl").read_text().splitlines(keepends=True)
    (shuffled / "games.jsonl").write_text("".join(reversed(lines)))
    add_run(shuffled, "again", folder=board)
    assert (board / "again" / STORED_GAMES).read_bytes() == (board / "short" / STORED_GAMES).read_bytes()


@pytest.mark.parametrize(
    ("labels", "fields", "message"),
    [
        (
            ("random", "greedy"),
            {"commit": "unknown"},
            "commit: expected a run from a checkout without changes, or --allow-dirty, got unknown",
        ),
        (
            ("random", "greedy"),
            {"commit": f"{COMMIT}-dirty"},
            "commit: expected a run from a checkout without changes, or --allow-dirty, got 0123456789abcdef",
        ),
        (
            ("random", "greedy"),
            {"components": "0" * 16},
            "components: expected the game's own, a7fc2b389f9682fb, got 0000000000000000",
        ),
        (
            ("random", "greedy"),
            {"blocks": 199},
            ("table 0: expected at least 400, or a sequential test that reached a decision, got 398 games of random"),
        ),
        (("random", "some.module:Agent"), {}, "agent 'some.module:Agent': does not belong to the project"),
        (("random", "mcts:seconds=0.1"), {}, "agent 'mcts:seconds=0.1': has a time budget"),
        (("random", "terminal"), {}, "agent 'terminal': is a person"),
        (("random", "runs/mine.safetensors"), {}, "runs/mine.safetensors is not a file of the repository"),
    ],
)
def test_what_nobody_could_repeat_is_refused(
    tmp_path: Path, labels: tuple[str, ...], fields: dict[str, Any], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    source = imagined(tmp_path / "run", run_with(*labels, **fields), [0.0, 1.0])
    assert main(["add", str(source), "--name", "one", "--folder", str(tmp_path / "board")]) == 2
    assert message in capsys.readouterr().err
    assert read_stored(tmp_path / "board") == []


def test_a_dirty_commit_can_be_allowed(tmp_path: Path) -> None:
    source = imagined(tmp_path / "run", run_with("random", "greedy", commit="unknown"), [0.0, 1.0])
    assert add_run(source, "one", folder=tmp_path / "board", allow_dirty=True).run.commit == "unknown"


def test_few_games_are_enough_for_a_sequential_test_that_decided(tmp_path: Path) -> None:
    run = run_with("greedy", "random", blocks=40, sprt=(0.5, 0.7))
    undecided = imagined(tmp_path / "undecided", replace(run, sprt=(0.999, 1.0)), [0.0, 0.0])
    with pytest.raises(
        LeaderboardError,
        match="expected at least 400, or a sequential test that reached a decision, got 80 games of greedy",
    ):
        add_run(undecided, "undecided", folder=tmp_path / "board")
    decided = imagined(tmp_path / "decided", run, [9.0, 0.0])
    add_run(decided, "decided", folder=tmp_path / "board")
    assert "decided: Sequential test of 50 % against 70 % for greedy" in leaderboard.leaderboard(
        read_stored(tmp_path / "board")
    )


def test_an_unfinished_run_is_refused(tmp_path: Path) -> None:
    source = imagined(tmp_path / "run", run_with("random", "greedy"), [0.0, 1.0])
    lines = (source / "games.jsonl").read_text().splitlines(keepends=True)
    (source / "games.jsonl").write_text("".join(lines[:-1]))
    with pytest.raises(LeaderboardError, match="not finished: 1 of 400 games are missing"):
        add_run(source, "one", folder=tmp_path / "board")


def test_what_a_kill_left_of_a_run_is_removed_when_the_next_is_stored(board: Path, played: Path) -> None:
    left = board / ".other.unfinished"
    left.mkdir()
    (left / RUN_FILE).write_text("half")
    assert [one.name for one in read_stored(board)] == ["short"]
    add_run(played, "again", folder=board)
    assert sorted(path.name for path in board.iterdir()) == [LOCK_FILE, "again", "short"]


def test_a_run_that_cannot_be_stored_leaves_nothing(
    board: Path, played: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    write_bytes = atomic.write_bytes

    def full(path: Path, content: bytes, **options: Any) -> None:
        if path.name == STORED_GAMES:
            raise OSError(28, "No space left on device")
        write_bytes(path, content, **options)

    monkeypatch.setattr(atomic, "write_bytes", full)
    assert main(["add", str(played), "--name", "again", "--folder", str(board)]) == 2
    assert capsys.readouterr().err.endswith("No space left on device\n")
    assert sorted(path.name for path in board.iterdir()) == [LOCK_FILE, "short"]


def test_names_are_checked_and_never_taken_twice(board: Path, played: Path) -> None:
    with pytest.raises(LeaderboardError, match="exists already"):
        add_run(played, "short", folder=board)
    with pytest.raises(LeaderboardError, match=r"name: expected .*, got '\.\./other'"):
        add_run(played, "../other", folder=board)


def test_options_that_name_files_need_files_of_the_repository() -> None:
    assert why_not_repeatable("mcts:1000,playout=greedy,cutoff=20") == ""
    assert why_not_repeatable("mcts:10,evaluation=dunaia_env/dunaia/evaluation.toml") == ""
    assert "not a file of the repository" in why_not_repeatable("mcts:10,evaluation=/tmp/evaluation.toml")
    assert "not a file of the repository" in why_not_repeatable("greedy:other.toml")
    assert "other.safetensors is not a file of the repository" in why_not_repeatable("other.safetensors+64")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda games: games.pop(), "not finished: 1 of 12 games"),
        (lambda games: games[3].update(seed=99), "seed 99"),
        (lambda games: games[3].update(seating=[0, 1]), r"seating \(0, 1\)"),
        (lambda games: games[3]["actions"].pop(), "expected the actions of all"),
        (lambda games: games.append(games[0]), "occur twice"),
    ],
)
def test_stored_games_that_do_not_fit_the_plan_cannot_be_read(
    board: Path, change: Callable[[list[dict[str, Any]]], None], message: str
) -> None:
    rewrite(board / "short", change)
    with pytest.raises(RecordsError, match=message):
        read_stored(board)


def test_a_damaged_file_is_named(board: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = board / "short" / STORED_GAMES
    path.write_bytes(path.read_bytes()[:-40])
    assert main(["verify", "--folder", str(board)]) == 2
    assert str(path) in capsys.readouterr().err


# --- the page


def packed(pieces: Iterable[bytes]) -> bytes:
    packer = lzma.LZMACompressor(preset=1)
    return b"".join([*map(packer.compress, pieces), packer.flush()])


ZEROS, MANY = bytes(1 << 20), 64
BOMBS: list[tuple[str, Callable[[bytes], bytes], str]] = [
    ("an endless line", lambda games: packed([ZEROS] * MANY), "line 1: not a game: .* a game has at most 1,000,000"),
    ("endless lines", lambda games: packed([b"{\n" * (1 << 19)] * MANY), "line 1: not a game: not JSON"),
    ("the same game again", lambda games: packed([games] * 1000), r"line 13: table, block, order .* occur twice"),
    ("too many bytes", lambda games: packed([games]), "unpacks to more than 1,000 bytes, the most that are allowed"),
    ("a cut archive", lambda games: packed([games])[:-40], r"cannot be read \(it ends too early\)"),
    ("something behind it", lambda games: packed([games]) + b"more", r"cannot be read \(something follows its end\)"),
    ("another archive", lambda games: lzma.compress(games, lzma.FORMAT_ALONE), r"cannot be read \("),
    ("too much memory", lambda games: lzma.compress(games, filters=HUGE), r"cannot be read \(Memory usage limit"),
    ("nothing", lambda games: b"", r"cannot be read \(it ends too early\)"),
]
HUGE = [{"id": lzma.FILTER_LZMA2, "dict_size": 1 << 28}]


@pytest.mark.parametrize(("make", "message"), [row[1:] for row in BOMBS], ids=[row[0] for row in BOMBS])
def test_archives_are_unpacked_only_as_far_as_they_hold_games(
    board: Path, make: Callable[[bytes], bytes], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = board / "short" / STORED_GAMES
    path.write_bytes(make(lzma.decompress(path.read_bytes())))
    unpacked = []
    unpack = stored_runs._unpacked
    monkeypatch.setattr(stored_runs, "_unpacked", lambda file: (unpacked.append(one) or one for one in unpack(file)))
    if "1,000 bytes" in message:
        monkeypatch.setattr(stored_runs, "MOST_UNPACKED_BYTES", 1000)
    with pytest.raises(RecordsError, match=rf"{STORED_GAMES}.*{message}"):
        read_stored(board)
    assert sum(map(len, unpacked)) < 2_000_000


def test_a_run_that_could_not_be_read_again_is_not_stored(
    tmp_path: Path, played: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("dunaia_env.arena.summary.ENOUGH_GAMES", 1)
    monkeypatch.setattr(stored_runs, "MOST_UNPACKED_BYTES", 1000)
    with pytest.raises(LeaderboardError, match=r"the games have [\d,]+ bytes; at most 1,000 can be stored"):
        add_run(played, "short", folder=tmp_path)
    assert not (tmp_path / "short").exists()


@pytest.mark.long
def test_the_page_shows_all_and_is_compared(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    board, page = tmp_path / "board", tmp_path / "LEADERBOARD.md"
    add_run(imagined(tmp_path / "a", run_with("random", "greedy"), [-1.0, 1.0]), "first", folder=board)
    other = run_with("greedy", "mcts:100", seed=1000, command="python -m dunaia_env.arena second")
    add_run(imagined(tmp_path / "b", other, [-1.0, 1.0], seed=1), "second", folder=board)
    elites = run_of(
        ["flat:50", "greedy"],
        [Table(4, (0, 1, 1, 1), 100)],
        options={"elites": True},
        commit=COMMIT,
        valuer="evaluation",
    )
    add_run(imagined(tmp_path / "c", elites, [0.0, 1.0]), "third", folder=board)
    command = ["write", "--folder", str(board), "--page", str(page)]
    assert main([*command, "--check"]) == 1
    assert main(command) == 0
    assert main([*command, "--check"]) == 0
    text = page.read_text(encoding="utf-8")
    ratings = text[text.index("### Ratings") : text.index("### Match-ups")]
    # Through greedy, agents of both runs are in one table, the best first.
    assert "| 1 | mcts:100 | 1 | " in ratings
    assert ratings.index("mcts:100") < ratings.index("greedy") < ratings.index("random")
    assert "| greedy | 1 | " in ratings
    assert "| 800 |" in ratings  # greedy's games in both runs
    for wanted in (
        "## 2 players, without elite characters",
        "## 4 players, with elite characters",
        "| flat:50 | greedy × 3 | 400 | ",
        "| greedy | flat:50, greedy × 2 | 400 | ",
        "| second | 400 | greedy version 1, mcts:100 version 1 | 1000 to 1199 | ",
        "# second\npython -m dunaia_env.arena second\n",
        COMMIT,
        " | × ",
    ):
        assert wanted in text, wanted
    page.write_text(text.replace("800", "801"), encoding="utf-8")
    capsys.readouterr()
    assert main([*command, "--check"]) == 1
    assert "not up to date" in capsys.readouterr().err


def test_agents_that_never_met_are_in_groups(tmp_path: Path) -> None:
    board = tmp_path / "board"
    add_run(imagined(tmp_path / "a", run_with("random", "greedy"), [-1.0, 1.0]), "first", folder=board)
    add_run(imagined(tmp_path / "b", run_with("flat:10", "mcts:10"), [-1.0, 1.0]), "second", folder=board)
    text = leaderboard.leaderboard(read_stored(board))
    group = text.index("### Ratings, group 2")
    assert text.index("### Ratings, group 1") < text.index("| 1 | greedy |") < group < text.index("| 1 | mcts:10 |")


def test_versions_of_an_agent_are_different_agents_and_a_seed_is_one_block() -> None:
    def stored(name: str, version: str, seed: int) -> Stored:
        run = run_with("random", "greedy", blocks=2, seed=seed)
        run = replace(run, entrants=(Entrant("random", "random", "1"), Entrant("greedy", "greedy", version)))
        return Stored(name, run, tuple(imagined_games(run, [0.0, 1.0])))

    run, games = pool([stored("one", "1", 7), stored("two", "2", 8)], categories_of(run_with("a", "b"))[0])
    assert [entrant.label for entrant in run.entrants] == ["random", "greedy version 1", "greedy version 2"]
    assert [table.entrants for table in run.tables] == [(0, 1), (0, 2)]
    # Both orders of every block; seed 8 is the same block of both tables.
    assert [(game.table, game.block) for game in games[::2]] == [(0, 7), (0, 8), (1, 8), (1, 9)]
    assert {game.seating for game in games if game.table == 1} == {(0, 2), (2, 0)}


def test_nothing_stored_is_said(tmp_path: Path) -> None:
    assert "No run is stored yet." in leaderboard.leaderboard(read_stored(tmp_path / "none"))
    assert verify([], 5, 0).differences == ()


# --- verification


def test_games_played_again_are_as_recorded(board: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["verify", "--games", "99", "--folder", str(board)]) == 0
    assert "12 of 12 games in 1 runs played again: no difference." in capsys.readouterr().out


def change_action(games: list[dict[str, Any]]) -> None:
    games[7]["actions"][5] += 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (change_action, "table 1, block 1, order 1: decision 5: action "),
        (lambda games: games[2]["scores"].__setitem__(1, 77), "table 0, block 1, order 0: scores: (0, 77)"),
        (lambda games: games[2].update(ranks=[1, 1]), "ranks: (1, 1) then"),
        (lambda games: games[2].update(rounds=2, stopped=False), "rounds: 2 then, 3 now"),
        (lambda games: games[2].update(stopped=False), "stopped: False then, True now"),
        (lambda games: games[2]["luck"].__setitem__(0, 0.5), "luck: (0.5, "),
        (
            lambda games: games[2].update(faults=[{"seat": 0, "decision": 3, "kind": "crash", "detail": ""}]),
            "faults: [(0, 3, 'crash')] then, [] now",
        ),
    ],
)
def test_every_change_of_a_game_is_found(
    board: Path,
    change: Callable[[list[dict[str, Any]]], None],
    message: str,
    capsys: pytest.CaptureFixture[str],
) -> None:
    rewrite(board / "short", change)
    assert main(["verify", "--games", "12", "--folder", str(board)]) == 1
    printed = capsys.readouterr().out
    assert message in printed
    assert re.search(r"^12 of 12 games in 1 runs played again: [12] differences?\.$", printed, re.MULTILINE)


def test_another_seed_of_the_run_gives_other_games(board: Path) -> None:
    """Game seeds are the plan's; with another one everything would be drawn anew."""
    place = board / "short"
    write_run(place, replace(read_run(place), seed=6))
    rewrite(place, lambda games: [game.update(seed=block_seed(6, game["block"])) for game in games] and None)
    assert any("action" in fault for fault in verify(read_stored(board), 12, 0).differences)


def test_an_outdated_agent_is_a_fault_unless_allowed(board: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(GreedyAgent, "version", "later")
    found = verify(read_stored(board), 12, 0)
    (difference,) = found.differences
    assert difference.startswith("short: agent greedy: outdated: version ")
    assert difference.endswith(" then, later now")
    assert (found.played, found.replayed) == (0, 12)
    assert verify(read_stored(board), 12, 0, allow_outdated=True).differences == ()
    # What was recorded still has to give its result.
    rewrite(board / "short", lambda games: games[2]["scores"].__setitem__(1, 77))
    (difference,) = verify(read_stored(board), 12, 0, allow_outdated=True).differences
    assert difference.startswith("short: table 0, block 1, order 0: the scores are ")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"components": "0" * 16}, "outdated: components 0000000000000000 then"),
        ({"valuer": "somebody"}, "outdated: luck measured by 'somebody' then"),
    ],
)
def test_other_components_or_another_valuer_is_a_difference(board: Path, change: dict[str, str], message: str) -> None:
    place = board / "short"
    write_run(place, replace(read_run(place), **change))  # type: ignore[arg-type]
    (difference,) = verify(read_stored(board), 2, 0).differences
    assert message in difference


def test_another_package_is_noted(board: Path) -> None:
    place = board / "short"
    write_run(place, replace(read_run(place), package="0.0.1"))
    found = verify(read_stored(board), 1, 0)
    assert found.differences == ()
    assert any("package 0.0.1 then" in note for note in found.notes)


@pytest.mark.parametrize(
    ("option", "message"),
    [
        ("--games 0", "games: expected more than 0, got 0"),
        ("--seed -1", "seed: expected at least 0, got -1"),
        ("--budget 0", "budget: expected more than 0, got 0.0"),
    ],
)
def test_samples_that_cannot_be_are_refused(
    tmp_path: Path, option: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["verify", "--folder", str(tmp_path), *option.split()]) == 2
    assert capsys.readouterr().err == f"leaderboard: {message}\n"


def sample(seconds: dict[str, float], blocks: int = 20) -> list[Stored]:
    def timed(game: Game, spent: float) -> Game:
        return replace(game, seconds=(spent / 2, spent / 2))

    run = run_with("random", "greedy", blocks=blocks)
    games = imagined_games(run, [0.0, 0.0])
    return [Stored(name, run, tuple(timed(game, spent) for game in games)) for name, spent in seconds.items()]


def test_every_run_gets_a_game_before_any_gets_two() -> None:
    stored = sample({"one": 1.0, "two": 1.0, "three": 1.0})
    drawn = draw_games(stored, 4, 0)
    assert {one.name for one, _ in drawn[:3]} == {"one", "two", "three"}
    assert len({(one.name, game.key) for one, game in drawn}) == 4
    assert len({(one.name, game.key) for one, game in draw_games(stored, 1000, 0)}) == 120
    assert [game.key for _, game in drawn] == [game.key for _, game in draw_games(stored, 4, 0)]
    assert [game.key for _, game in drawn] != [game.key for _, game in draw_games(stored, 4, 1)]


def test_the_budget_limits_the_recorded_thinking_time() -> None:
    stored = sample({"quick": 0.5, "slow": 4.0})
    drawn = draw_games(stored, 1000, 0, budget=10.0)
    spent = sum(sum(game.seconds) for _, game in drawn)
    assert 9.5 < spent <= 10.0
    assert {one.name for one, _ in drawn} == {"quick", "slow"}
    assert len(draw_games(sample({"slow": 4.0}), 10, 0, budget=1.0)) == 1


# --- the repository's own leaderboard


@pytest.mark.slow
def test_the_projects_page_is_up_to_date_and_every_stored_file_reads() -> None:
    assert PAGE.read_text(encoding="utf-8") == leaderboard.leaderboard(read_stored(FOLDER)), (
        "run python -m dunaia_env.arena.leaderboard write"
    )


@pytest.mark.slow
def test_a_sample_of_the_projects_games_is_as_recorded() -> None:
    seed = int((git_commit() or "0")[:8], 16)
    found = verify(read_stored(), 200, seed, budget=60.0)
    assert not found.differences, "\n".join([f"seed {seed}:", *found.differences])
