"""One battle of Dune as a game of its own, so small that its equilibrium is known.

Atreides attack Harkonnen over the spice of Sihaya Ridge, in the fifth of ten turns of a duel. Everything is public
except what chance deals: each side holds one of four cards, and one time in eight its traitor is the enemy's stronger
leader. States, actions, observations and the rules of battles are those of `dunaia_env.dune`, so whoever plays Dune
plays this game too. It has these exceptions:

- The game begins with the first battle plan. It ends when the battle is decided and the winner has harvested.
- The winner keeps the cards of its plan.
- The score is what a seat then has, in spice: see `worth_of`. Both seats begin with the same.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import permutations, product
from typing import Any

import numpy as np

from dunaia_env.dune import GAME as PLAIN_GAME, actions as verbs, decisions, entry_points as plain, state as layout
from dunaia_env.dune.components import COMPONENTS_DTYPE, Components, load
from dunaia_env.dune.notation.states import from_dict
from dunaia_env.dune.rules import battle_results, harvest, plans
from dunaia_env.dune.rules.common import steps
from dunaia_env.dune.state import KINDS, LEADERS, MAX_PLAYERS, NONE, STATE_DTYPE, STATE_SIZE, TOKENS
from dunaia_env.harness.compiled import entry_points as harness
from dunaia_env.harness.compiled.chance import CHANCE_SIZE, SETUP, draw
from dunaia_env.harness.compiled.entry_points import ALONE, ENDING_SIZE, NO_ACTION, ROUNDS, STOPPED, array_at
from dunaia_env.harness.game import Bounds
from dunaia_env.support.compile_cache import c_function, kernel

__all__ = ["GAME"]

PLAYERS = 2
TURN = 5
FIELD, SPICE_IN_FIELD = 66, 6
HOMES = (0, 8)  # the cells of Arrakeen and Carthag
# Of each seat: its spice, its tokens in the field and at home, its living leaders, its discs.
SPICE = (10, 4)
FIGHTING, AT_HOME = (2, 3), (4, 4)
LIVING = ((2, 4), (5, 7))
DISCS = ((5, 6, 20, 25), (0, 2, 13, 28))
# What chance deals: one of these cards to each seat; and to each its traitor, the enemy's stronger leader one time in
# `RARITY`, about as often as in samples of what a seat does not know, otherwise a dead one.
CARDS = (layout.PROJECTILE, layout.POISON, layout.SHIELD, layout.SNOOPER)
TRAITORS = ((5, 6), (2, 0))
RARITY = 8
# Cards have no printed price. This is about what the hand-written evaluation gives for each of these.
CARD_WORTH = 3
OPTIONS = PLAIN_GAME.check_options(PLAIN_GAME.presets["duel"])
# Four parts of a plan and an answer about treason from each seat; the winner's losses and its two cards.
MOST_DECISIONS = 5 * PLAYERS + 3

Hands = tuple[tuple[int, ...], tuple[int, ...]]


def position(hands: Hands, traitors: tuple[int, int]) -> dict[str, Any]:
    """The state dictionary before the first battle plan.

    Args:
        hands: the kinds of cards in both hands, together at most one of each kind in `CARDS`.
        traitors: the traitor of each seat, one of its discs.
    """
    values: Any = load().record[0]
    unseen = [CARDS.count(kind) for kind in range(KINDS)]
    held = [sum(hand.count(kind) for hand in hands) for kind in range(KINDS)]
    living = {leader for leaders in LIVING for leader in leaders}
    beside = ("num_players", "factions")
    players = [
        {
            "faction": OPTIONS["factions"][seat],
            "dot": int(values.dots[values.dots_by_players[PLAYERS][seat]]),
            "spice": SPICE[seat],
            "reserve": 0,
            "tanks": TOKENS - FIGHTING[seat] - AT_HOME[seat],
            "forces": [[HOMES[seat], AT_HOME[seat]], [FIELD, FIGHTING[seat]]],
            "hand": sorted(hands[seat]),
            "shown": [],
            "foreseen": [],
            "discs": list(DISCS[seat]),
            "traitors": [traitors[seat]],
            "reviving": False,
            "pledge": 0,
            "debts": [0] * PLAYERS,
            "laid": NONE,
            "laid_on": NONE,
        }
        for seat in range(PLAYERS)
    ]
    leaders = {
        "owner": [leader // 5 if leader // 5 < PLAYERS else NONE for leader in range(LEADERS)],
        "alive": [leader in living for leader in range(LEADERS)],
        "used": [NONE] * LEADERS,
        "change": [0] * LEADERS,
        **{name: [False] * LEADERS for name in ("risen", "returned", "change_shown")},
    }
    return {
        "seat": 0,
        "decision": "LEADER",
        "phase": "battle",
        "actor": 0,
        "turn": TURN,
        "over": False,
        "how": "",
        "winners": [],
        "options": {name: value for name, value in OPTIONS.items() if name not in beside},
        "storm": 3,
        "shield_wall": True,
        "wheels": [0, 1],
        "last_blow": int(values.territory_of[FIELD]),
        "spice": [[FIELD, SPICE_IN_FIELD]],
        "spice_deck": values.spice_cards.tolist(),
        "spice_discards": [0] * len(values.spice_cards),
        "foreseen_spice": NONE,
        "deck": [number - own for number, own in zip(unseen, held, strict=True)],
        "discards": [
            int(number) - left for number, left in zip(values.treachery[layout.DECKS.index(33)], unseen, strict=True)
        ],
        **{name: [0] * KINDS for name in ("hidden_discards", "removed")},
        **dict.fromkeys(("top", "sale"), NONE),
        **dict.fromkeys(("top_seen", "sale_seen"), False),
        "alliance": [NONE] * PLAYERS,
        "silenced": [],
        "prediction": None,
        "truths": [],
        "leaders": leaders,
        "players": players,
        "pending": {"field": FIELD, "defender": 1},
        "scores": [1, 1],
    }


DEALS = tuple(product(permutations(CARDS, PLAYERS), product(*TRAITORS)))
_HANDS = len(DEALS) // len(TRAITORS[0]) ** PLAYERS
_POSITIONS = np.stack([from_dict(position(((own,), (other,)), traitors), load()) for (own, other), traitors in DEALS])


@kernel
def worth_of(state, components, seat):
    """What a seat has, in spice: its spice, living tokens and leaders at the prices of their revival, and its cards."""
    player = state.players[seat]
    worth = int(player.spice) + int(components.revival_price) * (TOKENS - int(player.tanks))
    for leader in range(LEADERS):
        if state.owner[leader] == seat and state.alive[leader] != 0:
            worth += int(components.strength[leader])
    for kind in range(KINDS):
        worth += CARD_WORTH * int(player.hand[kind])
    return worth


@kernel
def list_actions(state, components, actions):
    """List the legal actions of the decisions of a battle; returns their number."""
    decision = state.decision
    if decision == decisions.LEADER:
        return plans.list_leader(state, components, actions)
    if decision == decisions.WEAPON:
        return plans.list_weapon(state, components, actions)
    if decision == decisions.DEFENCE:
        return plans.list_defence(state, components, actions)
    if decision == decisions.NUMBER:
        return plans.list_number(state, components, actions)
    if decision == decisions.TREASON:
        return battle_results.list_treason(state, components, actions)
    if decision == decisions.LOSS:
        return battle_results.list_loss(state, components, actions)
    if decision == decisions.KEEP:
        actions[0] = verbs.YES
        return 1
    return 0


@kernel
def answer(state, components, chance, action):
    """Apply an action; the battle ends the game."""
    decision, step = state.decision, steps.ASKED
    if decision == decisions.LEADER:
        step = plans.answer_leader(state, components, chance, action)
    elif decision == decisions.WEAPON:
        step = plans.answer_weapon(state, components, chance, action)
    elif decision == decisions.DEFENCE:
        step = plans.answer_defence(state, components, chance, action)
    elif decision == decisions.NUMBER:
        step = plans.answer_number(state, components, chance, action)
    elif decision == decisions.TREASON:
        step = battle_results.answer_treason(state, components, chance, action)
    elif decision == decisions.LOSS:
        step = battle_results.answer_loss(state, components, chance, action)
    elif decision == decisions.KEEP:
        step = battle_results.answer_keep(state, components, chance, action)
    if step == steps.NEXT_BATTLE:
        harvest.harvest(state, components)
        finish(state, components)


@kernel
def finish(state, components):
    """End the game: the seat with the higher worth wins, or both do."""
    first, second = worth_of(state, components, 0), worth_of(state, components, 1)
    state.winners = (1 if first >= second else 0) + (2 if second >= first else 0)
    state.how = harvest.BY_MOST
    state.phase = layout.OVER_PHASE
    state.decision = decisions.OVER
    state.seat = NONE
    state.actor = NONE
    state.field = NONE
    for leader in range(LEADERS):
        state.used[leader] = NONE


@c_function("voidptr, voidptr, voidptr, voidptr")
def begin(state_at, components_at, chance, options):
    """Deal the cards, all deals being equally likely, and both traitors."""
    buffer, draws = array_at(state_at, STATE_SIZE, np.uint8), array_at(chance, CHANCE_SIZE, np.int64)
    deal = draw(draws, SETUP, 0, 0, _HANDS)
    for seat in range(PLAYERS):
        is_dead = draw(draws, SETUP, 1, seat, RARITY) > 0
        deal = 2 * deal + (1 if is_dead else 0)
    for place in range(STATE_SIZE):
        buffer[place] = _POSITIONS[deal, place]
    return 0


@c_function("voidptr, voidptr, voidptr, int64, voidptr")
def play(state_at, components_at, chance, action, legal):
    """Apply an action (or `NO_ACTION`) and, unless `ALONE` is added to it, the forced decisions that follow."""
    state, components = array_at(state_at, 1, STATE_DTYPE)[0], array_at(components_at, 1, COMPONENTS_DTYPE)[0]
    draws, actions = array_at(chance, CHANCE_SIZE, np.int64), array_at(legal, verbs.NUM_ACTIONS, np.int16)
    forced = action < NO_ACTION + ALONE
    if not forced:
        action -= ALONE
    if action != NO_ACTION:
        answer(state, components, draws, action)
    count = list_actions(state, components, actions)
    while forced and count == 1:
        answer(state, components, draws, int(actions[0]))
        count = list_actions(state, components, actions)
    return count


@c_function("voidptr, voidptr, voidptr")
def list_legal(state_at, components_at, legal):
    """Write the legal actions of a state, in table order; returns their number."""
    state, components = array_at(state_at, 1, STATE_DTYPE)[0], array_at(components_at, 1, COMPONENTS_DTYPE)[0]
    return list_actions(state, components, array_at(legal, verbs.NUM_ACTIONS, np.int16))


@c_function("voidptr, voidptr, voidptr, voidptr, voidptr")
def write_results(state_at, components_at, scores, ranks, ending):
    """Write the worth of what each seat has, ranks, and the length of the game."""
    state, components = array_at(state_at, 1, STATE_DTYPE)[0], array_at(components_at, 1, COMPONENTS_DTYPE)[0]
    points, places = array_at(scores, MAX_PLAYERS, np.int32), array_at(ranks, MAX_PLAYERS, np.int8)
    for seat in range(MAX_PLAYERS):
        points[seat] = worth_of(state, components, seat) if seat < PLAYERS else 0
        places[seat] = 0
    for seat in range(PLAYERS):
        places[seat] = 1 if points[seat] >= points[1 - seat] else 2
    length = array_at(ending, ENDING_SIZE, np.int32)
    length[ROUNDS] = 1
    length[STOPPED] = 0
    return 0


ENTRY_POINTS = harness.EntryPoints(
    {
        harness.BEGIN: begin,
        harness.PLAY: play,
        harness.LEGAL: list_legal,
        harness.OBSERVE: plain.write_observation,
        harness.RESULTS: write_results,
        harness.RESAMPLE: plain.resample_state,
        harness.PREFERENCES: plain.write_preferences,
        harness.SHARES: plain.write_shares,
    },
    {place: int(plain.ENTRY_POINTS.table[place]) for place in range(harness.SEAT_AT, harness.TABLE_SIZE)},
)


def settle(options: Mapping[str, Any]) -> Mapping[str, Any]:
    """Raise `ValueError` unless all options are those of the position."""
    for name, value in OPTIONS.items():
        if options[name] != value:
            raise ValueError(f"{name}: expected {value} in {GAME.name}, got {options[name]}")
    return options


def bounds(components: Components, options: Mapping[str, Any]) -> Bounds:
    """All bounds of the game; nobody has more at its end than both seats and the field had at its beginning."""
    scores, _, _ = GAME.entry_points.results(_POSITIONS[0], components.buffer)
    return Bounds(
        outcomes=max(_HANDS, RARITY),
        draws=1 + PLAYERS,
        decisions=MOST_DECISIONS,
        least_points=0,
        most_points=int(scores.sum()) + SPICE_IN_FIELD,
        rounds=1,
    )


GAME = replace(
    PLAIN_GAME,
    module=__name__,
    name="dune_battle",
    title="A battle of Dune",
    variant_of=PLAIN_GAME.name,
    options=tuple(replace(option, default=OPTIONS[option.name]) for option in PLAIN_GAME.options),
    settle=settle,
    bounds=bounds,
    entry_points=ENTRY_POINTS,
    presets={},
    roles=None,
)
