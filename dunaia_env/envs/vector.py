"""Gymnasium's vector interface: many games at once, for one learner each or for self-play."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import numpy as np
from gymnasium.error import ResetNeeded
from gymnasium.spaces import Discrete
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from dunaia_env.harness.learner import LearnerLanes
from dunaia_env.harness.spaces import masked_observations

Observations = dict[str, NDArray[np.int8]]
Infos = dict[str, Any]


class DunaiaVectorEnv(VectorEnv[Observations, NDArray[np.integer], NDArray[Any]]):
    """Many games: ``DunaiaVectorEnv(1024)``, by `gymnasium.make_vec` under their name.

    Game i of ``reset(seed=s)`` is the game that the single environment plays after ``reset(seed=s + i)``; observations,
    rewards and infos are the single environment's, batched. With ``opponents=None`` each
    game shows whoever must decide, and the infos say what self-play needs.

    Observations: ``{"observation": int8 (N, O), "action_mask": int8 (N, A)}``.

    Infos, an array for all games each (and ``_name``, as Gymnasium has it: which games have it):
        action_mask: int8 ``(N, A)``, the observation's.
        seat: int8 ``(N,)``, who decides; who acted last where the game is over.
        seed: int64 ``(N,)``, of the game.
        actor: int8 ``(N,)``, self-play: for whom the step acted; ``rewards`` are that seat's.
        seat_rewards: float32 ``(N, S)``, self-play: what the step gave each seat.
        num_players: int8 ``(N,)``, self-play.
        scores, ranks: ``(N, players)``, rounds, max_rounds_reached: ``(N,)``, at the end of a game.
        illegal_action: int64 ``(N,)``, at the end of a game that an illegal action ended, instead of those.

    Args:
        num_envs: number of games.
        autoreset_mode: SAME_STEP begins the next game in the step that ended the former one, whose last observation
            and infos are then in ``infos["final_obs"]`` and ``infos["final_info"]``. NEXT_STEP shows the end, and
            begins the next game in the following step, which ignores that game's action and rewards nothing.
        copy: whether observations are arrays of their own; without, the next step rewrites them.
        options: as the single environment's.

    Raises `ValueError` naming an argument that is out of range.
    """

    metadata: dict[str, Any] = {"autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012  (as Gymnasium declares it)

    def __init__(
        self,
        num_envs: int = 1,
        *,
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        copy: bool = True,
        **options: Any,
    ) -> None:
        modes = (AutoresetMode.SAME_STEP, AutoresetMode.NEXT_STEP)
        if autoreset_mode not in (*modes, *(mode.value for mode in modes)):
            allowed = ", ".join(mode.value for mode in modes)
            raise ValueError(f"autoreset_mode: {autoreset_mode!r}; one of {allowed} is needed")
        self.metadata = {**self.metadata, "autoreset_mode": AutoresetMode(autoreset_mode)}
        self.games = LearnerLanes(num_envs, **options)
        self.num_envs = num_envs
        self.copy = copy
        lanes = self.games.lanes
        self.single_observation_space = masked_observations(lanes.game)
        self.single_action_space = Discrete(lanes.num_actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._over = np.zeros(0, np.int64)
        self._has_begun = False

    def reset(
        self, *, seed: int | list[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observations, Infos]:
        """Begin a game in every place.

        Args:
            seed: game i has the seed ``seed + i``, or the i-th of a list. Without one, each place goes on to the game
                that follows its last one.
            options: ignored.
        """
        super().reset(seed=seed if isinstance(seed, int) else None)
        self.games.reset(seed)
        self._over, self._has_begun = np.zeros(0, np.int64), True
        observations = self._observations()
        return observations, self._infos(observations)

    def step(
        self, actions: NDArray[np.integer]
    ) -> tuple[Observations, NDArray[np.float64], NDArray[np.bool_], NDArray[np.bool_], Infos]:
        """Apply an action in every game and go on to the learner's next decision there, or to the end.

        Raises `ResetNeeded` before the first `reset`.
        """
        if not self._has_begun:
            raise ResetNeeded("step: no game is on; call reset")
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
            return {"observation": lanes.observations, "action_mask": lanes.action_masks}
        return {"observation": lanes.observations.copy(), "action_mask": lanes.action_masks.copy()}

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
        """Infos that every game has, as Gymnasium shows them."""
        return infos | {f"_{name}": np.ones(self.num_envs, np.bool_) for name in infos}

    def _results(self, ended: NDArray[np.int64]) -> Infos:
        """How the games that ended did, arrays for all games."""
        actions = self.games.illegal_actions
        is_illegal = np.array([lane in actions for lane in ended.tolist()], np.bool_)
        illegal, regular = ended[is_illegal], ended[~is_illegal]
        infos: Infos = {}
        if len(regular):
            for name, values in self.games.results(regular).items():
                infos |= self._spread(name, regular, values)
        if len(illegal):
            given = np.array([actions[lane] for lane in illegal.tolist()])
            infos |= self._spread("illegal_action", illegal, given)
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
                "observation": lanes.observations[lane].copy(),
                "action_mask": lanes.action_masks[lane].copy(),
            }
        shown: Infos = {"action_mask": lanes.action_masks, "seed": lanes.game_seeds, "seat": self.games.seats()}
        final_info = self._results(ended)
        for name, values in shown.items():
            final_info |= self._spread(name, ended, values[ended])
        return {"final_obs": final_obs, "_final_obs": is_ended, "final_info": final_info, "_final_info": is_ended}

    def _spread(self, name: str, rows: NDArray[np.int64], values: NDArray[Any]) -> Infos:
        """An info that only some games have, as Gymnasium shows it: an array for all, and which have it."""
        spread, has_it = np.zeros((self.num_envs, *values.shape[1:]), values.dtype), np.zeros(self.num_envs, np.bool_)
        spread[rows], has_it[rows] = values, True
        return {name: spread, f"_{name}": has_it}

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are legal, bool ``(N, A)``."""
        return self.games.lanes.action_masks.astype(np.bool_)

    def clone(self) -> DunaiaVectorEnv:
        """An independent copy that goes on identically, with copies of the opponents."""
        return deepcopy(self)

    def close_extras(self, **kwargs: Any) -> None:
        """Give back the threads, if there are any."""
        self.games.lanes.close()
