"""Applying an action, the steps after it, and the forced decisions that follow."""

from __future__ import annotations

from dunaia_env.dune import decisions, state as layout
from dunaia_env.dune.rules import battle, karama, legal, plans, revival, tleilax, treachery
from dunaia_env.dune.rules.bidding import after_bonus, after_sight
from dunaia_env.dune.rules.common import asking, steps, windows
from dunaia_env.dune.rules.dispatch import chapters_function, dispatcher, of_decisions
from dunaia_env.dune.rules.shipment import after_accompanied, after_shipped
from dunaia_env.dune.rules.worms import after_tame
from dunaia_env.dune.state import NONE
from dunaia_env.support.compile_cache import kernel

# The steps that no chapter takes.
_OWN_STEPS = (steps.ASKED, steps.RESUME, steps.POWER_STOPPED, steps.POWER_WORKS)
_STEPS = {
    number: chapters_function(name.lower())
    for name, number in vars(steps).items()
    if name.isupper() and number not in _OWN_STEPS
}

# Applies a legal action; returns the step that follows.
apply_action = of_decisions("apply_action", "state, components, chance, action", "answer")
begin_step = dispatcher(
    "begin_step",
    "state, components, chance, step",
    _STEPS,
    number="step",
    passed="state, components, chance",
    otherwise=0,
)


@kernel
def settle(state, components, chance, step, actions, forced):
    """Take steps and forced decisions, which have exactly one legal action, until a seat has a choice.

    If ``forced`` is false, no forced decision is taken: the next decision may be one. Writes the legal actions of the
    decision into ``actions``, int16 ``(NUM_ACTIONS,)``, and returns their number: 0 when the game is over.
    """
    while True:
        while step != steps.ASKED:
            step = take_step(state, components, chance, step)
        count = legal.legal_actions(state, components, actions)
        if count != 1 or not forced:
            return count
        step = apply_action(state, components, chance, int(actions[0]))


@kernel
def take_step(state, components, chance, step):
    """Take a step; returns the step that follows."""
    if step == steps.RESUME:
        return resume(state)
    if step in (steps.POWER_STOPPED, steps.POWER_WORKS):
        return after_question(state, components, chance, step == steps.POWER_STOPPED)
    return begin_step(state, components, chance, step)


@kernel
def resume(state):
    """Pop the top frame. If it interrupted a round, ``state.seat`` becomes the seat whose turn was interrupted."""
    frame = state.stack[int(state.depth) - 1]
    point, decision, seat = int(frame.point), int(frame.decision), int(frame.seat)
    if point == layout.WINDOW:
        return windows.return_to_window(state)
    asking.drop(state)
    if point == layout.DRAWING:
        return steps.DRAW_SPICE_CARDS
    if point == layout.EAT:
        return steps.WORM_COMES
    state.seat = seat
    if decision == decisions.RANSOM:
        return steps.AFTER_RANSOM
    if decision == decisions.PROPOSE:
        return steps.AFTER_PROPOSAL
    if decision == decisions.REVIVE:
        return steps.AFTER_BUY_BACK
    return steps.BEGIN_GROUND_MOVE


@kernel
def after_question(state, components, chance, stopped):
    """Continue after the question whether somebody stops a power."""
    power = int(state.power)
    state.power = NONE
    state.user = NONE
    if power == layout.SIGHT:
        return after_sight(state, components, chance, stopped)
    if power == layout.BONUS:
        return after_bonus(state, components, chance, stopped)
    if power == layout.FUTURE:
        return revival.after_future(state, components, chance, stopped)
    if power == layout.TAME:
        return after_tame(state, components, chance, stopped)
    if power == layout.ACCOMPANIED:
        return after_accompanied(state, components, chance, stopped)
    if power == layout.VOICED:
        return battle.after_voiced(state, components, chance, stopped)
    if power == layout.PRESCIENT:
        return plans.after_prescient(state, components, chance, stopped)
    if power == layout.SHIPPED:
        return after_shipped(state, components, chance, stopped)
    if power == layout.TAMPERED:
        return tleilax.after_tampered(state, components, chance, stopped)
    if power == layout.STOLEN:
        return treachery.after_stolen(state, components, chance, stopped)
    return karama.after_worthless(state, stopped)
