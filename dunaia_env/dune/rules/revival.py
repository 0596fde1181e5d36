"""The look into the future and revival (rules, section 7)."""

from __future__ import annotations

from dunaia_env.dune.actions import NUMBER_FIRST, PASS, USE_KARAMA
from dunaia_env.dune.rules.asking import ask, push
from dunaia_env.dune.rules.cards import hand_size, holds_karama
from dunaia_env.dune.rules.forces import revive_tokens
from dunaia_env.dune.rules.karama import ask_whether_stopped, spend_karama
from dunaia_env.dune.rules.seats import has_power, next_in_turn_order, seat_with_power
from dunaia_env.dune.rules.spice import gain, spend
from dunaia_env.dune.rules.spice_blow import draw_spice
from dunaia_env.dune.rules.steps import BEGIN_MOVEMENT
from dunaia_env.dune.rules.storm import list_numbers
from dunaia_env.dune.rules.treachery import begin_ghola, begin_swap, can_fetch, list_playable, play_card
from dunaia_env.dune.rules.windows import keep_window, open_window, pass_window
from dunaia_env.dune.state import (
    ATREIDES,
    DECISION,
    EMPEROR,
    FUTURE,
    HARKONNEN,
    KARAMA_CARD,
    NONE,
    REVIVAL,
    SEATS,
    TLEILAX,
)
from dunaia_env.support.compile_cache import kernel

REVIVAL_CARDS, REVIVE, BUY_BACK = DECISION["REVIVAL_CARDS"], DECISION["REVIVE"], DECISION["BUY_BACK"]


@kernel
def begin_revival(state, components, chance):
    """Atreides looks at the next spice card, unless stopped."""
    state.phase = REVIVAL
    atreides = seat_with_power(state, ATREIDES)
    if atreides != NONE and state.turn < state.max_turns and state.foreseen_spice == NONE:
        return ask_whether_stopped(state, FUTURE, atreides)
    return open_window(state, REVIVAL_CARDS)


@kernel
def after_future(state, components, chance, stopped):
    """Draw the foreseen card, unless the look was stopped; the window follows."""
    if not stopped:
        state.foreseen_spice = draw_spice(state, chance)
    return open_window(state, REVIVAL_CARDS)


@kernel
def has_use_of_karama(state, components, seat):
    """Whether a Karama could have an effect for the seat's faction in this window."""
    if has_power(state, seat, EMPEROR):
        return can_fetch(state, seat, int(components.emperor_tokens))
    takes = has_power(state, seat, HARKONNEN)
    stops = has_power(state, seat, TLEILAX) and state.embargo == 0
    for other in range(int(state.num_players)):
        if other != seat and takes and hand_size(state, other) > 0:
            return True
        if other != seat and stops and state.players[other].tanks > 0:
            return True
    return False


@kernel
def list_revival_cards(state, components, actions):
    """REVIVAL_CARDS: list `pass`, a ghola, and a Karama of Harkonnen, the Emperor or the Bene Tleilax."""
    seat = int(state.seat)
    actions[0] = PASS
    count = 1
    if state.karama_powers != 0 and holds_karama(state, seat) and has_use_of_karama(state, components, seat):
        actions[count] = USE_KARAMA
        count += 1
    return list_playable(state, components, actions, count, seat, REVIVAL_CARDS)


@kernel
def answer_revival_cards(state, components, chance, action):
    """REVIVAL_CARDS: play a card, or nothing more."""
    seat = int(state.seat)
    if action == PASS:
        return pass_window(state)
    if action != USE_KARAMA:
        return play_card(state, action)
    spend_karama(state, seat, NONE)
    if has_power(state, seat, TLEILAX):
        state.embargo = 1
        return ask(state, seat, REVIVAL_CARDS)
    keep_window(state)
    if has_power(state, seat, EMPEROR):
        return begin_ghola(state, seat, KARAMA_CARD)
    return begin_swap(state, seat)


@kernel
def begin_reviving(state, components, chance):
    """Each seat revives tokens, in turn order."""
    return ask_next_to_revive(state, components, NONE)


@kernel
def after_buy_back(state, components, chance):
    """Continue the round of revival after a seat."""
    return ask_next_to_revive(state, components, int(state.seat))


@kernel
def ask_next_to_revive(state, components, after):
    """The next seat gets its free tokens back and is asked for more; the Bene Tleilax have no revival."""
    seat = next_in_turn_order(state, after)
    if seat != NONE and has_power(state, seat, TLEILAX):
        seat = next_in_turn_order(state, seat)
    if seat == NONE:
        return BEGIN_MOVEMENT
    player = state.players[seat]
    state.freed = 0
    if state.embargo == 0:
        state.freed = min(int(components.free_revival[int(player.faction)]), int(player.tanks))
        revive_tokens(state, seat, int(state.freed))
    return ask(state, seat, REVIVE)


@kernel
def list_revive(state, components, actions):
    """REVIVE: list the numbers of further tokens that the seat can pay for with its own spice."""
    player = state.players[int(state.seat)]
    most = min(int(components.revival_most) - int(state.freed), int(player.tanks))
    most = min(most, int(player.spice) // int(components.revival_price))
    cannot_pay = state.powers != 0 and components.paid_revival[int(player.faction)] == 0
    if state.embargo != 0 or cannot_pay:
        most = 0
    return list_numbers(actions, 0, 0, max(most, 0))


@kernel
def answer_revive(state, components, chance, action):
    """REVIVE: the tokens return; the Bene Tleilax gain the price and may sell a leader back."""
    seat = int(state.seat)
    tokens = action - NUMBER_FIRST
    price = int(components.revival_price) * tokens
    tleilax = seat_with_power(state, TLEILAX)
    spend(state, seat, price)
    if tleilax != NONE:
        gain(state, tleilax, price)
    revive_tokens(state, seat, tokens)
    state.freed = 0
    if tleilax == NONE:
        return ask_next_to_revive(state, components, seat)
    push(state, SEATS, REVIVE, seat, NONE, NONE)
    return ask(state, seat, BUY_BACK)
