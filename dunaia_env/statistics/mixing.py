"""The part of a population whose true values lie in a range, from measurements with noise.

Each of K items has a true value, which is measured with a known standard error. Nothing is assumed about the shape of
the distribution of the true values:

- The estimate belongs to the distribution under which the measurements are most likely (Kiefer and Wolfowitz 1956,
  "Consistency of the maximum likelihood estimator in the presence of infinitely many incidental parameters"), which is
  computed on a grid by expectation maximisation (Laird 1978).
- The interval holds the parts of all distributions that agree with the measurements: those under which the distribution
  function of the measurements lies within a Kolmogorov-Smirnov band around the observed one (Ignatiadis and Wager 2022,
  "Confidence intervals for nonparametric empirical Bayes analysis"). Two linear programs find the smallest and the
  largest part. The interval covers with at least its confidence, for every distribution and number of items.

Measurements on common seeds have a part of their noise in common. The interval therefore also covers every value of
this common error up to its 99 % range, and its band has the rest of the confidence.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import linprog
from scipy.special import ndtr, ndtri
from scipy.stats import kstwo

from dunaia_env.statistics.intervals import CONFIDENCE, Estimate, Floats, round_portably

# Number of points of the grid on which true values lie, and how far it reaches beyond the measurements, in errors.
_POINTS, _BEYOND = 121, 3.0
_ITERATIONS = 300
# Probability that the common error lies outside the range that is covered, and number of its values that are tried.
_COMMON_RISK, _COMMON_VALUES = 0.01, 3
_LEAST_ERROR = 1e-6
# The linear programs are solved to seven decimals, so fewer are kept.
_DECIMALS = 5


def part_inside(
    measured: Floats,
    errors: Floats,
    low: float,
    high: float,
    *,
    correlation: float = 0.0,
    confidence: float = CONFIDENCE,
) -> Estimate:
    """The part of a population whose true values lie from ``low`` to ``high``.

    Args:
        measured: float64 ``(K,)``, the measurements of K items that were drawn from the population.
        errors: float64 ``(K,)``, their standard errors, at least 0.
        low: lower end of the range; it may be infinite.
        high: upper end of the range; it may be infinite.
        correlation: correlation of the noise of any two measurements, 0..1.
        confidence: confidence of the interval, above 0 and below 0.99.

    Returns:
        The part, 0..1, with its interval; all NaN with fewer than two items.
    """
    if len(measured) < 2:
        return Estimate(np.nan, np.nan, np.nan)
    errors = np.maximum(errors, _LEAST_ERROR)
    reach = _BEYOND * float(errors.max())
    grid = np.linspace(measured.min() - reach, measured.max() + reach, _POINTS)
    # Few measurements leave room for true values far from all of them.
    grid = np.concatenate([[end for end in (low - reach, high + reach) if np.isfinite(end)], grid])
    inside = (grid >= low) & (grid <= high)
    value = float(_most_likely(measured, errors, grid)[inside].sum())
    if correlation > 0:
        most = -float(ndtri(_COMMON_RISK / 2)) * np.sqrt(correlation) * float(errors.mean())
        shifts, risk = np.linspace(-most, most, _COMMON_VALUES), 1 - confidence - _COMMON_RISK
    else:
        shifts, risk = np.zeros(1), 1 - confidence
    own = errors * np.sqrt(1 - min(correlation, 1.0))
    ends = [_ends(measured - shift, np.maximum(own, _LEAST_ERROR), grid, inside, risk) for shift in shifts]
    least, most_inside = min(end[0] for end in ends), max(end[1] for end in ends)
    found = round_portably([value, min(least, value), max(most_inside, value)], _DECIMALS)
    return Estimate(*found.tolist())


def _most_likely(measured: Floats, errors: Floats, grid: Floats) -> Floats:
    """The distribution on the grid ``(J,)`` under which the measurements are most likely."""
    deviations = (measured[:, None] - grid) / errors[:, None]
    # Divided by the largest density of each row, which changes no weight.
    densities = np.exp(-0.5 * (deviations**2 - (deviations**2).min(axis=1, keepdims=True)))
    weights: Floats = np.full(len(grid), 1 / len(grid))
    for _ in range(_ITERATIONS):
        weights = weights * (densities / (densities @ weights)[:, None]).mean(axis=0)
    return weights


def _ends(
    measured: Floats, errors: Floats, grid: Floats, inside: NDArray[np.bool_], risk: float
) -> tuple[float, float]:
    """The smallest and the largest part inside among the distributions that agree with the measurements."""
    count = len(measured)
    band = float(kstwo.ppf(1 - risk, count))
    points = np.sort(measured)
    # The distribution function of the measurements at each of them, for each true value.
    predicted = ndtr((points[:, None, None] - grid[None, :, None]) / errors[None, None, :]).mean(axis=2)
    places = np.arange(count)
    bounds = np.concatenate([places / count + band, band - (places + 1) / count])
    limits = np.concatenate([predicted, -predicted])
    goal = inside.astype(np.float64)
    ends = []
    for sign in (1.0, -1.0):
        found = linprog(sign * goal, limits, bounds, np.ones((1, len(grid))), [1.0], (0.0, 1.0), method="highs")
        if not found.success:  # no distribution agrees with the measurements, which has the probability of the risk
            return 0.0, 1.0
        ends.append(sign * found.fun)
    return min(max(ends[0], 0.0), 1.0), min(max(ends[1], 0.0), 1.0)
