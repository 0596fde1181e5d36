"""The reference rules on positions made by hand, and in random play."""

from __future__ import annotations

import json
import random
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest

from .check import TraceError, check_trace, main
from .components import ACTIONS, CHARACTERS, NEUTRAL_DICE, TILES
from .game import Building, Game, IllegalActionError, RandomChance, Tape, TapeError

FLOWERS_1, MOVES_1, ADVANCE_1, CHIPS_1 = 0, 4, 8, 12  # green tiles of level 1
FLOWERS_2, CHIPS_2, MOVES_2 = 16, 20, 24  # green tiles of level 2
PURPLE_1 = 2  # level 1, flowers
RED_WITH_PURPLE_ARROWS = 34  # arrows N and W
MULTICOLOUR = 36
Change = Callable[[list[dict[str, Any]]], object]
POWERS = {"flowers": 0, "moves": 1, "advance": 2, "search": 3, "colour": 4}


def fresh(players: int = 2, character: str = "", max_rounds: int = 100) -> Game:
    """A game just set up; seat 0 may be given a character. Tiles 15, 27, 39 are shown, 14, 26, 38 on top."""
    game = Game(players, False, max_rounds, RandomChance(1))
    game.display = {1: 15, 2: 27, 3: 39}
    game.pile_top = {1: 14, 2: 26, 3: 38}
    game.piles = {1: set(range(14)), 2: set(range(16, 26)), 3: set(range(28, 38))}
    game.prophecies = {2: -1, 5: -1, 8: -1}
    game.elders = [POWERS["flowers"], POWERS["moves"], POWERS["advance"]]
    if character:
        game.players[0].character = CHARACTERS.index(character)
    return game


def put(game: Game, square: int, tile: int, steps: int = 0, built: bool = False, seat: int = 0) -> Building:
    """Put a tile on a board, completed or under construction."""
    game.piles[TILES[tile].level].discard(tile)
    building = Building(tile, TILES[tile].level + 1 if built else steps, built)
    game.players[seat].squares[square] = building
    game.players[seat].tokens -= not built
    return building


def at(game: Game, window: str, seat: int = 0, die: int = 0, woken: int = 0) -> Game:
    """Let the game wait in a window of that seat's turn."""
    game.die, game.woken = die, woken
    game.resume(seat, window, RandomChance(2))
    return game


def play(game: Game, *texts: str, draws: Iterable[list[int]] | None = None) -> None:
    """Apply actions; `draws` are the draws that the last of them must make."""
    *others, last = texts
    for text in others:
        game.apply(text, RandomChance(3))
    if draws is None:
        game.apply(last, RandomChance(3))
        return
    tape = Tape(draws)
    game.apply(last, tape)
    tape.finish()


def verbs(game: Game) -> set[str]:
    return {text.split()[0] for text in game.legal()}


def with_verb(game: Game, verb: str) -> list[str]:
    return [text for text in game.legal() if text.split()[0] == verb]


# Table and set-up


def test_table_of_actions() -> None:
    assert len(ACTIONS) == len(set(ACTIONS)) == 316
    assert ACTIONS[27] == "flower"
    assert ACTIONS[64] == "start 0 0"
    assert ACTIONS[315] == "pass"


def test_components() -> None:
    assert len(TILES) == 40
    assert sum(sum(arrow.points for arrow in tile.arrows.values()) for tile in TILES) == 32
    assert {side: arrow.colour for side, arrow in TILES[RED_WITH_PURPLE_ARROWS].arrows.items()} == {
        "N": 2,
        "W": 2,
    }


def test_set_up_draws_in_the_recorded_order() -> None:
    draws = [[5, 4], [4, 0], [3, 1]]  # elders 4, 0, then 2 of the remaining 1, 2, 3
    draws += [[3, 2], [3, 0], [3, 1]]
    draws += [[6, 5], [5, 0], [4, 0], [3, 0]]
    draws += [[16, 15], [15, 14], [12, 0], [11, 0], [12, 1], [11, 0]]
    draws += [[6, 0], [6, 0], [6, 1], [6, 5], [6, 2], [6, 3], [6, 4]]
    tape = Tape(draws)
    game = Game(3, True, 100, tape)
    tape.finish()
    state = game.to_dict()
    assert state["elders"] == [4, 0, 2]
    assert [prophecy["id"] for prophecy in state["prophecies"]] == [2, 3, 7]
    assert state["characters_available"] == [0, 1, 2, 5]
    assert state["display"] == [15, 16, 29]
    assert state["pile_top"] == [14, 17, 28]
    assert state["dice"] == {"neutral": [2, 1, 0, 0, 0, 1], "own": [3, 4, 5]}
    assert (state["decision"], state["seat"], state["round"]) == ("DRAFT", 2, 1)


def test_draft_goes_backwards_and_puts_the_last_one_away() -> None:
    game = Game(2, True, 100, RandomChance(5))
    offered = sorted(game.characters_available)
    assert game.legal() == [f"draft {character}" for character in offered]
    play(game, f"draft {offered[1]}")
    assert (game.seat, game.decision) == (0, "DRAFT")
    assert game.legal() == [f"draft {offered[0]}", f"draft {offered[2]}"]
    play(game, f"draft {offered[0]}")
    assert game.to_dict()["characters_available"] == []
    assert (game.seat, game.decision) == (0, "CHOOSE_DIE")


def test_tape_refuses_other_draws() -> None:
    with pytest.raises(TapeError, match=r"draw\(5\) is due, recorded is \[6, 0\]"):
        Game(2, False, 100, Tape([[6, 0]]))
    with pytest.raises(TapeError, match="nothing more is recorded"):
        Game(2, False, 100, Tape([]))
    with pytest.raises(TapeError, match="no further draw is due"):
        Tape([[2, 0]]).finish()


def test_illegal_actions_are_refused() -> None:
    with pytest.raises(IllegalActionError, match="'pass' is not legal in CHOOSE_DIE"):
        fresh().apply("pass", RandomChance(0))


# Dice


def test_own_die_only_when_no_neutral_die_is_left() -> None:
    game = fresh()
    game.neutral, game.own = [1, 0, 2, 0, 0, 0], [5, 6]
    assert at(game, "CHOOSE_DIE").legal() == ["take 1", "take 3"]


def test_a_forced_die_is_taken_by_itself() -> None:
    game = fresh()
    game.neutral, game.own = [0] * 6, [5, 0]
    at(game, "CHOOSE_DIE")
    assert (game.decision, game.die, game.woken, game.own) == ("AWAKEN", 5, 0, [0, 0])


def test_trickster_may_flip_the_own_die_too() -> None:
    game = fresh(character="trickster")
    game.neutral, game.own = [0] * 6, [5, 0]
    assert at(game, "CHOOSE_DIE").legal() == ["take 5", "take_flipped 5"]
    play(game, "take_flipped 5")
    assert (game.die, game.own) == (2, [0, 0])


def test_dice_are_rolled_only_at_a_turns_start() -> None:
    game = fresh()
    building = put(game, 8, FLOWERS_1, built=True)
    building.die = True
    game.neutral, game.own = [0] * 6, [0, 3]
    at(game, "CHOOSE_DIE", seat=1)
    play(game, game.legal()[0], draws=[])
    assert game.decision == "RECYCLE"
    assert game.to_dict()["dice"] == {"neutral": [0] * 6, "own": [0, 0]}
    assert building.die
    play(game, "flower", draws=[[6, 0]] * 4 + [[6, 5]] + [[6, 1], [6, 2]])
    assert (game.seat, game.decision, game.round) == (0, "CHOOSE_DIE", 2)
    assert game.to_dict()["dice"] == {"neutral": [4, 0, 0, 0, 0, 1], "own": [2, 3]}
    assert not building.die


def test_no_roll_after_the_last_turn() -> None:
    game = fresh(max_rounds=1)
    game.neutral, game.own = [0] * 6, [0, 0]
    at(game, "RECYCLE", seat=1, die=3, woken=3)
    play(game, "flower", draws=[])
    assert (game.decision, game.seat, game.die, game.woken, game.round) == ("OVER", -1, 0, 0, 1)
    assert game.legal() == []


# Waking


def test_empty_squares_give_flower_and_chip() -> None:
    game = at(fresh(), "AWAKEN", die=1)
    assert game.legal() == ["awaken 0", "awaken 1"]
    play(game, "awaken 1")
    assert (game.players[0].flowers, game.players[0].chips, game.woken, game.die) == (3, {1}, 1, 1)


@pytest.mark.parametrize(("first", "flowers"), [(0, 4), (1, 3)])
def test_a_building_completed_first_counts_for_the_second_effect(first: int, flowers: int) -> None:
    game = fresh()
    built = put(game, 0, MOVES_1, steps=1)
    put(game, 1, FLOWERS_2, built=True)
    play(at(game, "AWAKEN", die=1), f"awaken {first}")
    assert built.built
    assert built.steps == 2
    assert game.players[0].tokens == 3
    assert game.players[0].flowers == flowers


@pytest.mark.parametrize(("tile", "steps"), [(FLOWERS_1, 2), (FLOWERS_2, 3), (MULTICOLOUR, 4)])
def test_steps_by_level(tile: int, steps: int) -> None:
    game = fresh()
    building = put(game, 0, tile)
    for step in range(1, steps + 1):
        assert not building.built
        play(at(game, "AWAKEN", die=1), "awaken 0")
        assert building.steps == step
    assert building.built


@pytest.mark.parametrize("tile", [FLOWERS_1, MULTICOLOUR])
def test_completed_level_1_and_3_do_nothing_when_woken(tile: int) -> None:
    game = fresh()
    put(game, 0, tile, built=True)
    play(at(game, "AWAKEN", die=1), "awaken 0")
    assert (game.decision, game.players[0].flowers, game.players[0].chips) == ("RECYCLE", 2, {1})


def test_level_2_flowers_come_before_chips() -> None:
    game = fresh()
    put(game, 4, CHIPS_2, built=True)
    put(game, 1, FLOWERS_1, built=True)  # N: a flower
    put(game, 5, MULTICOLOUR, built=True)  # E: a chip, since multicolour is green as well
    put(game, 7, CHIPS_1, steps=1)  # S: not completed
    put(game, 3, PURPLE_1, built=True)  # W: another colour
    play(at(game, "AWAKEN", die=3), "awaken 4")
    assert (game.decision, game.players[0].flowers, len(with_verb(game, "plug"))) == ("PLUG", 3, 6)
    play(game, "plug 6")
    assert (game.decision, len(game.legal())) == ("PLUG", 5)
    play(game, "plug 2")
    assert (game.decision, game.players[0].chips) == ("RECYCLE", {2, 6})


def test_marker_colour_counts_for_arrows_but_does_not_recolour_them() -> None:
    game = fresh()
    put(game, 4, FLOWERS_2, built=True).markers = {2}
    put(game, 1, PURPLE_1, built=True)
    play(at(game, "AWAKEN", die=3), "awaken 4")
    assert game.players[0].flowers == 3  # base only: the arrows stay green
    game.players[0].building(1).markers = {0}
    play(at(game, "AWAKEN", die=3), "awaken 4")
    assert game.players[0].flowers == 5


def chipless_second_effect(game: Game) -> None:
    """Dunaia 1 between a level 2 building with two moves (0) and an empty chip square (3)."""
    put(game, 0, MOVES_2, built=True)
    put(game, 1, FLOWERS_1, built=True)
    game.players[0].dunaias[0] = 6
    at(game, "AWAKEN", die=1)


def test_no_second_effect_after_the_woken_dunaia_moved_even_if_it_came_back() -> None:
    game = fresh()
    chipless_second_effect(game)
    play(game, "awaken 0", "move 1 2", "move 1 6")
    assert (game.decision, game.players[0].chips, game.players[0].dunaias[0]) == ("RECYCLE", set(), 6)


def test_second_effect_when_another_dunaia_moved() -> None:
    game = fresh()
    chipless_second_effect(game)
    play(game, "awaken 0", "move 2 2", "move 2 0")
    assert (game.decision, game.players[0].chips) == ("RECYCLE", {1})


def test_second_effect_moves_after_the_first_was_performed() -> None:
    game = fresh()
    chipless_second_effect(game)
    play(game, "awaken 3", "pass")
    assert (game.decision, game.players[0].chips) == ("RECYCLE", {1})


def test_an_elder_before_waking_moves_the_dunaia_and_both_effects_remain() -> None:
    game = fresh()
    game.players[0].chips = {3, 4, 6}
    at(game, "AWAKEN", die=1)
    play(game, "call 1")
    assert game.decision == "MOVE"  # the only third chip was paid by itself
    play(game, "move 1 5", "pass")
    assert game.legal() == ["awaken 7", "awaken 8"]
    play(game, "awaken 7")
    assert (game.players[0].chips, game.players[0].flowers) == ({1}, 3)


# Moves


def test_moves_respect_capacity_and_are_never_null() -> None:
    game = fresh()
    game.players[0].dunaias = [0, 0, 0, 7, 7, 11]
    at(game, "RECYCLE", die=1, woken=1)
    moves = with_verb(game, "move")
    assert not any(text.endswith(" 0") for text in moves)
    assert "move 6 7" in moves
    assert "move 4 7" not in moves
    assert "move 6 11" not in moves
    play(game, "move 6 7")
    assert game.players[0].dunaias == [0, 0, 0, 7, 7, 7]
    assert game.seat == 1


# Recycling


def test_use_of_anothers_building_is_paid_before_the_gain() -> None:
    game = fresh(players=3)
    put(game, 4, FLOWERS_1, built=True, seat=1)
    game.players[2].flowers = 0
    at(game, "RECYCLE", seat=2, die=1, woken=1)
    assert with_verb(game, "use") == []
    game.players[2].flowers = 1
    at(game, "RECYCLE", seat=2, die=1, woken=1)
    assert with_verb(game, "use") == ["use 2 4"]
    play(game, "use 2 4")
    assert [player.flowers for player in game.players] == [2, 3, 3]
    assert game.players[1].building(4).die


def test_a_building_may_be_used_without_effect_but_not_twice() -> None:
    game = fresh()
    put(game, 4, ADVANCE_1, built=True)
    put(game, 5, CHIPS_1, built=True, seat=1)
    game.players[0].chips = {1, 2, 3, 4, 5, 6}
    game.players[0].flowers = 1  # too few for a search
    game.elders = [POWERS["search"]] * 3
    game.fragments = [0, 0, 0]
    at(game, "RECYCLE", die=1, woken=1)
    assert with_verb(game, "use") == ["use 0 4", "use 1 5"]
    assert with_verb(game, "plug") == []
    play(game, "use 0 4")
    assert game.seat == 1
    assert with_verb(at(game, "RECYCLE", die=1, woken=1), "use") == ["use 1 5"]


def test_a_building_completed_this_turn_may_be_used() -> None:
    game = fresh()
    put(game, 0, MOVES_1, steps=1)
    play(at(game, "AWAKEN", die=1), "awaken 0", "use 0 0")
    assert game.decision == "MOVE"
    play(game, "move 1 2", "move 1 3", "move 1 2")
    assert game.seat == 1


def test_the_only_building_to_advance_is_advanced_by_itself() -> None:
    game = fresh()
    put(game, 4, ADVANCE_1, built=True)
    other = put(game, 5, FLOWERS_2)
    play(at(game, "RECYCLE", die=1, woken=1), "use 0 4")
    assert (other.steps, game.seat) == (1, 1)


def test_two_chips_stop_when_the_reserve_is_empty() -> None:
    game = fresh()
    put(game, 4, CHIPS_1, built=True)
    game.players[0].chips = {1, 2, 4, 5, 6}
    game.fragments = [0, 0, 0]
    game.elders = [POWERS["search"]] * 3
    game.players[0].tokens = 0
    play(at(game, "RECYCLE", die=1, woken=1), "use 0 4")
    assert (game.players[0].chips, game.seat) == ({1, 2, 3, 4, 5, 6}, 1)


def test_prices_and_refill() -> None:
    game = fresh()
    at(game, "RECYCLE", die=1, woken=1)
    assert {text.split()[1] for text in with_verb(game, "start")} == {"0", "1", "2"}
    play(game, "start 0 4", draws=[[14, 13]])
    assert (game.display[1], game.pile_top[1]) == (14, 13)
    assert (game.players[0].flowers, game.players[0].tokens) == (1, 2)
    at(game, "RECYCLE", seat=1, die=1, woken=1)
    play(game, "start 1 4", draws=[[13, 0]])
    assert (game.display[1], game.pile_top[1], game.players[1].flowers) == (14, 0, 0)


def test_no_draw_from_an_empty_pile() -> None:
    game = fresh()
    game.piles[1] = set()
    play(at(game, "RECYCLE", die=1, woken=1), "start 0 4", draws=[])
    assert (game.display[1], game.pile_top[1]) == (14, -1)
    play(at(game, "RECYCLE", die=1, woken=1), "start 0 5", draws=[])
    assert (game.display[1], game.pile_top[1]) == (-1, -1)
    game.players[0].flowers = 9
    at(game, "RECYCLE", die=1, woken=1)
    assert {text.split()[1] for text in with_verb(game, "start")} == {"2", "3", "4", "5"}


def test_a_choice_among_one_is_a_draw() -> None:
    game = fresh()
    game.piles[1] = {3}
    play(at(game, "RECYCLE", die=1, woken=1), "start 0 4", draws=[[1, 0]])
    assert game.pile_top[1] == 3


def test_no_start_without_token_or_empty_square() -> None:
    game = fresh()
    game.players[0].tokens = 0
    assert with_verb(at(game, "RECYCLE", die=1, woken=1), "start") == []


def test_the_die_is_gone_while_the_recycling_effect_resolves() -> None:
    game = fresh()
    put(game, 4, MOVES_1, built=True)
    at(game, "RECYCLE", die=2, woken=2)
    assert game.die == 2
    play(game, "use 0 4")
    assert (game.decision, game.die, game.woken) == ("MOVE", 0, 2)


# Elders


def test_a_call_needs_three_different_chips() -> None:
    game = fresh()
    game.players[0].chips = {1, 2}
    assert with_verb(at(game, "RECYCLE", die=1, woken=1), "call") == []
    game.players[0].chips = {1, 2, 5}
    assert with_verb(at(game, "RECYCLE", die=1, woken=1), "call") == ["call 0"]


def test_a_call_needs_an_effect() -> None:
    game = fresh()
    game.players[0].chips = {5, 6, 1}  # advance, with nothing to advance
    assert with_verb(at(game, "RECYCLE", die=1, woken=1), "call") == ["call 2"]
    game.players[0].fragments = {2}
    assert with_verb(at(game, "RECYCLE", die=1, woken=1), "call") == []
    put(game, 4, FLOWERS_1)
    assert with_verb(at(game, "RECYCLE", die=1, woken=1), "call") == ["call 2"]


def test_a_call_without_power_gives_the_fragment() -> None:
    game = fresh()
    game.players[0].chips = {5, 6, 1}
    play(at(game, "RECYCLE", die=1, woken=1), "call 2")
    assert (game.decision, game.players[0].chips, game.players[0].fragments) == ("RECYCLE", set(), {2})
    assert game.fragments == [12, 12, 11]


def test_the_third_chip_is_chosen_and_the_artefact_completes() -> None:
    game = fresh()
    game.players[0].chips = {1, 2, 4, 6}
    game.players[0].fragments = {1, 2}
    at(game, "RECYCLE", die=1, woken=1)
    play(game, "call 0")
    assert (game.decision, game.legal()) == ("DISCARD", ["discard 4", "discard 6"])
    assert game.players[0].chips == {4, 6}
    play(game, "discard 4")
    assert (game.players[0].flowers, game.players[0].chips) == (4, {6})
    assert (game.players[0].fragments, game.players[0].artefacts, game.scores()[0]) == (set(), 1, 2)


def test_fragments_run_out() -> None:
    game = fresh()
    game.players[0].chips = {1, 2, 4}
    game.fragments = [0, 12, 12]
    play(at(game, "RECYCLE", die=1, woken=1), "call 0")
    assert (game.players[0].flowers, game.players[0].fragments, game.fragments[0]) == (4, set(), 0)


def test_an_elders_advance_may_be_declined() -> None:
    game = fresh()
    game.players[0].chips = {5, 6, 1}
    building = put(game, 4, FLOWERS_1)
    play(at(game, "RECYCLE", die=1, woken=1), "call 2")
    assert (game.decision, game.legal()) == ("ADVANCE", ["advance 4", "pass"])
    play(game, "pass")
    assert (game.decision, building.steps, game.players[0].fragments) == ("RECYCLE", 0, {2})


def searching(flowers: int = 2, character: str = "") -> Game:
    game = fresh(character=character)
    game.elders[0] = POWERS["search"]
    game.players[0].chips = {1, 2, 5}
    game.players[0].flowers = flowers
    return at(game, "RECYCLE", die=1, woken=1)


def test_search_puts_the_old_top_back_and_draws_a_new_one() -> None:
    game = searching()
    play(game, "call 0")
    assert (game.decision, game.legal()) == ("SEARCH", [*(f"search {tile}" for tile in range(15)), "pass"])
    play(game, "search 4")
    assert (game.decision, game.legal()) == ("PLACE", [f"start 7 {square}" for square in range(9)])
    assert 4 not in game.piles[1]
    assert game.pile_top[1] == 14
    assert game.players[0].fragments == set()
    play(game, "start 7 3", draws=[[14, 13]])
    assert game.pile_top[1] == 14
    assert game.piles[1] == set(range(14)) - {4}
    assert (game.players[0].flowers, game.players[0].tokens, game.players[0].fragments) == (0, 2, {0})
    assert (game.decision, game.die) == ("RECYCLE", 1)


def test_search_may_take_the_visible_top() -> None:
    game = searching()
    play(game, "call 0", "search 14")
    assert game.to_dict()["pile_top"][0] == -1
    assert len(game.piles[1]) == 14
    play(game, "start 7 3", draws=[[14, 0]])
    assert game.pile_top[1] == 0
    assert game.piles[1] == set(range(1, 14))


def test_search_of_the_last_tile_draws_nothing() -> None:
    game = searching()
    game.piles[1] = set()
    play(game, "call 0", "search 14")
    play(game, "start 7 3", draws=[])
    assert game.to_dict()["pile_top"][0] == -1


def test_a_declined_search_changes_nothing_but_gives_the_fragment() -> None:
    game = searching()
    play(game, "call 0")
    play(game, "pass", draws=[])
    assert (game.pile_top[1], len(game.piles[1]), game.players[0].flowers) == (14, 14, 2)
    assert game.players[0].fragments == {0}


def test_search_without_a_choice_ends_silently() -> None:
    game = searching(flowers=1)
    play(game, "call 0", draws=[])
    assert (game.decision, game.players[0].fragments) == ("RECYCLE", {0})
    game = searching(flowers=1)
    game.players[0].fragments = {0}
    assert with_verb(at(game, "RECYCLE", die=1, woken=1), "call") == []


def test_the_merchant_searches_cheaper() -> None:
    game = searching(flowers=1, character="merchant")
    play(game, "call 0", "search 4", "start 7 3")
    assert game.players[0].flowers == 0


def test_the_only_place_is_taken_by_itself() -> None:
    game = searching()
    for square in range(8):
        put(game, square, MOVES_1 + square, built=True)
    game.piles[1] = {0, 1}
    at(game, "RECYCLE", die=1, woken=1)
    play(game, "call 0")
    play(game, "search 1", draws=[[2, 1]])
    assert (game.decision, game.pile_top[1]) == ("RECYCLE", 14)
    assert game.players[0].building(8).tile == 1


def colouring() -> Game:
    game = fresh()
    game.elders[0] = POWERS["colour"]
    game.players[0].chips = {1, 2, 5}
    return game


def test_markers_go_on_buildings_that_lack_the_colour() -> None:
    game = colouring()
    put(game, 4, FLOWERS_1)
    put(game, 5, MULTICOLOUR, built=True)
    game.colour_markers = [3, 1, 0, 3]
    play(at(game, "RECYCLE", die=1, woken=1), "call 0")
    assert (game.decision, game.legal()) == ("COLOUR", ["colour 1 4", "colour 3 4", "pass"])
    play(game, "colour 1 4")
    assert (game.players[0].building(4).markers, game.colour_markers) == ({1}, [3, 0, 0, 3])
    assert game.decision == "RECYCLE"


def test_a_multicolour_building_alone_takes_no_marker() -> None:
    game = colouring()
    game.players[0].fragments = {0}
    put(game, 5, MULTICOLOUR, built=True)
    assert with_verb(at(game, "RECYCLE", die=1, woken=1), "call") == []


def test_elders_may_be_called_in_every_window() -> None:
    for window in ("CHOOSE_DIE", "AWAKEN", "RECYCLE", "BEFORE_PROPHECY", "END_TURN"):
        game = fresh()
        game.players[0].chips = {1, 2, 3, 4, 5, 6}
        at(game, window, die=3, woken=3)
        assert game.decision == window
        assert with_verb(game, "call") == ["call 0", "call 1", "call 2"]
        play(game, "call 0", "discard 3")
        assert game.seat == 0 or window in ("BEFORE_PROPHECY", "END_TURN")


# Characters


def test_merchant_pays_one_less_but_never_below_zero() -> None:
    game = fresh(character="merchant")
    game.players[0].flowers = 0
    at(game, "RECYCLE", die=1, woken=1)
    assert {text.split()[1] for text in with_verb(game, "start")} == {"0"}
    play(game, "start 0 4")
    assert game.players[0].flowers == 0


def test_foreman_pays_at_once_and_only_once_a_turn() -> None:
    game = fresh(character="foreman")
    assert "power" not in at(game, "CHOOSE_DIE").legal()
    one, two = put(game, 4, FLOWERS_1), put(game, 5, FLOWERS_2)
    game.players[0].flowers = 4
    at(game, "CHOOSE_DIE")
    play(game, "power")
    assert (game.decision, game.legal(), game.players[0].flowers) == (
        "ADVANCE",
        ["advance 4", "advance 5"],
        2,
    )
    play(game, "advance 5")
    assert (game.decision, two.steps, one.steps) == ("CHOOSE_DIE", 1, 0)
    assert "power" not in game.legal()
    at(game, "END_TURN", woken=1)
    assert game.seat == 1
    assert not game.players[0].power_used


def test_foremans_only_building_is_advanced_by_itself() -> None:
    game = fresh(character="foreman")
    building = put(game, 4, FLOWERS_1)
    play(at(game, "BEFORE_PROPHECY", woken=1), "power")
    assert (building.steps, game.seat, game.players[0].flowers) == (1, 1, 0)


def test_mystic_discards_two_then_gains_then_moves() -> None:
    game = fresh(character="mystic")
    game.players[0].chips = {2, 4, 5}
    at(game, "END_TURN", woken=1)
    assert game.legal() == ["power", "pass"]
    play(game, "power")
    assert (game.decision, game.legal()) == ("DISCARD", ["discard 2", "discard 4", "discard 5"])
    play(game, "discard 4")
    assert (game.decision, game.players[0].flowers) == ("DISCARD", 2)
    play(game, "discard 2")
    assert (game.decision, game.players[0].flowers, game.players[0].chips) == ("MOVE", 4, {5})
    assert "pass" in game.legal()
    play(game, "move 1 6")
    assert game.seat == 1


def test_shepherd_moves_the_woken_dunaia_and_the_turn_goes_on() -> None:
    game = fresh(character="shepherd")
    game.players[0].chips = {1, 2, 3}
    at(game, "END_TURN", woken=4)
    assert {text.split()[1] for text in with_verb(game, "move")} == {"4"}
    play(game, "move 4 0")
    assert (game.decision, game.legal(), game.players[0].dunaias[3]) == ("END_TURN", ["call 0", "pass"], 0)
    play(game, "pass")
    assert game.seat == 1


def test_architect_reserves_refills_and_buys_at_the_lower_price() -> None:
    game = fresh(character="architect")
    at(game, "END_TURN", woken=1)
    assert game.legal() == [*(f"reserve {offer}" for offer in range(6)), "pass"]
    play(game, "reserve 5", draws=[[10, 9]])
    assert (game.players[0].reserved, game.pile_top[3], game.seat) == (38, 37, 1)
    game.players[0].flowers = 3
    assert at(game, "END_TURN", woken=1).seat == 1  # one is held already
    at(game, "RECYCLE", die=1, woken=1)
    play(game, "start 6 4")
    assert (game.players[0].flowers, game.players[0].reserved) == (0, -1)
    assert game.players[0].building(4).tile == 38
    assert (game.seat, game.decision) == (0, "END_TURN")
    assert "reserve 0" in game.legal()


# Prophecies, end and score


def test_prophecies_are_taken_only_in_phase_4_by_the_acting_player() -> None:
    game = fresh()
    game.prophecies = {2: -1, 3: -1, 8: -1}
    for player in game.players:
        player.flowers = 12
    at(game, "END_TURN", woken=1)
    assert set(game.prophecies.values()) == {-1}
    at(game, "BEFORE_PROPHECY", seat=1, woken=1)
    assert game.prophecies == {2: -1, 3: 1, 8: -1}
    assert game.scores() == [4, 6]


@pytest.mark.parametrize(
    ("prophecy", "squares", "flowers", "artefacts", "held"),
    [
        (0, "012345", 0, 0, True),
        (0, "01234", 0, 0, False),
        (1, "012345", 0, 0, False),
        (1, "0123456", 0, 0, True),
        (2, "0123456", 0, 0, False),
        (2, "01234567", 0, 0, True),
        (3, "", 11, 0, False),
        (3, "", 12, 0, True),
        (4, "", 7, 0, False),
        (4, "", 6, 1, False),
        (4, "", 7, 1, True),
        (5, "", 0, 1, False),
        (5, "", 0, 2, True),
        (6, "147", 0, 0, True),
        (6, "345", 0, 0, True),
        (6, "048", 0, 0, False),
        (6, "124", 0, 0, False),
        (8, "0268", 0, 0, True),
        (8, "026", 0, 0, False),
    ],
)
def test_conditions(prophecy: int, squares: str, flowers: int, artefacts: int, held: bool) -> None:
    game = fresh()
    game.prophecies = {prophecy: -1}
    for index, square in enumerate(squares):
        put(game, int(square), MOVES_1 + index, built=True)
    game.players[0].flowers, game.players[0].artefacts = flowers, artefacts
    at(game, "BEFORE_PROPHECY", woken=1)
    assert (game.prophecies[prophecy] == 0) is held


def test_one_of_each_level_must_be_completed() -> None:
    game = fresh()
    game.prophecies = {7: -1}
    put(game, 0, FLOWERS_1, built=True)
    put(game, 1, FLOWERS_2, built=True)
    third = put(game, 8, MULTICOLOUR, steps=3)
    at(game, "BEFORE_PROPHECY", woken=1)
    assert game.prophecies == {7: -1}
    third.built = True
    at(game, "BEFORE_PROPHECY", woken=1)
    assert game.prophecies == {7: 0}


def test_the_third_prophecy_ends_the_game_after_one_more_round() -> None:
    game = fresh(players=3)
    game.prophecies = {0: 1, 3: -1, 8: 2}
    game.players[1].flowers = 12
    game.round = 7
    at(game, "BEFORE_PROPHECY", seat=1, woken=1)
    assert (game.final_round, game.seat, game.round, game.over) == (8, 2, 7, False)
    at(game, "END_TURN", seat=2, woken=1)
    assert (game.seat, game.round, game.over) == (0, 8, False)
    at(game, "END_TURN", seat=1, woken=1)
    assert (game.seat, game.over) == (2, False)
    at(game, "END_TURN", seat=2, woken=1)
    assert (game.decision, game.round, game.truncated) == ("OVER", 8, False)


def eight_built_and_one_nearly(game: Game) -> None:
    for square in range(8):
        put(game, square, MOVES_1 + square, built=True)
    put(game, 8, FLOWERS_1, steps=1)
    game.players[0].dunaias[1] = 11


def test_the_ninth_building_ends_the_game() -> None:
    game = fresh()
    eight_built_and_one_nearly(game)
    play(at(game, "AWAKEN", die=2), "awaken 8")
    assert (game.final_round, game.decision) == (2, "RECYCLE")


def test_a_trigger_in_the_last_round_changes_nothing() -> None:
    game = fresh()
    eight_built_and_one_nearly(game)
    game.round = game.final_round = 5
    play(at(game, "AWAKEN", die=2), "awaken 8")
    assert game.final_round == 5


def test_a_game_is_truncated_unless_its_last_round_was_the_final_one() -> None:
    for final_round, truncated in ((None, True), (10, False), (11, True)):
        game = fresh(max_rounds=10)
        game.round, game.final_round = 10, final_round
        at(game, "END_TURN", seat=1, woken=1)
        assert (game.over, game.truncated, game.final_round, game.round) == (True, truncated, final_round, 10)


def test_artefact_points() -> None:
    game = fresh()
    game.players[0].flowers = 0
    points = []
    for artefacts in range(8):
        game.players[0].artefacts = artefacts
        points.append(game.scores()[0])
    assert points == [0, 1, 3, 6, 10, 14, 18, 22]


def test_only_completed_buildings_score() -> None:
    game = fresh()
    put(game, 4, RED_WITH_PURPLE_ARROWS, built=True)
    put(game, 3, PURPLE_1, built=True)
    north = put(game, 1, PURPLE_1 + 4, steps=1)
    put(game, 5, PURPLE_1 + 8, built=True)
    assert game.scores()[0] == 3 + 2 + 1 + 1
    north.built = True
    assert game.scores()[0] == 3 + 4 + 1 + 1 + 1
    game.players[0].building(3).tile = FLOWERS_1
    assert game.scores()[0] == 3 + 2 + 1 + 1 + 1
    game.players[0].building(3).markers = {2}
    assert game.scores()[0] == 3 + 4 + 1 + 1 + 1


def test_ties_go_to_prophecies_then_flowers_then_are_shared() -> None:
    game = fresh(players=4)
    game.prophecies = {0: 3, 4: -1, 7: -1}  # 2 points
    for player, flowers in zip(game.players, (6, 8, 6, 0), strict=True):
        player.flowers = flowers
    assert game.scores() == [2, 2, 2, 2]
    assert game.ranks() == [3, 2, 3, 1]


# Random play


def random_game(players: int, elites: bool, seed: int, watch: Callable[[Game], None]) -> list[dict[str, Any]]:
    """Play at random, every verb equally likely, and return the lines of the trace."""
    chance, choice = RandomChance(seed), random.Random(seed)
    game = Game(players, elites, 25, chance)
    header = {"format": "dunaia-replay", "version": 1, "players": players, "elites": elites, "max_rounds": 25}
    lines: list[dict[str, Any]] = [{**header, "draws": chance.draws, "state": game.to_dict()}]
    watch(game)
    while not game.over:
        legal = game.legal()
        assert len(legal) > 1
        verb = choice.choice(sorted(verbs(game)))
        action = choice.choice(with_verb(game, verb))
        line = {"seat": game.seat, "action": action, "decision": game.decision, "legal": legal}
        chance.draws = []
        game.apply(action, chance)
        lines.append({**line, "draws": chance.draws, "state": json.loads(json.dumps(game.to_dict()))})
        watch(game)
    scores, ranks = game.scores(), game.ranks()
    result = {"scores": scores, "ranks": ranks, "rounds": game.round, "truncated": game.truncated}
    return [*lines, {"result": result}]


def check_invariants(game: Game) -> None:
    found = [game.pending["found"]] if "found" in game.pending else []
    tiles = [*found, *game.display.values(), *game.pile_top.values()]
    for level, pile in game.piles.items():
        tiles += pile
        assert game.pile_top[level] >= 0 or not pile or found
    for player in game.players:
        unfinished = player.unfinished_squares()
        tiles += [player.reserved, *(building.tile for building in player.squares if building is not None)]
        assert player.tokens == 3 - len(unfinished)
        assert player.flowers >= 0
        assert len(player.fragments) < 3
        assert all(player.dunaias.count(edge) <= 3 for edge in range(12))
    assert sorted(tile for tile in tiles if tile >= 0) == list(range(40))
    for kind in range(3):
        held = sum(player.artefacts + (kind in player.fragments) for player in game.players)
        assert game.fragments[kind] + held == 12
    for colour in range(4):
        squares = [building for player in game.players for building in player.squares]
        placed = sum(building is not None and colour in building.markers for building in squares)
        assert game.colour_markers[colour] + placed == 3
    dice_left = sum(game.neutral) + sum(face > 0 for face in game.own)
    if game.decision == "CHOOSE_DIE":
        assert dice_left > 0
        assert any(game.neutral) or game.own[game.seat] > 0


@pytest.mark.parametrize("players", [2, 3, 4])
@pytest.mark.parametrize("elites", [False, True])
def test_random_games_keep_the_invariants_and_their_traces_agree(players: int, elites: bool) -> None:
    for seed in range(4):
        lines = random_game(players, elites, seed, check_invariants)
        assert check_trace(map(json.dumps, lines)) == len(lines) - 2


@pytest.mark.parametrize("players", [2, 3, 4])
def test_dice_run_out_exactly_at_a_turns_start(players: int) -> None:
    """The first chooser of a roll moves one seat each roll, and every turn of a roll takes one die."""
    total = NEUTRAL_DICE[players] + players
    assert total % players == 1
    turns: list[tuple[int, int, int]] = []

    def note_turn(game: Game) -> None:
        turn = game.num_players * (game.round - 1) + game.seat
        if game.decision == "AWAKEN" and game.woken == 0 and (not turns or turns[-1][0] != turn):
            turns.append((turn, game.seat, sum(game.neutral) + sum(face > 0 for face in game.own)))

    random_game(players, False, 11, note_turn)
    assert len(turns) == 25 * players
    for turn, seat, left_after_taking in turns:
        assert left_after_taking == total - 1 - turn % total
        if left_after_taking == total - 1:
            assert seat == (turn // total) % players


# Traces


def trace_with_a_search() -> list[dict[str, Any]]:
    """A trace in which a found tile is being placed."""
    for seed in range(100):
        lines = random_game(2, True, seed, lambda _: None)
        if any(line.get("decision") == "PLACE" for line in lines):
            return lines
    raise AssertionError("no game with a search")


TRACE = trace_with_a_search()


def altered(change: Change) -> list[str]:
    lines = json.loads(json.dumps(TRACE))
    change(lines)
    return [json.dumps(line) for line in lines]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda lines: lines[0].update(version=2), r"^line 1: version: expected 1, found 2$"),
        (lambda lines: lines[0].pop("draws"), r"^line 1: draws: expected this key, found nothing$"),
        (
            lambda lines: lines[0]["state"].update(round=True),
            r"^line 1: state.round: expected 1, found true$",
        ),
        (
            lambda lines: lines[0]["state"].update(extra=1),
            r"^line 1: state.extra: expected no such key, found it$",
        ),
        (lambda lines: lines[0].update(players=5), r"^line 1: players is 5"),
        (lambda lines: lines[0]["draws"].append([6, 0]), r"^line 1: draws: draw \d+: no further draw is due"),
        (lambda lines: lines[1].update(seat=0), r"^line 2: seat: expected 1, found 0$"),
        (lambda lines: lines[1].update(action="take 7"), r"^line 2: action: expected one of"),
        (
            lambda lines: lines[1]["legal"].pop(),
            r"^line 2: legal\[2\]: expected \"draft \d\", found nothing$",
        ),
        (
            lambda lines: lines[1]["legal"].append("pass"),
            r"^line 2: legal\[3\]: expected nothing, found \"pass\"$",
        ),
        (
            lambda lines: lines[2].update(decision="MOVE"),
            r"^line 3: decision: expected \"DRAFT\", found \"MOVE\"$",
        ),
        (lambda lines: lines[2]["draws"].append([6, 0]), r"^line 3: draws: draw 0: no further draw is due"),
        (
            lambda lines: lines[2]["state"].update(pending={"x": 1}),
            r"^line 3: state.pending.x: expected no such key",
        ),
        (
            lambda lines: lines[-1]["result"].update(rounds=1),
            rf"^line {len(TRACE)}: result.rounds: expected \d+",
        ),
        (lambda lines: lines.pop(), rf"^line {len(TRACE)}: the trace ends without a result line$"),
        (lambda lines: lines.append(lines[-1]), rf"^line {len(TRACE) + 1}: a line follows the result line"),
        (lambda lines: lines.pop(-2), rf"^line {len(TRACE) - 1}: found the result, but seat \d"),
    ],
)
def test_the_first_difference_is_named(change: Change, message: str) -> None:
    with pytest.raises(TraceError, match=message):
        check_trace(altered(change))


def test_the_content_of_pending_is_free_outside_windows() -> None:
    def rename(lines: list[dict[str, Any]]) -> None:
        for line in lines[:-1]:
            if line["state"]["decision"] == "PLACE":
                line["state"]["pending"] = {"some_other_key": [1, 2]}

    assert check_trace(altered(rename)) == len(TRACE) - 2


def test_text_that_is_not_json_is_refused() -> None:
    with pytest.raises(TraceError, match=r"^line 1: not JSON"):
        check_trace(["{"])
    with pytest.raises(TraceError, match=r"^line 1: an object was expected"):
        check_trace(["[]"])
    with pytest.raises(TraceError, match=r"^line 1: format: expected this key, found nothing$"):
        check_trace([])


def test_command(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    good, bad = tmp_path / "good.jsonl", tmp_path / "bad.jsonl"
    good.write_text("\n".join(altered(lambda _: None)) + "\n", encoding="utf-8")
    bad.write_text("\n".join(altered(lambda lines: lines[1].update(seat=0))) + "\n", encoding="utf-8")
    assert main([str(good)]) == 0
    assert main([str(good), str(bad), str(good)]) == 1
    assert main([]) == 2
    out = capsys.readouterr().out.splitlines()
    assert out[0] == f"{good}: {len(TRACE) - 2} decisions agree"
    assert out[2] == f"{bad}: line 2: seat: expected 1, found 0"
    assert len(out) == 3
