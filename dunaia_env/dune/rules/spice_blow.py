"""The spice blow."""

from __future__ import annotations

from dunaia_env.dune import decisions, state as layout
from dunaia_env.dune.actions import CARD_FIRST, PASS, USE_KARAMA
from dunaia_env.dune.rules import karama, storm, worms
from dunaia_env.dune.rules.common import asking, forces, seats, steps, windows
from dunaia_env.dune.rules.common.cards import SPICE_DRAW, discard, holds_karama, take_card
from dunaia_env.dune.state import NONE
from dunaia_env.harness.compiled.chance import draw
from dunaia_env.support.compile_cache import kernel


@kernel
def begin_blow(state, components, chance):
    """Begin the blow; from the second turn on, it begins with a window."""
    state.phase = layout.BLOW
    if state.turn == 1:
        return steps.DRAW_SPICE_CARDS
    return windows.open_window(state, decisions.BLOW_CARDS)


@kernel
def can_call_worm(state, components, seat):
    """Whether a seat is Fremen, holds a Karama and can call a worm to some territory."""
    if state.karama_powers == 0 or not seats.has_power(state, seat, layout.FREMEN) or not holds_karama(state, seat):
        return False
    for territory in range(layout.TERRITORIES):
        if worms.can_be_called(state, components, seat, territory):
            return True
    return False


@kernel
def list_blow_cards(state, components, actions):
    """BLOW_CARDS: list `pass`, a thumper and, for Fremen, a worm by a Karama."""
    seat = int(state.seat)
    count = 1
    actions[0] = PASS
    if can_call_worm(state, components, seat):
        actions[count] = USE_KARAMA
        count += 1
    if state.players[seat].hand[layout.THUMPER] > 0:
        actions[count] = CARD_FIRST + layout.THUMPER
        count += 1
    return count


@kernel
def answer_blow_cards(state, components, chance, action):
    """BLOW_CARDS: a thumper acts when the window has closed; a worm called by Fremen comes at once."""
    seat = int(state.seat)
    if action == PASS:
        return windows.pass_window(state)
    if action == USE_KARAMA:
        karama.spend_karama(state, seat, NONE)
        windows.keep_window(state)
        return asking.ask(state, seat, decisions.WORM)
    discard(state, seat, layout.THUMPER)
    state.thumper = 1
    return asking.ask(state, seat, decisions.BLOW_CARDS)


@kernel
def after_blow_cards(state, components, chance):
    """A thumper takes the place of the first card of the pile."""
    if state.thumper == 0:
        return steps.DRAW_SPICE_CARDS
    state.thumper = 0
    return begin_worm(state)


@kernel
def begin_worm(state):
    """The first worm of the phase calls the nexus, if there are alliances in the game; then the worm eats."""
    state.worm_came = 1
    asking.push(state, layout.DRAWING, NONE, NONE, NONE, NONE)
    if state.alliances == 0:
        return steps.WORM_COMES
    asking.push(state, layout.EAT, NONE, NONE, NONE, NONE)
    return steps.BEGIN_NEXUS


@kernel
def draw_spice(state, chance):
    """Draw a spice card; if the pile is empty, the discards become the pile. The first turn's blow has no worms."""
    cards = 0
    for card in range(layout.SPICE_KINDS):
        cards += int(state.spice_deck[card])
    if cards == 0:
        for card in range(layout.SPICE_KINDS):
            state.spice_deck[card] = state.spice_discards[card]
            state.spice_discards[card] = 0
            cards += int(state.spice_deck[card])
    if state.turn == 1 and state.phase == layout.BLOW:
        cards -= int(state.spice_deck[layout.SHAI_HULUD])
    card = take_card(state.spice_deck, draw(chance, SPICE_DRAW, int(state.spice_draws), 0, cards))
    state.spice_draws += 1
    return card


@kernel
def draw_spice_cards(state, components, chance):
    """Draw spice cards until a territory comes, the foreseen card first; the first worm interrupts the drawing."""
    while True:
        card = int(state.foreseen_spice)
        state.foreseen_spice = NONE
        if card == NONE:
            card = draw_spice(state, chance)
        state.spice_discards[card] += 1
        if card != layout.SHAI_HULUD:
            return blow(state, components, card)
        if state.worm_came == 0:
            return begin_worm(state)


@kernel
def blow(state, components, card):
    """Put spice on the cell of a card, unless the storm is there."""
    cell = int(components.spice_cell[card])
    state.worm_came = 0
    state.last_blow = components.territory_of[cell]
    if forces.is_stormy(state, components, cell):
        return steps.BEGIN_BIDDING
    state.spice[cell] += int(components.spice_amount[card])
    return windows.open_window(state, decisions.HARVESTER)


@kernel
def list_harvester(state, components, actions):
    """HARVESTER: list `pass` and the Harvester."""
    return storm.list_one_card(state, actions, layout.HARVESTER_CARD)


@kernel
def answer_harvester(state, components, chance, action):
    """HARVESTER: put the same amount of spice on the cell again."""
    if action == PASS:
        return windows.pass_window(state)
    seat = int(state.seat)
    discard(state, seat, layout.HARVESTER_CARD)
    card = int(components.card_of[int(state.last_blow)])
    state.spice[int(components.spice_cell[card])] += int(components.spice_amount[card])
    return asking.ask(state, seat, decisions.HARVESTER)
