"""The colours of the picture, and the least size of its texts.

Whatever a colour says is also said by a letter, a symbol or a form.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from dunaia_env.dunaia.state import COLOURS


class Paint(NamedTuple):
    """A building colour: for completed buildings, the text on them, lines (dark) and buildings in progress (pale)."""

    main: str
    ink: str
    dark: str
    tint: str


PAINTS: Final = (
    Paint("#1f6f4a", "#ffffff", "#0f3d28", "#dcefe2"),
    Paint("#f2c037", "#3d2b00", "#6b4b00", "#fbf0cd"),
    Paint("#7549ad", "#ffffff", "#40226b", "#eae1f6"),
    Paint("#c8403c", "#ffffff", "#741a1a", "#f9dfdc"),
)
# Text and plate of a tile that counts as several colours.
MANY: Final = Paint("#3c4350", "#ffffff", "#252a33", "#e6e3dc")

SEATS: Final = ("#2563a8", "#b4530f", "#3d4a5c", "#ad2d74")
SEAT_TINTS: Final = ("#e3edf8", "#faeadc", "#e6e9ee", "#f8e3ee")

# The least size of texts: a page that is 1280 pixels wide shows the picture at more than three quarters of its size.
LEAST_TEXT: Final = 15.6

TABLE: Final = "#dcd3c0"
CARD: Final = "#fbf8f1"
SHADOW: Final = "#4a3f2a"
LINE: Final = "#cfc4ac"
INK: Final = "#2a2d33"
SOFT: Final = "#5d5a52"
GROUND: Final = "#ece3cf"
SOCKET: Final = "#f6f0e1"
SLOT: Final = "#d9ccb0"
PRINTED: Final = "#8b7c5a"
GOLD: Final = "#e0a526"
GOLD_PALE: Final = "#ffe08a"
LIT: Final = "#ffdc4a"
GOLD_DARK: Final = "#7a5200"
WHITE: Final = "#ffffff"
PAPER: Final = "#fffffe"  # the ground of cards, which is dark on dark pages
STAMP: Final = "#2b2e34"  # the ground of white words
METAL: Final = "#2a2d34"  # robots
GOLD_INK: Final = "#2a2c32"  # words on gold
PETAL: Final = "#d65c94"
PETAL_DARK: Final = "#8c2a59"
CONE: Final = "#e07b1f"
DIE: Final = "#2c3038"
STEEL: Final = "#5b6472"
STEEL_PALE: Final = "#b9bfc9"


def paint_of(colours: int) -> Paint:
    """The paint for a set of colours."""
    single = [colour for colour in range(COLOURS) if colours == 1 << colour]
    return PAINTS[single[0]] if single else MANY


def _dark() -> dict[str, str]:
    changed = {
        TABLE: "#1f1d1b",
        CARD: "#2b2825",
        LINE: "#5b534a",
        INK: "#f0e9de",
        SOFT: "#bdb3a4",
        GROUND: "#38332d",
        SOCKET: "#332f2a",
        SLOT: "#4d463d",
        PRINTED: "#a3957a",
        GOLD_DARK: "#d0a24a",
        PAPER: "#393530",
        METAL: "#6b655c",
        DIE: "#474d59",
        STEEL: "#6c7585",
        STEEL_PALE: "#565b64",
        MANY.dark: "#dcdad6",
        MANY.tint: "#3d3c39",
    }
    changed |= dict(zip((paint.dark for paint in PAINTS), ("#a5dcbd", "#f3d577", "#cbb2ee", "#f3aaa6"), strict=True))
    changed |= dict(zip((paint.tint for paint in PAINTS), ("#20382b", "#3f3617", "#352a47", "#462625"), strict=True))
    return changed | dict(zip(SEAT_TINTS, ("#23364c", "#47301f", "#363b43", "#47263a"), strict=True))


# The colours that differ on dark pages. White words keep their grounds.
DARK: Final = _dark()
