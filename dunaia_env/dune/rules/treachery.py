"""Cards that several windows share: truthtrance, cone of silence, laid cards, ghola, the swap."""

from __future__ import annotations

from dunaia_env.dune import actions as verbs, decisions, state as layout
from dunaia_env.dune.rules import karama
from dunaia_env.dune.rules.common import forces, leaders, steps, windows
from dunaia_env.dune.rules.common.asking import ask
from dunaia_env.dune.rules.common.cards import SWAP_DRAW, discard, hand_size, in_deck, lose_marks, take_card
from dunaia_env.dune.rules.common.seats import has_power, is_allied, right_of, seat_of_faction, seat_with_power
from dunaia_env.dune.state import NONE
from dunaia_env.harness.compiled.chance import draw
from dunaia_env.support.compile_cache import kernel

_LARGE_DECK = layout.DECKS[0]


@kernel
def list_playable(state, components, actions, count, seat, window):
    """Append the cards that a seat can play in a window with an effect; returns the number of actions."""
    hand = state.players[seat].hand
    lays = window == decisions.BIDDING_CARDS and may_lay(state, seat)
    if hand[layout.WORTHLESS] > 0 and lays:
        actions[count] = verbs.CARD_FIRST + layout.WORTHLESS
        count += 1
    if hand[layout.TRUTHTRANCE] > 0 and window != decisions.REVIVAL_CARDS:
        actions[count] = verbs.CARD_FIRST + layout.TRUTHTRANCE
        count += 1
    if hand[layout.GHOLA_CARD] > 0 and window in (decisions.REVIVAL_CARDS, decisions.BATTLE_CARDS):
        tokens = int(components.ghola_tokens) if window == decisions.REVIVAL_CARDS else 0
        if can_fetch(state, seat, tokens):
            actions[count] = verbs.CARD_FIRST + layout.GHOLA_CARD
            count += 1
    if (
        hand[layout.CONE_OF_SILENCE] > 0
        and window in (decisions.NEXUS_CARDS, decisions.BIDDING_CARDS)
        and can_silence(state, seat)
    ):
        actions[count] = verbs.CARD_FIRST + layout.CONE_OF_SILENCE
        count += 1
    if hand[layout.RESIDUAL_POISON] > 0 and lays:
        actions[count] = verbs.CARD_FIRST + layout.RESIDUAL_POISON
        count += 1
    return count


@kernel
def play_card(state, action):
    """Play a card in the window in progress: it is discarded, unless it is laid on a seat, and takes effect."""
    seat, kind = int(state.seat), action - verbs.CARD_FIRST
    windows.keep_window(state)
    if kind in (layout.WORTHLESS, layout.RESIDUAL_POISON):
        state.card = kind
        return ask(state, seat, decisions.LAY_WHO)
    discard(state, seat, kind)
    if kind == layout.TRUTHTRANCE:
        return ask(state, seat, decisions.TRUTH_WHO)
    if kind == layout.CONE_OF_SILENCE:
        return ask(state, seat, decisions.CONE)
    return begin_ghola(state, seat, layout.GHOLA_CARD)


# Truthtrance


@kernel
def list_truth_who(state, components, actions):
    """TRUTH_WHO: list all other seats."""
    count = 0
    for places in range(1, int(state.num_players)):
        actions[count] = verbs.SEAT_FIRST + places - 1
        count += 1
    return count


@kernel
def answer_truth_who(state, components, chance, action):
    """TRUTH_WHO: the question to the chosen seat follows."""
    seat = int(state.seat)
    state.target = right_of(state, seat, action - verbs.SEAT_FIRST + 1)
    return ask(state, seat, decisions.TRUTH)


@kernel
def list_truth(state, components, actions):
    """TRUTH: list everything that the target can be asked."""
    target = int(state.target)
    count = 0
    if state.open_shields == 0:
        for number in range(1, layout.NUMBERS):
            actions[count] = verbs.NUMBER_FIRST + number
            count += 1
    if not has_power(state, target, layout.TLEILAX):
        for leader in range(layout.DISCS):
            home = seat_of_faction(state, int(components.faction_of[leader]))
            if home != NONE and home != target:
                actions[count] = verbs.LEADER_FIRST + leader
                count += 1
    for kind in range(layout.KINDS):
        if in_deck(state, components, kind) > 0:
            actions[count] = verbs.CARD_FIRST + kind
            count += 1
    if has_power(state, target, layout.BENE_GESSERIT):
        for faction in range(layout.FACTIONS):
            if faction != layout.BENE_GESSERIT and seat_of_faction(state, faction) != NONE:
                actions[count] = verbs.FACTION_FIRST + faction
                count += 1
        for turn in range(int(state.max_turns)):
            actions[count] = verbs.TURN_FIRST + turn
            count += 1
    return count


@kernel
def truth(state, target, question):
    """The true answer to a question, 1 or 0."""
    player = state.players[target]
    asked = int(verbs.ARGUMENT[question])
    if question >= verbs.TURN_FIRST:
        return 1 if state.prediction_turn == asked else 0
    if question >= verbs.FACTION_FIRST:
        return 1 if state.prediction_faction == asked else 0
    if question >= verbs.CARD_FIRST:
        return 1 if player.hand[asked] > 0 or player.laid == asked else 0
    if question >= verbs.LEADER_FIRST:
        return int(player.traitors) >> asked & 1
    return 1 if player.spice >= asked else 0


@kernel
def answer_truth(state, components, chance, action):
    """TRUTH: write down the question and its answer, the newest last."""
    if state.num_truths == layout.MOST_TRUTHS:
        for row in range(layout.MOST_TRUTHS - 1):
            for column in range(4):
                state.truths[row, column] = state.truths[row + 1, column]
        state.num_truths -= 1
    row = int(state.num_truths)
    state.truths[row, 0] = state.seat
    state.truths[row, 1] = state.target
    state.truths[row, 2] = action
    state.truths[row, 3] = truth(state, int(state.target), action)
    state.num_truths += 1
    state.target = NONE
    return steps.RESUME


# Cone of silence


@kernel
def can_be_silenced(state, seat, other):
    """Whether a seat's cone can silence another seat."""
    return not is_allied(state, seat, other) and state.silenced[other] == 0


@kernel
def can_silence(state, seat):
    """Whether a seat's cone can silence anybody."""
    for other in range(int(state.num_players)):
        if can_be_silenced(state, seat, other):
            return True
    return False


@kernel
def list_cone(state, components, actions):
    """CONE: list the seats that can be silenced and, after the first one, `pass`."""
    seat = int(state.seat)
    count = 0
    if state.coned != 0:
        actions[0] = verbs.PASS
        count = 1
    for places in range(1, int(state.num_players)):
        if can_be_silenced(state, seat, right_of(state, seat, places)):
            actions[count] = verbs.SEAT_FIRST + places - 1
            count += 1
    return count


@kernel
def answer_cone(state, components, chance, action):
    """CONE: the chosen seat is silenced until the end of the turn."""
    seat = int(state.seat)
    if action != verbs.PASS:
        state.silenced[right_of(state, seat, action - verbs.SEAT_FIRST + 1)] = 1
        state.coned = 1
        if can_silence(state, seat):
            return ask(state, seat, decisions.CONE)
    state.coned = 0
    return steps.RESUME


# Laid cards


@kernel
def may_lay(state, seat):
    """Whether a seat may lay a card: with the deck of 43, if it has no card laid and some seat is not its ally."""
    if state.deck_size != _LARGE_DECK or state.players[seat].laid != NONE:
        return False
    for other in range(int(state.num_players)):
        if not is_allied(state, seat, other):
            return True
    return False


@kernel
def list_lay_who(state, components, actions):
    """LAY_WHO: list the seats that are not allies."""
    seat = int(state.seat)
    count = 0
    for places in range(1, int(state.num_players)):
        if not is_allied(state, seat, right_of(state, seat, places)):
            actions[count] = verbs.SEAT_FIRST + places - 1
            count += 1
    return count


@kernel
def answer_lay_who(state, components, chance, action):
    """LAY_WHO: lay the card face down. Since its kind is hidden, one known card of either kind loses its mark."""
    seat = int(state.seat)
    player = state.players[seat]
    kind = int(state.card)
    player.hand[kind] -= 1
    lose_marks(state, seat, layout.WORTHLESS)
    lose_marks(state, seat, layout.RESIDUAL_POISON)
    player.laid = kind
    player.laid_on = right_of(state, seat, action - verbs.SEAT_FIRST + 1)
    state.card = NONE
    return steps.RESUME


# Ghola


@kernel
def begin_ghola(state, seat, card):
    """Ask what comes back from the tanks; ``card`` is the ghola or, for the Emperor, a Karama."""
    state.card = card
    return ask(state, seat, decisions.GHOLA)


@kernel
def is_fetchable(state, seat, leader):
    """Whether a ghola played by a seat could bring back a leader."""
    if state.alive[leader] != 0 or state.owner[leader] == NONE:
        return False
    return state.owner[leader] == seat or has_power(state, seat, layout.TLEILAX)


@kernel
def fetchable_tokens(state, seat, tokens):
    """The largest number of tokens that can come back, if the card brings up to ``tokens``."""
    if state.embargo != 0 or has_power(state, seat, layout.TLEILAX):
        return 0
    return min(int(tokens), int(state.players[seat].tanks))


@kernel
def can_fetch(state, seat, tokens):
    """Whether anything can come back from the tanks."""
    if fetchable_tokens(state, seat, tokens) > 0:
        return True
    for leader in range(layout.LEADERS):
        if is_fetchable(state, seat, leader):
            return True
    return False


@kernel
def list_ghola(state, components, actions):
    """GHOLA: list the numbers of tokens, outside battles, and the leaders that can come back."""
    seat = int(state.seat)
    tokens = 0
    if state.card == layout.KARAMA_CARD:
        tokens = int(components.emperor_tokens)
    elif state.phase == layout.REVIVAL:
        tokens = int(components.ghola_tokens)
    count = 0
    for number in range(1, fetchable_tokens(state, seat, tokens) + 1):
        actions[count] = verbs.NUMBER_FIRST + number
        count += 1
    for leader in range(layout.LEADERS):
        if is_fetchable(state, seat, leader):
            actions[count] = verbs.LEADER_FIRST + leader
            count += 1
    return count


@kernel
def answer_ghola(state, components, chance, action):
    """GHOLA: the named tokens or leader come back; the Bene Tleilax steal another seat's leader, unless stopped."""
    seat = int(state.seat)
    state.card = NONE
    if action < verbs.LEADER_FIRST:
        forces.revive_tokens(state, seat, action - verbs.NUMBER_FIRST)
        return steps.RESUME
    leader = action - verbs.LEADER_FIRST
    if state.owner[leader] == seat:
        leaders.raise_leader(state, leader, 0)
        return steps.RESUME
    state.leader = leader
    return karama.ask_whether_stopped(state, layout.STOLEN, seat)


@kernel
def after_stolen(state, components, chance, stopped):
    """The leader comes back and changes its owner, unless the theft was stopped."""
    leader = int(state.leader)
    state.leader = NONE
    if stopped:
        return steps.RESUME
    robbed = int(state.owner[leader])
    leaders.raise_leader(state, leader, 0)
    state.owner[leader] = seat_with_power(state, layout.TLEILAX)
    for other in range(layout.LEADERS):
        if state.owner[other] == robbed:
            return steps.RESUME
    state.players[robbed].reviving = 0
    return steps.RESUME


# Harkonnen's Karama


@kernel
def list_swap_who(state, components, actions):
    """SWAP_WHO: list the other seats that hold cards."""
    seat = int(state.seat)
    count = 0
    for places in range(1, int(state.num_players)):
        if hand_size(state, right_of(state, seat, places)) > 0:
            actions[count] = verbs.SEAT_FIRST + places - 1
            count += 1
    return count


@kernel
def answer_swap_who(state, components, chance, action):
    """SWAP_WHO: the number of cards follows."""
    seat = int(state.seat)
    state.target = right_of(state, seat, action - verbs.SEAT_FIRST + 1)
    return ask(state, seat, decisions.SWAP_COUNT)


@kernel
def list_swap_count(state, components, actions):
    """SWAP_COUNT: list the numbers up to all cards of the other hand."""
    cards = hand_size(state, int(state.target))
    for number in range(cards):
        actions[number] = verbs.NUMBER_FIRST + number + 1
    return cards


@kernel
def answer_swap_count(state, components, chance, action):
    """SWAP_COUNT: draw that number of cards unseen; both hands lose the marks of their known cards."""
    seat, target = int(state.seat), int(state.target)
    own, other = state.players[seat], state.players[target]
    cards = action - verbs.NUMBER_FIRST
    for number in range(cards):
        n = hand_size(state, target)
        own.hand[take_card(other.hand, draw(chance, SWAP_DRAW, int(state.swaps), number, n))] += 1
    state.swaps += 1
    for kind in range(layout.KINDS):
        own.shown[kind] = 0
        own.foreseen[kind] = 0
        other.shown[kind] = 0
        other.foreseen[kind] = 0
    state.left = cards
    return ask(state, seat, decisions.GIVE)


@kernel
def list_give(state, components, actions):
    """GIVE: list the kinds of cards in the whole hand."""
    hand = state.players[int(state.seat)].hand
    count = 0
    for kind in range(layout.KINDS):
        if hand[kind] > 0:
            actions[count] = verbs.CARD_FIRST + kind
            count += 1
    return count


@kernel
def answer_give(state, components, chance, action):
    """GIVE: give one card, and ask for the next one until all are given."""
    seat, target = int(state.seat), int(state.target)
    kind = action - verbs.CARD_FIRST
    state.players[seat].hand[kind] -= 1
    state.players[target].hand[kind] += 1
    state.left -= 1
    if state.left > 0:
        return ask(state, seat, decisions.GIVE)
    state.target = NONE
    return steps.RESUME


@kernel
def begin_swap(state, seat):
    """Ask whose cards Harkonnen takes."""
    return ask(state, seat, decisions.SWAP_WHO)
