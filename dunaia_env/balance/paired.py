"""Shares of roles and seats by block, and their changes between trials on common blocks, with simultaneous intervals.

Everything is estimated from the contributions of blocks. A share is a ratio of two sums over blocks. The contribution
of a block comes from the linear approximation of this ratio (`dunaia_env.balance.averages.linearised`), and the mean
contribution is the share. The contributions to the change between two trials are the differences of the trials'
contributions, so whatever both trials have in common, such as the luck of a block, cancels out.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from dunaia_env.balance.averages import linearised, sums_of_blocks
from dunaia_env.balance.games import Floats, Games
from dunaia_env.balance.intervals import simultaneous as simultaneous_means, standard_errors
from dunaia_env.harness.roles import NOBODY
from dunaia_env.statistics.intervals import CONFIDENCE, Estimate, round_portably

# Number of resamples for the quantile of the largest deviation; their noise is about 1 % of the half-width.
SAMPLES = 4000


@dataclass(frozen=True)
class Contributions:
    """N numbers, with the contributions of B blocks to each.

    Attributes:
        values: float64 ``(N,)``; NaN for a number that no game determines.
        rows: float64 ``(B, N)``: what each block contributes; the mean of a column is the value.
    """

    values: Floats
    rows: Floats

    def __getitem__(self, numbers: Sequence[int] | slice) -> Contributions:
        """Some of the numbers."""
        return Contributions(self.values[numbers], self.rows[:, numbers])

    @property
    def errors(self) -> Floats:
        """float64 ``(N,)``: standard errors of the values; NaN for a single block."""
        return round_portably(standard_errors(self.rows))

    def minus(self, other: Contributions) -> Contributions:
        """The differences from another trial's numbers of the same blocks."""
        return Contributions(self.values - other.values, self.rows - other.rows)


def contributions(games: Games, of: Floats, where: NDArray[np.bool_] | None = None) -> Contributions:
    """The mean of a number over the games in which it counts.

    Args:
        games: G games.
        of: float64 ``(G, N)``, the numbers of each game.
        where: bool ``(G, N)``, the games that count; None for all.
    """
    counted = np.ones(of.shape, np.bool_) if where is None else where
    values, deviations = linearised(sums_of_blocks(games, np.where(counted, of, 0.0)), sums_of_blocks(games, counted))
    return Contributions(values, values + deviations)


def role_shares(games: Games, roles: int, of: Floats | None = None) -> Contributions:
    """The win share of each role in the games in which it is held.

    Args:
        games: G games at tables of S seats.
        roles: R, the number of roles.
        of: float64 ``(G, S)``, a number of every seat to average in place of its win share.
    """
    shares = games.shares if of is None else of
    held = games.roles[:, :, None] == np.arange(roles)
    return contributions(games, (shares[:, :, None] * held).sum(axis=1), held.any(axis=1))


def seat_shares(games: Games, of: Floats | None = None) -> Contributions:
    """The win share of each seat, or the mean of another number of every seat, float64 ``(G, S)``."""
    return contributions(games, games.shares if of is None else of)


def unpowered_share(games: Games) -> Contributions:
    """The win share of the one seat without a role."""
    without = games.roles == NOBODY
    return contributions(games, (games.shares * without).sum(axis=1, keepdims=True))


def intervals(numbers: Contributions, confidence: float = CONFIDENCE) -> list[Estimate]:
    """Each number with an interval of its own, from Student's distribution."""
    blocks = len(numbers.rows)
    quantile = -float(stdtrit(blocks - 1, (1 - confidence) / 2)) if blocks > 1 else np.nan
    return _estimates(numbers, quantile)


def simultaneous(numbers: Contributions, *, confidence: float = CONFIDENCE, seed: int = 0) -> list[Estimate]:
    """Each number with its interval; all intervals cover simultaneously with the given probability.

    These are the intervals of `dunaia_env.balance.intervals.simultaneous`. A number that does not vary, such as a
    change between equal games, has an interval of width 0. With a single block the ends are NaN; for a number that no
    game determines, the value is NaN too.

    Args:
        numbers: numbers with the contributions of B blocks.
        confidence: 0..1.
        seed: seed of the resampling.
    """
    known = np.isfinite(numbers.rows).all(axis=0)
    (found,) = simultaneous_means([numbers.rows[:, known]], confidence=confidence, samples=SAMPLES, seed=seed)
    estimates = iter(found)
    nothing = Estimate(np.nan, np.nan, np.nan)
    return [next(estimates) if value else nothing for value in np.atleast_1d(known).tolist()]


def _estimates(numbers: Contributions, quantile: float) -> list[Estimate]:
    half = quantile * numbers.errors
    ends = round_portably(np.stack([numbers.values, numbers.values - half, numbers.values + half], axis=1))
    return [Estimate(*row) for row in ends.tolist()]


def beside(parts: Sequence[Contributions]) -> Contributions:
    """The numbers of several trials on the same blocks, one trial after the other."""
    return Contributions(
        np.concatenate([part.values for part in parts]), np.concatenate([part.rows for part in parts], axis=1)
    )
