"""What is generated and compared does not depend on the processor: noise in the last digits changes no page.

Libraries add many numbers in orders, and with fused operations, that suit the processor. Here noise of that kind, but a
thousand times larger, is put into what goes in and into what each step on the way gives, and older processors' code is
made to run.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from docs.generate import PAGES, ROOT, generated
from dunaia_env.arena import leaderboard, statistics, summary
from dunaia_env.arena.leaderboard import PAGE
from dunaia_env.arena.match import describe
from dunaia_env.arena.notable import choose
from dunaia_env.arena.records import Table
from dunaia_env.arena.stored_runs import Stored, read_stored
from dunaia_env.arena.summary import summarise
from dunaia_env.reports.parts import to_json_data
from dunaia_env.statistics import intervals, ratings
from dunaia_env.statistics.intervals import block_estimates, round_portably
from dunaia_env.statistics.ratings import rate
from tests.arena_runs import imagined_games, run_of
from training.benchmark import aggregates, results as benchmark_results

pytestmark = pytest.mark.once

NOISE = 1e-12


def noisy(values: Any, random: np.random.Generator) -> Any:
    """Each number a little off, by another amount wherever it stands."""
    return values * (1 + NOISE * random.uniform(-1, 1, np.shape(values)))


def make_noisy(monkeypatch: pytest.MonkeyPatch, place: Any, name: str, random: np.random.Generator) -> None:
    exact = getattr(place, name)
    monkeypatch.setattr(place, name, lambda *given, **more: noisy(exact(*given, **more), random))


@pytest.fixture(params=[1, pytest.param(2, marks=pytest.mark.slow)])
def random(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> np.random.Generator:
    """A generator of noise, which every step of the statistics has already."""
    random = np.random.default_rng(request.param)
    make_noisy(monkeypatch, statistics.Results, "by_seed", random)
    make_noisy(monkeypatch, summary, "adjusted_sums", random)
    for module in (intervals, ratings):
        make_noisy(monkeypatch, module, "resampled_sums", random)
    make_noisy(monkeypatch, ratings, "expit", random)
    make_noisy(monkeypatch, ratings, "fit_many", random)
    make_noisy(monkeypatch, aggregates, "interquartile_mean", random)
    make_noisy(monkeypatch, aggregates, "_ahead", random)
    make_noisy(monkeypatch, benchmark_results, "scores_of", random)
    return random


def with_noise(stored: Sequence[Stored], random: np.random.Generator) -> list[Stored]:
    """Stored runs whose measured numbers are a little off."""
    return [
        replace(
            one,
            games=tuple(
                replace(
                    game,
                    seconds=tuple(noisy(np.array(game.seconds), random).tolist()),
                    luck=tuple(noisy(np.array(game.luck), random).tolist()),
                )
                for game in one.games
            ),
        )
        for one in stored
    ]


def board() -> list[Stored]:
    """Runs full of ties: shares that end in 5, equal agents, thirds and halves of wins."""
    stored = []
    for players, entrants in ((2, (0, 1)), (3, (0, 1, 1)), (4, (0, 1, 2, 2))):
        run = run_of(["a", "b", "c"], [Table(players, entrants, 60)], commit="0" * 40)
        games = imagined_games(run, [0.3, 0.0, 0.0], seed=players, luck=0.5)
        # Luck as it is stored, and some games that all share.
        games = [
            replace(
                game,
                luck=tuple(round(value, 6) for value in game.luck),
                **({"ranks": (1,) * players, "scores": (50,) * players} if game.block % 7 == 0 else {}),
            )
            for game in games
        ]
        stored.append(Stored(f"run-{players}", run, tuple(games)))
    return stored


BOARD = board()
BOARD_PAGE = leaderboard.leaderboard(BOARD)


def test_noise_changes_no_page(random: np.random.Generator) -> None:
    for name in PAGES:
        text = (ROOT / name).read_text(encoding="utf-8")
        assert generated(text) == text, name
    assert leaderboard.leaderboard(with_noise(BOARD, random)) == BOARD_PAGE


@pytest.mark.slow
def test_noise_does_not_change_the_leaderboard(random: np.random.Generator) -> None:
    assert leaderboard.leaderboard(with_noise(read_stored(), random)) == PAGE.read_text(encoding="utf-8")


def test_noise_changes_no_number_of_a_report(random: np.random.Generator, monkeypatch: pytest.MonkeyPatch) -> None:
    for one, other in zip(BOARD, with_noise(BOARD, random), strict=True):
        assert to_json_data(summarise(one.run, one.games)) == to_json_data(summarise(other.run, other.games))
    chosen = [(name, game.key) for name, game, _, _ in choose(BOARD[0].games)]
    make_noisy(monkeypatch, np, "median", random)
    assert [(name, game.key) for name, game, _, _ in choose(BOARD[0].games)] == chosen


def test_a_tie_is_rounded_alike_on_every_machine() -> None:
    """The share that was 97.8 % on one machine and 97.7 % on another: exactly between both."""
    scores = np.array([[0.98, 0.98, 0.965]])
    expected = aggregates.interquartile_estimate(scores)
    assert expected.value == 0.9775
    for bits in (-2, -1, 1, 2):
        other = aggregates.interquartile_estimate(scores * (1 + bits * np.finfo(float).eps))
        assert other == expected
    assert describe(expected).startswith("97.8 %")


def test_settled_numbers() -> None:
    assert round_portably([0.1 + 0.2, 1 - 1e-15, -1e-17]).tolist() == [0.3, 1.0, 0.0]
    assert str(round_portably(-1e-17)) == "0.0"
    assert np.isnan(round_portably(np.nan))
    assert round_portably(np.inf) == np.inf
    assert round_portably(2 / 3) == 0.666666667


def test_equal_blocks_are_drawn_as_such_whatever_their_last_digits() -> None:
    """Blocks that differ in their last digits only are one kind of block: what is drawn depends on the kinds."""
    sums = np.array([0.5, 1.0, 0.5, 0.0, 1 / 3] * 8)[:, None]
    off = sums * (1 + NOISE * np.random.default_rng(0).uniform(-1, 1, sums.shape))
    assert len(np.unique(off)) > len(np.unique(sums))
    assert block_estimates(off) == block_estimates(sums)


def test_what_does_not_vary_does_not_in_its_last_digits() -> None:
    """Who won everything has the share 1 in every block: there is nothing that luck could explain."""
    random = np.random.default_rng(0)
    counts, luck = np.full((40, 1), 2.0), random.normal(size=(40, 1))
    sums = noisy(counts, random)
    adjusted = statistics.adjusted_sums(sums, counts, luck)
    np.testing.assert_allclose(adjusted, counts, atol=1e-9)
    assert statistics.variance_ratio(sums, noisy(adjusted, random), noisy(counts, random)).tolist() == [1.0]


def test_agents_of_equal_strength_are_rated_zero() -> None:
    counts = np.zeros((20, 3, 3))
    counts[:, [0, 1, 2], [1, 2, 0]] = counts[:, [1, 2, 0], [0, 1, 2]] = 1.5
    assert [str(value) for value in rate(counts).values] == ["0.0"] * 3


# OpenBLAS takes its code for these older processors, which every newer one can run, and NumPy leaves out the newest.
OLDER = ({"OPENBLAS_CORETYPE": "Prescott"}, {"OPENBLAS_CORETYPE": "Sandybridge", "NPY_DISABLE_CPU_FEATURES": "AVX512F"})
GENERATE = """
import sys, warnings
warnings.simplefilter("ignore")
from docs.generate import main
sys.argv[1:] = ["--check"]
sys.exit(main())
"""


@pytest.mark.slow
@pytest.mark.parametrize("machine", OLDER, ids=["Prescott", "Sandybridge"])
@pytest.mark.parametrize("command", [["-c", GENERATE], ["-m", "dunaia_env.arena.leaderboard", "write", "--check"]])
def test_the_code_for_older_processors_gives_the_same_pages(machine: dict[str, str], command: list[str]) -> None:
    result = subprocess.run(
        [sys.executable, *command], env={**os.environ, **machine}, cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert result.returncode == 0, result.stderr
