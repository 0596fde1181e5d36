"""How the commands use the standard streams: `run_main`, through which each of them runs.

A text with characters that the terminal's code page lacks is printed with the closest ones, ``cafe`` for ``café``,
instead of ending the command with an error.
"""

from __future__ import annotations

import codecs
import io
import os
import sys
import unicodedata
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

from dunaia_env.support import system

# Name of the error handler that encodes a character as the closest ASCII characters.
CLOSEST = "dunaia_env.closest"
# Exit status of a command whose output has no reader any more, as with `| head`; `rich` ends with the same.
NO_READER = 1

_SUBSTITUTES = str.maketrans(
    {
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212─━", "-"),
        **dict.fromkeys("│┃", "|"),
        **dict.fromkeys("┌┐└┘├┤┬┴┼╭╮╰╯", "+"),
        **dict.fromkeys("\u2018\u2019\u201a", "'"),
        **dict.fromkeys("\u201c\u201d\u201e", '"'),
        **dict.fromkeys("•●■▪", "*"),
        **dict.fromkeys("█▓▒░", "#"),
        "·": ".",
        "×": "x",
        "→": "->",
        "←": "<-",
        "≤": "<=",
        "≥": ">=",
        "≈": "~",
        "±": "+-",
        "\u2044": "/",
        "ß": "ss",
        "Æ": "AE",
        "æ": "ae",
        "Œ": "OE",
        "œ": "oe",
        "Ø": "O",
        "ø": "o",
    }
)
# The ways of handling errors that Python chooses by itself. Any other was chosen by the user.
_OF_PYTHON = ("strict", "surrogateescape", "backslashreplace")


class _OutputError(Exception):
    """Standard output or standard error cannot be written."""


def closest(text: str) -> str:
    """A text in ASCII: letters without their accents, similar punctuation, and ``?`` for everything else."""
    return "".join(map(_closest, text))


def encodable(text: str, encoding: str) -> str:
    """A text with the `closest` characters for those that an encoding lacks."""
    return text.encode(encoding, CLOSEST).decode(encoding)


def _closest(character: str) -> str:
    # Some characters are in the table as a whole, others after they have been taken apart.
    parts = unicodedata.normalize("NFKD", character.translate(_SUBSTITUTES)).translate(_SUBSTITUTES)
    return "".join(part if part.isascii() else "" if unicodedata.combining(part) else "?" for part in parts)


def _replace(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeEncodeError):
        raise error
    return closest(error.object[error.start : error.end]), error.end


codecs.register_error(CLOSEST, _replace)


def run_main(main: Callable[[], object], *, has_workers: bool = False) -> int:
    """Run the main function of a command and return its exit status.

    While it runs, standard output and standard error replace characters that their encoding lacks, and discard what is
    written if they are closed.

    Args:
        main: the function. If it returns an integer, that is the exit status; otherwise the status is 0.
        has_workers: whether the command starts processes that have to end with it: SIGTERM then ends it as Ctrl-C does.

    Returns:
        The exit status: `NO_READER`, without a message, if the reader of the output has gone, and 1, after a message,
        if the output cannot be written, say to a full disk.
    """
    _prepare()
    if has_workers:
        system.exit_when_asked()
    try:
        try:
            result = main()
        finally:
            _flush()
    except BrokenPipeError:
        # Any other broken pipe is an error.
        if not system.has_no_reader((sys.stdout, sys.stderr)):
            raise
        _discard()
        return NO_READER
    except _OutputError as error:
        with suppress(OSError):
            print(f"the output cannot be written: {error}", file=sys.stderr, flush=True)
        _discard()
        return 1
    return result if isinstance(result, int) else 0


def _prepare() -> None:
    for name in ("stdout", "stderr"):
        if getattr(sys, name) is None:
            setattr(sys, name, Path(os.devnull).open("w", encoding="utf-8"))  # noqa: SIM115 - open to the end
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors in _OF_PYTHON:
            stream.reconfigure(errors=CLOSEST)


def _flush() -> None:
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise _OutputError(error.strerror) from None


def _discard() -> None:
    """Let what is still buffered go nowhere, because Python writes it once more at its end."""
    null = os.open(os.devnull, os.O_WRONLY)
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError:
            os.dup2(null, stream.fileno())
    os.close(null)
