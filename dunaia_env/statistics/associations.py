"""Associations of numbers with effects, tested by permutation, and the correction for many tests."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from dunaia_env.statistics.intervals import Floats, round_portably

PERMUTATIONS = 20_000
# The smallest p-value of a permutation test is 1 / (permutations + 1). Multiplied by the number of tests, it has to
# stay well below 5 %, so there are at least this many permutations for each test.
_PERMUTATIONS_A_TEST = 100
_VALUES_AT_ONCE = 4_000_000


def holm(p_values: NDArray[np.float64]) -> Floats:
    """P-values ``(N,)`` corrected for all N tests together, by the method of Holm (1979)."""
    order = np.argsort(p_values, kind="stable")
    factors = len(p_values) - np.arange(len(p_values))
    corrected = np.empty(len(p_values))
    corrected[order] = np.minimum(1, np.maximum.accumulate(factors * p_values[order]))
    return corrected


def associations_of(
    numbers: Floats, effects: Floats, groups: Sequence[Sequence[int]], permutations: int, seed: int
) -> tuple[Floats, Floats, Floats]:
    """Correlations of numbers ``(K, N)`` with effects ``(K, R)``, and p-values of the numbers and of G groups of them.

    Returns:
        Correlations and p-values ``(N, R)``, and the p-values of the groups ``(G, R)``.
    """
    one, other = _standardised(numbers), _standardised(round_portably(effects))
    correlations = one.T @ other
    members = np.zeros((len(groups), len(correlations)))
    for row, places in zip(members, groups, strict=True):
        row[list(places)] = 1
    tests = correlations.size
    if not tests:
        return correlations, np.ones_like(correlations), np.ones((len(groups), correlations.shape[1]))
    permutations = max(permutations, _PERMUTATIONS_A_TEST * tests)
    random = np.random.default_rng(seed)
    bounds = np.abs(round_portably(correlations))
    sums = round_portably(members @ bounds**2)
    extreme, extreme_sums = np.zeros(bounds.shape), np.zeros(sums.shape)
    at_once = max(1, _VALUES_AT_ONCE // max(tests, len(numbers)))
    for first in range(0, permutations, at_once):
        count = min(at_once, permutations - first)
        orders = random.permuted(np.broadcast_to(np.arange(len(numbers)), (count, len(numbers))), axis=1)
        for role in range(other.shape[1]):
            by_chance = np.abs(round_portably(other[:, role][orders] @ one))
            extreme[:, role] += (by_chance >= bounds[:, role]).sum(axis=0)
            extreme_sums[:, role] += (round_portably(by_chance**2 @ members.T) >= sums[:, role]).sum(axis=0)
    return correlations, (1 + extreme) / (1 + permutations), (1 + extreme_sums) / (1 + permutations)


def _standardised(values: Floats) -> Floats:
    """The columns of ``(K, N)`` with mean 0 and sum of squares 1; zeros for a constant column."""
    centred = values - values.mean(axis=0) if values.size else values
    centred = round_portably(centred)
    lengths = np.sqrt((centred**2).sum(axis=0))
    standard: Floats = np.divide(centred, lengths, out=np.zeros_like(centred), where=lengths > 0)
    return standard
