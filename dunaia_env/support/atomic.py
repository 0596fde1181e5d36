"""Atomic writing of files: a file is written under a temporary name in the same folder and then renamed."""

from __future__ import annotations

import os
import re
import secrets
from pathlib import Path

from dunaia_env.support import system

# A temporary file is called ``.NAME.RANDOM.part``, with random hexadecimal digits.
_SUFFIX, _DIGITS = ".part", 8


def write_bytes(path: str | os.PathLike[str], content: bytes, *, private: bool = False) -> None:
    """Write a file atomically: at any moment, and after a crash, either the old or the complete new content is there.

    Missing folders are created.

    Args:
        path: the file.
        content: what it will hold.
        private: whether only the user can read and write the file; by default others can as much as the user lets them
            by the umask.

    Raises `OSError` if the file cannot be written, and then leaves no temporary file
    behind. `remove_leftovers` removes the temporary files of killed processes.
    """
    target = Path(path)
    target.parent.mkdir(parents=True, exist_ok=True)
    temporary = target.parent / f".{target.name}.{secrets.token_hex(_DIGITS // 2)}{_SUFFIX}"
    try:
        with system.open_private(temporary, "xb") if private else temporary.open("xb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(target)
    except BaseException:
        temporary.unlink(missing_ok=True)
        raise


def write_text(path: str | os.PathLike[str], text: str, *, private: bool = False) -> None:
    """Write a UTF-8 text file atomically; see `write_bytes`."""
    write_bytes(path, text.encode("utf-8"), private=private)


def remove_leftovers(path: str | os.PathLike[str]) -> int:
    """Remove the temporary files that killed writers of a file left behind; returns their number.

    Call this only if no other process writes the file, for instance under a lock: an active writer would lose its
    temporary file. Files whose names are merely similar are kept. Raises `OSError` if the folder cannot be read or
    changed; a missing folder counts as empty.
    """
    target = Path(path)
    pattern = re.compile(rf"\.{re.escape(target.name)}\.[0-9a-f]{{{_DIGITS}}}{re.escape(_SUFFIX)}")
    if not target.parent.is_dir():
        return 0
    leftovers = [file for file in target.parent.iterdir() if pattern.fullmatch(file.name)]
    for file in leftovers:
        file.unlink(missing_ok=True)
    return len(leftovers)
