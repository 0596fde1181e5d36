"""The observation of a seat: one row of int8 numbers, described by a table of named pieces.

The observation is egocentric: the observer's seat comes first, the other seats follow to the right, and absent seats
are zero. It depends only on what the seat sees (`dunaia_env.dune.hidden.views`) and holds all of it, including the
printed numbers on which decisions depend. `plan_0` is the observer's own plan, or the aggressor's if the observer does
not fight; `plan_1` is the other plan. `dunaia_env.dune.observation.layout` describes the layout.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dunaia_env.dune import actions, decisions, standing, state as layout
from dunaia_env.dune.observation import moment as observation_moment
from dunaia_env.dune.observation.layout import (
    FLAGS_OF_A_SEAT,
    MOST,
    OBSERVATION_HASH,
    OBSERVATION_LAYOUT,
    OBSERVATION_SCALE,
    OBSERVATION_SIZE,
    OWN_FIRST,
    PIECES,
    QUESTION_VERBS,
    documented_pieces,
    first_of,
    pieces_of,
    used_size,
)
from dunaia_env.dune.rules.common.cards import hand_limit
from dunaia_env.dune.rules.common.seats import (
    first_player,
    is_allied,
    offset_of,
    right_of,
    seat_of_faction,
    seat_with_power,
)
from dunaia_env.dune.state import NONE
from dunaia_env.support.compile_cache import kernel

__all__ = [
    "OBSERVATION_HASH",
    "OBSERVATION_LAYOUT",
    "OBSERVATION_SCALE",
    "OBSERVATION_SIZE",
    "PIECES",
    "documented_pieces",
    "observe",
    "pieces_of",
    "used_size",
]

# The question that a verb of the action table stands for, -1 for other verbs.
QUESTION_OF: NDArray[np.int8] = np.array(
    [QUESTION_VERBS.index(verb.name) if verb.name in QUESTION_VERBS else NONE for verb in actions.ACTION_TABLE], np.int8
)

AT_DECISION = first_of("decision")
AT_PHASE = first_of("phase")
AT_HOW = first_of("how")
AT_PLAYERS = first_of("players")
AT_TURN = first_of("turn")
AT_OPTIONS = first_of("options")
AT_STORM = first_of("storm")
AT_WALL = first_of("shield_wall")
AT_BLOW = first_of("last_blow")
AT_SPICE = first_of("spice")
AT_SPICE_DECK = first_of("spice_deck")
AT_FORESEEN = first_of("foreseen_spice")
AT_UNSEEN = first_of("unseen")
AT_DISCARDS = first_of("discards")
AT_DECK_COUNT = first_of("deck_count")
AT_LYING = first_of("cards_lying")
AT_SALE = first_of("sale")
AT_TOP = first_of("top")
AT_ASKER = first_of("truths.asker")
AT_ANSWERER = first_of("truths.target")
AT_QUESTION = first_of("truths.question")
AT_ARGUMENT = first_of("truths.argument")
AT_TRUTH = first_of("truths.answer")
AT_PREDICTION = first_of("prediction")
AT_ALIVE = first_of("leaders.alive")
AT_USABLE = first_of("leaders.usable")
AT_USED = first_of("leaders.used_in")
AT_STRENGTH = first_of("leaders.strength")
AT_RISEN = first_of("leaders.risen")
AT_RETURNED = first_of("leaders.returned")
AT_CHANGE = first_of("leaders.change")
AT_WEATHER = first_of("weather")
AT_DIAL = first_of("dial")
AT_PRINTED = first_of("printed")
AT_RANGES = first_of("printed_ranges")
AT_PRINTED_SPICE = first_of("printed_spice")
AT_HAND = first_of("own.hand")
AT_DISCS = first_of("own.discs")
AT_LAID = first_of("own.laid")
AT_FUNDS = first_of("own.funds")
LEADERS_OF_A_FACTION = PIECES["own.leaders"].size
FLAGS = len(FLAGS_OF_A_SEAT)
QUESTIONS = len(QUESTION_VERBS)
PREDICTED_NOW = 15  # so that the entry is 1 when divided by its scale


@kernel
def observe(state, components, observer, out):
    """Write what a seat sees into ``out``.

    Args:
        state: record of `STATE_DTYPE`.
        components: record of `COMPONENTS_DTYPE`.
        observer: the seat, 0..num_players-1.
        out: int8 ``(OBSERVATION_SIZE,)``, overwritten; 0..127.
    """
    out[:] = 0
    write_course(state, observer, out)
    write_board(state, components, observer, out)
    write_cards(state, components, observer, out)
    write_truths(state, observer, out)
    write_leaders(state, components, observer, out)
    observation_moment.write_public_moment(state, components, out)
    observation_moment.write_plans(state, observer, out)
    if state.decision != decisions.OVER and state.seat == observer:
        observation_moment.write_asked(state, out)
    write_printed(components, out)
    write_own(state, observer, out)
    occupied = occupied_strongholds(state, components)
    at = write_seat(state, components, observer, 0, occupied, out, OWN_FIRST)
    is_atreides = observer == seat_with_power(state, layout.ATREIDES)
    for offset in range(1, int(state.num_players)):
        at = write_seat(state, components, observer, offset, occupied, out, at)
        if is_atreides:
            player = state.players[right_of(state, observer, offset)]
            for kind in range(layout.KINDS):
                out[at + kind] = player.foreseen[kind]
        at += layout.KINDS


@kernel
def write_course(state, observer, out):
    """Write the decision, if the observer knows it, and the phase, the turn and the options."""
    if state.decision != decisions.OVER and state.seat == observer:
        out[AT_DECISION + int(state.decision)] = 1
    out[AT_PHASE + int(state.phase)] = 1
    if state.how != 0:
        out[AT_HOW + int(state.how) - 1] = 1
    out[AT_PLAYERS + int(state.num_players) - layout.MIN_PLAYERS] = 1
    out[AT_TURN] = state.turn
    out[AT_TURN + 1] = int(state.max_turns) - int(state.turn)
    out[AT_OPTIONS] = state.powers
    out[AT_OPTIONS + 1] = 1 if state.deck_size == layout.DECKS[0] else 0
    out[AT_OPTIONS + 2] = state.alliances
    out[AT_OPTIONS + 3] = state.max_alliance
    out[AT_OPTIONS + 4] = state.alliance_strongholds
    out[AT_OPTIONS + 5] = state.karama_powers
    out[AT_OPTIONS + 6] = state.tleilax
    out[AT_OPTIONS + 7] = state.open_shields
    out[AT_OPTIONS + 8] = state.atreides_sees_bonus
    out[AT_OPTIONS + 9] = state.undecided


@kernel
def write_board(state, components, observer, out):
    """Write the storm, the spice and the spice cards."""
    out[AT_STORM + int(state.storm)] = 1
    out[AT_WALL] = state.shield_wall
    if state.last_blow != NONE:
        card = int(components.card_of[int(state.last_blow)])
        if card != NONE:
            out[AT_BLOW + card] = 1
    # With unsigned indices, numba does not test for negative indices.
    for cell in range(layout.CELLS):
        out[np.uintp(AT_SPICE) + np.uintp(cell)] = min(int(state.spice[np.uintp(cell)]), MOST)
    for card in range(layout.SPICE_KINDS):
        out[AT_SPICE_DECK + card] = state.spice_deck[card]
    foreseen = int(state.foreseen_spice)
    if foreseen != NONE:
        if observer == seat_with_power(state, layout.ATREIDES):
            out[AT_FORESEEN + foreseen] = 1
        else:
            out[AT_SPICE_DECK + foreseen] += 1


@kernel
def write_cards(state, components, observer, out):
    """Write the treachery cards outside the hands, and the numbers of cards that the observer does not see."""
    own = state.players[observer]
    row = 0 if state.deck_size == layout.DECKS[0] else 1
    in_deck = 0
    for kind in range(layout.KINDS):
        unseen = int(components.treachery[row, kind]) - int(state.discards[kind]) - int(state.removed[kind])
        out[AT_UNSEEN + kind] = unseen - int(own.hand[kind])
        out[AT_DISCARDS + kind] = state.discards[kind]
        in_deck += int(state.deck[kind])
    if own.laid != NONE:
        out[AT_UNSEEN + int(own.laid)] -= 1
    side = observation_moment.side_of_hidden_plan(state, observer)
    if side != NONE:
        plan = state.plans[side]
        if plan.leader == layout.HERO:
            out[AT_UNSEEN + layout.CHEAP_HERO] -= 1
        if plan.weapon >= 0:
            out[AT_UNSEEN + int(plan.weapon)] -= 1
        if plan.defence >= 0:
            out[AT_UNSEEN + int(plan.defence)] -= 1
    out[AT_DECK_COUNT] = in_deck
    is_atreides = observer == seat_with_power(state, layout.ATREIDES)
    if state.sale != NONE:
        out[AT_LYING] = 1
        if is_atreides and state.sale_seen != 0:
            out[AT_SALE + int(state.sale)] = 1
    if state.top != NONE:
        out[AT_LYING + 1] = 1
        if is_atreides and state.top_seen != 0:
            out[AT_TOP + int(state.top)] = 1


@kernel
def write_truths(state, observer, out):
    """Write the questions of Truthtrances and their answers, the newest first."""
    truths = int(state.num_truths)
    for index in range(truths):
        place = truths - 1 - index
        question = int(state.truths[index, 2])
        out[AT_ASKER + layout.MAX_PLAYERS * place + offset_of(state, observer, int(state.truths[index, 0]))] = 1
        out[AT_ANSWERER + layout.MAX_PLAYERS * place + offset_of(state, observer, int(state.truths[index, 1]))] = 1
        out[AT_QUESTION + QUESTIONS * place + int(QUESTION_OF[int(actions.VERB_OF[question])])] = 1
        out[AT_ARGUMENT + place] = actions.ARGUMENT[question]
        out[AT_TRUTH + place] = state.truths[index, 3]


@kernel
def write_leaders(state, components, observer, out):
    """Write what is known of each leader."""
    battling = state.phase == layout.BATTLE_PHASE
    here, enemy = NONE, NONE
    if battling and state.field != NONE:
        here = int(components.territory_of[int(state.field)])
    if battling and state.defender != NONE:
        if observer == state.actor:
            enemy = int(state.defender)
        elif observer == state.defender:
            enemy = int(state.actor)
    against_tleilax = enemy != NONE and enemy == seat_with_power(state, layout.TLEILAX)
    tleilax, home = seat_of_faction(state, layout.TLEILAX), NONE
    for leader in range(layout.LEADERS):
        if leader % LEADERS_OF_A_FACTION == 0:
            home = seat_of_faction(state, leader // LEADERS_OF_A_FACTION)
        owner, used = int(state.owner[leader]), int(state.used[leader])
        change = int(state.change[leader])
        shown = state.change_shown[leader] != 0
        known = shown or observer == tleilax
        if state.alive[leader] != 0:
            out[AT_ALIVE + leader] = 1 if owner == home else 2
            refuses = (against_tleilax and state.returned[leader] != 0) or (
                enemy != NONE and home == enemy and owner != enemy
            )
            if owner == observer and (used in (NONE, here)) and not refuses:
                out[AT_USABLE + leader] = 1
        out[AT_USED + leader] = used + 1
        if owner != NONE:
            out[AT_STRENGTH + leader] = max(int(components.strength[leader]) + (change if known else 0), 0)
        out[AT_RISEN + leader] = state.risen[leader]
        out[AT_RETURNED + leader] = state.returned[leader]
        if shown:
            out[AT_CHANGE + leader] = 2 + change
        elif change != 0 and known:
            out[AT_CHANGE + leader] = 5 + change


@kernel
def write_printed(components, out):
    """Write the printed numbers, in the order of `observation_layout.PRINTED_NUMBERS` and `PRINTED_RANGES`."""
    at = AT_PRINTED
    out[at] = components.strongholds_to_win
    out[at + 1] = components.strongholds_with_two
    out[at + 2] = components.stronghold_price
    out[at + 3] = components.landing_price
    out[at + 4] = components.orbit_tokens
    out[at + 5] = components.landing_steps
    out[at + 6] = components.steps
    out[at + 7] = components.fremen_steps
    out[at + 8] = components.ornithopter_steps
    out[at + 9] = components.revival_most
    out[at + 10] = components.revival_price
    out[at + 11] = components.ghola_tokens
    out[at + 12] = components.emperor_tokens
    out[at + 13] = components.harvest
    out[at + 14] = components.ornithopter_harvest
    out[at + 15] = components.alms
    out[at + 16] = components.bluff_factor
    out[at + 17] = components.most_raise
    out[at + 18] = components.most_gift
    out[at + 19] = components.most_pledge
    out[at + 20] = components.most_price
    at = AT_RANGES
    for i in range(2):
        out[at + i] = components.first_dial[i]
        out[at + 2 + i] = components.later_dial[i]
        out[at + 4 + i] = components.weather_dial[i]
        out[at + 6 + i] = components.ransom[i]
    for card in range(layout.SHAI_HULUD):
        out[AT_PRINTED_SPICE + card] = components.spice_amount[card]


@kernel
def write_own(state, observer, out):
    """Write what only the observer knows, including its prediction, dial and weather."""
    own = state.players[observer]
    for kind in range(layout.KINDS):
        out[AT_HAND + kind] = own.hand[kind]
    discs, traitors = int(own.discs), int(own.traitors)
    for leader in range(layout.DISCS):
        out[AT_DISCS + leader] = ((discs >> leader) & 1) + ((traitors >> leader) & 1)
    if own.laid != NONE:
        out[AT_LAID + (0 if own.laid == layout.WORTHLESS else 1)] = 1
    if observer == state.weather_seat:
        out[AT_WEATHER] = int(state.weather) + 1
    for wheel in range(2):
        if state.wheels[wheel] == observer and state.dials[wheel] != NONE:
            out[AT_DIAL] = int(state.dials[wheel]) + 1
    if observer == seat_with_power(state, layout.BENE_GESSERIT) and state.prediction_turn != 0:
        out[AT_PREDICTION] = state.prediction_turn
        out[AT_PREDICTION + 1] = PREDICTED_NOW if state.prediction_turn == state.turn else 0
    funds = int(own.spice)
    for other in range(int(state.num_players)):
        if other != observer and is_allied(state, observer, other):
            pledge, spice = int(state.players[other].pledge), int(state.players[other].spice)
            # Behind a shield nobody sees whether an ally can still pay what it pledged.
            funds += min(pledge, spice) if state.open_shields != 0 else pledge
    observation_moment.write_pair(funds, out, AT_FUNDS)


@kernel
def write_seat(state, components, observer, offset, occupied, out, at):
    """Write the block of the seat ``offset`` places to the right of the observer; returns the index after it.

    ``occupied`` holds the `occupied_strongholds`.
    """
    seat = right_of(state, observer, offset)
    player = state.players[seat]
    faction = int(player.faction)
    if faction != NONE:
        out[at + faction] = 1
    at += layout.FACTIONS
    if state.alliance[seat] != NONE:
        out[at + first_member(state, observer, seat)] = 1
    at += layout.MAX_PLAYERS
    if offset == 0 or state.open_shields != 0:
        observation_moment.write_pair(int(player.spice), out, at)
        out[at + 2] = player.reserve
    out[at + 3] = player.tanks
    tokens = 0
    for cell in range(layout.CELLS):
        tokens += int(player.forces[np.uintp(cell)])
    out[at + 4] = tokens
    out[at + 5] = cards_of(state, seat)
    if faction != NONE:
        out[at + 6] = observation_moment.saturated(hand_limit(state, components, seat))
        out[at + 7] = components.free_revival[faction]
        out[at + 8] = components.paid_revival[faction]
    at += 9
    for kind in range(layout.KINDS):
        out[at + kind] = player.shown[kind]
    at += layout.KINDS
    if is_allied(state, observer, seat):
        out[at] = player.pledge
    at += 1
    for creditor in range(int(state.num_players)):
        out[at + offset_of(state, observer, creditor)] = observation_moment.saturated(player.debts[creditor])
    at += layout.MAX_PLAYERS
    if player.laid_on != NONE:
        out[at + offset_of(state, observer, int(player.laid_on))] = 1
    at += layout.MAX_PLAYERS
    out[at] = state.silenced[seat]
    out[at + 1] = player.reviving
    out[at + 2] = offset_of(state, first_player(state), seat)
    out[at + 3] = (int(player.dot_sector) - int(state.storm) - 1) % layout.SECTORS
    out[at + 4] = score_of(state, seat, occupied)
    at += 5
    for index in range(LEADERS_OF_A_FACTION):
        leader = LEADERS_OF_A_FACTION * faction + index
        if 0 <= leader < layout.LEADERS and state.alive[leader] != 0 and state.owner[leader] == seat:
            out[at + index] = out[AT_STRENGTH + leader]
    at += LEADERS_OF_A_FACTION
    for index in range(layout.STRONGHOLDS):
        out[at + index] = tokens_in(state, components, seat, int(components.strongholds[index]))
    at += layout.STRONGHOLDS
    out[at] = tokens_in_field(state, components, seat)
    observation_moment.write_flags(state, observer, seat, out, at + 1)
    at += 1 + FLAGS
    # With unsigned indices, numba does not test for negative indices, and copies whole words.
    place = np.uintp(at)
    for cell in range(layout.CELLS):
        out[place + np.uintp(cell)] = player.forces[np.uintp(cell)]
    return at + layout.CELLS


@kernel
def first_member(state, observer, seat):
    """How many places to the right of the observer the first member of a seat's alliance sits."""
    for offset in range(int(state.num_players)):
        if state.alliance[right_of(state, observer, offset)] == state.alliance[seat]:
            return offset
    return 0


@kernel
def cards_of(state, seat):
    """The number of a seat's cards, including the cards of a hidden plan."""
    player = state.players[seat]
    count = 0
    for kind in range(layout.KINDS):
        count += int(player.hand[kind])
    side = observation_moment.side_of_hidden_plan(state, seat)
    if side != NONE:
        plan = state.plans[side]
        count += (
            (1 if plan.leader == layout.HERO else 0) + (1 if plan.weapon >= 0 else 0) + (1 if plan.defence >= 0 else 0)
        )
    return count


@kernel
def tokens_in(state, components, seat, territory):
    """The tokens of a seat in a territory."""
    first, tokens = int(components.first_cell[territory]), 0
    for cell in range(first, first + int(components.num_cells[territory])):
        tokens += int(state.players[seat].forces[cell])
    return tokens


@kernel
def tokens_in_field(state, components, seat):
    """The tokens of a seat in the field of the battle; 0 without a field."""
    tokens = 0
    if state.field != NONE:
        territory = int(components.territory_of[int(state.field)])
        first = int(components.first_cell[territory])
        for cell in range(first, first + int(components.num_cells[territory])):
            if observation_moment.in_field(state, components, cell):
                tokens += int(state.players[seat].forces[cell])
    return tokens


@kernel
def occupied_strongholds(state, components):
    """A set of bits: bit ``STRONGHOLDS * seat + index`` for each stronghold that a seat occupies."""
    occupied = 0
    for seat in range(int(state.num_players)):
        for index in range(layout.STRONGHOLDS):
            if tokens_in(state, components, seat, int(components.strongholds[index])) > 0:
                occupied |= 1 << (layout.STRONGHOLDS * seat + index)
    return occupied


@kernel
def score_of(state, seat, occupied):
    """The number of strongholds that a seat's side occupies, plus 10 for a winner."""
    bits = 0
    for other in range(int(state.num_players)):
        if is_allied(state, seat, other):
            bits |= occupied >> (layout.STRONGHOLDS * other)
    score = standing.WON if (int(state.winners) >> seat) & 1 == 1 else 0
    for index in range(layout.STRONGHOLDS):
        score += (bits >> index) & 1
    return score
