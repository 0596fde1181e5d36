"""What the plots of a balance report have in common.

Shapes, hatches and labels say all that colours say, for readers in black and white.
All plots are inline SVG elements, see `dunaia_env.reports.drawing`. The argument ``name`` is the prefix of an element's
identifiers and has to be unique on the page. Shares are drawn in per cent, effects in percentage points.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from dunaia_env.balance.wording import players_words
from dunaia_env.reports.drawing import TEXT, WIDTH, figure_of_rows
from dunaia_env.statistics.intervals import Estimate

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "p")
DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1.5, 1.5)), (0, (6, 2, 1.5, 2)), (0, (3, 1)), (0, (8, 3)))
# Placeholders that are replaced by colours of the page: a light and a darker grey for areas, the background, and the
# colours of what is too strong or too weak.
LIGHT, DARK, PAPER = "#070809", "#0a0b0c", "#0d0e0f"
STRONG, WEAK = "#101112", "#131415"
PAGE = {
    LIGHT: "var(--fill)",
    DARK: "var(--dark)",
    PAPER: "var(--back)",
    STRONG: "rgb(var(--bad))",
    WEAK: "rgb(var(--good))",
}
ROW = 0.3
LEGEND = 0.34  # inches above a plot
WIDE = 3  # panels beside each other that are wide enough for the ticks that matplotlib chooses
TICKS = (1, 2, 5, 10, 15, 20, 30, 40, 50, 60)  # where the ticks of narrower panels may be, in percentage points


def scaled(estimate: Estimate) -> Estimate:
    """An estimate of shares in per cent, or one of effects in percentage points."""
    return Estimate(*(100 * number for number in estimate))


def ends_of(estimates: Sequence[Estimate]) -> list[float]:
    """The absolute values of all finite numbers of estimates."""
    return [0.0, 0.0, *(abs(number) for estimate in estimates for number in estimate if np.isfinite(number))]


def effect_panels(
    labels: Sequence[str],
    players: Sequence[int],
    tolerance: float,
    effects: Sequence[Estimate],
    *,
    row: float,
    above: float,
    beside: float = 0.0,
) -> tuple[Figure, dict[int, Axes]]:
    """A figure with a panel for each number of players, on which effects are drawn in rows.

    Args:
        labels: labels of the rows, the first one on top; they stand beside the first panel.
        players: the numbers of players.
        tolerance: half the width of the band around 0, in percentage points.
        effects: what will be drawn, in percentage points; all panels reach as far as the farthest end.
        row: height of a row in inches.
        above: room above the panels in inches.
        beside: room at the right edge of each panel that no interval crosses, in inches.
    """
    half = 1.12 * max(2 * tolerance, *ends_of(effects))
    figure, whole = figure_of_rows(labels, row * len(labels), above=above)
    left, bottom, width, height = whole.get_position().bounds
    whole.remove()
    step = width / len(players)
    right = 2 * half / (1 - beside / (0.94 * step * WIDTH)) - half
    panels = {}
    for place, number in enumerate(players):
        axes = figure.add_axes((left + place * step, bottom, 0.94 * step, height))
        axes.axvspan(-tolerance, tolerance, facecolor=LIGHT, linewidth=0)
        axes.axvline(0, color=TEXT, linewidth=1, linestyle=(0, (4, 3)))
        draw_panel(axes, labels if not place else [""] * len(labels), -half, right, players_words(number))
        if len(players) > WIDE:
            tick = max((one for one in TICKS if one <= 0.7 * half), default=half / 2)
            axes.set_xticks((-tick, 0, tick))
        panels[number] = axes
    figure.text(left + width / 2, 0.02, "win share minus fair share, percentage points (band: tolerance)", ha="center")
    return figure, panels


def draw_interval(axes: Axes, estimate: Estimate, row: float, marker: str, filled: bool) -> None:
    """An estimate as a marker, with its interval as a line, in the row of a plot."""
    if np.isfinite(estimate.low):
        axes.plot(estimate[1:], (row, row), color=TEXT, linewidth=1.3, solid_capstyle="butt")
    face = TEXT if filled else PAPER
    axes.plot([estimate.value], [row], marker, color=TEXT, markersize=5, markerfacecolor=face, markeredgewidth=1.1)


def draw_rows(axes: Axes, labels: Sequence[str], low: float, high: float) -> None:
    """The axes of a plot with a label for each row, the first one on top, from ``low`` to ``high``."""
    axes.set_xlim(low, high)
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.set_yticks(range(len(labels)), labels)
    axes.grid(axis="x", linewidth=0.5)
    axes.set_axisbelow(True)


def draw_panel(axes: Axes, labels: Sequence[str], low: float, high: float, title: str) -> None:
    """The axes and the title of one of several plots side by side; for the other arguments see `draw_rows`."""
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(length=0)
    draw_rows(axes, labels, low, high)
    axes.set_title(title, fontsize=9.5, fontweight="bold")


def draw_legend(axes: Axes, labels: Sequence[str], *, filled: bool = False) -> None:
    """A legend in one line above the plot: the marker of each label."""
    handles = [
        Line2D(
            [], [], linestyle="none", marker=MARKERS[place % len(MARKERS)], color=TEXT, markersize=5,
            markerfacecolor=TEXT if filled else PAPER,
        )
        for place in range(len(labels))
    ]  # fmt: skip
    place_legend(axes, handles, labels)


def place_legend(axes: Axes, handles: Sequence[Line2D], labels: Sequence[str]) -> None:
    """A legend of these handles in one line above the plot."""
    axes.legend(
        handles, labels, loc="lower left", bbox_to_anchor=(0, 1), ncols=len(labels), frameon=False, borderpad=0.1,
        handletextpad=0.3, columnspacing=1.4, handlelength=1.2,
    )  # fmt: skip
