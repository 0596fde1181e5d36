"""Where the inputs of the network with shared encoders lie in an observation of Dunaïa, by the names of its pieces.

Pieces that no encoder reads go to the trunk as they are. `training.models.networks` describes the network.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable

import numpy as np

from dunaia_env.dunaia.actions import ACTION_TABLE, verb
from dunaia_env.dunaia.observation import PIECES
from dunaia_env.dunaia.state import COLOURS, DUNAIAS, LEVELS, NEIGHBOURS, NONE, SIDES, SQUARES, TILES

from .shared_forward import ENCODED, OTHER_ENCODED, PILE_ENCODED, PRODUCTS

# Verbs whose actions name squares, offers, edges or tiles. Each action of the other verbs has weights of its own.
POINTED = ("awaken", "use", "start", "move", "advance", "search", "colour", "reserve")
# The pieces that are added up over the tiles of a pile: all but the arrows, whose numbers are codes.
COUNTED = ("top", "colours", "effect", "steps")
# Number of inputs that a square sees of each neighbour.
SEEN = 2 * COLOURS + 2
# Sizes of the consecutive parts of the outputs of the square heads and of the offer heads.
SQUARE_SIZES, OFFER_SIZES = (4 + COLOURS, PRODUCTS, PRODUCTS), (2, PRODUCTS)


def fields_of(prefix: str) -> dict[str, list[int]]:
    """Indices of the pieces whose names consist of a prefix and one more word, by that word."""
    pieces = ((name.removeprefix(prefix), piece) for name, piece in PIECES.items() if name.startswith(prefix))
    return {word: list(range(one.first, one.first + one.size)) for word, one in pieces if "." not in word}


def numbered(prefix: str, first: int = 0) -> list[str]:
    """The prefixes of things that are numbered from ``first``, such as ``offer_0.``, ``offer_1.`` ..."""
    return list(itertools.takewhile(fields_of, (f"{prefix}{number}." for number in itertools.count(first))))


def flat(fields: dict[str, list[int]], names: Iterable[str]) -> list[int]:
    """The indices of some fields, one after the other."""
    return [index for name in names for index in fields[name]]


def seen_from(fields: dict[str, list[int]], side: int) -> list[int]:
    """The inputs that a square sees of its neighbour on a side; they decide whether arrows between the two count."""
    facing = (side + SIDES // 2) % SIDES
    arrows = np.reshape(fields["arrows"], (SIDES, COLOURS))[facing]
    return [*fields["colours"], *fields["built"], *arrows.tolist(), fields["arrow_gains"][facing]]


class Indices:
    """Indices of the encoders' inputs in observations with ``inputs`` entries.

    Attributes:
        tile: number of inputs for what is printed on a tile; they come first in each row of ``squares`` and ``offers``.
        squares: int64 ``(9, inputs)``, the inputs of each own square; `NONE` for those of a missing neighbour.
        offers: int64 ``(offers, inputs)``, the inputs of each offer.
        others: int64 ``(9 * other players, inputs)``, the inputs of each square of each other player.
        piles: int64 ``(inputs, 40)``, the inputs of each tile in the piles, which are zero if the tile is in no pile.
        counted: int64, the rows of ``piles`` that are added up over the tiles of a pile.
        dunaias: int64 ``(6, 9)``, the inputs that say which squares each own Dunaia is beside.
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
        """Sizes of the parts of the trunk's inputs that come from the encoders.

        The parts are: own squares, the mean of the offers, their maximum, other players' squares, the piles' contents.
        """
        others = OTHER_ENCODED * len(self.others)
        return [ENCODED * len(self.squares), ENCODED, ENCODED, others, LEVELS * len(self.counted)]


def trunk_sizes(seats: int) -> list[int]:
    """Sizes of the consecutive parts of the trunk's outputs.

    The parts are: values; scores; the contexts of squares, of offers, of other players' squares and of tiles; a vector
    for each Dunaia, with which the edges are multiplied; and the logits of each verb that is not in `POINTED`.
    """
    plain = [verb.count for verb in ACTION_TABLE if verb.name not in POINTED]
    return [seats, seats, ENCODED, ENCODED, OTHER_ENCODED, PILE_ENCODED, DUNAIAS * PRODUCTS, *plain]


def absent_squares(others: int) -> int:
    """Number of actions ``use`` that name squares of absent players."""
    return verb("use").count - SQUARES - others
