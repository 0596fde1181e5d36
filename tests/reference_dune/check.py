"""Verify traces of Dune with the reference rules, decision by decision.

On the command line: `python -m tests.reference_dune.check FILE...` checks each file (one trace each) and stops with
exit status 1 at the first that fails.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from .chance import Tape, TapeError
from .game import Game


class TraceError(Exception):
    """A trace differs from the rules; `line` is the number of the line, counted from 1."""

    def __init__(self, line: int, message: str) -> None:
        super().__init__(f"line {line}: {message}")
        self.line = line


def check_trace(lines: Iterable[str]) -> int:
    """Play a trace again and return the number of decisions checked.

    Raises:
        TraceError: names the line, the key path of the first difference, what was expected and what found.
    """
    parsed = _parsed(lines)
    number, header = next(parsed, (1, {}))
    for key in ("format", "version", "players", "factions", "options", "draws", "state"):
        if key not in header:
            raise TraceError(number, f"the header has no key {key!r}")
    _compare(number, "format", "dune-replay", header["format"])
    _compare(number, "version", 1, header["version"])
    tape = Tape(header["draws"])
    try:
        game = Game(header["players"], tape, header["factions"], header["options"])
        tape.finish()
    except (TapeError, ValueError) as error:
        raise TraceError(number, str(error)) from None
    _compare(number, "options", game.options, header["options"])
    _compare_states(number, game, header["state"])

    for decisions, (number, line) in enumerate(parsed):
        if "result" in line:
            _compare(number, "over", True, game.over)
            _compare(number, "", {"result": game.result()}, line)
            for surplus, _ in parsed:
                raise TraceError(surplus, "a line follows the result, which must be the last one")
            return decisions
        _check_decision(number, game, line)
    raise TraceError(number + 1, "the trace ends without a result")


def _parsed(lines: Iterable[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    for number, text in enumerate(lines, start=1):
        try:
            line = json.loads(text)
        except json.JSONDecodeError as error:
            raise TraceError(number, f"not JSON: {error}") from None
        if not isinstance(line, dict):
            raise TraceError(number, f"an object was expected, found {text.strip()}")
        yield number, line


def _check_decision(number: int, game: Game, line: dict[str, Any]) -> None:
    expected = {"seat", "action", "decision", "legal", "draws", "state"}
    if set(line) != expected:
        raise TraceError(number, f"the keys are {sorted(line)} instead of {sorted(expected)}")
    _compare(number, "seat", game.seat, line["seat"])
    _compare(number, "decision", game.decision, line["decision"])
    _compare(number, "legal", game.legal(), line["legal"])
    tape = Tape(line["draws"])
    try:
        game.apply(line["action"], tape)
        tape.finish()
    except (TapeError, ValueError) as error:
        raise TraceError(number, str(error)) from None
    _compare_states(number, game, line["state"])


def _compare_states(number: int, game: Game, found: Any) -> None:
    """Compare all but the content of `pending`, which only has to be empty at the end."""
    expected = game.to_dict()
    if isinstance(found, dict) and isinstance(found.get("pending"), dict) and not game.over:
        expected["pending"] = found["pending"]
    _compare(number, "state", expected, found)


def _compare(number: int, path: str, expected: Any, found: Any) -> None:
    """Raise a `TraceError` at the first difference; `true` is not 1 and 1.0 is not 1."""
    if type(expected) is not type(found):
        raise TraceError(number, f"{path}: expected {expected!r}, found {found!r}")
    if isinstance(expected, dict):
        if expected.keys() != found.keys():
            raise TraceError(number, f"{path}: the keys {sorted(expected.keys() ^ found.keys())} differ")
        for key, part in expected.items():
            _compare(number, f"{path}.{key}" if path else key, part, found[key])
    elif isinstance(expected, list) and len(expected) == len(found):
        for index, (one, other) in enumerate(zip(expected, found, strict=True)):
            _compare(number, f"{path}[{index}]", one, other)
    elif expected != found:
        raise TraceError(number, f"{path}: expected {expected!r}, found {found!r}")


def main(paths: list[str]) -> int:
    """Check the traces in order; return the exit status."""
    if not paths:
        print("usage: python -m tests.reference_dune.check FILE...", file=sys.stderr)
        return 2
    for path in paths:
        try:
            lines = Path(path).read_text(encoding="utf-8").splitlines()
            print(f"{path}: {check_trace(lines)} decisions agree")
        except (TraceError, OSError) as error:
            print(f"{path}: {error}")
            return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
