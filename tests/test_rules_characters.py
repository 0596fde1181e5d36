"""Elite characters (rules, sections 5 and 9)."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from dunaia_env.dunaia.components import load
from dunaia_env.dunaia.state import ARCHITECT, FOREMAN, MERCHANT, MYSTIC, NONE, SHEPHERD, TRICKSTER

from .positions import (
    MOVES_ELDER,
    START_EDGES,
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

OTHER_CHARACTERS = {character: [other for other in (NONE, *range(6)) if other != character] for character in range(6)}


# Merchant


@pytest.mark.parametrize(("offer", "price"), [(0, 0), (1, 1), (2, 1), (3, 2), (4, 2), (5, 3)])
def test_characters__merchant_pays_one_flower_less(offer: int, price: int) -> None:
    state = position("RECYCLE", player(flowers=price, character=MERCHANT))
    assert of(play(state, f"start {offer} 4", draws=[0]), 0, "flowers") == 0
    if price > 0:
        assert f"start {offer} 4" not in legal(position("RECYCLE", player(flowers=price - 1, character=MERCHANT)))


def test_characters__merchants_price_is_never_below_0(tmp_path: Path) -> None:
    text = files("dunaia_env.dunaia").joinpath("components.toml").read_text(encoding="utf-8")
    path = tmp_path / "components.toml"
    path.write_text(text.replace("level_1 = [1, 2]", "level_1 = [0, 1]"), encoding="utf-8")
    for flowers in (0, 1):
        own = player(flowers=flowers, character=MERCHANT)
        state = position("RECYCLE", own, components=load(path))
        for offer in (0, 1):
            assert of(play(state, f"start {offer} 4", draws=[0]), 0, "flowers") == flowers


def test_characters__merchants_discount_is_not_for_others() -> None:
    state = position("RECYCLE", player(), player(character=MERCHANT))
    assert legal(state, "start") == []


# Trickster


def test_characters__trickster_may_turn_the_die() -> None:
    state = position("CHOOSE_DIE", player(character=TRICKSTER), neutral=[1, 1, 2, 5, 5])
    assert legal(state) == ["take 1", "take 2", "take 5", "take_flipped 1", "take_flipped 2", "take_flipped 5"]
    for face in (1, 2, 5):
        after = play(state, f"take_flipped {face}")
        assert (after.decision, seen(after, "die")) == ("AWAKEN", 7 - face)
        assert seen(after, "dice")["neutral"][face - 1] == seen(state, "dice")["neutral"][face - 1] - 1
        assert seen(play(state, f"take {face}"), "die") == face
    # It is the turned face's Dunaia that wakes: 6, not 1.
    after = play(state, "take_flipped 1")
    assert legal(after) == ["awaken 7", "awaken 8"]
    assert (seen(play(after, "awaken 7"), "woken"), of(play(after, "awaken 7"), 0, "chips")) == (6, [6])


def test_characters__trickster_may_turn_the_own_die() -> None:
    state = position("CHOOSE_DIE", player(), player(character=TRICKSTER), seat=1, round_number=3, own=(1, 2))
    assert legal(state) == ["take 2", "take_flipped 2"]
    after = play(state, "take_flipped 2")
    assert (seen(after, "die"), seen(after, "dice")["own"]) == (5, [1, 0])


def test_characters__trickster_is_asked_about_a_single_die() -> None:
    state = position("RECYCLE", player(character=TRICKSTER), seat=1, round_number=2, neutral=[4])
    assert legal(play(state, "flower")) == ["take 4", "take_flipped 4"]


def test_characters__trickster_may_turn_a_die_every_turn() -> None:
    state = position("CHOOSE_DIE", player(character=TRICKSTER, power_used=True))
    assert "take_flipped 1" in legal(state)


@pytest.mark.parametrize("character", OTHER_CHARACTERS[TRICKSTER])
def test_characters__only_the_trickster_turns_dice(character: int) -> None:
    state = position("CHOOSE_DIE", player(character=character), player(character=TRICKSTER if character != 1 else NONE))
    assert legal(state, "take_flipped") == []


# Foreman


@pytest.mark.parametrize("decision", WINDOWS)
def test_characters__foreman_advances_in_every_window(decision: str) -> None:
    own = player(flowers=3, character=FOREMAN, buildings={2: begun(28), 3: begun(29)}, chips=[1, 2, 3])
    state = play(position(decision, own), "power")
    # The flowers are paid at once; the advance cannot be declined.
    assert (state.decision, legal(state)) == ("ADVANCE", ["advance 2", "advance 3"])
    assert (of(state, 0, "flowers"), of(state, 0, "power_used")) == (1, True)
    state = play(state, "advance 3")
    assert (square(state, 0, 2), square(state, 0, 3)) == (begun(28), begun(29, 1))
    assert (state.seat, state.decision, "power" in legal(state)) == (0, decision, False)


@pytest.mark.parametrize(
    ("own", "possible"),
    [
        ({"flowers": 2, "buildings": {0: begun(0)}}, True),
        ({"flowers": 1, "buildings": {0: begun(0)}}, False),
        ({"flowers": 9}, False),
        ({"flowers": 9, "buildings": {0: built(0)}}, False),
        ({"flowers": 9, "buildings": {0: begun(0)}, "power_used": True}, False),
    ],
    ids=["possible", "too few flowers", "no building", "no construction", "used"],
)
def test_characters__foreman_needs_two_flowers_and_a_construction(own: dict[str, Any], possible: bool) -> None:
    assert ("power" in legal(position("RECYCLE", player(character=FOREMAN, **own)))) == possible


def test_characters__foremans_single_construction_is_not_asked() -> None:
    own = player(flowers=2, character=FOREMAN, buildings={2: nearly(0)})
    after = play(position("RECYCLE", own), "power")
    assert (after.decision, square(after, 0, 2), of(after, 0, "tokens")) == ("RECYCLE", built(0), 3)
    # Completed this turn, it may be used this turn.
    assert legal(after, "use") == ["use 0 2"]


def test_characters__foreman_completes_the_ninth_building() -> None:
    own = player(flowers=2, character=FOREMAN, buildings={k: built(k) for k in range(8)} | {8: nearly(16)})
    assert seen(play(position("END_TURN", own, round_number=3), "power"), "final_round") == 4


def test_characters__power_is_there_again_next_turn() -> None:
    own = player(flowers=9, character=FOREMAN, buildings={2: begun(28)})
    state = play(position("RECYCLE", own), "power", "flower")
    assert (state.seat, of(state, 0, "power_used")) == (1, False)
    state = play(state, "take 2", "awaken 2", "flower")
    assert (state.seat, "power" in legal(state)) == (0, True)


# Mystic


@pytest.mark.parametrize("decision", WINDOWS)
def test_characters__mystic_in_every_window(decision: str) -> None:
    own = player(character=MYSTIC, chips=[1, 2, 4, 5, 6])
    state = play(position(decision, own), "power")
    assert (state.decision, legal(state)) == ("DISCARD", [f"discard {chip}" for chip in (1, 2, 4, 5, 6)])
    assert (of(state, 0, "flowers"), of(state, 0, "power_used")) == (0, True)
    state = play(state, "discard 5")
    assert (state.decision, legal(state)) == ("DISCARD", [f"discard {chip}" for chip in (1, 2, 4, 6)])
    state = play(state, "discard 4")
    # Both are paid: first the flowers, then a move or none.
    assert (state.decision, of(state, 0, "flowers"), of(state, 0, "chips")) == ("MOVE", 2, [1, 2, 6])
    assert (seen(state, "pending")["moves"], legal(state)[-1]) == (1, "pass")
    for text, first_edge in (("pass", 0), ("move 1 11", 11)):
        after = play(state, text)
        assert (after.seat, after.decision, of(after, 0, "dunaias")[0]) == (0, decision, first_edge)
        assert "power" not in legal(after)


def test_characters__mystics_last_chip_is_not_asked() -> None:
    state = play(position("RECYCLE", player(character=MYSTIC, chips=[3, 6])), "power", "discard 6")
    assert (state.decision, of(state, 0, "chips"), of(state, 0, "flowers")) == ("MOVE", [], 2)


@pytest.mark.parametrize(
    ("own", "possible"),
    [({"chips": [3, 6]}, True), ({"chips": [3]}, False), ({"chips": [3, 6], "power_used": True}, False)],
)
def test_characters__mystic_needs_two_chips(own: dict[str, Any], possible: bool) -> None:
    assert ("power" in legal(position("RECYCLE", player(character=MYSTIC, **own)))) == possible


def test_characters__mystics_move_before_waking_counts() -> None:
    state = play(position("AWAKEN", player(character=MYSTIC, chips=[3, 6]), die=4), "power", "discard 3", "move 4 5")
    assert (state.decision, legal(state)) == ("AWAKEN", ["awaken 7", "awaken 8"])
    # It is not an effect of waking, so both squares give what they have.
    after = play(state, "awaken 7")
    assert (of(after, 0, "flowers"), of(after, 0, "chips")) == (3, [4])


# Shepherd


def test_characters__shepherd_moves_the_woken_dunaia() -> None:
    state = position("END_TURN", player(character=SHEPHERD), die=5)
    assert legal(state) == [*(f"move 5 {number}" for number in range(12) if number != 9), "pass"]
    after = play(state, "move 5 11")
    assert of(after, 0, "dunaias") == [0, 8, 7, 10, 11, 5]
    assert (after.seat, of(after, 0, "power_used")) == (1, False)
    assert of(play(state, "pass"), 0, "dunaias") == list(START_EDGES)


def test_characters__shepherd_moves_where_there_is_room() -> None:
    own = player(character=SHEPHERD, dunaias={1: 11, 2: 11, 3: 11})
    assert "move 5 11" not in legal(position("END_TURN", own, die=5))
    assert "move 1 9" in legal(position("END_TURN", own, die=1))


def test_characters__shepherd_moves_once_and_stays_in_the_window() -> None:
    own = player(character=SHEPHERD, chips=[1, 2, 3])
    after = play(position("END_TURN", own, die=5), "move 5 11")
    assert (after.seat, after.decision, legal(after)) == (0, "END_TURN", ["call 0", "pass"])
    assert of(after, 0, "power_used")
    assert legal(position("END_TURN", player(character=SHEPHERD, power_used=True))) == ["pass"]


def test_characters__shepherd_moves_the_dunaia_from_where_it_stands_now() -> None:
    own = player(character=SHEPHERD, chips=[1, 2, 3])
    state = position("END_TURN", own, die=5, elders=(MOVES_ELDER, 0, 2))
    after = play(state, "call 0", "move 5 0", "pass")
    assert legal(after) == [*(f"move 5 {number}" for number in range(1, 12)), "pass"]


@pytest.mark.parametrize("decision", [decision for decision in WINDOWS if decision != "END_TURN"])
def test_characters__shepherd_and_architect_wait_for_the_end_of_the_turn(decision: str) -> None:
    for character in (SHEPHERD, ARCHITECT):
        own, plain = player(character=character, chips=[1, 2, 3]), player(chips=[1, 2, 3])
        assert legal(position(decision, own)) == legal(position(decision, plain))


# Architect


@pytest.mark.parametrize("offer", range(6))
def test_characters__architect_reserves_any_offer(offer: int) -> None:
    state = position("END_TURN", player(character=ARCHITECT))
    assert legal(state) == [*(f"reserve {number}" for number in range(6)), "pass"]
    level = offer // 2
    display, top, pile = (seen(state, key)[level] for key in ("display", "pile_top", "piles"))
    after = play(state, f"reserve {offer}", draws=[(len(pile), 1)])
    assert of(after, 0, "reserved") == (top if offer % 2 else display)
    # Refilled at once, as after a purchase.
    assert seen(after, "display")[level] == (display if offer % 2 else top)
    assert (seen(after, "pile_top")[level], seen(after, "piles")[level]) == (pile[1], [pile[0], *pile[2:]])
    assert (of(after, 0, "flowers"), of(after, 0, "tokens"), after.seat) == (0, 3, 1)


def test_characters__architect_reserves_once_and_stays_in_the_window() -> None:
    own = player(character=ARCHITECT, chips=[1, 2, 3])
    after = play(position("END_TURN", own), "reserve 3", draws=[0])
    assert (after.seat, after.decision, legal(after)) == (0, "END_TURN", ["call 0", "pass"])


@pytest.mark.parametrize("own", [{"reserved": 30}, {"power_used": True}], ids=["one is held", "used"])
def test_characters__architect_holds_one_tile(own: dict[str, Any]) -> None:
    assert legal(position("END_TURN", player(character=ARCHITECT, **own))) == ["pass"]


def test_characters__architect_reserves_what_there_is() -> None:
    hoard = player(buildings={number: built(16 + number) for number in range(9)})
    own = player(character=ARCHITECT, buildings={0: built(25), 1: built(26)})
    state = position("END_TURN", own, hoard)
    assert (seen(state, "display")[1], seen(state, "pile_top")[1]) == (27, -1)
    assert legal(state, "reserve") == [f"reserve {offer}" for offer in (0, 1, 2, 4, 5)]
    after = play(state, "reserve 2")
    assert (seen(after, "display")[1], seen(after, "pile_top")[1], of(after, 0, "reserved")) == (-1, -1, 27)


@pytest.mark.parametrize(("tile", "price"), [(9, 1), (22, 2), (39, 3)])
def test_characters__reserved_tile_costs_the_lower_price(tile: int, price: int) -> None:
    own: dict[str, Any] = {"character": ARCHITECT, "reserved": tile, "buildings": {4: built(15)}}
    state = position("RECYCLE", player(flowers=price - 1, **own))
    assert not [text for text in legal(state) if text.startswith("start 6")]
    state = position("RECYCLE", player(flowers=price, **own))
    starts = [text for text in legal(state) if text.startswith("start 6")]
    assert starts == [f"start 6 {number}" for number in (0, 1, 2, 3, 5, 6, 7, 8)]
    # No place of the common board is emptied, so nothing is drawn.
    after = play(state, "start 6 8")
    assert (of(after, 0, "flowers"), of(after, 0, "tokens"), square(after, 0, 8)) == (0, 2, begun(tile))
    assert of(after, 0, "reserved") == NONE
    assert seen(after, "piles") == seen(state, "piles")


def test_characters__reserved_tile_needs_a_token_and_an_empty_square() -> None:
    full: dict[int, dict[str, Any]] = {number: built(number) for number in range(8)}
    three = {0: begun(0), 1: begun(1), 2: begun(2)}
    for buildings in (three, {**full, 8: begun(20)}):
        own = player(flowers=9, character=ARCHITECT, reserved=30, buildings=buildings)
        assert legal(position("RECYCLE", own), "start") == []


def test_characters__reserved_tile_is_only_for_its_holder() -> None:
    state = position("RECYCLE", player(flowers=9), player(character=ARCHITECT, reserved=30))
    assert not [text for text in legal(state) if text.startswith("start 6")]


def test_characters__architect_may_reserve_in_the_turn_of_the_purchase() -> None:
    own = player(flowers=3, character=ARCHITECT, reserved=39)
    after = play(position("RECYCLE", own), "start 6 0")
    assert (after.seat, after.decision) == (0, "END_TURN")
    assert legal(after) == [*(f"reserve {number}" for number in range(6)), "pass"]
    assert of(play(after, "reserve 5", draws=[0]), 0, "reserved") == 29


def test_characters__reserved_tile_is_worth_nothing() -> None:
    assert position("RECYCLE", player(character=ARCHITECT, reserved=39)).scores() == [0, 0]


# Who has which power


@pytest.mark.parametrize("character", [NONE, MERCHANT, TRICKSTER, SHEPHERD, ARCHITECT])
def test_characters__power_is_of_the_foreman_and_the_mystic(character: int) -> None:
    own = player(flowers=9, chips=[3, 4], buildings={0: begun(0)}, character=character)
    for decision in WINDOWS:
        assert "power" not in legal(position(decision, own, player(character=FOREMAN), player(character=MYSTIC)))


@pytest.mark.parametrize("character", [NONE, MERCHANT, TRICKSTER, FOREMAN, MYSTIC])
def test_characters__others_only_pass_at_the_end_of_the_turn(character: int) -> None:
    state = position("END_TURN", player(character=character), player(character=SHEPHERD), player(character=ARCHITECT))
    assert legal(state) == ["pass"]
