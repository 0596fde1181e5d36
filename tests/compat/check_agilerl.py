"""AgileRL plays and learns the environment. Run by `tests.compat.run` in an environment of its own."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from agilerl.rollouts.on_policy import collect_rollouts
from agilerl.vector.pz_async_vec_env import AsyncPettingZooVecEnv
from agilerl.wrappers.pettingzoo_wrappers import PettingZooAutoResetParallelWrapper

from dunaia_env import dunaia, dunaia_v0

DECISIONS = 3600  # at each number of players
PLACES = 4
PAGE = Path(__file__).parents[2] / "docs" / "interfaces.md"


class Twin:
    """The same game played beside a vectorized one, which keeps its results to itself."""

    def __init__(self, seed: int, **options: Any) -> None:
        self.env = dunaia_v0.raw_env(**options)
        self.env.reset(seed=seed)

    def check(self, seen: dict[str, Any]) -> None:
        """The vectorized environment shows what this one does."""
        for agent in self.env.possible_agents:
            alone = self.env.observe(agent)
            assert (seen[agent]["observation"] == alone["observation"]).all()
            assert (seen[agent]["action_mask"] == alone["action_mask"]).all()

    def step(self, action: int) -> tuple[dict[str, float], bool]:
        """The rewards and whether the game is over; then the next one begins."""
        self.env.step(action)
        rewards, over = self.env.rewards, self.env.game_state.is_over
        assert not any("illegal_action" in info for info in self.env.infos.values())
        if over:
            self.env.reset()
        return rewards, over


def random_actions(seen: dict[str, Any], random: np.random.Generator) -> dict[str, int]:
    """A legal action for who decides, 0 for the others."""
    legal = {agent: np.flatnonzero(pieces["action_mask"]) for agent, pieces in seen.items()}
    return {agent: int(random.choice(actions)) if actions.size else 0 for agent, actions in legal.items()}


def part(batch: dict[str, Any], place: int) -> dict[str, Any]:
    """What one of the vectorized environments shows."""
    return {agent: {name: values[place] for name, values in pieces.items()} for agent, pieces in batch.items()}


@pytest.mark.parametrize("shape", [(PLACES,), (PLACES, 1)])
@pytest.mark.parametrize("players", [2, 3, 4])
def test_vectorized_masked_decisions_are_legal_and_rewards_are_the_final_ones(
    players: int, shape: tuple[int, ...]
) -> None:
    options = {"num_players": players, "reward": "rank", "max_rounds": 3}
    env = AsyncPettingZooVecEnv([lambda: dunaia_v0.parallel_env(illegal="raise", **options)] * PLACES)
    twins = [Twin(5 + place, **options) for place in range(PLACES)]
    random, ends = np.random.default_rng(players), 0
    batch, _ = env.reset(seed=5)
    for _ in range(DECISIONS // PLACES // 2):
        chosen = []
        for place, twin in enumerate(twins):
            twin.check(part(batch, place))
            chosen.append(random_actions(part(batch, place), random))
        actions = {agent: np.array([one[agent] for one in chosen]).reshape(shape) for agent in env.agents}
        deciding = [twin.env.agent_selection for twin in twins]
        batch, rewards, terminations, truncations, _ = env.step(actions)
        for place, twin in enumerate(twins):
            wanted, over = twin.step(chosen[place][deciding[place]])
            assert {agent: rewards[agent][place] for agent in env.agents} == wanted
            assert all(terminations[agent][place] == over for agent in env.agents)
            assert not any(truncations[agent][place] for agent in env.agents)
            ends += over
    env.close()
    assert ends > 20


@pytest.mark.parametrize("players", [2, 3, 4])
def test_the_autoreset_wrapper_goes_on_with_the_next_game(players: int) -> None:
    options = {"num_players": players, "max_rounds": 3}
    env = PettingZooAutoResetParallelWrapper(dunaia_v0.parallel_env(illegal="raise", **options))
    twin, random, ends = Twin(5, **options), np.random.default_rng(players), 0
    seen, _ = env.reset(seed=5)
    for _ in range(1000):
        twin.check(seen)
        actions, deciding = random_actions(seen, random), twin.env.agent_selection
        seen, rewards, terminations, _, _ = env.step(actions)
        wanted, over = twin.step(actions[deciding])
        assert rewards == wanted
        assert terminations == dict.fromkeys(env.possible_agents, over)
        ends += over
    assert ends > 20


def test_the_documented_ppo_learns_without_an_illegal_action() -> None:
    names: dict[str, Any] = {}
    exec(re.search(r"```python agilerl\n(.*?)```", PAGE.read_text(encoding="utf-8"), re.DOTALL)[1], names)
    agent = names["agent"]
    for _ in range(2):
        scores, *_ = collect_rollouts(agent, names["env"])
        assert len(scores) > 50
        assert all(-1 <= score <= 1 for score in scores)
        rows = agent.rollout_buffer.buffer
        masks, actions = rows["action_masks"], rows["actions"].long()
        assert masks.shape == (128, 8, dunaia.NUM_ACTIONS)
        assert not masks.all(-1).any()
        assert masks.gather(-1, actions.reshape(128, 8, 1)).all()
        assert np.isfinite(agent.learn())
