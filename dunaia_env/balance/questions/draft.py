"""The draft: which roles are chosen, in which seat, and what they win."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.lines import Line2D

from dunaia_env.balance import averages, wording
from dunaia_env.balance.games import Games
from dunaia_env.balance.plots import DARK, LEGEND, LIGHT, PAGE, draw_interval, draw_rows, place_legend, scaled
from dunaia_env.balance.study import Study
from dunaia_env.reports import drawing, parts
from dunaia_env.statistics.intervals import Estimate, round_portably


@dataclass(frozen=True)
class Pick:
    """How often a seat chooses a role in the draft.

    Attributes:
        role: number of the role.
        players: number of players.
        agent: the agent in all seats.
        seat: the seat; None for all seats together.
        offered: share of the choices in which the role was offered.
        picked: share of these choices in which the role was chosen.
        share: win share of the seats that chose the role.
    """

    role: int
    players: int
    agent: str
    seat: int | None
    offered: float
    picked: Estimate
    share: Estimate


def picks_of(games: Games, agent: str, roles: int) -> tuple[Pick, ...]:
    """How often each seat, and all seats together, choose each role in the games of a draft; empty without a draft."""
    offered = (games.offered[:, :, None] >> np.arange(roles, dtype=np.uint16)) & 1 == 1
    choosing = games.offered > 0
    if not choosing.any():
        return ()
    picked = averages.holding(games, roles) & offered
    won = np.broadcast_to(games.shares[:, :, None], picked.shape)
    count, found = len(games), []
    seats: Sequence[int | None] = (None, *range(games.seats))
    for seat in seats:
        part = slice(None) if seat is None else slice(seat, seat + 1)
        sums = [averages.sums_of_blocks(games, of[:, part].sum(axis=1)) for of in (offered, picked, won * picked)]
        rates = averages.ratios(sums[1], sums[0], shares=True)
        shares = averages.ratios(sums[2], sums[1], shares=True)
        choices = choosing[:, part].sum()
        for role in range(roles):
            rate = float(round_portably(sums[0][:, role].sum() / choices)) if choices else np.nan
            found.append(Pick(role, games.seats, agent, seat, rate, rates[role], shares[role]))
    return tuple(found) if count else ()


def pick_plot(picks: Sequence[Pick], labels: Sequence[str], players: int, name: str) -> str:
    """How often each role is chosen when it is offered, as bars, and its win share afterwards, as marks."""
    with drawing.own_style():
        figure, axes = drawing.figure_of_rows(labels, 0.38 * len(labels), above=LEGEND)
        rates = [100 * pick.picked.value if np.isfinite(pick.picked.value) else 0.0 for pick in picks]
        axes.barh(range(len(labels)), rates, 0.55, facecolor=LIGHT, edgecolor=DARK, hatch="////", linewidth=0.8)
        axes.axvline(100 / players, color=drawing.TEXT, linewidth=1, linestyle=(0, (4, 3)))
        for row, pick in enumerate(picks):
            if np.isfinite(pick.share.value):
                draw_interval(axes, scaled(pick.share), row, "D", True)
        ends = [100 * end for pick in picks for end in pick.share if np.isfinite(end)]
        draw_rows(axes, labels, 0, 1.05 * max([*rates, *ends, 1]))
        bar = Line2D([], [], linestyle="none", marker="s", markersize=8, color=DARK, markerfacecolor=LIGHT)
        mark = Line2D([], [], linestyle="none", marker="D", markersize=5, color=drawing.TEXT)
        place_legend(axes, [bar, mark], ["bar: chosen when offered", "mark: win share when chosen"])
        axes.set_xlabel("per cent; dashed: fair win share")
        return drawing.to_svg(figure, name, "Picks of the draft", PAGE)


def pick_section(study: Study, picks: Sequence[Pick]) -> parts.Section:
    """Which roles are chosen in the draft, in which seat, and what they win."""
    title, roles, strongest = "Picks in the draft", study.game.require("roles"), study.plan.strengths[-1]
    if not picks:
        return parts.Section(
            title, (f"No player chose {wording.with_article(roles.title)} in this study, so there are no pick rates.",)
        )
    labels, tables, pictures = wording.role_labels(roles), [], []
    for players in sorted({pick.players for pick in picks}):
        for agent in reversed(study.plan.strengths):
            own = [pick for pick in picks if pick.players == players and pick.agent == agent]
            whole = [pick for pick in own if pick.seat is None]
            if not whole:
                continue
            caption = f"{wording.players_words(players)}, {wording.label_of(agent)}"
            if agent == strongest:
                pictures.append((caption, pick_plot(whole, labels, players, f"picks-{players}")))
            by_seat = {(pick.role, pick.seat): pick for pick in own}
            rows = tuple(
                parts.table_row(
                    labels[pick.role],
                    wording.percent(pick.offered),
                    wording.share_cell(pick.picked),
                    *(wording.cell(by_seat[pick.role, seat].picked, scale=100, unit=" %") for seat in range(players)),
                    wording.share_cell(pick.share),
                )
                for pick in whole
            )
            columns = (
                *(roles.title, "offered", "chosen when offered"),
                *(f"chosen by seat {seat}" for seat in range(players)),
                "win share when chosen",
            )
            tables.append(parts.ReportTable(caption, columns, rows))
    text = (
        f"Chosen when offered: how often {wording.with_article(roles.title)} is taken when it is on offer. The win"
        " share when chosen depends not only on what it is worth, but also on the seat and the taste of those who"
        " choose it. The verdicts do not depend on these."
    )
    return parts.Section(title, (text,), tuple(tables), tuple(pictures), folded=True)
