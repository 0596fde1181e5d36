"""How a run is doing: whether its numbers are still finite, and where the time goes."""

from __future__ import annotations

import math
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager


class DivergenceError(ArithmeticError):
    """Losses or weights are no longer finite.

    Args:
        what: names the losses or weights, and says what is needed.
        updates: number of updates after which it was noticed.
    """

    def __init__(self, what: str, updates: int) -> None:
        super().__init__(f"{what} after update {updates}. Resume from the last checkpoint with a lower --learning-rate")


def check_finite(losses: Mapping[str, float], updates: int) -> None:
    """Raise `DivergenceError` if a loss is not finite."""
    if not all(map(math.isfinite, losses.values())):
        raise DivergenceError(f"losses: expected finite numbers, got {dict(losses)}", updates)


class Stopwatch:
    """Adds up the seconds that named parts of a program take."""

    def __init__(self) -> None:
        self._seconds: defaultdict[str, float] = defaultdict(float)

    @contextmanager
    def measure(self, name: str) -> Iterator[None]:
        """Add the time of the ``with`` block to a part."""
        begin = time.perf_counter()
        try:
            yield
        finally:
            self._seconds[name] += time.perf_counter() - begin

    def read_and_reset(self, count: int) -> dict[str, float]:
        """Microseconds per decision that each part took since the last call; ``count`` is the number of decisions."""
        microseconds = {name: 1e6 * seconds / count for name, seconds in self._seconds.items()}
        self._seconds.clear()
        return microseconds
