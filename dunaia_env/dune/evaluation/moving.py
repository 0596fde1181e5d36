"""Preferences among shipments, moves and rides: what tokens gain where they go, minus what they leave and cost."""

from __future__ import annotations

import numpy as np

from dunaia_env.dune import decisions
from dunaia_env.dune.actions import CELL_FIRST, NUMBER_FIRST, PASS, TERRITORY_FIRST, USE_KARAMA, YES
from dunaia_env.dune.board import CELL_WORDS
from dunaia_env.dune.evaluation.ground import gain_in, loss_in
from dunaia_env.dune.evaluation.prices import card_worth, price_worth
from dunaia_env.dune.evaluation.weights import RESERVE
from dunaia_env.dune.rules.common.forces import enterable_territories
from dunaia_env.dune.rules.common.seats import has_power
from dunaia_env.dune.rules.common.spice import funds
from dunaia_env.dune.rules.counting import common_targets, range_of, reach, ride_targets, taken_tokens
from dunaia_env.dune.rules.setup import tokens_to_place
from dunaia_env.dune.rules.shipment import most_landed, pays_half, price_of
from dunaia_env.dune.rules.storm import is_in
from dunaia_env.dune.state import BLOW, CELLS, FREMEN, HAJR, KARAMA_CARD, TERRITORIES, TOKENS
from dunaia_env.support.compile_cache import kernel

_NOWHERE = -1000.0  # lower than every worth


@kernel
def landing_worth(state, components, weights, seat, ground, gains, cell, tokens):
    """The worth of landing a number of tokens from the reserve in a cell."""
    worth = gain_in(state, components, weights, seat, ground, gains, cell, tokens) - weights[RESERVE] * tokens
    if has_power(state, seat, FREMEN):
        return worth
    is_half = pays_half(state, seat)
    return worth - price_worth(state, weights, seat, price_of(components, cell, tokens, is_half))


@kernel
def prefer_shipment(state, components, weights, seat, ground, gains, legal, count, preferences):
    """SHIP: the worth of each landing with its best number of tokens."""
    is_half = pays_half(state, seat)
    spice = funds(state, seat)
    for k in range(count):
        action = int(legal[k])
        if action == USE_KARAMA:
            preferences[k] = -card_worth(state, weights, seat, KARAMA_CARD)
        elif action >= TERRITORY_FIRST:
            preferences[k] = -weights[RESERVE]
        elif action >= CELL_FIRST:
            cell = action - CELL_FIRST
            best = _NOWHERE
            for tokens in range(1, most_landed(state, components, seat, cell, is_half, spice) + 1):
                best = max(best, landing_worth(state, components, weights, seat, ground, gains, cell, tokens))
            preferences[k] = best


@kernel
def prefer_landed_tokens(state, components, weights, seat, ground, gains, legal, count, preferences):
    """SHIP_COUNT: the worth of landing that number of tokens."""
    cell = int(state.cell)
    for k in range(count):
        tokens = int(legal[k]) - NUMBER_FIRST
        preferences[k] = landing_worth(state, components, weights, seat, ground, gains, cell, tokens)


@kernel
def prefer_lift_target(state, components, weights, seat, ground, gains, legal, count, preferences):
    """SHIP_TO: the worth of the lifted tokens in the cell, minus their price."""
    tokens = taken_tokens(state)
    for k in range(count):
        action = int(legal[k])
        if action >= CELL_FIRST:
            cell = action - CELL_FIRST
            price = price_of(components, cell, tokens, True)
            preferences[k] = gain_in(state, components, weights, seat, ground, gains, cell, tokens)
            preferences[k] -= price_worth(state, weights, seat, price)


@kernel
def best_gain(state, components, weights, seat, ground, gains, cells, tokens):
    """The largest gain of a number of tokens in one of the cells of a set."""
    best = _NOWHERE
    for cell in range(CELLS):
        if is_in(cells, cell):
            best = max(best, gain_in(state, components, weights, seat, ground, gains, cell, tokens))
    return best


@kernel
def reached_from(state, components, seat, enterable, territory, cell, cells):
    """Write the cells that tokens of a cell reach by a ride or a move into ``cells``; returns whether there are any."""
    if state.phase == BLOW:
        return ride_targets(state, components, enterable, territory, cells)
    return reach(state, components, cell, range_of(state, components, seat), enterable, cells)


@kernel
def best_move(state, components, weights, seat, ground, gains, enterable, territory):
    """The worth of the best move of tokens out of one cell of a territory; `_NOWHERE` if there is no move."""
    cells = np.empty(CELL_WORDS, np.uint64)
    first = int(components.first_cell[territory])
    best = _NOWHERE
    for cell in range(first, first + int(components.num_cells[territory])):
        here = int(state.players[seat].forces[cell])
        if here > 0 and reached_from(state, components, seat, enterable, territory, cell, cells):
            for tokens in range(1, min(here, TOKENS) + 1):
                gain = best_gain(state, components, weights, seat, ground, gains, cells, tokens)
                loss = loss_in(state, components, weights, seat, ground, cell, 0, tokens)
                best = max(best, gain - loss)
    return best


@kernel
def prefer_origin(state, components, weights, seat, ground, gains, legal, count, preferences):
    """MOVE_FROM and RIDE: the worth of the best move out of the territory."""
    enterable = enterable_territories(state, components, seat)
    for k in range(count):
        if legal[k] != PASS:
            territory = int(legal[k]) - TERRITORY_FIRST
            preferences[k] = best_move(state, components, weights, seat, ground, gains, enterable, territory)


@kernel
def prefer_second_move(state, components, weights, seat, ground, gains, legal, count, preferences):
    """HAJR: the worth of the best move of all, minus that of the card."""
    enterable = enterable_territories(state, components, seat)
    for k in range(count):
        if legal[k] != PASS:
            best = 0.0
            for territory in range(TERRITORIES):
                best = max(best, best_move(state, components, weights, seat, ground, gains, enterable, territory))
            preferences[k] = best - card_worth(state, weights, seat, HAJR)


@kernel
def prefer_group(state, components, weights, seat, ground, gains, legal, count, preferences):
    """COUNT: the gain of the group with that number of tokens at its best target, minus what these tokens leave."""
    if state.lifting != 0:
        return
    enterable = enterable_territories(state, components, seat)
    cell, before = int(state.cell), taken_tokens(state)
    common = np.empty(CELL_WORDS, np.uint64)
    own = np.empty(CELL_WORDS, np.uint64)
    reached_from(state, components, seat, enterable, int(state.origin), cell, own)
    if before > 0:
        common_targets(state, components, seat, enterable, common)
    for k in range(count):
        tokens = int(legal[k]) - NUMBER_FIRST
        if tokens == 0:
            if before > 0:
                preferences[k] = best_gain(state, components, weights, seat, ground, gains, common, before)
            continue
        cells = own
        if before > 0:
            cells = own & common
        gain = best_gain(state, components, weights, seat, ground, gains, cells, before + tokens)
        preferences[k] = gain - loss_in(state, components, weights, seat, ground, cell, before, tokens)


@kernel
def prefer_target(state, components, weights, seat, ground, gains, legal, count, preferences):
    """MOVE_TO: the gain of the group in the cell."""
    tokens = taken_tokens(state)
    for k in range(count):
        cell = int(legal[k]) - CELL_FIRST
        preferences[k] = gain_in(state, components, weights, seat, ground, gains, cell, tokens)


@kernel
def prefer_company(state, components, weights, seat, ground, gains, legal, count, preferences):
    """ACCOMPANY: the worth of a token in the Polar Sink without payment."""
    cell = int(components.first_cell[int(components.polar_sink)])
    for k in range(count):
        if legal[k] == YES:
            preferences[k] = gain_in(state, components, weights, seat, ground, gains, cell, 1) - weights[RESERVE]


@kernel
def prefer_placing(state, components, weights, seat, ground, gains, legal, count, preferences):
    """PLACE: the worth of that number of tokens here, and of all others in the best of the cells that follow."""
    left = tokens_to_place(state, components)
    for k in range(count):
        tokens = int(legal[k]) - NUMBER_FIRST
        best = 0.0
        for place in range(components.free_cells.shape[1]):
            later = int(components.free_cells[FREMEN, place])
            if later > state.cell:
                best = max(best, gain_in(state, components, weights, seat, ground, gains, later, left - tokens))
        preferences[k] = best + gain_in(state, components, weights, seat, ground, gains, int(state.cell), tokens)


# The function of each decision.
PREFERENCES = {
    decisions.SHIP: prefer_shipment,
    decisions.SHIP_COUNT: prefer_landed_tokens,
    decisions.SHIP_TO: prefer_lift_target,
    **dict.fromkeys((decisions.MOVE_FROM, decisions.RIDE), prefer_origin),
    decisions.HAJR: prefer_second_move,
    decisions.COUNT: prefer_group,
    decisions.MOVE_TO: prefer_target,
    decisions.ACCOMPANY: prefer_company,
    decisions.PLACE: prefer_placing,
}
