"""Many games at once: lanes of a batch with their own seeds, automatic restart and preallocated arrays.

A lane is one place of the batch. Its e-th game has the seed ``chance.game_seed(base, lane, e)``; the same seed gives
the same game whatever the number of lanes, their order or the number of threads.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from copy import deepcopy
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dunaia_env.chance import check_seed, fresh_seed, game_seed
from dunaia_env.dunaia.components import Components
from dunaia_env.game import (
    DEFAULT_MAX_ROUNDS,
    DUNAIA,
    GameModule,
    GameState,
    IllegalActionError,
    check_max_rounds,
    check_players,
    prepare,
)
from dunaia_env.lane import LANE_DTYPE, LANE_SIZE
from dunaia_env.rewards import check_reward, final_rewards


class Lanes:
    """A batch of games. `reset` and `step` rewrite the public arrays in place; copy what must be kept.

    Args:
        num_lanes: number of games, at least 1.
        game: the game to play.
        num_players: players at the table; a sequence is dealt to the lanes in turn.
        elites: play with elite characters; a sequence is dealt to the lanes in turn.
        components: a component file or its content; the project's own for None.
        max_rounds: a game that has not ended after so many rounds is stopped and scored.
        reward: "win", "rank" or "score", see `dunaia_env.rewards`.
        threads: number of threads that step the lanes; does not change any result.
        autoreset: begin a lane's next game in the very step that ended the former one (Gymnasium's SAME_STEP). Without
            it a finished lane shows an empty mask and seat -1 until the next `begin` or `reset`.

    Attributes (N lanes, A actions, O observation entries, S seats):
        observations: int8 ``(N, O)``, of the seat that decides.
        action_masks: int8 ``(N, A)``, 1 for a legal action.
        legal_actions: int16 ``(N, A)``; the first ``legal_counts[i]`` entries of row i are the legal ones, ascending.
        legal_counts: int16 ``(N,)``.
        seats: int8 ``(N,)``, who decides; -1 when the lane's game is over.
        num_players: int8 ``(N,)``.
        terminations: bool ``(N,)``, whether this step ended the lane's game.
        rewards: float32 ``(N, S)``, zeros unless the step ended the lane's game.
        final_scores, final_ranks, final_rounds, final_decisions, final_seeds: int ``(N, S)`` or ``(N,)``, of the lane's
            last finished game.
        max_rounds_reached: bool ``(N,)``, whether that game was stopped by ``max_rounds``.
        decisions: int32 ``(N,)``, decisions made in the lane's present game.
        game_seeds: int64 ``(N,)``, seed of the lane's present game.
        random_seats: int8 ``(N, S)``, yours to write (without ``autoreset``): 1 for a seat whose decisions are made at
            random as soon as they are asked, so that the lane shows the other seats' decisions only.
        random_seeds: int64 ``(N, S)``, 0..2**32-1, the seeds of those choices; they are those of `random_actions`.
    """

    def __init__(
        self,
        num_lanes: int,
        *,
        game: GameModule = DUNAIA,
        num_players: int | Sequence[int] = 2,
        elites: bool | Sequence[bool] = False,
        components: Components | str | os.PathLike[str] | None = None,
        max_rounds: int = DEFAULT_MAX_ROUNDS,
        reward: str = "win",
        threads: int = 1,
        autoreset: bool = True,
    ) -> None:
        for name, number in (("num_lanes", num_lanes), ("threads", threads)):
            if isinstance(number, bool) or not isinstance(number, int | np.integer) or number < 1:
                raise ValueError(f"{name}: {number!r}; at least 1 (an integer) is needed")
        prepare(game)
        self.game = game
        self.num_lanes = num_lanes
        self.num_actions = game.NUM_ACTIONS
        self.observation_size = game.OBSERVATION_SIZE
        self.max_players = game.MAX_PLAYERS
        self.components = game.load(components)
        self.reward = check_reward(reward)
        self.max_rounds = check_max_rounds(max_rounds)
        self.autoreset = autoreset
        players = list(num_players) if isinstance(num_players, Sequence | np.ndarray) else [num_players]
        variants = list(elites) if isinstance(elites, Sequence | np.ndarray) else [elites]
        if not all(isinstance(variant, bool | np.bool_) for variant in variants):
            raise ValueError(f"elites: {elites!r}; True or False, or a sequence of them, is needed")
        if not players or not variants:
            raise ValueError("num_players, elites: an empty sequence; at least one entry is needed")

        self._states = np.zeros((num_lanes, game.STATE_SIZE), np.uint8)
        self._lanes = np.zeros((num_lanes, LANE_SIZE), np.uint8)
        self._actions = np.zeros(num_lanes, np.int32)
        self.legal_actions = np.zeros((num_lanes, self.num_actions), np.int16)
        self.action_masks = np.zeros((num_lanes, self.num_actions), np.int8)
        self.observations = np.zeros((num_lanes, self.observation_size), np.int8)
        self.rewards = np.zeros((num_lanes, self.max_players), np.float32)
        self._bind()
        record = self._record
        record["num_players"] = [check_players(game, players[i % len(players)]) for i in range(num_lanes)]
        record["elites"] = [bool(variants[i % len(variants)]) for i in range(num_lanes)]
        record["max_rounds"] = self.max_rounds
        record["restart"] = autoreset
        record["seat"] = -1

        self._threads = min(threads, num_lanes)
        self._all = np.arange(num_lanes)
        self._executor: ThreadPoolExecutor | None = None

    def _views(self) -> dict[str, NDArray[Any]]:
        """The public views on the lanes' records, by attribute."""
        record = self._lanes.view(LANE_DTYPE)[:, 0]
        return {
            "seats": record["seat"],
            "num_players": record["num_players"],
            "legal_counts": record["legal_count"],
            "decisions": record["decisions"],
            "game_seeds": record["seed"],
            "final_scores": record["scores"],
            "final_ranks": record["ranks"],
            "final_rounds": record["rounds"],
            "final_decisions": record["last_decisions"],
            "final_seeds": record["last_seed"],
            "terminations": record["ended"].view(np.bool_),
            "max_rounds_reached": record["truncated"].view(np.bool_),
            "random_seats": record["random_seats"],
            "random_seeds": record["random_seeds"],
        }

    seats: NDArray[np.int8]
    num_players: NDArray[np.int8]
    legal_counts: NDArray[np.int16]
    decisions: NDArray[np.int32]
    game_seeds: NDArray[np.int64]
    final_scores: NDArray[np.int16]
    final_ranks: NDArray[np.int8]
    final_rounds: NDArray[np.int16]
    final_decisions: NDArray[np.int32]
    final_seeds: NDArray[np.int64]
    terminations: NDArray[np.bool_]
    max_rounds_reached: NDArray[np.bool_]
    random_seats: NDArray[np.int8]
    random_seeds: NDArray[np.int64]

    def _bind(self) -> None:
        self._record = self._lanes.view(LANE_DTYPE)[:, 0]
        self.__dict__.update(self._views())

    def _share(self, work: Callable[[int, int], None], count: int) -> None:
        """Do the work of ``count`` lanes, a range of them on each thread; kernels let the threads run at once."""
        if self._threads == 1 or count < self._threads:
            work(0, count)
            return
        if self._executor is None:
            self._executor = ThreadPoolExecutor(self._threads - 1, "lanes")
        bounds = [count * thread // self._threads for thread in range(self._threads + 1)]
        shares = list(pairwise(bounds))
        others = [self._executor.submit(work, *share) for share in shares[1:]]
        work(*shares[0])
        for other in others:
            other.result()

    def _show(self, kernel: Callable[..., None], selected: NDArray[np.int64], *more: Any) -> None:
        """Run a kernel that changes the selected lanes and what they show."""
        shown = (self.legal_actions, self.action_masks, self.observations)
        arguments = (self._states, self._lanes, self.components.buffer, *more, *shown, selected)
        self._share(lambda start, stop: kernel(*arguments, start, stop), len(selected))

    def _select(self, selected: NDArray[np.integer] | None) -> NDArray[np.int64]:
        return self._all if selected is None else np.asarray(selected, np.int64)

    def name_games(self, seed: int | Sequence[int] | NDArray[np.integer] | None = None) -> None:
        """Give each lane the seed of its first game, which the next `begin` begins; arguments as `reset`."""
        record = self._record
        if not isinstance(seed, Sequence | np.ndarray):
            base = fresh_seed() if seed is None else check_seed(seed)
            check_seed(base + self.num_lanes - 1)
            record["base_seed"] = base + self._all
        else:
            if len(seed) != self.num_lanes:
                raise ValueError(f"seed: {len(seed)} seeds; one for each of {self.num_lanes} lanes is needed")
            record["base_seed"] = [check_seed(one) for one in seed]
        record["seed"] = record["base_seed"]
        record["game"] = 0

    def name_next_games(self, selected: NDArray[np.integer]) -> None:
        """Give the selected lanes the seeds of their following games, which the next `begin` begins."""
        record = self._record
        for lane in self._select(selected).tolist():
            record["game"][lane] += 1
            record["seed"][lane] = game_seed(record["base_seed"][lane], 0, record["game"][lane])

    def begin(self, selected: NDArray[np.integer] | None = None) -> None:
        """Begin the games of ``game_seeds`` in the selected lanes, in all for None.

        Where the seats left to chance play a game to its end, it shows as ended at once.
        """
        self.rewards[:] = 0
        self._record["ended"] = 0
        self._show(self.game.begin_lanes, self._select(selected))
        self._reward()

    def reset(self, seed: int | Sequence[int] | NDArray[np.integer] | None = None) -> None:
        """Begin a new game in every lane.

        Args:
            seed: base seed, lane i then plays ``game_seed(seed, i, 0)``; or one seed a lane; from the operating
                system's entropy for None.
        """
        self.name_games(seed)
        self.begin()

    def step(self, actions: NDArray[np.integer] | Sequence[int], selected: NDArray[np.integer] | None = None) -> None:
        """Apply an action in every lane, or in each selected one (ignored where the game is over).

        Args:
            actions: integers, shape ``(N,)``, or one for each selected lane.
            selected: different lanes; the others keep their games, with no reward and no termination in this step.

        Raises `IllegalActionError` naming the first lane whose action is not legal; nothing has changed then.
        """
        chosen = self._select(selected)
        given = np.asarray(actions)
        if given.shape != chosen.shape or given.dtype.kind not in "iu":
            raise ValueError(
                f"actions: shape {given.shape} of {given.dtype}; ({len(chosen)},) of an integer type is needed"
            )
        # Kept within 32 bits before they are checked: what lies outside the table stays illegal.
        checked = self._actions[: len(chosen)]
        checked[:] = np.maximum(np.minimum(given, self.num_actions).astype(np.int64), -1)
        illegal = self.game.first_illegal(self._lanes, checked, self.action_masks, chosen)
        if illegal >= 0:
            raise self._illegal(int(chosen[illegal]), int(given[illegal]))
        if selected is not None:
            self._record["ended"] = 0
        self._show(self.game.step_lanes, chosen, checked)
        self.rewards[:] = 0
        self._reward()

    def _reward(self) -> None:
        ended = np.flatnonzero(self.terminations)
        if len(ended):
            self.rewards[ended] = final_rewards(
                self.reward, self.final_scores[ended], self.final_ranks[ended], self.num_players[ended]
            )

    def stop(self, selected: NDArray[np.integer]) -> None:
        """Give up the games of the selected lanes: without a result, until the next `begin` nobody decides there."""
        self.seats[selected] = -1
        self.legal_counts[selected] = 0
        self.action_masks[selected] = 0

    def _illegal(self, lane: int, action: int) -> IllegalActionError:
        try:
            self.get_state(lane).check(action)
        except IllegalActionError as error:
            return IllegalActionError(f"lane {lane}: {error}")
        return IllegalActionError(f"lane {lane}: action {action} is not legal")

    def random_actions(self, seed: int, selected: NDArray[np.integer] | None = None) -> NDArray[np.int32]:
        """Uniformly random legal actions, int32 ``(N,)`` or one for each selected lane.

        The choice is named by the seed (0..2**32-1), the lane's game seed and decision: the same whatever the batch.
        """
        if not 0 <= seed < 2**32:
            raise ValueError(f"seed: {seed}; an integer in 0..{2**32 - 1} is needed")
        lanes = np.arange(self.num_lanes) if selected is None else np.asarray(selected, np.int64)
        actions = np.zeros(len(lanes), np.int32)
        self.game.choose_random(self._lanes, self.legal_actions, seed, lanes, actions)
        return actions

    def call_kernel(
        self,
        kernel: Callable[..., None],
        parameters: NDArray[Any],
        number: int,
        selected: NDArray[np.int64],
        *rows: NDArray[Any],
    ) -> None:
        """Let a compiled function of the game look at the selected lanes, its share of them on each thread.

        The kernel is called as ``kernel(states, lanes, components, parameters, number, legal, selected, *rows)``;
        ``number`` is a seed, say, and each of ``rows`` an array with one row for each selected lane: the actions that
        an agent decides, say.
        """

        def decide(start: int, stop: int) -> None:
            kernel(
                self._states,
                self._lanes,
                self.components.buffer,
                parameters,
                number,
                self.legal_actions,
                selected[start:stop],
                *(row[start:stop] for row in rows),
            )

        self._share(decide, len(selected))

    def get_state(self, lane: int) -> GameState:
        """A copy of the state of a lane's game."""
        return GameState(self._states[lane], game=self.game, components=self.components)

    def write_observation(self, lane: int, seat: int, out: NDArray[np.int8]) -> None:
        """Write what a seat of a lane's game sees into ``out``, int8 ``(observation_size,)``."""
        self.game.write_observation(self._states[lane], self.components.buffer, seat, out)

    def set_state(self, lane: int, state: GameState) -> None:
        """Put a copy of a state into a lane; its seed and result stay as they are.

        Raises `ValueError` unless the state has the lanes' rule set, the lane's number of players and goes on.
        """
        if state.game is not self.game or state.components.hash != self.components.hash:
            raise ValueError(f"state: rule set {state.components.hash}; {self.components.hash} is needed")
        if state.is_over or state.num_players != self.num_players[lane]:
            found = "over" if state.is_over else f"{state.num_players} players"
            raise ValueError(f"state: {found}; a game of {self.num_players[lane]} players that goes on is needed")
        self._states[lane] = np.frombuffer(state.to_bytes(), np.uint8)
        self._show(self.game.refresh_lanes, self._all[[lane]])

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """Everything that decides how the lanes go on, as arrays of their own."""
        return {"states": self._states.copy(), "lanes": self._lanes.copy(), "rewards": self.rewards.copy()}

    def restore(self, snapshot: dict[str, NDArray[Any]]) -> None:
        """Bring the lanes back to a `snapshot` of lanes of the same size and rule set."""
        states, lanes, rewards = snapshot["states"], snapshot["lanes"], snapshot["rewards"]
        if states.shape != self._states.shape or lanes.shape != self._lanes.shape:
            raise ValueError(f"snapshot: states {states.shape}; {self._states.shape} is needed")
        self._states[:], self._lanes[:], self.rewards[:] = states, lanes, rewards
        stopped = np.flatnonzero(self.seats < 0)
        self._show(self.game.refresh_lanes, self._all)
        self.stop(stopped)

    def clone(self) -> Lanes:
        """An independent copy that goes on identically."""
        return deepcopy(self)

    def __getstate__(self) -> dict[str, Any]:
        views = {*self._views(), "_record", "_executor"}
        return {name: value for name, value in self.__dict__.items() if name not in views}

    def __setstate__(self, content: dict[str, Any]) -> None:
        self.__dict__.update({name: _own(value) for name, value in content.items()})
        self._executor = None
        self._bind()

    def __deepcopy__(self, memo: dict[int, Any]) -> Lanes:
        copy = object.__new__(Lanes)
        copy.__setstate__(self.__getstate__())
        return copy

    def close(self) -> None:
        """Give the threads back."""
        if self._executor is not None:
            self._executor.shutdown()
            self._executor = None


def _own(value: Any) -> Any:
    return value.copy() if isinstance(value, np.ndarray) else value
