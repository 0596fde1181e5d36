"""The harness of the fuzz tests: whatever an input does to its process is seen, and the next one is tried."""

from __future__ import annotations

import ctypes
import os
import sys
import time
from pathlib import Path

import pytest
from hypothesis import strategies

from tests import fuzzing
from tests.fuzzing import Outcome, Worker, fault_of, fuzz, run_batch

pytestmark = pytest.mark.once

NAME = "tests.test_fuzzing:wild"


def wild(data: bytes) -> str | None:
    """A target that does what its input says."""
    match data.decode():
        case "refuse":
            return "wild: expected fine, got refused"
        case "raise":
            raise KeyError("bare")
        case "abort":
            os.abort()
        case "exit":
            os._exit(3)
        case "read nothing":
            ctypes.string_at(0)
        case "hang":
            time.sleep(1000)
        case "memory":
            return str(len(bytearray(1 << 34)))
        case "two lines":
            return "one\ntwo"
        case "escape":
            return "\x1b[2J"
        case "long":
            return "x" * 1001
        case "empty":
            return " "
        case "number":
            return 5  # type: ignore[return-value]
        case "environment":
            return os.environ["DUNAIA_WILD"]
        case "print":
            print("noise", file=sys.stderr)
        case text if text.startswith("bad"):
            raise ValueError(text)
    return None


FAULTS = {
    "raise": "KeyError: 'bare'",
    "abort": "ends the process with SIGABRT",
    "exit": "ends the process with status 3",
    "read nothing": "ends the process with SIGSEGV",
    "hang": "hangs for more than 2 seconds",
    "memory": "MemoryError",
    "two lines": "has line breaks",
    "escape": "has line breaks or control characters",
    "long": "has 1001 characters",
    "empty": "is empty",
    "number": "expected None or a sentence from the target, got int",
}


@pytest.mark.skipif(sys.platform != "linux", reason="signals and limits of memory are those of Linux")
@pytest.mark.long
def test_every_fault_is_seen_and_the_next_input_tried() -> None:
    inputs = [data.encode() for fault in FAULTS for data in (fault, "fine", "refuse")]
    outcomes = run_batch(NAME, inputs, first=b"fine", seconds=2.0)
    for index, (name, fault) in enumerate(FAULTS.items()):
        found, fine, refused = outcomes[3 * index : 3 * index + 3]
        assert fault in found.fault, (name, found)
        assert not found.accepted
        assert fine == Outcome(None, "")
        assert fine.accepted
        assert refused == Outcome("wild: expected fine, got refused", "")


def test_a_hang_says_where_it_was() -> None:
    (outcome,) = run_batch(NAME, [b"hang"], first=b"fine", seconds=1.0)
    assert "in wild" in outcome.fault


def test_the_environment_is_set_before_the_target_is_imported() -> None:
    outcomes = run_batch(NAME, [b"environment", b"print"], first=b"fine", environment={"DUNAIA_WILD": "yes"})
    assert outcomes == [Outcome("yes", ""), Outcome(None, "")]


@pytest.mark.parametrize("first", [b"refuse", b"raise", b"exit"])
def test_the_first_input_must_be_accepted(first: bytes) -> None:
    with (
        pytest.raises(RuntimeError, match="the first input, which must be accepted: "),
        Worker(NAME, first=first) as worker,
    ):
        worker.run(b"fine")


def test_a_faulty_input_is_made_small_and_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(fuzzing, "KEPT", tmp_path / "kept")
    words = strategies.lists(strategies.sampled_from(["fine", "bad", "x"])).map(lambda words: "".join(words).encode())
    with pytest.raises(AssertionError, match=r"ValueError: bad[^x]*\nseen again by: python -m tests.fuzzing"):
        fuzz(NAME, words, 200, first=b"fine")
    (kept,) = (tmp_path / "kept").iterdir()
    assert kept.read_bytes() == b"bad"
    with pytest.raises(ValueError, match="bad"):
        fuzzing.main([NAME, str(kept)])


def test_accepted_refused_and_different_inputs_are_counted() -> None:
    words = strategies.sampled_from([b"fine", b"x", b"refuse"])
    first, again = (fuzz(NAME, words, 50, first=b"fine") for _ in range(2))
    assert first == again
    assert first.accepted > first.refused > 0
    assert first.different == 3


def test_a_sentence_is_a_line_of_printable_characters() -> None:
    assert fault_of(None) == ""
    assert fault_of("a: expected b") == ""
    assert fault_of("x" * 1000) == ""
