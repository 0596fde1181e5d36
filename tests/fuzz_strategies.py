"""Strategies of damaged files: sound ones, changed in a few places, as bytes or as data."""

from __future__ import annotations

import json
import pickle
import re
from collections.abc import Callable, Sequence
from typing import Any

from hypothesis import strategies as st

# What an edit does, where, and with what: the numbers are taken modulo whatever there is to choose from.
Edit = tuple[int, int, int]

# Stand in data for literals that no value is written as.
LITERALS = (
    "9" * 4299,
    "9" * 5000,
    "-" + "9" * 5000,
    "1" * 4300 + ".5",
    "1e999",
    "-1e999",
    "-0",
    "01",
    "[" * 200 + "]" * 200,
    "[" * 5000 + "]" * 5000,
    "[" + "[]," * 5000 + "[]]",
    '"' + "\\u001b[31m" * 3000 + '"',
    '"\\ud800"',
    "",
)
_LITERAL = re.compile(r'"@(\d+)@"')

VALUES: tuple[Any, ...] = (
    *(-(2**63), -(2**31), -129, -128, -2, -1, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12, 16, 39, 40, 100, 101, 127, 128),
    *(255, 256, 1000, 1001, 32767, 32768, 2**31, 2**53 + 1, 2**63 - 1, 2**63, 2**64, 10**30),
    *(0.0, 1.0, -1.5, 1e300, True, False),
    *("", "1", "red", "green", "flowers", "moves", "points", "line", "pass", "take 1", "x" * 3000),
    *("\x1b[2J\u202e\n\x00\x85", "\ud800"),
    *([], [0], [0, 1], [[]], [[0, 1]], ["red", "red"], list(range(500)), {}, {"a": 1}, {"": {}}),
    *(f"@{number}@" for number in range(len(LITERALS))),
)

TOKENS = (
    *(b"", b"\n", b"\r", b"\r\n", b"\x00", b"\x1b", b"\xff", b"\xc3", b"\xed\xa0\x80", b"\xef\xbb\xbf"),
    *(b"\xe2\x80\xa8", b"\xc2\x85", b" ", b"#", b",", b"=", b":", b".", b"[", b"]", b"{", b"}", b"[[", b"]]"),
    *(b'"', b"'", b'"""', b"'''", b"\\", b"\\u0000", b"\\ud800"),
    *(b"-", b"+", b"_", b"0x", b"1e9", b"nan", b"inf", b"NaN", b"null", b"true", b"1979-05-27", b"07:32:00"),
    *(b"-1", b"0", b"1", b"2", b"7", b"10", b"100", b"127", b"128", b"255", b"256", b"65536", b"9" * 20),
    *(b"9" * 4300, b"9" * 5000, b"[" * 5000, b"a." * 5000, b"x" * 70_000, b"{a=" * 3000, b'{"a":' * 3000),
)


def edits(most: int = 4) -> st.SearchStrategy[list[Edit]]:
    place = st.integers(0, 2**20)
    return st.lists(st.tuples(st.integers(0, 15), place, place), min_size=1, max_size=most)


def edited_bytes(bases: Sequence[bytes]) -> st.SearchStrategy[bytes]:
    """One of the files, with bits, lines, numbers or passages changed."""
    return st.builds(
        lambda number, changes: edit_bytes(bases[number], changes), st.integers(0, len(bases) - 1), edits()
    )


def edited_data(bases: Sequence[Any], write: Callable[[Any], str]) -> st.SearchStrategy[bytes]:
    """The text of one of the data, with a value, a key or an entry changed."""
    stored = [pickle.dumps(base) for base in bases]

    def edited(number: int, changes: list[Edit]) -> bytes:
        return encode(write(edit_data(pickle.loads(stored[number]), changes)))

    return st.builds(edited, st.integers(0, len(bases) - 1), edits())


def encode(text: str) -> bytes:
    """Literals in the place of what stands for them, as bytes."""
    return _LITERAL.sub(lambda found: LITERALS[int(found[1])], text).encode("utf-8", "surrogatepass")


def edit_bytes(data: bytes, changes: Sequence[Edit]) -> bytes:
    for kind, where, what in changes:
        place = where % (len(data) + 1)
        token = TOKENS[what % len(TOKENS)]
        lines = data.splitlines(keepends=True) or [b""]
        line, other = where % len(lines), what % len(lines)
        match kind % 8:
            case 0 if data:
                place %= len(data)
                data = data[:place] + bytes([data[place] ^ 1 << what % 8]) + data[place + 1 :]
            case 1:
                data = data[:place] + data[place + what % 40 :]
            case 2:
                data = b"".join([*lines[:line], lines[other], *lines[line:]])
            case 3:
                data = b"".join([*lines[:line], *lines[line + 1 :]])
            case 4:
                lines[line], lines[other] = lines[other], lines[line]
                data = b"".join(lines)
            case 5:
                data = data[:place] + token + data[place:]
            case 6 if numbers := list(re.finditer(rb"\d+", data)):
                number = numbers[where % len(numbers)]
                data = data[: number.start()] + token + data[number.end() :]
            case 7:
                data = data[:place]
    return data


def edit_data(data: Any, changes: Sequence[Edit]) -> Any:
    for kind, where, what in changes:
        places = list(_places(data))
        if not places:
            return data
        inside, key = places[where % len(places)]
        source, name = places[what % len(places)]
        match kind % 8:
            case 0 | 1:
                inside[key] = _copy(VALUES[what % len(VALUES)])
            case 2 | 3 if isinstance(inside[key], int):
                inside[key] += (-1, 1)[what % 2]
            case 4:
                inside[key] = _copy(source[name])
            case 5:
                del inside[key]
            case 6 if isinstance(inside, dict):
                inside[f"{key}{what % 3 or ''}"] = _copy(VALUES[what % len(VALUES)])
            case 6:
                inside.insert(key, _copy(inside[key]))
            case 7:
                inside[key] = [inside[key]]
    return data


def _copy(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


def _places(data: Any) -> Any:
    """Each value within the data, as what holds it and its key there."""
    todo = [data]
    while todo:
        inside = todo.pop()
        for key in list(inside) if isinstance(inside, dict) else range(len(inside)):
            yield inside, key
            if isinstance(inside[key], dict | list):
                todo.append(inside[key])


def toml(data: dict[str, Any]) -> str:
    """The text of a TOML file whose tables stand within its groups."""
    lines = []
    for name, group in data.items():
        if isinstance(group, dict):
            lines += [
                "",
                f"[{_toml_key(name)}]",
                *(f"{_toml_key(key)} = {_toml(value)}" for key, value in group.items()),
            ]
        else:
            lines.insert(0, f"{_toml_key(name)} = {_toml(group)}")
    return "\n".join([*lines, ""])


def _toml_key(key: str) -> str:
    return key if re.fullmatch(r"[\w-]+", key, re.ASCII) else json.dumps(key)


def _toml(value: Any) -> str:
    if isinstance(value, dict):
        return "{" + ", ".join(f"{_toml_key(key)} = {_toml(entry)}" for key, entry in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(_toml, value)) + "]"
    return json.dumps(value)


def json_lines(data: list[Any]) -> str:
    return "".join(json.dumps(line) + "\n" for line in data)
