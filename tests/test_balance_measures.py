"""What the games of a study say, worked out by hand: shares, powers, skill, drafts, shapes and games of note."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dunaia_env.balance.averages import common_games, means, ratios, spread, sums_of_blocks
from dunaia_env.balance.games import CURVE_ROUNDS, Games
from dunaia_env.balance.questions.causes import firsts_of
from dunaia_env.balance.questions.draft import picks_of
from dunaia_env.balance.questions.evidence import FEATURES, STRANGEST, features, games_of_note
from dunaia_env.balance.questions.powers import power_of
from dunaia_env.balance.questions.shapes import lead_changes, leader_shares, shape_of, winning_margins
from dunaia_env.balance.questions.shares import shares_of
from dunaia_env.balance.questions.skill import agreement_of, between_agents, step_between
from dunaia_env.harness.seeds import block_seed
from dunaia_env.reports.parts import to_json_data
from dunaia_env.statistics.intervals import Estimate, block_estimates
from tests.balance_games import games_of

pytestmark = pytest.mark.once


def assigned(wins: Any, *, blocks: Any = None) -> Games:
    """Games of two players with roles 0 and 1, two in a block, in which ``wins[game]`` is the role that wins."""
    won = np.asarray(wins)
    count = len(won)
    roles = np.tile([[0, 1], [1, 0]], (count // 2, 1))
    block = np.repeat(np.arange(count // 2), 2) if blocks is None else np.asarray(blocks)
    return games_of(np.where(roles == won[:, None], 10, 4), roles=roles, block=block, order=np.arange(count) % 2)


# Averages


def test_averages_are_ratios_of_sums_over_blocks() -> None:
    games = games_of([[1, 0], [3, 0], [5, 0]], block=[0, 0, 4])
    assert sums_of_blocks(games, games.scores).tolist() == [[4.0, 0.0], [5.0, 0.0]]
    (first, _) = means(games, games.scores)
    assert first.value == 3.0
    counted = np.array([[True, True], [False, True], [True, True]])
    (first, _) = means(games, games.scores, counted)
    assert first.value == 3.0
    (first, _) = means(games, games.scores, np.array([[True, True], [True, True], [False, True]]))
    assert first.value == 2.0


def test_intervals_agree_with_the_bootstrap() -> None:
    random = np.random.default_rng(5)
    counts = random.integers(0, 4, size=(300, 2)).astype(np.float64)
    sums = random.binomial(counts.astype(np.int64), [0.3, 0.6]).astype(np.float64)
    for mine, other in zip(ratios(sums, counts, shares=True), block_estimates(sums, counts, shares=True), strict=True):
        assert mine.value == other.value
        assert mine.high - mine.low == pytest.approx(other.high - other.low, rel=0.05)
        assert mine.low == pytest.approx(other.low, abs=0.01)


def test_intervals_cover_at_their_rate() -> None:
    random = np.random.default_rng(11)
    covered = []
    for _ in range(60):
        found = ratios(random.exponential(size=(25, 20)))
        covered += [one.low <= 1.0 <= one.high for one in found]
    assert 0.90 <= np.mean(covered) <= 0.97


def test_shares_without_variation_have_the_intervals_of_the_bootstrap() -> None:
    sums, counts = np.array([[0.0, 1.0, 0.0]] * 20), np.array([[1.0, 1.0, 0.0]] * 20)
    never, always, missing = ratios(sums, counts, shares=True)
    expected = block_estimates(sums[:, :2], counts[:, :2], shares=True)
    assert never == pytest.approx(expected[0])
    assert always == pytest.approx(expected[1])
    assert all(math.isnan(number) for number in missing)
    assert ratios(np.ones((20, 1)))[0] == Estimate(1.0, 1.0, 1.0)
    alone = ratios(np.ones((1, 1)))[0]
    assert alone.value == 1.0
    assert math.isnan(alone.low)
    assert math.isnan(alone.high)


def test_bins_contain_their_lower_ends() -> None:
    found = spread(np.array([-3.0, -2.0, -0.5, 0.0, 1.9]), Estimate(0, 0, 0), 2)
    assert (found.least, found.width, found.counts) == (-4, 2, (1, 2, 2))
    assert found.quantiles[2] == -0.5


def test_common_games_have_the_same_block_and_order() -> None:
    one = games_of([[1, 0], [2, 0], [3, 0]], block=[0, 1, 1], order=[1, 0, 2])
    other = games_of([[4, 0], [5, 0], [6, 0]], block=[1, 1, 2], order=[2, 3, 1])
    first, second = common_games(one, other)
    assert (first.scores[:, 0].tolist(), second.scores[:, 0].tolist()) == ([3], [4])


# Roles


def test_shares_of_roles_by_seat() -> None:
    # Role 0 wins from seat 0 in three of four blocks, and from seat 1 in one; a tie shares the win.
    games = assigned([0, 1, 0, 1, 0, 0, 1, 1])
    found = shares_of(games, "assigned", 2, "greedy", 3)
    assert (found.blocks, found.games) == (4, 8)
    assert [seat.value for seat in found.seats] == [0.75, 0.25]
    zero, one, absent = found.roles
    assert (zero.share.value, one.share.value) == (0.5, 0.5)
    assert [share.value for share in zero.by_seat] == [0.75, 0.25]
    assert [share.value for share in one.by_seat] == [0.75, 0.25]
    assert (zero.games, absent.games) == (8, 0)
    assert math.isnan(absent.share.value)
    assert zero.margin.mean.value == 0.0
    assert zero.margin.quantiles[0] == -6.0
    assert sum(zero.margin.counts) == 8


def test_ties_share_the_win() -> None:
    games = games_of([[5, 5, 1], [3, 3, 3]], roles=[[0, 1, 2], [2, 0, 1]])
    found = shares_of(games, "assigned", 3, "greedy", 3)
    assert [round(role.share.value, 6) for role in found.roles] == [0.416667, 0.416667, 0.166667]


def test_seats_without_roles() -> None:
    found = shares_of(games_of([[5, 1], [2, 3]]), "absent", 2, "greedy", 6)
    assert found.roles == ()
    assert [seat.value for seat in found.seats] == [0.5, 0.5]


# Powers


def powers(with_power: Any, without: Any, uses: Any) -> tuple[Games, Games]:
    """Games with role 0 in seat 0, and the same without its power; each row has the scores of a game."""
    whole = games_of(with_power, roles=[[0, 1]] * len(with_power), uses=uses, rounds=[10] * len(with_power))
    return whole, games_of(without, roles=[[-1, 1]] * len(without))


def test_the_worth_of_a_power_is_the_difference_of_pairs() -> None:
    whole, without = powers([[9, 1]] * 30 + [[1, 9]] * 10, [[4, 1]] * 10 + [[1, 3]] * 30, [[3, 9]] * 40)
    found = power_of(whole, without, 0, "greedy")
    assert found.share.value == 0.5
    assert found.points.value == pytest.approx((30 * 9 + 10 - 10 * 4 - 30) / 40)
    assert (found.uses.value, found.uses_per_round.value, found.used.value) == (3.0, 0.3, 1.0)
    assert (found.pairs, found.pays) == (40, "pays")


def test_a_trap_is_used_and_worth_nothing() -> None:
    games = [[9, 1]] * 20 + [[1, 9]] * 20
    worse = [[1, 9]] * 40
    whole, without = powers(worse, games, [[1, 0]] * 40)
    assert power_of(whole, without, 0, "greedy").pays == "trap"
    whole, without = powers(games, games, [[1, 0]] * 40)
    assert power_of(whole, without, 0, "greedy").pays == "trap"
    whole, without = powers(worse, games, [[0, 1]] * 40)
    assert power_of(whole, without, 0, "greedy").pays == "unused"
    whole, without = powers([*games[:-1], [9, 1]], games, [[1, 0]] * 40)
    assert power_of(whole, without, 0, "greedy").pays == "open"


def test_use_is_known_without_the_pairs() -> None:
    whole, _ = powers([[9, 1]] * 4, [[9, 1]] * 4, [[0, 0], [2, 0], [0, 0], [0, 0]])
    found = power_of(whole, None, 0, "greedy")
    assert (found.pairs, found.pays, found.used.value, found.uses.value) == (0, "open", 0.25, 0.5)
    assert math.isnan(found.share.value)


# Skill


def test_steps_are_paired_on_common_blocks() -> None:
    weak = assigned([0, 1, 0, 1, 0, 0], blocks=[0, 0, 1, 1, 2, 2])
    strong = assigned([0, 0, 0, 1, 1, 1], blocks=[1, 1, 2, 2, 3, 3])
    found = step_between(weak, strong, ("greedy", "medium"), 2)
    # Blocks 1 and 2 are common: role 0 had shares 0.5 and 1, and then 1 and 0.5.
    assert found.blocks == 2
    assert [one.value for one in found.roles] == [0.0, 0.0]
    found = step_between(weak, weak, ("greedy", "greedy"), 2)
    assert found.roles[0] == Estimate(0.0, 0.0, 0.0)


def test_differences_between_agents_are_told_from_luck() -> None:
    random = np.random.default_rng(3)
    found = [between_agents(random.normal(size=(40, 1)) + random.normal(size=(40, 5))) for _ in range(100)]
    # The means of equal agents have the variance 1 / 40.
    assert np.mean(np.square(found)) < 0.5 / 40
    luck = random.normal(size=(4000, 1)) + random.normal(size=(4000, 5))
    agents = np.array([-0.4, -0.2, 0.0, 0.2, 0.4])
    assert between_agents(luck + agents) == pytest.approx(agents.std(ddof=1), rel=0.1)


def test_agents_agree_on_common_blocks() -> None:
    games = {"one": assigned([0, 1] * 5), "two": assigned([0, 0] * 3), "three": assigned([0, 1] * 4)}
    zero, one = agreement_of(games, 2)
    assert (zero.blocks, zero.agents) == (3, ("one", "two", "three"))
    assert (zero.shares, one.shares) == ((0.5, 1.0, 0.5), (0.5, 0.0, 0.5))
    assert zero.largest == 0.5
    assert zero.between == pytest.approx(np.std([0.5, 1.0, 0.5], ddof=1))
    assert agreement_of({"one": assigned([0, 1]), "two": assigned([0, 1])}, 2) == ()


# Draft


def test_picks_count_what_was_offered() -> None:
    # Seat 1 chooses first among roles 0, 1 and 2; seat 0 among the other two.
    games = games_of(
        [[9, 1], [1, 9], [9, 1]],
        roles=[[1, 0], [2, 0], [0, 2]],
        offered=[[0b110, 0b111], [0b110, 0b111], [0b011, 0b111]],
    )
    found = {(one.role, one.seat): one for one in picks_of(games, "greedy", 3)}
    assert found[0, None].offered == pytest.approx(4 / 6)
    assert (found[0, None].picked.value, found[0, 1].picked.value) == (0.75, pytest.approx(2 / 3))
    assert (found[0, 0].offered, found[0, 0].picked.value) == (pytest.approx(1 / 3), 1.0)
    assert found[0, None].share.value == pytest.approx(2 / 3)
    assert found[2, None].picked.value == pytest.approx(2 / 5)
    assert math.isnan(found[1, 1].share.value)
    assert picks_of(games_of([[1, 2]]), "greedy", 3) == ()


# Shape


def curve(*rounds: tuple[int, int]) -> list[tuple[int, int]]:
    return list(rounds)


def test_the_lead_changes_when_another_seat_alone_is_ahead() -> None:
    games = games_of(
        [[5, 6], [5, 6], [7, 7], [6, 5]],
        curve=[
            curve((0, 0), (1, 0), (1, 1), (0, 2)),  # seat 0, nobody, seat 1: one change
            curve((0, 0), (1, 0), (0, 2), (3, 2)),  # 0, 1, 0 and at the end 1: three
            curve((0, 0), (0, 0), (0, 2), (3, 3)),  # only seat 1 ever leads alone: none
            curve((0, 0), (1, 0), (2, 0), (3, 0)),
        ],
    )
    assert lead_changes(games).tolist() == [1, 3, 0, 0]


def test_the_final_lead_is_that_of_the_ranks() -> None:
    games = games_of([[7, 7], [7, 7]], curve=[curve((0, 1)), curve((0, 1))], ranks=[[1, 2], [2, 1]])
    assert lead_changes(games).tolist() == [1, 0]


def test_who_leads_wins() -> None:
    games = games_of(
        [[5, 6], [8, 6]],
        curve=[curve((0, 0), (1, 0), (2, 0), (3, 4)), curve((0, 0), (1, 1), (2, 0), (5, 4))],
    )
    chances = leader_shares(games)
    assert chances[:, :4].tolist() == [[0.5, 0.0, 0.0, 1.0], [0.5, 0.5, 1.0, 1.0]]
    found = shape_of(games, "absent", "greedy")
    assert found.leader_wins[:4] == (0.5, 0.25, 0.5, 1.0)
    # Four rounds were played, so half of the game is at the start of round 3.
    assert (found.comebacks.value, found.leader_wins_at[5]) == (0.5, 0.5)
    assert (found.leader_wins_at[0], found.leader_wins_at[-1]) == (0.5, 1.0)


def test_shared_wins_and_stopped_games() -> None:
    games = games_of([[5, 5, 1], [7, 3, 1]], stopped=[True, False], rounds=[8, 4])
    found = shape_of(games, "drafted", "greedy")
    assert (found.shared.value, found.stopped.value, found.length.mean.value) == (0.5, 0.5, 6.0)
    assert winning_margins(games).tolist() == [0, 4]
    assert found.winning_margin.mean.value == 2.0
    assert found.leader_wins_at[-1] == 0.75


def test_games_longer_than_the_curve_end_with_their_result() -> None:
    games = games_of([[9, 1]] * 3, rounds=[300] * 3)
    found = shape_of(games, "absent", "greedy")
    assert len(found.leader_wins) == CURVE_ROUNDS
    assert found.leader_wins_at[-1] == 1.0


# First causes


def test_who_does_it_first() -> None:
    games = games_of(
        [[9, 1], [9, 1], [1, 9], [9, 1]],
        first_seat=[[0, -1], [1, -1], [1, -1], [-1, -1]],
    )
    (found,) = firsts_of(games, "absent", "greedy", ("opens", "never happens"))
    assert (found.event, found.happened, found.share.value) == ("opens", 0.75, pytest.approx(2 / 3))
    assert found.seats == (pytest.approx(1 / 3), pytest.approx(2 / 3))
    # Seat 0 wins 75 % of the games, seat 1 the rest.
    assert found.expected == pytest.approx(0.75 / 3 + 0.25 * 2 / 3)


# Games of note


def strange_games() -> Games:
    random = np.random.default_rng(1)
    scores = random.integers(28, 33, size=(60, 2))
    rounds = random.integers(19, 22, size=60)
    decisions: NDArray[np.int64] = random.integers(98, 103, size=60)
    scores[7], rounds[7], decisions[7] = (30, 29), 20, 100
    rounds[41], scores[12, 0], decisions[3] = 55, 90, 180
    return games_of(scores, rounds=rounds, decisions=decisions)


def test_the_strangest_games_are_far_from_the_medians_and_say_why() -> None:
    games = strange_games()
    found = games_of_note(games, "greedy", 100, ("a", "b"))
    assert [one.name for one in found] == ["median", *(f"strangest-{place}" for place in range(1, STRANGEST + 1))]
    assert {one.block for one in found[1:4]} == {41, 12, 3}
    why = {one.block: one.why for one in found}
    assert why[41].startswith("rounds 55 (median 20)")
    assert "winning margin" in why[12]
    assert why[3].startswith("decisions 180 (median 100)")
    assert all(one.seed == block_seed(100, one.block) for one in found)
    distances = [one.distance for one in found[1:]]
    assert distances == sorted(distances, reverse=True)
    assert found[0].distance < min(distances)
    columns = features(games)
    assert columns.shape == (60, len(FEATURES))
    assert found[0].features == dict(zip(FEATURES, columns[found[0].block].astype(int).tolist(), strict=True))


def test_few_games_and_none() -> None:
    assert games_of_note(games_of(np.zeros((0, 2), int)), "greedy", 0, ()) == ()
    (one,) = games_of_note(games_of([[3, 4]], roles=[[1, 0]]), "greedy", 0, ("a", "b"))
    assert (one.name, one.roles, one.scores) == ("median", ("b", "a"), (3, 4))


# JSON


def test_results_become_json() -> None:
    games = assigned([0, 1, 0, 0])
    content = to_json_data([shares_of(games, "assigned", 2, "greedy", 2), shape_of(games, "assigned", "greedy")])
    text = json.dumps(content, allow_nan=False)
    assert json.loads(text)[0]["roles"][0]["share"]["value"] == 0.75
