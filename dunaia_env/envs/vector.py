"""Gymnasium's vector API: many games at once, each for one learner, or for self-play."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Discrete
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from dunaia_env.harness import learner, registry, resets, spaces
from dunaia_env.render.modes import FRAMES_PER_SECOND, MODES_OF_MANY, WIDTH, Screen, modes_of

Observations = dict[str, NDArray[Any]]
Infos = dict[str, Any]


class DunaiaVectorEnv(VectorEnv[Observations, NDArray[np.integer], NDArray[Any]]):
    """Many games: ``DunaiaVectorEnv(1024)``, or by name with `gymnasium.make_vec`.

    Game i after ``reset(seed=s)`` is the game of the single environment after ``reset(seed=s + i)``. Observations,
    rewards and infos are batches of the single environment's. With ``opponents=None`` (self-play) each game shows the
    observation of the seat that decides, and the infos have further entries.

    Observations are ``{"observation": int8 (N, O), "action_mask": int8 (N, A)}``, with ``scale`` float32.

    Each info is an array for all games; as in Gymnasium, ``_name`` says which games have the info ``name``:
        action_mask: int8 ``(N, A)``, the same as in the observation.
        seat: int8 ``(N,)``, the seat that decides; in a game that is over, the seat that acted last.
        seed: int64 ``(N,)``, the game seed.
        actor: int8 ``(N,)``, self-play: the seat that acted in this step and to which ``rewards`` belongs.
        seat_rewards: float32 ``(N, S)``, self-play: the rewards of all seats in this step.
        num_players: int8 ``(N,)``, self-play: the number of players.
        scores, ranks: ``(N, players)``, at the end of a game.
        rounds, max_rounds_reached: ``(N,)``, at the end of a game.
        illegal_action: int64 ``(N,)``, instead of the four results above in a game that an illegal action ended.

    Args:
        num_envs: number of games.
        autoreset_mode: SAME_STEP begins the next game in the step in which a game ends; the last observation and info
            are then in ``infos["final_obs"]`` and ``infos["final_info"]``. NEXT_STEP shows the end of the game and
            begins the next game in the following step, which ignores that game's action and has the reward 0 for it.
        scale: give observations as float32, each entry divided by the game's scale (about 0..1), instead of int8.
        copy: whether observations are new arrays; if not, the next step overwrites them.
        render_mode: "rgb_array" (`render` returns a picture of each game, uint8 ``(H, W, 3)``), "ansi" (it returns
            coloured texts) or None. Both show what the learner may see; in self-play they show everything.
        render_width: width of pictures in pixels, 64..4096.
        options: the single environment's options.

    Raises `ValueError` naming an argument that is out of range.
    """

    metadata: dict[str, Any] = {  # noqa: RUF012  (as Gymnasium declares it)
        "autoreset_mode": AutoresetMode.SAME_STEP,
        "render_modes": list(MODES_OF_MANY),
        "render_fps": FRAMES_PER_SECOND,
    }

    def __init__(
        self,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        copy: bool = True,
        scale: bool = False,
        render_mode: str | None = None,
        render_width: int = WIDTH,
        **options: Any,
    ) -> None:
        modes = (AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP)
        if autoreset_mode not in (*modes, *(mode.value for mode in modes)):
            allowed = ", ".join(mode.value for mode in modes)
            raise ValueError(f"autoreset_mode: expected one of {allowed}, got {autoreset_mode!r}")
        game = options["game"] = registry.as_game(options.get("game", registry.DEFAULT_GAME))
        self._screen = Screen(render_mode, game, render_width, MODES_OF_MANY)
        self.render_mode = render_mode
        self.metadata = {
            **self.metadata,
            "autoreset_mode": AutoresetMode(autoreset_mode),
            "render_modes": modes_of(game, MODES_OF_MANY),
        }
        self.games = learner.LearnerLanes(num_envs, **options)
        self.num_envs = num_envs
        self.copy = copy
        lanes = self.games.lanes
        self._form = spaces.ObservationForm(game, scale)
        self._shared = np.zeros(lanes.observations.shape, np.float32) if scale and not copy else None
        self.single_observation_space = self._form.masked_space()
        self.single_action_space = Discrete(lanes.num_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._over = np.zeros(0, np.int64)
        self._has_begun = False

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, Infos]:
        """Begin all games, or the selected ones.

        Args:
            seed: game i has the seed ``seed + i``, or the i-th seed of a list. Without a seed, or with None in the
                list, game i is the next game in its sequence.
            options: ``reset_mask``, bool ``(N,)``, selects the games to begin; the others stay as they are and have no
                infos. ``state``, a state dictionary, is where the games begin.

        Raises `ValueError` for invalid seeds or options, and `ResetNeeded` for a selection before all games have begun.
        """
        given = resets.check_reset_options(options, (resets.RESET_MASK, resets.STATE))
        chosen = resets.games_to_reset(given, self.num_envs)
        if len(chosen) < self.num_envs and not self._has_begun:
            raise ResetNeeded("reset: not all games have begun; call reset without reset_mask first")
        super().reset(seed=seed if isinstance(seed, int) else None)
        self.games.reset(seed, chosen)
        for lane in chosen.tolist():
            resets.begin_in_state(self.games, lane, given)
        self._over, self._has_begun = np.setdiff1d(self._over, chosen), True
        observations = self._observations()
        infos = self._infos(observations)
        if len(chosen) < self.num_envs:
            own = {name: values for name, values in infos.items() if not name.startswith("_")}
            infos = {}
            for name, values in own.items():
                infos |= self._scatter(name, chosen, values[chosen])
        return observations, infos

    def step(
        self, actions: NDArray[np.integer]
    ) -> tuple[Observations, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], Infos]:
        """Apply an action in every game and play on to the learner's next decision or to the end of the game.

        Raises `ResetNeeded` before the first `reset`.
        """
        if not self._has_begun:
            raise ResetNeeded("step: no game is in progress; call reset")
        games = self.games
        games.step(actions)
        games.begin(self._over)
        ended = np.flatnonzero(games.terminations)
        games.show_end(ended)
        finals: Infos = {}
        if self.metadata["autoreset_mode"] is AutoresetMode.SAME_STEP:
            finals = self._finals(ended)
            games.begin(ended)
        else:
            self._over = ended
        observations = self._observations()
        infos = self._infos(observations) | self._step_infos() | self._results(self._over) | finals
        truncations = np.zeros(self.num_envs, np.bool_)
        return observations, games.rewards.astype(np.float64), games.terminations.copy(), truncations, infos

    def _observations(self) -> Observations:
        lanes = self.games.lanes
        if not self.copy:
            return {"observation": self._form.of(lanes.observations, self._shared), "action_mask": lanes.action_masks}
        return {"observation": self._form.of(lanes.observations.copy()), "action_mask": lanes.action_masks.copy()}

    def _infos(self, observations: Observations) -> Infos:
        games = self.games
        infos: Infos = {
            "action_mask": observations["action_mask"],
            "seed": games.lanes.game_seeds.copy(),
            "seat": games.seats(),
        }
        if not games.opponents:
            infos["num_players"] = games.lanes.num_players.copy()
        return self._of_all(infos)

    def _step_infos(self) -> Infos:
        if self.games.opponents:
            return {}
        infos: Infos = {"actor": self.games.actors.copy(), "seat_rewards": self.games.seat_rewards.copy()}
        return self._of_all(infos)

    def _of_all(self, infos: Infos) -> Infos:
        """Infos that every game has, in Gymnasium's format."""
        return infos | {f"_{name}": np.ones(self.num_envs, np.bool_) for name in infos}

    def _results(self, ended: NDArray[np.int64]) -> Infos:
        """The results of the games that ended, as arrays for all games."""
        actions = self.games.illegal_actions
        is_illegal = np.array([lane in actions for lane in ended.tolist()], np.bool_)
        illegal, regular = ended[is_illegal], ended[~is_illegal]
        infos: Infos = {}
        if len(regular):
            for name, values in self.games.results(regular).items():
                infos |= self._scatter(name, regular, values)
        if len(illegal):
            values = np.array([actions[lane] for lane in illegal.tolist()])
            infos |= self._scatter("illegal_action", illegal, values)
        return infos

    def _finals(self, ended: NDArray[np.int64]) -> Infos:
        """The last observations and infos of the games that ended, before the next ones begin."""
        if not len(ended):
            return {}
        lanes = self.games.lanes
        final_obs, is_ended = np.full(self.num_envs, None, object), np.zeros(self.num_envs, np.bool_)
        is_ended[ended] = True
        for lane in ended.tolist():
            final_obs[lane] = {
                "observation": self._form.of(lanes.observations[lane].copy()),
                "action_mask": lanes.action_masks[lane].copy(),
            }
        shown: Infos = {"action_mask": lanes.action_masks, "seed": lanes.game_seeds, "seat": self.games.seats()}
        final_info = self._results(ended)
        for name, values in shown.items():
            final_info |= self._scatter(name, ended, values[ended])
        return {"final_obs": final_obs, "_final_obs": is_ended, "final_info": final_info, "_final_info": is_ended}

    def _scatter(self, name: str, rows: NDArray[np.int64], values: NDArray[Any]) -> Infos:
        """An info that only some games have, in Gymnasium's format: an array for all games, and which have it."""
        array, has_it = np.zeros((self.num_envs, *values.shape[1:]), values.dtype), np.zeros(self.num_envs, np.bool_)
        array[rows], has_it[rows] = values, True
        return {name: array, f"_{name}": has_it}

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal, bool ``(N, A)``."""
        return self.games.lanes.action_masks.astype(np.bool_)

    def render(self) -> tuple[Any, ...] | None:
        """A picture or a text of each game, as ``render_mode`` says; None without a mode."""
        if self.render_mode is None:
            return None
        games, seats = self.games, self.games.seats().tolist()
        return tuple(
            self._screen.show(
                self.render_mode,
                games.lanes.get_state(lane),
                seat=seats[lane] if games.opponents else None,
                names=games.names(lane),
            )
            for lane in range(self.num_envs)
        )

    def clone(self) -> DunaiaVectorEnv:
        """An independent copy that behaves identically, with copies of the opponents."""
        return deepcopy(self)

    def close_extras(self, **kwargs: Any) -> None:
        """Release the threads, if there are any; refused options leave an environment without games."""
        if hasattr(self, "games"):
            self.games.lanes.close()
