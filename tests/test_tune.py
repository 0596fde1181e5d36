"""Tuning of the evaluation: gradients, known weights found again, an evolution strategy that gets to the optimum."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.special import softmax

from dunaia_env.dunaia.weights import (
    FIRST_VALUE,
    NO_TURN_LEFT,
    ONE_TURN_LEFT,
    PARAMETER_COUNT,
    PHASES,
    POINTS,
    TERM_COUNT,
    VALUES_OF_A_PHASE,
    load_weights,
)
from dunaia_env.harness.lanes import Lanes
from dunaia_env.harness.opponents import GreedyAgent
from tests.clocks import set_clock
from training.studies import tune as tuning
from training.studies.tune import (
    TUNED,
    Options,
    Positions,
    Strategy,
    fit_values,
    fitness,
    join,
    main,
    record_positions,
    strategy_weights,
    tune,
    value_loss,
    with_tuned,
)

pytestmark = pytest.mark.compiled

VALUES = len(PHASES) * VALUES_OF_A_PHASE
Floats = NDArray[np.float64]


def simulated(truth: Floats, count: int, seed: int) -> Positions:
    """Positions of two to four players with features drawn at random, won as often as the value weights say."""
    generator = np.random.default_rng(seed)
    features = generator.normal(size=(count, 4, VALUES_OF_A_PHASE)).astype(np.float32)
    features[:, :, -1] = 1
    phases = generator.integers(len(PHASES), size=(count, 4))
    present = np.arange(4) < generator.integers(2, 5, size=count)[:, None]
    features[~present] = 0
    promises = np.einsum("nsf,nsf->ns", features, truth.reshape(len(PHASES), -1)[phases])
    chances = softmax(np.where(present, promises, -np.inf), axis=1)
    winners = (generator.random(count)[:, None] > chances.cumsum(axis=1)).sum(axis=1)
    return Positions(features, phases, present, np.eye(4)[winners])


def some_truth() -> Floats:
    """Value weights without what cannot be learned: a number that all phases add to every promise."""
    truth = np.random.default_rng(8).normal(scale=0.5, size=(len(PHASES), VALUES_OF_A_PHASE))
    truth[:, -1] -= truth[:, -1].mean()
    return truth.ravel()


def test_the_loss_of_equal_promises_is_the_logarithm_of_the_players() -> None:
    positions = simulated(some_truth(), 300, 0)
    expected = np.log(positions.present.sum(axis=1)).mean()
    assert value_loss(np.zeros(VALUES), positions)[0] == pytest.approx(expected)


def test_the_loss_is_the_cross_entropy_of_the_shares() -> None:
    positions, parameters = simulated(some_truth(), 50, 1), some_truth() / 2
    split = np.where(positions.present, 1 / positions.present.sum(axis=1, keepdims=True), 0)
    positions = Positions(positions.features, positions.phases, positions.present, (positions.shares + split) / 2)
    table, total = parameters.reshape(len(PHASES), -1), 0.0
    for row in range(50):
        seats = np.flatnonzero(positions.present[row])
        promises = np.array([table[positions.phases[row, seat]] @ positions.features[row, seat] for seat in seats])
        total -= positions.shares[row, seats] @ np.log(softmax(promises))
    assert value_loss(parameters, positions)[0] == pytest.approx(total / 50)


def test_the_gradient_is_the_slope_of_the_loss() -> None:
    positions, parameters = simulated(some_truth(), 200, 2), np.random.default_rng(5).normal(size=VALUES) / 3
    _, gradient = value_loss(parameters, positions)
    assert np.abs(gradient).max() > 0.01
    step = 1e-5
    for place in range(0, VALUES, 5):
        nudge = np.zeros(VALUES)
        nudge[place] = step
        slope = (value_loss(parameters + nudge, positions)[0] - value_loss(parameters - nudge, positions)[0]) / step / 2
        assert gradient[place] == pytest.approx(slope, abs=1e-8)


def test_known_value_weights_are_found_again() -> None:
    truth, weights = some_truth(), load_weights()
    fitted = fit_values(weights, simulated(truth, 40_000, 3))
    np.testing.assert_array_equal(fitted[:FIRST_VALUE], weights[:FIRST_VALUE])
    found = fitted[FIRST_VALUE:]
    assert np.corrcoef(found, truth)[0, 1] > 0.99
    # Standard errors of about 0.02 and six of them for the worst of 186 numbers.
    assert np.abs(found - truth).max() < 0.12
    others = simulated(truth, 10_000, 4)
    best, nothing = value_loss(truth, others)[0], value_loss(np.zeros(VALUES), others)[0]
    assert nothing - best > 0.3
    assert value_loss(found, others)[0] - best < 0.02 * (nothing - best)


def test_value_weights_do_not_depend_on_the_unit_of_a_feature() -> None:
    positions, weights = simulated(some_truth(), 3000, 5), load_weights()
    units = np.ones(VALUES_OF_A_PHASE, np.float32)
    units[3], units[7] = 100, 0.01
    scaled = Positions(positions.features * units, positions.phases, positions.present, positions.shares)
    one = fit_values(weights, positions)[FIRST_VALUE:].reshape(len(PHASES), -1)
    other = fit_values(weights, scaled)[FIRST_VALUE:].reshape(len(PHASES), -1)
    np.testing.assert_allclose(other * units, one, atol=0.01)


def test_a_feature_that_never_occurs_gets_no_weight() -> None:
    positions = simulated(some_truth(), 1000, 6)
    positions.features[:, :, 12] = 0
    found = fit_values(load_weights(), positions)[FIRST_VALUE:].reshape(len(PHASES), -1)
    assert np.isfinite(found).all()
    assert not found[:, 12].any()
    assert np.abs(found[:, 11]).min() > 0


# The strategy


def test_weights_of_the_best_fall_and_sum_to_one() -> None:
    weights = strategy_weights(10)
    assert weights.sum() == pytest.approx(1)
    assert (np.diff(weights) < 0).all()
    assert weights[-1] > 0


@pytest.mark.parametrize("noise", [0.0, 0.3])
@pytest.mark.parametrize("seed", range(3))
def test_the_strategy_finds_the_top_of_a_hill(seed: int, noise: float) -> None:
    generator = np.random.default_rng(100 + seed)
    scale = np.array([1.0, 10.0, 0.1, 1.0, 3.0, 1.0])
    top = scale * generator.normal(size=6) * 3
    strategy = Strategy(np.zeros(6), scale, 20, seed)

    def distance() -> float:
        return float(np.linalg.norm((strategy.mean - top) / scale))

    begin = distance()
    for _ in range(60):
        candidates = strategy.ask()
        assert candidates.shape == (20, 6)
        np.testing.assert_allclose(candidates[:10] + candidates[10:], np.tile(2 * strategy.mean, (10, 1)))
        strategy.tell(-((((candidates - top) / scale) ** 2).sum(axis=1)) + noise * generator.normal(size=20))
    assert begin > 2
    assert distance() < (0.5 if noise else 0.01)
    assert strategy.step < 1


def test_steps_grow_on_a_slope_and_the_start_is_kept() -> None:
    start = np.zeros(5)
    strategy = Strategy(start, np.ones(5), 20, 1)
    for _ in range(20):
        strategy.tell(strategy.ask()[:, 0])
    assert strategy.step > 2
    assert strategy.mean[0] > 20
    assert not start.any()


def test_a_seed_names_the_candidates() -> None:
    first, again, other = (Strategy(np.zeros(4), np.ones(4), 6, seed).ask() for seed in (1, 1, 2))
    assert first.tolist() == again.tolist() != other.tolist()


def test_the_tuned_part_is_all_but_the_points_and_the_value_weights() -> None:
    weights = load_weights()
    tuned = weights[TUNED] + 5
    whole = with_tuned(weights, tuned)
    assert whole[POINTS] == weights[POINTS] == 1
    assert whole[[ONE_TURN_LEFT, NO_TURN_LEFT]].tolist() == [1, 1]
    np.testing.assert_array_equal(whole[1:TERM_COUNT], weights[1:TERM_COUNT] + 5)
    np.testing.assert_array_equal(whole[FIRST_VALUE:], weights[FIRST_VALUE:])
    assert with_tuned(weights, -tuned - 9)[[ONE_TURN_LEFT, NO_TURN_LEFT]].tolist() == [0, 0]
    np.testing.assert_array_equal(load_weights(), weights)


# Games


@pytest.mark.parametrize("seed", [0, 1])
def test_equal_weights_are_worth_exactly_a_fair_share(seed: int) -> None:
    weights = load_weights()
    assert fitness(weights, [weights], games=12, seed=seed) == pytest.approx(1, abs=1e-12)


@pytest.mark.long
def test_crippled_weights_are_worth_less_and_their_opponent_more() -> None:
    weights = load_weights()
    crippled = weights.copy()
    crippled[1:TERM_COUNT] = 0
    assert fitness(crippled, [weights], games=36, seed=1) < 0.5
    assert fitness(weights, [crippled], games=36, seed=1) > 1.3
    between = fitness(crippled, [weights, crippled], games=72, seed=1)
    assert between == pytest.approx((1 + fitness(crippled, [weights], games=36, seed=1)) / 2, abs=1e-12)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_recorded_positions(players: int) -> None:
    positions = record_positions(GreedyAgent(), players, games=6, seed=4)
    count = len(positions.features)
    assert count > 6 * 20 * players / 8
    assert positions.features.shape == (count, 4, VALUES_OF_A_PHASE)
    assert positions.features.dtype == np.float32
    assert positions.phases.shape == positions.present.shape == positions.shares.shape == (count, 4)
    assert (positions.present == (np.arange(4) < players)).all()
    np.testing.assert_allclose(positions.shares.sum(axis=1), 1)
    assert not positions.shares[~positions.present].any()
    assert not positions.features[~positions.present].any()
    assert (positions.features[positions.present][:, -1] == 1).all()
    assert (np.ptp(positions.shares, axis=1) > 0).any()
    assert len(set(positions.phases[positions.present].tolist())) >= 4
    again = record_positions(GreedyAgent(), players, games=6, seed=4)
    np.testing.assert_array_equal(again.features, positions.features)
    np.testing.assert_array_equal(again.shares, positions.shares)


def test_no_game_is_named_by_the_agents_seed() -> None:
    """An agent that imagines chance with a game's own seed sees that game's future."""

    class Spy(GreedyAgent):
        seeds: list[int]

        def reset(self, seed: int) -> None:
            super().reset(seed)
            self.seeds = [seed]

        def act_batch(self, lanes: Lanes, selected: NDArray[np.int64]) -> NDArray[np.int32]:
            assert set(self.seeds).isdisjoint(lanes.game_seeds.tolist())
            return super().act_batch(lanes, selected)

    record_positions(Spy(), 2, games=3, seed=4)


def test_the_result_recorded_with_a_position_is_that_of_its_game() -> None:
    positions = record_positions(GreedyAgent(), 2, games=80, seed=9)
    finished = positions.phases == len(PHASES) - 1
    rows = np.flatnonzero(finished[:, 0] & ~finished[:, 1])
    ahead = positions.features[rows, 0, POINTS] - positions.features[rows, 1, POINTS]
    # Seat 0 is done; whoever leads clearly in the last turn of the game wins nearly always.
    clear = np.abs(ahead) > 8
    assert clear.sum() >= 10
    assert (positions.shares[rows, 0][clear] == (ahead[clear] > 0)).mean() > 0.9


def test_sets_of_positions_are_joined_in_their_order() -> None:
    parts = [simulated(some_truth(), count, count) for count in (3, 5)]
    joined = join(parts)
    assert len(joined.features) == len(joined.phases) == len(joined.present) == len(joined.shares) == 8
    np.testing.assert_array_equal(joined.features[3:], parts[1].features)
    np.testing.assert_array_equal(joined.shares[:3], parts[0].shares)


def test_no_time_leaves_the_weights_as_they_are() -> None:
    weights = load_weights()
    reports: list[int] = []
    tuned = tune(weights, minutes=0, population=2, games=6, seed=0, report=lambda number, *_: reports.append(number))
    np.testing.assert_array_equal(tuned, weights)
    assert reports == []


def test_a_data_file_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    out = tmp_path / "weights.toml"
    set_clock(monkeypatch, tuning, step=0.25)  # in 0.6 seconds, that is one generation
    main(Options(out, minutes=0.01, population=2, games=12, value_games=24, check_games=4))
    tuned, start = load_weights(out), load_weights()
    assert tuned.shape == (PARAMETER_COUNT,)
    assert tuned[POINTS] == 1
    assert (tuned[TUNED] != start[TUNED]).any()
    assert (tuned[FIRST_VALUE:] != start[FIRST_VALUE:]).any()
    assert (
        "# Made by python -m training.studies.tune --minutes 0.01 --population 2 --games 12 --seed 0\n"
        in out.read_text(encoding="utf-8")
    )
    printed = capsys.readouterr().out
    assert re.match(r"generation 1, 0\.0 of 0\.01 min: best \d\.\d{3}, mean", printed)
    assert "generation 2" not in printed
    # What one generation tunes wins all games, some or none.
    found = re.findall(r"(\d) players, one tuned: \S+ %[^%]*? of \d+ games", printed.replace("\n", " "))
    assert found == ["2", "3", "4"]
