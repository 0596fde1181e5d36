"""The nexus: alliances are left and made."""

from __future__ import annotations

from dunaia_env.dune import decisions
from dunaia_env.dune.actions import PASS, SEAT_FIRST, YES
from dunaia_env.dune.rules import treachery
from dunaia_env.dune.rules.common import asking, steps, windows
from dunaia_env.dune.rules.common.seats import has_allies, is_allied, next_in_turn_order, right_of
from dunaia_env.dune.state import BLOW, NEXUS, NO_LIMIT, NONE, SEATS
from dunaia_env.support.compile_cache import kernel


@kernel
def begin_nexus(state, components, chance):
    """Begin the nexus with a window."""
    state.phase = NEXUS
    return windows.open_window(state, decisions.NEXUS_CARDS)


@kernel
def list_nexus_cards(state, components, actions):
    """NEXUS_CARDS: list `pass`, truthtrance and cone of silence."""
    actions[0] = PASS
    return treachery.list_playable(state, components, actions, 1, int(state.seat), decisions.NEXUS_CARDS)


@kernel
def answer_nexus_cards(state, components, chance, action):
    """NEXUS_CARDS: play a card, or nothing more."""
    if action == PASS:
        return windows.pass_window(state)
    return treachery.play_card(state, action)


@kernel
def begin_leaving(state, components, chance):
    """Each seat in an alliance may leave it, in turn order."""
    return ask_next_to_leave(state, NONE)


@kernel
def ask_next_to_leave(state, after):
    """Ask the next seat in an alliance whether it leaves; then proposals begin."""
    seat = next_in_turn_order(state, after)
    while seat != NONE:
        if has_allies(state, seat):
            return asking.ask(state, seat, decisions.LEAVE)
        seat = next_in_turn_order(state, seat)
    return ask_next_to_propose(state, NONE)


@kernel
def list_yes_or_pass(state, components, actions):
    """List `pass` and `yes`."""
    actions[0] = PASS
    actions[1] = YES
    return 2


@kernel
def list_leave(state, components, actions):
    """LEAVE: list `pass` and `yes`."""
    return list_yes_or_pass(state, components, actions)


@kernel
def answer_leave(state, components, chance, action):
    """LEAVE: the seat leaves its alliance; a single member left over is in no alliance."""
    seat = int(state.seat)
    if action == YES:
        left = int(state.alliance[seat])
        state.alliance[seat] = NONE
        name_alliance(state, left)
    return ask_next_to_leave(state, seat)


@kernel
def name_alliance(state, name):
    """Rename the alliance ``name`` after its lowest member; a single member is in no alliance."""
    lowest = NONE
    members = 0
    for seat in range(int(state.num_players)):
        if state.alliance[seat] == name:
            members += 1
            if lowest == NONE:
                lowest = seat
    for seat in range(int(state.num_players)):
        if state.alliance[seat] == name:
            state.alliance[seat] = lowest if members > 1 else NONE


@kernel
def ask_next_to_propose(state, after):
    """Ask the next seat without alliance for a proposal; a round that made an alliance is followed by another round."""
    seat = next_in_turn_order(state, after)
    while True:
        if seat == NONE:
            if state.alliance_grew == 0:
                state.phase = BLOW
                return steps.RESUME
            state.alliance_grew = 0
            seat = next_in_turn_order(state, NONE)
        if not has_allies(state, seat) and state.silenced[seat] == 0:
            return asking.ask(state, seat, decisions.PROPOSE)
        seat = next_in_turn_order(state, seat)


@kernel
def may_join(state, seat, other):
    """Whether a seat may propose an alliance to another seat."""
    size = 0
    for member in range(int(state.num_players)):
        if is_allied(state, other, member):
            size += 1
            if state.silenced[member] != 0:
                return False
    return state.max_alliance == NO_LIMIT or size + 1 <= state.max_alliance


@kernel
def list_propose(state, components, actions):
    """PROPOSE: list `pass` and the seats to which the seat may propose an alliance."""
    seat = int(state.seat)
    actions[0] = PASS
    count = 1
    for places in range(1, int(state.num_players)):
        if may_join(state, seat, right_of(state, seat, places)):
            actions[count] = SEAT_FIRST + places - 1
            count += 1
    return count


@kernel
def answer_propose(state, components, chance, action):
    """PROPOSE: all other seats are asked in turn order; only members of the side that got a proposal have a choice."""
    seat = int(state.seat)
    state.target = NONE if action == PASS else right_of(state, seat, action - SEAT_FIRST + 1)
    asking.push(state, SEATS, decisions.PROPOSE, seat, NONE, NONE)
    return ask_next_to_answer(state, NONE)


@kernel
def ask_next_to_answer(state, after):
    """Ask the next seat for its answer; after the last one, the proposer joins unless somebody has refused."""
    proposer, target = int(state.stack[int(state.depth) - 1].seat), int(state.target)
    seat = next_in_turn_order(state, after)
    if seat == proposer:
        seat = next_in_turn_order(state, seat)
    if seat != NONE:
        return asking.ask(state, seat, decisions.ANSWER)
    if target == NONE:
        return steps.RESUME
    joined = int(state.num_players)
    if state.alliance[target] != NONE:
        joined = int(state.alliance[target])
    state.alliance[target] = joined
    state.alliance[proposer] = joined
    name_alliance(state, joined)
    state.alliance_grew = 1
    state.target = NONE
    return steps.RESUME


@kernel
def got_proposal(state, seat):
    """Whether a seat is a member of the side that got the proposal. After a refusal nobody is."""
    return is_allied(state, int(state.target), seat)


@kernel
def list_answer(state, components, actions):
    """ANSWER: list `pass` and, for a member of the side that got the proposal, `yes`."""
    actions[0] = PASS
    if not got_proposal(state, int(state.seat)):
        return 1
    actions[1] = YES
    return 2


@kernel
def answer_answer(state, components, chance, action):
    """ANSWER: the first refusal ends the proposal."""
    seat = int(state.seat)
    if action == PASS and got_proposal(state, seat):
        state.target = NONE
    return ask_next_to_answer(state, seat)


@kernel
def after_proposal(state, components, chance):
    """Continue the round of proposals after the proposer."""
    state.target = NONE
    return ask_next_to_propose(state, int(state.seat))
