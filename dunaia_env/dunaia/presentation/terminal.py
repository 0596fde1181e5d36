"""The colours in which a terminal prints the texts of Dunaïa's positions."""

from __future__ import annotations

# Readable on black and on white. Each colour belongs to a word or a letter, so nothing is told by colour alone.
COLOURS = {"green": "#1f9d55", "yellow": "#b58900", "purple": "#a45ad1", "red": "#e0443e"}
_LETTERS = "".join(colour[0] for colour in COLOURS)


def _added(letter: str) -> str:
    """A pattern for the letter of a colour that markers add to a building, such as the "y" or the "p" in "green+yp"."""
    # A look-behind needs a fixed length, so there is one for each number of letters before this one.
    before = "|".join(rf"(?<=\+[{_LETTERS}]{{{count}}})" for count in range(len(_LETTERS)))
    return rf"(?:{before}){letter}(?=[{_LETTERS}]*\b)"


STYLES = {
    r"(?m)^[+\- ]*\+$|\|": "dim",
    r"\[\d\]|^Dice:|\[die\]": "bold",
    r"\bmulticoloured\b": "bold italic",
    **{rf"\b{colour}\b|{_added(colour[0])}": f"bold {code}" for colour, code in COLOURS.items()},
    r"\bcompleted\b": "#1f9d55",
    r"\bbuilding [#.]+": "#b58900",
    r"\A.+|(?m:^Player \d[^:]*)": "bold reverse",
}
