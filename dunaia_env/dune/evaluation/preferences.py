"""How much the seat that decides prefers each of its legal actions, by decision.

Each file of considerations has a table of the decisions that it concerns.
"""

from __future__ import annotations

import numpy as np

from dunaia_env.dune.evaluation import dealing, fighting, moving
from dunaia_env.dune.evaluation.ground import SURVEY_SIZE, survey, write_gains
from dunaia_env.dune.rules.common.fields import battler, side_of
from dunaia_env.dune.rules.dispatch import dispatcher
from dunaia_env.dune.state import TERRITORIES, TOKENS
from dunaia_env.support.compile_cache import kernel

_WAYS, _PLANS = tuple(moving.PREFERENCES), tuple(fighting.PLAN_PREFERENCES)
_OTHERS = dealing.PREFERENCES | fighting.PREFERENCES
write_for_way = dispatcher(
    "write_for_way", "state, components, weights, seat, ground, gains, legal, count, preferences", moving.PREFERENCES
)
write_for_plan = dispatcher(
    "write_for_plan", "state, components, weights, seat, enemy, legal, count, preferences", fighting.PLAN_PREFERENCES
)
write_for_other = dispatcher("write_for_other", "state, components, weights, seat, legal, count, preferences", _OTHERS)


@kernel
def write_preferences(state, components, weights, legal, count, preferences):
    """Write the preferences of the seat that decides into ``preferences`` (float64, one for each legal action).

    An action that no consideration concerns has 0, like `pass`.
    """
    for k in range(count):
        preferences[k] = 0.0
    decision, seat = int(state.decision), int(state.seat)
    if decision in _WAYS:
        ground = np.empty((TERRITORIES, SURVEY_SIZE), np.float64)
        gains = np.empty((TERRITORIES, TOKENS + 1), np.float64)
        survey(state, components, weights, seat, ground)
        write_gains(state, components, weights, ground, gains)
        write_for_way(state, components, weights, seat, ground, gains, legal, count, preferences)
    elif decision in _PLANS:
        enemy = battler(state, 1 - side_of(state, seat))
        write_for_plan(state, components, weights, seat, enemy, legal, count, preferences)
    else:
        write_for_other(state, components, weights, seat, legal, count, preferences)
