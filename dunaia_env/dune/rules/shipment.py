"""Shipment: landing tokens of the reserve, lifts of the Guild."""

from __future__ import annotations

from dunaia_env.dune import decisions, state as layout
from dunaia_env.dune.actions import CELL_FIRST, NUMBER_FIRST, ORBIT, PASS, TERRITORY_FIRST, USE_KARAMA, YES
from dunaia_env.dune.rules import counting, karama
from dunaia_env.dune.rules.common import asking, cards, forces, steps
from dunaia_env.dune.rules.common.seats import has_power, is_allied, next_in_turn_order, seat_with_power
from dunaia_env.dune.rules.common.spice import funds, pay
from dunaia_env.dune.state import NONE
from dunaia_env.support.compile_cache import kernel


@kernel
def begin_movement(state, components, chance):
    """Begin the phase: each seat ships and moves, in turn order."""
    state.phase = layout.MOVEMENT
    return ask_mover(state, NONE)


@kernel
def next_mover(state, components, chance):
    """Go on to the next seat after the actor."""
    return ask_mover(state, int(state.actor))


@kernel
def ask_mover(state, after):
    """Ask the next seat for its shipment; a seat with a laid card is first asked whether it withdraws the card."""
    seat = next_in_turn_order(state, after)
    state.actor = seat
    if seat == NONE:
        return steps.BEGIN_BATTLES
    if state.players[seat].laid != NONE:
        return asking.ask(state, seat, decisions.WITHDRAW)
    return asking.ask(state, seat, decisions.SHIP)


@kernel
def list_withdraw(state, components, actions):
    """WITHDRAW: list `pass` and `yes`."""
    actions[0] = PASS
    actions[1] = YES
    return 2


@kernel
def answer_withdraw(state, components, chance, action):
    """WITHDRAW: a card that is withdrawn is discarded unseen; the shipment follows."""
    seat = int(state.seat)
    player = state.players[seat]
    if action == YES:
        state.hidden_discards[int(player.laid)] += 1
        player.laid = NONE
        player.laid_on = NONE
    return asking.ask(state, seat, decisions.SHIP)


@kernel
def ships_as_guild(state, seat):
    """Whether a seat is the Guild or its ally."""
    return is_allied(state, seat_with_power(state, layout.GUILD), seat)


@kernel
def pays_half(state, seat):
    """Whether a seat pays half the price for its shipment: as the Guild or its ally, or by a Karama."""
    return ships_as_guild(state, seat) or state.half_price != 0


@kernel
def price_of(components, cell, tokens, is_half):
    """The price of landing tokens in a cell, in spice."""
    is_stronghold = components.stronghold_of[int(components.territory_of[cell])] != NONE
    whole = int(tokens) * int(components.stronghold_price if is_stronghold else components.landing_price)
    return (whole + 1) // 2 if is_half else whole


@kernel
def most_landed(state, components, seat, cell, is_half, spice):
    """The largest number of tokens that a seat can land from its reserve in a cell for an amount of spice."""
    reserve = int(state.players[seat].reserve)
    if has_power(state, seat, layout.FREMEN):
        free = counting.is_territory_in(components.fremen_landing, int(components.territory_of[cell]))
        return reserve if free else 0
    tokens = reserve
    while tokens > 0 and price_of(components, cell, tokens, is_half) > spice:
        tokens -= 1
    return tokens


@kernel
def can_land(state, components, enterable, cell):
    """Whether tokens may land in a cell, whatever it costs."""
    return counting.is_territory_in(enterable, int(components.territory_of[cell])) and not forces.is_stormy(
        state, components, cell
    )


@kernel
def list_ship(state, components, actions):
    """SHIP: list `pass`, half price by a Karama, cells to land in, and territories to lift from."""
    seat = int(state.seat)
    as_guild = ships_as_guild(state, seat)
    is_half = pays_half(state, seat)
    spice = funds(state, seat)
    reserve = int(state.players[seat].reserve)
    actions[0] = PASS
    count = 1
    if (
        not is_half
        and not has_power(state, seat, layout.FREMEN)
        and reserve > 0
        and spice > 0
        and cards.holds_karama(state, seat)
    ):
        actions[count] = USE_KARAMA
        count += 1
    if reserve > 0:
        enterable = forces.enterable_territories(state, components, seat)
        for cell in range(layout.CELLS):
            if not can_land(state, components, enterable, cell):
                continue
            if most_landed(state, components, seat, cell, is_half, spice) > 0:
                actions[count] = CELL_FIRST + cell
                count += 1
    if as_guild and spice > 0:
        for territory in range(layout.TERRITORIES):
            if forces.has_free_tokens(state, components, seat, territory):
                actions[count] = TERRITORY_FIRST + territory
                count += 1
    return count


@kernel
def answer_ship(state, components, chance, action):
    """SHIP: the tokens are counted next; without a shipment, the ground move follows."""
    seat = int(state.seat)
    if action == PASS:
        state.half_price = 0
        return steps.BEGIN_GROUND_MOVE
    if action == USE_KARAMA:
        if karama.spend_karama(state, seat, layout.HALVE):
            return karama.ask_whether_stopped(state, layout.WORTHLESS_USED, seat)
        return ship_at_half_price(state, components, chance)
    if action < TERRITORY_FIRST:
        state.cell = action - CELL_FIRST
        return asking.ask(state, seat, decisions.SHIP_COUNT)
    state.lifting = 1
    return counting.begin_count(state, components, seat, action - TERRITORY_FIRST)


@kernel
def ship_at_half_price(state, components, chance):
    """A Karama halves the price: the seat is asked again for its shipment."""
    state.half_price = 1
    return asking.ask(state, int(state.seat), decisions.SHIP)


@kernel
def list_ship_count(state, components, actions):
    """SHIP_COUNT: list the numbers of tokens that the seat can pay for."""
    seat = int(state.seat)
    is_half = pays_half(state, seat)
    most = most_landed(state, components, seat, int(state.cell), is_half, funds(state, seat))
    for number in range(most):
        actions[number] = NUMBER_FIRST + number + 1
    return most


@kernel
def answer_ship_count(state, components, chance, action):
    """SHIP_COUNT: the Guild may stop the shipment before it is paid for."""
    seat = int(state.seat)
    state.landing = action - NUMBER_FIRST
    asking.push(state, layout.SEATS, decisions.SHIP, seat, NONE, NONE)
    if state.karama_powers != 0 and not ships_as_guild(state, seat):
        return karama.ask_whether_stopped(state, layout.SHIPPED, seat)
    return land_shipment(state, components)


@kernel
def after_shipped(state, components, chance, stopped):
    """The shipment lands, unless it was stopped."""
    if stopped:
        clear_landing(state)
        return steps.RESUME
    return land_shipment(state, components)


@kernel
def clear_landing(state):
    """Clear the fields of a shipment that is over."""
    state.cell = NONE
    state.landing = 0
    state.half_price = 0


@kernel
def land_shipment(state, components):
    """The tokens are paid for and land; Bene Gesserit may send a token along."""
    seat, cell, tokens = int(state.actor), int(state.cell), int(state.landing)
    is_free = has_power(state, seat, layout.FREMEN)
    if not is_free:
        is_half = pays_half(state, seat)
        receiver = NONE if state.half_price != 0 else seat_with_power(state, layout.GUILD)
        pay(state, seat, price_of(components, cell, tokens, is_half), receiver)
    forces.land(state, seat, cell, tokens)
    clear_landing(state)
    sister = seat_with_power(state, layout.BENE_GESSERIT)
    if is_free or sister == NONE:
        return steps.RESUME
    if sister == seat or state.players[sister].reserve == 0:
        return steps.RESUME
    return asking.ask(state, sister, decisions.ACCOMPANY)


@kernel
def list_accompany(state, components, actions):
    """ACCOMPANY: list `pass` and `yes`."""
    actions[0] = PASS
    actions[1] = YES
    return 2


@kernel
def answer_accompany(state, components, chance, action):
    """ACCOMPANY: one token goes along, unless stopped."""
    if action == PASS:
        return steps.RESUME
    return karama.ask_whether_stopped(state, layout.ACCOMPANIED, int(state.seat))


@kernel
def after_accompanied(state, components, chance, stopped):
    """The token lands in the Polar Sink, unless stopped."""
    if not stopped:
        sister = seat_with_power(state, layout.BENE_GESSERIT)
        forces.land(state, sister, int(components.first_cell[int(components.polar_sink)]), 1)
    return steps.RESUME


@kernel
def orbit_price(components, tokens):
    """The price of lifting tokens into the reserve."""
    together = int(components.orbit_tokens)
    return (int(tokens) + together - 1) // together


@kernel
def list_ship_to(state, components, actions):
    """SHIP_TO: list the reserve, and the cells of other territories that the seat can pay for."""
    seat = int(state.seat)
    tokens, spice = counting.taken_tokens(state), funds(state, seat)
    enterable = forces.enterable_territories(state, components, seat)
    actions[0] = ORBIT
    count = 1
    for cell in range(layout.CELLS):
        if components.territory_of[cell] == state.origin or not can_land(state, components, enterable, cell):
            continue
        if price_of(components, cell, tokens, True) <= spice:
            actions[count] = CELL_FIRST + cell
            count += 1
    return count


@kernel
def answer_ship_to(state, components, chance, action):
    """SHIP_TO: the lift is paid for, and the tokens go to the chosen place."""
    seat = int(state.seat)
    tokens = counting.take_group(state, components, seat)
    state.lifting = 0
    if action == ORBIT:
        pay(state, seat, orbit_price(components, tokens), seat_with_power(state, layout.GUILD))
        state.players[seat].reserve += tokens
    else:
        cell = action - CELL_FIRST
        pay(state, seat, price_of(components, cell, tokens, True), seat_with_power(state, layout.GUILD))
        state.players[seat].forces[cell] += tokens
    return steps.BEGIN_GROUND_MOVE
