"""Plackett-Luce ratings from games of any number of players, estimated from pairwise comparisons.

In the model of Luce (1959) and Plackett (1975) every agent has a strength. Each agent takes the first place with a
probability proportional to its strength, the second place is filled in the same way among the others, and so on. Every
ranking is broken into all its pairs, which estimates the strengths consistently (Azari Soufiani, Chen, Parkes, Xia,
2013) and turns the estimate into that of Bradley and Terry on a matrix of counts. A tie is half a win for both agents.
Copies of an agent are not compared.
"""

from __future__ import annotations

from dataclasses import dataclass

import choix
import numpy as np
from scipy.sparse.csgraph import connected_components
from scipy.special import expit

from dunaia_env.statistics.intervals import SAMPLES, Floats, Integers, resampled_sums, round_portably, tail_probability

# An agent rated 400 points above another is expected to finish before it ten times as often as after it.
SCALE = 400 / np.log(10)
# Every two agents that met get half a pseudo-win over each other, so that an agent that never lost has a finite rating.
PRIOR_WINS = 0.5
RATING_SAMPLES = SAMPLES // 5
_MOST_ITERATIONS = 10_000
_MOST_STEPS = 200
_LONGEST_STEP = 2.0
_TOLERANCE = 1e-6
# Ratings are in the hundreds, so fewer decimals than elsewhere give the same relative precision.
_DECIMALS = 6


@dataclass(frozen=True)
class Ratings:
    """Ratings of K agents: the natural logarithm of strength times 400 / ln 10.

    Attributes:
        values: float64 ``(K,)``, with mean zero in each group; NaN for an agent that met no other.
        low: lower ends of the intervals; also NaN with fewer than two blocks.
        high: upper ends of the intervals; also NaN with fewer than two blocks.
        groups: int64 ``(K,)``: the group of each agent; only ratings of the same group can be compared. An agent that
            met no other has a group of its own.
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
        agents: K, the number of agents.

    Returns:
        float64 ``(games, K, K)`` with zeros on the diagonal.
    """
    players = ranks.shape[1]
    counts = np.zeros((len(ranks), agents, agents))
    games = np.arange(len(ranks))
    for player in range(players):
        for other in range(players):
            if player != other:
                won = (ranks[:, player] < ranks[:, other]) + 0.5 * (ranks[:, player] == ranks[:, other])
                np.add.at(counts, (games, seating[:, player], seating[:, other]), won)
    counts[:, np.arange(agents), np.arange(agents)] = 0
    return counts


def fit(counts: Floats) -> Floats:
    """Natural ratings (logarithms of strength) of agents that all met, directly or through others.

    Args:
        counts: ``(K, K)``: wins of the row's agent over the column's.

    Returns:
        float64 ``(K,)`` with mean zero: the maximum-likelihood estimate with `PRIOR_WINS` added both ways for every two
        agents that met, by the spectral algorithm of Maystre and Grossglauser (2015).
    """
    prior = PRIOR_WINS * ((counts + counts.T) > 0)
    strengths: Floats = choix.ilsr_pairwise_dense(counts + prior, max_iter=_MOST_ITERATIONS)
    # The algorithm stops within 1e-8 of the maximum, at a point that depends on rounding; Newton's method refines it.
    (natural,) = fit_many((counts + prior)[None], strengths - strengths.mean(), np.ones_like(counts))
    ratings: Floats = natural
    return ratings


def fit_many(counts: Floats, start: Floats, same: Floats) -> Floats:
    """Maximum-likelihood ratings for many matrices at once, by Newton's method with steps of bounded length.

    Args:
        counts: ``(samples, K, K)``, each with wins both ways for every two agents that met.
        start: ``(K,)`` initial natural ratings.
        same: ``(K, K)``: 1 for two agents of the same group, else 0.

    Returns:
        float64 ``(samples, K)``, with mean zero in each group if ``start`` has it.
    """
    ratings = np.repeat(start[None], len(counts), axis=0)
    for _ in range(_MOST_STEPS):
        chances = expit(ratings[:, :, None] - ratings[:, None, :])
        surprises = counts * np.swapaxes(chances, 1, 2)
        gradient = surprises.sum(axis=2) - surprises.sum(axis=1)
        weights = (counts + np.swapaxes(counts, 1, 2)) * chances * np.swapaxes(chances, 1, 2)
        # The Hessian of a group is singular, because adding a constant to all ratings changes nothing; adding `same`
        # makes it regular and keeps their mean.
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

    Each resample also draws its pseudo-wins, from a gamma distribution with mean `PRIOR_WINS` (a Bayesian bootstrap
    with Jeffreys' prior on each pair). If an agent won every game, resampling blocks alone would show no uncertainty.

    Args:
        counts: ``(blocks, K, K)``, the counts of `count_pairs`, summed over each block.
        samples: number of resamples.
        seed: seed of the resampling.
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
        # A stream other than the resampling's, so that its draws and these are independent.
        wins = np.random.default_rng([seed, 1]).gamma(PRIOR_WINS, size=drawn.shape)
        drawn += np.maximum(wins, _TOLERANCE) * met
        ratings = fit_many(drawn, np.where(rated, values, 0.0), same)
        tail = tail_probability(blocks)
        low, high = np.where(rated, np.quantile(ratings, [tail, 1 - tail], axis=0), np.nan)
    values, low, high = (round_portably(SCALE * natural, _DECIMALS) for natural in (values, low, high))
    return Ratings(values, low, high, groups)
