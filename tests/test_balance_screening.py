"""Screening over component files: planted associations are named, others are not; verdicts are counted."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import pearsonr

from dunaia_env.balance.questions.screening import Screening, findable, screen
from dunaia_env.statistics.associations import holm
from dunaia_env.statistics.intervals import Estimate

pytestmark = pytest.mark.once

FILES, NUMBERS = 30, 20
OVER = Estimate(0.06, 0.04, 0.08)
FINE = Estimate(0.0, -0.02, 0.02)
OPEN = Estimate(0.02, -0.02, 0.06)


def files_of(random: np.random.Generator, files: int = FILES) -> list[dict[str, float]]:
    return [{f"n{name}": float(random.integers(0, 5)) for name in range(NUMBERS)} for _ in range(files)]


def screened(effects: Any, shipped: Estimate, error: float = 0.005, **fields: Any) -> Screening:
    values: NDArray[np.float64] = np.array(effects, np.float64)[:, None]
    files = [{"a": float(number)} for number in range(len(values))]
    (found,) = screen(files, values, np.full(values.shape, error), [shipped], ["merchant"], permutations=2000, **fields)
    return found


def test_a_planted_association_is_named() -> None:
    random = np.random.default_rng(0)
    files = files_of(random)
    numbers = np.array([file["n7"] for file in files])
    effects = 0.02 * random.normal(size=(FILES, 3))
    effects[:, 1] -= 0.03 * numbers
    found = screen(files, effects, np.full((FILES, 3), 0.005), [OVER] * 3, ["a", "b", "c"])
    (named,) = found[1].named
    assert named.name == "n7"
    assert named is found[1].associations[0]
    assert named.correlation < -0.8
    assert named.corrected < 0.01
    assert named.low > named.high + 0.05
    assert found[0].named == found[2].named == ()
    assert [len(one.associations) for one in found] == [NUMBERS] * 3


def test_a_group_is_found_where_no_number_is() -> None:
    random = np.random.default_rng(4)
    files = [
        {f"{group}.{number}": float(random.integers(0, 5)) for group in ("prices", "tiles") for number in range(20)}
        for _ in range(60)
    ]
    prices = np.array([[file[f"prices.{number}"] for number in range(20)] for file in files])
    effects = 0.01 * (prices - 2).sum(axis=1, keepdims=True) / np.sqrt(2) + 0.03 * random.normal(size=(60, 1))
    (found,) = screen(files, effects, np.full((60, 1), 0.01), [OVER], ["r"], permutations=2000)
    assert [group.name for group in found.named_groups] == ["prices"]
    assert [(group.name, group.numbers) for group in found.groups] == [("prices", 20), ("tiles", 20)]
    assert found.named == ()


@pytest.mark.long
def test_numbers_without_influence_are_named_in_few_studies() -> None:
    named = groups = 0
    for seed in range(100):
        random = np.random.default_rng(seed)
        found = screen(
            files_of(random, 20),
            random.standard_t(3, size=(20, 2)),
            np.ones((20, 2)),
            [OVER] * 2,
            ["a", "b"],
            permutations=2000,
            seed=seed,
        )
        named += any(one.named for one in found)
        groups += any(one.named_groups for one in found)
    # 5 of 100 are expected at most; 13 or more happen by chance in 1 of 600.
    assert named <= 12
    assert groups <= 12


def test_p_values_are_those_of_all_permutations() -> None:
    numbers, effects = [0.0, 1.0, 2.0, 4.0, 3.0], np.array([0.1, 0.4, 0.2, 0.8, 0.9])

    def correlation(order: tuple[int, ...]) -> float:
        return float(np.corrcoef(np.array(numbers), effects[list(order)])[0, 1])

    truth = correlation(tuple(range(5)))
    expected = np.mean([abs(correlation(one)) >= abs(truth) - 1e-9 for one in itertools.permutations(range(5))])
    (found,) = screen([{"a": one} for one in numbers], effects[:, None], np.ones((5, 1)), [OPEN], ["r"])
    (one,) = found.associations
    assert one.correlation == pytest.approx(truth)
    assert one.p_value == pytest.approx(expected, abs=0.01)
    assert one.corrected == one.p_value
    assert (one.low, one.high) == pytest.approx((0.25, 0.85))


def test_a_rare_but_large_influence_is_found() -> None:
    # As in a family whose members keep most values: the number differs in ten files, in two of them by much. Ranks
    # would seldom tell it.
    random = np.random.default_rng(0)
    files = files_of(random, 60)
    for number, file in enumerate(files):
        file["rare"] = float([*[1] * 8, 6, 7][number]) if number < 10 else 0.0
    effects = np.array([[0.08 * file["rare"]] for file in files]) + 0.1 * random.normal(size=(60, 1))
    (found,) = screen(files, effects, np.full((60, 1), 0.04), [OVER], ["r"])
    assert [one.name for one in found.named] == ["rare"]


@pytest.mark.parametrize("files", [20, 60])
def test_what_can_be_found_is_found_with_the_stated_probability(files: int) -> None:
    tests = 200
    correlation = findable(files, tests)
    assert 0.4 < correlation < 0.9
    random = np.random.default_rng(0)
    numbers = random.normal(size=(2000, files))
    noise = random.normal(size=(2000, files))
    effects = correlation * numbers + np.sqrt(1 - correlation**2) * noise
    named = pearsonr(numbers, effects, axis=1).pvalue <= 0.05 / tests
    assert named.mean() == pytest.approx(0.8, abs=0.04)
    assert findable(4 * files, tests) < 0.7 * correlation
    assert np.isnan(findable(3, tests))


def test_holms_correction() -> None:
    np.testing.assert_allclose(holm(np.array([0.01, 0.04, 0.03, 0.005])), [0.03, 0.06, 0.06, 0.02])
    np.testing.assert_allclose(holm(np.array([0.5, 0.9])), [1, 1])
    assert holm(np.array([])).shape == (0,)


def test_files_on_which_a_verdict_holds() -> None:
    found = screened([0.08, 0.09, 0.07, 0.0, -0.09, 0.03], OVER)
    assert (found.files, found.holds, found.differs, found.open) == (6, 3, 2, 1)
    assert (found.least, found.most, found.shipped) == (-0.09, 0.09, "over")
    assert found.mean == pytest.approx(0.18 / 6)
    # Exact effects: half of them lie above. With six files, the interval tells little.
    exact = screened([0.08, 0.09, 0.07, 0.0, -0.09, 0.02], OVER, error=0.0)
    assert exact.probable.value == pytest.approx(0.5, abs=0.01)
    assert exact.on_most == "open"


def test_a_verdict_that_holds_everywhere() -> None:
    random = np.random.default_rng(1)
    found = screened(0.08 + 0.01 * random.normal(size=40), OVER, error=0.01)
    assert (found.differs, found.on_most) == (0, "yes")
    assert found.probable.value > 0.99
    assert found.spread < 0.008
    assert screened(0.01 * random.normal(size=40), FINE, error=0.01).probable.value > 0.95
    assert screened(0.01 * random.normal(size=40), OVER, error=0.01).on_most == "no"


def test_noise_is_not_spread() -> None:
    random = np.random.default_rng(2)
    true = 0.03 * random.normal(size=400)
    error = 0.04
    found = screened(true + error * random.normal(size=400), FINE, error=error)
    assert found.spread == pytest.approx(0.03, abs=0.006)
    # One of three true effects lies beyond the tolerance; many more of the noisy ones do.
    inside = np.mean(np.abs(true) <= 0.03)
    assert found.probable.low <= inside <= found.probable.high
    assert found.most > 0.1


def test_an_open_verdict_hangs_on_nothing() -> None:
    found = screened([0.08, 0.09, 0.0], OPEN)
    assert np.isnan(found.probable).all()
    assert (found.holds, found.on_most) == (0, "open")


def test_few_files() -> None:
    found = screened([0.08], OVER)
    assert (found.holds, found.differs, found.open, found.associations) == (1, 0, 0, ())
    assert np.isnan([found.spread, *found.probable]).all()
    (none,) = screen([], np.empty((0, 1)), np.empty((0, 1)), [OVER], ["r"])
    assert none.files == 0
    assert np.isnan([none.mean, none.least, none.most]).all()
    constant = screened([0.05, 0.05, 0.05], OVER)
    assert constant.associations[0].correlation == 0
    assert constant.associations[0].p_value == 1


def test_screening_twice_is_screening_once() -> None:
    random = np.random.default_rng(3)
    files, effects = files_of(random), random.normal(size=(FILES, 1))
    one, other, third = (
        screen(files, effects, np.ones((FILES, 1)), [OVER], ["r"], permutations=500, seed=seed) for seed in (0, 0, 1)
    )
    assert one == other != third


@pytest.mark.parametrize(
    ("files", "effects", "errors", "message"),
    [
        ([{"a": 1.0}], [[0.1, 0.2]], [[0.1, 0.2]], r"\(1, 1\), files x roles"),
        (
            [{"a": 1.0}, {"b": 1.0}],
            [[0.1]] * 2,
            [[0.1]] * 2,
            "file 1: expected the same names in all files, got a only in some",
        ),
        ([{"a": np.inf}], [[0.1]], [[0.1]], "file 0: a: expected a finite number, got inf"),
        ([{"a": 1.0}], [[np.nan]], [[0.1]], "effects and errors have to be finite"),
        ([{"a": 1.0}], [[0.1]], [[-0.1]], "no error below 0"),
    ],
)
def test_bad_input_is_refused(files: Any, effects: Any, errors: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        screen(files, np.array(effects), np.array(errors), [OVER], ["r"])
