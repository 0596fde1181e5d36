"""Gymnasium's API: one learner in one seat, opponents in the others."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from typing import Any

import gymnasium
import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Discrete
from numpy.typing import NDArray

from dunaia_env.harness import cautions, learner, registry, resets, spaces
from dunaia_env.harness.compiled.chance import check_seed
from dunaia_env.harness.state import GameState
from dunaia_env.render.modes import FRAMES_PER_SECOND, MODES, WIDTH, Frame, Screen, modes_of

Observation = dict[str, NDArray[Any]]

_LANE = np.zeros(1, np.int64)


class DunaiaEnv(gymnasium.Env[dict[str, Any], np.int64]):
    """A game for one learner: ``DunaiaEnv(opponents=["greedy", "random"])``, or by name with `gymnasium.make`.

    The observation is ``{"observation": int8 (O,), "action_mask": int8 (A,)}``, with ``scale`` float32: what the
    learner sees at its decision, and 1 for each legal action. At the end of the game the mask is 1 everywhere, because
    no action is needed.

    The reward is 0 until the step in which the game ends, whichever player ends it. The info has ``action_mask``,
    ``seed`` (the game's seed, which `reset` accepts) and ``seat`` (the learner's seat). At the end it also has
    ``scores``, ``ranks``, ``rounds`` and ``max_rounds_reached``, or ``illegal_action``, the action that ended the game.

    Args:
        scale: give observations as float32, each entry divided by the game's scale (about 0..1), instead of int8.
        render_mode: "ansi" (`render` returns coloured text), "rgb_array" (it returns a picture, uint8 ``(H, W, 3)``),
            "human" (each reset and step shows the position in a window, or as text where there is no display) or None.
            All of them show what the learner may see.
        render_width: width of pictures in pixels, 64..4096.
        options: arguments of `dunaia_env.harness.learner.LearnerLanes`: ``opponents``, ``num_players``, ``seat``,
            ``illegal``, ``components``, ``reward``, ``threads``, ``game`` (also by name), the game's options, and
            ``preset`` for a named set of them.

    Raises `ValueError` naming an argument that is out of range.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  (as Gymnasium declares it)
        "render_modes": list(MODES),
        "render_fps": FRAMES_PER_SECOND,
    }

    def __init__(
        self, *, scale: bool = False, render_mode: str | None = None, render_width: int = WIDTH, **options: Any
    ) -> None:
        game = options["game"] = registry.as_game(options.get("game", registry.DEFAULT_GAME))
        self.metadata = {**self.metadata, "render_modes": modes_of(game)}
        self._screen = Screen(render_mode, game, render_width)
        if options.get("opponents", "random") is None:
            raise ValueError("opponents: expected agents, got None (only the vector environment has self-play)")
        self.render_mode = render_mode
        self.games = learner.LearnerLanes(1, **options)
        self._form = spaces.ObservationForm(game, scale)
        self.observation_space = self._form.masked_space()
        self.action_space = Discrete(self.games.lanes.num_actions)
        self._is_over = True

    def reset(
        self, *, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a game and play it up to the learner's first decision.

        Args:
            seed: the game's seed, 0..2**63-1. Without a seed, the next game in the sequence of the last seed begins (or
                of a fresh seed if there was none).
            options: ``{"state": state dictionary}`` begins in that state, and goes on to the learner's next decision.

        Raises `ValueError` for an invalid seed or state dictionary, or another key of the options.
        """
        given = resets.check_reset_options(options)
        cautions.warn_of_vec_normalize()
        super().reset(seed=None if seed is None else check_seed(seed))
        self.games.reset(seed)
        self._is_over = False
        resets.begin_in_state(self.games, 0, given)
        if self.render_mode == "human":
            self.render()
        return self._observation(), self._info()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Play the learner's action, then the opponents up to its next decision or the end of the game."""
        if self._is_over:
            raise ResetNeeded("step: no game is in progress; call reset")
        self.games.step(np.array([_number(action)]))
        self._is_over = bool(self.games.terminations[0])
        if self._is_over:
            self.games.show_end(_LANE)
        info = self._info()
        if self.games.illegal_actions:
            info["illegal_action"] = action
        elif self._is_over:
            info |= self.games.result(0)
        if self.render_mode == "human":
            self.render()
        return self._observation(), float(self.games.rewards[0]), self._is_over, False, info

    def _observation(self) -> Observation:
        lanes = self.games.lanes
        return {"observation": self._form.of(lanes.observations[0].copy()), "action_mask": lanes.action_masks[0].copy()}

    def _info(self) -> dict[str, Any]:
        lanes = self.games.lanes
        return {
            "action_mask": lanes.action_masks[0].copy(),
            "seed": int(lanes.game_seeds[0]),
            "seat": int(self.games.seats()[0]),
        }

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal, bool ``(A,)``; sb3-contrib's MaskablePPO calls this method."""
        return np.asarray(self.games.lanes.action_masks[0], np.bool_)

    def get_state(self) -> GameState:
        """A copy of the state."""
        return self.games.lanes.get_state(0)

    def set_state(self, state: GameState) -> None:
        """Continue from a copy of a state, at the learner's next decision.

        Raises `ValueError` for other components or another number of players, and if the game ends before the learner
        has a decision.
        """
        if self._is_over:
            self.games.reset(None)
        self.games.set_state(0, state)
        self._is_over = False

    def clone(self) -> DunaiaEnv:
        """An independent copy that behaves identically, with copies of the opponents."""
        return deepcopy(self)

    def render(self) -> Frame:
        """Show the position as ``render_mode`` says; returns the text or the picture, None in mode "human"."""
        games, state = self.games, self.get_state()
        return self._screen.show(self.render_mode, state, seat=int(games.seats()[0]), names=games.names(0))

    def close(self) -> None:
        """Release the threads and close the window, if there are any."""
        self.games.lanes.close()
        self._screen.close()


def _number(action: object) -> int:
    """An action as a number; -1, which is never legal, for anything that is not an integer."""
    array = np.asarray(action)
    return int(array) if array.shape == () and array.dtype.kind in "iu" else -1
