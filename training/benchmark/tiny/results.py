"""What was measured in a solved game, as a file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from dunaia_env.statistics.intervals import round_portably
from dunaia_env.support import atomic, reading, typed_json
from training.benchmark.tiny.values import Measures

FORMAT, VERSION = "dunaia-tiny-results", 1
MOST_BYTES = 1 << 20
# The measures, and their titles in tables.
COLUMNS = {
    "first": "share in seat 0 against the optimal player",
    "second": "share in seat 1 against it",
    "itself": "share of seat 0 against itself",
    "regret": "lost by a decision",
    "exploitability": "exploitability",
}


@dataclass(frozen=True)
class Results:
    """The size and the value of a solved game, and measures of players in it by their names.

    Attributes:
        positions, actions: numbers of positions and of actions in them.
        value: seat 0's expected share of the win if both players decide perfectly.
        measured: the measures by name of the player.
    """

    positions: int
    actions: int
    value: float
    measured: Mapping[str, Measures]


def write_results(path: Path, results: Results) -> None:
    """Write results as JSON, atomically."""
    rows = [
        {"agent": name, **{key: float(round_portably(value)) for key, value in asdict(measures).items()}}
        for name, measures in results.measured.items()
    ]
    size = {"positions": results.positions, "actions": results.actions, "value": results.value}
    atomic.write_text(path, json.dumps({"format": FORMAT, "version": VERSION, **size, "rows": rows}, indent=1) + "\n")


def read_results(path: Path) -> Results:
    """Read a file of `write_results`; raises `ValueError` naming what is wrong."""
    content: Any = typed_json.parse(reading.read_bytes(path, MOST_BYTES))
    if not isinstance(content, dict) or (content.get("format"), content.get("version")) != (FORMAT, VERSION):
        raise ValueError(f"{path}: expected {FORMAT}, version {VERSION}")
    try:
        rows = {str(row.pop("agent")): typed_json.build(Measures, row) for row in content["rows"]}
        return Results(int(content["positions"]), int(content["actions"]), float(content["value"]), rows)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path}: {type(error).__name__} ({error})") from error
