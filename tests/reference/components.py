"""What is printed on the components, written out by hand.

These tables are deliberately not read from the data file of the library: a slip on either side then shows
up as a difference between the two implementations.
"""

from __future__ import annotations

from dataclasses import dataclass

GREEN, YELLOW, PURPLE, RED = range(4)
EVERY_COLOUR = frozenset({GREEN, YELLOW, PURPLE, RED})

# Horizontal pairs row by row, then vertical pairs row by row.
EDGES: tuple[tuple[int, int], ...] = (
    (0, 1), (1, 2),
    (3, 4), (4, 5),
    (6, 7), (7, 8),
    (0, 3), (1, 4), (2, 5),
    (3, 6), (4, 7), (5, 8),
)  # fmt: skip
EDGE_CAPACITY = 3

# The neighbouring square on each side, where there is one.
NEIGHBOURS: tuple[dict[str, int], ...] = (
    {"E": 1, "S": 3},
    {"E": 2, "S": 4, "W": 0},
    {"S": 5, "W": 1},
    {"N": 0, "E": 4, "S": 6},
    {"N": 1, "E": 5, "S": 7, "W": 3},
    {"N": 2, "S": 8, "W": 4},
    {"N": 3, "E": 7},
    {"N": 4, "E": 8, "W": 6},
    {"N": 5, "W": 7},
)

FLOWER_SQUARES = frozenset({0, 2, 4, 6, 8})
CHIP_SQUARES = frozenset({1, 3, 5, 7})

START_FLOWERS = 2
START_TOKENS = 3
START_EDGES = (0, 8, 7, 10, 9, 5)  # Dunaias 1..6 on (0,1), (2,5), (1,4), (4,7), (3,6), (7,8)

DISPLAY_PRICE = {1: 1, 2: 2, 3: 3}
PILE_PRICE = {1: 2, 2: 3, 3: 4}
STEPS_TO_COMPLETE = {1: 2, 2: 3, 3: 4}

NEUTRAL_DICE = {2: 5, 3: 4, 4: 5}

ELDER_COST = ((1, 2), (3, 4), (5, 6))  # by elder space; a third chip of choice comes on top
ELDERS = ("flowers", "moves", "advance", "search", "colour")
FRAGMENTS_PER_TYPE = 12
MARKERS_PER_COLOUR = 3

CHARACTERS = ("merchant", "trickster", "foreman", "mystic", "shepherd", "architect")


@dataclass(frozen=True)
class Arrow:
    """What one arrow gives when the building it points to is completed and has its colour."""

    colour: int
    flowers: int = 0
    chips: int = 0
    moves: int = 0
    points: int = 0


@dataclass(frozen=True)
class Tile:
    """One building tile; `effect` is the recycling effect of level 1 and the kind of base gain of level 2."""

    level: int
    colours: frozenset[int]
    effect: str
    arrows: dict[str, Arrow]


def _level_1(effect: str, colour: int) -> Tile:
    return Tile(1, frozenset({colour}), effect, {})


def _level_2_flowers(colour: int) -> Tile:
    flower = Arrow(colour, flowers=1)
    return Tile(2, frozenset({colour}), "flowers", {"N": flower, "E": flower, "S": flower, "W": flower})


def _level_2_chips(colour: int) -> Tile:
    flower, chip = Arrow(colour, flowers=1), Arrow(colour, chips=1)
    return Tile(2, frozenset({colour}), "chips", {"N": flower, "E": chip, "S": flower, "W": chip})


def _level_2_moves(colour: int) -> Tile:
    flower, move = Arrow(colour, flowers=1), Arrow(colour, moves=1)
    return Tile(2, frozenset({colour}), "moves", {"N": flower, "E": move, "S": flower, "W": move})


def _level_3(colour: int, arrow_colour: int, sides: str) -> Tile:
    return Tile(3, frozenset({colour}), "none", {side: Arrow(arrow_colour, points=2) for side in sides})


def _multicolour() -> Tile:
    return Tile(3, EVERY_COLOUR, "none", {})


TILES: tuple[Tile, ...] = (
    _level_1("flowers", GREEN),  # 0
    _level_1("flowers", YELLOW),
    _level_1("flowers", PURPLE),
    _level_1("flowers", RED),
    _level_1("moves", GREEN),  # 4
    _level_1("moves", YELLOW),
    _level_1("moves", PURPLE),
    _level_1("moves", RED),
    _level_1("advance", GREEN),  # 8
    _level_1("advance", YELLOW),
    _level_1("advance", PURPLE),
    _level_1("advance", RED),
    _level_1("chips", GREEN),  # 12
    _level_1("chips", YELLOW),
    _level_1("chips", PURPLE),
    _level_1("chips", RED),
    _level_2_flowers(GREEN),  # 16
    _level_2_flowers(YELLOW),
    _level_2_flowers(PURPLE),
    _level_2_flowers(RED),
    _level_2_chips(GREEN),  # 20
    _level_2_chips(YELLOW),
    _level_2_chips(PURPLE),
    _level_2_chips(RED),
    _level_2_moves(GREEN),  # 24
    _level_2_moves(YELLOW),
    _level_2_moves(PURPLE),
    _level_2_moves(RED),
    _level_3(GREEN, RED, "NW"),  # 28
    _level_3(GREEN, YELLOW, "ES"),
    _level_3(YELLOW, GREEN, "NW"),
    _level_3(YELLOW, PURPLE, "ES"),
    _level_3(PURPLE, YELLOW, "NW"),  # 32
    _level_3(PURPLE, RED, "ES"),
    _level_3(RED, PURPLE, "NW"),
    _level_3(RED, GREEN, "ES"),
    _multicolour(),  # 36
    _multicolour(),
    _multicolour(),
    _multicolour(),
)

TILES_OF_LEVEL = {1: range(16), 2: range(16, 28), 3: range(28, 40)}

LEVEL_1_FLOWERS, LEVEL_1_MOVES, LEVEL_1_CHIPS = 3, 3, 2

# Group A is 0..2, group B 3..5, group C 6..8; within each group in this order.
PROPHECY_POINTS = (2, 3, 4, 2, 3, 4, 2, 3, 4)

ARTEFACT_POINTS = (0, 1, 3, 6, 10, 14)
POINTS_PER_FURTHER_ARTEFACT = 4


def _table() -> tuple[str, ...]:
    texts = [f"draft {character}" for character in range(6)]
    texts += [f"take {face}" for face in range(1, 7)]
    texts += [f"take_flipped {face}" for face in range(1, 7)]
    texts += [f"awaken {square}" for square in range(9)]
    texts += ["flower"]
    texts += [f"use {offset} {square}" for offset in range(4) for square in range(9)]
    texts += [f"start {offer} {square}" for offer in range(8) for square in range(9)]
    texts += [f"move {dunaia} {edge}" for dunaia in range(1, 7) for edge in range(12)]
    texts += [f"plug {chip}" for chip in range(1, 7)]
    texts += [f"discard {chip}" for chip in range(1, 7)]
    texts += [f"advance {square}" for square in range(9)]
    texts += [f"call {space}" for space in range(3)]
    texts += [f"search {tile}" for tile in range(40)]
    texts += [f"colour {colour} {square}" for colour in range(4) for square in range(9)]
    texts += ["power"]
    texts += [f"reserve {offer}" for offer in range(6)]
    texts += ["pass"]
    return tuple(texts)


ACTIONS = _table()
ACTION_INDEX = {text: index for index, text in enumerate(ACTIONS)}
