"""Tables of several kinds: options of a game as commands give them, as files hold them and as lanes are dealt them."""

from __future__ import annotations

from typing import Any

import pytest

from dunaia_env.harness.dealing import check_dealt, dealt, first_of, for_lanes, read_dealt, tables, variant
from dunaia_env.harness.lanes import Lanes
from dunaia_env.harness.registry import DEFAULT_GAME, find_game, game_of_file, name_of

pytestmark = pytest.mark.once


def test_what_is_not_given_is_that_of_the_full_game() -> None:
    assert dealt(DEFAULT_GAME, {}) == {"elites": (True,), "max_rounds": (100,)}
    given: dict[str, Any] = {"elites": [True, False], "max_rounds": 7}
    assert dealt(DEFAULT_GAME, given) == {"elites": (True, False), "max_rounds": (7,)}
    assert DEFAULT_GAME.default_options() == {"elites": False, "max_rounds": 100}


@pytest.mark.parametrize(
    ("players", "options", "message"),
    [
        ((), {}, "players: expected at least one, got none"),
        ((2, 9), {}, r"num_players: expected an integer in 2\.\.4, got 9"),
        ((2,), {"elites": ()}, "elites: expected at least one, got none"),
        ((2,), {"elites": (True, 1)}, "elites: expected True or False, got 1"),
        ((2,), {"max_rounds": (5, 0)}, r"max_rounds: expected an integer in 1\.\.1000, got 0"),
    ],
)
def test_wrong_values_are_named(players: tuple[int, ...], options: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        check_dealt(DEFAULT_GAME, players, options)


def test_what_is_no_option_is_named() -> None:
    with pytest.raises(TypeError, match="laps: no option of dunaia; its options are num_players, elites, max_rounds"):
        check_dealt(DEFAULT_GAME, (2,), {"laps": (1,)})


def test_files_hold_values_or_lists_of_them() -> None:
    content = {"elites": [True, False], "max_rounds": 50, "players": [2], "laps": "any"}
    assert read_dealt(DEFAULT_GAME, content) == {"elites": (True, False), "max_rounds": (50,)}
    assert read_dealt(DEFAULT_GAME, {"elites": False}) == {"elites": (False,)}
    for wrong, message in (
        ({"elites": 1}, "elites: expected true or false, got 1"),
        ({"max_rounds": [True]}, r"max_rounds: expected an integer in 1\.\.1000, got True"),
        ({"max_rounds": ["x" * 10**6]}, r"max_rounds: expected an integer in 1.*, got 'x+\.\.\.x+'"),
        ({"max_rounds": 5000}, r"max_rounds: expected an integer in 1\.\.1000, got 5000"),
    ):
        with pytest.raises(ValueError, match=message):
            read_dealt(DEFAULT_GAME, wrong)


def test_lanes_are_dealt_every_combination_in_turn() -> None:
    kinds = tables(DEFAULT_GAME, (2, 3), {"max_rounds": (9,), "elites": (True, False)})
    assert [tuple(kind.values()) for kind in kinds] == [(2, True, 9), (2, False, 9), (3, True, 9), (3, False, 9)]
    options = for_lanes(kinds, range(3, 6))
    assert options == {"num_players": [3, 2, 2], "elites": [False, True, False], "max_rounds": [9, 9, 9]}
    assert Lanes(3, **options).num_players.tolist() == [3, 2, 2]
    assert first_of({"elites": (True, False)}) == {"elites": True}


@pytest.mark.parametrize(
    ("options", "text"),
    [
        ({}, ""),
        ({"elites": True, "max_rounds": 100}, "with elite characters"),
        ({"elites": False}, "without elite characters"),
        ({"elites": [False, True]}, "with and without elite characters"),
        ({"elites": (True, True), "max_rounds": (100, 50)}, "with elite characters, round limit 100 or 50"),
    ],
)
def test_options_in_words(options: dict[str, Any], text: str) -> None:
    assert variant(DEFAULT_GAME, options) == text


def test_a_file_names_only_games_that_are_known() -> None:
    game = find_game("tests.toy_game")
    assert (name_of(game), name_of(DEFAULT_GAME)) == ("tests.toy_game", "dunaia")
    assert game_of_file("tests.toy_game") is game
    assert game_of_file("dunaia") is DEFAULT_GAME
    for name in ("tests.never_imported", "antigravity", "x" * 10**6):
        known = "one of dunaia, dune, dunaia_assigned, or one named by --game too"
        with pytest.raises(ValueError, match=f"game: expected {known}, got .*"):
            game_of_file(name)
