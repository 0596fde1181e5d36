"""Calling elders and assembling artefacts (rules, sections 4 and 9)."""

from __future__ import annotations

from typing import Any

import pytest

from dunaia_env.dunaia.state import GREEN, MERCHANT, PURPLE, RED, YELLOW
from dunaia_env.harness.compiled.chance import NeedsDraw, Tape
from dunaia_env.harness.state import GameState

from .positions import (
    ADVANCE_ELDER,
    ALL_CHIPS,
    COLOUR_ELDER,
    FLOWERS_ELDER,
    MOVES_ELDER,
    SEARCH_ELDER,
    WINDOWS,
    begun,
    built,
    legal,
    nearly,
    of,
    play,
    player,
    position,
    seen,
    square,
)

OTHERS = {elder: [other for other in range(5) if other != elder][:2] for elder in range(5)}


def audience(elder: int, *villages: dict[str, Any], decision: str = "RECYCLE", **course: Any) -> GameState:
    """Before a call of an elder at space 0 (chips 1, 2 and another one)."""
    return position(decision, *villages, elders=(elder, *OTHERS[elder]), **course)


def caller(*, chips: tuple[int, ...] = (1, 2, 3), **own: Any) -> dict[str, Any]:
    """A player who can pay space 0 in one way only, so that the third chip is not asked for."""
    return player(chips=chips, **own)


# Cost


@pytest.mark.parametrize(("space", "pair"), [(0, (1, 2)), (1, (3, 4)), (2, (5, 6))])
def test_elders__cost_two_printed_chips_and_another(space: int, pair: tuple[int, int]) -> None:
    own = player(chips=ALL_CHIPS, buildings={0: begun(0)})
    state = position("RECYCLE", own, elders=(FLOWERS_ELDER, MOVES_ELDER, ADVANCE_ELDER))
    state = play(state, f"call {space}")
    rest = [chip for chip in ALL_CHIPS if chip not in pair]
    # The printed ones are in reserve at once, the third is chosen.
    assert (state.decision, of(state, 0, "chips")) == ("DISCARD", rest)
    assert legal(state) == [f"discard {chip}" for chip in rest]
    after = play(state, f"discard {rest[2]}")
    assert of(after, 0, "chips") == [chip for chip in rest if chip != rest[2]]


@pytest.mark.parametrize(
    ("chips", "calls"),
    [
        ((), []),
        ((1, 2), []),
        ((1, 3, 4), [1]),
        ((2, 3, 5), []),
        ((1, 2, 6), [0]),
        ((3, 4, 5), [1]),
        ((5, 6), []),
        ((4, 5, 6), [2]),
        ((1, 3, 5, 6), [2]),
        ((1, 2, 3, 4), [0, 1]),
        ((1, 3, 4, 5, 6), [1, 2]),
        (ALL_CHIPS, [0, 1, 2]),
    ],
)
def test_elders__calls_that_can_be_paid(chips: tuple[int, ...], calls: list[int]) -> None:
    own = player(chips=chips, buildings={0: begun(0)})
    assert legal(position("RECYCLE", own), "call") == [f"call {space}" for space in calls]


def test_elders__single_third_chip_is_not_asked() -> None:
    after = play(position("RECYCLE", player(chips=[1, 2, 6])), "call 0")
    assert (after.decision, of(after, 0, "chips"), of(after, 0, "flowers")) == ("RECYCLE", [], 2)


def test_elders__discarded_chips_can_be_plugged_again() -> None:
    after = play(position("RECYCLE", player(chips=[1, 2, 6])), "call 0")
    assert legal(after, "plug") == [f"plug {chip}" for chip in ALL_CHIPS]


def test_elders__other_players_chips_do_not_count() -> None:
    assert legal(position("RECYCLE", player(), player(chips=ALL_CHIPS)), "call") == []


# Windows


@pytest.mark.parametrize("decision", WINDOWS)
def test_elders__any_number_of_calls_in_every_window(decision: str) -> None:
    state = position(decision, player(chips=ALL_CHIPS, buildings={0: begun(16)}))
    assert legal(state, "call") == ["call 0", "call 1", "call 2"]
    state = play(state, "call 0", "discard 3")
    assert (state.decision, legal(state, "call"), of(state, 0, "flowers")) == (decision, ["call 2"], 2)
    state = play(state, "call 2", "advance 0")
    if decision in ("BEFORE_PROPHECY", "END_TURN"):
        # Nothing is left but to pass, so the next player's turn has begun.
        assert (state.seat, state.decision) == (1, "CHOOSE_DIE")
    else:
        assert (state.seat, state.decision, legal(state, "call")) == (0, decision, [])
    assert (square(state, 0, 0)["steps"], of(state, 0, "chips"), of(state, 0, "fragments")) == (1, [], [0, 2])


def test_elders__gains_of_a_call_serve_the_phase_that_follows() -> None:
    state = position("RECYCLE", caller())
    assert legal(state, "start") == []
    assert legal(play(state, "call 0"), "start")[-1] == "start 2 8"


def test_elders__building_completed_by_a_call_may_be_used_at_once() -> None:
    state = audience(ADVANCE_ELDER, caller(buildings={5: nearly(0)}))
    state = play(state, "call 0", "advance 5")
    assert (state.decision, legal(state, "use")) == ("RECYCLE", ["use 0 5"])


# Flowers, moves, advance


def test_elders__flowers() -> None:
    after = play(audience(FLOWERS_ELDER, caller(flowers=1)), "call 0")
    assert (of(after, 0, "flowers"), after.decision) == (3, "RECYCLE")


@pytest.mark.parametrize(
    ("texts", "dunaias"),
    [
        (["pass"], [0, 8, 7, 10, 9, 5]),
        (["move 2 0", "pass"], [0, 0, 7, 10, 9, 5]),
        (["move 2 0", "move 3 1"], [0, 0, 1, 10, 9, 5]),
        (["move 2 0", "move 2 8"], [0, 8, 7, 10, 9, 5]),
    ],
)
def test_elders__up_to_two_moves(texts: list[str], dunaias: list[int]) -> None:
    state = play(audience(MOVES_ELDER, caller()), "call 0")
    assert (state.decision, seen(state, "pending")["moves"]) == ("MOVE", 2)
    after = play(state, *texts)
    assert (after.decision, of(after, 0, "dunaias"), of(after, 0, "fragments")) == ("RECYCLE", dunaias, [0])


def test_elders__moving_the_woken_dunaia_later_cancels_nothing() -> None:
    state = play(audience(MOVES_ELDER, caller(), die=4), "call 0", "move 4 0", "pass", "flower")
    state = play(state, "take 2", "awaken 2", "flower", "take 4", "awaken 1")
    assert (of(state, 0, "flowers"), of(state, 0, "chips")) == (2, [4])


def test_elders__advance() -> None:
    own = caller(buildings={2: begun(0), 6: begun(28, 2)})
    state = play(audience(ADVANCE_ELDER, own), "call 0")
    assert (state.decision, legal(state)) == ("ADVANCE", ["advance 2", "advance 6", "pass"])
    after = play(state, "advance 6")
    assert (square(after, 0, 6), square(after, 0, 2)) == (begun(28, 3), begun(0))
    after = play(state, "pass")
    assert (square(after, 0, 6), square(after, 0, 2)) == (begun(28, 2), begun(0))
    assert (after.decision, of(after, 0, "fragments")) == ("RECYCLE", [0])


def test_elders__advance_completes_the_ninth_building() -> None:
    own = caller(buildings={number: built(number) for number in range(8)} | {8: nearly(16)})
    state = play(audience(ADVANCE_ELDER, own, round_number=2), "call 0")
    assert seen(play(state, "advance 8"), "final_round") == 3
    assert seen(play(state, "pass"), "final_round") is None


def test_elders__example_cecile_completes_an_artefact() -> None:
    # Chips 5, 6 and another one; construction goes on; the third fragment completes the artefact.
    cecile = player(chips=[3, 4, 5, 6], buildings={1: begun(20, 1)}, fragments=[0, 1], flowers=1)
    state = position("END_TURN", player(), cecile, seat=1, elders=(SEARCH_ELDER, MOVES_ELDER, ADVANCE_ELDER))
    assert legal(state, "call") == ["call 1", "call 2"]
    state = play(state, "call 2", "discard 3", "advance 1")
    assert (square(state, 1, 1), of(state, 1, "chips")) == (begun(20, 2), [4])
    assert (of(state, 1, "fragments"), of(state, 1, "artefacts"), state.scores()) == ([], 1, [0, 1])
    assert seen(state, "fragments") == [11, 11, 11]


# Fragments


@pytest.mark.parametrize("space", range(3))
def test_elders__fragment_beside_the_elder(space: int) -> None:
    own = player(chips=ALL_CHIPS, buildings={0: begun(0)})
    state = play(position("RECYCLE", own), f"call {space}", "discard " + "361"[space])
    while state.decision != "RECYCLE":
        state = play(state, "pass")
    assert of(state, 0, "fragments") == [space]
    assert seen(state, "fragments") == [11 if kind == space else 12 for kind in range(3)]


def test_elders__fragment_comes_after_the_power() -> None:
    state = play(audience(MOVES_ELDER, caller()), "call 0")
    assert (of(state, 0, "fragments"), seen(state, "fragments")) == ([], [12, 12, 12])
    state = play(state, "move 2 0", "pass")
    assert (of(state, 0, "fragments"), seen(state, "fragments")) == ([0], [11, 12, 12])


def test_elders__type_in_the_unfinished_artefact_is_not_taken() -> None:
    after = play(position("RECYCLE", caller(fragments=[0, 2])), "call 0")
    assert (of(after, 0, "flowers"), of(after, 0, "fragments"), of(after, 0, "artefacts")) == (2, [0, 2], 0)
    assert seen(after, "fragments") == [11, 12, 11]


def test_elders__next_artefact_begins_after_the_last() -> None:
    own = player(chips=ALL_CHIPS, fragments=[1, 2], artefacts=1)
    state = play(position("RECYCLE", own), "call 0", "discard 5")
    assert (of(state, 0, "fragments"), of(state, 0, "artefacts")) == ([], 2)
    state = play(state, "call 1", "pass")
    assert (of(state, 0, "fragments"), of(state, 0, "artefacts")) == ([1], 2)


def test_elders__fragments_run_out() -> None:
    # Twelve artefacts hold all fragments: the power alone remains.
    collector = player(artefacts=12)
    state = position("RECYCLE", player(chips=ALL_CHIPS), collector)
    assert seen(state, "fragments") == [0, 0, 0]
    assert legal(state, "call") == ["call 0", "call 1"]  # the advance of space 2 has nothing to advance
    after = play(state, "call 0", "discard 3")
    assert (of(after, 0, "flowers"), of(after, 0, "fragments"), seen(after, "fragments")) == (2, [], [0, 0, 0])


def test_elders__last_fragment_of_a_type() -> None:
    state = position("RECYCLE", caller(), player(artefacts=11))
    after = play(state, "call 0")
    assert (of(after, 0, "fragments"), seen(after, "fragments")) == ([0], [0, 1, 1])


# When a call can do something

EMPTY_HANDED: dict[str, tuple[int, dict[str, Any], bool]] = {
    "flowers": (FLOWERS_ELDER, {}, True),
    "moves": (MOVES_ELDER, {}, True),
    "advance without construction": (ADVANCE_ELDER, {"buildings": {0: built(0)}}, False),
    "advance with construction": (ADVANCE_ELDER, {"buildings": {0: begun(0)}}, True),
    "search without the price": (SEARCH_ELDER, {"flowers": 1}, False),
    "search with the price": (SEARCH_ELDER, {"flowers": 2}, True),
    "search with the merchant's price": (SEARCH_ELDER, {"flowers": 1, "character": MERCHANT}, True),
    "search without a token": (
        SEARCH_ELDER,
        {"flowers": 9, "buildings": {0: begun(0), 1: begun(1), 2: begun(2)}},
        False,
    ),
    "search without a square": (
        SEARCH_ELDER,
        {"flowers": 9, "buildings": {number: built(number) for number in range(9)}},
        False,
    ),
    "colour without a building": (COLOUR_ELDER, {}, False),
    "colour with a completed building": (COLOUR_ELDER, {"buildings": {0: built(0)}}, True),
    "colour with a building under construction": (COLOUR_ELDER, {"buildings": {0: begun(0)}}, True),
    "colour with multicoloured ones only": (COLOUR_ELDER, {"buildings": {0: built(36), 1: begun(37)}}, False),
    "colour with a building that has all": (
        COLOUR_ELDER,
        {"buildings": {0: built(0, markers=[YELLOW, PURPLE, RED])}},
        False,
    ),
    "colour with a building that lacks one": (
        COLOUR_ELDER,
        {"buildings": {0: built(0, markers=[YELLOW, PURPLE])}},
        True,
    ),
}


@pytest.mark.parametrize("case", EMPTY_HANDED)
def test_elders__call_must_do_something(case: str) -> None:
    elder, own, useful = EMPTY_HANDED[case]
    # The fragment is in the unfinished artefact already, so the power decides.
    assert legal(audience(elder, caller(fragments=[0], **own)), "call") == (["call 0"] if useful else [])
    assert legal(audience(elder, caller(**own), player(artefacts=12)), "call") == (["call 0"] if useful else [])


@pytest.mark.parametrize("case", [case for case, (_, _, useful) in EMPTY_HANDED.items() if not useful])
def test_elders__power_without_a_choice_ends_silently_and_the_fragment_is_taken(case: str) -> None:
    elder, own, _ = EMPTY_HANDED[case]
    state = audience(elder, caller(**own))
    after = play(state, "call 0")
    assert (after.decision, of(after, 0, "fragments"), of(after, 0, "chips")) == ("RECYCLE", [0], [])
    for key in ("squares", "flowers", "tokens", "dunaias"):
        assert of(after, 0, key) == of(state, 0, key)


def test_elders__colour_needs_a_marker_that_is_left() -> None:
    # All markers but the green ones are on the other player's buildings; a green building has no use for those.
    other = player(buildings={k: built(4 * k, markers=[YELLOW, PURPLE, RED]) for k in (1, 2, 3)})
    state = audience(COLOUR_ELDER, caller(fragments=[0], buildings={0: built(0)}), other)
    assert (seen(state, "colour_markers"), legal(state, "call")) == ([3, 0, 0, 0], [])
    state = audience(COLOUR_ELDER, caller(fragments=[0], buildings={0: built(1), 1: built(2)}), other)
    state = play(state, "call 0")
    assert legal(state) == ["colour 0 0", "colour 0 1", "pass"]


# Search


def test_elders__search_looks_through_the_piles_that_can_be_paid() -> None:
    state = audience(SEARCH_ELDER, caller(flowers=3), display={0: 5, 1: 27}, pile_top={0: 3, 1: 16})
    state = play(state, "call 0")
    # The visible tops are among them, the displayed tiles are not; level 3 is too dear.
    found = [tile for tile in range(28) if tile not in (5, 27)]
    assert (state.decision, legal(state)) == ("SEARCH", [*(f"search {tile}" for tile in found), "pass"])


@pytest.mark.parametrize(("character", "discount"), [(-1, 0), (MERCHANT, 1)])
def test_elders__search_costs_the_pile_price(character: int, discount: int) -> None:
    for flowers in range(6):
        own = caller(flowers=flowers, character=character, fragments=[])
        state = play(audience(SEARCH_ELDER, own), "call 0")
        levels = [level for level, price in enumerate((2, 3, 4)) if price - discount <= flowers]
        assert (state.decision == "SEARCH") == bool(levels)
        for level in levels:
            tile = seen(state, "piles")[level][0]
            after = play(state, f"search {tile}", "start 7 4", draws=[0])
            assert of(after, 0, "flowers") == flowers + discount - (2, 3, 4)[level]


def test_elders__found_tile_is_bound_to_be_placed() -> None:
    state = audience(SEARCH_ELDER, caller(flowers=4, buildings={4: built(15)}))
    state = play(state, "call 0", "search 33")
    assert state.decision == "PLACE"
    assert legal(state) == [f"start 7 {number}" for number in (0, 1, 2, 3, 5, 6, 7, 8)]
    assert seen(state, "pending")["found"] == 33
    assert (33 in seen(state, "piles")[2], of(state, 0, "flowers"), of(state, 0, "fragments")) == (False, 4, [])
    after = play(state, "start 7 8", draws=[5])
    assert (square(after, 0, 8), of(after, 0, "tokens"), of(after, 0, "flowers")) == (begun(33), 2, 0)
    assert (of(after, 0, "fragments"), after.decision, seen(after, "die")) == ([0], "RECYCLE", 1)


def test_elders__searched_pile_is_reshuffled_with_its_old_top() -> None:
    state = audience(SEARCH_ELDER, caller(flowers=3), display={1: 16}, pile_top={1: 20})
    below = seen(state, "piles")[1]
    assert below == [17, 18, 19, 21, 22, 23, 24, 25, 26, 27]
    state = play(state, "call 0", "search 25")
    # 20 goes back among the nine others: ten outcomes, the old top may come up again.
    after = play(state, "start 7 0", draws=[(10, 3)])
    assert (seen(after, "pile_top")[1], seen(after, "display")[1]) == (20, 16)
    after = play(state, "start 7 0", draws=[(10, 9)])
    assert seen(after, "pile_top")[1] == 27
    assert seen(after, "piles")[1] == [17, 18, 19, 20, 21, 22, 23, 24, 26]


def test_elders__visible_top_can_be_searched() -> None:
    state = audience(SEARCH_ELDER, caller(flowers=3), display={1: 16}, pile_top={1: 20})
    state = play(state, "call 0", "search 20")
    assert (seen(state, "pile_top")[1], seen(state, "pending")["found"]) == (-1, 20)
    after = play(state, "start 7 0", draws=[(10, 3)])
    assert (square(after, 0, 0), seen(after, "pile_top")[1]) == (begun(20), 21)
    assert seen(after, "piles")[1] == [17, 18, 19, 22, 23, 24, 25, 26, 27]


def test_elders__other_piles_stay_as_they_are() -> None:
    state = audience(SEARCH_ELDER, caller(flowers=3))
    after = play(state, "call 0", "search 25", "start 7 0", draws=[0])
    for key in ("display", "pile_top", "piles"):
        assert seen(after, key)[0] == seen(state, key)[0]
        assert seen(after, key)[2] == seen(state, key)[2]
    assert seen(after, "display")[1] == seen(state, "display")[1]


def test_elders__declined_search_changes_nothing() -> None:
    state = audience(SEARCH_ELDER, caller(flowers=4))
    after = play(state, "call 0", "pass")
    for key in ("display", "pile_top", "piles"):
        assert seen(after, key) == seen(state, key)
    assert (of(after, 0, "flowers"), of(after, 0, "tokens"), of(after, 0, "fragments")) == (4, 3, [0])
    assert (after.decision, of(after, 0, "chips")) == ("RECYCLE", [])


@pytest.mark.parametrize("left", [2, 3])
def test_elders__search_of_the_last_tiles(left: int) -> None:
    # Of level 2 the display (27) and one or two tiles of the pile are left.
    hoard = player(buildings={number: built(16 + number) for number in range(9)})
    own = caller(flowers=3, buildings={0: built(25)} if left == 2 else {})
    state = audience(SEARCH_ELDER, own, hoard, display={1: 27}, pile_top={1: 26})
    state = play(state, "call 0", "search 26")
    after = play(state, "start 7 5", draws=[(1, 0)] if left == 3 else [])
    assert (seen(after, "display")[1], seen(after, "pile_top")[1]) == (27, 25 if left == 3 else -1)
    assert seen(after, "piles")[1] == []


def test_elders__empty_piles_cannot_be_searched() -> None:
    hoard = player(buildings={number: built(16 + number) for number in range(9)})
    own = caller(flowers=3, buildings={0: built(25), 1: built(26)})
    state = play(audience(SEARCH_ELDER, own, hoard, display={1: 27}), "call 0")
    level_2 = {f"search {tile}" for tile in range(16, 28)}
    assert state.decision == "SEARCH"
    assert level_2.isdisjoint(legal(state))


def test_elders__single_empty_square_is_not_asked() -> None:
    own = caller(flowers=2, buildings={number: built(number) for number in range(8)})
    after = play(audience(SEARCH_ELDER, own), "call 0", "search 12", draws=[(6, 0)])
    assert (after.decision, square(after, 0, 8), of(after, 0, "flowers")) == ("RECYCLE", begun(12), 0)


def test_elders__search_with_a_tape_too_short_leaves_the_state_unchanged() -> None:
    state = play(audience(SEARCH_ELDER, caller(flowers=2)), "call 0", "search 12")
    before = state.to_dict()
    with pytest.raises(NeedsDraw):
        state.apply("start 7 0", Tape())
    assert state.to_dict() == before
    assert GameState.from_dict(before) == state


# Colour markers


def test_elders__markers_go_on_own_buildings_that_lack_the_colour() -> None:
    own = caller(buildings={0: built(0), 4: begun(17, 1, markers=[RED]), 8: built(39)})
    state = play(audience(COLOUR_ELDER, own, player(buildings={1: built(1)})), "call 0")
    expected = ["colour 0 4", "colour 1 0", "colour 2 0", "colour 2 4", "colour 3 0", "pass"]
    assert (state.decision, legal(state)) == ("COLOUR", expected)
    after = play(state, "colour 2 4")
    assert (square(after, 0, 4), seen(after, "colour_markers")) == (begun(17, 1, markers=[PURPLE, RED]), [3, 3, 2, 2])
    assert (after.decision, of(after, 0, "fragments")) == ("RECYCLE", [0])


def test_elders__colour_can_be_declined() -> None:
    state = audience(COLOUR_ELDER, caller(buildings={0: built(0)}))
    after = play(state, "call 0", "pass")
    assert (square(after, 0, 0), seen(after, "colour_markers")) == (built(0), [3, 3, 3, 3])
    assert of(after, 0, "fragments") == [0]


def test_elders__three_markers_of_each_colour() -> None:
    other = player(buildings={number: built(number, markers=[RED]) for number in range(3)})
    state = play(audience(COLOUR_ELDER, caller(buildings={0: built(4)}), other), "call 0")
    assert (seen(state, "colour_markers"), legal(state, "colour")) == ([3, 3, 3, 0], ["colour 1 0", "colour 2 0"])


def test_elders__building_keeps_its_own_colour_beside_the_marker() -> None:
    # The red marker makes a green neighbour count for a red level 2 building, and it still counts for a green one.
    own = caller(buildings={7: built(19), 5: built(16), 8: built(0)}, dunaias={1: 4, 2: 8})
    state = audience(COLOUR_ELDER, own, decision="AWAKEN")
    marked = play(state, "call 0", f"colour {RED} 8")
    assert of(play(state, "awaken 7"), 0, "flowers") == 2  # 1 of the empty square 6
    assert of(play(marked, "awaken 7"), 0, "flowers") == 3
    own = caller(buildings={5: built(16), 8: built(0, markers=[RED])}, dunaias={1: 8})
    assert of(play(position("AWAKEN", own), "awaken 5"), 0, "flowers") == 3  # 1 of the empty square 2


def test_elders__marker_put_on_a_construction_counts_when_it_is_completed() -> None:
    own = player(buildings={4: built(16), 7: begun(3, 1, markers=[GREEN])})
    state = position("AWAKEN", own, die=4)
    assert of(play(state, "awaken 4"), 0, "flowers") == 1
    after = play(state, "awaken 7")
    assert (of(after, 0, "flowers"), square(after, 0, 7)) == (2, built(3, markers=[GREEN]))


def test_elders__marker_counts_for_the_score() -> None:
    # The green level 3 building's north arrow is red.
    own = caller(buildings={4: built(28), 1: built(0)})
    state = audience(COLOUR_ELDER, own)
    assert state.scores() == [4, 0]
    assert play(state, "call 0", f"colour {RED} 1").scores() == [6, 0]
