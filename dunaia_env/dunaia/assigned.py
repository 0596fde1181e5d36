"""Dunaïa with elite characters that need not be drafted: they are dealt at random or assigned to the seats.

In this variant, for studies of balance and for training, every character is played, even one that nobody would choose.
States, actions and observations are those of `dunaia_env.dunaia`, so whoever plays one of the two plays both.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from dunaia_env.dunaia import GAME as PLAIN_GAME
from dunaia_env.dunaia.roles import NO_CHARACTER
from dunaia_env.dunaia.state import DEALT, DRAFTED, MAX_PLAYERS
from dunaia_env.harness.options import NUM_PLAYERS, Option

__all__ = ["GAME"]

OPTION = "characters"
_MOST = int(str(NO_CHARACTER) * MAX_PLAYERS)


def settle(options: Mapping[str, Any]) -> Mapping[str, Any]:
    """Raise `ValueError` unless the characters are drafted, dealt, or a digit 1..7 for each seat; only 7 may repeat."""
    characters, players = options[OPTION], options[NUM_PLAYERS]
    if characters in (DRAFTED, DEALT):
        return options
    digits = [int(digit) for digit in str(characters)]
    named = [digit for digit in digits if digit != NO_CHARACTER]
    valid = len(digits) == players and all(1 <= digit <= NO_CHARACTER for digit in digits)
    if not valid or len(set(named)) < len(named):
        raise ValueError(
            f"{OPTION}: expected {DRAFTED} (drafted), {DEALT} (dealt at random) or {players} digits of"
            f" 1..{NO_CHARACTER}, one for each seat and only {NO_CHARACTER} (none) more than once, got {characters}"
        )
    return options


def _options() -> tuple[Option, ...]:
    plain = [replace(option, default=True) if option.name == "elites" else option for option in PLAIN_GAME.options]
    help_text = (
        f"who has which elite character: {DRAFTED} by draft, {DEALT} dealt at random, or a digit for each seat, 1 for"
        f" the first character to {NO_CHARACTER} for none"
    )
    return (*plain, Option(OPTION, DEALT, help_text, 0, _MOST, title="characters"))


GAME = replace(
    PLAIN_GAME,
    module=__name__,
    name="dunaia_assigned",
    title="Dunaïa with assigned characters",
    variant_of=PLAIN_GAME.name,
    options=_options(),
    settle=settle,
)
