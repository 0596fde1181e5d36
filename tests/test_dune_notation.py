"""Dune's state dictionaries: there and back without loss, and one clear error for each fault."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import suppress
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from dunaia_env.dune.checks.consistency import StateError
from dunaia_env.dune.components import load, parse
from dunaia_env.dune.notation.pending import KEYS
from dunaia_env.dune.notation.states import check_state, from_dict, to_dict
from dunaia_env.dune.state import STATE_DTYPE, STATE_SIZE
from tests.dune_positions import POSITIONS, position, state_of

pytestmark = pytest.mark.once

# Three seats, turn 3; the card that nobody wanted in turn 2 is on sale again.
EXAMPLE = Path(__file__).with_name("dune_example.json").read_text(encoding="utf-8")


def test_the_example_comes_back_byte_for_byte() -> None:
    content = json.loads(EXAMPLE)
    state = from_dict(content, load())
    assert json.dumps(to_dict(state, load())) == json.dumps(content)
    check_state(state, load())


@pytest.mark.parametrize("name", POSITIONS)
def test_positions_come_back(name: str) -> None:
    content = POSITIONS[name]
    state = state_of(content)
    assert len(state) == STATE_SIZE
    again = to_dict(state, load())
    assert again == content
    assert list(again) == list(content)
    assert list(again["pending"]) == [key for key in KEYS if key in again["pending"]]
    check_state(state, load())
    assert np.array_equal(from_dict(json.loads(json.dumps(again)), load()), state)


def test_every_key_under_pending_occurs() -> None:
    content = position("BID")
    content["pending"]["draws"] = {"spice": 5, "swap": 2, "sale": 3, "bonus": 1}
    assert to_dict(state_of(content), load())["pending"]["draws"] == content["pending"]["draws"]
    found = {key for one in (*POSITIONS.values(), content) for key in one["pending"]}
    assert found == set(KEYS)


def test_options_come_back() -> None:
    content = position("BID")
    content["options"] |= {"max_alliance": 2, "undecided": "strongholds", "max_turns": 9, "atreides_sees_bonus": False}
    assert to_dict(state_of(content), load())["options"] == content["options"]


def test_two_alliances_and_a_stolen_leader() -> None:
    content = position("BUY_BACK")
    content["alliance"] = [0, 1, 2, 0, 1, 2]
    content["scores"] = [2, 2, 0, 2, 2, 0]
    content["leaders"]["owner"][16] = 2
    content["leaders"]["returned"][16] = True
    assert to_dict(state_of(content), load()) == content
    content["leaders"]["alive"][16] = False
    with pytest.raises(StateError, match=re.escape("leaders.owner[16]: expected 3, got 2")):
        state_of(content)


# Position, path of a value, its new value (None removes the key), and the error.
FAULTS: list[tuple[str, str, Any, str]] = [
    # Keys, kinds and ranges
    ("BID", "storm", None, "storm is missing"),
    ("BID", "colour", 3, "colour: unknown key"),
    ("BID", "players.0.colour", 3, "players[0].colour: unknown key"),
    ("BID", "players.2.hand", None, "players[2].hand is missing"),
    ("BID", "players", [], "players: expected a list of 2 to 6 entries, got []"),
    ("BID", "players.1", 7, "players[1]: expected an object, got 7"),
    ("BID", "seat", 6, "seat: expected an integer in 0..5, got 6"),
    (
        "BID",
        "decision",
        "BUY",
        (
            "decision: expected one of PREDICT_WHO, PREDICT_TURN, TRAITOR, PLACE, WEATHER, WEATHER_DIAL, DIAL,"
            " ATOMICS, BLOW_CARDS, WORM, NEXUS_CARDS, LEAVE, PROPOSE, ANSWER, RIDE, HARVESTER, BIDDING_CARDS, RANSOM,"
            " PAY, POISONED, GIFT, PLEDGE, BID, REVIVAL_CARDS, REVIVE, WITHDRAW, SHIP, SHIP_COUNT, SHIP_TO, COUNT,"
            " ACCOMPANY, MOVE_FROM, MOVE_TO, HAJR, RAISE, BATTLE, OPPONENT, BATTLE_CARDS, VOICE, LEADER, WEAPON,"
            " DEFENCE, NUMBER, PRESCIENCE, TREASON, LOSS, KEEP, TRUTH_WHO, TRUTH, CONE, LAY_WHO, GHOLA, SWAP_WHO,"
            " SWAP_COUNT, GIVE, KARAMA, BUY_BACK, PRICE, ACCEPT, TAMPER, OVER, got 'BUY'"
        ),
    ),
    (
        "BID",
        "phase",
        "harvest",
        ("phase: expected one of setup, storm, blow, nexus, bidding, revival, movement, battle, over, got 'harvest'"),
    ),
    ("BID", "storm", 18, "storm: expected an integer in 0..17, got 18"),
    ("BID", "storm", True, "storm: expected an integer in 0..17, got True"),
    ("BID", "shield_wall", 1, "shield_wall: expected true or false, got 1"),
    ("BID", "spice.0", [49], "spice[0]: expected a pair of integers, got [49]"),
    ("BID", "spice.0.1", 0, "spice[0][1]: expected an integer in 1..32767, got 0"),
    ("BID", "spice", [[49, 1], [7, 2]], "spice: expected an ascending list without repetition, got [[49, 1], [7, 2]]"),
    ("BID", "deck.3", -1, "deck[3]: expected an integer in 0..43, got -1"),
    ("BID", "players.0.hand", [5, 3], "players[0].hand: expected an ascending list, got [5, 3]"),
    (
        "BID",
        "players.0.discs",
        [0, 6, 6, 12],
        "players[0].discs: expected an ascending list without repetition, got [0, 6, 6, 12]",
    ),
    ("BID", "players.0.laid", 7, "players[0].laid: expected -1, 6 or 15, got 7"),
    (
        "BID",
        "truths.0",
        [1, 2, "card 16"],
        "truths[0]: expected a list of asker, target, question and answer, got [1, 2, 'card 16']",
    ),
    ("BID", "truths.0.2", "pass", "truths[0][2]: expected the text of a question, got 'pass'"),
    ("BID", "truths.0.3", 0, "truths[0][3]: expected true or false, got 0"),
    ("BID", "truths.0.1", 1, "truths: expected a question to another seat, got one of seat 1 to itself"),
    ("BID", "leaders.alive.4", 1, "leaders.alive[4]: expected true or false, got 1"),
    ("BID", "leaders.change.4", 2, "leaders.change[4]: expected an integer in -1..1, got 2"),
    ("BID", "prediction.turn", 16, "prediction.turn: expected an integer in 1..15, got 16"),
    ("BID", "options.deck", 40, "options.deck: expected 43 or 33, got 40"),
    ("BID", "options.deck", None, "options.deck is missing"),
    ("BID", "options.colour", 1, "options.colour: unknown key"),
    # Course and table
    ("BID", "over", True, "over: expected false, for the decision is BID, got True"),
    ("BID", "how", "guild", "how: a game that is over has ended somehow, and no other"),
    ("BID", "winners", [1], "winners: a game that is over has them unless nobody won, and no other"),
    ("OVER", "winners", [], "winners: a game that is over has them unless nobody won, and no other"),
    ("OVER", "seat", 0, "seat: expected -1, got 0"),
    ("BID", "turn", 0, "turn: expected 1..15 in this phase, got 0"),
    ("PLACE", "turn", 1, "turn: expected 0 in this phase, got 1"),
    ("BID", "options.max_turns", 1, "turn: expected 1..1 in this phase, got 2"),
    ("BID", "wheels", [1, 1], "wheels: expected two different seats, got [1, 1]"),
    ("PLACE", "wheels", [0, 5], "wheels: expected [-1, -1] during set-up, got [0, 5]"),
    ("PLACE", "last_blow", 24, "last_blow: expected -1 during set-up, got 24"),
    ("BID", "last_blow", 0, "last_blow: expected a territory of a spice card or -1, got 0"),
    ("BID", "actor", 2, "actor: expected a seat in movement and battle, -1 in other phases, got 2"),
    ("SHIP", "actor", -1, "actor: expected a seat in movement and battle, -1 in other phases, got -1"),
    ("BID", "players.1.faction", 0, "players[1].faction = 0; it is at the table already"),
    ("BID", "players.1.faction", 6, "players[1].faction = 6; it plays only with the option tleilax"),
    ("BID", "players.1.dot", 5, "players[1].dot: expected 4, got 5"),
    ("BID", "options.powers", False, "foreseen_spice = 3; nobody foresees cards at this table"),
    ("BUY_BACK", "options.powers", False, "options.tleilax = True; it is false with two players"),
    (
        "GIFT",
        "alliance",
        [0, -1, -1, -1, -1, -1],
        "alliance[0]: expected the lowest seat of at least two members, got 0",
    ),
    (
        "GIFT",
        "alliance",
        [-1, -1, 4, -1, 4, -1],
        "alliance[2]: expected the lowest seat of at least two members, got 4",
    ),
    ("GIFT", "options.alliances", False, "alliance[2] = 2; the option alliances is false"),
    ("VOICE", "options.max_alliance", 2, "alliance[0]: 3 members; max_alliance is 2"),
    ("BID", "players.1.pledge", 2, "players[1].pledge = 2; only allies pledge"),
    # Every piece in one place
    (
        "BID",
        "players.0.reserve",
        9,
        "players[0]: expected 20 in all, got 10 tokens on the board, 9 in the reserve and 0 in the tanks",
    ),
    (
        "BID",
        "players.2.forces",
        [[5, 1]],
        "players[2]: expected 20 in all, got 1 tokens on the board, 20 in the reserve",
    ),
    ("BID", "spice_deck.2", 0, "spice card 2: expected 1, got 0 in spice_deck, spice_discards and foreseen_spice"),
    ("BID", "spice_discards.15", 1, "spice card 15: expected 6, got 7 in spice_deck"),
    ("BID", "foreseen_spice", -1, "spice card 3: expected 1, got 0 in spice_deck"),
    ("BID", "deck.9", 0, "cards of kind 9 (hajr): expected 1, got 0 in deck, discards, hands and other places"),
    ("BID", "sale", 2, "cards of kind 1 (poison_weapon): expected 5, got 4 in deck"),
    ("BID", "top", 8, "cards of kind 8 (weather_control): expected 1, got 2 in deck"),
    ("BID", "hidden_discards.6", 0, "cards of kind 6 (worthless): expected 7, got 6 in deck"),
    ("BID", "players.4.hand", [0], "cards of kind 16 (karama): expected 2, got 1 in deck"),
    ("BID", "options.deck", 33, "cards of kind 0 (projectile_weapon): expected 4, got 5 in deck"),
    ("PRESCIENCE", "players.3.hand", [1, 3], "cards of kind 1 (poison_weapon): expected 5, got 6 in deck"),
    ("BID", "removed.3", 1, "removed: a card of kind 3; only kind 11 leaves the game"),
    ("BID", "shield_wall", False, "shield_wall = false; it stands until the atomics are used"),
    ("WEATHER", "sale", 3, "sale: expected -1 outside bidding, got 3"),
    ("WEATHER", "top_seen", True, "top_seen = true; it is true only of a card that Atreides saw"),
    ("BID", "players.1.shown", [3], "players[1].shown: 1 cards of kind 3; 0 are in the hand"),
    ("BID", "players.1.foreseen", [0, 0], "players[1].foreseen: 2 cards of kind 0; 1 are in the hand"),
    ("BID", "players.0.foreseen", [3], "players[0].foreseen: only Atreides foresees cards, those of others"),
    ("BID", "players.4.laid_on", -1, "players[4].laid_on = -1; a laid card lies on another seat"),
    ("BID", "players.4.laid_on", 4, "players[4].laid_on = 4; a laid card lies on another seat"),
    ("BID", "players.4.debts", [0, 0, 0, 0, 1, 0], "players[4].debts[4] = 1; nobody owes himself"),
    ("BID", "players.4.debts", [0, 3, 0, 0, 0, 0], "players[4].spice = 5; who owes spice has none"),
    ("BUY_BACK", "players.2.reviving", True, "players[2].reviving = true; it is false for tleilax"),
    (
        "BUY_BACK",
        "players.2.tanks",
        2,
        "players[2]: expected 20 in all, got 0 tokens on the board, 20 in the reserve and 2 in the tanks",
    ),
    ("BID", "leaders.owner.3", 1, "leaders.owner[3]: expected 0, got 1"),
    ("BID", "leaders.alive.30", True, "leaders.alive[30]: the leader's faction does not play"),
    ("BUY_BACK", "leaders.used.12", 3, "leaders.used[12]: the leader's faction does not play"),
    ("BID", "leaders.returned.3", True, "leaders.returned[3]: it is kept only with the option tleilax"),
    ("BUY_BACK", "leaders.change.30", 1, "leaders.change[30]: nobody changes the Face Dancer"),
    ("BID", "players.0.discs", [0, 6, 12], "players[0].discs: expected 4, got 3"),
    ("BID", "players.1.discs", [0, 1, 7, 13], "players[1].discs: leader 0 is in two places"),
    ("BID", "players.0.traitors", [0], "players[0].traitors: leader 0 is none of its discs that count"),
    ("BID", "players.0.traitors", [6, 12], "players[0].traitors: expected 1 at this moment, got 2"),
    ("BID", "players.1.traitors", [1], "players[1].traitors: expected 3 at this moment, got 1"),
    ("TRAITOR", "players.4.traitors", [4], "players[4].traitors: expected 0 at this moment, got 1"),
    ("BID", "prediction", "null", "prediction: expected an object, got 'null'"),
    ("BID", "prediction.faction", 5, "prediction.faction: expected another faction at the table, got 5"),
    ("BID", "prediction.faction", 6, "prediction.faction: expected another faction at the table, got 6"),
    ("BID", "scores", [1, 1, 0, 1, 1, 1], "scores = [1, 1, 0, 1, 1, 1]; the state is worth [1, 1, 0, 1, 1, 0]"),
    # The moment
    (
        "WEATHER",
        "phase",
        "blow",
        (
            "decision: expected one of BLOW_CARDS, WORM, RIDE, HARVESTER, COUNT, MOVE_TO, KARAMA in the phase blow,"
            " got 'WEATHER'"
        ),
    ),
    ("BID", "pending.bidder", -1, "pending.bid = 3; a bid has a bidder, and no bid has none"),
    ("BID", "pending.opener", None, "pending.opener is missing"),
    ("BID", "pending.colour", 1, "pending.colour: unknown key"),
    ("BID", "pending.field", 8, "pending.field: it does not go with BID in the phase bidding"),
    ("BID", "pending.sight_stopped", False, "pending.sight_stopped: expected true, or no such key, got False"),
    ("BID", "pending.draws", {}, "pending.draws: expected a count, or no such key, got {}"),
    ("BID", "pending.draws", {"dial": 1}, "pending.draws"),
    ("BID", "pending.draws", {"spice": 30000}, "pending.draws.spice = 30000; at most"),
    ("BID", "pending.draws", {"swap": 1000}, "pending.draws.swap = 1000; at most"),
    ("BID", "pending.draws", {"sale": 7}, "pending.draws.sale = 7; at most"),
    ("BID", "pending.draws", {"sale": 3, "bonus": 4}, "pending.draws.bonus = 4; at most 2 are possible by now"),
    ("BID", "pending.stack", [], "pending.stack: expected a list of 1 to 3 entries, got []"),
    ("BID", "pending.stack", [{"point": "eat"}], "pending.stack: expected [] in BID , got [eat]"),
    ("BID", "pending.power", "tame", "pending.power: it goes with KARAMA, not with BID"),
    ("OVER", "pending", {"draws": {"spice": 3}}, "pending.draws: it does not go with OVER in the phase over"),
    ("ANSWER", "pending.target", None, "pending.target is missing; ANSWER needs it"),
    ("ANSWER", "pending.stack.2.seat", None, "pending.stack[2].seat: seats holds decision, seat besides the point"),
    ("ANSWER", "pending.stack.0.seat", 3, "pending.stack[0].seat: drawing holds nothing besides the point"),
    ("ANSWER", "pending.stack.2.decision", "RANSOM", "expected [drawing, eat, seats PROPOSE] in ANSWER"),
    (
        "PAY",
        "pending.stack.0.point",
        "door",
        "pending.stack[0].point: expected one of window, seats, eat, drawing, buy, halve, stop, got 'door'",
    ),
    ("RIDE", "seat", 2, "seat = 2; fremen is asked in RIDE"),
    ("SHIP", "seat", 3, "seat: expected 2, the actor in SHIP, got 3"),
    ("LEADER", "seat", 4, "seat: expected 1 or 3, a battler in LEADER, got 4"),
    ("LOSS", "pending.winner", 3, "seat: expected 3, the winner of the battle in LOSS, got 1"),
    ("LOSS", "pending.cell", 44, "pending.cell: expected a cell with tokens of the winner in pending.field, got 44"),
    ("VOICE", "pending.defender", 1, "pending.defender: expected another seat than the actor, got 1"),
    ("TRUTH", "pending.target", 1, "pending.target: expected another seat than 1, got 1"),
    ("LAY_WHO", "pending.card", 7, "pending.card: expected 6 or 15, got 7 (truthtrance)"),
    ("GHOLA", "pending.card", 7, "pending.card: expected 10 or 16, got 7 (truthtrance)"),
    ("COUNT", "pending.cell", 80, "pending.cell: expected a cell of pending.origin, got 80"),
    ("PLACE", "pending.cell", 44, "pending.cell: expected a cell in which Fremen may begin, got 44"),
    ("MOVE_TO", "pending.taken", [[44, 2]], "pending.taken: expected cells of pending.origin, got [[44, 2]]"),
    ("MOVE_TO", "pending.taken", [], "pending.taken: expected a number of tokens, or no such key, got []"),
    ("DIAL", "pending.dials", [-1, -1], "pending.dials: expected a dial, or no such key, got [-1, -1]"),
    ("ATOMICS, weather", "pending.weather_seat", None, "pending.weather: a number and who chose it stand together"),
    ("KARAMA, tame", "pending.worm", None, "pending.worm is missing; KARAMA needs it"),
    ("KARAMA, worthless, tame", "pending.worm", None, "pending.worm is missing; KARAMA needs it"),
    ("KARAMA, tame", "pending.user", 2, "pending.user: expected 3, whose power tame is, got 2"),
    ("KARAMA, tame", "seat", 3, "seat = 3; neither the power's user, 3, nor an ally is asked"),
    ("KARAMA, voice", "seat", 0, "seat = 0; neither the power's user, 5, nor an ally is asked"),
    (
        "KARAMA, voice",
        "pending.voice",
        "see 1",
        (
            "pending.voice: expected one of must 0, must 1, must 2, must 3, must 4, must 5, must 6, must_not 0,"
            " must_not 1, must_not 2, must_not 3, must_not 4, must_not 5, must_not 6, got 'see 1'"
        ),
    ),
    ("KARAMA, shipment", "seat", 3, "seat = 3; the guild is asked about a shipment"),
    ("KARAMA, sight", "pending.power", "future", "pending.power: no question about it is asked in the phase bidding"),
    (
        "KARAMA, worthless, sight",
        "pending.stack",
        None,
        "a question about a worthless card stands on buy, halve or stop",
    ),
    ("KARAMA, worthless, sight", "pending.stack.0.power", "accompany", "'accompany'; no worthless card stops it"),
    ("KARAMA, worthless, buy", "pending.stack.0.seat", 1, "pending.stack[0].seat: expected 5, the user, got 1"),
    ("PRESCIENCE", "pending.plans.1.weapon", 3, "pending.plans[1].weapon: expected -1 or one of 0, 1, 2, 6, got 3"),
    (
        "PRESCIENCE",
        "pending.plans.1.leader",
        5,
        "pending.plans[1].leader: expected a leader of seat 3, 30 at most, got 5",
    ),
    (
        "PRESCIENCE",
        "pending.plans.1.hero",
        True,
        "pending.plans[1].leader: expected -1, for a cheap hero takes the place, got 17",
    ),
    ("LEADER, foreseen", "pending.plans.1.defence", None, "pending.plans[1]: its parts are chosen in the order"),
    ("NUMBER", "pending.plans.1.defence", None, "pending.plans[1]: expected 3 chosen parts in NUMBER, got 2"),
    ("LOSS", "pending.plans.0.number", None, "pending.plans[0]: plans that are shown are complete"),
    ("LEADER, foreseen", "pending.element", None, "pending.element_shown: no element was asked"),
    ("PREDICT_TURN", "pending.faction", None, "pending.faction: it is named in PREDICT_WHO and needed in PREDICT_TURN"),
    ("PREDICT_TURN", "prediction", {"faction": 1, "turn": 2}, "prediction: expected null at this moment"),
    # What is pending, against board, hands and stack
    ("MOVE_TO", "pending.taken", [[79, 6]], "pending.taken: expected 0..5 tokens of this cell, got [79, 6]"),
    ("COUNT", "decision", "SHIP_COUNT", "pending.origin: it does not go with SHIP_COUNT in the phase movement"),
    ("PAY", "pending.stack.0.seat", 3, "pending.stack[0].seat: expected a seat with a card on seat 0, got 3"),
    ("BID", "players.0.spice", 32767, "on the board and in players[*].spice;"),
    ("BID", "spice", [[8, 2]], "spice: 2 in cell 8; it lies in cells of spice cards only"),
    (
        "BID",
        "players.2",
        {"spice": 0, "debts": [900, 0, 0, 0, 0, 0]},
        "players[2].debts = [900, 0, 0, 0, 0, 0]; 24",
    ),
    ("LEAVE", "players.3.pledge", 2, "players[3].pledge: expected 0 before bidding, got 2"),
    ("WEATHER", "turn", 1, "spice_deck: all spice cards are in it before the first blow"),
    ("BID", "pending.bid", 30, "pending.bid: expected 0..10, the funds of seat 1,, got 30"),
    ("BID", "silenced", [4], "seat: expected a seat that is not silenced and holds fewer cards than it may, got 4"),
    ("POISONED", "pending.stack.0.seat", 2, "pending.stack[0].seat: expected 4, the asked seat, got 2"),
    ("LEAVE", "alliance", [-1] * 6, "alliance[3]: expected an alliance in LEAVE, got -1"),
    ("ANSWER", "seat", 4, "seat: expected a member of the side of 1, the target,, got 4"),
    ("ANSWER", "options.max_alliance", 2, "pending.target = 1; max_alliance is 2, and its side has 2"),
    ("NEXUS_CARDS", "turn", 1, "turn: expected 2 or more, got 1"),
    ("HARVESTER", "last_blow", -1, "last_blow: expected a territory for HARVESTER, got -1"),
    ("CONE", "silenced", [], "pending.coned: expected a silenced seat, got true"),
    ("DIAL", "seat", 0, "pending.dials = [2, -1]; the wheels of [0, 5] are dialled in this order, up to seat 0"),
    ("DIAL", "pending.dials", [9, -1], "pending.dials: expected 1..3 in this turn, got [9, -1]"),
    ("ATOMICS", "pending.dials", [2, -1], "expected two dials, or a number of Weather Control in ATOMICS"),
    (
        "TRUTH_WHO",
        "phase",
        "bidding",
        "pending.stack: expected [window BIDDING_CARDS] in TRUTH_WHO , got [drawing, eat, window NEXUS_CARDS]",
    ),
    ("GIFT", "pending.target", 0, "pending.target: expected an ally of seat 2, got 0"),
    ("RANSOM", "seat", 0, "players[0].laid: expected a laid card in RANSOM, got -1"),
    ("KARAMA, tame", "seat", 2, "seat: expected a seat that holds a Karama in KARAMA, got 2"),
    ("PRICE", "pending.leader", 18, "pending.leader: expected a dead leader of seat 3, got 18"),
    ("TAMPER", "pending.leader", 5, "pending.leader: expected a living leader of seat 3, got 5"),
    ("REVIVE", "pending.freed", 9, "pending.freed: expected 0..2, got 9"),
    ("GIVE", "pending.left", 3, "pending.left: expected 1..2 by the two hands, got 3"),
    ("ACCOMPANY", "pending.stack.0.seat", 4, "pending.stack[0].seat: expected 2, the actor,, got 4"),
    ("SHIP_COUNT", "players.2.spice", 0, "pending.cell = 44; a token costs 2, and seat 2 has 0"),
    ("OPPONENT", "pending.field", 43, "pending.field: expected a field in which seat 1 has to fight somebody, got 43"),
    (
        "NUMBER",
        "pending.plans.1.leader",
        30,
        "pending.plans[1].leader: expected a leader of seat 3, 30 at most, got 30",
    ),
    (
        "PRESCIENCE",
        "pending.plans.1.number",
        11,
        "pending.plans[1].number: expected 0..10, the tokens in the field,, got 11",
    ),
    ("TREASON", "seat", 3, "seat: expected 1, who knows the traitor,, got 3"),
    ("LOSS", "pending.left", 3, "pending.left: expected 1..2, got 3"),
    ("KEEP", "players.1.shown", [4], "players[1].shown: 1 cards of kind 4; 0 besides those of its plan can be"),
]


@pytest.mark.parametrize(("name", "path", "value", "message"), FAULTS, ids=[f"{one[0]}: {one[3]}" for one in FAULTS])
def test_each_fault_gets_one_clear_error(name: str, path: str, value: Any, message: str) -> None:
    content: Any = position(name)
    inner = content
    *way, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    for part in way:
        inner = inner[part]
    if value is None:
        del inner[last]
    elif path.startswith("players.") and isinstance(value, dict):
        inner[last] |= value
    else:
        inner[last] = value
    with pytest.raises(StateError) as error:
        from_dict(content, load())
    assert message in str(error.value)


def test_no_card_is_on_sale_before_the_first_sale() -> None:
    content = position("BIDDING_CARDS")
    content["sale"], content["deck"][1] = 1, content["deck"][1] - 1
    with pytest.raises(StateError, match=r"sale: expected -1, for no card is on sale in BIDDING_CARDS.*, got 1"):
        state_of(content)


def test_a_decision_without_a_legal_action_is_named() -> None:
    content = position("TRAITOR")
    for seat, discs in ((0, [0, 6, 12, 21]), (3, [15, 16, 17, 18]), (4, [4, 9, 10, 22]), (5, [3, 5, 11, 23])):
        content["players"][seat]["discs"] = discs
    with pytest.raises(StateError, match="decision = 'TRAITOR'; seat 3 has no legal action in it"):
        state_of(content)


def test_a_group_that_can_go_nowhere_is_named() -> None:
    """Allies of the Guild stand in every territory beside the origin, False Wall South."""
    content, values = position("COUNT"), load().record[0]
    cells = range(values["first_cell"][13], values["first_cell"][13] + values["num_cells"][13])
    beside = {int(values["territory_of"][other]) for cell in cells for other in np.flatnonzero(values["borders"][cell])}
    content["players"][4]["forces"] = [[cells[0], 3], [cells[1], 2]]
    content["players"][3]["forces"] = [[int(values["first_cell"][one]), 1] for one in sorted(beside - {13})]
    content["players"][3] |= {"reserve": 20 - len(content["players"][3]["forces"])}
    content["pending"] = {"origin": 13, "taken": [[cells[0], 1]], "cell": cells[1]}
    content["scores"] = from_dict_scores(content)
    assert state_of(content) is not None
    content["alliance"] = [-1, -1, -1, 3, 3, -1]
    with pytest.raises(StateError, match=re.escape("pending.taken: no cell is in reach of these tokens of seat 4")):
        state_of(content | {"scores": from_dict_scores(content)})


def from_dict_scores(content: Any) -> list[int]:
    """The scores that a position is worth, as its refusal tells."""
    with pytest.raises(StateError) as error:
        state_of(content | {"scores": [15] * 6})
    return json.loads(str(error.value).partition("the state is worth ")[2])


@pytest.mark.parametrize("content", [None, [], 3])
def test_what_is_no_object_is_named(content: Any) -> None:
    with pytest.raises(StateError, match="expected an object"):
        from_dict(content, load())


def test_a_missing_prediction_is_named() -> None:
    content = position("BID")
    content["prediction"] = None
    with pytest.raises(StateError, match="prediction: expected one at this moment"):
        state_of(content)


def test_a_hand_above_its_limit_is_named() -> None:
    content = position("BID")
    content["players"][0]["hand"] = [3, 5, 7, 8, 9]
    for kind in (7, 8, 9):
        content["deck"][kind] -= 1
    with pytest.raises(StateError, match=re.escape("players[0].hand: 5 cards; at most 4 are allowed")):
        state_of(content)


def test_treason_before_the_plans_are_shown_is_named() -> None:
    content = position("TREASON")
    del content["pending"]["plans_shown"]
    content["players"][1]["hand"], content["players"][3]["hand"] = [1], [3]
    with pytest.raises(StateError, match=re.escape("pending.plans_shown: plans are shown before treason is asked")):
        state_of(content)


def test_cards_of_the_large_deck_are_not_laid_in_a_game_with_the_small_one() -> None:
    content = position("LEAVE")
    content["options"]["deck"] = 33
    printed = load().record[0]["treachery"]
    content["deck"] = (np.array(content["deck"]) - printed[0] + printed[1]).tolist()
    content["players"][4] |= {"laid": 6}
    content["deck"][15], content["deck"][6] = 0, content["deck"][6] - 1
    with pytest.raises(StateError, match=re.escape("players[4].laid = 6; kind 15 needs deck 43")):
        state_of(content)
    content["players"][4] |= {"laid": -1, "laid_on": -1}
    content["deck"][6] += 1
    state_of(content)
    content["silenced"] = [2]
    with pytest.raises(StateError, match=re.escape("silenced: kind 14 needs deck 43")):
        state_of(content)


@pytest.mark.parametrize(
    ("field", "value"),
    [("decision", 99), ("num_players", 7), ("deck_size", 40), ("depth", 9), ("voice", 300), ("origin", -2), ("how", 9)],
)
def test_bytes_out_of_range_are_named(field: str, value: int) -> None:
    state = state_of(position("VOICE"))
    state.view(STATE_DTYPE)[0][field] = value
    with pytest.raises(StateError, match=field):
        check_state(state, load())


def test_bytes_that_no_state_has_are_named() -> None:
    state = state_of(position("VOICE"))
    state.view(STATE_DTYPE)[0].truths[3] = 7
    with pytest.raises(StateError, match="not a valid encoding: some fields hold values that no state can have"):
        check_state(state, load())


def test_other_components() -> None:
    """What is printed decides which states there are."""
    text = resources.files("dunaia_env.dune").joinpath("components.toml").read_text(encoding="utf-8")
    other = parse(text.replace("worms = 6", "worms = 5"), "five worms")
    with pytest.raises(
        StateError, match="spice card 15: expected 5, got 6 in spice_deck, spice_discards and foreseen_spice"
    ):
        from_dict(position("BID"), other)


WRONG = (None, -1, 0, 1, 7, 99, 1e9, "x", "BID", [], {}, [1], [[1, 2]], True, 10**30)


def places_in(content: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    keys = content if isinstance(content, dict) else range(len(content)) if isinstance(content, list) else ()
    for key in keys:
        yield (*way, key)
        yield from places_in(content[key], (*way, key))


@pytest.mark.parametrize("seed", range(4))
def test_damaged_dictionaries_are_refused_or_valid(seed: int) -> None:
    """Whatever is put anywhere, there is a `StateError` or a state that comes back."""
    rng = np.random.default_rng(seed)
    names = list(POSITIONS)
    for _ in range(150):
        content: Any = position(names[rng.integers(len(names))])
        places = list(places_in(content))
        *way, last = places[rng.integers(len(places))]
        inner = content
        for key in way:
            inner = inner[key]
        inner[last] = WRONG[rng.integers(len(WRONG))]
        with suppress(StateError):
            assert to_dict(from_dict(content, load()), load()) == content


@pytest.mark.parametrize("seed", range(4))
def test_damaged_bytes_are_refused_or_valid(seed: int) -> None:
    rng = np.random.default_rng(seed)
    names = list(POSITIONS)
    for _ in range(100):
        state = state_of(position(names[rng.integers(len(names))]))
        state[rng.integers(STATE_SIZE, size=2)] = rng.integers(256, size=2)
        with suppress(StateError):
            check_state(state, load())
