"""The argument ``options`` of the environments' `reset`."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dunaia_env.harness.learner import LearnerLanes
from dunaia_env.harness.state import GameState
from dunaia_env.support.messages import shorten

STATE = "state"
RESET_MASK = "reset_mask"


def check_reset_options(
    options: object, known: Collection[str] = (STATE,), ignored: Collection[str] = ()
) -> Mapping[str, Any]:
    """The options of a reset, none for None.

    Args:
        options: what a user gave.
        known: the keys that the environment knows.
        ignored: keys without a meaning that a library's own checks use.

    Raises `ValueError` naming the first unknown key and what is allowed.
    """
    if options is None:
        return {}
    if not isinstance(options, Mapping):
        raise ValueError(f"options: expected a dictionary or None, got {shorten(options)}")
    for key in options:
        if key not in known and key not in ignored:
            raise ValueError(f"options: expected the key {' or '.join(map(repr, known))}, got {shorten(key)}")
    return options


def games_to_reset(options: Mapping[str, Any], num_envs: int) -> NDArray[np.int64]:
    """The games that the option ``reset_mask`` selects, bool ``(num_envs,)``; all of them without the option.

    Raises `ValueError` for a mask of another shape or type, or one that selects no game.
    """
    if RESET_MASK not in options:
        return np.arange(num_envs)
    given = options[RESET_MASK]
    mask = np.asarray(given, None if isinstance(given, np.ndarray) else object)
    if mask.shape != (num_envs,) or not all(isinstance(flag, bool | np.bool_) for flag in mask) or not mask.any():
        raise ValueError(
            f"options: reset_mask: expected {num_envs} booleans, at least one of them True, got {shorten(given)}"
        )
    return np.flatnonzero(mask)


def begin_in_state(games: LearnerLanes, lane: int, options: Mapping[str, Any]) -> None:
    """Put the option ``state``, if it is given, into a game; the game goes on to the learner's next decision.

    Raises `ValueError` for an invalid state dictionary, or a state that `LearnerLanes.set_state` refuses.
    """
    if STATE in options:
        lanes = games.lanes
        state = GameState.from_dict(options[STATE], components=lanes.components_of(lane), game=lanes.game)
        games.set_state(lane, state)
