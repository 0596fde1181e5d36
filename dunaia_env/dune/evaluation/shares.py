"""Each seat's expected share of the win."""

from __future__ import annotations

import math

import numpy as np

from dunaia_env.dune import decisions
from dunaia_env.dune.evaluation import weights as terms
from dunaia_env.dune.rules.common.cards import hand_size
from dunaia_env.dune.rules.common.seats import has_power, is_allied, size_of_side
from dunaia_env.dune.rules.harvest import strongholds_needed, strongholds_of
from dunaia_env.dune.state import ATREIDES, BENE_GESSERIT, FREMEN, GUILD, HARKONNEN, LEADERS, NONE
from dunaia_env.support.compile_cache import kernel

_HELPERS = (ATREIDES, HARKONNEN, GUILD, BENE_GESSERIT)  # their powers serve their allies too


@kernel
def write_win_shares(state, components, weights, shares):
    """Write each seat's share of the win into ``shares`` (float64, one entry for each seat).

    The shares of a finished game are its result: equal shares if nobody won. Otherwise they are the softmax of the
    sides' log-odds, and the members of a side share its part.
    """
    players = int(state.num_players)
    if state.decision == decisions.OVER:
        winners = 0
        for seat in range(players):
            winners += int(state.winners) >> seat & 1
        for seat in range(players):
            shares[seat] = (int(state.winners) >> seat & 1) / winners if winners > 0 else 1.0 / players
        return
    write_expected_shares(state, components, weights, True, shares)


@kernel
def write_expected_shares(state, components, weights, counts_spice, shares):
    """`write_win_shares` of a game in progress, without what shields may hide unless ``counts_spice``."""
    players = int(state.num_players)
    most, total = -np.inf, 0.0
    for seat in range(players):
        shares[seat] = log_odds(state, components, weights, seat, counts_spice)
        shares[seat] -= math.log(size_of_side(state, seat))
        most = max(most, shares[seat])
    for seat in range(players):
        shares[seat] = math.exp(shares[seat] - most)
        total += shares[seat]
    for seat in range(players):
        shares[seat] /= total


@kernel
def log_odds(state, components, weights, seat, counts_spice):
    """The log-odds that a seat's side wins, up to a constant that is the same for all sides."""
    missing = strongholds_needed(state, components, seat) - strongholds_of(state, components, seat)
    odds = weights[terms.SHARE_OF_ENOUGH] if missing <= 0 else 0.0
    odds -= weights[terms.SHARE_OF_STRONGHOLDS] * missing + weights[terms.SHARE_OF_ALLIES]
    waits = False
    for member in range(int(state.num_players)):
        if not is_allied(state, seat, member):
            continue
        player = state.players[member]
        odds += weights[terms.SHARE_OF_ALLIES] + weights[terms.SHARE_OF_CARDS] * hand_size(state, member)
        odds += weights[terms.SHARE_OF_TOKENS] * (components.tokens - player.tanks)
        if counts_spice:
            odds += weights[terms.SHARE_OF_SPICE] * player.spice
        waits = waits or has_power(state, member, FREMEN) or has_power(state, member, GUILD)
        if state.powers != 0 and player.faction in _HELPERS and state.alliance[member] != NONE:
            odds += weights[terms.SHARE_OF_HELPERS]
    for leader in range(LEADERS):
        if is_allied(state, seat, int(state.owner[leader])) and state.alive[leader] != 0:
            odds += weights[terms.SHARE_OF_LEADERS]
    if waits:
        odds += weights[terms.SHARE_OF_WAITING] * state.turn / state.max_turns
    return odds
