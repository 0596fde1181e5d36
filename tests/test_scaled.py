"""Scaled observations: float32 behind every interface, for what normalises observations in other libraries."""

from __future__ import annotations

import copy
import warnings
from collections.abc import Callable
from typing import Any

import gymnasium
import numpy as np
import pytest
import torch
from gymnasium.spaces import Box
from gymnasium.wrappers import NormalizeObservation, RescaleObservation, TransformObservation, vector as many
from numpy.typing import NDArray
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks
from stable_baselines3 import DQN, PPO
from stable_baselines3.common.callbacks import BaseCallback
from stable_baselines3.common.vec_env import DummyVecEnv, VecEnv, VecFrameStack, VecMonitor, VecNormalize
from tianshou.data import Batch, VectorReplayBuffer
from tianshou.env import DummyVectorEnv, VectorEnvNormObs
from torchrl.envs import ObservationNorm, SerialEnv, TransformedEnv, VecNormV2
from torchrl.envs.libs.pettingzoo import PettingZooWrapper

from dunaia_env import dunaia, dunaia_v0, dune, dune_v0
from dunaia_env.envs.sb3 import DunaiaVecEnv
from dunaia_env.envs.single import DunaiaEnv
from dunaia_env.envs.vector import DunaiaVectorEnv
from dunaia_env.harness.game import Game

pytestmark = [
    pytest.mark.once,
    pytest.mark.filterwarnings("ignore:PettingZoo in TorchRL is tested using version:UserWarning"),
]

SHORT: dict[str, dict[str, Any]] = {"dunaia": {"max_rounds": 2}, "dune": {"preset": "duel", "max_turns": 1}}
GAMES = pytest.mark.parametrize("game", [dunaia.GAME, dune.GAME], ids=lambda game: game.name)


def check_form(game: Game, floats: NDArray[Any], counts: NDArray[Any], space: Box) -> None:
    """The floats are the counts divided by the game's scale, in a space of floats with the bounds of the counts."""
    assert (space.dtype, floats.dtype, counts.dtype) == (np.float32, np.float32, np.int8)
    assert (space.low == 0).all()
    assert np.allclose(space.high * game.observation_scale, 127)
    assert (floats == counts / game.observation_scale).all()
    assert floats in space


def choose(masks: NDArray[Any], random: np.random.Generator) -> NDArray[np.int64]:
    return np.array([random.choice(np.flatnonzero(mask)) for mask in masks])


# Every interface


@GAMES
def test_the_single_environment_gives_floats(game: Game) -> None:
    counted, scaled = (DunaiaEnv(game=game, scale=scale, **SHORT[game.name]) for scale in (False, True))
    random = np.random.default_rng(0)
    (counts, _), (floats, _) = counted.reset(seed=3), scaled.reset(seed=3)
    over = False
    while not over:
        assert floats in scaled.observation_space
        check_form(game, floats["observation"], counts["observation"], scaled.observation_space["observation"])
        assert floats["action_mask"].dtype == np.int8
        action = choose([counts["action_mask"]], random)[0]
        counts, floats = counted.step(action)[0], (step := scaled.step(action))[0]
        over = step[2]
    check_form(game, floats["observation"], counts["observation"], scaled.observation_space["observation"])


@GAMES
@pytest.mark.parametrize("copies", [True, False])
@pytest.mark.parametrize("mode", ["SameStep", "NextStep"])
def test_the_vector_environment_gives_floats(game: Game, copies: bool, mode: str) -> None:
    options = {"game": game, "autoreset_mode": mode, "copy": copies, **SHORT[game.name]}
    counted, scaled = (DunaiaVectorEnv(3, scale=scale, **options) for scale in (False, True))
    random, ends = np.random.default_rng(0), 0
    (counts, _), (floats, _) = counted.reset(seed=3), scaled.reset(seed=3)
    first = floats["observation"]
    while ends < 2:
        check_form(
            game, floats["observation"][1], counts["observation"][1], scaled.single_observation_space["observation"]
        )
        assert floats["observation"] in scaled.observation_space["observation"]
        actions = choose(counts["action_mask"], random)
        counts, _, terminations, _, infos = counted.step(actions)
        floats, *_, others = scaled.step(actions)
        assert (floats["observation"] is first) is not copies
        ends += terminations.any()
        for lane in np.flatnonzero(terminations) if mode == "SameStep" else ():
            final, other = (one["final_obs"][lane]["observation"] for one in (others, infos))
            check_form(game, final, other, scaled.single_observation_space["observation"])
    twin = copy.deepcopy(scaled)
    assert (twin.reset(seed=9)[0]["observation"] == scaled.reset(seed=9)[0]["observation"]).all()


@GAMES
def test_stable_baselines3_gets_floats(game: Game) -> None:
    counted, scaled = (DunaiaVecEnv(3, game=game, scale=scale, seed=3, **SHORT[game.name]) for scale in (False, True))
    random, ends = np.random.default_rng(0), 0
    counts, floats = counted.reset(), scaled.reset()
    while ends < 2:
        assert isinstance(scaled.observation_space, Box)
        check_form(game, floats[0], counts[0], scaled.observation_space)
        actions = choose(get_action_masks(counted), random)
        counts, _, dones, infos = counted.step(actions)
        floats, *_, others = scaled.step(actions)
        for lane in np.flatnonzero(dones):
            ends += 1
            final, other = (one[lane]["terminal_observation"] for one in (others, infos))
            check_form(game, final, other, scaled.observation_space)


@pytest.mark.parametrize("module", [dunaia_v0, dune_v0])
@pytest.mark.parametrize("kind", ["env", "raw_env", "parallel_env"])
def test_pettingzoo_gets_floats(module: Any, kind: str) -> None:
    game = dunaia.GAME if module is dunaia_v0 else dune.GAME
    counted, scaled = (getattr(module, kind)(scale=scale, **SHORT[game.name]) for scale in (False, True))
    for env in (counted, scaled):
        env.reset(seed=5)
    for agent in scaled.possible_agents:
        floats, counts = (env.unwrapped.observe(agent) for env in (scaled, counted))
        assert floats in scaled.observation_space(agent)
        check_form(game, floats["observation"], counts["observation"], scaled.observation_space(agent)["observation"])
        assert (floats["action_mask"] == counts["action_mask"]).all()
    check_form(game, scaled.state(), counted.state(), scaled.unwrapped.state_space)


@pytest.mark.parametrize("make", [DunaiaEnv, DunaiaVectorEnv, DunaiaVecEnv, dunaia_v0.env, dune_v0.env])
def test_another_scale_is_refused(make: Callable[..., Any]) -> None:
    with pytest.raises(ValueError, match=r"^scale: expected True or False, got 'yes'$"):
        make(scale="yes")


# Stable-Baselines3


def singles(**options: Any) -> VecEnv:
    return DummyVecEnv([lambda: gymnasium.make("dunaia/Dunaia-v0", max_rounds=2, **options)] * 4)


def largest_change(env: VecEnv, algorithm: Any = MaskablePPO) -> float:
    """How far the ratio of probabilities is from 1 before any update, at most."""

    class Nothing(BaseCallback):
        def _on_step(self) -> bool:
            return True

    policy = "MlpPolicy" if isinstance(env.observation_space, Box) else "MultiInputPolicy"
    model = algorithm(policy, env, n_steps=32, seed=0, device="cpu")
    _, callback = model._setup_learn(32 * env.num_envs, Nothing())
    model.collect_rollouts(model.env, callback, model.rollout_buffer, 32)
    largest = 0.0
    for rows in model.rollout_buffer.get():
        masks = {"action_masks": rows.action_masks} if algorithm is MaskablePPO else {}
        with torch.no_grad():
            _, now, _ = model.policy.evaluate_actions(rows.observations, rows.actions.long().flatten(), **masks)
        largest = max(largest, (torch.exp(now - rows.old_log_prob) - 1).abs().max().item())
    return largest


ONLY_SEEN = {"norm_obs_keys": ["observation"]}


@pytest.mark.filterwarnings("ignore:.* games in a row were ended by an illegal action:UserWarning")
@pytest.mark.parametrize("algorithm", [MaskablePPO, PPO])
def test_policies_learn_from_the_normalised_floats_that_they_acted_on(algorithm: Any) -> None:
    for env, options in ((VecMonitor(DunaiaVecEnv(4, scale=True, max_rounds=2)), {}), (singles(scale=True), ONLY_SEEN)):
        assert largest_change(VecNormalize(env, **options), algorithm) < 1e-5


@pytest.mark.parametrize(
    ("make", "options", "named"),
    [
        (lambda: DunaiaVecEnv(4, max_rounds=2), {}, "observation of type int8"),
        (lambda: VecMonitor(DunaiaVecEnv(4, game="dune", preset="duel")), {}, "observation of type int8"),
        (lambda: VecFrameStack(DunaiaVecEnv(4, max_rounds=2), 2), {}, "observation of type int8"),
        (singles, {}, "action_mask of type int8 and observation of type int8"),
        (singles, ONLY_SEEN, "observation of type int8"),
        (lambda: singles(scale=True), {}, "action_mask of type int8"),
    ],
)
def test_normalised_integers_are_warned_of_because_stable_baselines3_loses_the_fractions(
    make: Callable[[], VecEnv], options: dict[str, Any], named: str
) -> None:
    env = VecNormalize(make(), **options)
    with pytest.warns(UserWarning, match=f"^VecNormalize normalises {named}, but .* Make .* with scale=True") as told:
        env.reset()
    assert {one.filename for one in told} == {__file__}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert largest_change(env) > 1e-4


def test_what_normalises_no_integers_is_not_warned_of() -> None:
    for env in (
        DunaiaVecEnv(2),
        VecNormalize(DunaiaVecEnv(2), norm_obs=False),
        VecNormalize(DunaiaVecEnv(2), training=False),
        VecNormalize(DunaiaVecEnv(2, scale=True)),
        VecNormalize(singles(scale=True), **ONLY_SEEN),
    ):
        env.reset()


@pytest.mark.filterwarnings("ignore:VecNormalize normalises observation of type int8:UserWarning")
@pytest.mark.filterwarnings("ignore:.* games in a row were ended by an illegal action:UserWarning")
def test_off_policy_buffers_hold_what_was_seen_before_it_was_normalised() -> None:
    kept: list[NDArray[Any]] = []

    class Watched(DunaiaVecEnv):
        def _observations(self) -> NDArray[Any]:
            kept.append(super()._observations())
            return kept[-1]

    env = VecNormalize(Watched(2, max_rounds=2, seed=1))
    model = DQN("MlpPolicy", env, buffer_size=200, learning_starts=1000, device="cpu", seed=0).learn(40)
    stored = model.replay_buffer.observations[:20]
    assert (stored == np.array(kept[:20])).all()


# Gymnasium, Tianshou, TorchRL


def seen_alone(**options: Any) -> gymnasium.Env[Any, Any]:
    env = gymnasium.make("dunaia/Dunaia-v0", max_rounds=2, **options)
    return TransformObservation(env, lambda seen: seen["observation"], env.observation_space["observation"])


@pytest.mark.parametrize("scale", [False, True])
def test_gymnasiums_normaliser_declares_the_floats_that_it_gives(scale: bool) -> None:
    env = NormalizeObservation(seen_alone(scale=scale))
    seen, _ = env.reset(seed=1)
    assert seen.dtype == env.observation_space.dtype == np.float32
    batch = gymnasium.make_vec("dunaia/Dunaia-v0", num_envs=3, autoreset_mode="NextStep", scale=scale)
    spaces = (one["observation"] for one in (batch.observation_space, batch.single_observation_space))
    batch = many.NormalizeObservation(many.TransformObservation(batch, lambda seen: seen["observation"], *spaces))
    seen, _ = batch.reset(seed=1)
    assert seen.dtype == batch.single_observation_space.dtype == np.float32


def test_gymnasiums_rescaling_needs_floats() -> None:
    """In a space of integers it leaves nothing of values between 0 and 1."""
    assert not RescaleObservation(seen_alone(), 0, 1).reset(seed=1)[0].any()
    counts = seen_alone().reset(seed=1)[0]
    assert np.allclose(RescaleObservation(seen_alone(scale=True), 0, 1).reset(seed=1)[0], counts / 127)


@pytest.mark.long
@pytest.mark.parametrize("scale", [False, True])
def test_tianshous_buffers_hold_the_floats_of_its_normaliser(scale: bool) -> None:
    env = VectorEnvNormObs(DummyVectorEnv([lambda: seen_alone(scale=scale)] * 3))
    seen, _ = env.reset()
    actions = np.zeros(3, np.int64)
    following, rewards, terminations, truncations, _ = env.step(actions)
    buffer = VectorReplayBuffer(30, 3)
    buffer.add(
        Batch(
            obs=seen,
            act=actions,
            rew=rewards,
            terminated=terminations,
            truncated=truncations,
            obs_next=following,
            info=Batch(),
        )
    )
    assert seen.dtype.kind == buffer.obs.dtype.kind == "f"
    assert (buffer.obs[[0, 10, 20]] == seen).all()


SEEN = ("player_0", "observation", "observation")


def torchrl(transform: Any, scale: bool) -> Any:
    env = PettingZooWrapper(dunaia_v0.env(max_rounds=2, scale=scale), use_mask=True, seed=1)
    return TransformedEnv(env, transform)


def test_torchrls_batches_hold_fractions_of_floats_only() -> None:
    """Its batches have the types of the specifications, which its transforms leave as they are."""

    def fractions(scale: bool) -> Any:
        env = SerialEnv(2, lambda: torchrl(ObservationNorm(0.1, 0.3, in_keys=[SEEN]), scale))
        seen = env.reset()[SEEN]
        return seen.dtype, bool((seen != seen.round()).any())

    assert fractions(True) == (torch.float32, True)
    assert fractions(False) == (torch.int8, False)


def test_torchrls_running_normaliser_takes_floats_only() -> None:
    assert torchrl(VecNormV2(in_keys=[SEEN]), True).rollout(5)[SEEN].dtype == torch.float32
    with pytest.raises(RuntimeError, match="dtype"):
        torchrl(VecNormV2(in_keys=[SEEN]), False).rollout(5)
