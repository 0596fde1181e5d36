"""Recycling the die, buying buildings, moving Dunaias (rules, sections 3, 6 and 9)."""

from __future__ import annotations

from typing import Any

import pytest

from dunaia_env.harness.compiled.chance import NeedsDraw, Tape
from dunaia_env.harness.state import GameState

from .positions import (
    ALL_CHIPS,
    START_EDGES,
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

FLOWERS_TILE, MOVES_TILE, ADVANCE_TILE, CHIPS_TILE = 0, 4, 8, 12
# Offers and what they cost.
PRICES = [(0, 1), (1, 2), (2, 2), (3, 3), (4, 3), (5, 4)]


# The common spaces


def test_recycling__flower_space() -> None:
    after = play(position("RECYCLE", player(flowers=2)), "flower")
    assert of(after, 0, "flowers") == 3


def test_recycling__flower_space_is_always_possible() -> None:
    own = player(chips=ALL_CHIPS, buildings={0: begun(0), 1: begun(1), 2: begun(2)})
    state = position("RECYCLE", own)
    assert "flower" in legal(state)
    assert "pass" not in legal(state)
    assert not legal(state, "plug", "start", "use")


@pytest.mark.parametrize("text", ["flower", "move 1 11", "plug 6", "start 0 8"])
def test_recycling__common_spaces_hold_any_number_of_dice(text: str) -> None:
    state = position("RECYCLE", player(flowers=2), player(flowers=2))
    draws = [0] if text == "start 0 8" else []
    state = play(state, text, "take 2", "awaken 2", text, "take 3", "awaken 1", draws=2 * draws)
    assert (state.seat, state.decision) == (0, "RECYCLE")
    assert {"flower", "move 2 11", "plug 5", "start 0 7"} <= set(legal(state))


def test_recycling__chip_space() -> None:
    state = position("RECYCLE", player(chips=[2]))
    assert legal(state, "plug") == ["plug 1", "plug 3", "plug 4", "plug 5", "plug 6"]
    after = play(state, "plug 4")
    assert (of(after, 0, "chips"), after.seat) == ([2, 4], 1)


@pytest.mark.parametrize("left", ALL_CHIPS)
def test_recycling__chip_space_offers_the_reserve(left: int) -> None:
    state = position("RECYCLE", player(chips=[chip for chip in ALL_CHIPS if chip != left]))
    assert legal(state, "plug") == [f"plug {left}"]
    assert of(play(state, f"plug {left}"), 0, "chips") == list(ALL_CHIPS)


def test_recycling__chip_space_needs_a_chip_in_reserve() -> None:
    assert legal(position("RECYCLE", player(chips=ALL_CHIPS)), "plug") == []


def test_recycling__move_space_moves_any_dunaia_once() -> None:
    state = position("RECYCLE")
    assert legal(state, "move") == [
        f"move {dunaia} {edge}" for dunaia in range(1, 7) for edge in range(12) if START_EDGES[dunaia - 1] != edge
    ]
    after = play(state, "move 4 11")
    assert of(after, 0, "dunaias") == [0, 8, 7, 11, 9, 5]
    assert (after.seat, after.decision) == (1, "CHOOSE_DIE")


def test_recycling__no_null_move() -> None:
    state = position("RECYCLE", player(dunaias={1: 3}))
    assert "move 1 3" not in legal(state)
    assert {"move 1 0", "move 2 3"} <= set(legal(state))


def test_recycling__at_most_three_dunaias_on_an_edge() -> None:
    for crowd, room in ((2, True), (3, False)):
        own = player(dunaias=dict.fromkeys(range(1, crowd + 1), 6))
        state = position("RECYCLE", own)
        assert ("move 5 6" in legal(state)) == room
    # One of the three may leave, and then another may come.
    after = play(position("RECYCLE", player(dunaias={1: 6, 2: 6, 3: 6}, buildings={0: built(MOVES_TILE)})), "use 0 0")
    assert "move 5 6" not in legal(after)
    assert "move 5 6" in legal(play(after, "move 1 0"))


def test_recycling__other_players_dunaias_take_no_room() -> None:
    state = position("RECYCLE", player(), player(dunaias={1: 6, 2: 6, 3: 6}))
    assert "move 5 6" in legal(state)


# Starting a building


@pytest.mark.parametrize(("offer", "price"), PRICES)
def test_recycling__prices(offer: int, price: int) -> None:
    assert f"start {offer} 4" not in legal(position("RECYCLE", player(flowers=price - 1)))
    state = position("RECYCLE", player(flowers=price))
    assert f"start {offer} 4" in legal(state)
    after = play(state, f"start {offer} 4", draws=[0])
    tile = seen(state, "pile_top" if offer % 2 else "display")[offer // 2]
    assert (of(after, 0, "flowers"), of(after, 0, "tokens"), square(after, 0, 4)) == (0, 2, begun(tile))


def test_recycling__offers_that_can_be_paid() -> None:
    for flowers in range(5):
        state = position("RECYCLE", player(flowers=flowers))
        starts = [f"start {offer} {number}" for offer, price in PRICES if price <= flowers for number in range(9)]
        assert legal(state, "start") == starts


def test_recycling__start_needs_a_token() -> None:
    two = {0: begun(20), 1: begun(21)}
    assert legal(position("RECYCLE", player(flowers=9, buildings=two)), "start") != []
    assert legal(position("RECYCLE", player(flowers=9, buildings={**two, 2: begun(22)})), "start") == []
    # Completed buildings hold no token.
    completed = {number: built(number) for number in range(6)}
    assert legal(position("RECYCLE", player(flowers=9, buildings=completed)), "start") != []


def test_recycling__start_needs_an_empty_square() -> None:
    buildings: dict[int, dict[str, Any]] = {number: built(number) for number in range(7)}
    state = position("RECYCLE", player(flowers=1, buildings={**buildings, 7: begun(20)}))
    assert legal(state, "start") == ["start 0 8"]
    state = position("RECYCLE", player(flowers=9, buildings={**buildings, 7: begun(20), 8: begun(21)}))
    assert legal(state, "start") == []


def test_recycling__buildings_are_never_replaced() -> None:
    state = position("RECYCLE", player(flowers=1, buildings={4: built(5), 6: begun(20)}))
    assert legal(state, "start") == [f"start 0 {number}" for number in (0, 1, 2, 3, 5, 7, 8)]


def test_recycling__example_norahs_level_3_purchase() -> None:
    norah = player(flowers=4, buildings={4: built(3)})
    state = position("RECYCLE", player(), player(), norah, seat=2, display={2: 34})
    after = play(state, "start 4 5", draws=[(10, 0)])
    assert (of(after, 2, "flowers"), of(after, 2, "tokens"), square(after, 2, 5)) == (1, 2, begun(34))


@pytest.mark.parametrize("level", range(3))
def test_recycling__display_is_refilled_from_the_pile(level: int) -> None:
    state = position("RECYCLE", player(flowers=9))
    top, pile = seen(state, "pile_top")[level], seen(state, "piles")[level]
    after = play(state, f"start {2 * level} 0", draws=[(len(pile), 3)])
    assert (seen(after, "display")[level], seen(after, "pile_top")[level]) == (top, pile[3])
    assert seen(after, "piles")[level] == pile[:3] + pile[4:]


@pytest.mark.parametrize("level", range(3))
def test_recycling__bought_pile_top_reveals_the_next(level: int) -> None:
    state = position("RECYCLE", player(flowers=9))
    shown, pile = seen(state, "display")[level], seen(state, "piles")[level]
    after = play(state, f"start {2 * level + 1} 0", draws=[(len(pile), len(pile) - 1)])
    assert (seen(after, "display")[level], seen(after, "pile_top")[level]) == (shown, pile[-1])
    assert seen(after, "piles")[level] == pile[:-1]


def shortage(left: int, **own: Any) -> GameState:
    """A choice of recycling with so many level 2 tiles left: 27, 26, ... from the display downwards."""
    hoard = {number: built(16 + number) for number in range(9)}
    rest = {number: built(25 + number) for number in range(3 - left)}
    tiles = list(range(27, 27 - left, -1))
    display, pile_top = dict(zip([1], tiles[:1], strict=False)), dict(zip([1], tiles[1:2], strict=False))
    return position(
        "RECYCLE", player(flowers=9, buildings=rest, **own), player(buildings=hoard), display=display, pile_top=pile_top
    )


def test_recycling__last_tiles_of_a_level() -> None:
    state = shortage(3)
    assert (seen(state, "display")[1], seen(state, "pile_top")[1], seen(state, "piles")[1]) == (27, 26, [25])
    # A single tile below is still drawn.
    after = play(state, "start 2 5", draws=[(1, 0)])
    assert (seen(after, "display")[1], seen(after, "pile_top")[1], seen(after, "piles")[1]) == (26, 25, [])
    # Nothing is drawn from an empty pile.
    state = shortage(2)
    after = play(state, "start 2 5")
    assert (seen(after, "display")[1], seen(after, "pile_top")[1]) == (26, -1)
    after = play(state, "start 3 5")
    assert (seen(after, "display")[1], seen(after, "pile_top")[1]) == (27, -1)
    state = shortage(1)
    assert "start 2 5" in legal(state)
    assert not [text for text in legal(state) if text.startswith("start 3")]
    after = play(state, "start 2 5")
    assert (seen(after, "display")[1], seen(after, "pile_top")[1]) == (-1, -1)
    assert not [text for text in legal(shortage(0)) if text.startswith(("start 2", "start 3"))]


def test_recycling__start_needs_the_draw_of_the_next_top() -> None:
    state = position("RECYCLE", player(flowers=9))
    before = state.to_dict()
    with pytest.raises(NeedsDraw) as caught:
        state.apply("start 5 8", Tape())
    assert (caught.value.n, state.to_dict()) == (10, before)


# Level 1 buildings


@pytest.mark.parametrize("colour", range(4))
def test_recycling__building_of_flowers(colour: int) -> None:
    after = play(position("RECYCLE", player(buildings={3: built(FLOWERS_TILE + colour)})), "use 0 3")
    assert (of(after, 0, "flowers"), square(after, 0, 3)["die"]) == (3, True)


def test_recycling__building_of_moves() -> None:
    state = play(position("RECYCLE", player(buildings={3: built(MOVES_TILE)})), "use 0 3")
    assert (state.decision, seen(state, "pending")["moves"], legal(state)[-1]) == ("MOVE", 3, "pass")
    after = play(state, "move 1 2", "move 1 0", "move 6 2")
    assert (after.seat, of(after, 0, "dunaias")) == (1, [0, 8, 7, 10, 9, 2])
    after = play(state, "move 1 2", "pass")
    assert (after.seat, of(after, 0, "dunaias")) == (1, [2, 8, 7, 10, 9, 5])
    assert play(state, "pass").seat == 1


def test_recycling__building_of_chips() -> None:
    state = play(position("RECYCLE", player(buildings={3: built(CHIPS_TILE)})), "use 0 3")
    assert (state.decision, legal(state)) == ("PLUG", [f"plug {chip}" for chip in ALL_CHIPS])
    state = play(state, "plug 5")
    assert (state.decision, legal(state)) == ("PLUG", [f"plug {chip}" for chip in (1, 2, 3, 4, 6)])
    assert of(play(state, "plug 1"), 0, "chips") == [1, 5]


def test_recycling__building_of_an_advance() -> None:
    own = player(buildings={3: built(ADVANCE_TILE), 0: begun(16, 1), 8: begun(1)})
    state = play(position("RECYCLE", own), "use 0 3")
    # It cannot be declined.
    assert (state.decision, legal(state)) == ("ADVANCE", ["advance 0", "advance 8"])
    after = play(state, "advance 0")
    assert (square(after, 0, 0), square(after, 0, 8)) == (begun(16, 2), begun(1))


def test_recycling__single_construction_is_advanced_unasked() -> None:
    own = player(buildings={3: built(ADVANCE_TILE), 0: nearly(16)})
    after = play(position("RECYCLE", own), "use 0 3")
    assert (after.seat, square(after, 0, 0), of(after, 0, "tokens")) == (1, built(16), 3)


def test_recycling__advance_completes_the_ninth_building() -> None:
    buildings = {number: built(number + 8) for number in range(8)} | {8: nearly(16)}
    after = play(position("RECYCLE", player(buildings=buildings), round_number=2), "use 0 0")
    assert (seen(after, "final_round"), square(after, 0, 8)) == (3, built(16))


@pytest.mark.parametrize(
    ("tile", "own"),
    [(CHIPS_TILE, {"chips": ALL_CHIPS}), (ADVANCE_TILE, {}), (MOVES_TILE, {})],
    ids=["no chip in reserve", "nothing under construction", "no wish to move"],
)
def test_recycling__building_may_be_used_without_effect(tile: int, own: dict[str, Any]) -> None:
    state = position("RECYCLE", player(buildings={3: built(tile)}, **own))
    before = of(state, 0, "dunaias"), of(state, 0, "chips"), of(state, 0, "flowers")
    after = play(state, "use 0 3", *(["pass"] if tile == MOVES_TILE else []))
    assert after.decision in ("BEFORE_PROPHECY", "CHOOSE_DIE")
    assert (of(after, 0, "dunaias"), of(after, 0, "chips"), of(after, 0, "flowers")) == before
    assert square(after, 0, 3)["die"]


@pytest.mark.parametrize(
    ("building", "usable"),
    [
        (built(FLOWERS_TILE), True),
        (built(FLOWERS_TILE, markers=[1, 2, 3]), True),
        (built(FLOWERS_TILE, die=True), False),
        (nearly(FLOWERS_TILE), False),
        (built(16), False),
        (built(28), False),
        (built(39), False),
    ],
)
@pytest.mark.parametrize("owner", [0, 1])
def test_recycling__completed_free_level_1_buildings_only(owner: int, building: dict[str, Any], usable: bool) -> None:
    villages = [player(flowers=1), player(buildings={6: building})]
    if owner == 0:
        villages = [player(buildings={6: building}), player()]
    # In round 2 dice have been recycled, so one may lie on the building.
    state = position("RECYCLE", *villages, round_number=2)
    assert legal(state, "use") == ([f"use {owner} 6"] if usable else [])


def test_recycling__other_players_buildings_by_seat_offset() -> None:
    villages = [player(flowers=5, buildings={number: built(number)}) for number in range(4)]
    for seat in range(4):
        state = position("RECYCLE", *villages, seat=seat)
        assert legal(state, "use") == [f"use {offset} {(seat + offset) % 4}" for offset in range(4)]
        for offset in range(4):
            owner = (seat + offset) % 4
            after = play(state, f"use {offset} {owner}")
            flowers = [of(after, number, "flowers") for number in range(4)]
            assert sum(flowers) == 23
            assert flowers[seat] == (8 if offset == 0 else 7)
            assert flowers[owner] == (8 if offset == 0 else 6)
            assert square(after, owner, owner)["die"]


def test_recycling__example_cecile_on_another_players_building() -> None:
    thomas, cecile = player(flowers=2, buildings={2: built(FLOWERS_TILE)}), player(flowers=1)
    state = position("RECYCLE", thomas, cecile, player(flowers=3), seat=1)
    after = play(state, "use 2 2")
    assert [of(after, seat, "flowers") for seat in range(3)] == [3, 3, 3]
    # Nobody, not even the owner, can use it until the dice are rolled again.
    after = play(after, "take 2", "awaken 2")
    assert (after.seat, legal(after, "use")) == (2, [])
    after = play(after, "flower", "awaken 0")
    assert (after.seat, legal(after, "use")) == (0, [])


def test_recycling__flower_for_the_owner_must_be_in_hand_before_the_gain() -> None:
    villages = player(buildings={0: built(1)}), player(buildings={0: built(FLOWERS_TILE)})
    assert legal(position("RECYCLE", *villages), "use") == ["use 0 0"]


def test_recycling__effect_is_the_users() -> None:
    thomas = player(flowers=1, chips=[1], buildings={0: begun(16), 1: begun(17)})
    others = {3: built(ADVANCE_TILE), 4: built(CHIPS_TILE), 5: built(MOVES_TILE), 0: begun(18)}
    state = position("RECYCLE", thomas, player(buildings=others))
    after = play(state, "use 1 3", "advance 1")
    assert (square(after, 0, 1)["steps"], square(after, 1, 0)["steps"], of(after, 1, "flowers")) == (1, 0, 1)
    after = play(state, "use 1 4", "plug 2", "plug 3")
    assert (of(after, 0, "chips"), of(after, 1, "chips")) == ([1, 2, 3], [])
    after = play(state, "use 1 5", "move 1 3", "pass")
    assert (of(after, 0, "dunaias")[0], of(after, 1, "dunaias")[0]) == (3, 0)


def test_recycling__building_completed_this_turn_may_be_used() -> None:
    state = play(position("AWAKEN", player(buildings={7: nearly(FLOWERS_TILE)}), die=4), "awaken 7")
    assert (legal(state, "use"), of(state, 0, "flowers")) == (["use 0 7"], 1)
    after = play(state, "use 0 7")
    assert (of(after, 0, "flowers"), square(after, 0, 7)["die"]) == (4, True)


def test_recycling__building_can_be_completed_by_the_recycling_before_its_use() -> None:
    # Advancing is the effect itself, so the building that it completes has to wait for the next turn's die.
    own = player(buildings={3: built(ADVANCE_TILE), 7: nearly(FLOWERS_TILE)})
    after = play(position("RECYCLE", own), "use 0 3")
    assert (after.seat, square(after, 0, 7)) == (1, built(FLOWERS_TILE))


def test_recycling__buildings_of_a_player_are_used_one_after_another() -> None:
    own = player(buildings={0: built(0), 1: built(1)})
    state = position("RECYCLE", own, player(flowers=1))
    state = play(state, "use 0 0", "take 2", "awaken 2")
    assert legal(state, "use") == ["use 1 1"]
    state = play(state, "use 1 1", "take 3", "awaken 1")
    assert legal(state, "use") == []
