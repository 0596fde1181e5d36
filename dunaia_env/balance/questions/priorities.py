"""What to change first: the roles that certainly lie outside the tolerance, and what the others have without them.

Win shares are relative: a role that wins too rarely makes the others win too often. A Plackett-Luce model (Luce 1959,
"Individual Choice Behavior") with one strength for each role is fitted to the win shares at one number of players: the
role of strength s wins a table with the probability s divided by the sum of the strengths there, averaged over all
tables. Then roles are repaired one after the other, that is, given the strength with which they have the fair share:
among those that certainly lie outside the tolerance, each time the one that is farthest from the fair share by the
model, until none of them is outside by the model. The model ignores seats and match-ups.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dunaia_env.balance.questions.verdicts import OVER, TOLERANCE, UNDER, VERDICTS, RoleVerdict
from dunaia_env.balance.wording import name_of_role, number, percent, players_words
from dunaia_env.reports.parts import ReportTable, table_row
from dunaia_env.statistics.intervals import Floats, round_portably
from dunaia_env.support.english import listed

_ITERATIONS, _PRECISE = 10_000, 1e-10
_LEAST_SHARE = 1e-6


@dataclass(frozen=True)
class Priority:
    """How urgent a change of a role is, at one number of players and the strongest play.

    Attributes:
        role: name of the role.
        players: number of players.
        share: win share, 0..1.
        odds_ratio: odds of a win divided by the odds with the fair share.
        outside: how far the effect certainly lies outside the tolerance, in win shares; 0 if it may lie within.
        turn: when the role is repaired, from 1; 0 if it does not have to be.
        then: win share, by the model, once all roles with earlier turns are repaired; for a role without a turn, once
            all others are.
    """

    role: str
    players: int
    share: float
    odds_ratio: float
    outside: float
    turn: int
    then: float


def shares_of_strengths(logarithms: Floats, players: int) -> Floats:
    """Win shares float64 ``(R,)`` of roles with these logarithms of strengths, averaged over all tables."""
    tables = np.array(list(itertools.combinations(range(len(logarithms)), players)))
    strengths = np.exp(logarithms - logarithms.max())[tables]
    wins = np.zeros(len(logarithms))
    np.add.at(wins, tables, strengths / strengths.sum(axis=1, keepdims=True))
    shares: Floats = wins / (len(tables) * players / len(logarithms))
    return shares


def fitted(shares: Floats, players: int, start: Floats | None = None, free: Sequence[int] | None = None) -> Floats:
    """Logarithms of the strengths with which roles have these win shares.

    Args:
        shares: float64 ``(R,)``, 0..1.
        players: number of players.
        start: the logarithms to begin with; zeros by default.
        free: the roles whose strength changes, and whose share is fitted; all by default.
    """
    logarithms = np.zeros(len(shares)) if start is None else start.copy()
    changed = np.arange(len(shares)) if free is None else np.array(free, np.int64)
    wanted = np.maximum(shares, _LEAST_SHARE)
    for _ in range(_ITERATIONS):
        steps = np.log(wanted / np.maximum(shares_of_strengths(logarithms, players), _LEAST_SHARE))[changed]
        logarithms[changed] += steps
        if np.abs(steps).max(initial=0.0) < _PRECISE:
            break
    return logarithms


def priorities_of(verdicts: Sequence[RoleVerdict], tolerance: float = TOLERANCE) -> tuple[Priority, ...]:
    """How urgent a change of each role is, the most urgent first, for each number of players in ascending order."""
    found: list[Priority] = []
    for players in sorted({verdict.players for verdict in verdicts}):
        own, fair = [verdict for verdict in verdicts if verdict.players == players], 1 / players
        shares = np.array([fair + verdict.strongest.value for verdict in own])
        certain = [place for place, verdict in enumerate(own) if verdict.verdict in (*OVER, *UNDER)]
        turns, then = _repairs(shares, players, certain, tolerance)
        own_priorities = [
            Priority(
                role=verdict.role,
                players=players,
                share=float(round_portably(share)),
                odds_ratio=_odds_ratio(float(share), fair),
                outside=_outside(verdict, tolerance),
                turn=turns.get(place, 0),
                then=float(round_portably(then[place], 6)),
            )
            for place, (verdict, share) in enumerate(zip(own, shares, strict=True))
        ]
        found += sorted(own_priorities, key=lambda one: (one.turn or len(own) + 1, -abs(one.share - fair)))
    return tuple(found)


def _repairs(shares: Floats, players: int, certain: Sequence[int], tolerance: float) -> tuple[dict[int, int], Floats]:
    """The turn of each role that is repaired, and the share of every role as `Priority.then` describes it."""
    turns: dict[int, int] = {}
    then = shares.copy()
    if not certain or len(shares) < players or not np.isfinite(shares).all():
        return turns, then
    fair = np.full(len(shares), 1 / players)
    strengths, now = fitted(shares, players), shares
    while left := [role for role in certain if role not in turns and abs(now[role] - fair[role]) > tolerance]:
        worst = max(left, key=lambda role: abs(now[role] - fair[role]))
        turns[worst] = len(turns) + 1
        strengths = fitted(fair, players, strengths, list(turns))
        now = shares_of_strengths(strengths, players)
        others = [role for role in range(len(shares)) if role not in turns]
        then[others] = now[others]
    return turns, then


def _odds_ratio(share: float, fair: float) -> float:
    if not 0 <= share < 1:
        return math.inf if share >= 1 else math.nan
    return float(round_portably(share / (1 - share) / (fair / (1 - fair)), 6))


def _outside(verdict: RoleVerdict, tolerance: float) -> float:
    if verdict.verdict not in (*OVER, *UNDER):
        return 0.0
    estimate = verdict.strongest
    return float(round_portably(max(estimate.low, -estimate.high) - tolerance))


def priority_tables(
    priorities: Sequence[Priority], verdicts: Sequence[RoleVerdict], title: str
) -> tuple[ReportTable, ...]:
    """For each number of players, the order in which roles should be changed, and what the others then have.

    Args:
        priorities: what `priorities_of` returns.
        verdicts: the verdicts of the study.
        title: what the game calls a role.
    """
    by_key = {(verdict.role, verdict.players): verdict for verdict in verdicts}
    columns = (
        *(title, "to change", "verdict", "win share", "odds ratio", "certainly outside the tolerance by"),
        "win share, once those above are fair",
    )
    note = (
        f"Win shares are relative, so the order is made step by step: each step takes the {title} that certainly lies"
        " outside the tolerance and is farthest from the fair share, once those above it have the fair share. The last"
        " column is what a strength model predicts for this. The odds ratio compares the odds of a win with those of"
        " the fair share."
    )
    return tuple(
        ReportTable(
            f"What to change first, {players_words(players)}",
            columns,
            tuple(
                table_row(
                    name_of_role(one.role),
                    f"{one.turn}." if one.turn else "–",
                    VERDICTS[by_key[one.role, players].verdict],
                    percent(one.share),
                    number(one.odds_ratio, 2),
                    f"{number(100 * one.outside)} points" if one.outside else "–",
                    percent(one.then),
                )
                for one in priorities
                if one.players == players
            ),
            (note,),
            texts=True,
        )
        for players in sorted({one.players for one in priorities})
    )


def priority_findings(priorities: Sequence[Priority], title: str) -> tuple[str, ...]:
    """A sentence that names what to change first at each number of players, and what that leaves of the others."""
    found = []
    for players in sorted({one.players for one in priorities}):
        own = [one for one in priorities if one.players == players]
        named = [f"the {name_of_role(one.role)}" for one in own if one.turn]
        relieved = [
            f"the {name_of_role(one.role)} has {percent(one.then)} instead of {percent(one.share)}"
            for one in own
            if not one.turn and one.outside > 0
        ]
        if named:
            left = f" (then {listed(relieved)})" if relieved else ""
            found.append(f"with {players_words(players)} {', '.join(named)}{left}")
    if found:
        return (f"What to change first, in this order: {'; '.join(found)}.",)
    return (f"No {title} certainly lies outside the tolerance.",) if priorities else ()
