"""Resampling replaces what a seat does not know by a sample of what it could be.

`resample` reads only what the seat's view shows (`dunaia_env.dune.hidden.views`) and chance. A state has to wait for
somebody, so the moment stays as it is: which seat is asked what, the stack, and what others have named for the
decision. Resampling is meant for the asked seat, which knows all of this: its samples are states. A sample for another
seat need not be one, because the cards, traitors and spice with which the asked seat came to its question are dealt
anew. Counts of draws, which only key draws, restart at 0.

**Treachery cards.** All cards that the seat cannot place are put together and dealt. Every assignment of single cards
to places that agrees with the view is equally likely. The places are filled in this order: cards that are known (marked
as shown or foreseen, or in a plan that was shown), laid cards and hidden discards (worthless or residual poison), hands
known to be without a cheap hero, all other places. Each set of allowed cards contains the set before it, so the cards
dealt earlier always take the same number of cards out of a later set. Hence every sequence of choices has the same
probability, and so has every assignment. A battler who has no leader, and of whom nothing was made known, holds a cheap
hero: a hero is put into its hand before the rest of the hand is dealt, and a hand with h heroes, which can come about
in h ways, is kept with probability 1/h.

**Discs and traitors.** Each seat gets four discs out of the rest of the 30, all deals being equally likely. Each disc
that counts is the traitor with the same probability. Samples that contradict public knowledge are rejected: answers to
a truthtrance about a leader, and a traitor whose call in this battle was shown. If both a battler and its Harkonnen
ally could have called the traitor, the ally is taken to have called.

**Truthtrance.** Answers about a leader, or about the faction or the turn of the prediction, stay true and are heeded.
Answers about cards and spice were true only at their moment and are not heeded.

**Choices of others** are drawn as if every legal action were equally likely: the parts of a hidden plan out of the
dealt hand, in the order of the questions and within the Voice's order; numbers, dials, pledges, the prediction, and the
first answer about treason. What a choice or a question tells about the hand of its author is not weighed, except for
the parts of the plan that the seat was shown.

**Spice.** Behind closed shields a debtor has no spice. Any other seat has 0 to 20 more than its least amount, which is
what it pledged to the seat and, for the highest bidder, its bid. An ally whose spice no longer covers its pledge keeps
its spice, because its allies know what they may spend. Reserves follow from the other tokens. Pledges of strangers
cover the highest bid.

**Atreides' knowledge**, in samples for other seats. A card is foreseen from the look in revival to the next blow; while
a worm is in progress it counts as drawn, and the next card is random either way. Each card in a hand was seen with
probability 1/2, the card on sale if the sight is not stopped, and an unsold card always.

**Tampered leaders.** Only a leader that came back can have a change: 0 with probability 1/2, otherwise 1 up or down.
"""

from __future__ import annotations

from dunaia_env.dune import decisions
from dunaia_env.dune.rules.common.seats import seat_with_power
from dunaia_env.dune.samples import battles, cards, secrets, traitors
from dunaia_env.dune.state import ATREIDES, BATTLE_PHASE, NONE
from dunaia_env.harness.compiled.chance import HIDDEN, draw
from dunaia_env.support.compile_cache import kernel

# A seed is drawn in two halves, and all else is computed from it, because chance records a limited number of draws.
_HALF_SEED = 1 << 31


@kernel
def resample(state, components, chance, seat):
    """Replace everything that a seat does not know by a sample of the states that agree with its view.

    Args:
        state: the record of a state, changed in place.
        components: the record of the components.
        chance: see `dunaia_env.harness.compiled.chance`; two outcomes are drawn.
        seat: the seat whose knowledge is kept, 0..num_players-1.
    """
    high = draw(chance, HIDDEN, 0, 0, _HALF_SEED)
    low = draw(chance, HIDDEN, 1, 0, _HALF_SEED)
    seed = high << 31 | low
    state.spice_draws = 0
    state.swaps = 0
    state.sales = 0
    state.bonuses = 0
    atreides = seat_with_power(state, ATREIDES)
    cards.deal_treachery(state, components, seed, seat, atreides)
    if seat != atreides:
        cards.mark_seen_cards(state, seed, atreides)
        cards.foresee_spice(state, seed, atreides)
    if state.phase == BATTLE_PHASE and state.plans_shown == 0 and state.defender != NONE:
        for side in range(2):
            if battles.battler_of(state, side) != seat:
                battles.choose_plan(state, components, seed, seat, side)
    if state.decision > decisions.PREDICT_TURN:
        traitors.deal_discs(state, seed, seat)
        traitors.answer_treason(state, seed, seat)
    secrets.predict(state, seed, seat)
    secrets.dial(state, components, seed, seat)
    secrets.fill_shields(state, seed, seat)
    secrets.pledge(state, components, seed, seat)
    secrets.tamper(state, seed, seat)
    if state.decision == decisions.ANSWER and state.seat == seat:
        # The seat does not know which member of its side was named, and it makes no difference.
        state.target = seat
    return 0
