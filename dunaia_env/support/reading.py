"""Reads untrusted files with a size limit, so that neither a huge file nor a device exhausts memory or time."""

from __future__ import annotations

import os
import re
import stat
import tomllib
from pathlib import Path
from typing import Any, BinaryIO

from dunaia_env.support.messages import MOST_OF_A_VALUE, printable, reason

_PIECE = 1 << 20
# The time and memory of `tomllib` grow with the square of the number of parts of a dotted key.
MOST_KEY_PARTS = 8
_TEXTS_AND_COMMENTS = re.compile(
    r"""\"{3}(?:[^\\]|\\.)*?"{3,5}|'{3}.*?'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[#][^\n]*""", re.DOTALL
)
_BETWEEN_KEYS = re.compile(r"[=,\[\]{}\n]")


class ReadingError(ValueError):
    """A file that cannot be read; the message is `printable` and says why, and the caller adds the file's name."""


def open_file(path: str | os.PathLike[str], most: int) -> BinaryIO:
    """Open a regular file of at most ``most`` bytes for reading bytes; raises `ReadingError` for anything else."""
    try:
        # Checked before opening: opening a pipe waits for a writer, and opening a device may have side effects.
        status = Path(path).stat()
        if not stat.S_ISREG(status.st_mode):
            raise ReadingError("cannot be read: a regular file is needed")
        if status.st_size > most:
            raise ReadingError(f"cannot be read: {status.st_size} bytes; at most {most} are allowed")
        return Path(path).open("rb")
    except OSError as error:
        raise _because(error) from error
    except ReadingError:
        raise
    except (TypeError, ValueError) as error:  # not a path, or one with a null byte or a lone surrogate
        raise _because(error) from error


def read_bytes(path: str | os.PathLike[str], most: int) -> bytes:
    """The content of a regular file of at most ``most`` bytes; raises `ReadingError`."""
    content = bytearray()
    try:
        with open_file(path, most) as file:
            # Read in pieces, because `read` allocates the requested size at once. A file may grow meanwhile, and files
            # in /proc report a size of 0.
            while piece := file.read(_PIECE):
                content += piece
                if len(content) > most:
                    raise ReadingError(f"cannot be read: more than {most} bytes, the most that are allowed")
    except OSError as error:
        raise _because(error) from error
    return bytes(content)


def read_text(path: str | os.PathLike[str], most: int) -> str:
    r"""The UTF-8 text of a regular file of at most ``most`` bytes, with ``\n`` as the only line ending.

    Raises `ReadingError`.
    """
    try:
        text = read_bytes(path, most).decode("utf-8")
    except UnicodeDecodeError as error:
        raise _because(error) from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def parse_toml(text: str) -> dict[str, Any]:
    """Parse a TOML text in a time that is bounded by its length; raises `ReadingError`."""
    for key in _BETWEEN_KEYS.split(_TEXTS_AND_COMMENTS.sub("_", text)):
        parts = key.count(".") + 1
        if parts > MOST_KEY_PARTS:
            shown = printable(key.strip(), MOST_OF_A_VALUE)
            raise ReadingError(f"{shown}: a key of {parts} parts; at most {MOST_KEY_PARTS} are allowed")
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise ReadingError("not TOML: tables and lists are nested too deeply") from error
    except ValueError as error:  # `TOMLDecodeError`, or an integer with more digits than Python converts
        raise ReadingError(f"not TOML: {reason(error)}") from error


def _because(error: Exception) -> ReadingError:
    text = error.strerror if isinstance(error, OSError) else None
    return ReadingError(f"cannot be read: {text or reason(error)}")
