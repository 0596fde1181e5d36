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

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from dunaia_env.dunaia.components import (
    FIRST_TILE,
    PROPHECIES_IN_GROUP,
    Components,
)
from dunaia_env.dunaia.consistency import PENDING_COUNTS, StateError, check_consistency
from dunaia_env.dunaia.entry_points import ENTRY_POINTS
from dunaia_env.dunaia.state import (
    CHARACTERS,
    CHOOSE_DIE,
    COLOUR_NAMES,
    COLOURS,
    DECISION_NAMES,
    DUNAIAS,
    EDGES,
    ELDER_SPACES,
    ELDERS,
    END_TURN,
    FACES,
    LEVELS,
    MAX_PLAYERS,
    MIN_PLAYERS,
    MOST_FLOWERS,
    MOST_ON_AN_EDGE,
    NO_SOURCE,
    NONE,
    OVER,
    PROPHECIES_IN_PLAY,
    SOURCE_NAMES,
    SQUARES,
    STATE_DTYPE,
    STATE_SIZE,
    TILES,
)
from dunaia_env.harness.compiled.entry_points import SCORE_TYPE
from dunaia_env.support.messages import printable, shorten

MOST_COUNT = 32767


def to_dict(state: NDArray[np.uint8], components: Components) -> dict[str, Any]:
    """Convert a state (its bytes) to a state dictionary."""
    record = state.view(STATE_DTYPE)[0]
    players = int(record.num_players)
    over = int(record.decision) == OVER
    scores, _, _ = ENTRY_POINTS.results(state, components.buffer)
    return {
        "seat": int(record.seat),
        "decision": DECISION_NAMES[record.decision],
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
            for level in range(LEVELS)
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
    if state.source != NO_SOURCE:
        pending["source"] = SOURCE_NAMES[state.source]
    if state.window:
        pending["window"] = DECISION_NAMES[state.window]
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
        "squares": [_square(player, square) for square in range(SQUARES)],
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
        "colours": [colour for colour in range(COLOURS) if markers >> colour & 1],
        "die": bool(player.occupied[square]),
    }


def from_dict(content: Mapping[str, Any], components: Components) -> NDArray[np.uint8]:
    """Convert a state dictionary to a state (its bytes).

    Raises `StateError` naming the first fault: a missing or unknown key, a value of the wrong kind or out of range, a
    tile, marker, fragment or die that is in two places or in none, scores that do not match the position.
    """
    root = _Reader(content, "state")
    state = np.zeros(STATE_SIZE, np.uint8)
    record = state.view(STATE_DTYPE)[0]
    players = root.entries("players", MIN_PLAYERS, MAX_PLAYERS)
    record.num_players = len(players)
    _read_course(root, record)
    _read_pending(root.child("pending"), record)
    _read_common(root, record, components)
    empty = np.zeros(1, STATE_DTYPE)[0].players[0]
    empty.character = empty.reserved = NONE
    empty.tile[:] = NONE
    for seat in range(MAX_PLAYERS):
        record.players[seat] = empty
    for seat, entry in enumerate(players):
        reader = _Reader(entry, f"players[{seat}]")
        _read_player(reader, record.players[seat], components)
        reader.finish()
    scores = root.numbers("scores", len(players), len(players), 0, np.iinfo(SCORE_TYPE).max)
    root.finish()
    check_consistency(record, components)
    if record.decision != OVER and not len(ENTRY_POINTS.legal_actions(state, components.buffer)):
        raise StateError(
            f"decision = {DECISION_NAMES[record.decision]!r}; seat {int(record.seat)} has no legal action in it"
        )
    computed, _, _ = ENTRY_POINTS.results(state, components.buffer)
    if scores != computed[: len(players)].tolist():
        raise StateError(f"scores = {scores}; the state is worth {computed[: len(players)].tolist()}")
    return state


# Fields that serve as indices, with their ranges. A state in which one of them is out of range cannot be read at all.
_INDICES = {
    "num_players": (MIN_PLAYERS, MAX_PLAYERS),
    "decision": (0, OVER),
    "source": (0, len(SOURCE_NAMES) - 1),
    "window": (0, OVER),
    "prophecies": (0, PROPHECIES_IN_GROUP * PROPHECIES_IN_PLAY - 1),
}
_INDICES_OF_PLAYERS = {"tile": (NONE, TILES - 1), "artefacts": (0, MOST_COUNT)}


def check_state(state: NDArray[np.uint8], components: Components) -> None:
    """Raise `StateError` naming the first fault unless the bytes are a state that `from_dict` can return."""
    record = state.view(STATE_DTYPE)[0]
    for part, ranges in ((record, _INDICES), (record.players, _INDICES_OF_PLAYERS)):
        for field, (low, high) in ranges.items():
            values = np.asarray(part[field])
            if (values < low).any() or (values > high).any():
                raise StateError(f"{field} = {values.tolist()}; {low}..{high} is needed")
    if not np.array_equal(from_dict(to_dict(state, components), components), state):
        raise StateError("bytes: some fields hold what no state does")


def _read_course(root: _Reader, state: Any) -> None:
    players = int(state.num_players)
    state.decision = DECISION_NAMES.index(root.choice("decision", DECISION_NAMES))
    over = root.flag("over")
    if over != (state.decision == OVER):
        raise StateError(f"over = {over}; decision is {DECISION_NAMES[state.decision]}")
    state.seat = root.number("seat", NONE, NONE) if over else root.number("seat", 0, players - 1)
    state.max_rounds = root.number("max_rounds", 1, MOST_COUNT - 1)
    state.round_number = root.number("round", 1, int(state.max_rounds))
    state.final_round = root.number("final_round", 1, MOST_COUNT, or_null=True)
    if state.final_round and not 0 <= int(state.final_round) - int(state.round_number) <= 1:
        now = int(state.round_number)
        raise StateError(f"final_round = {int(state.final_round)}; null, {now} or {now + 1} is needed")
    state.stopped = root.flag("truncated")
    if state.stopped and not over:
        raise StateError("truncated = true; only a game that is over can be")
    dice = root.child("dice")
    state.neutral_dice[:] = dice.numbers("neutral", FACES, FACES, 0, 12)
    state.own_dice[:players] = dice.numbers("own", players, players, 0, FACES)
    dice.finish()
    state.die = root.number("die", 0, FACES)
    state.woken = root.number("woken", 0, DUNAIAS)


def _read_pending(pending: _Reader, state: Any) -> None:
    state.source = SOURCE_NAMES.index(pending.choice("source", SOURCE_NAMES)) if pending.has("source") else NO_SOURCE
    windows = DECISION_NAMES[CHOOSE_DIE : END_TURN + 1]
    state.window = CHOOSE_DIE + windows.index(pending.choice("window", windows)) if pending.has("window") else 0
    state.elder_space = pending.number("elder_space", 0, ELDER_SPACES - 1) if pending.has("elder_space") else NONE
    state.second_square = pending.number("second_square", 0, SQUARES - 1) if pending.has("second_square") else NONE
    state.woken_moved = pending.flag("woken_moved") if pending.has("woken_moved") else 0
    for key, field in PENDING_COUNTS.items():
        state[field] = pending.number(key, 0, 127) if pending.has(key) else 0
    state.found = pending.number("found", 0, TILES - 1) if pending.has("found") else NONE
    pending.finish()


def _read_common(root: _Reader, state: Any, components: Components) -> None:
    values = components.record[0]
    for field, key in (("display", "display"), ("pile_top", "pile_top")):
        for level, tile in enumerate(root.numbers(key, LEVELS, LEVELS, NONE, TILES - 1)):
            if tile != NONE and values.level[tile] != level:
                raise StateError(f"{key}[{level}] = {tile}; a tile of level {level + 1} or -1 is needed")
            state[field][level] = tile
    for level, pile in enumerate(root.entries("piles", LEVELS, LEVELS)):
        first, end = FIRST_TILE[level], FIRST_TILE[level + 1]
        state.below_top[_ascending(pile, f"piles[{level}]", first, end - 1)] = 1
    elders = root.numbers("elders", ELDER_SPACES, ELDER_SPACES, 0, ELDERS - 1)
    if len(set(elders)) != ELDER_SPACES:
        raise StateError(f"elders = {elders}; {ELDER_SPACES} different ones are needed")
    state.elders[:] = elders
    most = int(values.fragments_of_each_type)
    state.common_fragments[:] = root.numbers("fragments", ELDER_SPACES, ELDER_SPACES, 0, most)
    state.common_markers[:] = root.numbers("colour_markers", COLOURS, COLOURS, 0, int(values.markers_of_each_colour))
    for group, entry in enumerate(root.entries("prophecies", PROPHECIES_IN_PLAY, PROPHECIES_IN_PLAY)):
        prophecy = _Reader(entry, f"prophecies[{group}]")
        first = PROPHECIES_IN_GROUP * group
        state.prophecies[group] = prophecy.number("id", first, first + PROPHECIES_IN_GROUP - 1)
        state.prophecy_owners[group] = prophecy.number("owner", NONE, int(state.num_players) - 1)
        prophecy.finish()
    available = root.entries("characters_available", 0, CHARACTERS)
    state.characters_available[_ascending(available, "characters_available", 0, CHARACTERS - 1)] = 1


def _read_player(reader: _Reader, player: Any, components: Components) -> None:
    player.flowers = reader.number("flowers", 0, MOST_FLOWERS)
    chips = _ascending(reader.entries("chips", 0, FACES), f"{reader.path}.chips", 1, FACES)
    player.chips[[chip - 1 for chip in chips]] = 1
    player.tokens = reader.number("tokens", 0, int(components.record[0].start_tokens))
    dunaias = reader.numbers("dunaias", DUNAIAS, DUNAIAS, 0, EDGES - 1)
    for edge in dunaias:
        if dunaias.count(edge) > MOST_ON_AN_EDGE:
            raise StateError(f"{reader.path}.dunaias = {dunaias}; at most {MOST_ON_AN_EDGE} on one edge")
    player.dunaias[:] = dunaias
    for square, entry in enumerate(reader.entries("squares", SQUARES, SQUARES)):
        if entry is not None:
            _read_square(_Reader(entry, f"{reader.path}.squares[{square}]"), player, square, components)
    fragments = reader.entries("fragments", 0, ELDER_SPACES - 1)
    player.fragments[_ascending(fragments, f"{reader.path}.fragments", 0, ELDER_SPACES - 1)] = 1
    player.artefacts = reader.number("artefacts", 0, MOST_COUNT)
    player.character = reader.number("character", NONE, CHARACTERS - 1)
    player.reserved = reader.number("reserved", NONE, TILES - 1)
    player.power_used = reader.flag("power_used")


def _read_square(reader: _Reader, player: Any, square: int, components: Components) -> None:
    values = components.record[0]
    tile = reader.number("tile", 0, TILES - 1)
    to_complete = int(values.steps[tile])
    player.tile[square] = tile
    player.steps[square] = reader.number("steps", 0, to_complete)
    player.built[square] = reader.flag("built")
    if bool(player.built[square]) != (player.steps[square] == to_complete):
        raise StateError(
            f"{reader.path}: {player.steps[square]} steps; a built tile {tile} has {to_complete}, others less"
        )
    colours = _ascending(reader.entries("colours", 0, COLOURS), f"{reader.path}.colours", 0, COLOURS - 1)
    for colour in colours:
        if int(values.colours[tile]) >> colour & 1:
            raise StateError(f"{reader.path}.colours: tile {tile} is {COLOUR_NAMES[colour]} already")
    player.markers[square] = sum(1 << colour for colour in colours)
    player.occupied[square] = reader.flag("die")
    if player.occupied[square] and not (player.built[square] and values.level[tile] == 0):
        raise StateError(f"{reader.path}.die = true; dice lie on completed level 1 buildings only")
    reader.finish()


def _ascending(values: object, path: str, low: int, high: int) -> list[int]:
    if not isinstance(values, list):
        raise StateError(f"{path} = {shorten(values)}; a list of integers in {low}..{high} is needed")
    for value in values:
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            raise StateError(f"{path}: {shorten(value)}; integers in {low}..{high} are needed")
    if list(values) != sorted(set(values)):
        raise StateError(f"{path} = {list(values)}; an ascending list without repetition is needed")
    return list(values)


class _Reader:
    """Reads a dictionary key by key; raises `StateError` for a missing, wrong or unknown key."""

    def __init__(self, content: object, path: str) -> None:
        if not isinstance(content, Mapping):
            raise StateError(f"{path} = {shorten(content)}; an object is needed")
        self.path = path
        self._left = dict(content)

    def _name(self, key: str) -> str:
        return key if self.path == "state" else f"{self.path}.{key}"

    def _take(self, key: str) -> Any:
        if key not in self._left:
            raise StateError(f"{self._name(key)} is missing")
        return self._left.pop(key)

    def has(self, key: str) -> bool:
        return key in self._left

    def child(self, key: str) -> _Reader:
        return _Reader(self._take(key), self._name(key))

    def finish(self) -> None:
        for key in self._left:
            raise StateError(f"{printable(self._name(str(key)), 120)}: unknown key")

    def number(self, key: str, low: int, high: int, *, or_null: bool = False) -> int:
        value = self._take(key)
        if or_null and value is None:
            return 0
        if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
            allowed = f"{low}" if low == high else f"an integer in {low}..{high}"
            raise StateError(
                f"{self._name(key)} = {shorten(value)}; {allowed}{' or null' if or_null else ''} is needed"
            )
        return value

    def flag(self, key: str) -> bool:
        value = self._take(key)
        if not isinstance(value, bool):
            raise StateError(f"{self._name(key)} = {shorten(value)}; true or false is needed")
        return value

    def choice(self, key: str, allowed: Sequence[str]) -> str:
        value = self._take(key)
        if not isinstance(value, str) or value not in allowed:
            raise StateError(f"{self._name(key)} = {shorten(value)}; one of {', '.join(allowed)} is needed")
        return value

    def entries(self, key: str, least: int, most: int) -> list[Any]:
        value = self._take(key)
        if not isinstance(value, list) or not least <= len(value) <= most:
            length = f"{least}" if least == most else f"{least} to {most}"
            raise StateError(f"{self._name(key)} = {shorten(value)}; a list of {length} entries is needed")
        return value

    def numbers(self, key: str, least: int, most: int, low: int, high: int) -> list[int]:
        values = self.entries(key, least, most)
        for index, value in enumerate(values):
            if isinstance(value, bool) or not isinstance(value, int) or not low <= value <= high:
                raise StateError(
                    f"{self._name(key)}[{index}] = {shorten(value)}; an integer in {low}..{high} is needed"
                )
        return values
