"""Workers that play the parts of a long run on all cores or on a cluster with joblib, and a display of its progress."""

from __future__ import annotations

import itertools
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from typing import TypeVar

T = TypeVar("T")
Part = TypeVar("Part")

# With these backends joblib runs its workers on this machine.
LOCAL_BACKENDS = ("loky", "multiprocessing", "threading", "sequential")
SECONDS_BETWEEN_LINES = 30.0


class BackendError(ValueError):
    """A joblib backend that cannot be used; the message says why."""


def check_backend(backend: str) -> None:
    """Register a backend of another package with joblib; raises `BackendError` if it is unknown or not installed."""
    try:
        if backend == "ray":
            ray = import_module("ray")
            import_module("ray.util.joblib").register_ray()
            if not ray.is_initialized():
                # RAY_ADDRESS names the cluster; without it, Ray starts one on this machine.
                ray.init()
        elif backend == "dask":
            # Dask's settings, such as DASK_SCHEDULER_ADDRESS, name the cluster; without them, one is started here.
            distributed = import_module("distributed")
            try:
                distributed.get_client()
            except ValueError:
                distributed.Client()
    except ImportError as error:
        raise BackendError(f"backend: {backend!r} needs a package that is not installed ({error})") from error
    import joblib

    try:
        with joblib.parallel_config(backend=backend):
            pass
    except ValueError as error:
        raise BackendError(f"backend: expected a backend that joblib knows, got {backend!r} ({error})") from error


def _result(play: Callable[[Part], T], part: Part) -> T | Exception:
    """The result of a part, or the exception: an exception raised in a worker would lose other finished parts."""
    try:
        return play(part)
    except Exception as error:
        return error


def distribute(
    play: Callable[[Part], T], parts: Iterable[Part], *, jobs: int, backend: str = "loky"
) -> Iterator[T | Exception]:
    """The result of each part as the workers finish it, or the exception that ended it.

    Args:
        play: function that makes the result of a part. It has to be picklable, and so have parts and results.
        parts: the parts; joblib takes them in another thread.
        jobs: number of workers; 0 for one on each core. A single local worker plays in this process, and its exceptions
            are raised.
        backend: joblib backend, see `check_backend`.
    """
    if jobs == 1 and backend in LOCAL_BACKENDS:
        for part in parts:
            yield play(part)
        return
    import joblib

    # Each worker uses one core; without this, the libraries in every worker would use all cores.
    threads = {"inner_max_num_threads": 1} if backend == "loky" else {}
    tasks = (joblib.delayed(_result)(play, part) for part in parts)
    with joblib.parallel_config(backend=backend, n_jobs=jobs or -1, **threads):
        workers = joblib.effective_n_jobs()
        try:
            parallel = joblib.Parallel(batch_size=1, pre_dispatch="n_jobs", return_as="generator_unordered")
        except ValueError:
            parallel = None
            blocking = joblib.Parallel(batch_size=1)
    if parallel is not None:
        yield from parallel(tasks)
        return
    # A backend that cannot return results one by one gets one part for each worker at a time; the workers stay alive.
    with blocking:
        while batch := list(itertools.islice(tasks, workers)):
            yield from blocking(batch)


def play_all(play: Callable[[Part], T], parts: Iterable[Part], *, jobs: int, backend: str = "loky") -> Iterator[T]:
    """The result of each part as the workers finish it; for the arguments see `distribute`.

    After an exception no further part begins. The exception is raised when the parts that had begun are finished.
    """
    errors: list[Exception] = []
    begun = itertools.takewhile(lambda _: not errors, parts)
    for result in distribute(play, begun, jobs=jobs, backend=backend):
        if isinstance(result, Exception):
            errors.append(result)
        else:
            yield result
    if errors:
        raise errors[0]


@contextmanager
def progress(title: str, total: int, done: int, what: str = "games") -> Iterator[Callable[[int], None]]:
    """Show the number of finished games, or of something else, and the remaining time on standard error.

    At a terminal this is a progress bar, elsewhere a line every `SECONDS_BETWEEN_LINES`.
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

    console = Console(stderr=True)
    if console.is_terminal:
        columns = (
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
        )
        with Progress(*columns, console=console) as bar:
            task = bar.add_task(f"{title}: {what}", total=total, completed=done)
            yield lambda count: bar.advance(task, count)
        return
    begin = last_line = time.monotonic()
    finished = done

    def advance(count: int) -> None:
        nonlocal last_line, finished
        finished += count
        now = time.monotonic()
        if now - last_line >= SECONDS_BETWEEN_LINES:
            last_line = now
            remaining = (now - begin) / (finished - done) * (total - finished) if finished > done else 0.0
            print(f"{title}: {finished} of {total} {what}, about {remaining:.0f} s left", file=sys.stderr, flush=True)

    yield advance
