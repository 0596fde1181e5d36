"""The plots that the pages show: drawn from stored results by what draws the plots of reports, as SVG documents."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from matplotlib.axes import Axes
from matplotlib.lines import Line2D

from docs import measured
from docs.measured import ALONE, BALANCE, FACTIONS
from dunaia_env.arena import plots as ratings_plots
from dunaia_env.arena.summary import Rating
from dunaia_env.balance import plots as balance_plots
from dunaia_env.balance.questions.verdicts import RoleVerdict, overview_plot
from dunaia_env.balance.wording import name_of_role, players_words
from dunaia_env.render import raster
from dunaia_env.reports import drawing
from dunaia_env.statistics.intervals import Estimate
from dunaia_env.support import typed_json

FOLDER = Path(__file__).parent
ENDGAMES = FOLDER / "endgames.json"
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


def verdicts(study: Path) -> str:
    """The effect of each role in a study of the shipped rules, by number of players; ``study`` is its report.json."""
    report = json.loads(study.read_text(encoding="utf-8"))
    found = [typed_json.build(RoleVerdict, verdict) for verdict in report["results"]["verdicts"]]
    return alone(overview_plot(found, report["plan"]["tolerance"], "verdicts"))


Key = TypeVar("Key")
SHARES_AXIS = "win share in per cent with 95 % intervals; dashed: fair share"
# The kinds of games of the study: what the plot calls them, their markers and colours.
SEATED = {
    "absent": ("without characters", "o", drawing.TEXT),
    "assigned": ("characters assigned", "s", ratings_plots.BLUE),
    "drafted": ("characters drafted", "^", balance_plots.STRONG),
}


def seats() -> str:
    """The win share of each seat in the study of the shipped rules when the strongest agent plays."""
    report = json.loads(BALANCE.read_text(encoding="utf-8"))
    strongest = report["plan"]["strengths"][-1]
    shares = {
        (one["players"], one["kind"]): [balance_plots.scaled(typed_json.build(Estimate, seat)) for seat in one["seats"]]
        for one in report["results"]["shares"]
        if one["agent"] == strongest
    }
    tables = sorted({players for players, _ in shares})
    labels = [f"seat {seat}" for seat in range(tables[-1])]
    found = {(players, kind): dict(zip(labels, row, strict=False)) for (players, kind), row in shares.items()}
    return _shares(found, SEATED, tables, labels, row=0.55, last=80, name="seats", title="Win share of each seat")


def files() -> str:
    """The effect of each character on component files in which undocumented values vary, beside the shipped file."""
    report = json.loads(BALANCE.read_text(encoding="utf-8"))
    found = [typed_json.build(RoleVerdict, verdict) for verdict in report["results"]["verdicts"]]
    shipped = {(one.players, one.role): balance_plots.scaled(one.strongest) for one in found}
    tables = {table["players"]: table["roles"] for table in report["robustness"]["tables"]}
    labels = [name_of_role(one["role"]) for one in next(iter(tables.values()))]
    farthest = [Estimate(role["mean"], role["least"], role["most"]) for roles in tables.values() for role in roles]
    with drawing.own_style():
        figure, panels = balance_plots.effect_panels(
            labels,
            sorted(tables),
            100 * report["plan"]["tolerance"],
            list(map(balance_plots.scaled, farthest)),
            row=0.42,
            above=2 * balance_plots.LEGEND,
        )
        for players, axes in panels.items():
            for row, role in enumerate(tables[players]):
                mean, spread, least, most = (100 * role[name] for name in ("mean", "spread", "least", "most"))
                ends = [mean - spread, mean + spread]
                axes.plot([least, most], [row, row], color=drawing.TEXT, linewidth=1)
                axes.plot(ends, [row, row], color=balance_plots.DARK, linewidth=7, solid_capstyle="butt")
                axes.plot([mean], [row], "D", color=drawing.TEXT, markersize=5)
                own = shipped[players, role["role"]].value
                axes.plot([own], [row - 0.3], "v", color=ratings_plots.BLUE, markersize=7)
        handles = [
            Line2D([], [], linestyle="none", marker="v", color=ratings_plots.BLUE, markersize=7),
            Line2D([], [], linestyle="none", marker="D", color=drawing.TEXT, markersize=5),
            Line2D([], [], color=balance_plots.DARK, linewidth=7),
            Line2D([], [], color=drawing.TEXT, linewidth=1),
        ]
        names = ("shipped file", "other files: mean", "± standard deviation", "smallest to largest")
        figure.legend(handles, names, loc="upper center", ncols=len(names), frameon=False, columnspacing=1.4)
        return alone(
            drawing.to_svg(figure, "files", "Effect of each character on other component files", balance_plots.PAGE)
        )


# What the plot of the factions calls the players of a study, with their markers and colours.
PLAYERS_OF_FACTIONS = {
    (FACTIONS, "champion"): ("champion, with alliances", "o", drawing.TEXT),
    (ALONE, "champion"): ("champion, without alliances", "s", ratings_plots.BLUE),
    (FACTIONS, "greedy"): ("greedy, with alliances", "^", balance_plots.STRONG),
}
TABLES_OF_FACTIONS = (3, 6)


def factions() -> str:
    """The win share of each faction of Dune with three and six players, by who plays."""
    shares: dict[tuple[int, tuple[Path, str]], dict[str, Estimate]] = {}
    for study, agent in PLAYERS_OF_FACTIONS:
        report = json.loads(study.read_text(encoding="utf-8"))
        for one in report["results"]["shares"]:
            if (one["kind"], one["agent"]) == ("assigned", agent) and one["players"] in TABLES_OF_FACTIONS:
                shares[one["players"], (study, agent)] = {
                    name_of_role(report["roles"][role["role"]]): balance_plots.scaled(
                        typed_json.build(Estimate, role["share"])
                    )
                    for role in one["roles"]
                }
    labels = list(next(iter(shares.values())))
    title = "Win share of each faction of Dune"
    return _shares(
        shares, PLAYERS_OF_FACTIONS, TABLES_OF_FACTIONS, labels, row=0.42, last=65, name="factions", title=title
    )


def _shares(
    shares: Mapping[tuple[int, Key], Mapping[str, Estimate]],
    series: Mapping[Key, tuple[str, str, str]],
    tables: Sequence[int],
    labels: Sequence[str],
    *,
    row: float,
    last: float,
    name: str,
    title: str,
) -> str:
    """Win shares in rows, with a plot for each number of players.

    Args:
        shares: for each number of players and key of ``series``, the shares in per cent by label.
        series: what the plot calls what is compared, its markers and colours.
        tables: the numbers of players.
        labels: labels of the rows.
        row: height of a row in inches.
        last: end of the axis, in per cent.
        name, title: those of the drawing.
    """
    with drawing.own_style():
        figure, whole = drawing.figure_of_rows(labels, row * len(labels), above=balance_plots.LEGEND)
        left, bottom, width, height = whole.get_position().bounds
        whole.set_axis_off()
        _legend(whole, series.values())
        figure.text(left + width / 2, 0.02, SHARES_AXIS, ha="center")
        step, below_titles = width / len(tables), 0.92 * height
        for place, players in enumerate(tables):
            axes = figure.add_axes((left + place * step, bottom, 0.92 * step, below_titles))
            axes.axvline(100 / players, color=drawing.TEXT, linewidth=1, linestyle=(0, (4, 3)))
            for number, (key, (_, marker, colour)) in enumerate(series.items()):
                for position, label in enumerate(labels):
                    if share := shares[players, key].get(label):
                        _interval(axes, share, position + 0.24 * (number - 1), marker, colour)
            balance_plots.draw_panel(axes, [""] * len(labels) if place else labels, 0, last, players_words(players))
        return alone(drawing.to_svg(figure, name, title, balance_plots.PAGE))


def _legend(axes: Axes, series: Iterable[tuple[str, str, str]]) -> None:
    """A legend above a plot, of names, markers and colours."""
    names, markers, colours = zip(*series, strict=True)
    handles = [
        Line2D([], [], linestyle="none", marker=marker, color=colour, markersize=6)
        for marker, colour in zip(markers, colours, strict=True)
    ]
    balance_plots.place_legend(axes, handles, names)


def _interval(axes: Axes, estimate: Estimate, row: float, marker: str, colour: str) -> None:
    value, low, high = estimate
    axes.plot([low, high], [row, row], color=colour, linewidth=2, solid_capstyle="butt")
    axes.plot([value], [row], marker, color=colour, markersize=6)


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
    FOLDER / "verdicts.png": partial(verdicts, BALANCE),
    FOLDER / "verdicts_on_factions.png": partial(verdicts, FACTIONS),
    FOLDER / "verdicts_without_alliances.png": partial(verdicts, ALONE),
    FOLDER / "seats.png": seats,
    FOLDER / "files.png": files,
    FOLDER / "factions.png": factions,
    FOLDER / "ratings.png": ratings,
    FOLDER / "regrets.png": regrets,
}
