"""Plots of a report as inline SVG, without dates or references to other files; their colours follow the page's."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes

from dunaia_env.arena.summary import Rating, Scores, Seat
from dunaia_env.reports.drawing import LINE, figure_of_rows, own_style, to_svg
from dunaia_env.statistics.intervals import Estimate

# Close to Okabe and Ito's blue and orange, which colour-blind people can tell apart; readable on white and on black.
BLUE, ORANGE = "#2a85c7", "#d9822b"
LABEL_WIDTH = 28  # characters of an agent's label in a line
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
    low = max(low, min([*values, *(estimate.low for estimate in estimates if np.isfinite(estimate.low))]) - 10)
    high = min(high, max([*values, *(estimate.high for estimate in estimates if np.isfinite(estimate.high))]) + 10)
    labels = [wrapped(rating.entrant) for rating in ratings]
    with own_style():
        lines = max(label.count("\n") + 1 for label in labels)
        figure, axes = figure_of_rows(labels, max(_ROW, 0.1 + _LINE_HEIGHT * lines) * len(ratings))
        _bars(axes, estimates, low, high, BLUE)
        span = high - low
        axes.set_xlim(low - 0.03 * span, high + 0.03 * span)
        axes.set_ylim(len(ratings) - 0.5, -0.5)
        axes.set_yticks(range(len(ratings)), labels)
        axes.grid(axis="x", linewidth=0.6)
        axes.set_axisbelow(True)
        cut = any(estimate.low < low or estimate.high > high for estimate in estimates)
        arrow_note = "; an arrow: the interval continues" if cut else ""
        axes.set_xlabel(f"rating (400 points: ten times as often ahead), 95 % interval{arrow_note}")
        return to_svg(figure, name, "Ratings with intervals")


def score_plot(scores: Sequence[Scores], name: str) -> str:
    """Plot the distribution of each agent's final scores, a row for each agent, with the median marked."""
    labels = [wrapped(score.entrant) for score in scores]
    highest = max(max(score.counts) / sum(score.counts) for score in scores)
    with own_style():
        lines = max(label.count("\n") + 1 for label in labels)
        figure, axes = figure_of_rows(labels, max(0.6, 0.1 + _LINE_HEIGHT * lines) * len(scores), above=0.2)
        for row, score in enumerate(scores):
            heights = np.array(score.counts) / sum(score.counts) / highest * 0.85
            points = score.least + np.arange(len(heights) + 1) - 0.5
            axes.stairs(row - heights, points, baseline=row, fill=True, color=BLUE, alpha=0.75, linewidth=0)
            axes.plot([points[0], points[-1]], [row, row], color=LINE, linewidth=0.8)
            median = score.quantiles[len(score.quantiles) // 2]
            axes.plot([median, median], [row, row - 0.85], color=ORANGE, linewidth=1.8)
        axes.set_ylim(len(scores) - 0.9, -0.95)
        axes.set_yticks([row - 0.3 for row in range(len(scores))], labels)
        axes.grid(axis="x", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.set_xlabel("points at the end of a game; the orange line is the median")
        return to_svg(figure, name, "Distributions of scores")


def seat_plot(seats: Sequence[Seat], name: str) -> str:
    """Plot the win share of each seat with its interval, and the fair share."""
    estimates = [Estimate(*(100 * number for number in seat.share)) for seat in seats]
    fair = 100 / len(seats)
    ends = [number for estimate in estimates for number in estimate if np.isfinite(number)]
    half_width = max(3.0, *(abs(end - fair) for end in ends)) * 1.15
    labels = [f"seat {seat.seat}" for seat in seats]
    with own_style():
        figure, axes = figure_of_rows(labels, 0.34 * len(seats))
        axes.axvline(fair, color=ORANGE, linewidth=1.4, linestyle=(0, (4, 3)))
        _bars(axes, estimates, fair - half_width, fair + half_width, BLUE)
        axes.set_xlim(fair - half_width, fair + half_width)
        axes.set_ylim(len(seats) - 0.5, -0.5)
        axes.set_yticks(range(len(seats)), labels)
        axes.grid(axis="x", linewidth=0.6)
        axes.set_axisbelow(True)
        axes.set_xlabel("win share in per cent, 95 % interval; the dashed line is the fair share")
        return to_svg(figure, name, "Win share by seat")
