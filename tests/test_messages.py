"""Values and foreign texts in messages: one line, of bounded length, without control characters, whatever they are."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dunaia_env.support.messages import MOST_OF_A_TEXT, MOST_OF_A_VALUE, printable, reason, shorten


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("Ann", "Ann"),
        ("Dunaïa, the 3×3 village 村", "Dunaïa, the 3×3 village 村"),
        ("a\\b", "a\\b"),
        ("\x1b[31mred", r"\x1b[31mred"),
        ("two\nlines\r\tand\x00", r"two\nlines\r\tand\x00"),
        ("\x7f\x85\x9b2J", r"\x7f\x85\x9b2J"),
        ("a\u2028b\u2029c", r"a\u2028b\u2029c"),
        ("\u202eelpoep\u2066\u200f", r"\u202eelpoep\u2066\u200f"),
        ("\udc80", r"\udc80"),
        ("\U000e0001", r"\U000e0001"),
        ("", ""),
    ],
)
def test_what_cannot_be_printed_is_escaped(text: str, shown: str) -> None:
    assert printable(text) == shown


def test_every_sign_can_be_printed_afterwards() -> None:
    shown = printable("".join(map(chr, range(sys.maxunicode + 1))))
    assert shown.isprintable()
    assert shown.encode("utf-8")
    assert len(shown.splitlines()) == 1


@pytest.mark.parametrize("text", ["x" * 5_000_000, "\x1b" * 5_000_000, "x" * 21, "\n" * 6, "é" * 20])
def test_long_texts_are_cut_in_the_middle(text: str) -> None:
    shown = printable(text, 20)
    assert len(shown) <= 20
    assert shown.isprintable()
    assert ("..." in shown) == (len(printable(text[:100])) > 20)


def test_both_ends_of_a_cut_text_are_shown() -> None:
    assert printable("runs/" + "long/" * 100 + "game.jsonl", 30) == "runs/long/long...ng/game.jsonl"


class Wild:
    """What it says of itself is given; an exception is raised."""

    def __init__(self, said: Any) -> None:
        self.said = said

    def __repr__(self) -> str:
        if isinstance(self.said, Exception):
            raise self.said
        return self.said  # type: ignore[no-any-return]


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (5, "5"),
        (True, "True"),
        (None, "None"),
        (2.5, "2.5"),
        ("it's", '"it\'s"'),
        ("a\x1bb", r"'a\x1bb'"),
        ([0, 1, 3, 6, 10, 14], "[0, 1, 3, 6, 10, 14]"),
        ({"a": [1], "b": {"c": 2}}, "{'a': [1], 'b': {'c': 2}}"),
        ((1,), "(1,)"),
        (Path("a.toml"), repr(Path("a.toml"))),
        (Wild("says\x07 this"), r"says\x07 this"),
        (Wild(RuntimeError("no")), "<Wild>"),
        (Wild(3), "<Wild>"),
        (list(range(100)), "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, ...]"),
    ],
)
def test_values_are_shown_as_python_writes_them(value: object, shown: str) -> None:
    assert shorten(value) == shown


HUGE: dict[str, object] = {
    "text": "x" * 5_000_000,
    "bytes": b"\x00" * 5_000_000,
    "list": list(range(1_000_000)),
    "table": {str(number): "\x1b" * 1000 for number in range(1000)},
    "lists of texts": [["\u202e" * 1000] * 1000] * 1000,
    "deep list": nested(100_000),
    "integer": 10**999,
    "integer that Python refuses to write": 10**4300,
    "list of such": [10**5000, -(10**5000)],
    "array": np.arange(10**6),
    "NumPy's text": np.str_("\x9b" * 10_000),
    "object": Wild("y\n" * 1_000_000),
    "set": set(range(1000)),
}


@pytest.mark.parametrize("name", HUGE)
def test_values_of_any_size_are_cut(name: str) -> None:
    for most in (MOST_OF_A_VALUE, 30):
        shown = shorten(HUGE[name], most)
        assert 0 < len(shown) <= most
        assert shown.isprintable()


def test_integers_that_python_refuses_to_write_are_counted() -> None:
    assert shorten(10**5000) == "<an integer of some 5001 digits>"
    assert shorten([-(10**5000)]) == "[<an integer of some 5001 digits>]"
    assert shorten(10**999).startswith("10000")


def test_the_reason_of_an_error_is_one_line() -> None:
    assert reason(ValueError("two\n  lines")) == "two lines"
    assert reason(ValueError("\x1b[2J")) == r"\x1b[2J"
    assert reason(AssertionError()) == "AssertionError"
    assert reason(ValueError(" \n ")) == "ValueError"
    assert reason(ValueError(Wild(RuntimeError("no")))) == "ValueError"
    assert len(reason(ValueError("\n\x00" * 1_000_000))) <= MOST_OF_A_TEXT
