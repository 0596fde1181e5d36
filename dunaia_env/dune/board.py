"""Values that follow from the board: neighbours, distances, fields, and sets of cells and territories as bits.

A set of territories is one uint64. A set of cells is two of them: cell c is bit c % 64 of word c // 64.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dunaia_env.dune.state import CELLS, NONE, SECTORS, TERRITORIES

WORD = 64
CELL_WORDS = 2
MOST_NEIGHBOURS = 20  # of a cell; the Polar Sink has 19
FAR = 100  # the distance to a place that no way leads to

SAND, ROCK, STRONGHOLD, POLAR_SINK = 0, 1, 2, 3
TYPE_NAMES = ("sand", "rock", "stronghold", "polar_sink")
UNPROTECTED, BEHIND_THE_WALL, PROTECTED = 0, 1, 2
PROTECTION_NAMES = ("none", "wall", "always")


def cell_set(cells: Any) -> NDArray[np.uint64]:
    """The bits of a sequence of cells, uint64 ``(CELL_WORDS,)``."""
    words = np.zeros(CELL_WORDS, np.uint64)
    for cell in cells:
        words[cell // WORD] |= np.uint64(1 << cell % WORD)
    return words


def cells_of(words: Any) -> list[int]:
    """The cells of a set of bits, ascending."""
    return [cell for cell in range(CELLS) if int(words[cell // WORD]) >> cell % WORD & 1]


def territory_set(territories: Any) -> np.uint64:
    """The bits of a sequence of territories."""
    return np.uint64(sum(1 << int(territory) for territory in set(territories)))


def territories_of(word: Any) -> list[int]:
    """The territories of a set of bits, ascending."""
    return [territory for territory in range(TERRITORIES) if int(word) >> territory & 1]


def distances(near: NDArray[np.bool_], cost: NDArray[np.int64]) -> NDArray[np.int64]:
    """The least cost of a way over neighbours from each place to each other place; `FAR` if there is no way.

    Args:
        near: which places are neighbours, bool ``(n, n)``.
        cost: cost of the step from a place to its neighbour, ``(n, n)``.
    """
    ways = np.where(near, cost, FAR)
    np.fill_diagonal(ways, 0)
    for middle in range(len(ways)):
        ways = np.minimum(ways, ways[:, middle, None] + ways[None, middle, :])
    result: NDArray[np.int64] = np.minimum(ways, FAR)
    return result


def derive(tables: Any, near: NDArray[np.bool_]) -> None:
    """Fill in the fields that follow from other fields.

    Args:
        tables: the components' record, in which territories, sectors, protection and special territories are set.
        near: which cells are neighbours, bool ``(CELLS, CELLS)``.
    """
    territory = tables.territory_of.astype(np.int64)
    inside = territory[:, None] == territory[None, :]
    for cell in range(CELLS):
        found = np.flatnonzero(near[cell])
        tables.num_neighbours[cell] = len(found)
        tables.neighbours[cell] = NONE
        tables.neighbours[cell, : len(found)] = found
        tables.near_cells[cell] = cell_set(found.tolist())
    tables.cell_distance[:] = distances(near, np.where(inside, 0, 1))
    borders = np.zeros((TERRITORIES, TERRITORIES), np.bool_)
    for one, other in np.argwhere(near & ~inside):
        borders[territory[one], territory[other]] = True
    tables.territory_distance[:] = distances(borders, np.ones_like(borders, np.int64))
    for number in range(TERRITORIES):
        tables.near_territories[number] = territory_set(np.flatnonzero(borders[number]).tolist())
        tables.territory_cells[number] = cell_set(np.flatnonzero(territory == number).tolist())
    for sector in range(SECTORS):
        tables.sector_cells[sector] = cell_set(np.flatnonzero(tables.sector == sector).tolist())
        tables.field_of[sector] = _fields(tables, near & inside, sector)
    protection = tables.protection[territory]
    tables.open_behind_the_wall[:] = cell_set(np.flatnonzero(protection == UNPROTECTED).tolist())
    tables.open_without_the_wall[:] = cell_set(np.flatnonzero(protection != PROTECTED).tolist())
    wall = int(tables.shield_wall)
    tables.atomics_from = territory_set([wall, *np.flatnonzero(borders[wall]).tolist()])
    steps = tables.territory_distance[int(tables.landing_from)]
    landing = np.flatnonzero(steps <= int(tables.landing_steps)).tolist()
    tables.fremen_landing = territory_set(landing)


def _fields(tables: Any, near: NDArray[np.bool_], storm: int) -> NDArray[np.int64]:
    """The field of each cell while the storm is in a sector, named by its lowest cell.

    ``near`` says which cells of one territory are neighbours. A stormy cell is a field by itself.
    """
    stormy = tables.sector == storm
    joined = near & ~stormy[:, None] & ~stormy[None, :]
    together = distances(joined, np.zeros(joined.shape, np.int64)) == 0
    result: NDArray[np.int64] = together.argmax(axis=1)
    return result
