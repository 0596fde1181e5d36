"""The part of the observation about the moment: the decision in progress, the sale, the battle and its plans.

Each seat sees the same parts as in `dunaia_env.dune.hidden.views`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from dunaia_env.dune import actions, decisions, state as layout
from dunaia_env.dune.checks.moments import OBJECTS
from dunaia_env.dune.decisions import DECISIONS
from dunaia_env.dune.observation.layout import MOST, first_of
from dunaia_env.dune.rules import battle_results
from dunaia_env.dune.rules.common import seats
from dunaia_env.dune.state import NONE
from dunaia_env.support.compile_cache import kernel

# What the asked seat is told, by decision: what the decision needs, and what the seat has named itself.
_KEYS = (
    *("power", "user", "target", "card", "leader", "price", "cell", "origin", "taken", "worm", "lifting", "landing"),
    *("left", "freed", "half_price", "second_move", "coned", "keeping"),
)
_NAMED: dict[str, tuple[str, ...]] = {
    "COUNT": ("taken", "lifting"),
    "MOVE_TO": ("worm",),
    "CONE": ("coned",),
    "REVIVE": ("freed",),
    "SHIP": ("half_price",),
    "SHIP_COUNT": ("half_price",),
    "SHIP_TO": ("half_price",),
    "MOVE_FROM": ("second_move",),
}
_NOT_TOLD = (("ANSWER", "target"),)


def _told(names: tuple[str, ...], *sources: dict[str, tuple[str, ...]]) -> NDArray[np.int8]:
    """A table with a row for each name: 1 for the keys that the sources give to the name, 0 for other keys."""
    table = np.zeros((len(names), len(_KEYS)), np.int8)
    for row, name in enumerate(names):
        for key in (key for source in sources for key in source.get(name, ())):
            if key in _KEYS and (name, key) not in _NOT_TOLD:
                table[row, _KEYS.index(key)] = 1
    return table


TOLD = _told(tuple(DECISIONS), {name: decision.needed for name, decision in DECISIONS.items()}, _NAMED)
TOLD_OF_POWER = _told(layout.POWER_NAMES, OBJECTS)
USER, TARGET, CARD, LEADER = _KEYS.index("user"), _KEYS.index("target"), _KEYS.index("card"), _KEYS.index("leader")
PRICE, CELL, ORIGIN, TAKEN = _KEYS.index("price"), _KEYS.index("cell"), _KEYS.index("origin"), _KEYS.index("taken")
WORM, LIFTING, LANDING, LEFT = _KEYS.index("worm"), _KEYS.index("lifting"), _KEYS.index("landing"), _KEYS.index("left")
FREED, HALF_PRICE = _KEYS.index("freed"), _KEYS.index("half_price")
SECOND_MOVE, CONED, KEEPING = _KEYS.index("second_move"), _KEYS.index("coned"), _KEYS.index("keeping")


def _places(count: int, order: tuple[int, ...]) -> NDArray[np.int8]:
    """The place of each kind in an order; 0 for kinds that are not in it."""
    table = np.zeros(count, np.int8)
    for place, kind in enumerate(order):
        table[kind] = place
    return table


_WEAPON_ORDER = (layout.PROJECTILE, layout.POISON, layout.LASGUN, layout.WORTHLESS)
_DEFENCE_ORDER = (layout.SHIELD, layout.SNOOPER, layout.WORTHLESS)
_CARD_ORDER = (layout.WORTHLESS, layout.RESIDUAL_POISON, layout.GHOLA_CARD, layout.KARAMA_CARD)
WEAPON_PLACE, NO_WEAPON = _places(layout.KINDS, _WEAPON_ORDER), len(_WEAPON_ORDER)
DEFENCE_PLACE, NO_DEFENCE = _places(layout.KINDS, _DEFENCE_ORDER), len(_DEFENCE_ORDER)
CARD_PLACE = _places(layout.KINDS, _CARD_ORDER)

AT_STRENGTH = first_of("leaders.strength")
AT_LASTING = first_of("lasting")
AT_ROW = first_of("row")
AT_BID = first_of("bid")
AT_PLACE = first_of("place")
AT_VOICE = first_of("voice")
AT_ELEMENT = first_of("element")
AT_PLANS_SHOWN = first_of("plans_shown")
AT_PLAN_LEADER = first_of("plan_0.leader")
AT_PLAN_HERO = first_of("plan_0.hero")
AT_PLAN_STRENGTH = first_of("plan_0.strength")
AT_PLAN_WEAPON = first_of("plan_0.weapon")
AT_PLAN_DEFENCE = first_of("plan_0.defence")
AT_PLAN_NUMBER = first_of("plan_0.number")
AT_PLAN_NO_LEADER = first_of("plan_0.no_leader")
AT_PLAN_TREASON = first_of("plan_0.treason")
AT_POWER = first_of("asked.power")
AT_CARD = first_of("asked.card")
AT_LEADER = first_of("asked.leader")
AT_PRICE = first_of("asked.price")
AT_TERRITORY = first_of("asked.territory")
AT_TAKEN = first_of("asked.taken")
AT_LANDING = first_of("asked.landing")
AT_LEFT = first_of("asked.left")
AT_FREED = first_of("asked.freed")
AT_ASKED_STATE = first_of("asked.state")
AT_KEEPING = first_of("asked.keeping")
PLAN_SIZE = first_of("plan_1.leader") - AT_PLAN_LEADER
NUMBER_KNOWN = 10  # so that the entry is 1 when divided by its scale


@kernel
def saturated(value):
    """A number as the observation shows it: at most 127."""
    return min(int(value), MOST)


@kernel
def write_pair(value, out, at):
    """Write a number as two entries: the part up to 127, and the part above 127."""
    amount = int(value)
    out[at] = min(amount, MOST)
    out[at + 1] = min(max(amount - MOST, 0), MOST)


@kernel
def side_of_hidden_plan(state, seat):
    """The side of a seat with a hidden plan, whose cards are not in the hand; -1 if the seat has no hidden plan."""
    if state.phase != layout.BATTLE_PHASE or state.plans_shown != 0 or state.defender == NONE:
        return NONE
    if seat == state.actor:
        return layout.AGGRESSOR
    return layout.DEFENDER if seat == state.defender else NONE


@kernel
def write_public_moment(state, components, out):
    """Write what everybody sees of the moment, except seats and plans."""
    out[AT_LASTING] = state.thumper
    out[AT_LASTING + 1] = state.sight_stopped
    out[AT_LASTING + 2] = state.embargo
    if state.cards_left != NONE:
        out[AT_ROW] = int(state.cards_left) + 1
        write_pair(int(state.bid), out, AT_BID)
    if state.field != NONE:
        territory = int(components.territory_of[int(state.field)])
        first = int(components.first_cell[territory])
        for cell in range(first, first + int(components.num_cells[territory])):
            if in_field(state, components, cell):
                out[AT_PLACE + cell] = 1
    voice = int(state.voice)
    if voice != NONE:
        kinds = actions.MUST_NOT_FIRST - actions.MUST_FIRST
        out[
            AT_VOICE + voice - actions.MUST_FIRST
            if voice < actions.MUST_NOT_FIRST
            else AT_VOICE + kinds + voice - actions.MUST_NOT_FIRST
        ] = 1
    if state.element != NONE:
        out[AT_ELEMENT + int(state.element)] = 1
    out[AT_PLANS_SHOWN] = state.plans_shown


@kernel
def in_field(state, components, cell):
    """Whether a cell belongs to the field of the battle that is in progress."""
    return components.field_of[int(state.storm), cell] == state.field


@kernel
def write_plans(state, observer, out):
    """Write the parts of the two plans that the observer sees, its own plan first."""
    if state.phase != layout.BATTLE_PHASE:
        return
    first = layout.DEFENDER if observer == state.defender else layout.AGGRESSOR
    for slot in range(2):
        side = first if slot == 0 else 1 - first
        battler = int(state.actor) if side == layout.AGGRESSOR else int(state.defender)
        if battler != NONE:
            write_plan(state, observer, side, battler, out, PLAN_SIZE * slot)


@kernel
def write_plan(state, observer, side, battler, out, shift):
    """Write what the observer sees of a battler's plan; ``shift`` is the offset of the plan's slot."""
    plan = state.plans[side]
    whole = state.plans_shown != 0 or observer == battler
    element = int(state.element) if state.element_shown != 0 and foresees(state, observer, side) else NONE
    every = whole or element == layout.ALL_ELEMENTS
    leader, weapon, defence, number = int(plan.leader), int(plan.weapon), int(plan.defence), int(plan.number)
    if (every or element == 0) and leader != layout.UNCHOSEN:
        if leader == layout.HERO:
            out[AT_PLAN_HERO + shift] = 1
        elif leader == NONE:
            out[AT_PLAN_HERO + shift + 1] = 1
        else:
            out[AT_PLAN_LEADER + shift + leader] = 1
            out[AT_PLAN_STRENGTH + shift] = out[AT_STRENGTH + leader]
    if (every or element == 1) and weapon != layout.UNCHOSEN:
        out[AT_PLAN_WEAPON + shift + (NO_WEAPON if weapon == NONE else int(WEAPON_PLACE[weapon]))] = 1
    if (every or element == 2) and defence != layout.UNCHOSEN:
        out[AT_PLAN_DEFENCE + shift + (NO_DEFENCE if defence == NONE else int(DEFENCE_PLACE[defence]))] = 1
    if (every or element == 3) and number != layout.UNCHOSEN:
        out[AT_PLAN_NUMBER + shift] = number
        out[AT_PLAN_NUMBER + shift + 1] = NUMBER_KNOWN
    out[AT_PLAN_NO_LEADER + shift] = plan.no_leader
    if plan.treason != NONE:
        # If a side does not call a traitor, nobody else learns that it could have.
        called = state.plans_shown != 0 and state.decision != decisions.TREASON and plan.treason == 1
        if called or observer == battle_results.accuser(state, side):
            out[AT_PLAN_TREASON + shift + 1 - int(plan.treason)] = 1


@kernel
def foresees(state, observer, side):
    """Whether a seat is shown an element of a side's plan: it must be Atreides or the battler that Atreides helps."""
    atreides = seats.seat_with_power(state, layout.ATREIDES)
    helped = int(state.defender) if side == layout.AGGRESSOR else int(state.actor)
    if observer == helped:
        return seats.is_allied(state, atreides, helped)
    return observer == atreides and seats.is_allied(state, atreides, helped)


@kernel
def is_told(state, key):
    """Whether the seat that is asked is told about a key of the moment."""
    decision = int(state.decision)
    if TOLD[decision, key] != 0:
        return True
    return decision == decisions.KARAMA and state.power != NONE and TOLD_OF_POWER[int(state.power), key] != 0


@kernel
def write_asked(state, out):
    """Write what the asked seat is asked about and what it has named so far, except seats."""
    decision = int(state.decision)
    if decision == decisions.KARAMA and state.power != NONE:
        out[AT_POWER + int(state.power)] = 1
    if is_told(state, CARD) and state.card != NONE:
        out[AT_CARD + int(CARD_PLACE[int(state.card)])] = 1
    if is_told(state, LEADER) and state.leader != NONE:
        out[AT_LEADER + int(state.leader)] = 1
    if is_told(state, PRICE) and state.price != NONE:
        out[AT_PRICE] = state.price
    if is_told(state, CELL) and state.cell != NONE:
        out[AT_PLACE + int(state.cell)] = 2
    if is_told(state, ORIGIN) and state.origin != NONE:
        out[AT_TERRITORY + int(state.origin)] = 1
    if is_told(state, WORM) and state.worm != NONE:
        out[AT_TERRITORY + int(state.worm)] += 2
    if is_told(state, TAKEN) and state.origin != NONE:
        for index in range(layout.MOST_CELLS_OF_A_TERRITORY):
            out[AT_TAKEN + index] = state.taken[index]
    if is_told(state, LANDING):
        out[AT_LANDING] = state.landing
    if is_told(state, LEFT):
        out[AT_LEFT] = state.left
    if is_told(state, FREED):
        out[AT_FREED] = state.freed
    if is_told(state, LIFTING):
        out[AT_ASKED_STATE] = state.lifting
    if is_told(state, HALF_PRICE) or (decision == decisions.COUNT and state.lifting != 0):
        out[AT_ASKED_STATE + 1] = state.half_price
    if is_told(state, SECOND_MOVE):
        out[AT_ASKED_STATE + 2] = state.second_move
    if is_told(state, CONED):
        out[AT_ASKED_STATE + 3] = state.coned
    if is_told(state, KEEPING) and state.keeping != NONE:
        out[AT_KEEPING + int(state.keeping)] = 1


@kernel
def write_flags(state, observer, seat, out, at):
    """Write the flags of a seat in the moment, in the order of `observation_layout.FLAGS_OF_A_SEAT`."""
    asked = state.decision != decisions.OVER and state.seat == observer
    out[at] = 1 if state.actor == seat else 0
    out[at + 1] = 1 if state.defender == seat else 0
    if state.cards_left != NONE:
        out[at + 2] = 1 if state.opener == seat else 0
        out[at + 3] = 1 if state.bidder == seat else 0
    if asked:
        if is_told(state, TARGET) and state.target == seat:
            out[at + 4] = 1
        if is_told(state, USER) and state.user == seat:
            out[at + 5] = 1
        decision, depth = int(state.decision), int(state.depth)
        if depth > 0 and (decision in (decisions.ANSWER, decisions.PAY, decisions.PRICE)):
            frame = state.stack[depth - 1]
            if frame.point == layout.SEATS and frame.seat == seat:
                out[at + 5] = 1
    if observer == seats.seat_with_power(state, layout.BENE_GESSERIT) and state.prediction_faction != NONE:
        out[at + 6] = 1 if state.prediction_faction == state.players[seat].faction else 0
    out[at + 7] = (int(state.winners) >> seat) & 1
    out[at + 8] = 1 if state.wheels[0] == seat else 0
    out[at + 9] = 1 if state.wheels[1] == seat else 0
