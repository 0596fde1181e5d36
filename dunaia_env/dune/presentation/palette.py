"""The colours of the picture, and the least sizes of its texts.

Whatever a colour says is also said by a letter, a symbol or a form.
"""

from __future__ import annotations

from typing import Final

SEATS: Final = ("#2563a8", "#b4430f", "#3d4a5c", "#ad2d74", "#1f6b48", "#6a3fa6")
SEAT_TINTS: Final = ("#e3edf8", "#faeadc", "#e6e9ee", "#f8e3ee", "#dcefe4", "#ebe3f7")

TABLE: Final = "#dcd3c0"
CARD: Final = "#fbf8f1"
SHADOW: Final = "#4a3f2a"
LINE: Final = "#cfc4ac"
INK: Final = "#2a2d33"
SOFT: Final = "#5d5a52"
SOCKET: Final = "#f6f0e1"
GOLD: Final = "#e0a526"
GOLD_PALE: Final = "#ffe08a"
GOLD_DARK: Final = "#7a5200"
WHITE: Final = "#ffffff"

# The planet and the sky behind it.
SKY: Final = "#241d2b"
SKY_SOFT: Final = "#cbbfae"
STAR: Final = "#f4e6c8"
RIM: Final = "#4b3527"
RIM_INK: Final = "#f0dfc0"
SANDS: Final = ("#edd49c", "#f0daa8", "#e9ce92", "#f2ddb0")
ROCKS: Final = ("#b98f68", "#c09872")
STRONGHOLD: Final = "#dc8f66"
SINK: Final = "#dcebec"
EARTH: Final = "#23180c"
SIGN: Final = "#23180d"  # the ground of signs
STRONGHOLD_LINE: Final = "#7a2a10"
BORDER: Final = "#5a3d22"
DUNE: Final = "#c79f5e"
PEAK: Final = "#7d5938"
SECTOR: Final = "#6d5334"
STORM: Final = "#5c1f14"
FIELD: Final = "#9c1420"
SPICE: Final = "#f6b23c"
SPICE_DARK: Final = "#7a3c05"

# What a treachery card is for: weapon, defence, hero, worthless, event.
WEAPON: Final = "#a3322c"
DEFENCE: Final = "#23639b"
HERO: Final = "#7a5200"
WORTHLESS: Final = "#5f6269"
EVENT: Final = "#5f3f96"
HIDDEN: Final = "#6b5640"

# The least size of the board's texts: a page that is 1280 pixels wide shows the board at nine tenths of its size.
LEAST_TEXT: Final = 13.6

# The least size of the texts around the board in the whole picture, which is shown 1200 pixels wide. What does not fit
# in this size is cut or left out.
SMALL: Final = 12.0

# The colours of the board that differ on dark pages.
DARK: Final = {
    **dict(zip(SANDS, ("#54482f", "#574b33", "#50442b", "#5b4f37"), strict=True)),
    **dict(zip(ROCKS, ("#3a2c20", "#3f3024"), strict=True)),
    STRONGHOLD: "#7a3d22",
    SINK: "#33474d",
    EARTH: "#f6ead4",
    STRONGHOLD_LINE: "#cf7347",
    BORDER: "#17100a",
    DUNE: "#7a6540",
    PEAK: "#705439",
    SECTOR: "#93794f",
    STORM: "#a8422d",
    FIELD: "#ff7a75",
}
