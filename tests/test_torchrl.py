"""TorchRL plays the PettingZoo environment: its checker, masks, rewards, its collector."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch
from tensordict.nn import ProbabilisticTensorDictModule, TensorDictModule, TensorDictSequential
from torchrl.envs import SerialEnv
from torchrl.envs.libs.pettingzoo import PettingZooWrapper
from torchrl.envs.utils import check_env_specs
from torchrl.modules import MaskedCategorical

from dunaia_env import dunaia, dunaia_v0
from dunaia_env.harness.compiled.rewards import final_rewards

# TorchRL names the one version of PettingZoo that its own tests run with.
pytestmark = [
    pytest.mark.once,
    pytest.mark.filterwarnings("ignore:PettingZoo in TorchRL is tested using version:UserWarning"),
]


def make(players: int, **options: Any) -> PettingZooWrapper:
    """The wrapped environment; an illegal action raises."""
    env = dunaia_v0.env(num_players=players, max_rounds=3, illegal="raise", **options)
    return PettingZooWrapper(env, use_mask=True, seed=players)


def masked_policy(agents: list[str]) -> TensorDictSequential:
    """Every agent draws from the actions that its mask allows, all equally likely."""
    modules: list[Any] = []
    for agent in agents:
        modules += [
            TensorDictModule(
                lambda observation: torch.zeros(*observation.shape[:-1], dunaia.NUM_ACTIONS),
                in_keys=[(agent, "observation", "observation")],
                out_keys=[(agent, "logits")],
            ),
            ProbabilisticTensorDictModule(
                in_keys={"logits": (agent, "logits"), "mask": (agent, "action_mask")},
                out_keys=[(agent, "action")],
                distribution_class=MaskedCategorical,
            ),
        ]
    return TensorDictSequential(*modules)


def check_rewards(env: PettingZooWrapper, game: Any, reward: str) -> None:
    """What the rows of a finished game give each seat is what its result is worth."""
    info, players = env.unwrapped.infos["player_0"], len(env.possible_agents)
    values = final_rewards(reward, np.array([info["scores"]]), np.array([info["ranks"]]), np.array([players]))[0]
    for agent, value in zip(env.possible_agents, values.tolist(), strict=True):
        assert game["next", agent, "reward"].sum().item() == pytest.approx(value)
        assert game["next", agent, "done"].sum() == 1
        assert game["next", agent, "truncated"].sum() == 0


@pytest.mark.parametrize("elites", [False, True])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_torchrls_check_env_specs(players: int, elites: bool) -> None:
    env = make(players, elites=elites)
    check_env_specs(env)
    check_env_specs(env, seed=1, break_when_any_done="both")


@pytest.mark.parametrize("players", [2, 3, 4])
def test_masked_random_games_are_legal_and_rewarded_by_their_result(players: int) -> None:
    env = make(players, reward="rank")
    policy = masked_policy(env.possible_agents)
    for number in range(8):
        game = env.rollout(10_000, policy if number % 2 else None)
        assert game["next", "done"][-1].item()
        check_rewards(env, game, "rank")


@pytest.mark.slow
@pytest.mark.parametrize("players", [2, 3, 4])
def test_thousands_of_masked_random_decisions_are_legal(players: int) -> None:
    env, decisions = make(players, elites=True), 0
    policy = masked_policy(env.possible_agents)
    while decisions < 3500:
        game = env.rollout(10_000, policy)
        check_rewards(env, game, "win")
        decisions += len(game)


@pytest.mark.parametrize("players", [2, 3, 4])
def test_one_agent_decides_in_each_row_and_the_last_row_rewards_all(players: int) -> None:
    env = make(players)
    game = env.rollout(10_000)
    acting = torch.stack([game[agent, "mask"].squeeze(-1) for agent in env.possible_agents], dim=-1)
    assert (acting.sum(-1) == 1).all()
    for seat, agent in enumerate(env.possible_agents):
        allowed = game[agent, "action_mask"].squeeze(-2).sum(-1)
        assert (allowed[acting[:, seat]] < dunaia.NUM_ACTIONS).all()
        # TorchRL lets idle agents sample any action and ignores it.
        assert (allowed[~acting[:, seat]] == dunaia.NUM_ACTIONS).all()
        assert (game["next", agent, "reward"][:-1] == 0).all()
    check_rewards(env, game, "win")


@pytest.mark.long
# TorchRL's own collectors inherit from what it deprecates, seen when they are imported.
@pytest.mark.filterwarnings("ignore:Creating .* which inherits from WeightUpdaterBase:DeprecationWarning")
def test_torchrls_collector_and_batches_play_on_over_the_ends_of_games() -> None:
    from torchrl.collectors import Collector

    policy = masked_policy(make(3).possible_agents)
    collector = Collector(
        lambda: make(3), policy, frames_per_batch=200, total_frames=400, auto_register_policy_transforms=False
    )
    batches = list(collector)
    collector.shutdown()
    assert [batch.shape for batch in batches] == [torch.Size([200])] * 2
    assert all(batch["next", "done"].sum() > 2 for batch in batches)
    both = SerialEnv(2, lambda: make(3)).rollout(60, policy, break_when_any_done=False)
    assert both.shape == torch.Size([2, 60])
    assert (both["next", "done"].sum(1) > 0).all()
