"""The action table: one row per verb. Sizes, numbers, texts, documentation and the hash all derive from it.

An action is a number in 0..NUM_ACTIONS-1. Its text is the verb and its argument joined by a space (``number 3``).
"""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dunaia_env.dune.state import (
    ALL_ELEMENTS,
    CELLS,
    FACTIONS,
    KINDS,
    LEADERS,
    MAX_PLAYERS,
    MOST_TURNS,
    NUMBERS,
    TERRITORIES,
    TRUTHTRANCE,
)
from dunaia_env.support.messages import shorten


@dataclass(frozen=True)
class Verb:
    """A row of the action table: the actions ``first .. first + count - 1``.

    Attributes:
        name: the first word of the verb's texts.
        argument: the kind of number in the second word; empty for a verb without an argument.
        least: the argument of the first action; 0 without an argument.
        count: number of actions.
        meaning: what the actions do, as a clause.
        first: number of the first action.
    """

    name: str
    argument: str
    least: int
    count: int
    meaning: str
    first: int


_BATTLE_KINDS = TRUTHTRANCE  # the kinds before it can be played in a plan

_ROWS: tuple[tuple[str, str, int, int, str], ...] = (
    ("pass", "", 0, 1, "no, nothing, no more"),
    ("yes", "", 0, 1, "yes"),
    ("karama", "", 0, 1, "spend a Karama for what the decision is about"),
    ("orbit", "", 0, 1, "lift into the reserve"),
    ("number", "number", 0, NUMBERS, "so many tokens or spice, a dial, a raise"),
    ("cell", "cell", 0, CELLS, "the target of a landing or a move, the field of a battle"),
    ("territory", "territory", 0, TERRITORIES, "the origin of a move, the place of a worm"),
    ("leader", "leader", 0, LEADERS, "that leader"),
    ("card", "kind", 0, KINDS, "play a card of that kind, ask about it, give it"),
    ("seat", "offset", 1, MAX_PLAYERS - 1, "the seat so many places to the right"),
    ("faction", "faction", 0, FACTIONS, "a prediction, or a question about it"),
    ("turn", "turn", 1, MOST_TURNS, "a prediction, or a question about it"),
    ("must", "kind", 0, _BATTLE_KINDS, "the Voice's order to play a card of that kind"),
    ("must_not", "kind", 0, _BATTLE_KINDS, "the Voice's order not to play one"),
    ("see", "element", 0, ALL_ELEMENTS, "see the leader, weapon, defence or number of a plan"),
)


def _build_table() -> tuple[Verb, ...]:
    table = []
    first = 0
    for name, argument, least, count, meaning in _ROWS:
        table.append(Verb(name, argument, least, count, meaning, first))
        first += count
    return tuple(table)


ACTION_TABLE: tuple[Verb, ...] = _build_table()
NUM_ACTIONS: int = ACTION_TABLE[-1].first + ACTION_TABLE[-1].count
_BY_NAME = {verb.name: verb for verb in ACTION_TABLE}

ACTION_TEXTS: tuple[str, ...] = tuple(
    f"{verb.name} {verb.least + index}" if verb.argument else verb.name
    for verb in ACTION_TABLE
    for index in range(verb.count)
)
_NUMBERS = {text: number for number, text in enumerate(ACTION_TEXTS)}

# The first action of each verb, for the rules.
PASS = _BY_NAME["pass"].first
YES = _BY_NAME["yes"].first
USE_KARAMA = _BY_NAME["karama"].first
ORBIT = _BY_NAME["orbit"].first
NUMBER_FIRST = _BY_NAME["number"].first
CELL_FIRST = _BY_NAME["cell"].first
TERRITORY_FIRST = _BY_NAME["territory"].first
LEADER_FIRST = _BY_NAME["leader"].first
CARD_FIRST = _BY_NAME["card"].first
SEAT_FIRST = _BY_NAME["seat"].first  # offset 1
FACTION_FIRST = _BY_NAME["faction"].first
TURN_FIRST = _BY_NAME["turn"].first  # turn 1
MUST_FIRST = _BY_NAME["must"].first
MUST_NOT_FIRST = _BY_NAME["must_not"].first
SEE_FIRST = _BY_NAME["see"].first

# For each action: the index of its verb in ACTION_TABLE, and its argument (0 if there is none).
VERB_OF: NDArray[np.int16] = np.repeat(
    np.arange(len(ACTION_TABLE), dtype=np.int16), [verb.count for verb in ACTION_TABLE]
)
ARGUMENT: NDArray[np.int16] = np.concatenate(
    [np.arange(verb.least, verb.least + verb.count, dtype=np.int16) for verb in ACTION_TABLE]
)

ACTION_HASH: str = hashlib.sha256(json.dumps(ACTION_TEXTS).encode()).hexdigest()[:16]


def verb(name: str) -> Verb:
    """The row of a verb; raises `KeyError` for an unknown verb."""
    return _BY_NAME[name]


def action_text(action: int) -> str:
    """The canonical text of an action; raises `ValueError` unless ``0 <= action < NUM_ACTIONS``."""
    if not 0 <= action < NUM_ACTIONS:
        raise ValueError(f"action: {action}; a number in 0..{NUM_ACTIONS - 1} is needed")
    return ACTION_TEXTS[action]


def parse_action(text: str) -> int:
    """The number of the action with a text such as ``number 3``; raises `ValueError` naming what is wrong."""
    words = text.split()
    number = _NUMBERS.get(" ".join(words))
    if number is not None:
        return number
    if not words or words[0] not in _BY_NAME:
        raise ValueError(f"action {shorten(text)}: unknown verb; one of {', '.join(_BY_NAME)} is needed")
    row = _BY_NAME[words[0]]
    wanted = f"{row.argument} {row.least}..{row.least + row.count - 1}" if row.argument else "no argument"
    raise ValueError(f"action {shorten(text)}: {row.name} takes {wanted}")
