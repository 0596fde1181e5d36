"""Files from elsewhere, read up to a limit, so that neither a huge one nor a device takes the memory or the time."""

from __future__ import annotations

import os
import re
import stat
import tomllib
from pathlib import Path
from typing import Any, BinaryIO

from dunaia_env.support.messages import MOST_OF_A_VALUE, printable, reason

_PIECE = 1 << 20
# `tomllib` takes time and memory by the square of the number of parts of a dotted key.
MOST_KEY_PARTS = 8
_TEXTS_AND_COMMENTS = re.compile(
    r"""\"{3}(?:[^\\]|\\.)*?"{3,5}|'{3}.*?'{3,5}|"(?:[^"\\\n]|\\.)*"|'[^'\n]*'|[#][^\n]*""", re.DOTALL
)
_BETWEEN_KEYS = re.compile(r"[=,\[\]{}\n]")


class ReadingError(ValueError):
    """A file that cannot be read: the message says why, in `printable` words, and leaves naming the file to others."""


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
    except (TypeError, ValueError) as error:  # no path, or one that no file has: with a zero byte, a lone surrogate
        raise _because(error) from error


def read_bytes(path: str | os.PathLike[str], most: int) -> bytes:
    """The content of a regular file of at most ``most`` bytes; raises `ReadingError`."""
    content = bytearray()
    try:
        with open_file(path, most) as file:
            # Piece by piece, for `read` takes the memory of all that it is asked for. A file may grow meanwhile, and
            # those of /proc say that they have no bytes.
            while piece := file.read(_PIECE):
                content += piece
                if len(content) > most:
                    raise ReadingError(f"cannot be read: more than {most} bytes, the most that are allowed")
    except OSError as error:
        raise _because(error) from error
    return bytes(content)


def read_text(path: str | os.PathLike[str], most: int) -> str:
    r"""The UTF-8 text of a regular file of at most ``most`` bytes, with ``\n`` at each line's end.

    Raises `ReadingError`.
    """
    try:
        text = read_bytes(path, most).decode("utf-8")
    except UnicodeDecodeError as error:
        raise _because(error) from error
    return text.replace("\r\n", "\n").replace("\r", "\n")


def parse_toml(text: str) -> dict[str, Any]:
    """The content of a TOML text of limited length, in a time that its length limits too; raises `ReadingError`."""
    for key in _BETWEEN_KEYS.split(_TEXTS_AND_COMMENTS.sub("_", text)):
        parts = key.count(".") + 1
        if parts > MOST_KEY_PARTS:
            shown = printable(key.strip(), MOST_OF_A_VALUE)
            raise ReadingError(f"{shown}: a key of {parts} parts; at most {MOST_KEY_PARTS} are allowed")
    try:
        return tomllib.loads(text)
    except RecursionError as error:
        raise ReadingError("not TOML: tables and lists are nested too deeply") from error
    except ValueError as error:  # not only `TOMLDecodeError`: an integer may have more digits than Python reads
        raise ReadingError(f"not TOML: {reason(error)}") from error


def _because(error: Exception) -> ReadingError:
    text = error.strerror if isinstance(error, OSError) else None
    return ReadingError(f"cannot be read: {text or reason(error)}")
