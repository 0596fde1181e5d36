"""Where draws come from: a seed, each draw with a key of its own, or a tape of recorded outcomes."""

from __future__ import annotations

import random
from collections.abc import Iterable, Sequence
from typing import Protocol

Key = tuple[str | int, ...]


class TapeError(Exception):
    """The recorded draws are not the draws that the rules ask for."""


class Chance(Protocol):
    """A source of chance."""

    def draw(self, n: int, key: Key) -> int:
        """Return one of 0..n-1."""


class SeededChance:
    """Outcomes that depend on the seed and the key alone; `draws` records them as `[n, outcome]`."""

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.draws: list[list[int]] = []
        self.keys: list[Key] = []

    def draw(self, n: int, key: Key) -> int:
        """Return one of 0..n-1, each equally likely."""
        outcome = random.Random(f"{self.seed} {key}").randrange(n)
        self.draws.append([n, outcome])
        self.keys.append(key)
        return outcome

    def taken(self) -> list[list[int]]:
        """Return what was drawn since the last call."""
        draws, self.draws = self.draws, []
        return draws


class Tape:
    """Recorded draws, played back in order.

    Args:
        draws: the recorded `[n, outcome]` pairs.
    """

    def __init__(self, draws: Iterable[Sequence[int]]) -> None:
        self._draws = [tuple(pair) for pair in draws]
        self._position = 0

    def draw(self, n: int, key: Key) -> int:
        """Return the next recorded outcome; a `TapeError` unless it was recorded for the same `n`."""
        if self._position == len(self._draws):
            raise TapeError(f"draw {self._position}: draw({n}) for {key} is due, but nothing more is recorded")
        pair = self._draws[self._position]
        if len(pair) != 2 or pair[0] != n or not 0 <= pair[1] < n:
            raise TapeError(f"draw {self._position}: draw({n}) for {key} is due, recorded is {list(pair)}")
        self._position += 1
        return pair[1]

    def finish(self) -> None:
        """Raise a `TapeError` if recorded draws are left over."""
        if self._position < len(self._draws):
            left = [list(pair) for pair in self._draws[self._position :]]
            raise TapeError(f"draw {self._position}: no further draw is due, recorded are {left}")
