"""Bootstrap intervals of means over blocks: games of a block depend on one another, so whole blocks are resampled.

The bootstrap is that of Efron (1979). Its percentile interval is widened as in Hesterberg (2015, "What teachers should
know about the bootstrap", section 4.3), because the plain one is too short by the factor ``sqrt((n - 1) / n) * z / t``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, stdtrit

from dunaia_env.support.typed_json import Measured

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

CONFIDENCE = 0.95
SAMPLES = 10_000
# At most this many random numbers, about a tenth of a second's worth, are drawn for the resamples. Above that there are
# fewer resamples, but at least a thousand: with a thousand, the standard error of an end is 4 % of the interval's
# half-width.
_MOST_DRAWS = 3_000_000
_LEAST_SAMPLES = 1000
_DRAWS_AT_ONCE = 4_000_000


# Decimals of a double-precision number that are the same on every machine; see `round_portably`.
DECIMALS = 9


def round_portably(values: ArrayLike, decimals: int = DECIMALS) -> Floats:
    """Numbers rounded so that they do not depend on the processor, without negative zeros.

    Numerical libraries choose the order of sums and the use of fused operations by processor, and their exponential
    functions differ in the last bit. The resulting noise is about 1e-15, but it decides how 97.75 is rounded to one
    decimal. Rounding to nine decimals first removes it: a result that is a short decimal, such as a share of a few
    thousand games, becomes exactly this decimal. Another result differs between machines only if it lies within the
    noise of a rounding boundary, and the printed number only if that boundary is within 1e-9 of a printed one: about
    one number in a trillion. Every number that is printed, or that decides a random draw, is rounded here.
    """
    return np.asarray(np.round(np.asarray(values, np.float64), decimals) + 0.0, np.float64)


class Estimate(NamedTuple):
    """A number and the ends of its interval; ``low`` and ``high`` are NaN if the data do not determine them."""

    value: float
    low: Measured
    high: Measured


def resampled_sums(rows: Floats, *, samples: int = SAMPLES, seed: int = 0) -> Floats:
    """Sums over blocks resampled with replacement.

    Args:
        rows: ``(blocks, numbers)``, the contribution of each block to each number.
        samples: number of resamples; fewer are drawn if there are very many different blocks.
        seed: seed of the resampling.

    Returns:
        ``(samples, numbers)``; all numbers of a resample come from the same blocks.
    """
    # Blocks often have few different values, so a resample draws how often each value occurs. The values are rounded so
    # that equal blocks are equal and in the same order on every machine; both affect the draws.
    values, counts = np.unique(round_portably(rows), axis=0, return_counts=True)
    samples = max(min(samples, _LEAST_SAMPLES), min(samples, _MOST_DRAWS // len(values)))
    random = np.random.default_rng(seed)
    sums = np.empty((samples, rows.shape[1]))
    at_once = max(1, _DRAWS_AT_ONCE // len(values))
    for first in range(0, samples, at_once):
        part = slice(first, min(first + at_once, samples))
        draws = random.multinomial(len(rows), counts / len(rows), part.stop - first)
        sums[part] = draws.astype(np.float64) @ values
    return sums


def tail_probability(blocks: int, confidence: float = CONFIDENCE) -> float:
    """The fraction of the resamples beyond each end of an interval: ``Phi(-sqrt(n / (n - 1)) * t)``.

    n is the number of blocks, at least 2. ``t`` is the ``1 - (1 - confidence) / 2`` quantile of Student's distribution
    with ``n - 1`` degrees of freedom.
    """
    t = -float(stdtrit(blocks - 1, (1 - confidence) / 2))
    return float(ndtr(-np.sqrt(blocks / (blocks - 1)) * t))


def block_estimates(
    sums: Floats,
    counts: Floats | None = None,
    *,
    shares: bool = False,
    confidence: float = CONFIDENCE,
    samples: int = SAMPLES,
    seed: int = 0,
) -> list[Estimate]:
    """Means over blocks, ``sum of sums / sum of counts``, with bootstrap intervals.

    With fewer than two blocks there is no interval. If the share is 0 in all blocks, or 1 in all, resampling shows no
    variation. The other end is then the share at which this many equal blocks have the probability
    ``(1 - confidence) / 2``.

    Args:
        sums: ``(blocks, numbers)``.
        counts: divisors of the sums, of the same shape; None for ones. A block with the count 0 does not contribute to
            that number; a number whose counts are all 0 is NaN.
        shares: whether the numbers are win shares, within 0..1.
        confidence: 0..1.
        samples: number of resamples.
        seed: seed of the resampling.
    """
    blocks, numbers = sums.shape
    counts = np.ones_like(sums) if counts is None else counts
    if not blocks:
        return [Estimate(np.nan, np.nan, np.nan)] * numbers
    with np.errstate(invalid="ignore", divide="ignore"):
        means = round_portably(sums.sum(axis=0) / counts.sum(axis=0))
        drawn = resampled_sums(np.hstack([sums, counts]), samples=samples, seed=seed)
        ratios = drawn[:, :numbers] / drawn[:, numbers:]
    estimates = []
    for number, mean in enumerate(means.tolist()):
        contributing = int(np.count_nonzero(counts[:, number]))
        ends = (np.nan, np.nan)
        if shares and mean in (0.0, 1.0):
            bound = ((1 - confidence) / 2) ** (1 / contributing)
            ends = (0.0, 1 - bound) if mean == 0 else (bound, 1.0)
        elif contributing > 1:
            finite = ratios[np.isfinite(ratios[:, number]), number]
            tail = tail_probability(contributing, confidence)
            ends = tuple(round_portably(np.quantile(finite, [tail, 1 - tail])).tolist())
        estimates.append(Estimate(mean, *ends))
    return estimates
