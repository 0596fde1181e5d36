"""How terminals show the texts of Dunaïa's positions: what is printed in which colour."""

from __future__ import annotations

# Bright enough on black, dark enough on white. Each belongs to a word or a letter: nothing is told by colour only.
COLOURS = {"green": "#1f9d55", "yellow": "#b58900", "purple": "#a45ad1", "red": "#e0443e"}
_LETTERS = "".join(colour[0] for colour in COLOURS)


def _added(letter: str) -> str:
    """The letter of a colour that a building has besides its own: the second letter of "green+yp", say."""
    # What a regular expression looks back at has a fixed length.
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
