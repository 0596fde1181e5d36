"""Words in English sentences that any text of the library may need."""

from __future__ import annotations

from collections.abc import Iterable


def count(amount: int, noun: str, plural: str = "") -> str:
    """A number with its noun: ``1 player``, ``2 players``.

    Args:
        amount: the number.
        noun: the noun in the singular.
        plural: its plural; the noun with an s by default.
    """
    return f"{amount} {noun if amount == 1 else plural or f'{noun}s'}"


def listed(words: Iterable[object], last: str = "and") -> str:
    """An enumeration: ``1, 2 and 3``.

    Args:
        words: at least one word, number or clause.
        last: the word before the last of them.
    """
    *rest, final = map(str, words)
    return f"{', '.join(rest)} {last} {final}" if rest else final
