"""Checks of a state beyond the ranges of its fields: every piece is in one place, and the moment is possible."""

from __future__ import annotations

from typing import Any

import numpy as np

from dunaia_env.dune import decisions, standing, state as layout
from dunaia_env.dune.checks.moments import check_moment
from dunaia_env.dune.components import DISCS_OF_A_FACTION, Components, values
from dunaia_env.dune.decisions import DECISION_NAMES
from dunaia_env.dune.state import NONE


class StateError(ValueError):
    """A dictionary or bytes that are not a state. The message names the first fault."""


def check_consistency(state: Any, components: Components) -> None:
    """Raise `StateError` naming the first fault of a state, given as `Fields` that are in their ranges."""
    check_pieces(state, components)
    fault = check_moment(state, components)
    if fault:
        raise StateError(fault)


def check_pieces(state: Any, components: Components) -> None:
    """`check_consistency` without the moment: a sample for a seat that is not asked need not fit what is pending."""
    _check_course(state)
    _check_table(state, components)
    _check_alliances(state)
    _check_spice(state, components)
    _check_tokens(state, components)
    _check_spice_cards(state, components)
    _check_first_blow(state)
    _check_draws(state, components)
    _check_treachery(state, components)
    _check_hands(state, components)
    _check_seats(state)
    _check_leaders(state)
    _check_traitors(state)
    _check_prediction(state)


def _seats(state: Any) -> range:
    return range(int(state.num_players))


def _check_course(state: Any) -> None:
    over, setup = state.decision == decisions.OVER, state.phase == layout.SETUP
    turn, most = int(state.turn), int(state.max_turns)
    if setup != (turn == 0) or turn > most:
        raise StateError(f"turn: expected {'0' if setup else f'1..{most}'} in this phase, got {turn}")
    if over != (state.how != 0):
        raise StateError("how: a game that is over has ended somehow, and no other")
    if (not over and state.winners) or (over and (state.how == 6) != (state.winners == 0)):
        raise StateError("winners: a game that is over has them unless nobody won, and no other")
    wheels = state.wheels.tolist()
    if (setup and wheels != [NONE, NONE]) or (not setup and (NONE in wheels or wheels[0] == wheels[1])):
        needed = "[-1, -1] during set-up" if setup else "two different seats"
        raise StateError(f"wheels: expected {needed}, got {wheels}")
    for row in state.truths[: int(state.num_truths)]:
        if row[0] == row[1]:
            raise StateError(f"truths: expected a question to another seat, got one of seat {int(row[0])} to itself")


def _check_table(state: Any, components: Components) -> None:
    printed: Any = components.record[0]
    factions = [int(state.players[seat].faction) for seat in _seats(state)]
    for seat, faction in enumerate(factions):
        if factions.index(faction) != seat:
            raise StateError(f"players[{seat}].faction = {faction}; it is at the table already")
        if faction == layout.TLEILAX and not state.tleilax:
            raise StateError(f"players[{seat}].faction = {faction}; it plays only with the option tleilax")
        dot = int(printed.dot_of[len(factions), seat])
        if state.players[seat].dot_sector != dot:
            raise StateError(f"players[{seat}].dot: expected {dot}, got {int(state.players[seat].dot_sector)}")
    if state.last_blow != NONE and printed.card_of[state.last_blow] == NONE:
        raise StateError(f"last_blow: expected a territory of a spice card or -1, got {int(state.last_blow)}")
    if state.last_blow != NONE and state.phase == layout.SETUP:
        raise StateError(f"last_blow: expected -1 during set-up, got {int(state.last_blow)}")


def _check_alliances(state: Any) -> None:
    for seat in _seats(state):
        alliance = int(state.alliance[seat])
        if alliance == NONE:
            if state.players[seat].pledge:
                raise StateError(f"players[{seat}].pledge = {int(state.players[seat].pledge)}; only allies pledge")
            continue
        members = standing.members_of(state, seat)
        if alliance != members[0] or len(members) < 2:
            raise StateError(f"alliance[{seat}]: expected the lowest seat of at least two members, got {alliance}")
        if not state.alliances:
            raise StateError(f"alliance[{seat}] = {alliance}; the option alliances is false")
        if state.max_alliance != layout.NO_LIMIT and len(members) > state.max_alliance:
            raise StateError(f"alliance[{seat}]: {len(members)} members; max_alliance is {int(state.max_alliance)}")


def most_spice(state: Any, components: Components) -> int:
    """The most spice that can have come into the game up to its turn: to the seats and the board together.

    Spice comes with the factions, by a blow (again by each Harvester), as alms, and for each killed leader; cards and
    purchases can bring leaders back to be killed again in the same turn. One turn more allows for samples, in which
    spice behind a shield is a guess.
    """
    printed = values(components)
    start = sum(printed.start_spice[int(player.faction)] for player in state.players[: int(state.num_players)])
    cards = printed.treachery[layout.DECKS.index(int(state.deck_size))]
    blow = max(printed.spice_amount) * (1 + cards[layout.HARVESTER_CARD])
    alms = printed.alms * int(state.num_players)
    killed = layout.LEADERS + sum(cards) + 2 * int(state.num_players)
    return int(start + (int(state.turn) + 1) * (blow + alms + killed * max(1, *printed.strength)))


def _check_spice(state: Any, components: Components) -> None:
    printed, turn = values(components), int(state.turn)
    most = most_spice(state, components)
    # Each seat has one card laid, and owes for one bluff a turn at most.
    most_debt = turn * printed.bluff_factor * printed.ransom[1]
    for seat in _seats(state):
        player = state.players[seat]
        if player.debts.sum(dtype=np.int64) > most_debt:
            raise StateError(
                f"players[{seat}].debts = {player.debts[: int(state.num_players)].tolist()}; {most_debt} in all are"
                f" possible in turn {turn}"
            )
        if player.pledge and state.phase < layout.BIDDING:
            raise StateError(f"players[{seat}].pledge: expected 0 before bidding, got {int(player.pledge)}")
    for cell in np.flatnonzero(state.spice).tolist():
        if cell not in printed.spice_cell:
            raise StateError(f"spice: {int(state.spice[cell])} in cell {cell}; it lies in cells of spice cards only")
    found = int(state.spice.sum(dtype=np.int64)) + sum(int(state.players[seat].spice) for seat in _seats(state))
    if found > most:
        raise StateError(
            f"spice: {found} on the board and in players[*].spice; {most} in all are possible in turn {turn}"
        )


def _check_tokens(state: Any, components: Components) -> None:
    tokens = int(components.record[0]["tokens"])
    for seat in _seats(state):
        player = state.players[seat]
        board = int(player.forces.sum(dtype=np.int64))
        found = board + int(player.reserve) + int(player.tanks)
        if found != tokens:
            raise StateError(
                f"players[{seat}]: expected {tokens} in all, got {board} tokens on the board, {int(player.reserve)}"
                f" in the reserve and {int(player.tanks)} in the tanks"
            )
        if player.faction == layout.TLEILAX and player.tanks:
            raise StateError(
                f"players[{seat}].tanks = {int(player.tanks)}; the reserve of {_faction(layout.TLEILAX)} is the tanks"
            )


def _faction(number: int) -> str:
    return layout.FACTION_NAMES[number]


def _check_spice_cards(state: Any, components: Components) -> None:
    printed = components.record[0]["spice_cards"]
    if state.foreseen_spice != NONE and standing.seat_with_power(state, layout.ATREIDES) == NONE:
        raise StateError(f"foreseen_spice = {int(state.foreseen_spice)}; nobody foresees cards at this table")
    for card in range(layout.SPICE_KINDS):
        found = int(state.spice_deck[card]) + int(state.spice_discards[card]) + int(state.foreseen_spice == card)
        if found != printed[card]:
            raise StateError(
                f"spice card {card}: expected {int(printed[card])}, got {found} in spice_deck, spice_discards and"
                " foreseen_spice"
            )


def _check_first_blow(state: Any) -> None:
    """The first blow draws from the territory cards, so all of them are in the pile."""
    if (
        state.phase in (layout.SETUP, layout.STORM)
        and state.turn <= 1
        and (state.spice_discards.any() or state.foreseen_spice != NONE)
    ):
        raise StateError("spice_deck: all spice cards are in it before the first blow")


def _check_draws(state: Any, components: Components) -> None:
    """No more has been drawn than the blows, cards and sales up to now can have needed."""
    printed, turns = components.record[0], int(state.turn) + 1
    players, left = int(state.num_players), int(state.cards_left)
    if left > players:
        raise StateError(f"pending.cards_left = {left}; at most {players} are possible, one for each seat")
    not_begun = state.phase == layout.BIDDING and left == NONE
    bounds = (
        ("spice", state.spice_draws, 2 * turns * (int(printed.spice_cards.sum()) + 1)),
        ("swap", state.swaps, turns * int(printed.treachery[layout.DECKS.index(state.deck_size)].sum())),
        ("sale", state.sales, 0 if not_begun else players - max(left, 0)),
        # In a sale or before the second card of its buyer, that card has not been drawn.
        ("bonus", state.bonuses, max(int(state.sales) - (left != NONE), 0)),
    )
    for key, found, most in bounds:
        if found > most:
            raise StateError(f"pending.draws.{key} = {found}; at most {most} are possible by now")


def hidden_plan_cards(state: Any, seat: int) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """The cards of a seat's hidden plan, counted by kind; these cards are not in its hand."""
    counts = np.zeros(layout.KINDS, np.int64)
    if state.phase != layout.BATTLE_PHASE or state.plans_shown or state.defender == NONE:
        return counts
    for side, battler in ((layout.AGGRESSOR, state.actor), (layout.DEFENDER, state.defender)):
        if battler == seat:
            plan = state.plans[side]
            cards = (layout.CHEAP_HERO if plan.leader == layout.HERO else NONE, int(plan.weapon), int(plan.defence))
            for card in cards:
                if card >= 0:
                    counts[card] += 1
    return counts


def _check_treachery(state: Any, components: Components) -> None:
    printed = components.record[0]["treachery"][layout.DECKS.index(int(state.deck_size))]
    for key in ("top", "sale"):
        if state[f"{key}_seen"] and (state[key] == NONE or standing.seat_with_power(state, layout.ATREIDES) == NONE):
            raise StateError(f"{key}_seen = true; it is true only of a card that Atreides saw")
    if state.sale != NONE and state.phase != layout.BIDDING:
        raise StateError(f"sale: expected -1 outside bidding, got {int(state.sale)}")
    gone = np.flatnonzero(state.removed).tolist()
    if gone not in ([], [layout.ATOMICS_CARD]):
        raise StateError(f"removed: a card of kind {gone[0]}; only kind {layout.ATOMICS_CARD} leaves the game")
    if bool(gone) == bool(state.shield_wall):
        raise StateError(f"shield_wall = {str(bool(state.shield_wall)).lower()}; it stands until the atomics are used")
    places = [state.deck, state.discards, state.hidden_discards, state.removed]
    found: np.ndarray[tuple[int, ...], np.dtype[np.int64]] = np.array(places, np.int64).sum(axis=0)
    for card in (int(state.top), int(state.sale)):
        if card != NONE:
            found[card] += 1
    for seat in _seats(state):
        player = state.players[seat]
        found += player.hand + hidden_plan_cards(state, seat)
        if player.laid != NONE:
            found[player.laid] += 1
    for kind in range(layout.KINDS):
        if found[kind] != printed[kind]:
            raise StateError(
                f"cards of kind {kind} ({layout.CARD_NAMES[kind]}): expected {int(printed[kind])}, got"
                f" {int(found[kind])} in deck, discards, hands and other places"
            )


def _check_hands(state: Any, components: Components) -> None:
    printed: Any = components.record[0]
    atreides = standing.seat_with_power(state, layout.ATREIDES)
    for seat in _seats(state):
        player = state.players[seat]
        held = player.hand + hidden_plan_cards(state, seat)
        faction = int(player.faction) if state.powers else layout.ATREIDES
        limit = int(printed.hand_limit[faction])
        if state.phase == layout.SETUP:
            limit -= int(printed.start_cards[faction])
        gives = state.decision == decisions.GIVE and seat == state.seat
        if held.sum() > limit and not gives:
            raise StateError(f"players[{seat}].hand: {int(held.sum())} cards; at most {limit} are allowed")
        for key in ("shown", "foreseen"):
            unknown = np.flatnonzero(player[key] > held).tolist()
            if unknown:
                raise StateError(
                    f"players[{seat}].{key}: {int(player[key][unknown[0]])} cards of kind {unknown[0]};"
                    f" {int(held[unknown[0]])} are in the hand"
                )
        if player.foreseen.any() and atreides in (NONE, seat):
            raise StateError(f"players[{seat}].foreseen: only Atreides foresees cards, those of others")


def _check_seats(state: Any) -> None:
    for seat in _seats(state):
        player = state.players[seat]
        if (player.laid == NONE) != (player.laid_on == NONE) or player.laid_on == seat:
            raise StateError(f"players[{seat}].laid_on = {int(player.laid_on)}; a laid card lies on another seat")
        if player.laid != NONE and state.deck_size != max(layout.DECKS):
            raise StateError(
                f"players[{seat}].laid = {int(player.laid)}; kind {layout.RESIDUAL_POISON} needs deck"
                f" {max(layout.DECKS)}"
            )
        if player.debts[seat]:
            raise StateError(f"players[{seat}].debts[{seat}] = {int(player.debts[seat])}; nobody owes himself")
        if player.debts.any() and player.spice:
            raise StateError(f"players[{seat}].spice = {int(player.spice)}; who owes spice has none")
        if player.reviving and player.faction == layout.TLEILAX:
            raise StateError(f"players[{seat}].reviving = true; it is false for {_faction(layout.TLEILAX)}")
    if state.silenced.any() and state.deck_size != max(layout.DECKS):
        raise StateError(f"silenced: kind {layout.CONE_OF_SILENCE} needs deck {max(layout.DECKS)}")


def _check_leaders(state: Any) -> None:
    seats = standing.homes(state)
    tleilax = seats[layout.TLEILAX]
    for leader in range(layout.LEADERS):
        home = seats[leader // DISCS_OF_A_FACTION]
        owner = int(state.owner[leader])
        stolen = owner == tleilax != NONE and bool(state.alive[leader]) and home != NONE
        if owner != home and not stolen:
            raise StateError(f"leaders.owner[{leader}]: expected {home}, got {owner}")
        marks = [key for key in ("alive", "risen", "returned", "change", "change_shown") if state[key][leader]]
        if owner == NONE and (marks or state.used[leader] != NONE):
            raise StateError(f"leaders.{marks[0] if marks else 'used'}[{leader}]: the leader's faction does not play")
        kept = [key for key in ("returned", "change", "change_shown") if state[key][leader]]
        if kept and not state.tleilax:
            raise StateError(f"leaders.{kept[0]}[{leader}]: it is kept only with the option tleilax")
        if leader == layout.FACE_DANCER and (state.change[leader] or state.change_shown[leader]):
            raise StateError(f"leaders.change[{leader}]: nobody changes the Face Dancer")


def counting_discs(state: Any, seat: int) -> int:
    """The set of a seat's discs that could be its traitors: leaders of other factions at the table."""
    counting = 0
    for faction, home in enumerate(standing.homes(state)[: layout.TLEILAX]):
        if home not in (NONE, seat):
            counting |= ((1 << DISCS_OF_A_FACTION) - 1) << DISCS_OF_A_FACTION * faction
    return counting & int(state.players[seat].discs)


def _check_traitors(state: Any) -> None:
    name = DECISION_NAMES[state.decision]
    drawn = not name.startswith("PREDICT_")
    seen = 0
    for seat in _seats(state):
        player = state.players[seat]
        discs, traitors = int(player.discs), int(player.traitors)
        needed = layout.DISCS_OF_A_SEAT if drawn and player.faction != layout.TLEILAX else 0
        if discs.bit_count() != needed:
            raise StateError(f"players[{seat}].discs: expected {needed}, got {discs.bit_count()}")
        if discs & seen:
            raise StateError(f"players[{seat}].discs: leader {_lowest(discs & seen)} is in two places")
        seen |= discs
        counting = counting_discs(state, seat)
        if traitors & ~counting:
            raise StateError(
                f"players[{seat}].traitors: leader {_lowest(traitors & ~counting)} is none of its discs that count"
            )
        settled = drawn and (name != "TRAITOR" or seat < state.seat)
        most = (
            counting.bit_count()
            if state.powers and player.faction == layout.HARKONNEN
            else min(counting.bit_count(), 1)
        )
        if traitors.bit_count() != (most if settled else 0):
            raise StateError(
                f"players[{seat}].traitors: expected {most if settled else 0} at this moment, got"
                f" {traitors.bit_count()}"
            )


def _lowest(bits: int) -> int:
    return (bits & -bits).bit_length() - 1


def _check_prediction(state: Any) -> None:
    seat = standing.seat_with_power(state, layout.BENE_GESSERIT)
    name = DECISION_NAMES[state.decision]
    faction, turn = int(state.prediction_faction), int(state.prediction_turn)
    made = seat != NONE and not name.startswith("PREDICT_")
    if (turn != 0) != made:
        raise StateError(f"prediction: expected {'one' if made else 'null'} at this moment")
    if (faction != NONE) != (made or name == "PREDICT_TURN"):
        raise StateError("pending.faction: it is named in PREDICT_WHO and needed in PREDICT_TURN only")
    others = [int(player.faction) for player in state.players[: int(state.num_players)]]
    if faction != NONE and (faction == layout.BENE_GESSERIT or faction not in others):
        raise StateError(f"prediction.faction: expected another faction at the table, got {faction}")
    if turn > state.max_turns:
        raise StateError(f"prediction.turn: expected 1..{int(state.max_turns)}, got {turn}")
