"""The plain PPO to copy learns a small game."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("torch")

import torch

from training.examples import plain_ppo
from training.examples.plain_ppo import Arguments, train, win_share

pytestmark = pytest.mark.once

# Thirty updates.
ARGUMENTS = Arguments(
    game="tests.toy_game", game_options={"hand": 8}, decisions=30 * 64 * 32, lanes=64, steps=32, epochs=3,
    minibatches=4, width=32, learning_rate=3e-3, blocks=100,
)  # fmt: skip


@pytest.fixture(autouse=True)
def _one_thread() -> Iterator[None]:
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


@pytest.mark.long
def test_it_learns() -> None:
    reported: list[tuple[int, float]] = []
    network = train(ARGUMENTS, lambda *progress: reported.append(progress))
    decisions, losses = zip(*reported, strict=True)
    assert decisions == tuple(range(2048, ARGUMENTS.decisions + 1, 2048))
    assert np.mean(losses[-5:]) < 0.8 * np.mean(losses[:5])
    assert win_share(ARGUMENTS, network, "random") > 0.7
    untrained = plain_ppo.Network(plain_ppo.find_game(ARGUMENTS.game), ARGUMENTS.players, ARGUMENTS.width)
    assert win_share(ARGUMENTS, untrained, "random") < 0.6


def test_the_same_arguments_give_the_same_network() -> None:
    arguments = replace(ARGUMENTS, decisions=2 * 64 * 32)
    first, second = train(arguments).state_dict(), train(arguments).state_dict()
    assert all(torch.equal(first[name], second[name]) for name in first)
    other = train(replace(arguments, seed=1)).state_dict()
    assert not torch.equal(first["policy.weight"], other["policy.weight"])


def test_its_player_decides_alone_as_in_a_batch() -> None:
    game = plain_ppo.find_game(ARGUMENTS.game)
    player = plain_ppo.Player(train(replace(ARGUMENTS, decisions=0)))
    lanes = plain_ppo.Lanes(4, game=game, hand=8)
    lanes.reset(5)
    together = player.act_batch(lanes, np.arange(4))
    assert together.tolist() == [player.act(lanes.get_state(lane).view()) for lane in range(4)]
