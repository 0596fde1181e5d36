"""Verify traces of the engine with the reference rules, decision by decision.

On the command line: `python -m tests.reference.check FILE...` prints one line a file and stops with exit
status 1 at the first trace that fails.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from .game import WINDOWS, Game, Tape, TapeError

EMPTY_PENDING = frozenset({*WINDOWS, "DRAFT", "OVER"})
HEADER_KINDS = {
    "format": str,
    "version": int,
    "players": int,
    "elites": bool,
    "max_rounds": int,
    "draws": list,
    "state": dict,
}


class TraceError(Exception):
    """A trace differs from the rules; `line` is the number of the line, counted from 1."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"line {line}: {message}")
        self.line = line


def check_trace(path_or_lines: str | Path | Iterable[str]) -> int:
    """Play a trace again and return the number of decisions checked.

    Args:
        path_or_lines: a file (a `str` is a path), or the lines themselves.

    Raises:
        TraceError: names the line, the key path of the first difference, what was expected and what found.
    """
    if isinstance(path_or_lines, str | Path):
        path_or_lines = Path(path_or_lines).read_text(encoding="utf-8").splitlines()
    numbered = enumerate(path_or_lines, start=1)

    number, header = next(_parsed(numbered), (1, {}))
    game = _check_header(number, header)

    for decisions, (number, line) in enumerate(_parsed(numbered)):
        if "result" in line:
            _check_result(number, line, game)
            for surplus, _ in _parsed(numbered):
                raise TraceError(surplus, "a line follows the result line, which must be the last one")
            return decisions
        _check_decision(number, line, game)
    raise TraceError(number + 1, "the trace ends without a result line")


def _parsed(numbered: Iterator[tuple[int, str]]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield each line that is left, with its number, as a dictionary."""
    for number, text in numbered:
        try:
            line = json.loads(text)
        except json.JSONDecodeError as error:
            raise TraceError(number, f"not JSON: {error}") from None
        if not isinstance(line, dict):
            raise TraceError(number, f"an object was expected, found {text.strip()}")
        yield number, line


def _check_header(number: int, header: dict[str, Any]) -> Game:
    for key, kind in HEADER_KINDS.items():
        if key not in header:
            raise _difference(number, key, "this key", "nothing")
        if type(header[key]) is not kind:
            raise _difference(number, key, f"a value of type {kind.__name__}", _shown(header[key]))
    _compare(number, "format", "dunaia-replay", header["format"])
    _compare(number, "version", 1, header["version"])
    tape = _tape(number, header)
    try:
        game = Game(header["players"], header["elites"], header["max_rounds"], tape)
        tape.finish()
    except TapeError as error:
        raise TraceError(number, f"draws: {error}") from None
    except ValueError as error:
        raise TraceError(number, str(error)) from None
    _compare_states(number, game.to_dict(), header["state"])
    return game


def _check_decision(number: int, line: dict[str, Any], game: Game) -> None:
    if game.over:
        raise TraceError(number, "the game is over: a result line was expected")
    _compare_keys(number, "", {"seat", "action", "decision", "legal", "draws", "state"}, set(line))
    _compare(number, "seat", game.seat, line["seat"])
    _compare(number, "decision", game.decision, line["decision"])
    _compare(number, "legal", game.legal(), line["legal"])
    if line["action"] not in game.legal():
        raise TraceError(number, f"action: expected one of {game.legal()}, found {_shown(line['action'])}")
    tape = _tape(number, line)
    try:
        game.apply(line["action"], tape)
        tape.finish()
    except TapeError as error:
        raise TraceError(number, f"draws: {error}") from None
    _compare_states(number, game.to_dict(), line["state"])


def _check_result(number: int, line: dict[str, Any], game: Game) -> None:
    if not game.over:
        raise TraceError(number, f"found the result, but seat {game.seat} has yet to decide {game.decision}")
    expected = {
        "scores": game.scores(),
        "ranks": game.ranks(),
        "rounds": game.round,
        "truncated": game.truncated,
    }
    _compare(number, "", {"result": expected}, line)


def _tape(number: int, line: dict[str, Any]) -> Tape:
    draws = line["draws"]
    if not isinstance(draws, list):
        raise TraceError(number, f"draws: expected a list, found {_shown(draws)}")
    for index, pair in enumerate(draws):
        if not (isinstance(pair, list) and len(pair) == 2 and all(type(value) is int for value in pair)):
            raise TraceError(number, f"draws[{index}]: expected [n, outcome], found {_shown(pair)}")
    return Tape(draws)


def _compare_states(number: int, expected: dict[str, Any], found: Any) -> None:
    """Compare all but the content of `pending`, which only has to be empty where the rules need nothing."""
    if isinstance(found, dict) and isinstance(found.get("pending"), dict):
        keep_empty = expected["decision"] in EMPTY_PENDING
        expected = {**expected, "pending": {} if keep_empty else found["pending"]}
    _compare(number, "state", expected, found)


def _compare(number: int, path: str, expected: Any, found: Any) -> None:
    """Raise a `TraceError` at the first difference; `true` is not 1 and 1.0 is not 1."""
    if isinstance(expected, dict) and isinstance(found, dict):
        _compare_keys(number, path, set(expected), set(found))
        for key, value in expected.items():
            _compare(number, f"{path}.{key}" if path else key, value, found[key])
    elif isinstance(expected, list) and isinstance(found, list):
        for index, (one, other) in enumerate(zip(expected, found, strict=False)):
            _compare(number, f"{path}[{index}]", one, other)
        if len(expected) > len(found):
            raise _difference(number, f"{path}[{len(found)}]", _shown(expected[len(found)]), "nothing")
        if len(found) > len(expected):
            raise _difference(number, f"{path}[{len(expected)}]", "nothing", _shown(found[len(expected)]))
    elif type(expected) is not type(found) or expected != found:
        raise _difference(number, path, _shown(expected), _shown(found))


def _compare_keys(number: int, path: str, expected: set[str], found: set[str]) -> None:
    for key in sorted(expected ^ found):
        place = f"{path}.{key}" if path else key
        if key in expected:
            raise _difference(number, place, "this key", "nothing")
        raise _difference(number, place, "no such key", "it")


def _difference(number: int, path: str, expected: str, found: str) -> TraceError:
    return TraceError(number, f"{path}: expected {expected}, found {found}")


def _shown(value: Any) -> str:
    text = json.dumps(value)
    return text if len(text) <= 200 else text[:197] + "..."


def main(paths: list[str]) -> int:
    """Check the traces in order; return the exit status."""
    if not paths:
        print("usage: python -m tests.reference.check FILE...", file=sys.stderr)
        return 2
    for path in paths:
        try:
            print(f"{path}: {check_trace(path)} decisions agree")
        except (TraceError, OSError) as error:
            print(f"{path}: {error}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
