"""Dunaïa as a PettingZoo environment, version 0: ``dunaia_v0.env()``, ``raw_env()`` and ``parallel_env()``.

The version changes when the same seed and actions can give another observation, mask, reward or end.
"""

from __future__ import annotations

from typing import Any

import pettingzoo
from pettingzoo import ParallelEnv
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from dunaia_env.envs.aec import Observation, env, raw_env

__all__ = ["env", "parallel_env", "raw_env"]


def parallel_env(**kwargs: Any) -> ParallelEnv[str, Observation, int]:
    """The environment in PettingZoo's parallel API, for libraries that know no other; arguments as `raw_env`.

    `step` takes an action for each agent and plays that of the one that decides, whose mask is the only one with ones;
    the others' actions are ignored. After a step ``infos[agent]["active_agent"]`` names who decides.
    """
    return turn_based_aec_to_parallel(env(**kwargs))


# The registry came with PettingZoo 1.26.
if hasattr(pettingzoo, "register"):
    pettingzoo.register("aec", "dunaia/Dunaia-v0", entry_point="dunaia_env.dunaia_v0:env")
    pettingzoo.register("parallel", "dunaia/Dunaia-v0", entry_point="dunaia_env.dunaia_v0:parallel_env")
