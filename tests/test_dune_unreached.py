"""Positions of Dune that recorded games do not reach, each made by hand: what is asked, what follows, who sees it."""

from __future__ import annotations

import copy
from typing import Any

import pytest

from dunaia_env import GameState
from dunaia_env.dune import GAME, action_text
from dunaia_env.dune.components import load
from dunaia_env.harness.compiled.chance import Tape
from tests.dune_positions import (
    ATREIDES,
    BENE_GESSERIT,
    EMPEROR,
    FREMEN,
    GUILD,
    HARKONNEN,
    TLEILAX,
    Content,
    move_card,
    position,
)

KARAMA, WORM = 16, 15  # a treachery card, a spice card
SPICE_CARDS: list[int] = load().record[0]["spice_cards"].tolist()
HABBANYA_ERG, IMPERIAL_BASIN, OLD_GAP, SIETCH_TABR = 16, 22, 24, 32


def play(content: Content, *answers: tuple[int, str, str], draws: list[tuple[int, int]] | None = None) -> GameState:
    """The state after answers, each with the seat and the decision that are asked."""
    state, tape = GameState.from_dict(content, game=GAME), Tape(draws or [])
    for seat, decision, answer in answers:
        assert (state.seat, state.decision) == (seat, decision)
        state.apply(answer, tape)
    assert tape.left == 0
    return state


def asked(state: GameState) -> tuple[int, str, list[str]]:
    """The asked seat, its decision and the texts of its legal actions."""
    return state.seat, state.decision, [action_text(action) for action in state.legal_actions()]


def with_forces(content: Content, forces: dict[int, list[list[int]]]) -> Content:
    """A position with these tokens of some seats on the board; what stood there or is missing is in the reserve."""
    changed = copy.deepcopy(content)
    for seat, cells in forces.items():
        player = changed["players"][seat]
        player |= {"forces": cells, "reserve": 20 - player["tanks"] - sum(tokens for _, tokens in cells)}
    return changed


def with_karama(content: Content, seat: int) -> Content:
    """A position in which a seat holds a Karama beside its other cards."""
    changed = copy.deepcopy(content)
    changed["deck"][KARAMA] -= 1
    changed["players"][seat]["hand"].append(KARAMA)
    return changed


def sees(one: GameState, other: GameState) -> set[int]:
    """The seats whose observations tell two states apart."""
    return {
        seat for seat in range(one.num_players) if one.observation(seat).tobytes() != other.observation(seat).tobytes()
    }


def part(state: GameState, *keys: str) -> list[Any]:
    content = state.to_dict()
    return [content[key] for key in keys]


# Worms called by a Karama


def called_worm() -> Content:
    """Fremen choose: tokens in the storm and on rock, tokens of others on sand, and spice."""
    return with_forces(position("WORM"), {FREMEN: [[26, 1], [65, 9]], ATREIDES: [[0, 9], [33, 1]], EMPEROR: [[44, 1]]})


def test_worm__is_offered_where_it_can_eat_or_be_ridden() -> None:
    """Not where Fremen stand in the storm, nor where only others stand on rock, in a stronghold or at the pole."""
    places = (HABBANYA_ERG, IMPERIAL_BASIN, OLD_GAP, SIETCH_TABR)
    assert asked(play(called_worm())) == (FREMEN, "WORM", [f"territory {place}" for place in places])
    allied = called_worm() | {"alliance": [0, -1, -1, 0, -1, -1], "scores": [2, 1, 0, 2, 1, 0]}
    offered = asked(play(allied))[2]
    assert offered == [f"territory {place}" for place in places if place != HABBANYA_ERG]


def test_worm__eats_at_once_without_a_nexus_and_before_the_pile() -> None:
    before = play(called_worm())
    after = play(called_worm(), (FREMEN, "WORM", f"territory {HABBANYA_ERG}"))
    atreides = after.to_dict()["players"][ATREIDES]
    assert (atreides["forces"], atreides["tanks"]) == ([[0, 9]], 1)
    # Fremen hold no other Karama, so that the foreseen card follows: six spice in Funeral Plain, and no Harvester.
    assert part(after, "spice", "last_blow", "foreseen_spice") == [[[31, 6], [49, 6]], 14, -1]
    assert asked(after)[:2] == (EMPEROR, "BIDDING_CARDS")
    assert sees(before, after) == {*range(6)}
    # A worm from the pile is still the first one of the phase.
    content = called_worm()
    content["foreseen_spice"], content["spice_deck"] = WORM, without(7, WORM)
    assert asked(play(content, (FREMEN, "WORM", f"territory {HABBANYA_ERG}")))[:2] == (HARKONNEN, "PROPOSE")


def test_worm__on_rock_is_only_ridden() -> None:
    choice = (FREMEN, "WORM", f"territory {SIETCH_TABR}")
    question = play(called_worm(), choice)
    assert asked(question) == (GUILD, "KARAMA", ["pass", "karama"])
    passed = [(GUILD, "KARAMA", "pass"), (BENE_GESSERIT, "KARAMA", "pass")]
    ride = play(called_worm(), choice, *passed)
    assert asked(ride) == (FREMEN, "RIDE", ["pass", f"territory {SIETCH_TABR}"])
    stopped = play(called_worm(), choice, (GUILD, "KARAMA", "karama"))
    assert asked(stopped)[:2] == (EMPEROR, "BIDDING_CARDS")
    for state in (question, ride, stopped):
        assert state.to_dict()["players"][FREMEN]["forces"] == [[26, 1], [65, 9]]
    assert stopped.to_dict()["discards"][KARAMA] == 1


def test_blow__fremen_call_a_worm_while_a_thumper_waits() -> None:
    """The called worm is not the first one of the phase: the thumper's worm still calls the nexus."""
    content = with_karama(position("BLOW_CARDS"), FREMEN)
    before = play(content)
    assert asked(before) == (FREMEN, "BLOW_CARDS", ["pass", "karama"])
    spent = play(content, (FREMEN, "BLOW_CARDS", "karama"))
    assert asked(spent) == (FREMEN, "WORM", [f"territory {OLD_GAP}", f"territory {SIETCH_TABR}"])
    assert spent.to_dict()["discards"][KARAMA] == 1
    assert spent.to_dict()["players"][FREMEN]["hand"] == [1, 3]
    assert sees(before, spent) == {*range(6)}
    nexus = play(content, (FREMEN, "BLOW_CARDS", "karama"), (FREMEN, "WORM", f"territory {OLD_GAP}"))
    assert (nexus.seat, nexus.decision) == (HARKONNEN, "PROPOSE")
    assert part(nexus, "phase", "spice", "last_blow") == ["nexus", [], OLD_GAP]
    # Without the Karama there is nothing to play: only the thumper's worm comes, after the nexus.
    passed = play(content, (FREMEN, "BLOW_CARDS", "pass"))
    assert (passed.seat, passed.decision, part(passed, "spice")) == (HARKONNEN, "PROPOSE", [[[49, 6]]])


# Rides, and a Karama against them


def worm_from_the_pile(decision: str) -> Content:
    """A worm in Habbanya Erg, where five Fremen tokens stand, and one of the Emperor if it has not eaten yet."""
    eaten: list[list[int]] = [] if decision == "RIDE" else [[34, 1]]
    content = with_forces(position(decision), {FREMEN: [[33, 3], [34, 2], [65, 5]], EMPEROR: eaten})
    content["pending"] |= {"worm": HABBANYA_ERG}
    return content | {"last_blow": HABBANYA_ERG}


def test_ride__declined_leaves_the_tokens_where_they_are() -> None:
    content = worm_from_the_pile("RIDE")
    before = play(content)
    assert asked(before) == (FREMEN, "RIDE", ["pass", f"territory {HABBANYA_ERG}"])
    after = play(content, (FREMEN, "RIDE", "pass"))
    assert after.to_dict()["players"] == before.to_dict()["players"]
    # Cards are drawn until a territory comes: the foreseen one. The worm and its mark are over.
    assert part(after, "last_blow", "spice", "pending") == [14, [[31, 6], [49, 6]], {}]
    assert asked(after)[:2] == (EMPEROR, "BIDDING_CARDS")
    # The worm's territory is told only to Fremen, and only while they are asked.
    elsewhere = copy.deepcopy(content)
    elsewhere["pending"]["worm"] = SIETCH_TABR
    assert sees(before, play(elsewhere)) == {FREMEN}
    assert sees(after, play(elsewhere, (FREMEN, "RIDE", "pass"))) == set()


def test_karama__against_a_worm_kills_fremen_too() -> None:
    content = worm_from_the_pile("KARAMA, tame")
    before = play(content)
    assert asked(before) == (GUILD, "KARAMA", ["pass", "karama"])
    stopped = play(content, (GUILD, "KARAMA", "karama"))
    players = stopped.to_dict()["players"]
    assert [(players[seat]["forces"], players[seat]["tanks"]) for seat in (EMPEROR, FREMEN)] == [
        ([], 1),
        ([[65, 5]], 5),
    ]
    assert players[GUILD]["hand"] == [0]
    assert asked(stopped)[:2] == (EMPEROR, "BIDDING_CARDS")  # no ride
    assert sees(before, stopped) == {*range(6)}
    spared = play(content, (GUILD, "KARAMA", "pass"), (BENE_GESSERIT, "KARAMA", "pass"))
    assert spared.to_dict()["players"][FREMEN]["forces"] == [[33, 3], [34, 2], [65, 5]]
    assert spared.to_dict()["players"][EMPEROR]["tanks"] == 1
    assert asked(spared) == (FREMEN, "RIDE", ["pass", f"territory {HABBANYA_ERG}"])


def test_karama__that_a_worthless_card_stands_for_is_stopped_itself() -> None:
    """Both cards are lost, and Bene Gesserit, who has no other, lets the worm be tame."""
    content = worm_from_the_pile("KARAMA, tame")
    content["players"][GUILD]["hand"], content["deck"][KARAMA] = [0], content["deck"][KARAMA] + 1
    content["seat"] = BENE_GESSERIT
    content = with_karama(content, ATREIDES)
    after = play(content, (BENE_GESSERIT, "KARAMA", "karama"), (ATREIDES, "KARAMA", "karama"))
    assert asked(after)[:2] == (FREMEN, "RIDE")
    discards = after.to_dict()["discards"]
    assert (discards[6], discards[KARAMA]) == (1, 1)
    assert after.to_dict()["players"][BENE_GESSERIT]["hand"] == [4, 10]


# Prescience


def numbered(content: Content, number: int) -> Content:
    """A battle in which Fremen's hidden plan has another number."""
    changed = copy.deepcopy(content)
    changed["pending"]["plans"][1]["number"] = number
    return changed


def tells(content: Content, *answers: tuple[int, str, str]) -> set[int]:
    """The seats other than Fremen that know the number of Fremen's plan after answers."""
    return sees(play(content, *answers), play(numbered(content, 4), *answers)) - {FREMEN}


def test_karama__against_prescience_shows_nothing() -> None:
    content = position("KARAMA, prescience")
    assert asked(play(content)) == (GUILD, "KARAMA", ["pass", "karama"])
    stopped, works = (GUILD, "KARAMA", "karama"), (GUILD, "KARAMA", "pass")
    for answer, knowing in ((stopped, set()), (works, {ATREIDES, HARKONNEN})):
        after = play(content, answer)
        assert asked(after)[:2] == (HARKONNEN, "LEADER")  # the second plan; there is no other question
        assert after.to_dict()["pending"]["element"] == "number"
        assert after.to_dict()["pending"].get("element_shown", False) == bool(knowing)
        assert tells(content, answer) == knowing
    assert tells(content) == set()
    assert play(content, stopped).to_dict()["discards"][KARAMA] == 1


def test_karama__of_atreides_shows_the_whole_plan_and_cannot_be_stopped() -> None:
    content = position("PRESCIENCE")
    content["options"]["karama_powers"] = True
    assert asked(play(content))[2] == ["pass", *(f"see {element}" for element in range(4))]
    content = with_karama(content, ATREIDES)
    before = play(content)
    assert asked(before) == (ATREIDES, "PRESCIENCE", ["pass", "karama", *(f"see {element}" for element in range(4))])
    answer = (ATREIDES, "PRESCIENCE", "karama")
    after = play(content, answer)  # the Guild holds a Karama and is not asked
    assert asked(after)[:2] == (HARKONNEN, "LEADER")
    assert after.to_dict()["pending"]["element"] == "all"
    assert after.to_dict()["pending"]["element_shown"] is True
    assert after.to_dict()["discards"][KARAMA] == 1
    assert after.to_dict()["players"][ATREIDES]["hand"] == [3, 5]
    assert tells(content, answer) == {ATREIDES, HARKONNEN}
    assert sees(before, after) == {*range(6)}


# Theft


def test_theft__stopped_leaves_the_leader_and_loses_the_ghola() -> None:
    content = position("KARAMA, steal")
    before = play(content)
    assert asked(before) == (GUILD, "KARAMA", ["pass", "karama"])
    stopped = play(content, (GUILD, "KARAMA", "karama"))
    leaders = stopped.to_dict()["leaders"]
    assert (leaders["owner"][16], leaders["alive"][16], leaders["returned"][16]) == (FREMEN, False, False)
    # The window is over, nobody else can play a card, and Fremen may still buy both of their dead leaders back.
    assert asked(stopped) == (FREMEN, "BUY_BACK", ["pass", "leader 16", "leader 17"])
    discards = [state.to_dict()["discards"] for state in (before, stopped)]
    assert [count[KARAMA] for count in discards] == [0, 1]
    assert stopped.to_dict()["players"][TLEILAX] == before.to_dict()["players"][TLEILAX]
    stolen = play(content, (GUILD, "KARAMA", "pass"), (BENE_GESSERIT, "KARAMA", "pass"))
    leaders = stolen.to_dict()["leaders"]
    assert (leaders["owner"][16], leaders["alive"][16], leaders["returned"][16]) == (TLEILAX, True, True)
    assert asked(stolen) == (FREMEN, "BUY_BACK", ["pass", "leader 17"])
    assert sees(before, stopped) == sees(stopped, stolen) == {*range(6)}


# Markets and piles


def before_the_market() -> Content:
    """Bene Gesserit is the last seat that may play a card before the sales; nobody has laid one."""
    content = position("BIDDING_CARDS") | {"seat": BENE_GESSERIT}
    content["players"][GUILD] |= {"laid": -1, "laid_on": -1}
    content["deck"][15] += 1
    return content


def with_full_hands(content: Content) -> Content:
    """Fill every hand with weapons, defences and heroes: four cards, eight for Harkonnen."""
    for seat, player in enumerate(content["players"]):
        while len(player["hand"]) < (8 if seat == HARKONNEN else 4):
            kind = max(range(6), key=lambda kind: content["deck"][kind])
            content["deck"][kind] -= 1
            player["hand"] = sorted([*player["hand"], kind])
    return content


def silenced(content: Content) -> Content:
    return content | {"silenced": [*range(6)]}


@pytest.mark.parametrize("closed", [with_full_hands, silenced])
def test_market__where_nobody_may_bid_is_over(closed: Any) -> None:
    content = closed(before_the_market())
    before = play(content)
    after = play(content, (BENE_GESSERIT, "BIDDING_CARDS", "pass"))
    # No card is drawn and no power over the sales is asked about; nothing can be revived.
    assert (after.seat, after.decision) == (HARKONNEN, "SHIP")
    keys = ("deck", "discards", "hidden_discards", "sale", "top", "players")
    assert part(after, *keys) == part(before, *keys)
    assert part(after, "phase", "actor", "pending") == ["movement", HARKONNEN, {}]
    assert sees(before, after) == {*range(6)}  # the phase and who moves


def test_market__opens_for_the_only_seat_that_may_bid() -> None:
    content = with_full_hands(before_the_market())
    content["deck"][content["players"][FREMEN]["hand"].pop(0)] += 1
    passed = (BENE_GESSERIT, "BIDDING_CARDS", "pass")
    sight = play(content, passed)
    assert asked(sight) == (GUILD, "KARAMA", ["pass", "karama"])
    assert sight.to_dict()["pending"]["cards_left"] == 1
    sale = play(content, passed, (GUILD, "KARAMA", "karama"), draws=[(sum(content["deck"]), 0)])
    assert asked(sale)[:2] == (FREMEN, "BID")
    assert part(sale, "sale_seen") == [False]
    assert sale.to_dict()["pending"]["cards_left"] == 0


def emptied(content: Content) -> Content:
    """A position in which all spice cards have been discarded."""
    return content | {"spice_deck": [0] * 16, "spice_discards": list(SPICE_CARDS), "foreseen_spice": -1}


def without(*cards: int) -> list[int]:
    """The spice deck without some of its cards."""
    return [count - cards.count(card) for card, count in enumerate(SPICE_CARDS)]


def test_spice__an_empty_pile_is_made_of_the_discards() -> None:
    content = emptied(worm_from_the_pile("RIDE"))
    before = play(content)
    # A second worm is discarded without effect; then the spice of Old Gap comes, where six lie.
    after = play(content, (FREMEN, "RIDE", "pass"), draws=[(21, WORM), (20, 7)])
    assert part(after, "spice_deck", "last_blow", "spice") == [without(WORM, 7), OLD_GAP, [[49, 12]]]
    assert [card for card, count in enumerate(after.to_dict()["spice_discards"]) for _ in range(count)] == [7, WORM]
    assert asked(after)[:2] == (EMPEROR, "BIDDING_CARDS")
    assert sees(before, after) == {*range(6)}


def test_spice__atreides_look_into_a_refilled_pile() -> None:
    content = emptied(position("KARAMA, future"))
    passed = [(GUILD, "KARAMA", "pass"), (BENE_GESSERIT, "KARAMA", "pass")]
    one, other = (play(content, *passed, draws=[(21, card)]) for card in (3, 4))
    for state, card in ((one, 3), (other, 4)):
        assert part(state, "foreseen_spice", "spice_deck", "spice_discards") == [card, without(card), [0] * 16]
        assert (state.seat, state.decision) == (HARKONNEN, "SHIP")
    assert sees(one, other) == {ATREIDES}
    # Everybody sees that the pile was made anew.
    assert sees(play(content), one) == {*range(6)}


def test_spice__the_foreseen_card_comes_without_a_draw_and_leaves_the_pile_empty() -> None:
    content = worm_from_the_pile("RIDE")
    content["spice_discards"] = without(content["foreseen_spice"])
    content["spice_deck"] = [0] * 16
    after = play(content, (FREMEN, "RIDE", "pass"))
    assert part(after, "spice_deck", "spice_discards", "last_blow") == [[0] * 16, SPICE_CARDS, 14]


def test_deck__an_empty_deck_is_made_of_the_discards_at_the_sale() -> None:
    """Hidden discards too; the refill happens at the draw, not earlier."""
    content = before_the_market()
    content["players"][GUILD]["hand"] = [0]
    content["deck"][KARAMA] += 1
    content["players"][BENE_GESSERIT]["hand"] = [4, 6]
    content["deck"][10] += 1
    for kind in range(17):
        while content["deck"][kind]:
            move_card(content, kind, "deck", "discards" if kind % 2 else "hidden_discards")
    cards = [one + other for one, other in zip(content["discards"], content["hidden_discards"], strict=True)]
    before = play(content)
    assert sum(before.to_dict()["deck"]) == 0
    after = play(
        content, *[(BENE_GESSERIT, "BIDDING_CARDS", "pass"), (BENE_GESSERIT, "KARAMA", "pass")], draws=[(sum(cards), 0)]
    )
    assert asked(after)[:2] == (HARKONNEN, "BID")
    sold = after.to_dict()["sale"]
    assert sold == next(kind for kind, count in enumerate(cards) if count)
    cards[sold] -= 1
    assert part(after, "deck", "discards", "hidden_discards") == [cards, [0] * 17, [0] * 17]
