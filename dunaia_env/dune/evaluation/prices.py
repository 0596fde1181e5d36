"""What cards, leaders, tokens and spice are worth to a seat."""

from __future__ import annotations

from dunaia_env.dune.evaluation.weights import FIRST_CARD, FULL_HAND, LEADER_POINT, RAISED, REVIVED, THRIFT
from dunaia_env.dune.rules.cards import hand_limit, hand_size, in_deck
from dunaia_env.dune.rules.seats import has_power
from dunaia_env.dune.rules.spice import funds
from dunaia_env.dune.state import BENE_GESSERIT, KARAMA_CARD, KINDS, WORTHLESS
from dunaia_env.support.compile_cache import kernel


@kernel
def price_worth(state, weights, seat, price):
    """What it costs to pay a price: more than the spice if it takes a large part of one's funds."""
    return price * (1.0 + weights[THRIFT] * price / max(1, funds(state, seat)))


@kernel
def card_worth(state, weights, seat, kind):
    """What a card of a kind is worth; a worthless card of Bene Gesserit is a Karama."""
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
    """The part of a new card's worth that counts: it falls as the hand fills."""
    part = (hand_size(state, seat) + 1) / max(1, hand_limit(state, components, seat))
    return 1.0 - (1.0 - weights[FULL_HAND]) * min(1.0, part)


@kernel
def leader_worth(components, weights, leader):
    """What a leader is worth that comes back from the tanks."""
    return weights[RAISED] + weights[LEADER_POINT] * components.strength[leader]


@kernel
def revival_worth(state, weights, seat, tokens):
    """What so many tokens from the tanks are worth: less the more stand in the reserve."""
    worth = 0.0
    for number in range(tokens):
        worth += weights[REVIVED] * 5.0 / (5.0 + state.players[seat].reserve + number)
    return worth
