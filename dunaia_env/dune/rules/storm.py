"""The storm."""

from __future__ import annotations

import numpy as np

from dunaia_env.dune import decisions
from dunaia_env.dune.actions import CARD_FIRST, NUMBER_FIRST, PASS
from dunaia_env.dune.rules.common import asking, cards, forces, steps, windows
from dunaia_env.dune.state import ATOMICS_CARD, CELLS, NONE, SECTORS, STORM, TERRITORIES, WEATHER_CONTROL
from dunaia_env.support.compile_cache import kernel

_ONE = np.uint64(1)
_WORD = 64


@kernel
def is_in(cells, cell):
    """Whether a cell is in a set of cells (uint64 words)."""
    return (cells[cell // _WORD] >> np.uint64(cell % _WORD)) & _ONE != 0


@kernel
def begin_turn(state, components, chance):
    """Begin the next turn with the storm."""
    state.turn += 1
    state.phase = STORM
    if state.turn == 1:
        choose_wheels(state)
    return windows.open_window(state, decisions.WEATHER)


@kernel
def choose_wheels(state):
    """Give the wheels to the seats whose dots are nearest to Storm Start, nearest first."""
    for wheel in range(2):
        best = SECTORS
        for seat in range(int(state.num_players)):
            if wheel == 1 and seat == state.wheels[0]:
                continue
            dot = int(state.players[seat].dot_sector)
            distance = min(dot, SECTORS - dot)
            if distance < best:
                best = distance
                state.wheels[wheel] = seat


@kernel
def list_one_card(state, actions, kind):
    """List `pass` and, if the asked seat holds one, a card of a kind."""
    actions[0] = PASS
    if state.players[int(state.seat)].hand[kind] == 0:
        return 1
    actions[1] = CARD_FIRST + kind
    return 2


@kernel
def list_numbers(actions, count, least, most):
    """Append the numbers of a range; returns the number of actions."""
    for number in range(least, most + 1):
        actions[count] = NUMBER_FIRST + number
        count += 1
    return count


@kernel
def list_weather(state, components, actions):
    """WEATHER: list `pass` and the card that controls the storm."""
    return list_one_card(state, actions, WEATHER_CONTROL)


@kernel
def answer_weather(state, components, chance, action):
    """WEATHER: the seat that plays the card dials alone."""
    if action == PASS:
        return windows.pass_window(state)
    cards.discard(state, int(state.seat), WEATHER_CONTROL)
    return asking.ask(state, int(state.seat), decisions.WEATHER_DIAL)


@kernel
def list_weather_dial(state, components, actions):
    """WEATHER_DIAL: list the numbers of sectors."""
    return list_numbers(actions, 0, int(components.weather_dial[0]), int(components.weather_dial[1]))


@kernel
def answer_weather_dial(state, components, chance, action):
    """WEATHER_DIAL: the number stays hidden until the storm moves."""
    state.weather = action - NUMBER_FIRST
    state.weather_seat = state.seat
    return windows.open_window(state, decisions.ATOMICS)


@kernel
def after_weather(state, components, chance):
    """Nobody controls the weather: the two wheels are dialled."""
    return asking.ask(state, int(state.wheels[0]), decisions.DIAL)


@kernel
def list_dial(state, components, actions):
    """DIAL: list the numbers; the range is wider in the first turn."""
    if state.turn == 1:
        return list_numbers(actions, 0, int(components.first_dial[0]), int(components.first_dial[1]))
    return list_numbers(actions, 0, int(components.later_dial[0]), int(components.later_dial[1]))


@kernel
def answer_dial(state, components, chance, action):
    """DIAL: the second wheel is dialled after the first."""
    if state.seat == state.wheels[0]:
        state.dials[0] = action - NUMBER_FIRST
        return asking.ask(state, int(state.wheels[1]), decisions.DIAL)
    state.dials[1] = action - NUMBER_FIRST
    return windows.open_window(state, decisions.ATOMICS)


@kernel
def list_atomics(state, components, actions):
    """ATOMICS: list `pass` and the card, for a seat that occupies the Shield Wall or a territory beside it."""
    seat = int(state.seat)
    for territory in range(TERRITORIES):
        if (components.atomics_from >> np.uint64(territory)) & _ONE != 0 and forces.occupies(
            state, components, seat, territory
        ):
            return list_one_card(state, actions, ATOMICS_CARD)
    actions[0] = PASS
    return 1


@kernel
def answer_atomics(state, components, chance, action):
    """ATOMICS: the Shield Wall is destroyed with all tokens on it; the card leaves the game."""
    if action == PASS:
        return windows.pass_window(state)
    seat = int(state.seat)
    cards.lose_marks(state, seat, ATOMICS_CARD)
    state.players[seat].hand[ATOMICS_CARD] -= 1
    state.removed[ATOMICS_CARD] += 1
    wall = int(components.shield_wall)
    first = int(components.first_cell[wall])
    for cell in range(first, first + int(components.num_cells[wall])):
        for other in range(int(state.num_players)):
            forces.kill_all_tokens(state, other, cell)
    state.shield_wall = 0
    return asking.ask(state, seat, decisions.ATOMICS)


@kernel
def move_storm(state, components, chance):
    """Move the storm sector by sector; what lies open in a sector that it enters is lost."""
    sectors = int(state.weather)
    if state.weather == NONE:
        sectors = int(state.dials[0]) + int(state.dials[1])
    for _ in range(sectors):
        state.storm = (int(state.storm) + 1) % SECTORS
        for cell in range(CELLS):
            if components.sector[cell] == state.storm:
                storm_enters(state, components, cell)
    state.dials[0] = NONE
    state.dials[1] = NONE
    state.weather = NONE
    state.weather_seat = NONE
    return steps.BEGIN_BLOW


@kernel
def is_open(state, components, cell):
    """Whether a cell is open ground, on which the storm kills tokens."""
    if state.shield_wall != 0:
        return is_in(components.open_behind_the_wall, cell)
    return is_in(components.open_without_the_wall, cell)


@kernel
def storm_enters(state, components, cell):
    """The storm enters a cell: the cell loses its spice and, if it is open, its tokens."""
    if is_open(state, components, cell):
        for seat in range(int(state.num_players)):
            forces.kill_all_tokens(state, seat, cell)
    forces.sweep_spice(state, cell)
