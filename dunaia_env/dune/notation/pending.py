"""The keys that a state dictionary holds under ``pending``: everything about the moment that its other keys do not say.

A key that does not apply is absent. Numbers count from 0 unless stated otherwise.

- ``draws``: the counts by which draws are keyed: spice draws (``spice``) and swaps (``swap``) in the game, sales
  (``sale``) and second cards of Harkonnen (``bonus``) in the turn. A count of 0 is absent.
- ``stack``: what is taken up again after the decision, the innermost entry last; see `dunaia_env.dune.state`. An entry
  has ``point`` and, if they apply, ``decision``, ``seat``, ``power`` and ``user``.
- ``power``, ``user``: the power that KARAMA asks about, and the seat that uses it.
- ``faction``: the predicted faction, until the turn of the prediction is named.
- ``target``: the seat that a card, a proposal or a gift is meant for.
- ``card``: the kind of the card that is being laid, or that serves as a ghola (10, or 16 for the Emperor's Karama).
- ``leader``: the leader that is being bought back, tampered with or stolen. ``price``: the price asked for the leader,
  or the ransom.
- ``cell``: the cell whose tokens a number is about, or where a landing goes. ``origin``: the territory that a ride, a
  lift or a move leaves.
- ``taken``: pairs [cell, tokens] named so far, for the cells of the origin. ``lifting``: true while a shipment lifts
  these tokens.
- ``landing``: number of tokens that land from the reserve. ``left``: number of cards still to give, or of tokens still
  to lose.
- ``dials``: the numbers on the two wheels, -1 for a wheel that is not dialled yet. ``weather``, ``weather_seat``: the
  number of Weather Control, and the seat that chooses it.
- ``thumper``: true while a thumper waits for the window to close. ``worm_came``: true after the first worm of the
  phase. ``worm``: the territory of the worm in progress.
- ``alliance_grew``: true if an alliance was made or enlarged in the present round of the nexus. ``coned``: true once
  the cone in progress has silenced somebody.
- ``cards_left``: number of cards in the row besides the card on sale. With it come ``opener``, the seat that opened the
  sale, the highest ``bid`` and its ``bidder``.
- ``sight_stopped``: true if Atreides sees no card of this phase. ``embargo``: true if nobody but Tleilax gets tokens
  from the tanks.
- ``freed``: number of tokens that the seat in REVIVE has got back without payment.
- ``half_price``: true for a shipment with a Karama. ``second_move``: true for the move after a Hajr.
- ``field``: the lowest cell of the battle's field. ``defender``: the defending seat. ``voice``: the text of the Voice's
  order.
- ``element``: what Atreides asked about the plan, a part of it or "all". ``element_shown``: true once it is shown.
- ``plans``: the plans of aggressor and defender, each with the parts chosen so far: ``leader`` (-1 none), ``hero``
  (true for a cheap hero), ``weapon`` and ``defence`` (-1 none), ``number``; ``no_leader``, true if it was made known
  that neither leader nor hero is available; ``treason``, the answer of the battler's side.
- ``plans_shown``: true once the plans are shown. ``winner``: the winner of the battle. ``keeping``: "weapon" or
  "defence", the card that the winner is asked about.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from dunaia_env.dune import actions, decisions, state as layout
from dunaia_env.dune.components import Components
from dunaia_env.dune.decisions import DECISION_NAMES, SALE
from dunaia_env.dune.state import NONE
from dunaia_env.support.objects import ObjectReader

# Numbers of the state: the value for which the key is absent, and the range of other values. Seats, whose range depends
# on the number of players, are below.
_NUMBERS: dict[str, tuple[int, int, int]] = {
    "card": (NONE, 0, layout.KINDS - 1),
    "leader": (NONE, 0, layout.LEADERS - 1),
    "price": (NONE, 0, layout.NUMBERS - 1),
    "cell": (NONE, 0, layout.CELLS - 1),
    "origin": (NONE, 0, layout.TERRITORIES - 1),
    "landing": (0, 1, layout.TOKENS),
    "left": (0, 1, layout.NUMBERS),
    "weather": (NONE, 0, layout.NUMBERS - 1),
    "worm": (NONE, 0, layout.TERRITORIES - 1),
    "freed": (0, 1, layout.TOKENS),
    "field": (NONE, 0, layout.CELLS - 1),
}
_SEATS = ("user", "target", "weather_seat", "defender", "winner")
_FLAGS = (
    *("lifting", "thumper", "worm_came", "alliance_grew", "coned", "sight_stopped", "embargo", "half_price"),
    *("second_move", "element_shown", "plans_shown"),
)
_DRAWS = {"spice": "spice_draws", "swap": "swaps", "sale": "sales", "bonus": "bonuses"}
_MOST_DRAWS = 30000
_MOST_DRAWS_OF_A_TURN = 100
ELEMENTS = (*layout.ELEMENT_NAMES, "all")
KEEPING_NAMES = ("weapon", "defence")

# In the order in which they are written.
KEYS = (
    *("draws", "stack", "power", "user", "faction", "target", "card", "leader", "price", "cell", "origin", "taken"),
    *("lifting", "landing", "left", "dials", "weather", "weather_seat", "thumper", "worm_came", "worm"),
    *("alliance_grew", "coned", *SALE, "sight_stopped", "embargo", "freed", "half_price", "second_move"),
    *("field", "defender", "voice", "element", "element_shown", "plans", "plans_shown", "winner", "keeping"),
)


def write_pending(state: Any, components: Components, keys: Iterable[str] = KEYS) -> dict[str, Any]:
    """The given keys that apply to a state, with their values."""
    return {key: value for key in keys if (value := _value(state, components, key)) is not None}


def _value(state: Any, components: Components, key: str) -> Any:
    if key in _NUMBERS:
        number = int(state[key])
        return number if number != _NUMBERS[key][0] else None
    if key in _SEATS:
        return int(state[key]) if state[key] != NONE else None
    if key in _FLAGS:
        return True if state[key] else None
    if key in SALE:
        return int(state[key]) if state.cards_left != NONE else None
    if key == "taken":
        return _taken(state, components) or None
    return _OTHERS[key](state)


def _draws(state: Any) -> dict[str, int] | None:
    return {key: int(state[field]) for key, field in _DRAWS.items() if state[field]} or None


def _stack(state: Any) -> list[dict[str, Any]] | None:
    return [_frame(state.stack[index]) for index in range(int(state.depth))] or None


def _frame(frame: Any) -> dict[str, Any]:
    entry: dict[str, Any] = {"point": layout.POINT_NAMES[frame.point]}
    if frame.decision != NONE:
        entry["decision"] = DECISION_NAMES[frame.decision]
    if frame.seat != NONE:
        entry["seat"] = int(frame.seat)
    if frame.power != NONE:
        entry["power"] = layout.POWER_NAMES[frame.power]
    if frame.user != NONE:
        entry["user"] = int(frame.user)
    return entry


def _taken(state: Any, components: Components) -> list[list[int]]:
    if state.origin == NONE:
        return []
    first = int(components.record[0]["first_cell"][state.origin])
    return [[first + index, int(number)] for index, number in enumerate(state.taken) if number]


def _plans(state: Any) -> list[dict[str, Any]] | None:
    plans = [write_plan(state.plans[side]) for side in range(2)]
    return plans if any(plans) else None


PLAN_PARTS = ("leader", "weapon", "defence", "number")


def write_plan(plan: Any, parts: Iterable[str] = (*PLAN_PARTS, "no_leader", "treason")) -> dict[str, Any]:
    """The given parts of a plan that have been chosen; with the leader, ``hero`` says whether it is a cheap hero."""
    entry: dict[str, Any] = {}
    for part in parts:
        value = int(plan[part])
        if part == "no_leader":
            entry |= {part: True} if value else {}
        elif part == "treason":
            entry |= {part: bool(value)} if value != NONE else {}
        elif part == "leader" and value != layout.UNCHOSEN:
            entry |= {"leader": NONE if value == layout.HERO else value, "hero": value == layout.HERO}
        elif value != layout.UNCHOSEN:
            entry[part] = value
    return entry


_OTHERS: dict[str, Any] = {
    "draws": _draws,
    "stack": _stack,
    "power": lambda state: layout.POWER_NAMES[state.power] if state.power != NONE else None,
    "faction": lambda state: (
        int(state.prediction_faction) if state.prediction_faction != NONE and not state.prediction_turn else None
    ),
    "dials": lambda state: state.dials.tolist() if (state.dials != NONE).any() else None,
    "voice": lambda state: actions.ACTION_TEXTS[state.voice] if state.voice != NONE else None,
    "element": lambda state: ELEMENTS[state.element] if state.element != NONE else None,
    "plans": _plans,
    "keeping": lambda state: KEEPING_NAMES[state.keeping] if state.keeping != NONE else None,
}


def read_pending(reader: ObjectReader, state: Any, components: Components) -> None:
    """Write the values of an object under ``pending`` into a state's record, whose number of players must be set.

    Raises the reader's error for a wrong or unknown key.
    """
    players = int(state.num_players)
    for key, (_, low, high) in _NUMBERS.items():
        if reader.has(key):
            state[key] = reader.number(key, low, high)
    for key in _SEATS:
        if reader.has(key):
            state[key] = reader.number(key, 0, players - 1)
    for key in _FLAGS:
        if reader.has(key):
            state[key] = reader.flag(key)
            if not state[key]:
                raise reader.fail(key, False, "true, or no such key")
    _read_draws(reader, state)
    _read_stack(reader, state)
    if reader.has("power"):
        state.power = layout.POWER_NAMES.index(reader.choice("power", layout.POWER_NAMES))
    if reader.has("faction"):
        state.prediction_faction = reader.number("faction", 0, layout.FACTIONS - 1)
    if reader.has("taken"):
        _read_taken(reader, state, components)
    if reader.has("dials"):
        state.dials[:] = reader.numbers("dials", 2, 2, NONE, layout.NUMBERS - 1)
        if (state.dials == NONE).all():
            raise reader.fail("dials", state.dials.tolist(), "a dial, or no such key")
    if any(reader.has(key) for key in SALE):
        state.cards_left = reader.number("cards_left", 0, layout.MAX_PLAYERS)
        state.opener = reader.number("opener", NONE, players - 1)
        state.bid = reader.number("bid", 0, layout.MOST_SPICE)
        state.bidder = reader.number("bidder", NONE, players - 1)
    if reader.has("voice"):
        orders = actions.ACTION_TEXTS[actions.MUST_FIRST : actions.SEE_FIRST]
        state.voice = actions.parse_action(reader.choice("voice", orders))
    if reader.has("element"):
        state.element = ELEMENTS.index(reader.choice("element", ELEMENTS))
    if reader.has("plans"):
        plans = reader.children("plans", 2, 2)
        for side, plan in enumerate(plans):
            _read_plan(plan, state.plans[side])
        if _plans(state) is None:
            raise reader.fail("plans", [{}, {}], "a part of a plan, or no such key")
    if reader.has("keeping"):
        state.keeping = KEEPING_NAMES.index(reader.choice("keeping", KEEPING_NAMES))
    reader.finish()


def _read_draws(reader: ObjectReader, state: Any) -> None:
    if not reader.has("draws"):
        return
    draws = reader.child("draws")
    for key, field in _DRAWS.items():
        if draws.has(key):
            state[field] = draws.number(key, 1, _MOST_DRAWS if key in ("spice", "swap") else _MOST_DRAWS_OF_A_TURN)
    if _draws(state) is None:
        raise reader.fail("draws", {}, "a count, or no such key")
    draws.finish()


def _read_stack(reader: ObjectReader, state: Any) -> None:
    if not reader.has("stack"):
        return
    entries = reader.children("stack", 1, layout.MOST_FRAMES)
    state.depth = len(entries)
    for index, entry in enumerate(entries):
        frame = state.stack[index]
        frame.point = layout.POINT_NAMES.index(entry.choice("point", layout.POINT_NAMES[1:]))
        if entry.has("decision"):
            frame.decision = DECISION_NAMES.index(entry.choice("decision", DECISION_NAMES[: decisions.OVER]))
        if entry.has("seat"):
            frame.seat = entry.number("seat", 0, int(state.num_players) - 1)
        if entry.has("power"):
            frame.power = layout.POWER_NAMES.index(entry.choice("power", layout.POWER_NAMES))
        if entry.has("user"):
            frame.user = entry.number("user", 0, int(state.num_players) - 1)
        entry.finish()


def _read_taken(reader: ObjectReader, state: Any, components: Components) -> None:
    pairs = reader.pairs("taken", len(state.taken), layout.CELLS, layout.TOKENS)
    values: Any = components.record[0]
    for cell, number in pairs:
        if state.origin == NONE or values.territory_of[cell] != state.origin:
            raise reader.fail("taken", [list(pair) for pair in pairs], "cells of pending.origin")
        state.taken[cell - int(values.first_cell[state.origin])] = number
    if not pairs:
        raise reader.fail("taken", [], "a number of tokens, or no such key")


def _read_plan(reader: ObjectReader, plan: Any) -> None:
    if reader.has("leader") or reader.has("hero"):
        plan.leader = reader.number("leader", NONE, layout.LEADERS - 1)
        if reader.flag("hero"):
            if plan.leader != NONE:
                raise reader.fail("leader", int(plan.leader), "-1, for a cheap hero takes the place")
            plan.leader = layout.HERO
    for part, kinds in (("weapon", layout.WEAPONS), ("defence", layout.DEFENCES)):
        if reader.has(part):
            plan[part] = reader.number(part, NONE, layout.KINDS - 1)
            if plan[part] not in (NONE, *kinds):
                raise reader.fail(part, int(plan[part]), f"-1 or one of {', '.join(map(str, kinds))}")
    if reader.has("number"):
        plan.number = reader.number("number", 0, layout.TOKENS)
    if reader.has("no_leader"):
        if not reader.flag("no_leader"):
            raise reader.fail("no_leader", False, "true, or no such key")
        plan.no_leader = 1
    if reader.has("treason"):
        plan.treason = reader.flag("treason")
    reader.finish()
