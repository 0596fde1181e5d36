"""The action table: one row per verb. Sizes, numbers, texts, documentation and the hash all derive from it.

An action is a number in 0..NUM_ACTIONS-1. Its text is the verb and its arguments joined by spaces (``move 5 11``).
"""

from __future__ import annotations

import numpy as np

from dunaia_env.dunaia import state as layout
from dunaia_env.harness.compiled.encoding import ActionTable, Argument

_CHARACTER = Argument("character", 0, layout.CHARACTERS)
_FACE = Argument("face", 1, layout.FACES)
_SQUARE = Argument("square", 0, layout.SQUARES)
_CHIP = Argument("chip", 1, layout.FACES)

ACTION_TABLE = ActionTable(
    (
        ("draft", (_CHARACTER,), "take that character"),
        ("take", (_FACE,), "choose a die showing that face"),
        ("take_flipped", (_FACE,), "choose a die showing that face and turn it to its opposite face"),
        ("awaken", (_SQUARE,), "wake the Dunaia; this square's effect resolves first"),
        ("flower", (), "recycle on the flower space"),
        (
            "use",
            (Argument("seat offset", 0, layout.MAX_PLAYERS), _SQUARE),
            "recycle on that completed level 1 building (0 own, k of the k-th player to the left)",
        ),
        (
            "start",
            (Argument("offer", 0, layout.FOUND_OFFER + 1), _SQUARE),
            "pay that tile and put it there under construction",
        ),
        ("move", (Argument("Dunaia", 1, layout.DUNAIAS), Argument("edge", 0, layout.EDGES)), "move that Dunaia there"),
        ("plug", (_CHIP,), "plug that chip"),
        ("discard", (_CHIP,), "pay with that chip"),
        ("advance", (_SQUARE,), "advance that building"),
        ("call", (Argument("elder space", 0, layout.ELDER_SPACES),), "call that elder"),
        ("search", (Argument("tile", 0, layout.TILES),), "take that tile from its pile"),
        ("colour", (Argument("colour", 0, layout.COLOURS), _SQUARE), "put a marker of that colour on that building"),
        ("power", (), "use the once-per-turn power of the character"),
        ("reserve", (Argument("offer", 0, layout.OFFERS),), "reserve that tile"),
        ("pass", (), "stop moving, decline an optional effect, continue to the next phase, or end the turn"),
    )
)

NUM_ACTIONS: int = ACTION_TABLE.size
ACTION_TEXTS: tuple[str, ...] = ACTION_TABLE.texts
ACTION_HASH: str = ACTION_TABLE.hash
VERB_OF = ACTION_TABLE.verb_of
ARGUMENTS = ACTION_TABLE.arguments
# For each action, the first action of its verb.
FIRST_OF = np.array([row.first for row in ACTION_TABLE], np.int16)[VERB_OF]
verb = ACTION_TABLE.verb
action_text = ACTION_TABLE.text
parse_action = ACTION_TABLE.parse

# The first action of each verb, by which the rules name the verb.
DRAFT_FIRST = ACTION_TABLE.first("draft")
TAKE_FIRST = ACTION_TABLE.first("take")
TAKE_FLIPPED_FIRST = ACTION_TABLE.first("take_flipped")
AWAKEN_FIRST = ACTION_TABLE.first("awaken")
FLOWER = ACTION_TABLE.first("flower")
USE_FIRST = ACTION_TABLE.first("use")
START_FIRST = ACTION_TABLE.first("start")
MOVE_FIRST = ACTION_TABLE.first("move")
PLUG_FIRST = ACTION_TABLE.first("plug")
DISCARD_FIRST = ACTION_TABLE.first("discard")
ADVANCE_FIRST = ACTION_TABLE.first("advance")
CALL_FIRST = ACTION_TABLE.first("call")
SEARCH_FIRST = ACTION_TABLE.first("search")
COLOUR_FIRST = ACTION_TABLE.first("colour")
USE_POWER = ACTION_TABLE.first("power")
RESERVE_FIRST = ACTION_TABLE.first("reserve")
PASS = ACTION_TABLE.first("pass")
