"""The look into the future and revival."""

from __future__ import annotations

from dunaia_env.dune import decisions
from dunaia_env.dune.actions import NUMBER_FIRST, PASS, USE_KARAMA
from dunaia_env.dune.rules import karama, spice_blow, storm, treachery
from dunaia_env.dune.rules.common import asking, cards, forces, spice, steps, windows
from dunaia_env.dune.rules.common.seats import has_power, next_in_turn_order, seat_with_power
from dunaia_env.dune.state import ATREIDES, EMPEROR, FUTURE, HARKONNEN, KARAMA_CARD, NONE, REVIVAL, SEATS, TLEILAX
from dunaia_env.support.compile_cache import kernel


@kernel
def begin_revival(state, components, chance):
    """Atreides looks at the next spice card, unless stopped."""
    state.phase = REVIVAL
    atreides = seat_with_power(state, ATREIDES)
    if atreides != NONE and state.turn < state.max_turns and state.foreseen_spice == NONE:
        return karama.ask_whether_stopped(state, FUTURE, atreides)
    return windows.open_window(state, decisions.REVIVAL_CARDS)


@kernel
def after_future(state, components, chance, stopped):
    """Draw the foreseen card, unless the look was stopped; the window follows."""
    if not stopped:
        state.foreseen_spice = spice_blow.draw_spice(state, chance)
    return windows.open_window(state, decisions.REVIVAL_CARDS)


@kernel
def has_use_of_karama(state, components, seat):
    """Whether a Karama could have an effect for the seat's faction in this window."""
    if has_power(state, seat, EMPEROR):
        return treachery.can_fetch(state, seat, int(components.emperor_tokens))
    takes = has_power(state, seat, HARKONNEN)
    stops = has_power(state, seat, TLEILAX) and state.embargo == 0
    for other in range(int(state.num_players)):
        if other != seat and takes and cards.hand_size(state, other) > 0:
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
    if state.karama_powers != 0 and cards.holds_karama(state, seat) and has_use_of_karama(state, components, seat):
        actions[count] = USE_KARAMA
        count += 1
    return treachery.list_playable(state, components, actions, count, seat, decisions.REVIVAL_CARDS)


@kernel
def answer_revival_cards(state, components, chance, action):
    """REVIVAL_CARDS: play a card, or nothing more."""
    seat = int(state.seat)
    if action == PASS:
        return windows.pass_window(state)
    if action != USE_KARAMA:
        return treachery.play_card(state, action)
    karama.spend_karama(state, seat, NONE)
    if has_power(state, seat, TLEILAX):
        state.embargo = 1
        return asking.ask(state, seat, decisions.REVIVAL_CARDS)
    windows.keep_window(state)
    if has_power(state, seat, EMPEROR):
        return treachery.begin_ghola(state, seat, KARAMA_CARD)
    return treachery.begin_swap(state, seat)


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
        return steps.BEGIN_MOVEMENT
    player = state.players[seat]
    state.freed = 0
    if state.embargo == 0:
        state.freed = min(int(components.free_revival[int(player.faction)]), int(player.tanks))
        forces.revive_tokens(state, seat, int(state.freed))
    return asking.ask(state, seat, decisions.REVIVE)


@kernel
def list_revive(state, components, actions):
    """REVIVE: list the numbers of further tokens that the seat can pay for with its own spice."""
    player = state.players[int(state.seat)]
    most = min(int(components.revival_most) - int(state.freed), int(player.tanks))
    most = min(most, int(player.spice) // int(components.revival_price))
    cannot_pay = state.powers != 0 and components.paid_revival[int(player.faction)] == 0
    if state.embargo != 0 or cannot_pay:
        most = 0
    return storm.list_numbers(actions, 0, 0, max(most, 0))


@kernel
def answer_revive(state, components, chance, action):
    """REVIVE: the tokens return; the Bene Tleilax gain the price and may sell a leader back."""
    seat = int(state.seat)
    tokens = action - NUMBER_FIRST
    price = int(components.revival_price) * tokens
    tleilax = seat_with_power(state, TLEILAX)
    spice.spend(state, seat, price)
    if tleilax != NONE:
        spice.gain(state, tleilax, price)
    forces.revive_tokens(state, seat, tokens)
    state.freed = 0
    if tleilax == NONE:
        return ask_next_to_revive(state, components, seat)
    asking.push(state, SEATS, decisions.REVIVE, seat, NONE, NONE)
    return asking.ask(state, seat, decisions.BUY_BACK)
