"""Work that is shared among threads, for compiled functions that release the global interpreter lock."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise


class Threads:
    """Some threads, the caller's among them, that each do a range of the work.

    The threads start with the first work. A copy and a forked child start threads of their own.

    Args:
        number: number of threads, at least 1.
    """

    def __init__(self, number: int) -> None:
        self.number = number
        self._executor: ThreadPoolExecutor | None = None
        self._process = os.getpid()

    def run(self, work: Callable[[int, int], object], count: int) -> None:
        """Call ``work(start, stop)`` for ranges that together are 0..count-1, one on each thread; wait for all."""
        if self.number == 1 or count < self.number:
            work(0, count)
            return
        if self._executor is None or self._process != os.getpid():
            # A forked child has the parent's executor, but not its threads.
            self._executor = ThreadPoolExecutor(self.number - 1)
            self._process = os.getpid()
        bounds = [count * thread // self.number for thread in range(self.number + 1)]
        shares = list(pairwise(bounds))
        others = [self._executor.submit(work, *share) for share in shares[1:]]
        work(*shares[0])
        for other in others:
            other.result()

    def close(self) -> None:
        """End the threads; further work starts new ones."""
        if self._executor is not None:
            self._executor.shutdown()
            self._executor = None

    def __getstate__(self) -> int:
        return self.number

    def __setstate__(self, number: int) -> None:
        Threads.__init__(self, number)
