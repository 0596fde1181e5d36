"""One process at a time works on a folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LOCK_FILE = ".lock"


class FolderInUseError(OSError):
    """Another process holds the lock of a folder."""


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the lock of a folder that exists; it ends with the process, even one that is killed.

    Raises `FolderInUseError` if another process holds it, another `OSError` if there can be no lock.
    """
    from filelock import FileLock, Timeout

    lock = FileLock(folder / LOCK_FILE)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise FolderInUseError(f"{folder}: another process holds its lock") from None
    try:
        yield
    finally:
        lock.release()
