"""What a seat sees of a state.

A view has the keys of a state dictionary. Values that the seat may not see are null. There are these differences:

- ``seat`` and ``decision`` are null, except in the view of the asked seat.
- ``spice_deck`` includes the foreseen card, except in the view of Atreides.
- ``deck`` is missing. Instead, ``unseen`` counts, by kind, the cards that the seat does not hold and that do not lie
  openly: the deck, the unsold card, the card on sale, the cards of other hands and hidden plans, laid cards of others
  and hidden discards, all together. ``deck_count`` is the number of cards in the deck.
- ``hand_count`` of a player is the number of cards in the hand, including the cards of a hidden plan.
- ``pending`` has what everybody may know of the moment, what the seat has named or is asked about, and what it was
  shown. Its keys are those of `dunaia_env.dune.notation.pending` and, for the asked seat, ``asked_by``: the proposer,
  the owner of a ransom, or the seat that wants its leader back. In place of ``dials`` it has the seat's own ``dial``.
  ``plans`` has the parts that the seat may see.

A view depends on nothing else: not on draws to come, not on who else is asked, and not on how often anybody was asked.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from dunaia_env.dune import decisions, standing, state as layout
from dunaia_env.dune.checks import consistency, moments
from dunaia_env.dune.components import Components
from dunaia_env.dune.decisions import DECISION_NAMES, DECISIONS
from dunaia_env.dune.notation.pending import PLAN_PARTS, write_pending, write_plan
from dunaia_env.dune.notation.states import to_dict
from dunaia_env.dune.state import NONE

# The pending keys that everybody sees.
_PUBLIC = (
    *("thumper", "cards_left", "opener", "bid", "bidder", "sight_stopped", "embargo", "field", "defender", "voice"),
    *("element", "plans_shown"),
)
# The pending keys that the asked seat has named itself or is asked about, besides the keys that its decision needs.
_ASKED = {
    "COUNT": ("taken",),
    "MOVE_TO": ("worm",),
    "CONE": ("coned",),
    "REVIVE": ("freed",),
    "SHIP": ("half_price",),
    "SHIP_COUNT": ("half_price",),
    "SHIP_TO": ("half_price",),
    "MOVE_FROM": ("second_move",),
}
_LIFTED = ("COUNT", "SHIP_TO")
# Needed keys that are not for the asked seat: plans, of which it sees parts, and the ally named by a proposer.
_NOT_TOLD = {("ANSWER", "target"), *((name, "plans") for name in DECISION_NAMES)}
_ASKED_BY = ("ANSWER", "PAY", "PRICE")


def view_to_dict(state: NDArray[np.uint8], components: Components, seat: int) -> dict[str, Any]:
    """What a seat sees of a state (its bytes), as a dictionary.

    Raises `ValueError` for a seat that is not at the table.
    """
    record = layout.fields_of(state.view(layout.STATE_DTYPE)[0])
    players = int(record.num_players)
    if not 0 <= seat < players:
        raise ValueError(f"seat: expected a seat in 0..{players - 1}, got {seat}")
    view = to_dict(state, components)
    is_atreides = seat == standing.seat_with_power(record, layout.ATREIDES)
    if record.decision != decisions.OVER and seat != record.seat:
        view["seat"] = view["decision"] = None
    if not is_atreides:
        if record.foreseen_spice != NONE:
            view["spice_deck"][int(record.foreseen_spice)] += 1
        view["foreseen_spice"] = None
    view = _with_unseen(view, record, components, seat)
    view["hidden_discards"] = None
    for key in ("top", "sale"):
        if not is_atreides:
            view[f"{key}_seen"] = None
        if record[key] != NONE and not (is_atreides and record[f"{key}_seen"]):
            view[key] = None
    if seat != standing.seat_with_power(record, layout.BENE_GESSERIT):
        view["prediction"] = None
    if record.tleilax and seat != standing.seat_of_faction(record, layout.TLEILAX):
        for leader in range(layout.LEADERS):
            if not record.change_shown[leader]:
                view["leaders"]["change"][leader] = None
    view["players"] = [_player(entry, record, other, seat, is_atreides) for other, entry in enumerate(view["players"])]
    view["pending"] = _pending(record, components, seat)
    return view


def _with_unseen(view: dict[str, Any], state: Any, components: Components, seat: int) -> dict[str, Any]:
    """The view with ``unseen`` and ``deck_count`` in place of ``deck``."""
    own = state.players[seat]
    unseen = components.record[0]["treachery"][layout.DECKS.index(int(state.deck_size))].astype(np.int64)
    unseen = unseen - state.discards - state.removed - own.hand - consistency.hidden_plan_cards(state, seat)
    if own.laid != NONE:
        unseen[own.laid] -= 1
    placed: dict[str, Any] = {}
    for key, value in view.items():
        if key == "deck":
            placed |= {"unseen": unseen.tolist(), "deck_count": int(state.deck.sum(dtype=np.int64))}
        else:
            placed[key] = value
    return placed


def _player(entry: dict[str, Any], state: Any, other: int, seat: int, is_atreides: bool) -> dict[str, Any]:
    count = int(state.players[other].hand.sum(dtype=np.int64) + consistency.hidden_plan_cards(state, other).sum())
    hidden = []
    if other != seat:
        hidden += ["hand", "discs", "traitors", "laid"]
        if not state.open_shields:
            hidden += ["spice", "reserve"]
        if not standing.allied(state, seat, other):
            hidden.append("pledge")
    if not is_atreides:
        hidden.append("foreseen")
    seen = {key: None if key in hidden else value for key, value in entry.items()}
    return {**seen, "hand_count": count}


def _pending(state: Any, components: Components, seat: int) -> dict[str, Any]:
    keys = [*_PUBLIC, *_own(state, seat)]
    asked = seat == int(state.seat)
    name = DECISION_NAMES[state.decision]
    if asked:
        keys += [*DECISIONS[name].needed, *_ASKED.get(name, ())]
        if name in _LIFTED:
            keys.append("lifting")
            keys += ["half_price"] if state.lifting else []
        if name == "KARAMA":
            keys += moments.OBJECTS.get(layout.POWER_NAMES[state.power], ())
    wanted = {key for key in keys if (name, key) not in _NOT_TOLD}
    pending = {key: value for key, value in write_pending(state, components).items() if key in wanted}
    if asked and name in _ASKED_BY:
        frame = state.stack[int(state.depth) - 1]
        if frame.point == layout.SEATS:
            pending["asked_by"] = int(frame.seat)
    for wheel, dial in zip(state.wheels.tolist(), state.dials.tolist(), strict=True):
        if wheel == seat and dial != NONE:
            pending["dial"] = dial
    plans = (
        [_plan(state, seat, side) for side in (layout.AGGRESSOR, layout.DEFENDER)]
        if state.phase == layout.BATTLE_PHASE
        else []
    )
    if any(plans):
        pending["plans"] = plans
    return pending


def _own(state: Any, seat: int) -> list[str]:
    """Keys that a seat sees because it named their values, whoever is asked now."""
    keys = []
    if seat == standing.seat_with_power(state, layout.BENE_GESSERIT):
        keys.append("faction")
    if seat == state.weather_seat:
        keys += ["weather", "weather_seat"]
    return keys


def _plan(state: Any, seat: int, side: int) -> dict[str, Any]:
    """The parts of a battler's plan that a seat sees."""
    plan = state.plans[side]
    battler = int(state.actor if side == layout.AGGRESSOR else state.defender)
    if battler == NONE:
        return {}
    parts: list[str] = []
    if state.plans_shown or seat == battler:
        parts += PLAN_PARTS
    elif state.element_shown and seat in _foreseers(state, side):
        element = int(state.element)
        parts += PLAN_PARTS if element == layout.ALL_ELEMENTS else (PLAN_PARTS[element],)
    parts.append("no_leader")
    # If a side does not call a traitor, nobody else learns that it could have.
    called = state.plans_shown and DECISION_NAMES[state.decision] != "TREASON" and plan.treason == 1
    if called or seat == _accuser(state, side):
        parts.append("treason")
    return write_plan(plan, parts)


def _foreseers(state: Any, side: int) -> tuple[int, ...]:
    """The seats that are shown the element of a battler's plan: Atreides and the enemy battler, whom it helps."""
    atreides = standing.seat_with_power(state, layout.ATREIDES)
    helped = int(state.defender if side == layout.AGGRESSOR else state.actor)
    if atreides == NONE or not (atreides == helped or standing.allied(state, atreides, helped)):
        return ()
    return (atreides, helped)


def _accuser(state: Any, side: int) -> int:
    """The seat that answers for a battler's side whether the enemy's leader is a traitor; -1 if nobody is asked."""
    battler, enemy = (state.actor, state.defender) if side == layout.AGGRESSOR else (state.defender, state.actor)
    leader = int(state.plans[layout.DEFENDER if side == layout.AGGRESSOR else layout.AGGRESSOR].leader)
    if not 0 <= leader < layout.LEADERS or enemy == NONE:
        return NONE
    if int(state.players[battler].traitors) >> leader & 1:
        return int(battler)
    harkonnen = standing.seat_with_power(state, layout.HARKONNEN)
    helps = harkonnen != NONE and standing.allied(state, harkonnen, int(battler))
    return harkonnen if helps and int(state.players[harkonnen].traitors) >> leader & 1 else NONE
