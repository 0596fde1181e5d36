"""Waking a Dunaia (rules, sections 3, 6 and 9)."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from dunaia_env.dunaia.components import load
from dunaia_env.dunaia.state import GREEN, PURPLE, RED, TRICKSTER, YELLOW
from dunaia_env.harness.state import GameState

from .positions import (
    ALL_CHIPS,
    EAST,
    EDGES,
    FLOWERS_ELDER,
    MOVES_ELDER,
    NORTH,
    SOUTH,
    START_EDGES,
    WEST,
    begun,
    built,
    edge,
    legal,
    nearly,
    neighbour,
    of,
    play,
    player,
    position,
    seen,
    square,
)

SIDES = {"north": NORTH, "east": EAST, "south": SOUTH, "west": WEST}
OPPOSITE = {"north": "south", "south": "north", "east": "west", "west": "east"}
# Level 2 tiles by what they give, each in green; the other colours follow.
FLOWERS_TILE, CHIPS_TILE, MOVES_TILE = 16, 20, 24


def gains(state: GameState) -> dict[str, int]:
    """The flowers, and the chips and moves still to be decided."""
    pending = seen(state, "pending")
    return {"flowers": of(state, 0, "flowers"), "chips": pending.get("chips", 0), "moves": pending.get("moves", 0)}


# The two squares


@pytest.mark.parametrize("number", range(12))
def test_waking__squares_of_every_edge(number: int) -> None:
    state = position("AWAKEN", player(dunaias={5: number}), die=5)
    assert legal(state) == [f"awaken {square}" for square in EDGES[number]]


@pytest.mark.parametrize(("dunaia", "start"), list(enumerate(START_EDGES, 1)))
def test_waking__start_edges(dunaia: int, start: int) -> None:
    state = position("AWAKEN", die=dunaia)
    assert legal(state) == [f"awaken {square}" for square in EDGES[start]]


def test_waking__squares_beside_the_dunaia_where_it_stands_then() -> None:
    state = position("AWAKEN", player(chips=[1, 2, 3]), die=4, elders=(MOVES_ELDER, FLOWERS_ELDER, 2))
    assert legal(state, "awaken") == ["awaken 4", "awaken 7"]
    after = play(state, "call 0", "move 4 0", "pass")
    assert (after.decision, legal(after)) == ("AWAKEN", ["awaken 0", "awaken 1"])


@pytest.mark.parametrize("first", [6, 7])
def test_waking__both_squares_in_the_order_named(first: int) -> None:
    other = 13 - first
    state = position("AWAKEN", player(buildings={first: built(20), other: begun(0)}, dunaias={1: 4}))
    during = play(state, f"awaken {first}")
    assert (during.decision, square(during, 0, other)["steps"]) == ("PLUG", 0)
    assert square(play(during, "plug 3"), 0, other)["steps"] == 1
    during = play(state, f"awaken {other}")
    assert (during.decision, square(during, 0, other)["steps"]) == ("PLUG", 1)


# Empty squares


@pytest.mark.parametrize("number", range(9))
def test_waking__empty_square_gives_what_is_printed(number: int) -> None:
    beside = next(sum(pair) - number for pair in EDGES if number in pair)
    own = player(buildings={beside: built(0)}, dunaias={6: edge(number, beside)})
    after = play(position("AWAKEN", own, die=6), f"awaken {number}")
    gives_flower = number in (0, 2, 4, 6, 8)
    assert of(after, 0, "flowers") == (1 if gives_flower else 0)
    assert of(after, 0, "chips") == ([] if gives_flower else [6])


@pytest.mark.parametrize("dunaia", ALL_CHIPS)
def test_waking__empty_square_plugs_the_chip_of_the_woken_dunaia(dunaia: int) -> None:
    after = play(position("AWAKEN", player(flowers=4), die=dunaia), f"awaken {EDGES[START_EDGES[dunaia - 1]][1]}")
    assert (of(after, 0, "flowers"), of(after, 0, "chips")) == (5, [dunaia])


def test_waking__flipped_die_wakes_the_other_dunaia() -> None:
    state = position("CHOOSE_DIE", player(character=TRICKSTER), neutral=[2, 2, 2, 2, 2])
    after = play(state, "take_flipped 2", "awaken 6")
    assert (seen(after, "woken"), of(after, 0, "chips")) == (5, [5])


def test_waking__plugged_chip_is_not_plugged_again() -> None:
    after = play(position("AWAKEN", player(chips=[2, 4]), die=4), "awaken 4")
    assert (of(after, 0, "chips"), of(after, 0, "flowers"), after.decision) == ([2, 4], 1, "RECYCLE")


# Buildings under construction


@pytest.mark.parametrize(("tile", "steps"), [(0, 2), (15, 2), (16, 3), (27, 3), (28, 4), (39, 4)])
def test_waking__construction_advances_until_it_is_completed(tile: int, steps: int) -> None:
    for made in range(steps):
        state = position("AWAKEN", player(buildings={7: begun(tile, made)}), die=4)
        assert of(state, 0, "tokens") == 2
        after = play(state, "awaken 7")
        completed = made == steps - 1
        assert square(after, 0, 7) == (built(tile) if completed else begun(tile, made + 1))
        assert of(after, 0, "tokens") == (3 if completed else 2)
        assert after.decision == "RECYCLE"


def test_waking__two_constructions_advance_together() -> None:
    own = player(buildings={4: begun(28, 1), 7: nearly(3)})
    after = play(position("AWAKEN", own, die=4), "awaken 4")
    assert (square(after, 0, 4), square(after, 0, 7)) == (begun(28, 2), built(3))


def test_waking__woken_square_completed_just_now_gives_nothing_more() -> None:
    own = player(buildings={4: nearly(16)})
    after = play(position("AWAKEN", own, die=4), "awaken 4")
    assert (of(after, 0, "flowers"), of(after, 0, "chips")) == (0, [4])


# Completed buildings


@pytest.mark.parametrize("tile", [0, 4, 8, 12, 28, 36])
def test_waking__completed_level_1_or_3_gives_nothing(tile: int) -> None:
    own = player(buildings={4: built(tile), 7: built(15)})
    state = position("AWAKEN", own, die=4)
    after = play(state, "awaken 4")
    assert after.decision == "RECYCLE"
    assert seen(after, "players") == seen(state, "players")


@pytest.mark.parametrize("colour", [GREEN, YELLOW, PURPLE, RED])
@pytest.mark.parametrize(("tile", "gain"), [(FLOWERS_TILE, "flowers"), (CHIPS_TILE, "chips"), (MOVES_TILE, "moves")])
def test_waking__level_2_base_gain(tile: int, colour: int, gain: str) -> None:
    own = player(buildings={4: built(tile + colour), 7: built((colour + 1) % 4)})
    after = play(position("AWAKEN", own, die=4), "awaken 4")
    assert gains(after) == {"flowers": 0, "chips": 0, "moves": 0} | {gain: 1}


# What lies beside a green level 2 building, and whether the arrow towards it counts.
BESIDE: dict[str, tuple[dict[str, Any] | None, bool]] = {
    "level 1 of the colour": (built(0), True),
    "level 2 of the colour": (built(16 + 8), True),
    "level 3 of the colour": (built(28), True),
    "multicoloured": (built(36), True),
    "marker of the colour": (built(1, markers=[GREEN]), True),
    "several markers": (built(2, markers=[GREEN, YELLOW, RED]), True),
    "other colour": (built(1), False),
    "marker of another colour": (built(1, markers=[RED]), False),
    "not completed": (nearly(0), False),
    "multicoloured, not completed": (nearly(36), False),
    "marker, not completed": (begun(1, 1, markers=[GREEN]), False),
    "empty": (None, False),
}


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize("beside", BESIDE)
@pytest.mark.parametrize(("tile", "gain"), [(FLOWERS_TILE, "flowers"), (CHIPS_TILE, "chips"), (MOVES_TILE, "moves")])
def test_waking__level_2_arrow(tile: int, gain: str, beside: str, side: str) -> None:
    building, counts = BESIDE[beside]
    if building is not None and building["tile"] == tile:
        building = built(tile - 4)
    # The Dunaia stands on the far side, where the other square has nothing to give.
    far = neighbour(4, SIDES[OPPOSITE[side]])
    buildings = {4: built(tile), far: built(15)}
    if building is not None:
        buildings[neighbour(4, SIDES[side])] = building
    state = position("AWAKEN", player(buildings=buildings, dunaias={1: edge(4, far)}))
    expected = {"flowers": 0, "chips": 0, "moves": 0} | {gain: 1}
    expected[gain if side in ("east", "west") else "flowers"] += counts
    assert gains(play(state, "awaken 4")) == expected


@pytest.mark.parametrize(
    ("tile", "expected"),
    [
        (FLOWERS_TILE, {"flowers": 5, "chips": 0, "moves": 0}),
        (CHIPS_TILE, {"flowers": 2, "chips": 3, "moves": 0}),
        (MOVES_TILE, {"flowers": 2, "chips": 0, "moves": 3}),
    ],
)
def test_waking__level_2_with_all_arrows(tile: int, expected: dict[str, int]) -> None:
    own = player(buildings={1: built(0), 3: built(4), 4: built(tile), 5: built(8), 7: built(12)})
    assert gains(play(position("AWAKEN", own, die=4), "awaken 4")) == expected


@pytest.mark.parametrize(
    ("place", "beside", "greens", "expected"),
    [
        (0, 1, [], 1),
        (0, 1, [1, 3], 3),
        (8, 5, [5, 7], 3),
        # Square 3 follows square 2 in number, but lies at the other end of the next row.
        (2, 1, [3], 1),
        (3, 4, [2], 1),
        (5, 4, [6], 1),
        (6, 7, [5], 1),
        (4, 7, [0, 2, 6, 8], 1),
    ],
)
def test_waking__level_2_arrows_off_the_board(place: int, beside: int, greens: list[int], expected: int) -> None:
    buildings = {beside: built(15), place: built(16)} | {green: built(4 * k) for k, green in enumerate(greens)}
    state = position("AWAKEN", player(buildings=buildings, dunaias={1: edge(place, beside)}))
    assert of(play(state, f"awaken {place}"), 0, "flowers") == expected


def test_waking__marker_does_not_change_the_colour_of_the_arrows() -> None:
    own = player(buildings={4: built(16, markers=[RED]), 1: built(3), 5: built(4), 7: built(7)})
    assert of(play(position("AWAKEN", own, die=4), "awaken 4"), 0, "flowers") == 2


def test_waking__other_players_buildings_do_not_count() -> None:
    state = position("AWAKEN", player(buildings={4: built(16), 7: built(15)}), player(buildings={5: built(0)}), die=4)
    assert of(play(state, "awaken 4"), 0, "flowers") == 1


def test_waking__level_2_beside_level_2() -> None:
    # Both are green and point at each other.
    own = player(buildings={4: built(16), 7: built(20)})
    after = play(position("AWAKEN", own, die=4), "awaken 4")
    assert gains(after) == {"flowers": 3, "chips": 1, "moves": 0}


# Chips and moves of an effect


def test_waking__chips_are_chosen_one_by_one() -> None:
    own = player(chips=[1, 2], buildings={4: built(20), 5: built(0), 7: built(15)})
    state = play(position("AWAKEN", own, die=4), "awaken 4")
    assert (state.decision, legal(state)) == ("PLUG", ["plug 3", "plug 4", "plug 5", "plug 6"])
    state = play(state, "plug 5")
    assert (state.decision, legal(state)) == ("PLUG", ["plug 3", "plug 4", "plug 6"])
    state = play(state, "plug 3")
    assert (state.decision, of(state, 0, "chips")) == ("RECYCLE", [1, 2, 3, 5])


@pytest.mark.parametrize(("plugged", "asked"), [(4, True), (5, False), (6, False)])
def test_waking__chips_end_with_the_reserve(plugged: int, asked: bool) -> None:
    # Three chips are given; a single one left is plugged unasked, an empty reserve ends the effect silently.
    own = player(chips=ALL_CHIPS[:plugged], buildings={4: built(20), 3: built(0), 5: built(4), 7: built(15)})
    state = play(position("AWAKEN", own, die=4), "awaken 4")
    if asked:
        assert (state.decision, legal(state)) == ("PLUG", ["plug 5", "plug 6"])
        state = play(state, "plug 6")
    assert (state.decision, of(state, 0, "chips")) == ("RECYCLE", list(ALL_CHIPS))


def test_waking__flowers_come_before_chips() -> None:
    own = player(buildings={1: built(0), 4: built(20), 7: built(15)})
    state = play(position("AWAKEN", own, die=4), "awaken 4")
    assert (state.decision, of(state, 0, "flowers")) == ("PLUG", 1)


def test_waking__chips_come_before_moves(tmp_path: Path) -> None:
    # No printed building gives both: this green one's east arrow gives a move.
    text = files("dunaia_env.dunaia").joinpath("components.toml").read_text(encoding="utf-8")
    chips = 'id = 20, colours = ["green"], effect = "chips"'
    line = next(line for line in text.splitlines() if chips in line)
    east = 'east = { colour = "green", gain = "chips"'
    path = tmp_path / "components.toml"
    path.write_text(text.replace(line, line.replace(east, east.replace("chips", "moves"))), encoding="utf-8")
    own = player(buildings={1: built(0), 4: built(20), 5: built(4), 7: built(15)})
    state = play(position("AWAKEN", own, die=4, components=load(path)), "awaken 4")
    assert (state.decision, gains(state)) == ("PLUG", {"flowers": 1, "chips": 1, "moves": 1})
    state = play(state, "plug 1")
    assert (state.decision, gains(state)) == ("MOVE", {"flowers": 1, "chips": 0, "moves": 1})


def test_waking__moves_are_up_to_so_many() -> None:
    own = player(buildings={4: built(24), 5: built(0), 7: built(15)})
    state = play(position("AWAKEN", own, die=4), "awaken 4")
    assert gains(state)["moves"] == 2
    assert legal(state)[-1] == "pass"
    before = of(state, 0, "dunaias")
    after = play(state, "pass")
    assert (after.decision, of(after, 0, "dunaias")) == ("RECYCLE", before)
    after = play(state, "move 1 3", "pass")
    assert (after.decision, of(after, 0, "dunaias")) == ("RECYCLE", [3, *before[1:]])
    # The same Dunaia may move again; after the last move nothing is asked.
    after = play(state, "move 1 3", "move 1 11")
    assert (after.decision, of(after, 0, "dunaias")) == ("RECYCLE", [11, *before[1:]])


# The woken Dunaia moved by the first effect

MOVED = {
    "no move": (["pass"], True),
    "woken away": (["move 4 0", "pass"], False),
    "woken away and on": (["move 4 0", "move 4 1"], False),
    "woken away and back": (["move 4 0", "move 4 10"], False),
    "woken then another": (["move 4 0", "move 1 4"], False),
    "another": (["move 1 4", "pass"], True),
    "another twice": (["move 1 4", "move 1 0"], True),
    "two others": (["move 1 4", "move 2 4"], True),
    "another, then woken": (["move 1 4", "move 4 0"], False),
}


@pytest.mark.parametrize("case", MOVED)
def test_waking__second_effect_is_lost_if_the_woken_dunaia_was_moved(case: str) -> None:
    texts, performed = MOVED[case]
    own = player(buildings={4: built(24), 5: built(0)})
    after = play(position("AWAKEN", own, die=4), "awaken 4", *texts)
    assert after.decision == "RECYCLE"
    assert of(after, 0, "chips") == ([4] if performed else [])
    assert "woken_moved" not in seen(after, "pending")


@pytest.mark.parametrize("case", MOVED)
def test_waking__second_effect_may_move_the_woken_dunaia(case: str) -> None:
    texts, _ = MOVED[case]
    own = player(buildings={4: built(24), 5: built(0)})
    after = play(position("AWAKEN", own, die=4), "awaken 7", *texts)
    assert (after.decision, of(after, 0, "chips")) == ("RECYCLE", [4])


def test_waking__move_in_a_former_turn_does_not_matter() -> None:
    own = player(buildings={4: built(24), 7: begun(28)})
    state = play(position("AWAKEN", own, die=4), "awaken 4", "move 4 0", "flower")
    state = play(state, "take 2", "awaken 2", "flower", "take 3", "awaken 4", "pass", "flower")
    assert of(state, 0, "chips") == [3]


def test_waking__two_moving_buildings() -> None:
    own = player(buildings={4: built(24), 7: built(25)})
    state = position("AWAKEN", own, die=4)
    # Moving another Dunaia leaves the second effect, whose move may be of the woken one.
    after = play(state, "awaken 4", "move 1 1")
    assert (after.decision, gains(after)["moves"]) == ("MOVE", 1)
    assert play(after, "move 4 0").decision == "RECYCLE"
    assert play(state, "awaken 4", "move 4 0").decision == "RECYCLE"


def test_waking__second_effect_resolves_at_the_square_named_before() -> None:
    # Another Dunaia moved onto the edge or off it makes no difference.
    own = player(buildings={4: built(24)})
    after = play(position("AWAKEN", own, die=4), "awaken 4", "move 5 10")
    assert of(after, 0, "chips") == [4]


# What the first effect does for the second


@pytest.mark.parametrize(("first", "flowers"), [(7, 2), (4, 1)])
def test_waking__building_completed_by_the_first_effect_counts_for_the_second(first: int, flowers: int) -> None:
    own = player(buildings={4: built(16), 7: nearly(0)})
    after = play(position("AWAKEN", own, die=4), f"awaken {first}")
    assert (of(after, 0, "flowers"), square(after, 0, 7)) == (flowers, built(0))


def test_waking__ninth_building_by_the_first_effect_does_not_stop_the_second() -> None:
    buildings = {number: built(number + 4) for number in range(9)} | {4: built(16), 7: nearly(0)}
    after = play(position("AWAKEN", player(buildings=buildings), die=4, round_number=3), "awaken 7")
    assert (seen(after, "final_round"), of(after, 0, "flowers")) == (4, 2)


def test_waking__example_cecile_and_dunaia_4() -> None:
    # Below, construction goes on; above, one chip for the building and one for its neighbour of the same colour.
    own = player(chips=[1], buildings={7: begun(30, 1), 4: built(23), 5: built(3)})
    state = position("CHOOSE_DIE", own, neutral=[1, 2, 3, 4, 6])
    state = play(state, "take 4")
    assert legal(state) == ["awaken 4", "awaken 7"]
    state = play(state, "awaken 7")
    assert (square(state, 0, 7)["steps"], state.decision, gains(state)["chips"]) == (2, "PLUG", 2)
    state = play(state, "plug 2", "plug 6")
    assert (of(state, 0, "chips"), state.decision) == ([1, 2, 6], "RECYCLE")
