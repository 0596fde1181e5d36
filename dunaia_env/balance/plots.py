"""The plots of a balance report. Shapes, hatches and labels say all that colours say, for readers in black and white.

All plots are inline SVG elements, see `dunaia_env.arena.drawing`. The argument ``name`` is the prefix of an element's
identifiers and has to be unique on the page. Shares are drawn in per cent, effects in percentage points.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from dunaia_env.arena.drawing import CHARACTER_WIDTH, LINE, TEXT, figure_of_rows, own_style, to_svg
from dunaia_env.arena.intervals import Estimate
from dunaia_env.balance.averages import Spread
from dunaia_env.balance.measures import Pick, Power, Shares
from dunaia_env.balance.shapes import Shape
from dunaia_env.balance.verdicts import RoleVerdict, Status

MARKERS = ("o", "s", "^", "D", "v", "P", "X", "p")
_DASHES: tuple[Any, ...] = ("-", (0, (5, 2)), (0, (1.5, 1.5)), (0, (6, 2, 1.5, 2)), (0, (3, 1)), (0, (8, 3)))
# Placeholders that are replaced by colours of the page: a light and a darker grey for areas, and the background.
_LIGHT, _DARK, _PAPER = "#070809", "#0a0b0c", "#0d0e0f"
_PAGE = {_LIGHT: "var(--fill)", _DARK: "var(--dark)", _PAPER: "var(--back)"}
_ROW = 0.3
_LEGEND = 0.34  # inches above a plot


def verdict_plot(verdicts: Sequence[RoleVerdict], tolerance: float, name: str) -> str:
    """The effects of the roles at one number of players, a row for each role and strength, and the tolerance."""
    strengths = list(verdicts[0].estimates)
    effects = [[_scaled(one.estimates[strength]) for strength in strengths] for one in verdicts]
    half = 1.12 * max(2 * 100 * tolerance, *_ends([one for row in effects for one in row]))
    labels = [one.role for one in verdicts]
    step = 0.8 / max(3, len(strengths))
    with own_style():
        figure, axes = figure_of_rows(labels, (0.2 + 0.13 * max(3, len(strengths))) * len(labels), above=_LEGEND)
        bound = 100 * tolerance
        axes.axvspan(-bound, bound, facecolor=_LIGHT, linewidth=0)
        for edge in (-bound, bound):
            axes.axvline(edge, color=LINE, linewidth=1)
        axes.axvline(0, color=TEXT, linewidth=1, linestyle=(0, (4, 3)))
        for row, (verdict, estimates) in enumerate(zip(verdicts, effects, strict=True)):
            for place, (strength, estimate) in enumerate(zip(strengths, estimates, strict=True)):
                height = row + (place - (len(strengths) - 1) / 2) * step
                _interval(axes, estimate, height, MARKERS[place % len(MARKERS)], _is_out(verdict.statuses[strength]))
            if row:
                axes.axhline(row - 0.5, color=LINE, linewidth=0.6)
        _rows(axes, labels, -half, half)
        _legend(axes, strengths)
        axes.set_xlabel("effect: win share minus fair share, percentage points (band: tolerance; filled: outside it)")
        return to_svg(figure, name, "Effect of each role with simultaneous intervals", _PAGE)


def seats_of_roles_plot(shares: Shares, labels: Sequence[str], name: str) -> str:
    """Win share of each role in each seat, whose number is in a circle; dotted lines are the seats' means."""
    ends = [100 * number for role in shares.roles for one in role.by_seat for number in one if np.isfinite(number)]
    low, high = max(0.0, min(ends, default=0) - 3), min(100.0, max(ends, default=100) + 3)
    step = min(0.3, 0.72 / shares.players)
    with own_style():
        figure, axes = figure_of_rows(labels, (0.16 + 0.19 * shares.players) * len(labels), above=0.3)
        for seat, share in enumerate(shares.seats):
            axes.axvline(100 * share.value, color=TEXT, linewidth=0.9, linestyle=(0, (1, 2)))
            axes.annotate(
                f"seat {seat}", (100 * share.value, 1), (0, 3), xycoords=("data", "axes fraction"),
                textcoords="offset points", ha="center", va="bottom", fontsize=7.5,
            )  # fmt: skip
        for row, role in enumerate(shares.roles):
            for seat, share in enumerate(role.by_seat):
                if np.isfinite(share.value):
                    _digit(axes, _scaled(share), row + (seat - (shares.players - 1) / 2) * step, str(seat))
            if row:
                axes.axhline(row - 0.5, color=LINE, linewidth=0.6)
        _rows(axes, labels, low, high)
        axes.set_xlabel("win share in per cent with 95 % intervals; dotted: mean of the seat over all roles")
        return to_svg(figure, name, "Win share of each role in each seat", _PAGE)


def margin_plot(margins: Sequence[Spread], labels: Sequence[str], name: str) -> str:
    """The distribution of each role's score margin, with quantiles as a box and the mean as a diamond."""
    shown = [(label, one) for label, one in zip(labels, margins, strict=True) if one.counts]
    if not shown:
        return ""
    highest = max(max(one.counts) / sum(one.counts) for _, one in shown)
    with own_style():
        figure, axes = figure_of_rows(labels, 0.6 * len(shown), above=0.1)
        for row, (_, one) in enumerate(shown):
            heights = np.array(one.counts) / sum(one.counts) / highest * 0.62
            edges = one.least + one.width * np.arange(len(heights) + 1)
            axes.stairs(row - 0.08 - heights, edges, baseline=row - 0.08, fill=True, facecolor=_LIGHT, linewidth=0)
            axes.stairs(row - 0.08 - heights, edges, baseline=row - 0.08, color=_DARK, linewidth=0.7)
            _box(axes, one, row + 0.08)
        axes.axvline(0, color=TEXT, linewidth=1, linestyle=(0, (4, 3)))
        lowest, most = (pick(one.quantiles[end] for _, one in shown) for pick, end in ((min, 0), (max, -1)))
        space = 0.25 * (most - lowest) or 1
        axes.set_xlim(lowest - space, most + space)
        axes.set_ylim(len(shown) - 0.75, -0.85)
        axes.set_yticks(range(len(shown)), [label for label, _ in shown])
        axes.grid(axis="x", linewidth=0.5)
        axes.set_axisbelow(True)
        axes.set_xlabel("score minus the others' mean; box: middle half with median; line: 5 to 95 %; diamond: mean")
        return to_svg(figure, name, "Distribution of each role's score margin", _PAGE)


def control_plot(conditions: Sequence[tuple[str, Sequence[Estimate]]], name: str) -> str:
    """The win share of each seat under several conditions."""
    labels = [f"seat {seat}" for seat in range(len(conditions[0][1]))]
    shares = [[_scaled(one) for one in seats] for _, seats in conditions]
    ends = [number for seats in shares for one in seats for number in one if np.isfinite(number)]
    fair = 100 / len(labels)
    step = 0.72 / max(2, len(conditions))
    with own_style():
        figure, axes = figure_of_rows(labels, (0.18 + 0.14 * len(conditions)) * len(labels), above=_LEGEND)
        axes.axvline(fair, color=TEXT, linewidth=1, linestyle=(0, (4, 3)))
        for seat in range(len(labels)):
            for place, seats in enumerate(shares):
                _interval(
                    axes, seats[seat], seat + (place - (len(conditions) - 1) / 2) * step, MARKERS[place % 8], True
                )
            if seat:
                axes.axhline(seat - 0.5, color=LINE, linewidth=0.6)
        _rows(axes, labels, max(0, min([*ends, fair]) - 3), min(100, max([*ends, fair]) + 3))
        _legend(axes, [label for label, _ in conditions], filled=True)
        axes.set_xlabel("win share in per cent with 95 % intervals; dashed: fair share")
        return to_svg(figure, name, "Win share of each seat", _PAGE)


def power_plot(powers: Sequence[Power], labels: Sequence[str], name: str) -> str:
    """What each role's power is worth in win share, beside how often it is used."""
    worth = [_scaled(one.share) for one in powers]
    ends = _ends(worth)
    notes = [f"{one.uses.value:.1f} uses per game" for one in powers]
    right = 0.3 + CHARACTER_WIDTH * max(map(len, notes))
    with own_style():
        figure, axes = figure_of_rows(labels, _ROW * len(labels), right=right)
        axes.axvline(0, color=TEXT, linewidth=1, linestyle=(0, (4, 3)))
        for row, (power, estimate, note) in enumerate(zip(powers, worth, notes, strict=True)):
            if np.isfinite(estimate.value):
                _interval(axes, estimate, row, "o", power.pays in ("pays", "trap"))
            axes.annotate(note, (1.01, row), xycoords=("axes fraction", "data"), va="center", annotation_clip=False)
        half = 1.1 * max(1.0, *ends)
        _rows(axes, labels, -half if min(-1.0, *(one.low for one in worth)) < -1 else -0.2 * half, half)
        axes.set_xlabel("win share with the power minus without it, points; filled: the interval excludes 0")
        return to_svg(figure, name, "What each power is worth", _PAGE)


def strength_plot(values: Sequence[Sequence[float]], agents: Sequence[str], labels: Sequence[str], name: str) -> str:
    """The effect of each role, in win shares, against the strength of the players; a line for each role."""
    points = 100 * np.asarray(values, np.float64)
    with own_style():
        figure, axes = figure_of_rows(["+10"], 2.9, right=0.25 + CHARACTER_WIDTH * max(map(len, labels)))
        axes.axhline(0, color=TEXT, linewidth=1, linestyle=(0, (4, 3)))
        places = np.arange(len(agents))
        for number, line in enumerate(points):
            axes.plot(
                places, line, color=TEXT, linewidth=1.1, linestyle=_DASHES[number % len(_DASHES)],
                marker=MARKERS[number % len(MARKERS)], markersize=5, markerfacecolor=_PAPER,
            )  # fmt: skip
        low, high = axes.get_ylim()
        heights = _apart(points[:, -1], 0.065 * (high - low))
        for label, height, value in zip(labels, heights, points[:, -1], strict=True):
            axes.plot([places[-1] + 0.03, places[-1] + 0.1], [value, height], color=LINE, linewidth=0.7, clip_on=False)
            axes.annotate(label, (places[-1] + 0.12, height), va="center", annotation_clip=False)
        axes.set_ylim(low, high)
        axes.set_xlim(-0.15, len(agents) - 1 + 0.05)
        axes.set_xticks(places, list(agents))
        axes.grid(axis="y", linewidth=0.5)
        axes.set_axisbelow(True)
        axes.set_ylabel("effect, percentage points")
        return to_svg(figure, name, "Effect of each role by strength of the players", _PAGE)


def length_plot(shapes: Sequence[tuple[str, Shape]], name: str) -> str:
    """The distribution of the rounds of a game, a row for each condition, with the median marked."""
    labels = [label for label, _ in shapes]
    highest = max(max(shape.length.counts) / shape.games for _, shape in shapes)
    with own_style():
        figure, axes = figure_of_rows(labels, 0.62 * len(labels), above=0.15)
        for row, (_, shape) in enumerate(shapes):
            heights = np.array(shape.length.counts) / shape.games / highest * 0.78
            edges = shape.length.least + np.arange(len(heights) + 1) - 0.5
            axes.stairs(row - heights, edges, baseline=row, fill=True, facecolor=_LIGHT, linewidth=0)
            axes.stairs(row - heights, edges, baseline=row, color=_DARK, linewidth=0.8)
            median = shape.length.quantiles[2]
            axes.plot([median, median], [row, row - 0.85], color=TEXT, linewidth=1.4)
            axes.annotate(
                f"{median:g}", (median, row - 0.86), (3, -2), textcoords="offset points", va="top", fontsize=8
            )
        axes.set_ylim(len(labels) - 0.9, -0.95)
        axes.set_yticks([row - 0.3 for row in range(len(labels))], labels)
        axes.grid(axis="x", linewidth=0.5)
        axes.set_axisbelow(True)
        axes.set_xlabel("rounds per game; the line marks the median")
        return to_svg(figure, name, "Distribution of the length of a game", _PAGE)


def decided_plot(shapes: Sequence[tuple[str, Shape]], name: str) -> str:
    """The chance that the leader after each round wins, a line for each condition."""
    with own_style():
        figure, axes = figure_of_rows(["100 %"], 2.7)
        last = max(len(shape.leader_wins) for _, shape in shapes) - 1
        for number, (label, shape) in enumerate(shapes):
            axes.plot(
                np.arange(len(shape.leader_wins)), 100 * np.array(shape.leader_wins), color=TEXT, linewidth=1.3,
                marker=MARKERS[number % len(MARKERS)], linestyle=_DASHES[number % len(_DASHES)], label=label,
                markevery=(number, 4), markersize=5, markerfacecolor=_PAPER,
            )  # fmt: skip
        axes.legend(loc="lower right", frameon=False, handlelength=3.5)
        axes.set_xlim(0, last)
        lowest = min(min(shape.leader_wins) for _, shape in shapes)
        axes.set_ylim(10 * np.floor(10 * lowest), 101)
        axes.grid(linewidth=0.5)
        axes.set_axisbelow(True)
        axes.set_xlabel("rounds played")
        axes.set_ylabel("chance that the leader wins, %")
        return to_svg(figure, name, "How early games are decided", _PAGE)


def pick_plot(picks: Sequence[Pick], labels: Sequence[str], players: int, name: str) -> str:
    """How often each role is chosen when it is offered, as bars, and its win share afterwards, as marks."""
    with own_style():
        figure, axes = figure_of_rows(labels, 0.38 * len(labels), above=_LEGEND)
        rates = [100 * pick.picked.value if np.isfinite(pick.picked.value) else 0.0 for pick in picks]
        axes.barh(range(len(labels)), rates, 0.55, facecolor=_LIGHT, edgecolor=_DARK, hatch="////", linewidth=0.8)
        axes.axvline(100 / players, color=TEXT, linewidth=1, linestyle=(0, (4, 3)))
        for row, pick in enumerate(picks):
            if np.isfinite(pick.share.value):
                _interval(axes, _scaled(pick.share), row, "D", True)
        ends = [100 * one for pick in picks for one in pick.share if np.isfinite(one)]
        _rows(axes, labels, 0, 1.05 * max([*rates, *ends, 1]))
        bar = Line2D([], [], linestyle="none", marker="s", markersize=8, color=_DARK, markerfacecolor=_LIGHT)
        mark = Line2D([], [], linestyle="none", marker="D", markersize=5, color=TEXT)
        _place_legend(axes, [bar, mark], ["bar: chosen when offered", "mark: win share when chosen"])
        axes.set_xlabel("per cent; dashed: fair win share")
        return to_svg(figure, name, "Picks of the draft", _PAGE)


def _scaled(estimate: Estimate) -> Estimate:
    return Estimate(*(100 * number for number in estimate))


def _ends(estimates: Sequence[Estimate]) -> list[float]:
    """The absolute values of all finite numbers of estimates."""
    return [0.0, 0.0, *(abs(number) for one in estimates for number in one if np.isfinite(number))]


def _is_out(status: Status) -> bool:
    return status in ("over", "under")


def _interval(axes: Axes, estimate: Estimate, row: float, marker: str, filled: bool) -> None:
    if np.isfinite(estimate.low):
        axes.plot(estimate[1:], (row, row), color=TEXT, linewidth=1.3, solid_capstyle="butt")
    face = TEXT if filled else _PAPER
    axes.plot([estimate.value], [row], marker, color=TEXT, markersize=5, markerfacecolor=face, markeredgewidth=1.1)


def _digit(axes: Axes, estimate: Estimate, row: float, digit: str) -> None:
    if np.isfinite(estimate.low):
        axes.plot(estimate[1:], (row, row), color=TEXT, linewidth=1.1, solid_capstyle="butt")
    axes.plot([estimate.value], [row], "o", color=TEXT, markersize=9.5, markerfacecolor=_PAPER, markeredgewidth=0.9)
    axes.annotate(digit, (estimate.value, row), ha="center", va="center_baseline", fontsize=7)


def _box(axes: Axes, one: Spread, row: float) -> None:
    low, first, median, third, high = one.quantiles
    axes.plot([low, high], [row, row], color=TEXT, linewidth=0.9)
    axes.plot([first, third], [row, row], color=_DARK, linewidth=7, solid_capstyle="butt")
    axes.plot([median, median], [row - 0.09, row + 0.09], color=TEXT, linewidth=1.8)
    axes.plot([one.mean.value], [row], "D", color=TEXT, markersize=4.5, markerfacecolor=_PAPER, markeredgewidth=1)


def _rows(axes: Axes, labels: Sequence[str], low: float, high: float) -> None:
    axes.set_xlim(low, high)
    axes.set_ylim(len(labels) - 0.5, -0.5)
    axes.set_yticks(range(len(labels)), labels)
    axes.grid(axis="x", linewidth=0.5)
    axes.set_axisbelow(True)


def _legend(axes: Axes, labels: Sequence[str], *, filled: bool = False) -> None:
    """A legend in one line above the plot: the marker of each label."""
    handles = [
        Line2D(
            [], [], linestyle="none", marker=MARKERS[place % len(MARKERS)], color=TEXT, markersize=5,
            markerfacecolor=TEXT if filled else _PAPER,
        )
        for place in range(len(labels))
    ]  # fmt: skip
    _place_legend(axes, handles, labels)


def _place_legend(axes: Axes, handles: Sequence[Line2D], labels: Sequence[str]) -> None:
    axes.legend(
        handles, labels, loc="lower left", bbox_to_anchor=(0, 1), ncols=len(labels), frameon=False, borderpad=0.1,
        handletextpad=0.3, columnspacing=1.4, handlelength=1.2,
    )  # fmt: skip


def _apart(values: np.ndarray[Any, Any], least: float) -> list[float]:
    """Heights near the values and in their order, with gaps of at least ``least``."""
    order = np.argsort(values, kind="stable")
    heights = values[order].astype(float)
    for _ in range(200):
        gaps = least - np.diff(heights)
        if (gaps <= 1e-6).all():
            break
        for place in np.flatnonzero(gaps > 1e-6):
            shift = max(0.0, float(least - (heights[place + 1] - heights[place]))) / 2
            heights[place] -= shift
            heights[place + 1] += shift
    result = np.empty_like(heights)
    result[order] = heights
    return [float(one) for one in result]
