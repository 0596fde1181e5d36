"""The plots of the report alone, drawn from stored results as SVG documents.

They are written by hand, so a drawing depends on the numbers alone and not on the version of a plotting library.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path

from docs.cards import matches
from dunaia_env.balance.wording import players_words
from dunaia_env.statistics.intervals import Estimate, round_portably
from dunaia_env.support import atomic

FOLDER = Path(__file__).parent / "report"
ROW, MARGIN, AXIS = 26, 12, 40  # heights in pixels: of a row, above the first row, and below the last one
INK, GREY, LIGHT = "#222222", "#888888", "#e4e4e4"
BLUE, ORANGE = "#0072b2", "#d55e00"


@dataclass(frozen=True)
class Interval:
    """A point with its interval; `fair` is the value of equal players, drawn as a tick."""

    label: str
    estimate: Estimate
    colour: str
    fair: float | None = None


@dataclass(frozen=True)
class Panel:
    """Rows over one axis from `first` to `last`, with a label at each of `ticks`."""

    title: str
    rows: Sequence[Interval]
    first: float
    last: float
    ticks: Sequence[float]


def strengths() -> str:
    """The champions of both games, alone against copies of greedy."""
    rows = [
        *(
            Interval(f"Dunaïa, {one.players} players", one.share, BLUE, one.fair)
            for one in matches("champion")
            if (one.player, one.opponent, one.options.get("elites")) == ("the network alone", "greedy", "with")
        ),
        *(
            Interval(f"Dune, {one.options['preset']}, {players_words(one.players)}", one.share, ORANGE, one.fair)
            for one in sorted(matches("dune_champion"), key=lambda one: one.players)
        ),
    ]
    panel = Panel("win share against greedy, %", rows, 0, 100, range(0, 101, 20))
    return _document(panel, "Win shares of both champions against greedy, with intervals and fair shares", 210)


DRAWN: dict[Path, Callable[[], str]] = {
    FOLDER / "strengths.svg": strengths,
}


def write(path: Path) -> None:
    """Write a drawing."""
    atomic.write_text(path, DRAWN[path]())


def is_out_of_date(path: Path) -> bool:
    """Whether the stored drawing is not the one of the stored results."""
    return not path.exists() or path.read_text(encoding="utf-8") != DRAWN[path]()


def _document(panel: Panel, title: str, labels: int, width: int = 760) -> str:
    """A panel with room of `labels` pixels for the labels left of it."""
    gap = 24
    height = MARGIN + ROW * len(panel.rows) + AXIS
    parts = [_text(labels - 10, _middle(row), one.label, "end") for row, one in enumerate(panel.rows)]
    parts += _drawn(panel, labels + gap / 2, width - labels - 2 * gap)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" height="{height}"'
    style = 'font-family="DejaVu Sans, Verdana, sans-serif" font-size="13"'
    body = "\n".join(parts)
    return (
        f'{head} role="img" {style}>\n<title>{escape(title)}</title>\n'
        f'<rect width="{width}" height="{height}" fill="#ffffff"/>\n{body}\n</svg>\n'
    )


def _middle(row: int) -> float:
    return MARGIN + ROW * (row + 0.5)


def _drawn(panel: Panel, left: float, width: float) -> Iterable[str]:
    """The elements of a panel."""
    bottom = MARGIN + ROW * len(panel.rows)

    def place(value: float) -> float:
        return left + width * (value - panel.first) / (panel.last - panel.first)

    for tick in panel.ticks:
        yield _line(place(tick), MARGIN, place(tick), bottom, LIGHT if tick else GREY, 1)
        yield _text(place(tick), bottom + 12, f"{tick:g}", "middle", GREY)
    yield _text(left + width / 2, bottom + 30, panel.title, "middle")
    for row, one in enumerate(panel.rows):
        middle, (value, low, high) = _middle(row), (place(100 * end) for end in one.estimate)
        if one.fair is not None:
            yield _line(place(100 * one.fair), middle - 9, place(100 * one.fair), middle + 9, INK, 2)
        yield _line(low, middle, high, middle, one.colour, 3)
        yield f'<circle cx="{_number(value)}" cy="{_number(middle)}" r="4.5" fill="{one.colour}"/>'


def _line(x: float, y: float, to_x: float, to_y: float, colour: str, width: int) -> str:
    ends = f'x1="{_number(x)}" y1="{_number(y)}" x2="{_number(to_x)}" y2="{_number(to_y)}"'
    return f'<line {ends} stroke="{colour}" stroke-width="{width}"/>'


def _text(x: float, y: float, words: str, anchor: str, colour: str = INK) -> str:
    place = f'x="{_number(x)}" y="{_number(y)}" text-anchor="{anchor}" dominant-baseline="central"'
    return f'<text {place} fill="{colour}">{escape(words)}</text>'


def _number(value: float) -> str:
    return f"{float(round_portably(value, 2)):g}"
