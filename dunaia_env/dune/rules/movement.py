"""Ground moves, and leaders that come back."""

from __future__ import annotations

import numpy as np

from dunaia_env.dune import board, decisions
from dunaia_env.dune.actions import LEADER_FIRST, PASS, TERRITORY_FIRST
from dunaia_env.dune.rules import counting, storm
from dunaia_env.dune.rules.common import asking, cards, forces, leaders, seats
from dunaia_env.dune.rules.common.spice import spend
from dunaia_env.dune.rules.common.steps import NEXT_MOVER
from dunaia_env.dune.state import HAJR, LEADERS, TERRITORIES, TLEILAX
from dunaia_env.support.compile_cache import kernel


@kernel
def begin_ground_move(state, components, chance):
    """Ask the actor for its ground move."""
    state.half_price = 0
    return asking.ask(state, int(state.actor), decisions.MOVE_FROM)


@kernel
def is_origin(state, components, seat, steps, enterable, territory):
    """Whether a group of a seat can leave a territory."""
    cells = np.empty(board.CELL_WORDS, np.uint64)
    first = int(components.first_cell[territory])
    for cell in range(first, first + int(components.num_cells[territory])):
        if state.players[seat].forces[cell] > 0 and counting.reach(state, components, cell, steps, enterable, cells):
            return True
    return False


@kernel
def list_move_from(state, components, actions):
    """MOVE_FROM: list `pass` and the territories that a group can leave."""
    seat = int(state.seat)
    steps = counting.range_of(state, components, seat)
    enterable = forces.enterable_territories(state, components, seat)
    actions[0] = PASS
    count = 1
    for territory in range(TERRITORIES):
        if is_origin(state, components, seat, steps, enterable, territory):
            actions[count] = TERRITORY_FIRST + territory
            count += 1
    return count


@kernel
def answer_move_from(state, components, chance, action):
    """MOVE_FROM: the group is counted next; without a move, leaders come back."""
    seat = int(state.seat)
    if action == PASS:
        return bring_leaders_back(state, seat)
    return counting.begin_count(state, components, seat, action - TERRITORY_FIRST)


@kernel
def after_move(state, components, chance):
    """A move was made: a second move needs a Hajr and a group that can move."""
    seat = int(state.actor)
    if state.second_move == 0:
        steps = counting.range_of(state, components, seat)
        enterable = forces.enterable_territories(state, components, seat)
        for territory in range(TERRITORIES):
            if is_origin(state, components, seat, steps, enterable, territory):
                return asking.ask(state, seat, decisions.HAJR)
    return bring_leaders_back(state, seat)


@kernel
def list_hajr(state, components, actions):
    """HAJR: list `pass` and the card for a second move."""
    return storm.list_one_card(state, actions, HAJR)


@kernel
def answer_hajr(state, components, chance, action):
    """HAJR: the second move follows, or none."""
    seat = int(state.seat)
    if action == PASS:
        return bring_leaders_back(state, seat)
    cards.discard(state, seat, HAJR)
    state.second_move = 1
    return asking.ask(state, seat, decisions.MOVE_FROM)


@kernel
def is_unmarked(state, seat, leader):
    """Whether a leader of a seat is dead and has not come back yet in this round of reviving."""
    return state.owner[leader] == seat and state.alive[leader] == 0 and state.risen[leader] == 0


@kernel
def bring_leaders_back(state, seat):
    """When all leaders of a seat are in the tanks, they come back one a turn."""
    state.second_move = 0
    player = state.players[seat]
    all_dead = leaders.owns_leader(state, seat, 0) and not leaders.owns_leader(state, seat, 1)
    if seats.has_power(state, seat, TLEILAX):
        return asking.ask(state, seat, decisions.RAISE) if all_dead else NEXT_MOVER
    if player.reviving == 0 and all_dead:
        player.reviving = 1
        for leader in range(LEADERS):
            if state.owner[leader] == seat:
                state.risen[leader] = 0
    return asking.ask(state, seat, decisions.RAISE) if player.reviving != 0 else NEXT_MOVER


@kernel
def list_raise(state, components, actions):
    """RAISE: list `pass` and the dead leaders without the mark whose strength the seat can pay."""
    seat = int(state.seat)
    spice = int(state.players[seat].spice)
    actions[0] = PASS
    count = 1
    for leader in range(LEADERS):
        if is_unmarked(state, seat, leader) and components.strength[leader] <= spice:
            actions[count] = LEADER_FIRST + leader
            count += 1
    return count


@kernel
def answer_raise(state, components, chance, action):
    """RAISE: the leader is paid for; reviving ends when no dead leader without the mark is left."""
    seat = int(state.seat)
    is_reviving = state.players[seat].reviving
    if action != PASS:
        leader = action - LEADER_FIRST
        spend(state, seat, int(components.strength[leader]))
        leaders.raise_leader(state, leader, int(is_reviving))
    if is_reviving != 0:
        state.players[seat].reviving = 0
        for leader in range(LEADERS):
            if is_unmarked(state, seat, leader):
                state.players[seat].reviving = 1
    return NEXT_MOVER
