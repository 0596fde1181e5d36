"""Bounds of a game, derived from the components: they hold for all decisions and draws.

They are safe rather than tight: a typical game has only a fraction of the decisions that `most_decisions` allows.

A turn is finite because everything that repeats in it uses something up. Choosing a die, waking, recycling, going on to
the prophecies, ending the turn and using a character's power happen once. Elders can be called in every window between
phases, and each call discards chips. These chips are plugged when the turn begins, by waking or by recycling. No window
opens during waking or during recycling, so each of the two plugs each chip at most once.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dunaia_env.dunaia import components as printed, state as layout
from dunaia_env.dunaia.components import Components
from dunaia_env.dunaia.rules.elders import CHIPS_OF_A_CALL
from dunaia_env.harness.game import Bounds

# The largest number of outcomes that one draw can have: an elder, a prophecy, a character, a tile, a die.
MOST_OUTCOMES = max(
    layout.ELDERS, printed.PROPHECIES_IN_GROUP, layout.CHARACTERS, *printed.TILES_OF_LEVEL, layout.FACES
)

# Choosing a die, the first square to wake, recycling, going on to the prophecies, ending the turn.
_DECISIONS_OF_EVERY_TURN = 5
_WAKINGS = 2
# Calls use chips that are plugged when the turn begins, by waking and by recycling.
_MOST_CALLS = 3 * layout.FACES // CHIPS_OF_A_CALL
# The call itself and the third chip; a search asks for a tile and a square.
_DECISIONS_OF_A_CALL, _DECISIONS_OF_A_SEARCH = 2, 2


def _most_waking(components: Components, gain: int) -> int:
    """The largest amount of a gain that waking beside one completed building can give, when all its arrows count."""
    return int(components.record[0].gains_now[..., gain].max())


def most_decisions(components: Components, num_players: int, max_rounds: int) -> int:
    """An upper bound for the number of decisions in a game, over all seats and including the draft of characters."""
    values: Any = components.record[0]
    waking = layout.FACES + _WAKINGS * _most_waking(components, printed.GAIN_MOVES)
    recycling = int(values.amount[: printed.TILES_OF_LEVEL[0]].max())
    call = _DECISIONS_OF_A_CALL + max(int(values.elder_moves), int(values.elder_advances), _DECISIONS_OF_A_SEARCH)
    power = 1 + max(int(values.foreman_advances), int(values.mystic_chips) + int(values.mystic_moves))
    turn = _DECISIONS_OF_EVERY_TURN + waking + recycling + _MOST_CALLS * call + power
    return num_players * (1 + max_rounds * turn)


def most_draws(components: Components, num_players: int, max_rounds: int) -> int:
    """An upper bound for the number of draws in a game.

    After the set-up, a draw is for a die or for a tile. All dice are rolled again after as many turns as there are
    dice, and a tile is revealed when another tile has left its pile for good.
    """
    set_up = layout.ELDER_SPACES + layout.PROPHECIES_IN_PLAY + (num_players + 1) + 2 * layout.LEVELS
    dice = int(components.record[0].neutral_dice[num_players]) + num_players
    return set_up + dice + num_players * max_rounds + layout.TILES


def most_points(components: Components, num_players: int, max_rounds: int) -> int:
    """An upper bound for a player's points; the lower bound is zero."""
    values: Any = components.record[0]
    # The points of arrows stand last among the waking gains.
    building = int(values.level_points.max()) + _most_waking(components, printed.EFFECTS - 1)
    further = max(int(values.fragments_of_each_type) - len(values.artefact_points) + 1, 0)
    artefacts = int(values.artefact_points.max()) + further * int(values.further_artefact_points)
    prophecies = layout.PROPHECIES_IN_PLAY * int(values.prophecy_points.max())
    # An empty square and the flower space give one flower, and so does each other player who uses a building.
    own_turn = (
        _WAKINGS * max(1, _most_waking(components, printed.GAIN_FLOWERS))
        + int(values.amount[values.effect == printed.GAIN_FLOWERS].max(initial=1))
        + _MOST_CALLS * int(values.elder_flowers)
        + int(values.mystic_flowers)
    )
    flowers = int(values.start_flowers[:num_players].max()) + max_rounds * (own_turn + num_players - 1)
    flowers = min(flowers, layout.MOST_FLOWERS)
    return layout.SQUARES * building + artefacts + prophecies + flowers // int(values.flowers_per_point)


def bounds(components: Components, options: Mapping[str, int]) -> Bounds:
    """All bounds for games with these options."""
    table = components, options["num_players"], options["max_rounds"]
    return Bounds(
        outcomes=MOST_OUTCOMES,
        draws=most_draws(*table),
        decisions=most_decisions(*table),
        least_points=0,
        most_points=most_points(*table),
        rounds=options["max_rounds"],
    )
