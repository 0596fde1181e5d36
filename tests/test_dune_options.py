"""Dune's options: defaults, presets, corrections, factions, and how files and compiled code hold them."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import pytest

from dunaia_env.dune.options import (
    GAME_OPTIONS,
    OPTIONS,
    PRESETS,
    RECORDING,
    OptionsError,
    check_players,
    complete,
    settle,
)
from dunaia_env.harness.game import Game
from dunaia_env.harness.recording import header_entries
from tests.toy_game import GAME as BIDS

pytestmark = pytest.mark.once

# Another game with Dune's options.
DUNE: Game = replace(BIDS, name="dune", options=GAME_OPTIONS, settle=settle, presets=PRESETS, recording=RECORDING)


def checked(**values: Any) -> dict[str, Any]:
    return DUNE.check_options(values)


DEFAULTS = {
    "powers": True,
    "deck": 43,
    "alliances": True,
    "max_alliance": None,
    "alliance_strongholds": 3,
    "karama_powers": False,
    "tleilax": False,
    "open_shields": True,
    "atreides_sees_bonus": True,
    "undecided": "nobody",
    "max_turns": 15,
}


def test_defaults_and_their_order() -> None:
    assert list(complete({}, 3).items()) == list(DEFAULTS.items())
    assert all(option.help and option.allowed() for option in OPTIONS)


def test_presets() -> None:
    assert list(PRESETS) == ["full", "classic", "plain", "duel"]
    assert complete(PRESETS["full"], 4) == DEFAULTS
    changed = {"deck": 33, "max_alliance": 2, "alliance_strongholds": 4, "atreides_sees_bonus": False}
    assert complete(PRESETS["classic"], 4) == {**DEFAULTS, **changed}
    plain = {**DEFAULTS, "powers": False, "alliances": False, "deck": 33}
    assert complete(PRESETS["plain"], 4) == plain
    duel = {**plain, "max_turns": 10, "undecided": "strongholds"}
    assert checked(preset="duel") == {"num_players": 2, **duel, "factions": (0, 1)}
    assert checked(preset="duel", num_players=3, factions=None, max_turns=4)["max_turns"] == 4


def test_corrections() -> None:
    assert complete({}, 2)["alliances"] is False
    without = complete({"powers": False, "karama_powers": True, "tleilax": True}, 5)
    assert (without["karama_powers"], without["tleilax"], without["alliances"]) == (False, False, True)
    assert complete({"tleilax": True, "karama_powers": True}, 2)["tleilax"] is True


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ({"decks": 43}, "options.'decks': no such option; there are powers, deck"),
        ({"deck": 40}, "options.deck: expected 43 or 33, got 40"),
        ({"deck": 43.0}, "options.deck: expected 43 or 33, got 43.0"),
        ({"powers": 1}, "options.powers: expected true or false, got 1"),
        ({"max_alliance": 1}, "options.max_alliance: expected an integer in 2..5 or null, got 1"),
        ({"max_alliance": True}, "options.max_alliance: expected an integer in 2..5 or null, got True"),
        ({"alliance_strongholds": 6}, "options.alliance_strongholds: expected an integer in 3..5, got 6"),
        ({"alliance_strongholds": None}, "options.alliance_strongholds: expected an integer in 3..5, got None"),
        ({"undecided": "guild"}, "options.undecided: expected nobody or strongholds, got 'guild'"),
        ({"max_turns": 0}, "options.max_turns: expected an integer in 1..15, got 0"),
    ],
)
def test_wrong_options_are_named(chosen: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionsError, match=re.escape(message)):
        complete(chosen, 3)


@pytest.mark.parametrize("players", [1, 7, True, "3"])
def test_wrong_numbers_of_players_are_named(players: object) -> None:
    with pytest.raises(OptionsError, match=re.escape("expected an integer in 2..6")):
        check_players(players)


def test_unknown_preset_is_named() -> None:
    with pytest.raises(ValueError, match="preset: expected one of full, classic, plain, duel, got 'short'"):
        checked(preset="short")


def test_factions() -> None:
    assert checked(num_players=3)["factions"] is None
    assert checked(num_players=3, tleilax=True, factions=["guild", 0, "tleilax"])["factions"] == (4, 0, 6)
    assert checked(factions="atreides+harkonnen")["factions"] == (0, 1)
    for factions, message in (
        ([0, 1], "factions: expected 3, one a seat, or None, got atreides, harkonnen"),
        (
            "abc",
            "factions: expected a list with one of atreides, harkonnen, .*, got ['abc']",
        ),
        ([0, 1, 7], "factions: expected a list with one of atreides, .*, got [0, 1, 7]"),
        ([0, 1, "arrakis"], "factions: expected a list with one of atreides, .*, got [0, 1, 'arrakis']"),
        ([0, 1, "atreides"], "factions: expected different ones, got atreides, harkonnen, atreides"),
        ([0, 1, 6], "factions: tleilax plays only with the option tleilax"),
    ):
        with pytest.raises(ValueError, match=re.escape(message).replace(r"\.\*", ".*")):
            checked(num_players=3, factions=factions)
    with pytest.raises(OptionsError, match="tleilax plays only with the option tleilax"):
        checked(num_players=2, powers=False, tleilax=True, factions=(0, 6))


@pytest.mark.parametrize(
    ("chosen", "row"),
    [
        ({"num_players": 3}, [3, 1, 0, 1, 0, 3, 0, 0, 1, 1, 0, 15, 0]),
        (
            {
                "num_players": 6,
                "deck": 33,
                "max_alliance": 2,
                "undecided": "strongholds",
                "factions": (5, 4, 3, 2, 1, 0),
            },
            [6, 1, 1, 1, 2, 3, 0, 0, 1, 1, 1, 15, 0o123456],
        ),
        (
            {"num_players": 2, "tleilax": True, "open_shields": False, "factions": ["tleilax", "atreides"]},
            [2, 1, 0, 0, 0, 3, 0, 1, 0, 1, 0, 15, 0o17],
        ),
    ],
)
def test_numbers_and_back(chosen: dict[str, Any], row: list[int]) -> None:
    values = checked(**chosen)
    assert DUNE.option_row(values).tolist() == [*row, 0, 0, 0]
    assert {option.name: option.value(number) for option, number in zip(GAME_OPTIONS, row, strict=True)} == values


@pytest.mark.parametrize(
    ("name", "number"), [("max_alliance", 1), ("deck", 2), ("powers", 2), ("max_turns", 0), ("factions", 0o102)]
)
def test_numbers_without_a_value_are_named(name: str, number: int) -> None:
    with pytest.raises(ValueError, match=f"{name}: expected .*, got {number}"):
        DUNE.option(name).value(number)


def test_files_hold_the_options_together_and_the_factions_beside_them() -> None:
    values = checked(num_players=2, factions=["harkonnen", "guild"])
    assert header_entries(DUNE, values) == {
        "players": 2,
        "options": {**DEFAULTS, "alliances": False},
        "factions": [1, 4],
    }
    assert header_entries(DUNE, checked())["factions"] is None
    assert list(RECORDING.result) == ["winners", "how", "scores", "ranks", "turns"]
