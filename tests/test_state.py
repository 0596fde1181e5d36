"""The layout of a state, the village's geometry, and state dictionaries that describe no state."""

from __future__ import annotations

import copy
import json
import re
from collections.abc import Callable
from importlib import resources
from typing import Any

import numpy as np
import pytest

from dunaia_env import GameState, IllegalActionError, Stream, dunaia
from dunaia_env.dunaia import state as layout
from dunaia_env.dunaia.components import COMPONENTS_DTYPE, parse
from dunaia_env.dunaia.state import EDGE_SQUARES, NEIGHBOURS, PLAYER_DTYPE, POINTED_SQUARES, STATE_DTYPE, STATE_HASH
from dunaia_env.harness.compiled.lane import LANE_DTYPE, LANE_HASH, LANE_SIZE, layout_hash
from dunaia_env.harness.opponents import GreedyAgent

from .positions import play, player, position

Content = dict[str, Any]
Change = Callable[[Content], object]

# The example of the format's description: a two-player game after a tile was bought.
EXAMPLE = """
{"seat": 1, "decision": "BEFORE_PROPHECY", "round": 10, "final_round": null, "max_rounds": 100, "over": false,
 "truncated": false,
 "dice": {"neutral": [0, 0, 0, 0, 0, 0], "own": [4, 0]}, "die": 0, "woken": 2, "pending": {},
 "display": [4, 20, 39], "pile_top": [2, 18, 37],
 "piles": [[0, 5, 6, 7, 8, 9, 11, 12, 14, 15], [16, 17, 21, 24, 25, 26, 27], [28, 29, 31, 32, 33, 34, 35, 36, 38]],
 "elders": [0, 3, 4], "fragments": [11, 11, 11], "colour_markers": [3, 3, 3, 2],
 "prophecies": [{"id": 0, "owner": -1}, {"id": 4, "owner": -1}, {"id": 7, "owner": -1}], "characters_available": [],
 "players": [
  {"flowers": 3, "chips": [5], "tokens": 0, "dunaias": [0, 2, 5, 10, 11, 5],
   "squares": [null,
               {"tile": 23, "steps": 3, "built": true, "colours": [], "die": false},
               null,
               {"tile": 13, "steps": 0, "built": false, "colours": [], "die": false},
               {"tile": 19, "steps": 0, "built": false, "colours": [], "die": false},
               null,
               null,
               {"tile": 10, "steps": 1, "built": false, "colours": [], "die": false},
               null],
   "fragments": [1], "artefacts": 0, "character": -1, "reserved": -1, "power_used": false},
  {"flowers": 1, "chips": [1, 2, 6], "tokens": 0, "dunaias": [1, 8, 6, 6, 3, 5],
   "squares": [null,
               null,
               {"tile": 1, "steps": 2, "built": true, "colours": [3], "die": false},
               null,
               {"tile": 3, "steps": 1, "built": false, "colours": [], "die": false},
               {"tile": 30, "steps": 0, "built": false, "colours": [], "die": false},
               {"tile": 22, "steps": 1, "built": false, "colours": [], "die": false},
               null,
               null],
   "fragments": [0, 2], "artefacts": 0, "character": -1, "reserved": -1, "power_used": false}],
 "scores": [3, 1]}
"""


def example() -> Content:
    content: Content = json.loads(EXAMPLE)
    return content


@pytest.mark.parametrize("dtype", [STATE_DTYPE, PLAYER_DTYPE, COMPONENTS_DTYPE, LANE_DTYPE])
def test_no_field_is_named_like_an_attribute_of_numpys(dtype: np.dtype[Any]) -> None:
    taken = set(dir(np.record)) | set(dir(np.ndarray))
    assert dtype.type is np.record
    assert not set(dtype.names or ()) & taken


@pytest.mark.parametrize("dtype", [STATE_DTYPE, PLAYER_DTYPE, COMPONENTS_DTYPE, LANE_DTYPE])
def test_records_are_aligned(dtype: np.dtype[Any]) -> None:
    assert dtype.isalignedstruct
    for field, offset, *_ in (dtype.fields or {}).values():
        assert offset % field.base.alignment == 0
    assert STATE_DTYPE.itemsize == layout.STATE_SIZE
    assert LANE_DTYPE.itemsize == LANE_SIZE


def test_a_state_is_small_and_its_counts_are_wide_enough() -> None:
    assert layout.STATE_SIZE < 600
    for name in ("flowers", "artefacts"):
        assert PLAYER_DTYPE[name] == np.int16
    for name in ("round_number", "final_round", "max_rounds"):
        assert STATE_DTYPE[name] == np.int16


def _inner(*fields: Any) -> np.dtype[Any]:
    return np.dtype(list(fields))


@pytest.mark.parametrize(
    "fields",
    [
        [("seat", np.int8), ("players", _inner(("flowers", np.int16), ("tokens", np.int8)), (2,))],  # another order
        [("players", _inner(("flowers", np.int16), ("tokens", np.int8)), (2,)), ("turn", np.int8)],  # a name
        [("players", _inner(("flowers", np.int16), ("tokens", np.int8)), (2,)), ("seat", np.uint8)],  # a type
        [("players", _inner(("flowers", np.int16), ("tokens", np.int8)), (3,)), ("seat", np.int8)],  # a shape
        [("players", _inner(("tokens", np.int8), ("flowers", np.int16)), (2,)), ("seat", np.int8)],  # one inside
        [("players", _inner(("flowers", ">i2"), ("tokens", np.int8)), (2,)), ("seat", np.int8)],  # the bytes' order
    ],
)
def test_another_layout_has_another_hash(fields: list[Any]) -> None:
    plain: list[Any] = [("players", _inner(("flowers", "<i2"), ("tokens", np.int8)), (2,)), ("seat", np.int8)]
    assert layout_hash(np.dtype(plain)) == layout_hash(np.dtype(list(plain)))
    assert layout_hash(np.dtype(plain)) != layout_hash(np.dtype(fields))


def test_another_place_of_a_field_gives_another_hash() -> None:
    fields: list[Any] = [("seat", np.int8), ("flowers", np.int16)]
    assert layout_hash(np.dtype(fields)) != layout_hash(np.dtype(fields, align=True))


def test_the_layouts_of_states_and_lanes_have_names() -> None:
    assert len({STATE_HASH, LANE_HASH, layout_hash(PLAYER_DTYPE)}) == 3
    assert all(len(name) == 16 and int(name, 16) >= 0 for name in (STATE_HASH, LANE_HASH))
    assert dunaia.STATE_HASH == STATE_HASH


def test_edges_are_the_pairs_of_neighbours_in_the_order_of_the_rules() -> None:
    edges = [(0, 1), (1, 2), (3, 4), (4, 5), (6, 7), (7, 8), (0, 3), (1, 4), (2, 5), (3, 6), (4, 7), (5, 8)]
    assert [tuple(edge) for edge in EDGE_SQUARES.tolist()] == edges


def test_neighbours_lie_north_east_south_and_west() -> None:
    assert NEIGHBOURS.tolist() == [
        [-1, 1, 3, -1],
        [-1, 2, 4, 0],
        [-1, -1, 5, 1],
        [0, 4, 6, -1],
        [1, 5, 7, 3],
        [2, -1, 8, 4],
        [3, 7, -1, -1],
        [4, 8, -1, 6],
        [5, -1, -1, 7],
    ]
    assert layout.SIDE_NAMES == ("north", "east", "south", "west")
    pairs = {tuple(sorted((square, other))) for square in range(9) for other in NEIGHBOURS[square] if other >= 0}
    assert pairs == {tuple(edge) for edge in EDGE_SQUARES.tolist()}
    assert (np.where(NEIGHBOURS < 0, 9, NEIGHBOURS) == POINTED_SQUARES).all()


def test_names_are_those_of_the_rules() -> None:
    names = "DRAFT CHOOSE_DIE AWAKEN RECYCLE BEFORE_PROPHECY END_TURN MOVE PLUG DISCARD ADVANCE SEARCH PLACE COLOUR"
    assert " ".join(layout.DECISION_NAMES) == f"{names} OVER"
    assert layout.COLOUR_NAMES == ("green", "yellow", "purple", "red")
    assert layout.CHARACTER_NAMES == ("merchant", "trickster", "foreman", "mystic", "shepherd", "architect")
    assert layout.ELDER_NAMES == ("flowers", "moves", "advance", "search", "colour")


def test_the_example_of_the_format_is_read_and_written_back() -> None:
    state = GameState.from_dict(example())
    assert state.to_dict() == example()
    assert list(state.to_dict()) == list(example())
    assert list(state.to_dict()["players"][0]) == list(example()["players"][0])
    assert (state.seat, state.decision, state.num_players, state.is_over) == (1, "BEFORE_PROPHECY", 2, False)
    # The chips 1 and 2 and a third call the elder of space 0; without a call the turn goes on.
    assert [dunaia.action_text(action) for action in state.legal_actions()] == ["call 0", "pass"]


def test_a_state_dictionary_is_plain_json() -> None:
    content = GameState.from_dict(example()).to_dict()
    assert json.loads(json.dumps(content)) == content

    def kinds(value: object) -> set[type]:
        if isinstance(value, dict):
            return set().union(*map(kinds, value.values())) if value else set()
        if isinstance(value, list):
            return set().union(*map(kinds, value)) if value else set()
        return {type(value)}

    assert kinds(content) == {int, bool, str, type(None)}


def test_a_dictionary_is_not_changed_by_being_read() -> None:
    content = example()
    GameState.from_dict(content)
    assert content == example()


def put(*path: str | int, value: object) -> Change:
    """The change that puts a value in a place of a dictionary."""

    def change(content: Any) -> None:
        for key in path[:-1]:
            content = content[key]
        content[path[-1]] = value

    return change


def drop(*path: str | int) -> Change:
    def change(content: Any) -> None:
        for key in path[:-1]:
            content = content[key]
        del content[path[-1]]

    return change


def both(*changes: Change) -> Change:
    def change(content: Content) -> None:
        for each in changes:
            each(content)

    return change


SQUARE_OF_1 = ("players", 1, "squares", 2)  # level 1, completed, with a red marker
FAULTS: list[tuple[Change, str]] = [
    # keys
    (drop("seat"), "seat is missing"),
    (drop("scores"), "scores is missing"),
    (drop("dice", "own"), "dice.own is missing"),
    (drop("players", 1, "flowers"), r"players\[1\].flowers is missing"),
    (drop(*SQUARE_OF_1, "steps"), r"players\[1\].squares\[2\].steps is missing"),
    (drop("prophecies", 1, "owner"), r"prophecies\[1\].owner is missing"),
    (put("colour", value=1), "colour: unknown key"),
    (put("dice", "hidden", value=[]), "dice.hidden: unknown key"),
    (put("pending", "mood", value=1), "pending.mood: unknown key"),
    (put("players", 0, "gold", value=1), r"players\[0\].gold: unknown key"),
    (put(*SQUARE_OF_1, "floor", value=1), r"players\[1\].squares\[2\].floor: unknown key"),
    (put("prophecies", 2, "name", value="x"), r"prophecies\[2\].name: unknown key"),
    # kinds and ranges
    (put("seat", value=2), r"seat: expected an integer in 0..1, got 2"),
    (put("seat", value=-1), r"seat: expected an integer in 0..1, got -1"),
    (put("seat", value="1"), "seat: expected an integer.*, got '1'"),
    (put("seat", value=True), "seat: expected an integer.*, got True"),
    (put("seat", value=1.0), r"seat: expected an integer.*, got 1\.0"),
    (put("seat", value=None), "seat: expected an integer.*, got None"),
    (put("decision", value="SLEEP"), "decision: expected one of DRAFT, CHOOSE_DIE.*, got 'SLEEP'"),
    (put("decision", value=4), "decision: expected one of DRAFT.*, got 4"),
    (put("round", value=0), r"round: expected an integer in 1..100, got 0"),
    (put("round", value=101), r"round: expected an integer in 1..100, got 101"),
    (put("max_rounds", value=0), "max_rounds: expected an integer in 1.*, got 0"),
    (put("max_rounds", value=40000), r"max_rounds: expected an integer in 1\.\.32766, got 40000"),
    (put("final_round", value=0), "final_round: expected an integer in .* or null, got 0"),
    (put("final_round", value="none"), r"final_round: expected an integer in 1\.\.32767 or null, got 'none'"),
    (put("over", value=0), "over: expected true or false, got 0"),
    (put("over", value=True), "over = True; decision is BEFORE_PROPHECY"),
    (put("truncated", value=True), "truncated = true; only a game that is over"),
    (put("dice", value=[]), r"dice: expected an object, got \[\]"),
    (put("dice", "neutral", value=[0] * 5), "dice.neutral: expected a list of 6 entries, got .*"),
    (put("dice", "neutral", 3, value=-1), r"dice\.neutral\[3\]: expected an integer in 0\.\.12, got -1"),
    (put("dice", "own", value=[4, 0, 0]), "dice.own: expected a list of 2 entries, got .*"),
    (put("dice", "own", 0, value=7), r"dice.own\[0\]: expected an integer in 0..6, got 7"),
    (put("die", value=7), r"die: expected an integer in 0..6, got 7"),
    (put("woken", value=7), r"woken: expected an integer in 0..6, got 7"),
    (put("pending", value=None), "pending: expected an object, got None"),
    (put("display", value=[4, 20]), "display: expected a list of 3 entries, got .*"),
    (put("display", 0, value=40), r"display\[0\]: expected an integer in -1\.\.39, got 40"),
    (put("piles", value=[[], []]), "piles: expected a list of 3 entries, got .*"),
    (put("piles", 0, 0, value="0"), r"piles\[0\]\[0\]: expected an integer in 0..15, got '0'"),
    (put("elders", value=[0, 3]), "elders: expected a list of 3 entries, got .*"),
    (put("elders", value=[0, 3, 5]), r"elders\[2\]: expected an integer in 0..4, got 5"),
    (put("fragments", 0, value=13), r"fragments\[0\]: expected an integer in 0..12, got 13"),
    (put("colour_markers", 3, value=4), r"colour_markers\[3\]: expected an integer in 0..3, got 4"),
    (put("prophecies", 0, "id", value=3), r"prophecies\[0\].id: expected an integer in 0..2, got 3"),
    (put("prophecies", 0, "owner", value=2), r"prophecies\[0\].owner: expected an integer in -1..1, got 2"),
    (put("players", value=[]), r"players: expected a list of 2 to 4 entries, got \[\]"),
    (put("players", 0, value=3), r"players\[0\]: expected an object, got 3"),
    (put("players", 0, "flowers", value=-1), r"players\[0\]\.flowers: expected an integer in 0\.\.32767, got -1"),
    (put("players", 0, "flowers", value=32768), r"players\[0\].flowers: expected an integer in 0..32767, got 32768"),
    (put("players", 0, "tokens", value=4), r"players\[0\].tokens: expected an integer in 0..3, got 4"),
    (put("players", 0, "chips", value=[7]), r"players\[0\].chips\[0\]: expected an integer in 1..6, got 7"),
    (put("players", 0, "dunaias", value=[0] * 5), r"players\[0\].dunaias: expected a list of 6 entries, got .*"),
    (put("players", 0, "dunaias", 0, value=12), r"players\[0\].dunaias\[0\]: expected an integer in 0..11, got 12"),
    (put("players", 0, "squares", value=[None] * 8), r"players\[0\].squares: expected a list of 9 entries, got .*"),
    (put("players", 0, "squares", 0, value=[]), r"players\[0\].squares\[0\]: expected an object, got \[\]"),
    (
        put("players", 0, "fragments", value=[0, 1, 2]),
        r"players\[0\].fragments: expected a list of 0 to 2 entries, got .*",
    ),
    (put("players", 0, "artefacts", value=-1), r"players\[0\]\.artefacts: expected an integer in 0\.\.32767, got -1"),
    (put("players", 0, "character", value=6), r"players\[0\].character: expected an integer in -1..5, got 6"),
    (put("players", 0, "reserved", value=40), r"players\[0\].reserved: expected an integer in -1..39, got 40"),
    (put("players", 0, "power_used", value=0), r"players\[0\].power_used: expected true or false, got 0"),
    (put(*SQUARE_OF_1, "tile", value=40), r"squares\[2\].tile: expected an integer in 0..39, got 40"),
    (put(*SQUARE_OF_1, "steps", value=3), r"squares\[2\].steps: expected an integer in 0..2, got 3"),
    (put(*SQUARE_OF_1, "built", value=1), r"squares\[2\].built: expected true or false, got 1"),
    (put(*SQUARE_OF_1, "colours", value=[4]), r"squares\[2\].colours\[0\]: expected an integer in 0..3, got 4"),
    (put("scores", value=[3]), r"scores: expected a list of 2 entries, got \[3\]"),
    # sets are ascending
    (put("players", 1, "chips", value=[2, 1, 6]), r"players\[1\].chips: expected an ascending list.*, got .*"),
    (
        put("players", 1, "chips", value=[1, 1, 6]),
        r"players\[1\].chips: expected an ascending list without repetition, got .*",
    ),
    (put("players", 1, "fragments", value=[2, 0]), r"players\[1\].fragments: expected an ascending list.*, got .*"),
    (put("piles", 0, value=[5, 0, 6, 7, 8, 9, 11, 12, 14, 15]), r"piles\[0\]: expected an ascending list.*, got .*"),
    (put("characters_available", value=[3, 1]), "characters_available: expected an ascending list.*, got .*"),
    # levels, elders, buildings
    (put("display", 0, value=20), r"display\[0\]: expected a tile of level 1.*, got 20"),
    (put("pile_top", 2, value=18), r"pile_top\[2\]: expected a tile of level 3.*, got 18"),
    (put("piles", 0, 9, value=16), r"piles\[0\]\[9\]: expected an integer in 0..15, got 16"),
    (put("elders", value=[0, 3, 3]), r"elders: expected 3 different ones, got \[0, 3, 3\]"),
    (
        put("players", 0, "dunaias", value=[5, 2, 5, 10, 5, 5]),
        r"players\[0\].dunaias: expected at most 3 on one edge, got .*",
    ),
    (put(*SQUARE_OF_1, "built", value=False), r"squares\[2\]: 2 steps; a built tile 1 has 2, others less"),
    (put(*SQUARE_OF_1, "steps", value=1), r"squares\[2\]: 1 steps; a built tile 1 has 2"),
    (put(*SQUARE_OF_1, "colours", value=[1]), r"squares\[2\].colours: tile 1 is yellow already"),
    (put("players", 0, "squares", 1, "die", value=True), "completed level 1 buildings only"),
    (put("players", 1, "squares", 4, "die", value=True), "completed level 1 buildings only"),
    # the decision in progress
    (put("die", value=3), r"die = 3; in BEFORE_PROPHECY a die is not in hand"),
    (both(put("decision", value="RECYCLE")), r"die = 0; in RECYCLE a die is in hand"),
    (put("woken", value=0), "woken = 0; in BEFORE_PROPHECY a Dunaia has been woken"),
    (both(put("decision", value="AWAKEN"), put("die", value=2)), "woken = 2; in AWAKEN no Dunaia has been woken"),
    (both(put("decision", value="PLUG"), put("pending", "source", value="waking")), "PLUG needs at least one of chips"),
    (both(put("decision", value="MOVE"), put("pending", "source", value="waking")), "MOVE needs at least one of moves"),
    (put("pending", "found", value=5), "a found tile belongs to PLACE"),
    (both(put("decision", value="PLACE"), put("pending", "source", value="elder")), "a found tile belongs to PLACE"),
    (put("pending", "source", value="elder"), "BEFORE_PROPHECY needs none"),
    (both(put("decision", value="MOVE"), put("pending", "moves", value=1)), "MOVE needs one"),
    (put("pending", "elder_space", value=1), "an elder being called has one"),
    (put("pending", "window", value="AWAKEN"), "an elder or a power returns to a window"),
    (put("pending", "window", value="MOVE"), "pending.window: expected one of CHOOSE_DIE.*, got 'MOVE'"),
    (put("pending", "moves", value=-1), r"pending\.moves: expected an integer in 0\.\.127, got -1"),
    (put("characters_available", value=[1, 3]), "characters_available: a choice is left during the draft"),
    # nothing is lost or doubled
    (put("dice", "neutral", value=[1, 2, 1, 1, 0, 1]), r"dice.neutral: 6 dice; 0 are left in this turn"),
    (put("dice", "neutral", 0, value=1), r"dice.neutral: 1 dice; 0 are left in this turn"),
    (put("dice", "own", 0, value=0), r"dice.own\[0\]: expected a face, for it was not taken.*, got 0"),
    (put("display", 0, value=0), r"tile 0 is in two places: display\[0\] and piles\[0\]"),
    (put("pile_top", 0, value=4), r"tile 4 is in two places: display\[0\] and pile_top\[0\]"),
    (put("players", 1, "reserved", value=30), r"tile 30 is in two places: players\[1\]"),
    (put(*SQUARE_OF_1, "tile", value=13), r"tile 13 is in two places: players\[0\]"),
    (drop("piles", 0, 0), "tile 0 is nowhere"),
    (put("display", 2, value=-1), "tile 39 is nowhere"),
    (
        put("players", 0, "tokens", value=1),
        r"players\[0\].tokens: expected 0 beside 3 buildings under construction, got 1",
    ),
    (put("fragments", 1, value=12), r"fragments\[1\] = 12; 1 are with the players and 12 are in the game"),
    (put("players", 0, "artefacts", value=1), r"fragments\[0\] = 11; 2 are with the players"),
    (put("players", 0, "fragments", value=[]), r"fragments\[1\] = 11; 0 are with the players"),
    (put("colour_markers", 3, value=3), r"colour_markers\[3\] = 3; 1 are on buildings and 3 are in the game"),
    (put(*SQUARE_OF_1, "colours", value=[]), r"colour_markers\[3\] = 2; 0 are on buildings"),
    # scores
    (put("scores", value=[3, 2]), r"scores = \[3, 2\]; the state is worth \[3, 1\]"),
    (put("players", 0, "flowers", value=6), r"scores = \[3, 1\]; the state is worth \[4, 1\]"),
]


@pytest.mark.parametrize(("change", "message"), FAULTS)
def test_a_dictionary_that_describes_no_state_is_refused(change: Change, message: str) -> None:
    content = example()
    change(content)
    with pytest.raises(dunaia.StateError, match=message) as caught:
        GameState.from_dict(content)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("content", [None, 5, "state", [], [("seat", 1)]])
def test_a_state_that_is_no_dictionary_is_refused(content: Any) -> None:
    with pytest.raises(dunaia.StateError, match=r"state: expected an object, got .*"):
        GameState.from_dict(content)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        pytest.param(put("piles", 0, value=5), "piles", id="a pile that is no list"),
        pytest.param(put("piles", 0, value=None), "piles", id="a pile that is null"),
        pytest.param(
            both(put("players", 0, "character", value=3), put("players", 1, "character", value=3)),
            "character",
            id="one character twice",
        ),
        pytest.param(put("pending", "moves", value=3), "moves", id="moves outside MOVE"),
        pytest.param(put("pending", "woken_moved", value=True), "woken_moved", id="a moved Dunaia outside waking"),
        pytest.param(put("pile_top", 1, value=-1), "pile_top", id="a pile without its top"),
    ],
)
def test_more_dictionaries_that_describe_no_state_are_refused(change: Change, message: str) -> None:
    content = example()
    change(content)
    if content["pile_top"][1] == -1:
        content["piles"][1] = sorted([*content["piles"][1], 18])
    with pytest.raises(dunaia.StateError, match=message):
        GameState.from_dict(content)


def finished_game() -> GameState:
    chance, agent = Stream(4), GreedyAgent()
    state = GameState.new(chance, max_rounds=8)
    while not state.is_over:
        state.apply(agent.act(state), chance)
    return state


def test_a_finished_game_is_written_and_read() -> None:
    state = finished_game()
    content = state.to_dict()
    assert (content["decision"], content["seat"], content["over"]) == ("OVER", -1, True)
    assert (content["die"], content["woken"], content["pending"], content["truncated"]) == (0, 0, {}, True)
    assert content["round"] == 8
    assert GameState.from_dict(content) == state
    assert state.legal_actions() == []
    assert not state.action_mask().any()
    for change, message in [
        (put("seat", value=0), "seat: expected -1, got 0"),
        (put("over", value=False), "over = False; decision is OVER"),
    ]:
        wrong = copy.deepcopy(content)
        change(wrong)
        with pytest.raises(dunaia.StateError, match=message):
            GameState.from_dict(wrong)


def test_a_dictionary_is_checked_against_its_components() -> None:
    own = resources.files("dunaia_env.dunaia").joinpath("components.toml").read_text(encoding="utf-8")
    four_tokens = parse(own.replace("tokens = 3", "tokens = 4"), "four")
    with pytest.raises(dunaia.StateError, match=r"players\[0\].tokens: expected 1 beside 3 buildings .*, got 0"):
        GameState.from_dict(example(), components=four_tokens)


def test_every_bytes_of_a_state_must_be_given() -> None:
    size = layout.STATE_SIZE
    for wrong in (np.zeros(size + 1, np.uint8), np.zeros(size, np.int8), np.zeros((1, size), np.uint8)):
        with pytest.raises(ValueError, match=re.escape(f"expected uint8 ({size},), got ")):
            GameState(wrong)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_players": 1}, r"num_players: expected an integer in 2\.\.4, got 1"),
        ({"num_players": 5}, r"num_players: expected an integer in 2\.\.4, got 5"),
        ({"num_players": 2.0}, r"num_players: expected an integer in 2\.\.4, got 2\.0"),
        ({"num_players": True}, "num_players: expected an integer.*, got True"),
        ({"max_rounds": 0}, r"max_rounds: expected an integer in 1\.\.1000, got 0"),
        ({"max_rounds": 1001}, r"max_rounds: expected an integer in 1\.\.1000, got 1001"),
        ({"max_rounds": "9"}, "max_rounds: expected an integer.*, got '9'"),
        ({"components": "/no/such/file.toml"}, "cannot be read"),
    ],
)
def test_options_out_of_range_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        GameState.new(0, **options)


@pytest.mark.parametrize(
    ("action", "message"),
    [
        (315, r"action 'pass' \(315\) is not legal for seat 0 in CHOOSE_DIE: 'pass' belongs to .*; legal: take"),
        ("pass", r"action 'pass' \(315\) is not legal for seat 0 in CHOOSE_DIE: 'pass' belongs to .*; legal: take"),
        (-1, "action -1 is not legal for seat 0"),
        (316, "action 316 is not legal for seat 0"),
        ("take 9", r"'take 9': take takes face 1\.\.6"),
        ("fly", "expected one of the verbs"),
        (None, "action: expected an action number or text, got None"),
        (True, "action: expected an action number or text, got True"),
        (1.5, r"action: expected an action number or text, got 1\.5"),
        ([6], r"action: expected an action number or text, got \[6\]"),
    ],
)
def test_illegal_actions_are_refused_and_change_nothing(action: Any, message: str) -> None:
    state = GameState.new(0)
    before = state.to_bytes()
    with pytest.raises(IllegalActionError, match=message):
        state.apply(action, 0)
    assert state.to_bytes() == before
    over = finished_game()
    with pytest.raises(IllegalActionError):
        over.apply(action, 0)


def test_actions_may_be_numbers_numpy_numbers_or_texts() -> None:
    state = GameState.new(0)
    action = state.legal_actions()[0]
    children = []
    for form in (action, np.int64(action), np.int16(action), dunaia.action_text(action)):
        child = state.clone()
        child.apply(form, 0)
        children.append(child)
    assert len(set(children)) == 1


@pytest.mark.parametrize("seat", [-1, 2, 4])
def test_observations_of_absent_seats_are_refused(seat: int) -> None:
    with pytest.raises(ValueError, match=rf"seat: expected an integer in 0\.\.1, got {seat}"):
        GameState.new(0).observation(seat)


def test_states_are_equal_if_their_bytes_are() -> None:
    one, other = GameState.new(3), GameState.new(3)
    assert one == other
    assert hash(one) == hash(other)
    assert len({one, other, GameState.new(4)}) == 2
    assert one != "state"
    assert repr(one) == "<GameState of dunaia: 2 players, seat 0 in CHOOSE_DIE>"
    assert repr(finished_game()) == "<GameState of dunaia: 2 players, over>"


def test_a_live_state_without_a_legal_action_is_refused() -> None:
    state = GameState.new(3)
    state.apply(state.legal_actions()[0], 3)
    content = state.to_dict()
    content |= {"decision": "PLUG", "woken": content["die"], "die": 0, "pending": {"source": "recycling", "chips": 1}}
    content["players"][0]["chips"] = [1, 2, 3, 4, 5, 6]
    with pytest.raises(dunaia.StateError, match="seat 0 has no legal action"):
        GameState.from_dict(content)


def test_dice_on_buildings_must_have_been_recycled() -> None:
    content = example()
    content["players"][1]["squares"][2]["die"] = True
    content["round"], content["dice"]["own"] = 8, [4, 2]
    content["dice"]["neutral"] = [5, 0, 0, 0, 0, 0]
    content |= {"seat": 0, "decision": "CHOOSE_DIE", "woken": 0}
    with pytest.raises(dunaia.StateError, match="dice lie on 1 buildings; 0 were recycled"):
        GameState.from_dict(content)


def paying(**own: Any) -> Content:
    """The dictionary of a call that is to be paid with a third chip."""
    state = position("END_TURN", player(chips=(1, 2, 3, 4), **own))
    return play(state, "call 0").to_dict()


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ([put("pending", "discards", value=9)], r"pending.discards: expected 0\.\.1 with the source 'elder', got 9"),
        ([put("pending", "discards", value=2)], r"pending.discards: expected 0\.\.1.*, got 2"),
        ([put("players", 0, "chips", value=[])], r"pending.discards: expected 0\.\.0.*, got 1"),
        (
            [put("pending", "source", value="waking"), drop("pending", "elder_space"), drop("pending", "window")],
            r"pending\.source: expected one of elder, power in DISCARD, got 'waking'",
        ),
        ([put("die", value=1)], "die = 1; in DISCARD, which belongs to the window END_TURN, a die is not in hand"),
        (
            [put("woken", value=0)],
            "woken = 0; in DISCARD, which belongs to the window END_TURN, a Dunaia has been woken",
        ),
        (
            [put("pending", "source", value="power"), drop("pending", "elder_space")],
            r"players\[0\]: expected .*, got character -1",
        ),
    ],
)
def test_what_is_to_be_paid_can_be_paid(changes: list[Change], message: str) -> None:
    content = paying()
    assert GameState.from_dict(content).legal_actions()
    for change in changes:
        change(content)
    with pytest.raises(dunaia.StateError, match=message):
        GameState.from_dict(content)


def test_more_than_an_effect_gives_cannot_be_left() -> None:
    content = play(position("END_TURN", player(chips=(1, 2, 3, 4, 6))), "call 1", "discard 1").to_dict()
    assert (content["decision"], content["pending"]["moves"]) == ("MOVE", 2)
    content["pending"]["moves"] = 3
    with pytest.raises(dunaia.StateError, match=r"pending.moves: expected 0\.\.2 with the source 'elder', got 3"):
        GameState.from_dict(content)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (put("round", value=2), "round = 2; characters are drafted before the first round, 1, is played"),
        (put("final_round", value=2), "round = 1; characters are drafted before the first round, 1, is played"),
        (
            put("players", 0, "character", value=5),
            r"players\[0\].character: expected -1, for it is still to draft, got 5",
        ),
        (
            put("players", 1, "character", value=-1),
            r"players\[1\].character: expected a character, for it has drafted, got -1",
        ),
        (put("characters_available", value=[4]), "characters_available: 1 characters; 2 are left for seat 0"),
    ],
)
def test_a_draft_is_one_that_the_rules_lead_to(change: Change, message: str) -> None:
    """Found by fuzzing: other drafts led to states without a legal action, or with too many dice."""
    state = GameState.new(1, elites=True)
    state.apply("draft 0", 1)
    content = state.to_dict()
    assert (content["decision"], content["seat"]) == ("DRAFT", 0)
    assert GameState.from_dict(content) == state
    change(content)
    with pytest.raises(ValueError, match=message):
        GameState.from_dict(content)
