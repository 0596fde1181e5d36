"""Dune as a PettingZoo environment, version 0: ``dune_v0.env()``, ``raw_env()`` and ``parallel_env()``.

The version changes when the same seed and actions can lead to a different observation, mask, reward or end.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any, TypedDict, Unpack

import pettingzoo
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.utils.conversions import turn_based_aec_to_parallel

from dunaia_env.envs import aec
from dunaia_env.envs.aec import Observation

__all__ = ["Arguments", "env", "parallel_env", "raw_env"]

GAME = "dune"


class Arguments(TypedDict, total=False):
    """The arguments of the environments; an argument that is not given has its default value.

    Attributes:
        preset: "full", "classic", "plain" or "duel": a named set of values for the options below; options that are
            given override the preset.
        num_players: number of agents, 2 to 6; by default 2.
        powers: play with the powers of the factions; by default True.
        deck: number of cards in the treachery deck, 43 or 33; by default 43.
        alliances: allow alliances; by default True, and always False with two players.
        max_alliance: largest number of members of an alliance, 2 to 5, or None for no limit; by default None.
        alliance_strongholds: number of strongholds that an alliance needs to win, 3 to 5; by default 3.
        karama_powers: give each faction its own use of a Karama; by default False, and always False without powers.
        tleilax: let the Bene Tleilax be among the factions; by default False, and always False without powers.
        open_shields: show everybody's spice and reserves; by default True.
        atreides_sees_bonus: let Atreides see the second card of Harkonnen; by default True.
        undecided: who wins if nobody has won by the last turn and no power decides the game, "nobody" or "strongholds";
            by default "nobody".
        max_turns: number of turns, 1 to 15; by default 15.
        factions: the faction of each seat, as names ("atreides") or ids (0); None draws the factions. By default None.
        components: a component file or its content; None for the game's own.
        reward: "win", "rank" or "score", see `dunaia_env.harness.compiled.rewards`; by default "win".
        illegal: the effect of an illegal action: "terminate" the game for all agents, or "raise" `IllegalActionError`;
            by default "terminate".
        scale: give observations as float32, each entry divided by its scale (about 0..1), instead of int8; by default
            False.
        render_mode: "ansi" (`render` returns coloured text), "rgb_array" (it returns a picture, uint8 ``(H, W, 3)``),
            "human" (each reset and step shows the position in a window, or as text where there is no display) or None.
        render_width: width of pictures in pixels, 64..4096.
    """

    preset: str | None
    num_players: int
    powers: bool
    deck: int
    alliances: bool
    max_alliance: int | None
    alliance_strongholds: int
    karama_powers: bool
    tleilax: bool
    open_shields: bool
    atreides_sees_bonus: bool
    undecided: str
    max_turns: int
    factions: Sequence[int | str] | None
    components: Any | str | os.PathLike[str] | None
    reward: str
    illegal: str
    scale: bool
    render_mode: str | None
    render_width: int


class raw_env(aec.raw_env):  # noqa: N801  (PettingZoo's name)
    """Dune for 2 to 6 agents ``player_0`` .. ``player_5``; `dunaia_env.envs.aec.raw_env` says what an agent sees.

    For the arguments see `Arguments`. Raises `ValueError` naming an argument that is out of range.
    """

    metadata = {**aec.raw_env.metadata, "name": "dune_v0"}  # noqa: RUF012  (as PettingZoo declares it)

    def __init__(self, **arguments: Unpack[Arguments]) -> None:
        super().__init__(game=GAME, **arguments)


def env(**arguments: Unpack[Arguments]) -> AECEnv[str, Observation, int]:
    """The environment in PettingZoo's wrappers for action bounds and call order; for the arguments see `Arguments`."""
    return aec.wrapped(raw_env(**arguments))


class _raw_env_of_parallel(raw_env):  # noqa: N801  (as the other environments are named)
    """The environment behind `parallel_env`, which asks forced decisions too."""

    _asks_forced = True


def parallel_env(**arguments: Unpack[Arguments]) -> ParallelEnv[str, Observation, int]:
    """The environment in PettingZoo's parallel API; for the arguments see `Arguments`.

    As in `dunaia_v0.parallel_env`, one agent decides in a step: its mask has ones, ``infos[agent]["active_agent"]``
    names it to everybody after a step, and the actions of the others are ignored.

    Every agent sees every step, so this environment also asks *forced decisions*, which have one legal action; the
    other environments apply them. In a window for cards, for example, all agents are asked in turn, and one that can
    play nothing has only ``pass``. What is asked of whom, and in how many steps, therefore follows from what everybody
    knows. In two games that differ only in what an agent must not know, such as the cards that another agent holds and
    does not play, it gets the same observations, masks, rewards and infos in the same steps, until the difference
    becomes known to it. Games have about two and a half times as many steps as decisions with a choice.
    """
    return turn_based_aec_to_parallel(aec.wrapped(_raw_env_of_parallel(**arguments)))


# PettingZoo has had a registry since version 1.26.
if hasattr(pettingzoo, "register"):
    pettingzoo.register("aec", "dunaia/Dune-v0", entry_point="dunaia_env.dune_v0:env")
    pettingzoo.register("parallel", "dunaia/Dune-v0", entry_point="dunaia_env.dune_v0:parallel_env")
