"""The record of a lane: which game it holds, what its seeds are, and how its last game ended.

It is what the many-games loops of a game and their caller share, so it knows no rule.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np

from dunaia_env.chance import RANDOM_PLAY, random_below
from dunaia_env.compile_cache import kernel

MOST_SEATS = 4
# Of scores, of which the largest that components allow do not fit into 16 bits.
SCORE_TYPE = np.int32

LANE_DTYPE: np.dtype[np.record] = np.dtype(  # type: ignore[assignment]
    (
        np.record,
        np.dtype(
            [
                ("base_seed", np.int64),  # the lane's first seed
                ("seed", np.int64),  # seed of the game in the lane
                ("game", np.int64),  # number of the game in the lane, from 0
                ("last_seed", np.int64),  # seed of the game that ended last
                # Seeds of the choices of the seats that `random_seats` leaves to chance.
                ("random_seeds", np.int64, (MOST_SEATS,)),
                ("decisions", np.int32),  # decisions asked and answered in the game so far
                ("last_decisions", np.int32),  # in the game that ended last
                ("legal_count", np.int16),
                ("max_rounds", np.int16),
                ("rounds", np.int16),  # rounds played in the game that ended last
                ("scores", SCORE_TYPE, (MOST_SEATS,)),  # of the game that ended last
                ("ranks", np.int8, (MOST_SEATS,)),  # of that game, from 1; 0 for an absent seat
                # 1: whatever this seat is asked is decided at random at once.
                ("random_seats", np.int8, (MOST_SEATS,)),
                ("num_players", np.int8),
                ("elites", np.int8),
                ("restart", np.int8),  # 1: a finished game is followed by the lane's next one at once
                ("seat", np.int8),  # who decides, -1 when over
                ("ended", np.int8),  # 1 if the last action ended a game
                ("truncated", np.int8),  # 1 if that game was stopped by max_rounds
            ],
            align=True,
        ),
    )
)

LANE_SIZE = LANE_DTYPE.itemsize


def layout_hash(record: np.dtype[Any]) -> str:
    """16 hexadecimal digits that name the layout of a record: names, places, types and shapes of all its fields.

    Bytes that are kept, such as a checkpoint's, mean the same only where this is the same.
    """

    def described(dtype: np.dtype[Any]) -> Any:
        if dtype.subdtype is not None:
            base, shape = dtype.subdtype
            return [described(base), list(shape)]
        if dtype.fields is None:
            return dtype.str
        fields = [[name, dtype.fields[name][1], described(dtype.fields[name][0])] for name in dtype.names or ()]
        return [dtype.itemsize, fields]

    return hashlib.sha256(json.dumps(described(record)).encode()).hexdigest()[:16]


LANE_HASH = layout_hash(LANE_DTYPE)


@kernel
def first_misplaced(selected, marks):
    """The first k whose lane ``selected[k]`` does not exist or was selected before; -1 if there is none.

    ``marks`` is a bool array with an entry for each lane, all False; those of the selected lanes become True.
    """
    for k in range(selected.shape[0]):
        i = selected[k]
        if i < 0 or i >= marks.shape[0] or marks[i]:
            return k
        marks[i] = True
    return -1


@kernel
def first_illegal(lanes, actions, legal, selected):
    """The first k whose lane ``selected[k]`` is in a game in which ``actions[k]`` is not legal; -1 if there is none.

    The first ``legal_count`` entries of a lane's row of ``legal`` are its legal actions, ascending.
    """
    for k in range(actions.shape[0]):
        i = selected[k]
        lane = lanes[i].view(LANE_DTYPE)[0]
        if lane.seat >= 0:
            low, high = 0, int(lane.legal_count)
            while low < high:
                middle = (low + high) // 2
                if legal[i, middle] < actions[k]:
                    low = middle + 1
                else:
                    high = middle
            if low == lane.legal_count or legal[i, low] != actions[k]:
                return k
    return -1


@kernel
def choose_random(lanes, legal, seed, selected, actions):
    """A uniformly random legal action for each selected lane, named by the seed, the lane's game and decision."""
    for k in range(selected.shape[0]):
        lane = lanes[selected[k]].view(LANE_DTYPE)[0]
        if lane.legal_count > 0:
            choice = random_below(lane.seed, RANDOM_PLAY, int(lane.decisions), seed, int(lane.legal_count))
            actions[k] = legal[selected[k], choice]
