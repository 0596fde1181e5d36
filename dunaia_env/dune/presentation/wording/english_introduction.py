"""What people who do not know Dune are told, in English."""

from __future__ import annotations

from typing import Final

ABOUT: Final = (
    "Factions with very different powers fight and bargain for a desert planet. A duel takes less than an hour,"
    " a full table an evening."
)

# The lessons of the primer: their titles and texts by key.
LESSONS: Final = {
    "storm": (
        "1. Storm",
        (
            "Two players secretly choose how far the storm moves round the planet. Tokens and spice on open sand in"
            " its way are lost; rock and strongholds give shelter."
        ),
    ),
    "spice": (
        "2. Spice blow",
        (
            "A card puts spice, the money of the game, into a territory. Sometimes a worm comes instead, eats what "
            "is there, and gives everybody a chance to make alliances."
        ),
    ),
    "bidding": (
        "3. Bidding",
        (
            "Treachery cards are sold face down, one by one: weapons, defences, special cards, and some that are "
            "worth nothing."
        ),
    ),
    "revival": ("4. Revival", "Some of your dead tokens come back without payment; for spice come more."),
    "movement": (
        "5. Movement",
        (
            "Land tokens from your reserve, for spice, then move one group a step. Who holds Carthag or Arrakeen "
            "has ornithopters and moves three steps."
        ),
    ),
    "battle": (
        "6. Battle",
        (
            "In a territory with tokens of two enemies both write a secret plan: a leader, a weapon, a defence, and"
            " how many tokens they are ready to lose. The higher total wins. A leader bribed as a traitor loses "
            "everything at once."
        ),
    ),
    "harvest": ("7. Harvest", "Tokens collect the spice beside them."),
    "victory": (
        "Victory",
        (
            "Hold three strongholds at the end of a turn, or four in a duel. Allies need more of them together. "
            "Some factions have a victory of their own if nobody manages."
        ),
    ),
}
