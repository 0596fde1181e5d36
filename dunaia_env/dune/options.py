"""Options: what is chosen before a game begins, with presets, corrections and the numbers by which a seam knows them.

Everywhere in this package options are a dictionary with all keys of `OPTIONS`, in their order, as state dictionaries
and headers hold it. `complete` makes it of what somebody chose. Beside it stand the number of players and the
factions: a list by seat, or None where they are drawn.

`to_numbers` turns all of that into the integers of `harness.game.Option`s (`NUMBERED_OPTIONS`), `from_numbers` back:
true and false stay, texts and decks count from 0 in the order of their choices, null is 0, and the factions are one
number, `pack_factions`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from dunaia_env.dune.state import (
    DECKS,
    FACTION_NAMES,
    FACTIONS,
    MAX_PLAYERS,
    MIN_PLAYERS,
    MOST_TURNS,
    NO_LIMIT,
    STRONGHOLDS,
    TLEILAX,
    UNDECIDED_NAMES,
)
from dunaia_env.harness.game import Option
from dunaia_env.support.messages import shorten


class OptionsError(ValueError):
    """Options that cannot be used. The message names the option, its value and what is allowed."""


@dataclass(frozen=True)
class GameOption:
    """An option.

    Attributes:
        name: by which it is given.
        default: its value where none is given; true or false, an integer, a text, or None.
        help: what it does, a clause.
        choices: the values it may have; empty for true or false and for a range.
        least, most: the range of an integer; both 0 where there is none.
        or_null: whether None is allowed beside the range.
    """

    name: str
    default: Any
    help: str
    choices: tuple[Any, ...] = ()
    least: int = 0
    most: int = 0
    or_null: bool = False

    @property
    def allowed(self) -> str:
        """What is allowed, a phrase."""
        if self.choices:
            return " or ".join(map(str, self.choices))
        if isinstance(self.default, bool):
            return "true or false"
        return f"an integer in {self.least}..{self.most}{' or null' if self.or_null else ''}"

    def check(self, value: object) -> Any:
        """Return a value that is allowed; raise `OptionsError` for any other."""
        if self.choices:
            fits = any(type(value) is type(one) and value == one for one in self.choices)
        elif isinstance(self.default, bool):
            fits = isinstance(value, bool)
        else:
            fits = type(value) is int and self.least <= value <= self.most
            fits = fits or (self.or_null and value is None)
        if not fits:
            raise OptionsError(f"options.{self.name} = {shorten(value)}; {self.allowed} is needed")
        return value

    def number(self, value: Any) -> int:
        """A value as an integer."""
        if self.choices:
            return self.choices.index(value)
        return NO_LIMIT if value is None else value

    def value(self, number: int) -> Any:
        """The value of an integer."""
        if self.choices:
            return self.choices[number]
        if isinstance(self.default, bool):
            return bool(number)
        return None if self.or_null and number == NO_LIMIT else int(number)

    @property
    def numbered(self) -> Option:
        """The option as integers: false and true, a choice counted from 0, or a range, in which 0 stands for null."""
        if self.choices:
            names = ", ".join(f"{index} for {choice}" for index, choice in enumerate(self.choices))
            return Option(self.name, self.number(self.default), f"{self.help} ({names})", 0, len(self.choices) - 1)
        if isinstance(self.default, bool):
            return Option(self.name, self.default, self.help)
        if self.or_null:
            return Option(self.name, self.number(self.default), f"{self.help} (0 for no limit)", NO_LIMIT, self.most)
        return Option(self.name, self.default, self.help, self.least, self.most)


OPTIONS: tuple[GameOption, ...] = (
    GameOption("powers", True, "play with the powers of the factions"),
    GameOption("deck", DECKS[0], "cards in the treachery deck", DECKS),
    GameOption("alliances", True, "allow alliances, from three players on"),
    GameOption("max_alliance", None, "the most members of an alliance", least=2, most=5, or_null=True),
    GameOption(
        "alliance_strongholds", 3, "strongholds that an alliance of two or more needs to win", least=3, most=STRONGHOLDS
    ),
    GameOption("karama_powers", False, "give each faction its own use of a Karama"),
    GameOption("tleilax", False, "let the Bene Tleilax be among the factions"),
    GameOption("open_shields", True, "show everybody's spice and reserves"),
    GameOption("atreides_sees_bonus", True, "let Atreides see the second card of Harkonnen"),
    GameOption(
        "undecided",
        UNDECIDED_NAMES[0],
        "who wins if nobody has won by the last turn and no power decides",
        UNDECIDED_NAMES,
    ),
    GameOption("max_turns", MOST_TURNS, "turns", least=1, most=MOST_TURNS),
)
_OPTION_OF = {option.name: option for option in OPTIONS}
# False without powers; alliances are false with two players.
NEED_POWERS = ("karama_powers", "tleilax")


@dataclass(frozen=True)
class Preset:
    """A name for options, and for the number of players and the factions if the preset says them."""

    options: Mapping[str, Any]
    num_players: int | None = None
    factions: tuple[int, ...] | None = None


_PLAIN = {"powers": False, "alliances": False, "deck": 33}
PRESETS: dict[str, Preset] = {
    "full": Preset({}),
    "classic": Preset({"deck": 33, "max_alliance": 2, "alliance_strongholds": 4, "atreides_sees_bonus": False}),
    "plain": Preset(_PLAIN),
    "duel": Preset({**_PLAIN, "max_turns": 10, "undecided": "strongholds"}, num_players=2, factions=(0, 1)),
}


def preset(name: str) -> Preset:
    """The preset of a name; raises `OptionsError` naming those that there are."""
    if name not in PRESETS:
        raise OptionsError(f"preset = {shorten(name)}; one of {', '.join(PRESETS)} is needed")
    return PRESETS[name]


def check_players(num_players: object) -> int:
    """Return a number of players; raise `OptionsError` naming what is allowed."""
    if type(num_players) is not int or not MIN_PLAYERS <= num_players <= MAX_PLAYERS:
        allowed = f"an integer in {MIN_PLAYERS}..{MAX_PLAYERS}"
        raise OptionsError(f"players = {shorten(num_players)}; {allowed} is needed")
    return num_players


def complete(chosen: Mapping[str, Any], num_players: int) -> dict[str, Any]:
    """All options, with the default where none is chosen, corrected for two players and for a game without powers.

    Raises `OptionsError` naming the first that is unknown or wrong.
    """
    check_players(num_players)
    for name in chosen:
        if name not in _OPTION_OF:
            raise OptionsError(f"options.{shorten(name)}: no such option; there are {', '.join(_OPTION_OF)}")
    given = {name: _OPTION_OF[name].check(value) for name, value in chosen.items()}
    options = {option.name: given.get(option.name, option.default) for option in OPTIONS}
    if num_players == MIN_PLAYERS:
        options["alliances"] = False
    if not options["powers"]:
        options |= dict.fromkeys(NEED_POWERS, False)
    return options


def faction_number(faction: object) -> int:
    """The id of a faction, given by id or name; raises `OptionsError` for an unknown one."""
    if isinstance(faction, str) and faction in FACTION_NAMES:
        return FACTION_NAMES.index(faction)
    if type(faction) is int and 0 <= faction < FACTIONS:
        return faction
    raise OptionsError(
        f"factions: {shorten(faction)}; one of {', '.join(FACTION_NAMES)} or 0..{FACTIONS - 1} is needed"
    )


def check_factions(
    factions: Sequence[object] | None, num_players: int, options: Mapping[str, Any]
) -> tuple[int, ...] | None:
    """The factions by seat, given by ids or names; None where they are to be drawn.

    Raises `OptionsError` for a wrong number of them, an unknown or repeated one, and for Tleilax without its option.
    """
    if factions is None:
        return None
    if isinstance(factions, str) or not isinstance(factions, Sequence) or len(factions) != num_players:
        raise OptionsError(f"factions = {shorten(factions)}; {num_players} factions, one a seat, or null are needed")
    numbers = tuple(faction_number(faction) for faction in factions)
    if len(set(numbers)) != num_players:
        raise OptionsError(f"factions = {shorten(list(factions))}; different factions are needed")
    if TLEILAX in numbers and not options["tleilax"]:
        raise OptionsError(f"factions: {FACTION_NAMES[TLEILAX]} plays only with the option tleilax")
    return numbers


_DRAWN = 0  # the number of drawn factions
_DIGIT = 8


def pack_factions(factions: Sequence[int] | None) -> int:
    """Factions as one number: an octal digit a seat, its faction + 1, seat 0 the lowest; 0 where they are drawn."""
    return _DRAWN if factions is None else sum((number + 1) * _DIGIT**seat for seat, number in enumerate(factions))


def unpack_factions(number: int, num_players: int) -> tuple[int, ...] | None:
    """The factions of a number of `pack_factions`; raises `OptionsError` for one that stands for no such factions."""
    if number == _DRAWN:
        return None
    digits = [number // _DIGIT**seat % _DIGIT for seat in range(MAX_PLAYERS)]
    used = digits[:num_players]
    if number < 0 or number >= _DIGIT**num_players or 0 in used or len(set(used)) != num_players:
        raise OptionsError(f"factions = {number}; the number of {num_players} different factions is needed")
    return tuple(digit - 1 for digit in used)


NUMBERED_OPTIONS: tuple[Option, ...] = (
    Option("num_players", 2, "players at the table", MIN_PLAYERS, MAX_PLAYERS),
    *(option.numbered for option in OPTIONS),
    Option("factions", _DRAWN, "the factions by seat, packed; 0 draws them", 0, _DIGIT**MAX_PLAYERS - 1),
)


def to_numbers(options: Mapping[str, Any], num_players: int, factions: Sequence[int] | None = None) -> dict[str, int]:
    """Complete options, players and factions as the integers of `NUMBERED_OPTIONS`."""
    numbers = {option.name: option.number(options[option.name]) for option in OPTIONS}
    return {"num_players": num_players, **numbers, "factions": pack_factions(factions)}


def from_numbers(numbers: Mapping[str, int]) -> tuple[dict[str, Any], int, tuple[int, ...] | None]:
    """Complete options, players and factions of the integers of `NUMBERED_OPTIONS`.

    Raises `OptionsError` for numbers that stand for no value.
    """
    num_players = check_players(int(numbers["num_players"]))
    chosen = {}
    for option in OPTIONS:
        number = int(numbers[option.name])
        least, most = option.numbered.least, option.numbered.most
        if not least <= number <= most:
            raise OptionsError(f"options.{option.name} = {number}; an integer in {least}..{most} is needed")
        chosen[option.name] = option.value(number)
    options = complete(chosen, num_players)
    factions = unpack_factions(int(numbers["factions"]), num_players)
    return options, num_players, check_factions(factions, num_players, options)
