"""The options of a game as parameters for tools whose parameters are bools, integers and texts only."""

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
    """Whether the option's values are parameters themselves, but for None."""
    return not option.by_seat and all(isinstance(choice, int) for choice in option.choices)


def parameters_of(game: Game, options: Mapping[str, Any] | None = None) -> dict[str, Any]:
    """All options of a game as parameters, the defaults for None.

    The number of players is called ``players``. A game with presets has ``preset``, "" for none. None is 0 in a range
    of integers; any other value that is no bool or integer is a text, as commands take it ("none", "red+blue").
    """
    values = {option.name: option.default for option in game.options} if options is None else options
    found: dict[str, Any] = {PRESET: ""} if game.presets else {}
    for option in game.options:
        value = values[option.name]
        plain = NONE_NUMBER if value is None else value
        found[_name(option)] = plain if _is_plain(option) else option.word(value)
    return found


def options_of(game: Game, parameters: Mapping[str, Any]) -> dict[str, Any]:
    """All options of a game, of the parameters that are given, as they count together.

    Such tools fill in the defaults, so a parameter with its default leaves the option to the preset. Other parameters
    are passed over. Raises `ValueError` naming the first that is wrong.
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
