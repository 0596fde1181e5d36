"""Preferences outside movement and battle: the storm, bids, cards, revival, alliances."""

from __future__ import annotations

import numpy as np

from dunaia_env.dune import actions as verbs, decisions, state as layout
from dunaia_env.dune.evaluation import prices, weights as terms
from dunaia_env.dune.evaluation.ground import best_leader, strength_of
from dunaia_env.dune.rules.cards import hand_size
from dunaia_env.dune.rules.harvest import strongholds_needed, strongholds_of
from dunaia_env.dune.rules.seats import has_power, is_allied, right_of
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
            tokens = weights[terms.TOKEN] * state.players[other].forces[cell]
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
    """BID: the worth of the card in the hand, minus its price."""
    worth = prices.unknown_card_worth(state, components, weights, seat)
    if has_power(state, seat, layout.ATREIDES) and state.sale_seen != 0:
        worth = prices.card_worth(state, weights, seat, int(state.sale))
    worth *= prices.room_for(state, components, weights, seat)
    for k in range(count):
        action = int(legal[k])
        if action == verbs.USE_KARAMA:
            preferences[k] = worth - prices.card_worth(state, weights, seat, layout.KARAMA_CARD)
        elif action != verbs.PASS:
            preferences[k] = worth - prices.price_worth(
                state, weights, seat, int(state.bid) + action - verbs.NUMBER_FIRST
            )


@kernel
def best_fetched(state, components, weights, seat, tokens):
    """The worth of a ghola, which brings back up to ``tokens`` tokens or a leader."""
    worth = prices.revival_worth(state, weights, seat, min(int(tokens), int(state.players[seat].tanks)))
    for leader in range(layout.LEADERS):
        if state.owner[leader] == seat and state.alive[leader] == 0:
            worth = max(worth, prices.leader_worth(components, weights, leader))
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
        if kind == layout.GHOLA_CARD:
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
    """KARAMA: the worth of stopping a power, minus the worth of the card."""
    for k in range(count):
        if legal[k] != verbs.PASS:
            preferences[k] = weights[terms.STOPPING] - prices.card_worth(state, weights, seat, layout.KARAMA_CARD)


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
    """RAISE and BUY_BACK: the worth of the leader, minus its strength in spice."""
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
def prefer_price(state, components, weights, seat, legal, count, preferences):
    """PRICE: the highest price below the worth of the leader to its owner."""
    worth = prices.leader_worth(components, weights, int(state.leader))
    for k in range(count):
        if legal[k] != verbs.PASS:
            price = int(legal[k]) - verbs.NUMBER_FIRST
            preferences[k] = float(price) if price < worth else 0.0


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
def prefer_least(state, components, weights, seat, legal, count, preferences):
    """TAMPER and SWAP_COUNT: prefer the least number."""
    for k in range(count):
        preferences[k] = -float(legal[k])


# Alliances


@kernel
def worth_of_joining(state, components, weights, seat, other):
    """The worth of an alliance with another side: more if that side holds enough strongholds to win by itself."""
    if strongholds_of(state, components, other) >= strongholds_needed(state, components, other):
        return weights[terms.ALLIANCE] + weights[terms.RESCUE]
    return weights[terms.ALLIANCE]


@kernel
def prefer_proposal(state, components, weights, seat, legal, count, preferences):
    """PROPOSE: the worth of joining the side."""
    for k in range(count):
        if legal[k] != verbs.PASS:
            other = right_of(state, seat, int(legal[k]) - verbs.SEAT_FIRST + 1)
            preferences[k] = worth_of_joining(state, components, weights, seat, other)


@kernel
def prefer_answer(state, components, weights, seat, legal, count, preferences):
    """ANSWER: the worth of an alliance with the proposer."""
    proposer = int(state.stack[int(state.depth) - 1].seat)
    for k in range(count):
        if legal[k] == verbs.YES:
            preferences[k] = worth_of_joining(state, components, weights, seat, proposer)


@kernel
def prefer_leaving(state, components, weights, seat, legal, count, preferences):
    """LEAVE: the loss of the alliance, and a greater loss if the side holds enough strongholds to win."""
    for k in range(count):
        if legal[k] == verbs.YES:
            preferences[k] = -weights[terms.ALLIANCE]
            if strongholds_of(state, components, seat) >= strongholds_needed(state, components, seat):
                preferences[k] -= weights[terms.RESCUE]


# Set-up


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
    **dict.fromkeys((decisions.RAISE, decisions.BUY_BACK), prefer_raised_leader),
    decisions.GHOLA: prefer_fetched,
    decisions.PRICE: prefer_price,
    decisions.ACCEPT: prefer_accepting,
    decisions.PROPOSE: prefer_proposal,
    decisions.ANSWER: prefer_answer,
    decisions.LEAVE: prefer_leaving,
    decisions.PREDICT_TURN: prefer_turn,
    **dict.fromkeys((decisions.TRAITOR, decisions.POISONED), prefer_strongest),
    decisions.TREASON: prefer_yes,
    **dict.fromkeys((decisions.TAMPER, decisions.SWAP_COUNT), prefer_least),
}
