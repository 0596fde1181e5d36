"""Invariants of each decision: its phases, the asked seat, the pending fields it requires, and the stacks it allows.

`dunaia_env.dune.decisions` declares most of them.
"""

from __future__ import annotations

from typing import Any

from dunaia_env.dune import standing, state as layout
from dunaia_env.dune.checks import fitting, fitting_battle
from dunaia_env.dune.components import Components
from dunaia_env.dune.decisions import ACTOR, BATTLER, DECISION_NAMES, DECISIONS, SALE
from dunaia_env.dune.notation.pending import PLAN_PARTS, write_pending
from dunaia_env.dune.state import NONE

_TRUTHTRANCE = ("TRUTH_WHO", "TRUTH")


def decisions_of(phase: str) -> list[str]:
    """The decisions of a phase, in the order of the rules."""
    return [name for name, decision in DECISIONS.items() if phase in decision.phases]


# What has to be pending besides `Decision.needed` in a question about each power.
OBJECTS: dict[str, tuple[str, ...]] = {
    "tame": ("worm",),
    "shipment": ("cell", "landing"),
    "voice": ("field", "defender", "voice"),
    "prescience": ("field", "defender", "element"),
    "tamper": ("leader",),
    "steal": ("leader",),
}

# What may be pending besides that, by phase and decision or, in KARAMA, the power in question.
_OF_WORM = ("thumper", "worm_came", "worm")
_ROUND = ("worm_came", "alliance_grew")
_GROUP = ("taken", "lifting", "second_move", "embargo")
_SHIPMENT = ("half_price", "embargo")
_FIGHT = ("field", "defender", "embargo")
_PLANS = (*_FIGHT, "voice", "element", "element_shown", "plans")
ALLOWED: dict[tuple[str, str], tuple[str, ...]] = {
    ("storm", "DIAL"): ("dials",),
    ("storm", "ATOMICS"): ("dials", "weather", "weather_seat"),
    **{("blow", name): ("thumper",) for name in ("BLOW_CARDS", "WORM")},
    **{("blow", name): _OF_WORM for name in ("RIDE", "MOVE_TO", "tame")},
    ("blow", "COUNT"): (*_OF_WORM, "taken"),
    **{("nexus", name): ("worm_came",) for name in ("NEXUS_CARDS", "LEAVE", *_TRUTHTRANCE)},
    **{("nexus", name): _ROUND for name in ("PROPOSE", "ANSWER")},
    ("nexus", "CONE"): ("worm_came", "coned"),
    ("bidding", "CONE"): ("coned",),
    ("bidding", "sight"): SALE,
    **{("bidding", name): (*SALE, "sight_stopped") for name in ("BID", "bonus", "buy")},
    **{("revival", name): ("embargo",) for name in decisions_of("revival")},
    **{("revival", power): ("embargo",) for power in ("tamper", "steal")},
    ("revival", "REVIVE"): ("freed", "embargo"),
    **{("movement", name): ("embargo",) for name in (*decisions_of("movement"), "accompany", "halve")},
    **{("movement", name): _SHIPMENT for name in ("SHIP", "SHIP_COUNT", "shipment")},
    ("movement", "SHIP_TO"): ("embargo",),
    **{("movement", name): _GROUP for name in ("COUNT", "MOVE_TO")},
    ("movement", "MOVE_FROM"): ("second_move", "embargo"),
    **{("battle", name): ("embargo",) for name in ("BATTLE", "OPPONENT")},
    **{("battle", name): _FIGHT for name in ("BATTLE_CARDS", *_TRUTHTRANCE, "GHOLA", "VOICE", "voice", "steal")},
    **{("battle", name): _PLANS for name in ("LEADER", "WEAPON", "DEFENCE", "NUMBER", "PRESCIENCE", "prescience")},
    **{("battle", name): (*_PLANS, "plans_shown") for name in ("TREASON", "LOSS", "KEEP")},
}

# The stacks that go with a decision, from the outermost to the innermost entry: points with their decisions.
_Entry = tuple[int, str]
_Stack = tuple[_Entry, ...]
_NEXUS: _Stack = ((layout.DRAWING, ""), (layout.EAT, ""))
_WORM: tuple[_Stack, ...] = (((layout.DRAWING, ""),), ((layout.WINDOW, "BLOW_CARDS"),))


def _one(point: int, decision: str) -> tuple[_Stack, ...]:
    return (((point, decision),),)


_EMPTY: tuple[_Stack, ...] = ((),)
_SUBORDINATE: dict[str, tuple[str, ...]] = {
    "RANSOM": ("PAY", "POISONED"),
    "REVIVE": ("BUY_BACK", "PRICE", "ACCEPT", "TAMPER"),
    "SHIP": ("ACCOMPANY",),
}
_STACKS: dict[tuple[str, str], tuple[_Stack, ...]] = {
    **{("nexus", decision): (_NEXUS,) for decision in ("NEXUS_CARDS", "LEAVE", "PROPOSE")},
    **{("nexus", decision): ((*_NEXUS, (layout.WINDOW, "NEXUS_CARDS")),) for decision in (*_TRUTHTRANCE, "CONE")},
    ("nexus", "ANSWER"): ((*_NEXUS, (layout.SEATS, "PROPOSE")),),
    ("blow", "WORM"): _one(layout.WINDOW, "BLOW_CARDS"),
    **{("blow", decision): _WORM for decision in ("RIDE", "COUNT", "MOVE_TO")},
    **{("bidding", decision): _one(layout.WINDOW, "BIDDING_CARDS") for decision in (*_TRUTHTRANCE, "CONE", "LAY_WHO")},
    **{
        ("revival", decision): _one(layout.WINDOW, "REVIVAL_CARDS")
        for decision in ("GHOLA", "SWAP_WHO", "SWAP_COUNT", "GIVE")
    },
    **{("battle", decision): _one(layout.WINDOW, "BATTLE_CARDS") for decision in (*_TRUTHTRANCE, "GHOLA")},
    **{
        (phase, decision): _one(layout.SEATS, place)
        for phase, place in (("bidding", "RANSOM"), ("revival", "REVIVE"), ("movement", "SHIP"))
        for decision in _SUBORDINATE[place]
    },
}
_STACKS_OF_POWERS: dict[tuple[str, str], tuple[_Stack, ...]] = {
    **{("bidding", power): _EMPTY for power in ("sight", "bonus")},
    ("revival", "future"): _EMPTY,
    ("blow", "tame"): _WORM,
    **{("movement", power): _one(layout.SEATS, "SHIP") for power in ("accompany", "shipment")},
    **{("battle", power): _EMPTY for power in ("voice", "prescience")},
    ("revival", "tamper"): _one(layout.SEATS, "REVIVE"),
    ("revival", "steal"): _one(layout.WINDOW, "REVIVAL_CARDS"),
    ("battle", "steal"): _one(layout.WINDOW, "BATTLE_CARDS"),
}
# The parts of an entry besides its point, by point; the stacks above give its decision.
_PARTS = {
    layout.WINDOW: ("decision", "seat"),
    layout.SEATS: ("decision", "seat"),
    layout.EAT: (),
    layout.DRAWING: (),
    layout.BUY: ("seat",),
    layout.HALVE: ("seat",),
    layout.STOP: ("seat", "power", "user"),
}
_ON_WORTHLESS = {"bidding": (layout.BUY, layout.STOP), "movement": (layout.HALVE,)}
# The powers that a worthless card can stop. Bene Gesserit is not asked about its own powers, and only a real Karama
# stops a shipment.
_STOPPED_BY_WORTHLESS = ("sight", "bonus", "future", "tame", "prescience", "tamper", "steal")

# The factions that use these powers.
FACTION_WITH = {
    **dict.fromkeys(("sight", "future", "prescience"), layout.ATREIDES),
    **dict.fromkeys(("accompany", "voice", "worthless"), layout.BENE_GESSERIT),
    **dict.fromkeys(("tamper", "steal"), layout.TLEILAX),
    "bonus": layout.HARKONNEN,
    "tame": layout.FREMEN,
}


def check_moment(state: Any, components: Components) -> str:
    """The first fault in what is pending and in which seat is asked, as a sentence; empty if there is none."""
    phase, name = layout.PHASE_NAMES[state.phase], DECISION_NAMES[state.decision]
    if phase not in DECISIONS[name].phases:
        return f"decision: expected one of {', '.join(decisions_of(phase))} in the phase {phase}, got {name!r}"
    if (state.actor != NONE) != (phase in ("movement", "battle")):
        return f"actor: expected a seat in movement and battle, -1 in other phases, got {int(state.actor)}"
    if name != "KARAMA" and (state.power != NONE or state.user != NONE):
        return f"pending.power: it goes with KARAMA, not with {name}"
    needed, allowed = _keys(state, name, phase)
    pending = write_pending(state, components)
    for key in needed:
        if key not in pending:
            return f"pending.{key} is missing; {name} needs it"
    fault = _wrong_seat(state, name, phase) or _wrong_stack(state, name, phase)
    if fault:
        return fault
    for key in pending:
        if key not in (*needed, *allowed):
            return f"pending.{key}: it does not go with {name} in the phase {phase}"
    return _wrong_values(state) or fitting.misfit(state, components, name, phase)


def _keys(state: Any, name: str, phase: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The keys that have to be pending, and those that may be."""
    needed, moment = DECISIONS[name].needed, name
    if name == "KARAMA" and state.power != NONE:
        frame = state.stack[max(int(state.depth), 1) - 1]
        asked = [layout.POWER_NAMES[power] for power in (state.power, frame.power) if power != NONE]
        needed = (*needed, *(key for power in asked for key in OBJECTS.get(power, ())))
        moment = layout.POINT_NAMES[frame.point] if asked == ["worthless"] else asked[-1]
    always = () if phase == "over" else ("draws", "stack")
    return needed, (*ALLOWED.get((phase, moment), ()), *always)


def _wrong_seat(state: Any, name: str, phase: str) -> str:
    seat, actor, asked = int(state.seat), int(state.actor), DECISIONS[name].asked
    moving = phase == "movement" and name in ("COUNT", "MOVE_TO")
    if (asked == ACTOR or moving) and seat != actor:
        return f"seat: expected {actor}, the actor in {name}, got {seat}"
    if asked == BATTLER and seat not in (actor, int(state.defender)):
        return f"seat: expected {actor} or {int(state.defender)}, a battler in {name}, got {seat}"
    if name in ("LOSS", "KEEP") and seat != state.winner:
        return f"seat: expected {int(state.winner)}, the winner of the battle in {name}, got {seat}"
    if phase == "battle" and state.defender == actor:
        return f"pending.defender: expected another seat than the actor, got {actor}"
    faction = layout.FREMEN if phase == "blow" and name in ("COUNT", "MOVE_TO") else asked
    # Without powers, too, Fremen place their first tokens.
    seat_of = standing.seat_of_faction if name == "PLACE" else standing.seat_with_power
    if 0 <= faction < layout.FACTIONS and seat != seat_of(state, faction):
        return f"seat = {seat}; {layout.FACTION_NAMES[faction]} is asked in {name}"
    if name == "KARAMA":
        power = layout.POWER_NAMES[state.power]
        user = _user_of(state, power)
        if state.user != user or user == NONE:
            return f"pending.user: expected {user}, whose power {power} is, got {int(state.user)}"
        if power == "shipment" and seat != standing.seat_with_power(state, layout.GUILD):
            return f"seat = {seat}; the guild is asked about a shipment"
    if name == "KARAMA" and (seat == state.user or standing.allied(state, seat, int(state.user))):
        return f"seat = {seat}; neither the power's user, {int(state.user)}, nor an ally is asked"
    return ""


def _user_of(state: Any, power: str) -> int:
    """The seat that uses a power; -1 if there is none."""
    return int(state.actor) if power == "shipment" else standing.seat_with_power(state, FACTION_WITH[power])


def _stack_of(state: Any) -> list[_Entry]:
    frames = [state.stack[index] for index in range(int(state.depth))]
    return [(int(frame.point), "" if frame.decision == NONE else DECISION_NAMES[frame.decision]) for frame in frames]


def _wrong_stack(state: Any, name: str, phase: str) -> str:
    for index in range(int(state.depth)):
        frame = state.stack[index]
        for part in ("decision", "seat", "power", "user"):
            if (frame[part] != NONE) != (part in _PARTS[int(frame.point)]):
                title, parts = layout.POINT_NAMES[frame.point], ", ".join(_PARTS[int(frame.point)]) or "nothing"
                return f"pending.stack[{index}].{part}: {title} holds {parts} besides the point"
    stack = _stack_of(state)
    power = layout.POWER_NAMES[state.power] if name == "KARAMA" else ""
    if power == "worthless":
        if not stack or stack[-1][0] not in _ON_WORTHLESS.get(phase, (layout.STOP,)):
            return "pending.stack: a question about a worthless card stands on buy, halve or stop"
        point, frame = stack[-1][0], state.stack[len(stack) - 1]
        if point == layout.STOP and layout.POWER_NAMES[frame.power] not in _STOPPED_BY_WORTHLESS:
            return (
                f"pending.stack[{len(stack) - 1}].power = {layout.POWER_NAMES[frame.power]!r};"
                " no worthless card stops it"
            )
        if frame.seat != state.user:
            return f"pending.stack[{len(stack) - 1}].seat: expected {int(state.user)}, the user, got {int(frame.seat)}"
        if point == layout.STOP:
            user = _user_of(state, layout.POWER_NAMES[frame.power])
            if frame.user != user or standing.allied(state, user, int(frame.seat)):
                return (
                    f"pending.stack[{len(stack) - 1}].user: expected {user}, no ally of the seat, got {int(frame.user)}"
                )
        stack = stack[:-1]
        wanted = _STACKS_OF_POWERS.get((phase, layout.POWER_NAMES[frame.power])) if point == layout.STOP else _EMPTY
    elif power:
        wanted = _STACKS_OF_POWERS.get((phase, power))
    else:
        wanted = _STACKS.get((phase, name), _EMPTY)
    if wanted is None:
        return f"pending.power: no question about it is asked in the phase {phase}"
    if tuple(stack) not in wanted:
        shown = " or ".join(_shown(wanted_stack) for wanted_stack in wanted)
        return f"pending.stack: expected {shown} in {name} {power}, got {_shown(tuple(stack))}".rstrip()
    return ""


def _shown(stack: _Stack) -> str:
    return "[" + ", ".join(f"{layout.POINT_NAMES[point]} {decision}".strip() for point, decision in stack) + "]"


def _wrong_values(state: Any) -> str:
    if (state.bid == 0) != (state.bidder == NONE) and state.cards_left != NONE:
        return f"pending.bid = {int(state.bid)}; a bid has a bidder, and no bid has none"
    if (state.weather == NONE) != (state.weather_seat == NONE):
        return "pending.weather: a number and who chose it stand together"
    if DECISION_NAMES[state.decision] in ("TREASON", "LOSS", "KEEP") and not state.plans_shown:
        return "pending.plans_shown: plans are shown before treason is asked"
    planning = DECISION_NAMES[state.decision] in fitting_battle.PLANNING
    for side, battler in ((0, int(state.actor)), (1, int(state.defender))):
        plan = state.plans[side]
        chosen = [plan[part] != layout.UNCHOSEN for part in PLAN_PARTS]
        if chosen != sorted(chosen, reverse=True):
            return f"pending.plans[{side}]: its parts are chosen in the order {', '.join(PLAN_PARTS)}"
        if planning and state.seat == battler:
            index = fitting_battle.PLANNING.index(DECISION_NAMES[state.decision])
            if sum(chosen) != index:
                needed = f"{index} chosen parts in {DECISION_NAMES[state.decision]}"
                return f"pending.plans[{side}]: expected {needed}, got {sum(chosen)}"
    return ""
