"""Whether what is pending in a battle fits the board and the hands; see `dunaia_env.dune.checks.fitting`."""

from __future__ import annotations

from dunaia_env.dune import state as layout
from dunaia_env.dune.checks.asked import Moment, fault
from dunaia_env.dune.notation.pending import PLAN_PARTS
from dunaia_env.dune.state import NONE


def battle_is_due(at: Moment) -> str:
    """The field is named by its lowest cell, and in it a battle of the actor is due."""
    state, field = at.state, int(at.state.field)
    if at.printed.field_of[int(state.storm)][field] != field:
        name = at.printed.field_of[int(state.storm)][field]
        return fault("pending.field", field, f"{name}, the lowest cell of this field,")
    others = range(len(at.players)) if state.defender == NONE else [int(state.defender)]
    if state.winner == NONE and not any(at.is_due(at.actor, other, field) for other in others):
        whom = "somebody" if state.defender == NONE else f"seat {int(state.defender)}"
        return fault("pending.field", field, f"a field in which seat {at.actor} has to fight {whom}")
    return ""


def any_battle_is_due(at: Moment) -> str:
    """The actor has a battle."""
    names = set(at.printed.field_of[int(at.state.storm)])
    others = range(len(at.players))
    if any(at.is_due(at.actor, other, field) for field in names for other in others):
        return ""
    return f"actor: expected a seat with a battle in BATTLE, got {at.actor}"


def voice_has_a_battler(at: Moment) -> str:
    """Bene Gesserit is a battler or the ally of one."""
    if at.sided_with(layout.BENE_GESSERIT, at.actor) or at.sided_with(layout.BENE_GESSERIT, int(at.state.defender)):
        return ""
    return f"pending.voice: Bene Gesserit or an ally has to be a battler, {at.actor} or {int(at.state.defender)}"


def _first_side(at: Moment) -> int:
    return layout.DEFENDER if at.sided_with(layout.ATREIDES, at.actor) else layout.AGGRESSOR


def _chosen(at: Moment, side: int) -> int:
    """The number of chosen parts of a plan."""
    plan = at.state.plans[side]
    return sum(int(plan[part]) != layout.UNCHOSEN for part in PLAN_PARTS)


_WHOLE = len(PLAN_PARTS)
PLANNING = ("LEADER", "WEAPON", "DEFENCE", "NUMBER")


def plans_fit(at: Moment) -> str:
    """The plans are made one after the other, of what the battlers have."""
    state, name = at.state, at.name
    chosen = [_chosen(at, side) for side in range(2)]
    first = _first_side(at)
    if name in PLANNING:
        side = layout.DEFENDER if at.seat == state.defender else layout.AGGRESSOR
        other = 0 if side == first else _WHOLE
        if chosen[1 - side] != other:
            return f"pending.plans[{1 - side}]: expected {other} chosen parts here, got {chosen[1 - side]}"
        if state.plans[side].no_leader and name != "NUMBER":
            return f"pending.plans[{side}].no_leader: expected a leader or hero in {name}, got true"
    elif state.plans_shown:
        if chosen != [_WHOLE, _WHOLE]:
            return f"pending.plans[{chosen.index(min(chosen))}]: plans that are shown are complete"
    else:
        needed = [_WHOLE if side == first else 0 for side in range(2)]
        if chosen != needed:
            return f"pending.plans: expected {needed} chosen parts in {name}, got {chosen}"
        helped = at.battler(1 - first)
        if not at.sided_with(layout.ATREIDES, helped):
            return f"seat {helped}: expected Atreides or its ally as the battler who plans second in {name}"
    for side in range(2):
        wrong = _plan(at, side, chosen[side])
        if wrong:
            return wrong
    return _element(at, chosen[1 - first])


def _plan(at: Moment, side: int, chosen: int) -> str:
    """What a plan names is there; as long as nothing is lost, its tokens and leader too."""
    state, plan, seat = at.state, at.state.plans[side], at.battler(side)
    leader, hand = int(plan.leader), at.players[seat].hand
    fighters = hand[layout.CHEAP_HERO] or any(at.can_fight(disc, side) for disc in at.owned.get(seat, []))
    if not chosen and not plan.no_leader and not fighters:
        return f"pending.plans[{side}].no_leader: expected true, for seat {seat} has neither leader nor hero"
    if plan.no_leader and chosen and [plan[part] for part in ("leader", "weapon", "defence")] != [NONE] * 3:
        return f"pending.plans[{side}]: a plan without leader or hero has only a number"
    if chosen and leader == NONE and not plan.no_leader:
        return f"pending.plans[{side}].leader: expected a leader, a hero or no_leader, got -1"
    if state.winner != NONE:
        return ""
    if leader >= 0 and leader != layout.HERO and not at.can_fight(leader, side):
        return fault(f"pending.plans[{side}].leader", leader, f"a leader who can fight for seat {seat}")
    if chosen == _WHOLE and plan.number > at.tokens_in(seat, int(state.field)):
        most = at.tokens_in(seat, int(state.field))
        return fault(f"pending.plans[{side}].number", int(plan.number), f"0..{most}, the tokens in the field,")
    return _shown_cards(at, side, hero=True, weapon=True) if state.plans_shown else ""


def _shown_cards(at: Moment, side: int, *, hero: bool, weapon: bool) -> str:
    """The cards of a shown plan that are still to be settled are in the hand, and not marked as shown."""
    plan, seat = at.state.plans[side], at.battler(side)
    player = at.players[seat]
    cards = [int(plan.defence), *([int(plan.weapon)] if weapon else [])]
    cards += [layout.CHEAP_HERO] if hero and plan.leader == layout.HERO else []
    for kind in sorted({card for card in cards if card >= 0}):
        number = cards.count(kind)
        if player.hand[kind] < number:
            return f"players[{seat}].hand: {int(player.hand[kind])} cards of kind {kind}; its plan shows {number}"
        most = int(player.hand[kind]) - number
        if player.shown[kind] > most:
            found = int(player.shown[kind])
            return f"players[{seat}].shown: {found} cards of kind {kind}; {most} besides those of its plan can be"
    return ""


def _element(at: Moment, of_the_second: int) -> str:
    """Atreides asked about the first plan, on the way to the second."""
    state = at.state
    if state.element == NONE:
        return "pending.element_shown: no element was asked" if state.element_shown else ""
    if not at.sided_with(layout.ATREIDES, at.battler(1 - _first_side(at))):
        return "pending.element: expected Atreides or its ally as a battler"
    if at.name == "PRESCIENCE" or (at.name in PLANNING and _chosen(at, _first_side(at)) != _WHOLE):
        return f"pending.element: nothing was asked yet in {at.name}"
    if state.element == layout.ALL_ELEMENTS and not (state.karama_powers and state.element_shown):
        return "pending.element = 'all'; it is shown at once, by the option karama_powers"
    if at.name == "KARAMA" and state.element_shown:
        return "pending.element_shown = true; it is shown unless the question stops it"
    return ""


def traitor_is_known(at: Moment) -> str:
    """A side is asked that knows the enemy's leader as a traitor and has not answered."""
    plans = at.state.plans
    for side in range(2):
        accuser = at.accuser(side)
        if plans[side].treason != NONE and (accuser == NONE or side == layout.DEFENDER):
            return f"pending.plans[{side}].treason: this side was not asked"
        if accuser != NONE and plans[side].treason == NONE:
            return "" if at.seat == accuser else fault("seat", at.seat, f"{accuser}, who knows the traitor,")
    return "pending.plans: nobody knows the enemy's leader as a traitor"


def treason_is_not_answered(at: Moment) -> str:
    """Nobody has answered about treason before the plans are shown."""
    for side in range(2):
        if at.state.plans[side].treason != NONE:
            return f"pending.plans[{side}].treason: it is asked when the plans are shown"
    return ""


def losses_are_possible(at: Moment) -> str:
    """The winner can lose what is left, from this cell on."""
    state, field, cell = at.state, int(at.state.field), int(at.state.cell)
    side = layout.DEFENDER if at.seat == state.defender else layout.AGGRESSOR
    if at.printed.field_of[int(state.storm)][cell] != field or not at.players[at.seat].forces[cell]:
        return fault("pending.cell", cell, "a cell with tokens of the winner in pending.field")
    most = min(at.tokens_in(at.seat, field, cell), int(state.plans[side].number))
    if state.left > most:
        return fault("pending.left", int(state.left), f"1..{most}")
    return _shown_cards(at, side, hero=False, weapon=True)


def kept_card_is_there(at: Moment) -> str:
    """The card that the winner is asked about is in its plan and its hand."""
    state = at.state
    side = layout.DEFENDER if at.seat == state.defender else layout.AGGRESSOR
    key = ("weapon", "defence")[int(state.keeping)]
    if state.plans[side][key] < 0:
        return f"pending.keeping = {key!r}; the winner's plan has none"
    return _shown_cards(at, side, hero=False, weapon=key == "weapon")


def leaders_are_those_of_the_battlers(at: Moment) -> str:
    """Each battler's leader is its own; a stolen one that was killed has gone home."""
    for side in range(2):
        leader, seat = int(at.state.plans[side].leader), at.battler(side)
        if leader < 0 or leader == layout.HERO or at.state.owner[leader] == seat:
            continue
        gone = at.state.winner != NONE and not at.state.alive[leader] and at.players[seat].faction == layout.TLEILAX
        if not gone:
            place = f"pending.plans[{side}].leader"
            return f"{place}: expected a leader of seat {seat}, {layout.HERO - 1} at most, got {leader}"
    return ""
