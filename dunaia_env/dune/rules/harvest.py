"""The harvest, the end of a turn and of the game."""

from __future__ import annotations

from dunaia_env.dune import decisions, standing, state as layout
from dunaia_env.dune.rules.common import forces, steps
from dunaia_env.dune.rules.common.seats import is_allied, next_in_turn_order, seat_with_power, size_of_side
from dunaia_env.dune.rules.common.spice import gain
from dunaia_env.dune.state import NONE
from dunaia_env.support.compile_cache import kernel

BY_STRONGHOLDS, BY_PREDICTION = layout.HOW_NAMES.index("strongholds"), layout.HOW_NAMES.index("prediction")
BY_FREMEN, BY_GUILD = layout.HOW_NAMES.index("fremen"), layout.HOW_NAMES.index("guild")
BY_MOST, NOBODY = layout.HOW_NAMES.index("most"), layout.HOW_NAMES.index("nobody")
MOST_STRONGHOLDS = layout.UNDECIDED_NAMES.index("strongholds")


@kernel
def begin_harvest(state, components, chance):
    """Harvest the spice and end the turn; then the game is over, or the next turn begins."""
    harvest(state, components)
    end_turn(state)
    judge(state, components)
    if state.how == 0:
        return steps.BEGIN_TURN
    state.seat = NONE
    state.decision = decisions.OVER
    state.phase = layout.OVER_PHASE
    state.actor = NONE
    state.spice_draws = 0
    state.swaps = 0
    state.sales = 0
    state.bonuses = 0
    return steps.ASKED


@kernel
def harvest_of_a_token(state, components, seat):
    """The most spice that a token of a seat harvests."""
    if forces.occupies_ornithopters(state, components, seat):
        return int(components.ornithopter_harvest)
    return int(components.harvest)


@kernel
def harvest(state, components):
    """Each seat, in turn order, takes spice from the cells with its own tokens."""
    seat = next_in_turn_order(state, NONE)
    while seat != NONE:
        each = harvest_of_a_token(state, components, seat)
        for cell in range(layout.CELLS):
            tokens = int(state.players[seat].forces[cell])
            if tokens > 0 and state.spice[cell] > 0:
                taken = min(int(state.spice[cell]), each * tokens)
                state.spice[cell] -= taken
                gain(state, seat, taken)
        seat = next_in_turn_order(state, seat)


@kernel
def end_turn(state):
    """End everything that lasts until the end of the turn."""
    state.embargo = 0
    for seat in range(int(state.num_players)):
        state.players[seat].pledge = 0
        state.silenced[seat] = 0
    for leader in range(layout.LEADERS):
        state.used[leader] = NONE


@kernel
def strongholds_of(state, components, seat):
    """The number of strongholds that the members of a seat's side occupy, each counted once."""
    held = 0
    for index in range(layout.STRONGHOLDS):
        territory = int(components.strongholds[index])
        for member in range(int(state.num_players)):
            if is_allied(state, seat, member) and forces.occupies(state, components, member, territory):
                held += 1
                break
    return held


@kernel
def strongholds_needed(state, components, seat):
    """The number of strongholds that a seat's side needs to win."""
    if state.num_players == layout.MIN_PLAYERS:
        return int(components.strongholds_with_two)
    if size_of_side(state, seat) == 1:
        return int(components.strongholds_to_win)
    return int(state.alliance_strongholds)


@kernel
def side_bits(state, seat):
    """The members of a seat's side, as bits."""
    members = 0
    for other in range(int(state.num_players)):
        if is_allied(state, seat, other):
            members |= 1 << other
    return members


@kernel
def judge(state, components):
    """Find out whether somebody has won; after the last turn the game is over in any case."""
    for seat in range(int(state.num_players)):
        if strongholds_of(state, components, seat) >= strongholds_needed(state, components, seat):
            predictor = seat_with_power(state, layout.BENE_GESSERIT)
            if predictor != NONE and is_predicted(state, seat):
                state.how = BY_PREDICTION
                state.winners = 1 << predictor
            else:
                state.how = BY_STRONGHOLDS
                state.winners = side_bits(state, seat)
            return
    if state.turn == state.max_turns:
        judge_undecided(state, components)


@kernel
def is_predicted(state, seat):
    """Whether Bene Gesserit named this turn and a member of the seat's side."""
    if state.prediction_turn != state.turn:
        return False
    for member in range(int(state.num_players)):
        if is_allied(state, seat, member) and state.players[member].faction == state.prediction_faction:
            return True
    return False


@kernel
def judge_undecided(state, components):
    """Decide the result when the last turn is over and nobody holds enough strongholds."""
    fremen, guild = seat_with_power(state, layout.FREMEN), seat_with_power(state, layout.GUILD)
    if fremen != NONE and is_left_alone(state, components, fremen):
        state.how = BY_FREMEN
        state.winners = side_bits(state, fremen)
    elif guild != NONE:
        state.how = BY_GUILD
        state.winners = side_bits(state, guild)
    elif state.undecided == MOST_STRONGHOLDS:
        state.how = BY_MOST
        state.winners = sides_with_most(state, components)
    else:
        state.how = NOBODY


@kernel
def is_left_alone(state, components, fremen):
    """Whether the condition of Fremen's victory after the last turn holds.

    Nobody but Fremen and their allies is in Sietch Tabr and Habbanya Sietch, and neither Harkonnen, Atreides nor the
    Emperor is in Tuek's Sietch.
    """
    for seat in range(int(state.num_players)):
        at_home = forces.occupies(state, components, seat, int(components.sietch_tabr))
        at_home = at_home or forces.occupies(state, components, seat, int(components.habbanya_sietch))
        if at_home and not is_allied(state, fremen, seat):
            return False
        is_enemy = state.players[seat].faction in (layout.HARKONNEN, layout.ATREIDES, layout.EMPEROR)
        if is_enemy and forces.occupies(state, components, seat, int(components.tueks_sietch)):
            return False
    return True


@kernel
def spice_of_side(state, seat):
    """The spice of all members of a seat's side."""
    spice = 0
    for member in range(int(state.num_players)):
        if is_allied(state, seat, member):
            spice += int(state.players[member].spice)
    return spice


@kernel
def sides_with_most(state, components):
    """The members of the side with most strongholds, as bits; among equal sides, of those with most spice."""
    most_held, most_spice, members = -1, -1, 0
    for seat in range(int(state.num_players)):
        held, spice = strongholds_of(state, components, seat), spice_of_side(state, seat)
        if held > most_held or (held == most_held and spice > most_spice):
            most_held, most_spice, members = held, spice, 0
        if held == most_held and spice == most_spice:
            members |= 1 << seat
    return members


@kernel
def score(state, components, seat):
    """The number of strongholds that a seat's side occupies, plus 10 for a winner."""
    won = standing.WON if int(state.winners) >> seat & 1 else 0
    return strongholds_of(state, components, seat) + won


@kernel
def rank(state, seat):
    """The rank of a seat: 1 for winners, and for everybody while nobody has won; other seats rank after the winners."""
    winners = 0
    for other in range(int(state.num_players)):
        winners += int(state.winners) >> other & 1
    if int(state.winners) >> seat & 1:
        return 1
    return 1 + winners
