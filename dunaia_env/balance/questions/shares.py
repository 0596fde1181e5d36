"""What roles and seats win: win shares by role and seat, score margins, and the seats with and without roles.

Every number is a mean over games with an interval of its own, computed over blocks, see
`dunaia_env.balance.averages`. The simultaneous intervals, on which verdicts are based, are in
`dunaia_env.balance.questions.verdicts`.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes

from dunaia_env.balance import design, plots
from dunaia_env.balance.averages import Spread, holding, means, spread
from dunaia_env.balance.games import Games
from dunaia_env.balance.study import Study
from dunaia_env.balance.wording import (
    NOT_PLAYED,
    cell,
    kind_words,
    label_of,
    number,
    percent,
    players_words,
    role_labels,
    share_cell,
    with_article,
)
from dunaia_env.reports.drawing import LINE, TEXT, figure_of_rows, own_style, to_svg
from dunaia_env.reports.parts import ReportTable, Section, table_row
from dunaia_env.statistics.intervals import Estimate
from dunaia_env.support.english import listed

# Width of a bin of score margins, which are not whole points at tables of three or more.
MARGIN_BIN = 2


@dataclass(frozen=True)
class RoleShare:
    """The results of a role at one number of players.

    Attributes:
        role: number of the role.
        games: number of games in which somebody held it.
        share: its win share.
        by_seat: its win share in each seat.
        margin: its score minus the mean of the other seats' scores.
    """

    role: int
    games: int
    share: Estimate
    by_seat: tuple[Estimate, ...]
    margin: Spread


@dataclass(frozen=True)
class Shares:
    """Win shares of the seats and the roles in one condition.

    Attributes:
        kind: the condition's kind.
        players: number of players.
        agent: the agent in all seats.
        blocks: number of blocks.
        games: number of games.
        seats: win share of each seat.
        roles: the results of each role; empty if roles are absent.
    """

    kind: design.Kind
    players: int
    agent: str
    blocks: int
    games: int
    seats: tuple[Estimate, ...]
    roles: tuple[RoleShare, ...]


def shares_of(games: Games, kind: design.Kind, players: int, agent: str, roles: int) -> Shares:
    """Win shares of seats and roles in the games of a condition, in a game with ``roles`` roles."""
    blocks = len(np.unique(games.block))
    held = holding(games, roles)
    won = np.broadcast_to(games.shares[:, :, None], held.shape)
    count = len(games)
    seats = means(games, games.shares, shares=True)
    if not held.any():
        return Shares(kind, players, agent, blocks, count, tuple(seats), ())
    by_seat = means(games, won.reshape(count, -1), held.reshape(count, -1), shares=True)
    # A role is held at most once in a game, so the sum over seats is the value of its holder.
    is_held = np.asarray(held.any(axis=1))
    share = means(games, (won * held).sum(axis=1), is_held, shares=True)
    margins = (games.margins[:, :, None] * held).sum(axis=1)
    margin = means(games, margins, is_held)
    found = tuple(
        RoleShare(
            role,
            int(is_held[:, role].sum()),
            share[role],
            tuple(by_seat[role::roles]),
            spread(margins[is_held[:, role], role], margin[role], MARGIN_BIN),
        )
        for role in range(roles)
    )
    return Shares(kind, players, agent, blocks, count, tuple(seats), found)


def seats_of_roles_plot(shares: Shares, labels: Sequence[str], name: str) -> str:
    """Win share of each role in each seat, whose number is in a circle; dotted lines are the seats' means."""
    ends = [
        100 * number for role in shares.roles for estimate in role.by_seat for number in estimate if np.isfinite(number)
    ]
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
                    _digit(axes, plots.scaled(share), row + (seat - (shares.players - 1) / 2) * step, str(seat))
            if row:
                axes.axhline(row - 0.5, color=LINE, linewidth=0.6)
        plots.draw_rows(axes, labels, low, high)
        axes.set_xlabel("win share in per cent with 95 % intervals; dotted: mean of the seat over all roles")
        return to_svg(figure, name, "Win share of each role in each seat", plots.PAGE)


def _digit(axes: Axes, estimate: Estimate, row: float, digit: str) -> None:
    if np.isfinite(estimate.low):
        axes.plot(estimate[1:], (row, row), color=TEXT, linewidth=1.1, solid_capstyle="butt")
    axes.plot(
        [estimate.value], [row], "o", color=TEXT, markersize=9.5, markerfacecolor=plots.PAPER, markeredgewidth=0.9
    )
    axes.annotate(digit, (estimate.value, row), ha="center", va="center_baseline", fontsize=7)


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
            axes.stairs(row - 0.08 - heights, edges, baseline=row - 0.08, fill=True, facecolor=plots.LIGHT, linewidth=0)
            axes.stairs(row - 0.08 - heights, edges, baseline=row - 0.08, color=plots.DARK, linewidth=0.7)
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
        return to_svg(figure, name, "Distribution of each role's score margin", plots.PAGE)


def _box(axes: Axes, one: Spread, row: float) -> None:
    low, first, median, third, high = one.quantiles
    axes.plot([low, high], [row, row], color=TEXT, linewidth=0.9)
    axes.plot([first, third], [row, row], color=plots.DARK, linewidth=7, solid_capstyle="butt")
    axes.plot([median, median], [row - 0.09, row + 0.09], color=TEXT, linewidth=1.8)
    axes.plot([one.mean.value], [row], "D", color=TEXT, markersize=4.5, markerfacecolor=plots.PAPER, markeredgewidth=1)


def control_plot(conditions: Sequence[tuple[str, Sequence[Estimate]]], name: str) -> str:
    """The win share of each seat under several conditions."""
    labels = [f"seat {seat}" for seat in range(len(conditions[0][1]))]
    shares = [[plots.scaled(share) for share in seats] for _, seats in conditions]
    ends = [number for seats in shares for share in seats for number in share if np.isfinite(number)]
    fair = 100 / len(labels)
    step = 0.72 / max(2, len(conditions))
    with own_style():
        figure, axes = figure_of_rows(labels, (0.18 + 0.14 * len(conditions)) * len(labels), above=plots.LEGEND)
        axes.axvline(fair, color=TEXT, linewidth=1, linestyle=(0, (4, 3)))
        for seat in range(len(labels)):
            for place, seats in enumerate(shares):
                plots.draw_interval(
                    axes, seats[seat], seat + (place - (len(conditions) - 1) / 2) * step, plots.MARKERS[place % 8], True
                )
            if seat:
                axes.axhline(seat - 0.5, color=LINE, linewidth=0.6)
        plots.draw_rows(axes, labels, max(0, min([*ends, fair]) - 3), min(100, max([*ends, fair]) + 3))
        plots.draw_legend(axes, [label for label, _ in conditions], filled=True)
        axes.set_xlabel("win share in per cent with 95 % intervals; dashed: fair share")
        return to_svg(figure, name, "Win share of each seat", plots.PAGE)


_WITH_ROLES: tuple[design.Kind, ...] = ("assigned", "drafted")


def share_section(study: Study, shares: Sequence[Shares]) -> Section:
    """Win share by role, players and seat: a plot for the strongest agent, a table for each."""
    title, roles = "Win share by seat", study.game.require("roles")
    shown = _by_role(study, shares)
    if not shown:
        return Section(title, (NOT_PLAYED,))
    labels, strongest = role_labels(roles), study.plan.strengths[-1]
    tables, pictures = [], []
    for shares_of_agent in shown:
        if shares_of_agent.agent == strongest:
            picture = seats_of_roles_plot(shares_of_agent, labels, f"shares-{shares_of_agent.players}")
            pictures.append((f"{players_words(shares_of_agent.players)}, {label_of(shares_of_agent.agent)}", picture))
        means = [seat.value for seat in shares_of_agent.seats]
        rows = [
            table_row(
                labels[role.role],
                share_cell(role.share, 1 / shares_of_agent.players),
                *(share_cell(share, mean) for share, mean in zip(role.by_seat, means, strict=True)),
                f"{role.games:,}",
            )
            for role in shares_of_agent.roles
        ]
        rows.append(
            table_row(
                "all", percent(1 / shares_of_agent.players), *(share_cell(seat) for seat in shares_of_agent.seats), ""
            )
        )
        columns = (roles.title, "all seats", *(f"seat {seat}" for seat in range(shares_of_agent.players)), "games")
        tables.append(
            ReportTable(
                f"{players_words(shares_of_agent.players)}, {label_of(shares_of_agent.agent)}", columns, tuple(rows)
            )
        )
    text = (
        f"Every {roles.title} sits in every seat equally often, with the same game seeds. Players who tie share the"
        f" win.{f' {roles.seat_note}' if roles.seat_note else ''} A coloured cell lies above (bold) or below the share"
        " with which it is compared: the fair share in the column for all seats, and the mean of the seat in the other"
        " columns. Each interval, taken alone, contains the true value with 95 % confidence."
    )
    return Section(title, (text,), tuple(tables), tuple(pictures))


def _by_role(study: Study, shares: Sequence[Shares]) -> list[Shares]:
    """The results with assigned roles, those of the strongest agent first."""
    shown = [share for share in shares if share.kind == "assigned" and share.roles]
    return sorted(shown, key=lambda one: (one.agent != study.plan.strengths[-1], one.players))


def margin_section(study: Study, shares: Sequence[Shares]) -> Section:
    """Score margins with their distributions."""
    title, roles = "Score margin", study.game.require("roles")
    shown = _by_role(study, shares)
    if not shown:
        return Section(title, (NOT_PLAYED,))
    labels, strongest = role_labels(roles), study.plan.strengths[-1]
    tables, pictures = [], []
    for share in shown:
        if share.agent == strongest:
            picture = margin_plot([role.margin for role in share.roles], labels, f"margins-{share.players}")
            pictures.append((f"{players_words(share.players)}, {label_of(share.agent)}", picture))
        rows = tuple(
            table_row(
                labels[role.role],
                cell(role.margin.mean, 2, sign=True),
                *(number(value, 1) for value in role.margin.quantiles),
            )
            for role in share.roles
        )
        columns = (roles.title, "mean", "5 %", "25 %", "median", "75 %", "95 %")
        tables.append(ReportTable(f"{players_words(share.players)}, {label_of(share.agent)}", columns, rows))
    text = (
        f"The score margin of {with_article(roles.title)} is its score at the end of the game minus the mean score of"
        " the other players. The columns from 5 % to 95 % are quantiles of its distribution over the games."
    )
    return Section(title, (text,), tuple(tables), tuple(pictures))


def control_section(study: Study, shares: Sequence[Shares], *, chosen: bool) -> Section:
    """Win share by seat: without roles as the control, beside assigned and drafted ones.

    ``chosen`` says whether players chose their roles in a draft.
    """
    roles = study.game.require("roles")
    title = f"The seats, {kind_words('absent', roles)} and with {roles.title}s"
    if not roles.absent_words:
        title = f"The seats, without and with {roles.title}s"
    strongest, tables, pictures = study.plan.strengths[-1], [], []
    order = {"absent": 0, "assigned": 1, "drafted": 2}
    agents = [*study.plan.strengths, *study.plan.others]
    for players in sorted({share.players for share in shares}):
        own = [share for share in shares if share.players == players and share.agent in study.plan.strengths]
        own.sort(key=lambda one: (-agents.index(one.agent), order[one.kind]))
        if not own:
            continue
        rows = tuple(
            table_row(
                kind_words(share.kind, roles),
                label_of(share.agent),
                f"{share.games:,}",
                *(share_cell(seat, 1 / players) for seat in share.seats),
            )
            for share in own
        )
        columns = ("games", "players", "number of games", *(f"seat {seat}" for seat in range(players)))
        tables.append(ReportTable(players_words(players), columns, rows))
        shown = [(kind_words(share.kind, roles), share.seats) for share in own if share.agent == strongest]
        if shown:
            caption = f"{players_words(players)}, {label_of(strongest)}"
            pictures.append((caption, control_plot(shown, f"seats-{players}")))
    if not tables:
        return Section(title, (NOT_PLAYED,))
    control = kind_words("absent", roles)
    text = f"The game {control} is the control: what a seat wins in it has nothing to do with them."
    if chosen or not roles.drafted_words:
        text += " In games with a draft, the share of a seat also includes what its choice is worth."
    text += " A coloured cell lies above (bold) or below the fair share."
    return Section(title, (text, *seat_findings(study, shares)), tuple(tables), tuple(pictures))


def seat_findings(study: Study, shares: Sequence[Shares]) -> tuple[str, ...]:
    """A sentence about the best seat for each number of players, from games of the strongest agent."""
    roles, strongest = study.game.require("roles"), study.plan.strengths[-1]
    found = []
    for players in sorted({share.players for share in shares}):
        own = {share.kind: share for share in shares if share.players == players and share.agent == strongest}
        if "absent" not in own:
            continue
        best = _best_seat(own["absent"])
        share = own["absent"].seats[best]
        others = [
            f"{percent(own[kind].seats[best].value)} with {kind_words(kind, roles)}"
            for kind in _WITH_ROLES
            if kind in own
        ]
        others_text = f"; its share is {listed(others)}" if others else ""
        found.append(
            f"With {players_words(players)}, seat {best} has a win share of {_with_ends(share)}"
            f" {kind_words('absent', roles)}, where {percent(1 / players)} would be fair{others_text}."
        )
    return tuple(found)


def best_seats(study: Study, shares: Sequence[Shares]) -> tuple[str, ...]:
    """A sentence on the win share of the best seat at each number of players, from games of the strongest agent."""
    strongest = study.plan.strengths[-1]
    own = sorted(
        (share for share in shares if share.kind == "absent" and share.agent == strongest),
        key=lambda share: share.players,
    )
    if not own:
        return ()
    named = [
        f"seat {(seat := _best_seat(share))} wins {percent(share.seats[seat].value)} with"
        f" {players_words(share.players)} (fair: {percent(1 / share.players)})"
        for share in own
    ]
    text = f"{kind_words('absent', study.game.require('roles'))}, {listed(named)}."
    return (f"{text[:1].upper()}{text[1:]}",)


def _best_seat(shares: Shares) -> int:
    values = [seat.value for seat in shares.seats]
    return values.index(max(values))


def _with_ends(estimate: Estimate) -> str:
    if not math.isfinite(estimate.low):
        return percent(estimate.value)
    return f"{percent(estimate.value)} ({number(100 * estimate.low)} to {number(100 * estimate.high)})"
