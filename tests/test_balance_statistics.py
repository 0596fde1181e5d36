"""Statistics of the balance laboratory: design, estimates of blocks, intervals that hold together, verdicts."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections import Counter
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dunaia_env.balance import intervals
from dunaia_env.balance.design import (
    Condition,
    Lineup,
    block_lineups,
    cycle_length,
    design_length,
    games_in_block,
    lineups,
)
from dunaia_env.balance.games import CURVE_ROUNDS, Games
from dunaia_env.balance.intervals import (
    block_numbers,
    paired,
    power_blocks,
    role_blocks,
    role_sums,
    seat_blocks,
    simultaneous,
    standard_errors,
)
from dunaia_env.balance.questions.verdicts import (
    Trend,
    Verdict,
    blocks_to_decide,
    judge,
    status_of,
    trend_of,
    verdict_of,
)
from dunaia_env.balance.simulation import World, draw_games, planted_world
from dunaia_env.balance.wording import Status
from dunaia_env.statistics.intervals import Estimate

pytestmark = pytest.mark.once

Floats = NDArray[np.float64]
ROLES = 6


def games_of(rows: list[tuple[int, int, tuple[int, ...], tuple[int, ...]]]) -> Games:
    """Games with given blocks, orders, roles and ranks."""
    block, order, roles, ranks = zip(*rows, strict=True)
    count, seats = len(rows), len(roles[0])
    return Games(
        block=np.array(block, np.int32),
        order=np.array(order, np.int16),
        roles=np.array(roles, np.int8),
        ranks=np.array(ranks, np.int8),
        scores=np.array(ranks, np.int32),
        rounds=np.ones(count, np.int16),
        stopped=np.zeros(count, np.bool_),
        decisions=np.zeros(count, np.int32),
        curve=np.zeros((count, CURVE_ROUNDS, seats), np.int16),
        uses=np.zeros((count, seats), np.int16),
        offered=np.zeros((count, seats), np.uint16),
        events=np.zeros((count, seats, 0), np.int16),
        first_round=np.zeros((count, seats, 0), np.int16),
        first_seat=np.zeros((count, 0), np.int8),
    )


def no_games(seats: int = 2) -> Games:
    return games_of([(0, 0, tuple(range(seats)), (1,) * seats)])[np.zeros(1, np.bool_)]


def within(hits: float, trials: int, rate: float) -> bool:
    """Whether a number of hits is within 3.5 standard deviations of a binomial one (1 in 2,000 by chance)."""
    return bool(abs(hits - trials * rate) <= 3.5 * np.sqrt(trials * rate * (1 - rate)))


# The design.


@pytest.mark.parametrize(("roles", "players"), [(2, 2), (3, 2), (6, 2), (6, 3), (6, 4), (5, 5), (7, 3), (6, 5), (6, 6)])
def test_every_role_sits_in_every_seat_once_in_a_block(roles: int, players: int) -> None:
    cycle = design_length(roles, players)
    for block in range(cycle):
        seats = np.array(block_lineups(block, roles, players))
        assert seats.shape == (roles, players)
        assert [sorted(column) for column in seats.T.tolist()] == [list(range(roles))] * players
        assert all(len(set(row)) == players for row in seats.tolist())
    played = Counter(lineup for block in range(cycle) for lineup in block_lineups(block, roles, players))
    assert played == Counter(itertools.permutations(range(roles), players))
    assert block_lineups(cycle, roles, players) == block_lineups(0, roles, players)


@pytest.mark.parametrize(
    ("roles", "players", "together", "blocks"),
    [(6, 2, 2, 5), (6, 3, 3, 20), (6, 4, 4, 60), (6, 5, 3, 20), (6, 6, 3, 20), (7, 5, 2, 6), (7, 6, 2, 6)],
)
def test_companies_are_balanced_after_a_cycle(roles: int, players: int, together: int, blocks: int) -> None:
    assert cycle_length(roles, players) == blocks
    assert design_length(roles, players) % blocks == 0
    for cycle in range(min(3, design_length(roles, players) // blocks)):
        met = Counter(
            (seats, tuple(lineup[seat] for seat in seats))
            for block in range(cycle * blocks, (cycle + 1) * blocks)
            for lineup in block_lineups(block, roles, players)
            for seats in itertools.combinations(range(players), together)
        )
        assert len(met) == math.comb(players, together) * math.perm(roles, together)
        assert set(met.values()) == {1}


@pytest.mark.parametrize("players", [2, 3, 4])
def test_blocks_without_a_power_are_those_with_it(players: int) -> None:
    condition = Condition("powerless", "powerless", players, "greedy", 1, role=2)
    assigned = dataclasses.replace(condition, kind="assigned", role=-1)
    for block in range(cycle_length(ROLES, players)):
        games = {one.order: one.roles for one in lineups(assigned, block, ROLES)}
        powerless = list(lineups(condition, block, ROLES))
        assert (len(games), len(powerless)) == (ROLES, players)
        assert (games_in_block(assigned, ROLES), games_in_block(condition, ROLES)) == (ROLES, players)
        assert sorted(one.roles.index(-1) for one in powerless) == list(range(players))
        for one in powerless:
            assert games[one.order] == tuple(2 if role == -1 else role for role in one.roles)


@pytest.mark.parametrize("kind", ["drafted", "absent"])
def test_blocks_without_assigned_roles(kind: Any) -> None:
    condition = Condition("x", kind, 3, "greedy", 1)
    assert list(lineups(condition, 4, ROLES)) == [Lineup(0, ())]
    assert games_in_block(condition, ROLES) == 1


# What roles and seats reach in each block.


def test_blocks_worked_out_by_hand() -> None:
    games = games_of(
        [
            (7, 0, (0, 1), (1, 2)),
            (7, 1, (1, 2), (1, 1)),
            (7, 2, (2, 0), (2, 1)),
            (9, 0, (0, 2), (2, 1)),
            (9, 1, (1, 0), (2, 1)),
            (9, 2, (2, 1), (1, 2)),
        ]
    )
    assert block_numbers(games).tolist() == [7, 9]
    np.testing.assert_allclose(role_blocks(games, games.shares, 3), [[1, 0.25, 0.25], [0.5, 0, 1]])
    np.testing.assert_allclose(seat_blocks(games, games.shares), [[0.5, 0.5], [1 / 3, 2 / 3]])
    sums, counts = role_sums(games[:2], games.shares[:2], 4)
    np.testing.assert_allclose(sums, [[1, 0.5, 0.5, 0]])
    np.testing.assert_allclose(counts, [[1, 2, 1, 0]])


def test_seats_without_a_role_are_left_out() -> None:
    games = games_of([(0, 0, (-1, 1), (1, 2)), (0, 1, (0, -1), (1, 2))])
    sums, counts = role_sums(games, games.shares, 2)
    np.testing.assert_allclose([sums, counts], [[[1, 0]], [[1, 1]]])


def test_blocks_of_no_games() -> None:
    games = no_games()
    assert role_blocks(games, games.shares, 3).shape == (0, 3)
    assert seat_blocks(games, games.shares).shape == (0, 2)


def test_games_and_values_that_do_not_fit() -> None:
    games = games_of([(3, 0, (0, 1), (1, 2))])
    with pytest.raises(ValueError, match="block 3: role 2 is in no game"):
        role_blocks(games, games.shares, 3)
    with pytest.raises(ValueError, match=r"roles: 0\.\.1 in the games; -1\.\.0 allowed"):
        role_blocks(games, games.shares, 1)
    with pytest.raises(ValueError, match=r"values: expected shape \(1, 2\), games x seats, got \(1, 3\)"):
        seat_blocks(games, np.ones((1, 3)))


def test_what_a_power_is_worth() -> None:
    games = games_of([(0, 0, (0, 1), (1, 2)), (0, 1, (1, 2), (1, 2)), (0, 2, (2, 0), (2, 1)), (1, 0, (0, 2), (2, 1))])
    powerless = games_of([(0, 0, (-1, 1), (2, 1)), (0, 2, (2, -1), (1, 1)), (1, 0, (-1, 2), (2, 1))])
    blocks, worth = power_blocks(games, games.shares, powerless, powerless.shares, 0)
    assert blocks.tolist() == [0, 1]
    np.testing.assert_allclose(worth, [[(1 + 0.5) / 2], [0]])
    with pytest.raises(ValueError, match="role 1: pairs of games have to differ in nothing"):
        power_blocks(games, games.shares, powerless, powerless.shares, 1)
    other = dataclasses.replace(powerless, roles=np.array([(-1, 2), (2, -1), (-1, 2)], np.int8))
    with pytest.raises(ValueError, match="role 0: pairs of games have to differ in nothing"):
        power_blocks(games, games.shares, other, other.shares, 0)


# Intervals that hold together.


def dependent(random: np.random.Generator, blocks: int, columns: int) -> Floats:
    """Blocks of dependent columns with mean zero: shares of a few games that share luck."""
    luck = random.choice([-0.1, 0.1], size=(blocks, 1))
    return random.binomial(4, 0.4 + luck, (blocks, columns)) / 4 - 0.4


@pytest.mark.parametrize(("shapes", "trials"), [(((12, 6),), 600), (((150, 24),), 400), (((10, 6), (200, 12)), 400)])
def test_intervals_hold_together_in_95_percent(shapes: tuple[tuple[int, int], ...], trials: int) -> None:
    random = np.random.default_rng(sum(sum(shape) for shape in shapes))
    together = alone = 0
    for trial in range(trials):
        strata = [dependent(random, *shape) for shape in shapes]
        found = [one for stratum in simultaneous(strata, samples=400, seed=trial) for one in stratum]
        together += all(one.low <= 0 <= one.high for one in found)
        alone += found[0].low <= 0 <= found[0].high
    assert within(together, trials, 0.95)
    # An interval for one column alone would cover in 95 %.
    assert alone / trials > 0.97


def test_an_interval_of_one_column_is_as_short_as_students() -> None:
    values = np.random.default_rng(0).normal(3, 2, (400, 1))
    ((one,),) = simultaneous([values])
    assert one.value == pytest.approx(values.mean())
    assert (one.high - one.low) / 2 == pytest.approx(1.966 * standard_errors(values)[0], rel=0.03)
    ((two,),) = simultaneous([values[:2]])
    assert (two.high - two.low) / 2 >= 12.7 * standard_errors(values[:2])[0]


def test_dependent_columns_need_less_than_independent_ones() -> None:
    random = np.random.default_rng(1)
    equal = np.repeat(random.normal(size=(300, 1)), 12, axis=1)
    different = random.normal(size=(300, 12))

    def width(values: Floats) -> float:
        (found,) = simultaneous([values])
        return (found[0].high - found[0].low) / 2 / float(standard_errors(values)[0])

    assert width(equal) == pytest.approx(1.97, rel=0.03)
    assert width(different) == pytest.approx(2.89, rel=0.04)  # the 1 - 0.05 / 24 quantile, nearly
    split = simultaneous([different[:, :6], different[:, 6:]])
    assert split[0][0].high - split[0][0].low == pytest.approx(
        2 * width(different) * standard_errors(different)[0], rel=0.04
    )


def test_intervals_are_the_same_when_repeated() -> None:
    values = np.random.default_rng(2).random((80, 5))
    assert simultaneous([values], seed=4) == simultaneous([values.copy()], seed=4)
    assert simultaneous([values], seed=4) != simultaneous([values], seed=5)


def test_very_many_blocks_are_resampled_less_often(monkeypatch: pytest.MonkeyPatch) -> None:
    values = np.random.default_rng(8).random((40, 4))
    often = simultaneous([values], samples=3000)
    monkeypatch.setattr(intervals, "_MOST_DRAWS", 40 * 2000)
    assert simultaneous([values], samples=3000) == simultaneous([values], samples=2000) != often
    monkeypatch.setattr(intervals, "_MOST_DRAWS", 1)
    assert simultaneous([values], samples=3000) == simultaneous([values], samples=1000)
    assert simultaneous([values], samples=100) != simultaneous([values], samples=1000)


def test_intervals_without_data() -> None:
    ((none, other),) = simultaneous([np.empty((0, 2))])
    assert np.isnan(none).all()
    assert np.isnan(other).all()
    ((one,),) = simultaneous([np.ones((1, 1))])
    assert one.value == 1
    assert np.isnan([one.low, one.high]).all()
    assert simultaneous([]) == []
    # A stratum without data leaves the others as they are.
    values = np.random.default_rng(3).random((50, 2))
    assert simultaneous([values, np.empty((0, 3))])[0] == simultaneous([values])[0]


def test_intervals_of_constant_columns() -> None:
    values = np.random.default_rng(4).random((50, 3))
    values[:, 1] = 0.1
    ((one, constant, _),) = simultaneous([values])
    assert constant == Estimate(0.1, 0.1, 0.1)
    assert one.low < one.value < one.high
    ((_, limited, _),) = simultaneous([values], limits=(0, 1))
    unseen = 1 - (0.025 / 3) ** (1 / 50)
    assert limited.low == pytest.approx(0.1 - unseen * 0.1)
    assert limited.high == pytest.approx(0.1 + unseen * 0.9)
    ((whole, *_),) = simultaneous([np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]])], limits=(0, 1))
    assert (whole.low, whole.high) == (0, 1)


def test_one_rare_event_does_not_widen_the_other_intervals() -> None:
    values = np.random.default_rng(5).normal(size=(200, 6))
    (usual,) = simultaneous([values])
    values[:, 5] = np.arange(200) == 17
    (found,) = simultaneous([values])
    assert found[0].high - found[0].low < 1.1 * (usual[0].high - usual[0].low)


@pytest.mark.parametrize(
    ("values", "fields", "message"),
    [
        ([[0.0, np.nan]], {}, r"stratum 0: expected blocks x columns of finite numbers, got \(1, 2\)"),
        ([0.0, 1.0], {}, "stratum 0: expected blocks x columns of finite numbers, got .2,."),
        ([[0.0]], {"confidence": 1.0}, "confidence: expected a number above 0 and below 1, got 1.0"),
        ([[0.0]], {"samples": 0}, "samples: expected at least 1, got 0"),
    ],
)
def test_intervals_of_bad_input(values: Any, fields: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        simultaneous([np.array(values)], **fields)


def test_differences_on_common_blocks() -> None:
    random = np.random.default_rng(6)
    luck = random.normal(size=(300, 1))
    numbers = np.arange(300)
    one = luck + 0.1 * random.normal(size=(300, 2)) + [0.2, 0]
    other = luck + 0.1 * random.normal(size=(300, 2))
    found = paired(numbers[20:], one[20:], numbers[:250], other[:250])
    np.testing.assert_allclose([each.value for each in found], (one - other)[20:250].mean(axis=0), atol=1e-8)
    assert found[0].low > 0.15
    assert found[1].low < 0 < found[1].high
    # Without pairs the common luck would make the interval many times as long.
    assert found[0].high - found[0].low < 0.06
    with pytest.raises(ValueError, match="expected at least one block that both conditions have"):
        paired(numbers[:5], one[:5], numbers[5:], other[5:])
    with pytest.raises(ValueError, match="one row for each block is needed"):
        paired(numbers, one[:5], numbers, other)


# Verdicts.


@pytest.mark.parametrize(
    ("low", "high", "status", "verdict"),
    [
        (0.061, 0.09, "over", "clearly over"),
        (0.06, 0.09, "over", "over"),
        (0.031, 0.05, "over", "over"),
        (0.03, 0.05, "open", "slightly over"),
        (0.01, 0.031, "open", "slightly over"),
        (0.01, 0.03, "fine", "fine"),
        (-0.01, 0.02, "fine", "fine"),
        (-0.03, 0.03, "fine", "fine"),
        (-0.031, 0.02, "open", "undecided"),
        (-0.04, 0.04, "open", "undecided"),
        (-0.06, -0.03, "open", "slightly under"),
        (-0.06, -0.031, "under", "under"),
        (-0.09, -0.06, "under", "under"),
        (-0.09, -0.061, "under", "clearly under"),
        (np.nan, np.nan, "open", "undecided"),
    ],
)
def test_statuses_and_verdicts_say_where_the_interval_lies(
    low: float, high: float, status: Status, verdict: Verdict
) -> None:
    estimate = Estimate((low + high) / 2, low, high)
    assert status_of(estimate, 0.03) == status
    assert verdict_of(estimate, 0.03) == verdict


@pytest.mark.parametrize(
    ("change", "trend"),
    [
        (None, "not known"),
        (Estimate(0.1, 0.01, 0.19), "rises"),
        (Estimate(-0.1, -0.19, -0.01), "falls"),
        (Estimate(0.01, -0.01, 0.03), "steady"),
        (Estimate(0.02, 0.01, 0.03), "steady"),
        (Estimate(0.01, -0.01, 0.031), "not known"),
        (Estimate(0.1, np.nan, np.nan), "not known"),
    ],
)
def test_a_trend_says_how_an_effect_changes(change: Estimate | None, trend: Trend) -> None:
    assert trend_of(change, 0.03) == trend


def test_blocks_to_decide() -> None:
    assert blocks_to_decide(Estimate(0.0, -0.01, 0.01), 0.003, 100) == 0
    # Half the length and 0.84 standard errors have to shrink from 0.0652 to 0.03.
    assert blocks_to_decide(Estimate(0.0, -0.06, 0.06), 0.02, 100) == pytest.approx(
        100 * (0.07683 / 0.03) ** 2 - 100, abs=1
    )
    assert blocks_to_decide(Estimate(0.07, 0.01, 0.13), 0.02, 100) == pytest.approx(
        100 * (0.07683 / 0.04) ** 2 - 100, abs=1
    )
    assert blocks_to_decide(Estimate(-0.03, -0.05, -0.01), 0.005, 100) is None
    assert blocks_to_decide(Estimate(0.0, np.nan, np.nan), np.nan, 1) is None


def test_blocks_to_decide_decide_in_four_of_five_studies() -> None:
    random = np.random.default_rng(7)
    blocks, truth, deviation, trials = 200, 0.05, 0.3, 400
    error = deviation / np.sqrt(blocks)
    further = blocks_to_decide(Estimate(truth, truth - 2 * error, truth + 2 * error), error, blocks)
    assert further is not None
    error = deviation / np.sqrt(blocks + further)
    means = random.normal(truth, error, trials)
    decided = sum(status_of(Estimate(mean, mean - 2 * error, mean + 2 * error)) == "over" for mean in means.tolist())
    assert within(decided, trials, 0.8)


def study(effects: dict[int, float], blocks: int, *, strengths: int = 2, seed: int = 0) -> dict[tuple[int, str], Games]:
    return {
        (players, f"s{number}"): games
        for players, effect in effects.items()
        for number, games in enumerate(
            draw_games(planted_world(players, effect), blocks, strengths, seed=(seed, players))
        )
    }


NAMES = [f"role {number}" for number in range(ROLES)]


def test_a_planted_advantage_is_found_and_fair_roles_are_fine() -> None:
    verdicts = judge(study({2: 0.1, 3: -0.1}, 2500), NAMES, tolerance=0.05, samples=1000)
    assert [(one.players, one.role) for one in verdicts] == [(players, name) for players in (2, 3) for name in NAMES]
    assert [one.verdict for one in verdicts] == ["over", *["fine"] * 5, "under", *["fine"] * 5]
    assert [one.beginners for one in verdicts] == [one.verdict for one in verdicts]
    assert {one.trend for one in verdicts} == {"steady"}
    strong = verdicts[0]
    assert strong.statuses == {"s0": "over", "s1": "over"}
    assert strong.blocks == {"s0": 2500, "s1": 2500}
    assert strong.blocks_needed == 0
    for estimate in strong.estimates.values():
        assert estimate.low < 0.1 < estimate.high


def test_the_verdict_is_that_of_the_strongest_play() -> None:
    """Whatever the weakest level shows; how the effect changes is estimated on common blocks."""
    fair, planted = study({2: 0.0}, 2500, strengths=1), study({2: 0.15}, 2500, strengths=1)
    for weak, strong, verdict, beginners, trend in (
        (fair, planted, "clearly over", "fine", "rises"),
        (planted, fair, "fine", "clearly over", "falls"),
    ):
        games = {(2, "weak"): weak[2, "s0"].of_blocks(500, 2500), (2, "strong"): strong[2, "s0"]}
        one = judge(games, NAMES, samples=1000)[0]
        assert (one.verdict, one.beginners, one.trend) == (verdict, beginners, trend)
        assert one.strongest is one.estimates["strong"]
        assert one.change is not None
        assert one.change.low < (0.15 if trend == "rises" else -0.15) < one.change.high
    (alone, *_) = judge(planted, NAMES, samples=1000)
    assert (alone.verdict, alone.beginners, alone.change, alone.trend) == ("clearly over", None, None, "not known")


def test_effects_of_a_study_are_those_of_its_strengths_and_sum_to_zero() -> None:
    games = study({3: 0.05}, 50)
    verdicts = judge(games, NAMES, samples=100)
    for strength in ("s0", "s1"):
        values = [one.estimates[strength].value for one in verdicts]
        assert sum(values) == pytest.approx(0, abs=1e-7)
        means = role_blocks(games[3, strength], games[3, strength].shares, ROLES).mean(axis=0)
        np.testing.assert_allclose(values, means - 1 / 3, atol=1e-8)


def test_few_blocks_decide_nothing() -> None:
    verdicts = judge(study({4: 0.0}, 60), NAMES, samples=1000)
    assert {one.verdict for one in verdicts} == {"undecided"}
    assert all(one.blocks_needed is None or one.blocks_needed > 100 for one in verdicts)
    assert all(one.blocks_needed is None for one in judge(study({4: 0.0}, 1), NAMES))


def test_strengths_with_fewer_blocks_are_judged_too() -> None:
    games = study({2: 0.0}, 300)
    games[2, "s1"] = games[2, "s1"].of_blocks(0, 40)
    one = judge(games, NAMES, samples=1000)[0]
    lengths = [estimate.high - estimate.low for estimate in one.estimates.values()]
    assert one.blocks == {"s0": 300, "s1": 40}
    assert lengths[1] > 2 * lengths[0]


def test_judging_twice_is_judging_once() -> None:
    games = study({2: 0.0, 4: 0.0}, 40)
    assert judge(games, NAMES, samples=200) == judge(games, NAMES, samples=200)
    assert judge({}, NAMES) == []


def test_two_identical_roles_come_out_equal() -> None:
    seats = (0.8, 0.0, -0.4)
    world = World(3, (0.5, 0.1, 0.1, 0.0, -0.2, -0.4), seats)
    agreed = 0
    for seed in range(100):
        (games,) = draw_games(world, 200, 1, seed=seed)
        blocks = role_blocks(games, games.shares, ROLES)
        ((difference,),) = simultaneous([blocks[:, 1:2] - blocks[:, 2:3]], samples=300, seed=seed)
        agreed += difference.low <= 0 <= difference.high
    assert within(agreed, 100, 0.95)


def test_bad_studies_are_refused() -> None:
    games = study({2: 0.0}, 2)
    with pytest.raises(ValueError, match=r"s0: expected games of 3 players, got 2"):
        judge({(3, "s0"): games[2, "s0"]}, NAMES)
    with pytest.raises(ValueError, match=r"tolerance: expected a win share above 0.*, got 0"):
        judge(games, NAMES, tolerance=0)
