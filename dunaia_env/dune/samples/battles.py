"""Hidden plans, and the leaders that could be in them."""

from __future__ import annotations

import numpy as np

from dunaia_env.dune import actions, decisions, state as layout
from dunaia_env.dune.rules.common.seats import is_allied, seat_of_faction, seat_with_power
from dunaia_env.dune.samples.draws import PLANS, below
from dunaia_env.dune.state import NONE
from dunaia_env.support.compile_cache import kernel

# Parts of a plan, as prescience shows them.
OF_LEADER, OF_WEAPON, OF_DEFENCE, OF_NUMBER = 0, 1, 2, 3


@kernel
def battler_of(state, side):
    """The seat on a side of the battle."""
    return np.int64(state.actor) if side == layout.AGGRESSOR else np.int64(state.defender)


@kernel
def side_of(state, seat):
    """The side of a seat in the battle in progress; -1 for none."""
    if state.phase == layout.BATTLE_PHASE and state.defender != NONE:
        if state.actor == seat:
            return layout.AGGRESSOR
        if state.defender == seat:
            return layout.DEFENDER
    return NONE


@kernel
def is_shown(state, seat, side, element):
    """Whether prescience has shown a seat this element of a side's plan."""
    if state.element_shown == 0 or (state.element != element and state.element != layout.ALL_ELEMENTS):
        return False
    atreides = seat_with_power(state, layout.ATREIDES)
    helped = battler_of(state, layout.DEFENDER if side == layout.AGGRESSOR else layout.AGGRESSOR)
    return is_allied(state, atreides, helped) and seat in (atreides, helped)


@kernel
def is_planning(state):
    """Whether plans are being made; by then, everybody knows which battlers have neither leader nor hero."""
    if decisions.LEADER <= state.decision <= decisions.PRESCIENCE:
        return True
    if state.phase != layout.BATTLE_PHASE or state.decision != decisions.KARAMA:
        return False
    depth = int(state.depth)
    stopping = (
        depth > 0 and state.stack[depth - 1].point == layout.STOP and state.stack[depth - 1].power == layout.PRESCIENT
    )
    return state.power == layout.PRESCIENT or stopping


@kernel
def _is_available(state, components, battler, leader):
    """Whether a battler may send a leader into the battle in progress."""
    if state.owner[leader] != battler or state.alive[leader] == 0:
        return False
    if state.used[leader] != NONE and state.used[leader] != components.territory_of[state.field]:
        return False
    enemy = battler_of(state, layout.DEFENDER if battler == state.actor else layout.AGGRESSOR)
    if state.returned[leader] != 0 and enemy == seat_with_power(state, layout.TLEILAX):
        return False
    return seat_of_faction(state, np.int64(components.faction_of[leader])) != enemy


@kernel
def count_available(state, components, battler):
    """How many leaders a battler may send into the battle in progress."""
    count = 0
    for leader in range(layout.LEADERS):
        if _is_available(state, components, battler, leader):
            count += 1
    return count


@kernel
def _ordered(state):
    """The battler to whom the Voice's order goes; -1 if there is none."""
    sister = seat_with_power(state, layout.BENE_GESSERIT)
    if state.voice == NONE or sister == NONE:
        return NONE
    if is_allied(state, sister, battler_of(state, layout.AGGRESSOR)):
        return battler_of(state, layout.DEFENDER)
    return battler_of(state, layout.AGGRESSOR) if is_allied(state, sister, battler_of(state, layout.DEFENDER)) else NONE


@kernel
def _tokens_in_field(state, components, seat):
    tokens, forces = 0, state.players[seat].forces
    for cell in range(layout.CELLS):
        if forces[cell] > 0 and components.field_of[state.storm, cell] == state.field:
            tokens += int(forces[cell])
    return tokens


@kernel
def _choose_leader(state, components, seed, side, must, must_not):
    """Choose one of the battler's leaders or a hero in its hand; returns the choice, -1 if there is neither."""
    battler = battler_of(state, side)
    heroes = 1 if state.players[battler].hand[layout.CHEAP_HERO] > 0 else 0
    leaders = count_available(state, components, battler)
    if must == layout.CHEAP_HERO and heroes > 0:
        leaders = 0
    elif must_not == layout.CHEAP_HERO and leaders > 0:
        heroes = 0
    if leaders + heroes == 0:
        return NONE
    left = below(seed, PLANS, 4 * side, leaders + heroes)
    if left < leaders:
        for leader in range(layout.LEADERS):
            if _is_available(state, components, battler, leader):
                if left == 0:
                    return leader
                left -= 1
    return layout.HERO


@kernel
def _is_weapon(kind):
    return kind <= layout.LASGUN or kind == layout.WORTHLESS


@kernel
def _is_defence(kind):
    return kind in (layout.SHIELD, layout.SNOOPER, layout.WORTHLESS)


@kernel
def _choose_card(hand, seed, index, as_weapon, must_not):
    """Choose a weapon or a defence from a hand, or none (-1)."""
    count = 1
    for kind in range(layout.WORTHLESS + 1):
        fits = _is_weapon(kind) if as_weapon else _is_defence(kind)
        if fits and hand[kind] > 0 and kind != must_not:
            count += 1
    left = below(seed, PLANS, index, count)
    for kind in range(layout.WORTHLESS + 1):
        fits = _is_weapon(kind) if as_weapon else _is_defence(kind)
        if fits and hand[kind] > 0 and kind != must_not:
            if left == 1:
                return kind
            left -= 1
    return NONE


@kernel
def _leave_hand(hand, kind):
    if kind != NONE and hand[kind] > 0:
        hand[kind] -= 1


@kernel
def choose_plan(state, components, seed, seat, side):
    """Choose again, out of the dealt hand, the parts of a hidden plan that are chosen and that a seat does not see."""
    plan, battler = state.plans[side], battler_of(state, side)
    if plan.number != layout.UNCHOSEN and not is_shown(state, seat, side, OF_NUMBER):
        plan.number = below(seed, PLANS, 4 * side + 3, _tokens_in_field(state, components, battler) + 1)
    if plan.no_leader != 0 or plan.leader == layout.UNCHOSEN:
        return
    hand = state.players[battler].hand
    must, must_not = NONE, NONE
    if _ordered(state) == battler:
        if state.voice >= actions.MUST_NOT_FIRST:
            must_not = int(state.voice) - actions.MUST_NOT_FIRST
        elif hand[state.voice - actions.MUST_FIRST] > 0:
            must = int(state.voice) - actions.MUST_FIRST
    sees_leader = is_shown(state, seat, side, OF_LEADER)
    sees_weapon = is_shown(state, seat, side, OF_WEAPON)
    sees_defence = is_shown(state, seat, side, OF_DEFENCE)
    if sees_weapon and plan.weapon >= 0:
        _leave_hand(hand, np.int64(plan.weapon))
    if sees_defence and plan.defence >= 0:
        _leave_hand(hand, np.int64(plan.defence))
    if not sees_leader:
        plan.leader = _choose_leader(state, components, seed, side, must, must_not)
    if plan.leader == layout.HERO:
        _leave_hand(hand, layout.CHEAP_HERO)
    if plan.weapon != layout.UNCHOSEN and not sees_weapon:
        # An ordered worthless card is due as the defence at the latest, or as the weapon if another defence is seen.
        due = must != NONE and (
            must <= layout.LASGUN or (must == layout.WORTHLESS and sees_defence and plan.defence != layout.WORTHLESS)
        )
        plan.weapon = must if due else _choose_card(hand, seed, 4 * side + 1, True, must_not)
        _leave_hand(hand, np.int64(plan.weapon))
    if plan.defence != layout.UNCHOSEN and not sees_defence:
        due = must != NONE and _is_defence(must) and not (must == layout.WORTHLESS and plan.weapon == layout.WORTHLESS)
        plan.defence = must if due else _choose_card(hand, seed, 4 * side + 2, False, must_not)
        _leave_hand(hand, np.int64(plan.defence))
