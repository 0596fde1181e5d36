"""The course of a game as steps.

A function of the rules that finishes something returns the step that comes next, and `play.take_step` takes it. `ASKED`
says that a decision has been put to a seat. With steps, a chapter hands over to another chapter, or to what waits on
the stack, without calling it, because compiled functions must not call each other in a circle.
"""

from __future__ import annotations

(
    ASKED,  # a seat is asked, or the game is over
    RESUME,  # take up what the innermost entry of the stack says
    POWER_STOPPED,  # a Karama stops the power that the question was about
    POWER_WORKS,  # nobody stops the power that the question was about
    # Storm and spice blow
    BEGIN_TURN,
    AFTER_WEATHER,  # the window WEATHER has closed without a card
    MOVE_STORM,
    BEGIN_BLOW,
    AFTER_BLOW_CARDS,
    DRAW_SPICE_CARDS,  # until a territory comes
    BEGIN_NEXUS,
    BEGIN_LEAVING,  # alliances, after the window NEXUS_CARDS
    AFTER_PROPOSAL,  # by the seat that the stack's entry named
    WORM_COMES,  # to the territory of the last blow
    # Bidding
    BEGIN_BIDDING,
    BEGIN_RANSOMS,
    AFTER_RANSOM,
    BEGIN_SALES,
    TAKE_FOR_NOTHING,  # the asked seat takes the card on sale by a Karama
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
    NEXT_BATTLE,  # of the actor, in the same field if a battle is still due there
    # Harvest and end
    BEGIN_HARVEST,
) = range(31)
