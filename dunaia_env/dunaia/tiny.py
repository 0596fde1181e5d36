"""A miniature of Dunaïa that is small enough to be solved from its first decision, see `training.benchmark.tiny`.

Two players play two rounds in villages of four squares, with two Dunaias each. States, actions and observations are
those of `dunaia_env.dunaia`, so whoever plays Dunaïa plays this game too. Its rules apply, except for the following:

- The village has the squares 0, 1, 3 and 4: no building is started and no Dunaia moved outside of it.
- Every die shows 1 or 2, so the Dunaias 3 to 6 are never woken. They stand outside the village and stay there. A
  player's own die that is not taken any more before the game is stopped is not rolled.
- There is no chip space. Waking plugs the chips 1 and 2 at most, and an elder costs three.
- The dice are all that is drawn. Elders, prophecies and tiles lie in the order of their numbers, and the next tile of a
  pile is its lowest.
- `CHANGES` says what is printed differently. With one neutral die, a roll lasts for three turns. A tile on a pile costs
  more flowers than anybody has, so each level has one tile on offer.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from types import MappingProxyType
from typing import Any

import numpy as np

from dunaia_env.dunaia import GAME as PLAIN_GAME, actions as verbs, entry_points as plain, state as layout
from dunaia_env.dunaia.changes import change
from dunaia_env.dunaia.components import COMPONENTS_DTYPE, Components, load
from dunaia_env.dunaia.rules import setup, turn
from dunaia_env.dunaia.rules.play import apply_action, legal_actions
from dunaia_env.dunaia.state import DRAFTED, EDGE_SQUARES, STATE_DTYPE
from dunaia_env.harness.compiled import entry_points as harness
from dunaia_env.harness.compiled.chance import CHANCE_SIZE, GIVEN, MODE, MOST_DRAWS, ROLL, TAPE, draw
from dunaia_env.harness.compiled.entry_points import MOST_OPTIONS, NO_ACTION, EntryPoints, array_at
from dunaia_env.support.compile_cache import c_function, kernel

__all__ = ["GAME"]

VILLAGE = (0, 1, 3, 4)
EDGES = tuple(edge for edge, squares in enumerate(EDGE_SQUARES.tolist()) if set(squares) <= set(VILLAGE))
DUNAIAS = 2
OPTIONS = {"num_players": 2, "elites": False, "max_rounds": 2}

# What is printed differently, by path in a component file.
CHANGES: Mapping[str, Any] = MappingProxyType(
    {
        "village.start_edges": [[0, 3], [3, 4], [2, 5], [5, 8], [6, 7], [7, 8]],
        "village.printed.3": "flower",
        "village.printed.4": "chip",
        "start.flowers": [0, 2],
        "dice.neutral.2": 1,
        "prices.level_1": [2, 100],
        "prices.level_2": [3, 100],
        "prices.level_3": [4, 100],
        "construction.level_1": 1,
        "construction.level_2": 1,
        "construction.level_3": 1,
        "prophecies.group_a.0.buildings": 1,
        "prophecies.group_a.0.points": 1,
        "prophecies.group_b.0.flowers": 2,
    }
)


def _is_allowed(action: int) -> bool:
    """Whether an action keeps to the village and its Dunaias, and plugs no chip."""
    verb, (first, second) = verbs.FIRST_OF[action], verbs.ARGUMENTS[action, :2]
    if verb == verbs.START_FIRST:
        return second in VILLAGE
    if verb == verbs.MOVE_FIRST:
        return first < DUNAIAS and second in EDGES
    return bool(verb != verbs.PLUG_FIRST)


ALLOWED = np.array([_is_allowed(action) for action in range(verbs.NUM_ACTIONS)])


@kernel
def allowed_actions(state, components, actions):
    """The same as `legal_actions`, without the actions that this game does not have."""
    kept = 0
    for place in range(legal_actions(state, components, actions)):
        if ALLOWED[actions[place]]:
            actions[kept] = actions[place]
            kept += 1
    return kept


@kernel
def fixed_chance():
    """Chance of which every draw has its first outcome."""
    chance = np.zeros(CHANCE_SIZE, np.int64)
    chance[MODE] = TAPE
    chance[GIVEN] = MOST_DRAWS
    return chance


@kernel
def roll_dice(state, components, chance):
    """Roll the dice of a full pool; a player's own die that is not taken before the game is stopped shows 1."""
    players, neutral = int(state.num_players), turn.neutral_dice_left(state)
    turns = (int(state.round_number) - 1) * players + int(state.seat)
    roll = turn.roll_number(state, neutral + players)
    for face in range(layout.FACES):
        state.neutral_dice[face] = 0
    for die in range(neutral):
        face = draw(chance, ROLL, roll, die, DUNAIAS)
        state.neutral_dice[face] = int(state.neutral_dice[face]) + 1
    # The dice are taken in this order, one in each turn.
    for die in range(neutral, neutral + players):
        seat, is_taken = (turns + die) % players, turns + die < players * int(state.max_rounds)
        state.own_dice[seat] = draw(chance, ROLL, roll, die, DUNAIAS) + 1 if is_taken else 1


@kernel
def take_step(state, components, chance, action):
    """Apply an action, with no other chance than that of the dice."""
    used_up = turn.is_pool_empty(state)
    apply_action(state, components, fixed_chance(), action)
    if used_up and not turn.is_pool_empty(state):
        roll_dice(state, components, chance)


@c_function("voidptr, voidptr, voidptr, voidptr")
def begin(state_at, components_at, chance, options):
    """Set up a game, without applying forced decisions."""
    state, components = array_at(state_at, 1, STATE_DTYPE)[0], array_at(components_at, 1, COMPONENTS_DTYPE)[0]
    chosen = array_at(options, MOST_OPTIONS, np.int64)
    players, rounds = int(chosen[plain.NUM_PLAYERS]), int(chosen[plain.MAX_ROUNDS])
    setup.set_up(state, components, fixed_chance(), players, False, rounds, DRAFTED)
    roll_dice(state, components, array_at(chance, CHANCE_SIZE, np.int64))
    return 0


@c_function("voidptr, voidptr, voidptr, int64, voidptr")
def play(state_at, components_at, chance, action, legal):
    """Apply an action (or `NO_ACTION`) and the forced decisions that follow."""
    state, components = array_at(state_at, 1, STATE_DTYPE)[0], array_at(components_at, 1, COMPONENTS_DTYPE)[0]
    draws, actions = array_at(chance, CHANCE_SIZE, np.int64), array_at(legal, verbs.NUM_ACTIONS, np.int16)
    if action != NO_ACTION:
        take_step(state, components, draws, action)
    count = allowed_actions(state, components, actions)
    while count == 1:
        take_step(state, components, draws, int(actions[0]))
        count = allowed_actions(state, components, actions)
    return count


@c_function("voidptr, voidptr, voidptr")
def list_legal(state_at, components_at, legal):
    """Write the legal actions of a state, in table order; returns their number."""
    state, components = array_at(state_at, 1, STATE_DTYPE)[0], array_at(components_at, 1, COMPONENTS_DTYPE)[0]
    return allowed_actions(state, components, array_at(legal, verbs.NUM_ACTIONS, np.int16))


ENTRY_POINTS = EntryPoints(
    {
        harness.BEGIN: begin,
        harness.PLAY: play,
        harness.LEGAL: list_legal,
        harness.OBSERVE: plain.write_observation,
        harness.RESULTS: plain.write_results,
        harness.SIMPLIFY: plain.simplify,
        harness.VALUE: plain.write_value,
        harness.SHARES: plain.write_shares,
        harness.FEATURES: plain.write_features,
    },
    {place: int(plain.ENTRY_POINTS.table[place]) for place in range(harness.SEAT_AT, harness.TABLE_SIZE)},
)


def settle(options: Mapping[str, Any]) -> Mapping[str, Any]:
    """Raise `ValueError` unless two players play without elite characters; the number of rounds is free."""
    for name in ("num_players", "elites"):
        if options[name] != OPTIONS[name]:
            raise ValueError(f"{name}: expected {OPTIONS[name]} in {GAME.name}, got {options[name]}")
    return options


@cache
def _own_components() -> Components:
    return change(load(None), CHANGES)


def load_components(source: str | os.PathLike[str] | Components | None = None) -> Components:
    """The miniature's own components for None; otherwise those of a file, see `dunaia_env.dunaia.components.load`."""
    return _own_components() if source is None else load(source)


GAME = replace(
    PLAIN_GAME,
    module=__name__,
    name="dunaia_tiny",
    title="Dunaïa in miniature",
    variant_of=PLAIN_GAME.name,
    options=tuple(replace(option, default=OPTIONS[option.name], full=None) for option in PLAIN_GAME.options),
    settle=settle,
    entry_points=ENTRY_POINTS,
    load=load_components,
    load_family=None,
    plausible_family="",
    roles=None,
    events=None,
)
