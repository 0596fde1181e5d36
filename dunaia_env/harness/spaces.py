"""The Gymnasium spaces of a game, and the two forms in which environments give its observations."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium.spaces import Box, Dict
from numpy.typing import NDArray

from dunaia_env.harness.game import Game
from dunaia_env.support.messages import shorten


class ObservationForm:
    """How an environment gives observations: as counts, or as floats divided by the game's scale.

    Entries are counts and flags, never negative, at most 127.

    Args:
        game: the game.
        scale: False for int8 counts; True for float32, each entry divided by ``game.observation_scale``, about 0..1.

    Raises `ValueError` if ``scale`` is neither True nor False.
    """

    def __init__(self, game: Game, scale: bool) -> None:
        if not isinstance(scale, bool | np.bool_):
            raise ValueError(f"scale: expected True or False, got {shorten(scale)}")
        self._game, self._is_scaled = game, bool(scale)

    def space(self) -> Box:
        """The space of observations ``(O,)``: int8 0..127, or float32 from 0 to 127 divided by each entry's scale."""
        high = np.full(self._game.observation_size, np.iinfo(np.int8).max, np.int8)
        return Box(np.zeros_like(self.of(high)), self.of(high), dtype=np.float32 if self._is_scaled else np.int8)

    def masked_space(self) -> Dict:
        """The space of observations with masks: ``{"observation": see `space`, "action_mask": int8 (A,)}``."""
        return Dict({"observation": self.space(), "action_mask": Box(0, 1, (self._game.num_actions,), np.int8)})

    def of(self, counts: NDArray[np.int8], out: NDArray[np.float32] | None = None) -> NDArray[Any]:
        """Observations in this form.

        Args:
            counts: int8 ``(..., O)``.
            out: float32 of the same shape, in which floats are returned; None for a new array.

        Returns:
            The same array if counts are given, otherwise float32 of the same shape.
        """
        return np.divide(counts, self._game.observation_scale, out=out) if self._is_scaled else counts
