"""The shape of games: length, changes of the lead, when games are decided and how they end; and who does what first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dunaia_env.arena.intervals import Estimate, Floats, round_portably
from dunaia_env.balance.averages import Spread, means, ratios, spread, sums_of_blocks
from dunaia_env.balance.design import Kind
from dunaia_env.balance.games import CURVE_ROUNDS, Games

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

    kind: Kind
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


@dataclass(frozen=True)
class First:
    """Who causes an event first, and how often this seat wins.

    Attributes:
        event: what the seat does.
        kind: the condition's kind.
        players: number of players.
        agent: the agent in all seats.
        happened: share of the games in which the event happened.
        seats: for each seat, the share of these games in which it caused the event first.
        share: win share of the seat that caused the event first.
        expected: the win share that this seat would have if only its place at the table counted.
    """

    event: str
    kind: Kind
    players: int
    agent: str
    happened: float
    seats: tuple[float, ...]
    share: Estimate
    expected: float


def leader_shares(games: Games) -> Floats:
    """Chance that the leader at each round's start won, float64 ``(G, CURVE_ROUNDS)``; equal leaders count alike."""
    leading = games.curve == games.curve.max(axis=2, keepdims=True)
    won = (leading * games.shares[:, None, :]).sum(axis=2)
    chances: Floats = won / leading.sum(axis=2)
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


def shape_of(games: Games, kind: Kind, agent: str) -> Shape:
    """The shape of the games of a condition."""
    count, rounds = len(games), games.rounds.astype(np.int64)
    winners = (games.ranks == 1).sum(axis=1)
    changes, margins, chances = lead_changes(games), winning_margins(games), leader_shares(games)
    # The position after n rounds is that at the start of round n + 1, which is entry n of the curve.
    half = np.minimum(rounds // 2, CURVE_ROUNDS - 1)
    lost = 1 - chances[np.arange(count), half]
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


def firsts_of(games: Games, kind: Kind, agent: str, names: tuple[str, ...]) -> tuple[First, ...]:
    """Who causes each event first, for the events that happened.

    The share of the first seat is an observation, not an effect: a good position may cause both the event and the win.
    Effects are measured by forbidding an event, see `dunaia_env.balance.design.Forbidden`.
    """
    seat_shares = games.shares.mean(axis=0)
    found = []
    for event, name in enumerate(names):
        first = games.first_seat[:, event].astype(np.int64)
        happened = first >= 0
        if not happened.any():
            continue
        rows = np.arange(len(games))
        won = games.shares[rows, np.maximum(first, 0)] * happened
        (share,) = ratios(sums_of_blocks(games, won), sums_of_blocks(games, happened), shares=True)
        by_seat = np.bincount(first[happened], minlength=games.seats) / happened.sum()
        found.append(
            First(
                name,
                kind,
                games.seats,
                agent,
                float(round_portably(happened.mean())),
                tuple(round_portably(by_seat).tolist()),
                share,
                float(round_portably((by_seat * seat_shares).sum())),
            )
        )
    return tuple(found)
