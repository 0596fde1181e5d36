"""Stable-Baselines3's VecEnv API: many games with one learner each, and masks for sb3-contrib's MaskablePPO."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Discrete
from numpy.typing import NDArray

from dunaia_env.harness import cautions, learner, registry, resets, spaces
from dunaia_env.harness.compiled.chance import check_seed
from dunaia_env.harness.state import GameState
from dunaia_env.render.modes import HUMAN, RGB_ARRAY, WIDTH, Screen, print_text

try:
    from stable_baselines3.common.vec_env import VecEnv
    from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvStepReturn
except ImportError as error:
    raise ImportError(
        'dunaia_env.envs.sb3 needs Stable-Baselines3: pip install "dunaia-env[train]", or stable-baselines3'
    ) from error


class DunaiaVecEnv(VecEnv):
    """Many games with one learner each: ``MaskablePPO("MlpPolicy", DunaiaVecEnv(256, opponents="greedy"))``.

    Observations are int8 ``(N, O)``, with ``scale`` float32, and do not contain the masks; sb3-contrib gets them from
    `env_method` as ``action_masks``. With the seed s, game i is the single environment's game with the seed ``s + i``,
    also in all games that follow. After `set_options` with ``{"state": state dictionary}``, the next `reset` begins in
    that state.

    The info of a game is empty except when the game has ended. It then has ``terminal_observation``,
    ``TimeLimit.truncated`` (always False), ``seed``, ``seat`` (the learner's seat), and ``scores``, ``ranks``,
    ``rounds`` and ``max_rounds_reached``, or ``illegal_action`` instead of these last four. ``reset_infos`` has
    ``seed`` and ``seat`` of the present games.

    Args:
        num_envs: number of games.
        scale: give observations as float32, each entry divided by the game's scale (about 0..1), instead of int8;
            VecNormalize needs this.
        seed: the seed of the first `reset`; later, `seed` sets the seed of the next `reset`.
        render_mode: "ansi" (``env_method("render")`` returns coloured texts), "rgb_array" (it returns pictures, uint8
            ``(H, W, 3)``, which `render` combines into one), "human" (`render` prints coloured texts) or None. All of
            them show what the learner may see.
        render_width: width of a picture in pixels, 64..4096.
        options: the single environment's options.

    Raises `ValueError` naming an argument that is out of range.
    """

    def __init__(
        self,
        num_envs: int = 256,
        *,
        scale: bool = False,
        seed: int | None = None,
        render_mode: str | None = None,
        render_width: int = WIDTH,
        **options: Any,
    ) -> None:
        game = options["game"] = registry.as_game(options.get("game", registry.DEFAULT_GAME))
        self._screen = Screen(render_mode, game, render_width)
        if options.get("opponents", "random") is None:
            raise ValueError("opponents: expected agents, got None (only Gymnasium's vector environment has self-play)")
        self.games = learner.LearnerLanes(num_envs, **options)
        self.render_mode = render_mode
        lanes = self.games.lanes
        self._form = spaces.ObservationForm(game, scale)
        super().__init__(num_envs, self._form.space(), Discrete(lanes.num_actions))
        self._is_begun = False
        self._actions: NDArray[np.integer] | None = None
        if seed is not None:
            self.seed(check_seed(seed))

    def reset(self) -> NDArray[Any]:
        """Begin all games, with the seed that was set or as the next ones in their sequences; returns the observations.

        Raises `ValueError` for an invalid seed or state dictionary, or another key of the options.
        """
        all_options = [resets.check_reset_options(options) for options in self._options]
        cautions.warn_of_vec_normalize()
        seeds = [seed for seed in self._seeds if seed is not None]
        self._reset_seeds()
        self._reset_options()
        self.games.reset(seeds or None)
        for game, options in enumerate(all_options):
            resets.begin_in_state(self.games, game, options)
        self._is_begun, self._actions = True, None
        self.reset_infos = self._infos(np.arange(self.num_envs))
        return self._observations()

    def _observations(self) -> NDArray[Any]:
        return self._form.of(self.games.lanes.observations.copy())

    def _infos(self, selected: NDArray[np.int64]) -> list[dict[str, Any]]:
        seeds, seats = self.games.lanes.game_seeds[selected].tolist(), self.games.seats()[selected].tolist()
        return [{"seed": seed, "seat": seat} for seed, seat in zip(seeds, seats, strict=True)]

    def step_async(self, actions: NDArray[np.integer]) -> None:
        """Store the actions for `step_wait`: integers ``(N,)``."""
        if not self._is_begun:
            raise ResetNeeded("step_async: no game is in progress; call reset")
        self._actions = np.asarray(actions)

    def step_wait(self) -> VecEnvStepReturn:
        """Apply the actions; returns new arrays of observations, rewards and terminations, and the infos.

        Where a game has ended, the observation is that of the next game.
        """
        games, lanes, actions = self.games, self.games.lanes, self._actions
        if actions is None:
            raise RuntimeError("step_wait: no actions; call step_async")
        self._actions = None
        games.step(actions)
        ended = np.flatnonzero(games.terminations)
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        if len(ended):
            games.show_end(ended)
            for lane, info in zip(ended.tolist(), self._infos(ended), strict=True):
                if lane in games.illegal_actions:
                    info["illegal_action"] = games.illegal_actions[lane]
                else:
                    info |= games.result(lane)
                last = self._form.of(lanes.observations[lane].copy())
                info |= {"terminal_observation": last, "TimeLimit.truncated": False}
                infos[lane] = info
            games.begin(ended)
            for lane, info in zip(ended.tolist(), self._infos(ended), strict=True):
                self.reset_infos[lane] = info
        return self._observations(), games.rewards.copy(), games.terminations.copy(), infos

    def close(self) -> None:
        """Release the threads, if there are any."""
        self.games.lanes.close()

    def get_images(self) -> Sequence[NDArray[np.uint8] | None]:
        """The picture of each game; in modes other than "rgb_array", None for each game."""
        if self.render_mode != RGB_ARRAY:
            return [None] * self.num_envs
        return [self._render(game) for game in range(self.num_envs)]

    def env_is_wrapped(self, wrapper_class: Any, indices: VecEnvIndices = None) -> list[bool]:
        """False for each game, because games have no wrappers of their own."""
        return [False for _ in self._get_indices(indices)]

    # The methods below are those with which SB3 and its users access single environments.

    def _method(self, name: str) -> Callable[..., Any] | None:
        methods: dict[str, Callable[..., Any]] = {
            "action_masks": self._action_mask,
            "get_state": self.games.lanes.get_state,
            "set_state": self._set_state,
            "render": self._render,
        }
        return methods.get(name)

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """An attribute of each game: a method that `env_method` knows, or an attribute that all games share."""
        games, method = self._get_indices(indices), self._method(attr_name)
        if method is not None:
            return [partial(method, game) for game in games]
        value = getattr(self, attr_name)
        return [value for _ in games]

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Set an attribute that all games share; raises `ValueError` if only some games are selected."""
        if len(list(self._get_indices(indices))) != self.num_envs:
            raise ValueError(f"indices: expected None, got {indices!r}, because all games share {attr_name!r}")
        setattr(self, attr_name, value)

    def env_method(
        self, method_name: str, *method_args: Any, indices: VecEnvIndices = None, **method_kwargs: Any
    ) -> list[Any]:
        """Call ``action_masks()``, ``get_state()``, ``set_state(state)`` or ``render()`` of each game.

        Raises `AttributeError` for another name.
        """
        games, method = self._get_indices(indices), self._method(method_name)
        if method_name == "action_masks":
            masks = self.games.lanes.action_masks.astype(np.bool_)
            return [masks[game] for game in games]
        if method is None:
            raise AttributeError(
                f"env_method: expected action_masks, get_state, set_state or render, got {method_name!r}"
            )
        return [method(game, *method_args, **method_kwargs) for game in games]

    def _action_mask(self, game: int) -> NDArray[np.bool_]:
        return np.asarray(self.games.lanes.action_masks[game], np.bool_)

    def _set_state(self, game: int, state: GameState) -> None:
        self.games.set_state(game, state)

    def _render(self, game: int) -> Any:
        games = self.games
        state, seat = games.lanes.get_state(game), int(games.seats()[game])
        if self.render_mode == HUMAN:
            print_text(state, seat)
            return None
        return self._screen.show(self.render_mode, state, seat=seat, names=games.names(game))
