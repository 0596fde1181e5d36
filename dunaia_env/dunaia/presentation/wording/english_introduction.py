"""What people who do not know Dunaïa are told, in English."""

from __future__ import annotations

from typing import Final

ABOUT: Final = "Build a village with the help of six robots. Quick to learn, about half an hour."

# The lessons of the primer: their titles and texts by key; `presentation` says what the names in them mean.
LESSONS: Final = {
    "village": (
        "Your village",
        (
            "You have nine squares and six robots, the Dunaias. Each Dunaia carries a number and stands between two"
            " squares. Every turn has the same four phases."
        ),
    ),
    "die": (
        "Phase 1: take a die",
        (
            "The number that you take says which of your Dunaias works in this turn. The dark dice are neutral: anybody"
            " may take them. The die in your colour is yours alone, and waits until no neutral die is left."
        ),
    ),
    "wake": (
        "Phase 2: wake a Dunaia",
        (
            "The Dunaia with the number of the die works on both squares beside it. An empty square gives what is"
            " printed on it: a flower, which is money, or a memory chip. A building under construction grows by a step."
        ),
    ),
    "recycle": (
        "Phase 3: recycle the die",
        (
            "The same die brings one more thing of your choice: a flower, a move of a Dunaia, a chip, or a new"
            " building, which you pay with flowers. Finished level 1 buildings offer more, your own and those of"
            " others."
        ),
    ),
    "prophecies": (
        "Phase 4: prophecies",
        "If you are the first to meet the condition of a prophecy, you now take it, with its points.",
    ),
    "elders": (
        "Elders, between the phases",
        (
            "Three plugged chips call an elder: the two numbers below it and a third of your choice. It helps at once,"
            " and you get its fragment of an artefact."
        ),
    ),
    "artefacts": (
        "Artefacts",
        (
            "The fragments of the three elders together make an artefact. One artefact is worth {one}, two {two}, three"
            " {three} and four {four} points in all, so each brings more than the one before."
        ),
    ),
    "buildings": (
        "Three levels",
        (
            "Level 1 buildings help when a die is recycled, level 2 buildings when a Dunaia wakes beside them. Level 3"
            " buildings bring points, above all by their arrows."
        ),
    ),
    "colours": (
        "Colours and markers",
        (
            "Buildings are green, yellow, purple or red. An arrow counts if it points to a finished building of its own"
            " colour. A colour marker, which one of the elders gives, adds a colour to a building."
        ),
    ),
    "end": (
        "The end",
        (
            "The third prophecy taken, or a village that is full, announces the last round. Buildings, arrows,"
            " prophecies and artefacts are then counted, and every {flowers} flowers are a point."
        ),
    ),
}

# What to think of in a first turn, by decision.
TIPS: Final = {
    "DRAFT": (
        "Every character bends one rule. The merchant is a good friend for a first game: he makes buildings cheaper."
    ),
    "CHOOSE_DIE": (
        "Each of your six robots has a number from 1 to 6. With a die that shows 3 you wake your robot 3, and it works"
        " on the two squares beside it. Flowers buy buildings, chips call elders. Any die is fine for a start."
    ),
    "AWAKEN": "Your robot works on both squares; you only choose the order. It hardly matters while they are empty.",
    "RECYCLE": (
        "Recycling the die brings one more thing. Can you pay a building on offer? Choose it, then an empty square next"
        " to one of your robots: it will grow each time that robot wakes. Otherwise a flower saves for the next turn."
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

AFTER_TURN: Final = (
    "Points come from finished buildings and their arrows, from artefacts and from prophecies: each prophecy goes to"
    " the first player who meets its condition in phase 4. Three plugged chips call an elder, which helps at once and"
    " gives a part of an artefact."
)
