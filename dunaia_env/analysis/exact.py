"""Exact values of positions near the end of games of two players, see `dunaia_env.harness.compiled.expectimax`."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dunaia_env.harness.compiled import expectimax
from dunaia_env.harness.game import Bytes
from dunaia_env.harness.state import GameState, prepare
from dunaia_env.statistics.intervals import round_portably

PLAYERS = 2
MOST_POSITIONS = 1 << 20


@dataclass(frozen=True)
class Solution:
    """What every legal action of a position is worth if both players decide perfectly from then on.

    Attributes:
        seat: the deciding seat.
        values: the seat's expected share of the win after each legal action, by action, rounded to nine decimals.
        positions: number of positions that were solved for it.
        plays: number of actions applied, each with one outcome of its draws.
        ends: number of ends of the game that were reached.
    """

    seat: int
    values: dict[int, float]
    positions: int
    plays: int
    ends: int

    @property
    def value(self) -> float:
        """The deciding seat's expected share of the win."""
        return max(self.values.values())

    @property
    def best(self) -> tuple[int, ...]:
        """The actions with which the seat loses nothing, ascending."""
        highest = self.value
        return tuple(action for action, value in self.values.items() if value == highest)

    @property
    def spread(self) -> float:
        """The largest regret of a legal action."""
        return self.value - min(self.values.values())

    def regret(self, action: int) -> float:
        """The share of the win that a legal action loses, at least 0; raises `KeyError` for another action."""
        return self.value - self.values[action]


class Solver:
    """Solves positions of one game with the same components, and remembers what it has solved.

    Args:
        state: a position of the game, which need not be solved itself.
        most_positions: largest number of positions that are solved in one call, at least 1. A remembered position takes
            48 to 96 bytes.

    Raises `ValueError` for a game of more than two players or one with hidden information.
    """

    def __init__(self, state: GameState, *, most_positions: int = MOST_POSITIONS) -> None:
        if not state.game.perfect_information:
            raise ValueError(f"game: expected a game of perfect information, got {state.game.name}")
        if state.num_players != PLAYERS:
            raise ValueError(f"state: expected a game of {PLAYERS} players, got one of {state.num_players}")
        if most_positions < 1:
            raise ValueError(f"most_positions: expected at least 1, got {most_positions}")
        self._table, self._components = prepare(state.game), state.components
        self._game, self._most = state.game, most_positions
        slots = 1 << (2 * most_positions - 1).bit_length()
        self._keys, self._known = np.zeros((slots, 2), np.uint64), np.zeros(slots, np.float64)
        self._remembered = 0

    def solve(self, state: GameState) -> Solution | None:
        """The exact value of every legal action; None if more positions than allowed would have to be solved.

        Raises `ValueError` for a finished game, and for a position of another game or with other components.
        """
        if state.game is not self._game or state.components.hash != self._components.hash:
            raise ValueError(f"state: expected a position of {self._game.name} with the components of the solver")
        if state.num_players != PLAYERS or state.is_over:
            raise ValueError(f"state: expected a position of {PLAYERS} players at a decision, got {state!r}")
        if self._remembered + self._most > len(self._known) * 3 // 4:
            self._keys[:] = 0
            self._remembered = 0
        legal, values = np.zeros(self._game.num_actions, np.int16), np.zeros(self._game.num_actions, np.float64)
        counts = np.zeros(expectimax.COUNTS_SIZE, np.int64)
        position: Bytes = np.frombuffer(state.to_bytes(), np.uint8).copy()
        buffer = self._components.buffer
        found = expectimax.solve(
            self._table, position, buffer, self._keys, self._known, self._most, legal, values, counts
        )
        self._remembered += int(counts[expectimax.POSITIONS])
        if found == expectimax.UNSOLVED:
            return None
        shares = round_portably(values[:found] if state.seat == 0 else 1 - values[:found])
        return Solution(state.seat, dict(zip(legal[:found].tolist(), shares.tolist(), strict=True)), *counts.tolist())


def solve(state: GameState, *, most_positions: int = MOST_POSITIONS) -> Solution | None:
    """The exact value of every legal action of a position, see `Solver`."""
    return Solver(state, most_positions=most_positions).solve(state)
