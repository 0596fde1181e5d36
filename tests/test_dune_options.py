"""Dune's options: defaults, presets, corrections, factions, and the integers by which a seam knows them."""

from __future__ import annotations

import re
from typing import Any

import pytest

from dunaia_env.dune.options import (
    NUMBERED_OPTIONS,
    OPTIONS,
    PRESETS,
    OptionsError,
    check_factions,
    check_players,
    complete,
    from_numbers,
    pack_factions,
    preset,
    to_numbers,
    unpack_factions,
)

pytestmark = pytest.mark.once

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
    assert all(option.help and option.allowed for option in OPTIONS)


def test_presets() -> None:
    assert list(PRESETS) == ["full", "classic", "plain", "duel"]
    assert complete(preset("full").options, 4) == DEFAULTS
    changed = {"deck": 33, "max_alliance": 2, "alliance_strongholds": 4, "atreides_sees_bonus": False}
    assert complete(preset("classic").options, 4) == {**DEFAULTS, **changed}
    plain = {**DEFAULTS, "powers": False, "alliances": False, "deck": 33}
    assert complete(preset("plain").options, 4) == plain
    duel = preset("duel")
    assert (duel.num_players, duel.factions) == (2, (0, 1))
    assert complete(duel.options, 2) == {**plain, "max_turns": 10, "undecided": "strongholds"}


def test_corrections() -> None:
    assert complete({}, 2)["alliances"] is False
    without = complete({"powers": False, "karama_powers": True, "tleilax": True}, 5)
    assert (without["karama_powers"], without["tleilax"], without["alliances"]) == (False, False, True)
    assert complete({"tleilax": True, "karama_powers": True}, 2)["tleilax"] is True


@pytest.mark.parametrize(
    ("chosen", "message"),
    [
        ({"decks": 43}, "options.'decks': no such option; there are powers, deck"),
        ({"deck": 40}, "options.deck = 40; 43 or 33 is needed"),
        ({"deck": 43.0}, "options.deck = 43.0; 43 or 33"),
        ({"powers": 1}, "options.powers = 1; true or false is needed"),
        ({"max_alliance": 1}, "options.max_alliance = 1; an integer in 2..5 or null is needed"),
        ({"max_alliance": True}, "options.max_alliance = True"),
        ({"alliance_strongholds": 6}, "options.alliance_strongholds = 6; an integer in 3..5 is needed"),
        ({"alliance_strongholds": None}, "options.alliance_strongholds = None; an integer in 3..5 is needed"),
        ({"undecided": "guild"}, "options.undecided = 'guild'; nobody or strongholds is needed"),
        ({"max_turns": 0}, "options.max_turns = 0; an integer in 1..15 is needed"),
    ],
)
def test_wrong_options_are_named(chosen: dict[str, Any], message: str) -> None:
    with pytest.raises(OptionsError, match=re.escape(message)):
        complete(chosen, 3)


@pytest.mark.parametrize("players", [1, 7, True, "3"])
def test_wrong_numbers_of_players_are_named(players: object) -> None:
    with pytest.raises(OptionsError, match=re.escape("an integer in 2..6 is needed")):
        check_players(players)


def test_unknown_preset_is_named() -> None:
    with pytest.raises(OptionsError, match="preset = 'short'; one of full, classic, plain, duel is needed"):
        preset("short")


def test_factions() -> None:
    options = complete({"tleilax": True}, 3)
    assert check_factions(None, 3, options) is None
    assert check_factions(["guild", 0, "tleilax"], 3, options) == (4, 0, 6)
    for factions, message in (
        ([0, 1], "factions = [0, 1]; 3 factions, one a seat, or null are needed"),
        ("abc", "factions = 'abc'; 3 factions"),
        ([0, 1, 7], "factions: 7; one of atreides"),
        ([0, 1, "arrakis"], "factions: 'arrakis'; one of atreides"),
        ([0, 1, "atreides"], "different factions are needed"),
    ):
        with pytest.raises(OptionsError, match=re.escape(message)):
            check_factions(factions, 3, options)  # type: ignore[arg-type]
    with pytest.raises(OptionsError, match="tleilax plays only with the option tleilax"):
        check_factions([0, 1, 6], 3, DEFAULTS)


@pytest.mark.parametrize(
    ("chosen", "players", "factions"),
    [
        ({}, 3, None),
        ({"deck": 33, "max_alliance": 2, "undecided": "strongholds", "max_turns": 1}, 6, (5, 4, 3, 2, 1, 0)),
        ({"tleilax": True, "open_shields": False, "alliance_strongholds": 5}, 2, (6, 0)),
    ],
)
def test_numbers_and_back(chosen: dict[str, Any], players: int, factions: tuple[int, ...] | None) -> None:
    options = complete(chosen, players)
    numbers = to_numbers(options, players, factions)
    assert list(numbers) == [option.name for option in NUMBERED_OPTIONS]
    for option in NUMBERED_OPTIONS:
        assert option.check(numbers[option.name]) == numbers[option.name]
    assert from_numbers(numbers) == (options, players, factions)


def test_numbered_defaults_are_the_defaults() -> None:
    numbers = {option.name: option.default for option in NUMBERED_OPTIONS}
    assert from_numbers({**numbers, "num_players": 3}) == (DEFAULTS, 3, None)


def test_packed_factions() -> None:
    assert pack_factions((0, 1)) == 0o21
    assert unpack_factions(0o21, 2) == (0, 1)
    for number, players in ((0o21, 3), (0o321, 2), (0o11, 2), (-1, 2)):
        with pytest.raises(OptionsError, match=f"factions = {number}"):
            unpack_factions(number, players)


@pytest.mark.parametrize(("name", "number"), [("max_alliance", 1), ("deck", 2), ("powers", 2), ("max_turns", 0)])
def test_numbers_without_a_value_are_named(name: str, number: int) -> None:
    numbers = to_numbers(DEFAULTS, 3)
    with pytest.raises(OptionsError, match=f"options.{name} = {number}"):
        from_numbers({**numbers, name: number})
