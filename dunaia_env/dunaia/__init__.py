"""The game Dunaïa: components, state, actions, rules, observation, and its texts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dunaia_env.dunaia.actions import (
    ACTION_HASH,
    ACTION_TABLE,
    ACTION_TEXTS,
    NUM_ACTIONS,
    action_text,
    parse_action,
)
from dunaia_env.dunaia.components import Components, ComponentsError, load
from dunaia_env.dunaia.consistency import StateError
from dunaia_env.dunaia.kernels import (
    begin_game,
    begin_lanes,
    list_legal,
    play_action,
    random_game,
    random_games,
    refresh_lanes,
    step_lanes,
    write_observation,
    write_results,
)
from dunaia_env.dunaia.notation import check_state, from_dict, to_dict
from dunaia_env.dunaia.observation import (
    OBSERVATION_HASH,
    OBSERVATION_LAYOUT,
    OBSERVATION_SCALE,
    OBSERVATION_SIZE,
    pieces_of,
    used_size,
)
from dunaia_env.dunaia.reasons import why_illegal
from dunaia_env.dunaia.state import DECISION_NAMES, MAX_PLAYERS, MIN_PLAYERS, STATE_DTYPE, STATE_HASH, STATE_SIZE
from dunaia_env.dunaia.texts import describe, describe_observation, sentence
from dunaia_env.dunaia.warm_up import warm_up_calls

NAME = "dunaia"

__all__ = [
    "ACTION_HASH",
    "ACTION_TABLE",
    "ACTION_TEXTS",
    "MAX_PLAYERS",
    "MIN_PLAYERS",
    "NAME",
    "NUM_ACTIONS",
    "OBSERVATION_HASH",
    "OBSERVATION_LAYOUT",
    "OBSERVATION_SCALE",
    "OBSERVATION_SIZE",
    "STATE_DTYPE",
    "STATE_HASH",
    "STATE_SIZE",
    "Components",
    "ComponentsError",
    "StateError",
    "action_text",
    "begin_game",
    "begin_lanes",
    "check_state",
    "decision_of",
    "describe",
    "describe_observation",
    "from_dict",
    "list_legal",
    "load",
    "parse_action",
    "pieces_of",
    "play_action",
    "players_of",
    "random_game",
    "random_games",
    "refresh_lanes",
    "seat_of",
    "sentence",
    "step_lanes",
    "to_dict",
    "used_size",
    "warm_up_calls",
    "why_illegal",
    "write_observation",
    "write_results",
]

_SEAT = STATE_DTYPE.fields["seat"][1]  # type: ignore[index]
_PLAYERS = STATE_DTYPE.fields["num_players"][1]  # type: ignore[index]
_DECISION = STATE_DTYPE.fields["decision"][1]  # type: ignore[index]


def seat_of(state: NDArray[np.uint8]) -> int:
    """Who decides in a state; -1 when the game is over."""
    seat = int(state[_SEAT])
    return seat if seat < MAX_PLAYERS else -1


def players_of(state: NDArray[np.uint8]) -> int:
    """Number of players of a state."""
    return int(state[_PLAYERS])


def decision_of(state: NDArray[np.uint8]) -> str:
    """Name of the decision a state waits for; ``OVER`` when the game is over."""
    return DECISION_NAMES[state[_DECISION]]
