"""The reference program with the exceptions of the miniature, which are written down here a second time."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any
from unittest.mock import patch

from .reference import game as reference

DUNAIA_ON_EDGE = {1: (0, 3), 2: (3, 4), 3: (2, 5), 4: (5, 8), 5: (6, 7), 6: (7, 8)}
SQUARES, EDGES = {0, 1, 3, 4}, {0, 2, 6, 7}
NEUTRAL_DICE, ROUNDS = 1, 2
# Names of the reference program's tables with other contents.
PRINTED = {
    "START_EDGES": tuple(reference.EDGES.index(DUNAIA_ON_EDGE[dunaia]) for dunaia in range(1, 7)),
    "FLOWER_SQUARES": frozenset({0, 2, 3, 6, 8}),
    "CHIP_SQUARES": frozenset({1, 4, 5, 7}),
    "DISPLAY_PRICE": {1: 2, 2: 3, 3: 4},
    "PILE_PRICE": {1: 100, 2: 100, 3: 100},
    "STEPS_TO_COMPLETE": {1: 1, 2: 1, 3: 1},
    "NEUTRAL_DICE": {2: NEUTRAL_DICE},
    "PROPHECY_POINTS": (1, *reference.PROPHECY_POINTS[1:]),
}
START_FLOWERS = (0, 2)


@contextmanager
def printed() -> Iterator[None]:
    """The reference program plays with the miniature's components."""
    with patch.multiple(reference, **PRINTED):
        yield


class _FirstOutcome:
    def draw(self, n: int) -> int:
        return 0


class TinyGame(reference.Game):
    """A game of the miniature; only dice draw from the tape."""

    def __init__(self, tape: reference.Chance) -> None:
        super().__init__(2, False, ROUNDS, tape)

    def _set_up(self, elites: bool) -> None:
        dice, self._chance = self._chance, _FirstOutcome()
        super()._set_up(elites)
        self._chance = dice
        self._roll()
        for player, flowers in zip(self.players, START_FLOWERS, strict=True):
            player.flowers = flowers

    def _draw_from(self, remaining: set[int]) -> int:
        lowest = min(remaining)
        remaining.remove(lowest)
        return lowest

    def _roll(self) -> None:
        super()._roll() if isinstance(self._chance, _FirstOutcome) else self._roll_two_faces()

    def _roll_two_faces(self) -> None:
        dice, self._chance = self._chance, _FirstOutcome()
        super()._roll()
        self._chance = dice
        self.neutral = [0] * 6
        for _ in range(NEUTRAL_DICE):
            self.neutral[dice.draw(2)] += 1
        self.own = [1, 1]
        turn = 2 * (self.round - 1) + self.seat
        for taken in (turn + NEUTRAL_DICE, turn + NEUTRAL_DICE + 1):
            if taken < 2 * ROUNDS:
                self.own[taken % 2] = dice.draw(2) + 1

    def _fulfils(self, prophecy: int) -> bool:
        if prophecy == 0:
            return len(self.player.completed_squares()) >= 1
        if prophecy == 3:
            return self.player.flowers >= 2
        return super()._fulfils(prophecy)

    def _ask(self, decision: str, actions: Iterable[str], **pending: Any) -> reference.Flow[reference.Choice]:
        return super()._ask(decision, filter(is_allowed, actions), **pending)


def is_allowed(text: str) -> bool:
    """Whether the miniature has an action."""
    verb, *arguments = text.split()
    if verb == "move":
        return int(arguments[0]) <= 2 and int(arguments[1]) in EDGES
    return int(arguments[1]) in SQUARES if verb == "start" else verb != "plug"
