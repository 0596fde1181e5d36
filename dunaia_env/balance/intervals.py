"""Estimates of a study: the results of roles and seats in each block, with intervals that hold simultaneously.

A study asks many questions at once: one for each role, number of players and strength. If each answer had a 95 %
interval of its own, some intervals would be wrong in almost every study. The intervals of `simultaneous` are wide
enough that all of them together are right in 95 % of studies. Their common critical value is a quantile of the largest
studentised deviation among all means, found by the bootstrap (the single-step method of Romano and Wolf, 2005, "Exact
and approximate stepdown methods for multiple hypothesis testing"; studentised as in Efron, 1979, and Hall, 1988). The
bootstrap takes into account that the means of a block depend on one another: the roles of a game share one win.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtr, stdtrit

from dunaia_env.balance.games import Games
from dunaia_env.harness.roles import NOBODY
from dunaia_env.statistics.intervals import CONFIDENCE, SAMPLES, Estimate, Floats, round_portably

# Least variance of a column in a resample, as a fraction of its variance in the data. Without this bound, a column in
# which few blocks differ from the rest would make all intervals infinitely wide.
_LEAST_VARIANCE = 0.25
_DRAWS_AT_ONCE = 1_000_000
# At most this many random numbers, about a second's worth, are drawn to resample a stratum. For large strata this
# leaves fewer resamples, but at least a thousand: with a thousand, the standard error of an interval's length is 2 %.
_MOST_DRAWS = 30_000_000
_LEAST_SAMPLES = 1000


def block_numbers(games: Games) -> NDArray[np.int64]:
    """The numbers of the blocks, int64 ``(B,)``, ascending: one for each row that the other functions return."""
    numbers: NDArray[np.int64] = np.unique(games.block).astype(np.int64)
    return numbers


def role_sums(games: Games, values: NDArray[Any], roles: int) -> tuple[Floats, Floats]:
    """Sums of a value over the seats of each role in each block, and the numbers of these seats.

    Args:
        games: G games at tables of S seats, in B blocks.
        values: ``(G, S)``, the value of each seat, such as its share of the win.
        roles: R, the number of roles. Seats without a role are left out.

    Returns:
        The sums and the numbers of seats, both float64 ``(B, R)``.

    Raises:
        ValueError: unless there is one value for each seat of each game, or if a role is not in ``0..R-1``.
    """
    _check_values(games, values)
    if len(games) and not NOBODY <= games.roles.min() <= games.roles.max() < roles:
        raise ValueError(f"roles: {games.roles.min()}..{games.roles.max()} in the games; {NOBODY}..{roles - 1} allowed")
    numbers, rows = np.unique(games.block, return_inverse=True)
    held = games.roles != NOBODY
    places = (rows[:, None] * roles + games.roles)[held]
    size = len(numbers) * roles
    sums = np.bincount(places, weights=np.asarray(values, np.float64)[held], minlength=size)
    counts = np.bincount(places, minlength=size)
    shape = len(numbers), roles
    return np.asarray(sums.reshape(shape), np.float64), np.asarray(counts.reshape(shape), np.float64)


def role_blocks(games: Games, values: NDArray[Any], roles: int) -> Floats:
    """Mean value of each role's seats in each block, float64 ``(B, R)``; for the arguments see `role_sums`.

    Raises `ValueError` if a role does not occur in a block, as it may with drafted roles.
    """
    sums, counts = role_sums(games, values, roles)
    if (missing := np.argwhere(counts == 0)).size:
        block, role = missing[0].tolist()
        raise ValueError(f"block {block_numbers(games)[block]}: role {role} is in no game; each role has to be in one")
    means: Floats = sums / counts
    return means


def seat_blocks(games: Games, values: NDArray[Any]) -> Floats:
    """Mean value of each seat in each block, float64 ``(B, S)``; for the arguments see `role_sums`."""
    _check_values(games, values)
    numbers, rows = np.unique(games.block, return_inverse=True)
    counts = np.bincount(rows, minlength=len(numbers))
    columns = np.asarray(values, np.float64).T
    sums = [np.bincount(rows, weights=column, minlength=len(numbers)) for column in columns]
    means: Floats = np.array(sums).T / counts[:, None]
    return means


def power_blocks(
    games: Games, values: NDArray[Any], powerless: Games, powerless_values: NDArray[Any], role: int
) -> tuple[NDArray[np.int64], Floats]:
    """What a role's power is worth in each block: its seats' mean value minus that of the same seats without it.

    Args:
        games: games of the condition ``assigned``.
        values: ``(G, S)``, the value of each seat.
        powerless: games of the condition ``powerless``, in which the role's seat has no role.
        powerless_values: ``(H, S)``.
        role: the role.

    Returns:
        The numbers of the blocks, int64 ``(B,)``, and the mean differences, float64 ``(B, 1)``, between the paired
        games, which have the same block and order.

    Raises:
        ValueError: unless there is one value for each seat of each game, or if the games of a pair differ in other
            roles.
    """
    _check_values(games, values)
    _check_values(powerless, powerless_values)
    keys, others = (played.block.astype(np.int64) << 16 | played.order for played in (games, powerless))
    _, mine, theirs = np.intersect1d(keys, others, assume_unique=True, return_indices=True)
    seats = games.roles[mine] == role
    expected = np.where(seats, NOBODY, games.roles[mine])
    if not (seats.any(axis=1).all() and np.array_equal(expected, powerless.roles[theirs])):
        raise ValueError(f"role {role}: pairs of games have to differ in nothing but that its seat has no role")
    differences = (values[mine] - powerless_values[theirs])[seats]
    blocks, rows = np.unique(games.block[mine], return_inverse=True)
    means: Floats = np.bincount(rows, weights=differences, minlength=len(blocks)) / np.bincount(rows)
    return blocks.astype(np.int64), means[:, None]


def standard_errors(values: Floats) -> Floats:
    """Standard errors of the columns' means, float64 ``(M,)``, of values ``(B, M)``; NaN with fewer than two blocks."""
    if len(values) < 2:
        return np.full(values.shape[1], np.nan)
    # Rounded so that a constant column has the error 0, whatever the last digits of its mean.
    deviations = round_portably(values - values.mean(axis=0))
    errors: Floats = np.sqrt((deviations**2).sum(axis=0) / (len(values) - 1) / len(values))
    return errors


def simultaneous(
    strata: Sequence[NDArray[np.float64]],
    *,
    confidence: float = CONFIDENCE,
    samples: int = SAMPLES,
    seed: int = 0,
    limits: tuple[float, float] | None = None,
) -> list[list[Estimate]]:
    """Means of columns, with intervals that hold simultaneously with the given confidence; see the module.

    In each stratum whole blocks are resampled; different strata are resampled independently. Columns that come from the
    same games or seeds belong in one stratum, so that their dependence is taken into account. Treating dependent
    columns as independent makes the intervals longer rather than shorter, provided that the means are normal (Sidak,
    1967).

    Every stratum has its own critical value. All critical values belong to the same probability, by Student's
    distributions with the degrees of freedom of the strata. None is less than the critical value for a single mean,
    because with few blocks the bootstrap alone would give intervals that are too short.

    A constant column does not vary in the resamples. Its interval is the constant itself if ``limits`` is None. With
    limits, each end is moved towards its limit as if an unseen part p of all blocks had the value of the limit. The
    part is so small that ``(1 - p) ** B``, the probability of not seeing it in B blocks, is ``1 - confidence`` divided
    by twice the number of columns.

    Args:
        strata: arrays ``(B_k, M_k)``: for each stratum, a row for each block with the values that it contributes.
        confidence: above 0 and below 1.
        samples: number of resamples; fewer are drawn if there are very many blocks.
        seed: seed of the resampling.
        limits: the smallest and the largest value that a block can contribute; intervals are clipped to them. None for
            no limits.

    Returns:
        For each stratum the estimates of its columns. With fewer than two blocks the ends are NaN; without blocks the
        value is NaN too.

    Raises:
        ValueError: for arrays that are not two-dimensional or not finite, or arguments out of range.
    """
    if not 0 < confidence < 1:
        raise ValueError(f"confidence: expected a number above 0 and below 1, got {confidence}")
    if samples < 1:
        raise ValueError(f"samples: expected at least 1, got {samples}")
    arrays = [np.asarray(stratum, np.float64) for stratum in strata]
    for number, array in enumerate(arrays):
        if array.ndim != 2 or not np.isfinite(array).all():
            raise ValueError(f"stratum {number}: expected blocks x columns of finite numbers, got {array.shape}")
    most_blocks = max((len(array) for array in arrays), default=0)
    samples = max(min(samples, _LEAST_SAMPLES), min(samples, _MOST_DRAWS // max(1, most_blocks)))
    # The largest deviation of each resample among all strata, converted to a deviation of the normal distribution.
    largest = np.zeros(samples)
    for number, array in enumerate(arrays):
        varied = array[:, standard_errors(array) > 0]
        if varied.size:
            deviations = _largest_deviations(varied, samples, np.random.default_rng([seed, number]))
            np.maximum(largest, -ndtri(stdtr(len(array) - 1, -deviations)), out=largest)
    level = max(float(np.quantile(largest, confidence)), -float(ndtri((1 - confidence) / 2)))
    risk = (1 - confidence) / 2 / max(1, sum(array.shape[1] for array in arrays))
    return [_estimates(array, float(ndtr(-level)), risk, limits) for array in arrays]


def paired(
    numbers: NDArray[np.integer],
    values: NDArray[np.float64],
    other_numbers: NDArray[np.integer],
    other_values: NDArray[np.float64],
    *,
    confidence: float = CONFIDENCE,
    samples: int = SAMPLES,
    seed: int = 0,
    limits: tuple[float, float] | None = None,
) -> list[Estimate]:
    """Mean differences between two conditions on their common blocks, with simultaneous intervals.

    Args:
        numbers: ``(B,)``, the numbers of the first condition's blocks, see `block_numbers`.
        values: ``(B, M)``, the values that each of these blocks contributes.
        other_numbers: ``(C,)``, the numbers of the second condition's blocks.
        other_values: ``(C, M)``, the values that each of these blocks contributes.
        confidence: as for `simultaneous`.
        samples: as for `simultaneous`.
        seed: as for `simultaneous`.
        limits: as for `simultaneous`.

    Returns:
        M estimates of the first condition minus the second.

    Raises:
        ValueError: if the arrays do not fit together, or the conditions have no block in common.
    """
    if len(numbers) != len(values) or len(other_numbers) != len(other_values):
        raise ValueError(
            f"{len(numbers)} and {len(other_numbers)} blocks with {len(values)} and {len(other_values)} rows of values;"
            " one row for each block is needed"
        )
    common, mine, theirs = np.intersect1d(numbers, other_numbers, return_indices=True)
    if not len(common):
        raise ValueError("expected at least one block that both conditions have, got none")
    differences = values[mine] - other_values[theirs]
    (estimates,) = simultaneous([differences], confidence=confidence, samples=samples, seed=seed, limits=limits)
    return estimates


def _largest_deviations(values: Floats, samples: int, random: np.random.Generator) -> Floats:
    """The largest studentised deviation among the columns in each resample of the blocks, float64 ``(samples,)``."""
    blocks = len(values)
    scaled = (values - values.mean(axis=0)) / (standard_errors(values) * np.sqrt(blocks))
    terms = np.hstack([scaled, scaled**2])
    columns = scaled.shape[1]
    largest = np.empty(samples)
    at_once = max(1, _DRAWS_AT_ONCE // blocks)
    for first in range(0, samples, at_once):
        last = min(first + at_once, samples)
        # Counting drawn blocks is several times as fast as drawing from the multinomial distribution, and equivalent.
        drawn = random.integers(0, blocks, (last - first, blocks)) + blocks * np.arange(last - first)[:, None]
        weights = np.bincount(drawn.ravel(), minlength=drawn.size).reshape(drawn.shape).astype(np.float64)
        moments = weights @ terms / blocks
        means, squares = moments[:, :columns], moments[:, columns:]
        variances = (squares - means**2) * (blocks / (blocks - 1))
        deviations = np.abs(means) * np.sqrt(blocks / np.maximum(variances, _LEAST_VARIANCE))
        largest[first:last] = deviations.max(axis=1)
    return largest


def _estimates(values: Floats, tail: float, risk: float, limits: tuple[float, float] | None) -> list[Estimate]:
    """The estimates of a stratum; their intervals have the probability ``tail`` at each end."""
    blocks, columns = values.shape
    if not blocks:
        return [Estimate(np.nan, np.nan, np.nan)] * columns
    means = values.mean(axis=0)
    errors = standard_errors(values)
    lows = highs = np.full(columns, np.nan)
    if blocks > 1:
        widths = -float(stdtrit(blocks - 1, tail)) * errors
        lows, highs = means - widths, means + widths
        if limits is not None:
            unseen = np.where(errors > 0, 0.0, 1 - risk ** (1 / blocks))
            lows = np.maximum(lows - unseen * (means - limits[0]), limits[0])
            highs = np.minimum(highs + unseen * (limits[1] - means), limits[1])
    ends = np.array([means, lows, highs]).T
    return [Estimate(*end) for end in round_portably(ends).tolist()]


def _check_values(games: Games, values: NDArray[Any]) -> None:
    """Raise `ValueError` unless there is one value for each seat of each game."""
    if np.shape(values) != games.ranks.shape:
        raise ValueError(f"values: expected shape {games.ranks.shape}, games x seats, got {np.shape(values)}")
