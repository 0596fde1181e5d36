"""Leaders: which seat owns them, which are alive (rules, sections 8, 9 and 13)."""

from __future__ import annotations

from dunaia_env.dune.rules.common.seats import seat_of_faction
from dunaia_env.dune.state import LEADERS
from dunaia_env.support.compile_cache import kernel


@kernel
def home_of(state, components, leader):
    """The seat of a leader's faction; -1 if the faction is not at the table."""
    return seat_of_faction(state, int(components.faction_of[leader]))


@kernel
def owns_leader(state, seat, alive):
    """Whether a seat owns a leader that is alive (1) or dead (0)."""
    for leader in range(LEADERS):
        if state.owner[leader] == seat and state.alive[leader] == alive:
            return True
    return False


@kernel
def kill_leader(state, components, leader):
    """Send a leader to the tanks; a stolen leader goes to the tanks of its first owner."""
    state.alive[leader] = 0
    home = home_of(state, components, leader)
    if state.owner[leader] != home:
        state.owner[leader] = home
        state.risen[leader] = 0


@kernel
def raise_leader(state, leader, risen):
    """Bring a leader back from the tanks; ``risen`` is 1 if the leader gets the mark of `RAISE`."""
    state.alive[leader] = 1
    state.risen[leader] = risen
    if state.tleilax != 0:
        state.returned[leader] = 1
