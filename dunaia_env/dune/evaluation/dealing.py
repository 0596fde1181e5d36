"""Preferences outside movement and battle: the storm, bids, cards, revival, alliances."""

from __future__ import annotations

import numpy as np

from dunaia_env.dune import actions as verbs, decisions, state as layout
from dunaia_env.dune.evaluation import prices, weights as terms
from dunaia_env.dune.evaluation.ground import best_leader, strength_of, token_worth
from dunaia_env.dune.evaluation.shares import write_expected_shares
from dunaia_env.dune.rules.common.cards import hand_size
from dunaia_env.dune.rules.common.seats import has_power, is_allied, right_of
from dunaia_env.dune.rules.storm import is_open
from dunaia_env.dune.state import NONE
from dunaia_env.support.compile_cache import kernel

# The storm


@kernel
def write_sweeps(state, components, weights, seat, sweeps):
    """Write the worth of what the storm sweeps by the sectors it moves, into ``sweeps``, float64 ``(SECTORS + 1,)``."""
    sweeps[:] = 0.0
    for cell in range(layout.CELLS):
        if components.sector[cell] == NONE or not is_open(state, components, cell):
            continue
        distance = (int(components.sector[cell]) - int(state.storm) - 1) % layout.SECTORS + 1
        for other in range(int(state.num_players)):
            tokens = token_worth(state, weights, other) * state.players[other].forces[cell]
            if is_allied(state, seat, other):
                sweeps[distance] -= tokens
            else:
                sweeps[distance] += weights[terms.SWEPT_ENEMY] * tokens
    for distance in range(layout.SECTORS):
        sweeps[distance + 1] += sweeps[distance]


@kernel
def mean_sweep(state, components, sweeps, own):
    """The mean of ``sweeps`` if one wheel shows ``own`` (any number for -1) and the other wheel any number."""
    dial = components.first_dial if state.turn == 1 else components.later_dial
    cases, worth = 0, 0.0
    for first in range(int(dial[0]), int(dial[1]) + 1):
        if own != NONE and first != own:
            continue
        for second in range(int(dial[0]), int(dial[1]) + 1):
            cases += 1
            worth += sweeps[min(layout.SECTORS, first + second)]
    return worth / cases


@kernel
def prefer_dial(state, components, weights, seat, legal, count, preferences):
    """DIAL: the worth of what the storm sweeps, as the mean over the numbers of the other wheel."""
    sweeps = np.empty(layout.SECTORS + 1, np.float64)
    write_sweeps(state, components, weights, seat, sweeps)
    for k in range(count):
        preferences[k] = mean_sweep(state, components, sweeps, int(legal[k]) - verbs.NUMBER_FIRST)


@kernel
def prefer_weather(state, components, weights, seat, legal, count, preferences):
    """WEATHER_DIAL: the worth of what the storm sweeps. WEATHER: the best such worth, minus the mean and the card."""
    sweeps = np.empty(layout.SECTORS + 1, np.float64)
    write_sweeps(state, components, weights, seat, sweeps)
    for k in range(count):
        action = int(legal[k])
        if action >= verbs.CARD_FIRST:
            best = -np.inf
            for number in range(int(components.weather_dial[0]), int(components.weather_dial[1]) + 1):
                best = max(best, sweeps[min(layout.SECTORS, number)])
            preferences[k] = best - mean_sweep(state, components, sweeps, NONE)
            preferences[k] -= prices.card_worth(state, weights, seat, layout.WEATHER_CONTROL)
        elif action >= verbs.NUMBER_FIRST:
            preferences[k] = sweeps[min(layout.SECTORS, action - verbs.NUMBER_FIRST)]


@kernel
def prefer_worm(state, components, weights, seat, legal, count, preferences):
    """WORM: the number of enemy tokens in the territory."""
    for k in range(count):
        territory = int(legal[k]) - verbs.TERRITORY_FIRST
        first = int(components.first_cell[territory])
        for cell in range(first, first + int(components.num_cells[territory])):
            for other in range(int(state.num_players)):
                if not is_allied(state, seat, other):
                    preferences[k] += state.players[other].forces[cell]


# Bids and cards


@kernel
def prefer_bid(state, components, weights, seat, legal, count, preferences):
    """BID: the worth of the card in the hand, minus what buying it costs."""
    worth = prices.bought_worth(state, components, weights, seat)
    for k in range(count):
        action = int(legal[k])
        if action == verbs.USE_KARAMA:
            preferences[k] = worth - prices.card_worth(state, weights, seat, layout.KARAMA_CARD)
        elif action != verbs.PASS:
            bid = int(state.bid) + action - verbs.NUMBER_FIRST
            preferences[k] = worth - prices.bid_cost(state, components, weights, seat, bid)


@kernel
def best_fetched(state, components, weights, seat, tokens):
    """The worth of a ghola, which brings back up to ``tokens`` tokens or a leader; Bene Tleilax take anybody's."""
    worth = prices.revival_worth(state, weights, seat, min(int(tokens), int(state.players[seat].tanks)))
    for leader in range(layout.LEADERS):
        is_fetched = state.owner[leader] == seat or has_power(state, seat, layout.TLEILAX)
        if is_fetched and state.owner[leader] != NONE and state.alive[leader] == 0:
            worth = max(worth, prices.leader_worth(components, weights, leader))
    return worth


@kernel
def worth_of_embargo(state, components, weights, seat):
    """The worth to Bene Tleilax that no other seat gets the tokens back that would return without payment."""
    worth = 0.0
    for other in range(int(state.num_players)):
        if not is_allied(state, seat, other):
            player = state.players[other]
            free = min(int(player.tanks), int(components.free_revival[int(player.faction)]))
            worth += weights[terms.SWEPT_ENEMY] * weights[terms.TOKEN] * free
    return worth


@kernel
def prefer_card(state, components, weights, seat, legal, count, preferences):
    """Windows: the worth of a card's effect, minus the worth of the card."""
    for k in range(count):
        action = int(legal[k])
        if action == verbs.PASS:
            continue
        kind = layout.KARAMA_CARD if action == verbs.USE_KARAMA else action - verbs.CARD_FIRST
        effect = 0.0
        if action == verbs.USE_KARAMA and has_power(state, seat, layout.TLEILAX):
            effect = worth_of_embargo(state, components, weights, seat)
        elif action == verbs.USE_KARAMA and has_power(state, seat, layout.EMPEROR):
            effect = best_fetched(state, components, weights, seat, int(components.emperor_tokens))
        elif kind == layout.GHOLA_CARD:
            effect = best_fetched(state, components, weights, seat, int(components.ghola_tokens))
        elif kind == layout.HARVESTER_CARD:
            spice = int(components.spice_amount[int(components.card_of[int(state.last_blow)])])
            cell = int(components.spice_cell[int(components.card_of[int(state.last_blow)])])
            effect = float(spice) if state.players[seat].forces[cell] > 0 else 0.0
        elif kind == layout.RESIDUAL_POISON:
            for other in range(int(state.num_players)):
                if not is_allied(state, seat, other):
                    effect = max(
                        effect, weights[terms.LEADER_POINT] * best_leader(state, components, other, NONE) + 1.0
                    )
        elif kind == layout.WORTHLESS:
            # A bluff costs several ransoms if it is called.
            effect = -1.0
        preferences[k] = effect - prices.card_worth(state, weights, seat, kind)


@kernel
def prefer_victim(state, components, weights, seat, legal, count, preferences):
    """LAY_WHO and SWAP_WHO: the seat with the strongest leader; among equals, the seat with most cards."""
    for k in range(count):
        other = right_of(state, seat, int(legal[k]) - verbs.SEAT_FIRST + 1)
        preferences[k] = best_leader(state, components, other, NONE) + 0.01 * hand_size(state, other)


@kernel
def prefer_ransom(state, components, weights, seat, legal, count, preferences):
    """RANSOM: the highest ransom for a residual poison, the lowest for a bluff."""
    sign = 1.0 if state.players[seat].laid == layout.RESIDUAL_POISON else -1.0
    for k in range(count):
        preferences[k] = sign * (int(legal[k]) - verbs.NUMBER_FIRST)


@kernel
def prefer_paying(state, components, weights, seat, legal, count, preferences):
    """PAY: half the worth of the best leader, minus the ransom."""
    for k in range(count):
        if legal[k] == verbs.YES:
            threat = 0.5 * weights[terms.LEADER_POINT] * best_leader(state, components, seat, NONE)
            preferences[k] = threat - prices.price_worth(state, weights, seat, int(state.price))


@kernel
def prefer_given_card(state, components, weights, seat, legal, count, preferences):
    """GIVE: the card that is worth least."""
    for k in range(count):
        preferences[k] = -prices.card_worth(state, weights, seat, int(legal[k]) - verbs.CARD_FIRST)


@kernel
def prefer_stopping(state, components, weights, seat, legal, count, preferences):
    """KARAMA: the worth of stopping a power, minus the worth of the card; more if one's own leader is at stake."""
    worth = weights[terms.STOPPING] - prices.card_worth(state, weights, seat, layout.KARAMA_CARD)
    leader = int(state.leader)
    if leader != NONE and state.owner[leader] == seat:
        stolen = prices.leader_worth(components, weights, leader)
        worth += stolen if state.power == layout.STOLEN else weights[terms.LEADER_POINT]
    for k in range(count):
        if legal[k] != verbs.PASS:
            preferences[k] = worth


@kernel
def prefer_withdrawal(state, components, weights, seat, legal, count, preferences):
    """WITHDRAW: take back a bluff, never a residual poison."""
    for k in range(count):
        if legal[k] == verbs.YES:
            preferences[k] = 1.0 if state.players[seat].laid == layout.WORTHLESS else -1.0


# Revival


@kernel
def prefer_revival(state, components, weights, seat, legal, count, preferences):
    """REVIVE: the worth of the tokens, minus their price."""
    for k in range(count):
        tokens = int(legal[k]) - verbs.NUMBER_FIRST
        price = int(components.revival_price) * tokens
        preferences[k] = prices.revival_worth(state, weights, seat, tokens) - prices.price_worth(
            state, weights, seat, price
        )


@kernel
def prefer_raised_leader(state, components, weights, seat, legal, count, preferences):
    """RAISE: the worth of the leader, minus its strength in spice."""
    for k in range(count):
        if legal[k] != verbs.PASS:
            leader = int(legal[k]) - verbs.LEADER_FIRST
            price = prices.price_worth(state, weights, seat, int(components.strength[leader]))
            preferences[k] = prices.leader_worth(components, weights, leader) - price


@kernel
def prefer_fetched(state, components, weights, seat, legal, count, preferences):
    """GHOLA: the worth of the tokens or of the leader."""
    for k in range(count):
        action = int(legal[k])
        if action >= verbs.LEADER_FIRST:
            preferences[k] = prices.leader_worth(components, weights, action - verbs.LEADER_FIRST)
        else:
            preferences[k] = prices.revival_worth(state, weights, seat, action - verbs.NUMBER_FIRST)


@kernel
def prefer_bought_back(state, components, weights, seat, legal, count, preferences):
    """BUY_BACK: the leader that is worth most; asking for its price costs nothing."""
    for k in range(count):
        if legal[k] != verbs.PASS:
            preferences[k] = prices.leader_worth(components, weights, int(legal[k]) - verbs.LEADER_FIRST)


@kernel
def prefer_price(state, components, weights, seat, legal, count, preferences):
    """PRICE: the highest price that the leader is worth to its owner and that the owner, as far as is seen, can pay."""
    worth = prices.leader_worth(components, weights, int(state.leader))
    spice = int(state.players[int(state.owner[int(state.leader)])].spice) if state.open_shields != 0 else layout.NUMBERS
    for k in range(count):
        if legal[k] != verbs.PASS:
            price = int(legal[k]) - verbs.NUMBER_FIRST
            is_paid = price <= spice and price * (1.0 + weights[terms.THRIFT] * price / max(1, spice)) < worth
            preferences[k] = float(price) if is_paid else 0.0


@kernel
def prefer_accepting(state, components, weights, seat, legal, count, preferences):
    """ACCEPT: the worth of the leader, minus its price."""
    for k in range(count):
        if legal[k] == verbs.YES:
            price = prices.price_worth(state, weights, seat, int(state.price))
            preferences[k] = prices.leader_worth(components, weights, int(state.leader)) - price


@kernel
def prefer_yes(state, components, weights, seat, legal, count, preferences):
    """TREASON: always call the traitor."""
    for k in range(count):
        if legal[k] == verbs.YES:
            preferences[k] = 1.0


@kernel
def prefer_tampering(state, components, weights, seat, legal, count, preferences):
    """TAMPER: make an ally's leader stronger, and any other leader weaker."""
    sign = 1.0 if is_allied(state, seat, int(state.owner[int(state.leader)])) else -1.0
    for k in range(count):
        preferences[k] = sign * weights[terms.LEADER_POINT] * (int(legal[k]) - verbs.NUMBER_FIRST)


@kernel
def prefer_least(state, components, weights, seat, legal, count, preferences):
    """SWAP_COUNT: prefer the least number."""
    for k in range(count):
        preferences[k] = -float(legal[k])


# Alliances


@kernel
def write_changes(state, components, weights, seat, other, changes):
    """Write what a change of sides is worth to each seat: by how much its share of the win grows, times the victory.

    The seat joins another seat's side, or leaves its own for -1. ``changes`` is float64 ``(MAX_PLAYERS,)``.
    """
    players = int(state.num_players)
    shares = np.zeros(layout.MAX_PLAYERS, np.float64)
    sides = np.zeros(layout.MAX_PLAYERS, np.int8)
    counts_spice = state.open_shields != 0
    write_expected_shares(state, components, weights, counts_spice, shares)
    for member in range(players):
        sides[member] = state.alliance[member]
    state.alliance[seat] = NONE
    for member in range(players):
        is_of_side = member == other or (sides[member] != NONE and sides[member] == sides[other])
        if other != NONE and (is_of_side or member == seat):
            state.alliance[member] = players
    write_expected_shares(state, components, weights, counts_spice, changes)
    for member in range(players):
        state.alliance[member] = sides[member]
        changes[member] = weights[terms.VICTORY] * (changes[member] - shares[member])


@kernel
def prefer_proposal(state, components, weights, seat, legal, count, preferences):
    """PROPOSE: the growth of one's share of the win with the side, if all its members gain too; otherwise a loss."""
    changes = np.zeros(layout.MAX_PLAYERS, np.float64)
    for k in range(count):
        if legal[k] == verbs.PASS:
            continue
        other = right_of(state, seat, int(legal[k]) - verbs.SEAT_FIRST + 1)
        write_changes(state, components, weights, seat, other, changes)
        preferences[k] = changes[seat] - weights[terms.RELUCTANCE]
        for member in range(int(state.num_players)):
            if is_allied(state, other, member) and changes[member] < weights[terms.RELUCTANCE]:
                preferences[k] = min(preferences[k], changes[member] - weights[terms.RELUCTANCE])


@kernel
def prefer_answer(state, components, weights, seat, legal, count, preferences):
    """ANSWER: the growth of one's share of the win with the proposer."""
    changes = np.zeros(layout.MAX_PLAYERS, np.float64)
    proposer = int(state.stack[int(state.depth) - 1].seat)
    write_changes(state, components, weights, proposer, int(state.target), changes)
    for k in range(count):
        if legal[k] == verbs.YES:
            preferences[k] = changes[seat] - weights[terms.RELUCTANCE]


@kernel
def prefer_leaving(state, components, weights, seat, legal, count, preferences):
    """LEAVE: the growth of one's share of the win without the allies."""
    changes = np.zeros(layout.MAX_PLAYERS, np.float64)
    write_changes(state, components, weights, seat, NONE, changes)
    for k in range(count):
        if legal[k] == verbs.YES:
            preferences[k] = changes[seat] - weights[terms.RELUCTANCE]


@kernel
def prefer_sharing(state, components, weights, seat, legal, count, preferences):
    """GIFT and PLEDGE: the number nearest to a part of the spice that is not kept for a landing."""
    spare = state.players[seat].spice - prices.spice_to_land(state, components, weights, seat)
    for k in range(count):
        preferences[k] = -abs(int(legal[k]) - verbs.NUMBER_FIRST - weights[terms.SHARED] * max(0.0, spare))


# Set-up


@kernel
def prefer_predicted(state, components, weights, seat, legal, count, preferences):
    """PREDICT_WHO: how often the faction wins by strongholds."""
    for k in range(count):
        preferences[k] = weights[terms.FIRST_PREDICTION + int(legal[k]) - verbs.FACTION_FIRST]


@kernel
def prefer_turn(state, components, weights, seat, legal, count, preferences):
    """PREDICT_TURN: the turn nearest to the turn that the weights name."""
    for k in range(count):
        preferences[k] = -abs(int(legal[k]) - verbs.TURN_FIRST + 1 - weights[terms.PREDICTED_TURN])


@kernel
def prefer_strongest(state, components, weights, seat, legal, count, preferences):
    """POISONED and TRAITOR: the strongest leader."""
    for k in range(count):
        preferences[k] = strength_of(components, int(legal[k]) - verbs.LEADER_FIRST)


# The function of each decision.
PREFERENCES = {
    decisions.DIAL: prefer_dial,
    **dict.fromkeys((decisions.WEATHER, decisions.WEATHER_DIAL), prefer_weather),
    decisions.WORM: prefer_worm,
    decisions.BID: prefer_bid,
    **dict.fromkeys(
        (
            decisions.ATOMICS,
            decisions.BLOW_CARDS,
            decisions.NEXUS_CARDS,
            decisions.HARVESTER,
            decisions.BIDDING_CARDS,
            decisions.REVIVAL_CARDS,
            decisions.BATTLE_CARDS,
        ),
        prefer_card,
    ),
    **dict.fromkeys((decisions.LAY_WHO, decisions.SWAP_WHO), prefer_victim),
    decisions.RANSOM: prefer_ransom,
    decisions.PAY: prefer_paying,
    decisions.GIVE: prefer_given_card,
    decisions.KARAMA: prefer_stopping,
    decisions.WITHDRAW: prefer_withdrawal,
    decisions.REVIVE: prefer_revival,
    decisions.RAISE: prefer_raised_leader,
    decisions.BUY_BACK: prefer_bought_back,
    decisions.GHOLA: prefer_fetched,
    decisions.PRICE: prefer_price,
    decisions.ACCEPT: prefer_accepting,
    decisions.PROPOSE: prefer_proposal,
    decisions.ANSWER: prefer_answer,
    decisions.LEAVE: prefer_leaving,
    **dict.fromkeys((decisions.GIFT, decisions.PLEDGE), prefer_sharing),
    decisions.PREDICT_WHO: prefer_predicted,
    decisions.PREDICT_TURN: prefer_turn,
    **dict.fromkeys((decisions.TRAITOR, decisions.POISONED), prefer_strongest),
    decisions.TREASON: prefer_yes,
    decisions.TAMPER: prefer_tampering,
    decisions.SWAP_COUNT: prefer_least,
}
