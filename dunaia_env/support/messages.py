"""Untrusted texts and values in messages, names, pages and reports: of limited length, without hidden characters.

A value from a file, an agent or a caller can be long, contain terminal escape sequences, or have a ``repr`` that fails.
Hidden characters are those that a reader cannot see or that change how other characters are shown: control characters,
line separators, characters that change the writing direction, lone surrogates, and fillers that look like nothing.
"""

from __future__ import annotations

import math
import reprlib
import unicodedata

MOST_OF_A_VALUE = 120
MOST_OF_A_TEXT = 300

_CUT = "..."
# Characters that `str.isprintable` accepts although they are blank; variation selectors, which belong to emoji and to
# Chinese characters, are not among them.
_FILLERS = frozenset("\u034f\u115f\u1160\u17b4\u17b5\u180b\u180c\u180d\u180f\u2800\u3164\uffa0\U00016fe4\U0001d159")
# The first letters of the Unicode categories of characters that can be seen by themselves: letters, numbers,
# punctuation and symbols.
_SEEN = "LNPS"


def printable(text: str, most: int | None = None) -> str:
    r"""A text on one line, with Python escapes such as ``\x1b``, ``\n`` or ``\u202e`` for hidden characters.

    All spaces except the usual one are escaped too.

    Args:
        text: any text.
        most: largest length of the result; a longer text is cut in the middle. None for no limit.
    """
    if most is not None:
        text = _cut(text, most)  # also before escaping, because the text may have millions of characters
    if not is_plain(text):
        text = "".join(character if is_plain(character) else _escaped(character) for character in text)
    return text if most is None else _cut(text, most)


def visible(text: str) -> str:
    """A text for a page or a report that may contain foreign texts: like `printable`, but spaces and lines stay."""
    if is_plain(text):
        return text
    return "".join(
        character if is_plain(character) or character in "\n\t" or _category(character) == "Zs" else _escaped(character)
        for character in text
    )


def is_plain(text: str) -> bool:
    """Whether a text is on one line and contains no hidden characters and no spaces except the usual one."""
    return text.isprintable() and (text.isascii() or _FILLERS.isdisjoint(text))


def is_name(text: str) -> bool:
    """Whether a text can serve as a name: `is_plain`, and at least one of its characters can be seen."""
    return is_plain(text) and any(_category(character)[0] in _SEEN for character in text)


def has_lone_surrogate(text: str) -> bool:
    """Whether a text contains half of a pair of surrogates, which cannot be written to a file or sent."""
    return not text.isascii() and any("\ud800" <= character <= "\udfff" for character in text)


def _category(one: str) -> str:
    return unicodedata.category(one)


def _escaped(one: str) -> str:
    return one.encode("unicode_escape").decode("ascii")


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
