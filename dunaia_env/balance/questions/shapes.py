"""The shape of games: length, changes of the lead, when games are decided and how they end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dunaia_env.balance import design, plots
from dunaia_env.balance.averages import Spread, means, spread
from dunaia_env.balance.games import CURVE_ROUNDS, Games
from dunaia_env.balance.study import Study
from dunaia_env.balance.wording import NOT_PLAYED, kind_words, label_of, number, percent, players_words, share_cell
from dunaia_env.reports import drawing, parts
from dunaia_env.statistics.intervals import Estimate, Floats, round_portably

TENTHS = 10


@dataclass(frozen=True)
class Shape:
    """The shape of the games of a condition.

    Attributes:
        kind: the condition's kind.
        players: number of players.
        agent: the agent in all seats.
        games: number of games.
        length: number of rounds of a game.
        lead_changes: how often the lead passes from one seat to another.
        no_change: share of the games in which it never does.
        comebacks: chance that the seat that leads halfway through the game does not win; ties count in part.
        leader_wins: chance that the leader after 0, 1, 2, … rounds wins, over all games; finished games count with
            their result. The curve ends where 95 % of the games are over.
        leader_wins_at: the same after 0, 1, …, 10 tenths of each game.
        stopped: share of the games that were stopped at the round limit.
        shared: share of the games that several seats won together.
        everybody: share of the games in which all seats share the win, including games that nobody wins.
        winning_margin: points between the best score and the second best.
    """

    kind: design.Kind
    players: int
    agent: str
    games: int
    length: Spread
    lead_changes: Spread
    no_change: Estimate
    comebacks: Estimate
    leader_wins: tuple[float, ...]
    leader_wins_at: tuple[float, ...]
    stopped: Estimate
    shared: Estimate
    everybody: Estimate
    winning_margin: Spread


def leader_shares(games: Games) -> Floats:
    """Chance that the leader at each round's start won, float64 ``(G, CURVE_ROUNDS)``; equal leaders count alike."""
    return _chances_of_leaders(games.curve, games.shares[:, None, :])


def half_time_shares(games: Games) -> Floats:
    """Chance that the leader halfway through each game won, float64 ``(G,)``; equal leaders count alike.

    In a game of an odd number of rounds, half-time is before the middle round.
    """
    # The position after n rounds is that at the start of round n + 1, which is entry n of the curve.
    half = np.minimum(games.rounds.astype(np.int64) // 2, CURVE_ROUNDS - 1)
    return _chances_of_leaders(games.curve[np.arange(len(games)), half], games.shares)


def _chances_of_leaders(scores: NDArray[np.int16], shares: Floats) -> Floats:
    """The mean win share of the seats with the best score, float64 ``(...)``, of scores and win shares ``(..., S)``."""
    leading = scores == scores.max(axis=-1, keepdims=True)
    chances: Floats = (leading * shares).sum(axis=-1) / leading.sum(axis=-1)
    return chances


def lead_changes(games: Games) -> NDArray[np.int64]:
    """How often the lead passed from one seat to another, int64 ``(G,)``.

    A seat leads if its score at the start of a round, or its final rank, is better than that of all others. Moments
    without such a seat do not count.
    """
    best = games.curve.max(axis=2, keepdims=True)
    alone = (games.curve == best).sum(axis=2) == 1
    leader = np.where(alone, games.curve.argmax(axis=2), -1)
    numbers = np.arange(CURVE_ROUNDS)
    # Entries after the end repeat the final scores; the ranks, which resolve ties of scores, replace them.
    leader[numbers >= games.rounds[:, None]] = -1
    winners = games.ranks == 1
    final = np.where(winners.sum(axis=1) == 1, winners.argmax(axis=1), -1)
    leader = np.column_stack([leader, final])
    changes = np.zeros(len(games), np.int64)
    last = np.full(len(games), -1, np.int64)
    for moment in leader.T:
        changes += (moment >= 0) & (last >= 0) & (moment != last)
        last = np.where(moment >= 0, moment, last)
    return changes


def winning_margins(games: Games) -> NDArray[np.int64]:
    """Points between the best score and the second best, int64 ``(G,)``."""
    scores = np.sort(games.scores, axis=1).astype(np.int64)
    margins: NDArray[np.int64] = scores[:, -1] - scores[:, -2]
    return margins


def shape_of(games: Games, kind: design.Kind, agent: str) -> Shape:
    """The shape of the games of a condition."""
    count, rounds = len(games), games.rounds.astype(np.int64)
    winners = (games.ranks == 1).sum(axis=1)
    changes, margins, chances = lead_changes(games), winning_margins(games), leader_shares(games)
    lost = 1 - half_time_shares(games)
    numbers = np.column_stack([rounds, changes, margins])
    length, changed, margin = means(games, numbers)
    facts = np.column_stack([changes == 0, lost, games.stopped, winners > 1, winners == games.seats])
    no_change, comebacks, stopped, shared, everybody = means(games, facts, shares=True)
    # After its last round a game is decided by its ranks, which resolve ties of scores.
    over = np.arange(CURVE_ROUNDS) >= rounds[:, None]
    decided = np.where(over, 1 / winners[:, None], chances)
    shown = min(CURVE_ROUNDS, int(np.quantile(rounds, 0.95)) + 1)
    tenths = np.minimum((rounds[:, None] * np.arange(TENTHS + 1)) // TENTHS, CURVE_ROUNDS - 1)
    at_tenths = np.take_along_axis(decided, tenths, axis=1)
    return Shape(
        kind,
        games.seats,
        agent,
        count,
        spread(rounds, length),
        spread(changes, changed),
        no_change,
        comebacks,
        tuple(round_portably(decided[:, :shown].mean(axis=0)).tolist()),
        tuple(round_portably(at_tenths.mean(axis=0)).tolist()),
        stopped,
        shared,
        everybody,
        spread(margins, margin),
    )


def length_plot(shapes: Sequence[tuple[str, Shape]], name: str) -> str:
    """The distribution of the rounds of a game, a row for each condition, with the median marked."""
    labels = [label for label, _ in shapes]
    highest = max(max(shape.length.counts) / shape.games for _, shape in shapes)
    with drawing.own_style():
        figure, axes = drawing.figure_of_rows(labels, 0.62 * len(labels), above=0.15)
        for row, (_, shape) in enumerate(shapes):
            heights = np.array(shape.length.counts) / shape.games / highest * 0.78
            edges = shape.length.least + np.arange(len(heights) + 1) - 0.5
            axes.stairs(row - heights, edges, baseline=row, fill=True, facecolor=plots.LIGHT, linewidth=0)
            axes.stairs(row - heights, edges, baseline=row, color=plots.DARK, linewidth=0.8)
            median = shape.length.quantiles[2]
            axes.plot([median, median], [row, row - 0.85], color=drawing.TEXT, linewidth=1.4)
            axes.annotate(
                f"{median:g}", (median, row - 0.86), (3, -2), textcoords="offset points", va="top", fontsize=8
            )
        axes.set_ylim(len(labels) - 0.9, -0.95)
        axes.set_yticks([row - 0.3 for row in range(len(labels))], labels)
        axes.grid(axis="x", linewidth=0.5)
        axes.set_axisbelow(True)
        axes.set_xlabel("rounds per game; the line marks the median")
        return drawing.to_svg(figure, name, "Distribution of the length of a game", plots.PAGE)


def decided_plot(shapes: Sequence[tuple[str, Shape]], name: str) -> str:
    """The chance that the leader after each round wins, a line for each condition."""
    with drawing.own_style():
        figure, axes = drawing.figure_of_rows(["100 %"], 2.7)
        last = max(len(shape.leader_wins) for _, shape in shapes) - 1
        for number, (label, shape) in enumerate(shapes):
            axes.plot(
                np.arange(len(shape.leader_wins)), 100 * np.array(shape.leader_wins), color=drawing.TEXT, linewidth=1.3,
                marker=plots.MARKERS[number % len(plots.MARKERS)], linestyle=plots.DASHES[number % len(plots.DASHES)],
                label=label, markevery=(number, 4), markersize=5, markerfacecolor=plots.PAPER,
            )  # fmt: skip
        axes.legend(loc="lower right", frameon=False, handlelength=3.5)
        axes.set_xlim(0, last)
        lowest = min(min(shape.leader_wins) for _, shape in shapes)
        axes.set_ylim(10 * np.floor(10 * lowest), 101)
        axes.grid(linewidth=0.5)
        axes.set_axisbelow(True)
        axes.set_xlabel("rounds played")
        axes.set_ylabel("chance that the leader wins, %")
        return drawing.to_svg(figure, name, "How early games are decided", plots.PAGE)


def shape_section(study: Study, shapes: Sequence[Shape]) -> parts.Section:
    """Length, changes of the lead, comebacks, decision and ends of games."""
    title, roles, strongest = "Shape of the game", study.game.require("roles"), study.plan.strengths[-1]
    if not shapes:
        return parts.Section(title, (NOT_PLAYED,))
    tables, pictures = [], []
    # With two players every shared win is shared by all, so the column would say nothing new.
    equal = any(shape.everybody.value > 0 and shape.players > 2 for shape in shapes)
    for players in sorted({shape.players for shape in shapes}):
        own = [shape for shape in shapes if shape.players == players]
        own.sort(key=lambda one: one.agent != strongest)
        shown = [(_short_kind(shape), shape) for shape in own if shape.agent == strongest]
        if shown:
            caption = f"{players_words(players)}, {label_of(strongest)}"
            pictures.append((f"Length of the games: {caption}", length_plot(shown, f"length-{players}")))
            pictures.append((f"How often the leader wins: {caption}", decided_plot(shown, f"decided-{players}")))
        rows = tuple(
            parts.table_row(
                kind_words(shape.kind, roles),
                label_of(shape.agent),
                _spread_cell(shape.length),
                _spread_cell(shape.lead_changes),
                share_cell(shape.no_change),
                share_cell(shape.comebacks),
                percent(shape.leader_wins_at[5], 0),
                _spread_cell(shape.winning_margin),
                share_cell(shape.shared),
                *([share_cell(shape.everybody)] if equal else []),
                share_cell(shape.stopped),
            )
            for shape in own
        )
        columns = (
            *("games", "players", "rounds", "lead changes", "no lead change", "comebacks", "leader at half-time wins"),
            *("winning margin", "shared wins", *(["shared by all"] if equal else []), "stopped at the round limit"),
        )
        tables.append(parts.ReportTable(players_words(players), columns, rows))
    text = (
        "For rounds, lead changes and the winning margin, a cell shows the mean, followed by the 5, 50 and 95 %"
        " quantiles. The lead changes when another player alone has the best score at the start of a round, or alone"
        " wins the game. A game is a comeback if the player who led at half-time does not win."
    )
    return parts.Section(title, (text,), tuple(tables), tuple(pictures), folded=True)


def _short_kind(shape: Shape) -> str:
    return {"assigned": "assigned", "drafted": "drafted", "absent": "without"}.get(shape.kind, shape.kind)


def _spread_cell(spread: Spread) -> parts.TableCell:
    low, median, high = spread.quantiles[0], spread.quantiles[2], spread.quantiles[-1]
    return parts.TableCell(
        number(spread.mean.value), " / ".join(number(quantile, 0) for quantile in (low, median, high))
    )
