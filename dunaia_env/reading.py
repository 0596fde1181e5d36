"""Files from elsewhere, read up to a limit, so that neither a huge one nor a device takes the memory or the time."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import BinaryIO

from dunaia_env.messages import reason


class ReadingError(ValueError):
    """A file that cannot be read; the message says why, and leaves it to the caller to name the file."""


def open_file(path: str | os.PathLike[str], most: int) -> BinaryIO:
    """A regular file of at most ``most`` bytes, open for reading bytes; raises `ReadingError` for anything else."""
    try:
        # Asked first: opening a pipe waits for a writer, and opening a device can do anything.
        found = Path(path).stat()
        if not stat.S_ISREG(found.st_mode):
            raise ReadingError("cannot be read: a regular file is needed")
        if found.st_size > most:
            raise ReadingError(f"cannot be read: {found.st_size} bytes; at most {most} are allowed")
        return Path(path).open("rb")
    except OSError as error:
        raise _because(error) from error
    except ReadingError:
        raise
    except ValueError as error:  # a path that no file system has: with a zero byte or a lone surrogate
        raise _because(error) from error


def read_bytes(path: str | os.PathLike[str], most: int) -> bytes:
    """The content of a regular file of at most ``most`` bytes; raises `ReadingError`."""
    try:
        with open_file(path, most) as file:
            content = file.read(most + 1)  # a file may grow, and those of /proc say that they have no bytes
    except OSError as error:
        raise _because(error) from error
    if len(content) > most:
        raise ReadingError(f"cannot be read: more than {most} bytes, the most that are allowed")
    return content


def read_text(path: str | os.PathLike[str], most: int) -> str:
    r"""The UTF-8 text of a regular file of at most ``most`` bytes, with ``\n`` at each line's end.

    Raises `ReadingError`.
    """
    try:
        text = read_bytes(path, most).decode("utf-8")
    except UnicodeDecodeError as error:
        raise _because(error) from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def _because(error: Exception) -> ReadingError:
    text = error.strerror if isinstance(error, OSError) else None
    return ReadingError(f"cannot be read: {text or reason(error)}")
