"""Each seat's expected share of the win."""

from __future__ import annotations

import math

import numpy as np

from dunaia_env.dune import decisions
from dunaia_env.dune.evaluation import weights as terms
from dunaia_env.dune.rules.cards import hand_size
from dunaia_env.dune.rules.harvest import strongholds_needed, strongholds_of
from dunaia_env.dune.rules.seats import has_power, size_of_side
from dunaia_env.dune.state import FREMEN, GUILD, LEADERS
from dunaia_env.support.compile_cache import kernel


@kernel
def write_win_shares(state, components, weights, shares):
    """Write each seat's share of the win into ``shares`` (float64, one entry for each seat).

    The shares of a finished game are its result: equal shares if nobody won. Otherwise they are the softmax of the
    seats' log-odds.
    """
    players = int(state.num_players)
    if state.decision == decisions.OVER:
        winners = 0
        for seat in range(players):
            winners += int(state.winners) >> seat & 1
        for seat in range(players):
            shares[seat] = (int(state.winners) >> seat & 1) / winners if winners > 0 else 1.0 / players
        return
    most, total = -np.inf, 0.0
    for seat in range(players):
        shares[seat] = log_odds(state, components, weights, seat)
        most = max(most, shares[seat])
    for seat in range(players):
        shares[seat] = math.exp(shares[seat] - most)
        total += shares[seat]
    for seat in range(players):
        shares[seat] /= total


@kernel
def log_odds(state, components, weights, seat):
    """The log-odds of a seat, up to a constant that is the same for all seats."""
    player = state.players[seat]
    held = strongholds_of(state, components, seat)
    odds = weights[terms.SHARE_OF_STRONGHOLDS] * held + weights[terms.SHARE_OF_SPICE] * player.spice
    odds += weights[terms.SHARE_OF_TOKENS] * (components.tokens - player.tanks)
    odds += weights[terms.SHARE_OF_CARDS] * hand_size(state, seat)
    odds += weights[terms.SHARE_OF_ALLIES] * (size_of_side(state, seat) - 1)
    if held >= strongholds_needed(state, components, seat):
        odds += weights[terms.SHARE_OF_ENOUGH]
    for leader in range(LEADERS):
        if state.owner[leader] == seat and state.alive[leader] != 0:
            odds += weights[terms.SHARE_OF_LEADERS]
    if has_power(state, seat, FREMEN) or has_power(state, seat, GUILD):
        odds += weights[terms.SHARE_OF_WAITING] * state.turn / state.max_turns
    return odds
