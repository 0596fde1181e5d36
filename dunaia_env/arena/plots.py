"""Plots of a report as inline SVG, without dates and references to other files; their colours follow the page's."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dunaia_env.arena.intervals import Estimate
from dunaia_env.arena.summary import Rating, Scores, Seat

# Close to Okabe and Ito's blue and orange, which colour-blind people can tell apart; readable on white and on black.
BLUE, ORANGE = "#2a85c7", "#d9822b"
# Placeholder colours, which are replaced by the page's colours of texts and lines.
_TEXT, _LINE = "#010203", "#040506"
_REPLACED = {_TEXT: "currentColor", _LINE: "var(--line)"}
_STYLE: dict[Any, Any] = {
    "svg.hashsalt": "dunaia",
    "svg.fonttype": "none",
    "font.family": "DejaVu Sans",
    "font.size": 9.0,
    "text.parse_math": False,
    "text.color": _TEXT,
    "axes.labelcolor": _TEXT,
    "axes.edgecolor": _LINE,
    "xtick.color": _LINE,
    "ytick.color": _LINE,
    "xtick.labelcolor": _TEXT,
    "ytick.labelcolor": _TEXT,
    "grid.color": _LINE,
}
_WIDTH = 7.2  # inches
LABEL_WIDTH = 28  # characters of an agent's label in a line
_CHARACTER_WIDTH = 0.078  # inches, of the widest usual letters at this size
_ROW = 0.42  # inches, for a label of up to two lines
_LINE_HEIGHT = 0.16
# A very long interval, such as that of an agent that won everything, is cut at this distance from the other ratings.
_BEYOND = 150.0


def wrapped(label: str, width: int = LABEL_WIDTH) -> str:
    """An agent's label in lines of at most ``width`` characters, broken after punctuation if possible."""
    lines = [""]
    for piece in re.findall(r"[^,/:]+[,/:]*|[,/:]+", label):
        chunks = [piece[first : first + width] for first in range(0, len(piece), width)]
        for chunk in chunks:
            if lines[-1] and len(lines[-1]) + len(chunk) > width:
                lines.append("")
            lines[-1] += chunk
    return "\n".join(lines)


@contextmanager
def _own_style() -> Iterator[None]:
    """Matplotlib's settings for the plots, independent of the user's; restored afterwards."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_STYLE)
        yield


def _figure(labels: Sequence[str], height: float, below: float = 0.55, above: float = 0.1) -> tuple[Figure, Axes]:
    """A figure with one axes and room for labels at its left; heights in inches."""
    longest = max((len(line) for label in labels for line in label.split("\n")), default=0)
    left = 0.25 + _CHARACTER_WIDTH * longest
    figure = Figure(figsize=(_WIDTH, height + below + above))
    axes = figure.add_axes(
        (left / _WIDTH, below / (height + below + above), 1 - (left + 0.2) / _WIDTH, height / (height + below + above))
    )
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(length=0)
    return figure, axes


def _svg(figure: Figure, name: str, title: str) -> str:
    """The figure as an SVG element whose identifiers begin with a name that is unique on the page."""
    text = io.StringIO()
    figure.savefig(text, format="svg", transparent=True)
    svg = text.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r' xmlns(:xlink)?="[^"]*"', "", svg).replace("xlink:href", "href")
    svg = re.sub(r'\bid="', f'id="{name}-', svg)
    svg = re.sub(r'href="#', f'href="#{name}-', svg).replace("url(#", f"url(#{name}-")
    for colour, own in _REPLACED.items():
        svg = svg.replace(colour, own)
    return re.sub(r"<svg ", f'<svg role="img" aria-label="{title}" ', svg, count=1).strip()


def _bars(axes: Axes, estimates: Sequence[Estimate], low: float, high: float, colour: str) -> None:
    """Draw horizontal intervals from row 0 down; an arrow marks an interval that is cut at the limits."""
    for row, estimate in enumerate(estimates):
        if np.isfinite(estimate.low):
            ends = max(estimate.low, low), min(estimate.high, high)
            axes.plot(ends, (row, row), color=colour, linewidth=2.2, solid_capstyle="butt")
            for end, cut, marker in ((ends[0], estimate.low < low, "<"), (ends[1], estimate.high > high, ">")):
                axes.plot([end], [row], marker=marker if cut else "|", color=colour, markersize=6, markeredgewidth=1.6)
        axes.plot([estimate.value], [row], "o", color=colour, markersize=6.5)


def rating_plot(ratings: Sequence[Rating], name: str) -> str:
    """Plot the ratings of one group with their intervals, a row for each agent, best first."""
    estimates = [rating.rating for rating in ratings]
    values = [estimate.value for estimate in estimates]
    low, high = min(values) - _BEYOND, max(values) + _BEYOND
    low = max(low, min([*values, *(one.low for one in estimates if np.isfinite(one.low))]) - 10)
    high = min(high, max([*values, *(one.high for one in estimates if np.isfinite(one.high))]) + 10)
    labels = [wrapped(rating.entrant) for rating in ratings]
    with _own_style():
        lines = max(label.count("\n") + 1 for label in labels)
        figure, axes = _figure(labels, max(_ROW, 0.1 + _LINE_HEIGHT * lines) * len(ratings))
        _bars(axes, estimates, low, high, BLUE)
        span = high - low
        axes.set_xlim(low - 0.03 * span, high + 0.03 * span)
        axes.set_ylim(len(ratings) - 0.5, -0.5)
        axes.set_yticks(range(len(ratings)), labels)
        axes.grid(axis="x", linewidth=0.6)
        axes.set_axisbelow(True)
        cut = any(one.low < low or one.high > high for one in estimates)
        arrow_note = "; an arrow: the interval continues" if cut else ""
        axes.set_xlabel(f"rating (400 points: ten times as often ahead), 95 % interval{arrow_note}")
        return _svg(figure, name, "Ratings with intervals")


def score_plot(scores: Sequence[Scores], name: str) -> str:
    """Plot the distribution of each agent's final scores, a row for each agent, with the median marked."""
    labels = [wrapped(score.entrant) for score in scores]
    highest = max(max(score.counts) / sum(score.counts) for score in scores)
    with _own_style():
        lines = max(label.count("\n") + 1 for label in labels)
        figure, axes = _figure(labels, max(0.6, 0.1 + _LINE_HEIGHT * lines) * len(scores), above=0.2)
        for row, score in enumerate(scores):
            heights = np.array(score.counts) / sum(score.counts) / highest * 0.85
            points = score.least + np.arange(len(heights) + 1) - 0.5
            axes.stairs(row - heights, points, baseline=row, fill=True, color=BLUE, alpha=0.75, linewidth=0)
            axes.plot([points[0], points[-1]], [row, row], color=_LINE, linewidth=0.8)
            median = score.quantiles[len(score.quantiles) // 2]
            axes.plot([median, median], [row, row - 0.85], color=ORANGE, linewidth=1.8)
        axes.set_ylim(len(scores) - 0.9, -0.95)
        axes.set_yticks([row - 0.3 for row in range(len(scores))], labels)
        axes.grid(axis="x", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.set_xlabel("points at the end of a game; the orange line is the median")
        return _svg(figure, name, "Distributions of scores")


def seat_plot(seats: Sequence[Seat], name: str) -> str:
    """Plot the win share of each seat with its interval, and the fair share."""
    estimates = [Estimate(*(100 * number for number in seat.share)) for seat in seats]
    fair = 100 / len(seats)
    ends = [number for estimate in estimates for number in estimate if np.isfinite(number)]
    half_width = max(3.0, *(abs(end - fair) for end in ends)) * 1.15
    labels = [f"seat {seat.seat}" for seat in seats]
    with _own_style():
        figure, axes = _figure(labels, 0.34 * len(seats))
        axes.axvline(fair, color=ORANGE, linewidth=1.4, linestyle=(0, (4, 3)))
        _bars(axes, estimates, fair - half_width, fair + half_width, BLUE)
        axes.set_xlim(fair - half_width, fair + half_width)
        axes.set_ylim(len(seats) - 0.5, -0.5)
        axes.set_yticks(range(len(seats)), labels)
        axes.grid(axis="x", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.set_xlabel("win share in per cent, 95 % interval; the dashed line is the fair share")
        return _svg(figure, name, "Win share by seat")
