"""Command lines: checks of options, and the options of the game on the command line."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import field, fields, make_dataclass
from typing import Annotated, Any, Literal, TypeVar, get_args, get_origin, get_type_hints

import tyro

from dunaia_env.harness.game import Game
from dunaia_env.harness.options import BETWEEN, NONE_WORDS, NUM_PLAYERS, PRESET, Option
from dunaia_env.harness.registry import DEFAULT_GAME, find_game, name_of

T = TypeVar("T")
# Name of a command's option for the game's number of players.
PLAYERS = "players"


def check_numbers(
    options: Any,
    *,
    positive: Sequence[str] = (),
    not_negative: Sequence[str] = (),
    shares: Sequence[str] = (),
) -> None:
    """Raise `ValueError` naming an option whose number is out of range, and what is needed.

    Args:
        options: a dataclass. No number in it or in one of its tuples may be infinite or NaN.
        positive: names of options that have to be None or more than 0.
        not_negative: names of options that have to be at least 0.
        shares: names of options that have to be in 0..1.
    """
    for option in fields(options):
        value = getattr(options, option.name)
        for number in value if isinstance(value, tuple) else (value,):
            if isinstance(number, float) and not math.isfinite(number):
                raise ValueError(f"{option.name}: expected a finite number, got {number}")
    for name in positive:
        if (value := getattr(options, name)) is not None and not value > 0:
            raise ValueError(f"{name}: expected more than 0, got {value}")
    for name in not_negative:
        if not getattr(options, name) >= 0:
            raise ValueError(f"{name}: expected at least 0, got {getattr(options, name)}")
    for name in shares:
        if not 0 <= getattr(options, name) <= 1:
            raise ValueError(f"{name}: expected a number in 0..1, got {getattr(options, name)}")


def run_command(program: str, command: Callable[[], object]) -> int:
    """Run a command and return its exit status: 0, or 2 for a `ValueError` or `OSError`, printed on standard error."""
    try:
        command()
    except BrokenPipeError:  # the reader of the output has gone, which `run_main` handles
        raise
    except (ValueError, OSError) as error:
        print(f"{program}: {error}", file=sys.stderr)
        return 2
    return 0


def with_game_options(
    command: type[T],
    game: Game,
    *,
    dealt: bool = False,
    full: bool = False,
    preset: str | None = None,
    decided: Collection[str] = (),
) -> type[T]:
    """A dataclass for `tyro` with the options of a command and those of a game; it fills in ``game_options``.

    The command gets an option ``preset`` if the game has presets.

    Args:
        command: a dataclass with a field ``game_options``, a mapping from names of options to values.
        game: the game whose options, except the number of players, become fields.
        dealt: take several values of each option, which are dealt to the lanes in turn; ``game_options`` then holds
            tuples.
        full: use the defaults of the full game, see `Option.full`.
        preset: a preset of the game; its values become the defaults, also the default of the command's option
            ``players``.
        decided: names of options that the command decides by itself; they do not become fields.

    Raises `ValueError` if an option of the game has the same name as an option of the command, and for a preset that is
    unknown or sets an option that the command decides.
    """

    def fill_in(parsed: Any) -> None:
        object.__setattr__(parsed, "game_options", {name: getattr(parsed, name) for name in names})
        follow = getattr(command, "__post_init__", None)
        if follow is not None:
            follow(parsed)

    chosen = {} if preset is None else dict(game.preset(preset))
    num_players = chosen.pop(NUM_PLAYERS, None)
    if fixed := [name for name, value in chosen.items() if name in decided and value != game.option(name).default]:
        raise ValueError(f"{PRESET}: {preset}; it sets {fixed[0]}, which this command decides by itself")
    defaults = game.default_options(full=full) | {name: game.option(name).check(chosen[name]) for name in chosen}
    names = [name for name in defaults if name not in decided]
    own = [member.name for member in fields(command)]  # type: ignore[arg-type]
    if taken := [name for name in own if name in names or (name == PRESET and game.presets)]:
        raise ValueError(
            f"{taken[0]}: expected a name that is no option of the command itself, got this one from {game.name}"
        )
    extra: list[tuple[str, Any, Any]] = [("game_options", Any, field(init=False))]
    if game.presets:
        extra.append((PRESET, _preset_type(game), field(default=preset)))
    if num_players is not None and PLAYERS in own:
        hint = get_type_hints(command, include_extras=True)[PLAYERS]
        is_dealt = any(get_origin(part) is tuple for part in (hint, *get_args(hint)))
        number = (num_players,) if is_dealt else num_players
        extra.append((PLAYERS, hint, field(default=number)))
    for name in names:
        option = game.option(name)
        kind: Any = _type_of(option)
        default = (defaults[name],) if dealt else defaults[name]
        about = f"{option.help}; {option.least}..{option.most}" if option.is_number else option.help
        help_text = tyro.conf.arg(help=about[:1].upper() + about[1:] + ".")
        extra.append((name, Annotated[tuple[kind, ...] if dealt else kind, help_text], field(default=default)))
    is_frozen = command.__dataclass_params__.frozen  # type: ignore[attr-defined]
    made = make_dataclass(
        command.__name__, extra, bases=(command,), namespace={"__post_init__": fill_in}, frozen=is_frozen, kw_only=True
    )
    made.__doc__ = command.__doc__
    return made


def _preset_type(game: Game) -> Any:
    names: Any = Literal[tuple(game.presets)]
    help_text = "Options of the game that are chosen together; options that are given besides win."
    return Annotated[names | None, tyro.conf.arg(help=help_text)]


def _type_of(option: Option) -> Any:
    """The type that makes `tyro` read an option as a flag, an integer or one word."""
    if option.is_switch or option.is_number:
        return type(option.default)
    spec = tyro.constructors.PrimitiveConstructorSpec[Any](
        nargs=1,
        metavar=_metavar(option),
        instance_from_str=lambda words: option.parse(words[0]),
        is_instance=lambda value: _is_value(option, value),
        str_from_instance=lambda value: [option.word(value)],
    )
    return Annotated[object, spec]


def _is_value(option: Option, value: Any) -> bool:
    try:
        option.check(value)
    except ValueError:
        return False
    return True


def _metavar(option: Option) -> str:
    words = "|".join(option.shown) if option.choices else f"{option.least}..{option.most}"
    if option.by_seat:
        words = f"({words}){BETWEEN}..."
    return f"{words}|{NONE_WORDS[0]}" if option.or_none else words


def named_preset(arguments: Sequence[str], game: Game) -> str | None:
    """The preset that a command line names with ``--preset NAME``; None if it names none or the game has none.

    Raises `ValueError` for an unknown name.
    """
    if not game.presets:
        return None
    parser = argparse.ArgumentParser(add_help=False, allow_abbrev=False, exit_on_error=False)
    parser.add_argument(f"--{PRESET}", nargs="?")
    name = parser.parse_known_args(arguments)[0].preset
    if name is not None:
        game.preset(name)
    return None if name is None else str(name)


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
    decided: Callable[[Game], Collection[str]] = lambda game: (),
) -> T:
    """Parse a command line, including the options of the game; exits with a message if it is invalid.

    Args:
        command: a dataclass with fields ``game`` (a name) and ``game_options`` (a mapping).
        dealt: as for `with_game_options`.
        full: as for `with_game_options`.
        default: values of options that the command line does not give; the command's own defaults if absent.
        program: name of the command in its help.
        arguments: the words of the command line; those of the process if absent.
        decided: returns the names of a game's options that the command decides by itself and does not accept; may raise
            `ValueError`.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    before: Any = default
    try:
        game = named_game(given, DEFAULT_GAME.name if before is None else before.game)
        preset = named_preset(given, game)
        fixed = decided(game)
        whole = with_game_options(command, game, dealt=dealt, full=full, preset=preset, decided=fixed)
    except ValueError as error:
        print(f"{program or command.__name__}: {error}", file=sys.stderr)
        raise SystemExit(2) from None
    if before is not None:
        # Options that were chosen for another game do not apply to this one.
        options = dict(before.game_options) if find_game(before.game) is game else {}
        own = _own_values(command, before) | {"game": name_of(game)}
        if preset is not None:
            for name in game.preset(preset):
                options.pop(name, None)
                own.pop(PLAYERS if name == NUM_PLAYERS else name, None)
        before = whole(**own, **options)
    parsed = tyro.cli(whole, prog=program, description=command.__doc__, default=before, args=given)
    # The parsed `game_options` are not used: if there is a default, tyro copies them from it.
    return command(
        **_own_values(command, parsed),
        game_options={name: getattr(parsed, name) for name in game.default_options() if name not in fixed},  # type: ignore[call-arg]
    )


def _own_values(command: type[T], options: Any) -> dict[str, Any]:
    """The values of a command's fields, except the options of the game."""
    names = [member.name for member in fields(command) if member.name != "game_options"]  # type: ignore[arg-type]
    return {name: getattr(options, name) for name in names}


def option_words(game: Game, options: Mapping[str, Any]) -> list[str]:
    """The words of a command line that select a game and one value of each of its options; defaults are left out."""
    words = [] if game is DEFAULT_GAME else ["--game", name_of(game)]
    for name, value in options.items():
        option = game.option(name)
        if value == option.default:
            continue
        flag = name.replace("_", "-")
        if option.is_switch:
            words.append(f"--{flag}" if value else f"--no-{flag}")
        else:
            words += [f"--{flag}", option.word(value)]
    return words
