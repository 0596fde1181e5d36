"""Command lines: checks of options, and the options of the game on the command line."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, fields, make_dataclass
from typing import Annotated, Any, TypeVar

import tyro

from dunaia_env.harness.game import Game
from dunaia_env.harness.registry import DEFAULT_GAME, find_game, name_of

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
    """Run a command and return its exit status: 0, or 2 for a `ValueError` or `OSError`, printed on standard error."""
    try:
        command()
    except (ValueError, OSError) as error:
        print(f"{program}: {error}", file=sys.stderr)
        return 2
    return 0


def with_game_options(command: type[T], game: Game, *, dealt: bool = False, full: bool = False) -> type[T]:
    """A command's options together with those of a game, for `tyro`: a dataclass that fills in ``game_options``.

    Args:
        command: a dataclass with a field ``game_options``, a mapping from names of options to values.
        game: whose options, all but the number of players, become fields.
        dealt: take several values of each option, dealt to the lanes in turn; ``game_options`` then holds tuples.
        full: the defaults are those of the full game, see `Option.full`.

    Raises `ValueError` for an option of the game that has the name of one of the command's own.
    """

    def fill_in(parsed: Any) -> None:
        object.__setattr__(parsed, "game_options", {name: getattr(parsed, name) for name in names})
        follow = getattr(command, "__post_init__", None)
        if follow is not None:
            follow(parsed)

    defaults = game.default_options(full=full)
    names = list(defaults)
    if taken := [one.name for one in fields(command) if one.name in defaults]:  # type: ignore[arg-type]
        raise ValueError(f"{taken[0]}: an option of {game.name}, and one of the command's own; another name is needed")
    extra: list[tuple[str, Any, Any]] = [("game_options", Any, field(init=False))]
    for name in names:
        option = game.option(name)
        kind: Any = type(option.default)
        default = (defaults[name],) if dealt else defaults[name]
        about = option.help if kind is bool else f"{option.help}; {option.least}..{option.most}"
        help_text = tyro.conf.arg(help=about[:1].upper() + about[1:] + ".")
        extra.append((name, Annotated[tuple[kind, ...] if dealt else kind, help_text], field(default=default)))
    is_frozen = command.__dataclass_params__.frozen  # type: ignore[attr-defined]
    made = make_dataclass(
        command.__name__, extra, bases=(command,), namespace={"__post_init__": fill_in}, frozen=is_frozen, kw_only=True
    )
    made.__doc__ = command.__doc__
    return made


def named_game(arguments: Sequence[str], default: str = DEFAULT_GAME.name) -> Game:
    """The game that a command line names with ``--game NAME``, or else the default.

    Raises `ValueError` for an unknown name.
    """
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False)
    parser.add_argument("--game", default=default)
    return find_game(parser.parse_known_args(arguments)[0].game)


def parse_command(
    command: type[T],
    *,
    dealt: bool = False,
    full: bool = False,
    default: T | None = None,
    program: str | None = None,
    arguments: Sequence[str] | None = None,
) -> T:
    """Parse a command line, including the options of the game; exits with a message if it is invalid.

    Args:
        command: a dataclass with fields ``game`` (a name) and ``game_options`` (a mapping).
        dealt: as for `with_game_options`.
        full: the same.
        default: values of options that the command line does not give; the command's own defaults if absent.
        program: name of the command in its help.
        arguments: the words of the command line; the process's own if absent.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    before: Any = default
    try:
        game = named_game(given, DEFAULT_GAME.name if before is None else before.game)
        whole = with_game_options(command, game, dealt=dealt, full=full)
    except ValueError as error:
        print(f"{program or command.__name__}: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    if before is not None:
        # Options that were chosen for another game do not apply to this one.
        options = before.game_options if find_game(before.game) is game else {}
        before = whole(**_own_values(command, before) | {"game": name_of(game)}, **options)
    parsed = tyro.cli(whole, prog=program, description=command.__doc__, default=before, args=given)
    # Not the parsed `game_options`: from a default, tyro copies those.
    return command(
        **_own_values(command, parsed),
        game_options={name: getattr(parsed, name) for name in game.default_options()},  # type: ignore[call-arg]
    )


def _own_values(command: type[T], options: Any) -> dict[str, Any]:
    """The values of a command's fields, but for the options of the game."""
    names = [one.name for one in fields(command) if one.name != "game_options"]  # type: ignore[arg-type]
    return {name: getattr(options, name) for name in names}


def option_words(game: Game, options: Mapping[str, Any]) -> list[str]:
    """The words of a command line that select a game and its options, one value each; defaults are left out."""
    words = [] if game is DEFAULT_GAME else ["--game", name_of(game)]
    for name, value in options.items():
        default = game.option(name).default
        if value == default:
            continue
        flag = name.replace("_", "-")
        words += [f"--{flag}" if value else f"--no-{flag}"] if isinstance(default, bool) else [f"--{flag}", str(value)]
    return words
