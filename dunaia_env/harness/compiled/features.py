"""The features of an evaluation, for many positions at once."""

from __future__ import annotations

from dunaia_env.harness.compiled import entry_points, lane
from dunaia_env.support.compile_cache import kernel


@kernel
def describe_lanes(game, states, lanes, components, weights, number, legal, selected, features, phases):
    """Write each player's features and phase, for each selected lane with a game in progress.

    ``features`` is float64 ``(selected, seats, features)``, zeros on entry, ``phases`` int64 ``(selected, seats)``.
    """
    for k in range(selected.shape[0]):
        i = selected[k]
        state, own = states[i], components[lanes[i].view(lane.LANE_DTYPE)[0].components_row]
        for seat in range(entry_points.players_of(game, state)):
            phases[k, seat] = entry_points.write_features(game, state, own, seat, features[k, seat])
