"""Searches for the setting whose shares come nearest to wanted shares, on growing numbers of common blocks.

All candidates are played on common blocks, whose number doubles from stage to stage. Candidates are dropped as in races
between models (Maron and Moore 1994, "Hoeffding races") and in successive halving (Karnin, Koren and Somekh 2013,
"Almost optimal exploration in multi-armed bandits"). The risk of a candidate is the share of resamples of the common
blocks in which it is nearer to the target than the best candidate. The risks of all dropped candidates add up to an
upper bound on the probability that a better candidate was dropped.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from dunaia_env.balance.games import Floats, Games, joined
from dunaia_env.balance.paired import Contributions, beside, intervals
from dunaia_env.statistics.intervals import CONFIDENCE, Estimate, resampled_sums, round_portably
from dunaia_env.support.messages import shorten

FIRST_BLOCKS = 50
_SAMPLES = 4000
# A further stage adds at least the number of blocks so far, divided by this number.
_LEAST_GROWTH = 4
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
        risk: the probability that it is nearer to the target than the best candidate after all; 0 for the best
            candidate.
    """

    label: str
    shares: tuple[Estimate, ...]
    distance: float
    blocks: int
    risk: float


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

    After every stage, candidates are dropped while the sum of all risks stays below ``1 - confidence``. If the
    remaining games do not suffice for a quarter more blocks of the remaining candidates, only the better half of these
    continues.

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
    blocks, more_blocks, played, spent, stage = 0, first_blocks, 0, 0.0, 0
    while True:
        new = measure(alive, blocks, blocks + more_blocks)
        played += sum(map(len, new))
        games = {
            one: joined([games[one], more]) if one in games else more for one, more in zip(alive, new, strict=True)
        }
        blocks, stage = blocks + more_blocks, stage + 1
        parts = {candidate: shares(games[candidate]) for candidate in alive}
        away = {candidate: float(distances(parts[candidate].values, wanted)) for candidate in alive}
        risks = _risks([parts[candidate] for candidate in alive], wanted, [away[candidate] for candidate in alive])
        ranked = sorted(zip(alive, risks, strict=True), key=lambda pair: (away[pair[0]], labels[pair[0]]))
        for one, risk in ranked:
            estimates = tuple(intervals(parts[one]))
            found[one] = Candidate(labels[one], estimates, float(round_portably(away[one])), blocks, risk)
        # The part of the allowed error that may be spent grows from stage to stage.
        allowed = (1 - confidence) * (1 - 0.5**stage)
        kept = ranked[:1]
        for one, risk in sorted(ranked[1:], key=lambda pair: pair[1]):
            if spent + risk <= allowed:
                spent += risk
            else:
                kept.append((one, risk))
        kept.sort(key=lambda pair: away[pair[0]])
        left = (most_games - played) * blocks // max(len(game) for game in games.values())
        while len(kept) > 1 and left // len(kept) < max(1, blocks // _LEAST_GROWTH):
            half = len(kept) // 2
            spent += sum(risk for _, risk in kept[half:])
            kept = kept[:half]
        if len(kept) == 1:
            break
        more_blocks = min(blocks, left // len(kept))
        alive = [one for one, _ in kept]
        games = {candidate: games[candidate] for candidate in alive}
    best = kept[0][0]
    others = [found[part] for part in found if part != best]
    others.sort(key=lambda one: (-one.blocks, one.distance, one.label))
    reached = float(round_portably(max(0.0, 1 - spent)))
    return Search((found[best], *others), reached, played, reached >= confidence)


def _risks(parts: Sequence[Contributions], wanted: Sequence[float], away: Sequence[float]) -> list[float]:
    """The share of resamples of the common blocks in which each candidate is at least as near as the best one."""
    if len(parts) == 1:
        return [0.0]
    rows = beside(parts).rows
    means = resampled_sums(rows / len(rows), samples=_SAMPLES).reshape(-1, len(parts), len(wanted))
    drawn = distances(means, wanted)
    best = int(np.argmin(away))
    nearer = (drawn <= drawn[:, best : best + 1]).mean(axis=0)
    return [0.0 if part == best else float(round_portably(nearer[part])) for part in range(len(parts))]
