"""The worth of cards, leaders, tokens and spice to a seat."""

from __future__ import annotations

from dunaia_env.dune import state as layout
from dunaia_env.dune.evaluation import weights as terms
from dunaia_env.dune.rules.common.cards import hand_limit, hand_size, in_deck
from dunaia_env.dune.rules.common.seats import has_power, is_allied, seat_with_power
from dunaia_env.dune.rules.common.spice import funds
from dunaia_env.dune.rules.shipment import ships_as_guild
from dunaia_env.dune.state import BENE_GESSERIT, KARAMA_CARD, KINDS, WORTHLESS
from dunaia_env.support.compile_cache import kernel


@kernel
def price_worth(state, weights, seat, price):
    """The cost of paying a price: it exceeds the spice if the price takes a large part of the seat's funds."""
    return price * (1.0 + weights[terms.THRIFT] * price / max(1, funds(state, seat)))


@kernel
def fading(state, left):
    """What is left of a lasting worth, as a part: ``left`` in the last turn, and half-way to 1 in the turn before."""
    return 1.0 - (1.0 - left) * 0.5 ** (int(state.max_turns) - int(state.turn))


@kernel
def spice_to_land(state, components, weights, seat):
    """The spice that a seat wants to keep for landing tokens in a stronghold this turn; Fremen land without payment."""
    if has_power(state, seat, layout.FREMEN):
        return 0.0
    price = float(components.stronghold_price)
    if ships_as_guild(state, seat):
        price *= 0.5
    return price * min(float(state.players[seat].reserve), weights[terms.LANDING])


@kernel
def bid_cost(state, components, weights, seat, bid):
    """The cost of buying a card: its price and the spice then missing for a landing; less if an ally gains it."""
    cost = price_worth(state, weights, seat, bid)
    lacking = spice_to_land(state, components, weights, seat) - (funds(state, seat) - bid)
    cost += weights[terms.LACKING_SPICE] * min(float(bid), max(0.0, lacking))
    emperor = seat_with_power(state, layout.EMPEROR)
    if emperor != seat and is_allied(state, seat, emperor):
        cost -= weights[terms.GIVEN] * bid
    return cost


@kernel
def card_worth(state, weights, seat, kind):
    """The worth of a card of a kind; a worthless card of Bene Gesserit counts as a Karama."""
    if kind == WORTHLESS and has_power(state, seat, BENE_GESSERIT):
        return weights[terms.FIRST_CARD + KARAMA_CARD]
    return weights[terms.FIRST_CARD + kind]


@kernel
def worth_to_hand(state, weights, seat, kind):
    """The worth of one more card of a kind: more for the first weapon or defence, less for a second equal card."""
    hand = state.players[seat].hand
    worth = card_worth(state, weights, seat, kind)
    if hand[kind] > 0:
        return weights[terms.SPARE_CARD] * worth
    if kind in (layout.PROJECTILE, layout.POISON, layout.LASGUN):
        has_one = hand[layout.PROJECTILE] + hand[layout.POISON] + hand[layout.LASGUN] > 0
    elif kind in (layout.SHIELD, layout.SNOOPER):
        has_one = hand[layout.SHIELD] + hand[layout.SNOOPER] > 0
    else:
        return worth
    return worth if has_one else weights[terms.LACKING_CARD] * worth


@kernel
def unknown_card_worth(state, components, weights, seat):
    """The mean worth of the cards that a seat neither holds nor sees among the discards."""
    cards, worth = 0, 0.0
    for kind in range(KINDS):
        unseen = in_deck(state, components, kind) - int(state.discards[kind]) - int(state.removed[kind])
        unseen -= int(state.players[seat].hand[kind])
        if unseen > 0:
            cards += unseen
            worth += unseen * worth_to_hand(state, weights, seat, kind)
    return worth / max(1, cards)


@kernel
def room_for(state, components, weights, seat):
    """The part of a new card's worth that counts; this part falls as the hand fills."""
    part = (hand_size(state, seat) + 1) / max(1, hand_limit(state, components, seat))
    return 1.0 - (1.0 - weights[terms.FULL_HAND]) * min(1.0, part)


@kernel
def bought_worth(state, components, weights, seat):
    """The worth of the card on sale to a buyer, with Harkonnen's second card; less, the fewer turns are left."""
    unknown = unknown_card_worth(state, components, weights, seat)
    worth = unknown
    if has_power(state, seat, layout.ATREIDES) and state.sale_seen != 0:
        worth = worth_to_hand(state, weights, seat, int(state.sale))
    if has_power(state, seat, layout.HARKONNEN) and hand_size(state, seat) + 1 < hand_limit(state, components, seat):
        worth += weights[terms.SECOND_CARD] * unknown
    return worth * room_for(state, components, weights, seat) * fading(state, weights[terms.LATE_CARD])


@kernel
def leader_worth(components, weights, leader):
    """The worth of a leader that comes back from the tanks."""
    return weights[terms.RAISED] + weights[terms.LEADER_POINT] * components.strength[leader]


@kernel
def revival_worth(state, weights, seat, tokens):
    """The worth of tokens that come back from the tanks: less, the more tokens stand in the reserve."""
    worth = 0.0
    for number in range(tokens):
        worth += weights[terms.REVIVED] * 5.0 / (5.0 + state.players[seat].reserve + number)
    return worth
