"""The plots that the pages show: drawn from stored results by what draws the plots of reports, as SVG documents."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from pathlib import Path

from docs import measured
from dunaia_env.arena import plots as ratings_plots
from dunaia_env.arena.summary import Rating
from dunaia_env.balance.questions.verdicts import RoleVerdict, overview_plot
from dunaia_env.render import raster
from dunaia_env.reports import drawing
from dunaia_env.statistics.intervals import Estimate
from dunaia_env.support import typed_json

FOLDER = Path(__file__).parent
BALANCE, ENDGAMES = FOLDER / "balance" / "report.json", FOLDER / "endgames.json"
# Colours of a white page for those that plots take from the page around them.
COLOURS = {
    "currentColor": "#1f2328",
    "var(--line)": "#c4cad1",
    "var(--fill)": "#dfe3e8",
    "var(--dark)": "#8c959f",
    "var(--back)": "#ffffff",
    "rgb(var(--bad))": "#b3442f",
    "rgb(var(--good))": "#2a6fa8",
}


def alone(svg: str) -> str:
    """A plot of a report as a document of its own, on white."""
    for colour, own in COLOURS.items():
        svg = svg.replace(colour, own)
    begin, end = re.match(r"<svg [^>]*>", svg).span()  # type: ignore[union-attr]
    head = svg[begin:end].replace("<svg ", '<svg xmlns="http://www.w3.org/2000/svg" ').replace('pt"', '"')
    body = svg[end:].replace("'DejaVu Sans'", raster.FONT)
    return f'{head}<rect width="100%" height="100%" fill="#ffffff"/>{body}'


def verdicts() -> str:
    """The effect of each character in the study of the shipped rules, by number of players."""
    report = json.loads(BALANCE.read_text(encoding="utf-8"))
    found = [typed_json.build(RoleVerdict, verdict) for verdict in report["results"]["verdicts"]]
    return alone(overview_plot(found, report["plan"]["tolerance"], "verdicts"))


def ratings() -> str:
    """The ratings of the agents of Dunaïa on the leaderboard."""
    rows = measured.LEADERBOARD.read_text(encoding="utf-8").partition(f"## {measured.RATED_TABLE}\n")[2]
    found = re.findall(
        r"^\| \d+ \| (\S+) \| [^|]* \| ([−\d]+) \(([−\d]+) to ([−\d]+)\) \|",
        rows.partition("### Match-ups")[0],
        re.MULTILINE,
    )
    estimates = [
        (label, Estimate(*(float(number.replace("−", "-")) for number in numbers))) for label, *numbers in found
    ]
    return alone(ratings_plots.rating_plot([Rating(2, label, one, 0) for label, one in estimates], "ratings"))


def regrets() -> str:
    """What each agent loses of the win in the endgames with exact values."""
    rows = json.loads(ENDGAMES.read_text(encoding="utf-8"))["rows"]
    labels = [row["agent"] for row in rows]
    with drawing.own_style():
        figure, axes = drawing.figure_of_rows(labels, 0.32 * len(rows))
        for number, row in enumerate(rows):
            low, value, high = (100 * row["regret"][name] for name in ("low", "value", "high"))
            axes.plot([low, high], [number, number], color=ratings_plots.BLUE, linewidth=2.2, solid_capstyle="butt")
            axes.plot([value], [number], "o", color=ratings_plots.BLUE, markersize=6.5)
        axes.set_xlim(0, None)
        axes.set_ylim(len(rows) - 0.5, -0.5)
        axes.set_yticks(range(len(rows)), labels)
        axes.grid(axis="x", linewidth=0.6)
        axes.set_xlabel("regret: share of the win that a decision loses, in per cent, with 95 % intervals")
        return alone(drawing.to_svg(figure, "regrets", "Regret of each agent in the endgames"))


PLOTS: dict[Path, Callable[[], str]] = {
    FOLDER / "verdicts.png": verdicts,
    FOLDER / "ratings.png": ratings,
    FOLDER / "regrets.png": regrets,
}
