"""Locks that let only one process at a time work on a folder."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

LOCK_FILE = ".lock"


class FolderInUseError(OSError):
    """Another process holds the lock of a folder."""


@contextmanager
def locked(folder: Path) -> Iterator[None]:
    """Hold the lock of an existing folder; the lock ends with the process, even if the process is killed.

    Raises `FolderInUseError` if another process holds the lock, and another `OSError` if the folder cannot be locked.
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
