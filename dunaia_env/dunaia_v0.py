"""Dunaïa as a PettingZoo environment, version 0: ``dunaia_v0.env()``, ``raw_env()`` and ``parallel_env()``.

The version changes when the same seed and actions can lead to a different observation, mask, reward or end.
"""

from __future__ import annotations

import os

import pettingzoo
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from dunaia_env.dunaia import GAME, Components
from dunaia_env.envs import aec
from dunaia_env.envs.aec import Observation
from dunaia_env.render.modes import WIDTH

__all__ = ["env", "parallel_env", "raw_env"]


class raw_env(aec.raw_env):  # noqa: N801  (PettingZoo's name)
    """Dunaïa for 2 to 4 agents ``player_0`` .. ``player_3``; `dunaia_env.envs.aec.raw_env` says what an agent sees.

    Args:
        num_players: number of agents, 2 to 4.
        elites: play with elite characters; the game then begins with their draft.
        max_rounds: round limit, 1..1000; a game that has not ended by then is stopped, scored and terminated.
        components: a component file or its content; None for the game's own.
        reward: "win", "rank" or "score", see `dunaia_env.harness.compiled.rewards`.
        illegal: the effect of an illegal action: "terminate" the game for all agents, or "raise" `IllegalActionError`.
        scale: give observations as float32, each entry divided by its scale (about 0..1), instead of int8.
        render_mode: "ansi" (`render` returns coloured text), "rgb_array" (it returns a picture, uint8 ``(H, W, 3)``),
            "human" (each reset and step shows the position in a window, or as text where there is no display) or None.
        render_width: width of pictures in pixels, 64..4096.

    Raises `ValueError` naming an argument that is out of range.
    """

    metadata = {**aec.raw_env.metadata, "name": "dunaia_v0"}  # noqa: RUF012  (as PettingZoo declares it)

    def __init__(
        self,
        *,
        num_players: int = 2,
        elites: bool = False,
        max_rounds: int = 100,
        components: Components | str | os.PathLike[str] | None = None,
        reward: str = "win",
        illegal: str = "terminate",
        scale: bool = False,
        render_mode: str | None = None,
        render_width: int = WIDTH,
    ) -> None:
        super().__init__(
            game=GAME,
            num_players=num_players,
            elites=elites,
            max_rounds=max_rounds,
            components=components,
            reward=reward,
            illegal=illegal,
            scale=scale,
            render_mode=render_mode,
            render_width=render_width,
        )


def env(
    *,
    num_players: int = 2,
    elites: bool = False,
    max_rounds: int = 100,
    components: Components | str | os.PathLike[str] | None = None,
    reward: str = "win",
    illegal: str = "terminate",
    scale: bool = False,
    render_mode: str | None = None,
    render_width: int = WIDTH,
) -> AECEnv[str, Observation, int]:
    """The environment in PettingZoo's wrappers for action bounds and call order; for the arguments see `raw_env`."""
    raw = raw_env(
        num_players=num_players,
        elites=elites,
        max_rounds=max_rounds,
        components=components,
        reward=reward,
        illegal=illegal,
        scale=scale,
        render_mode=render_mode,
        render_width=render_width,
    )
    return aec.wrapped(raw)


def parallel_env(
    *,
    num_players: int = 2,
    elites: bool = False,
    max_rounds: int = 100,
    components: Components | str | os.PathLike[str] | None = None,
    reward: str = "win",
    illegal: str = "terminate",
    scale: bool = False,
    render_mode: str | None = None,
    render_width: int = WIDTH,
) -> ParallelEnv[str, Observation, int]:
    """The environment in PettingZoo's parallel API, for libraries without AEC support; for the arguments see `raw_env`.

    `step` takes an action for each agent and plays only the action of the agent that decides. The masks of all other
    agents are zero, and their actions are ignored. After a step ``infos[agent]["active_agent"]`` names the agent that
    decides.
    """
    turn_based = env(
        num_players=num_players,
        elites=elites,
        max_rounds=max_rounds,
        components=components,
        reward=reward,
        illegal=illegal,
        scale=scale,
        render_mode=render_mode,
        render_width=render_width,
    )
    return turn_based_aec_to_parallel(turn_based)


# PettingZoo has had a registry since version 1.26.
if hasattr(pettingzoo, "register"):
    pettingzoo.register("aec", "dunaia/Dunaia-v0", entry_point="dunaia_env.dunaia_v0:env")
    pettingzoo.register("parallel", "dunaia/Dunaia-v0", entry_point="dunaia_env.dunaia_v0:parallel_env")
