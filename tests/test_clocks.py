"""No test depends on how fast or busy the machine is: only `tests.clocks` reads the machine's clock."""

from __future__ import annotations

import ast
import asyncio
import time
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import pytest

from tests import clocks
from tests.clocks import HANGS, run_at_once, set_clock, until

pytestmark = pytest.mark.once

TESTS = Path(__file__).resolve().parent
NAMES = "monotonic", "perf_counter", "process_time", "thread_time", "time"
CLOCKS = {f"{name}{unit}" for name in NAMES for unit in ("", "_ns")}
# Seconds that end a test that hangs, and nothing else.
LEAST = 60


def problems(text: str) -> Iterator[str]:
    """What makes tests in a module depend on the machine's speed."""
    tree = ast.parse(text)
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(ast.Name("time"), name) if name in CLOCKS:
                yield f"line {node.lineno}: time.{name}: a test says what the time is; see tests/clocks.py"
            case ast.ImportFrom(module="time"):
                yield f"line {node.lineno}: imports from time; see tests/clocks.py"
            case ast.Call(keywords=keywords):
                for one in keywords:
                    if (
                        one.arg == "timeout"
                        and isinstance(one.value, ast.Constant)
                        and (one.value.value or HANGS) < LEAST
                    ):
                        yield f"line {node.lineno}: timeout={one.value.value}: expected tests.clocks.HANGS"
            case ast.ImportFrom(module="hypothesis", names=names) if any(name.name == "given" for name in names):
                if "deadline=None" not in text:
                    yield f"line {node.lineno}: expected deadline=None, got hypothesis has a deadline for each example"


def test_no_test_measures_time() -> None:
    modules = {str(path.relative_to(TESTS)): path.read_text(encoding="utf-8") for path in TESTS.rglob("*.py")}
    del modules["clocks.py"]
    assert {name: found for name, text in modules.items() if (found := list(problems(text)))} == {}


@pytest.mark.parametrize(
    "text",
    [
        "import time\nbegin = time.perf_counter()",
        "import time\nassert time.monotonic_ns() < 5",
        "from time import monotonic",
        "process.communicate(timeout=5)",
        "from hypothesis import given, settings\n@settings(max_examples=5)\n@given(x)\ndef test(x): ...",
    ],
)
def test_what_measures_time_is_found(text: str) -> None:
    assert len(list(problems(text))) == 1


def test_a_clock_stands_still_until_it_is_moved(monkeypatch: pytest.MonkeyPatch) -> None:
    one, other = ModuleType("one"), ModuleType("other")
    one.time = other.time = time  # type: ignore[attr-defined]
    clock = set_clock(monkeypatch, one)
    assert one.time.monotonic() == one.time.perf_counter() == one.time.time() == 0
    clock.now += 5
    assert one.time.monotonic() == 5
    assert other.time is time
    assert one.time.sleep is time.sleep
    ticking = set_clock(monkeypatch, other, step=2.0)
    assert [other.time.monotonic() for _ in range(3)] == [0, 2, 4]
    assert ticking.now == 6


def test_a_days_wait_passes_at_once() -> None:
    async def main() -> tuple[float, float, set[asyncio.Task[None]]]:
        loop = asyncio.get_running_loop()
        begin = loop.time()
        await asyncio.sleep(86_400)
        passed = loop.time() - begin
        _, left = await asyncio.wait([loop.create_task(asyncio.sleep(100))], timeout=60)
        return passed, loop.time() - begin, left

    passed, altogether, left = run_at_once(main())
    assert (passed, altogether) == (86_400, 86_460)
    assert len(left) == 1


def test_what_hangs_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    found = iter([0, "", "this"])
    assert until(lambda: next(found)) == "this"
    set_clock(monkeypatch, clocks, step=HANGS)
    with pytest.raises(AssertionError, match="it did not come to pass"):
        until(lambda: None)
