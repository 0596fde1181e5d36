"""Statistics of the arena on players of known strength: estimates find the truth, intervals cover it."""

from __future__ import annotations

import dataclasses
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import log_expit

from dunaia_env.arena.match import describe, win_share_interval
from dunaia_env.arena.records import Fault, Game, RecordsError, Table, order_count
from dunaia_env.arena.statistics import (
    adjusted_sums,
    fault_counts,
    results_of,
    seat_effect,
    thinking_time,
    variance_ratio,
)
from dunaia_env.statistics.intervals import block_estimates, resampled_sums, tail_probability
from dunaia_env.statistics.ratings import PRIOR_WINS, SCALE, count_pairs, fit, fit_many, rate
from dunaia_env.statistics.sequential import LEAST_BLOCKS, SequentialTest, log_likelihood_ratios
from tests.arena_runs import imagined_games, orders_of, run_of

pytestmark = pytest.mark.once

Floats = NDArray[np.float64]


def within(hits: float, trials: int, rate: float) -> bool:
    """Whether a number of hits is within 3.5 standard deviations of a binomial one (1 in 2,000 by chance)."""
    return abs(hits - trials * rate) <= 3.5 * np.sqrt(trials * rate * (1 - rate))


def covered(estimates: list[Any], truth: float) -> int:
    return sum(estimate.low <= truth <= estimate.high for estimate in estimates)


# Games, blocks, seats.


def game(table: int, block: int, order: int, seating: tuple[int, ...], ranks: tuple[int, ...], **fields: Any) -> Game:
    players = len(seating)
    content: dict[str, Any] = {
        "seed": block,
        "scores": tuple(10 * (players - rank) for rank in ranks),
        "rounds": 20,
        "stopped": False,
        "decisions": (100,) * players,
        "seconds": (1.0,) * players,
        "luck": (0.0,) * players,
        "faults": (),
        "actions": (),
    }
    return Game(table=table, block=block, order=order, seating=seating, ranks=ranks, **(content | fields))


@pytest.mark.parametrize("entrants", [(0, 1), (0, 0), (0, 1, 1), (0, 1, 2), (0, 1, 1, 1), (0, 0, 1, 1), (0, 1, 2, 3)])
def test_the_games_of_a_block(entrants: tuple[int, ...]) -> None:
    table = Table(len(entrants), entrants, 1)
    assert order_count(table) == len(orders_of(table))


def test_blocks_worked_out_by_hand() -> None:
    run = run_of(["a", "b"], [Table(2, (0, 1), 3), Table(3, (0, 1, 1), 2)])
    games = [
        game(0, 0, 1, (1, 0), (1, 1)),
        game(0, 0, 0, (0, 1), (1, 2)),
        game(0, 1, 0, (0, 1), (2, 1)),  # the other order of this block is missing
        game(0, 2, 0, (0, 1), (2, 1)),
        game(0, 2, 1, (1, 0), (2, 1)),
        game(1, 1, 0, (0, 1, 1), (1, 1, 3), scores=(40, 40, 10)),
        game(1, 1, 1, (1, 0, 1), (3, 1, 2), scores=(10, 50, 30)),
        game(1, 1, 2, (1, 1, 0), (1, 2, 2), scores=(60, 20, 20)),
    ]
    two = results_of(run, games, [0])
    assert (two.blocks, two.left_out, two.seed_count, two.played(0)) == (2, 1, 2, (4, 2))
    shares, seats = two.by_entrant(two.shares)
    np.testing.assert_allclose(shares, [[1.5, 0.5], [1, 1]])
    np.testing.assert_allclose(seats, 2)
    np.testing.assert_allclose(two.by_entrant(two.places)[0], [[1 + 1.5, 2 + 1.5], [3, 3]])
    assert [round(estimate.value, 9) for estimate in seat_effect(two)] == [0.375, 0.625]

    three = results_of(run, games, [1])
    assert (three.blocks, three.left_out, three.entrants) == (1, 0, [0, 1])
    shares, seats = three.by_entrant(three.shares)
    np.testing.assert_allclose(shares, [[1.5, 1.5]])
    np.testing.assert_allclose(seats, [[3, 6]])
    np.testing.assert_allclose(three.places, [[1.5, 1.5, 3], [3, 1, 2], [1, 2.5, 2.5]])
    np.testing.assert_allclose(three.margins, [[15, 15, -30], [-30, 30, 0], [40, -20, -20]])


def test_tables_that_share_a_seed_are_drawn_together() -> None:
    run = run_of(["a", "b", "c"], [Table(2, (0, 1), 4), Table(2, (0, 2), 3)])
    results = results_of(run, imagined_games(run, [0, 0, 0]), [0, 1])
    assert (results.seed_count, results.blocks, results.played(0), results.played(2)) == (4, 7, (14, 7), (6, 3))
    np.testing.assert_allclose(results.by_entrant(results.shares)[1], [[4, 2, 2]] * 3 + [[2, 2, 0]])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"seating": (0, 0)}, "seating \\(0, 0\\); the table has \\(0, 1\\)"),
        ({"order": 2}, "expected an order in 0..1, got 2"),
        ({"luck": (0.0,)}, "luck has 1 seats, not 2"),
    ],
)
def test_games_that_do_not_fit_their_table(change: dict[str, Any], message: str) -> None:
    run = run_of(["a", "b"], [Table(2, (0, 1), 1)])
    with pytest.raises(RecordsError, match=message):
        results_of(run, [dataclasses.replace(game(0, 0, 0, (0, 1), (1, 2)), **change)], [0])


def test_pace_and_faults() -> None:
    guilty = (Fault(1, 3, "time-out", "slow"), Fault(1, 9, "illegal", "no such action"))
    games = [
        game(0, 0, 0, (0, 1), (1, 2), seconds=(1.0, 30.0), decisions=(100, 10), faults=guilty),
        game(0, 0, 1, (1, 0), (2, 1), seconds=(0.0, 5.0), decisions=(0, 100)),
    ]
    pace = thinking_time(games, 0)
    assert pace is not None
    assert (pace.decisions, pace.mean) == (200, 0.03)
    assert pace.slow == pytest.approx(0.01 + 0.95 * 0.04)
    assert thinking_time(games, 1).mean == 3.0  # type: ignore[union-attr]
    assert thinking_time(games[1:], 1) is None
    assert fault_counts(games) == {(1, "time-out"): 1, (1, "illegal"): 1}


# Intervals.


def dependent_blocks(random: np.random.Generator, blocks: int, trials: int, games: int, truth: float) -> Floats:
    """Sums of wins ``(blocks, trials)`` of games whose chances vary from block to block around a mean."""
    chances = np.clip(truth + 0.25 * random.choice([-1, 1], size=(blocks, trials)), 0, 1)
    return random.binomial(games, chances).astype(np.float64)


@pytest.mark.parametrize(("blocks", "games"), [(12, 6), (60, 2), (200, 24)])
def test_intervals_cover(blocks: int, games: int) -> None:
    sums = dependent_blocks(np.random.default_rng(blocks), blocks, 1000, games, 0.4)
    estimates = block_estimates(sums, np.full_like(sums, games), shares=True, samples=2000)
    assert within(covered(estimates, 0.4), 1000, 0.95)


def test_intervals_over_games_instead_of_blocks_would_not_cover() -> None:
    wins = dependent_blocks(np.random.default_rng(1), 60, 300, 24, 0.4)
    share = wins.sum(axis=0) / (60 * 24)
    half = 1.96 * np.sqrt(share * (1 - share) / (60 * 24))
    assert np.mean(np.abs(share - 0.4) <= half) < 0.85


def test_intervals_of_seeds_with_different_numbers_of_games_cover() -> None:
    random = np.random.default_rng(3)
    games = random.integers(0, 4, (80, 1)) * np.ones((1, 1000))
    sums = random.binomial(games.astype(int), np.clip(random.normal(0.5, 0.2, games.shape), 0, 1)).astype(np.float64)
    assert within(covered(block_estimates(sums, games, shares=True, samples=2000), 0.5), 1000, 0.95)


def test_few_blocks_widen_the_tail() -> None:
    assert tail_probability(5) == pytest.approx(0.00095, abs=1e-5)  # Phi(-sqrt(5 / 4) * 2.776)
    assert tail_probability(100_000) == pytest.approx(0.025, abs=1e-5)


def test_intervals_without_data() -> None:
    nothing = block_estimates(np.zeros((0, 1)))[0]
    assert np.isnan(nothing).all()
    single = win_share_interval(np.array([0.5]))
    assert single.value == 0.5
    assert np.isnan(single[1:]).all()
    assert describe(single) == "50.0 %"
    assert win_share_interval(np.array([1.0])) == pytest.approx((1, 0.025, 1))
    absent = block_estimates(np.zeros((5, 1)), np.zeros((5, 1)), shares=True)[0]
    assert np.isnan(absent).all()


def test_resamples_take_all_numbers_of_a_block_together() -> None:
    rows = np.random.default_rng(0).random((7, 1)) * [1.0, 2.0]
    sums = resampled_sums(rows, samples=100)
    np.testing.assert_allclose(sums[:, 1], 2 * sums[:, 0])
    assert np.ptp(sums[:, 0]) > 0.5


# Ratings.

STRENGTHS = np.array([1.0, 0.5, 0.0, -1.5])


def ranks_of_players(random: np.random.Generator, games: int, strengths: Floats) -> NDArray[np.int64]:
    """Ranks of Plackett-Luce players: the order of exponential arrivals is that of Gumbel values."""
    values = strengths + random.gumbel(size=(games, len(strengths)))
    return (-values).argsort(axis=1).argsort(axis=1) + 1


def pairs_in_blocks(random: np.random.Generator, blocks: int, games: int) -> Floats:
    ranks = ranks_of_players(random, blocks * games, STRENGTHS)
    counts = count_pairs(ranks, np.tile(np.arange(4), (len(ranks), 1)), 4)
    return counts.reshape(blocks, games, 4, 4).sum(axis=1)


def test_ratings_recover_the_truth() -> None:
    found = rate(pairs_in_blocks(np.random.default_rng(0), 2000, 24), samples=200)
    truth = SCALE * (STRENGTHS - STRENGTHS.mean())
    np.testing.assert_allclose(found.values, truth, atol=6)
    assert (found.high - found.low < 20).all()
    assert found.values.mean() == pytest.approx(0, abs=1e-6)


@pytest.mark.long
def test_rating_intervals_cover() -> None:
    truth = SCALE * (STRENGTHS - STRENGTHS.mean())
    hits = np.zeros(4)
    for trial in range(300):
        found = rate(pairs_in_blocks(np.random.default_rng([1, trial]), 40, 6), samples=400, seed=trial)
        hits += (found.low <= truth) & (truth <= found.high)
    assert all(within(hit, 300, 0.95) for hit in hits), hits


def test_games_of_a_block_that_go_alike_are_one() -> None:
    once = pairs_in_blocks(np.random.default_rng(2), 100, 1)
    apart, alike = rate(np.repeat(once, 4, axis=0)), rate(4 * once)
    np.testing.assert_allclose(apart.values, alike.values)
    np.testing.assert_allclose((alike.high - alike.low) / (apart.high - apart.low), 2, atol=0.3)


def test_ratings_are_the_maximum_of_the_likelihood() -> None:
    counts = np.random.default_rng(3).integers(1, 30, (5, 5)).astype(np.float64)
    np.fill_diagonal(counts, 0)
    prior = PRIOR_WINS * (1 - np.eye(5))

    def loss(ratings: Floats) -> float:
        return -float(((counts + prior) * log_expit(ratings[:, None] - ratings)).sum())

    best = minimize(loss, np.zeros(5), tol=1e-12).x
    np.testing.assert_allclose(fit(counts), best - best.mean(), atol=1e-4)
    many = np.stack([counts + prior, 100 * (counts + prior), np.triu(1e5 * (counts + prior)) + prior])
    found = fit_many(many, np.zeros(5), np.ones((5, 5)))
    np.testing.assert_allclose(found[:2], [fit(counts)] * 2, atol=1e-6)
    np.testing.assert_allclose(found[2], fit(many[2] - prior), atol=1e-5)


def test_ties_are_half_and_copies_are_not_compared() -> None:
    counts = count_pairs(np.array([[1, 1, 3], [2, 1, 3]]), np.array([[0, 1, 1], [1, 0, 1]]), 2)
    np.testing.assert_array_equal(counts, [[[0, 1.5], [0.5, 0]], [[0, 2], [0, 0]]])


def test_who_won_every_game_has_a_rating_and_doubt() -> None:
    counts = np.zeros((50, 2, 2))
    counts[:, 0, 1] = 2
    found = rate(counts)
    best = SCALE * np.log((100 + PRIOR_WINS) / PRIOR_WINS) / 2
    np.testing.assert_allclose(found.values, [best, -best])
    assert 250 < found.low[0] < best < found.high[0] < 2000
    # About as unlikely to lose no game of a hundred as one wing of the interval says.
    chance = 1 / (1 + np.exp(-2 * found.low[0] / SCALE))
    assert 0.002 < chance**100 < 0.2


def test_who_never_met_is_not_compared() -> None:
    counts = np.zeros((20, 5, 5))
    counts[:, 0, 1], counts[:, 1, 0] = 2, 1
    counts[:, 2, 3], counts[:, 3, 2] = 1, 1
    found = rate(counts)
    assert found.groups.tolist() == [0, 0, 1, 1, 2]
    np.testing.assert_allclose(found.values[2:4], 0, atol=1e-6)
    assert found.values[0] == pytest.approx(-found.values[1])
    assert np.isnan([found.values[4], found.low[4], found.high[4]]).all()
    assert np.isfinite(found.low[:4]).all()
    assert np.isnan(rate(counts[:1]).low).all()


# The sequential test.


def stops(random: np.random.Generator, kind: str, truth: float, share0: float, share1: float) -> tuple[Floats, Floats]:
    """Final log likelihood ratios and numbers of blocks of many tests at once."""
    trials, most = 3000, 900
    if kind == "seats":  # the seats are unequal: one game of a block is easier than the other
        chances = np.clip(truth + np.array([0.3, -0.3]), 0, 1)
        shares = (random.random((trials, most, 2)) < chances).mean(axis=2)
    else:
        shares = (random.random((trials, most, int(kind))) < truth).mean(axis=2)
    blocks = np.arange(1.0, most + 1)
    ratios = log_likelihood_ratios(blocks, shares.cumsum(axis=1), (shares**2).cumsum(axis=1), share0, share1)
    out = np.abs(ratios) >= np.log(0.95 / 0.05)
    out[:, : LEAST_BLOCKS - 1] = False
    out[:, -1] = True
    last = out.argmax(axis=1)
    return ratios[np.arange(trials), last], last + 1.0


@pytest.mark.parametrize(
    ("kind", "share0", "share1"),
    [("2", 0.5, 0.55), ("2", 0.5, 0.7), ("seats", 0.5, 0.55), ("1", 0.5, 0.6), ("1", 0.5, 0.7), ("4", 0.25, 0.3)],
)
def test_the_sequential_test_errs_as_seldom_as_it_says(kind: str, share0: float, share1: float) -> None:
    random = np.random.default_rng(5)
    most = 3000 * 0.05 + 3.5 * np.sqrt(3000 * 0.05 * 0.95)
    first, blocks = stops(random, kind, share0, share0, share1)
    second, _ = stops(random, kind, share1, share0, share1)
    assert (first > 0).sum() <= most
    assert (second < 0).sum() <= most
    assert blocks.mean() < 600


def test_the_sequential_test_goes_on_until_a_bound() -> None:
    shares = np.random.default_rng(6).choice([0.0, 0.5, 1.0], size=2000, p=[0.2, 0.5, 0.3])
    test = SequentialTest(0.5, 0.55)
    ratios = log_likelihood_ratios(np.arange(1.0, 2001), shares.cumsum(), (shares**2).cumsum(), 0.5, 0.55)
    for share, ratio, following in zip(shares, ratios, [*ratios[1:], 0], strict=True):
        assert test.add(share) == test.decision
        assert test.log_likelihood_ratio == pytest.approx(ratio)
        if test.decision != "go on":
            break
        assert following == 0 or abs(ratio) < np.log(19) or test.blocks < LEAST_BLOCKS
    assert test.decision == "accept"
    assert test.log_likelihood_ratio >= np.log(19)
    blocks = test.blocks
    assert test.add(0.0) == "accept"
    assert test.blocks == blocks


@pytest.mark.parametrize(("share", "decision"), [(1.0, "accept"), (0.0, "reject"), (0.5, "go on")])
def test_blocks_without_variance_decide_too(share: float, decision: str) -> None:
    test = SequentialTest(0.5, 0.55)
    assert test.log_likelihood_ratio == 0
    decisions = [test.add(share) for _ in range(LEAST_BLOCKS)]
    assert decisions == ["go on"] * (LEAST_BLOCKS - 1) + [decision]
    if decision == "go on":  # nothing but halves: the lower share, once two imagined blocks weigh little
        assert [test.add(share) for _ in range(60)][-1] == "reject"


def test_the_sequential_test_takes_two_shares_in_order() -> None:
    with pytest.raises(ValueError, match=r"shares: expected two shares.*, got 0\.55 and 0\.5"):
        SequentialTest(0.55, 0.5)
    with pytest.raises(ValueError, match=r"alpha, beta: 0\.6, 0\.05"):
        SequentialTest(0.5, 0.55, alpha=0.6)


# Luck.


def lucky_blocks(random: np.random.Generator, blocks: int, weight: float) -> tuple[Floats, Floats]:
    """Mean shares and luck of a thousand matches ``(blocks, 1000)``; a share of luck makes them win."""
    luck = random.normal(size=(blocks, 1000, 2))
    wins = weight * luck + random.normal(size=luck.shape) * np.sqrt(1 - weight**2) < 0.2533471  # Phi: 0.6
    return wins.mean(axis=2), -0.1 * luck.mean(axis=2)


def test_luck_adjusted_results_are_right_and_worth_more_games() -> None:
    raw, luck = lucky_blocks(np.random.default_rng(7), 60, 0.8)
    ones = np.ones_like(raw)
    adjusted = adjusted_sums(raw, ones, luck)
    means = adjusted.mean(axis=0)
    assert abs(means.mean() - 0.6) < 4 * means.std() / np.sqrt(1000)
    # Phi of a bivariate normal variable: the correlation of wins and luck is 0.8 * phi(0.253) / sqrt(0.24) = 0.63.
    expected = 1 / (1 - 0.63**2)
    saved = raw.mean(axis=0).var() / means.var()
    assert saved == pytest.approx(expected, rel=0.15)
    assert np.median(variance_ratio(raw, adjusted, ones)) == pytest.approx(expected, rel=0.15)
    assert within(covered(block_estimates(adjusted, ones, shares=True, samples=1000), 0.6), 1000, 0.95)


def test_luck_that_explains_nothing_does_no_harm() -> None:
    random = np.random.default_rng(8)
    raw, _ = lucky_blocks(random, 60, 0.0)
    adjusted = adjusted_sums(raw, np.ones_like(raw), random.normal(size=raw.shape))
    assert adjusted.mean(axis=0).var() < 1.08 * raw.mean(axis=0).var()
    np.testing.assert_array_equal(adjusted_sums(raw, np.ones_like(raw), np.zeros_like(raw)), raw)
    np.testing.assert_array_equal(variance_ratio(raw, raw, np.ones_like(raw)), 1)


def test_the_adjustment_is_unbiased_where_one_estimated_from_all_blocks_is_not() -> None:
    # Result and luck are bent: a line fitted through the same blocks follows their luck.
    luck = np.random.default_rng(9).exponential(size=(20, 20_000)) - 1
    raw, ones, truth = luck**2, np.ones_like(luck), 1.0
    beta = ((raw - raw.mean(axis=0)) * (luck - luck.mean(axis=0))).mean(axis=0) / luck.var(axis=0)
    naive = (raw - beta * luck).mean(axis=0)
    crossed = adjusted_sums(raw, ones, luck).mean(axis=0)
    assert abs(naive.mean() - truth) > 8 * naive.std() / np.sqrt(20_000)
    assert abs(crossed.mean() - truth) < 4 * crossed.std() / np.sqrt(20_000)


def test_seeds_with_different_numbers_of_games_are_adjusted_too() -> None:
    random = np.random.default_rng(10)
    counts = random.integers(0, 3, (60, 1)) * np.ones((1, 1000))
    luck = random.normal(size=counts.shape) * counts
    sums = 0.4 * counts + luck + random.normal(size=counts.shape) * counts
    adjusted = adjusted_sums(sums, counts, luck)
    means = adjusted.sum(axis=0) / counts.sum(axis=0)
    assert abs(means.mean() - 0.4) < 4 * means.std() / np.sqrt(1000)
    assert np.median(variance_ratio(sums, adjusted, counts)) == pytest.approx(2, rel=0.15)


def test_too_few_seeds_are_not_adjusted() -> None:
    raw = np.random.default_rng(0).random((9, 2))
    np.testing.assert_array_equal(adjusted_sums(raw, np.ones_like(raw), raw - 0.5), raw)


def test_games_saved_without_any_variance() -> None:
    ones = np.ones((4, 2))
    raw = np.array([[1.0, 0.0], [1, 1], [1, 0], [1, 1]])
    assert variance_ratio(raw, np.full((4, 2), 0.5), ones).tolist() == [1.0, np.inf]


# All of it, on games.


def test_stronger_players_stand_higher_in_every_number() -> None:
    run = run_of(["a", "b", "c"], [Table(3, (0, 1, 2), 150)])
    results = results_of(run, imagined_games(run, [0.6, 0.0, -0.6], luck=1.0, seed=1), [0])
    for values, sign in ((results.shares, 1), (results.margins, 1), (results.places, -1)):
        sums, counts = results.by_entrant(values)
        estimates = block_estimates(sums, counts)
        assert all(sign * better.value > sign * worse.value for better, worse in pairwise(estimates))
    sums, counts = results.by_entrant(results.shares)
    luck, _ = results.by_entrant(results.luck)
    assert (variance_ratio(sums, adjusted_sums(sums, counts, luck), counts) > 1.15).all()
