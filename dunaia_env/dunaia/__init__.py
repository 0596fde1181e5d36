"""The game Dunaïa: components, state, actions, rules, observation, and its texts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dunaia_env.dunaia.actions import ACTION_HASH, ACTION_TABLE, ACTION_TEXTS, NUM_ACTIONS, action_text, parse_action
from dunaia_env.dunaia.bounds import bounds
from dunaia_env.dunaia.changes import change, values_of
from dunaia_env.dunaia.components import Components, load
from dunaia_env.dunaia.consistency import StateError
from dunaia_env.dunaia.entry_points import ENTRY_POINTS
from dunaia_env.dunaia.events import EVENTS
from dunaia_env.dunaia.family.family import PLAUSIBLE_FAMILY, Family, load_family
from dunaia_env.dunaia.family.file import FamilyError
from dunaia_env.dunaia.notation import check_state, from_dict, to_dict
from dunaia_env.dunaia.observation import (
    OBSERVATION_HASH,
    OBSERVATION_LAYOUT,
    OBSERVATION_SCALE,
    OBSERVATION_SIZE,
    pieces_of,
    used_size,
)
from dunaia_env.dunaia.presentation import ENGLISH, PRESENTATION
from dunaia_env.dunaia.presentation.wording.texts import describe, describe_observation, news, turn, variant
from dunaia_env.dunaia.presentation.wording.verbs import why_illegal
from dunaia_env.dunaia.roles import ROLES
from dunaia_env.dunaia.state import DECISION_NAMES, MAX_PLAYERS, MIN_PLAYERS, STATE_DTYPE, STATE_HASH, STATE_SIZE
from dunaia_env.dunaia.weights import load_weights
from dunaia_env.harness.components import ComponentsError
from dunaia_env.harness.game import Game, Telling
from dunaia_env.harness.options import Option

__all__ = [
    "ACTION_HASH",
    "ACTION_TABLE",
    "ACTION_TEXTS",
    "ENTRY_POINTS",
    "GAME",
    "MAX_PLAYERS",
    "MIN_PLAYERS",
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
    "Family",
    "FamilyError",
    "StateError",
    "action_text",
    "check_state",
    "decision_of",
    "describe",
    "describe_observation",
    "from_dict",
    "load",
    "load_family",
    "parse_action",
    "pieces_of",
    "sentence",
    "to_dict",
    "used_size",
    "why_illegal",
]

sentence = ENGLISH.sentence

_DECISION = STATE_DTYPE.fields["decision"][1]  # type: ignore[index]


def decision_of(state: NDArray[np.uint8]) -> str:
    """The name of the decision that a state waits for; ``OVER`` when the game is over."""
    return DECISION_NAMES[state[_DECISION]]


GAME = Game(
    module=__name__,
    name="dunaia",
    title="Dunaïa",
    options=(
        Option("num_players", 2, "players at the table", MIN_PLAYERS, MAX_PLAYERS),
        Option("elites", False, "play with elite characters", full=True, title="elite characters"),
        Option(
            "max_rounds",
            100,
            "a game that has not ended after so many rounds is stopped and scored",
            1,
            1000,
            title="round limit",
        ),
    ),
    actions=ACTION_TABLE,
    observation=OBSERVATION_LAYOUT,
    state_size=STATE_SIZE,
    state_hash=STATE_HASH,
    entry_points=ENTRY_POINTS,
    load=load,
    used_size=used_size,
    decision_of=decision_of,
    to_dict=to_dict,
    from_dict=from_dict,
    check_state=check_state,
    why_illegal=why_illegal,
    describe=describe,
    sentence=sentence,
    bounds=bounds,
    load_weights=load_weights,
    telling=Telling(variant, turn, news),
    load_family=load_family,
    plausible_family=PLAUSIBLE_FAMILY,
    round_limit="max_rounds",
    roles=ROLES,
    events=EVENTS,
    change=change,
    values_of=values_of,
    presentation=PRESENTATION,
)
