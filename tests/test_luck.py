"""Luck: zero without chance, zero on average with it, and measured without touching the game."""

from __future__ import annotations

import functools
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from dunaia_env import GameState, Lanes, Stream
from dunaia_env.arena.luck import EvaluationValuer, load
from dunaia_env.dunaia import components
from dunaia_env.dunaia.components import Components
from dunaia_env.dunaia.weights import FIRST_VALUE, VALUES_OF_A_PHASE, load_weights, weights_text
from dunaia_env.harness.compiled.chance import COUNT
from dunaia_env.harness.compiled.entry_points import write_shares
from dunaia_env.harness.compiled.luck import SAMPLES, write_luck
from dunaia_env.harness.compiled.rewards import win_shares
from dunaia_env.harness.game import game_named
from dunaia_env.harness.opponents import GreedyAgent
from dunaia_env.harness.registry import DEFAULT_GAME
from dunaia_env.harness.state import prepare

Floats = NDArray[np.float64]


def value_of(state: GameState) -> Floats:
    """Every seat's expected share of the win, by the project's evaluation."""
    shares = np.zeros(4)
    table, position = prepare(state.game, evaluation=True), np.frombuffer(state.to_bytes(), np.uint8).copy()
    write_shares(table, position, state.components.buffer, load_weights(), shares)
    return shares[: state.num_players]


def after(state: GameState, action: int, seed: int) -> tuple[GameState, int]:
    """The state after an action with the dice and tiles of a game seed, and how many draws it took."""
    copy, chance = state.clone(), Stream(seed)
    copy.apply(action, chance)
    return copy, int(chance.array[COUNT])


def one_neutral_die() -> Components:
    """A rule set with one neutral die: whoever finds it in the pool has to take it, and the roll decides its face.

    Where a die can be chosen the evaluation, which looks at no die in the pool, is the same after every roll.
    """
    text = Path(components.__file__).with_name("components.toml").read_text(encoding="utf-8")
    changed = text.replace("neutral = { 2 = 5, 3 = 4, 4 = 5 }", "neutral = { 2 = 1, 3 = 1, 4 = 1 }")
    assert changed != text
    return components.parse(changed, "one neutral die")


ONE_DIE = one_neutral_die()


def lanes_in(state: GameState, seeds: NDArray[np.int64]) -> Lanes:
    """A lane of each game seed, all of them in the same state."""
    lanes = Lanes(len(seeds), num_players=state.num_players, components=state.components, autoreset=False)
    lanes.reset(seeds)
    for lane in range(len(seeds)):
        lanes.set_state(lane, state)
    return lanes


def decisions_of(players: int, games: int, rules: Components | None = None) -> list[tuple[GameState, int, int, Floats]]:
    """State, action, game seed and luck of every decision of games between greedy players."""
    lanes = Lanes(games, num_players=players, elites=[False, True], components=rules, autoreset=False)
    lanes.reset(11)
    agent, valuer, found = GreedyAgent(), EvaluationValuer(), []
    agent.reset(2**32 - 1)
    while (active := np.flatnonzero(lanes.seats >= 0)).size:
        actions = agent.act_batch(lanes, active)
        luck = valuer.luck(lanes, actions, active)
        for row, lane in enumerate(active):
            found.append((lanes.get_state(lane), int(actions[row]), int(lanes.game_seeds[lane]), luck[row]))
        lanes.step(actions, active)
    return found


@pytest.mark.compiled
@pytest.mark.parametrize("rules", [None, ONE_DIE], ids=["dunaia", "one neutral die"])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_only_chance_is_luck_and_nobody_gains_what_nobody_loses(players: int, rules: Components | None) -> None:
    drawn = lucky = 0
    for state, action, seed, luck in decisions_of(players, 4, rules):
        assert luck.shape == (players,)
        assert luck.sum() == pytest.approx(0, abs=1e-12)
        assert np.abs(luck).max() <= 1
        if after(state, action, seed)[1] == 0:
            assert luck.tolist() == [0.0] * players
        else:
            drawn += 1
            lucky += bool(np.abs(luck).max() > 1e-6)
    assert drawn > 40
    assert lucky > 40 or rules is None


@pytest.mark.compiled
def test_lanes_of_different_sizes_are_measured_together() -> None:
    lanes = Lanes(9, num_players=[2, 3, 4])
    lanes.reset(1)
    valuer = EvaluationValuer()
    for _ in range(100):
        actions = lanes.random_actions(3)
        luck = valuer.luck(lanes, actions, np.arange(9))
        assert luck.shape == (9, 4)
        np.testing.assert_allclose(luck.sum(axis=1), 0, atol=1e-12)
        assert not luck[::3, 2:].any()
        assert not luck[1::3, 3:].any()
        few = np.array([4, 0])
        assert valuer.luck(lanes, actions[few], few).tolist() == luck[few, :3].tolist()
        lanes.step(actions)
    assert valuer.luck(lanes, np.zeros(0, np.int32), np.zeros(0, np.int64)).shape == (0, 0)


@pytest.mark.compiled
def test_measuring_changes_nothing() -> None:
    lanes, other = (Lanes(6, num_players=[2, 3], elites=[False, False, True]) for _ in range(2))
    valuer = load(DEFAULT_GAME)
    for one in (lanes, other):
        one.reset(5)
    for step in range(150):
        actions = lanes.random_actions(step)
        kept = actions.copy()
        before = lanes.snapshot()
        shown = [lanes.observations.copy(), lanes.action_masks.copy(), lanes.legal_actions.copy()]
        luck = valuer.luck(lanes, actions, np.arange(6))
        assert valuer.luck(lanes, actions, np.arange(6)).tolist() == luck.tolist()
        for name, content in lanes.snapshot().items():
            np.testing.assert_array_equal(content, before[name])
        for content, now in zip(shown, (lanes.observations, lanes.action_masks, lanes.legal_actions), strict=True):
            np.testing.assert_array_equal(content, now)
        np.testing.assert_array_equal(actions, kept)
        lanes.step(actions)
        other.step(actions)
    for name, content in lanes.snapshot().items():
        np.testing.assert_array_equal(content, other.snapshot()[name])


@functools.cache
def position_with_luck() -> tuple[GameState, int]:
    """The decision of a game whose outcomes the evaluation values most differently."""
    spreads = []
    for state, action, seed, _ in decisions_of(2, 2, ONE_DIE):
        if after(state, action, seed)[1] == 0:
            continue
        values = [value_of(after(state, action, other)[0])[0] for other in range(12)]
        spreads.append((float(np.std(values)), len(spreads), state, action))
    spread, _, state, action = max(spreads)
    assert spread > 0.01
    return state, action


def luck_at_once(lanes: Lanes, action: int) -> Floats:
    """The luck of an action in every lane, its outcomes valued at once, without turns in which they can show."""
    luck = np.zeros((lanes.num_lanes, lanes.max_players))
    actions = np.full(lanes.num_lanes, action, np.int32)
    lanes.call_kernel(write_luck, load_weights(), 0, np.arange(lanes.num_lanes), actions, luck)
    return luck


@pytest.mark.long
@pytest.mark.compiled
def test_luck_is_the_value_of_what_came_out_less_that_of_what_could_have() -> None:
    state, action = position_with_luck()
    seeds = np.arange(1000, 1200)
    lanes = lanes_in(state, seeds)
    luck = luck_at_once(lanes, action)
    values = np.array([value_of(after(state, action, int(seed))[0]) for seed in seeds])
    others = np.array([value_of(after(state, action, seed)[0]) for seed in range(2000, 4000)])
    expected = values - others.mean(axis=0)
    error = others.std(axis=0) * np.sqrt(1 / SAMPLES + 1 / len(others))
    assert values[:, 0].std() > 0.01
    assert (np.abs(luck[:, :2] - expected) < 5 * error).all()
    assert np.corrcoef(luck[:, 0], expected[:, 0])[0, 1] > 0.8


@pytest.mark.compiled
def test_luck_is_zero_on_average_over_what_can_come_out() -> None:
    state, action = position_with_luck()
    seeds = np.arange(5000, 9000)
    luck = luck_at_once(lanes_in(state, seeds), action)
    outcomes = np.array([value_of(after(state, action, int(seed))[0])[0] for seed in seeds[:400]])
    assert luck[:, 0].std() > 0
    assert abs(luck[:, 0].mean()) < 4 * luck[:, 0].std() / np.sqrt(len(seeds))
    # The mean over the imagined outcomes adds its own part to the variance of the true one.
    assert luck[:, 0].var() == pytest.approx(outcomes.var() * (1 + 1 / SAMPLES), rel=0.35)


@pytest.mark.compiled
def test_what_is_imagined_differs_between_the_decisions_of_a_game() -> None:
    state, action = position_with_luck()
    lanes = lanes_in(state, np.full(50, 77))
    lanes.decisions.flags.writeable = True  # read-only for those who play
    lanes.decisions[:] = np.arange(50)
    luck = EvaluationValuer().luck(lanes, np.full(50, action, np.int32), np.arange(50))
    assert len(set(luck[:, 0].tolist())) > 5
    lanes.decisions[:] = 3
    luck = EvaluationValuer().luck(lanes, np.full(50, action, np.int32), np.arange(50))
    assert len(set(luck[:, 0].tolist())) == 1


def games_of(players: int, games: int, rules: Components | None) -> tuple[Floats, Floats]:
    """Win shares and luck of games between greedy players, ``(games, players)`` each."""
    lanes = Lanes(games, num_players=players, components=rules, autoreset=False)
    lanes.reset(1000)
    agent, valuer = GreedyAgent(), EvaluationValuer()
    agent.reset(2**32 - 1)
    total = np.zeros((games, players))
    while (active := np.flatnonzero(lanes.seats >= 0)).size:
        actions = agent.act_batch(lanes, active)
        total[active] += valuer.luck(lanes, actions, active)
        lanes.step(actions, active)
    return win_shares(lanes.final_ranks)[:, :players], total


@pytest.mark.long
@pytest.mark.compiled
@pytest.mark.parametrize(
    ("players", "rules"),
    [
        pytest.param(2, None, id="2"),
        pytest.param(4, None, id="4", marks=pytest.mark.slow),
        pytest.param(2, ONE_DIE, id="2, one neutral die", marks=pytest.mark.slow),
    ],
)
def test_the_luck_of_a_game_has_mean_zero_and_explains_a_part_of_its_result(
    players: int, rules: Components | None
) -> None:
    shares, luck = games_of(players, 160, rules)
    assert luck.std() > 0.02
    error = luck.std(axis=0) / np.sqrt(len(luck))
    assert (np.abs(luck.mean(axis=0)) < 4 * error).all()
    correlations = [np.corrcoef(shares[:, seat], luck[:, seat])[0, 1] for seat in range(players)]
    assert np.mean(correlations) > 0.1


@pytest.mark.compiled
def test_the_weights_are_those_of_the_file(tmp_path: Path) -> None:
    state, action = position_with_luck()
    lanes, rows = lanes_in(state, np.arange(40)), np.arange(40)
    actions = np.full(40, action, np.int32)
    weights = load_weights()
    weights[FIRST_VALUE:].reshape(-1, VALUES_OF_A_PHASE)[:] = 0
    path = tmp_path / "weights.toml"
    path.write_text(weights_text(weights, head="Every position is worth the same."), encoding="utf-8")
    assert load(DEFAULT_GAME).luck(lanes, actions, rows).any()
    assert not EvaluationValuer(str(path)).luck(lanes, actions, rows).any()


def test_other_games_are_refused() -> None:
    lanes = Lanes(2, game=game_named("tests.toy_game"))
    lanes.reset(0)
    with pytest.raises(ValueError, match="luck: expected lanes of dunaia, got those of sealed_bids"):
        EvaluationValuer().luck(lanes, lanes.random_actions(0), np.arange(2))
