"""Where the time goes."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Iterator
from contextlib import contextmanager


class Stopwatch:
    """Adds up the seconds that parts of a program take."""

    def __init__(self) -> None:
        self._seconds: defaultdict[str, float] = defaultdict(float)

    @contextmanager
    def part(self, name: str) -> Iterator[None]:
        """What runs inside belongs to a part."""
        begin = time.perf_counter()
        try:
            yield
        finally:
            self._seconds[name] += time.perf_counter() - begin

    def take(self, count: int) -> dict[str, float]:
        """Microseconds of each part for each of ``count`` things that were done since the last call."""
        taken = {name: 1e6 * seconds / count for name, seconds in self._seconds.items()}
        self._seconds.clear()
        return taken
