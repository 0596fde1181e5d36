"""Stable-Baselines3's vector environment: its contract, and the same games as the single environment's."""

from __future__ import annotations

import copy
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from gymnasium.wrappers import FilterObservation
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.callbacks import MaskableEvalCallback
from sb3_contrib.common.maskable.evaluation import evaluate_policy
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported
from stable_baselines3.common.monitor import Monitor
from stable_baselines3.common.vec_env import DummyVecEnv, VecCheckNan, VecMonitor, VecNormalize

from dunaia_env import GameState, IllegalActionError
from dunaia_env.envs.sb3 import DunaiaVecEnv
from dunaia_env.harness.compiled.rewards import final_rewards
from tests.toy_game import GAME as BIDS

pytestmark = pytest.mark.once

TABLES = [(players, elites) for players in (2, 3, 4) for elites in (False, True)]


def random_actions(env: Any, random: np.random.Generator) -> Any:
    return np.array([random.choice(np.flatnonzero(mask)) for mask in get_action_masks(env)])


def play(env: Any, steps: int, seed: int = 0) -> list[tuple[Any, ...]]:
    random, seen = np.random.default_rng(seed), []
    for _ in range(steps):
        observations, rewards, dones, infos = env.step(random_actions(env, random))
        seen.append((observations.tobytes(), rewards.tolist(), dones.tolist(), str(infos)))
    return seen


@pytest.mark.parametrize(
    "options",
    [
        {"opponents": "random"},
        {"opponents": ["greedy", "random"], "elites": True},
        {"opponents": "random", "num_players": 4, "reward": "score"},
    ],
)
def test_the_batch_equals_dummy_vec_env_of_single_environments(options: dict[str, Any]) -> None:
    def single() -> gymnasium.Env[Any, Any]:
        return gymnasium.make("dunaia/Dunaia-v0", max_rounds=3, **options)

    batch, dummy = DunaiaVecEnv(4, max_rounds=3, seed=20, **options), DummyVecEnv([single] * 4)
    dummy.seed(20)
    seen, wanted = batch.reset(), dummy.reset()
    random, ends = np.random.default_rng(0), 0
    for number in range(120):
        assert seen.dtype == batch.observation_space.dtype
        assert np.array_equal(seen, wanted["observation"])
        masks = get_action_masks(batch)
        assert np.array_equal(masks, get_action_masks(dummy))
        assert np.array_equal(masks, wanted["action_mask"] == 1)
        actions = random_actions(batch, random)
        if number == 50:
            actions[2] = 316
        seen, rewards, dones, infos = batch.step(actions)
        wanted, wanted_rewards, wanted_dones, wanted_infos = dummy.step(actions)
        assert rewards.dtype == np.float32
        assert np.allclose(rewards, wanted_rewards)
        assert dones.dtype == np.bool_
        assert np.array_equal(dones, wanted_dones)
        for lane in np.flatnonzero(dones):
            info, other = infos[lane], wanted_infos[lane]
            assert np.array_equal(info.pop("terminal_observation"), other.pop("terminal_observation")["observation"])
            other.pop("action_mask")
            if "illegal_action" in other:
                other["illegal_action"] = int(other["illegal_action"])
            assert str(info) == str(other)
            for name in ("seed", "seat"):
                assert batch.reset_infos[lane][name] == dummy.reset_infos[lane][name]
            ends += 1
        assert all(infos[lane] == {} for lane in np.flatnonzero(~dones))
    assert ends > 8


@pytest.mark.parametrize(("players", "elites"), TABLES)
def test_ten_thousand_masked_decisions_and_the_returns(players: int, elites: bool) -> None:
    """6 tables of 32 games and 60 steps: none is illegal, and each game's rewards sum to the return of the seat."""
    env = DunaiaVecEnv(32, num_players=players, elites=elites, max_rounds=5, seed=1)
    env.reset()
    random, total, games, seats = np.random.default_rng(0), np.zeros(32), 0, set()
    for _ in range(60):
        _, rewards, dones, infos = env.step(random_actions(env, random))
        total += rewards
        for lane in np.flatnonzero(dones):
            info = infos[lane]
            assert "illegal_action" not in info
            assert info["TimeLimit.truncated"] is False
            wanted = final_rewards("win", info["scores"][None], info["ranks"][None], np.array([players]))[0]
            assert total[lane] == pytest.approx(wanted[info["seat"]])
            total[lane], games = 0, games + 1
            seats.add(info["seat"])
    assert games > 20
    assert seats == set(range(players))


def test_arrays_are_fresh() -> None:
    """Stable-Baselines3 changes rewards in place, and keeps observations of the step before."""
    env = DunaiaVecEnv(8, max_rounds=3, seed=0)
    seen = env.reset()
    random = np.random.default_rng(0)
    for _ in range(40):
        kept, masks = seen.copy(), get_action_masks(env)
        rows = env.env_method("action_masks")
        following, rewards, dones, infos = env.step(random_actions(env, random))
        assert np.array_equal(seen, kept)
        assert np.array_equal(np.stack(rows), masks)
        finals = [info["terminal_observation"].copy() for info in infos if info]
        rewards += 5
        dones[:] = True
        seen = following
        assert not (env.games.rewards >= 5).any()
        assert all(not np.array_equal(final, row) for final in finals for row in seen)


def test_what_sb3_contrib_asks_for() -> None:
    env = DunaiaVecEnv(5, seed=3)
    env.reset()
    assert is_masking_supported(env)
    masks = get_action_masks(env)
    assert masks.shape == (5, env.action_space.n)
    assert masks.dtype == np.bool_
    assert np.array_equal(np.stack(env.env_method("action_masks", indices=[3, 1])), masks[[3, 1]])
    assert np.array_equal(env.env_method("action_masks", indices=2)[0], masks[2])
    assert [mask.tolist() for mask in (method() for method in env.get_attr("action_masks"))] == masks.tolist()


def test_attributes_and_methods_of_the_games() -> None:
    env = DunaiaVecEnv(3, render_mode="ansi", seed=3)
    env.reset()
    assert env.has_attr("render_mode")
    assert not env.has_attr("spec_of_nothing")
    assert env.get_attr("render_mode") == ["ansi"] * 3
    assert env.get_attr("num_envs", indices=[0]) == [3]
    assert env.env_is_wrapped(Monitor) == [False] * 3
    assert env.env_is_wrapped(Monitor, indices=1) == [False]
    env.set_attr("render_mode", "human")
    assert env.render_mode == "human"
    with pytest.raises(ValueError, match=r"indices: expected None, got \[1\], because all games share 'render_mode'"):
        env.set_attr("render_mode", "ansi", indices=[1])
    state = env.env_method("get_state", indices=2)[0]
    assert isinstance(state, GameState)
    env.env_method("set_state", state, indices=0)
    assert env.env_method("get_state")[0] == state
    with pytest.raises(AttributeError, match="expected action_masks, get_state, set_state or render, got 'dance'"):
        env.env_method("dance")


def test_rendering(capsys: pytest.CaptureFixture[str]) -> None:
    env = DunaiaVecEnv(2, render_mode="ansi", seed=3)
    env.reset()
    texts = env.env_method("render")
    assert all("Round 1, player" in text for text in texts)
    assert capsys.readouterr().out == ""
    human = DunaiaVecEnv(1, render_mode="human", seed=3)
    human.reset()
    human.render()
    assert capsys.readouterr().out.startswith("Round 1, player")
    assert DunaiaVecEnv(1).env_method("render") == [None]
    assert human.get_images() == [None]


def test_seeds_name_the_games_of_the_next_reset_only() -> None:
    env = DunaiaVecEnv(3, seed=40)
    env.reset()
    assert [info["seed"] for info in env.reset_infos] == [40, 41, 42]
    env.reset()
    following = [info["seed"] for info in env.reset_infos]
    assert not set(following) & {40, 41, 42}
    assert env.seed(40) == [40, 41, 42]
    env.reset()
    assert [info["seed"] for info in env.reset_infos] == [40, 41, 42]
    env.reset()
    assert [info["seed"] for info in env.reset_infos] == following
    unseeded = DunaiaVecEnv(3)
    unseeded.reset()
    assert not {info["seed"] for info in unseeded.reset_infos} & {0, 1, 2}


def test_a_state_to_begin_in_is_an_option_of_the_next_reset_only() -> None:
    """As `DummyVecEnv` hands it to the single environment."""
    options: dict[str, Any] = {"max_rounds": 5, "opponents": "random"}
    state = GameState.new(7, max_rounds=5)
    for action in range(20):
        state.apply(state.legal_actions()[action % 2 - 1], 7)
    batch = DunaiaVecEnv(3, **options)
    dummy = DummyVecEnv([lambda: gymnasium.make("dunaia/Dunaia-v0", **options)] * 3)
    chosen = [{"state": state.to_dict()}, {}, {"state": state.to_dict()}]
    for env in (batch, dummy):
        env.seed(3)
        env.set_options(chosen)
    begun = batch.reset()
    assert np.array_equal(begun, dummy.reset()["observation"])
    later = [one["round"] for one in (game.to_dict() for game in batch.env_method("get_state"))]
    assert later[0] > later[1] == 1
    fresh = batch.reset()
    assert np.array_equal(fresh, dummy.reset()["observation"])
    batch.set_options({"state": {"no": "state"}})
    with pytest.raises(ValueError, match="players is missing"):
        batch.reset()
    batch.reset()


def test_steps_out_of_order_are_refused() -> None:
    env = DunaiaVecEnv(2, seed=0)
    with pytest.raises(ResetNeeded, match="step_async: no game is in progress; call reset"):
        env.step(np.zeros(2, np.int64))
    env.reset()
    with pytest.raises(RuntimeError, match="step_wait: no actions; call step_async"):
        env.step_wait()
    env.step(env.games.lanes.random_actions(0))
    with pytest.raises(RuntimeError, match="step_wait: no actions; call step_async"):
        env.step_wait()
    env.step_async(env.games.lanes.random_actions(0))
    env.reset()
    with pytest.raises(RuntimeError, match="step_wait: no actions; call step_async"):
        env.step_wait()


def test_an_illegal_action_can_raise_and_then_changes_nothing() -> None:
    env = DunaiaVecEnv(2, illegal="raise", seed=0)
    seen = env.reset()
    with pytest.raises(IllegalActionError, match="lane 1: action 316 is not legal"):
        env.step(np.array([np.flatnonzero(env.env_method("action_masks")[0])[0], 316]))
    assert np.array_equal(env.games.lanes.observations, seen)
    env.step(random_actions(env, np.random.default_rng(0)))


@pytest.mark.parametrize("module", ["stable_baselines3", "torch"])
def test_without_stable_baselines3_one_sentence_says_what_to_install(module: str) -> None:
    code = f"""
import sys
import dunaia_env.envs.single, dunaia_env.envs.vector, dunaia_env.harness.opponents
assert not {{"torch", "stable_baselines3"}} & set(sys.modules)
sys.modules[{module!r}] = None
import dunaia_env.envs.sb3
"""
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    wanted = 'ImportError: dunaia_env.envs.sb3 needs Stable-Baselines3: pip install "dunaia-env[train]"'
    assert result.stderr.strip().splitlines()[-1].startswith(wanted)


@pytest.mark.parametrize("opponents", ["random", ["greedy", "random"]])
@pytest.mark.parametrize("duplicate", [copy.deepcopy, lambda env: pickle.loads(pickle.dumps(env))])
def test_copies_in_mid_game_go_on_alike(opponents: Any, duplicate: Callable[[Any], Any]) -> None:
    env = DunaiaVecEnv(3, opponents=opponents, max_rounds=4, seed=2)
    env.reset()
    play(env, 25)
    twin = duplicate(env)
    theirs = play(twin, 40, 1)
    assert play(env, 40, 1) == theirs
    env.close()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"opponents": None}, "opponents: expected agents, got None"),
        ({"render_mode": "rgb"}, "render_mode: expected one of human, ansi, rgb_array or None, got 'rgb'"),
        ({"seed": -1}, "seed: expected an integer in 0.*, got -1"),
        ({"num_players": 7}, r"num_players: expected an integer in 2\.\.4, got 7"),
        ({"num_envs": 0}, "num_lanes: expected at least 1.*, got 0"),
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        DunaiaVecEnv(**options)


def small_model(env: Any) -> MaskablePPO:
    return MaskablePPO("MlpPolicy", env, n_steps=16, batch_size=64, n_epochs=1, seed=0, device="cpu")


@pytest.mark.parametrize("opponents", ["random", ["greedy", "random"]])
def test_maskable_ppo_learns_and_is_evaluated_through_it(opponents: Any) -> None:
    """No action that training or evaluation takes is illegal."""

    class Watched(DunaiaVecEnv):
        def step_wait(self) -> Any:
            result = super().step_wait()
            assert not self.games.illegal_actions
            return result

    env, other = (VecMonitor(Watched(8, opponents=opponents, max_rounds=3, seed=seed)) for seed in (1, 2))
    callback = MaskableEvalCallback(other, eval_freq=30, n_eval_episodes=8, warn=False)
    model = small_model(env).learn(8 * 16 * 4, callback=callback)
    assert callback.evaluations_results == [] or callback.last_mean_reward >= -1
    assert model.ep_info_buffer
    assert all(abs(episode["r"]) <= 1 for episode in model.ep_info_buffer)
    mean, deviation = evaluate_policy(model, other, n_eval_episodes=20)
    assert -1 <= mean <= 1
    assert deviation >= 0


def test_wrappers_of_stable_baselines3() -> None:
    env = VecNormalize(VecCheckNan(VecMonitor(DunaiaVecEnv(4, max_rounds=3, seed=1))), norm_obs=False, gamma=1.0)
    small_model(env).learn(64)


def test_the_single_environment_trains_too() -> None:
    """By Dict observations with the mask in them, or without it."""
    env = Monitor(gymnasium.make("dunaia/Dunaia-v0", max_rounds=3))
    MaskablePPO("MultiInputPolicy", env, n_steps=32, batch_size=32, n_epochs=1, device="cpu").learn(64)
    alone = Monitor(FilterObservation(gymnasium.make("dunaia/Dunaia-v0", max_rounds=3), ["observation"]))
    MaskablePPO("MultiInputPolicy", alone, n_steps=32, batch_size=32, n_epochs=1, device="cpu").learn(64)


def test_another_game_is_learnt() -> None:
    env = DunaiaVecEnv(4, game=BIDS, num_players=6, laps=3, seed=2, render_mode="ansi")
    assert env.observation_space == gymnasium.spaces.Box(0, 127, (BIDS.observation_size,), np.int8)
    env.reset()
    assert "of 40, prize" in env.env_method("render")[0]
    ends = [info for _, _, dones, infos in play(env, 30) for info in [infos] if any(dones)]
    assert ends
    small_model(VecMonitor(env)).learn(64)
