"""The action table: one row per verb. Sizes, numbers, texts, documentation and the hash all derive from it.

An action is a number in 0..NUM_ACTIONS-1. Its text is the verb and its arguments joined by spaces (``move 5 11``).
"""

from __future__ import annotations

import hashlib
import itertools
import json
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dunaia_env.dunaia.state import (
    CHARACTERS,
    COLOURS,
    DUNAIAS,
    EDGES,
    ELDER_SPACES,
    FACES,
    FOUND_OFFER,
    MAX_PLAYERS,
    OFFERS,
    SQUARES,
    TILES,
)
from dunaia_env.support.messages import shorten


@dataclass(frozen=True)
class Argument:
    """An argument of a verb: its name and its ``count`` values from ``first`` upwards."""

    name: str
    first: int
    count: int


@dataclass(frozen=True)
class Verb:
    """A row of the action table: the actions ``first .. first + count - 1``, where the last argument varies fastest."""

    name: str
    arguments: tuple[Argument, ...]
    meaning: str
    first: int
    count: int


_CHARACTER = Argument("character", 0, CHARACTERS)
_FACE = Argument("face", 1, FACES)
_SQUARE = Argument("square", 0, SQUARES)
_CHIP = Argument("chip", 1, FACES)

_ROWS: tuple[tuple[str, tuple[Argument, ...], str], ...] = (
    ("draft", (_CHARACTER,), "take that character"),
    ("take", (_FACE,), "choose a die showing that face"),
    ("take_flipped", (_FACE,), "choose a die showing that face and turn it to its opposite face"),
    ("awaken", (_SQUARE,), "wake the Dunaia; this square's effect resolves first"),
    ("flower", (), "recycle on the flower space"),
    (
        "use",
        (Argument("seat offset", 0, MAX_PLAYERS), _SQUARE),
        "recycle on that completed level 1 building (0 own, k of the k-th player to the left)",
    ),
    (
        "start",
        (Argument("offer", 0, FOUND_OFFER + 1), _SQUARE),
        "pay that tile and put it there under construction",
    ),
    ("move", (Argument("Dunaia", 1, DUNAIAS), Argument("edge", 0, EDGES)), "move that Dunaia there"),
    ("plug", (_CHIP,), "plug that chip"),
    ("discard", (_CHIP,), "pay with that chip"),
    ("advance", (_SQUARE,), "advance that building"),
    ("call", (Argument("elder space", 0, ELDER_SPACES),), "call that elder"),
    ("search", (Argument("tile", 0, TILES),), "take that tile from its pile"),
    ("colour", (Argument("colour", 0, COLOURS), _SQUARE), "put a marker of that colour on that building"),
    ("power", (), "use the once-per-turn power of the character"),
    ("reserve", (Argument("offer", 0, OFFERS),), "reserve that tile"),
    ("pass", (), "stop moving, decline an optional effect, continue to the next phase, or end the turn"),
)


def _build_table() -> tuple[Verb, ...]:
    table = []
    first = 0
    for name, arguments, meaning in _ROWS:
        count = int(np.prod([argument.count for argument in arguments], dtype=np.int64))
        table.append(Verb(name, arguments, meaning, first, count))
        first += count
    return tuple(table)


ACTION_TABLE: tuple[Verb, ...] = _build_table()
NUM_ACTIONS: int = ACTION_TABLE[-1].first + ACTION_TABLE[-1].count
_BY_NAME = {verb.name: verb for verb in ACTION_TABLE}


def _texts() -> tuple[str, ...]:
    texts = []
    for verb in ACTION_TABLE:
        ranges = [range(argument.first, argument.first + argument.count) for argument in verb.arguments]
        texts += [" ".join([verb.name, *map(str, values)]) for values in itertools.product(*ranges)]
    return tuple(texts)


ACTION_TEXTS: tuple[str, ...] = _texts()
_NUMBERS = {text: number for number, text in enumerate(ACTION_TEXTS)}

# The first action of each verb, for the rules.
DRAFT_FIRST = _BY_NAME["draft"].first
TAKE_FIRST = _BY_NAME["take"].first
TAKE_FLIPPED_FIRST = _BY_NAME["take_flipped"].first
AWAKEN_FIRST = _BY_NAME["awaken"].first
FLOWER = _BY_NAME["flower"].first
USE_FIRST = _BY_NAME["use"].first
START_FIRST = _BY_NAME["start"].first
MOVE_FIRST = _BY_NAME["move"].first
PLUG_FIRST = _BY_NAME["plug"].first
DISCARD_FIRST = _BY_NAME["discard"].first
ADVANCE_FIRST = _BY_NAME["advance"].first
CALL_FIRST = _BY_NAME["call"].first
SEARCH_FIRST = _BY_NAME["search"].first
COLOUR_FIRST = _BY_NAME["colour"].first
USE_POWER = _BY_NAME["power"].first
RESERVE_FIRST = _BY_NAME["reserve"].first
PASS = _BY_NAME["pass"].first

# For each action: the index of its verb in ACTION_TABLE, and its arguments counted from 0 (0 for a missing argument).
VERB_OF: NDArray[np.int16] = np.repeat(
    np.arange(len(ACTION_TABLE), dtype=np.int16), [verb.count for verb in ACTION_TABLE]
)
ARGUMENTS: NDArray[np.int16] = np.zeros((NUM_ACTIONS, 2), np.int16)
for _verb in ACTION_TABLE:
    _counts = [argument.count for argument in _verb.arguments]
    for _offset, _values in enumerate(itertools.product(*map(range, _counts))):
        ARGUMENTS[_verb.first + _offset, : len(_values)] = _values

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
    """The number of the action with a text such as ``take 3``; raises `ValueError` naming what is wrong."""
    words = text.split()
    number = _NUMBERS.get(" ".join(words))
    if number is not None:
        return number
    if not words or words[0] not in _BY_NAME:
        raise ValueError(f"action {shorten(text)}: unknown verb; one of {', '.join(_BY_NAME)} is needed")
    wanted = ", ".join(
        f"{argument.name} {argument.first}..{argument.first + argument.count - 1}"
        for argument in _BY_NAME[words[0]].arguments
    )
    raise ValueError(f"action {shorten(text)}: {words[0]} takes {wanted or 'no argument'}")
