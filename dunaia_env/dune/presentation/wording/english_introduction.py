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
            "If nobody manages by the last turn, some factions have a victory of their own. In games that have to be "
            "decided, the order then is: most strongholds, then most spice."
        ),
    ),
}

# What to think of where a decision is met for the first time, by decision; templates as those of `wording.english`.
TIPS: Final = {
    # What comes before the first tip
    "GOAL": (
        "The goal: hold {needed} strongholds at the end of a turn, and you win. They are the areas with a tower; a"
        " single token holds one if nobody else is there."
    ),
    "GOAL.decided": (
        "The goal: hold {needed} strongholds at the end of a turn, and you win; after turn {max_turns}, whoever holds"
        " most of them wins, and among equals whoever has most spice. They are the areas with a tower; a single token"
        " holds one if nobody else is there."
    ),
    # Decisions
    "TRAITOR": (
        "You bribe a leader of somebody else in secret. If it ever leads a battle against you, you may call treason"
        " and win at once. Strong leaders are used more often."
    ),
    "DIAL": (
        "Storm. You and another player each choose a number in secret, and the storm moves by the sum of both. It"
        " kills tokens and takes spice on open sand; strongholds and rock are safe. As long as nothing of yours lies"
        " on sand, any number is fine."
    ),
    "DIAL.later": (
        "A new turn. At the end of the last one there was a harvest: tokens that stood on spice collected it. Before"
        " you dial for the storm again, look at what lies on sand in the sectors ahead of it."
    ),
    "BID": (
        "Spice blow and bidding. A card has just put spice on the board: whoever has tokens there at the end of the"
        " turn harvests it. Now treachery cards are sold, one by one and face down. Weapons and defences decide"
        " battles, so two or three cards are worth having; but landing tokens costs spice too, so keep some."
    ),
    "REVIVE": (
        "Revival. Dead tokens and leaders lie in the tanks. A few tokens have come back without payment; more cost"
        " {revival_price} spice each, and at most {revival_most} come back in a turn."
    ),
    "RAISE": "All your leaders are dead. Now one of them may come back each turn, for as much spice as its strength.",
    "SHIP": (
        "Movement, first step: land tokens from your reserve, for spice. You win if you hold {needed} strongholds at"
        " the end of a turn, so a stronghold that is empty, or held by few tokens, is a good place."
    ),
    "SHIP_COUNT": (
        "One token already holds an empty stronghold, but others can land there too: some more make it hard to take."
    ),
    "MOVE_FROM": (
        "Movement, second step: one group of tokens walks. It can take a stronghold or go to the spice. Where it meets"
        " tokens of somebody else there will be a battle."
    ),
    "COUNT": "Leave enough tokens behind to hold what you have.",
    "MOVE_TO": "Stay out of sand that the storm can reach at the beginning of the next turn, unless spice is worth it.",
    "BATTLE": "Battle. Whoever is in the same territory has to fight. You choose which of your battles comes first.",
    "OPPONENT": "There are several enemies here. You fight one after the other and choose the first.",
    "LEADER": (
        "Battle. Both sides make a secret plan of four parts, for which you are asked one after the other: a leader, a"
        " weapon, a defence, and a number of tokens. A strong leader saves tokens, but if it is killed, the winner gets"
        " its strength in spice; and if the enemy has bribed it as a traitor, you lose the battle at once."
    ),
    "WEAPON": (
        "A weapon kills the enemy's leader, whose strength then counts for nothing, unless the right defence is"
        " played: a shield stops projectile weapons, a snooper stops poison."
    ),
    "DEFENCE": (
        "Think of the weapon that the enemy may have: a shield stops projectile weapons, a snooper stops poison."
    ),
    "NUMBER": (
        "The tokens that you stake are lost even if you win. The most that the enemy can reach is all its tokens and"
        " its best leader; if your sum cannot beat that, guess how much it will risk."
    ),
    "TREASON": "The enemy has chosen the very leader that you bribed. Call treason: you win and lose nothing.",
    "LOSS": "You won, and pay with the tokens that you staked. Choose where they die.",
    "KEEP": "A card that you keep can be used again, but everybody knows now that you have it.",
    "PROPOSE": (
        "A worm has called a nexus: only now can alliances be made. Allies do not fight each other and win together."
    ),
    "CARDS": "You hold a card that can be played at this moment. You may just as well wait for a better one.",
}
