"""The value learners of the comparison: returns along each seat's chain, masked values, afterstates, stored players."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

torch = pytest.importorskip("torch")

from dunaia_env import GameState, Lanes  # noqa: E402
from dunaia_env.harness.compiled.chance import Stream  # noqa: E402
from dunaia_env.harness.compiled.rewards import final_rewards  # noqa: E402
from dunaia_env.harness.game import Game  # noqa: E402
from dunaia_env.harness.registry import DEFAULT_GAME  # noqa: E402
from dunaia_env.harness.state import prepare  # noqa: E402
from dunaia_env.support.array_files import ArrayFileError  # noqa: E402
from tests.toy_game import GAME as BIDS  # noqa: E402
from training.benchmark.algorithms import Task  # noqa: E402
from training.benchmark.algorithms.afterstates import value_actions, value_actions_one  # noqa: E402
from training.benchmark.algorithms.dqn import DQN, action_values, double_values  # noqa: E402
from training.benchmark.algorithms.replay import Memory, ReplayLearner  # noqa: E402
from training.benchmark.algorithms.td_afterstates import (  # noqa: E402
    AfterstateAgent,
    TDAfterstates,
    ValueNetwork,
    parameters_of,
)
from training.ppo import PolicyNetwork  # noqa: E402

TABLES = [(DEFAULT_GAME, 2, {}), (DEFAULT_GAME, 3, {"elites": True}), (BIDS, 2, {}), (BIDS, 4, {})]
SMALL = {"lanes": 4, "steps": 32, "memory": 512, "batch": 32}


def make(kind: type[Any], game: Game = DEFAULT_GAME, players: int = 2, seed: int = 3, **options: Any) -> Any:
    """A learner with a small budget."""
    return kind(Task(players, game, {}, decisions=1024, evaluations=2, seed=seed, options=SMALL | options))


def weights(learner: ReplayLearner) -> list[NDArray[np.float32]]:
    return [parameter.detach().numpy().copy() for parameter in learner.network.parameters()]


def memory_of(seats: list[int], rewards: dict[int, list[float]], rows: int) -> Memory:
    """A memory of one lane with three seats; ``rewards`` holds the decisions that end a game."""
    memory = Memory(rows, 1, 3, 1)
    for number, seat in enumerate(seats):
        ended = number in rewards
        given = rewards.get(number, [0.0, 0.0, 0.0])
        memory.add(seats=np.array([seat]), rewards=np.array([given]), terminations=np.array([ended]))
    return memory


def test_returns_follow_the_chain_of_each_of_three_seats() -> None:
    # Two decisions of an older game, which no longer fit, then one that ends with the last decision of seat 2.
    memory = memory_of([2, 2, 0, 1, 1, 0, 2], {6: [-0.5, 1.0, -0.5]}, rows=5)
    assert memory.order.tolist() == [2, 3, 4, 0, 1]
    values = np.array([[0.1], [0.2], [0.3], [0.4], [0.5]], np.float32)
    ahead, known = memory.returns(values, 0.0)
    # Seat 0 sees its own next value and then the result, seat 1 likewise, seat 2 the result. Nothing is negated.
    assert ahead[:, 0] == pytest.approx([0.4, 0.3, 1.0, -0.5, -0.5])
    assert known.all()
    outcome, _ = memory.returns(values, 1.0)
    assert outcome[:, 0] == pytest.approx([-0.5, 1.0, 1.0, -0.5, -0.5])
    mixed, _ = memory.returns(values, 0.5)
    assert mixed[:, 0] == pytest.approx([0.5 * 0.4 + 0.5 * -0.5, 0.5 * 0.3 + 0.5, 1.0, -0.5, -0.5])


def test_returns_of_a_game_that_goes_on_are_known_as_far_as_the_seat_has_decided_again() -> None:
    memory = memory_of([0, 1, 0, 2], {}, rows=8)
    values = np.array([[0.1], [0.2], [0.3], [0.4]], np.float32)
    returns, known = memory.returns(values, 0.9)
    assert known[:, 0].tolist() == [True, False, False, False]
    assert returns[0, 0] == pytest.approx(0.3)
    returns, known = memory.returns(values, 0.9, np.array([0.7], np.float32), np.array([2], np.int8))
    assert known[:, 0].tolist() == [True, False, False, True]
    assert returns[3, 0] == pytest.approx(0.7)


def test_illegal_actions_have_no_value_and_the_others_average_to_that_of_the_position() -> None:
    network = PolicyNetwork(torch.ones(3), 4, 1, widths=[8], seed=0)
    torch.nn.init.normal_(network.policy.weight, generator=torch.Generator().manual_seed(1))
    seen = torch.tensor([[1, 2, 3], [-4, 5, 6]], dtype=torch.int8)
    masks = torch.tensor([[1, 0, 1, 1], [0, 1, 0, 0]], dtype=torch.int8)
    values = action_values(network, seen, masks)
    assert torch.isneginf(values).tolist() == [[False, True, False, False], [True, False, True, True]]
    estimates = network(seen)
    assert torch.allclose(values[0, [0, 2, 3]].mean(), estimates.values[0, 0])
    assert torch.allclose(values[1, 1], estimates.values[1, 0])
    assert int(values[0].argmax()) == [0, 2, 3][int(estimates.logits[0, [0, 2, 3]].argmax())]


def test_one_network_chooses_and_the_other_judges() -> None:
    nothing = -torch.inf
    chooser = torch.tensor([[1.0, 3.0, nothing], [nothing, 0.0, -1.0]])
    judge = torch.tensor([[9.0, 4.0, nothing], [nothing, -2.0, 7.0]])
    assert double_values(chooser, judge).tolist() == [4.0, -2.0]


def random_network(lanes: Lanes, players: int) -> ValueNetwork:
    inputs = int(lanes.game.used_size(players))
    scale = torch.from_numpy(np.array(lanes.game.observation_scale[:inputs], np.float32))
    return ValueNetwork(scale, (24, 8), seed=1)


def afterstates(state: GameState, seed: int) -> dict[int, GameState]:
    """The game after each legal action, by the game's own copies."""
    found = {}
    for action in state.legal_actions():
        found[action] = state.resampled(state.seat, seed)
        found[action].apply(action, Stream(seed))
    return found


def value(after: GameState, seat: int, network: ValueNetwork, margin: float) -> float:
    """What an afterstate is worth, by the torch network or the result."""
    if after.is_over:
        final = np.array([after.scores()]), np.array([after.ranks()]), np.array([after.num_players])
        win, score = (float(final_rewards(kind, *final)[0, seat]) for kind in ("win", "score"))
        return win + margin * score
    seen = torch.from_numpy(after.observation(seat)[None, : len(network.input_scale)])
    return float(network(seen).detach()[0])


@pytest.mark.compiled
@pytest.mark.parametrize(("game", "players", "options"), TABLES)
def test_afterstates_are_those_of_copies_of_the_game(game: Game, players: int, options: dict[str, Any]) -> None:
    lanes = Lanes(3, game=game, num_players=players, **options)
    lanes.reset(5)
    network = random_network(lanes, players)
    for step in range(12):
        compare_values(lanes, network, 7 + step)
        lanes.step(lanes.random_actions(step))


def compare_values(lanes: Lanes, network: ValueNetwork, seed: int, margin: float = 0.0) -> list[GameState]:
    """Compare the values of all legal actions with those of copies of the games; returns all afterstates."""
    count, found = lanes.num_lanes, []
    values = np.full((count, lanes.num_actions), -np.inf, np.float32)
    lanes.call_kernel(value_actions, parameters_of(network.arrays(), margin), seed, np.arange(count), values)
    for lane in range(count):
        state = lanes.get_state(lane)
        after = afterstates(state, seed)
        assert np.flatnonzero(np.isfinite(values[lane])).tolist() == list(after)
        expected = [value(one, state.seat, network, margin) for one in after.values()]
        assert values[lane, list(after)] == pytest.approx(expected, abs=1e-5)
        found += after.values()
    return found


@pytest.mark.parametrize("players", [2, 3])
def test_an_action_that_ends_the_game_is_worth_its_reward(players: int) -> None:
    lanes = Lanes(1, game=BIDS, num_players=players, autoreset=False)
    lanes.reset(2)
    network, ended = random_network(lanes, players), 0
    while not lanes.terminations[0]:
        ended += sum(after.is_over for after in compare_values(lanes, network, 1, 0.5))
        lanes.step(lanes.random_actions(0))
    assert ended


def test_what_the_seat_does_not_know_makes_no_difference() -> None:
    state = GameState.new(4, game=BIDS, num_players=3)
    table, parameters = (
        prepare(BIDS),
        parameters_of(random_network(Lanes(1, game=BIDS, num_players=3), 3).arrays(), 0.0),
    )
    hidden = 0
    for _ in range(6):  # the last of three bids shows the other two
        found, positions = set(), set()
        for seed in range(4):
            other = state.resampled(state.seat, seed)
            positions.add(other)
            actions = other.legal_actions()
            legal, values = np.zeros(BIDS.num_actions, np.int16), np.zeros(BIDS.num_actions, np.float32)
            legal[: len(actions)] = actions
            buffer = np.frombuffer(other.to_bytes(), np.uint8).copy()
            value_actions_one(table, buffer, other.components.buffer, parameters, 9, legal, len(actions), values)
            found.add(values.tobytes())
        hidden += len(positions) > 1
        assert len(found) == 1
        state.apply(state.legal_actions()[-1], 4)
    assert hidden


@pytest.mark.compiled
@pytest.mark.parametrize("game", [DEFAULT_GAME, BIDS])
def test_a_stored_player_plays_the_same_alone_and_in_a_batch(game: Game, tmp_path: Path) -> None:
    learner = make(TDAfterstates, game, widths=(16, 8))
    learner.train(256)
    player, path = learner.player(), tmp_path / "player.safetensors"
    player.save(path)
    read = TDAfterstates.load_player(path, learner.task)
    assert isinstance(read, AfterstateAgent)
    assert (read.name, read.version) == (player.name, "256")
    lanes = Lanes(8, game=game, num_players=2)
    lanes.reset(11)
    for agent in (player, read):
        agent.reset(6)
    for _ in range(10):
        actions = player.act_batch(lanes, np.arange(8))
        assert read.act_batch(lanes, np.arange(8)).tolist() == actions.tolist()
        assert [read.act(lanes.get_state(lane).view()) for lane in range(8)] == actions.tolist()
        lanes.step(actions)
    more = Lanes(2, game=game, num_players=3)
    more.reset(0)
    with pytest.raises(ValueError, match="num_players: 3; td_afterstates was trained for at most 2"):
        read.act_batch(more, np.arange(2))
    other = BIDS if game is DEFAULT_GAME else DEFAULT_GAME
    with pytest.raises(ArrayFileError, match="made for another game"):
        TDAfterstates.load_player(path, Task(2, other, {}, 1024, 1, 0))
    with pytest.raises(ValueError, match=f"plays {game.name} only"):
        read.act(GameState.new(1, game=other))


@pytest.mark.compiled
@pytest.mark.parametrize("kind", [DQN, TDAfterstates])
@pytest.mark.parametrize("players", [2, 3])
def test_a_value_learner_remembers_its_games_and_repeats(kind: type[Any], players: int) -> None:
    learner, again = (make(kind, BIDS, players) for _ in range(2))
    before = weights(learner)
    for one in (learner, again):
        one.train(512)
        one.train(1024)
    assert learner.decisions == 1024
    assert any((new != old).any() for new, old in zip(weights(learner), before, strict=True))
    assert all((first == second).all() for first, second in zip(weights(learner), weights(again), strict=True))
    memory = learner.memory
    assert memory.terminations.any()
    assert not memory.rewards[~memory.terminations].any()
    assert memory.rewards[memory.terminations].any()
    assert set(memory.seats.ravel().tolist()) == set(range(players))


def test_dqn_remembers_legal_actions_and_what_their_seats_saw() -> None:
    learner = make(DQN, DEFAULT_GAME, 3)
    seen = []
    for _ in range(4):
        seen.append((learner.lanes.observations[:, : learner.inputs].copy(), learner.lanes.seats.copy()))
        learner.play()
    memory = learner.memory
    assert np.take_along_axis(memory.action_masks[:4], memory.actions[:4, :, None], 2).all()
    assert (memory.observations[:4] == np.stack([observations for observations, _ in seen])).all()
    assert (memory.seats[:4] == np.stack([seats for _, seats in seen])).all()


def test_td_remembers_afterstates_as_the_deciding_seat_sees_them() -> None:
    learner = make(TDAfterstates, BIDS, 3)
    learner.begin_rollout()
    for row in range(20):
        seats = learner.lanes.seats.copy()
        learner.play()
        for lane in np.flatnonzero(~learner.lanes.terminations):
            expected = learner.lanes.get_state(lane).observation(int(seats[lane]))
            assert (learner.memory.observations[row, lane] == expected[: learner.inputs]).all()
    # The afterstate of the last decision of a game is its reward: the seat's decision before learns it.
    returns, used = learner.returns()
    ends = np.argwhere(learner.memory.terminations[:20])
    assert len(ends)
    for row, lane in ends:
        seat = learner.memory.seats[row, lane]
        assert not used[row, lane]
        assert returns[row, lane] == learner.memory.rewards[row, lane, seat]


def test_the_exploration_rate_falls_and_random_actions_are_legal() -> None:
    learner = make(DQN, exploration=(1.0, 0.25), exploration_part=0.5)
    assert learner.exploration == 1.0
    masks = learner.lanes.action_masks
    actions = learner.explored(np.full(4, -1))
    assert masks[np.arange(4), actions].all()
    learner._decisions = 256
    assert learner.exploration == pytest.approx(0.625)
    learner._decisions = 900
    assert learner.exploration == 0.25


def test_the_margin_is_added_to_the_reward_at_the_end() -> None:
    learner = make(DQN, BIDS, 2, margin=2.0)
    lanes = learner.lanes
    while not lanes.terminations.any():
        lanes.step(lanes.random_actions(1))
    lane = int(np.flatnonzero(lanes.terminations)[0])
    first, second = lanes.final_scores[lane, :2].tolist()
    margin = 2.0 * (first - second) / 20
    expected = lanes.rewards[lane, :2] + [margin, -margin]
    assert learner.rewards()[lane] == pytest.approx(expected)
    assert not learner.rewards()[~lanes.terminations].any()
