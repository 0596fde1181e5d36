"""The features of an evaluation, for many positions at once."""

from __future__ import annotations

from dunaia_env.harness.compiled.entry_points import players_of, write_features
from dunaia_env.harness.compiled.lane import LANE_DTYPE
from dunaia_env.support.compile_cache import kernel


@kernel
def describe_lanes(game, states, lanes, components, weights, number, legal, selected, features, phases):
    """Write each player's features and phase, for each selected lane with a game in progress.

    ``features`` is float64 ``(selected, seats, features)``, zeros on entry, ``phases`` int64 ``(selected, seats)``.
    """
    for k in range(selected.shape[0]):
        i = selected[k]
        state, own = states[i], components[lanes[i].view(LANE_DTYPE)[0].components_row]
        for seat in range(players_of(game, state)):
            phases[k, seat] = write_features(game, state, own, seat, features[k, seat])
