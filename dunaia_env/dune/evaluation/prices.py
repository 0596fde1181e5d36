"""The worth of cards, leaders, tokens and spice to a seat."""

from __future__ import annotations

from dunaia_env.dune.evaluation.weights import FIRST_CARD, FULL_HAND, LEADER_POINT, RAISED, REVIVED, THRIFT
from dunaia_env.dune.rules.cards import hand_limit, hand_size, in_deck
from dunaia_env.dune.rules.seats import has_power
from dunaia_env.dune.rules.spice import funds
from dunaia_env.dune.state import BENE_GESSERIT, KARAMA_CARD, KINDS, WORTHLESS
from dunaia_env.support.compile_cache import kernel


@kernel
def price_worth(state, weights, seat, price):
    """The cost of paying a price: it exceeds the spice if the price takes a large part of the seat's funds."""
    return price * (1.0 + weights[THRIFT] * price / max(1, funds(state, seat)))


@kernel
def card_worth(state, weights, seat, kind):
    """The worth of a card of a kind; a worthless card of Bene Gesserit counts as a Karama."""
    if kind == WORTHLESS and has_power(state, seat, BENE_GESSERIT):
        return weights[FIRST_CARD + KARAMA_CARD]
    return weights[FIRST_CARD + kind]


@kernel
def unknown_card_worth(state, components, weights, seat):
    """The mean worth of the cards that a seat neither holds nor sees among the discards."""
    cards, worth = 0, 0.0
    for kind in range(KINDS):
        unseen = in_deck(state, components, kind) - int(state.discards[kind]) - int(state.removed[kind])
        unseen -= int(state.players[seat].hand[kind])
        if unseen > 0:
            cards += unseen
            worth += unseen * card_worth(state, weights, seat, kind)
    return worth / max(1, cards)


@kernel
def room_for(state, components, weights, seat):
    """The part of a new card's worth that counts; this part falls as the hand fills."""
    part = (hand_size(state, seat) + 1) / max(1, hand_limit(state, components, seat))
    return 1.0 - (1.0 - weights[FULL_HAND]) * min(1.0, part)


@kernel
def leader_worth(components, weights, leader):
    """The worth of a leader that comes back from the tanks."""
    return weights[RAISED] + weights[LEADER_POINT] * components.strength[leader]


@kernel
def revival_worth(state, weights, seat, tokens):
    """The worth of tokens that come back from the tanks: less, the more tokens stand in the reserve."""
    worth = 0.0
    for number in range(tokens):
        worth += weights[REVIVED] * 5.0 / (5.0 + state.players[seat].reserve + number)
    return worth
