"""Many games at once: lanes of a batch with their own seeds, automatic restart and preallocated arrays.

A lane is one slot of the batch. Its e-th game has the seed ``chance.game_seed(base, lane, e)``; the same seed gives
the same game whatever the number of lanes, their order or the number of threads.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from copy import copy, deepcopy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dunaia_env.harness.compiled import entry_points, rewards
from dunaia_env.harness.compiled.chance import MAX_SEED, check_seed, fresh_seed, game_seed, is_integer
from dunaia_env.harness.compiled.lane import (
    LANE_DTYPE,
    LANE_HASH,
    LANE_SIZE,
    begin_lanes,
    choose_random,
    first_illegal,
    first_misplaced,
    refresh_lanes,
    reward_lanes,
    step_lanes,
)
from dunaia_env.harness.compiled.standings import read_standings, restrict
from dunaia_env.harness.game import Game
from dunaia_env.harness.options import PRESET, several
from dunaia_env.harness.registry import DEFAULT_GAME
from dunaia_env.harness.state import GameState, IllegalActionError, describe_array, prepare
from dunaia_env.support.messages import shorten
from dunaia_env.support.threads import Threads

Selection = Sequence[int] | NDArray[np.integer]
Seeds = int | Sequence[int] | NDArray[np.integer]

# Room for the hash of a component file in a snapshot.
_HASH = np.dtype("S32")
# Fields of a lane's record that do not change after the lanes are made, and the allowed ranges of other fields.
_SETTINGS = ("num_players", "options", "restart")
_RANGES = {
    "base_seed": (0, MAX_SEED),
    "seed": (0, MAX_SEED),
    "last_seed": (0, MAX_SEED),
    "game": (0, MAX_SEED),
    "random_seeds": (0, 2**32 - 1),
    "decisions": (0, 2**31 - 1),
    "last_decisions": (0, 2**31 - 1),
    "random_seats": (0, 1),
    "ended": (0, 1),
    "stopped": (0, 1),
}


class _OneThread:
    """A lock that refuses a second thread while one is inside; in a child process it begins unlocked."""

    def __init__(self) -> None:
        self._lock, self._process = threading.RLock(), os.getpid()

    def __enter__(self) -> None:
        if self._process != os.getpid():
            # The thread that held the lock exists only in the parent process.
            self._lock, self._process = threading.RLock(), os.getpid()
        if not self._lock.acquire(blocking=False):
            raise RuntimeError("lanes: another thread is using them; give each thread lanes of its own")

    def __exit__(self, *error: object) -> None:
        self._lock.release()


class Lanes:
    """A batch of games. `reset` and `step` rewrite the public arrays in place; copy what must be kept.

    Lanes serve one thread at a time: a call during another thread's call raises `RuntimeError`. Selected lanes are
    given as a sequence or array of integers in ``0..num_lanes-1``; `ValueError` names the first wrong entry.

    Args:
        num_lanes: number of games, at least 1.
        game: the game to play.
        components: a component file or its content; None for the game's own. A sequence of them is dealt to the lanes
            in turn, as are options.
        reward: "win", "rank" or "score", see `dunaia_env.harness.compiled.rewards`.
        threads: number of threads that step the lanes; does not change any result.
        autoreset: begin a lane's next game in the same step that ended the previous one (Gymnasium's SAME_STEP).
            Without it a finished lane shows an empty mask and seat -1 until the next `begin` or `reset`.
        options: the game's options, see `Game.check_options`: ``num_players=3``, ``preset="..."``. A sequence is dealt
            to the lanes in turn: ``num_players=[2, 3, 4]``. A list by seat is one value; a list of such lists is dealt.

    There are N lanes, A actions, O observation entries and S seats. Attributes that determine the games are read-only.

    Attributes:
        components: the component files dealt to the lanes, a tuple: lane i plays number ``i % len(components)``.
        observations: int8 ``(N, O)``, the observation of the deciding seat.
        action_masks: int8 ``(N, A)``, 1 for a legal action.
        legal_actions: int16 ``(N, A)``; the first ``legal_counts[i]`` entries of row i are legal, in ascending order.
        legal_counts: int16 ``(N,)``, the number of legal actions.
        seats: int8 ``(N,)``, the deciding seat; -1 when the lane's game is over.
        num_players: int8 ``(N,)``, the number of players.
        terminations: bool ``(N,)``, whether this step ended the lane's game.
        rewards: float32 ``(N, S)``, zeros unless the step ended the lane's game.
        final_scores, final_ranks, final_rounds, final_decisions, final_seeds: int ``(N, S)`` or ``(N,)``, results of
            the lane's last finished game.
        max_rounds_reached: bool ``(N,)``, whether an option of the game stopped the lane's last game before its end.
        decisions: int32 ``(N,)``, decisions made in the lane's present game.
        game_seeds: int64 ``(N,)``, seed of the lane's present game.
        random_seats: int8 ``(N, S)``, writable (without ``autoreset``): 1 for a seat whose decisions are made at random
            inside the step, so that the lane shows only the decisions of other seats.
        random_seeds: int64 ``(N, S)``, 0..2**32-1, the seeds of these choices, as for `random_actions`.
    """

    def __init__(
        self,
        num_lanes: int,
        *,
        game: Game = DEFAULT_GAME,
        components: Any = None,
        reward: str = "win",
        threads: int = 1,
        autoreset: bool = True,
        **options: Any,
    ) -> None:
        for name, number in (("num_lanes", num_lanes), ("threads", threads)):
            if not is_integer(number) or number < 1:
                raise ValueError(f"{name}: expected at least 1 (an integer), got {number!r}")
        prepare(game)
        self.game = game
        self.num_lanes = num_lanes
        self.num_actions = game.num_actions
        self.observation_size = game.observation_size
        self.max_players = game.max_players
        self.components = game.load_each(components)[:num_lanes]
        self._buffers, component_rows = stack_components(self.components)
        self.reward = rewards.check_reward(reward)
        self.autoreset = autoreset
        rows = _option_rows(game, num_lanes, options)

        self._states = np.zeros((num_lanes, game.state_size), np.uint8)
        self._lanes = np.zeros((num_lanes, LANE_SIZE), np.uint8)
        self._legal = np.zeros((num_lanes, self.num_actions), np.int16)
        self.action_masks = np.zeros((num_lanes, self.num_actions), np.int8)
        self.observations = np.zeros((num_lanes, self.observation_size), np.int8)
        self.rewards = np.zeros((num_lanes, self.max_players), np.float32)
        self._bind()
        record = self._record
        record["options"] = rows
        record["num_players"] = rows[:, 0]
        record["components_row"] = np.resize(component_rows, num_lanes)
        record["restart"] = autoreset
        record["seat"] = -1

        self._threads = Threads(min(threads, num_lanes))
        self._all = np.arange(num_lanes)
        self._one_thread = _OneThread()

    def _views(self) -> dict[str, NDArray[Any]]:
        """The public views of the lanes' records and legal actions, by attribute."""
        record = self._lanes.view(LANE_DTYPE)[:, 0]
        views: dict[str, NDArray[Any]] = {
            "seats": record["seat"],
            "num_players": record["num_players"],
            "legal_counts": record["legal_count"],
            "decisions": record["decisions"],
            "game_seeds": record["seed"],
            "final_scores": record["scores"][:, : self.max_players],
            "final_ranks": record["ranks"][:, : self.max_players],
            "final_rounds": record["rounds"],
            "final_decisions": record["last_decisions"],
            "final_seeds": record["last_seed"],
            "terminations": record["ended"].view(np.bool_),
            "max_rounds_reached": record["stopped"].view(np.bool_),
            "legal_actions": self._legal.view(),
        }
        for view in views.values():
            view.flags.writeable = False
        seats = slice(0, self.max_players)
        return views | {
            "random_seats": record["random_seats"][:, seats],
            "random_seeds": record["random_seeds"][:, seats],
        }

    seats: NDArray[np.int8]
    num_players: NDArray[np.int8]
    legal_counts: NDArray[np.int16]
    decisions: NDArray[np.int32]
    game_seeds: NDArray[np.int64]
    final_scores: NDArray[np.int32]
    final_ranks: NDArray[np.int8]
    final_rounds: NDArray[np.int16]
    final_decisions: NDArray[np.int32]
    final_seeds: NDArray[np.int64]
    terminations: NDArray[np.bool_]
    max_rounds_reached: NDArray[np.bool_]
    random_seats: NDArray[np.int8]
    random_seeds: NDArray[np.int64]
    legal_actions: NDArray[np.int16]

    def _bind(self) -> None:
        self._record = self._lanes.view(LANE_DTYPE)[:, 0]
        self._buffers.flags.writeable = False  # also in a copy
        self.__dict__.update(self._views())

    def _show(self, kernel: Callable[..., None], selected: NDArray[np.int64], *more: Any) -> None:
        """Run a kernel that changes the selected lanes and their arrays."""
        shown = (self._legal, self.action_masks, self.observations)
        games = (self.game.entry_points.table, self._states, self._lanes, self._buffers)
        arguments = (*games, *more, *shown, selected)
        self._threads.run(lambda start, stop: kernel(*arguments, start, stop), len(selected))

    def _select(self, selected: Selection | None, *, different: bool = True) -> NDArray[np.int64]:
        """The selected lanes (all for None) as a checked array."""
        if selected is None:
            return self._all
        given = np.asarray(selected)
        if given.ndim != 1 or (given.size and given.dtype.kind not in "iu"):
            raise ValueError(f"selected: expected a list of lanes (integers), got shape {given.shape} of {given.dtype}")
        rows = given.astype(np.int64)
        if different:
            wrong = int(first_misplaced(rows, np.zeros(self.num_lanes, np.bool_)))
        else:
            outside = np.flatnonzero((rows < 0) | (rows >= self.num_lanes))
            wrong = int(outside[0]) if len(outside) else -1
        if wrong >= 0:
            kind = "different lanes" if different else "lanes"
            raise ValueError(f"selected: expected {kind} in 0..{self.num_lanes - 1}, got {given[wrong]} at {wrong}")
        return rows

    def _check_lane(self, lane: object) -> int:
        if not is_integer(lane) or not 0 <= lane < self.num_lanes:
            raise ValueError(f"lane: expected an integer in 0..{self.num_lanes - 1}, got {lane!r}")
        return int(lane)

    def components_of(self, lane: int) -> Any:
        """The component file that a lane plays."""
        return self.components[self._check_lane(lane) % len(self.components)]

    def _component_hashes(self) -> NDArray[np.bytes_]:
        """The hash of each lane's component file."""
        return np.resize(np.array([loaded.hash for loaded in self.components], _HASH), self.num_lanes)

    def name_games(self, seed: Seeds | None = None, selected: Selection | None = None) -> None:
        """Give lanes the seeds of their first games, which the next `begin` begins; for ``seed`` see `reset`."""
        chosen, record = self._select(selected), self._record
        if not isinstance(seed, Sequence | np.ndarray):
            base = fresh_seed() if seed is None else check_seed(seed)
            check_seed(base + self.num_lanes - 1)
            record["base_seed"][chosen] = base + chosen
        else:
            if len(seed) != len(chosen):
                raise ValueError(f"seed: expected one for each of {len(chosen)} lanes, got {len(seed)} seeds")
            record["base_seed"][chosen] = [check_seed(value) for value in seed]
        record["seed"][chosen], record["game"][chosen] = record["base_seed"][chosen], 0

    def name_next_games(self, selected: Selection) -> None:
        """Give the selected lanes the seeds of their next games, which the next `begin` begins."""
        record = self._record
        for lane in self._select(selected).tolist():
            record["game"][lane] += 1
            record["seed"][lane] = game_seed(record["base_seed"][lane], 0, record["game"][lane])

    def begin(self, selected: Selection | None = None) -> None:
        """Begin the games with the seeds ``game_seeds`` in the selected lanes; in all lanes for None.

        A game that random seats play to its end within this call shows as ended.
        """
        chosen = self._select(selected)
        with self._one_thread:
            self._record["ended"] = 0
            self._show(begin_lanes, chosen)
            self._reward()

    def reset(self, seed: Seeds | None = None) -> None:
        """Begin a new game in every lane.

        Args:
            seed: base seed, with which lane i plays ``game_seed(seed, i, 0)``; or one seed per lane; or None for a base
                seed from the operating system's entropy.
        """
        self.name_games(seed)
        self.begin()

    def step(self, actions: NDArray[np.integer] | Sequence[int], selected: Selection | None = None) -> None:
        """Apply an action in every lane, or in each selected lane; it is ignored where the game is over.

        Args:
            actions: integers, shape ``(N,)``, or one for each selected lane.
            selected: distinct lanes; all other lanes keep their games, with no reward and no termination in this step.

        Raises `IllegalActionError` naming the first lane whose action is not legal; in this case nothing changes.
        """
        chosen = self._select(selected)
        given = np.asarray(actions)
        if given.shape != chosen.shape or (given.size and given.dtype.kind not in "iu"):
            raise ValueError(
                f"actions: expected ({len(chosen)},) of an integer type, got shape {given.shape} of {given.dtype}"
            )
        narrow = given
        if given.dtype != np.int32:
            # Clipped so that they fit into 32 bits; actions outside the table stay outside.
            narrow = np.maximum(np.minimum(given.astype(np.int64), self.num_actions), -1)
        checked = narrow.astype(np.int32)
        with self._one_thread:
            illegal = first_illegal(self._lanes, checked, self._legal, chosen)
            if illegal >= 0:
                raise self._illegal(int(chosen[illegal]), int(given[illegal]))
            if selected is not None:
                self._record["ended"] = 0
            self._show(step_lanes, chosen, checked)
            self._reward()

    def _reward(self) -> None:
        reward_lanes(self._lanes, rewards.REWARDS.index(self.reward), self.rewards)

    def stop(self, selected: Selection) -> None:
        """Abandon the games of the selected lanes: they have no result, and nobody decides until the next `begin`."""
        chosen = self._select(selected, different=False)
        with self._one_thread:
            self._record["seat"][chosen] = -1
            self._record["legal_count"][chosen] = 0
            self.action_masks[chosen] = 0

    def _illegal(self, lane: int, action: int) -> IllegalActionError:
        try:
            self.get_state(lane).check(action)
        except IllegalActionError as error:
            return IllegalActionError(f"lane {lane}: {error}")
        return IllegalActionError(f"lane {lane}: action {action} is not legal")

    @property
    def states(self) -> NDArray[np.uint8]:
        """The state of each lane's game, uint8 ``(N, state_size)``: a read-only view."""
        (view := self._states.view()).flags.writeable = False
        return view

    def restrict(self, selected: Selection, forbidden: NDArray[np.bool_]) -> None:
        """Forbid actions, bool ``(len(selected), A)``, in the selected lanes until their next step.

        Masks and legal actions omit them, unless no other action is legal. A search may try, but not choose them.
        """
        chosen = self._select(selected)
        if forbidden.shape != (len(chosen), self.num_actions) or forbidden.dtype != np.bool_:
            shape = len(chosen), self.num_actions
            raise ValueError(f"forbidden: expected bool {shape}, got {describe_array(forbidden)}")
        with self._one_thread:
            restrict(self._lanes, self.action_masks, self._legal, chosen, forbidden)

    def standings(self, selected: Selection) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
        """Scores of the selected lanes as if their games ended now, int32 ``(len(selected), S)``, and their rounds."""
        scores, rounds = np.zeros((len(selected), self.max_players), np.int32), np.zeros(len(selected), np.int32)
        self.call_kernel(read_standings, np.zeros(1), 0, selected, scores, rounds)
        return scores, rounds

    def random_actions(self, seed: int, selected: Selection | None = None) -> NDArray[np.int32]:
        """Uniformly random legal actions, int32 ``(N,)`` or one for each selected lane; 0 where the game is over.

        The choice depends on the seed (0..2**32-1), the lane's game seed and the decision's number, not on the batch.
        """
        if not is_integer(seed) or not 0 <= seed < 2**32:
            raise ValueError(f"seed: expected an integer in 0..{2**32 - 1}, got {seed!r}")
        chosen = self._select(selected, different=False)
        actions = np.zeros(len(chosen), np.int32)
        with self._one_thread:
            choose_random(self._lanes, self._legal, int(seed), chosen, actions)
        return actions

    def call_kernel(
        self,
        kernel: Callable[..., None],
        parameters: NDArray[Any],
        number: int,
        selected: Selection,
        *rows: NDArray[Any],
    ) -> None:
        """Run a compiled function that reads the selected lanes, a share of them on each thread.

        The kernel is called as ``kernel(game, states, lanes, components, parameters, number, legal, selected, *rows)``;
        ``number`` is a seed, for example, and each of ``rows`` is an array with one row per selected lane, such as the
        actions that an agent chooses. ``components`` has a row for each different component file; a lane's record says
        which row is its own. The caller decides what the parameters mean.
        """
        chosen = self._select(selected, different=False)
        for row in rows:
            if len(row) != len(chosen):
                raise ValueError(f"rows: expected {len(chosen)}, one for each selected lane, got {len(row)}")

        table = prepare(self.game, evaluation=True)

        def decide(start: int, stop: int) -> None:
            kernel(
                table,
                self._states,
                self._lanes,
                self._buffers,
                parameters,
                number,
                self._legal,
                chosen[start:stop],
                *(row[start:stop] for row in rows),
            )

        with self._one_thread:
            self._threads.run(decide, len(chosen))

    def get_state(self, lane: int) -> GameState:
        """A copy of the state of a lane's game."""
        number = self._check_lane(lane)
        with self._one_thread:
            state, components = self._states[number], self.components_of(number)
            return GameState(state, game=self.game, components=components, trusted=True)

    def write_observation(self, lane: int, seat: int, out: NDArray[np.int8]) -> None:
        """Write what a seat of a lane's game sees into ``out``, int8 ``(observation_size,)``.

        Raises `ValueError` for an invalid lane or seat, or an array of another shape or type.
        """
        number = self._check_lane(lane)
        if not is_integer(seat) or not 0 <= seat < self.num_players[number]:
            raise ValueError(f"seat: expected an integer in 0..{self.num_players[number] - 1}, got {seat!r}")
        if not isinstance(out, np.ndarray) or out.shape != (self.observation_size,) or out.dtype != np.int8:
            raise ValueError(f"out: expected int8 ({self.observation_size},), got {describe_array(out)}")
        components = self.components_of(number).buffer
        with self._one_thread:
            entry_points.observe(self.game.entry_points.table, self._states[number], components, int(seat), out)

    def set_state(self, lane: int, state: GameState) -> None:
        """Put a copy of a state into a lane; the lane keeps its seed and result.

        Raises `ValueError` unless the state has the lane's components and number of players and is not over.
        """
        number = self._check_lane(lane)
        needed = self.components_of(number).hash
        if state.game is not self.game or state.components.hash != needed:
            raise ValueError(f"state: expected components {needed}, got {state.components.hash}")
        if state.is_over or state.num_players != self.num_players[number]:
            found = "one that is over" if state.is_over else f"{state.num_players} players"
            raise ValueError(f"state: expected a game of {self.num_players[number]} players that goes on, got {found}")
        with self._one_thread:
            self._states[number] = np.frombuffer(state.to_bytes(), np.uint8)
            self._show(refresh_lanes, self._all[[number]])

    def snapshot(self) -> dict[str, NDArray[Any]]:
        """Everything that determines how the lanes continue, as copies."""
        with self._one_thread:
            saved = {name: array.copy() for name, array in self._saved().items()}
        # Numbers of rows are valid only for these lanes; the hashes say which file each lane has.
        saved["lanes"].view(LANE_DTYPE)["components_row"] = 0
        return saved

    def _saved(self) -> dict[str, NDArray[Any]]:
        hashes = self._component_hashes().view(np.uint8).reshape(self.num_lanes, _HASH.itemsize)
        return {"states": self._states, "lanes": self._lanes, "rewards": self.rewards, "components": hashes}

    def restore(self, snapshot: Mapping[str, NDArray[Any]]) -> None:
        """Restore a `snapshot` of lanes of the same size, components, players and options.

        Raises `ValueError` naming what does not fit, before anything changes; every state is checked.
        """
        for name, own in self._saved().items():
            found = snapshot.get(name)
            if not isinstance(found, np.ndarray) or found.shape != own.shape or found.dtype != own.dtype:
                raise ValueError(f"snapshot: {name}: expected {describe_array(own)}, got {describe_array(found)}")
        states = np.ascontiguousarray(snapshot["states"])
        lanes = np.ascontiguousarray(snapshot["lanes"])
        self._check_components(np.ascontiguousarray(snapshot["components"]).view(_HASH)[:, 0])
        self._check_records(lanes.view(LANE_DTYPE)[:, 0], states)
        rows = self._record["components_row"].copy()
        with self._one_thread:
            self._states[:], self._lanes[:], self.rewards[:] = states, lanes, snapshot["rewards"]
            self._record["components_row"] = rows
            stopped = np.flatnonzero(self.seats < 0)
            self._show(refresh_lanes, np.flatnonzero(states.any(axis=1)))
            self.stop(stopped)

    def _check_components(self, hashes: NDArray[np.bytes_]) -> None:
        """Raise `ValueError` unless each lane was saved with the component file that it has."""
        own = self._component_hashes()
        different = np.flatnonzero(hashes != own)
        if len(different):
            lane = int(different[0])
            found, needed = (shorten(hashes_of[lane].decode("ascii", "replace")) for hashes_of in (hashes, own))
            raise ValueError(f"snapshot: components of lane {lane}: expected {needed}, got {found}")

    def _check_records(self, records: Any, states: NDArray[np.uint8]) -> None:
        """Raise `ValueError` unless games can continue from these records and states."""
        for name in _SETTINGS:
            different = np.argwhere(records[name] != self._record[name])
            if len(different):
                lane = int(different[0][0])
                found, needed = records[name][lane].tolist(), self._record[name][lane].tolist()
                raise ValueError(f"snapshot: {name} of lane {lane}: expected {needed}, got {found}")
        for name, (low, high) in _RANGES.items():
            wrong = np.argwhere((records[name] < low) | (records[name] > high))
            if len(wrong):
                lane, found = int(wrong[0][0]), int(records[name][tuple(wrong[0])])
                raise ValueError(f"snapshot: {name} of lane {lane}: expected {low}..{high}, got {found}")
        for lane in range(self.num_lanes):
            seat, state = int(records["seat"][lane]), states[lane]
            if seat < 0 and not state.any():
                continue  # no game has begun there
            try:
                checked = GameState(state, game=self.game, components=self.components_of(lane))
            except ValueError as error:
                raise ValueError(f"snapshot: lane {lane}: {error}") from None
            if checked.num_players != self.num_players[lane] or seat not in (-1, checked.seat):
                raise ValueError(
                    f"snapshot: lane {lane} has seat {seat} and {self.num_players[lane]} players, its state seat"
                    f" {checked.seat} and {checked.num_players}"
                )

    def clone(self) -> Lanes:
        """An independent copy that continues identically."""
        return deepcopy(self)

    def __getstate__(self) -> dict[str, Any]:
        own = {*self._views(), "_record", "_one_thread"}
        with self._one_thread:
            content = {name: _own(value) for name, value in self.__dict__.items() if name not in own}
        return content | {"_layouts": (self.game.state_hash, LANE_HASH)}

    def __setstate__(self, content: dict[str, Any]) -> None:
        found, needed = content.pop("_layouts", None), (content["game"].state_hash, LANE_HASH)
        if found != needed:
            raise ValueError(f"lanes: expected state and lane layouts {needed}, got {found}")
        self.__dict__.update(content)
        prepare(self.game)
        self._one_thread = _OneThread()
        self._bind()

    def __deepcopy__(self, memo: dict[int, Any]) -> Lanes:
        copied = object.__new__(Lanes)
        copied.__setstate__(self.__getstate__())
        return copied

    def close(self) -> None:
        """Stop the threads."""
        self._threads.close()


def stack_components(components: Iterable[Any]) -> tuple[NDArray[np.uint8], NDArray[np.int32]]:
    """The bytes of the F different components, uint8 ``(F, bytes)``, and the row of each given one, int32.

    Components with the same hash share a row. The bytes are read-only, as kernels compiled ahead require.
    """
    rows: dict[str, int] = {}
    buffers: list[NDArray[np.uint8]] = []
    own = []
    for loaded in components:
        if loaded.hash not in rows:
            rows[loaded.hash] = len(buffers)
            buffers.append(loaded.buffer)
        own.append(rows[loaded.hash])
    stacked = np.stack(buffers)
    stacked.flags.writeable = False
    return stacked, np.array(own, np.int32)


def _option_rows(game: Game, num_lanes: int, options: Mapping[str, object]) -> NDArray[np.int64]:
    """The options of each lane, int64 ``(num_lanes, MOST_OPTIONS)``, from values and sequences of values."""
    dealt: dict[str, list[object]] = {}
    for name, given in options.items():
        dealt[name] = several(given) if name == PRESET else game.option(name).several(given)
        if not dealt[name]:
            raise ValueError(f"{name}: expected at least one entry, got an empty sequence")
    tables = (
        game.check_options({name: values[lane % len(values)] for name, values in dealt.items()})
        for lane in range(num_lanes)
    )
    return np.array([game.option_row(table) for table in tables])


def _own(value: Any) -> Any:
    return copy(value) if isinstance(value, np.ndarray | Threads) else value
