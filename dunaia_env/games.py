"""The games of the library by name."""

from __future__ import annotations

from dunaia_env.harness.game import Game, game_named

GAMES = {"dunaia": "dunaia_env.dunaia"}
DEFAULT_GAME: Game = game_named(GAMES["dunaia"])


def find_game(name: str) -> Game:
    """The game of a name in `GAMES`, or of the full name of a module with a `Game` called GAME.

    Raises `ValueError` naming the games for any other name.
    """
    if name not in GAMES and "." not in name:
        raise ValueError(f"game: {name!r}; one of {', '.join(GAMES)}, or a module such as my_package.game, is needed")
    try:
        return game_named(GAMES.get(name, name))
    except ImportError as error:
        raise ValueError(f"game: {name!r} cannot be imported ({error})") from error


def name_of(game: Game) -> str:
    """How files write a game: by its name in `GAMES`, or by its module if the library does not have it."""
    return game.name if GAMES.get(game.name) == game.module else game.module
