"""Putting a decision to a seat, and the stack of what is taken up again afterwards (see `dunaia_env.dune.state`)."""

from __future__ import annotations

from dunaia_env.dune.rules.common.steps import ASKED
from dunaia_env.dune.state import NO_POINT, NONE
from dunaia_env.support.compile_cache import kernel


@kernel
def ask(state, seat, decision):
    """Put a decision to a seat."""
    state.seat = seat
    state.decision = decision
    return ASKED


@kernel
def push(state, point, decision, seat, power, user):
    """Put an entry on the stack; -1 for a part that does not apply."""
    frame = state.stack[int(state.depth)]
    frame.point = point
    frame.decision = decision
    frame.seat = seat
    frame.power = power
    frame.user = user
    state.depth += 1


@kernel
def drop(state):
    """Take the innermost entry off the stack; it must have been read before."""
    state.depth -= 1
    frame = state.stack[int(state.depth)]
    frame.point = NO_POINT
    frame.decision = NONE
    frame.seat = NONE
    frame.power = NONE
    frame.user = NONE
