"""Treachery cards and spice cards: drawing, holding, discarding (rules, sections 6, 11 and 14)."""

from __future__ import annotations

from dunaia_env.dune.rules.common.seats import has_power
from dunaia_env.dune.state import ATREIDES, BENE_GESSERIT, DECKS, KARAMA_CARD, KINDS, NONE, WORTHLESS
from dunaia_env.harness.compiled.chance import draw
from dunaia_env.support.compile_cache import kernel

# Purposes of draws. The comments name the index and the part of each draw.
FACTION_DRAW = 16  # seat
DISC_DRAW = 17  # seat, number
FIRST_CARD_DRAW = 18  # seat, number
SPICE_DRAW = 19  # number in the game
SALE_DRAW = 20  # turn, number in the turn
BONUS_DRAW = 21  # turn, number in the turn
SWAP_DRAW = 22  # number of the swap, number of the card


@kernel
def total(counts):
    """The number of cards in a multiset."""
    cards = 0
    for kind in range(counts.shape[0]):
        cards += int(counts[kind])
    return cards


@kernel
def take_card(counts, place):
    """Take the card at a place in the ascending list of a multiset; returns its kind."""
    left = int(place)
    for kind in range(counts.shape[0]):
        if left < counts[kind]:
            counts[kind] -= 1
            return kind
        left -= int(counts[kind])
    return NONE


@kernel
def cards_to_draw(state):
    """How many treachery cards can still be drawn."""
    return total(state.deck) + total(state.discards) + total(state.hidden_discards)


@kernel
def draw_treachery(state, chance, purpose, index, part):
    """Draw a treachery card; if the deck is empty, the discards become the deck. -1 if there is no card at all."""
    if total(state.deck) == 0:
        for kind in range(KINDS):
            state.deck[kind] = state.discards[kind] + state.hidden_discards[kind]
            state.discards[kind] = 0
            state.hidden_discards[kind] = 0
    cards = total(state.deck)
    if cards == 0:
        return NONE
    return take_card(state.deck, draw(chance, purpose, index, part, cards))


@kernel
def in_deck(state, components, kind):
    """How many cards of a kind the deck of this game has, wherever they are now."""
    return int(components.treachery[0 if state.deck_size == DECKS[0] else 1, kind])


@kernel
def hand_size(state, seat):
    """The number of cards in a hand, without the cards of a hidden plan."""
    return total(state.players[seat].hand)


@kernel
def hand_limit(state, components, seat):
    """The most cards that a seat may hold; without powers, the limit of a faction without a special one."""
    faction = int(state.players[seat].faction) if state.powers != 0 else ATREIDES
    return int(components.hand_limit[faction])


@kernel
def receive_card(state, seat, kind, seen):
    """Put a card into a hand; ``seen`` says whether Atreides saw it arrive."""
    player = state.players[seat]
    player.hand[kind] += 1
    if seen and not has_power(state, seat, ATREIDES):
        player.foreseen[kind] += 1


@kernel
def lose_marks(state, seat, kind):
    """Remove the marks of one known card of a kind from a hand."""
    player = state.players[seat]
    if player.shown[kind] > 0:
        player.shown[kind] -= 1
    if player.foreseen[kind] > 0:
        player.foreseen[kind] -= 1


@kernel
def discard(state, seat, kind):
    """Discard a card of the hand openly."""
    lose_marks(state, seat, kind)
    state.players[seat].hand[kind] -= 1
    state.discards[kind] += 1


@kernel
def holds_karama(state, seat):
    """Whether a seat holds a card that works as a Karama; for Bene Gesserit, a worthless card does too."""
    hand = state.players[seat].hand
    return hand[KARAMA_CARD] > 0 or (hand[WORTHLESS] > 0 and has_power(state, seat, BENE_GESSERIT))


@kernel
def spends_worthless(state, seat):
    """Whether the next Karama of a seat is a worthless card; Bene Gesserit spends worthless cards first."""
    return state.players[seat].hand[WORTHLESS] > 0 and has_power(state, seat, BENE_GESSERIT)
