"""Atomic writing of files: a file is written under a temporary name in the same folder and then renamed."""

from __future__ import annotations

import os
import re
import tempfile
from pathlib import Path

_SUFFIX = ".part"


def write_bytes(path: str | os.PathLike[str], content: bytes) -> None:
    """Write a file atomically: at any moment, and after a crash, either the old or the complete new content is there.

    Missing folders are created. Raises `OSError` if the file cannot be written, and then leaves no temporary file
    behind. `remove_leftovers` removes the temporary files of killed processes.
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", suffix=_SUFFIX, dir=target.parent)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        umask = os.umask(0)
        os.umask(umask)
        Path(temporary).chmod(0o666 & ~umask)
        Path(temporary).replace(target)
    except BaseException:
        Path(temporary).unlink(missing_ok=True)
        raise


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write a UTF-8 text file atomically; see `write_bytes`."""
    write_bytes(path, text.encode("utf-8"))


def remove_leftovers(path: str | os.PathLike[str]) -> int:
    """Remove the temporary files that killed writers of a file left behind; returns their number.

    Call this only if no other process writes the file, for instance under a lock: an active writer would lose its
    temporary file. Files whose names are merely similar are kept. Raises `OSError` if the folder cannot be read or
    changed; a missing folder counts as empty.
    """
    target = Path(path)
    # `tempfile` puts eight of these characters between prefix and suffix.
    pattern = re.compile(rf"\.{re.escape(target.name)}\.[a-z0-9_]{{8}}{re.escape(_SUFFIX)}")
    if not target.parent.is_dir():
        return 0
    leftovers = [file for file in target.parent.iterdir() if pattern.fullmatch(file.name)]
    for file in leftovers:
        file.unlink(missing_ok=True)
    return len(leftovers)
