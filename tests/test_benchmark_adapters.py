"""What brings an algorithm of another library to the benchmark: games with one learner, and its network as a player."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from dunaia_env import Lanes
from dunaia_env.harness.registry import DEFAULT_GAME, find_game
from dunaia_env.support.array_files import ArrayFileError
from tests.test_benchmark_rl import SETTING
from training.benchmark.adapters import PolicyPlayer, one_seat
from training.benchmark.trainings import task_of

pytestmark = pytest.mark.once


def small_policy(seed: int) -> nn.Module:
    """Logits of all actions from one layer."""
    torch.manual_seed(seed)
    return nn.Linear(DEFAULT_GAME.observation_size, DEFAULT_GAME.num_actions)


def lanes_in_play() -> Lanes:
    """Positions of several games after some random decisions."""
    lanes = Lanes(8, num_players=2)
    lanes.reset(3)
    for step in range(20):
        lanes.step(lanes.random_actions(step))
    return lanes


def test_the_learner_has_one_seat_of_each_game() -> None:
    task = task_of(SETTING, 0, {})
    env = one_seat(task, 16, opponents="greedy")
    seen, infos = env.reset(seed=5)
    assert set(infos["seat"]) == {0, 1}
    assert seen["observation"].dtype == np.float32
    assert (seen["observation"] == env.games.lanes.observations / DEFAULT_GAME.observation_scale).all()
    rewards = []
    while len(rewards) < 8:
        seen, reward, ended, _, _ = env.step(seen["action_mask"].argmax(axis=1))
        rewards += reward[ended].tolist()
    assert np.mean(rewards) < 0  # against greedy
    with pytest.raises(ValueError, match=r"lane 0: action .* is not legal"):
        env.step(seen["action_mask"].argmin(axis=1))
    three = one_seat(replace(task, players=3), 2)
    assert three.games.lanes.num_players.tolist() == [3, 3]


def test_a_player_takes_the_best_legal_action_of_what_the_learner_sees() -> None:
    env, policy = one_seat(task_of(SETTING, 0, {}), 8), small_policy(1)
    player, lanes = PolicyPlayer(policy, DEFAULT_GAME), env.games.lanes
    seen, _ = env.reset(seed=5)
    for _ in range(10):
        with torch.no_grad():
            logits = policy(torch.tensor(seen["observation"])).masked_fill(torch.tensor(seen["action_mask"]) == 0, -1e9)
        best = logits.argmax(dim=1).numpy()
        assert player.act_batch(lanes, np.arange(8)).tolist() == best.tolist()
        assert [player.act(lanes.get_state(lane).view()) for lane in range(8)] == best.tolist()
        seen, *_ = env.step(best)
    assert player.parameters == sum(weights.numel() for weights in policy.parameters())


def test_further_training_does_not_change_a_player() -> None:
    policy, lanes = small_policy(1), lanes_in_play()
    player = PolicyPlayer(policy, DEFAULT_GAME)
    before = player.act_batch(lanes, np.arange(8)).tolist()
    with torch.no_grad():
        policy.weight.neg_()
    assert player.act_batch(lanes, np.arange(8)).tolist() == before
    assert PolicyPlayer(policy, DEFAULT_GAME).act_batch(lanes, np.arange(8)).tolist() != before


def test_a_player_is_written_and_read(tmp_path: Path) -> None:
    player, path, lanes = PolicyPlayer(small_policy(1), DEFAULT_GAME), tmp_path / "one.player", lanes_in_play()
    player.save(path)
    again = PolicyPlayer.load(path, small_policy(2), DEFAULT_GAME)
    assert again.act_batch(lanes, np.arange(8)).tolist() == player.act_batch(lanes, np.arange(8)).tolist()
    with pytest.raises(ArrayFileError, match=r"one\.player: does not fit the network \(.*size mismatch for weight"):
        PolicyPlayer.load(path, nn.Linear(3, 2), DEFAULT_GAME)
    with pytest.raises(ArrayFileError, match=r"one\.player: made for another game"):
        PolicyPlayer.load(path, small_policy(2), find_game("dune"))


def test_a_player_plays_its_own_game_only() -> None:
    player = PolicyPlayer(small_policy(1), find_game("dune"))
    with pytest.raises(ValueError, match="policy: plays dune only, not dunaia"):
        player.act_batch(lanes_in_play(), np.arange(8))
    with pytest.raises(ValueError, match="policy: plays dune only, not dunaia"):
        player.act(lanes_in_play().get_state(0).view())
