"""Plackett-Luce ratings from games of any number of players, by way of pairs.

In the model of Luce (1959) and Plackett (1975) every agent has a strength; the first place falls to each with a chance
proportional to its strength, the second likewise among those left, and so on. Every ranking is broken into all its
pairs, which estimates the strengths consistently (Azari Soufiani, Chen, Parkes, Xia, 2013) and makes the estimate that
of Bradley and Terry on a matrix of counts. A tie is half a win for both. Copies of an agent are not compared.
"""

from __future__ import annotations

from dataclasses import dataclass

import choix
import numpy as np
from scipy.sparse.csgraph import connected_components
from scipy.special import expit

from dunaia_env.arena.intervals import SAMPLES, Floats, resampled_sums, settled, tail_of
from dunaia_env.arena.statistics import Integers

# An agent is expected to finish before another ten times as often as after it if it stands 400 above.
SCALE = 400 / np.log(10)
# Every two agents that met are given half an imagined win over each other, so that who never lost has a finite rating.
PRIOR_WINS = 0.5
RATING_SAMPLES = SAMPLES // 5
_MOST_ROUNDS = 10_000
_MOST_STEPS = 200
_LONGEST_STEP = 2.0
_TOLERANCE = 1e-6
# Ratings are some hundreds, so a decimal less than elsewhere is as exact; what they rest on is exact to 1e-12.
_DECIMALS = 6


@dataclass(frozen=True)
class Ratings:
    """Ratings of K agents, 400 / ln 10 for each natural unit of the logarithm of strength.

    Attributes:
        values: float64 ``(K,)``, of mean zero in each group; NaN for an agent that met no other.
        low: lower ends of the intervals; NaN as well with fewer than two blocks.
        high: upper ends.
        groups: int64 ``(K,)``: only ratings of the same group can be compared; one who met no other is alone in it.
    """

    values: Floats
    low: Floats
    high: Floats
    groups: Integers


def count_pairs(ranks: Integers, seating: Integers, agents: int) -> Floats:
    """How often each agent finished before each other one in each game, ties as half.

    Args:
        ranks: ``(games, players)``, from 1.
        seating: ``(games, players)``: the agent in each seat, 0..agents-1.
        agents: their number K.

    Returns:
        float64 ``(games, K, K)`` with zeros on the diagonal.
    """
    players = ranks.shape[1]
    counts = np.zeros((len(ranks), agents, agents))
    games = np.arange(len(ranks))
    for one in range(players):
        for other in range(players):
            if one != other:
                won = (ranks[:, one] < ranks[:, other]) + 0.5 * (ranks[:, one] == ranks[:, other])
                np.add.at(counts, (games, seating[:, one], seating[:, other]), won)
    counts[:, np.arange(agents), np.arange(agents)] = 0
    return counts


def fit(counts: Floats) -> Floats:
    """Natural ratings (logarithms of strength) of agents that all met, directly or through others.

    Args:
        counts: ``(K, K)``: wins of the row's agent over the column's.

    Returns:
        float64 ``(K,)`` of mean zero: the maximum of the likelihood with `PRIOR_WINS` added to every two that met, by
        the spectral algorithm of Maystre and Grossglauser (2015).
    """
    prior = PRIOR_WINS * ((counts + counts.T) > 0)
    strengths: Floats = choix.ilsr_pairwise_dense(counts + prior, max_iter=_MOST_ROUNDS)
    # It stops at a distance of 1e-8 that depends on where it comes from; Newton's method goes on to the point itself.
    (ratings,) = fit_many((counts + prior)[None], strengths - strengths.mean(), np.ones_like(counts))
    found: Floats = ratings
    return found


def fit_many(counts: Floats, start: Floats, same: Floats) -> Floats:
    """The maximum of the likelihood for many matrices at once, by Newton's method with steps of bounded length.

    Args:
        counts: ``(samples, K, K)``, each with wins both ways for every two that met.
        start: ``(K,)`` natural ratings to begin from.
        same: ``(K, K)``: 1 for two agents of the same group, else 0.

    Returns:
        float64 ``(samples, K)``, of mean zero in each group if ``start`` is.
    """
    ratings = np.repeat(start[None], len(counts), axis=0)
    for _ in range(_MOST_STEPS):
        chances = expit(ratings[:, :, None] - ratings[:, None, :])
        behind = counts * np.swapaxes(chances, 1, 2)
        gradient = behind.sum(axis=2) - behind.sum(axis=1)
        weights = (counts + np.swapaxes(counts, 1, 2)) * chances * np.swapaxes(chances, 1, 2)
        # The matrix of a group's agents has no inverse along "all alike"; adding `same` holds their mean.
        curvature = same - weights
        diagonal = np.arange(len(start))
        curvature[:, diagonal, diagonal] += weights.sum(axis=2)
        steps = np.linalg.solve(curvature, gradient[:, :, None])[:, :, 0]
        lengths = np.abs(steps).max(axis=1, keepdims=True)
        ratings += steps * np.minimum(1, _LONGEST_STEP / np.maximum(lengths, _TOLERANCE))
        if lengths.max() < _TOLERANCE:
            break
    return ratings


def rate(counts: Floats, *, samples: int = RATING_SAMPLES, seed: int = 0) -> Ratings:
    """Ratings with 95 % bootstrap intervals over blocks.

    Each resample draws its imagined wins too, from a gamma distribution of mean `PRIOR_WINS` (a Bayesian bootstrap with
    Jeffreys' prior on each pair): where an agent won every game, drawing blocks again alone would show no doubt at all.

    Args:
        counts: ``(blocks, K, K)``, what `count_pairs` says, summed over each block.
        samples: number of resamples.
        seed: of the resampling.
    """
    blocks, agents = counts.shape[:2]
    total = counts.sum(axis=0)
    met = (total + total.T) > 0
    groups = connected_components(met, directed=False)[1].astype(np.int64)
    same = (groups[:, None] == groups).astype(np.float64)
    values = np.full(agents, np.nan)
    for group in range(int(groups.max(initial=-1)) + 1):
        members = np.flatnonzero(groups == group)
        if len(members) > 1:
            values[members] = fit(total[np.ix_(members, members)])
    low, high = np.full(agents, np.nan), np.full(agents, np.nan)
    rated = np.isfinite(values)
    if blocks > 1 and rated.any():
        drawn = resampled_sums(counts.reshape(blocks, -1), samples=samples, seed=seed).reshape(-1, agents, agents)
        # Not the resampling's own seed: its draws would be tied to these.
        wins = np.random.default_rng([seed, 1]).gamma(PRIOR_WINS, size=drawn.shape)
        drawn += np.maximum(wins, _TOLERANCE) * met
        ratings = fit_many(drawn, np.where(rated, values, 0.0), same)
        tail = tail_of(blocks)
        low, high = np.where(rated, np.quantile(ratings, [tail, 1 - tail], axis=0), np.nan)
    values, low, high = (settled(SCALE * natural, _DECIMALS) for natural in (values, low, high))
    return Ratings(values, low, high, groups)
