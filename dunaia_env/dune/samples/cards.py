"""Cards that a seat cannot place: treachery cards, and the spice card that Atreides foresees."""

from __future__ import annotations

import numpy as np

from dunaia_env.dune import decisions, state as layout
from dunaia_env.dune.rules.common.cards import take_card, total
from dunaia_env.dune.samples import battles
from dunaia_env.dune.samples.draws import CARDS, FORESEEN, HEROES, MARKS, MOST_TRIES, OTHERS, below
from dunaia_env.dune.state import NONE
from dunaia_env.support.compile_cache import kernel

_ALL_KINDS = (1 << layout.KINDS) - 1
_LAYABLE_KINDS = 1 << layout.WORTHLESS | 1 << layout.RESIDUAL_POISON
# One number holds all sizes: those of the hands by seat, then that of the hidden discards.
_SIZE_BITS, _SIZE_MASK, _HIDDEN_DISCARDS = 8, 255, layout.MAX_PLAYERS
_MOST_MARKS = 20


@kernel
def _deal(deck, kinds, seed, index):
    """Take a random card of some kinds out of the deck, or any card if none of these is left; returns its kind."""
    cards = 0
    for kind in range(layout.KINDS):
        if kinds >> kind & 1:
            cards += int(deck[kind])
    if cards == 0:
        return take_card(deck, below(seed, CARDS, index, total(deck)))
    left = below(seed, CARDS, index, cards)
    for kind in range(layout.KINDS):
        if kinds >> kind & 1:
            if left < deck[kind]:
                deck[kind] -= 1
                return kind
            left -= int(deck[kind])
    return NONE


@kernel
def _cards_of_plan(plan, kind):
    """How many cards of a kind a plan has."""
    hero = 1 if kind == layout.CHEAP_HERO and plan.leader == layout.HERO else 0
    return hero + (1 if plan.weapon == kind else 0) + (1 if plan.defence == kind else 0)


@kernel
def _known_cards(state, other, seat, atreides, kind):
    """How many cards of a kind a seat knows to be in the hand or the hidden plan of another seat."""
    player = state.players[other]
    known = int(player.shown[kind])
    if seat == atreides:
        known = max(known, int(player.foreseen[kind]))
    side = battles.side_of(state, other)
    if side == NONE:
        return known
    plan = state.plans[side]
    if state.plans_shown == 0:
        planned = 0
        if (
            kind == layout.CHEAP_HERO
            and plan.leader == layout.HERO
            and battles.is_shown(state, seat, side, battles.OF_LEADER)
        ):
            planned += 1
        if plan.weapon == kind and battles.is_shown(state, seat, side, battles.OF_WEAPON):
            planned += 1
        if plan.defence == kind and battles.is_shown(state, seat, side, battles.OF_DEFENCE):
            planned += 1
        return max(known, planned)
    if state.decision == decisions.TREASON:
        return known + _cards_of_plan(plan, kind)
    if (state.decision == decisions.LOSS or state.decision == decisions.KEEP) and state.winner == other:
        if plan.weapon == kind and state.keeping != 1:
            known += 1
        if plan.defence == kind:
            known += 1
    return known


@kernel
def _hand_out_known(state, other, seat, atreides, size):
    """Deal the cards that a seat knows into the empty hand of another seat."""
    hand, deck = state.players[other].hand, state.deck
    dealt = 0
    for kind in range(layout.KINDS):
        for _ in range(_known_cards(state, other, seat, atreides, kind)):
            if dealt < size and deck[kind] > 0:
                deck[kind] -= 1
                hand[kind] += 1
                dealt += 1


@kernel
def _fill_hand(state, other, size, kinds, seed, index):
    """Deal cards of some kinds into a hand until it has its size; returns the next index."""
    hand = state.players[other].hand
    for _ in range(size - total(hand)):
        hand[_deal(state.deck, kinds, seed, index)] += 1
        index += 1
    return index


@kernel
def _size(sizes, place):
    """How many cards belong in the hand of a seat, or in the hidden discards (`_HIDDEN_DISCARDS`)."""
    return sizes >> _SIZE_BITS * place & _SIZE_MASK


@kernel
def _gather(state, seat, sees_sale, sees_top):
    """Put all cards that a seat does not see into the deck; returns how many there were in each place, see `_size`."""
    deck = state.deck
    sizes = total(state.hidden_discards) << _SIZE_BITS * _HIDDEN_DISCARDS
    for kind in range(layout.KINDS):
        deck[kind] += state.hidden_discards[kind]
        state.hidden_discards[kind] = 0
    if state.top != NONE and not sees_top:
        deck[state.top] += 1
    if state.sale != NONE and not sees_sale:
        deck[state.sale] += 1
    for other in range(int(state.num_players)):
        if other == seat:
            continue
        player = state.players[other]
        hand, size = player.hand, total(player.hand)
        side = battles.side_of(state, other)
        for kind in range(layout.KINDS):
            deck[kind] += hand[kind]
            hand[kind] = 0
            if side != NONE and state.plans_shown == 0:
                planned = _cards_of_plan(state.plans[side], kind)
                deck[kind] += planned
                size += planned
        if player.laid != NONE:
            deck[player.laid] += 1
        sizes |= size << _SIZE_BITS * other
    return sizes


@kernel
def _deal_laid(state, seed, seat, hidden_discards):
    """Deal the laid cards and hidden discards, which are worthless or residual poison; returns the next index."""
    deck, index, players = state.deck, 0, int(state.num_players)
    poisoner = np.int64(state.seat) if state.decision == decisions.POISONED and state.seat != seat else NONE
    if poisoner != NONE and state.players[poisoner].laid != NONE and deck[layout.RESIDUAL_POISON] > 0:
        # The card was turned, so everybody knows that it is a residual poison.
        deck[layout.RESIDUAL_POISON] -= 1
        state.players[poisoner].laid = layout.RESIDUAL_POISON
    else:
        poisoner = NONE
    for other in range(players):
        if other != seat and other != poisoner and state.players[other].laid != NONE:
            state.players[other].laid = _deal(deck, _LAYABLE_KINDS, seed, index)
            index += 1
    for _ in range(hidden_discards):
        state.hidden_discards[_deal(deck, _LAYABLE_KINDS, seed, index)] += 1
        index += 1
    if state.decision == decisions.LAY_WHO and state.seat != seat:
        # Another seat is laying a card: the card is still in that seat's hand.
        hand = state.players[state.seat].hand
        if hand[layout.WORTHLESS] == 0 and hand[layout.RESIDUAL_POISON] == 0:
            hand[_deal(deck, _LAYABLE_KINDS, seed, index)] += 1
            index += 1
    return index


@kernel
def _deal_to_unarmed(state, components, sizes, seed, index, seat):
    """Deal the hands that are known to hold no hero; returns the next index."""
    for side in range(2):
        battler = battles.battler_of(state, side)
        if battler != seat and state.plans[side].no_leader != 0:
            size = _size(sizes, battler)
            index = _fill_hand(state, battler, size, _ALL_KINDS & ~(1 << layout.CHEAP_HERO), seed, index)
    return index


@kernel
def _deal_heroes(state, components, sizes, seed, index, seat, atreides):
    """Deal the hands that must hold a hero because their seats have no leader; returns the next index."""
    deck, needing = state.deck, 0
    for side in range(2):
        battler = battles.battler_of(state, side)
        is_armed = (
            state.players[battler].hand[layout.CHEAP_HERO] > 0
            or battles.count_available(state, components, battler) > 0
        )
        if battler != seat and state.plans[side].no_leader == 0 and not is_armed:
            needing |= 1 << side
    if needing == 0:
        return index
    for attempt in range(MOST_TRIES):
        for side in range(2):
            hand = state.players[battles.battler_of(state, side)].hand
            if needing >> side & 1 and deck[layout.CHEAP_HERO] > 0:
                deck[layout.CHEAP_HERO] -= 1
                hand[layout.CHEAP_HERO] += 1
        ways = 1
        for side in range(2):
            battler = battles.battler_of(state, side)
            if needing >> side & 1:
                size = _size(sizes, battler)
                index = _fill_hand(state, battler, size, _ALL_KINDS, seed, index)
                ways *= max(1, int(state.players[battler].hand[layout.CHEAP_HERO]))
        if ways == 1 or attempt == MOST_TRIES - 1 or below(seed, HEROES, attempt, ways) == 0:
            break
        for side in range(2):
            battler = battles.battler_of(state, side)
            if needing >> side & 1:
                hand = state.players[battler].hand
                for kind in range(layout.KINDS):
                    deck[kind] += hand[kind]
                    hand[kind] = 0
        for side in range(2):
            battler = battles.battler_of(state, side)
            if needing >> side & 1:
                _hand_out_known(state, battler, seat, atreides, _size(sizes, battler))
    return index


@kernel
def deal_treachery(state, components, seed, seat, atreides):
    """Deal all cards that a seat cannot place."""
    sees_sale = seat == atreides and state.sale_seen != 0
    sees_top = seat == atreides and state.top_seen != 0
    players = int(state.num_players)
    sizes = _gather(state, seat, sees_sale, sees_top)
    for other in range(players):
        if other != seat:
            _hand_out_known(state, other, seat, atreides, _size(sizes, other))
    index = _deal_laid(state, seed, seat, _size(sizes, _HIDDEN_DISCARDS))
    if battles.is_planning(state):
        index = _deal_to_unarmed(state, components, sizes, seed, index, seat)
        index = _deal_heroes(state, components, sizes, seed, index, seat, atreides)
    for other in range(players):
        if other != seat:
            index = _fill_hand(state, other, _size(sizes, other), _ALL_KINDS, seed, index)
    if state.top != NONE and not sees_top:
        state.top = _deal(state.deck, _ALL_KINDS, seed, index)
        index += 1
    if state.sale != NONE and not sees_sale:
        state.sale = _deal(state.deck, _ALL_KINDS, seed, index)
    if state.decision == decisions.LAY_WHO and state.seat != seat:
        hand = state.players[state.seat].hand
        worthless = int(hand[layout.WORTHLESS])
        held = worthless + int(hand[layout.RESIDUAL_POISON])
        state.card = layout.WORTHLESS if below(seed, CARDS, index + 1, held) < worthless else layout.RESIDUAL_POISON


@kernel
def mark_seen_cards(state, seed, atreides):
    """Sample which cards Atreides has seen."""
    begun = state.turn > 1 or (state.turn == 1 and state.phase >= layout.BIDDING)
    for other in range(int(state.num_players)):
        player = state.players[other]
        player.foreseen[:] = 0
        if atreides == NONE or other == atreides or not begun:
            continue
        cards = min(total(player.hand), _MOST_MARKS)
        marks = below(seed, MARKS, other, 1 << cards)
        for kind in range(layout.KINDS):
            for _ in range(int(player.hand[kind])):
                player.foreseen[kind] += marks & 1
                marks >>= 1
    state.top_seen = 1 if atreides != NONE and state.top != NONE else 0
    state.sale_seen = 1 if atreides != NONE and state.sale != NONE and state.sight_stopped == 0 else 0


@kernel
def _is_foreseen(state):
    """Whether Atreides, with its power, has a foreseen card now, as far as everybody can tell."""
    if state.phase == layout.STORM:
        return state.turn > 1
    if state.phase == layout.BLOW:
        before = state.depth > 0 and state.stack[0].point == layout.WINDOW
        return state.turn > 1 and (state.decision == decisions.BLOW_CARDS or state.decision == decisions.WORM or before)
    if state.phase == layout.REVIVAL:
        about = state.decision == decisions.KARAMA and state.power == layout.FUTURE
        depth = int(state.depth)
        stopping = (
            depth > 0 and state.stack[depth - 1].point == layout.STOP and state.stack[depth - 1].power == layout.FUTURE
        )
        return state.turn < state.max_turns and not about and not stopping
    return (state.phase == layout.MOVEMENT or state.phase == layout.BATTLE_PHASE) and state.turn < state.max_turns


@kernel
def foresee_spice(state, seed, atreides):
    """Sample the foreseen spice card from the spice deck, into which the true one is put back first."""
    if state.foreseen_spice != NONE:
        state.spice_deck[state.foreseen_spice] += 1
        state.foreseen_spice = NONE
    cards = total(state.spice_deck)
    if atreides != NONE and cards > 0 and _is_foreseen(state):
        state.foreseen_spice = take_card(state.spice_deck, below(seed, OTHERS, FORESEEN, cards))
