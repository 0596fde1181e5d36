"""The commands that record, verify and show games, and the files that they write."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from dunaia_env import replay
from dunaia_env.harness.opponents import GreedyAgent, RandomAgent
from dunaia_env.replay import Replay, main, record_game
from dunaia_env.support import atomic
from tests.test_replay import lines_of, text_of

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def plain() -> Replay:
    return record_game(5, [RandomAgent(), GreedyAgent()], num_players=3, elites=True, max_rounds=4)


def test_the_commands_record_verify_and_show(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "new" / "games"
    options = ["--players", "3", "--elites", "--max-rounds", "3", "--seed", "7", "--games", "2"]
    assert main(["record", "--out", str(folder), *options, "--agents", "greedy", "random"]) == 0
    assert capsys.readouterr().out == f"2 games written to {folder}\n"
    files = sorted(folder.iterdir())
    assert [file.name for file in files] == [
        "dunaia-3p-elites-greedy-random-7.jsonl",
        "dunaia-3p-elites-greedy-random-8.jsonl",
    ]
    headers = [replay.read(file).header for file in files]
    assert [header["seed"] for header in headers] == [7, 8]
    assert headers[0]["agents"] == ["greedy", "random", "greedy"]
    assert not replay.read(files[0]).is_trace

    assert main(["verify", *map(str, files)]) == 0
    printed = capsys.readouterr().out.splitlines()
    assert [line.split(": ")[0] for line in printed] == [str(file) for file in files]
    assert all(line.endswith("decisions, as recorded") for line in printed)

    assert main(["show", str(files[1])]) == 0
    assert "with elite characters, seed 8" in capsys.readouterr().out


def test_the_default_is_one_random_game_for_two(tmp_path: Path) -> None:
    assert main(["record", "--out", str(tmp_path), "--trace", "--max-rounds", "2"]) == 0
    recorded = replay.read(tmp_path / "dunaia-2p-random-0.jsonl")
    assert recorded.is_trace
    assert recorded.header["agents"] == ["random", "random"]


def test_verify_goes_on_after_a_file_that_differs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], plain: Replay
) -> None:
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    replay.write(plain, good)
    lines = lines_of(plain)
    lines[3]["action"] = "fly"
    bad.write_text(text_of(lines), encoding="utf-8")
    assert main(["verify", str(bad), str(tmp_path / "missing"), str(good)]) == 1
    output = capsys.readouterr()
    assert output.out == f"{good}: {len(lines) - 2} decisions, as recorded\n"
    assert re.match(
        rf"{re.escape(str(bad))}: line 4: action: expected one of the verbs .*, got 'fly'.*\n.*missing: cannot be read",
        output.err,
    )


HUGE_INTEGER = "9" * 5000


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (HUGE_INTEGER, "line 1: not JSON: Exceeds the limit"),
        (f'{{"seed": {HUGE_INTEGER}}}', "line 1: not JSON: Exceeds the limit"),
        (f'{{"seed": [{"[" * 100_000}]}}', "line 1: .* characters; at most 65536 are allowed"),
        # Python 3.13 reads lists that are nested so deeply, and finds that they have no end.
        ("[" * 4000, "line 1: not JSON: (lists and objects are nested too deeply|Expecting value)"),
        ("[" + "1," * 4095 + "1]", "line 1: expected an object"),
        ("[" + "1," * 4096 + "1]", "line 1: more than 4096 values, the most allowed"),
        ('{"format": "' + "x" * 60_000 + '"}', "line 1: format: expected 'dunaia-replay', got 'xxx.*xxx'"),
        ('{"format": 1, "format": 2}', "line 1: not JSON: 'format' occurs twice in one object"),
        ('{"seed": NaN}', "line 1: not JSON: NaN is not a JSON number"),
        ("\u2028\x1b[2J", "line 1: not JSON: "),
    ],
)
def test_verify_goes_on_after_any_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], plain: Replay, text: str, message: str
) -> None:
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    replay.write(plain, good)
    bad.write_text(text, encoding="utf-8")
    assert main(["verify", str(bad), str(good)]) == 1
    output = capsys.readouterr()
    assert output.out == f"{good}: {len(plain.decisions)} decisions, as recorded\n"
    assert re.match(rf"{re.escape(str(bad))}: {message}", output.err)
    assert output.err.count("\n") == 1
    assert output.err.removesuffix("\n").isprintable()
    assert len(output.err) < 600


@pytest.mark.skipif(os.name == "nt", reason="pipes with a name and devices are POSIX's")
def test_verify_goes_on_after_what_is_no_file(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], plain: Replay, monkeypatch: pytest.MonkeyPatch
) -> None:
    good, pipe, large, odd = (tmp_path / name for name in ("good.jsonl", "pipe", "large", "odd\x1b[31m\n"))
    replay.write(plain, good)
    replay.write(plain, odd)
    os.mkfifo(pipe)
    with large.open("wb") as file:
        file.truncate(replay.MOST_BYTES + 1)
    monkeypatch.chdir(tmp_path)
    assert main(["verify", "no\0file", "pipe", "large", "/dev/zero", "odd\x1b[31m\n", "good.jsonl"]) == 1
    output = capsys.readouterr()
    count = f"{len(plain.decisions)} decisions, as recorded"
    assert output.out == f"odd\\x1b[31m\\n: {count}\ngood.jsonl: {count}\n"
    assert [line.split(":")[0] for line in output.err.splitlines()] == [r"no\x00file", "pipe", "large", "/dev/zero"]
    assert output.err.count(": cannot be read: ") == 4


def test_a_game_that_was_cut_shows_no_result(tmp_path: Path, capsys: pytest.CaptureFixture[str], plain: Replay) -> None:
    lines, path = lines_of(plain), tmp_path / "cut.jsonl"
    lines[-1]["result"] |= {"scores": [91, 92, 93], "ranks": [3, 2, 1]}
    path.write_text(text_of([*lines[:20], lines[-1]]), encoding="utf-8")
    assert main(["show", str(path)]) == 1
    output = capsys.readouterr()
    assert "Round 1, player 2 (random)" in output.out
    assert "rank" not in output.out
    assert not re.search(r"\b9[123]\b", output.out)
    assert re.fullmatch(
        r".*cut.jsonl: line 21: a result, but the game is not over: seat \d has to decide\n", output.err
    )


@pytest.mark.parametrize(
    ("key", "value", "message"),
    [
        ("scores", [91, 92, 93], r"result.scores\[0\] = 91; played again it is \d+"),
        ("ranks", [1, 1, 1], r"result.ranks\[\d\] = 1; played again it is \d"),
        ("rounds", 5, "result.rounds = 5; played again it is 4"),
    ],
)
def test_a_result_that_was_not_played_is_not_shown(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], plain: Replay, key: str, value: object, message: str
) -> None:
    lines, path = lines_of(plain), tmp_path / "game.jsonl"
    lines[-1]["result"][key] = value
    path.write_text(text_of(lines), encoding="utf-8")
    assert main(["show", str(path)]) == 1
    output = capsys.readouterr()
    assert "the game is over" in output.out
    assert "rank" not in output.out
    assert re.fullmatch(rf".*game.jsonl: line {len(lines)}: {message}\n", output.err)


def test_nothing_of_a_file_reaches_the_terminal_raw(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], plain: Replay
) -> None:
    path, wild = tmp_path / "game.jsonl", "\x1b[2J\nplayer 9\x9b\u202e\u2028\ud800"
    escaped = r"\x1b[2J\nplayer 9\x9b\u202e\u2028\ud800"
    changes: list[tuple[int, str, object]] = [
        (0, "agents", [wild] * 3),
        (0, "rules", wild),
        (0, wild, 1),
        (0, "seed", wild),
        (3, "action", wild),
        (3, "seat", {wild: wild}),
        (3, wild, wild),
    ]
    for number, key, value in changes:
        lines = lines_of(plain)
        lines[number][key] = value
        path.write_text(text_of(lines), encoding="utf-8")
        assert main(["show", str(path)]) == (0 if key == "agents" else 1)
        output = capsys.readouterr()
        assert escaped in output.out + output.err, key
        for line in (*output.out.split("\n"), *output.err.split("\n")):
            assert line.isprintable(), key
        assert output.err.count("\n") == (0 if key == "agents" else 1)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--agents", "nobody"],
            (
                r"agent 'nobody': expected one of random, greedy, mcts, ismcts, flat, terminal, champion,"
                r" dune_champion, easy, medium, hard,"
                r" package\.module:Attribute, file\.py:Attribute or a \*\.safetensors file"
            ),
        ),
        (["--players", "7"], r"num_players: expected an integer in 2\.\.4, got 7"),
        (["--max-rounds", "0"], r"max_rounds: expected an integer in 1\.\.1000, got 0"),
        (["--seed", "-1"], "seed: expected an integer in 0.*, got -1"),
        (["--games", "0"], "games: expected at least 1, got 0"),
        (["--components", "/no/such/file.toml"], "components /no/such/file.toml: cannot be read"),
    ],
)
def test_wrong_options_are_one_line_and_status_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], arguments: list[str], message: str
) -> None:
    assert main(["record", "--out", str(tmp_path / "out"), *arguments]) == 1
    output = capsys.readouterr()
    assert re.match(message, output.err)
    assert output.err.count("\n") == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    "arguments",
    [
        pytest.param(["--agents"], id="no agents"),
        pytest.param(["--seed", str(2**63)], id="seed too large"),
        pytest.param(["--out", __file__], id="a file in the way"),
    ],
)
def test_more_wrong_options_are_one_line_and_status_1(tmp_path: Path, arguments: list[str]) -> None:
    out = [] if "--out" in arguments else ["--out", str(tmp_path)]
    assert main(["record", *out, "--max-rounds", "1", *arguments]) == 1


@pytest.mark.parametrize("scores", [[], None, [1]])
def test_showing_a_damaged_result_is_status_1(tmp_path: Path, plain: Replay, scores: object) -> None:
    lines, path = lines_of(plain), tmp_path / "game.jsonl"
    lines[-1]["result"]["scores"] = scores
    path.write_text(text_of(lines), encoding="utf-8")
    assert main(["show", str(path)]) == 1


def test_verifying_deeply_nested_json_is_status_1(tmp_path: Path) -> None:
    path = tmp_path / "deep.jsonl"
    path.write_text("[" * 100_000, encoding="utf-8")
    assert main(["verify", str(path)]) == 1


@pytest.mark.parametrize("arguments", [[], ["play"], ["show"], ["record"], ["record", "--players", "two"]])
def test_wrong_usage_is_status_2(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 2
    assert "dunaia replay" in capsys.readouterr().err


@pytest.mark.parametrize("arguments", [["--help"], ["record", "--help"], ["verify", "--help"], ["show", "--help"]])
def test_help_is_there(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as caught:
        main(arguments)
    assert caught.value.code == 0
    assert "usage: dunaia replay" in capsys.readouterr().out


def test_the_module_is_a_program(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "dunaia_env.replay"]
    done = subprocess.run([*command, "verify", str(tmp_path / "no")], cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 1
    assert done.stderr == f"{tmp_path / 'no'}: cannot be read: No such file or directory\n"
    assert "Traceback" not in done.stderr


# Files are whole or absent


def test_a_failed_write_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plain: Replay
) -> None:
    path = tmp_path / "game.jsonl"
    path.write_text("old", encoding="utf-8")

    def refuse(*arguments: object, **options: object) -> None:
        raise OSError("disk full")

    for step in ("fsync", "replace"):
        with monkeypatch.context() as patch:
            patch.setattr(os, step, refuse)
            with pytest.raises(OSError, match="disk full"):
                replay.write(plain, path)
        assert [file.name for file in tmp_path.iterdir()] == ["game.jsonl"]
        assert path.read_text(encoding="utf-8") == "old"
    replay.write(plain, path)
    assert replay.read(path) == plain
    assert [file.name for file in tmp_path.iterdir()] == ["game.jsonl"]


def test_files_are_written_beside_and_renamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, seen = tmp_path / "new" / "file.txt", []
    rename = os.replace

    def watch(source: str, target: Path) -> None:
        seen.append((Path(source).parent == path.parent, Path(source).read_bytes(), Path(target).exists()))
        rename(source, target)

    monkeypatch.setattr(os, "replace", watch)
    atomic.write_text(path, "Dunaïa\n")
    assert seen == [(True, "Dunaïa\n".encode(), False)]
    assert path.read_text(encoding="utf-8") == "Dunaïa\n"
    atomic.write_bytes(path, b"\x00\xff")
    assert path.read_bytes() == b"\x00\xff"


@pytest.mark.skipif(os.name == "nt", reason="modes are POSIX's")
def test_files_have_the_usual_mode(tmp_path: Path) -> None:
    usual, atomically = tmp_path / "usual", tmp_path / "atomically"
    usual.write_text("x", encoding="utf-8")
    atomic.write_text(atomically, "x")
    assert atomically.stat().st_mode == usual.stat().st_mode


def test_progress_does_not_reach_standard_output(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    assert main(["record", "--out", str(tmp_path), "--max-rounds", "1", "--games", "2"]) == 0
    written = capsys.readouterr()
    assert written.out == f"2 games written to {tmp_path}\n"
    assert "recording" in written.err
