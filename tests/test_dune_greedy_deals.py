"""What greedy considers in Dune when it deals: alliances, bids, predictions and the offers of the Bene Tleilax."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from dunaia_env.dune import GAME
from dunaia_env.dune.components import load
from dunaia_env.dune.evaluation.weights import SECOND_CARD, load_weights
from dunaia_env.harness.compiled.entry_points import write_preferences
from dunaia_env.harness.state import GameState, prepare
from tests.dune_positions import (
    ATREIDES,
    BENE_GESSERIT,
    EMPEROR,
    FREMEN,
    GUILD,
    HARKONNEN,
    SALE,
    TLEILAX,
    Content,
    moment,
    on_sale,
    place,
    position,
)

STRONGHOLDS = {0, 8, 37, 65, 79}  # cells
PROJECTILE, POISON, SHIELD, WORTHLESS, HAJR, CONE, KARAMA = 0, 1, 3, 6, 9, 14, 16
NOBODY = -1


def preferences(content: Content, weights: NDArray[np.float64] | None = None) -> dict[str, float]:
    """What the seat that decides prefers, by the texts of its actions; the position must stay as it is."""
    state = GameState.from_dict(content, game=GAME)
    legal = np.array(state.legal_actions(), np.int16)
    found = np.full(len(legal), np.nan)
    buffer = np.frombuffer(state.to_bytes(), np.uint8).copy()
    before = buffer.copy()
    table = prepare(GAME, evaluation=True)
    used = load_weights() if weights is None else weights
    write_preferences(table, buffer, load().buffer, used, legal, len(legal), found)
    assert (buffer == before).all()
    return dict(zip(map(GAME.action_text, legal.tolist()), found.tolist(), strict=True))


def best(content: Content) -> str:
    found = preferences(content)
    return max(found, key=found.__getitem__)


def placed(content: Content, tokens: dict[int, list[list[int]]]) -> Content:
    """The content with these tokens of some seats on the board, and the others of theirs in the reserve."""
    for seat, forces in tokens.items():
        player = content["players"][seat]
        player |= {"forces": forces, "reserve": 20 - sum(number for _, number in forces), "tanks": 0}
    return scored(content)


def allied(content: Content, *seats: int) -> Content:
    """The content with an alliance of some seats and no other one."""
    content["alliance"] = [min(seats) if seat in seats else NOBODY for seat in range(6)]
    return scored(content)


def scored(content: Content) -> Content:
    """The content with the scores that belong to its tokens and alliances: each side's strongholds."""
    held = [{cell for cell, _ in player["forces"]} & STRONGHOLDS for player in content["players"]]
    sides = content["alliance"]
    for seat in range(6):
        members = [other for other in range(6) if other == seat or sides[seat] == sides[other] != NOBODY]
        content["scores"][seat] = len(set().union(*(held[member] for member in members)))
    return content


def with_hand(content: Content, seat: int, *kinds: int) -> Content:
    """The content with a hand of these cards, exchanged with the deck."""
    player = content["players"][seat]
    for kind in player["hand"]:
        content["deck"][kind] += 1
    for kind in kinds:
        content["deck"][kind] -= 1
    player |= {"hand": sorted(kinds), "shown": [], "foreseen": []}
    return content


def seat_text(seat: int, other: int) -> str:
    return f"seat {(other - seat) % 6}"


# Alliances


def proposing(**options: Any) -> Content:
    """Fremen with Sietch Tabr may propose; Atreides hold two strongholds, Harkonnen one, and the others none."""
    content = moment("PROPOSE", "nexus", FREMEN, {"stack": [{"point": "drawing"}, {"point": "eat"}]}, **options)
    return placed(content, {ATREIDES: [[0, 5], [37, 5]], HARKONNEN: [[8, 10]], GUILD: [], EMPEROR: []})


def test_an_alliance_that_holds_enough_strongholds_is_proposed() -> None:
    found = preferences(proposing())
    assert best(proposing()) == seat_text(FREMEN, ATREIDES)
    assert found[seat_text(FREMEN, ATREIDES)] > found[seat_text(FREMEN, HARKONNEN)] > found[seat_text(FREMEN, EMPEROR)]


def test_an_alliance_that_needs_more_strongholds_is_worth_less() -> None:
    found = [preferences(proposing(alliance_strongholds=needed))[seat_text(FREMEN, ATREIDES)] for needed in (3, 4, 5)]
    assert found == sorted(found, reverse=True)
    assert found[0] > found[1] > found[2]


def test_strongholds_that_both_hold_count_once() -> None:
    content = proposing()
    apart = preferences(content)[seat_text(FREMEN, HARKONNEN)]
    together = placed(content, {HARKONNEN: [[65, 10]]})
    assert preferences(together)[seat_text(FREMEN, HARKONNEN)] < apart


def test_a_strong_ally_is_worth_more() -> None:
    content = proposing()
    strong = preferences(content)[seat_text(FREMEN, HARKONNEN)]
    content["players"][HARKONNEN] |= {"reserve": 0, "tanks": 10}
    assert preferences(content)[seat_text(FREMEN, HARKONNEN)] < strong


def test_spice_counts_only_if_it_can_be_seen() -> None:
    found: dict[bool, list[float]] = {}
    for is_open in (True, False):
        content = answering(HARKONNEN, FREMEN, open_shields=is_open)
        for spice in (0, 20):
            content["players"][HARKONNEN]["spice"] = spice
            found.setdefault(is_open, []).append(preferences(content)["yes"])
    assert found[True][0] < found[True][1]
    assert found[False][0] == found[False][1]


def test_a_side_that_would_refuse_gets_no_proposal() -> None:
    # Atreides and Harkonnen hold enough already, and a third winner would take a part of their share.
    content = allied(proposing(), ATREIDES, HARKONNEN)
    found = preferences(content)
    assert found[seat_text(FREMEN, ATREIDES)] == found[seat_text(FREMEN, HARKONNEN)] < 0


def answering(proposer: int, seat: int, **options: Any) -> Content:
    stack = [{"point": "drawing"}, {"point": "eat"}, {"point": "seats", "decision": "PROPOSE", "seat": proposer}]
    content = moment("ANSWER", "nexus", seat, {"stack": stack, "target": seat}, **options)
    return placed(content, {ATREIDES: [[0, 5], [37, 5]], HARKONNEN: [[8, 10]], GUILD: [], EMPEROR: []})


def test_a_proposal_is_answered_by_its_worth() -> None:
    assert best(answering(ATREIDES, FREMEN)) == "yes"
    winning = placed(answering(EMPEROR, ATREIDES), {ATREIDES: [[0, 5], [37, 5], [79, 5]]})
    assert best(winning) == "pass"


def test_the_danger_that_another_side_wins_makes_allies() -> None:
    content = answering(HARKONNEN, FREMEN, alliance_strongholds=4)
    calm = preferences(content)["yes"]
    danger = placed(copy.deepcopy(content), {ATREIDES: [[0, 5], [37, 5], [79, 5]], FREMEN: [], HARKONNEN: [[8, 10]]})
    # The side that holds enough is the one to join.
    rescue = placed(answering(ATREIDES, FREMEN), {ATREIDES: [[0, 5], [37, 5], [79, 5]], FREMEN: []})
    assert preferences(rescue)["yes"] > preferences(danger)["yes"]
    assert preferences(rescue)["yes"] > calm


def leaving(**options: Any) -> Content:
    content = moment("LEAVE", "nexus", FREMEN, {"stack": [{"point": "drawing"}, {"point": "eat"}]}, **options)
    return allied(placed(content, {ATREIDES: [], HARKONNEN: [[8, 10]], GUILD: [[79, 5]]}), FREMEN, GUILD)


def test_an_alliance_is_left_when_one_wins_alone_and_kept_when_it_wins() -> None:
    for needed in (3, 4):
        alone = placed(leaving(alliance_strongholds=needed), {FREMEN: [[0, 4], [37, 4], [65, 4]], GUILD: []})
        assert best(alone) == "yes"
    together = placed(leaving(), {FREMEN: [[0, 4], [65, 4]], GUILD: [[79, 5]]})
    assert best(together) == "pass"


def test_a_stronghold_is_not_held_against_an_ally() -> None:
    content = moment("MOVE_FROM", "movement", GUILD, actor=GUILD)
    content = allied(placed(content, {GUILD: [[79, 5]], ATREIDES: []}), GUILD, ATREIDES)
    held_alone = preferences(content)["territory 39"]
    content = placed(content, {ATREIDES: [[79, 5]]})
    assert preferences(content)["territory 39"] > held_alone


@pytest.mark.parametrize("decision", ["GIFT", "PLEDGE"])
def test_spice_that_is_not_kept_for_a_landing_is_shared(decision: str) -> None:
    content = position(decision)
    seat = content["seat"]
    content["players"][seat]["spice"] = 0 if decision == "GIFT" else 1
    content["players"][seat] |= {"spice": 20}
    rich = best(content)
    content["players"][seat] |= {"spice": 4}
    poor = best(content)
    assert int(rich.split()[1]) > int(poor.split()[1]) == 0


# Bids


def selling(seat: int, *hand: int, kind: int | None = None, **options: Any) -> Content:
    """A card is on sale; Atreides see it if a kind is given."""
    changes = SALE if kind is not None else {**SALE, "sight_stopped": True}
    content = with_hand(moment("BID", "bidding", seat, changes, **options), seat, *hand)
    return on_sale(content, PROJECTILE if kind is None else kind, seen=kind is not None)


def bid(content: Content, number: int = 1) -> float:
    return preferences(content)[f"number {number}"]


def test_an_unseen_card_is_worth_more_to_a_hand_without_weapon_and_defence() -> None:
    assert bid(selling(GUILD, HAJR, CONE)) > bid(selling(GUILD, 0, SHIELD))
    assert bid(selling(GUILD, 0, 0)) > bid(selling(GUILD, 0, SHIELD))


def test_a_seen_weapon_is_worth_most_to_a_hand_without_one_and_least_beside_an_equal_one() -> None:
    lacking, other, equal = (bid(selling(ATREIDES, first, 9, kind=POISON)) for first in (SHIELD, 0, POISON))
    assert lacking > other > equal


def test_nothing_is_paid_for_a_card_that_is_of_no_use() -> None:
    found = preferences(selling(ATREIDES, 0, SHIELD, kind=WORTHLESS))
    assert all(worth < 0 for text, worth in found.items() if text != "pass")
    assert best(selling(ATREIDES, 0, SHIELD, kind=WORTHLESS)) == "pass"
    # As a Karama, the same card is of use to Bene Gesserit.
    assert bid(selling(BENE_GESSERIT, 0, SHIELD)) > bid(selling(GUILD, 0, SHIELD)) - 5


def test_a_card_is_worth_less_to_a_full_hand_and_in_the_last_turn() -> None:
    assert bid(selling(GUILD, 0, SHIELD)) > bid(selling(GUILD, 0, SHIELD, HAJR))
    last = selling(GUILD, 0, SHIELD)
    last |= {"turn": last["options"]["max_turns"]}
    assert bid(last) < bid(selling(GUILD, 0, SHIELD))


def test_harkonnen_bid_for_their_second_card() -> None:
    weights = load_weights()
    weights[SECOND_CARD] = 0
    hand = (PROJECTILE, SHIELD, 8, HAJR, 12, 13)
    content = selling(HARKONNEN, *hand)
    assert bid(content) > preferences(content, weights)["number 1"]
    # There is no second card when the first one fills the hand.
    content = selling(HARKONNEN, *hand, CONE)
    assert bid(content) == preferences(content, weights)["number 1"]


def test_spice_for_a_landing_is_kept() -> None:
    content = selling(EMPEROR, 0, SHIELD)
    content["players"][EMPEROR] |= {"spice": 8}
    with_reserve = bid(content, 4)
    placed(content, {EMPEROR: [[44, 20]]})
    assert with_reserve < bid(content, 4)


def test_the_emperors_ally_bids_more() -> None:
    content = selling(GUILD, 0, SHIELD)
    alone = bid(content, 3)
    assert bid(allied(content, EMPEROR, GUILD), 3) > alone
    assert bid(allied(content, FREMEN, GUILD), 3) == alone


# Predictions


def test_bene_gesserit_predict_the_faction_that_wins_most() -> None:
    weights = dict(zip(("atreides", "harkonnen", "emperor", "fremen", "guild"), range(5), strict=True))
    found = preferences(position("PREDICT_WHO"))
    assert list(found) == [f"faction {faction}" for faction in weights.values()]
    assert max(found, key=found.__getitem__) != f"faction {EMPEROR}"
    assert len(set(found.values())) > 1


def test_bene_gesserit_do_not_stop_whom_they_predicted() -> None:
    content = moment("SHIP", "movement", BENE_GESSERIT, actor=BENE_GESSERIT)
    content = placed(content, {ATREIDES: [[0, 1], [37, 1], [65, 1]], FREMEN: [], GUILD: [], HARKONNEN: []})
    content["players"][BENE_GESSERIT]["spice"] = 20
    content["prediction"] = {"faction": ATREIDES, "turn": content["turn"]}
    predicted = preferences(content)["cell 0"]
    content["prediction"] = {"faction": ATREIDES, "turn": content["turn"] + 1}
    assert preferences(content)["cell 0"] > predicted


# The Bene Tleilax


def test_a_leader_that_is_sold_back_is_made_weaker_unless_its_owner_is_an_ally() -> None:
    content = position("TAMPER")
    assert best(content) == "number 0"
    assert best(allied(content, TLEILAX, FREMEN)) == "number 2"


def test_the_price_of_a_leader_is_what_its_owner_can_and_will_pay() -> None:
    content = position("PRICE")
    prices = []
    for spice in (0, 2, 30):
        content["players"][FREMEN]["spice"] = spice
        text = best(content)
        prices.append(0 if text == "pass" else int(text.split()[1]))
    assert prices[0] == 0
    assert 0 < prices[1] <= 2 < prices[2]
    accepting = position("ACCEPT")
    for price, answer in ((prices[2], "yes"), (prices[2] + 3, "pass")):
        accepting["pending"]["price"] = price
        accepting["players"][FREMEN]["spice"] = 30
        assert best(accepting) == answer


def test_a_seat_asks_for_its_strongest_dead_leader() -> None:
    content = position("BUY_BACK")
    for leader in (15, 17, 19):
        content["leaders"]["alive"][leader] = False
    assert best(content) == "leader 15"


def test_a_karama_saves_ones_own_leader_from_theft() -> None:
    content = position("KARAMA, steal")
    others = preferences(content)["karama"]
    assert others < 0
    own = copy.deepcopy(content)
    own["pending"]["leader"] = 22
    own["leaders"]["alive"][22] = False
    assert preferences(own)["karama"] > 0
    tampered = position("KARAMA, tamper")
    before = preferences(tampered)["karama"]
    tampered["pending"] |= {"leader": 22, "stack": [place("REVIVE", GUILD)]}
    assert preferences(tampered)["karama"] > before


def test_a_karama_stops_revival_when_many_tokens_would_return() -> None:
    content = moment("REVIVAL_CARDS", "revival", TLEILAX, tleilax=True, karama_powers=True)
    with_hand(content, TLEILAX, KARAMA)
    few = copy.deepcopy(content)
    few["players"][FREMEN] |= {"reserve": 9, "tanks": 1}
    for seat in (ATREIDES, HARKONNEN, FREMEN, GUILD):
        player = content["players"][seat]
        player |= {"reserve": player["reserve"] - 5, "tanks": 5}
    assert preferences(content)["karama"] > preferences(few)["karama"]


def test_bene_tleilax_lose_little_with_a_token() -> None:
    content = moment("SHIP", "movement", TLEILAX, actor=TLEILAX, tleilax=True)
    content["players"][TLEILAX] |= {"spice": 20}
    found = preferences(content)
    other = moment("SHIP", "movement", EMPEROR, actor=EMPEROR)
    other["players"][EMPEROR] |= {"spice": 20}
    # Against the same defenders, an attack is worth more to them, and the Face Dancer is as strong as the leader there.
    assert found["cell 0"] > preferences(other)["cell 0"]


def test_the_face_dancer_is_as_strong_as_the_leader_against_it() -> None:
    content = moment("SHIP", "movement", TLEILAX, actor=TLEILAX, tleilax=True)
    content["players"][TLEILAX] |= {"spice": 20}
    against_strong = preferences(content)["cell 0"]
    for leader in (0, 1, 2):
        content["leaders"]["alive"][leader] = False
    assert preferences(content)["cell 0"] == against_strong
