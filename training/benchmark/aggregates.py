"""Statistics of a few trainings of a learning algorithm: interquartile means and their intervals.

The measures are those of Agarwal, Schwarzer, Castro, Courville, Bellemare, "Deep reinforcement learning at the edge of
the statistical precipice" (2021): the interquartile mean, the probability of improvement, and intervals by stratified
bootstrap, in which each resample contains every reference as often as the data do. Two things differ:

- In the paper, each task has its own trainings. Here one training is measured against every reference, so its scores
  are resampled together; resampled separately, they would count as more independent results than there are.
- In the paper, the scores of all tasks are pooled before the outer quarters are dropped. With a weak and a strong
  reference, that would drop the best scores against the weak one and the worst against the strong one. Here an
  interquartile mean is computed for each reference, and then the mean of these.

Scores are float64 ``(references, seeds)``.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dunaia_env.statistics.intervals import SAMPLES, Estimate, round_portably, tail_probability

Floats = NDArray[np.float64]


def interquartile_mean(values: Floats) -> Floats:
    """Mean of the middle half of the last axis, ``(…, N)`` to ``(…)``.

    If N is not a multiple of 4, the outer values count in part: of three values, the middle one has the weight 1 and
    the others 1/4. (`scipy.stats.trim_mean` would drop none of three values, which gives the plain mean.)
    """
    count = values.shape[-1]
    places = np.arange(count, dtype=np.float64)
    weights = np.clip(np.minimum(places + 1, 3 * count / 4) - np.maximum(places, count / 4), 0, None)
    means: Floats = np.sort(values, axis=-1) @ (weights / weights.sum())
    return means


def _drawn(scores: Floats, random: np.random.Generator, samples: int) -> Floats:
    """The scores with seeds resampled with replacement, ``(references, samples, seeds)``."""
    seeds = scores.shape[1]
    resampled: Floats = scores[:, random.integers(seeds, size=(samples, seeds))]
    return resampled


def _with_interval(value: float, drawn: Floats, seeds: int, confidence: float) -> Estimate:
    """A number with the percentiles of its resamples, widened for few seeds, see `dunaia_env.statistics.intervals`."""
    value = float(round_portably(value))
    if seeds < 2:
        return Estimate(value, np.nan, np.nan)
    tail = tail_probability(seeds, confidence)
    low, high = round_portably(np.quantile(drawn, [tail, 1 - tail])).tolist()
    return Estimate(value, low, high)


def interquartile_estimate(
    scores: Floats, *, confidence: float = 0.95, samples: int = SAMPLES, seed: int = 0
) -> Estimate:
    """Interquartile mean over seeds, averaged over the references, with its interval (NaN for a single seed).

    Args:
        scores: float64 ``(references, seeds)``.
        confidence: confidence level of the interval, 0..1.
        samples: number of resamples.
        seed: seed of the resampling.
    """
    drawn = interquartile_mean(_drawn(scores, np.random.default_rng(seed), samples)).mean(axis=0)
    return _with_interval(float(interquartile_mean(scores).mean()), drawn, scores.shape[1], confidence)


def _ahead(first: Floats, second: Floats) -> Floats:
    """Share of the pairs in which the first is ahead, averaged over references: ``(references, …, seeds)`` to ``(…)``.

    A tie counts half.
    """
    one, other = first[..., :, None], second[..., None, :]
    parts: Floats = ((one > other) + 0.5 * (one == other)).mean(axis=(-1, -2)).mean(axis=0)
    return parts


def probability_of_improvement(
    first: Floats, second: Floats, *, confidence: float = 0.95, samples: int = SAMPLES, seed: int = 0
) -> Estimate:
    """Probability that a training with the first algorithm is ahead of one with the second, averaged over references.

    This is the Mann-Whitney statistic; its interval resamples the seeds of both algorithms independently.

    Args:
        first: float64 ``(references, seeds)``, scores of the first algorithm.
        second: float64 ``(references, other seeds)``, scores of the second algorithm.
        confidence: confidence level of the interval, 0..1.
        samples: number of resamples.
        seed: seed of the resampling.
    """
    random = np.random.default_rng(seed)
    # Rounded, so that equal scores compare as equal on every machine.
    first, second = round_portably(first), round_portably(second)
    drawn = _ahead(_drawn(first, random, samples), _drawn(second, random, samples))
    seeds = min(first.shape[1], second.shape[1])
    return _with_interval(float(_ahead(first, second)), drawn, seeds, confidence)
