"""Run folders changed at random: each is refused in a sentence, or read, judged and reported like any other run."""

from __future__ import annotations

import hashlib
import json
import os
import tempfile
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import strategies as st

from dunaia_env.arena.records import GAMES_FILE, RUN_FILE, Fault, RecordsError, Table
from dunaia_env.arena.report import write_report
from dunaia_env.arena.run_files import append_games, read_games, read_run, write_run
from dunaia_env.arena.summary import summarise
from dunaia_env.statistics import intervals, ratings
from tests.arena_runs import real_games, run_of
from tests.fuzzing import examples, fuzz

pytestmark = pytest.mark.once

Mutation = tuple[str, int, int, Any]

# Reports take some tenths of a second each: one of so many runs that are accepted gets one.
RUNS_A_REPORT = 50
_SEPARATOR = b"\x00games\x00"
_ODD: tuple[Any, ...] = (
    *(None, True, False, -1, 0, 1, 2, 3, 7, 127, 128, 2**31, 2**63 - 1, 2**63, -(2**63), 10**400),
    *(0.5, -0.0, 1e-320, 1e300, -1e300, float("nan"), float("inf"), float("-inf")),
    *("", "x", "crash", "table", "greedy", "\x1b[2J", "\n", "\x00", "\ud800", "\u202e", "<b>&|`*[red]", "9" * 5000),
    *([], {}, [0], [0, 1], [1, 0], [1, 1], [1, 2], [2, 1], [0, 0, 0], [[[]]], {"": {}}, [0] * 1000),
)


@cache
def folder_of_a_run() -> bytes:
    """A short run on the real game, with a fault in one of its games, as one input."""
    run = run_of(
        ("greedy", "random"), [Table(2, (0, 1), 3), Table(3, (0, 1, 1), 2)], options={"max_rounds": 2}, sprt=None
    )
    games = real_games(run)
    games[0] = games[0].__class__(**{**vars(games[0]), "faults": (Fault(1, 3, "crash", "gone"),), "ranks": (1, 2)})
    with tempfile.TemporaryDirectory() as folder:
        write_run(folder, run)
        append_games(folder, games)
        return _packed(*(Path(folder, name).read_bytes() for name in (RUN_FILE, GAMES_FILE)))


def _packed(plan: bytes, games: bytes) -> bytes:
    return plan + _SEPARATOR + games


def run_folder(data: bytes) -> str | None:
    """The target: reads a run folder, judges it and, now and then, writes its report."""
    # The intervals rest on a thousand resamples instead of ten thousand.
    intervals._MOST_DRAWS = 1
    ratings.RATING_SAMPLES = 1000
    # What overflows, or is no number, is a fault.
    warnings.simplefilter("error", RuntimeWarning)
    # A thousand small files need not survive the machine.
    os.fsync = lambda _: None  # type: ignore[assignment]
    plan, _, lines = data.partition(_SEPARATOR)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / RUN_FILE).write_bytes(plan)
        (folder / GAMES_FILE).write_bytes(lines)
        try:
            run = read_run(folder)
            games = read_games(folder, run, repair=True)
        except RecordsError as error:
            return str(error).replace(name, "")
        summary = summarise(run, games)
        assert summary.games == len(games) <= lines.count(b"\n")
        assert sum(table.games for table in summary.progress) == len(games)
        # What was read is written, and read again, as it is.
        again = folder / "again"
        again.mkdir()
        write_run(again, run)
        append_games(again, games)
        assert (read_run(again), read_games(again)) == (run, games)
        append_games(folder, [])
        assert read_games(folder) == games
        if hashlib.sha256(data).digest()[0] % RUNS_A_REPORT == 0:
            _check_report(folder, len(games))
    return None


def _check_report(folder: Path, games: int) -> None:
    write_report(folder)

    def fail(constant: str) -> None:
        raise AssertionError(f"{constant} is no JSON")

    content = json.loads((folder / "report.json").read_text(encoding="utf-8"), parse_constant=fail)
    assert content["games"] == games
    for name in ("report.json", "report.md", "report.html"):
        text = (folder / name).read_text(encoding="utf-8")
        assert all(sign.isprintable() or sign in "\n\u00a0" for sign in text), name


def places_in(content: Any) -> list[tuple[Any, Any]]:
    """Every container of JSON data with each of its keys."""
    keys = list(content) if isinstance(content, dict) else range(len(content)) if isinstance(content, list) else ()
    found = [(content, key) for key in keys]
    return [*found, *(place for key in keys for place in places_in(content[key]))]


def _replace(container: Any, key: Any, amount: int, odd: Any) -> None:
    container[key] = odd


def _nudge(container: Any, key: Any, amount: int, odd: Any) -> None:
    if isinstance(container[key], int | float):
        container[key] += amount % 5 - 2
    elif isinstance(container[key], str):
        container[key] += str(odd)[:10]
    elif isinstance(container[key], list):
        container[key].reverse()


def _remove(container: Any, key: Any, amount: int, odd: Any) -> None:
    del container[key]


def _add(container: Any, key: Any, amount: int, odd: Any) -> None:
    if isinstance(container, dict):
        container[f"{key}{amount}"] = odd
    else:
        container.insert(key, container[key])


FIELD_CHANGES: dict[str, Callable[[Any, Any, int, Any], None]] = {
    "replace": _replace,
    "nudge": _nudge,
    "remove": _remove,
    "add": _add,
}
LINE_CHANGES = ("drop", "double", "swap")
BYTE_CHANGES = ("flip", "cut", "insert", "end")


def changed_field(kind: str, text: bytes, place: int, amount: int, odd: Any) -> bytes:
    """JSON text with one change at one of its places; as it is where it is no JSON any more."""
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return text
    places = places_in(content)
    if places:
        FIELD_CHANGES[kind](*places[place % len(places)], amount, odd)
    return json.dumps(content).encode()


def changed_bytes(kind: str, data: bytes, place: int, amount: int) -> bytes:
    at = place % (len(data) + 1)
    if kind == "flip":
        return data[:at] + bytes([data[at] ^ (1 + amount % 255)]) + data[at + 1 :] if at < len(data) else data
    if kind == "cut":
        return data[:at] + data[at + amount % 20 :]
    return data[:at] if kind == "end" else data[:at] + (b"[" * 100_000 if amount % 50 == 0 else b'"') + data[at:]


def changed(mutations: list[Mutation]) -> bytes:
    """The run with these changes, one after another."""
    data = folder_of_a_run()
    for kind, place, amount, odd in mutations:
        if kind in BYTE_CHANGES:
            data = changed_bytes(kind, data, place, amount)
            continue
        plan, _, games = data.partition(_SEPARATOR)
        lines = games.split(b"\n")
        at = amount % len(lines)
        if kind in FIELD_CHANGES:
            if place % 2:
                plan = changed_field(kind, plan, place // 2, amount, odd)
            else:
                lines[at] = changed_field(kind, lines[at], place // 2, amount, odd)
        elif kind == "swap":
            lines[at], lines[0] = lines[0], lines[at]
        else:
            lines[at : at + 1] = [] if kind == "drop" else [lines[at], lines[at]]
        data = _packed(plan, b"\n".join(lines))
    return data


FOLDERS = st.lists(
    st.tuples(
        st.sampled_from([*FIELD_CHANGES, *FIELD_CHANGES, *LINE_CHANGES, *BYTE_CHANGES]),
        st.integers(0, 2**20),
        st.integers(0, 2**20),
        st.sampled_from(_ODD),
    ),
    min_size=2,
    max_size=4,
).map(changed)


def check(count: int) -> None:
    tally = fuzz(
        f"{__name__}:run_folder",
        FOLDERS,
        count,
        first=folder_of_a_run(),
        environment={"NUMBA_DISABLE_JIT": "1"},
    )
    # Both come often: neither is everything refused nor is nothing looked at.
    assert tally.accepted > count / 20
    assert tally.refused > count / 3
    assert tally.different > count / 2


@pytest.mark.long
def test_a_changed_run_is_refused_in_a_sentence_or_judged() -> None:
    check(examples(long=False))


@pytest.mark.slow
def test_many_changed_runs_are_refused_in_a_sentence_or_judged() -> None:
    check(examples(long=True))
