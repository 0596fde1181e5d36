"""Resampling: in place of what a seat does not know, a sample of what it could be (rules, section 14).

`resample` reads only what the seat's view shows (`dunaia_env.dune.views`) and chance. A state has to wait for somebody,
so the moment stays as it is: who is asked what, the stack, and what others have named for it. Resampling is meant for
the asked seat, for which all of this is its own. Counts of draws, which only key draws, begin anew at 0.

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

from dunaia_env.dune.rules.seats import seat_with_power
from dunaia_env.dune.samples.battles import battler_of, choose_plan
from dunaia_env.dune.samples.cards import deal_treachery, foresee_spice, mark_seen_cards
from dunaia_env.dune.samples.secrets import dial, fill_shields, pledge, predict, tamper
from dunaia_env.dune.samples.traitors import answer_treason, deal_discs
from dunaia_env.dune.state import ATREIDES, BATTLE_PHASE, DECISION, NONE
from dunaia_env.harness.compiled.chance import HIDDEN, draw
from dunaia_env.support.compile_cache import kernel

# A seed is drawn in two halves and everything else computed from it, for chance records a limited number of draws.
_HALF_SEED = 1 << 31
_PREDICT_TURN = DECISION["PREDICT_TURN"]
_ANSWER = DECISION["ANSWER"]


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
    deal_treachery(state, components, seed, seat, atreides)
    if seat != atreides:
        mark_seen_cards(state, seed, atreides)
        foresee_spice(state, seed, atreides)
    if state.phase == BATTLE_PHASE and state.plans_shown == 0 and state.defender != NONE:
        for side in range(2):
            if battler_of(state, side) != seat:
                choose_plan(state, components, seed, seat, side)
    if state.decision > _PREDICT_TURN:
        deal_discs(state, seed, seat)
        answer_treason(state, seed, seat)
    predict(state, seed, seat)
    dial(state, components, seed, seat)
    fill_shields(state, seed, seat)
    pledge(state, components, seed, seat)
    tamper(state, seed, seat)
    if state.decision == _ANSWER and state.seat == seat:
        # Which member of its side was named is not told, and makes no difference.
        state.target = seat
    return 0
