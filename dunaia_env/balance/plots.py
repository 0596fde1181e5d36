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
from matplotlib.lines import Line2D

from dunaia_env.reports.drawing import TEXT
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


def scaled(estimate: Estimate) -> Estimate:
    """An estimate of shares in per cent, or one of effects in percentage points."""
    return Estimate(*(100 * number for number in estimate))


def ends_of(estimates: Sequence[Estimate]) -> list[float]:
    """The absolute values of all finite numbers of estimates."""
    return [0.0, 0.0, *(abs(number) for estimate in estimates for number in estimate if np.isfinite(number))]


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
