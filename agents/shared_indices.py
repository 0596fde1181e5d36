"""Where the inputs of the network with shared encoders lie in an observation of Dunaïa, from the names of its pieces.

Pieces that are unknown here go to the trunk as they are. `training.networks` describes the network.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import numpy as np

from dunaia_env.dunaia.actions import ACTION_TABLE, verb
from dunaia_env.dunaia.observation import PIECES
from dunaia_env.dunaia.state import COLOURS, DUNAIAS, LEVELS, NEIGHBOURS, NONE, SIDES, SQUARES, TILES

from .shared_forward import ENCODED, OTHER_ENCODED, PILE_ENCODED, PRODUCTS

# Verbs whose actions name squares, offers, edges or tiles; all others have weights of their own for each action.
POINTED = ("awaken", "use", "start", "move", "advance", "search", "colour", "reserve")
# What is added up over the tiles of a pile: all that is no code.
COUNTED = ("top", "colours", "effect", "steps")
# Number of inputs that a square sees of each neighbour.
SEEN = 2 * COLOURS + 2
# Sizes of the parts that follow each other in the outputs of the square heads and of the offer heads.
SQUARE_SIZES, OFFER_SIZES = (4 + COLOURS, PRODUCTS, PRODUCTS), (2, PRODUCTS)


def fields_of(prefix: str) -> dict[str, list[int]]:
    """Indices of the pieces whose names are a prefix and one more word, by that word."""
    pieces = ((name.removeprefix(prefix), piece) for name, piece in PIECES.items() if name.startswith(prefix))
    return {word: list(range(one.first, one.first + one.size)) for word, one in pieces if "." not in word}


def numbered(prefix: str, first: int = 0) -> list[str]:
    """The prefixes of things that are numbered from ``first``, such as ``offer_0.``, ``offer_1.`` ..."""
    return list(itertools.takewhile(fields_of, (f"{prefix}{number}." for number in itertools.count(first))))


def flat(fields: dict[str, list[int]], names: Iterable[str]) -> list[int]:
    """The indices of some fields, one after the other."""
    return [index for name in names for index in fields[name]]


def seen_from(fields: dict[str, list[int]], side: int) -> list[int]:
    """What a square sees of its neighbour on a side: inputs that decide whether arrows between them count."""
    facing = (side + SIDES // 2) % SIDES
    arrows = np.reshape(fields["arrows"], (SIDES, COLOURS))[facing]
    return [*fields["colours"], *fields["built"], *arrows.tolist(), fields["arrow_gains"][facing]]


class Indices:
    """Where the inputs of the encoders lie in observations of some length.

    Attributes:
        tile: number of inputs that are printed on a tile, the first ones of each row of ``squares`` and ``offers``.
        squares: int64 ``(9, inputs)``, of the own squares; `NONE` for a neighbour that is not there.
        offers: int64 ``(offers, inputs)``.
        others: int64 ``(9 * other players, inputs)``, of the squares of each other player.
        piles: int64 ``(inputs, 40)``, of the tiles in the piles; a tile's inputs are zero where it is in no pile.
        counted: int64, the rows of ``piles`` that are added up over the tiles of a pile.
        dunaias: int64 ``(6, 9)``, the squares beside each own Dunaia.
        rest: int64, all inputs that no encoder reads.
    """

    def __init__(self, inputs: int) -> None:
        squares = [fields_of(prefix) for prefix in numbered("own.square_")]
        offers = [fields_of(prefix) for prefix in numbered("offer_")]
        tile = [word for word in offers[0] if len(squares[0].get(word, ())) == len(offers[0][word])]
        status = [word for word in squares[0] if word not in tile]
        extra = [word for word in offers[0] if word not in tile]
        self.tile = len(flat(offers[0], tile))
        self.dunaias = np.reshape(fields_of("own.")["dunaias"], (DUNAIAS, SQUARES))
        second_square = fields_of("")["second_square"]
        rows = []
        for square, fields in enumerate(squares):
            row = [*flat(fields, (*tile, *status)), second_square[square], *self.dunaias[:, square]]
            for side, neighbour in enumerate(NEIGHBOURS[square]):
                row += seen_from(squares[neighbour], side) if neighbour != NONE else [NONE] * SEEN
            rows.append(row)
        self.squares = np.array(rows)
        self.offers = np.array([flat(fields, (*tile, *extra)) for fields in offers])
        seats = [seat for seat in numbered("seat_", 1) if fields_of(seat)["flowers"][0] < inputs]
        others = [fields_of(prefix) for seat in seats for prefix in numbered(f"{seat}square_")]
        self.others = np.array([flat(fields, fields) for fields in others])
        piles = fields_of("piles.")
        self.piles = np.reshape(flat(piles, piles), (-1, TILES))
        counted = flat(piles, COUNTED)
        self.counted = np.flatnonzero(np.isin(self.piles[:, 0], counted))
        read = {index for fields in (*squares, *offers, *others, piles) for index in flat(fields, fields)}
        self.rest = np.array([index for index in range(inputs) if index not in read])

    @property
    def code_sizes(self) -> list[int]:
        """Sizes of the parts that the encoders add to the trunk's inputs.

        They are: own squares, the mean of the offers, their maximum, other players' squares, the piles' contents.
        """
        others = OTHER_ENCODED * len(self.others)
        return [ENCODED * len(self.squares), ENCODED, ENCODED, others, LEVELS * len(self.counted)]


def trunk_sizes(seats: int) -> list[int]:
    """Sizes of the parts that follow each other in the trunk's outputs.

    They are: values, scores, the contexts of squares, offers, other players' squares and tiles, what is multiplied with
    the edges for each Dunaia, and the logits of each verb that is not in `POINTED`.
    """
    plain = [one.count for one in ACTION_TABLE if one.name not in POINTED]
    return [seats, seats, ENCODED, ENCODED, OTHER_ENCODED, PILE_ENCODED, DUNAIAS * PRODUCTS, *plain]


def absent_squares(others: int) -> int:
    """Number of actions ``use`` that name squares of players who are not there."""
    return verb("use").count - SQUARES - others
