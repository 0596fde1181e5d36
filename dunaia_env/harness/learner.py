"""Games with a learner: opponents hold the other seats, or the learner holds all seats (self-play)."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from copy import deepcopy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dunaia_env.harness import cautions, registry
from dunaia_env.harness.compiled import chance, rewards
from dunaia_env.harness.game import Game
from dunaia_env.harness.lanes import Lanes
from dunaia_env.harness.opponents import Agent, RandomAgent, is_agent, load
from dunaia_env.harness.options import NUM_PLAYERS, PRESET
from dunaia_env.harness.state import GameState
from dunaia_env.support.messages import shorten

# Used in place of an opponent's index.
LEARNER = -1

Opponent = str | os.PathLike[str] | Agent
Rows = NDArray[np.int64]


class LearnerLanes:
    """A batch of games in which a learner sees only its own decisions.

    The opponents decide in batches inside `reset`, `begin` and `step`; those named "random" decide inside the compiled
    step. A lane whose game is over waits for `begin`. After twenty games in a row that illegal actions ended, a warning
    says so once.

    Args:
        num_lanes: number of games, at least 1.
        opponents: the agents of the other seats, in turn order from the learner's left: one for each seat, or one for
            all of them. An agent is an `Agent` or an argument of `opponents.load`; every `reset` with a seed gives it a
            seed of its own. None means self-play: the learner holds every seat.
        num_players: number of players; by default that of the preset, or else one more than the number of opponents
            listed, at least 2. In self-play also a sequence of numbers, dealt to the lanes in turn.
        seat: the learner's seat, or "random": then the seed of each game determines it. No effect in self-play.
        illegal: what the learner's illegal action does. "terminate": the lane's game ends, with a reward of -1 for the
            seat that acted; "raise": `IllegalActionError`, and no lane changes.
        components, reward, threads, game, options: as for `Lanes`; a sequence of component files is dealt to the lanes.
            A trained opponent must have been made for all of these files.

    Attributes (N lanes, S seats):
        lanes: the games; its arrays hold the learner's observations and masks.
        opponents: the opponents, each of them once.
        actors: int8 ``(N,)``, the seat for which the learner acted in the last step.
        rewards: float32 ``(N,)``, the reward of the seat in ``actors``.
        seat_rewards: float32 ``(N, S)``, the reward of each seat.
        terminations: bool ``(N,)``, whether the step ended the lane's game.
        illegal_actions: by lane, the illegal action that ended its game in the last step.

    Raises `ValueError` naming an argument that is out of range.
    """

    def __init__(
        self,
        num_lanes: int,
        *,
        opponents: Opponent | Sequence[Opponent] | None = "random",
        num_players: int | Sequence[int] | None = None,
        seat: int | str = "random",
        illegal: str = "terminate",
        components: Any = None,
        reward: str = "win",
        threads: int = 1,
        game: Game = registry.DEFAULT_GAME,
        **options: Any,
    ) -> None:
        listed = _listed(opponents)
        if num_players is None:
            num_players = _players_of(game, options.get(PRESET), opponents=len(listed))
        self.lanes = Lanes(
            num_lanes,
            game=game,
            components=components,
            reward=reward,
            threads=threads,
            autoreset=False,
            num_players=num_players,
            **options,
        )
        self.illegal = rewards.check_illegal(illegal)
        if opponents is not None:
            players = game.option(NUM_PLAYERS).check(num_players)
            listed *= players - 1 if len(listed) == 1 else 1
            if len(listed) != players - 1:
                raise ValueError(
                    f"opponents: expected {players - 1}, or one for all of them at a table of {players} players, got"
                    f" {len(listed)} agents"
                )
            is_seat = chance.is_integer(seat) and 0 <= seat < players
            if not is_seat and (not isinstance(seat, str) or seat != "random"):
                raise ValueError(f"seat: expected 'random' or an integer in 0..{players - 1}, got {shorten(seat)}")
        self._seat = None if opponents is None or seat == "random" else int(seat)
        # A name or object that is listed twice is one agent, which decides for all its seats together.
        agents: dict[int | str, Agent] = {}
        keys = [id(entry) if isinstance(entry, Agent) else os.fspath(entry) for entry in listed]
        for key, entry in zip(keys, listed, strict=True):
            if key not in agents:
                agents[key] = (
                    entry if isinstance(entry, Agent) else load(entry, components=self.lanes.components, game=game)
                )
        self.opponents = tuple(agents.values())
        # The index of the opponent in the k-th seat after the learner's.
        self._order = np.array([LEARNER, *(list(agents).index(key) for key in keys)], np.int8)
        self._at_random = np.array([*(type(agent) is RandomAgent for agent in self.opponents), False])

        self._all = np.arange(num_lanes)
        self._holders = np.full((num_lanes, self.lanes.max_players), LEARNER, np.int8)
        self._has_sequence = np.zeros(num_lanes, np.bool_)
        self._illegal_ends = cautions.IllegalEnds()
        self.actors = np.zeros(num_lanes, np.int8)
        self.rewards = np.zeros(num_lanes, np.float32)
        self.seat_rewards = np.zeros((num_lanes, self.lanes.max_players), np.float32)
        self.terminations = np.zeros(num_lanes, np.bool_)
        self.illegal_actions: dict[int, int] = {}

    def reset(
        self, seed: int | Sequence[int | None] | NDArray[np.integer] | None = None, selected: Rows | None = None
    ) -> None:
        """Begin a game in every lane, or in each selected lane, at the learner's first decision.

        Args:
            seed: lane i gets the seed ``seed + i``, or the i-th of as many seeds as there are lanes. Where the seed is
                None, a lane continues with the game after its last one; its first game has a fresh seed.
            selected: distinct lanes; all other lanes keep their games. The opponents, which play in these too, then
                keep their seeds.

        Raises `ValueError` for invalid seeds.
        """
        chosen = self._all if selected is None else selected
        seeds = self._seeds(seed)
        seeded = np.array([lane for lane in chosen.tolist() if seeds[lane] is not None], np.int64)
        unseeded = np.setdiff1d(chosen, seeded)
        begun = self._has_sequence[unseeded]
        is_first = not self._has_sequence.any()
        self.lanes.name_games([seeds[lane] for lane in seeded.tolist()], seeded)
        self.lanes.name_next_games(unseeded[begun])
        self.lanes.name_games(None, unseeded[~begun])
        self._has_sequence[chosen] = True
        if is_first or (len(seeded) and len(chosen) == len(self._all)):
            for index, agent in enumerate(self.opponents):
                agent.reset(index)
        self._forget()
        self._begin(chosen)

    def _seeds(self, seed: int | Sequence[int | None] | NDArray[np.integer] | None) -> list[int | None]:
        """The seed of each lane, None where none is given."""
        count = len(self._all)
        if seed is None:
            return [None] * count
        if not isinstance(seed, Sequence | np.ndarray):
            chance.check_seed(chance.check_seed(seed) + count - 1)
            return [int(seed) + lane for lane in range(count)]
        if len(seed) != count:
            raise ValueError(f"seed: expected one for each of {count} lanes, got {len(seed)} seeds")
        return [None if value is None else chance.check_seed(value) for value in seed]

    def begin(self, selected: Rows) -> None:
        """Begin the next game in the selected lanes; rewards and terminations of the last step remain."""
        self.lanes.name_next_games(selected)
        self._begin(selected)

    def _begin(self, selected: Rows) -> None:
        while len(selected):
            self._take_seats(selected)
            self.lanes.begin(selected)
            for _ in self._opponents_decide():
                pass
            # A game that ends before the learner's first decision is skipped: the next one begins.
            selected = selected[self.lanes.seats[selected] < 0]
            self.lanes.name_next_games(selected)

    def _take_seats(self, selected: Rows) -> None:
        """Seat the opponents around the learner's seat in the games that are about to begin."""
        if not self.opponents:
            return
        players = len(self._order)
        seeds = self.lanes.game_seeds[selected].tolist()
        seats = [
            chance.random_below(seed, chance.SEATING, 0, 0, players) if self._seat is None else self._seat
            for seed in seeds
        ]
        offsets = (np.arange(players) - np.array(seats)[:, None]) % players
        self._holders[selected, :players] = holders = self._order[offsets]
        self.lanes.random_seats[selected, :players] = self._at_random[holders]
        self.lanes.random_seeds[selected, :players] = np.maximum(holders, 0)

    def _opponents_decide(self) -> Iterator[None]:
        """Let the opponents decide, one decision per lane at a time, until the learner decides or the game is over."""
        lanes = self.lanes
        while True:
            holders = self._holders[self._all, lanes.seats]
            waiting = np.flatnonzero((lanes.seats >= 0) & (holders != LEARNER))
            if not len(waiting):
                return
            actions = np.zeros(len(waiting), np.int32)
            for index in np.unique(holders[waiting]).tolist():
                own = holders[waiting] == index
                actions[own] = self.opponents[index].act_batch(lanes, waiting[own])
            lanes.step(actions, waiting)
            yield

    def step(self, actions: NDArray[np.integer] | Sequence[int]) -> None:
        """Apply the learner's action in every lane and continue to its next decision or the end of the game.

        Args:
            actions: integers, shape ``(N,)``; ignored where the game is over.
        """
        lanes = self.lanes
        given = np.asarray(actions)
        if given.shape != self._all.shape or given.dtype.kind not in "iu":
            raise ValueError(
                f"actions: expected {self._all.shape} of an integer type, got shape {given.shape} of {given.dtype}"
            )
        # Widened before it is clipped, because the largest action does not fit into eight bits.
        known = np.clip(given.astype(np.int64), 0, lanes.num_actions - 1)
        is_wrong = (known != given) | (lanes.action_masks[self._all, known] == 0)
        wrong = np.flatnonzero(is_wrong & (lanes.seats >= 0))
        if len(wrong) and self.illegal == "raise":
            lanes.step(given)
        self._forget()
        np.copyto(self.actors, lanes.seats, where=lanes.seats >= 0)
        if len(wrong):
            playing = np.flatnonzero(~is_wrong)
            lanes.step(known[playing], playing)
        else:
            lanes.step(known)
        self._note_ends()
        for _ in self._opponents_decide():
            self._note_ends()
        if len(wrong):
            lanes.stop(wrong)
            self.terminations[wrong] = True
            self.seat_rewards[wrong, self.actors[wrong]] = rewards.ILLEGAL_PENALTY
            self.illegal_actions = dict(zip(wrong.tolist(), given[wrong].tolist(), strict=True))
        if self.terminations.any():
            ended, last = int(self.terminations.sum()), [*self.illegal_actions.values()][-1:]
            self._illegal_ends.note(len(wrong), ended - len(wrong), last=last[0] if last else None)
        self.rewards[:] = self.seat_rewards[self._all, self.actors]

    def _forget(self) -> None:
        self.rewards[:], self.seat_rewards[:], self.terminations[:], self.illegal_actions = 0, 0, False, {}

    def _note_ends(self) -> None:
        ended = np.flatnonzero(self.lanes.terminations)
        self.terminations[ended] = True
        self.seat_rewards[ended] = self.lanes.rewards[ended]

    def seats(self) -> NDArray[np.int8]:
        """The learner's deciding seat in each lane; the seat that acted last where the game is over."""
        return np.where(self.lanes.seats >= 0, self.lanes.seats, self.actors)

    def names(self, lane: int) -> list[str] | None:
        """Who plays each seat of a lane, "learner" or an opponent's name; None in self-play."""
        if not self.opponents:
            return None
        holders = self._holders[lane, : self.lanes.num_players[lane]].tolist()
        return ["learner" if holder == LEARNER else self.opponents[holder].name for holder in holders]

    def show_end(self, selected: Rows) -> None:
        """Show the end of the selected lanes' games in the lanes' arrays until `begin`, as ``actors`` see it.

        No decision is asked for and any action is ignored. The mask is 1 everywhere, so that a policy that is evaluated
        anyway does not get an empty distribution.
        """
        for lane in selected.tolist():
            self.lanes.write_observation(lane, int(self.actors[lane]), self.lanes.observations[lane])
        self.lanes.action_masks[selected] = 1

    def results(self, selected: Rows) -> dict[str, NDArray[Any]]:
        """How the selected lanes' games ended; zeros where an illegal action ended the game.

        Returns:
            ``scores`` int32 and ``ranks`` int8 (from 1, the same for tied seats; 0 for an absent seat), both of shape
            ``(selected, players)`` by seat, ``rounds`` int16, ``max_rounds_reached`` bool.
        """
        lanes, players = self.lanes, int(self.lanes.num_players.max())
        found: dict[str, NDArray[Any]] = {
            "scores": lanes.final_scores[selected, :players],
            "ranks": lanes.final_ranks[selected, :players],
            "rounds": lanes.final_rounds[selected],
            "max_rounds_reached": lanes.max_rounds_reached[selected],
        }
        unfinished = [row for row, lane in enumerate(selected.tolist()) if lane in self.illegal_actions]
        for array in found.values():
            array[unfinished] = 0
        return found

    def result(self, lane: int) -> dict[str, Any]:
        """The `results` of one lane: the arrays ``scores`` and ``ranks``, an int and a bool."""
        found: dict[str, Any] = {name: values[0] for name, values in self.results(np.array([lane])).items()}
        return found | {name: found[name].item() for name in ("rounds", "max_rounds_reached")}

    def set_state(self, lane: int, state: GameState) -> None:
        """Continue a lane from a copy of a state, at the learner's next decision from there.

        Raises `ValueError` as `Lanes.set_state` does, and if the game ends before the learner is asked.
        """
        before = self.lanes.snapshot()
        self.lanes.set_state(lane, state)
        for _ in self._opponents_decide():
            pass
        if self.lanes.seats[lane] < 0:
            self.lanes.restore(before)
            raise ValueError("state: expected a decision of the learner, got a game that ends before it is asked")
        self.rewards[lane], self.seat_rewards[lane], self.terminations[lane] = 0, 0, False
        self.illegal_actions.pop(lane, None)

    def clone(self) -> LearnerLanes:
        """An independent copy that continues identically, with copies of the opponents."""
        return deepcopy(self)


def _players_of(game: Game, preset: object, opponents: int) -> int:
    """The number of players if none is given: that of the preset, unless several opponents are listed."""
    if opponents <= 1 and isinstance(preset, str) and NUM_PLAYERS in game.preset(preset):
        return int(game.preset(preset)[NUM_PLAYERS])
    return max(2, opponents + 1)


def _listed(opponents: Opponent | Sequence[Opponent] | None) -> list[Opponent]:
    if opponents is None:
        return []
    several = isinstance(opponents, Sequence) and not isinstance(opponents, str | bytes)
    listed: list[Any] = list(opponents) if several else [opponents]  # type: ignore[arg-type]
    for entry in listed:
        path = os.fspath(entry) if isinstance(entry, os.PathLike) else entry
        if not isinstance(path, str) and not is_agent(entry):
            raise ValueError(
                f"opponents: expected an agent, an agent name, a list of these, or None, got {shorten(entry)}"
            )
    return listed
