"""The tokens of a group, and the cells where it can go: rides, lifts and ground moves (rules, sections 5 and 8)."""

from __future__ import annotations

import numpy as np

from dunaia_env.dune import board, decisions
from dunaia_env.dune.actions import CELL_FIRST, NUMBER_FIRST
from dunaia_env.dune.rules import storm
from dunaia_env.dune.rules.common import asking, forces, seats, spice
from dunaia_env.dune.rules.common.steps import AFTER_MOVE, RESUME
from dunaia_env.dune.state import BLOW, CELLS, FREMEN, MOST_CELLS_OF_A_TERRITORY, NONE
from dunaia_env.support.compile_cache import kernel

_ONE = np.uint64(1)
_WORD = 64


@kernel
def is_territory_in(territories, territory):
    """Whether a territory is in a set of territories (uint64)."""
    return (territories >> np.uint64(territory)) & _ONE != 0


@kernel
def add_cell(cells, cell):
    """Add a cell to a set of cells (uint64 words)."""
    cells[cell // _WORD] |= _ONE << np.uint64(cell % _WORD)


@kernel
def range_of(state, components, seat):
    """The number of territories that a ground move of a seat may enter."""
    if forces.occupies_ornithopters(state, components, seat):
        return int(components.ornithopter_steps)
    if seats.has_power(state, seat, FREMEN):
        return int(components.fremen_steps)
    return int(components.steps)


@kernel
def reach(state, components, start, steps, enterable, cells):
    """Write the cells of other territories that a group in a cell can reach in ``steps`` steps into ``cells``.

    ``enterable`` is the set of territories that the seat may enter. Steps inside a territory are free. No cell on the
    way may be stormy. Returns whether there are such cells.
    """
    for word in range(board.CELL_WORDS):
        cells[word] = np.uint64(0)
    if forces.is_stormy(state, components, start):
        return False
    origin = int(components.territory_of[start])
    distance = np.full(CELLS, steps + 1, np.int64)
    distance[start] = 0
    queue = np.empty(CELLS, np.int64)
    found = False
    for entered in range(steps + 1):
        length = 0
        for cell in range(CELLS):
            if distance[cell] == entered:
                queue[length] = cell
                length += 1
        place = 0
        while place < length:
            cell = queue[place]
            place += 1
            territory = components.territory_of[cell]
            if territory != origin:
                add_cell(cells, cell)
                found = True
            for k in range(int(components.num_neighbours[cell])):
                other = int(components.neighbours[cell, k])
                if distance[other] <= entered or forces.is_stormy(state, components, other):
                    continue
                if components.territory_of[other] == territory:
                    distance[other] = entered
                    queue[length] = other
                    length += 1
                elif entered < steps:
                    beyond = int(components.territory_of[other])
                    if beyond == origin or is_territory_in(enterable, beyond):
                        distance[other] = min(distance[other], entered + 1)
    return found


@kernel
def ride_targets(state, components, enterable, territory, cells):
    """Write the cells where a worm can carry tokens from a territory into ``cells``; returns whether there are any."""
    found = False
    for word in range(board.CELL_WORDS):
        cells[word] = np.uint64(0)
    for cell in range(CELLS):
        other = int(components.territory_of[cell])
        if other != territory and not forces.is_stormy(state, components, cell) and is_territory_in(enterable, other):
            add_cell(cells, cell)
            found = True
    return found


@kernel
def has_ride_target(state, components, seat, territory):
    """Whether a worm could carry tokens of a seat out of a territory."""
    cells = np.empty(board.CELL_WORDS, np.uint64)
    return ride_targets(state, components, forces.enterable_territories(state, components, seat), territory, cells)


@kernel
def next_cell_to_count(state, components, seat, after):
    """The next cell of the origin with tokens of the seat and without storm; -1 after the last."""
    origin = int(state.origin)
    first = int(components.first_cell[origin])
    for cell in range(max(first, after + 1), first + int(components.num_cells[origin])):
        if state.players[seat].forces[cell] > 0 and not forces.is_stormy(state, components, cell):
            return cell
    return NONE


@kernel
def begin_count(state, components, seat, territory):
    """Ask how many tokens leave a territory, cell by cell."""
    state.origin = territory
    state.cell = next_cell_to_count(state, components, seat, NONE)
    return asking.ask(state, seat, decisions.COUNT)


@kernel
def taken_tokens(state):
    """The number of tokens named so far."""
    tokens = 0
    for place in range(MOST_CELLS_OF_A_TERRITORY):
        tokens += int(state.taken[place])
    return tokens


@kernel
def targets_from(state, components, seat, enterable, cell, cells):
    """Write the cells where tokens of a cell of the origin can go into ``cells``; returns whether there are any."""
    if state.phase == BLOW:
        return ride_targets(state, components, enterable, int(state.origin), cells)
    return reach(state, components, cell, range_of(state, components, seat), enterable, cells)


@kernel
def common_targets(state, components, seat, enterable, cells):
    """Write the cells where all tokens named so far can go into ``cells``; returns whether there are any."""
    first = int(components.first_cell[int(state.origin)])
    own = np.empty(board.CELL_WORDS, np.uint64)
    begun = False
    found = False
    for place in range(MOST_CELLS_OF_A_TERRITORY):
        if state.taken[place] > 0:
            targets_from(state, components, seat, enterable, first + place, own)
            found = False
            for word in range(board.CELL_WORDS):
                cells[word] = own[word] & cells[word] if begun else own[word]
                found = found or cells[word] != 0
            begun = True
    return found


@kernel
def list_count(state, components, actions):
    """COUNT: list the numbers of tokens with which the group has a target; 0 only if another cell gives tokens."""
    seat, cell = int(state.seat), int(state.cell)
    most = int(state.players[seat].forces[cell])
    taken = taken_tokens(state)
    if state.lifting != 0:
        most = min(most, int(components.orbit_tokens) * spice.funds(state, seat) - taken)
        may_be_none = taken > 0 or next_cell_to_count(state, components, seat, cell) != NONE
    else:
        enterable = forces.enterable_territories(state, components, seat)
        own = np.empty(board.CELL_WORDS, np.uint64)
        common = np.empty(board.CELL_WORDS, np.uint64)
        found = targets_from(state, components, seat, enterable, cell, own)
        if taken > 0:
            common_targets(state, components, seat, enterable, common)
            found = False
            for word in range(board.CELL_WORDS):
                found = found or own[word] & common[word] != 0
        if not found:
            most = 0
        may_be_none = taken > 0
        later = next_cell_to_count(state, components, seat, cell)
        while later != NONE and not may_be_none:
            may_be_none = targets_from(state, components, seat, enterable, later, own)
            later = next_cell_to_count(state, components, seat, later)
    count = 0
    for number in range(0 if may_be_none else 1, most + 1):
        actions[count] = NUMBER_FIRST + number
        count += 1
    if may_be_none and count == 0:
        actions[0] = NUMBER_FIRST
        count = 1
    return count


@kernel
def answer_count(state, components, chance, action):
    """COUNT: ask about the next cell or, after the last one, for the target."""
    seat, cell = int(state.seat), int(state.cell)
    state.taken[cell - int(components.first_cell[int(state.origin)])] = action - NUMBER_FIRST
    state.cell = next_cell_to_count(state, components, seat, cell)
    if state.cell != NONE:
        return asking.ask(state, seat, decisions.COUNT)
    return asking.ask(state, seat, decisions.SHIP_TO if state.lifting != 0 else decisions.MOVE_TO)


@kernel
def list_cells(cells, actions, count):
    """Append the cells of a set; returns the number of actions."""
    for cell in range(CELLS):
        if storm.is_in(cells, cell):
            actions[count] = CELL_FIRST + cell
            count += 1
    return count


@kernel
def list_move_to(state, components, actions):
    """MOVE_TO: list the cells where the whole group can go."""
    seat = int(state.seat)
    cells = np.zeros(board.CELL_WORDS, np.uint64)
    common_targets(state, components, seat, forces.enterable_territories(state, components, seat), cells)
    return list_cells(cells, actions, 0)


@kernel
def take_group(state, components, seat):
    """Take the named tokens off the board and forget the count; returns their number."""
    first = int(components.first_cell[int(state.origin)])
    tokens = 0
    for place in range(MOST_CELLS_OF_A_TERRITORY):
        taken = int(state.taken[place])
        if taken > 0:
            state.players[seat].forces[first + place] -= taken
            tokens += taken
            state.taken[place] = 0
    state.origin = NONE
    return tokens


@kernel
def answer_move_to(state, components, chance, action):
    """MOVE_TO: the group goes to the chosen cell."""
    seat = int(state.seat)
    state.players[seat].forces[action - CELL_FIRST] += take_group(state, components, seat)
    if state.phase == BLOW:
        state.worm = NONE
        return RESUME
    return AFTER_MOVE
