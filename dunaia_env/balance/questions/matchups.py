"""Match-ups: how roles do against each other, and what their strengths do not explain.

The match-up of two roles is the share of the games at a common table in which the first finished before the second,
with a tie as half. A Plackett-Luce model (Luce 1959, Plackett 1975) with a strength for each role and one for each seat
predicts it: every ranking is broken into its pairs (Azari Soufiani, Chen, Parkes, Xia, 2013, "Generalized method-of-
moments for rank aggregation"), and a role in a seat finishes before another with the logistic function of the
difference of their strengths. Without the seats, unequal seats would pull the strengths of the roles together. The
standard errors come from the contributions of the blocks to the estimating equations (Liang and Zeger 1986,
"Longitudinal data analysis using generalized linear models"), so games of a block may depend on one another.

The difference from the prediction is the *residual*: a role counters another one if it does better against it than
their strengths predict. Noise alone leaves residuals too, so a counter is claimed only where the interval of the
residual excludes 0. These intervals are simultaneous over all pairs.

The first seats win more often than the last ones, so the games of a pair say little until the pair has met in all
seats. Each game is therefore shown with the mean difference between its two seats subtracted.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import expit, ndtr, stdtrit

from dunaia_env.balance.games import Games
from dunaia_env.balance.study import Study
from dunaia_env.balance.wording import NO_ENTRY, NOT_PLAYED, cell, label_of, number, percent, players_words, role_labels
from dunaia_env.reports.parts import ReportTable, Section, TableCell, table_row
from dunaia_env.statistics.intervals import (
    CONFIDENCE,
    SAMPLES,
    Estimate,
    Floats,
    Integers,
    block_estimates,
    resampled_sums,
    round_portably,
)
from dunaia_env.statistics.ratings import PRIOR_WINS, SCALE, Ratings, count_pairs
from dunaia_env.support.english import listed

_MOST_STEPS, _LONGEST_STEP, _PRECISE = 200, 2.0, 1e-9
# Ratings are in the hundreds, so fewer decimals than elsewhere give the same relative precision.
_DECIMALS = 6


@dataclass(frozen=True)
class Pair:
    """How one role does against another.

    Attributes:
        role: number of the role.
        other: number of the other role, greater than ``role``.
        games: number of games in which they met.
        share: how often the role finished before the other, 0..1, with an interval of its own.
        expected: the share that their strengths predict.
        residual: ``share`` minus ``expected``, with an interval that is simultaneous over all pairs.
        p_value: probability that chance makes the largest residual of all pairs at least as large as this one, if
            strengths explain everything.
        counter: whether one of the two does better than the strengths predict: the interval of the residual excludes 0.
    """

    role: int
    other: int
    games: int
    share: Estimate
    expected: float
    residual: Estimate
    p_value: float
    counter: bool


@dataclass(frozen=True)
class Matchups:
    """The match-ups of R roles.

    Attributes:
        roles: R, the number of roles.
        strengths: ratings of the roles, with the seats in the model; each interval holds on its own.
        seats: ratings of the seats, in the same way.
        pairs: every two roles that met.
        unexplained: part of the variation of the match-ups that strengths do not explain, 0..1: the weighted sum of
            squared residuals divided by that of squared deviations from one half, each without the contribution of the
            noise. It corresponds to the ratio of the cyclic part to the whole in Jiang, Lim, Yao and Ye (2011,
            "Statistical ranking and combinatorial Hodge theory"). NaN if there is no variation beyond noise.
        p_value: probability of a weighted sum of squared residuals at least as large as the observed one, if strengths
            explain everything. NaN with fewer than two blocks.
    """

    roles: int
    strengths: Ratings
    seats: Ratings
    pairs: tuple[Pair, ...]
    unexplained: float
    p_value: float

    @property
    def shares(self) -> Floats:
        """float64 ``(R, R)``: how often the row's role finished before the column's; NaN if they never met."""
        matrix = np.full((self.roles, self.roles), np.nan)
        for pair in self.pairs:
            matrix[pair.role, pair.other] = pair.share.value
            matrix[pair.other, pair.role] = round_portably(1 - pair.share.value)
        return matrix

    @property
    def counters(self) -> tuple[Pair, ...]:
        """The pairs in which one role counters the other, the clearest and largest first.

        A counter distorts the estimated strengths of its two roles, so smaller residuals of the opposite sign may
        appear between these two and the other roles.
        """
        found = [pair for pair in self.pairs if pair.counter]
        return tuple(sorted(found, key=lambda pair: (pair.p_value, -abs(pair.residual.value))))


def pair_counts(games: Games, roles: int) -> Floats:
    """How often each role finished before each other role in each block, with the mean seat differences subtracted.

    Args:
        games: games in which every seat has a role.
        roles: R, the number of roles.

    Returns:
        float64 ``(B, R, R)`` with zeros on the diagonal. An element and its mirror image sum to the number of games in
        which the two roles met. An element may be negative.

    Raises:
        ValueError: if a seat has no role or an unknown one.
    """
    if len(games) and not 0 <= games.roles.min() <= games.roles.max() < roles:
        raise ValueError(f"roles: expected 0..{roles - 1}, got {games.roles.min()}..{games.roles.max()} in the games")
    seats = games.seats
    ranks, seating = games.ranks.astype(np.int64), games.roles.astype(np.int64)
    counts = count_pairs(ranks, seating, roles)
    seat_means = count_pairs(ranks, np.broadcast_to(np.arange(seats), ranks.shape), seats).sum(axis=0)
    seat_means /= max(1, len(games))
    rows = np.arange(len(games))
    for one, other in itertools.permutations(range(seats), 2):
        counts[rows, seating[:, one], seating[:, other]] += 0.5 - seat_means[one, other]
    numbers, blocks = np.unique(games.block, return_inverse=True)
    sums = np.zeros((len(numbers), roles, roles))
    np.add.at(sums, blocks, counts)
    return sums


def match_ups(
    games: Games,
    roles: int,
    *,
    confidence: float = CONFIDENCE,
    samples: int = SAMPLES // 5,
    seed: int = 0,
) -> Matchups:
    """The match-ups of the roles in some games, see the module.

    Args:
        games: games of one condition in which every seat has a role, in complete blocks.
        roles: R, the number of roles.
        confidence: confidence of each share's own interval, and of all the residuals' intervals together.
        samples: number of resamples.
        seed: seed of the resampling.

    Raises:
        ValueError: if a seat has no role, or there are no games.
    """
    if not len(games):
        raise ValueError("expected at least one game, got none")
    counts = pair_counts(games, roles)
    blocks = len(counts)
    pairs = [(one, other) for one, other in itertools.combinations(range(roles), 2) if _met(counts)[one, other] > 0]
    ones, others = np.array(pairs).T
    played = counts[:, ones, others] + counts[:, others, ones]
    shares = block_estimates(counts[:, ones, others], played, confidence=confidence, samples=samples, seed=seed)
    model = _Model(games, roles, ones, others)
    observed = np.array([share.value for share in shares])
    residuals, weights = model.residuals, played.sum(axis=0)
    ends = np.full((len(pairs), 2), np.nan)
    p_values, p_value, unexplained = np.full(len(pairs), np.nan), np.nan, np.nan
    if blocks > 1:
        shown = (counts[:, ones, others] - observed * played) / weights
        rows = np.hstack([model.residual_rows / blocks, shown])
        errors, noise_of_shares = np.hsplit(resampled_sums(rows, samples=samples, seed=seed), 2)
        noise = errors.std(axis=0)
        largest = np.abs(np.divide(errors, noise, out=np.zeros_like(errors), where=noise > 0)).max(axis=1)
        # The bootstrap's standard deviation is too small by sqrt((n - 1) / n), and its distribution is normal, not
        # Student's.
        level = float(round_portably(np.quantile(largest, confidence)))
        factor = -float(stdtrit(blocks - 1, ndtr(-level))) * np.sqrt(blocks / (blocks - 1))
        ends = np.array([residuals - factor * noise, residuals + factor * noise]).T
        scaled = np.abs(np.divide(residuals, noise, out=np.zeros_like(residuals), where=noise > 0))
        scaled *= np.sqrt((blocks - 1) / blocks)
        p_values = (1 + (largest[:, None] >= round_portably(scaled)).sum(axis=0)) / (1 + len(largest))
        sum_of_squares = float((weights * residuals**2).sum())
        by_chance = (weights * errors**2).sum(axis=1) * (blocks / (blocks - 1))
        p_value = (1 + int((by_chance >= round_portably(sum_of_squares)).sum())) / (1 + len(by_chance))
        left, whole = (
            float((weights * values**2).sum() - (weights * drawn.var(axis=0)).sum())
            for values, drawn in ((residuals, errors), (observed - 0.5, noise_of_shares))
        )
        unexplained = min(1.0, max(0.0, left) / whole) if whole > 0 else np.nan
    intervals = [Estimate(*row) for row in round_portably(np.hstack([residuals[:, None], ends])).tolist()]
    return Matchups(
        roles=roles,
        strengths=model.ratings(slice(0, roles)),
        seats=model.ratings(slice(roles, None)),
        pairs=tuple(
            Pair(
                role=one,
                other=other,
                games=round(float(weights[place])),
                share=shares[place],
                expected=float(round_portably(observed[place] - residuals[place])),
                residual=intervals[place],
                p_value=float(round_portably(p_values[place])),
                counter=bool(intervals[place].low > 0 or intervals[place].high < 0),
            )
            for place, (one, other) in enumerate(pairs)
        ),
        unexplained=float(round_portably(unexplained)),
        p_value=float(round_portably(p_value)),
    )


def _met(counts: Floats) -> Floats:
    total = counts.sum(axis=0)
    met: Floats = total + total.T
    return met


class _Model:
    """Strengths of R roles and S seats, fitted to which of two roles in two seats finished first.

    Every two roles, and every two seats, get half a pseudo-win over each other, so that all strengths are finite.

    Attributes:
        natural: float64 ``(R + S,)``, logarithms of the strengths; those of the roles and of the seats have mean 0.
        rows: float64 ``(B, R + S)``, what each block contributes to their deviation from the true ones; mean 0.
        residuals: float64 ``(P,)``, for P pairs of roles, how much more often the first finished before the second than
            predicted.
        residual_rows: float64 ``(B, P)``, what each block contributes to the deviation of the residuals.
    """

    def __init__(self, games: Games, roles: int, ones: Integers, others: Integers) -> None:
        seats = games.seats
        wins, met = _seated_pairs(games, roles)
        design = _design(roles, seats)
        prior = np.array(
            [
                np.eye(roles + seats)[one] - np.eye(roles + seats)[other]
                for group in (range(roles), range(roles, roles + seats))
                for one, other in itertools.combinations(group, 2)
            ]
        )
        columns = np.vstack([design, prior])
        first = np.concatenate([wins.sum(axis=0), np.full(len(prior), PRIOR_WINS)])
        both = np.concatenate([met.sum(axis=0), np.full(len(prior), 2 * PRIOR_WINS)])
        # Adding a constant to all roles or all seats changes nothing; this keeps their means.
        kept = np.zeros((roles + seats, roles + seats))
        kept[:roles, :roles] = kept[roles:, roles:] = 1
        self.natural: Floats = np.zeros(roles + seats)
        for _ in range(_MOST_STEPS):
            chances = expit(columns @ self.natural)
            curvature = columns.T @ (columns * (both * chances * (1 - chances))[:, None]) + kept
            step = np.linalg.solve(curvature, columns.T @ (first - both * chances))
            self.natural = self.natural + step * min(1.0, _LONGEST_STEP / max(float(np.abs(step).max()), _PRECISE))
            if np.abs(step).max() < _PRECISE:
                break
        chances = expit(design @ self.natural)
        surprises = wins - met * chances
        blocks = len(wins)
        self.rows: Floats = blocks * (surprises @ design) @ np.linalg.inv(curvature)
        # Each cell counts for its pair of roles, with the sign of the order in which they sit.
        place = np.full((roles, roles), -1)
        place[ones, others] = place[others, ones] = np.arange(len(ones))
        one, other = (np.argmax(design[:, :roles] == sign, axis=1) for sign in (1, -1))
        of_pair = np.zeros((len(design), len(ones)))
        valid = (one != other) & (place[one, other] >= 0)
        of_pair[np.flatnonzero(valid), place[one, other][valid]] = np.where(one < other, 1.0, -1.0)[valid]
        counts = met.sum(axis=0) @ np.abs(of_pair)
        self.residuals: Floats = surprises.sum(axis=0) @ of_pair / counts
        slopes = (design * (met.sum(axis=0) * chances * (1 - chances))[:, None]).T @ of_pair / counts
        own = blocks * (surprises @ of_pair) / counts - self.residuals
        self.residual_rows: Floats = own - self.rows @ slopes

    def ratings(self, chosen: slice) -> Ratings:
        """The ratings of the roles or of the seats, each with an interval of its own."""
        blocks = len(self.rows)
        values, half = self.natural[chosen] * SCALE, np.full(len(self.natural[chosen]), np.nan)
        if blocks > 1:
            quantile = -float(stdtrit(blocks - 1, (1 - CONFIDENCE) / 2))
            half = quantile * SCALE * self.rows[:, chosen].std(axis=0, ddof=1) / np.sqrt(blocks)
        low, value, high = (round_portably(ends, _DECIMALS) for ends in (values - half, values, values + half))
        return Ratings(value, low, high, np.zeros(len(values), np.int64))


def _seated_pairs(games: Games, roles: int) -> tuple[Floats, Floats]:
    """How often the role in the first of two seats finished before that in the second, and how often they met.

    Returns:
        Two arrays float64 ``(B, C)``, with a cell for each pair of seats, role in the first and role in the second; see
        `_design`. A tie counts as half.
    """
    numbers, blocks = np.unique(games.block, return_inverse=True)
    pairs = list(itertools.combinations(range(games.seats), 2))
    size = len(pairs) * roles * roles
    wins, met = np.zeros(len(numbers) * size), np.zeros(len(numbers) * size)
    for place, (one, other) in enumerate(pairs):
        first, second = games.roles[:, one].astype(np.int64), games.roles[:, other].astype(np.int64)
        cells = blocks * size + (place * roles + first) * roles + second
        ahead = np.sign(games.ranks[:, other].astype(np.float64) - games.ranks[:, one])
        wins += np.bincount(cells, weights=0.5 + 0.5 * ahead, minlength=len(wins))
        met += np.bincount(cells, minlength=len(met))
    return wins.reshape(-1, size), met.reshape(-1, size)


def _design(roles: int, seats: int) -> Floats:
    """The difference of strengths in each cell of `_seated_pairs`, float64 ``(C, R + S)``."""
    rows = []
    every = np.eye(roles + seats)
    for one, other in itertools.combinations(range(seats), 2):
        for first in range(roles):
            for second in range(roles):
                rows.append(every[first] - every[second] + every[roles + one] - every[roles + other])
    return np.array(rows)


def matchup_section(study: Study, matchups: Mapping[int, Matchups]) -> Section:
    """Who finishes ahead of whom, strengths of the roles, and what these leave unexplained."""
    title, roles = "Match-ups", study.game.require("roles")
    if not matchups:
        return Section(title, (NOT_PLAYED,))
    labels, tables, findings = role_labels(roles), [], []
    for players, found in sorted(matchups.items()):
        pair_of = {(pair.role, pair.other): pair for pair in found.pairs}
        ratings = found.strengths
        order = sorted(range(len(labels)), key=lambda role: -np.nan_to_num(ratings.values[role], nan=-np.inf))
        rows = []
        for role in order:
            cells = [_pair_cell(pair_of, role, other) for other in order]
            strength = Estimate(float(ratings.values[role]), float(ratings.low[role]), float(ratings.high[role]))
            rows.append(table_row(labels[role], cell(strength, 0, sign=True), *cells))
        columns = ("ahead of", "strength", *(labels[role] for role in order))
        tables.append(ReportTable(players_words(players), columns, tuple(rows)))
        findings.append(_matchup_finding(found, labels, players))
    text = (
        f"A cell shows how often the {roles.title} of the row finished ahead of that of the column at the same table. A"
        " tie counts as half, and the advantage of the better seat is removed. The second number in the cell is what"
        " the two strengths predict. The strength is a Plackett-Luce rating with mean 0 at equal seats: a lead of 400"
        " points means finishing ahead ten times as often as behind. ★ marks a pair that the strengths do not explain:"
        f" one counters the other. The player in every seat is {label_of(study.plan.strengths[-1])}."
    )
    return Section(title, (text, *findings), tuple(tables))


def _pair_cell(pair_of: Mapping[tuple[int, int], Pair], role: int, other: int) -> TableCell:
    if role == other:
        return TableCell("")
    pair = pair_of.get((min(role, other), max(role, other)))
    if pair is None:
        return NO_ENTRY
    mine = role == pair.role
    share, expected = (value if mine else 1 - value for value in (pair.share.value, pair.expected))
    return TableCell(f"{'★ ' if pair.counter else ''}{percent(share)}", percent(expected), 1 - 2 * share)


def _matchup_finding(found: Matchups, labels: Sequence[str], players: int) -> str:
    """What the strengths leave unexplained, as a sentence."""
    named = []
    for pair in found.counters:
        one, other = (pair.role, pair.other) if pair.residual.value > 0 else (pair.other, pair.role)
        points = number(100 * abs(pair.residual.value))
        named.append(f"{labels[one]} against {labels[other]} (ahead {points} points more often than predicted)")
    unexplained = percent(found.unexplained, 0)
    part = f"the strengths leave {unexplained} of the variation between pairs unexplained"
    chance = "the variation between pairs does not go beyond chance"
    begin = f"With {players_words(players)}, " + (part if unexplained != "–" else chance)
    counters = f"Known counters: {listed(named)}." if named else "No pair is known in which one counters the other."
    return f"{begin}. {counters}"
