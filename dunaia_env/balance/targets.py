"""Searches for the setting whose shares come nearest to wanted shares, on growing numbers of common blocks.

All candidates are played on common blocks, whose number doubles from stage to stage. Candidates are dropped as in races
between models (Maron and Moore 1994, "Hoeffding races") and in successive halving (Karnin, Koren and Somekh 2013,
"Almost optimal exploration in multi-armed bandits"). A candidate is dropped if a test refuses that it is at least as
near to the target as the best one so far. The tests of all stages and candidates share the allowed error (Bonferroni),
so the best candidate is dropped with at most this probability, however often the data are looked at.

The test compares squared distances. With the means a and b of two candidates and the wanted shares w, their difference
is the product of a - b and a + b - 2w, which are both linear in the blocks. So candidates on two sides of the wanted
share are told apart only if both factors are known. The standard error of the product is that of Aroian (1947, "The
probability function of the product of two normally distributed variables").
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from scipy.special import stdtr

from dunaia_env.balance.games import Floats, Games, joined
from dunaia_env.balance.paired import Contributions, intervals
from dunaia_env.statistics.intervals import CONFIDENCE, Estimate, round_portably
from dunaia_env.support.messages import shorten

FIRST_BLOCKS = 50
# A further stage adds at least the number of blocks so far, divided by this number.
_LEAST_GROWTH = 4
# Stages in which the last two candidates may share what is left, after the last doubling.
_LAST_STAGES = 2
_SEAT = "seat"


class Target(NamedTuple):
    """A share that a designer wants.

    Attributes:
        subject: name of a role, or ``seat0``.
        share: the wanted win share, 0..1.
    """

    subject: str
    share: float

    def column(self, kind: str, roles: Sequence[str], players: int) -> int:
        """The subject's index among the shares of games of a kind; raises `ValueError` naming the allowed subjects."""
        seats = [f"{_SEAT}{seat}" for seat in range(players)]
        subjects = seats if kind == "absent" else [*roles, *seats]
        name = self.subject.replace(" ", "")
        if name not in subjects:
            raise ValueError(f"target {shorten(self.subject)}: games of kind {kind} have {', '.join(subjects)}")
        return subjects.index(name)


def read_target(text: str) -> Target:
    """The target of a text ``SUBJECT=SHARE``; raises `ValueError` for any other text."""
    subject, _, value = text.partition("=")
    try:
        share = float(value)
    except ValueError:
        share = math.nan
    if not subject.strip() or not 0 < share < 1:
        raise ValueError(f"target: expected SUBJECT=SHARE with a share above 0 and below 1, got {shorten(text)}")
    return Target(subject.strip(), share)


@dataclass(frozen=True)
class Candidate:
    """The result of a search for one candidate.

    Attributes:
        label: what it changes.
        shares: shares of the subjects of the targets, with intervals of their own.
        distance: root mean squared distance of the shares from the wanted ones.
        blocks: number of blocks in which it was played.
        p_value: p-value of the test that it is at least as near to the target as the best candidate, corrected for all
            candidates and stages; 0 for the best candidate.
    """

    label: str
    shares: tuple[Estimate, ...]
    distance: float
    blocks: int
    p_value: float


@dataclass(frozen=True)
class Search:
    """The result of a search.

    Attributes:
        candidates: the best one first, then those that were played longest.
        confidence: lower bound on the probability that the first candidate is the best; 0 if the data do not tell it
            from another one.
        games: number of games that the search took.
        certain: whether the confidence was reached before the games were used up.
    """

    candidates: tuple[Candidate, ...]
    confidence: float
    games: int
    certain: bool


def distances(values: Floats, wanted: Sequence[float]) -> Floats:
    """Root mean squared distances of shares ``(..., T)`` from the wanted ones, ``(...)``."""
    squares = (values - np.asarray(wanted, np.float64)) ** 2
    return np.asarray(np.sqrt(squares.mean(axis=-1)), np.float64)


def find_nearest(
    labels: Sequence[str],
    wanted: Sequence[float],
    measure: Callable[[Sequence[int], int, int], list[Games]],
    shares: Callable[[Games], Contributions],
    *,
    most_games: int,
    first_blocks: int = FIRST_BLOCKS,
    confidence: float = CONFIDENCE,
) -> Search:
    """Search for the candidate that comes nearest to the wanted shares.

    If the remaining games do not suffice for a quarter more blocks of the remaining candidates, only the better half of
    these continues, whatever the tests say.

    Args:
        labels: labels of K candidates.
        wanted: the T wanted shares.
        measure: function that plays the blocks ``first`` to ``last - 1`` of some candidates and returns their games.
        shares: function that computes the T shares of games.
        most_games: largest number of games; the first stage is played in any case.
        first_blocks: number of blocks of the first stage.
        confidence: confidence with which the best candidate is to be known.
    """
    alive = list(range(len(labels)))
    games: dict[int, Games] = {}
    found: dict[int, Candidate] = {}
    blocks, more_blocks, played, stages = 0, first_blocks, 0, 0
    while True:
        new = measure(alive, blocks, blocks + more_blocks)
        played += sum(map(len, new))
        games = {
            one: joined([games[one], more]) if one in games else more for one, more in zip(alive, new, strict=True)
        }
        blocks += more_blocks
        if not stages:
            # Blocks double until the games suffice for less; the last stages add at least a quarter.
            stages = _LAST_STAGES + math.ceil(math.log2(max(2.0, most_games / (2 * len(new[0])))))
        parts = {candidate: shares(games[candidate]) for candidate in alive}
        away = {candidate: float(distances(parts[candidate].values, wanted)) for candidate in alive}
        ranked = sorted(alive, key=lambda candidate: (away[candidate], labels[candidate]))
        best = ranked[0]
        tests = (len(labels) - 1) * stages
        for candidate in ranked:
            p_value = 0.0 if candidate == best else min(1.0, tests * p_value_of(parts[candidate], parts[best], wanted))
            estimates = tuple(intervals(parts[candidate]))
            distance = float(round_portably(away[candidate]))
            found[candidate] = Candidate(labels[candidate], estimates, distance, blocks, float(round_portably(p_value)))
        kept = [candidate for candidate in ranked if candidate == best or found[candidate].p_value > 1 - confidence]
        left = (most_games - played) * blocks // max(len(game) for game in games.values())
        while len(kept) > 1 and left // len(kept) < max(1, blocks // _LEAST_GROWTH):
            kept = kept[: len(kept) // 2]
        if len(kept) == 1:
            break
        more_blocks = min(blocks, left // len(kept))
        alive = kept
        games = {candidate: games[candidate] for candidate in alive}
    others = [found[candidate] for candidate in found if candidate != kept[0]]
    others.sort(key=lambda one: (-one.blocks, one.distance, one.label))
    reached = float(round_portably(1 - max((one.p_value for one in others), default=0.0)))
    return Search((found[kept[0]], *others), reached, played, reached >= confidence)


def p_value_of(other: Contributions, best: Contributions, wanted: Sequence[float]) -> float:
    """One-sided p-value of the test that a candidate is at least as near to the wanted shares as the best one.

    Args:
        other: the candidate's T shares, with the contributions of B common blocks.
        best: those of the best candidate.
        wanted: the T wanted shares.

    Returns:
        The p-value; 1 with fewer than two blocks.
    """
    blocks = len(other.rows)
    if blocks < 2:
        return 1.0
    apart, around = other.rows - best.rows, other.rows + best.rows - 2 * np.asarray(wanted, np.float64)
    first, second = apart.mean(axis=0), around.mean(axis=0)
    covariances = np.cov(np.hstack([apart, around]).T) / blocks
    size = len(first)
    ones, mixed, twos = covariances[:size, :size], covariances[:size, size:], covariances[size:, size:]
    nearer = float(first @ second - np.trace(mixed))
    variance = second @ ones @ second + 2 * second @ mixed @ first + first @ twos @ first
    variance += np.trace(ones @ twos) + np.trace(mixed @ mixed)
    error = math.sqrt(max(0.0, float(round_portably(variance, 15))))
    if error == 0:
        return 0.0 if nearer > 0 else 1.0
    return float(stdtr(blocks - 1, -nearer / error))
