"""Games that illegal actions end, one after the other, are told once."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from torchrl.envs import SerialEnv
from torchrl.envs.libs.pettingzoo import PettingZooWrapper

from dunaia_env import dunaia_v0, dune_v0
from dunaia_env.envs.sb3 import DunaiaVecEnv
from dunaia_env.envs.single import DunaiaEnv
from dunaia_env.envs.vector import DunaiaVectorEnv
from dunaia_env.harness.cautions import GAMES_IN_A_ROW, IllegalEnds

pytestmark = pytest.mark.once

TOLD = (
    r"^20 games in a row were ended by an illegal action, the last one by {}: .* ignore action_mask.* illegal=\"raise\""
)


def aec(make: Callable[..., Any]) -> Callable[[], None]:
    env = make()

    def play() -> None:
        env.reset()
        env.step(int(np.flatnonzero(env.observe(env.agent_selection)["action_mask"] == 0)[0]))

    return play


def single() -> Callable[[], None]:
    env = DunaiaEnv()

    def play() -> None:
        env.reset()
        env.step(-1)

    return play


def batch(env: Any) -> Callable[[], None]:
    env.reset()
    return lambda: env.step(np.array([-1]))


DOORS: dict[str, Callable[[], Callable[[], None]]] = {
    "env": lambda: aec(dunaia_v0.env),
    "raw_env": lambda: aec(dunaia_v0.raw_env),
    "Dune": lambda: aec(dune_v0.env),
    "single": single,
    "vector": lambda: batch(DunaiaVectorEnv(1)),
    "self-play": lambda: batch(DunaiaVectorEnv(1, opponents=None)),
    "Stable-Baselines3": lambda: batch(DunaiaVecEnv(1)),
}


@pytest.mark.parametrize("door", list(DOORS))
def test_every_interface_tells_once_of_games_that_only_illegal_actions_end(door: str) -> None:
    play = DOORS[door]()
    for _ in range(GAMES_IN_A_ROW - 1):
        play()
    with pytest.warns(UserWarning, match=TOLD.format(r"-?\d+")) as told:
        play()
    assert len(told) == 1
    for _ in range(2 * GAMES_IN_A_ROW):
        play()


def test_a_game_that_ends_by_the_rules_begins_a_new_count() -> None:
    ends = IllegalEnds()
    ends.note(GAMES_IN_A_ROW - 1, last=3)
    ends.note(5, 1, last=3)
    ends.note(GAMES_IN_A_ROW - 1, last=3)
    twin = copy.deepcopy(ends)
    for one in (ends, twin):
        with pytest.warns(UserWarning, match=TOLD.format("None")):
            one.note(1, last=None)


@pytest.mark.parametrize("make", [dunaia_v0.env, DunaiaEnv])
def test_games_with_masks_begin_a_new_count(make: Callable[..., Any]) -> None:
    env = make(max_rounds=1)
    random = np.random.default_rng(0)
    for number in range(2 * GAMES_IN_A_ROW):
        env.reset(seed=number)
        legal = number % GAMES_IN_A_ROW == GAMES_IN_A_ROW - 1
        over = False
        while not over:
            info = env.unwrapped.infos[env.agent_selection] if make is dunaia_v0.env else env._info()
            mask = info["action_mask"]
            step = env.step(int(random.choice(np.flatnonzero(mask if legal else mask == 0))))
            over = any(env.terminations.values()) if make is dunaia_v0.env else step[2]


def test_the_games_of_a_batch_are_counted_together() -> None:
    env = DunaiaVecEnv(30)
    env.reset()
    with pytest.warns(UserWarning, match="^30 games in a row"):
        env.step(np.full(30, -1))


@pytest.mark.long
@pytest.mark.filterwarnings("ignore:PettingZoo in TorchRL is tested using version:UserWarning")
def test_torchrls_random_policy_in_batches_ignores_masks_and_is_told_so() -> None:
    """Outside batches its wrapper applies the masks to the random actions."""

    def make() -> PettingZooWrapper:
        return PettingZooWrapper(dunaia_v0.env(max_rounds=2), use_mask=True, seed=1)

    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        both = SerialEnv(2, make)
        both.rollout(60, break_when_any_done=False)
    assert len([one for one in told if "games in a row" in str(one.message)]) == 2
    make().rollout(300, break_when_any_done=False)
