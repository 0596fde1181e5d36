"""Options: what is chosen before a game begins, with presets and corrections, and how files hold them.

Everywhere in this package, options are a dictionary with all keys of `OPTIONS`, in their order, as in state
dictionaries and headers. `complete` makes it from what somebody chose. The number of players and the factions stand
beside it: `GAME_OPTIONS` lists all of them, as `harness.game.Game` takes them, and `settle` completes them together.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dunaia_env.dune import state as layout
from dunaia_env.harness.game import Recording
from dunaia_env.harness.options import Option
from dunaia_env.support.messages import shorten


class OptionsError(ValueError):
    """Options that cannot be used. The message names the option, its value and what is allowed."""


OPTIONS: tuple[Option, ...] = (
    Option("powers", True, "play with the powers of the factions"),
    Option("deck", layout.DECKS[0], "cards in the treachery deck", choices=layout.DECKS),
    Option("alliances", True, "allow alliances, from three players on"),
    Option("max_alliance", None, "the most members of an alliance", least=2, most=5, or_none=True),
    Option(
        "alliance_strongholds",
        3,
        "strongholds that an alliance of two or more needs to win",
        least=3,
        most=layout.STRONGHOLDS,
    ),
    Option("karama_powers", False, "give each faction its own use of a Karama"),
    Option("tleilax", False, "let the Bene Tleilax be among the factions"),
    Option("open_shields", True, "show everybody's spice and reserves"),
    Option("atreides_sees_bonus", True, "let Atreides see the second card of Harkonnen"),
    Option(
        "undecided",
        layout.UNDECIDED_NAMES[0],
        "who wins if nobody has won by the last turn and no power decides",
        choices=layout.UNDECIDED_NAMES,
    ),
    Option("max_turns", layout.MOST_TURNS, "turns", least=1, most=layout.MOST_TURNS),
)
_OPTION_OF = {option.name: option for option in OPTIONS}
# Options that are False without powers; alliances are False with two players.
NEED_POWERS = ("karama_powers", "tleilax")


_PLAIN = {"powers": False, "alliances": False, "deck": 33}
PRESETS: Mapping[str, Mapping[str, Any]] = {
    "full": {},
    "classic": {"deck": 33, "max_alliance": 2, "alliance_strongholds": 4, "atreides_sees_bonus": False},
    "plain": _PLAIN,
    "duel": {**_PLAIN, "max_turns": 10, "undecided": "strongholds", "num_players": 2, "factions": (0, 1)},
}


def check_players(num_players: object) -> int:
    """Return a number of players; raise `OptionsError` naming what is allowed."""
    if type(num_players) is not int or not layout.MIN_PLAYERS <= num_players <= layout.MAX_PLAYERS:
        allowed = f"an integer in {layout.MIN_PLAYERS}..{layout.MAX_PLAYERS}"
        raise OptionsError(f"players: expected {allowed}, got {shorten(num_players)}")
    return num_players


def _checked(option: Option, content: object) -> Any:
    try:
        return option.from_json(content)
    except ValueError:
        allowed = option.allowed(in_json=True)
        raise OptionsError(f"options.{option.name}: expected {allowed}, got {shorten(content)}") from None


def complete(chosen: Mapping[str, Any], num_players: int) -> dict[str, Any]:
    """All options: the chosen values and defaults, corrected for two players and for a game without powers.

    Raises `OptionsError` naming the first option that is unknown or wrong.
    """
    check_players(num_players)
    for name in chosen:
        if name not in _OPTION_OF:
            raise OptionsError(f"options.{shorten(name)}: no such option; there are {', '.join(_OPTION_OF)}")
    given = {name: _checked(_OPTION_OF[name], value) for name, value in chosen.items()}
    options = {option.name: given.get(option.name, option.default) for option in OPTIONS}
    if num_players == layout.MIN_PLAYERS:
        options["alliances"] = False
    if not options["powers"]:
        options |= dict.fromkeys(NEED_POWERS, False)
    return options


def settle(options: Mapping[str, Any]) -> dict[str, Any]:
    """The options of `GAME_OPTIONS`, corrected as by `complete`; each option must be right by itself.

    Raises `OptionsError` for a wrong number of factions, for repeated factions, and for Tleilax without its option.
    """
    num_players, factions = options["num_players"], options["factions"]
    settled = complete({option.name: options[option.name] for option in OPTIONS}, num_players)
    if factions is not None:
        names = [layout.FACTION_NAMES[faction] for faction in factions]
        if len(factions) != num_players:
            raise OptionsError(f"factions: expected {num_players}, one a seat, or None, got {', '.join(names)}")
        if len(set(factions)) != num_players:
            raise OptionsError(f"factions: expected different ones, got {', '.join(names)}")
        if layout.TLEILAX in factions and not settled["tleilax"]:
            raise OptionsError(f"factions: {layout.FACTION_NAMES[layout.TLEILAX]} plays only with the option tleilax")
    return {"num_players": num_players, **settled, "factions": factions}


# The options that the game declares. In files, the factions stand beside the options, and the number of players is
# called "players".
GAME_OPTIONS: tuple[Option, ...] = (
    Option("num_players", 2, "players at the table", layout.MIN_PLAYERS, layout.MAX_PLAYERS),
    *OPTIONS,
    Option(
        "factions",
        None,
        "the factions by seat; none draws them",
        choices=tuple(range(layout.FACTIONS)),
        names=layout.FACTION_NAMES,
        or_none=True,
        by_seat=True,
    ),
)
RECORDING = Recording(
    format="dune-replay",
    beside=("factions",),
    result={"winners": "winners", "how": "how", "scores": "scores", "ranks": "ranks", "turns": "rounds"},
)
