"""Bidding: ransoms, alms, gifts and pledges, the sale of treachery cards."""

from __future__ import annotations

from dunaia_env.dune import decisions, state as layout
from dunaia_env.dune.actions import LEADER_FIRST, NUMBER_FIRST, PASS, USE_KARAMA, YES
from dunaia_env.dune.rules import karama, storm, treachery
from dunaia_env.dune.rules.common import asking, cards, leaders, steps, windows
from dunaia_env.dune.rules.common.seats import (
    has_allies,
    has_power,
    is_allied,
    next_in_turn_order,
    right_of,
    seat_with_power,
)
from dunaia_env.dune.rules.common.spice import funds, gain, pay, spend
from dunaia_env.dune.state import NONE
from dunaia_env.support.compile_cache import kernel


@kernel
def begin_bidding(state, components, chance):
    """Begin the phase with a window."""
    state.phase = layout.BIDDING
    state.sales = 0
    state.bonuses = 0
    return windows.open_window(state, decisions.BIDDING_CARDS)


@kernel
def list_bidding_cards(state, components, actions):
    """BIDDING_CARDS: list `pass`, truthtrance, cone of silence, and laying a residual poison or a bluff."""
    actions[0] = PASS
    return treachery.list_playable(state, components, actions, 1, int(state.seat), decisions.BIDDING_CARDS)


@kernel
def answer_bidding_cards(state, components, chance, action):
    """BIDDING_CARDS: play a card, or nothing more."""
    if action == PASS:
        return windows.pass_window(state)
    return treachery.play_card(state, action)


# Ransoms


@kernel
def begin_ransoms(state, components, chance):
    """Each seat with a laid card demands a ransom, in turn order."""
    return ask_next_ransom(state, components, NONE)


@kernel
def after_ransom(state, components, chance):
    """Continue the round of ransoms after the owner of a laid card."""
    return ask_next_ransom(state, components, int(state.seat))


@kernel
def ask_next_ransom(state, components, after):
    """Ask the next owner of a laid card for a ransom; after the last one come alms, gifts and pledges."""
    seat = next_in_turn_order(state, after)
    while seat != NONE:
        if state.players[seat].laid != NONE:
            return asking.ask(state, seat, decisions.RANSOM)
        seat = next_in_turn_order(state, seat)
    give_alms(state, components)
    return ask_next_gift(state, components, NONE)


@kernel
def list_ransom(state, components, actions):
    """RANSOM: list the possible ransoms."""
    return storm.list_numbers(actions, 0, int(components.ransom[0]), int(components.ransom[1]))


@kernel
def answer_ransom(state, components, chance, action):
    """RANSOM: ask the victim whether it pays."""
    seat = int(state.seat)
    state.price = action - NUMBER_FIRST
    asking.push(state, layout.SEATS, decisions.RANSOM, seat, NONE, NONE)
    return asking.ask(state, int(state.players[seat].laid_on), decisions.PAY)


@kernel
def list_pay(state, components, actions):
    """PAY: list `pass` and, if the victim can pay, `yes`."""
    actions[0] = PASS
    if state.players[int(state.seat)].spice < state.price:
        return 1
    actions[1] = YES
    return 2


@kernel
def answer_pay(state, components, chance, action):
    """PAY: if the ransom is paid, the card stays; otherwise it is turned."""
    victim = int(state.seat)
    owner = int(state.stack[int(state.depth) - 1].seat)
    ransom = int(state.price)
    state.price = NONE
    if action == YES:
        spend(state, victim, ransom)
        gain(state, owner, ransom)
        return steps.RESUME
    if state.players[owner].laid == layout.RESIDUAL_POISON:
        if leaders.owns_leader(state, victim, 1):
            return asking.ask(state, owner, decisions.POISONED)
    else:
        pay_for_bluff(state, owner, victim, int(components.bluff_factor) * ransom)
    discard_laid(state, owner)
    return steps.RESUME


@kernel
def discard_laid(state, owner):
    """Discard a laid card that was turned."""
    player = state.players[owner]
    state.discards[int(player.laid)] += 1
    player.laid = NONE
    player.laid_on = NONE


@kernel
def pay_for_bluff(state, owner, victim, due):
    """The owner of a bluff pays: first by what the victim owes it, then in spice; the rest becomes a debt."""
    debtor, creditor = state.players[owner], state.players[victim]
    set_off = min(due, int(creditor.debts[owner]))
    creditor.debts[owner] -= set_off
    due -= set_off
    paid = min(due, int(debtor.spice))
    debtor.debts[victim] += due - paid
    spend(state, owner, paid)
    gain(state, victim, paid)


@kernel
def list_poisoned(state, components, actions):
    """POISONED: list the living leaders of the victim."""
    victim = int(state.players[int(state.seat)].laid_on)
    count = 0
    for leader in range(layout.LEADERS):
        if state.owner[leader] == victim and state.alive[leader] != 0:
            actions[count] = LEADER_FIRST + leader
            count += 1
    return count


@kernel
def answer_poisoned(state, components, chance, action):
    """POISONED: the leader dies, and the owner of the card gains its strength in spice."""
    seat = int(state.seat)
    leader = action - LEADER_FIRST
    leaders.kill_leader(state, components, leader)
    gain(state, seat, int(components.strength[leader]))
    discard_laid(state, seat)
    return steps.RESUME


# Alms, gifts, pledges


@kernel
def give_alms(state, components):
    """Each seat, in turn order, gains alms if it has no spice at that moment."""
    seat = next_in_turn_order(state, NONE)
    while seat != NONE:
        if state.players[seat].spice == 0:
            gain(state, seat, int(components.alms))
        seat = next_in_turn_order(state, seat)


@kernel
def ask_next_gift(state, components, after):
    """Ask the Emperor for a gift to its next ally; after the last one come pledges."""
    emperor = seat_with_power(state, layout.EMPEROR)
    if emperor != NONE:
        ally = next_in_turn_order(state, after)
        while ally != NONE:
            if ally != emperor and is_allied(state, emperor, ally):
                state.target = ally
                return asking.ask(state, emperor, decisions.GIFT)
            ally = next_in_turn_order(state, ally)
    state.target = NONE
    return ask_next_pledge(state, components, NONE)


@kernel
def list_gift(state, components, actions):
    """GIFT: list the amounts that the Emperor can give out of its own spice."""
    most = min(int(components.most_gift), int(state.players[int(state.seat)].spice))
    return storm.list_numbers(actions, 0, 0, most)


@kernel
def answer_gift(state, components, chance, action):
    """GIFT: the ally gains the spice."""
    ally = int(state.target)
    spend(state, int(state.seat), action - NUMBER_FIRST)
    gain(state, ally, action - NUMBER_FIRST)
    return ask_next_gift(state, components, ally)


@kernel
def ask_next_pledge(state, components, after):
    """Ask the next seat with allies for its pledge; after the last one come the sales."""
    seat = next_in_turn_order(state, after)
    while seat != NONE:
        if has_allies(state, seat):
            return asking.ask(state, seat, decisions.PLEDGE)
        seat = next_in_turn_order(state, seat)
    return steps.BEGIN_SALES


@kernel
def list_pledge(state, components, actions):
    """PLEDGE: list the amounts that the seat can pledge out of its own spice."""
    most = min(int(components.most_pledge), int(state.players[int(state.seat)].spice))
    return storm.list_numbers(actions, 0, 0, most)


@kernel
def answer_pledge(state, components, chance, action):
    """PLEDGE: the allies may spend this amount of the seat's spice this turn."""
    seat = int(state.seat)
    state.players[seat].pledge = action - NUMBER_FIRST
    return ask_next_pledge(state, components, seat)


# Sales


@kernel
def is_eligible(state, components, seat):
    """Whether a seat may buy a card: it is not silenced, and its hand is not full."""
    return state.silenced[seat] == 0 and cards.hand_size(state, seat) < cards.hand_limit(state, components, seat)


@kernel
def begin_sales(state, components, chance):
    """Count the cards of the row; Atreides sees the cards, unless stopped."""
    row = 0
    for seat in range(int(state.num_players)):
        if is_eligible(state, components, seat):
            row += 1
    row = min(row, cards.cards_to_draw(state) + (1 if state.top != NONE else 0))
    if row == 0:
        return end_bidding(state)
    state.cards_left = row
    atreides = seat_with_power(state, layout.ATREIDES)
    if atreides != NONE:
        return karama.ask_whether_stopped(state, layout.SIGHT, atreides)
    return begin_sale(state, components, chance)


@kernel
def after_sight(state, components, chance, stopped):
    """The sales begin, with or without Atreides' sight."""
    state.sight_stopped = 1 if stopped else 0
    return begin_sale(state, components, chance)


@kernel
def end_bidding(state):
    """End the phase."""
    state.cards_left = NONE
    state.opener = NONE
    state.bid = 0
    state.bidder = NONE
    state.sight_stopped = 0
    return steps.BEGIN_REVIVAL


@kernel
def is_seen(state):
    """1 if Atreides sees the cards that are drawn, otherwise 0."""
    return 1 if seat_with_power(state, layout.ATREIDES) != NONE and state.sight_stopped == 0 else 0


@kernel
def next_opener(state, components):
    """The seat that opens the next sale; -1 if nobody may buy."""
    if state.opener == NONE:
        seat = next_in_turn_order(state, NONE)
        while seat != NONE and not is_eligible(state, components, seat):
            seat = next_in_turn_order(state, seat)
        return seat
    for places in range(1, int(state.num_players) + 1):
        seat = right_of(state, int(state.opener), places)
        if is_eligible(state, components, seat):
            return seat
    return NONE


@kernel
def begin_sale(state, components, chance):
    """Put the next card of the row on sale."""
    if state.cards_left == 0:
        return end_bidding(state)
    opener = next_opener(state, components)
    if opener == NONE:
        return end_bidding(state)
    if state.top != NONE:
        state.sale = state.top
        state.sale_seen = 1 if state.top_seen != 0 or is_seen(state) else 0
        state.top = NONE
        state.top_seen = 0
    else:
        state.sale = cards.draw_treachery(state, chance, cards.SALE_DRAW, int(state.turn), int(state.sales))
        if state.sale == NONE:
            return end_bidding(state)
        state.sale_seen = is_seen(state)
    state.sales += 1
    state.cards_left -= 1
    state.opener = opener
    state.bid = 0
    state.bidder = NONE
    return asking.ask(state, opener, decisions.BID)


@kernel
def list_bid(state, components, actions):
    """BID: list `pass`, taking the card for nothing by a Karama, and raises."""
    seat = int(state.seat)
    actions[0] = PASS
    count = 1
    if cards.holds_karama(state, seat):
        actions[count] = USE_KARAMA
        count += 1
    most = min(int(components.most_raise), funds(state, seat) - int(state.bid))
    return storm.list_numbers(actions, count, 1, most)


@kernel
def answer_bid(state, components, chance, action):
    """BID: the next eligible seat is asked, unless the card is sold."""
    seat = int(state.seat)
    if action == USE_KARAMA:
        if karama.spend_karama(state, seat, layout.BUY):
            return karama.ask_whether_stopped(state, layout.WORTHLESS_USED, seat)
        return steps.TAKE_FOR_NOTHING
    if action != PASS:
        state.bid += action - NUMBER_FIRST
        state.bidder = seat
    while True:
        seat = right_of(state, seat, 1)
        if seat == state.bidder:
            pay(state, seat, int(state.bid), seat_with_power(state, layout.EMPEROR))
            return buy(state, components, chance, seat)
        if state.bidder == NONE and seat == state.opener:
            state.top = state.sale
            state.top_seen = state.sale_seen
            state.sale = NONE
            state.sale_seen = 0
            return end_bidding(state)
        if is_eligible(state, components, seat):
            return asking.ask(state, seat, decisions.BID)


@kernel
def take_for_nothing(state, components, chance):
    """By a Karama, the asked seat takes the card on sale."""
    return buy(state, components, chance, int(state.seat))


@kernel
def buy(state, components, chance, buyer):
    """Give the card on sale to the buyer; Harkonnen may draw a second card."""
    cards.receive_card(state, buyer, int(state.sale), state.sale_seen != 0)
    state.sale = NONE
    state.sale_seen = 0
    if (
        has_power(state, buyer, layout.HARKONNEN)
        and is_below_limit(state, components, buyer)
        and cards.cards_to_draw(state) > 0
    ):
        return karama.ask_whether_stopped(state, layout.BONUS, buyer)
    return begin_sale(state, components, chance)


@kernel
def is_below_limit(state, components, seat):
    """Whether a seat holds fewer cards than it may."""
    return cards.hand_size(state, seat) < cards.hand_limit(state, components, seat)


@kernel
def after_bonus(state, components, chance, stopped):
    """Harkonnen draws the second card, unless stopped."""
    if not stopped:
        seen = state.atreides_sees_bonus != 0 and is_seen(state) == 1
        kind = cards.draw_treachery(state, chance, cards.BONUS_DRAW, int(state.turn), int(state.bonuses))
        state.bonuses += 1
        cards.receive_card(state, seat_with_power(state, layout.HARKONNEN), kind, seen)
    return begin_sale(state, components, chance)
