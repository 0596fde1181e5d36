"""Games by name: those of the library, and any other by the name of its module."""

from __future__ import annotations

import sys

from dunaia_env.games import DEFAULT_NAME, GAMES
from dunaia_env.harness.game import Game, game_named
from dunaia_env.support.messages import shorten

DEFAULT_GAME: Game = game_named(GAMES[DEFAULT_NAME])


def name_of(game: Game) -> str:
    """The shortest name with which `find_game` finds a game."""
    return next((name for name, module in GAMES.items() if module == game.module), game.module)


def find_game(name: str) -> Game:
    """The game with a name in `GAMES`, or with the full name of a module that holds a `Game` called GAME.

    Raises `ValueError`, naming the games, for any other name.
    """
    if name not in GAMES and not ("." in name and all(part.isidentifier() for part in name.split("."))):
        raise ValueError(f"game: {name!r}; one of {', '.join(GAMES)}, or a module such as my_package.game, is needed")
    try:
        return game_named(GAMES.get(name, name))
    except ImportError as error:
        raise ValueError(f"game: {name!r} cannot be imported ({error})") from error


def as_game(game: Game | str) -> Game:
    """A game that is given as an object or by a name that `find_game` takes."""
    return find_game(game) if isinstance(game, str) else game


def game_of_file(name: str) -> Game:
    """The game that a file names: one of `GAMES`, or one that this process has imported already.

    A file must not decide which module is imported. Raises `ValueError` for any other name.
    """
    if name not in GAMES and name not in sys.modules:
        raise ValueError(f"game: {shorten(name)}; one of {', '.join(GAMES)}, or one named by --game too, is needed")
    return find_game(name)
