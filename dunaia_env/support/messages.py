"""Untrusted texts and values in messages and reports: on one line, of limited length, without control characters.

A value from a file, an agent or a caller can be long, contain terminal escape sequences, or have a ``repr`` that fails.
"""

from __future__ import annotations

import math
import reprlib

MOST_OF_A_VALUE = 120
MOST_OF_A_TEXT = 300

_CUT = "..."


def printable(text: str, most: int | None = None) -> str:
    r"""A text on one line, with Python escapes such as ``\x1b``, ``\n`` or ``\u202e`` for unprintable characters.

    Unprintable characters are control characters, line separators, characters that change the writing direction, lone
    surrogates and all spaces except the usual one.

    Args:
        text: any text.
        most: largest length of the result; a longer text is cut in the middle. None for no limit.
    """
    if most is not None:
        text = _cut(text, most)  # also before escaping, because the text may have millions of characters
    if not text.isprintable():
        text = "".join(one if one.isprintable() else one.encode("unicode_escape").decode("ascii") for one in text)
    return text if most is None else _cut(text, most)


def shorten(value: object, most: int = MOST_OF_A_VALUE) -> str:
    """The ``repr`` of a value as `printable` text of at most ``most`` characters.

    Long texts, containers and integers and deeply nested containers are shortened. A value whose ``repr`` fails is
    shown by its type.
    """
    try:
        text = _SHOWN.repr(value)
    except Exception:
        text = _kind(value)
    return printable(text, most)


def reason(error: BaseException, most: int = MOST_OF_A_TEXT) -> str:
    """The message of an exception as `printable` text on one line; the name of its type if it has none."""
    try:
        text = str(error)
    except Exception:
        text = ""
    return printable(" ".join(text[: 10 * most].split()), most) or type(error).__name__


def _cut(text: str, most: int) -> str:
    if len(text) <= most:
        return text
    end = (most - len(_CUT)) // 2
    return text[: most - len(_CUT) - end] + _CUT + text[len(text) - end :]


def _kind(value: object) -> str:
    return f"<{type(value).__name__}>"


class _Shown(reprlib.Repr):
    """`reprlib` with higher limits, which also shows integers that are too long for Python to convert to text."""

    def __init__(self) -> None:
        super().__init__()
        self.maxlist = self.maxtuple = self.maxset = self.maxfrozenset = self.maxdeque = self.maxarray = 12
        self.maxdict, self.maxlevel, self.maxlong = 12, 4, 40
        self.maxstring = self.maxother = MOST_OF_A_TEXT

    def repr_int(self, x: int, level: int) -> str:
        digits = math.floor(x.bit_length() * math.log10(2)) + 1
        return f"<an integer of some {digits} digits>" if digits > 1000 else super().repr_int(x, level)

    def repr_instance(self, x: object, level: int) -> str:
        try:
            return repr(x)
        except Exception:
            return _kind(x)


_SHOWN = _Shown()
