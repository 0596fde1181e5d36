"""Checks of a state beyond the ranges of its fields: every piece is in one place, and the moment is possible."""

from __future__ import annotations

from typing import Any

import numpy as np

from dunaia_env.dune.components import DISCS_OF_A_FACTION, Components
from dunaia_env.dune.moments import check_moment
from dunaia_env.dune.standing import homes, members_of, seat_with_power
from dunaia_env.dune.state import (
    AGGRESSOR,
    ATOMICS_CARD,
    ATREIDES,
    BATTLE_PHASE,
    BENE_GESSERIT,
    BIDDING,
    CARD_NAMES,
    CHEAP_HERO,
    CONE_OF_SILENCE,
    DECISION,
    DECISION_NAMES,
    DECKS,
    DEFENDER,
    DISCS_OF_A_SEAT,
    FACE_DANCER,
    FACTION_NAMES,
    HARKONNEN,
    HERO,
    KINDS,
    LEADERS,
    NO_LIMIT,
    NONE,
    OVER,
    RESIDUAL_POISON,
    SETUP,
    SPICE_KINDS,
    TLEILAX,
)


class StateError(ValueError):
    """A dictionary or bytes that are not a state. The message names the first fault."""


def check_consistency(state: Any, components: Components) -> None:
    """Raise `StateError` naming the first fault of a state, given as `Fields` that are in their ranges."""
    _check_course(state)
    _check_table(state, components)
    _check_alliances(state)
    _check_tokens(state, components)
    _check_spice_cards(state, components)
    _check_treachery(state, components)
    _check_hands(state, components)
    _check_seats(state)
    _check_leaders(state)
    _check_traitors(state)
    _check_prediction(state)
    fault = check_moment(state, components)
    if fault:
        raise StateError(fault)


def _seats(state: Any) -> range:
    return range(int(state.num_players))


def _check_course(state: Any) -> None:
    over, setup = state.decision == OVER, state.phase == SETUP
    turn, most = int(state.turn), int(state.max_turns)
    if setup != (turn == 0) or turn > most:
        raise StateError(f"turn = {turn}; {'0' if setup else f'1..{most}'} is needed in this phase")
    if over != (state.how != 0):
        raise StateError("how: a game that is over has ended somehow, and no other")
    if (not over and state.winners) or (over and (state.how == 6) != (state.winners == 0)):
        raise StateError("winners: a game that is over has them unless nobody won, and no other")
    wheels = state.wheels.tolist()
    if (setup and wheels != [NONE, NONE]) or (not setup and (NONE in wheels or wheels[0] == wheels[1])):
        needed = "[-1, -1] during set-up" if setup else "two different seats"
        raise StateError(f"wheels = {wheels}; {needed} is needed")
    for row in state.truths[: int(state.num_truths)]:
        if row[0] == row[1]:
            raise StateError(f"truths: seat {int(row[0])} asks itself; another seat is needed")


def _check_table(state: Any, components: Components) -> None:
    values: Any = components.record[0]
    factions = [int(state.players[seat].faction) for seat in _seats(state)]
    for seat, faction in enumerate(factions):
        if factions.index(faction) != seat:
            raise StateError(f"players[{seat}].faction = {faction}; it is at the table already")
        if faction == TLEILAX and not state.tleilax:
            raise StateError(f"players[{seat}].faction = {faction}; it plays only with the option tleilax")
        dot = int(values.dot_of[len(factions), seat])
        if state.players[seat].dot_sector != dot:
            raise StateError(f"players[{seat}].dot = {int(state.players[seat].dot_sector)}; {dot} is needed")
    if state.last_blow != NONE and values.card_of[state.last_blow] == NONE:
        raise StateError(f"last_blow = {int(state.last_blow)}; a territory of a spice card or -1 is needed")
    if state.last_blow != NONE and state.phase == SETUP:
        raise StateError(f"last_blow = {int(state.last_blow)}; -1 is needed during set-up")


def _check_alliances(state: Any) -> None:
    for seat in _seats(state):
        alliance = int(state.alliance[seat])
        if alliance == NONE:
            if state.players[seat].pledge:
                raise StateError(f"players[{seat}].pledge = {int(state.players[seat].pledge)}; only allies pledge")
            continue
        members = members_of(state, seat)
        if alliance != members[0] or len(members) < 2:
            raise StateError(f"alliance[{seat}] = {alliance}; the lowest seat of at least two members is needed")
        if not state.alliances:
            raise StateError(f"alliance[{seat}] = {alliance}; the option alliances is false")
        if state.max_alliance != NO_LIMIT and len(members) > state.max_alliance:
            raise StateError(f"alliance[{seat}]: {len(members)} members; max_alliance is {int(state.max_alliance)}")


def _check_tokens(state: Any, components: Components) -> None:
    tokens = int(components.record[0]["tokens"])
    for seat in _seats(state):
        player = state.players[seat]
        board = int(player.forces.sum(dtype=np.int64))
        found = board + int(player.reserve) + int(player.tanks)
        if found != tokens:
            raise StateError(
                f"players[{seat}]: {board} tokens on the board, {int(player.reserve)} in the reserve and"
                f" {int(player.tanks)} in the tanks; {tokens} in all are needed"
            )
        if player.faction == TLEILAX and player.tanks:
            raise StateError(
                f"players[{seat}].tanks = {int(player.tanks)}; the reserve of {_faction(TLEILAX)} is the tanks"
            )


def _faction(number: int) -> str:
    return FACTION_NAMES[number]


def _check_spice_cards(state: Any, components: Components) -> None:
    printed = components.record[0]["spice_cards"]
    if state.foreseen_spice != NONE and seat_with_power(state, ATREIDES) == NONE:
        raise StateError(f"foreseen_spice = {int(state.foreseen_spice)}; nobody foresees cards at this table")
    for card in range(SPICE_KINDS):
        found = int(state.spice_deck[card]) + int(state.spice_discards[card]) + int(state.foreseen_spice == card)
        if found != printed[card]:
            raise StateError(
                f"spice card {card}: {found} in spice_deck, spice_discards and foreseen_spice;"
                f" {int(printed[card])} are needed"
            )


def hidden_plan_cards(state: Any, seat: int) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
    """The cards of a seat's hidden plan, counted by kind; these cards are not in its hand."""
    counts = np.zeros(KINDS, np.int64)
    if state.phase != BATTLE_PHASE or state.plans_shown or state.defender == NONE:
        return counts
    for side, battler in ((AGGRESSOR, state.actor), (DEFENDER, state.defender)):
        if battler == seat:
            plan = state.plans[side]
            cards = (CHEAP_HERO if plan.leader == HERO else NONE, int(plan.weapon), int(plan.defence))
            for card in cards:
                if card >= 0:
                    counts[card] += 1
    return counts


def _check_treachery(state: Any, components: Components) -> None:
    printed = components.record[0]["treachery"][DECKS.index(int(state.deck_size))]
    for key in ("top", "sale"):
        if state[f"{key}_seen"] and (state[key] == NONE or seat_with_power(state, ATREIDES) == NONE):
            raise StateError(f"{key}_seen = true; it is true only of a card that Atreides saw")
    if state.sale != NONE and state.phase != BIDDING:
        raise StateError(f"sale = {int(state.sale)}; -1 is needed outside bidding")
    gone = np.flatnonzero(state.removed).tolist()
    if gone not in ([], [ATOMICS_CARD]):
        raise StateError(f"removed: a card of kind {gone[0]}; only kind {ATOMICS_CARD} leaves the game")
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
    for kind in range(KINDS):
        if found[kind] != printed[kind]:
            raise StateError(
                f"cards of kind {kind} ({CARD_NAMES[kind]}): {int(found[kind])} in deck, discards, hands and other"
                f" places; {int(printed[kind])} are needed"
            )


def _check_hands(state: Any, components: Components) -> None:
    values: Any = components.record[0]
    atreides = seat_with_power(state, ATREIDES)
    for seat in _seats(state):
        player = state.players[seat]
        held = player.hand + hidden_plan_cards(state, seat)
        faction = int(player.faction) if state.powers else ATREIDES
        limit = int(values.hand_limit[faction])
        if held.sum() > limit and state.decision != DECISION["GIVE"]:
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
        if player.laid != NONE and state.deck_size != max(DECKS):
            raise StateError(
                f"players[{seat}].laid = {int(player.laid)}; kind {RESIDUAL_POISON} needs deck {max(DECKS)}"
            )
        if player.debts[seat]:
            raise StateError(f"players[{seat}].debts[{seat}] = {int(player.debts[seat])}; nobody owes himself")
        if player.debts.any() and player.spice:
            raise StateError(f"players[{seat}].spice = {int(player.spice)}; who owes spice has none")
        if player.reviving and player.faction == TLEILAX:
            raise StateError(f"players[{seat}].reviving = true; it is false for {_faction(TLEILAX)}")
    if state.silenced.any() and state.deck_size != max(DECKS):
        raise StateError(f"silenced: kind {CONE_OF_SILENCE} needs deck {max(DECKS)}")


def _check_leaders(state: Any) -> None:
    seats = homes(state)
    tleilax = seats[TLEILAX]
    for leader in range(LEADERS):
        home = seats[leader // DISCS_OF_A_FACTION]
        owner = int(state.owner[leader])
        stolen = owner == tleilax != NONE and bool(state.alive[leader]) and home != NONE
        if owner != home and not stolen:
            raise StateError(f"leaders.owner[{leader}] = {owner}; {home} is needed")
        marks = [key for key in ("alive", "risen", "returned", "change", "change_shown") if state[key][leader]]
        if owner == NONE and (marks or state.used[leader] != NONE):
            raise StateError(f"leaders.{marks[0] if marks else 'used'}[{leader}]: the leader's faction does not play")
        kept = [key for key in ("returned", "change", "change_shown") if state[key][leader]]
        if kept and not state.tleilax:
            raise StateError(f"leaders.{kept[0]}[{leader}]: it is kept only with the option tleilax")
        if leader == FACE_DANCER and (state.change[leader] or state.change_shown[leader]):
            raise StateError(f"leaders.change[{leader}]: nobody changes the Face Dancer")


def counting_discs(state: Any, seat: int) -> int:
    """The set of a seat's discs that could be its traitors: leaders of other factions at the table."""
    counting = 0
    for faction, home in enumerate(homes(state)[:TLEILAX]):
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
        needed = DISCS_OF_A_SEAT if drawn and player.faction != TLEILAX else 0
        if discs.bit_count() != needed:
            raise StateError(f"players[{seat}].discs: {discs.bit_count()}; {needed} are needed")
        if discs & seen:
            raise StateError(f"players[{seat}].discs: leader {_lowest(discs & seen)} is in two places")
        seen |= discs
        counting = counting_discs(state, seat)
        if traitors & ~counting:
            raise StateError(
                f"players[{seat}].traitors: leader {_lowest(traitors & ~counting)} is none of its discs that count"
            )
        settled = drawn and (name != "TRAITOR" or seat < state.seat)
        most = counting.bit_count() if state.powers and player.faction == HARKONNEN else min(counting.bit_count(), 1)
        if traitors.bit_count() != (most if settled else 0):
            raise StateError(
                f"players[{seat}].traitors: {traitors.bit_count()}; {most if settled else 0} are needed at this moment"
            )


def _lowest(bits: int) -> int:
    return (bits & -bits).bit_length() - 1


def _check_prediction(state: Any) -> None:
    seat = seat_with_power(state, BENE_GESSERIT)
    name = DECISION_NAMES[state.decision]
    faction, turn = int(state.prediction_faction), int(state.prediction_turn)
    made = seat != NONE and not name.startswith("PREDICT_")
    if (turn != 0) != made:
        raise StateError(f"prediction: {'one' if made else 'null'} is needed at this moment")
    if (faction != NONE) != (made or name == "PREDICT_TURN"):
        raise StateError("pending.faction: it is named in PREDICT_WHO and needed in PREDICT_TURN only")
    others = [int(player.faction) for player in state.players[: int(state.num_players)]]
    if faction != NONE and (faction == BENE_GESSERIT or faction not in others):
        raise StateError(f"prediction.faction = {faction}; another faction at the table is needed")
    if turn > state.max_turns:
        raise StateError(f"prediction.turn = {turn}; 1..{int(state.max_turns)} is needed")
