"""Matches: every seat order once per seed, shares that add up, intervals that cover."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dunaia_env.arena.match import Options, blocks_for, describe, fill_table, main, play_match, win_share_interval
from dunaia_env.harness import opponents
from dunaia_env.harness.opponents import RandomAgent
from dunaia_env.harness.seeds import block_seed
from tests.toy_game import CARDS, GAME

pytestmark = pytest.mark.once


class Highest:
    """Bids its highest card in the toy game and notes which games it was asked in."""

    name, version = "highest", "1"

    def __init__(self) -> None:
        self.seen: set[tuple[int, int]] = set()

    def reset(self, seed: int) -> None:
        self.seed = seed

    def act(self, state: Any) -> int:
        raise NotImplementedError

    def act_batch(self, lanes: Any, selected: NDArray[np.int64]) -> NDArray[np.int32]:
        self.seen |= set(zip(lanes.game_seeds[selected].tolist(), lanes.seats[selected].tolist(), strict=True))
        return (CARDS - 1 - lanes.action_masks[selected, ::-1].argmax(axis=1)).astype(np.int32)


def test_copies_of_the_last_agent_fill_the_table() -> None:
    assert fill_table(2, 2) == (0, 1)
    assert fill_table(2, 4) == (0, 1, 1, 1)
    assert fill_table(3, 3) == (0, 1, 2)
    # Two, three, twelve and twenty-four orders of seats.
    assert [blocks_for(24, *table) for table in ((2, 2), (2, 3), (3, 4), (4, 4))] == [12, 8, 2, 1]
    assert blocks_for(25, 4, 4) == 2
    with pytest.raises(ValueError, match=r"agents: expected 2\.\.2.*, got 3"):
        fill_table(3, 2)


@pytest.mark.parametrize("players", [2, 3])
def test_blocks(players: int) -> None:
    highest = Highest()
    agents = [highest, opponents.load("random")]
    match = play_match(agents, blocks=40, num_players=players, seed=50, game=GAME, hand=10)
    assert highest.seen == {(block_seed(50, block), seat) for block in range(40) for seat in range(players)}
    assert match.games == 40 * players
    assert match.shares.shape == match.scores.shape == (40, 2)
    np.testing.assert_allclose(match.shares @ [1, players - 1], 1)
    assert match.interval(0)[0] > 0.7
    assert match.decisions == {2: 8, 3: 3}[players]
    assert match.stopped == 0


def test_equal_agents_share_alike() -> None:
    match = play_match([Highest(), Highest()], blocks=30, game=GAME)
    np.testing.assert_allclose(match.shares, 0.5)
    np.testing.assert_allclose(match.scores[:, 0], match.scores[:, 1])


def test_the_number_of_lanes_changes_nothing() -> None:
    results = [
        play_match([opponents.load("random"), Highest()], blocks=13, seed=7, lanes_at_once=lanes, game=GAME).shares
        for lanes in (1, 5, 512)
    ]
    np.testing.assert_array_equal(results[0], results[1])
    np.testing.assert_array_equal(results[0], results[2])


def test_blocks_are_needed() -> None:
    with pytest.raises(ValueError, match="blocks: expected at least 1, got 0"):
        play_match([Highest(), Highest()], blocks=0, game=GAME)


def test_the_interval_covers() -> None:
    random = np.random.default_rng(1)
    covered, trials, truth = 0, 400, 0.6
    for trial in range(trials):
        # Blocks of two dependent games, some of them shared victories.
        luck = random.normal(size=100)
        games = (luck[:, None] + random.normal(size=(100, 2)) < np.sqrt(2) * 0.2533471).astype(float)
        _, low, high = win_share_interval(games.mean(axis=1), samples=500, seed=trial)
        covered += low <= truth <= high
    assert 0.92 <= covered / trials <= 0.98


def test_the_interval_of_ties_and_of_nothing_but_wins() -> None:
    mean, low, high = win_share_interval(np.array([0.5, 1.0, 0.0, 0.5] * 25))
    assert low < mean == 0.5 < high
    assert win_share_interval(np.ones(200)) == pytest.approx((1.0, 0.025 ** (1 / 200), 1.0))
    assert win_share_interval(np.zeros(200)) == pytest.approx((0.0, 0.0, 1 - 0.025 ** (1 / 200)))
    assert win_share_interval(np.full(10, 0.5)) == (0.5, 0.5, 0.5)


def test_the_interval_is_named_by_its_seed() -> None:
    shares = np.random.default_rng(2).random(50)
    assert win_share_interval(shares, seed=1) == win_share_interval(shares, seed=1)
    assert describe((0.612, 0.57, 0.654)) == "61.2 % (57.0 to 65.4)"


def test_the_command_on_the_real_game(capsys: pytest.CaptureFixture[str]) -> None:
    match = main(Options(agents=("random", "random"), games=3, game_options={"elites": True}))
    assert match.games == 4
    assert "2 players, 4 games in 2 blocks" in capsys.readouterr().out


class Marked(RandomAgent):
    """Has a name that a terminal could obey."""

    name = "[red]\x1b[2J"


def test_names_are_shown_as_text(capsys: pytest.CaptureFixture[str]) -> None:
    main(Options(agents=("tests.test_training_match:Marked", "random"), games=1, game_options={"max_rounds": 1}))
    shown = capsys.readouterr().out
    assert "[red]\\x1b[2J" in shown
    assert "\x1b[2J" not in shown
