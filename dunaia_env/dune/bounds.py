"""Bounds of a game, derived from the components and options: they hold for all decisions and draws.

They are safe rather than tight. A typical game has about a thousand decisions. Almost all decisions that
`most_decisions` allows are bids, because a state can hold a bid of 32,767 spice and every raise may be by one.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dunaia_env.dune import standing, state as layout
from dunaia_env.dune.components import Components
from dunaia_env.harness.game import Bounds

# Points of a turn at which all seats may be asked whether they play a card (storm, wall, blow, harvester, nexus,
# bidding, revival) or stop a power (sight, future, the worm).
_WINDOWS = 10
# Further such points for each seat: sending tokens along, a shipment, a changed leader, a second card, a second move.
_WINDOWS_OF_A_SEAT = 5
# Ransom, payment, poison, gift, pledge; revival, buying back and its answers; withdrawing, shipping, landing, moving,
# raising a leader.
_DECISIONS_OF_A_SEAT = 25
# Field, opponent, order, four parts of two plans, question, treason, keeping cards, and three windows.
_DECISIONS_OF_A_BATTLE, _WINDOWS_OF_A_BATTLE = 20, 3


def _cards(components: Components, deck: int) -> int:
    """The number of cards in a treachery deck; 0 is the first deck."""
    return int(components.record[0].treachery[deck].sum())


def _most_plays(components: Components, num_players: int) -> int:
    """The most cards played in a turn: each card once, and again if it was bought or drawn as a second card."""
    return max(_cards(components, 0), _cards(components, 1)) + 2 * num_players


def most_decisions(components: Components, num_players: int, max_turns: int) -> int:
    """An upper bound for the number of decisions in a game, over all seats."""
    plays = _most_plays(components, num_players)
    # The longest consequence of a card: a hand exchanged card by card, and each window asked again.
    of_a_play = plays + 2 * num_players
    moves = 3 * layout.MOST_CELLS_OF_A_TERRITORY
    seats = num_players * (_DECISIONS_OF_A_SEAT + moves + _WINDOWS_OF_A_SEAT * num_players)
    # In each round of a nexus an alliance is made or grows; a proposal is put to every member.
    nexus = num_players + num_players * num_players * (1 + num_players)
    bids = num_players * num_players * layout.MOST_SPICE
    # A battle removes at least one army.
    battles = num_players * layout.TOKENS
    of_a_battle = _DECISIONS_OF_A_BATTLE + layout.MOST_CELLS_OF_A_TERRITORY + _WINDOWS_OF_A_BATTLE * num_players
    turn = _WINDOWS * num_players + plays * of_a_play + seats + nexus + bids + battles * of_a_battle
    # A prediction of two parts, a traitor, and the distribution of tokens.
    set_up = 2 + num_players + int(components.record[0].free_forces.max())
    return set_up + max_turns * turn


def most_draws(components: Components, num_players: int, max_turns: int) -> int:
    """An upper bound for the number of draws in a game."""
    set_up = num_players * (1 + layout.DISCS_OF_A_SEAT + int(components.record[0].start_cards.max()))
    plays = _most_plays(components, num_players)
    blow = 2 * int(components.record[0].spice_cards.sum())
    return set_up + max_turns * (blow + 2 * num_players + plays * plays)


def bounds(components: Components, options: Mapping[str, Any]) -> Bounds:
    """All bounds for games with these options."""
    table = components, options["num_players"], options["max_turns"]
    cards = max(_cards(components, 0), _cards(components, 1), int(components.record[0].spice_cards.sum()))
    return Bounds(
        outcomes=max(cards, layout.DISCS, layout.FACTIONS, layout.KINDS),
        draws=most_draws(*table),
        decisions=most_decisions(*table),
        least_points=0,
        most_points=layout.STRONGHOLDS + standing.WON,
        rounds=options["max_turns"],
    )
