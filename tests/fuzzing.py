"""Inputs that might crash, hang or fill the memory, tried one after another in a process of their own.

A *target* is a function, named ``package.module:function``, that takes the bytes of an input. It returns None for an
input that is accepted and of which it has checked that something sound came, and the sentence of the refusal for any
other. A fault is everything else: an exception that leaves the target, the death of the process, too long a time, too
much memory, and a sentence that is empty, long, of several lines or with control characters.

The process works in a folder of its own, where the target can write files; it is removed in the end. Inputs that are no
files are packed by whoever makes them, say with ``json`` or ``pickle``, and unpacked by the target.

    def test_models() -> None:
        tally = fuzz("tests.test_fuzz_models:model", models(), examples(long=False), first=SHIPPED)
        assert tally.accepted and tally.refused

A faulty input is made as small as hypothesis can, and kept in `KEPT`; ``python -m tests.fuzzing TARGET FILE`` runs the
target on such a file, without a process of its own.

Environment: ``DUNAIA_FUZZ_EXAMPLES`` is the number of inputs of every kind, 10,000 for a search of some minutes a kind
say, and ``DUNAIA_FUZZ_SEED`` an integer for other inputs than the usual ones, which are the same in every run.
"""

from __future__ import annotations

import contextlib
import faulthandler
import hashlib
import importlib
import multiprocessing
import os
import signal
import sys
import tempfile
import traceback
import zlib
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, NamedTuple

import hypothesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.strategies import SearchStrategy

Target = Callable[[bytes], str | None]

SAID = "said.txt"
KEPT = Path(__file__).resolve().parent.parent / "runs" / "fuzz"
LONGEST_SENTENCE = 1000
QUICK, LONG = 100, 400

# Far above what any input needs on a slow machine: they tell growth without bound from slowness.
SECONDS = 60.0
MEMORY = 2 << 30
# The first input of a process may have to compile the game.
SECONDS_TO_START = 900.0


class Outcome(NamedTuple):
    """What came of an input: the sentence of its refusal, None if accepted; what went wrong, empty if nothing."""

    refusal: str | None
    fault: str

    @property
    def accepted(self) -> bool:
        return self.refusal is None and not self.fault


@dataclass
class Tally:
    """How many inputs were accepted and refused, and how many of them all were different."""

    accepted: int = 0
    refused: int = 0
    different: int = 0


def examples(*, long: bool) -> int:
    """How many inputs to try: the number of the environment, if there is one."""
    return int(os.environ.get("DUNAIA_FUZZ_EXAMPLES", LONG if long else QUICK))


def target_named(name: str) -> Target:
    module, _, function = name.partition(":")
    found: Target = getattr(importlib.import_module(module), function)
    return found


class Worker:
    """A process that runs a target on one input after another; a new one takes over from one that died.

    Args:
        target: name of the target.
        first: an input that must be accepted; each process begins with it, outside the limit of time, so that
            importing and compiling do not count.
        seconds: the most that an input may take.
        memory: the most bytes that the process may take beyond what it has after ``first`` (where the system can tell).
        environment: variables set in the process before the target is imported, such as ``NUMBA_DISABLE_JIT``.
    """

    def __init__(
        self,
        target: str,
        *,
        first: bytes,
        seconds: float = SECONDS,
        memory: int = MEMORY,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        self._options = target, first, seconds, memory, dict(environment or {})
        self._seconds = seconds
        self._process: Any = None
        self._connection: Any = None
        self._folder: Any = None

    def __enter__(self) -> Worker:
        return self

    def __exit__(self, *exception: object) -> None:
        self._end()

    def run(self, data: bytes) -> Outcome:
        """Run the target on an input."""
        if self._process is None:
            self._start()
        self._connection.send_bytes(data)
        answer = self._answer(self._seconds + 60)  # the process itself notices first, and says where it was
        if answer is None:
            outcome = Outcome(None, self._cause_of_death())
            self._end()
            return outcome
        refusal, fault = answer
        return Outcome(refusal, fault or fault_of(refusal))

    def _start(self) -> None:
        context = multiprocessing.get_context("spawn")
        self._folder = tempfile.TemporaryDirectory(prefix="fuzz-", ignore_cleanup_errors=True)
        self._connection, other = context.Pipe()
        self._process = context.Process(target=_serve, args=(other, self._folder.name, *self._options), daemon=True)
        self._process.start()
        other.close()
        ready = self._answer(SECONDS_TO_START)
        if ready != (None, ""):
            problem = self._cause_of_death() if ready is None else ready[1] or f"refused: {ready[0]}"
            self._end()
            raise RuntimeError(f"{self._options[0]}: the first input, which must be accepted: {problem}")

    def _answer(self, seconds: float) -> Any:
        with contextlib.suppress(EOFError, ConnectionResetError):
            if self._connection.poll(seconds):
                return self._connection.recv()
        return None

    def _cause_of_death(self) -> str:
        self._process.join(60)
        code = self._process.exitcode
        said = (Path(self._folder.name) / SAID).read_text(encoding="utf-8", errors="replace")[-4000:]
        if code is None:
            return f"hangs and does not notice\n{said}"
        if said.lstrip().startswith("Timeout"):
            return f"hangs for more than {self._seconds:g} seconds\n{said}"
        return f"ends the process with {signal.Signals(-code).name if code < 0 else f'status {code}'}\n{said}"

    def _end(self) -> None:
        if self._process is not None:
            self._connection.close()
            self._process.kill()
            self._process.join()
            self._process.close()
            self._folder.cleanup()
            self._process = None


def fault_of(refusal: object) -> str:
    """What is wrong with the sentence of a refusal; empty if nothing."""
    if refusal is None:
        return ""
    if not isinstance(refusal, str):
        return f"expected None or a sentence from the target, got {type(refusal).__name__}"
    for wrong, problem in (
        (not refusal.strip(), "is empty"),
        (not refusal.isprintable(), "has line breaks or control characters"),
        (len(refusal) > LONGEST_SENTENCE, f"has {len(refusal)} characters"),
    ):
        if wrong:
            return f"the sentence of the refusal {problem}: {refusal[:2000]!r}"
    return ""


def run_batch(target: str, inputs: Iterable[bytes], *, first: bytes, **options: Any) -> list[Outcome]:
    """The outcome of each input, in order; ``options`` are those of `Worker`."""
    with Worker(target, first=first, **options) as worker:
        return [worker.run(data) for data in inputs]


def fuzz(target: str, inputs: SearchStrategy[bytes], count: int, *, first: bytes, **options: Any) -> Tally:
    """Try so many inputs of a strategy; raises `AssertionError` naming the file of a faulty one.

    The inputs depend on nothing but the strategy, the target's name and ``DUNAIA_FUZZ_SEED``.
    """
    seen: set[bytes] = set()
    tally, faulty = Tally(), b""
    with Worker(target, first=first, **options) as worker:

        @hypothesis.seed(zlib.crc32(target.encode()) + int(os.environ.get("DUNAIA_FUZZ_SEED", "0")))
        @settings(
            max_examples=count,
            deadline=None,
            database=None,
            phases=(Phase.generate, Phase.shrink),
            suppress_health_check=list(HealthCheck),
            report_multiple_bugs=False,
        )
        @given(inputs)
        def run(data: bytes) -> None:
            nonlocal faulty
            outcome = worker.run(data)
            if outcome.fault:
                faulty = data
                raise AssertionError(outcome.fault)
            seen.add(hashlib.sha256(data).digest())
            tally.accepted += outcome.accepted
            tally.refused += not outcome.accepted

        try:
            run()
        except AssertionError as error:
            path = keep(target, faulty)
            raise AssertionError(f"{error}\nseen again by: python -m tests.fuzzing {target} {path}") from None
    tally.different = len(seen)
    return tally


def keep(target: str, data: bytes) -> Path:
    """Write a faulty input where it stays, and return its path."""
    KEPT.mkdir(parents=True, exist_ok=True)
    path = KEPT / f"{target.partition(':')[2]}-{hashlib.sha256(data).hexdigest()[:12]}"
    path.write_bytes(data)
    return path


def _serve(
    connection: Any, folder: str, target: str, first: bytes, seconds: float, memory: int, environment: Mapping[str, str]
) -> None:
    """The process of a `Worker`: answers each input with the refusal and the fault."""
    os.environ.update(environment)
    os.chdir(folder)
    with Path(SAID).open("w", encoding="utf-8") as output:
        os.dup2(output.fileno(), 1)
        os.dup2(output.fileno(), 2)
        faulthandler.enable(output)
        function = None
        data = first
        while True:
            try:
                if function is None:
                    function = target_named(target)
                    answer = function(data), ""
                else:
                    answer = _timed(function, data, seconds, output), ""
            except Exception:
                answer = None, traceback.format_exc()[-4000:]
            connection.send(answer)
            if data is first:
                _limit_memory(memory)
            try:
                data = connection.recv_bytes()
            except EOFError:
                return


def _timed(function: Target, data: bytes, seconds: float, output: IO[str]) -> str | None:
    faulthandler.dump_traceback_later(seconds, exit=True, file=output)
    try:
        return function(data)
    finally:
        faulthandler.cancel_dump_traceback_later()


def _limit_memory(memory: int) -> None:
    """Let whatever asks for more than so many further bytes get a `MemoryError`."""
    try:
        import resource

        pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[0])
    except (ImportError, OSError):
        return
    most = pages * os.sysconf("SC_PAGE_SIZE") + memory
    resource.setrlimit(resource.RLIMIT_AS, (most, most))


def main(arguments: list[str]) -> int:
    name, *paths = arguments
    for path in paths:
        refusal = target_named(name)(Path(path).read_bytes())
        print(f"{path}: {'accepted' if refusal is None else f'refused: {refusal}'} {fault_of(refusal)}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
