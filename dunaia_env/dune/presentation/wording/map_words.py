"""The words of the map in characters, by language."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import NamedTuple


class MapWords(NamedTuple):
    """The words of a language; words with braces are filled in.

    Attributes:
        left_out: the words that the map leaves out of names of territories.
        strongholds: that capitals name strongholds.
        rock: the sign of rock and its meaning.
        spice: the sign of spice and its meaning.
        storm: the signs of the storm and their meaning.
        sectors: the sign of a border between sectors and its meaning.
        rubble: the sign of the destroyed Shield Wall and its meaning, with its name.
        tokens: a number of tokens and its meaning, with a faction's letter.
        dot: a sector's number with a faction's letter and their meaning.
        seat: a faction's letter and its meaning, with its name and its seat.
        no_room: what stands in a cell that is too small for it, with the cell's name.
    """

    left_out: tuple[str, ...]
    strongholds: str
    rock: str
    spice: str
    storm: str
    sectors: str
    rubble: str
    tokens: str
    dot: str
    seat: str
    no_room: str


MAP_WORDS: Mapping[str, MapWords] = MappingProxyType(
    {
        "en": MapWords(
            left_out=("The", "the", "in", "Sietch"),
            strongholds="CAPITALS  stronghold",
            rock="{}  rock",
            spice="{}8  8 spice",
            storm="{} {}  storm",
            sectors="{0}{0}{0}  border of sectors",
            rubble="{}  {}, destroyed",
            tokens="{0}3  3 tokens of {1}",
            dot="{0}{1}  sector {0}, dot of {1}",
            seat="{}  {} (player {})",
            no_room="No room for {} in {}",
        ),
        "fr": MapWords(
            left_out=("Le", "La", "Les", "le", "la", "les", "de", "du", "des", "Sietch"),
            strongholds="CAPITALES  forteresse",
            rock="{}  roche",
            spice="{}8  8 épices",
            storm="{} {}  tempête",
            sectors="{0}{0}{0}  limite de secteurs",
            rubble="{}  {}, détruit",
            tokens="{0}3  3 jetons : {1}",
            dot="{0}{1}  secteur {0}, point {1}",
            seat="{}  {} (joueur {})",
            no_room="Pas de place pour {} : {}",
        ),
    }
)
