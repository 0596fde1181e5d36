"""The worth to a seat of having tokens in a place at the end of the turn."""

from __future__ import annotations

import math

import numpy as np

from dunaia_env.dune import state as layout
from dunaia_env.dune.evaluation import weights as terms
from dunaia_env.dune.evaluation.prices import fading
from dunaia_env.dune.rules.common.cards import hand_size
from dunaia_env.dune.rules.common.fields import battler
from dunaia_env.dune.rules.common.forces import occupies
from dunaia_env.dune.rules.common.seats import has_power, is_allied
from dunaia_env.dune.rules.harvest import harvest_of_a_token, is_predicted, strongholds_needed, strongholds_of
from dunaia_env.dune.rules.storm import is_open
from dunaia_env.dune.state import NONE
from dunaia_env.support.compile_cache import kernel

# Columns of a survey, which has a row for each territory (float64): own tokens, tokens of the strongest enemy, worth of
# holding the territory, and by how much the seat's strength in a battle there exceeds that enemy's, tokens aside.
OWN, ENEMY, HOLDING, EDGE = 0, 1, 2, 3
SURVEY_SIZE = 4
MOST_CARDS = 4  # the most cards of an enemy that count as strength


@kernel
def strength_of(components, leader):
    """The strength of a leader, as everybody knows it."""
    return float(components.strength[leader])


@kernel
def token_worth(state, weights, seat):
    """What a seat loses with a token that dies."""
    part = weights[terms.REGROWN] if has_power(state, seat, layout.TLEILAX) else 1.0
    return weights[terms.TOKEN] * part * fading(state, weights[terms.LATE_TOKEN])


@kernel
def best_leader(state, components, seat, territory):
    """The greatest strength among a seat's living leaders that were not used elsewhere; 0 if there is none."""
    best = 0.0
    for leader in range(layout.LEADERS):
        is_free = state.used[leader] == NONE or state.used[leader] == territory
        if is_free and state.owner[leader] == seat and state.alive[leader] != 0:
            best = max(best, strength_of(components, leader))
    return best


@kernel
def cards_of(state, seat):
    """The number of cards of a seat, including the weapon and the defence in a hidden plan."""
    cards = hand_size(state, seat)
    if state.plans_shown == 0:
        for side in range(2):
            if battler(state, side) == seat:
                plan = state.plans[side]
                cards += (1 if plan.weapon >= 0 else 0) + (1 if plan.defence >= 0 else 0)
    return cards


@kernel
def odds(weights, advantage):
    """The chance to win a battle with a strength that exceeds the enemy's by ``advantage``."""
    return 1.0 / (1.0 + math.exp(-max(-50.0, min(50.0, advantage / weights[terms.SPREAD]))))


@kernel
def armed(state, weights, seat):
    """The strength of the weapons and defences in a seat's own hand."""
    hand = state.players[seat].hand
    strength = 0.0
    if hand[layout.PROJECTILE] > 0 or hand[layout.POISON] > 0 or hand[layout.LASGUN] > 0:
        strength += weights[terms.WEAPON_STRENGTH]
    if hand[layout.SHIELD] > 0 or hand[layout.SNOOPER] > 0:
        strength += weights[terms.DEFENCE_STRENGTH]
    return strength


@kernel
def edge_over(state, components, weights, seat, enemy, territory):
    """By how much a seat's strength in a battle exceeds an enemy's, tokens aside: by leaders and cards."""
    own, theirs = best_leader(state, components, seat, territory), best_leader(state, components, enemy, territory)
    # The Face Dancer is as strong as the leader against it.
    dancer = int(state.owner[layout.FACE_DANCER]) if state.alive[layout.FACE_DANCER] != 0 else NONE
    if dancer == seat:
        own = max(own, theirs)
    elif dancer == enemy:
        theirs = max(own, theirs)
    cards = min(MOST_CARDS, cards_of(state, enemy))
    return own + armed(state, weights, seat) - theirs - weights[terms.ENEMY_CARD] * cards


@kernel
def holding(state, components, weights, seat, territory):
    """The worth of holding a territory at the end of the turn; 0 unless it is a stronghold that no ally holds."""
    if components.stronghold_of[territory] == NONE:
        return 0.0
    worth = weights[terms.STRONGHOLD]
    held = strongholds_of(state, components, seat)
    for member in range(int(state.num_players)):
        if is_allied(state, seat, member) and occupies(state, components, member, territory):
            if member != seat:
                return 0.0
            held -= 1
    if held + 1 >= strongholds_needed(state, components, seat):
        worth += weights[terms.VICTORY]
    for enemy in range(int(state.num_players)):
        is_there = not is_allied(state, seat, enemy) and occupies(state, components, enemy, territory)
        if is_there and has_power(state, seat, layout.BENE_GESSERIT) and is_predicted(state, enemy):
            continue
        if is_there and strongholds_of(state, components, enemy) >= strongholds_needed(state, components, enemy):
            worth += weights[terms.DENIAL]
    return worth


@kernel
def survey(state, components, weights, seat, ground):
    """Write a seat's survey of the territories into ``ground``, float64 ``(TERRITORIES, SURVEY_SIZE)``."""
    ground[:] = 0.0
    for other in range(int(state.num_players)):
        forces = state.players[other].forces
        tokens = np.zeros(layout.TERRITORIES, np.int64)
        for cell in range(layout.CELLS):
            tokens[int(components.territory_of[cell])] += int(forces[cell])
        if other == seat:
            for territory in range(layout.TERRITORIES):
                ground[territory, OWN] = tokens[territory]
        elif not is_allied(state, seat, other):
            for territory in range(layout.TERRITORIES):
                if tokens[territory] > ground[territory, ENEMY]:
                    ground[territory, ENEMY] = tokens[territory]
                    ground[territory, EDGE] = edge_over(state, components, weights, seat, other, territory)
    ground[int(components.polar_sink), ENEMY] = 0.0
    for index in range(layout.STRONGHOLDS):
        territory = int(components.strongholds[index])
        ground[territory, HOLDING] = holding(state, components, weights, seat, territory)


@kernel
def odds_in(weights, ground, territory, tokens):
    """The chance that a number of own tokens win the battle in a territory; 1 if no battle is due."""
    enemy = ground[territory, ENEMY]
    if enemy == 0:
        return 1.0
    return odds(weights, tokens + ground[territory, EDGE] - enemy - weights[terms.AGGRESSOR])


@kernel
def worth_of(state, components, weights, ground, territory, tokens):
    """The worth of a number of own tokens in a territory, apart from spice and storm."""
    if tokens <= 0:
        return 0.0
    chance = odds_in(weights, ground, territory, tokens)
    left = max(1.0, tokens - weights[terms.LOSSES] * ground[territory, ENEMY])
    cost = token_worth(state, weights, int(state.seat)) * (tokens - chance * left)
    guard = weights[terms.GUARD] + weights[terms.CROWD] * (int(state.num_players) - 2)
    if ground[territory, HOLDING] > 0:
        return chance * ground[territory, HOLDING] * left / (left + guard) - cost
    nearest = 0.0
    for index in range(layout.STRONGHOLDS):
        aim = int(components.strongholds[index])
        own = ground[aim, OWN]
        reached = odds_in(weights, ground, aim, own + left) * (own + left) / (own + left + guard)
        if own > 0:
            reached -= odds_in(weights, ground, aim, own) * own / (own + guard)
        steps = max(1.0, float(components.territory_distance[territory, aim]))
        nearest = max(nearest, ground[aim, HOLDING] * reached / steps)
    return chance * weights[terms.APPROACH] * nearest - cost


@kernel
def write_gains(state, components, weights, ground, gains):
    """Write the worth of more own tokens in each territory into ``gains``, float64 ``(TERRITORIES, TOKENS + 1)``."""
    for territory in range(layout.TERRITORIES):
        own = ground[territory, OWN]
        now = worth_of(state, components, weights, ground, territory, own)
        for more in range(layout.TOKENS + 1):
            gains[territory, more] = worth_of(state, components, weights, ground, territory, own + more) - now


@kernel
def storm_chance(components, distance):
    """The chance that the storm of the next turn moves at least ``distance`` sectors."""
    least, most = int(components.later_dial[0]), int(components.later_dial[1])
    cases, reached = 0, 0
    for first in range(least, most + 1):
        for second in range(least, most + 1):
            cases += 1
            if first + second >= distance:
                reached += 1
    return reached / cases


@kernel
def risk(state, components, weights, cell):
    """The worth that a token in a cell is expected to lose to the storm of the next turn."""
    if components.sector[cell] == NONE or not is_open(state, components, cell):
        return 0.0
    distance = (int(components.sector[cell]) - int(state.storm)) % layout.SECTORS
    return (
        weights[terms.STORM]
        * token_worth(state, weights, int(state.seat))
        * storm_chance(components, distance if distance > 0 else layout.SECTORS)
    )


@kernel
def crop(state, components, weights, seat, cell, tokens):
    """The worth of the harvest of a number of tokens in a cell, if nobody disputes it."""
    if tokens <= 0 or state.spice[cell] == 0:
        return 0.0
    each = harvest_of_a_token(state, components, seat)
    return weights[terms.HARVEST] * min(float(state.spice[cell]), float(each * tokens))


@kernel
def gain_in(state, components, weights, seat, ground, gains, cell, tokens):
    """The worth of bringing a number of tokens into a cell."""
    territory = int(components.territory_of[cell])
    more = min(int(tokens), layout.TOKENS)
    gain = gains[territory, more] - more * risk(state, components, weights, cell)
    if state.spice[cell] > 0:
        own = int(state.players[seat].forces[cell])
        harvested = crop(state, components, weights, seat, cell, own + more) - crop(
            state, components, weights, seat, cell, own
        )
        gain += harvested * odds_in(weights, ground, territory, ground[territory, OWN] + more)
    return gain


@kernel
def loss_in(state, components, weights, seat, ground, cell, before, tokens):
    """The cost of taking tokens out of a cell, after ``before`` other tokens of its territory were taken."""
    territory = int(components.territory_of[cell])
    own = ground[territory, OWN] - before
    loss = worth_of(state, components, weights, ground, territory, own)
    loss -= worth_of(state, components, weights, ground, territory, own - tokens)
    loss -= tokens * risk(state, components, weights, cell)
    if state.spice[cell] > 0:
        here = int(state.players[seat].forces[cell])
        chance = odds_in(weights, ground, territory, own)
        loss += chance * (
            crop(state, components, weights, seat, cell, here)
            - crop(state, components, weights, seat, cell, here - tokens)
        )
    return loss
