"""Options of a game with several values each; every combination is a kind of table. Lanes get the kinds in turn."""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from dunaia_env.harness.game import Game
from dunaia_env.harness.options import NUM_PLAYERS, PRESET, several
from dunaia_env.support.messages import shorten

# Values of the options by name; the number of players is not one of them.
Dealt = Mapping[str, tuple[Any, ...]]


def dealt(game: Game, options: Mapping[str, Any]) -> dict[str, tuple[Any, ...]]:
    """Options as tuples of values; a single value becomes a tuple of one.

    An absent option gets its value in the full game. Nothing is checked. Unknown options are kept, so that
    `check_dealt` can name them.
    """
    known = {option.name: option.several for option in game.options}
    given = {name: tuple(known.get(name, several)(value)) for name, value in options.items()}
    return {name: (value,) for name, value in game.default_options(full=True).items()} | given


def check_dealt(game: Game, players: Sequence[object], options: Dealt) -> None:
    """Raise `ValueError` naming the first number of players or option that the game does not allow, and what it allows.

    The number of players and each option need at least one value. Raises `TypeError` for the name of an option that the
    game does not have.
    """
    if not players:
        raise ValueError("players: expected at least one, got none")
    for number in players:
        game.option(NUM_PLAYERS).check(number)
    for name, values in options.items():
        option = game.option(name)
        if not values:
            raise ValueError(f"{name}: expected at least one, got none")
        for value in values:
            option.check(value)


def read_dealt(game: Game, content: Mapping[str, object]) -> dict[str, tuple[Any, ...]]:
    """The game's options that are in the header of a file, where each is a value or a list of values.

    Raises `ValueError` naming a wrong value and what is allowed.
    """
    found: dict[str, tuple[Any, ...]] = {}
    for name in game.default_options():
        if name not in content:
            continue
        option = game.option(name)
        found[name] = tuple(option.from_json(value) for value in option.several(content[name]))
    check_dealt(game, (game.option(NUM_PLAYERS).default,), found)
    return found


def tables(game: Game, players: Iterable[int], options: Dealt) -> list[dict[str, Any]]:
    """The options of each kind of table, the number of players first: every combination of the values."""
    names = [NUM_PLAYERS, *(name for name in game.default_options() if name in options)]
    values = itertools.product(players, *(options[name] for name in names[1:]))
    return [dict(zip(names, value, strict=True)) for value in values]


def named_tables(game: Game, names: Iterable[str]) -> list[dict[str, Any]]:
    """The options of named kinds of tables, the number of players first.

    Args:
        game: the game.
        names: presets of the game, with or without a number of players, such as ``plain:6``.

    Raises `ValueError` naming the first name that is wrong and what is allowed.
    """
    kinds = []
    for name in names:
        preset, colon, players = name.partition(":")
        if colon and not players.isdecimal():
            raise ValueError(f"tables: expected a preset and a number of players, such as plain:6, got {shorten(name)}")
        chosen = {PRESET: preset} | ({NUM_PLAYERS: int(players)} if colon else {})
        try:
            kinds.append(game.check_options(chosen))
        except ValueError as error:
            raise ValueError(f"tables: {shorten(name)}: {error}") from None
    return kinds


def for_lanes(kinds: Sequence[Mapping[str, Any]], lanes: Iterable[int]) -> dict[str, Any]:
    """The options of lanes by name, with a value per lane; lane i gets the kind ``i % len(kinds)``."""
    mine = [kinds[lane % len(kinds)] for lane in lanes]
    return {name: [kind[name] for kind in mine] for name in kinds[0]}


def first_of(options: Dealt) -> dict[str, Any]:
    """The first value of each option."""
    return {name: values[0] for name, values in options.items()}


def variant(game: Game, options: Mapping[str, Any]) -> str:
    """The options in words: "with" or "without" for a switch, and other options whose values are not the default.

    Empty if there are none of these.
    """
    words = []
    for name in game.default_options():
        if name not in options:
            continue
        option = game.option(name)
        values, title = option.several(options[name]), option.title or name
        if option.is_switch:
            known = [word for word, is_on in (("with", True), ("without", False)) if is_on in values]
            words.append(f"{' and '.join(known)} {title}")
        elif set(values) != {option.default}:
            words.append(f"{title} {' or '.join(map(option.word, values))}")
    return ", ".join(words)
