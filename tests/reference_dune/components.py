"""Factions, leaders, cards, options and the action table, written out by hand."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from .board import ARRAKEEN, CARTHAG, CELLS_OF, POLAR_CELL, TUEKS_SIETCH

ATREIDES, HARKONNEN, EMPEROR, FREMEN, GUILD, BENE_GESSERIT, TLEILAX = range(7)


@dataclass(frozen=True)
class Faction:
    """What is printed for a faction; `start` is (cell, tokens) or None. The Fremen place their ten tokens."""

    name: str
    start: tuple[int, int] | None
    spice: int
    free_revival: int
    hand_limit: int = 4
    first_cards: int = 1


FACTIONS = (
    Faction("atreides", (CELLS_OF[ARRAKEEN][0], 10), 10, 2),
    Faction("harkonnen", (CELLS_OF[CARTHAG][0], 10), 10, 2, hand_limit=8, first_cards=2),
    Faction("emperor", None, 10, 1),
    Faction("fremen", None, 3, 3),
    Faction("guild", (CELLS_OF[TUEKS_SIETCH][0], 5), 5, 1),
    Faction("bene_gesserit", (POLAR_CELL, 1), 5, 1),
    Faction("tleilax", None, 10, 0),
)
TOKENS = 20
FREMEN_START = (26, 27, 28, 29, 30, 65)  # cells
FREMEN_START_TOKENS = 10

# Leaders 5 * faction + 0..4, then the Face Dancer, who is worth 1 where no enemy leader says otherwise.
STRENGTHS = (
    5, 5, 4, 2, 1,
    6, 4, 3, 2, 1,
    6, 5, 3, 3, 2,
    7, 6, 5, 3, 2,
    5, 3, 3, 2, 1,
    5, 5, 5, 5, 5,
    1,
)  # fmt: skip
FACE_DANCER = 30

(
    PROJECTILE, POISON, LASGUN, SHIELD, SNOOPER, HERO, WORTHLESS, TRUTHTRANCE, WEATHER_CONTROL, HAJR, GHOLA, ATOMICS,
    HARVESTER, THUMPER, CONE, RESIDUAL_POISON, KARAMA,
) = range(17)  # fmt: skip
KINDS = 17
WEAPONS = (PROJECTILE, POISON, LASGUN, WORTHLESS)
DEFENCES = (SHIELD, SNOOPER, WORTHLESS)
DECKS = {
    43: (5, 5, 1, 5, 5, 3, 7, 2, 1, 1, 1, 1, 1, 1, 1, 1, 2),
    33: (4, 4, 1, 4, 4, 3, 5, 2, 1, 1, 1, 1, 0, 0, 0, 0, 2),
}

WORM = 15
SPICE_KINDS = 16
SPICE_DECK = (1,) * 15 + (6,)

TABLE = (
    ("pass", None), ("yes", None), ("karama", None), ("orbit", None), ("number", range(21)), ("cell", range(86)),
    ("territory", range(42)), ("leader", range(31)), ("card", range(17)), ("seat", range(1, 6)), ("faction", range(7)),
    ("turn", range(1, 16)), ("must", range(7)), ("must_not", range(7)), ("see", range(4)),
)  # fmt: skip
ACTIONS = tuple(
    text for verb, values in TABLE for text in ([verb] if values is None else [f"{verb} {value}" for value in values])
)
ACTION_INDEX = {text: index for index, text in enumerate(ACTIONS)}

DEFAULTS: dict[str, Any] = {
    "powers": True,
    "deck": 43,
    "alliances": True,
    "max_alliance": None,
    "alliance_strongholds": 3,
    "karama_powers": False,
    "tleilax": False,
    "open_shields": True,
    "atreides_sees_bonus": True,
    "undecided": "nobody",
    "max_turns": 15,
}
ALLOWED: dict[str, tuple[Any, ...]] = {
    "powers": (False, True),
    "deck": (33, 43),
    "alliances": (False, True),
    "max_alliance": (None, 2, 3, 4, 5),
    "alliance_strongholds": (3, 4, 5),
    "karama_powers": (False, True),
    "tleilax": (False, True),
    "open_shields": (False, True),
    "atreides_sees_bonus": (False, True),
    "undecided": ("nobody", "strongholds"),
    "max_turns": tuple(range(1, 16)),
}
PLAIN = {"powers": False, "alliances": False, "deck": 33}
PRESETS: dict[str, dict[str, Any]] = {
    "full": {},
    "classic": {"deck": 33, "max_alliance": 2, "alliance_strongholds": 4, "atreides_sees_bonus": False},
    "plain": PLAIN,
    "duel": {**PLAIN, "max_turns": 10, "undecided": "strongholds"},
}
DUEL_FACTIONS = (ATREIDES, HARKONNEN)


def complete_options(players: int, given: dict[str, Any]) -> dict[str, Any]:
    """Return all options, defaults filled in and corrected for two players and for a game without powers."""
    for key, value in given.items():
        if key not in ALLOWED:
            raise ValueError(f"no such option: {key!r}; there are {', '.join(ALLOWED)}")
        if not any(type(value) is type(allowed) and value == allowed for allowed in ALLOWED[key]):
            raise ValueError(f"option {key} is {value!r}; allowed are {ALLOWED[key]}")
    options = {**DEFAULTS, **given}
    if players == 2:
        options["alliances"] = False
    if not options["powers"]:
        options["karama_powers"] = options["tleilax"] = False
    return options
