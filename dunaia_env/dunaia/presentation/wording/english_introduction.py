"""What people who do not know Dunaïa are told, in English."""

from __future__ import annotations

from typing import Final

ABOUT: Final = "Build a village with the help of six robots. Quick to learn, about half an hour."

# The lessons of the primer: their titles and texts by key.
LESSONS: Final = {
    "village": (
        "Your village",
        (
            "You have nine squares and six robots, the Dunaias. Each Dunaia carries a number and stands between two"
            " squares."
        ),
    ),
    "die": (
        "1. Take a die",
        ("Everybody takes from the same dice. The number that you take says which of your Dunaias works in this turn."),
    ),
    "wake": (
        "2. Wake a Dunaia",
        (
            "It works on both squares beside it. An empty square gives what is printed on it: a flower, which is "
            "money, or a memory chip. A building under construction grows by a step."
        ),
    ),
    "recycle": (
        "3. Use the die again",
        (
            "Now choose one thing: a flower, a move of a Dunaia, a chip, or a new building, which you pay with "
            "flowers. Finished level I buildings offer more, your own and those of others."
        ),
    ),
    "buildings": (
        "Three levels",
        (
            "Level I buildings help when a die is used again, level II buildings when a Dunaia wakes beside them. "
            "Level III buildings bring points, above all where their arrows meet the right colours."
        ),
    ),
    "elders": (
        "Elders",
        (
            "Three chips call an elder, who helps at once and gives you a third of an artefact. Whole artefacts are"
            " worth points."
        ),
    ),
    "prophecies": (
        "4. Prophecies",
        "Whoever is first to meet the condition of a prophecy at the end of a turn takes it, with its points.",
    ),
    "end": (
        "The end",
        (
            "The third prophecy taken, or a village that is full, announces the last round. Buildings, arrows, "
            "prophecies, artefacts and flowers are then counted."
        ),
    ),
}

# What to think of in a first turn, by decision.
TIPS: Final = {
    "DRAFT": (
        "Every character bends one rule. The merchant is a good friend for a first game: he makes buildings cheaper."
    ),
    "CHOOSE_DIE": (
        "Look for your robot with the same number: it will work on the two squares beside it. Flowers buy "
        "buildings, chips call elders. Any die is fine for a start."
    ),
    "AWAKEN": "Your robot works on both squares; you only choose the order. It hardly matters while they are empty.",
    "RECYCLE": (
        "Can you pay a building on offer? Click it, then an empty square next to one of your robots: it will "
        "grow each time that robot wakes. Otherwise a flower saves for the next turn."
    ),
    "BEFORE_PROPHECY": "Nothing has to be done here. Go on, unless you want to call an elder with your chips.",
    "END_TURN": "Nothing has to be done here. Go on to end your turn.",
    "MOVE": "Move the robot beside squares that it should work on soon, for example a building under construction.",
    "PLUG": "Each number fits once. The numbers under the elders say which chips call them.",
    "DISCARD": "Pay with a chip that no elder asks for.",
    "ADVANCE": "Choose the building that is nearest to being finished.",
    "SEARCH": "You see all tiles of the pile. Take one whose colours match your village.",
    "PLACE": "An empty square next to a robot is a good place: the building grows when the robot wakes.",
    "COLOUR": "Put it where an arrow asks for this colour.",
}
