"""Figures as inline SVG, without dates or references to other files; their colours follow those of the page."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from html import escape
from typing import Any

import matplotlib as mpl
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from dunaia_env.support.messages import visible

# Placeholder colours, which are replaced by the page's colours for texts and lines.
TEXT, LINE = "#010203", "#040506"
_REPLACED = {TEXT: "currentColor", LINE: "var(--line)"}
_STYLE: dict[Any, Any] = {
    "svg.hashsalt": "dunaia",
    "svg.fonttype": "none",
    "font.family": "DejaVu Sans",
    "font.size": 9.0,
    "text.parse_math": False,
    "text.color": TEXT,
    "axes.labelcolor": TEXT,
    "axes.edgecolor": LINE,
    "xtick.color": LINE,
    "ytick.color": LINE,
    "xtick.labelcolor": TEXT,
    "ytick.labelcolor": TEXT,
    "grid.color": LINE,
}
WIDTH = 7.2  # inches
CHARACTER_WIDTH = 0.078  # inches, of the widest usual letters at this size


@contextmanager
def own_style() -> Iterator[None]:
    """Matplotlib's settings for the plots, independent of the user's; restored afterwards."""
    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rcParams.update(_STYLE)
        yield


def figure_of_rows(
    labels: Sequence[str], height: float, below: float = 0.55, above: float = 0.1, right: float = 0.2
) -> tuple[Figure, Axes]:
    """A figure with one axes and room for labels to its left; heights and widths in inches."""
    longest = max((len(line) for label in labels for line in label.split("\n")), default=0)
    left = 0.25 + CHARACTER_WIDTH * longest
    figure = Figure(figsize=(WIDTH, height + below + above))
    whole = height + below + above
    axes = figure.add_axes((left / WIDTH, below / whole, 1 - (left + right) / WIDTH, height / whole))
    axes.spines[["top", "right", "left"]].set_visible(False)
    axes.tick_params(length=0)
    return figure, axes


def to_svg(figure: Figure, name: str, title: str, replaced: Mapping[str, str] = {}) -> str:
    """A figure as an SVG element.

    Args:
        figure: the figure, drawn in `own_style`.
        name: prefix of all its identifiers, unique on the page.
        title: description for readers who cannot see the figure.
        replaced: further placeholder colours, and the colours of the page, as CSS, that replace them.
    """
    text = io.StringIO()
    figure.savefig(text, format="svg", transparent=True)
    svg = text.getvalue()
    svg = svg[svg.index("<svg") :]
    svg = re.sub(r"<metadata>.*?</metadata>", "", svg, flags=re.DOTALL)
    svg = re.sub(r' xmlns(:xlink)?="[^"]*"', "", svg).replace("xlink:href", "href")
    svg = re.sub(r'\bid="', f'id="{name}-', svg)
    svg = re.sub(r'href="#', f'href="#{name}-', svg).replace("url(#", f"url(#{name}-")
    for colour, own in (_REPLACED | dict(replaced)).items():
        svg = svg.replace(colour, own)
    begin = f'<svg role="img" aria-label="{escape(title)}" '
    return visible(svg.replace("<svg ", begin, 1).strip())
