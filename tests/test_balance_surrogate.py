"""The regression behind suggestions: what is expected of changes that were not played."""

from __future__ import annotations

import numpy as np
import pytest

from dunaia_env.balance.surrogate import Covariance, Surrogate, fit_surrogate

pytestmark = pytest.mark.once

SLOPES = np.array([0.04, 0.02, 0.0, -0.03])


def drawn(number: int, seed: int) -> np.ndarray:
    random = np.random.default_rng(seed)
    return random.integers(-3, 4, (number, 4)).astype(float) * (random.random((number, 4)) < 0.6)


def test_between_files_that_were_measured_exactly_it_goes_through_them() -> None:
    steps, effects = drawn(12, 0), np.random.default_rng(1).normal(size=(12, 1, 1))
    exact = Surrogate(steps, effects, np.full((12, 1), 1e-9), (Covariance(0.1, 1.0, 5.0, 0.5, 1.0),))
    np.testing.assert_allclose(exact.expected(steps), effects, atol=1e-4)
    # Far from all of them, without a linear part, nothing is known.
    unknown = Surrogate(steps, effects, np.full((12, 1), 1e-9), (Covariance(1e-12, 1.0, 0.5, 0.5, 1.0),))
    np.testing.assert_allclose(unknown.expected(np.full((1, 4), 90.0)), 0.0, atol=1e-6)


def test_with_a_linear_function_alone_it_is_ridge_regression() -> None:
    steps, effects = drawn(30, 2), np.random.default_rng(3).normal(size=(30, 1, 1))
    linear, variance = 0.2, 0.5
    ridge = np.linalg.solve(steps.T @ steps + variance / linear * np.eye(4), steps.T @ effects[:, 0, 0])
    surrogate = Surrogate(steps, effects, np.full((30, 1), variance), (Covariance(linear, 1e-14, 5.0, 0.5, 1.0),))
    others = drawn(9, 4)
    np.testing.assert_allclose(surrogate.expected(others)[:, 0, 0], others @ ridge, atol=1e-6)


def test_planted_steps_and_noise_are_found() -> None:
    random, steps = np.random.default_rng(5), drawn(150, 6)
    variances = np.tile([0.03**2, 0.015**2], (150, 1))
    truth = steps @ SLOPES
    effects = (truth[:, None] + random.normal(size=(150, 2)) * np.sqrt(variances))[..., None]
    fitted = fit_surrogate(steps, effects, variances)
    assert 0.7 < fitted.covariances[0].noise < 1.4
    np.testing.assert_allclose(fitted.expected(np.eye(4))[:, 0, 0], SLOPES, atol=0.008)
    # A table with more games is known better.
    errors = np.abs(fitted.expected(drawn(200, 7)) - (drawn(200, 7) @ SLOPES)[:, None, None]).mean((0, 2))
    assert errors[1] < errors[0] < 0.015


def test_an_effect_that_is_no_straight_line_is_followed() -> None:
    random, steps = np.random.default_rng(8), drawn(200, 9)
    truth = 0.1 * np.abs(steps[:, 0]) + 0.05 * steps[:, 1] * (steps[:, 2] > 0)
    variances = np.full((200, 1), 0.02**2)
    effects = (truth + 0.02 * random.normal(size=200))[:, None, None]
    others = drawn(200, 10)
    wanted = 0.1 * np.abs(others[:, 0]) + 0.05 * others[:, 1] * (others[:, 2] > 0)
    line = others @ np.linalg.lstsq(steps, truth, rcond=None)[0]
    found = fit_surrogate(steps, effects, variances).expected(others)[:, 0, 0]
    assert np.abs(found - wanted).mean() < 0.5 * np.abs(line - wanted).mean()


def test_a_table_is_learned_from_the_others_too() -> None:
    random, steps = np.random.default_rng(12), drawn(60, 13)
    variances = np.tile([0.1**2, 0.01**2], (60, 1))
    own = np.array([1.0, 0.0, 0.0, 0.0])  # the tables differ in what the first number does
    truth = np.stack([steps @ SLOPES, steps @ (SLOPES + 0.005 * own)], axis=1)
    effects = truth + random.normal(size=truth.shape) * np.sqrt(variances)
    both = fit_surrogate(steps, effects[..., None], variances)
    alone = fit_surrogate(steps, effects[:, :1, None], variances[:, :1])
    assert both.covariances[0].shared > 0.9
    others = drawn(200, 14)
    errors = [np.abs(one.expected(others)[:, 0, 0] - others @ SLOPES).mean() for one in (both, alone)]
    assert errors[0] < 0.6 * errors[1]

    # Tables that have nothing in common do not disturb each other.
    strange = np.stack([effects[:, 0], steps @ np.array([-0.02, 0.05, 0.03, 0.0])], axis=1)[..., None]
    apart = fit_surrogate(steps, strange, variances)
    assert apart.covariances[0].shared < 0.5


def test_a_file_with_many_games_corrects_what_was_expected() -> None:
    steps, variances = drawn(60, 11), np.full((60, 1), 0.03**2)
    effects = (steps @ SLOPES)[:, None, None]
    first = fit_surrogate(steps, effects, variances)
    place = np.array([[3.0, 3.0, 0.0, 0.0]])
    assert first.expected(place)[0, 0, 0] == pytest.approx(0.18, abs=0.02)
    for variance, furthest in [(0.005**2, 0.02), (0.5**2, 1.0)]:
        second = fit_surrogate(
            np.concatenate([steps, place]),
            np.concatenate([effects, [[[0.05]]]]),
            np.concatenate([variances, [[variance]]]),
        )
        assert abs(second.expected(place)[0, 0, 0] - 0.05) < furthest
    assert second.expected(place)[0, 0, 0] == pytest.approx(0.18, abs=0.02)  # with a few games, nothing
