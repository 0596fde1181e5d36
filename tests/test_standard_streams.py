"""What commands print is shown on every terminal, and streams that are closed or full end them with a sentence."""

from __future__ import annotations

import ast
import codecs
import errno
import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from agents.terminal import __main__ as terminal
from agents.terminal.agent import ask_standard_input
from dunaia_env import replay
from dunaia_env.support.terminal import CLOSEST, NO_READER, closest, encodable, run_main

pytestmark = pytest.mark.once

ROOT = Path(__file__).resolve().parent.parent
PLAYED = "tests/playthroughs/3p-greedy-random-100.jsonl"
# Chinese, Japanese, Korean and Cyrillic Windows, and a system without a locale. None of them has all letters of Dunaïa.
CODE_PAGES = ("cp936", "cp932", "cp949", "cp1251", "ascii")
# The first talks to its parent process only, the second runs `training/__main__.py`.
NO_COMMANDS = ("dunaia_env/arena/subprocess_agent.py", "training/ppo.py")


def written(stream: object) -> bytes:
    assert isinstance(stream, io.TextIOWrapper)
    assert isinstance(stream.buffer, io.BytesIO)
    return stream.buffer.getvalue()


def replace_output(monkeypatch: pytest.MonkeyPatch, encoding: str, errors: str = "strict") -> io.TextIOWrapper:
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, errors=errors)
    monkeypatch.setattr(sys, "stdout", stream)
    return stream


def test_every_command_runs_through_one_function() -> None:
    found = 0
    for folder in ("dunaia_env", "agents", "training", "benchmarks", "docs"):
        for path in sorted((ROOT / folder).rglob("*.py")):
            text = path.read_text(encoding="utf-8")
            name = path.relative_to(ROOT).as_posix()
            if '__name__ == "__main__"' not in text or name in NO_COMMANDS:
                continue
            found += 1
            calls = [ast.unparse(one.func) for one in ast.walk(ast.parse(text)) if isinstance(one, ast.Call)]
            assert {"run_main", "terminal.run_main"} & {*calls}, (
                f"{name}: expected dunaia_env.support.terminal.run_main"
            )
    assert found > 30


@pytest.mark.parametrize("encoding", CODE_PAGES)
def test_a_transcript_is_printed_whole_on_every_terminal(monkeypatch: pytest.MonkeyPatch, encoding: str) -> None:
    monkeypatch.chdir(ROOT)
    stream = replace_output(monkeypatch, encoding)
    assert run_main(lambda: replay.main(["show", PLAYED])) == 0
    told = "\n".join(replay.transcript(replay.read(PLAYED)))
    printed = written(stream).decode(encoding).replace(os.linesep, "\n")
    assert printed == encodable(told, encoding) + "\n"
    assert told.startswith("Dunaïa, 3 players")
    assert printed.startswith("Dunaia, 3 players")


@pytest.mark.parametrize("encoding", CODE_PAGES)
def test_every_character_can_be_printed(monkeypatch: pytest.MonkeyPatch, encoding: str) -> None:
    text = "".join(map(chr, range(32, 0x3000))) + "\ud800\U0001f600"
    out, err = replace_output(monkeypatch, encoding), io.TextIOWrapper(io.BytesIO(), encoding, "backslashreplace")
    monkeypatch.setattr(sys, "stderr", err)
    assert run_main(lambda: print(text, end="") or print(text, end="", file=sys.stderr)) == 0
    assert written(out) == written(err) == text.encode(encoding, CLOSEST)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Dunaïa", "Dunaia"),
        ("Dunai\u0308a", "Dunaia"),
        ("• “1 × 2” → ½…", '* "1 x 2" -> 1/2...'),
        ("Ærø, Straße, Œuvre", "AEro, Strasse, OEuvre"),
        ("沙丘 \ud800", "?? ?"),
        ("plain ~", "plain ~"),
    ],
)
def test_the_closest_characters(text: str, shown: str) -> None:
    assert closest(text) == shown
    assert encodable(text, "ascii") == shown
    if "\ud800" not in text:
        assert encodable(text, "utf-8") == text


def test_only_encoding_has_closest_characters() -> None:
    with pytest.raises(UnicodeDecodeError):
        codecs.decode(b"\xff", "utf-8", CLOSEST)


def test_a_users_own_way_of_replacing_characters_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = replace_output(monkeypatch, "ascii", "xmlcharrefreplace")
    assert run_main(lambda: print("ï")) == 0
    assert written(stream).split() == [b"&#239;"]


def test_the_result_is_the_status_if_it_is_an_integer() -> None:
    assert [run_main(lambda result=result: result) for result in (0, 2, None, [7])] == [0, 2, 0, 0]
    with pytest.raises(SystemExit, match="3"):
        run_main(lambda: sys.exit(3))


def test_closed_output_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stdout", None)
    monkeypatch.setattr(sys, "stderr", None)
    assert run_main(lambda: print("text", file=sys.stderr)) == 0
    for stream in (sys.stdout, sys.stderr):
        stream.close()


def test_closed_input_ends_a_game_with_a_sentence(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    closed = io.StringIO()
    closed.close()
    for stdin in (None, closed):
        monkeypatch.setattr(sys, "stdin", stdin)
        with pytest.raises(EOFError):
            ask_standard_input("? ")
        assert terminal.main(["--seed", "1"]) == 1
        assert capsys.readouterr().out.endswith("The input has ended.\nThe seed was 1. Goodbye.\n")


@pytest.mark.skipif(os.name == "nt", reason="POSIX's pipes")
@pytest.mark.parametrize("words", [["show", PLAYED], ["--help"]])
def test_a_reader_that_has_gone_is_no_error(words: list[str]) -> None:
    command = [sys.executable, "-m", "dunaia_env.replay", *words]
    buffered = os.environ | {"PYTHONUNBUFFERED": ""}
    process = subprocess.Popen(command, cwd=ROOT, env=buffered, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == b""
    process.stderr.close()
    assert process.wait() == NO_READER


def test_another_broken_pipe_is_an_error() -> None:
    def fail() -> None:
        raise BrokenPipeError

    with pytest.raises(BrokenPipeError):
        run_main(fail)


class Full(io.RawIOBase):
    """A disk without space."""

    def writable(self) -> bool:
        return True

    def write(self, content: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    def fileno(self) -> int:
        return os.open(os.devnull, os.O_WRONLY)


def test_output_that_cannot_be_written_is_reported(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BufferedWriter(Full()), "utf-8"))
    assert run_main(lambda: print("text")) == 1
    assert capsys.readouterr().err == "the output cannot be written: No space left on device\n"
