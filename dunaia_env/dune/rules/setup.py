"""Set-up."""

from __future__ import annotations

from dunaia_env.dune import decisions, state as layout
from dunaia_env.dune.actions import FACTION_FIRST, LEADER_FIRST, NUMBER_FIRST, PASS, TURN_FIRST
from dunaia_env.dune.rules.common import asking, cards, steps
from dunaia_env.dune.rules.common.forces import land
from dunaia_env.dune.rules.common.seats import has_power, seat_of_faction, seat_with_power
from dunaia_env.dune.state import NONE
from dunaia_env.harness.compiled.chance import draw
from dunaia_env.support.compile_cache import kernel

# Places in the row of options, see `options.GAME_OPTIONS`.
(
    NUM_PLAYERS,
    POWERS,
    DECK,
    ALLIANCES,
    MAX_ALLIANCE,
    ALLIANCE_STRONGHOLDS,
    KARAMA_POWERS,
    WITH_TLEILAX,
    OPEN_SHIELDS,
    ATREIDES_SEES_BONUS,
    UNDECIDED,
    MAX_TURNS,
    FACTIONS_OF_SEATS,
) = range(13)
NUM_OPTIONS = 13
_DIGIT = 8  # base of the digits in the number of the option `factions`, see `Option.number`
_FIRST_DECK, _SECOND_DECK = layout.DECKS


@kernel
def set_up(state, components, chance, options):
    """Set up a game in a state as `state.new_state` makes it; returns the first step."""
    read_options(state, options)
    state.phase = layout.SETUP
    state.shield_wall = 1
    for card in range(layout.SPICE_KINDS):
        state.spice_deck[card] = components.spice_cards[card]
    deck = int(options[DECK])
    for kind in range(layout.KINDS):
        state.deck[kind] = components.treachery[deck, kind]
    take_seats(state, components, chance, int(options[FACTIONS_OF_SEATS]))
    predictor = seat_with_power(state, layout.BENE_GESSERIT)
    if predictor != NONE:
        return asking.ask(state, predictor, decisions.PREDICT_WHO)
    return draw_discs(state, components, chance)


@kernel
def read_options(state, options):
    """Write the options into the state."""
    state.num_players = options[NUM_PLAYERS]
    state.powers = options[POWERS]
    state.deck_size = _FIRST_DECK if options[DECK] == 0 else _SECOND_DECK
    state.alliances = options[ALLIANCES]
    state.max_alliance = options[MAX_ALLIANCE]
    state.alliance_strongholds = options[ALLIANCE_STRONGHOLDS]
    state.karama_powers = options[KARAMA_POWERS]
    state.tleilax = options[WITH_TLEILAX]
    state.open_shields = options[OPEN_SHIELDS]
    state.atreides_sees_bonus = options[ATREIDES_SEES_BONUS]
    state.undecided = options[UNDECIDED]
    state.max_turns = options[MAX_TURNS]


@kernel
def take_seats(state, components, chance, given):
    """Take the given factions, or draw them if ``given`` is 0, and lay out their tokens, spice and leaders."""
    players = int(state.num_players)
    known = layout.FACTIONS if state.tleilax != 0 else layout.FACTIONS - 1
    for seat in range(players):
        if given == 0:
            place = draw(chance, cards.FACTION_DRAW, seat, 0, known - seat)
            faction = untaken_faction(state, seat, place)
        else:
            faction = given % _DIGIT - 1
            given //= _DIGIT
        player = state.players[seat]
        player.faction = faction
        player.dot_sector = components.dot_of[players, seat]
        player.spice = components.start_spice[faction]
        player.reserve = components.tokens
        for cell in range(layout.CELLS):
            tokens = int(components.forces[faction, cell])
            if tokens > 0:
                land(state, seat, cell, tokens)
    for leader in range(layout.LEADERS):
        home = seat_of_faction(state, int(components.faction_of[leader]))
        state.owner[leader] = home
        state.alive[leader] = 1 if home != NONE else 0


@kernel
def untaken_faction(state, seats, place):
    """The faction at a place among the factions that none of the first ``seats`` seats has."""
    left = int(place)
    for faction in range(layout.FACTIONS):
        taken = False
        for seat in range(seats):
            taken = taken or state.players[seat].faction == faction
        if not taken:
            if left == 0:
                return faction
            left -= 1
    return NONE


@kernel
def list_predict_who(state, components, actions):
    """PREDICT_WHO: list the other factions at the table."""
    count = 0
    for faction in range(layout.FACTIONS):
        if faction != layout.BENE_GESSERIT and seat_of_faction(state, faction) != NONE:
            actions[count] = FACTION_FIRST + faction
            count += 1
    return count


@kernel
def answer_predict_who(state, components, chance, action):
    """PREDICT_WHO: keep the faction; the turn follows."""
    state.prediction_faction = action - FACTION_FIRST
    return asking.ask(state, int(state.seat), decisions.PREDICT_TURN)


@kernel
def list_predict_turn(state, components, actions):
    """PREDICT_TURN: list the turns of the game."""
    turns = int(state.max_turns)
    for turn in range(turns):
        actions[turn] = TURN_FIRST + turn
    return turns


@kernel
def answer_predict_turn(state, components, chance, action):
    """PREDICT_TURN: the prediction is complete; the discs are drawn."""
    state.prediction_turn = action - TURN_FIRST + 1
    return draw_discs(state, components, chance)


@kernel
def draw_discs(state, components, chance):
    """Each seat draws four leader discs; then traitors are settled."""
    left = (1 << layout.DISCS) - 1
    remaining = layout.DISCS
    for seat in range(int(state.num_players)):
        player = state.players[seat]
        if player.faction == layout.TLEILAX:
            continue
        discs = 0
        for number in range(layout.DISCS_OF_A_SEAT):
            disc = member(left, draw(chance, cards.DISC_DRAW, seat, number, remaining))
            remaining -= 1
            left &= ~(1 << disc)
            discs |= 1 << disc
        player.discs = discs
    return settle_traitors(state, components, chance, 0)


@kernel
def member(bits, place):
    """The member at a place of a set of leaders, counted from the lowest."""
    left = int(place)
    for leader in range(layout.DISCS):
        if bits >> leader & 1:
            if left == 0:
                return leader
            left -= 1
    return NONE


@kernel
def counting_discs(state, components, seat):
    """The discs of a seat that count: leaders of other factions at the table, as bits."""
    discs = int(state.players[seat].discs)
    found = 0
    for leader in range(layout.DISCS):
        if discs >> leader & 1:
            home = seat_of_faction(state, int(components.faction_of[leader]))
            if home != NONE and home != seat:
                found |= 1 << leader
    return found


@kernel
def settle_traitors(state, components, chance, first):
    """From seat ``first`` on, each seat chooses its traitor among its discs that count; Harkonnen keeps all of them."""
    for seat in range(first, int(state.num_players)):
        found = counting_discs(state, components, seat)
        if has_power(state, seat, layout.HARKONNEN):
            state.players[seat].traitors = found
        else:
            return asking.ask(state, seat, decisions.TRAITOR)
    fremen = seat_of_faction(state, layout.FREMEN)
    if fremen != NONE and components.free_cells[layout.FREMEN, 0] != NONE:
        state.cell = components.free_cells[layout.FREMEN, 0]
        return asking.ask(state, fremen, decisions.PLACE)
    return draw_first_cards(state, components, chance)


@kernel
def list_traitor(state, components, actions):
    """TRAITOR: list the discs that count; with none there is no traitor, and the seat has only `pass`."""
    found = counting_discs(state, components, int(state.seat))
    if found == 0:
        actions[0] = PASS
        return 1
    count = 0
    for leader in range(layout.DISCS):
        if found >> leader & 1:
            actions[count] = LEADER_FIRST + leader
            count += 1
    return count


@kernel
def answer_traitor(state, components, chance, action):
    """TRAITOR: keep the traitor; the next seat follows."""
    seat = int(state.seat)
    if action != PASS:
        state.players[seat].traitors = 1 << (action - LEADER_FIRST)
    return settle_traitors(state, components, chance, seat + 1)


@kernel
def tokens_to_place(state, components):
    """The number of tokens that Fremen still have to place."""
    forces = state.players[int(state.seat)].forces
    left = int(components.free_forces[layout.FREMEN])
    for place in range(components.free_cells.shape[1]):
        cell = int(components.free_cells[layout.FREMEN, place])
        if cell != NONE:
            left -= int(forces[cell])
    return left


@kernel
def next_free_cell(state, components):
    """The next cell for tokens of Fremen after the cell asked about; -1 after the last."""
    for place in range(components.free_cells.shape[1]):
        cell = int(components.free_cells[layout.FREMEN, place])
        if cell > state.cell:
            return cell
    return NONE


@kernel
def list_place(state, components, actions):
    """PLACE: list the numbers of tokens that can be placed; the last cell takes the rest."""
    left = tokens_to_place(state, components)
    least = left if next_free_cell(state, components) == NONE else 0
    count = 0
    for number in range(least, left + 1):
        actions[count] = NUMBER_FIRST + number
        count += 1
    return count


@kernel
def answer_place(state, components, chance, action):
    """PLACE: put the tokens into the cell; the next cell follows."""
    seat = int(state.seat)
    land(state, seat, int(state.cell), action - NUMBER_FIRST)
    cell = next_free_cell(state, components)
    state.cell = cell
    if cell == NONE:
        return draw_first_cards(state, components, chance)
    return asking.ask(state, seat, decisions.PLACE)


@kernel
def draw_first_cards(state, components, chance):
    """Each seat draws its first treachery cards; without powers, as many as a faction without a special number."""
    for seat in range(int(state.num_players)):
        faction = int(state.players[seat].faction) if state.powers != 0 else layout.ATREIDES
        for number in range(int(components.start_cards[faction])):
            if cards.total(state.deck) > 0:
                cards.receive_card(
                    state, seat, cards.draw_treachery(state, chance, cards.FIRST_CARD_DRAW, seat, number), False
                )
    return steps.BEGIN_TURN
