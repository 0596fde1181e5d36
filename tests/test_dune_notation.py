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

from dunaia_env.dune.components import load, parse
from dunaia_env.dune.consistency import StateError
from dunaia_env.dune.notation import check_state, from_dict, to_dict
from dunaia_env.dune.pending import KEYS
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
    with pytest.raises(StateError, match=re.escape("leaders.owner[16] = 2; 3 is needed")):
        state_of(content)


# Position, path of a value, its new value (None removes the key), and the error.
FAULTS: list[tuple[str, str, Any, str]] = [
    # Keys, kinds and ranges
    ("BID", "storm", None, "storm is missing"),
    ("BID", "colour", 3, "colour: unknown key"),
    ("BID", "players.0.colour", 3, "players[0].colour: unknown key"),
    ("BID", "players.2.hand", None, "players[2].hand is missing"),
    ("BID", "players", [], "players = []; a list of 2 to 6 entries is needed"),
    ("BID", "players.1", 7, "players[1] = 7; an object is needed"),
    ("BID", "seat", 6, "seat = 6; an integer in 0..5 is needed"),
    ("BID", "decision", "BUY", "decision = 'BUY'; one of PREDICT_WHO, PREDICT_TURN"),
    ("BID", "phase", "harvest", "phase = 'harvest'; one of setup, storm"),
    ("BID", "storm", 18, "storm = 18; an integer in 0..17 is needed"),
    ("BID", "storm", True, "storm = True; an integer in 0..17 is needed"),
    ("BID", "shield_wall", 1, "shield_wall = 1; true or false is needed"),
    ("BID", "spice.0", [49], "spice[0] = [49]; a pair of integers is needed"),
    ("BID", "spice.0.1", 0, "spice[0][1] = 0; an integer in 1..32767 is needed"),
    ("BID", "spice", [[49, 1], [7, 2]], "spice = [[49, 1], [7, 2]]; an ascending list without repetition"),
    ("BID", "deck.3", -1, "deck[3] = -1; an integer in 0..43 is needed"),
    ("BID", "players.0.hand", [5, 3], "players[0].hand = [5, 3]; an ascending list is needed"),
    ("BID", "players.0.discs", [0, 6, 6, 12], "players[0].discs = [0, 6, 6, 12]; an ascending list without repetition"),
    ("BID", "players.0.laid", 7, "players[0].laid = 7; -1, 6 or 15 is needed"),
    (
        "BID",
        "truths.0",
        [1, 2, "card 16"],
        "truths[0] = [1, 2, 'card 16']; a list of asker, target, question and answer",
    ),
    ("BID", "truths.0.2", "pass", "truths[0][2] = 'pass'; the text of a question is needed"),
    ("BID", "truths.0.3", 0, "truths[0][3] = 0; true or false is needed"),
    ("BID", "truths.0.1", 1, "truths: seat 1 asks itself; another seat is needed"),
    ("BID", "leaders.alive.4", 1, "leaders.alive[4] = 1; true or false is needed"),
    ("BID", "leaders.change.4", 2, "leaders.change[4] = 2; an integer in -1..1 is needed"),
    ("BID", "prediction.turn", 16, "prediction.turn = 16; an integer in 1..15 is needed"),
    ("BID", "options.deck", 40, "options.deck = 40; 43 or 33 is needed"),
    ("BID", "options.deck", None, "options.deck is missing"),
    ("BID", "options.colour", 1, "options.colour: unknown key"),
    # Course and table
    ("BID", "over", True, "over = True; false, for the decision is BID, is needed"),
    ("BID", "how", "guild", "how: a game that is over has ended somehow, and no other"),
    ("BID", "winners", [1], "winners: a game that is over has them unless nobody won, and no other"),
    ("OVER", "winners", [], "winners: a game that is over has them unless nobody won, and no other"),
    ("OVER", "seat", 0, "seat = 0; -1 is needed"),
    ("BID", "turn", 0, "turn = 0; 1..15 is needed in this phase"),
    ("PLACE", "turn", 1, "turn = 1; 0 is needed in this phase"),
    ("BID", "options.max_turns", 1, "turn = 2; 1..1 is needed in this phase"),
    ("BID", "wheels", [1, 1], "wheels = [1, 1]; two different seats is needed"),
    ("PLACE", "wheels", [0, 5], "wheels = [0, 5]; [-1, -1] during set-up is needed"),
    ("PLACE", "last_blow", 24, "last_blow = 24; -1 is needed during set-up"),
    ("BID", "last_blow", 0, "last_blow = 0; a territory of a spice card or -1 is needed"),
    ("BID", "actor", 2, "actor = 2; a seat is needed in movement and battle, -1 in other phases"),
    ("SHIP", "actor", -1, "actor = -1; a seat is needed in movement and battle"),
    ("BID", "players.1.faction", 0, "players[1].faction = 0; it is at the table already"),
    ("BID", "players.1.faction", 6, "players[1].faction = 6; it plays only with the option tleilax"),
    ("BID", "players.1.dot", 5, "players[1].dot = 5; 4 is needed"),
    ("BID", "options.powers", False, "foreseen_spice = 3; nobody foresees cards at this table"),
    ("BUY_BACK", "options.powers", False, "options.tleilax = True; it is false with two players"),
    ("GIFT", "alliance", [0, -1, -1, -1, -1, -1], "alliance[0] = 0; the lowest seat of at least two members is needed"),
    ("GIFT", "alliance", [-1, -1, 4, -1, 4, -1], "alliance[2] = 4; the lowest seat of at least two members is needed"),
    ("GIFT", "options.alliances", False, "alliance[2] = 2; the option alliances is false"),
    ("VOICE", "options.max_alliance", 2, "alliance[0]: 3 members; max_alliance is 2"),
    ("BID", "players.1.pledge", 2, "players[1].pledge = 2; only allies pledge"),
    # Every piece in one place
    (
        "BID",
        "players.0.reserve",
        9,
        "players[0]: 10 tokens on the board, 9 in the reserve and 0 in the tanks; 20 in all",
    ),
    ("BID", "players.2.forces", [[5, 1]], "players[2]: 1 tokens on the board, 20 in the reserve"),
    ("BID", "spice_deck.2", 0, "spice card 2: 0 in spice_deck, spice_discards and foreseen_spice; 1 are needed"),
    ("BID", "spice_discards.15", 1, "spice card 15: 7 in spice_deck"),
    ("BID", "foreseen_spice", -1, "spice card 3: 0 in spice_deck"),
    ("BID", "deck.9", 0, "cards of kind 9 (hajr): 0 in deck, discards, hands and other places; 1 are needed"),
    ("BID", "sale", 2, "cards of kind 1 (poison_weapon): 4 in deck"),
    ("BID", "top", 8, "cards of kind 8 (weather_control): 2 in deck"),
    ("BID", "hidden_discards.6", 0, "cards of kind 6 (worthless): 6 in deck"),
    ("BID", "players.4.hand", [0], "cards of kind 16 (karama): 1 in deck"),
    ("BID", "options.deck", 33, "cards of kind 0 (projectile_weapon): 5 in deck"),
    ("PRESCIENCE", "players.3.hand", [1, 3], "cards of kind 1 (poison_weapon): 6 in deck"),
    ("BID", "removed.3", 1, "removed: a card of kind 3; only kind 11 leaves the game"),
    ("BID", "shield_wall", False, "shield_wall = false; it stands until the atomics are used"),
    ("WEATHER", "sale", 3, "sale = 3; -1 is needed outside bidding"),
    ("WEATHER", "top_seen", True, "top_seen = true; it is true only of a card that Atreides saw"),
    ("BID", "players.1.shown", [3], "players[1].shown: 1 cards of kind 3; 0 are in the hand"),
    ("BID", "players.1.foreseen", [0, 0], "players[1].foreseen: 2 cards of kind 0; 1 are in the hand"),
    ("BID", "players.0.foreseen", [3], "players[0].foreseen: only Atreides foresees cards, those of others"),
    ("BID", "players.4.laid_on", -1, "players[4].laid_on = -1; a laid card lies on another seat"),
    ("BID", "players.4.laid_on", 4, "players[4].laid_on = 4; a laid card lies on another seat"),
    ("BID", "players.4.debts", [0, 0, 0, 0, 1, 0], "players[4].debts[4] = 1; nobody owes himself"),
    ("BID", "players.4.debts", [0, 3, 0, 0, 0, 0], "players[4].spice = 5; who owes spice has none"),
    ("BUY_BACK", "players.2.reviving", True, "players[2].reviving = true; it is false for tleilax"),
    ("BUY_BACK", "players.2.tanks", 2, "players[2]: 0 tokens on the board, 20 in the reserve and 2 in the tanks"),
    ("BID", "leaders.owner.3", 1, "leaders.owner[3] = 1; 0 is needed"),
    ("BID", "leaders.alive.30", True, "leaders.alive[30]: the leader's faction does not play"),
    ("BUY_BACK", "leaders.used.12", 3, "leaders.used[12]: the leader's faction does not play"),
    ("BID", "leaders.returned.3", True, "leaders.returned[3]: it is kept only with the option tleilax"),
    ("BUY_BACK", "leaders.change.30", 1, "leaders.change[30]: nobody changes the Face Dancer"),
    ("BID", "players.0.discs", [0, 6, 12], "players[0].discs: 3; 4 are needed"),
    ("BID", "players.1.discs", [0, 1, 7, 13], "players[1].discs: leader 0 is in two places"),
    ("BID", "players.0.traitors", [0], "players[0].traitors: leader 0 is none of its discs that count"),
    ("BID", "players.0.traitors", [6, 12], "players[0].traitors: 2; 1 are needed at this moment"),
    ("BID", "players.1.traitors", [1], "players[1].traitors: 1; 3 are needed at this moment"),
    ("TRAITOR", "players.4.traitors", [4], "players[4].traitors: 1; 0 are needed at this moment"),
    ("BID", "prediction", "null", "prediction = 'null'; an object is needed"),
    ("BID", "prediction.faction", 5, "prediction.faction = 5; another faction at the table is needed"),
    ("BID", "prediction.faction", 6, "prediction.faction = 6; another faction at the table is needed"),
    ("BID", "scores", [1, 1, 0, 1, 1, 1], "scores = [1, 1, 0, 1, 1, 1]; the state is worth [1, 1, 0, 1, 1, 0]"),
    # The moment
    ("WEATHER", "phase", "blow", "decision = 'WEATHER'; one of BLOW_CARDS, WORM"),
    ("BID", "pending.bidder", -1, "pending.bid = 3; a bid has a bidder, and no bid has none"),
    ("BID", "pending.opener", None, "pending.opener is missing"),
    ("BID", "pending.colour", 1, "pending.colour: unknown key"),
    ("BID", "pending.field", 8, "pending.field: it does not go with BID in the phase bidding"),
    ("BID", "pending.sight_stopped", False, "pending.sight_stopped = False; true, or no such key, is needed"),
    ("BID", "pending.draws", {}, "pending.draws = {}; a count, or no such key, is needed"),
    ("BID", "pending.draws", {"dial": 1}, "pending.draws"),
    ("BID", "pending.draws", {"spice": 30000}, "pending.draws.spice = 30000; at most"),
    ("BID", "pending.draws", {"swap": 1000}, "pending.draws.swap = 1000; at most"),
    ("BID", "pending.draws", {"sale": 7}, "pending.draws.sale = 7; at most"),
    ("BID", "pending.draws", {"sale": 3, "bonus": 4}, "pending.draws.bonus = 4; at most 2 are possible by now"),
    ("BID", "pending.stack", [], "pending.stack = []; a list of 1 to 3 entries is needed"),
    ("BID", "pending.stack", [{"point": "eat"}], "pending.stack = [eat]; [] is needed in BID"),
    ("BID", "pending.power", "tame", "pending.power: it goes with KARAMA, not with BID"),
    ("OVER", "pending", {"draws": {"spice": 3}}, "pending.draws: it does not go with OVER in the phase over"),
    ("ANSWER", "pending.target", None, "pending.target is missing; ANSWER needs it"),
    ("ANSWER", "pending.stack.2.seat", None, "pending.stack[2].seat: seats holds decision, seat besides the point"),
    ("ANSWER", "pending.stack.0.seat", 3, "pending.stack[0].seat: drawing holds nothing besides the point"),
    ("ANSWER", "pending.stack.2.decision", "RANSOM", "[drawing, eat, seats PROPOSE] is needed in ANSWER"),
    ("PAY", "pending.stack.0.point", "door", "pending.stack[0].point = 'door'; one of window, seats"),
    ("RIDE", "seat", 2, "seat = 2; fremen is asked in RIDE"),
    ("SHIP", "seat", 3, "seat = 3; 2, the actor, is needed in SHIP"),
    ("LEADER", "seat", 4, "seat = 4; 1 or 3, a battler, is needed in LEADER"),
    ("LOSS", "pending.winner", 3, "seat = 1; 3, the winner of the battle, is needed in LOSS"),
    ("LOSS", "pending.cell", 44, "pending.cell = 44; a cell with tokens of the winner in pending.field is needed"),
    ("VOICE", "pending.defender", 1, "pending.defender = 1; another seat than the actor is needed"),
    ("TRUTH", "pending.target", 1, "pending.target = 1; another seat than 1 is needed"),
    ("LAY_WHO", "pending.card", 7, "pending.card = 7 (truthtrance); 6 or 15 is needed"),
    ("GHOLA", "pending.card", 7, "pending.card = 7 (truthtrance); 10 or 16 is needed"),
    ("COUNT", "pending.cell", 80, "pending.cell = 80; a cell of pending.origin is needed"),
    ("PLACE", "pending.cell", 44, "pending.cell = 44; a cell in which Fremen may begin is needed"),
    ("MOVE_TO", "pending.taken", [[44, 2]], "pending.taken = [[44, 2]]; cells of pending.origin is needed"),
    ("MOVE_TO", "pending.taken", [], "pending.taken = []; a number of tokens, or no such key, is needed"),
    ("DIAL", "pending.dials", [-1, -1], "pending.dials = [-1, -1]; a dial, or no such key, is needed"),
    ("ATOMICS, weather", "pending.weather_seat", None, "pending.weather: a number and who chose it stand together"),
    ("KARAMA, tame", "pending.worm", None, "pending.worm is missing; KARAMA needs it"),
    ("KARAMA, worthless, tame", "pending.worm", None, "pending.worm is missing; KARAMA needs it"),
    ("KARAMA, tame", "pending.user", 2, "pending.user = 2; 3, whose power tame is, is needed"),
    ("KARAMA, tame", "seat", 3, "seat = 3; neither the power's user, 3, nor an ally is asked"),
    ("KARAMA, voice", "seat", 0, "seat = 0; neither the power's user, 5, nor an ally is asked"),
    ("KARAMA, voice", "pending.voice", "see 1", "pending.voice = 'see 1'; one of must 0"),
    ("KARAMA, shipment", "seat", 3, "seat = 3; the guild is asked about a shipment"),
    ("KARAMA, sight", "pending.power", "future", "pending.power: no question about it is asked in the phase bidding"),
    (
        "KARAMA, worthless, sight",
        "pending.stack",
        None,
        "a question about a worthless card stands on buy, halve or stop",
    ),
    ("KARAMA, worthless, sight", "pending.stack.0.power", "accompany", "'accompany'; no worthless card stops it"),
    ("KARAMA, worthless, buy", "pending.stack.0.seat", 1, "pending.stack[0].seat = 1; 5, the user, is needed"),
    ("PRESCIENCE", "pending.plans.1.weapon", 3, "pending.plans[1].weapon = 3; -1 or one of 0, 1, 2, 6 is needed"),
    ("PRESCIENCE", "pending.plans.1.leader", 5, "pending.plans[1].leader = 5; a leader of seat 3"),
    ("PRESCIENCE", "pending.plans.1.hero", True, "pending.plans[1].leader = 17; -1, for a cheap hero takes the place,"),
    ("LEADER, foreseen", "pending.plans.1.defence", None, "pending.plans[1]: its parts are chosen in the order"),
    ("NUMBER", "pending.plans.1.defence", None, "pending.plans[1]: 2 parts are chosen; 3 are needed in NUMBER"),
    ("LOSS", "pending.plans.0.number", None, "pending.plans[0]: plans that are shown are complete"),
    ("LEADER, foreseen", "pending.element", None, "pending.element_shown: no element was asked"),
    ("PREDICT_TURN", "pending.faction", None, "pending.faction: it is named in PREDICT_WHO and needed in PREDICT_TURN"),
    ("PREDICT_TURN", "prediction", {"faction": 1, "turn": 2}, "prediction: null is needed at this moment"),
    # What is pending, against board, hands and stack
    ("MOVE_TO", "pending.taken", [[79, 6]], "pending.taken = [79, 6]; 0..5 tokens of this cell is needed"),
    ("COUNT", "decision", "SHIP_COUNT", "pending.origin: it does not go with SHIP_COUNT in the phase movement"),
    ("PAY", "pending.stack.0.seat", 3, "pending.stack[0].seat = 3; a seat with a card on seat 0 is needed"),
    ("BID", "players.0.spice", 32767, "on the board and in players[*].spice;"),
    ("BID", "spice", [[8, 2]], "spice: 2 in cell 8; it lies in cells of spice cards only"),
    ("BID", "players.2", {"spice": 0, "debts": [900, 0, 0, 0, 0, 0]}, "players[2].debts = [900, 0, 0, 0, 0, 0]; 24"),
    ("LEAVE", "players.3.pledge", 2, "players[3].pledge = 2; 0 is needed before bidding"),
    ("WEATHER", "turn", 1, "spice_deck: all spice cards are in it before the first blow"),
    ("BID", "pending.bid", 30, "pending.bid = 30; 0..10, the funds of seat 1, is needed"),
    ("BID", "silenced", [4], "seat = 4; a seat that is not silenced and holds fewer cards than it may"),
    ("POISONED", "pending.stack.0.seat", 2, "pending.stack[0].seat = 2; 4, the asked seat, is needed"),
    ("LEAVE", "alliance", [-1] * 6, "alliance[3] = -1; an alliance is needed in LEAVE"),
    ("ANSWER", "seat", 4, "seat = 4; a member of the side of 1, the target, is needed"),
    ("ANSWER", "options.max_alliance", 2, "pending.target = 1; max_alliance is 2, and its side has 2"),
    ("NEXUS_CARDS", "turn", 1, "turn = 1; 2 or more is needed"),
    ("HARVESTER", "last_blow", -1, "last_blow = -1; a territory for HARVESTER is needed"),
    ("CONE", "silenced", [], "pending.coned = true; a silenced seat is needed"),
    ("DIAL", "seat", 0, "pending.dials = [2, -1]; the wheels of [0, 5] are dialled in this order, up to seat 0"),
    ("DIAL", "pending.dials", [9, -1], "pending.dials = [9, -1]; 1..3 in this turn is needed"),
    ("ATOMICS", "pending.dials", [2, -1], "two dials, or a number of Weather Control, is needed in ATOMICS"),
    ("TRUTH_WHO", "phase", "bidding", "pending.stack = [drawing, eat, window NEXUS_CARDS]; [window BIDDING_CARDS]"),
    ("GIFT", "pending.target", 0, "pending.target = 0; an ally of seat 2 is needed"),
    ("RANSOM", "seat", 0, "players[0].laid = -1; a laid card is needed in RANSOM"),
    ("KARAMA, tame", "seat", 2, "seat = 2; a seat that holds a Karama is needed in KARAMA"),
    ("PRICE", "pending.leader", 18, "pending.leader = 18; a dead leader of seat 3 is needed"),
    ("TAMPER", "pending.leader", 5, "pending.leader = 5; a living leader of seat 3 is needed"),
    ("REVIVE", "pending.freed", 9, "pending.freed = 9; 0..2 is needed"),
    ("GIVE", "pending.left", 3, "pending.left = 3; 1..2 by the two hands is needed"),
    ("ACCOMPANY", "pending.stack.0.seat", 4, "pending.stack[0].seat = 4; 2, the actor, is needed"),
    ("SHIP_COUNT", "players.2.spice", 0, "pending.cell = 44; a token costs 2, and seat 2 has 0"),
    ("OPPONENT", "pending.field", 43, "pending.field = 43; a field in which seat 1 has to fight somebody is needed"),
    ("NUMBER", "pending.plans.1.leader", 30, "pending.plans[1].leader = 30; a leader of seat 3"),
    ("PRESCIENCE", "pending.plans.1.number", 11, "pending.plans[1].number = 11; 0..10, the tokens in the field,"),
    ("TREASON", "seat", 3, "seat = 3; 1, who knows the traitor, is needed"),
    ("LOSS", "pending.left", 3, "pending.left = 3; 1..2 is needed"),
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
    with pytest.raises(StateError, match="sale = 1; -1, for no card is on sale in BIDDING_CARDS, is needed"):
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
    with pytest.raises(StateError, match="an object is needed"):
        from_dict(content, load())


def test_a_missing_prediction_is_named() -> None:
    content = position("BID")
    content["prediction"] = None
    with pytest.raises(StateError, match="prediction: one is needed at this moment"):
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
        StateError, match="spice card 15: 6 in spice_deck, spice_discards and foreseen_spice; 5 are needed"
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
