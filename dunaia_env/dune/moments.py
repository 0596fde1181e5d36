"""What goes with each decision: its phases, who is asked, what has to be pending, and what waits on the stack."""

from __future__ import annotations

from typing import Any

from dunaia_env.dune.components import Components
from dunaia_env.dune.pending import PLAN_PARTS, write_pending
from dunaia_env.dune.standing import allied, seat_of_faction
from dunaia_env.dune.state import (
    ATREIDES,
    BENE_GESSERIT,
    BUY,
    CARD_NAMES,
    DECISION_NAMES,
    DRAWING,
    EAT,
    EMPEROR,
    FACTION_NAMES,
    FREMEN,
    GHOLA_CARD,
    GUILD,
    HALVE,
    HARKONNEN,
    HERO,
    KARAMA_CARD,
    LAYABLE,
    NONE,
    PHASE_NAMES,
    POINT_NAMES,
    POWER_NAMES,
    SEATS,
    STOP,
    TLEILAX,
    UNCHOSEN,
    WINDOW,
)

# The decisions of each phase.
_TRUTHTRANCE = ("TRUTH_WHO", "TRUTH")
DECISIONS_OF: dict[str, tuple[str, ...]] = {
    "setup": ("PREDICT_WHO", "PREDICT_TURN", "TRAITOR", "PLACE"),
    "storm": ("WEATHER", "WEATHER_DIAL", "DIAL", "ATOMICS"),
    "blow": ("BLOW_CARDS", "WORM", "RIDE", "COUNT", "MOVE_TO", "HARVESTER", "KARAMA"),
    "nexus": ("NEXUS_CARDS", "LEAVE", "PROPOSE", "ANSWER", *_TRUTHTRANCE, "CONE"),
    "bidding": (
        *("BIDDING_CARDS", "RANSOM", "PAY", "POISONED", "GIFT", "PLEDGE", "BID", *_TRUTHTRANCE, "CONE", "LAY_WHO"),
        "KARAMA",
    ),
    "revival": (
        *("REVIVAL_CARDS", "REVIVE", "GHOLA", "SWAP_WHO", "SWAP_COUNT", "GIVE", "BUY_BACK", "PRICE", "ACCEPT"),
        *("TAMPER", "KARAMA"),
    ),
    "movement": (
        *("WITHDRAW", "SHIP", "SHIP_COUNT", "SHIP_TO", "COUNT", "ACCOMPANY", "MOVE_FROM", "MOVE_TO", "HAJR", "RAISE"),
        "KARAMA",
    ),
    "battle": (
        *("BATTLE", "OPPONENT", "BATTLE_CARDS", "VOICE", "LEADER", "WEAPON", "DEFENCE", "NUMBER", "PRESCIENCE"),
        *("TREASON", "LOSS", "KEEP", *_TRUTHTRANCE, "GHOLA", "KARAMA"),
    ),
    "over": ("OVER",),
}

# What may be pending in each phase besides counts of draws and the stack.
_RIDE = ("worm", "origin", "taken", "cell")
_BLOW = ("thumper", "worm_came")
_SALE = ("cards_left", "opener", "bid", "bidder")
KEYS_OF: dict[str, tuple[str, ...]] = {
    "setup": ("faction", "cell"),
    "storm": ("dials", "weather", "weather_seat"),
    "blow": (*_RIDE, *_BLOW, "power", "user"),
    "nexus": (*_BLOW, "target", "alliance_grew", "coned"),
    "bidding": ("power", "user", "target", "card", "price", "coned", *_SALE, "sight_stopped"),
    "revival": ("power", "user", "target", "card", "leader", "price", "left", "freed", "embargo"),
    "movement": (
        *("power", "user", "cell", "origin", "taken", "lifting", "landing", "half_price", "second_move", "embargo"),
    ),
    "battle": (
        *("power", "user", "target", "card", "leader", "cell", "left", "embargo", "field", "defender", "voice"),
        *("element", "element_shown", "plans", "plans_shown", "winner", "keeping"),
    ),
    "over": (),
}

# What has to be pending for each decision, and for a question about each power.
NEEDED: dict[str, tuple[str, ...]] = {
    "PREDICT_TURN": ("faction",),
    "PLACE": ("cell",),
    "RIDE": ("worm",),
    "ANSWER": ("target",),
    "PAY": ("price",),
    "GIFT": ("target",),
    "BID": _SALE,
    "LAY_WHO": ("card",),
    "TRUTH": ("target",),
    "GHOLA": ("card",),
    "SWAP_COUNT": ("target",),
    "GIVE": ("target", "left"),
    "PRICE": ("leader",),
    "ACCEPT": ("leader", "price"),
    "TAMPER": ("leader",),
    "SHIP_COUNT": ("cell",),
    "SHIP_TO": ("origin", "taken", "lifting"),
    "COUNT": ("origin", "cell"),
    "MOVE_TO": ("origin", "taken"),
    "KARAMA": ("power", "user"),
    "OPPONENT": ("field",),
    **dict.fromkeys(("BATTLE_CARDS", "VOICE", "LEADER", "WEAPON", "DEFENCE", "NUMBER"), ("field", "defender")),
    **dict.fromkeys(("PRESCIENCE", "TREASON"), ("field", "defender", "plans")),
    "LOSS": ("field", "defender", "plans", "plans_shown", "winner", "cell", "left"),
    "KEEP": ("field", "defender", "plans", "plans_shown", "winner", "keeping"),
}
OBJECTS: dict[str, tuple[str, ...]] = {
    "tame": ("worm",),
    "shipment": ("cell", "landing"),
    "voice": ("field", "defender", "voice"),
    "prescience": ("field", "defender", "element"),
    "tamper": ("leader",),
    "steal": ("leader",),
}

# The stacks that go with a decision, from the outermost to the innermost entry: points with their decisions.
_Entry = tuple[int, str]
_Stack = tuple[_Entry, ...]
_NEXUS: _Stack = ((DRAWING, ""), (EAT, ""))
_WORM: tuple[_Stack, ...] = (((DRAWING, ""),), ((WINDOW, "BLOW_CARDS"),))


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
    **{("nexus", decision): ((*_NEXUS, (WINDOW, "NEXUS_CARDS")),) for decision in (*_TRUTHTRANCE, "CONE")},
    ("nexus", "ANSWER"): ((*_NEXUS, (SEATS, "PROPOSE")),),
    ("blow", "WORM"): _one(WINDOW, "BLOW_CARDS"),
    **{("blow", decision): _WORM for decision in ("RIDE", "COUNT", "MOVE_TO")},
    **{("bidding", decision): _one(WINDOW, "BIDDING_CARDS") for decision in (*_TRUTHTRANCE, "CONE", "LAY_WHO")},
    **{
        ("revival", decision): _one(WINDOW, "REVIVAL_CARDS") for decision in ("GHOLA", "SWAP_WHO", "SWAP_COUNT", "GIVE")
    },
    **{("battle", decision): _one(WINDOW, "BATTLE_CARDS") for decision in (*_TRUTHTRANCE, "GHOLA")},
    **{
        (phase, decision): _one(SEATS, place)
        for phase, place in (("bidding", "RANSOM"), ("revival", "REVIVE"), ("movement", "SHIP"))
        for decision in _SUBORDINATE[place]
    },
}
_STACKS_OF_POWERS: dict[tuple[str, str], tuple[_Stack, ...]] = {
    **{("bidding", power): _EMPTY for power in ("sight", "bonus")},
    ("revival", "future"): _EMPTY,
    ("blow", "tame"): _WORM,
    **{("movement", power): _one(SEATS, "SHIP") for power in ("accompany", "shipment")},
    **{("battle", power): _EMPTY for power in ("voice", "prescience")},
    ("revival", "tamper"): _one(SEATS, "REVIVE"),
    ("revival", "steal"): _one(WINDOW, "REVIVAL_CARDS"),
    ("battle", "steal"): _one(WINDOW, "BATTLE_CARDS"),
}
# The parts of an entry besides its point, by point; the stacks above give its decision.
_PARTS = {
    WINDOW: ("decision", "seat"),
    SEATS: ("decision", "seat"),
    EAT: (),
    DRAWING: (),
    BUY: ("seat",),
    HALVE: ("seat",),
    STOP: ("seat", "power", "user"),
}
_ON_WORTHLESS = {"bidding": (BUY, STOP), "movement": (HALVE,)}
# The powers that a worthless card can stop. Bene Gesserit is not asked about its own powers, and only a real Karama
# stops a shipment.
_STOPPED_BY_WORTHLESS = ("sight", "bonus", "future", "tame", "prescience", "tamper", "steal")

# The factions that are asked in these decisions, and the factions that use these powers.
FACTION_ASKED = {
    **dict.fromkeys(("PREDICT_WHO", "PREDICT_TURN", "VOICE", "ACCOMPANY"), BENE_GESSERIT),
    **dict.fromkeys(("PLACE", "WORM", "RIDE"), FREMEN),
    **dict.fromkeys(("SWAP_WHO", "SWAP_COUNT", "GIVE"), HARKONNEN),
    **dict.fromkeys(("PRICE", "TAMPER"), TLEILAX),
    "GIFT": EMPEROR,
    "PRESCIENCE": ATREIDES,
}
FACTION_WITH = {
    **dict.fromkeys(("sight", "future", "prescience"), ATREIDES),
    **dict.fromkeys(("accompany", "voice", "worthless"), BENE_GESSERIT),
    **dict.fromkeys(("tamper", "steal"), TLEILAX),
    "bonus": HARKONNEN,
    "tame": FREMEN,
}

_OF_THE_ACTOR = {
    *("WITHDRAW", "SHIP", "SHIP_COUNT", "SHIP_TO", "MOVE_FROM", "HAJR", "RAISE", "BATTLE", "OPPONENT"),
}
_OF_A_BATTLER = {"BATTLE_CARDS", "LEADER", "WEAPON", "DEFENCE", "NUMBER", "LOSS", "KEEP"}
_PLANNING = ("LEADER", "WEAPON", "DEFENCE", "NUMBER")


def check_moment(state: Any, components: Components) -> str:
    """The first fault in what is pending and in which seat is asked, as a sentence; empty if there is none."""
    phase, name = PHASE_NAMES[state.phase], DECISION_NAMES[state.decision]
    if name not in DECISIONS_OF[phase]:
        return f"decision = {name!r}; one of {', '.join(DECISIONS_OF[phase])} is needed in the phase {phase}"
    if (state.actor != NONE) != (phase in ("movement", "battle")):
        return f"actor = {int(state.actor)}; a seat is needed in movement and battle, -1 in other phases"
    pending = write_pending(state, components)
    allowed = KEYS_OF[phase]
    always = () if phase == "over" else ("draws", "stack")
    for key in pending:
        if key not in (*allowed, *always):
            return f"pending.{key}: it does not go with the phase {phase}"
    needed = NEEDED.get(name, ())
    if name == "KARAMA" and state.power != NONE:
        asked = [int(state.power), *(int(state.stack[index].power) for index in range(int(state.depth)))]
        needed = (*needed, *(key for power in asked if power != NONE for key in OBJECTS.get(POWER_NAMES[power], ())))
    for key in needed:
        if key not in pending:
            return f"pending.{key} is missing; {name} needs it"
    if name != "KARAMA" and (state.power != NONE or state.user != NONE):
        return f"pending.power: it goes with KARAMA, not with {name}"
    return _wrong_seat(state, name, phase) or _wrong_stack(state, name, phase) or _wrong_values(state, components, name)


def _wrong_seat(state: Any, name: str, phase: str) -> str:
    seat, actor = int(state.seat), int(state.actor)
    moving = phase == "movement" and name in ("COUNT", "MOVE_TO")
    if (name in _OF_THE_ACTOR or moving) and seat != actor:
        return f"seat = {seat}; {actor}, the actor, is needed in {name}"
    if name in _OF_A_BATTLER and seat not in (actor, int(state.defender)):
        return f"seat = {seat}; {actor} or {int(state.defender)}, a battler, is needed in {name}"
    if name in ("LOSS", "KEEP") and seat != state.winner:
        return f"seat = {seat}; {int(state.winner)}, the winner of the battle, is needed in {name}"
    if phase == "battle" and state.defender == actor:
        return f"pending.defender = {actor}; another seat than the actor is needed"
    faction = FACTION_ASKED.get(name, FREMEN if phase == "blow" and name in ("COUNT", "MOVE_TO") else NONE)
    if faction != NONE and seat != seat_of_faction(state, faction):
        return f"seat = {seat}; {FACTION_NAMES[faction]} is asked in {name}"
    if name == "KARAMA":
        power = POWER_NAMES[state.power]
        user = actor if power == "shipment" else seat_of_faction(state, FACTION_WITH[power])
        if state.user != user or user == NONE:
            return f"pending.user = {int(state.user)}; {user}, whose power {power} is, is needed"
        if power == "shipment" and seat != seat_of_faction(state, GUILD):
            return f"seat = {seat}; the guild is asked about a shipment"
    if name == "KARAMA" and (seat == state.user or allied(state, seat, int(state.user))):
        return f"seat = {seat}; neither the power's user, {int(state.user)}, nor an ally is asked"
    if name in ("TRUTH", "SWAP_COUNT", "GIVE", "GIFT") and seat == state.target:
        return f"pending.target = {seat}; another seat is needed in {name}"
    return ""


def _stack_of(state: Any) -> list[_Entry]:
    frames = [state.stack[index] for index in range(int(state.depth))]
    return [(int(frame.point), "" if frame.decision == NONE else DECISION_NAMES[frame.decision]) for frame in frames]


def _wrong_stack(state: Any, name: str, phase: str) -> str:
    for index in range(int(state.depth)):
        frame = state.stack[index]
        for part in ("decision", "seat", "power", "user"):
            if (frame[part] != NONE) != (part in _PARTS[int(frame.point)]):
                title, parts = POINT_NAMES[frame.point], ", ".join(_PARTS[int(frame.point)]) or "nothing"
                return f"pending.stack[{index}].{part}: {title} holds {parts} besides the point"
    stack = _stack_of(state)
    power = POWER_NAMES[state.power] if name == "KARAMA" else ""
    if power == "worthless":
        if not stack or stack[-1][0] not in _ON_WORTHLESS.get(phase, (STOP,)):
            return "pending.stack: a question about a worthless card stands on buy, halve or stop"
        point, frame = stack[-1][0], state.stack[len(stack) - 1]
        if point == STOP and POWER_NAMES[frame.power] not in _STOPPED_BY_WORTHLESS:
            return f"pending.stack[{len(stack) - 1}].power = {POWER_NAMES[frame.power]!r}; no worthless card stops it"
        if frame.seat != state.user:
            return f"pending.stack[{len(stack) - 1}].seat = {int(frame.seat)}; {int(state.user)}, the user, is needed"
        stack = stack[:-1]
        wanted = _STACKS_OF_POWERS.get((phase, POWER_NAMES[frame.power])) if point == STOP else _EMPTY
    elif power:
        wanted = _STACKS_OF_POWERS.get((phase, power))
    else:
        wanted = _STACKS.get((phase, name), _EMPTY)
    if wanted is None:
        return f"pending.power: no question about it is asked in the phase {phase}"
    if tuple(stack) not in wanted:
        shown = " or ".join(_shown(one) for one in wanted)
        return f"pending.stack = {_shown(tuple(stack))}; {shown} is needed in {name} {power}".rstrip()
    return ""


def _shown(stack: _Stack) -> str:
    return "[" + ", ".join(f"{POINT_NAMES[point]} {decision}".strip() for point, decision in stack) + "]"


def _wrong_values(state: Any, components: Components, name: str) -> str:
    values: Any = components.record[0]
    if name == "BID" and state.sale == NONE:
        return "sale = -1; a card is needed in BID"
    if (state.bid == 0) != (state.bidder == NONE) and state.cards_left != NONE:
        return f"pending.bid = {int(state.bid)}; a bid has a bidder, and no bid has none"
    if state.card != NONE:
        allowed = LAYABLE if name == "LAY_WHO" else (GHOLA_CARD, KARAMA_CARD)
        if state.card not in allowed:
            return (
                f"pending.card = {int(state.card)} ({CARD_NAMES[state.card]}); {allowed[0]} or {allowed[1]} is needed"
            )
    if name == "PLACE" and state.cell not in values.free_cells[FREMEN]:
        return f"pending.cell = {int(state.cell)}; a cell in which Fremen may begin is needed"
    if state.origin != NONE and name == "COUNT" and values.territory_of[state.cell] != state.origin:
        return f"pending.cell = {int(state.cell)}; a cell of pending.origin is needed"
    if name == "LOSS" and not state.players[int(state.seat)].forces[state.cell]:
        return f"pending.cell = {int(state.cell)}; a cell with tokens of the winner is needed"
    if (state.weather == NONE) != (state.weather_seat == NONE):
        return "pending.weather: a number and who chose it stand together"
    return _wrong_plans(state)


def _wrong_plans(state: Any) -> str:
    planning = DECISION_NAMES[state.decision] in _PLANNING
    for side, battler in ((0, int(state.actor)), (1, int(state.defender))):
        plan = state.plans[side]
        place = f"pending.plans[{side}]"
        leader = int(plan.leader)
        if leader >= 0 and leader != HERO and state.owner[leader] != battler:
            return f"{place}.leader = {leader}; a leader of seat {battler}, {HERO - 1} at most, is needed"
        chosen = [plan[part] != UNCHOSEN for part in PLAN_PARTS]
        if chosen != sorted(chosen, reverse=True):
            return f"{place}: its parts are chosen in the order {', '.join(PLAN_PARTS)}"
        if planning and state.seat == battler:
            index = _PLANNING.index(DECISION_NAMES[state.decision])
            if sum(chosen) != index:
                return f"{place}: {sum(chosen)} parts are chosen; {index} are needed in {_PLANNING[index]}"
        if state.plans_shown and not all(chosen):
            return f"{place}: plans that are shown are complete"
    if DECISION_NAMES[state.decision] in ("TREASON", "LOSS", "KEEP") and not state.plans_shown:
        return "pending.plans_shown: plans are shown before treason is asked"
    if state.element_shown and state.element == NONE:
        return "pending.element_shown: no element was asked"
    return ""
