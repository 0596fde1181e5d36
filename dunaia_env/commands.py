"""What commands share: options checked in one sentence before anything begins, and the options of the game played."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import field, fields, make_dataclass
from typing import Annotated, Any, TypeVar

import tyro

from dunaia_env.games import DEFAULT_GAME, find_game
from dunaia_env.harness.game import NUM_PLAYERS, Game

T = TypeVar("T")


def check_numbers(
    options: Any,
    *,
    positive: Sequence[str] = (),
    not_negative: Sequence[str] = (),
    shares: Sequence[str] = (),
) -> None:
    """Raise `ValueError` naming an option whose number is out of its range, and what is needed.

    Args:
        options: a dataclass. No number of it, nor one in a tuple of it, may be infinite or NaN.
        positive: names of options that have to be more than 0, or None.
        not_negative: of those that have to be at least 0.
        shares: of those that have to be in 0..1.
    """
    for option in fields(options):
        value = getattr(options, option.name)
        for number in value if isinstance(value, tuple) else (value,):
            if isinstance(number, float) and not math.isfinite(number):
                raise ValueError(f"{option.name}: {number}; a finite number is needed")
    for name in positive:
        if (value := getattr(options, name)) is not None and not value > 0:
            raise ValueError(f"{name}: {value}; more than 0 is needed")
    for name in not_negative:
        if not getattr(options, name) >= 0:
            raise ValueError(f"{name}: {getattr(options, name)}; at least 0 is needed")
    for name in shares:
        if not 0 <= getattr(options, name) <= 1:
            raise ValueError(f"{name}: {getattr(options, name)}; a number in 0..1 is needed")


def run_command(program: str, command: Callable[[], object]) -> int:
    """Run a command and return its exit status: 0, or 2 for what it refuses, with the reason on standard error."""
    try:
        command()
    except (ValueError, OSError) as error:
        print(f"{program}: {error}", file=sys.stderr)
        return 2
    return 0


def with_game_options(command: type[T], game: Game, *, dealt: bool = False) -> type[T]:
    """A command's options together with those of a game, for `tyro`: a dataclass that fills in ``game_options``.

    Args:
        command: a dataclass with a field ``game_options``, a mapping from names of options to values.
        game: whose options, all but the number of players, become fields.
        dealt: take several values of each, which the lanes are dealt in turn: ``game_options`` then holds tuples.
    """

    def fill_in(parsed: Any) -> None:
        object.__setattr__(parsed, "game_options", {name: getattr(parsed, name) for name in names})
        follow = getattr(command, "__post_init__", None)
        if follow is not None:
            follow(parsed)

    names = [option.name for option in game.options if option.name != NUM_PLAYERS]
    extra: list[tuple[str, Any, Any]] = [("game_options", Any, field(init=False))]
    for name in names:
        option = game.option(name)
        kind: Any = type(option.default)
        default = (option.default,) if dealt else option.default
        about = option.help if kind is bool else f"{option.help}; {option.least}..{option.most}"
        help_text = tyro.conf.arg(help=about[:1].upper() + about[1:] + ".")
        extra.append((name, Annotated[tuple[kind, ...] if dealt else kind, help_text], field(default=default)))
    is_frozen = command.__dataclass_params__.frozen  # type: ignore[attr-defined]
    made = make_dataclass(
        command.__name__, extra, bases=(command,), namespace={"__post_init__": fill_in}, frozen=is_frozen, kw_only=True
    )
    made.__doc__ = command.__doc__
    return made


def named_game(arguments: Sequence[str]) -> Game:
    """The game that a command line names by ``--game NAME``, the default one without it.

    Raises `ValueError` for a name that is no game.
    """
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--game", default=DEFAULT_GAME.name)
    return find_game(parser.parse_known_args(arguments)[0].game)


def parse_command(
    command: type[T], *, dealt: bool = False, program: str | None = None, arguments: Sequence[str] | None = None
) -> T:
    """The options on a command line, those of the game among them; ends the process for what it does not allow.

    Args:
        command: a dataclass with fields ``game`` (a name) and ``game_options`` (a mapping).
        dealt: as for `with_game_options`.
        program: name of the command in its help.
        arguments: the words of the command line; the process's own if absent.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    try:
        game = named_game(given)
    except ValueError as error:
        print(f"{program or command.__name__}: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    whole = with_game_options(command, game, dealt=dealt)
    parsed = tyro.cli(whole, prog=program, description=command.__doc__, args=given)
    return command(**{one.name: getattr(parsed, one.name) for one in fields(command)})  # type: ignore[arg-type]
