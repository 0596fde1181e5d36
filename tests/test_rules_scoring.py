"""End of the game and scoring (rules, section 7)."""

from __future__ import annotations

from typing import Any

import pytest

from dunaia_env.dunaia.state import FOREMAN, GREEN, PURPLE, RED, YELLOW

from .positions import (
    ADVANCE_ELDER,
    EAST,
    NORTH,
    SOUTH,
    WEST,
    begun,
    built,
    nearly,
    neighbour,
    play,
    player,
    position,
    seen,
)

# The arrows of the single-coloured level 3 tiles: tile, colour of the arrows, their sides.
ARROWS = [
    (28, RED, (NORTH, WEST)),
    (29, YELLOW, (EAST, SOUTH)),
    (30, GREEN, (NORTH, WEST)),
    (31, PURPLE, (EAST, SOUTH)),
    (32, YELLOW, (NORTH, WEST)),
    (33, RED, (EAST, SOUTH)),
    (34, PURPLE, (NORTH, WEST)),
    (35, GREEN, (EAST, SOUTH)),
]
SIDES = {"north": NORTH, "east": EAST, "south": SOUTH, "west": WEST}


def worth(**own: Any) -> int:
    """The points of a player who has taken no prophecy."""
    points = position("RECYCLE", player(**own)).scores()
    assert points[1] == 0
    return points[0]


# Buildings


@pytest.mark.parametrize(("tile", "points"), [(0, 1), (15, 1), (16, 2), (27, 2), (28, 3), (35, 3), (36, 3), (39, 3)])
def test_scoring__completed_building_is_worth_its_level(tile: int, points: int) -> None:
    for square in range(9):
        assert worth(buildings={square: built(tile)}) == points


def test_scoring__buildings_under_construction_count_for_nothing() -> None:
    assert worth(buildings={0: nearly(0), 4: nearly(16), 8: nearly(28)}) == 0
    assert worth(buildings={0: begun(0), 4: built(16)}) == 2


@pytest.mark.parametrize("side", SIDES)
@pytest.mark.parametrize(("tile", "colour", "sides"), ARROWS)
@pytest.mark.parametrize("beside", range(4))
def test_scoring__arrows_of_level_3(
    tile: int, colour: int, sides: tuple[tuple[int, int], ...], beside: int, side: str
) -> None:
    satisfied = beside == colour and SIDES[side] in sides
    place = neighbour(4, SIDES[side])
    assert worth(buildings={4: built(tile), place: built(beside)}) == 3 + 1 + 2 * satisfied
    assert worth(buildings={4: built(tile), place: built(16 + beside)}) == 3 + 2 + 2 * satisfied


@pytest.mark.parametrize(
    ("neighbour_of_arrow", "points"),
    [
        (None, 3),
        (built(3), 3 + 1 + 2),
        (built(36), 3 + 3 + 2),
        (built(0, markers=[RED]), 3 + 1 + 2),
        (built(0, markers=[YELLOW, PURPLE]), 3 + 1),
        (built(16, markers=[YELLOW, RED]), 3 + 2 + 2),
        (nearly(3), 3),
        (nearly(36), 3),
        (begun(0, 1, markers=[RED]), 3),
    ],
    ids=["none", "red", "multicoloured", "marker", "other markers", "markers", "begun", "begun multi", "begun marker"],
)
def test_scoring__arrow_needs_a_completed_building_of_its_colour(
    neighbour_of_arrow: dict[str, Any] | None, points: int
) -> None:
    # Tile 28 is green, its arrows north and west are red.
    beside = {} if neighbour_of_arrow is None else {1: neighbour_of_arrow}
    assert worth(buildings={4: built(28), **beside}) == points


def test_scoring__both_arrows() -> None:
    assert worth(buildings={4: built(28), 1: built(3), 3: built(7)}) == 3 + 2 + 2 + 1 + 1


def test_scoring__arrows_of_a_building_under_construction_count_for_nothing() -> None:
    assert worth(buildings={4: nearly(28), 1: built(3), 3: built(7)}) == 2


def test_scoring__own_marker_does_not_satisfy_the_own_arrow() -> None:
    assert worth(buildings={4: built(28, markers=[RED])}) == 3
    # Nor does it change the arrows' colour.
    assert worth(buildings={4: built(28, markers=[YELLOW]), 1: built(1)}) == 3 + 1


@pytest.mark.parametrize(
    ("tile", "place", "buildings"),
    [(28, 3, {2: 3}), (28, 0, {8: 3}), (29, 2, {3: 1}), (29, 8, {0: 1}), (29, 5, {6: 1}), (28, 4, {0: 3, 2: 7})],
)
def test_scoring__arrows_off_the_board(tile: int, place: int, buildings: dict[int, int]) -> None:
    own = {place: built(tile)} | {square: built(other) for square, other in buildings.items()}
    assert worth(buildings=own) == 3 + len(buildings)


def test_scoring__other_players_buildings_do_not_count() -> None:
    state = position("RECYCLE", player(buildings={4: built(28)}), player(buildings={1: built(3), 3: built(7)}))
    assert state.scores() == [3, 2]


def test_scoring__level_2_arrows_are_worth_no_points() -> None:
    assert worth(buildings={4: built(16), 1: built(0), 3: built(4), 5: built(8), 7: built(12)}) == 2 + 4


def test_scoring__level_3_buildings_count_for_each_other() -> None:
    # The green one's east arrow is yellow, the yellow one's west arrow is green.
    assert worth(buildings={3: built(29), 4: built(30)}) == 3 + 2 + 3 + 2


def test_scoring__multicoloured_building_has_no_arrow() -> None:
    assert worth(buildings={4: built(36), 1: built(0), 3: built(1), 5: built(2), 7: built(3)}) == 3 + 4


@pytest.mark.parametrize(("above", "points"), [(0, 1 + 1 + 3 + 2), (6, 1 + 1 + 3 + 2 + 2)], ids=["green", "purple"])
def test_scoring__example_of_the_rulebook(above: int, points: int) -> None:
    # A purple building to the left of the red one satisfies its left arrow. Above stands a green building; if it
    # had been purple, the red one would bring two more points.
    assert worth(buildings={4: built(34), 3: built(2), 1: built(above)}) == points


# Prophecies, artefacts, flowers


def test_scoring__prophecies() -> None:
    state = position("RECYCLE", players=3, prophecies=(0, 4, 8), owners=(2, 0, 2))
    assert state.scores() == [3, 0, 2 + 4]


def test_scoring__satisfied_but_unclaimed_prophecy_is_worth_nothing() -> None:
    assert position("RECYCLE", player(flowers=12), prophecies=(2, 3, 8)).scores() == [4, 0]


@pytest.mark.parametrize(("artefacts", "points"), list(enumerate([0, 1, 3, 6, 10, 14, 18, 22, 26, 30, 34, 38, 42])))
def test_scoring__artefacts(artefacts: int, points: int) -> None:
    assert worth(artefacts=artefacts) == points


def test_scoring__unfinished_artefact_is_worth_nothing() -> None:
    assert worth(artefacts=1, fragments=[0, 2]) == 1


@pytest.mark.parametrize(("flowers", "points"), [(0, 0), (2, 0), (3, 1), (5, 1), (6, 2), (17, 5), (299, 99)])
def test_scoring__flowers(flowers: int, points: int) -> None:
    assert worth(flowers=flowers) == points


def test_scoring__chips_tokens_and_markers_are_worth_nothing() -> None:
    assert worth(chips=[1, 2, 3, 4, 5, 6], buildings={0: built(0, markers=[YELLOW])}) == 1


def test_scoring__everything_together() -> None:
    buildings = {4: built(34), 1: built(2), 3: built(0), 0: built(22), 8: nearly(36)}
    own = player(flowers=8, artefacts=6, buildings=buildings)
    state = position("RECYCLE", player(), own, prophecies=(0, 5, 7), owners=(1, -1, 1))
    assert state.scores() == [0, (3 + 2) + 1 + 1 + 2 + (2 + 3) + 18 + 2]


# Ranks


TIES: dict[str, tuple[list[dict[str, Any]], tuple[int, int, int], list[int], list[int]]] = {
    "points": ([{"flowers": 3}, {"flowers": 6}], (-1, -1, -1), [1, 2], [2, 1]),
    "points before prophecies": ([{"flowers": 9}, {}], (1, -1, -1), [3, 2], [1, 2]),
    "prophecies": ([{"artefacts": 1, "flowers": 5}, {}], (1, -1, -1), [2, 2], [2, 1]),
    "number of prophecies, not their points": ([{"flowers": 4}, {}], (1, 1, 0), [5, 5], [2, 1]),
    "flowers": ([{"flowers": 4}, {"flowers": 5}], (-1, -1, -1), [1, 1], [2, 1]),
    "flowers after equal prophecies": ([{"flowers": 4}, {"flowers": 1}], (0, 1, -1), [3, 3], [1, 2]),
    "shared": ([{"flowers": 4}, {"flowers": 4}], (-1, -1, -1), [1, 1], [1, 1]),
    "chips break no tie": ([{"flowers": 4, "chips": [1]}, {"flowers": 4}], (-1, -1, -1), [1, 1], [1, 1]),
    "markers break no tie": (
        [{"buildings": {0: built(0)}}, {"buildings": {0: built(1, markers=[RED])}}],
        (-1, -1, -1),
        [1, 1],
        [1, 1],
    ),
    "three share": ([{"flowers": 4}, {"flowers": 4}, {"flowers": 4}], (-1, -1, -1), [1, 1, 1], [1, 1, 1]),
    "two behind one": ([{"flowers": 4}, {"flowers": 9}, {"flowers": 4}], (-1, -1, -1), [1, 3, 1], [2, 1, 2]),
    "one behind two": ([{"flowers": 1}, {"flowers": 9}, {"flowers": 9}], (-1, -1, -1), [0, 3, 3], [3, 1, 1]),
    "four": (
        [{"flowers": 4}, {"flowers": 5}, {"flowers": 4}, {"artefacts": 1}],
        (-1, -1, -1),
        [1, 1, 1, 1],
        [2, 1, 2, 4],
    ),
}


@pytest.mark.parametrize("case", TIES)
def test_scoring__ranks(case: str) -> None:
    villages, owners, scores, ranks = TIES[case]
    state = position("OVER", *(player(**own) for own in villages), prophecies=(0, 4, 8), owners=owners)
    assert (state.scores(), state.ranks()) == (scores, ranks)
    assert seen(state, "scores") == scores


# The end


EIGHT = {number: built(number + 8) for number in range(8)}


@pytest.mark.parametrize("way", ["waking", "recycling", "elder", "foreman"])
def test_scoring__ninth_building_triggers_the_end(way: str) -> None:
    buildings = {**EIGHT, 8: nearly(20)}
    course: dict[str, Any] = {"round_number": 5, "elders": (0, 1, ADVANCE_ELDER), "owners": (0, -1, -1)}
    if way == "waking":
        state = position("AWAKEN", player(buildings=buildings), die=6, **course)
        after = play(state, "awaken 8")
    elif way == "recycling":
        after = play(position("RECYCLE", player(buildings=buildings), **course), "use 0 0")
    elif way == "elder":
        state = position("BEFORE_PROPHECY", player(buildings=buildings, chips=[1, 5, 6]), **course)
        after = play(state, "call 2", "advance 8")
    else:
        own = player(buildings=buildings, character=FOREMAN, flowers=2)
        after = play(position("END_TURN", own, **course), "power")
    assert seen(after, "final_round") == 6


def test_scoring__eight_buildings_do_not_trigger_the_end() -> None:
    eight_and_one = {**{number: built(number) for number in range(7)}, 7: begun(16), 8: nearly(20)}
    after = play(position("AWAKEN", player(buildings=eight_and_one), die=6), "awaken 8")
    assert seen(after, "final_round") is None


def test_scoring__nine_buildings_of_two_players_do_not_trigger_the_end() -> None:
    own = player(buildings={8: nearly(20)})
    after = play(position("AWAKEN", own, player(buildings=EIGHT), die=6), "awaken 8")
    assert seen(after, "final_round") is None


def test_scoring__scores_of_a_truncated_game() -> None:
    own = player(flowers=6, buildings={4: built(28), 1: built(3), 8: nearly(36)})
    state = position("END_TURN", player(artefacts=2), own, seat=1, round_number=3, max_rounds=3)
    after = play(state, "pass")
    assert (after.is_over, seen(after, "truncated")) == (True, True)
    assert (after.scores(), after.ranks()) == ([3, 3 + 2 + 1 + 2], [2, 1])
