"""Checks of a state beyond the ranges of its fields: every piece is in one place, and the decision is possible."""

from __future__ import annotations

from typing import Any

import numpy as np

from dunaia_env.dunaia import state as layout
from dunaia_env.dunaia.components import FIRST_TILE, GAIN_ADVANCES, GAIN_CHIPS, GAIN_MOVES, Components
from dunaia_env.dunaia.state import NONE

# The numbers of choices left in the decision in progress: key of the dictionary, field of the state.
PENDING_COUNTS = {
    "moves": "moves_left",
    "chips": "chips_left",
    "discards": "discards_left",
    "advances": "advances_left",
}


# The decisions in which each number can be above 0. Only a waking effect leaves two kinds: chips, then moves.
_LEFT_IN = {
    "moves_left": ("MOVE", "PLUG"),
    "chips_left": ("PLUG",),
    "discards_left": ("DISCARD",),
    "advances_left": ("ADVANCE",),
}


class StateError(ValueError):
    """A dictionary or bytes that are not a state. The message names the first fault."""


def check_consistency(state: Any, components: Components) -> None:
    """Raise `StateError` naming the first fault of a state's record; its fields must be in their ranges."""
    _check_decision(state, components)
    _check_dice(state, components)
    _check_conservation(state, components)


# The possible sources of each decision.
_SOURCES_OF = {
    "MOVE": ("waking", "recycling", "elder", "power"),
    "PLUG": ("waking", "recycling"),
    "DISCARD": ("elder", "power"),
    "ADVANCE": ("recycling", "elder", "power"),
    "SEARCH": ("elder",),
    "PLACE": ("elder",),
    "COLOUR": ("elder",),
}
# The elder that asks for each decision.
_ELDER_OF = {
    "MOVE": layout.ELDER_MOVES,
    "ADVANCE": layout.ELDER_ADVANCE,
    "SEARCH": layout.ELDER_SEARCH,
    "PLACE": layout.ELDER_SEARCH,
    "COLOUR": layout.ELDER_COLOUR,
}


def _most_left(components: Components) -> dict[tuple[str, str], int]:
    """The largest number of moves, chips, discards or advances that each source can leave to choose."""
    values: Any = components.record[0]

    def of_level_1(gain: int) -> int:
        level_1 = slice(FIRST_TILE[0], FIRST_TILE[1])
        return int(values.amount[level_1][values.effect[level_1] == gain].max(initial=0))

    return {
        ("waking", "chips_left"): int(values.gains_now[..., GAIN_CHIPS].max()),
        ("waking", "moves_left"): int(values.gains_now[..., GAIN_MOVES].max()),
        ("recycling", "chips_left"): of_level_1(GAIN_CHIPS),
        ("recycling", "moves_left"): of_level_1(GAIN_MOVES),
        ("recycling", "advances_left"): of_level_1(GAIN_ADVANCES),
        ("elder", "moves_left"): int(values.elder_moves),
        ("elder", "advances_left"): int(values.elder_advances),
        ("elder", "discards_left"): 1,
        ("power", "moves_left"): int(values.mystic_moves),
        ("power", "advances_left"): int(values.foreman_advances),
        ("power", "discards_left"): int(values.mystic_chips),
    }


def _check_source(state: Any, components: Components) -> None:
    """Check that the source of the decision can ask for it, and for the number of choices left."""
    name, source = layout.DECISION_NAMES[state.decision], layout.SOURCE_NAMES[state.source]
    if source not in _SOURCES_OF[name]:
        raise StateError(f"pending.source: expected one of {', '.join(_SOURCES_OF[name])} in {name}, got {source!r}")
    player = state.players[state.seat]
    if source == "elder" and name in _ELDER_OF and state.elders[state.elder_space] != _ELDER_OF[name]:
        raise StateError(f"pending.elder_space = {int(state.elder_space)}; the elder there does not ask for {name}")
    if source == "power":
        needed = layout.FOREMAN if name == "ADVANCE" else layout.MYSTIC
        if player.character != needed or not player.power_used:
            raise StateError(
                f"players[{int(state.seat)}]: expected {needed} and true in {name}, got character"
                f" {int(player.character)}, power_used {bool(player.power_used)}"
            )
    most_left = _most_left(components)
    for key, field in PENDING_COUNTS.items():
        most = most_left.get((source, field), 0)
        if field == "discards_left":
            most = min(most, int(player.chips.sum()))
        if state[field] > most:
            raise StateError(f"pending.{key}: expected 0..{most} with the source {source!r}, got {int(state[field])}")


def _check_decision(state: Any, components: Components) -> None:
    """Check that the fields of the decision in progress fit the decision."""
    decision = int(state.decision)
    name = layout.DECISION_NAMES[decision]
    needs = {
        "MOVE": "moves_left",
        "PLUG": "chips_left",
        "DISCARD": "discards_left",
        "ADVANCE": "advances_left",
    }
    if name in needs and state[needs[name]] < 1:
        raise StateError(f"pending: {name} needs at least one of {needs[name].split('_')[0]}")
    for field, decisions in _LEFT_IN.items():
        if state[field] and name not in decisions:
            raise StateError(f"pending: {field.split('_')[0]} = {int(state[field])}; {name} leaves none to be made")
    if state.second_square != NONE and layout.SOURCE_NAMES[state.source] != "waking":
        raise StateError(f"pending.second_square = {int(state.second_square)}; it belongs to waking and only to it")
    if state.woken_moved and state.second_square == NONE:
        raise StateError("pending.woken_moved = true; it matters only while a second_square is still to come")
    if (decision == layout.PLACE) != (state.found != NONE):
        raise StateError(f"pending.found = {int(state.found)}; a found tile belongs to PLACE and only to it")
    windows = decision <= layout.END_TURN or decision == layout.OVER
    if windows != (state.source == layout.NO_SOURCE):
        raise StateError(
            f"pending.source = {layout.SOURCE_NAMES[state.source]!r}; {name} needs {'none' if windows else 'one'}"
        )
    if (layout.SOURCE_NAMES[state.source] == "elder") != (state.elder_space != NONE):
        raise StateError(f"pending.elder_space = {int(state.elder_space)}; an elder being called has one, nothing else")
    if (layout.SOURCE_NAMES[state.source] in ("elder", "power")) != (state.window != 0):
        raise StateError("pending.window: an elder or a power returns to a window, nothing else does")
    if not windows:
        _check_source(state, components)
    if decision not in (layout.DRAFT, layout.OVER):
        _check_place_in_the_turn(state)
    if (decision == layout.DRAFT) != bool(state.characters_available.any()):
        raise StateError("characters_available: a choice is left during the draft and only then")
    if decision == layout.DRAFT:
        _check_draft(state)


# The windows of a turn in which a die is in hand, and those before a Dunaia is woken.
_WITH_A_DIE = ("AWAKEN", "RECYCLE")
_BEFORE_WAKING = ("CHOOSE_DIE", "AWAKEN")
# The window to which the effects of a turn's own course belong: the die is still in hand while a Dunaia wakes, and gone
# when it is recycled. Elders and powers return to a window of their own.
_WINDOW_OF = {"waking": "RECYCLE", "recycling": "BEFORE_PROPHECY"}


def _check_place_in_the_turn(state: Any) -> None:
    """Check the die in hand and the woken Dunaia, also for the window to which an effect returns."""
    name, source = layout.DECISION_NAMES[state.decision], layout.SOURCE_NAMES[state.source]
    window = name if state.source == layout.NO_SOURCE else _WINDOW_OF.get(source, layout.DECISION_NAMES[state.window])
    place = name if window == name else f"{name}, which belongs to the window {window},"
    if (window in _WITH_A_DIE) != (state.die != 0):
        needed = "" if window in _WITH_A_DIE else "not "
        raise StateError(f"die = {int(state.die)}; in {place} a die is {needed}in hand")
    if (window in _BEFORE_WAKING) != (state.woken == 0):
        raise StateError(f"woken = {int(state.woken)}; in {place} {'no' if state.woken else 'a'} Dunaia has been woken")


def _check_draft(state: Any) -> None:
    """Check the draft: it goes from the last seat to the first, with one character more than there are players."""
    players, seat = int(state.num_players), int(state.seat)
    if state.round_number != 1 or state.final_round != 0:
        raise StateError(
            f"round = {int(state.round_number)}; characters are drafted before the first round, 1, is played"
        )
    for other in range(players):
        character = int(state.players[other].character)
        if (character == NONE) != (other <= seat):
            needed = f"{NONE}, for it is still to draft" if other <= seat else "a character, for it has drafted"
            raise StateError(f"players[{other}].character: expected {needed}, got {character}")
    available = int(state.characters_available.sum())
    if available != seat + 2:
        raise StateError(f"characters_available: {available} characters; {seat + 2} are left for seat {seat}")


def _check_dice(state: Any, components: Components) -> None:
    """Check the pool: one die leaves it each turn, first the neutral dice, then each player's own die."""
    if state.decision == layout.OVER:
        return
    players = int(state.num_players)
    neutral = int(components.record[0].neutral_dice[players])
    turn = 0 if state.decision == layout.DRAFT else (int(state.round_number) - 1) * players + int(state.seat)
    taken_before = turn % (neutral + players)
    taken = taken_before + int(state.decision not in (layout.DRAFT, layout.CHOOSE_DIE) and _has_chosen(state))
    pool = int(state.neutral_dice.sum())
    if pool != max(neutral - taken, 0):
        raise StateError(f"dice.neutral: {pool} dice; {max(neutral - taken, 0)} are left in this turn")
    on_buildings = int(state.players["occupied"][:players].sum())
    used = taken - int(state.die != 0)
    if on_buildings > used:
        raise StateError(f"die: dice lie on {on_buildings} buildings; {used} were recycled since the last roll")
    rolled = turn - taken_before
    out = {(rolled + index) % players for index in range(neutral, taken)}
    for seat in range(players):
        if (state.own_dice[seat] == 0) != (seat in out):
            allowed = "0, for it was taken" if seat in out else "a face, for it was not taken"
            raise StateError(f"dice.own[{seat}]: expected {allowed} in this turn, got {int(state.own_dice[seat])}")


def _has_chosen(state: Any) -> bool:
    return not (state.window == layout.CHOOSE_DIE and state.source != layout.NO_SOURCE)


def _check_conservation(state: Any, components: Components) -> None:
    values = components.record[0]
    places: list[tuple[int, str]] = []
    for level in range(layout.LEVELS):
        places += [
            (int(state.display[level]), f"display[{level}]"),
            (int(state.pile_top[level]), f"pile_top[{level}]"),
        ]
    places += [(tile, f"piles[{int(values.level[tile])}]") for tile in np.flatnonzero(state.below_top).tolist()]
    places.append((int(state.found), "pending.found"))
    for seat in range(int(state.num_players)):
        player = state.players[seat]
        places.append((int(player.reserved), f"players[{seat}].reserved"))
        places += [(int(player.tile[square]), f"players[{seat}].squares[{square}]") for square in range(layout.SQUARES)]
        constructions = int(((player.tile != NONE) & (player.built == 0)).sum())
        if int(player.tokens) + constructions != int(values.start_tokens):
            left = int(values.start_tokens) - constructions
            raise StateError(
                f"players[{seat}].tokens: expected {left} beside {constructions} buildings under construction,"
                f" got {int(player.tokens)}"
            )
    seen: dict[int, str] = {}
    for tile, place in places:
        if tile == NONE:
            continue
        if tile in seen:
            raise StateError(f"tile {tile} is in two places: {seen[tile]} and {place}")
        seen[tile] = place
    missing = sorted(set(range(layout.TILES)) - set(seen))
    if missing:
        raise StateError(f"tile {missing[0]} is nowhere")
    for level in range(layout.LEVELS):
        empty_top = state.pile_top[level] == NONE and (state.found == NONE or int(values.level[state.found]) != level)
        if empty_top and state.below_top[FIRST_TILE[level] : FIRST_TILE[level + 1]].any():
            raise StateError(f"pile_top[{level}] = -1; a pile with tiles has a visible top")
        if state.display[level] == NONE and state.pile_top[level] != NONE:
            raise StateError(f"display[{level}] = -1; it is refilled while the pile has tiles")
    present = state.players[: int(state.num_players)]
    held_characters = [int(character) for character in present["character"] if character != NONE]
    for character in held_characters:
        if held_characters.count(character) > 1 or state.characters_available[character]:
            raise StateError(f"character {character} is in two places")
    for space in range(layout.ELDER_SPACES):
        held = int(present["fragments"][:, space].sum()) + int(present["artefacts"].sum())
        if int(state.common_fragments[space]) + held != int(values.fragments_of_each_type):
            raise StateError(
                f"fragments[{space}] = {int(state.common_fragments[space])}; {held} are with the players"
                f" and {int(values.fragments_of_each_type)} are in the game"
            )
    for colour in range(layout.COLOURS):
        placed = int((present["markers"] >> colour & 1).sum())
        if int(state.common_markers[colour]) + placed != int(values.markers_of_each_colour):
            raise StateError(
                f"colour_markers[{colour}] = {int(state.common_markers[colour])}; {placed} are on buildings"
                f" and {int(values.markers_of_each_colour)} are in the game"
            )
