"""Reads untrusted files with a size limit, so that neither a huge file nor a device exhausts memory or time."""

from __future__ import annotations

import codecs
import os
import re
import stat
import tomllib
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO

from dunaia_env.support.messages import MOST_OF_A_VALUE, printable, reason

_PIECE = 1 << 20
# U+FEFF, with which some editors begin a text; also the name of its bytes in each encoding.
MARK = "\ufeff"
# Longer marks first, because that of UTF-32 begins with that of UTF-16.
_OTHER_ENCODINGS = (
    (codecs.BOM_UTF32_LE, "UTF-32"),
    (codecs.BOM_UTF32_BE, "UTF-32"),
    (codecs.BOM_UTF16_LE, "UTF-16"),
    (codecs.BOM_UTF16_BE, "UTF-16"),
)
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
            raise ReadingError("cannot be read: expected a regular file")
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


def pieces_of(file: BinaryIO) -> Iterator[bytes]:
    """The rest of a file in pieces."""
    while piece := file.read(_PIECE):
        yield piece


def lines_of(pieces: Iterable[bytes], most: int) -> Iterator[bytes]:
    r"""The complete lines of a content that comes in pieces, without their ``\n``; what follows the last is left out.

    The first line of more than ``most`` bytes ends the content, and of this line only the beginning may be yielded, so
    that an endless line fills no memory. The caller refuses it.
    """
    rest = b""
    for piece in pieces:
        *complete, rest = (rest + piece).split(b"\n")
        yield from complete
        if len(rest) > most:
            yield rest
            return


def read_text(path: str | os.PathLike[str], most: int) -> str:
    r"""The text of a regular file of at most ``most`` bytes, see `decode`, with ``\n`` as the only line ending.

    Raises `ReadingError`.
    """
    text = decode(read_bytes(path, most))
    return text.replace("\r\n", "\n").replace("\r", "\n")


def decode(content: bytes) -> str:
    """The text of UTF-8 bytes, without the byte order mark (BOM) with which some editors begin a file.

    Raises `ReadingError` naming the encoding of UTF-16 and UTF-32, and the line of anything else that is not UTF-8.
    """
    if other := _other_encoding(content[:4]):
        raise ReadingError(f"cannot be read: the text is {other}; save it as UTF-8")
    try:
        text = content.decode("utf-8")
    except UnicodeDecodeError as error:
        line = content.count(b"\n", 0, error.start) + 1
        wrong = f"the byte 0x{content[error.start]:02x} in line {line} is not UTF-8"
        raise ReadingError(f"cannot be read: {wrong}; save the text as UTF-8") from error
    return text.removeprefix(MARK)


def _other_encoding(begin: bytes) -> str | None:
    """The encoding that the first four bytes of a text show by a mark or, because texts begin in ASCII, by zeros."""
    for mark, name in _OTHER_ENCODINGS:
        if begin.startswith(mark):
            return name
    zeros = [byte == 0 for byte in begin]
    if zeros in ([False, True, True, True], [True, True, True, False]):
        return "UTF-32"
    return "UTF-16" if zeros in ([False, True, False, True], [True, False, True, False]) else None


def numbered_lines(lines: Iterable[bytes]) -> Iterator[tuple[int, bytes]]:
    """The lines of a file with their numbers from 1, without empty ones, which editors and copying add."""
    for number, line in enumerate(lines, start=1):
        if not line.isspace() and line:
            yield number, line


def parse_toml(text: str) -> dict[str, Any]:
    """Parse a TOML text, which may begin with a byte order mark, in a time that is bounded by its length.

    Raises `ReadingError`.
    """
    for key in _BETWEEN_KEYS.split(_TEXTS_AND_COMMENTS.sub("_", text)):
        parts = key.count(".") + 1
        if parts > MOST_KEY_PARTS:
            shown = printable(key.strip(), MOST_OF_A_VALUE)
            raise ReadingError(f"{shown}: a key of {parts} parts; at most {MOST_KEY_PARTS} are allowed")
    try:
        return tomllib.loads(text.removeprefix(MARK))
    except RecursionError as error:
        raise ReadingError("not TOML: tables and lists are nested too deeply") from error
    except ValueError as error:  # `TOMLDecodeError`, or an integer with more digits than Python converts
        raise ReadingError(f"not TOML: {reason(error)}") from error


def _because(error: Exception) -> ReadingError:
    text = error.strerror if isinstance(error, OSError) else None
    return ReadingError(f"cannot be read: {text or reason(error)}")
