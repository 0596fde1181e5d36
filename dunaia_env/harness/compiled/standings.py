"""The standings of games in progress: the scores as if the games ended now, and the rounds played so far."""

from __future__ import annotations

import numpy as np

from dunaia_env.harness.compiled.entry_points import ENDING_SIZE, MOST_SEATS, ROUNDS, SCORE_TYPE, write_results
from dunaia_env.harness.compiled.lane import LANE_DTYPE
from dunaia_env.support.compile_cache import kernel


@kernel
def read_standings(game, states, lanes, components, parameters, number, legal, selected, scores, rounds):
    """Write the scores (int32, one per seat) and the round (int32) of the selected lanes; see `Lanes.call_kernel`.

    ``parameters``, ``number`` and ``legal`` are not used.
    """
    points = np.zeros(MOST_SEATS, SCORE_TYPE)
    ranks = np.zeros(MOST_SEATS, np.int8)
    ending = np.zeros(ENDING_SIZE, np.int32)
    for k in range(selected.shape[0]):
        lane = lanes[selected[k]].view(LANE_DTYPE)[0]
        write_results(game, states[selected[k]], components[lane.components_row], points, ranks, ending)
        for seat in range(scores.shape[1]):
            scores[k, seat] = points[seat]
        rounds[k] = ending[ROUNDS]


@kernel
def restrict(lanes, masks, legal, selected, forbidden):
    """Remove the forbidden actions from the selected lanes' masks and legal actions, unless no action would be left.

    Args:
        lanes: the lanes' records.
        masks: int8 ``(N, actions)``.
        legal: int16 ``(N, actions)``.
        selected: the lanes.
        forbidden: bool ``(len(selected), actions)``.
    """
    for k in range(selected.shape[0]):
        i = selected[k]
        lane = lanes[i].view(LANE_DTYPE)[0]
        count = int(lane.legal_count)
        kept = 0
        for place in range(count):
            kept += not forbidden[k, legal[i, place]]
        if kept == 0 or kept == count:
            continue
        kept = 0
        for place in range(count):
            action = legal[i, place]
            if forbidden[k, action]:
                masks[i, action] = 0
            else:
                legal[i, kept] = action
                kept += 1
        lane.legal_count = kept
