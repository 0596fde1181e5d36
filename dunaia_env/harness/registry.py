"""Games by name: those of the library, and any other by the name of its module."""

from __future__ import annotations

import sys
from collections.abc import Container

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
        raise ValueError(f"game: expected one of {', '.join(GAMES)}, or a module such as my_package.game, got {name!r}")
    try:
        return game_named(GAMES.get(name, name))
    except ImportError as error:
        raise ValueError(f"game: {name!r} cannot be imported ({error})") from error


def as_game(game: Game | str) -> Game:
    """A game that is given as an object or by a name that `find_game` takes."""
    return find_game(game) if isinstance(game, str) else game


def check_name_in_file(name: object, where: str, *, known: bool, named: Container[str], needed: str) -> None:
    """Check a name that a file holds before anything is loaded by it. Every such name goes through this function.

    A file must not decide which code is imported: a folder that somebody has sent may hold the module itself, and
    Python looks for modules in the current folder.

    Args:
        name: the name.
        where: the field that holds it, for the message.
        known: whether the library itself loads what is named, so that nothing else is imported.
        named: names that the command line or a server's own options give, or that are imported already.
        needed: what is needed, for the message.

    Raises `ValueError` for any other name.
    """
    if not (isinstance(name, str) and (known or name in named)):
        raise ValueError(f"{where}: expected {needed}, got {shorten(name)}: no file decides which code is imported")


def game_of_file(name: object, where: str = "game") -> Game:
    """The game that a file names: one of `GAMES`, or one that this process has imported already.

    Raises `ValueError` for any other name, see `check_name_in_file`.
    """
    known = isinstance(name, str) and name in GAMES
    needed = f"one of {', '.join(GAMES)}, or one named by --game too"
    check_name_in_file(name, where, known=known, named=sys.modules, needed=needed)
    return find_game(str(name))
