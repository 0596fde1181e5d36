"""Warnings about ways of using the environments that go wrong without an error."""

from __future__ import annotations

import sys
import warnings
from typing import Any

import numpy as np

from dunaia_env.support.messages import shorten

# More than the checkers of RL libraries play, which draw actions without masks.
GAMES_IN_A_ROW = 20

_VEC_NORMALIZE = "stable_baselines3.common.vec_env.vec_normalize"


class IllegalEnds:
    """Counts the games in a row that illegal actions ended, and warns once when they are `GAMES_IN_A_ROW`.

    A library that ignores the masks plays on without an error, in games of one or two decisions.
    """

    def __init__(self) -> None:
        self._in_a_row = 0
        self._has_warned = False

    def note(self, illegal: int, regular: int = 0, *, last: object = None) -> None:
        """Count the games that ended in a step.

        Args:
            illegal: the number of games that an illegal action ended.
            regular: the number of games that ended by the rules; one of them begins a new count.
            last: one of the illegal actions.
        """
        self._in_a_row = 0 if regular else self._in_a_row + illegal
        if self._in_a_row < GAMES_IN_A_ROW or self._has_warned:
            return
        self._has_warned = True
        shown = shorten(last.item() if isinstance(last, np.generic) else last)
        warnings.warn(
            f"{self._in_a_row} games in a row were ended by an illegal action, the last one by {shown}: whatever"
            " chooses the actions seems to ignore action_mask. Let it choose among the actions whose mask is 1, and"
            ' make the environment with illegal="raise" until it does: then the first illegal action is an error that'
            " says what is legal",
            stacklevel=4,
        )


def warn_of_vec_normalize() -> None:
    """Warn if Stable-Baselines3's VecNormalize is about to normalise integers; for environments to call in `reset`.

    VecNormalize returns floats but leaves the space as it is, and rollout buffers take their type from the space: they
    would hold the floats without their fractions. It hands nothing of itself to the environments, so it is looked for
    among the callers; an environment in another process has none.
    """
    if _VEC_NORMALIZE not in sys.modules:
        return
    frame, depth = sys._getframe(1), 3
    while not (frame.f_globals.get("__name__") == _VEC_NORMALIZE and frame.f_code.co_name == "reset"):
        if frame.f_back is None:
            return
        frame, depth = frame.f_back, depth + 1
    names = _integers_normalised(frame.f_locals.get("self"))
    if names:
        warnings.warn(
            f"VecNormalize normalises {names}, but Stable-Baselines3 stores what it normalises with the type of the"
            " space, without fractions: PPO, A2C and other on-policy algorithms would learn from other observations"
            " than they acted on. Make the environment with scale=True, whose observations are float32 of about 0..1,"
            ' and normalise no masks: norm_obs_keys=["observation"] where observations are dictionaries; or use'
            " norm_obs=False",
            stacklevel=depth,
        )


def _integers_normalised(wrapper: Any) -> str:
    """What integers a VecNormalize normalises while it is trained, in words; empty if it normalises none."""
    if not (getattr(wrapper, "norm_obs", False) and getattr(wrapper, "training", False)):
        return ""
    space = wrapper.observation_space
    spaces = {key: space[key] for key in wrapper.norm_obs_keys} if hasattr(space, "spaces") else {"observation": space}
    return " and ".join(f"{key} of type {one.dtype}" for key, one in spaces.items() if one.dtype.kind in "iub")
