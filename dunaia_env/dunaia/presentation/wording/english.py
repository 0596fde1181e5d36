"""Dunaïa in English."""

from __future__ import annotations

from types import MappingProxyType

from dunaia_env.dunaia import roles, state as layout
from dunaia_env.dunaia.presentation.wording import english_pieces, words
from dunaia_env.support.english import count, listed

TEXTS = {
    # Words.
    "player": "player {seat}",
    "place": "between squares {squares}",
    "moves.one": "{moves} of a Dunaia",
    "moves.many": "up to {moves} of Dunaias",
    "chips.one": "chip {chips}",
    "chips.many": "chips {chips}",
    "nothing": "nothing",
    "no_condition": "no condition",
    "multicoloured": "multicoloured",
    "all_sides": "on all sides",
    "tile": "level {level} {colours}",
    "tile.gives": "gives {gain}",
    "tile.steps": "{steps}",
    "tile.arrows.one": "{colour} {sides} +{gain}",
    "tile.arrows.many": "{colour} {sides} +{gain}",
    "offer.displayed": "the displayed tile ({tile})",
    "offer.top": "the top tile ({tile})",
    "offer.reserved": "the reserved tile ({tile})",
    "offer.found": "the found tile ({tile})",
    f"power_of_elder.{layout.ELDER_FLOWERS}": "{flowers}",
    f"power_of_elder.{layout.ELDER_MOVES}": "{moves}",
    f"power_of_elder.{layout.ELDER_ADVANCE}": "{advances} of a building",
    f"power_of_elder.{layout.ELDER_SEARCH}": "any tile of a pile, to be paid and started",
    f"power_of_elder.{layout.ELDER_COLOUR}": "a colour marker for a building",
    f"power_of_character.{layout.MERCHANT}": "Buildings cost the merchant {discount} less.",
    f"power_of_character.{layout.TRICKSTER}": "The trickster may turn the chosen die to its opposite face.",
    f"power_of_character.{layout.FOREMAN}": (
        "Once per turn, before or after any phase, the foreman may pay {cost} for {advances} of a building."
    ),
    f"power_of_character.{layout.MYSTIC}": (
        "Once per turn, before or after any phase, the mystic may give up {chips} for {gains}."
    ),
    f"power_of_character.{layout.SHEPHERD}": (
        "At the end of the turn the shepherd may move the Dunaia that was woken."
    ),
    f"power_of_character.{layout.ARCHITECT}": (
        "At the end of the turn the architect may reserve one of the six tiles, if none is held, and buy it in a later"
        " turn at the lower price of its level."
    ),
    "shape.1": "three completed buildings in a row or column",
    "shape.2": "a completed building of each level",
    "shape.3": "a completed building in each corner",
    # Questions and rules.
    "question.DRAFT": "Draft: which character?",
    "question.CHOOSE_DIE": "Phase 1: which die?",
    "question.AWAKEN": "Phase 2: Dunaia {die} wakes. Which square first?",
    "question.RECYCLE": "Phase 3: how do you recycle the die {die}?",
    "question.BEFORE_PROPHECY": "Before phase 4: call an elder, use a power, or go on to the prophecies?",
    "question.END_TURN": "End of the turn: call an elder, use a power, or finish?",
    "question.MOVE": "Which Dunaia moves where? ({moves} left)",
    "question.PLUG": "Which chip is plugged? ({chips} left)",
    "question.DISCARD": "Which chip is paid? ({discards} left)",
    "question.ADVANCE": "Which building advances? ({advances} left)",
    "question.SEARCH": "Which tile of the piles?",
    "question.PLACE": "Where does the found tile go?",
    "question.COLOUR": "Which colour marker goes where?",
    "question.OVER": "The game is over.",
    "rules.DRAFT": "Each player takes one elite character, the last seat first. One character is left over.",
    "rules.CHOOSE_DIE": (
        "Choose a neutral die of the pool; your own die only when no neutral one is left. Its face names the Dunaia"
        " that wakes. Elders can be called before, between and after the phases."
    ),
    "rules.AWAKEN": (
        "Both squares beside the Dunaia take effect, in the order you choose. Empty square: a flower, or the chip of"
        " the Dunaia's number. Building under construction: one advance. Completed level 2 building: its effect and"
        " every arrow that points to a completed building of its colour. Completed level 1 or 3: nothing. If the first"
        " effect moves the woken Dunaia, the second one is lost."
    ),
    "rules.RECYCLE": (
        "The die is recycled in exactly one way: take a flower, plug a chip, move a Dunaia, start a building (pay its"
        " flowers, use a construction token), or use a completed level 1 building that carries no die. Another"
        " player's building costs a flower, which its owner gets."
    ),
    "rules.BEFORE_PROPHECY": (
        "Elders can be called, and some characters have a power to use, before the prophecies are taken. A prophecy is"
        " taken by itself when its condition holds in phase 4 of your own turn."
    ),
    "rules.END_TURN": "After the prophecies elders can still be called, and some characters have a power to use.",
    "rules.MOVE": (
        "One Dunaia at a time goes to any other place between two squares; at most {most} stand on a place. You may"
        " stop at any time; the moves left are then lost.{waking}"
    ),
    "rules.PLUG": "Put a chip from the reserve onto your board. There is one of each number.",
    "rules.DISCARD": "A chip paid goes back to the reserve. {cost}",
    "rules.ADVANCE": (
        "A building under construction makes a step. At the last one it is completed and its token comes back."
    ),
    "rules.SEARCH": "Take any tile of a pile that you can pay, at the pile's price. Afterwards a new top is revealed.",
    "rules.PLACE": "The found tile is paid and put under construction on an empty square of your choice.",
    "rules.COLOUR": (
        "A marker gives one of your buildings one more colour for the arrows that point to it. It never changes the"
        " building's own arrows."
    ),
    "rules.OVER": (
        "Completed buildings, the arrows of those of level 3, prophecies, artefacts and flowers were counted. With"
        " equal points more prophecies decide, then more flowers; otherwise the victory is shared."
    ),
    "cost_of_the_power": "The mystic's power costs {chips} of your choice.",
    "cost_of_calls": "A call costs the two printed chips and a third of your choice.",
    "second_effect.lost": " Dunaia {dunaia} has moved, so the effect of square {square} is lost.",
    "second_effect.at_stake": " If Dunaia {dunaia} moves, the effect of square {square} is lost.",
    # Actions.
    "draft": "{do:picks|pick} the {character}",
    "take": "{do:takes|take} a die showing {face}",
    "take_flipped": "{do:takes|take} a die showing {face} and {do:turns|turn} it to {turned}",
    "awaken": "{do:wakes|wake} Dunaia {dunaia}, square {square} first",
    "flower": "{do:recycles|recycle} the die for a flower",
    "use.own": "{do:recycles|recycle} the die on {do:their|your} own building on square {square} ({tile})",
    "use.others": (
        "{do:recycles|recycle} the die on {player}'s building on square {square} ({tile}), for a flower to {player}"
    ),
    "start": "{do:starts|start} {tile} for {flowers} on square {square}",
    "move": "{do:moves|move} Dunaia {dunaia} {place}",
    "plug": "{do:plugs|plug} {chips}",
    "discard": "{do:pays|pay} with {chips}",
    "advance": "{do:advances|advance} the building on square {square} ({tile}) to {steps} of {needed}",
    "call": "{do:calls|call} {elder} with the chips {chips} and another ({use})",
    "fragment_only": "only for the fragment: the power would do nothing now",
    "search": "{do:takes|take} from its pile, for {flowers}: {tile}",
    "colour": "{do:puts|put} a {colour} marker on square {square}",
    f"use_power.{layout.FOREMAN}": "{do:uses|use} the power of the foreman: {flowers} for {advances}",
    f"use_power.{layout.MYSTIC}": "{do:uses|use} the power of the mystic: {chips} for {gains}",
    "reserve": "{do:reserves|reserve} {tile}",
    "decline.BEFORE_PROPHECY": "{do:goes|go} on to the prophecies",
    "decline.END_TURN": "{do:ends|end} the turn",
    "decline.MOVE": "{do:stops|stop} moving",
    "decline.ADVANCE": "{do:advances|advance} no building",
    "decline.SEARCH": "{do:takes|take} no tile",
    "decline.COLOUR": "{do:takes|take} no colour marker",
    # What happened.
    "event.character": "is the {character}",
    "event.die": "takes a die showing {face}",
    "event.own_die": "takes a die showing {face} (the player's own, as no neutral die is left)",
    "event.forced_die.to_seat": "you had to take the {face}: no other number was left",
    "event.own_die.to_seat": "you had to take your own die, the {face}: no neutral die was left",
    "event.start": "starts {tile} on square {square}",
    "event.advance": "advances the building on square {square} to {steps} of {needed}",
    "event.completed": "completes the building on square {square}",
    "event.marker": "puts a {colour} marker on square {square}",
    "event.occupied": "has a die on the building on square {square}",
    "event.gains": "gains {flowers} (now {now})",
    "event.pays": "pays {flowers} (now {now})",
    "event.fragment": "takes the fragment of {elder}",
    "event.artefact": "completes an artefact, number {artefact}",
    "event.reserved": "reserves {tile}",
    "event.prophecy": "takes the prophecy of {condition} ({points})",
    "event.tile_on_display": "a new tile is on display: {tile}",
    "event.tile_on_top": "a new tile is on top of the pile: {tile}",
    "event.empty_display": "no level {level} tile is on display any more",
    "event.empty_pile": "no level {level} tile is in the pile any more",
    "event.end": "the end is triggered: round {round} is the last",
    "event.over": "the game is over",
    "event.stopped": "the game is stopped at its round limit and scored",
    "event.round": "round {round} begins",
    "event.last_round": "last round: round {round} begins, and the game ends with it",
    "event.roll": "the dice are rolled: neutral dice {dice}",
    "event.roll_with_own": "the dice are rolled: neutral dice {dice}; own dice {own}",
    "no_dice": "none",
}

_NOUNS = (
    *("advance", "chip", "complete artefact", "completed building", "construction token", "flower", "fragment"),
    *("metal flower", "move", "plugged chip", "point", "step"),
)
_ELDERS = [f"the {name} elder" for name in layout.ELDER_NAMES]

WORDS = words.Words(
    texts=TEXTS | english_pieces.TEXTS,
    nouns={noun: (noun, "") for noun in _NOUNS} | {"tile below": ("tile lies", "tiles lie")},
    squares=("top left", "top", "top right", "left", "middle", "right", "bottom left", "bottom", "bottom right"),
    sides=layout.SIDE_NAMES,
    colours=layout.COLOUR_NAMES,
    characters=layout.CHARACTER_NAMES,
    elders=_ELDERS,
    elder_whose=_ELDERS.__getitem__,
    counted=count,
    enumerated=listed,
)

OPTIONS = MappingProxyType(
    {
        "num_players": ("Players", "How many play at the table."),
        "elites": (
            "Elite characters",
            "Before the game everybody takes a character with a power of its own, the last player first.",
        ),
        "max_rounds": ("Round limit", "A game that has not ended after so many rounds is stopped and scored."),
        "characters": (
            "Characters",
            (
                f"Who has which elite character: {layout.DRAFTED} by draft, {layout.DEALT} dealt at random, or one"
                f" digit for each player, from 1 for the {layout.CHARACTER_NAMES[0]} to {layout.CHARACTERS} for the"
                f" {layout.CHARACTER_NAMES[-1]} and {roles.NO_CHARACTER} for none."
            ),
        ),
    }
)

# What to point at next, by the kind of piece.
PROMPTS = {
    "square": "Choose a square.",
    "edge": "Choose a place between two squares.",
}
