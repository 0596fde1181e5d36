"""Files that are either whole or absent: written beside their place, then renamed."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path

_SUFFIX = ".part"


def write_bytes(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file so that a reader, or a crash at any moment, sees the old file or the whole new one.

    Missing folders are made. Raises `OSError` if the disk refuses; nothing half-written stays behind then. What a kill
    leaves beside the file, `remove_leftovers` takes away.
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, beside = tempfile.mkstemp(prefix=f".{target.name}.", suffix=_SUFFIX, dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        umask = os.umask(0)
        os.umask(umask)
        Path(beside).chmod(0o666 & ~umask)
        Path(beside).replace(target)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a UTF-8 text file as `write_bytes` does."""
    write_bytes(path, text.encode("utf-8"))


def remove_leftovers(path: str | os.PathLike[str]) -> int:
    """Remove what writers of a file that were killed have left beside it; returns the number of files.

    Only for whoever alone writes the file, under a lock for instance: a writer that is at work would lose its file.
    Other files, of names that only resemble, stay. Raises `OSError` if the folder cannot be read or changed; one that
    is missing holds nothing.
    """
    target = Path(path)
    # What `tempfile` puts between prefix and suffix.
    leftover = re.compile(rf"\.{re.escape(target.name)}\.[a-z0-9_]{{8}}{re.escape(_SUFFIX)}")
    if not target.parent.is_dir():
        return 0
    found = [other for other in target.parent.iterdir() if leftover.fullmatch(other.name)]
    for other in found:
        other.unlink(missing_ok=True)
    return len(found)
