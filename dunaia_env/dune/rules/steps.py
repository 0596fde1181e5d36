"""The course of a game as steps.

A function of the rules that finishes something returns the step that comes next; `play.take_step` takes it. `ASKED`
says that a decision has been put to a seat. Steps let a chapter hand over to another one, and to what waits on the
stack, without calling it: compiled functions must not call each other in a circle.
"""

from __future__ import annotations

(
    ASKED,  # a seat is asked, or the game is over
    RESUME,  # take up what the innermost entry of the stack says
    POWER_STOPPED,  # a Karama stops the power that the question was about
    POWER_WORKS,  # nobody stopped it
    # Storm and spice blow
    BEGIN_TURN,
    AFTER_WEATHER,  # the window WEATHER has closed without a card
    MOVE_STORM,
    BEGIN_BLOW,
    AFTER_BLOW_CARDS,
    DRAW_SPICE_CARDS,  # until a territory comes
    BEGIN_NEXUS,
    BEGIN_LEAVING,  # alliances, after the window NEXUS_CARDS
    AFTER_PROPOSAL,  # of the seat that the stack's entry named
    WORM_COMES,  # to the territory of the last blow
    # Bidding
    BEGIN_BIDDING,
    BEGIN_RANSOMS,
    AFTER_RANSOM,
    BEGIN_SALES,
    TAKE_FOR_NOTHING,  # the card on sale, by a Karama of the seat that was asked
    # Revival
    BEGIN_REVIVAL,
    BEGIN_REVIVING,  # after the window REVIVAL_CARDS
    AFTER_BUY_BACK,
    # Movement
    BEGIN_MOVEMENT,
    SHIP_AT_HALF_PRICE,
    BEGIN_GROUND_MOVE,
    AFTER_MOVE,
    NEXT_MOVER,  # after the actor, in turn order
    # Battle
    BEGIN_BATTLES,
    BEGIN_VOICE,  # after the window BATTLE_CARDS
    NEXT_BATTLE,  # of the actor, in the same field if one is still due there
    # Harvest and end
    BEGIN_HARVEST,
) = range(31)
