"""Measuring where the time goes."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager


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
