"""How the outcomes of a resampling are drawn: all from one seed, by part and index."""

from __future__ import annotations

from dunaia_env.harness.compiled.chance import HIDDEN, random_below
from dunaia_env.support.compile_cache import kernel

# The parts of the outcomes.
CARDS, HEROES, MARKS, DISC_DEALS, PLANS, SPICE, PLEDGES, CHANGES, OTHERS = 0, 1, 2, 3, 4, 5, 6, 7, 8
# The indices in the part OTHERS.
FACTION, TURN, FORESEEN, TREASON, WEATHER, FIRST_DIAL = 0, 1, 2, 3, 4, 5
# The most tries. The last sample is taken even if it contradicts public knowledge; only states that no game reaches
# need so many tries.
MOST_TRIES = 1000


@kernel
def below(seed, part, index, n):
    """A uniform integer in 0..n-1 (n at most 2**31)."""
    return random_below(seed, HIDDEN, index, part, n)
