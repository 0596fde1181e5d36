"""The results of what-ifs and searches as tables, Markdown, JSON and a plot that can be read in black and white."""

from __future__ import annotations

import io
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from rich.console import Console
from rich.table import Table
from rich.text import Text

from dunaia_env.balance.outcomes import Row, WhatIf
from dunaia_env.balance.targets import Search, Target
from dunaia_env.reports.parts import to_json_data
from dunaia_env.statistics.intervals import Estimate
from dunaia_env.support import atomic, messages

FORMAT, SEARCH_FORMAT, VERSION = "dunaia-balance-whatif", "dunaia-balance-search", 1
# Number of candidates of a search that the tables show.
_SHOWN_CANDIDATES = 12
_MARKERS = "osD^vP*X<>h"
_LINES: tuple[Any, ...] = ("-", "--", "-.", ":", (0, (5, 1, 1, 1, 1, 1)), (0, (8, 2)))
_GREYS = ("0.0", "0.35", "0.55")


def percent(value: float) -> str:
    """A share as text: ``61.2 %``."""
    return f"{100 * value:.1f} %" if np.isfinite(value) else "none"


def change_text(change: Estimate) -> str:
    """A change of a share in percentage points, with its interval: ``+3.1 (1.2 to 5.0)``."""
    value, low, high = (100 * number + 0.0 for number in change)
    if not np.isfinite(value):
        return "none"
    return f"{value:+.1f}" + (f" ({low:+.1f} to {high:+.1f})" if np.isfinite(low) else "")


def is_clear(change: Estimate) -> bool:
    """Whether the interval of a change lies on one side of 0."""
    return bool(change.low > 0 or change.high < 0)


def starred(change: Estimate) -> str:
    """A change of a share as `change_text`, with a star if it is clear."""
    return change_text(change) + (" *" if is_clear(change) else "")


def markdown_table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> list[str]:
    """The lines of a table; vertical bars in cells are escaped."""
    lines = [titles, ["---"] * len(titles), *rows]
    return ["| " + " | ".join(messages.printable(cell).replace("|", "\\|") for cell in line) + " |" for line in lines]


def print_table(console: Console, title: str, titles: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
    """Print a table; its cells are plain text, not markup."""
    table = Table(title=Text(title))
    for heading in titles:
        table.add_column(Text(heading))
    for row in rows:
        table.add_row(*(Text(messages.printable(cell)) for cell in row))
    console.print(table)


def _share_table(result: WhatIf, kind: str) -> tuple[list[str], list[list[str]]]:
    """A row for each role and seat: its share with the reference, and its change with each other setting."""
    titles = ["", f"share with {result.settings[0]['label']}", *(setting["label"] for setting in result.settings[1:])]
    subjects = dict.fromkeys(row.subject for row in result.rows if row.kind == kind)
    rows = []
    for subject in subjects:
        found = [row for row in result.rows if row.kind == kind and row.subject == subject]
        cells = [starred(row.change) for row in found[1:]]
        rows.append([subject, percent(found[0].share.value), *cells])
    return titles, rows


def _shape_table(result: WhatIf, kind: str) -> tuple[list[str], list[list[str]]]:
    titles = ["components", "rounds", "points per player", "stopped at the round limit"]
    shapes = [shape for shape in result.shapes if shape.kind == kind]
    return titles, [
        [result.settings[shape.setting]["label"], _number(shape.rounds), _number(shape.points), percent(shape.stopped)]
        for shape in shapes
    ]


def _number(estimate: Estimate) -> str:
    value, low, high = estimate
    return f"{value:.1f}" + (f" ({low:.1f} to {high:.1f})" if np.isfinite(low) else "")


def _headline(result: WhatIf) -> str:
    width = f" Changes are known to ± {100 * result.half_width:.1f} points or better."
    return (
        f"With {result.players} players and {result.agent} in every seat, {result.games} games were played in"
        f" {result.blocks} common blocks of seed {result.seed}.{width if np.isfinite(result.half_width) else ''}"
    )


_NOTE = (
    "Changes are in percentage points of the share of the wins. Their intervals are simultaneous: with 95 % confidence,"
    " all of them contain the true value. A star marks an interval that lies on one side of 0."
)


def print_whatif(result: WhatIf) -> None:
    """Print a what-if as tables."""
    console = Console()
    for kind in result.kinds:
        print_table(console, f"Shares of the wins, roles {kind}", *_share_table(result, kind))
        print_table(console, f"Games, roles {kind}", *_shape_table(result, kind))
    console.print(_headline(result), _NOTE, markup=False, highlight=False)


def write_whatif(folder: Path, result: WhatIf, values: Mapping[str, str]) -> None:
    """Write ``whatif.md``, ``whatif.json`` and ``whatif.svg``, the plot.

    Args:
        folder: created if it is missing.
        result: the result.
        values: the reference's value at each path that is swept.
    """
    lines = ["# What if", "", _headline(result)]
    for kind in result.kinds:
        lines += ["", f"## Roles {kind}", "", *markdown_table(*_share_table(result, kind))]
        lines += ["", *markdown_table(*_shape_table(result, kind))]
    lines += ["", _NOTE, "", "![Changes of the shares](whatif.svg)", ""]
    atomic.write_text(folder / "whatif.md", "\n".join(lines))
    content = {"format": FORMAT, "version": VERSION, **to_json_data(result), "reference_values": dict(values)}
    # The duration differs from run to run; everything else is the same.
    content.pop("seconds")
    atomic.write_text(folder / "whatif.json", json.dumps(content, indent=1, ensure_ascii=False) + "\n")
    atomic.write_text(folder / "whatif.svg", plot(result, values))


def plot(result: WhatIf, values: Mapping[str, str]) -> str:
    """The changes by value as an SVG: for each kind of games a panel for the roles and a panel for the seats below it.

    Lines differ by marker and dashes, not by colour. Numbers of a sweep stand in ascending order, with the reference's
    own value among them; settings of different sweeps stand side by side without a line between them.
    """
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update({"svg.hashsalt": "dunaia", "svg.fonttype": "none", "font.size": 9.0})
        shown = {(row.kind, row.seat >= 0) for row in result.rows}
        panels = [(kind, seats) for kind in result.kinds for seats in (False, True) if (kind, seats) in shown]
        figure = Figure(figsize=(9.0, 3.6 * len(panels)), layout="constrained")
        axes = figure.subplots(len(panels), 1, squeeze=False)[:, 0]
        for one, (kind, seats) in zip(axes, panels, strict=True):
            rows = [row for row in result.rows if row.kind == kind and (row.seat >= 0) == seats]
            _draw(one, rows, result, values)
            one.set_ylabel("change in percentage points")
            one.set_title(f"{'Seats' if seats else 'Roles'}, {kind}", loc="left")
        text = io.StringIO()
        figure.savefig(text, format="svg", metadata={"Date": None})
    return text.getvalue()


def _places(result: WhatIf, values: Mapping[str, str]) -> list[tuple[str, list[tuple[int, str]]]]:
    """For each sweep, its path and its settings in order with their values; every sweep includes the reference."""
    if not any(setting["path"] for setting in result.settings):
        return [("", [(number, one["label"]) for number, one in enumerate(result.settings)])]
    runs = []
    for path in dict.fromkeys(setting["path"] for setting in result.settings if setting["path"]):
        points = [(0, values.get(path, "") or result.settings[0]["label"])]
        points += [(n, one["value"]) for n, one in enumerate(result.settings) if one["path"] == path]
        if all(_is_number(text) for _, text in points):
            points.sort(key=lambda point: float(point[1]))
        runs.append((path, points))
    return runs


def _is_number(text: str) -> bool:
    try:
        return bool(np.isfinite(float(text)))
    except ValueError:
        return False


def _draw(axes: Axes, rows: Sequence[Row], result: WhatIf, values: Mapping[str, str]) -> None:
    subjects = list(dict.fromkeys(row.subject for row in rows))
    labels: list[str] = []
    for run, (path, places) in enumerate(_places(result, values)):
        begin = len(labels)
        labels += [label for _, label in places]
        for number, subject in enumerate(subjects):
            changes = {row.setting: row.change for row in rows if row.subject == subject}
            shift = 0.5 * ((number + 0.5) / len(subjects) - 0.5)
            at = begin + np.arange(len(places)) + shift
            found = 100 * np.array([changes[setting] for setting, _ in places], np.float64)
            ends = np.nan_to_num(np.stack([found[:, 0] - found[:, 1], found[:, 2] - found[:, 0]]))
            axes.errorbar(
                at,
                found[:, 0],
                yerr=ends,
                color=_GREYS[number % len(_GREYS)],
                marker=_MARKERS[number % len(_MARKERS)],
                linestyle=_LINES[number % len(_LINES)],
                markerfacecolor="white" if number % 2 else _GREYS[number % len(_GREYS)],
                linewidth=1.0,
                capsize=2.5,
                label=subject if run == 0 else None,
            )
        middle = begin + (len(places) - 1) / 2
        axes.text(middle, -0.13, path, transform=axes.get_xaxis_transform(), ha="center", va="top")
        if run:
            axes.axvline(begin - 0.5, color="0.7", linewidth=0.8)
    axes.axhline(0.0, color="0.0", linewidth=0.8)
    axes.set_xticks(range(len(labels)), labels)
    axes.set_xlim(-0.5, len(labels) - 0.5)
    axes.grid(axis="y", color="0.9")
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, handlelength=4.0)


def _search_table(search: Search, targets: Sequence[Target]) -> tuple[list[str], list[list[str]]]:
    titles = [
        "values",
        *(f"{target.subject} (wanted {percent(target.share)})" for target in targets),
        "distance",
        "blocks",
    ]
    rows = []
    for candidate in search.candidates[:_SHOWN_CANDIDATES]:
        shares = [
            percent(share.value) + (f" ({100 * share.low:.1f} to {100 * share.high:.1f})" if share.low > -1 else "")
            for share in candidate.shares
        ]
        rows.append([candidate.label, *shares, f"{100 * candidate.distance:.1f}", str(candidate.blocks)])
    return titles, rows


def search_sentence(search: Search) -> str:
    """The result of a search in words."""
    best, *others = search.candidates
    if not others:
        return f"{best.label} is the only candidate; {search.games} games were played."
    known = f"This is known with a confidence of {100 * search.confidence:.0f} %."
    if not search.certain:
        known = "It cannot be told from the next ones with 95 % confidence."
    found = f"Of {len(others) + 1} candidates, {best.label} comes nearest to the target."
    return f"{found} {known} The search took {search.games} games."


def print_search(search: Search, targets: Sequence[Target]) -> None:
    """Print a search as a table."""
    console = Console()
    print_table(console, "Nearest to the target", *_search_table(search, targets))
    console.print(search_sentence(search), markup=False, highlight=False)


def write_search(folder: Path, search: Search, targets: Sequence[Target]) -> None:
    """Write ``target.md`` and ``target.json`` into a folder, which is created if it is missing."""
    note = (
        "Each share has a 95 % interval of its own. The distance is the root mean square of the differences from the"
        " wanted shares, in percentage points."
    )
    lines = ["# Nearest to the target", "", search_sentence(search), ""]
    lines += [*markdown_table(*_search_table(search, targets)), "", note, ""]
    atomic.write_text(folder / "target.md", "\n".join(lines))
    wanted = {target.subject: target.share for target in targets}
    content = {"format": SEARCH_FORMAT, "version": VERSION, "wanted": wanted, **to_json_data(search)}
    atomic.write_text(folder / "target.json", json.dumps(content, indent=1, ensure_ascii=False) + "\n")
