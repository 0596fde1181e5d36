"""Battle plans, with the order of the Voice and the question of Atreides."""

from __future__ import annotations

from dunaia_env.dune import actions as verbs, decisions, state as layout
from dunaia_env.dune.rules import battle_results, karama, storm
from dunaia_env.dune.rules.common import asking, cards, leaders, seats
from dunaia_env.dune.rules.common.fields import battler, side_of, tokens_in
from dunaia_env.dune.state import NONE
from dunaia_env.support.compile_cache import kernel


@kernel
def is_available(state, components, seat, leader):
    """Whether a leader can fight for a battler: alive, not used elsewhere, and willing to fight this enemy."""
    territory = components.territory_of[int(state.field)]
    if state.alive[leader] == 0 or state.owner[leader] != seat:
        return False
    if state.used[leader] != NONE and state.used[leader] != territory:
        return False
    enemy = battler(state, 1 - side_of(state, seat))
    if state.returned[leader] != 0 and seats.has_power(state, enemy, layout.TLEILAX):
        return False
    return state.owner[leader] == enemy or leaders.home_of(state, components, leader) != enemy


@kernel
def has_leader_or_hero(state, components, seat):
    """Whether a battler has a leader or a cheap hero available."""
    if state.players[seat].hand[layout.CHEAP_HERO] > 0:
        return True
    for leader in range(layout.LEADERS):
        if is_available(state, components, seat, leader):
            return True
    return False


@kernel
def first_planner(state):
    """The side that plans first: the enemy of Atreides or of its ally; without them, the aggressor."""
    return (
        layout.DEFENDER
        if seats.is_allied(state, seats.seat_with_power(state, layout.ATREIDES), int(state.actor))
        else layout.AGGRESSOR
    )


@kernel
def begin_plans(state, components):
    """Make known which battlers have neither leader nor hero; then ask for the first plan."""
    for side in range(2):
        seat = battler(state, side)
        state.plans[side].no_leader = 0 if has_leader_or_hero(state, components, seat) else 1
    return begin_plan(state, first_planner(state))


@kernel
def begin_plan(state, side):
    """Ask a battler for its plan; without a leader or hero, the plan has only a number."""
    plan = state.plans[side]
    if plan.no_leader == 0:
        return asking.ask(state, battler(state, side), decisions.LEADER)
    plan.leader = NONE
    plan.weapon = NONE
    plan.defence = NONE
    return asking.ask(state, battler(state, side), decisions.NUMBER)


@kernel
def is_ordered(state, seat):
    """Whether the order of the Voice is given to a battler."""
    if state.voice == NONE:
        return False
    enemy = battler(state, 1 - side_of(state, seat))
    return seats.is_allied(state, seats.seat_with_power(state, layout.BENE_GESSERIT), enemy)


@kernel
def must_play(state, seat):
    """The kind of card that the Voice orders a battler to play and that it can still play; -1 if there is none."""
    if not is_ordered(state, seat) or state.voice >= verbs.MUST_NOT_FIRST:
        return NONE
    kind = int(state.voice) - verbs.MUST_FIRST
    return kind if state.players[seat].hand[kind] > 0 else NONE


@kernel
def must_not_play(state, seat):
    """The kind of card that the Voice forbids a battler; -1 if there is none."""
    if not is_ordered(state, seat) or state.voice < verbs.MUST_NOT_FIRST:
        return NONE
    return int(state.voice) - verbs.MUST_NOT_FIRST


@kernel
def list_leader(state, components, actions):
    """LEADER: list the available leaders and the cheap hero, as the Voice allows."""
    seat = int(state.seat)
    has_hero = state.players[seat].hand[layout.CHEAP_HERO] > 0
    count = 0
    if must_play(state, seat) != layout.CHEAP_HERO:
        for leader in range(layout.LEADERS):
            if is_available(state, components, seat, leader):
                actions[count] = verbs.LEADER_FIRST + leader
                count += 1
    if has_hero and (count == 0 or must_not_play(state, seat) != layout.CHEAP_HERO):
        actions[count] = verbs.CARD_FIRST + layout.CHEAP_HERO
        count += 1
    return count


@kernel
def answer_leader(state, components, chance, action):
    """LEADER: the weapon follows."""
    seat = int(state.seat)
    plan = state.plans[side_of(state, seat)]
    if action == verbs.CARD_FIRST + layout.CHEAP_HERO:
        plan.leader = layout.HERO
        state.players[seat].hand[layout.CHEAP_HERO] -= 1
    else:
        plan.leader = action - verbs.LEADER_FIRST
    return asking.ask(state, seat, decisions.WEAPON)


@kernel
def list_plan_card(state, actions, seat, kinds, must):
    """List `pass` and the cards of given kinds that a battler can put into its plan, or only the one it must play."""
    must_not = must_not_play(state, seat)
    count = 0
    for k in range(len(kinds)):
        if kinds[k] == must:
            actions[0] = verbs.CARD_FIRST + must
            return 1
    actions[0] = verbs.PASS
    count = 1
    for k in range(len(kinds)):
        if state.players[seat].hand[kinds[k]] > 0 and kinds[k] != must_not:
            actions[count] = verbs.CARD_FIRST + kinds[k]
            count += 1
    return count


@kernel
def list_weapon(state, components, actions):
    """WEAPON: list no weapon, the weapons, and a worthless card."""
    seat = int(state.seat)
    must = must_play(state, seat)
    # A worthless card that must be played can also be the defence.
    if must == layout.WORTHLESS:
        must = NONE
    return list_plan_card(
        state, actions, seat, (layout.PROJECTILE, layout.POISON, layout.LASGUN, layout.WORTHLESS), must
    )


@kernel
def answer_weapon(state, components, chance, action):
    """WEAPON: the defence follows."""
    seat = int(state.seat)
    plan = state.plans[side_of(state, seat)]
    plan.weapon = NONE
    if action != verbs.PASS:
        plan.weapon = action - verbs.CARD_FIRST
        state.players[seat].hand[action - verbs.CARD_FIRST] -= 1
    return asking.ask(state, seat, decisions.DEFENCE)


@kernel
def list_defence(state, components, actions):
    """DEFENCE: list no defence, a shield, a snooper, and a worthless card."""
    seat = int(state.seat)
    must = must_play(state, seat)
    if must == layout.WORTHLESS and state.plans[side_of(state, seat)].weapon == layout.WORTHLESS:
        must = NONE
    return list_plan_card(state, actions, seat, (layout.SHIELD, layout.SNOOPER, layout.WORTHLESS), must)


@kernel
def answer_defence(state, components, chance, action):
    """DEFENCE: the number follows."""
    seat = int(state.seat)
    plan = state.plans[side_of(state, seat)]
    plan.defence = NONE
    if action != verbs.PASS:
        plan.defence = action - verbs.CARD_FIRST
        state.players[seat].hand[action - verbs.CARD_FIRST] -= 1
    return asking.ask(state, seat, decisions.NUMBER)


@kernel
def list_number(state, components, actions):
    """NUMBER: list the numbers up to all tokens in the field."""
    return storm.list_numbers(actions, 0, 0, tokens_in(state, components, int(state.seat), int(state.field)))


@kernel
def answer_number(state, components, chance, action):
    """NUMBER: the plan is complete. Atreides may ask about the first plan; after the second, both are shown."""
    seat = int(state.seat)
    side = side_of(state, seat)
    state.plans[side].number = action - verbs.NUMBER_FIRST
    if state.plans[1 - side].number != layout.UNCHOSEN:
        return show_plans(state, components)
    atreides = seats.seat_with_power(state, layout.ATREIDES)
    if seats.is_allied(state, atreides, battler(state, 1 - side)):
        return asking.ask(state, atreides, decisions.PRESCIENCE)
    return begin_plan(state, 1 - side)


@kernel
def list_prescience(state, components, actions):
    """PRESCIENCE: list `pass`, the elements of the plan and, by a Karama, the whole plan."""
    actions[0] = verbs.PASS
    count = 1
    if state.karama_powers != 0 and cards.holds_karama(state, int(state.seat)):
        actions[count] = verbs.USE_KARAMA
        count += 1
    for element in range(layout.ALL_ELEMENTS):
        actions[count] = verbs.SEE_FIRST + element
        count += 1
    return count


@kernel
def answer_prescience(state, components, chance, action):
    """PRESCIENCE: a question about an element can be stopped; the use of a Karama cannot."""
    seat = int(state.seat)
    if action == verbs.USE_KARAMA:
        karama.spend_karama(state, seat, NONE)
        state.element = layout.ALL_ELEMENTS
        state.element_shown = 1
    elif action != verbs.PASS:
        state.element = action - verbs.SEE_FIRST
        return karama.ask_whether_stopped(state, layout.PRESCIENT, seat)
    return begin_plan(state, 1 - first_planner(state))


@kernel
def after_prescient(state, components, chance, stopped):
    """The element is shown, unless stopped; the second plan follows."""
    if not stopped:
        state.element_shown = 1
    return begin_plan(state, 1 - first_planner(state))


@kernel
def show_plans(state, components):
    """Show both plans; their cards return to the hands without marks."""
    state.plans_shown = 1
    for side in range(2):
        seat = battler(state, side)
        plan = state.plans[side]
        if plan.leader == layout.HERO:
            show_card(state, seat, layout.CHEAP_HERO)
        if plan.weapon != NONE:
            show_card(state, seat, int(plan.weapon))
        if plan.defence != NONE:
            show_card(state, seat, int(plan.defence))
    return battle_results.begin_treason(state, components)


@kernel
def show_card(state, seat, kind):
    """Return a card of a plan to the hand, without its marks."""
    state.players[seat].hand[kind] += 1
    cards.lose_marks(state, seat, kind)
