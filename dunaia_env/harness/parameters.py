"""The options of a game as parameters for tools that only take bools, integers and texts."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dunaia_env.harness.game import Game
from dunaia_env.harness.options import NONE_NUMBER, NUM_PLAYERS, PRESET, Option

PLAYERS = "players"


def _name(option: Option) -> str:
    return PLAYERS if option.name == NUM_PLAYERS else option.name


def _is_plain(option: Option) -> bool:
    """Whether the option's values, except None, are parameters as they are."""
    return not option.by_seat and all(isinstance(choice, int) for choice in option.choices)


def parameters_of(game: Game, options: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """All options of a game as parameters; with ``options=None`` the defaults.

    The number of players is called ``players``. A game with presets also has the parameter ``preset``, which is "" for
    no preset. In a range of integers, None becomes 0. Any other value that is not a bool or an integer becomes a text
    as on the command line ("none", "red+blue").
    """
    values = {option.name: option.default for option in game.options} if options is None else options
    found: dict[str, Any] = {PRESET: ""} if game.presets else {}
    for option in game.options:
        value = values[option.name]
        plain = NONE_NUMBER if value is None else value
        found[_name(option)] = plain if _is_plain(option) else option.word(value)
    return found


def options_of(game: Game, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """All options of a game from the parameters that are given, as they apply together (see `Game.settle`).

    The tools fill in all defaults, so a parameter that has its default value leaves the option to the preset. Unknown
    parameters are ignored. Raises `ValueError` naming the first parameter that is wrong.
    """
    preset = parameters.get(PRESET) or None
    found: dict[str, Any] = {PRESET: preset}
    defaults = parameters_of(game)
    for option in game.options:
        name = _name(option)
        if name not in parameters or (preset is not None and parameters[name] == defaults[name]):
            continue
        value, named = parameters[name], replace(option, name=name)
        if _is_plain(option):
            found[option.name] = None if option.or_none and value == NONE_NUMBER else named.check(value)
        else:
            found[option.name] = named.parse(value)
    return game.check_options(found)
