"""Buildings: prices, starting, advancing, completing, colours and arrows (rules, sections 3 and 6)."""

from __future__ import annotations

from typing import Any

from dunaia_env.dunaia import state as layout
from dunaia_env.dunaia.components import DISPLAY_PRICE, FIRST_TILE, PILE_PRICE
from dunaia_env.dunaia.state import NONE
from dunaia_env.harness.compiled.chance import REVEAL, draw
from dunaia_env.support.compile_cache import kernel


@kernel
def has_colour(components, player, square, colour):
    """Whether the building on a square has a colour, printed or by marker."""
    colours = int(components.colours[player.tile[square]]) | int(player.markers[square])
    return (colours >> colour) & 1 == 1


@kernel
def completed_colours(components, player):
    """The colours of all completed buildings of a player in one number: bit ``COLOURS * square + colour``."""
    village = 0
    for square in range(layout.SQUARES):
        # An empty square is not built, so the colours that index -1 reads do not count.
        colours = (int(components.colours[player.tile[square]]) | int(player.markers[square])) * int(
            player.built[square]
        )
        village |= colours << (layout.COLOURS * square)
    return village


@kernel
def arrow_counts(components, tile, square, side, village):
    """Whether an arrow of a tile on a square points to a completed building of the arrow's colour.

    ``village`` holds the `completed_colours`. A missing arrow has no colour, and nothing is completed off the board.
    """
    return (village >> (layout.COLOURS * layout.POINTED_SQUARES[square, side])) & int(
        components.arrow_colours[tile, side]
    ) != 0


@kernel
def arrow_gain(components, tile, square, side, village):
    """The amount that an arrow of a tile on a square gives; 0 if the arrow does not count."""
    return int(components.arrow_amount[tile, side]) if arrow_counts(components, tile, square, side, village) else 0


@kernel
def is_under_construction(player, square):
    """Whether a building under construction stands on a square."""
    return player.tile[square] != NONE and player.built[square] == 0


@kernel
def has_construction(player):
    """Whether the player has a building under construction."""
    for square in range(layout.SQUARES):
        if is_under_construction(player, square):
            return True
    return False


@kernel
def has_empty_square(player):
    """Whether the village has room for a building."""
    for square in range(layout.SQUARES):
        if player.tile[square] == NONE:
            return True
    return False


@kernel
def completed_buildings(player):
    """Number of completed buildings of a player."""
    completed = 0
    for square in range(layout.SQUARES):
        completed += int(player.built[square])
    return completed


@kernel
def price(components, player, level, position):
    """Flowers that a player pays for a tile of a level (0..2) at the displayed price or the pile price."""
    flowers = int(components.prices[level, position])
    if player.character == layout.MERCHANT:
        flowers -= int(components.merchant_discount)
    return max(flowers, 0)


def plain_price(components: Any, player: Any, level: int, position: int) -> int:
    """`price` for texts, without compilation; ``player`` is any object with a ``character``."""
    return int(getattr(price, "py_func", price)(components, player, level, position))


@kernel
def offered_tile(state, player, offer):
    """The tile of an offer (0..5 common board, 6 reserved, 7 found); -1 if there is none."""
    if offer < layout.OFFERS:
        level = offer // 2
        if offer % 2 == 0:
            return int(state.display[level])
        return int(state.pile_top[level])
    if offer == layout.RESERVED_OFFER:
        return int(player.reserved)
    return int(state.found)


@kernel
def offer_price(components, player, offer, tile):
    """Flowers that a player pays for the tile of an offer."""
    level = int(components.level[tile])
    if offer < layout.OFFERS:
        return price(components, player, level, DISPLAY_PRICE if offer % 2 == 0 else PILE_PRICE)
    if offer == layout.FOUND_OFFER:
        return price(components, player, level, PILE_PRICE)
    return min(price(components, player, level, DISPLAY_PRICE), price(components, player, level, PILE_PRICE))


@kernel
def tiles_below(state, level):
    """Number of tiles below the visible top of a level's pile."""
    below = 0
    for tile in range(FIRST_TILE[level], FIRST_TILE[level + 1]):
        below += int(state.below_top[tile])
    return below


@kernel
def draw_tile(state, chance, purpose, index, part, level):
    """Take a random tile from below a pile's top; if there is none, nothing is drawn and the result is -1."""
    below = tiles_below(state, level)
    if below == 0:
        return NONE
    place = draw(chance, purpose, index, part, below)
    for tile in range(FIRST_TILE[level], FIRST_TILE[level + 1]):
        if state.below_top[tile] == 1:
            if place == 0:
                state.below_top[tile] = 0
                return tile
            place -= 1
    return NONE


@kernel
def reveal_top(state, chance, level):
    """Reveal a new visible top of a level's pile. The k-th tile that leaves a pile causes draw k."""
    present = tiles_below(state, level)
    if state.display[level] != NONE:
        present += 1
    gone = FIRST_TILE[level + 1] - FIRST_TILE[level] - present
    state.pile_top[level] = draw_tile(state, chance, REVEAL, level, gone, level)


@kernel
def take_offer(state, chance, offer):
    """Take a tile from the common board (offers 0..5) and refill its place at once."""
    level = offer // 2
    if offer % 2 == 0:
        tile = int(state.display[level])
        state.display[level] = state.pile_top[level]
    else:
        tile = int(state.pile_top[level])
    reveal_top(state, chance, level)
    return tile


@kernel
def place_building(player, tile, square):
    """Put a tile on an empty square as a building under construction, with one of the player's construction tokens."""
    player.tile[square] = tile
    player.steps[square] = 0
    player.built[square] = 0
    player.markers[square] = 0
    player.occupied[square] = 0
    player.tokens = int(player.tokens) - 1


@kernel
def start_building(state, components, chance, offer, square):
    """Pay for the tile of an offer and put it on an empty square as a building under construction."""
    player = state.players[state.seat]
    tile = offered_tile(state, player, offer)
    player.flowers = int(player.flowers) - offer_price(components, player, offer, tile)
    place_building(player, tile, square)
    if offer < layout.OFFERS:
        take_offer(state, chance, offer)
    elif offer == layout.RESERVED_OFFER:
        player.reserved = NONE
    else:
        state.found = NONE
        reshuffle_pile(state, chance, int(components.level[tile]))


@kernel
def reshuffle_pile(state, chance, level):
    """Shuffle a searched pile: its old top, if still there, goes back into the pile and a new top is revealed."""
    if state.pile_top[level] != NONE:
        state.below_top[state.pile_top[level]] = 1
        state.pile_top[level] = NONE
    reveal_top(state, chance, level)


@kernel
def advance_building(state, components, square):
    """Move the construction token of a building one step; the last step completes the building."""
    player = state.players[state.seat]
    player.steps[square] = int(player.steps[square]) + 1
    if player.steps[square] >= components.steps[player.tile[square]]:
        player.built[square] = 1
        player.tokens = int(player.tokens) + 1
        if completed_buildings(player) == layout.SQUARES:
            trigger_end(state)


@kernel
def trigger_end(state):
    """Trigger the end: one more whole round follows the current one. A second trigger has no effect."""
    if state.final_round == 0:
        state.final_round = int(state.round_number) + 1
