"""The time in tests: it is what a test says, so no test depends on how fast or busy the machine is.

A test that is about time sets the clock of the modules that it tests (`set_clock`) or lets the time of an event loop
pass at once (`run_at_once`). The machine's own clock only ends tests that hang (`until`).
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Coroutine
from types import ModuleType
from typing import Any, TypeVar

import pytest

T = TypeVar("T")

# Seconds after which a test hangs: far above what anything takes on a slow machine that has much else to do.
HANGS = 900.0


class Clock:
    """A clock that moves only when it is told to.

    Args:
        step: seconds by which each reading moves it.

    Attributes:
        now: the time of the next reading, in seconds.
    """

    def __init__(self, *, step: float = 0.0) -> None:
        self.now = 0.0
        self._step = step

    def __call__(self) -> float:
        now = self.now
        self.now += self._step
        return now


class _Time:
    """The module `time` for a module under test: every clock of it is the test's, and the rest is the real one."""

    def __init__(self, clock: Clock) -> None:
        self.perf_counter = self.monotonic = self.time = clock

    def __getattr__(self, name: str) -> Any:
        return getattr(time, name)


def set_clock(monkeypatch: pytest.MonkeyPatch, *modules: ModuleType, step: float = 0.0) -> Clock:
    """Let modules that import `time` read a clock of the test; other modules keep the machine's clock."""
    clock = Clock(step=step)
    for module in modules:
        monkeypatch.setattr(module, "time", _Time(clock))
    return clock


class _QuickLoop(asyncio.SelectorEventLoop):
    """An event loop in which no time passes but that for which it waits, and that passes at once."""

    def __init__(self) -> None:
        super().__init__()
        self._now = 0.0
        selector: Any = self._selector  # type: ignore[attr-defined]
        select = selector.select

        def at_once(timeout: float | None = None) -> Any:
            if timeout is not None:
                self._now += timeout
            return select(timeout and 0)

        selector.select = at_once

    def time(self) -> float:
        return self._now


def run_at_once(main: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine that waits for nothing but time, as `asyncio.run` does, without waiting."""
    with asyncio.Runner(loop_factory=_QuickLoop) as runner:
        return runner.run(main)


def until(found: Callable[[], T], seconds: float = HANGS) -> T:
    """What a function finds as soon as it is true; `AssertionError` if nothing is found before the test hangs."""
    end = time.monotonic() + seconds
    while not (result := found()):
        assert time.monotonic() < end, "it did not come to pass"
        time.sleep(0.01)
    return result
