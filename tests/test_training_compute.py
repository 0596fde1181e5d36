"""Threads and precision: measured in turn, until it is clear or the time is over, and again when the load changes."""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

torch = pytest.importorskip("torch")

from tests.clocks import set_clock  # noqa: E402
from tests.test_training_ppo import FIXED, console, printed, update, weights  # noqa: E402
from training import __main__ as command, compute  # noqa: E402
from training.arguments import Arguments  # noqa: E402
from training.compute import LEAST_ROUNDS, MOST_ROUNDS, Pace, Setting, Workload, compare  # noqa: E402
from training.trainer import Trainer  # noqa: E402

pytestmark = pytest.mark.once

ONE, TWO, HALF = Setting(1, False), Setting(2, False), Setting(2, True)


class Machine:
    """Costs of settings as a list says, round by round; notes what was asked."""

    def __init__(self, **costs: Any) -> None:
        self.costs, self.asked = costs, []  # type: ignore[var-annotated]

    def __call__(self, setting: Setting) -> float:
        self.asked.append(setting)
        number = sum(one == setting for one in self.asked) - 2  # the first time does not count
        return float(self.costs[str(setting).replace(" ", "_").replace("1_", "one_").replace("2_", "two_")](number))


def test_settings_are_measured_in_turn_and_a_drift_changes_nothing() -> None:
    # The machine slows down to a third while it measures: what is asked first in a round is not favoured either.
    machine = Machine(one_thread_fp32=lambda n: 1.0 + 0.2 * n, two_threads_fp32=lambda n: 1.1 * (1.0 + 0.2 * n))
    found = compare([TWO, ONE], machine, most_seconds=1e9)
    assert found.best == ONE
    assert found.rounds == LEAST_ROUNDS
    rounds = [machine.asked[first : first + 2] for first in range(0, len(machine.asked), 2)]
    assert all(set(one) == {ONE, TWO} for one in rounds)
    assert {one[0] for one in rounds} == {ONE, TWO}


def test_it_is_measured_until_it_is_clear() -> None:
    # A difference of a fifth in noise of a factor of two: the least number of rounds alone would often be wrong.
    rounds, right = [], 0
    for seed in range(100):
        noise = np.random.default_rng(seed).uniform(1, 2, (2, 100))
        machine = Machine(one_thread_fp32=noise[0].__getitem__, two_threads_fp32=(1.2 * noise[1]).__getitem__)
        found = compare([TWO, ONE], machine, most_seconds=1e9)
        rounds.append(found.rounds)
        right += found.best == ONE
    assert right >= 97
    assert np.mean(rounds) > 1.5 * LEAST_ROUNDS
    assert max(rounds) == MOST_ROUNDS


def test_settings_that_cost_the_same_are_not_told_apart_for_long() -> None:
    machine = Machine(one_thread_fp32=lambda n: 1 + 0.01 * (n % 2), two_threads_fp32=lambda n: 1.01 - 0.01 * (n % 2))
    assert compare([TWO, ONE], machine, most_seconds=1e9).rounds == LEAST_ROUNDS


def test_what_is_far_slower_is_left_out_soon() -> None:
    machine = Machine(one_thread_fp32=lambda n: 1.0, two_threads_fp32=lambda n: 1.2, two_threads_bf16=lambda n: 9.0 + n)
    found = compare([ONE, TWO, HALF], machine, most_seconds=1e9)
    assert list(found.costs) == [ONE, TWO, HALF]
    assert machine.asked.count(HALF) == compute.FIRST_ROUNDS + 1
    assert machine.asked.count(ONE) == LEAST_ROUNDS + 1
    assert str(found) == (
        f"microseconds of computing a decision, medians of {LEAST_ROUNDS} rounds: 1 thread fp32 1e+06,"
        " 2 threads fp32 1.2e+06, 2 threads bf16 1e+07"
    )


def test_it_ends_when_the_time_is_over() -> None:
    def mean(numbers: Sequence[float]) -> list[float]:
        return [*numbers[:-1], 2.5]  # seconds of the round

    noise = np.random.default_rng(1).uniform(0.5, 2, (2, 1000))
    machine = Machine(one_thread_fp32=lambda n: noise[0, n], two_threads_fp32=lambda n: noise[1, n])
    assert compare([ONE, TWO], machine, most_seconds=5.0, mean=mean).rounds == 2


def test_a_pace_that_changes_for_some_time_is_noticed() -> None:
    pace, now = Pace(), itertools.count()
    assert not any(pace.has_changed(10.0, next(now)) for _ in range(30))
    # A few slow updates are nothing.
    assert not any(pace.has_changed(40.0, next(now)) for _ in range(2))
    assert not any(pace.has_changed(11.0, next(now)) for _ in range(100))
    noticed = [pace.has_changed(16.0, next(now)) for _ in range(40)]
    assert noticed.index(True) == 20 + 2  # seconds, after the median of five has followed
    assert str(pace) == "computing has become slower, 10 before and 16 microseconds a decision now"
    pace.begin()
    assert not any(pace.has_changed(16.0, next(now)) for _ in range(30))
    noticed = [pace.has_changed(8.0, next(now)) for _ in range(60)]
    assert noticed.index(True) == 40 + 2  # twice as patient
    assert "faster" in str(pace)


def chosen_trainer(**changes: Any) -> Trainer:
    return Trainer(
        Arguments(**FIXED | {"threads": 0, "precision": "auto", "differences": "off", "decisions": 8192} | changes)
    )


@pytest.fixture(autouse=True)
def _threads() -> Any:
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    yield
    torch.set_num_threads(before)


@pytest.fixture(autouse=True)
def _clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measuring and preparing take hardly any time."""
    set_clock(monkeypatch, compute, step=1e-6)


def costing(monkeypatch: pytest.MonkeyPatch, costs: dict[Setting, float]) -> None:
    monkeypatch.setattr(compute.Compute, "_cost", lambda self, setting, work: costs[setting])


def test_the_cheapest_setting_is_taken_and_told(monkeypatch: pytest.MonkeyPatch) -> None:
    settings = [Setting(threads, bf16) for threads in (1, 2) for bf16 in (True, False)]
    for best in settings:
        torch.set_num_threads(2)
        trainer = chosen_trainer()
        assert set(trainer.compute.settings) == set(settings)
        costing(monkeypatch, {setting: 1e-6 if setting == best else 1.2e-6 for setting in settings})
        told = trainer.prepare()
        assert trainer.compute.setting == best
        assert told.startswith(f"CPU with {best.threads} of 2 threads, {'bf16' if best.bf16 else 'fp32'}, eager; ")
        assert f"medians of 8 rounds: {best} 1, " in told
        assert "\n" not in told


def test_what_is_asked_for_is_not_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    costing(monkeypatch, {})
    trainer = chosen_trainer(threads=2, precision="bf16")
    assert trainer.prepare() == "CPU with 2 of 2 threads, bf16, eager"


def test_a_cost_is_a_decisions_forward_passes_and_updates(monkeypatch: pytest.MonkeyPatch) -> None:
    trainer, clock = chosen_trainer(), set_clock(monkeypatch, compute)

    def takes(seconds: float) -> Callable[..., None]:
        def pass_by(*_: Any) -> None:
            clock.now += seconds

        return pass_by

    monkeypatch.setattr(trainer.compute, "_estimate", takes(1.0))
    monkeypatch.setattr(trainer.compute, "_backward", takes(3.0))
    for past_rows, epochs in ((0, 1), (0, 5), (16, 1)):
        cost = trainer.compute._cost(ONE, Workload(32, past_rows, 64, epochs))
        assert cost == pytest.approx(1 / 32 * (1 + past_rows / 32) + 3 / 64 * epochs)


def test_measuring_changes_nothing() -> None:
    trainer = chosen_trainer()
    before, setting = weights(trainer), trainer.compute.setting
    trainer.compute.measure(trainer.compute.settings, trainer.work, most_seconds=0.0)
    assert trainer.compute.setting == setting
    assert all(parameter.grad is None for parameter in trainer.network.parameters())
    for name, array in weights(trainer).items():
        np.testing.assert_array_equal(array, before[name])


def test_it_is_chosen_again_when_the_pace_changes(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    trainer, where = chosen_trainer(final_games=0), console()
    settings = trainer.compute.settings
    costing(monkeypatch, {setting: 1e-6 + (setting != HALF) * 1e-6 for setting in settings})
    trainer.prepare()
    assert trainer.compute.setting == HALF
    costing(monkeypatch, {setting: 1e-6 + (setting != ONE) * 1e-6 for setting in settings})
    changes = iter([False, True] + [False] * 100)
    monkeypatch.setattr(Pace, "has_changed", lambda self, cost, now: next(changes))
    assert command.train(trainer, tmp_path, where) is None
    assert trainer.compute.setting == ONE
    told = [line for line in printed(where).splitlines() if "CPU with 1 of 2 threads, fp32, eager; microsec" in line]
    assert len(told) == 1


def test_another_choice_has_to_pay_for_compiling_it(monkeypatch: pytest.MonkeyPatch) -> None:
    trainer = chosen_trainer(decisions=4096)
    settings = trainer.compute.settings
    costing(monkeypatch, {setting: 1e-6 + (setting != HALF) * 1e-6 for setting in settings})
    trainer.prepare()
    update(trainer, 1)
    costing(monkeypatch, {setting: 1e-6 + (setting != ONE) * 1e-6 for setting in settings})
    trainer.seconds, trainer.compute.preparation = 10.0, 36.0  # 70 seconds are left, half of which could be saved
    told = trainer.choose_again()
    assert told.startswith(
        "continues with 2 threads bf16, because compiling again would take longer than 1 thread fp32 could"
    )
    assert trainer.compute.setting == HALF
    trainer.compute.preparation = 17.0
    assert trainer.choose_again().startswith("CPU with 1 of 2 threads, fp32, eager; ")
    costing(monkeypatch, {setting: 1e-6 + (setting == ONE) * 0.02e-6 for setting in settings})
    assert trainer.choose_again().startswith("continues with 1 thread fp32; ")


@pytest.mark.skipif(os.environ.get("CXX") is None and not compute.shutil.which("g++"), reason="needs a C++ compiler")
@pytest.mark.slow
def test_compiled_code_can_be_chosen_anew() -> None:
    trainer = chosen_trainer(compile="on", precision="fp32")
    for setting in (TWO, ONE, TWO):
        assert trainer.compute.prepare(setting, trainer.work).endswith("fp32, compiled")
        update(trainer, 1)
    assert np.isfinite(trainer.metrics["losses/policy_loss"])
