"""Intervals of means over blocks: games of a block depend on one another, so whole blocks are drawn again.

The bootstrap is that of Efron (1979); its percentile interval is widened as in Hesterberg (2015, "What teachers should
know about the bootstrap", section 4.3), because the plain one is too short by the factor ``sqrt((n - 1) / n) * z / t``.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, stdtrit

Floats = NDArray[np.float64]

CONFIDENCE = 0.95
SAMPLES = 10_000
# Above this many drawn numbers (a tenth of a second) there are fewer resamples, but never less than a thousand: an end
# that rests on a thousand is off by 4 % of the interval's half width (a standard deviation).
_MOST_DRAWS = 3_000_000
_LEAST_SAMPLES = 1000
_DRAWS_AT_ONCE = 4_000_000


# Of numbers with some sixteen digits so many decimals are the same on every machine, and never nearer than 5e-10 to a
# number of fewer decimals unless they are meant to be that number: see `settled`.
DECIMALS = 9


def settled(values: ArrayLike, decimals: int = DECIMALS) -> Floats:
    """Numbers without the last digits, which depend on the processor, and without negative zeros.

    Libraries add and multiply many numbers in an order, and with fused operations, that suit the processor, and their
    exponential functions differ in the last bit. That is noise of some 1e-15, but it decides how 97.75 is rounded to
    one decimal. Rounding to more decimals before takes it away: a result that is a short decimal, as a share of a few
    thousand games may be, becomes exactly this decimal, and any other one changes only if it lies within the noise of
    a boundary between two neighbours, which are 1e-9 apart, and these within 1e-9 of a boundary of what is printed:
    about one number in a trillion. Everything that is printed, or decides what is drawn, goes through here.
    """
    return np.asarray(np.round(np.asarray(values, np.float64), decimals) + 0.0, np.float64)


class Estimate(NamedTuple):
    """A number and the ends of its interval; ``low`` and ``high`` are NaN where the data say nothing about them."""

    value: float
    low: float
    high: float


def resampled_sums(rows: Floats, *, samples: int = SAMPLES, seed: int = 0) -> Floats:
    """Sums over blocks drawn again with replacement.

    Args:
        rows: ``(blocks, numbers)``, what each block adds to each number.
        samples: number of resamples; fewer are made of very many different blocks.
        seed: of the resampling.

    Returns:
        ``(samples, numbers)``; all numbers of a resample come from the same blocks.
    """
    # Blocks often take few different values, so a resample is a draw of how often each of them occurs.
    # Settled, so that equal blocks are equal, and in the same order, on every machine: both change what is drawn.
    values, counts = np.unique(settled(rows), axis=0, return_counts=True)
    samples = max(min(samples, _LEAST_SAMPLES), min(samples, _MOST_DRAWS // len(values)))
    random = np.random.default_rng(seed)
    sums = np.empty((samples, rows.shape[1]))
    at_once = max(1, _DRAWS_AT_ONCE // len(values))
    for first in range(0, samples, at_once):
        part = slice(first, min(first + at_once, samples))
        draws = random.multinomial(len(rows), counts / len(rows), part.stop - first)
        sums[part] = draws.astype(np.float64) @ values
    return sums


def tail_of(blocks: int, confidence: float = CONFIDENCE) -> float:
    """The part of the resamples beyond each end of an interval: ``Phi(-sqrt(n / (n - 1)) * t)``.

    ``t`` is the quantile of Student's distribution with ``n - 1`` degrees of freedom that leaves
    ``(1 - confidence) / 2`` beyond it, n the number of blocks, at least 2.
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

    With fewer than two blocks there is no interval. Where all blocks gave the share 0, or all 1, there is nothing to
    draw again: the open end is then the share at which so many equal blocks still have the chance
    ``(1 - confidence) / 2``.

    Args:
        sums: ``(blocks, numbers)``.
        counts: what the sums are divided by, of the same shape; ones for None. A block with the count 0 says nothing
            about that number; a number of which all counts are 0 is NaN.
        shares: whether the numbers are win shares, within 0..1.
        confidence: 0..1.
        samples: number of resamples.
        seed: of the resampling.
    """
    blocks, numbers = sums.shape
    counts = np.ones_like(sums) if counts is None else counts
    if not blocks:
        return [Estimate(np.nan, np.nan, np.nan)] * numbers
    with np.errstate(invalid="ignore", divide="ignore"):
        means = settled(sums.sum(axis=0) / counts.sum(axis=0))
        drawn = resampled_sums(np.hstack([sums, counts]), samples=samples, seed=seed)
        ratios = drawn[:, :numbers] / drawn[:, numbers:]
    estimates = []
    for number, mean in enumerate(means.tolist()):
        heard = int(np.count_nonzero(counts[:, number]))
        ends = (np.nan, np.nan)
        if shares and mean in (0.0, 1.0):
            reach = ((1 - confidence) / 2) ** (1 / heard)
            ends = (0.0, 1 - reach) if mean == 0 else (reach, 1.0)
        elif heard > 1:
            known = ratios[np.isfinite(ratios[:, number]), number]
            tail = tail_of(heard, confidence)
            ends = tuple(settled(np.quantile(known, [tail, 1 - tail])).tolist())
        estimates.append(Estimate(mean, *ends))
    return estimates
