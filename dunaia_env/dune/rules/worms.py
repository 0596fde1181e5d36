"""Worms: what they eat, and rides."""

from __future__ import annotations

from dunaia_env.dune import board, decisions
from dunaia_env.dune.actions import PASS, TERRITORY_FIRST
from dunaia_env.dune.rules import counting, karama
from dunaia_env.dune.rules.common import asking, forces, seats, steps
from dunaia_env.dune.state import BLOW, DRAWING, FREMEN, NONE, TAME, TERRITORIES
from dunaia_env.support.compile_cache import kernel


@kernel
def has_food(state, components, fremen, territory):
    """Whether a territory holds spice, or tokens of a seat that is neither Fremen nor an ally."""
    first = int(components.first_cell[territory])
    for cell in range(first, first + int(components.num_cells[territory])):
        if state.spice[cell] > 0:
            return True
    for seat in range(int(state.num_players)):
        if not seats.is_allied(state, fremen, seat) and forces.occupies(state, components, seat, territory):
            return True
    return False


@kernel
def can_be_called(state, components, fremen, territory):
    """Whether a worm called by Fremen could have an effect in a territory."""
    if forces.has_free_tokens(state, components, fremen, territory):
        return True
    return components.type[territory] == board.SAND and has_food(state, components, fremen, territory)


@kernel
def list_worm(state, components, actions):
    """WORM: list the territories in which the worm could have an effect."""
    seat = int(state.seat)
    count = 0
    for territory in range(TERRITORIES):
        if can_be_called(state, components, seat, territory):
            actions[count] = TERRITORY_FIRST + territory
            count += 1
    return count


@kernel
def answer_worm(state, components, chance, action):
    """WORM: the worm comes to the chosen territory at once."""
    state.worm = action - TERRITORY_FIRST
    return worm_arrives(state, components)


@kernel
def worm_comes(state, components, chance):
    """A worm from the pile or of a thumper comes to the territory of the last blow."""
    state.phase = BLOW
    state.worm = state.last_blow
    return worm_arrives(state, components)


@kernel
def worm_arrives(state, components):
    """Ask whether Fremen's power over the worm is stopped, if it matters here; then the worm eats."""
    fremen = seats.seat_with_power(state, FREMEN)
    for seat in range(int(state.num_players)):
        if seats.is_allied(state, fremen, seat) and forces.occupies(state, components, seat, int(state.worm)):
            return karama.ask_whether_stopped(state, TAME, fremen)
    return worm_eats(state, components, False)


@kernel
def after_tame(state, components, chance, stopped):
    """The worm is tame for Fremen and their allies, unless somebody stopped this power."""
    return worm_eats(state, components, not stopped)


@kernel
def worm_eats(state, components, tame):
    """The worm eats what is in its territory; a tame worm spares Fremen and their allies and can be ridden."""
    fremen = seats.seat_with_power(state, FREMEN)
    territory = int(state.worm)
    first = int(components.first_cell[territory])
    # A worm that Fremen called outside sand can only be ridden.
    if components.type[territory] == board.SAND or state.stack[int(state.depth) - 1].point == DRAWING:
        for cell in range(first, first + int(components.num_cells[territory])):
            forces.sweep_spice(state, cell)
            for seat in range(int(state.num_players)):
                if not (tame and seats.is_allied(state, fremen, seat)):
                    forces.kill_all_tokens(state, seat, cell)
    can_ride = tame and forces.has_free_tokens(state, components, fremen, territory)
    if can_ride and counting.has_ride_target(state, components, fremen, territory):
        return asking.ask(state, fremen, decisions.RIDE)
    state.worm = NONE
    return steps.RESUME


@kernel
def list_ride(state, components, actions):
    """RIDE: list `pass` and a ride out of the worm's territory."""
    actions[0] = PASS
    actions[1] = TERRITORY_FIRST + int(state.worm)
    return 2


@kernel
def answer_ride(state, components, chance, action):
    """RIDE: the riders are counted, or nobody rides."""
    if action == PASS:
        state.worm = NONE
        return steps.RESUME
    return counting.begin_count(state, components, int(state.seat), int(state.worm))
