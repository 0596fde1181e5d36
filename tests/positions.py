"""Hand-made positions for the tests of the rules: said in a few words, completed to a whole state dictionary."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dunaia_env.dunaia import action_text
from dunaia_env.dunaia.state import COLOURS, NONE
from dunaia_env.harness.compiled.chance import Tape
from dunaia_env.harness.state import GameState

FLOWERS_ELDER, MOVES_ELDER, ADVANCE_ELDER, SEARCH_ELDER, COLOUR_ELDER = range(5)
WINDOWS = ("CHOOSE_DIE", "AWAKEN", "RECYCLE", "BEFORE_PROPHECY", "END_TURN")

# The squares on both sides of each edge.
EDGES = ((0, 1), (1, 2), (3, 4), (4, 5), (6, 7), (7, 8), (0, 3), (1, 4), (2, 5), (3, 6), (4, 7), (5, 8))
START_EDGES = (0, 8, 7, 10, 9, 5)
NEUTRAL_DICE = {2: 5, 3: 4, 4: 5}
ALL_CHIPS = (1, 2, 3, 4, 5, 6)

FIRST_TILES = (0, 16, 28, 40)
STEPS = (2, 3, 4)
# The colour and the squares (row and column, relative) of a level 3 tile's arrows.
NORTH, EAST, SOUTH, WEST = (-1, 0), (0, 1), (1, 0), (0, -1)
ARROWS = {
    28: (3, (NORTH, WEST)),
    29: (1, (EAST, SOUTH)),
    30: (0, (NORTH, WEST)),
    31: (2, (EAST, SOUTH)),
    32: (1, (NORTH, WEST)),
    33: (3, (EAST, SOUTH)),
    34: (2, (NORTH, WEST)),
    35: (0, (EAST, SOUTH)),
}
PROPHECY_POINTS = (2, 3, 4) * 3
ARTEFACT_POINTS = (0, 1, 3, 6, 10, 14)


def edge(square: int, other: int) -> int:
    """The number of the edge between two squares."""
    return EDGES.index((min(square, other), max(square, other)))


def neighbour(square: int, side: tuple[int, int]) -> int:
    """The square on a side of a square; -1 off the board."""
    row, column = square // 3 + side[0], square % 3 + side[1]
    return 3 * row + column if 0 <= row < 3 and 0 <= column < 3 else NONE


def level_of(tile: int) -> int:
    """The level of a tile, 0..2."""
    return sum(tile >= first for first in FIRST_TILES[1:])


def colours_of(building: Mapping[str, Any]) -> set[int]:
    """The printed colours of a building and those of its markers."""
    tile = building["tile"]
    if tile >= 36:
        return set(range(COLOURS))
    printed = (tile - FIRST_TILES[2]) // 2 if level_of(tile) == 2 else tile % COLOURS
    return {printed, *building["colours"]}


def built(tile: int, *, markers: Iterable[int] = (), die: bool = False) -> dict[str, Any]:
    """A completed building, with colour markers and a die on it."""
    steps = STEPS[level_of(tile)]
    return {"tile": tile, "steps": steps, "built": True, "colours": sorted(markers), "die": die}


def begun(tile: int, steps: int = 0, *, markers: Iterable[int] = ()) -> dict[str, Any]:
    """A building under construction after a number of advances."""
    return {"tile": tile, "steps": steps, "built": False, "colours": sorted(markers), "die": False}


def nearly(tile: int) -> dict[str, Any]:
    """A building that the next advance completes."""
    return begun(tile, STEPS[level_of(tile)] - 1)


def player(
    *,
    flowers: int = 0,
    chips: Iterable[int] = (),
    buildings: Mapping[int, dict[str, Any]] | None = None,
    dunaias: Mapping[int, int] | None = None,
    character: int = NONE,
    reserved: int = NONE,
    fragments: Iterable[int] = (),
    artefacts: int = 0,
    power_used: bool = False,
) -> dict[str, Any]:
    """A player: nothing in hand, no building and the Dunaias on the start edges except for what is said.

    ``buildings`` by square; ``dunaias`` the edges of those that stand elsewhere.
    """
    squares = [(buildings or {}).get(square) for square in range(9)]
    return {
        "flowers": flowers,
        "chips": sorted(chips),
        "tokens": 3 - sum(building is not None and not building["built"] for building in squares),
        "dunaias": [(dunaias or {}).get(number, start) for number, start in enumerate(START_EDGES, 1)],
        "squares": squares,
        "fragments": sorted(fragments),
        "artefacts": artefacts,
        "character": character,
        "reserved": reserved,
        "power_used": power_used,
    }


def position(
    decision: str,
    *villages: dict[str, Any],
    players: int = 2,
    seat: int = 0,
    round_number: int = 1,
    final_round: int | None = None,
    max_rounds: int = 100,
    neutral: Sequence[int] | None = None,
    own: Sequence[int] = (6, 6, 6, 6),
    die: int = 1,
    display: Mapping[int, int] | None = None,
    pile_top: Mapping[int, int] | None = None,
    elders: Sequence[int] = (FLOWERS_ELDER, MOVES_ELDER, ADVANCE_ELDER),
    prophecies: Sequence[int] = (2, 5, 8),
    owners: Sequence[int] = (NONE, NONE, NONE),
    components: Any = None,
) -> GameState:
    """A state in one of the windows or over: the turns before it took their dice, all other tiles lie in the piles.

    Args:
        decision: a window or OVER.
        villages: players by seat; the missing ones have nothing.
        players: at least so many.
        seat: who decides.
        round_number: from 1.
        final_round: the last round, once it is known.
        max_rounds: the most rounds.
        neutral: the faces of the neutral dice in the pool; 1, 2, ... by default.
        own: the faces of the players' dice, those out of the pool included.
        die: the face of the die taken this turn, so also the Dunaia woken.
        display: the tile shown by level; the lowest number left by default.
        pile_top: the visible top of the pile by level; likewise.
        elders: by space.
        prophecies: by group; the default ones are hard to fulfil.
        owners: of the prophecies.
        components: other printed values.
    """
    present = [*villages, *(player() for _ in range(players - len(villages)))]
    over = decision == "OVER"
    supply = _supply(present, display or {}, pile_top or {})
    content = {
        "seat": NONE if over else seat,
        "decision": decision,
        "round": round_number,
        "final_round": final_round,
        "max_rounds": max_rounds,
        "over": over,
        "truncated": False,
        "dice": _dice(len(present), seat, round_number, neutral, own, decision == "CHOOSE_DIE"),
        "die": die if decision in ("AWAKEN", "RECYCLE") else 0,
        "woken": die if decision in ("RECYCLE", "BEFORE_PROPHECY", "END_TURN") else 0,
        "pending": {},
        **supply,
        "elders": list(elders),
        "fragments": [12 - sum(one["artefacts"] + (kind in one["fragments"]) for one in present) for kind in range(3)],
        "colour_markers": [
            3 - sum(colour in building["colours"] for one in present for building in _buildings(one))
            for colour in range(COLOURS)
        ],
        "prophecies": [{"id": number, "owner": owner} for number, owner in zip(prophecies, owners, strict=True)],
        "characters_available": [],
        "players": present,
        "scores": [
            points(one) + sum(PROPHECY_POINTS[prophecies[i]] for i in range(3) if owners[i] == number)
            for number, one in enumerate(present)
        ],
    }
    return GameState.from_dict(content, components=components)


def _buildings(one: Mapping[str, Any]) -> list[dict[str, Any]]:
    return [building for building in one["squares"] if building is not None]


def _supply(
    present: Sequence[Mapping[str, Any]], display: Mapping[int, int], pile_top: Mapping[int, int]
) -> dict[str, Any]:
    """The tiles that nobody has: displayed, visible top and below it, by level."""
    gone = {building["tile"] for one in present for building in _buildings(one)}
    gone |= {one["reserved"] for one in present} | set(display.values()) | set(pile_top.values())
    shown: list[int] = []
    tops: list[int] = []
    piles: list[list[int]] = []
    for level in range(3):
        left = [tile for tile in range(FIRST_TILES[level], FIRST_TILES[level + 1]) if tile not in gone]
        for chosen, places in ((display, shown), (pile_top, tops)):
            places.append(chosen[level] if level in chosen else left.pop(0) if left else NONE)
        piles.append(left)
    return {"display": shown, "pile_top": tops, "piles": piles}


def _dice(
    players: int, seat: int, round_number: int, faces: Sequence[int] | None, own: Sequence[int], choosing: bool
) -> dict[str, list[int]]:
    """The pool after the turns that were played since the last roll."""
    neutral = NEUTRAL_DICE[players]
    turn = (round_number - 1) * players + seat
    since_roll = turn % (neutral + players)
    taken = since_roll + (not choosing)
    takers = {(turn - since_roll + k) % players for k in range(neutral, taken)}
    showing = range(1, max(neutral - taken, 0) + 1) if faces is None else faces
    return {
        "neutral": [list(showing).count(face) for face in range(1, 7)],
        "own": [0 if one in takers else own[one] for one in range(players)],
    }


def points(one: Mapping[str, Any]) -> int:
    """What a player's buildings, artefacts and flowers are worth, counted after the text of the rules."""
    total: int = one["flowers"] // 3
    total += ARTEFACT_POINTS[min(one["artefacts"], 5)] + 4 * max(one["artefacts"] - 5, 0)
    for square, building in enumerate(one["squares"]):
        if building is None or not building["built"]:
            continue
        total += level_of(building["tile"]) + 1
        colour, sides = ARROWS.get(building["tile"], (NONE, ()))
        for side in sides:
            beside = neighbour(square, side)
            other = one["squares"][beside] if beside != NONE else None
            total += 2 * (other is not None and other["built"] and colour in colours_of(other))
    return total


def legal(state: GameState, *verbs: str) -> list[str]:
    """The texts of the legal actions, of these verbs only if any are given."""
    texts = [action_text(action) for action in state.legal_actions()]
    return [text for text in texts if not verbs or text.split()[0] in verbs]


def roll(*faces: int) -> list[tuple[int, int]]:
    """The draws of a roll."""
    return [(6, face - 1) for face in faces]


def play(state: GameState, *texts: str, draws: Iterable[int | tuple[int, int]] = ()) -> GameState:
    """The state after some actions; the draws must be used to the last."""
    after = state.clone()
    tape = Tape(draws)
    for text in texts:
        after.apply(text, tape)
    assert tape.left == 0, f"{tape.left} draws were not asked for"
    return after


def seen(state: GameState, key: str) -> Any:
    """An entry of the state dictionary."""
    return state.to_dict()[key]


def of(state: GameState, seat: int, key: str) -> Any:
    """An entry of a player in the state dictionary."""
    return state.to_dict()["players"][seat][key]


def square(state: GameState, seat: int, number: int) -> dict[str, Any]:
    """The building on a square."""
    building: dict[str, Any] = of(state, seat, "squares")[number]
    assert building is not None, f"square {number} of seat {seat} is empty"
    return building
