"""State dictionaries: a state converted to plain JSON data and back, without loss given the components.

The keys of ``pending`` hold everything else that the decision in progress needs. A key that does not apply is absent:

- ``source``: the source of the decision, "waking", "recycling", "elder" or "power";
- ``window``: the decision that is asked again after the elder or the power;
- ``elder_space``: the space of the elder being called;
- ``second_square``: the square whose waking effect is still to come;
- ``woken_moved``: true if the first waking effect moved the woken Dunaia;
- ``moves``, ``chips``, ``discards``, ``advances``: number of moves to make, chips to plug, chips to pay and advances to
  make;
- ``found``: the tile found by the Search elder.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dunaia_env.dunaia import entry_points, state as layout
from dunaia_env.dunaia.components import FIRST_TILE, PROPHECIES_IN_GROUP, Components
from dunaia_env.dunaia.consistency import PENDING_COUNTS, StateError, check_consistency
from dunaia_env.dunaia.state import NONE
from dunaia_env.harness.compiled.entry_points import SCORE_TYPE
from dunaia_env.support.objects import ObjectReader

MOST_COUNT = 32767


def to_dict(state: NDArray[np.uint8], components: Components) -> dict[str, Any]:
    """Convert a state (its bytes) to a state dictionary."""
    record = state.view(layout.STATE_DTYPE)[0]
    players = int(record.num_players)
    over = int(record.decision) == layout.OVER
    scores, _, _ = entry_points.ENTRY_POINTS.results(state, components.buffer)
    return {
        "seat": int(record.seat),
        "decision": layout.DECISION_NAMES[record.decision],
        "round": int(record.round_number),
        "final_round": int(record.final_round) or None,
        "max_rounds": int(record.max_rounds),
        "over": over,
        "truncated": bool(record.stopped),
        "dice": {"neutral": record.neutral_dice.tolist(), "own": record.own_dice[:players].tolist()},
        "die": int(record.die),
        "woken": int(record.woken),
        "pending": _pending(record),
        "display": record.display.tolist(),
        "pile_top": record.pile_top.tolist(),
        "piles": [
            [tile for tile in range(FIRST_TILE[level], FIRST_TILE[level + 1]) if record.below_top[tile]]
            for level in range(layout.LEVELS)
        ],
        "elders": record.elders.tolist(),
        "fragments": record.common_fragments.tolist(),
        "colour_markers": record.common_markers.tolist(),
        "prophecies": [
            {"id": int(number), "owner": int(owner)}
            for number, owner in zip(record.prophecies, record.prophecy_owners, strict=True)
        ],
        "characters_available": np.flatnonzero(record.characters_available).tolist(),
        "players": [_player(record.players[seat]) for seat in range(players)],
        "scores": scores[:players].tolist(),
    }


def _pending(state: Any) -> dict[str, Any]:
    pending: dict[str, Any] = {}
    if state.source != layout.NO_SOURCE:
        pending["source"] = layout.SOURCE_NAMES[state.source]
    if state.window:
        pending["window"] = layout.DECISION_NAMES[state.window]
    if state.elder_space != NONE:
        pending["elder_space"] = int(state.elder_space)
    if state.second_square != NONE:
        pending["second_square"] = int(state.second_square)
    if state.woken_moved:
        pending["woken_moved"] = True
    for key, field in PENDING_COUNTS.items():
        if state[field]:
            pending[key] = int(state[field])
    if state.found != NONE:
        pending["found"] = int(state.found)
    return pending


def _player(player: Any) -> dict[str, Any]:
    return {
        "flowers": int(player.flowers),
        "chips": (np.flatnonzero(player.chips) + 1).tolist(),
        "tokens": int(player.tokens),
        "dunaias": player.dunaias.tolist(),
        "squares": [_square(player, square) for square in range(layout.SQUARES)],
        "fragments": np.flatnonzero(player.fragments).tolist(),
        "artefacts": int(player.artefacts),
        "character": int(player.character),
        "reserved": int(player.reserved),
        "power_used": bool(player.power_used),
    }


def _square(player: Any, square: int) -> dict[str, Any] | None:
    if player.tile[square] == NONE:
        return None
    markers = int(player.markers[square])
    return {
        "tile": int(player.tile[square]),
        "steps": int(player.steps[square]),
        "built": bool(player.built[square]),
        "colours": [colour for colour in range(layout.COLOURS) if markers >> colour & 1],
        "die": bool(player.occupied[square]),
    }


def from_dict(content: Mapping[str, Any], components: Components) -> NDArray[np.uint8]:
    """Convert a state dictionary to a state (its bytes).

    Raises `StateError` naming the first fault: a missing or unknown key, a value of the wrong kind or out of range, a
    tile, marker, fragment or die that is in two places or in none, scores that do not match the position.
    """
    root = ObjectReader(content, "", StateError)
    state = np.zeros(layout.STATE_SIZE, np.uint8)
    record = state.view(layout.STATE_DTYPE)[0]
    players = root.children("players", layout.MIN_PLAYERS, layout.MAX_PLAYERS)
    record.num_players = len(players)
    _read_course(root, record)
    _read_pending(root.child("pending"), record)
    _read_common(root, record, components)
    empty = np.zeros(1, layout.STATE_DTYPE)[0].players[0]
    empty.character = empty.reserved = NONE
    empty.tile[:] = NONE
    for seat in range(layout.MAX_PLAYERS):
        record.players[seat] = empty
    for seat, reader in enumerate(players):
        _read_player(reader, record.players[seat], components)
        reader.finish()
    scores = root.numbers("scores", len(players), len(players), 0, np.iinfo(SCORE_TYPE).max)
    root.finish()
    check_consistency(record, components)
    if record.decision != layout.OVER and not len(entry_points.ENTRY_POINTS.legal_actions(state, components.buffer)):
        raise StateError(
            f"decision = {layout.DECISION_NAMES[record.decision]!r}; seat {int(record.seat)} has no legal action in it"
        )
    computed, _, _ = entry_points.ENTRY_POINTS.results(state, components.buffer)
    if scores != computed[: len(players)].tolist():
        raise StateError(f"scores = {scores}; the state is worth {computed[: len(players)].tolist()}")
    return state


# Fields that serve as indices, with their ranges. A state in which one of them is out of range cannot be read at all.
_INDICES = {
    "num_players": (layout.MIN_PLAYERS, layout.MAX_PLAYERS),
    "decision": (0, layout.OVER),
    "source": (0, len(layout.SOURCE_NAMES) - 1),
    "window": (0, layout.OVER),
    "prophecies": (0, PROPHECIES_IN_GROUP * layout.PROPHECIES_IN_PLAY - 1),
}
_INDICES_OF_PLAYERS = {"tile": (NONE, layout.TILES - 1), "artefacts": (0, MOST_COUNT)}


def check_state(state: NDArray[np.uint8], components: Components) -> None:
    """Raise `StateError` naming the first fault unless the bytes are a state that `from_dict` can return."""
    record = state.view(layout.STATE_DTYPE)[0]
    for part, ranges in ((record, _INDICES), (record.players, _INDICES_OF_PLAYERS)):
        for field, (low, high) in ranges.items():
            values = np.asarray(part[field])
            if (values < low).any() or (values > high).any():
                raise StateError(f"{field}: expected {low}..{high}, got {values.tolist()}")
    if not np.array_equal(from_dict(to_dict(state, components), components), state):
        raise StateError("not a valid encoding: some fields hold values that no state can have")


def _read_course(root: ObjectReader, state: Any) -> None:
    players = int(state.num_players)
    state.decision = layout.DECISION_NAMES.index(root.choice("decision", layout.DECISION_NAMES))
    over = root.flag("over")
    if over != (state.decision == layout.OVER):
        raise StateError(f"over = {over}; decision is {layout.DECISION_NAMES[state.decision]}")
    state.seat = root.number("seat", NONE, NONE) if over else root.number("seat", 0, players - 1)
    state.max_rounds = root.number("max_rounds", 1, MOST_COUNT - 1)
    state.round_number = root.number("round", 1, int(state.max_rounds))
    state.final_round = root.number_or_null("final_round", 1, MOST_COUNT) or 0
    if state.final_round and not 0 <= int(state.final_round) - int(state.round_number) <= 1:
        now = int(state.round_number)
        raise StateError(f"final_round: expected null, {now} or {now + 1}, got {int(state.final_round)}")
    state.stopped = root.flag("truncated")
    if state.stopped and not over:
        raise StateError("truncated = true; only a game that is over can be")
    dice = root.child("dice")
    state.neutral_dice[:] = dice.numbers("neutral", layout.FACES, layout.FACES, 0, 12)
    state.own_dice[:players] = dice.numbers("own", players, players, 0, layout.FACES)
    dice.finish()
    state.die = root.number("die", 0, layout.FACES)
    state.woken = root.number("woken", 0, layout.DUNAIAS)


def _read_pending(pending: ObjectReader, state: Any) -> None:
    state.source = (
        layout.SOURCE_NAMES.index(pending.choice("source", layout.SOURCE_NAMES))
        if pending.has("source")
        else layout.NO_SOURCE
    )
    windows = layout.DECISION_NAMES[layout.CHOOSE_DIE : layout.END_TURN + 1]
    state.window = layout.CHOOSE_DIE + windows.index(pending.choice("window", windows)) if pending.has("window") else 0
    state.elder_space = (
        pending.number("elder_space", 0, layout.ELDER_SPACES - 1) if pending.has("elder_space") else NONE
    )
    state.second_square = (
        pending.number("second_square", 0, layout.SQUARES - 1) if pending.has("second_square") else NONE
    )
    state.woken_moved = pending.flag("woken_moved") if pending.has("woken_moved") else 0
    for key, field in PENDING_COUNTS.items():
        state[field] = pending.number(key, 0, 127) if pending.has(key) else 0
    state.found = pending.number("found", 0, layout.TILES - 1) if pending.has("found") else NONE
    pending.finish()


def _read_common(root: ObjectReader, state: Any, components: Components) -> None:
    values = components.record[0]
    for field, key in (("display", "display"), ("pile_top", "pile_top")):
        for level, tile in enumerate(root.numbers(key, layout.LEVELS, layout.LEVELS, NONE, layout.TILES - 1)):
            if tile != NONE and values.level[tile] != level:
                raise StateError(f"{key}[{level}]: expected a tile of level {level + 1} or -1, got {tile}")
            state[field][level] = tile
    for level, pile in enumerate(root.entries("piles", layout.LEVELS, layout.LEVELS)):
        first, end = FIRST_TILE[level], FIRST_TILE[level + 1]
        state.below_top[root.check_ascending(f"piles[{level}]", pile, first, end - 1)] = 1
    elders = root.numbers("elders", layout.ELDER_SPACES, layout.ELDER_SPACES, 0, layout.ELDERS - 1)
    if len(set(elders)) != layout.ELDER_SPACES:
        raise StateError(f"elders: expected {layout.ELDER_SPACES} different ones, got {elders}")
    state.elders[:] = elders
    most = int(values.fragments_of_each_type)
    state.common_fragments[:] = root.numbers("fragments", layout.ELDER_SPACES, layout.ELDER_SPACES, 0, most)
    state.common_markers[:] = root.numbers(
        "colour_markers", layout.COLOURS, layout.COLOURS, 0, int(values.markers_of_each_colour)
    )
    for group, prophecy in enumerate(root.children("prophecies", layout.PROPHECIES_IN_PLAY, layout.PROPHECIES_IN_PLAY)):
        first = PROPHECIES_IN_GROUP * group
        state.prophecies[group] = prophecy.number("id", first, first + PROPHECIES_IN_GROUP - 1)
        state.prophecy_owners[group] = prophecy.number("owner", NONE, int(state.num_players) - 1)
        prophecy.finish()
    state.characters_available[root.ascending("characters_available", layout.CHARACTERS, 0, layout.CHARACTERS - 1)] = 1


def _read_player(reader: ObjectReader, player: Any, components: Components) -> None:
    player.flowers = reader.number("flowers", 0, layout.MOST_FLOWERS)
    player.chips[[chip - 1 for chip in reader.ascending("chips", layout.FACES, 1, layout.FACES)]] = 1
    player.tokens = reader.number("tokens", 0, int(components.record[0].start_tokens))
    dunaias = reader.numbers("dunaias", layout.DUNAIAS, layout.DUNAIAS, 0, layout.EDGES - 1)
    for edge in dunaias:
        if dunaias.count(edge) > layout.MOST_ON_AN_EDGE:
            raise StateError(
                f"{reader.path}.dunaias: expected at most {layout.MOST_ON_AN_EDGE} on one edge, got {dunaias}"
            )
    player.dunaias[:] = dunaias
    for square, entry in enumerate(reader.entries("squares", layout.SQUARES, layout.SQUARES)):
        if entry is not None:
            place = f"{reader.path}.squares[{square}]"
            _read_square(ObjectReader(entry, place, StateError), player, square, components)
    player.fragments[reader.ascending("fragments", layout.ELDER_SPACES - 1, 0, layout.ELDER_SPACES - 1)] = 1
    player.artefacts = reader.number("artefacts", 0, MOST_COUNT)
    player.character = reader.number("character", NONE, layout.CHARACTERS - 1)
    player.reserved = reader.number("reserved", NONE, layout.TILES - 1)
    player.power_used = reader.flag("power_used")


def _read_square(reader: ObjectReader, player: Any, square: int, components: Components) -> None:
    values = components.record[0]
    tile = reader.number("tile", 0, layout.TILES - 1)
    to_complete = int(values.steps[tile])
    player.tile[square] = tile
    player.steps[square] = reader.number("steps", 0, to_complete)
    player.built[square] = reader.flag("built")
    if bool(player.built[square]) != (player.steps[square] == to_complete):
        raise StateError(
            f"{reader.path}: {player.steps[square]} steps; a built tile {tile} has {to_complete}, others less"
        )
    colours = reader.ascending("colours", layout.COLOURS, 0, layout.COLOURS - 1)
    for colour in colours:
        if int(values.colours[tile]) >> colour & 1:
            raise StateError(f"{reader.path}.colours: tile {tile} is {layout.COLOUR_NAMES[colour]} already")
    player.markers[square] = sum(1 << colour for colour in colours)
    player.occupied[square] = reader.flag("die")
    if player.occupied[square] and not (player.built[square] and values.level[tile] == 0):
        raise StateError(f"{reader.path}.die = true; dice lie on completed level 1 buildings only")
    reader.finish()
