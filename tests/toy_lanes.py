"""A game of a few lines with the interface of `Lanes`: the trainer and the matches need nothing else.

On each decision a player sees a card with one of four colours and gets a point for answering with its number plus one.
The same player goes on with a chance of one third, otherwise the next one does. A game has 8 to 11 decisions.
"""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dunaia_env.rewards import final_rewards

CARDS, ACTIONS, SEATS = 4, 6, 4
INPUTS = CARDS + SEATS + 2
COMPONENTS = SimpleNamespace(hash="toy components")


def used_size(num_players: int) -> int:
    return CARDS + SEATS


def load(source: Any) -> Any:
    return COMPONENTS


GAME = SimpleNamespace(
    name="toy",
    min_players=2,
    max_players=SEATS,
    num_actions=ACTIONS,
    action_hash="toy actions",
    observation_hash="toy observation",
    state_hash="toy state",
    observation_size=INPUTS,
    observation_scale=np.array([1] * CARDS + [4] * (INPUTS - CARDS), np.float32),
    used_size=used_size,
    load=load,
)


def mixed(*names: Any) -> NDArray[np.int64]:
    """A number in 0..2**31-1 for each row of names."""
    value = np.uint64(0)
    with np.errstate(over="ignore"):
        for name in names:
            value = (np.asarray(name).astype(np.uint64) ^ value) * np.uint64(0x9E3779B97F4A7C15)
            value = (value ^ (value >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
            value ^= value >> np.uint64(32)
    return (value >> np.uint64(33)).astype(np.int64)


class ToyLanes:
    def __init__(
        self,
        num_lanes: int,
        *,
        num_players: Any = 2,
        elites: bool = False,
        components: Any = None,
        max_rounds: int = 100,
        reward: str = "win",
        threads: int = 1,
        autoreset: bool = True,
    ) -> None:
        self.game, self.components = GAME, COMPONENTS
        self.num_lanes, self.reward, self.autoreset = num_lanes, reward, autoreset
        self.num_actions, self.observation_size, self.max_players = ACTIONS, INPUTS, SEATS
        players = np.atleast_1d(num_players)
        self.num_players = players[np.arange(num_lanes) % len(players)].astype(np.int8)
        self.observations = np.zeros((num_lanes, INPUTS), np.int8)
        self.action_masks = np.zeros((num_lanes, ACTIONS), np.int8)
        self.seats = np.zeros(num_lanes, np.int8)
        self.terminations = np.zeros(num_lanes, np.bool_)
        self.rewards = np.zeros((num_lanes, SEATS), np.float32)
        self.final_scores = np.zeros((num_lanes, SEATS), np.int16)
        self.final_ranks = np.zeros((num_lanes, SEATS), np.int8)
        self.final_decisions = np.zeros(num_lanes, np.int32)
        self.max_rounds_reached = np.zeros(num_lanes, np.bool_)
        self.decisions = np.zeros(num_lanes, np.int32)
        self.game_seeds = np.zeros(num_lanes, np.int64)
        self.points = np.zeros((num_lanes, SEATS), np.int16)

    def reset(self, seed: Any) -> None:
        seeds = seed + np.arange(self.num_lanes) if isinstance(seed, int) else np.asarray(seed)
        self.game_seeds[:] = seeds
        self._begin(np.arange(self.num_lanes))
        self._show()

    def _begin(self, lanes: NDArray[np.int64]) -> None:
        self.decisions[lanes], self.points[lanes], self.seats[lanes] = 0, 0, 0

    def _show(self) -> None:
        rows = np.arange(self.num_lanes)
        self.cards = mixed(self.game_seeds, self.decisions, 1) % CARDS
        self.observations[:] = 0
        self.observations[rows, self.cards] = 1
        self.observations[rows, CARDS + np.maximum(self.seats, 0)] = 4
        # The right answer is always legal; every other one is, half of the time.
        bits = mixed(self.game_seeds, self.decisions, 2)[:, None] >> np.arange(ACTIONS) & 1
        self.action_masks[:] = bits
        self.action_masks[rows, self.cards + 1] = 1
        over = self.seats < 0
        self.observations[over], self.action_masks[over] = 0, 0

    def step(self, actions: NDArray[np.integer]) -> None:
        active = np.flatnonzero(self.seats >= 0)
        assert self.action_masks[active, actions[active]].all()
        seats = self.seats[active]
        self.points[active, seats] += actions[active] == self.cards[active] + 1
        self.decisions[active] += 1
        stays = mixed(self.game_seeds, self.decisions, 3)[active] % 3 == 0
        self.seats[active] = np.where(stays, seats, (seats + 1) % self.num_players[active])
        length = 8 + mixed(self.game_seeds, 4) % 4
        self.terminations[:] = False
        self.rewards[:] = 0
        ended = active[self.decisions[active] >= length[active]]
        self.terminations[ended] = True
        present = np.arange(SEATS) < self.num_players[ended, None]
        points = np.where(present, self.points[ended], -1)
        ranks = 1 + (points[:, None, :] > points[:, :, None]).sum(axis=2)
        self.final_scores[ended] = self.points[ended]
        self.final_ranks[ended] = np.where(present, ranks, 0)
        self.final_decisions[ended] = self.decisions[ended]
        self.rewards[ended] = final_rewards(
            self.reward, self.final_scores[ended], self.final_ranks[ended], self.num_players[ended]
        )
        if self.autoreset:
            self.game_seeds[ended] = mixed(self.game_seeds[ended], 5)
            self._begin(ended)
        else:
            self.seats[ended] = -1
        self._show()

    def random_actions(self, seed: int, selected: Any = None) -> NDArray[np.int32]:
        lanes = np.arange(self.num_lanes) if selected is None else selected
        legal = self.action_masks[lanes]
        chosen = mixed(self.game_seeds[lanes], self.decisions[lanes], 6, seed) % legal.sum(axis=1)
        return (legal.cumsum(axis=1) > chosen[:, None]).argmax(axis=1).astype(np.int32)

    def snapshot(self) -> dict[str, NDArray[Any]]:
        names = ("points", "decisions", "seats", "game_seeds")
        return {name: getattr(self, name).copy() for name in names}

    def restore(self, snapshot: dict[str, NDArray[Any]]) -> None:
        for name, array in snapshot.items():
            getattr(self, name)[:] = array
        self._show()
