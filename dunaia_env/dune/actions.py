"""The action table: one row per verb. Sizes, numbers, texts, documentation and the hash all derive from it.

An action is a number in 0..NUM_ACTIONS-1. Its text is the verb and its argument joined by a space (``number 3``).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dunaia_env.dune import state as layout
from dunaia_env.harness.compiled.encoding import ActionTable, Argument

_BATTLE_KINDS = layout.TRUTHTRANCE  # the kinds before it can be played in a plan

ACTION_TABLE = ActionTable(
    (
        ("pass", (), "no, nothing, no more"),
        ("yes", (), "yes"),
        ("karama", (), "spend a Karama for what the decision is about"),
        ("orbit", (), "lift into the reserve"),
        ("number", (Argument("number", 0, layout.NUMBERS),), "an amount: tokens, spice, a dialled number or a raise"),
        ("cell", (Argument("cell", 0, layout.CELLS),), "the target of a landing or a move, the field of a battle"),
        ("territory", (Argument("territory", 0, layout.TERRITORIES),), "the origin of a move, the place of a worm"),
        ("leader", (Argument("leader", 0, layout.LEADERS),), "that leader"),
        ("card", (Argument("kind", 0, layout.KINDS),), "play a card of that kind, ask about it, give it"),
        ("seat", (Argument("offset", 1, layout.MAX_PLAYERS - 1),), "the seat so many places to the right"),
        ("faction", (Argument("faction", 0, layout.FACTIONS),), "a prediction, or a question about it"),
        ("turn", (Argument("turn", 1, layout.MOST_TURNS),), "a prediction, or a question about it"),
        ("must", (Argument("kind", 0, _BATTLE_KINDS),), "the Voice's order to play a card of that kind"),
        ("must_not", (Argument("kind", 0, _BATTLE_KINDS),), "the Voice's order not to play one"),
        ("see", (Argument("element", 0, layout.ALL_ELEMENTS),), "see the leader, weapon, defence or number of a plan"),
    )
)

NUM_ACTIONS: int = ACTION_TABLE.size
ACTION_TEXTS: tuple[str, ...] = ACTION_TABLE.texts
ACTION_HASH: str = ACTION_TABLE.hash
VERB_OF = ACTION_TABLE.verb_of
# For each action its argument, as its text names it; 0 if there is none.
ARGUMENT: NDArray[np.int16] = np.array([int(text.partition(" ")[2] or 0) for text in ACTION_TEXTS], np.int16)
verb = ACTION_TABLE.verb
action_text = ACTION_TABLE.text
parse_action = ACTION_TABLE.parse

# The first action of each verb, for the rules.
PASS = ACTION_TABLE.first("pass")
YES = ACTION_TABLE.first("yes")
USE_KARAMA = ACTION_TABLE.first("karama")
ORBIT = ACTION_TABLE.first("orbit")
NUMBER_FIRST = ACTION_TABLE.first("number")
CELL_FIRST = ACTION_TABLE.first("cell")
TERRITORY_FIRST = ACTION_TABLE.first("territory")
LEADER_FIRST = ACTION_TABLE.first("leader")
CARD_FIRST = ACTION_TABLE.first("card")
SEAT_FIRST = ACTION_TABLE.first("seat")  # offset 1
FACTION_FIRST = ACTION_TABLE.first("faction")
TURN_FIRST = ACTION_TABLE.first("turn")  # turn 1
MUST_FIRST = ACTION_TABLE.first("must")
MUST_NOT_FIRST = ACTION_TABLE.first("must_not")
SEE_FIRST = ACTION_TABLE.first("see")
