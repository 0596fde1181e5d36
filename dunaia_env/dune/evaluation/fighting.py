"""Preferences in battles: plans, the Voice, what Atreides asks, losses and the cards that the winner keeps."""

from __future__ import annotations

import numpy as np

from dunaia_env.dune import actions as verbs, decisions, state as layout
from dunaia_env.dune.evaluation.ground import (
    MOST_CARDS,
    armed,
    best_leader,
    cards_of,
    edge_over,
    holding,
    odds,
    risk,
    strength_of,
    token_worth,
)
from dunaia_env.dune.evaluation.prices import card_worth
from dunaia_env.dune.evaluation.weights import BOLDNESS, DANGER, ENEMY_CARD, HARVEST, LEADER_POINT, SPREAD, TOKEN
from dunaia_env.dune.rules.battle_results import WEAPON_ASKED
from dunaia_env.dune.rules.common.fields import field_of, side_of, tokens_in
from dunaia_env.dune.rules.common.seats import right_of
from dunaia_env.dune.rules.plans import is_available
from dunaia_env.support.compile_cache import kernel

LEADER_ELEMENT, WEAPON_ELEMENT = layout.ELEMENT_NAMES.index("leader"), layout.ELEMENT_NAMES.index("weapon")
DEFENCE_ELEMENT, NUMBER_ELEMENT = layout.ELEMENT_NAMES.index("defence"), layout.ELEMENT_NAMES.index("number")
_LIKELIEST = 0.6  # the largest chance given to a card in the enemy's plan before it is seen


@kernel
def is_seen(state, element):
    """Whether the deciding battler was shown an element of the enemy's plan."""
    return state.element_shown != 0 and (state.element == element or state.element == layout.ALL_ELEMENTS)


@kernel
def strength_against(state, components, seat, leader):
    """The strength of an enemy's leader in a plan; the Face Dancer is as strong as the seat's own best leader."""
    if leader == layout.FACE_DANCER:
        return best_leader(state, components, seat, int(components.territory_of[int(state.field)]))
    return strength_of(components, leader) if 0 <= leader < layout.LEADERS else 0.0


@kernel
def enemy_leader(state, components, seat, enemy):
    """The strength of the enemy's leader: of the leader that was shown, or else of the best available leader."""
    plan = state.plans[side_of(state, enemy)]
    if plan.no_leader != 0:
        return 0.0
    if is_seen(state, LEADER_ELEMENT) and plan.leader != layout.UNCHOSEN:
        return strength_against(state, components, seat, int(plan.leader))
    best = 0.0
    for leader in range(layout.LEADERS):
        if is_available(state, components, enemy, leader):
            best = max(best, strength_against(state, components, seat, leader))
    return best


@kernel
def danger_of(state, weights, enemy, kind):
    """The chance that the enemy's plan has a card of a kind: 0 or 1 if shown, or else by its number of cards."""
    plan = state.plans[side_of(state, enemy)]
    if plan.no_leader != 0:
        return 0.0
    if kind in (layout.SHIELD, layout.SNOOPER):
        if is_seen(state, DEFENCE_ELEMENT):
            return 1.0 if plan.defence == kind else 0.0
    elif is_seen(state, WEAPON_ELEMENT):
        return 1.0 if plan.weapon == kind else 0.0
    return min(_LIKELIEST, weights[DANGER] * cards_of(state, enemy))


@kernel
def stake_of(state, components, weights, seat, enemy):
    """The worth of winning the battle in progress, apart from the seat's own tokens."""
    field = int(state.field)
    territory = int(components.territory_of[field])
    stake = holding(state, components, weights, seat, territory)
    first = int(components.first_cell[territory])
    for cell in range(first, first + int(components.num_cells[territory])):
        if field_of(state, components, cell) == field:
            stake += weights[HARVEST] * state.spice[cell]
    return stake + 0.5 * weights[TOKEN] * tokens_in(state, components, enemy, field)


@kernel
def chance_in_battle(state, components, weights, seat, enemy, strength):
    """The chance that a battler with a leader of this strength wins if both sides dial all their tokens."""
    field = int(state.field)
    own = tokens_in(state, components, seat, field) + strength + armed(state, weights, seat)
    theirs = tokens_in(state, components, enemy, field) + enemy_leader(state, components, seat, enemy)
    return odds(weights, own - theirs - weights[ENEMY_CARD] * min(MOST_CARDS, cards_of(state, enemy)))


@kernel
def prefer_opponent(state, components, weights, seat, legal, count, preferences):
    """OPPONENT: prefer the enemy against whom the odds are best."""
    field = int(state.field)
    territory = int(components.territory_of[field])
    for k in range(count):
        enemy = right_of(state, seat, int(legal[k]) - verbs.SEAT_FIRST + 1)
        edge = edge_over(state, components, weights, seat, enemy, territory)
        preferences[k] = edge - tokens_in(state, components, enemy, field)


@kernel
def prefer_leader(state, components, weights, seat, enemy, legal, count, preferences):
    """LEADER: the worth of the chance to win, minus the danger to the leader."""
    stake = stake_of(state, components, weights, seat, enemy)
    killed = min(
        _LIKELIEST,
        danger_of(state, weights, enemy, layout.PROJECTILE) + danger_of(state, weights, enemy, layout.POISON),
    )
    for k in range(count):
        action = int(legal[k])
        strength, cost = 0.0, card_worth(state, weights, seat, layout.CHEAP_HERO)
        if action < verbs.CARD_FIRST:
            leader = action - verbs.LEADER_FIRST
            strength = strength_of(components, leader)
            if leader == layout.FACE_DANCER:
                strength = enemy_leader(state, components, seat, enemy)
            cost = killed * weights[LEADER_POINT] * strength
        preferences[k] = stake * chance_in_battle(state, components, weights, seat, enemy, strength) - cost


@kernel
def own_leader(state, components, seat, enemy):
    """The strength of the leader in the seat's own plan."""
    leader = int(state.plans[side_of(state, seat)].leader)
    if leader == layout.FACE_DANCER:
        return enemy_leader(state, components, seat, enemy)
    return strength_of(components, leader) if 0 <= leader < layout.LEADERS else 0.0


@kernel
def worth_of_a_leader_lost(weights, stake, chance, strength):
    """What a leader's strength is worth through the odds of the battle."""
    return stake * min(1.0, strength / weights[SPREAD]) * chance * (1.0 - chance)


@kernel
def prefer_weapon(state, components, weights, seat, enemy, legal, count, preferences):
    """WEAPON: the worth of killing the enemy's leader, minus that of the card if the battle is lost."""
    stake = stake_of(state, components, weights, seat, enemy)
    own, theirs = own_leader(state, components, seat, enemy), enemy_leader(state, components, seat, enemy)
    chance = chance_in_battle(state, components, weights, seat, enemy, own)
    effect = worth_of_a_leader_lost(weights, stake, chance, theirs) + chance * theirs
    for k in range(count):
        if legal[k] == verbs.PASS:
            continue
        kind = int(legal[k]) - verbs.CARD_FIRST
        kills = 0.0
        if kind == layout.PROJECTILE:
            kills = 1.0 - danger_of(state, weights, enemy, layout.SHIELD)
        elif kind == layout.POISON:
            kills = 1.0 - danger_of(state, weights, enemy, layout.SNOOPER)
        elif kind == layout.LASGUN:
            explosion = danger_of(state, weights, enemy, layout.SHIELD)
            kills = 1.0 - explosion
            preferences[k] -= explosion * chance * stake
        preferences[k] += kills * effect - (1.0 - chance) * card_worth(state, weights, seat, kind)


@kernel
def prefer_defence(state, components, weights, seat, enemy, legal, count, preferences):
    """DEFENCE: the worth of saving the own leader, minus that of the card if the battle is lost."""
    stake = stake_of(state, components, weights, seat, enemy)
    own = own_leader(state, components, seat, enemy)
    chance = chance_in_battle(state, components, weights, seat, enemy, own)
    effect = worth_of_a_leader_lost(weights, stake, chance, own) + weights[LEADER_POINT] * own
    for k in range(count):
        if legal[k] == verbs.PASS:
            continue
        kind = int(legal[k]) - verbs.CARD_FIRST
        saves = 0.0
        if kind == layout.SHIELD:
            saves = danger_of(state, weights, enemy, layout.PROJECTILE)
            if state.plans[side_of(state, seat)].weapon == layout.LASGUN:
                preferences[k] -= stake
        elif kind == layout.SNOOPER:
            saves = danger_of(state, weights, enemy, layout.POISON)
        preferences[k] += saves * effect - (1.0 - chance) * card_worth(state, weights, seat, kind)


@kernel
def chance_of_survival(state, weights, seat, enemy):
    """The chance that the seat's own leader survives the enemy's weapon."""
    defence = int(state.plans[side_of(state, seat)].defence)
    killed = 0.0
    if defence != layout.SHIELD:
        killed += danger_of(state, weights, enemy, layout.PROJECTILE)
    if defence != layout.SNOOPER:
        killed += danger_of(state, weights, enemy, layout.POISON)
    if is_seen(state, WEAPON_ELEMENT) and state.plans[side_of(state, enemy)].weapon == layout.LASGUN:
        return 0.0
    return 1.0 - min(1.0 if is_seen(state, WEAPON_ELEMENT) else _LIKELIEST, killed)


@kernel
def chance_of_killing(state, weights, seat, enemy):
    """The chance that the seat's own weapon kills the enemy's leader."""
    weapon = int(state.plans[side_of(state, seat)].weapon)
    if weapon in (layout.PROJECTILE, layout.LASGUN):
        return 1.0 - danger_of(state, weights, enemy, layout.SHIELD)
    if weapon == layout.POISON:
        return 1.0 - danger_of(state, weights, enemy, layout.SNOOPER)
    return 0.0


@kernel
def write_dials(state, components, weights, enemy, dials):
    """Write the chance of each number in the enemy's plan into ``dials``, float64 ``(NUMBERS,)``."""
    dials[:] = 0.0
    plan = state.plans[side_of(state, enemy)]
    if is_seen(state, NUMBER_ELEMENT) and plan.number != layout.UNCHOSEN:
        dials[int(plan.number)] = 1.0
        return
    most = min(layout.NUMBERS - 1, tokens_in(state, components, enemy, int(state.field)))
    total = 0.0
    for number in range(most + 1):
        dials[number] = 1.0 + weights[BOLDNESS] * number / max(1, most)
        total += dials[number]
    for number in range(most + 1):
        dials[number] /= total


@kernel
def prefer_number(state, components, weights, seat, enemy, legal, count, preferences):
    """NUMBER: the chance to win with the number, times the worth of the win and of the tokens left."""
    own, theirs = own_leader(state, components, seat, enemy), enemy_leader(state, components, seat, enemy)
    survival = chance_of_survival(state, weights, seat, enemy)
    killing = chance_of_killing(state, weights, seat, enemy)
    stake = stake_of(state, components, weights, seat, enemy)
    tokens = tokens_in(state, components, seat, int(state.field))
    dials = np.empty(layout.NUMBERS, np.float64)
    write_dials(state, components, weights, enemy, dials)
    wins_ties = side_of(state, seat) == layout.AGGRESSOR
    for k in range(count):
        number = int(legal[k]) - verbs.NUMBER_FIRST
        chance = 0.0
        for outcome in range(4):
            lives, kills = outcome % 2 == 0, outcome // 2 == 1
            part = (survival if lives else 1.0 - survival) * (killing if kills else 1.0 - killing)
            lead = number + (own if lives else 0.0) - (0.0 if kills else theirs)
            for dialled in range(layout.NUMBERS):
                if lead > dialled or (lead == dialled and wins_ties):
                    chance += part * dials[dialled]
        preferences[k] = chance * (stake + token_worth(state, weights, seat) * (tokens - number))


@kernel
def prefer_order(state, components, weights, seat, legal, count, preferences):
    """VOICE: forbid a weapon, preferably one against which the hand has no defence."""
    hand = state.players[seat].hand
    for k in range(count):
        action = int(legal[k])
        if action >= verbs.MUST_NOT_FIRST:
            kind = action - verbs.MUST_NOT_FIRST
            if kind == layout.PROJECTILE:
                preferences[k] = 1.0 if hand[layout.SHIELD] > 0 else 2.0
            elif kind == layout.POISON:
                preferences[k] = 1.0 if hand[layout.SNOOPER] > 0 else 2.0
        elif action >= verbs.MUST_FIRST:
            preferences[k] = -1.0


@kernel
def prefer_element(state, components, weights, seat, legal, count, preferences):
    """PRESCIENCE: the weapon with both defences in hand, the defence with both weapons, or else the number."""
    hand = state.players[seat].hand
    for k in range(count):
        action = int(legal[k])
        if action == verbs.USE_KARAMA:
            preferences[k] = -card_worth(state, weights, seat, layout.KARAMA_CARD)
        elif action >= verbs.SEE_FIRST:
            element = action - verbs.SEE_FIRST
            preferences[k] = 1.0
            if element == NUMBER_ELEMENT:
                preferences[k] = 2.0
            if element == WEAPON_ELEMENT and hand[layout.SHIELD] > 0 and hand[layout.SNOOPER] > 0:
                preferences[k] = 3.0
            if element == DEFENCE_ELEMENT and hand[layout.PROJECTILE] > 0 and hand[layout.POISON] > 0:
                preferences[k] = 2.5


@kernel
def prefer_losses(state, components, weights, seat, legal, count, preferences):
    """LOSS: lose tokens where the storm threatens them most and no spice lies."""
    cell = int(state.cell)
    for k in range(count):
        tokens = int(legal[k]) - verbs.NUMBER_FIRST
        preferences[k] = tokens * (
            risk(state, components, weights, cell) - weights[HARVEST] * min(1, state.spice[cell])
        )


@kernel
def prefer_keeping(state, components, weights, seat, legal, count, preferences):
    """KEEP: keep every card that is worth something."""
    plan = state.plans[side_of(state, seat)]
    kind = int(plan.weapon) if state.keeping == WEAPON_ASKED else int(plan.defence)
    for k in range(count):
        if legal[k] == verbs.YES:
            preferences[k] = card_worth(state, weights, seat, kind)


# The function of each decision about a battler's plan.
PLAN_PREFERENCES = {
    decisions.LEADER: prefer_leader,
    decisions.WEAPON: prefer_weapon,
    decisions.DEFENCE: prefer_defence,
    decisions.NUMBER: prefer_number,
}

# The function of each other decision.
PREFERENCES = {
    decisions.OPPONENT: prefer_opponent,
    decisions.VOICE: prefer_order,
    decisions.PRESCIENCE: prefer_element,
    decisions.LOSS: prefer_losses,
    decisions.KEEP: prefer_keeping,
}
