"""What was measured in the battle, as a file and as a plot."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from dunaia_env.statistics.intervals import round_portably
from dunaia_env.support import atomic, reading, typed_json
from training.benchmark.battle.equilibrium import Measures

FORMAT, VERSION = "dunaia-battle-results", 1
MOST_BYTES = 1 << 20
# The measures, and their titles in tables.
COLUMNS = {
    "first": "as Atreides against the optimal player",
    "second": "as Harkonnen against the optimal player",
    "first_least": "as Atreides against the best reply",
    "second_least": "as Harkonnen against the best reply",
    "exploitability": "exploitability",
}
# The names of the optimal player, and of the one that always takes its most likely action.
OPTIMAL, PREDICTABLE = "optimal", "optimal, but predictable"
# The players beside which the learning curves are drawn, and whether their names stand above or below their lines.
COMPARED = {"greedy": "bottom", "champion": "bottom", "random": "top", PREDICTABLE: "top"}
# The policy that learns in a table, and the learners with a network.
TABULAR = "CFR+"
TITLES = {"ppo": "PPO", "mirror_descent": "magnetic mirror descent"}
COLOURS = {"ppo": "#d9822b", "mirror_descent": "#2a85c7", TABULAR: "#3a8f4d"}


@dataclass(frozen=True)
class Curve:
    """A learning curve.

    Attributes:
        learner: `TABULAR` or one of `TITLES`.
        seed: seed of the training.
        spent: decisions from which a network has learned, or iterations of CFR+, of each point.
        exploitability: the exact exploitability of each point, in spice.
    """

    learner: str
    seed: int
    spent: tuple[int, ...]
    exploitability: tuple[float, ...]


@dataclass(frozen=True)
class Results:
    """The size and the value of the battle, measures of players in it by their names, and learning curves.

    Attributes:
        information_states, actions, histories, ends: the size of the game, see `Tree`.
        bounds: the value of the game for seat 0 lies between these numbers, in spice.
        measured: the measures by name of the player.
        curves: the learning curves.
    """

    information_states: int
    actions: int
    histories: int
    ends: int
    bounds: tuple[float, float]
    measured: Mapping[str, Measures]
    curves: Sequence[Curve] = field(default=())


_SIZE = ("information_states", "actions", "histories", "ends")


def write_results(path: Path, results: Results) -> None:
    """Write results as JSON, atomically."""
    rows = [{"agent": name, **_rounded(asdict(measures))} for name, measures in results.measured.items()]
    curves = [_rounded(asdict(curve)) for curve in results.curves]
    content = {name: getattr(results, name) for name in _SIZE} | {"bounds": list(results.bounds)}
    head = {"format": FORMAT, "version": VERSION}
    atomic.write_text(path, json.dumps({**head, **content, "rows": rows, "curves": curves}, indent=1) + "\n")


def _rounded(values: dict[str, Any]) -> dict[str, Any]:
    """The values with their numbers rounded for every processor alike."""

    def rounded(value: Any) -> Any:
        if isinstance(value, tuple):
            return [rounded(one) for one in value]
        return float(round_portably(value)) if isinstance(value, float) else value

    return {name: rounded(value) for name, value in values.items()}


def read_results(path: Path) -> Results:
    """Read a file of `write_results`; raises `ValueError` naming what is wrong."""
    content: Any = typed_json.parse(reading.read_bytes(path, MOST_BYTES))
    if not isinstance(content, dict) or (content.get("format"), content.get("version")) != (FORMAT, VERSION):
        raise ValueError(f"{path}: expected {FORMAT}, version {VERSION}")
    try:
        measured = {str(row.pop("agent")): typed_json.build(Measures, row) for row in content["rows"]}
        curves = tuple(typed_json.build(Curve, curve) for curve in content["curves"])
        least, most = content["bounds"]
        sizes = [int(content[name]) for name in _SIZE]
        return Results(sizes[0], sizes[1], sizes[2], sizes[3], (float(least), float(most)), measured, curves)
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise ValueError(f"{path}: {type(error).__name__} ({error})") from error


def plot(results: Results) -> bytes:
    """A PNG plot of the learning curves, beside the exploitability of the players."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(8.4, 3.8), layout="constrained")
    networks, table = figure.subplots(1, 2, width_ratios=(3, 2))
    named: set[str] = set()
    for curve in results.curves:
        is_table = curve.learner == TABULAR
        (table if is_table else networks).plot(
            [spent if is_table else spent / 1000 for spent in curve.spent],
            curve.exploitability,
            color=COLOURS[curve.learner],
            linewidth=1.2,
            label=None if curve.learner in named else TITLES.get(curve.learner, TABULAR),
        )
        named.add(curve.learner)
    highest = 0.0
    for name, side in COMPARED.items():
        if name in results.measured:
            height = results.measured[name].exploitability
            highest = max(highest, height)
            networks.axhline(height, color="grey", linewidth=0.8, linestyle=":")
            text = name.replace(", ", ",\n")
            place = (1.02, height)
            networks.annotate(text, place, xycoords=("axes fraction", "data"), fontsize=8, color="#555555", va=side)
    networks.set_ylim(0, 1.1 * max(highest, *(max(curve.exploitability) for curve in results.curves)))
    networks.set_xlabel("thousand decisions")
    networks.set_ylabel("exploitability in spice")
    table.set_xscale("log")
    table.set_yscale("log")
    table.set_xlabel("iterations")
    for axes, corner in ((networks, (1, 0.82)), (table, (1, 1))):
        axes.grid(linewidth=0.3)
        axes.legend(frameon=False, loc="upper right", bbox_to_anchor=corner)
    content = io.BytesIO()
    figure.savefig(content, format="png", dpi=110)
    return content.getvalue()
