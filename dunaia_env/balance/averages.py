"""Means over the games of a condition, with intervals computed over its blocks, and distributions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from dunaia_env.balance.games import Games
from dunaia_env.statistics.intervals import CONFIDENCE, Estimate, Floats, round_portably

QUANTILES = (0.05, 0.25, 0.5, 0.75, 0.95)


@dataclass(frozen=True)
class Spread:
    """The distribution of a number over games.

    Attributes:
        mean: mean with its interval.
        quantiles: quantiles at the levels `QUANTILES`.
        least: lower end of the first bin.
        width: width of a bin; a bin contains its lower end but not its upper end.
        counts: number of games in each bin.
    """

    mean: Estimate
    quantiles: tuple[float, ...]
    least: int
    width: int
    counts: tuple[int, ...]


def sums_of_blocks(games: Games, values: NDArray[Any]) -> Floats:
    """Values summed over the games of each block.

    Args:
        games: G games of B blocks, sorted by block.
        values: ``(G, ...)``, the numbers of each game.

    Returns:
        float64 ``(B, numbers)``; the values of a game are flattened.
    """
    first = np.unique(games.block, return_index=True)[1]
    sums: Floats = np.add.reduceat(values.reshape(len(games), -1).astype(np.float64), first, axis=0)
    return sums


def linearised(sums: Floats, counts: Floats) -> tuple[Floats, Floats]:
    """Ratios of two sums over blocks, and each block's contribution to their deviation from the true ratios.

    The contributions come from the linear approximation of a ratio (Cochran 1977, "Sampling Techniques", section 6.4;
    Efron and Tibshirani 1993, "An introduction to the bootstrap", section 21: the empirical influence).

    Args:
        sums: float64 ``(B, K)``, the sums of each block.
        counts: float64 ``(B, K)``, the divisors. A ratio whose divisors are all 0 is NaN.

    Returns:
        The ratios, float64 ``(K,)``, and the contributions, float64 ``(B, K)``. The contributions to a ratio have mean
        0.
    """
    with np.errstate(invalid="ignore", divide="ignore"):
        values = round_portably(sums.sum(axis=0) / counts.sum(axis=0))
        return values, (sums - values * counts) / counts.mean(axis=0)


def ratios(sums: Floats, counts: Floats | None = None, *, shares: bool = False) -> list[Estimate]:
    """Ratios of two sums over blocks, each with a 95 % interval of its own.

    The standard error comes from the linear approximation of the ratio, see `linearised`, and the interval uses
    Student's distribution. A share that is 0 in all blocks, or 1 in all blocks, has the interval that
    `dunaia_env.statistics.intervals.block_estimates` gives it.

    Args:
        sums: float64 ``(B, K)``, the sums of each block.
        counts: float64 ``(B, K)``, the divisors; None for ones. A ratio whose divisors are all 0 is NaN.
        shares: whether the ratios are shares in 0..1; their intervals are then clipped to this range.

    Returns:
        K estimates. The ends of an interval are NaN if fewer than two blocks contribute to the ratio.
    """
    counts = np.ones_like(sums) if counts is None else counts
    contributing = (counts > 0).sum(axis=0)
    values, deviations = linearised(sums, counts)
    with np.errstate(invalid="ignore", divide="ignore"):
        # Rounded so that a ratio that does not vary has the error 0.
        rows = round_portably(deviations)
        errors = np.sqrt((rows**2).sum(axis=0) / (len(rows) * np.maximum(len(rows) - 1, 1)))
        half = -stdtrit(np.maximum(contributing - 1, 1), (1 - CONFIDENCE) / 2) * errors
    half = np.where(contributing > 1, half, np.nan)
    ends = np.array([values - half, values + half])
    if shares:
        ends = np.clip(ends, 0, 1)
        unseen = 1 - ((1 - CONFIDENCE) / 2) ** (1 / np.maximum(contributing, 1))
        ends[1] = np.where((values == 0) & (contributing > 0), unseen, ends[1])
        ends[0] = np.where((values == 1) & (contributing > 0), 1 - unseen, ends[0])
    return [Estimate(*row) for row in np.array([values, *round_portably(ends)]).T.tolist()]


def means(
    games: Games, values: NDArray[Any], counted: NDArray[np.bool_] | None = None, *, shares: bool = False
) -> list[Estimate]:
    """Means of numbers over games, with intervals computed over blocks.

    Args:
        games: G games.
        values: ``(G, K)``.
        counted: bool ``(G, K)``, which values count; None for all.
        shares: whether the numbers are shares in 0..1.

    Returns:
        K estimates.
    """
    counted = np.ones(values.shape, np.bool_) if counted is None else counted
    sums = sums_of_blocks(games, np.where(counted, values, 0))
    return ratios(sums, sums_of_blocks(games, counted), shares=shares)


def holding(games: Games, roles: int) -> NDArray[np.bool_]:
    """Which seat holds which role, bool ``(G, S, R)``."""
    held: NDArray[np.bool_] = games.roles[:, :, None] == np.arange(roles)
    return held


def shares_of_role(games: Games, role: int) -> tuple[NDArray[np.int32], Floats]:
    """Win share of the holder of a role in each block in which the role is held.

    Args:
        games: sorted by block.
        role: number of the role; `dunaia_env.harness.roles.NOBODY` for the seats without one.

    Returns:
        The numbers of the blocks, ``(B,)``, and the mean shares, float64 ``(B, 1)``.
    """
    own = games[np.asarray((games.roles == role).any(axis=1))]
    held = own.roles == role
    counts = sums_of_blocks(own, held.sum(axis=1))
    return np.unique(own.block), sums_of_blocks(own, (own.shares * held).sum(axis=1)) / counts


def spread(values: NDArray[Any], mean: Estimate, width: int = 1) -> Spread:
    """The distribution of numbers ``(N,)`` in bins of a given width; each bin begins at a multiple of the width."""
    if not len(values):
        return Spread(mean, (np.nan,) * len(QUANTILES), 0, width, ())
    quantiles = tuple(round_portably(np.quantile(values, QUANTILES)).tolist())
    bins = np.floor(round_portably(values) / width).astype(np.int64)
    counts = np.bincount(bins - bins.min())
    return Spread(mean, quantiles, int(bins.min()) * width, width, tuple(counts.tolist()))


def common_games(first: Games, second: Games) -> tuple[Games, Games]:
    """Both sets of games, limited to those with a counterpart of the same block and order, in matching order."""
    keys, others = (games.block.astype(np.int64) << 16 | games.order for games in (first, second))
    _, one, other = np.intersect1d(keys, others, return_indices=True)
    return first[one], second[other]
