"""Resampling: in place of what a seat does not know, a sample of what it could be (rules, section 14).

`resample` reads only what the seat's view shows (`dunaia_env.dune.views`) and chance. A state has to wait for somebody,
so the moment stays as it is: who is asked what, the stack, and what others have named for it. An agent decides at its
own decisions, where all of this is its own. Counts of draws, which only key draws, begin anew at 0.

**Treachery cards.** All cards that the seat cannot place are put together and dealt, every assignment of single cards
to places being equally likely among those that agree with the view. The places are filled in this order: cards that
are known (marked as shown or foreseen, in a plan that was shown), laid cards and hidden discards (worthless or residual
poison), hands known to be without a cheap hero, all others. Each set of allowed cards contains the one before it, so
what was dealt before always takes the same number of cards out of a later set; hence every sequence of choices has the
same probability, and with it every assignment. A battler who has no leader, and of whom nothing was made known, holds
a cheap hero: a hero is put into its hand before the rest of it is dealt, and a hand with h heroes, which can come about
in h ways, is kept with probability 1/h.

**Discs and traitors.** Four discs a seat out of the rest of 30, all deals equally likely, and among those that count
each is the traitor with the same probability. Samples that contradict what is public are rejected: answers to a
truthtrance about a leader, and a traitor whose call in this battle was shown. If a battler and its Harkonnen ally could
both have called, the ally is taken for it.

**Truthtrance.** Answers about a leader, the faction or the turn of the prediction stay true and are heeded. Answers
about cards and spice were true at their moment only and are not.

**Choices of others** are drawn as if every legal action were equally likely: the parts of a hidden plan out of the
dealt hand, in the order of the questions and within the Voice's order; numbers, dials, pledges, the prediction, the
first answer about treason. What a choice or a question tells about the hand of its author is not weighed, but for the
parts of the plan that the seat was shown.

**Spice.** Behind closed shields a debtor has none, anybody else 0 to 20 more than its least: what it pledged to the
seat, and for the highest bidder its bid. An ally whose spice no longer covers its pledge has what it has, for its
allies know what they may spend. Reserves follow from the other tokens. Pledges of strangers cover the highest bid.

**Atreides' knowledge**, for others. A card is foreseen from the look in revival to the next blow (in a worm event it
counts as drawn: the next card is as random either way). Each card in a hand was seen with probability 1/2, cards on
sale while the sight is not stopped, an unsold card always.

**Tampered leaders.** Only a leader that came back can have a change, which is 0 with probability 1/2, else 1 up or
down.
"""

from __future__ import annotations

import numpy as np

from dunaia_env.dune.actions import FACTION_FIRST, LEADER_FIRST, MUST_FIRST, MUST_NOT_FIRST, TURN_FIRST
from dunaia_env.dune.components import DISCS_OF_A_FACTION
from dunaia_env.dune.rules.cards import take_card, total
from dunaia_env.dune.rules.seats import first_player, is_allied, offset_of, seat_of_faction, seat_with_power
from dunaia_env.dune.state import (
    AGGRESSOR,
    ALL_ELEMENTS,
    ATREIDES,
    BATTLE_PHASE,
    BENE_GESSERIT,
    BIDDING,
    BLOW,
    CELLS,
    CHEAP_HERO,
    DECISION,
    DEFENDER,
    DISCS,
    DISCS_OF_A_SEAT,
    FACE_DANCER,
    FACTIONS,
    FUTURE,
    HARKONNEN,
    HERO,
    HOW_NAMES,
    KINDS,
    LASGUN,
    LEADERS,
    MAX_PLAYERS,
    MOVEMENT,
    NONE,
    NUMBERS,
    PRESCIENT,
    RESIDUAL_POISON,
    REVIVAL,
    SHIELD,
    SNOOPER,
    STOP,
    STORM,
    TLEILAX,
    UNCHOSEN,
    WINDOW,
    WORTHLESS,
)
from dunaia_env.harness.compiled.chance import HIDDEN, draw, random_below
from dunaia_env.support.compile_cache import kernel

# A seed is drawn in two words. Everything else is computed from it, for a source of chance records a limited number of
# draws. These are the parts of its outcomes.
_HALF_SEED = 1 << 31
_CARDS, _HEROES, _MARKS, _DISCS, _PLANS, _SPICE, _PLEDGES, _CHANGES, _OTHERS = 0, 1, 2, 3, 4, 5, 6, 7, 8
# Indices of _OTHERS.
_FACTION, _TURN, _FORESEEN, _TREASON, _WEATHER, _FIRST_DIAL = 0, 1, 2, 3, 4, 5

_ALL_KINDS = (1 << KINDS) - 1
_LAYABLE_KINDS = 1 << WORTHLESS | 1 << RESIDUAL_POISON
_ALL_DISCS = (1 << DISCS) - 1
_DISCS_OF_FIRST = (1 << DISCS_OF_A_FACTION) - 1
# One number holds all sizes: of the hands by seat, then of the hidden discards.
_SIZE_BITS, _SIZE_MASK, _HIDDEN_DISCARDS = 8, 255, MAX_PLAYERS
_MOST_MARKS = 20
# A sample that still contradicts what is public is then taken: only a state that no game reaches needs so many.
_MOST_TRIES = 1000
_OF_LEADER, _OF_WEAPON, _OF_DEFENCE, _OF_NUMBER = 0, 1, 2, 3
_BY_PREDICTION = HOW_NAMES.index("prediction")

_PREDICT_TURN, _TRAITOR, _ANSWER = DECISION["PREDICT_TURN"], DECISION["TRAITOR"], DECISION["ANSWER"]
_BLOW_CARDS, _WORM, _LAY_WHO, _POISONED = (DECISION[name] for name in ("BLOW_CARDS", "WORM", "LAY_WHO", "POISONED"))
_PLEDGE, _BID, _KARAMA = DECISION["PLEDGE"], DECISION["BID"], DECISION["KARAMA"]
_LEADER, _PRESCIENCE, _TREASON_ASKED = DECISION["LEADER"], DECISION["PRESCIENCE"], DECISION["TREASON"]
_LOSS, _KEEP = DECISION["LOSS"], DECISION["KEEP"]


@kernel
def resample(state, components, chance, seat):
    """Replace all that a seat does not know by a sample of the states that agree with its view.

    Args:
        state: the record of a state, changed in place.
        components: the record of the components.
        chance: see `dunaia_env.harness.compiled.chance`; two outcomes are drawn.
        seat: who knows, 0..num_players-1.
    """
    high = draw(chance, HIDDEN, 0, 0, _HALF_SEED)
    low = draw(chance, HIDDEN, 1, 0, _HALF_SEED)
    seed = high << 31 | low
    state.spice_draws = 0
    state.swaps = 0
    state.sales = 0
    state.bonuses = 0
    atreides = seat_with_power(state, ATREIDES)
    _deal_treachery(state, components, seed, seat, atreides)
    if seat != atreides:
        _mark_seen_cards(state, seed, atreides)
        _foresee_spice(state, seed, atreides)
    if state.phase == BATTLE_PHASE and state.plans_shown == 0 and state.defender != NONE:
        for side in range(2):
            if _battler_of(state, side) != seat:
                _choose_plan(state, components, seed, seat, side)
    if state.decision > _PREDICT_TURN:
        _deal_discs(state, seed, seat)
        _answer_treason(state, seed, seat)
    _predict(state, seed, seat)
    _dial(state, components, seed, seat)
    _fill_shields(state, seed, seat)
    _pledge(state, components, seed, seat)
    _tamper(state, seed, seat)
    if state.decision == _ANSWER and state.seat == seat:
        # Which member of its side was named is not told, and makes no difference.
        state.target = seat
    return 0


@kernel
def _below(seed, part, index, n):
    return random_below(seed, HIDDEN, index, part, n)


@kernel
def _battler_of(state, side):
    """The seat of a side of the battle."""
    return np.int64(state.actor) if side == AGGRESSOR else np.int64(state.defender)


@kernel
def _side_of(state, seat):
    """The side of a seat in the battle in progress, -1 for none."""
    if state.phase == BATTLE_PHASE and state.defender != NONE:
        if state.actor == seat:
            return AGGRESSOR
        if state.defender == seat:
            return DEFENDER
    return NONE


@kernel
def _is_shown(state, seat, side, element):
    """Whether prescience has shown a seat this element of the plan of the other seat."""
    if state.element_shown == 0 or (state.element != element and state.element != ALL_ELEMENTS):
        return False
    atreides = seat_with_power(state, ATREIDES)
    helped = _battler_of(state, DEFENDER if side == AGGRESSOR else AGGRESSOR)
    return is_allied(state, atreides, helped) and seat in (atreides, helped)


# Treachery cards


@kernel
def _deal(deck, kinds, seed, index):
    """Take a random card of a set of kinds out of the deck, any card if none of them is left; returns its kind."""
    cards = 0
    for kind in range(KINDS):
        if kinds >> kind & 1:
            cards += int(deck[kind])
    if cards == 0:
        return take_card(deck, _below(seed, _CARDS, index, total(deck)))
    left = _below(seed, _CARDS, index, cards)
    for kind in range(KINDS):
        if kinds >> kind & 1:
            if left < deck[kind]:
                deck[kind] -= 1
                return kind
            left -= int(deck[kind])
    return NONE


@kernel
def _cards_of_plan(plan, kind):
    """How many cards of a kind a plan has."""
    hero = 1 if kind == CHEAP_HERO and plan.leader == HERO else 0
    return hero + (1 if plan.weapon == kind else 0) + (1 if plan.defence == kind else 0)


@kernel
def _known_cards(state, other, seat, atreides, kind):
    """How many cards of a kind a seat knows to be in the hand of another seat, those of a hidden plan included."""
    player = state.players[other]
    known = int(player.shown[kind])
    if seat == atreides:
        known = max(known, int(player.foreseen[kind]))
    side = _side_of(state, other)
    if side == NONE:
        return known
    plan = state.plans[side]
    if state.plans_shown == 0:
        planned = 0
        if kind == CHEAP_HERO and plan.leader == HERO and _is_shown(state, seat, side, _OF_LEADER):
            planned += 1
        if plan.weapon == kind and _is_shown(state, seat, side, _OF_WEAPON):
            planned += 1
        if plan.defence == kind and _is_shown(state, seat, side, _OF_DEFENCE):
            planned += 1
        return max(known, planned)
    if state.decision == _TREASON_ASKED:
        return known + _cards_of_plan(plan, kind)
    if (state.decision == _LOSS or state.decision == _KEEP) and state.winner == other:
        if plan.weapon == kind and state.keeping != 1:
            known += 1
        if plan.defence == kind:
            known += 1
    return known


@kernel
def _hand_out_known(state, other, seat, atreides, size):
    """Deal the cards that a seat knows into the hand of another seat, which is empty."""
    hand, deck = state.players[other].hand, state.deck
    dealt = 0
    for kind in range(KINDS):
        for _ in range(_known_cards(state, other, seat, atreides, kind)):
            if dealt < size and deck[kind] > 0:
                deck[kind] -= 1
                hand[kind] += 1
                dealt += 1


@kernel
def _fill_hand(state, other, size, kinds, seed, index):
    """Deal cards of a set of kinds into a hand up to its size; returns the next index."""
    hand = state.players[other].hand
    for _ in range(size - total(hand)):
        hand[_deal(state.deck, kinds, seed, index)] += 1
        index += 1
    return index


@kernel
def _size(sizes, place):
    """How many cards belong into the hand of a seat, or into the hidden discards (`_HIDDEN_DISCARDS`)."""
    return sizes >> _SIZE_BITS * place & _SIZE_MASK


@kernel
def _gather(state, seat, sees_sale, sees_top):
    """Put all cards that a seat does not see into the deck; returns how many there were, see `_size`."""
    deck = state.deck
    sizes = total(state.hidden_discards) << _SIZE_BITS * _HIDDEN_DISCARDS
    for kind in range(KINDS):
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
        side = _side_of(state, other)
        for kind in range(KINDS):
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
    """Deal what can only be worthless or residual poison; returns the next index."""
    deck, index, players = state.deck, 0, int(state.num_players)
    poisoner = np.int64(state.seat) if state.decision == _POISONED and state.seat != seat else NONE
    if poisoner != NONE and state.players[poisoner].laid != NONE and deck[RESIDUAL_POISON] > 0:
        # The card was turned.
        deck[RESIDUAL_POISON] -= 1
        state.players[poisoner].laid = RESIDUAL_POISON
    else:
        poisoner = NONE
    for other in range(players):
        if other != seat and other != poisoner and state.players[other].laid != NONE:
            state.players[other].laid = _deal(deck, _LAYABLE_KINDS, seed, index)
            index += 1
    for _ in range(hidden_discards):
        state.hidden_discards[_deal(deck, _LAYABLE_KINDS, seed, index)] += 1
        index += 1
    if state.decision == _LAY_WHO and state.seat != seat:
        # Somebody else is laying a card: it is in that hand.
        hand = state.players[state.seat].hand
        if hand[WORTHLESS] == 0 and hand[RESIDUAL_POISON] == 0:
            hand[_deal(deck, _LAYABLE_KINDS, seed, index)] += 1
            index += 1
    return index


@kernel
def _deal_treachery(state, components, seed, seat, atreides):
    """Deal all cards that a seat cannot place."""
    sees_sale = seat == atreides and state.sale_seen != 0
    sees_top = seat == atreides and state.top_seen != 0
    players = int(state.num_players)
    sizes = _gather(state, seat, sees_sale, sees_top)
    for other in range(players):
        if other != seat:
            _hand_out_known(state, other, seat, atreides, _size(sizes, other))
    index = _deal_laid(state, seed, seat, _size(sizes, _HIDDEN_DISCARDS))
    if _is_planning(state):
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
    if state.decision == _LAY_WHO and state.seat != seat:
        hand = state.players[state.seat].hand
        worthless = int(hand[WORTHLESS])
        held = worthless + int(hand[RESIDUAL_POISON])
        state.card = WORTHLESS if _below(seed, _CARDS, index + 1, held) < worthless else RESIDUAL_POISON


@kernel
def _mark_seen_cards(state, seed, atreides):
    """Sample which cards Atreides has seen."""
    begun = state.turn > 1 or (state.turn == 1 and state.phase >= BIDDING)
    for other in range(int(state.num_players)):
        player = state.players[other]
        player.foreseen[:] = 0
        if atreides == NONE or other == atreides or not begun:
            continue
        cards = min(total(player.hand), _MOST_MARKS)
        marks = _below(seed, _MARKS, other, 1 << cards)
        for kind in range(KINDS):
            for _ in range(int(player.hand[kind])):
                player.foreseen[kind] += marks & 1
                marks >>= 1
    state.top_seen = 1 if atreides != NONE and state.top != NONE else 0
    state.sale_seen = 1 if atreides != NONE and state.sale != NONE and state.sight_stopped == 0 else 0


# Spice cards


@kernel
def _is_foreseen(state):
    """Whether Atreides, with its power, has a foreseen card now, as far as everybody can tell."""
    if state.phase == STORM:
        return state.turn > 1
    if state.phase == BLOW:
        before = state.depth > 0 and state.stack[0].point == WINDOW
        return state.turn > 1 and (state.decision == _BLOW_CARDS or state.decision == _WORM or before)
    if state.phase == REVIVAL:
        about = state.decision == _KARAMA and state.power == FUTURE
        depth = int(state.depth)
        stopping = depth > 0 and state.stack[depth - 1].point == STOP and state.stack[depth - 1].power == FUTURE
        return state.turn < state.max_turns and not about and not stopping
    return (state.phase == MOVEMENT or state.phase == BATTLE_PHASE) and state.turn < state.max_turns


@kernel
def _foresee_spice(state, seed, atreides):
    """Sample the foreseen spice card among it and the deck."""
    if state.foreseen_spice != NONE:
        state.spice_deck[state.foreseen_spice] += 1
        state.foreseen_spice = NONE
    cards = total(state.spice_deck)
    if atreides != NONE and cards > 0 and _is_foreseen(state):
        state.foreseen_spice = take_card(state.spice_deck, _below(seed, _OTHERS, _FORESEEN, cards))


# Battles


@kernel
def _is_planning(state):
    """Whether plans are being made: battlers without leader and hero are known by then."""
    if _LEADER <= state.decision <= _PRESCIENCE:
        return True
    if state.phase != BATTLE_PHASE or state.decision != _KARAMA:
        return False
    depth = int(state.depth)
    stopping = depth > 0 and state.stack[depth - 1].point == STOP and state.stack[depth - 1].power == PRESCIENT
    return state.power == PRESCIENT or stopping


@kernel
def _is_available(state, components, battler, leader):
    """Whether a battler may send a leader into the battle in progress (rules, section 9)."""
    if state.owner[leader] != battler or state.alive[leader] == 0:
        return False
    if state.used[leader] != NONE and state.used[leader] != components.territory_of[state.field]:
        return False
    enemy = _battler_of(state, DEFENDER if battler == state.actor else AGGRESSOR)
    if state.returned[leader] != 0 and enemy == seat_with_power(state, TLEILAX):
        return False
    return seat_of_faction(state, np.int64(components.faction_of[leader])) != enemy


@kernel
def _count_available(state, components, battler):
    count = 0
    for leader in range(LEADERS):
        if _is_available(state, components, battler, leader):
            count += 1
    return count


@kernel
def _deal_to_unarmed(state, components, sizes, seed, index, seat):
    """Deal the hands that are known to hold no hero; returns the next index."""
    for side in range(2):
        battler = _battler_of(state, side)
        if battler != seat and state.plans[side].no_leader != 0:
            size = _size(sizes, battler)
            index = _fill_hand(state, battler, size, _ALL_KINDS & ~(1 << CHEAP_HERO), seed, index)
    return index


@kernel
def _deal_heroes(state, components, sizes, seed, index, seat, atreides):
    """Deal the hands that must hold a hero, for their seats have no leader; returns the next index."""
    deck, needing = state.deck, 0
    for side in range(2):
        battler = _battler_of(state, side)
        is_armed = state.players[battler].hand[CHEAP_HERO] > 0 or _count_available(state, components, battler) > 0
        if battler != seat and state.plans[side].no_leader == 0 and not is_armed:
            needing |= 1 << side
    if needing == 0:
        return index
    for attempt in range(_MOST_TRIES):
        for side in range(2):
            hand = state.players[_battler_of(state, side)].hand
            if needing >> side & 1 and deck[CHEAP_HERO] > 0:
                deck[CHEAP_HERO] -= 1
                hand[CHEAP_HERO] += 1
        ways = 1
        for side in range(2):
            battler = _battler_of(state, side)
            if needing >> side & 1:
                size = _size(sizes, battler)
                index = _fill_hand(state, battler, size, _ALL_KINDS, seed, index)
                ways *= max(1, int(state.players[battler].hand[CHEAP_HERO]))
        if ways == 1 or attempt == _MOST_TRIES - 1 or _below(seed, _HEROES, attempt, ways) == 0:
            break
        for side in range(2):
            battler = _battler_of(state, side)
            if needing >> side & 1:
                hand = state.players[battler].hand
                for kind in range(KINDS):
                    deck[kind] += hand[kind]
                    hand[kind] = 0
        for side in range(2):
            battler = _battler_of(state, side)
            if needing >> side & 1:
                _hand_out_known(state, battler, seat, atreides, _size(sizes, battler))
    return index


@kernel
def _ordered(state):
    """The battler to whom the Voice's order goes, -1 if there is none."""
    sister = seat_with_power(state, BENE_GESSERIT)
    if state.voice == NONE or sister == NONE:
        return NONE
    if is_allied(state, sister, _battler_of(state, AGGRESSOR)):
        return _battler_of(state, DEFENDER)
    return _battler_of(state, AGGRESSOR) if is_allied(state, sister, _battler_of(state, DEFENDER)) else NONE


@kernel
def _tokens_in_field(state, components, seat):
    tokens, forces = 0, state.players[seat].forces
    for cell in range(CELLS):
        if forces[cell] > 0 and components.field_of[state.storm, cell] == state.field:
            tokens += int(forces[cell])
    return tokens


@kernel
def _choose_leader(state, components, seed, side, must, must_not):
    """Choose a leader of the battler's or a hero of its hand; returns it, -1 if there is neither."""
    battler = _battler_of(state, side)
    heroes = 1 if state.players[battler].hand[CHEAP_HERO] > 0 else 0
    leaders = _count_available(state, components, battler)
    if must == CHEAP_HERO and heroes > 0:
        leaders = 0
    elif must_not == CHEAP_HERO and leaders > 0:
        heroes = 0
    if leaders + heroes == 0:
        return NONE
    left = _below(seed, _PLANS, 4 * side, leaders + heroes)
    if left < leaders:
        for leader in range(LEADERS):
            if _is_available(state, components, battler, leader):
                if left == 0:
                    return leader
                left -= 1
    return HERO


@kernel
def _is_weapon(kind):
    return kind <= LASGUN or kind == WORTHLESS


@kernel
def _is_defence(kind):
    return kind in (SHIELD, SNOOPER, WORTHLESS)


@kernel
def _choose_card(hand, seed, index, as_weapon, must_not):
    """Choose a weapon or a defence of a hand, or none (-1)."""
    count = 1
    for kind in range(WORTHLESS + 1):
        fits = _is_weapon(kind) if as_weapon else _is_defence(kind)
        if fits and hand[kind] > 0 and kind != must_not:
            count += 1
    left = _below(seed, _PLANS, index, count)
    for kind in range(WORTHLESS + 1):
        fits = _is_weapon(kind) if as_weapon else _is_defence(kind)
        if fits and hand[kind] > 0 and kind != must_not:
            if left == 1:
                return kind
            left -= 1
    return NONE


@kernel
def _leave_hand(hand, kind):
    if kind != NONE and hand[kind] > 0:
        hand[kind] -= 1


@kernel
def _choose_plan(state, components, seed, seat, side):
    """Choose anew those parts of a hidden plan that are chosen and that a seat does not see, out of the dealt hand."""
    plan, battler = state.plans[side], _battler_of(state, side)
    if plan.number != UNCHOSEN and not _is_shown(state, seat, side, _OF_NUMBER):
        plan.number = _below(seed, _PLANS, 4 * side + 3, _tokens_in_field(state, components, battler) + 1)
    if plan.no_leader != 0 or plan.leader == UNCHOSEN:
        return
    hand = state.players[battler].hand
    must, must_not = NONE, NONE
    if _ordered(state) == battler:
        if state.voice >= MUST_NOT_FIRST:
            must_not = int(state.voice) - MUST_NOT_FIRST
        elif hand[state.voice - MUST_FIRST] > 0:
            must = int(state.voice) - MUST_FIRST
    sees_leader = _is_shown(state, seat, side, _OF_LEADER)
    sees_weapon = _is_shown(state, seat, side, _OF_WEAPON)
    sees_defence = _is_shown(state, seat, side, _OF_DEFENCE)
    if sees_weapon and plan.weapon >= 0:
        _leave_hand(hand, np.int64(plan.weapon))
    if sees_defence and plan.defence >= 0:
        _leave_hand(hand, np.int64(plan.defence))
    if not sees_leader:
        plan.leader = _choose_leader(state, components, seed, side, must, must_not)
    if plan.leader == HERO:
        _leave_hand(hand, CHEAP_HERO)
    if plan.weapon != UNCHOSEN and not sees_weapon:
        # Worthless is due as a defence at the latest, and as a weapon if the defence is seen to be another.
        due = must != NONE and (must <= LASGUN or (must == WORTHLESS and sees_defence and plan.defence != WORTHLESS))
        plan.weapon = must if due else _choose_card(hand, seed, 4 * side + 1, True, must_not)
        _leave_hand(hand, np.int64(plan.weapon))
    if plan.defence != UNCHOSEN and not sees_defence:
        due = must != NONE and _is_defence(must) and not (must == WORTHLESS and plan.weapon == WORTHLESS)
        plan.defence = must if due else _choose_card(hand, seed, 4 * side + 2, False, must_not)
        _leave_hand(hand, np.int64(plan.defence))


@kernel
def _accuser_of_defender(state):
    """Who answers for the aggressor's side whether the defender's leader is a traitor, -1 for nobody."""
    leader, aggressor = int(state.plans[DEFENDER].leader), _battler_of(state, AGGRESSOR)
    if leader < 0 or leader >= DISCS:
        return NONE
    if int(state.players[aggressor].traitors) >> leader & 1:
        return aggressor
    harkonnen = seat_with_power(state, HARKONNEN)
    if not is_allied(state, harkonnen, aggressor):
        return NONE
    return harkonnen if int(state.players[harkonnen].traitors) >> leader & 1 else NONE


@kernel
def _answer_treason(state, seed, seat):
    """Sample the first answer about treason while the second is awaited."""
    if state.decision != _TREASON_ASKED or is_allied(state, np.int64(state.seat), _battler_of(state, AGGRESSOR)):
        return
    accuser = _accuser_of_defender(state)
    if accuser != seat:
        state.plans[AGGRESSOR].treason = NONE if accuser == NONE else _below(seed, _OTHERS, _TREASON, 2)


# Discs


@kernel
def _count_bits(bits):
    count = 0
    while bits != 0:
        bits &= bits - 1
        count += 1
    return count


@kernel
def _bit_at(bits, place):
    """The bit at a place, counted from the lowest, of a set of bits."""
    for _ in range(place):
        bits &= bits - 1
    return bits & -bits


@kernel
def _answered(state, other, answer):
    """The leaders of whom a truthtrance has told that they are the traitors of a seat, or (0) are not."""
    leaders = 0
    for number in range(int(state.num_truths)):
        truth = state.truths[number]
        leader = int(truth[2]) - LEADER_FIRST
        if truth[1] == other and truth[3] == answer and 0 <= leader < DISCS:
            leaders |= 1 << leader
    return leaders


@kernel
def _called(state, seat, other):
    """The leaders whom a seat was asked to betray in this battle, as everybody has seen, for another seat."""
    if state.phase != BATTLE_PHASE or state.plans_shown == 0 or state.decision == _TREASON_ASKED:
        return 0
    leaders = 0
    harkonnen = seat_with_power(state, HARKONNEN)
    for side in range(2):
        leader = int(state.plans[DEFENDER if side == AGGRESSOR else AGGRESSOR].leader)
        if state.plans[side].treason == NONE or leader < 0 or leader >= DISCS:
            continue
        bit, battler = 1 << leader, _battler_of(state, side)
        holder = battler
        if harkonnen != NONE and is_allied(state, harkonnen, battler):
            is_own = seat == battler and int(state.players[seat].traitors) & bit != 0
            is_not_harkonnens = seat == harkonnen and int(state.players[seat].traitors) & bit == 0
            if not is_own and not is_not_harkonnens and _answered(state, harkonnen, 0) & bit == 0:
                holder = harkonnen
        if holder == other:
            leaders |= bit
    return leaders


@kernel
def _certain(state, seat, other):
    """The leaders that are certainly traitors of another seat, as far as a seat can tell."""
    if state.players[other].faction == TLEILAX:
        return 0
    return (_answered(state, other, 1) | _called(state, seat, other)) & ~int(state.players[seat].discs)


@kernel
def _playing(state):
    """The discs of the factions at the table."""
    discs = 0
    for seat in range(int(state.num_players)):
        if state.players[seat].faction < TLEILAX:
            discs |= _DISCS_OF_FIRST << DISCS_OF_A_FACTION * int(state.players[seat].faction)
    return discs


@kernel
def _deal_discs(state, seed, seat):
    """Deal the discs of other seats and choose their traitors."""
    players, harkonnen = int(state.num_players), seat_with_power(state, HARKONNEN)
    playing = _playing(state)
    free = _ALL_DISCS & ~int(state.players[seat].discs)
    for other in range(players):
        if other != seat:
            free &= ~_certain(state, seat, other)
    # Harkonnen first: answers forbid it discs, where others only do not choose them.
    first = 0 if harkonnen == NONE else harkonnen
    index = 0
    for _ in range(_MOST_TRIES):
        left, agrees = free, True
        for place in range(players):
            other = (first + place) % players
            player = state.players[other]
            if other == seat or player.faction == TLEILAX:
                continue
            certain, denied = _certain(state, seat, other), _answered(state, other, 0)
            discs = certain
            for _ in range(DISCS_OF_A_SEAT - _count_bits(certain)):
                allowed = left & ~denied if other == harkonnen else left
                disc = _bit_at(allowed, _below(seed, _DISCS, index, _count_bits(allowed)))
                index += 1
                left &= ~disc
                discs |= disc
            counting = discs & playing & ~(_DISCS_OF_FIRST << DISCS_OF_A_FACTION * int(player.faction))
            traitors = counting
            if state.decision == _TRAITOR and other >= state.seat:
                traitors = 0
            elif other != harkonnen and counting != 0:
                traitors = _bit_at(counting, _below(seed, _DISCS, index, _count_bits(counting)))
                index += 1
                agrees = agrees and traitors & denied == 0 and certain & ~traitors == 0
            player.discs = discs
            player.traitors = traitors
        if agrees:
            return


# Other secrets


@kernel
def _chosen_bit(bits, seed, index):
    """The number of a random bit of a set."""
    bit = _bit_at(bits, _below(seed, _OTHERS, index, _count_bits(bits)))
    return _count_bits(bit - 1)


@kernel
def _narrow(state, target, bits, first, count):
    """Those of a set of answers that agree with what a seat has told, or all if none does.

    Bit i stands for the action ``first + i``, below ``count``.
    """
    left = bits
    for number in range(int(state.num_truths)):
        truth = state.truths[number]
        place = int(truth[2]) - first
        if truth[1] == target and 0 <= place < count:
            left = left & 1 << place if truth[3] == 1 else left & ~(1 << place)
    return left if left != 0 else bits


@kernel
def _predict(state, seed, seat):
    """Sample the prediction."""
    sister = seat_with_power(state, BENE_GESSERIT)
    if sister in (NONE, seat) or state.prediction_faction == NONE:
        return
    factions = 0
    for other in range(int(state.num_players)):
        if other != sister:
            factions |= 1 << int(state.players[other].faction)
    factions = _narrow(state, sister, factions, FACTION_FIRST, FACTIONS)
    state.prediction_faction = _chosen_bit(factions, seed, _FACTION)
    if state.prediction_turn > 0:
        most = int(state.max_turns)
        turns = _narrow(state, sister, (1 << most) - 1, TURN_FIRST, most)
        state.prediction_turn = 1 + _chosen_bit(turns, seed, _TURN)
        if state.how == _BY_PREDICTION:
            state.prediction_turn = state.turn


@kernel
def _dial(state, components, seed, seat):
    """Sample the numbers that move the storm."""
    dial = components.first_dial if state.turn == 1 else components.later_dial
    for wheel in range(2):
        if state.dials[wheel] != NONE and state.wheels[wheel] != seat:
            least, most = int(dial[0]), int(dial[1])
            state.dials[wheel] = least + _below(seed, _OTHERS, _FIRST_DIAL + wheel, most - least + 1)
    if state.weather != NONE and state.weather_seat != seat:
        least, most = int(components.weather_dial[0]), int(components.weather_dial[1])
        state.weather = least + _below(seed, _OTHERS, _WEATHER, most - least + 1)


@kernel
def _owes(state, seat):
    for other in range(int(state.num_players)):
        if state.players[seat].debts[other] != 0:
            return True
    return False


@kernel
def _fill_shields(state, seed, seat):
    """Sample the spice behind closed shields."""
    if state.open_shields != 0:
        return
    for other in range(int(state.num_players)):
        if other == seat or _owes(state, other):
            continue
        player, least = state.players[other], 0
        if is_allied(state, seat, other):
            if player.spice < player.pledge:
                continue
            least = int(player.pledge)
        if state.bidder == other:
            least = max(least, int(state.bid) - _pledged_by_allies(state, other, seat))
        player.spice = least + _below(seed, _SPICE, other, NUMBERS)


@kernel
def _pledged_by_allies(state, bidder, seat):
    """What a bidder may spend of its allies' spice, if a seat knows it: as one of them."""
    pledged = 0
    if is_allied(state, seat, bidder):
        for other in range(int(state.num_players)):
            if other != bidder and is_allied(state, bidder, other):
                pledged += min(int(state.players[other].pledge), int(state.players[other].spice))
    return pledged


@kernel
def _may_have_pledged(state, other):
    """Whether a seat of an alliance has been asked for its pledge this turn."""
    if state.alliance[other] == NONE:
        return False
    if state.phase == BIDDING:
        if state.decision == _PLEDGE:
            first = first_player(state)
            return offset_of(state, first, other) < offset_of(state, first, np.int64(state.seat))
        return state.decision == _BID or state.decision == _KARAMA
    return state.phase == REVIVAL or state.phase == MOVEMENT or state.phase == BATTLE_PHASE


@kernel
def _most_pledge(state, components, other):
    return min(int(components.most_pledge), int(state.players[other].spice))


@kernel
def _pledge(state, components, seed, seat):
    """Sample the pledges of seats that are not allied with a seat."""
    players, bidder = int(state.num_players), np.int64(state.bidder)
    lacking = int(state.bid) - int(state.players[bidder].spice) if bidder != NONE else 0
    for other in range(players):
        player = state.players[other]
        if is_allied(state, seat, other):
            continue
        if not _may_have_pledged(state, other):
            player.pledge = 0
            continue
        least, most = 0, _most_pledge(state, components, other)
        supports = other != bidder and is_allied(state, bidder, other)
        if supports:
            least = lacking
            for later in range(other + 1, players):
                if later != bidder and is_allied(state, bidder, later):
                    least -= _most_pledge(state, components, later)
            least = min(max(least, 0), most)
        player.pledge = least + _below(seed, _PLEDGES, other, most - least + 1)
        if supports:
            lacking -= int(player.pledge)


@kernel
def _tamper(state, seed, seat):
    """Sample the changes of leaders."""
    tleilax = seat_with_power(state, TLEILAX)
    if state.tleilax == 0 or seat == tleilax:
        return
    for leader in range(FACE_DANCER):
        if state.change_shown[leader] == 0:
            change = 0
            if tleilax != NONE and state.returned[leader] != 0:
                # 0 and 3 are no change.
                change = _below(seed, _CHANGES, leader, 4) % 3
            state.change[leader] = -1 if change == 2 else change
