"""The part of a population in a range: what is estimated, and how often the interval covers it."""

from __future__ import annotations

import numpy as np
import pytest

from dunaia_env.statistics.mixing import part_inside

pytestmark = pytest.mark.once

ERROR = 0.03


def measured(random: np.random.Generator, true: list[float], correlation: float = 0.0) -> np.ndarray:
    own = np.sqrt(1 - correlation) * random.normal(size=len(true))
    return np.array(true) + ERROR * (own + np.sqrt(correlation) * random.normal())


def test_without_noise_the_part_is_counted() -> None:
    values = np.array([-0.2, -0.1, 0.1, 0.2] * 10)
    found = part_inside(values, np.zeros(40), -np.inf, 0.0)
    assert found.value == pytest.approx(0.5, abs=0.01)
    assert 0.2 < found.low < 0.4 < 0.6 < found.high < 0.8


def test_two_kinds_are_told_apart() -> None:
    random = np.random.default_rng(0)
    values = measured(random, [-0.15] * 340 + [0.0] * 60)
    found = part_inside(values, np.full(400, ERROR), -np.inf, -0.075)
    assert found.value == pytest.approx(0.85, abs=0.03)
    assert 0.7 < found.low < 0.85 < found.high < 0.95


def test_a_common_error_makes_the_interval_longer() -> None:
    random = np.random.default_rng(1)
    values = measured(random, [-0.06] * 100)
    errors = np.full(100, ERROR)
    alone = part_inside(values, errors, -np.inf, -0.03)
    common = part_inside(values, errors, -np.inf, -0.03, correlation=0.2)
    assert common.value == alone.value
    # The noise of a single measurement is then smaller, which makes up for little of it.
    assert common.low < 0.5 < alone.low


def test_few_items_say_nothing() -> None:
    assert np.isnan(part_inside(np.array([0.1]), np.array([0.1]), 0.0, 1.0)).all()
    found = part_inside(np.array([0.1, 0.2]), np.array([0.01, 0.01]), 0.0, 1.0)
    assert found.low < 0.3 < found.high == 1


@pytest.mark.long
@pytest.mark.parametrize("correlation", [0.0, 0.1])
def test_the_interval_covers(correlation: float) -> None:
    missed = 0
    for seed in range(60):
        random = np.random.default_rng([seed, int(100 * correlation)])
        true = np.where(random.random(60) < 0.3, 0.0, -0.08)
        values = measured(random, true.tolist(), correlation)
        found = part_inside(values, np.full(60, ERROR), -np.inf, -0.04, correlation=correlation)
        missed += not found.low <= 0.7 <= found.high
    # 3 of 60 are allowed; 9 or more would happen by chance in 1 of 200.
    assert missed <= 8
