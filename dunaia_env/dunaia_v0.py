"""Dunaïa as a PettingZoo AEC environment, version 0: ``dunaia_v0.env()`` and ``dunaia_v0.raw_env()``.

The version changes when the same seed and actions can give another observation, mask, reward or end.
"""

from __future__ import annotations

import pettingzoo

from dunaia_env.envs.aec import env, raw_env

__all__ = ["env", "raw_env"]

# The registry came with PettingZoo 1.26.
if hasattr(pettingzoo, "register"):
    pettingzoo.register("aec", "dunaia/Dunaia-v0", entry_point="dunaia_env.dunaia_v0:env")
