"""The game Dune (1979): components, state, actions, rules, observation, and its texts."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dunaia_env.dune.actions import ACTION_HASH, ACTION_TABLE, ACTION_TEXTS, NUM_ACTIONS, action_text, parse_action
from dunaia_env.dune.bounds import bounds
from dunaia_env.dune.checks.consistency import StateError
from dunaia_env.dune.components import Components, load
from dunaia_env.dune.decisions import DECISION_NAMES, SEALED
from dunaia_env.dune.entry_points import ENTRY_POINTS
from dunaia_env.dune.evaluation.weights import load_weights
from dunaia_env.dune.hidden.views import view_to_dict
from dunaia_env.dune.notation.states import check_state, from_dict, to_dict
from dunaia_env.dune.observation.encoding import (
    OBSERVATION_HASH,
    OBSERVATION_LAYOUT,
    OBSERVATION_SCALE,
    OBSERVATION_SIZE,
)
from dunaia_env.dune.observation.layout import pieces_of, used_size
from dunaia_env.dune.options import GAME_OPTIONS, PRESETS, RECORDING, settle
from dunaia_env.dune.presentation import PRESENTATION
from dunaia_env.dune.presentation.wording.reasons import why_illegal
from dunaia_env.dune.presentation.wording.texts import describe, news, sentence, turn, variant
from dunaia_env.dune.roles import ROLES
from dunaia_env.dune.state import FACTION_NAMES, MAX_PLAYERS, MIN_PLAYERS, STATE_DTYPE, STATE_HASH, STATE_SIZE
from dunaia_env.harness.components import ComponentsError
from dunaia_env.harness.game import Game, Telling

__all__ = [
    "ACTION_HASH",
    "ACTION_TABLE",
    "ACTION_TEXTS",
    "ENTRY_POINTS",
    "FACTION_NAMES",
    "GAME",
    "MAX_PLAYERS",
    "MIN_PLAYERS",
    "NUM_ACTIONS",
    "OBSERVATION_HASH",
    "OBSERVATION_LAYOUT",
    "OBSERVATION_SCALE",
    "OBSERVATION_SIZE",
    "PRESETS",
    "STATE_DTYPE",
    "STATE_HASH",
    "STATE_SIZE",
    "Components",
    "ComponentsError",
    "StateError",
    "action_text",
    "check_state",
    "decision_of",
    "describe",
    "from_dict",
    "load",
    "parse_action",
    "pieces_of",
    "sentence",
    "to_dict",
    "used_size",
    "view_to_dict",
    "why_illegal",
]

_DECISION = STATE_DTYPE.fields["decision"][1]  # type: ignore[index]


def decision_of(state: NDArray[np.uint8]) -> str:
    """The name of the decision that a state waits for; ``OVER`` when the game is over."""
    return DECISION_NAMES[int(state[_DECISION])]


def sealed(states: NDArray[np.uint8]) -> NDArray[np.bool_]:
    """Which of N states, uint8 ``(N, STATE_SIZE)``, wait for one of the decisions `decisions.SEALED`."""
    return np.isin(states[:, _DECISION], SEALED)


GAME = Game(
    module=__name__,
    name="dune",
    title="Dune",
    options=GAME_OPTIONS,
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
    view_to_dict=view_to_dict,
    load_weights=load_weights,
    telling=Telling(variant, turn, news),
    settle=settle,
    sealed=sealed,
    presets=PRESETS,
    recording=RECORDING,
    round_limit="max_turns",
    roles=ROLES,
    presentation=PRESENTATION,
    asks_forced=True,
)
