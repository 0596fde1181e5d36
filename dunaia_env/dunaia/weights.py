"""The parameters of the hand-written evaluation and the data file that holds them.

There are two kinds of weights for the same terms. The section ``weights``, in points, compares the positions after a
player's next decision. One section for each phase of the race, in log-odds, predicts the shares of the win
(`evaluation.write_win_shares`). All weights are packed into one float64 vector, in the order of `PARAMETERS`.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from dunaia_env.harness import weights
from dunaia_env.harness.weights import Term

DATA_FILE = Path(__file__).with_name("evaluation.toml")


TERMS: tuple[Term, ...] = (
    Term("points", "points if the game ended now; while a turn is left, flowers count as parts of a point"),
    Term("flowers", "flowers up to six"),
    Term("more_flowers", "flowers beyond six"),
    Term("chips", "plugged chips"),
    Term("calls", "elder spaces that could be paid now"),
    Term("fragment_calls", "elder spaces that could be paid now and whose fragment the unfinished artefact lacks"),
    Term("fragments", "fragments of the unfinished artefact"),
    Term("next_artefact", "points of the unfinished artefact, once complete, times the part of it that is assembled"),
    Term("started", "level points of the buildings under construction"),
    Term("progress", "advances made on buildings under construction"),
    Term("recycling_buildings", "completed level 1 buildings"),
    Term("waking_gains", "flowers, chips and moves of waking each completed level 2 building"),
    Term("arrows", "points of level 3 arrows that point to an own building of their colour, one of the two unfinished"),
    Term("waking", "worth of the two squares beside each Dunaia, summed: 1 flower or chip, 1.5 an advance"),
    Term("best_die", "worth of the two squares beside the Dunaia of the best die, while the player chooses one"),
    Term("dice_left", "the same for the other dice that the player could still get from the pool, their mean"),
    Term("die_in_hand", "worth of the two squares beside the Dunaia of the die in hand"),
    Term("second_square", "worth of the square whose waking effect is still to come"),
    Term("pending_chips", "chips still to be plugged"),
    Term("pending_moves", "moves still to be made"),
    Term("pending_advances", "advances still to be made"),
    Term("pending_discards", "chips still to be discarded"),
    Term("pending_fragment", "the fragment of the elder being called"),
    Term("pending_power", "the power of the elder or mystic still to be performed: flowers, search or colour"),
    Term("prophecies", "points of unclaimed prophecies times the square of the part of their condition met"),
    Term("reserved", "a tile in reserve"),
    Term("merchant", "being the merchant"),
    Term("trickster", "being the trickster"),
    Term("foreman", "being the foreman"),
    Term("mystic", "being the mystic"),
    Term("shepherd", "being the shepherd"),
    Term("architect", "being the architect"),
)
LAST_TURNS: tuple[Term, ...] = (
    Term("one_turn_left", "what all terms but the points are worth when one turn is left after this one"),
    Term("no_turn_left", "the same when this is the last turn"),
)
PHASES: tuple[Term, ...] = (
    Term("three_prophecies", "three prophecies are unclaimed"),
    Term("two_prophecies", "two prophecies are unclaimed"),
    Term("one_prophecy", "one prophecy is unclaimed"),
    Term("turn_to_come", "the end is triggered and the player will begin another turn"),
    Term("last_turn", "it is the player's last turn"),
    Term("finished", "the player has no turn left"),
)
ALWAYS = Term("always", "counted once for every player in the phase")
SECTIONS: dict[str, tuple[Term, ...]] = {
    "weights": TERMS,
    "last_turns": LAST_TURNS,
    **{phase.name: (*TERMS, ALWAYS) for phase in PHASES},
}
PARAMETERS: tuple[Term, ...] = tuple(term for terms in SECTIONS.values() for term in terms)
TERM_COUNT = len(TERMS)
FIRST_VALUE = TERM_COUNT + len(LAST_TURNS)
VALUES_OF_A_PHASE = TERM_COUNT + 1
PARAMETER_COUNT = len(PARAMETERS)

_NUMBER = {term.name: number for number, term in enumerate((*TERMS, *LAST_TURNS))}
POINTS, FLOWERS, MORE_FLOWERS = _NUMBER["points"], _NUMBER["flowers"], _NUMBER["more_flowers"]
CHIPS, CALLS, FRAGMENT_CALLS = _NUMBER["chips"], _NUMBER["calls"], _NUMBER["fragment_calls"]
FRAGMENTS, NEXT_ARTEFACT = _NUMBER["fragments"], _NUMBER["next_artefact"]
STARTED, PROGRESS, ARROWS = _NUMBER["started"], _NUMBER["progress"], _NUMBER["arrows"]
RECYCLING_BUILDINGS, WAKING_GAINS = _NUMBER["recycling_buildings"], _NUMBER["waking_gains"]
BEST_DIE, DICE_LEFT = _NUMBER["best_die"], _NUMBER["dice_left"]
WAKING, DIE_IN_HAND, SECOND_SQUARE = _NUMBER["waking"], _NUMBER["die_in_hand"], _NUMBER["second_square"]
PENDING_CHIPS, PENDING_MOVES = _NUMBER["pending_chips"], _NUMBER["pending_moves"]
PENDING_ADVANCES, PENDING_DISCARDS = _NUMBER["pending_advances"], _NUMBER["pending_discards"]
PENDING_FRAGMENT, PENDING_POWER = _NUMBER["pending_fragment"], _NUMBER["pending_power"]
PROPHECIES, RESERVED, FIRST_CHARACTER = _NUMBER["prophecies"], _NUMBER["reserved"], _NUMBER["merchant"]
ONE_TURN_LEFT, NO_TURN_LEFT = _NUMBER["one_turn_left"], _NUMBER["no_turn_left"]
THREE_PROPHECIES, TURN_TO_COME, LAST_TURN, FINISHED = 0, 3, 4, 5


def load_weights(path: str | os.PathLike[str] | None = None) -> NDArray[np.float64]:
    """Load the numbers of a data file, of the project's own for None: float64 ``(PARAMETER_COUNT,)``.

    Raises `ValueError` naming the file and the first entry that is missing, unknown or not a number in its range: 0..1
    for the last turns, -1000..1000 for the others.
    """
    return weights.load(DATA_FILE if path is None else path, SECTIONS, {"last_turns": (0.0, 1.0)})


def weights_text(values: NDArray[np.float64], *, head: str) -> str:
    """The text of a data file with these numbers; ``head`` is the comment at its beginning."""
    return weights.text(values, SECTIONS, head=head)
