"""Resampling in Dune: the seat's view stays, nothing hidden shows through, and samples have the right frequencies.

Frequencies are compared with those of complete deals, made in plain Python with another generator, of which all that
contradict the view are rejected. Seeds are fixed, so the outcomes of these tests are too.
"""

from __future__ import annotations

import copy
import json
import math
import random
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator
from typing import Any

import numpy as np
import pytest

from dunaia_env.dune.checks.consistency import check_pieces
from dunaia_env.dune.components import load
from dunaia_env.dune.hidden.resampling import resample
from dunaia_env.dune.hidden.views import view_to_dict
from dunaia_env.dune.notation.states import check_state, to_dict
from dunaia_env.dune.state import CHEAP_HERO, KINDS, LAYABLE, STATE_DTYPE, fields_of
from dunaia_env.harness.compiled.chance import CHANCE_SIZE, SEED, Stream
from tests.dune_positions import (
    ATREIDES,
    BENE_GESSERIT,
    EMPEROR,
    FREMEN,
    GUILD,
    HARKONNEN,
    PLAN,
    POSITIONS,
    TLEILAX,
    Content,
    before_the_first_blow,
    move_card,
    position,
    state_of,
)
from tests.dune_variations import hands, places, secrets, with_unsold_card
from tests.sampling import sampled

SEATS = range(6)
SAMPLES = 6000


def resampled(state: Any, seat: int, seed: int) -> Any:
    found = state.copy()
    resample(found.view(STATE_DTYPE)[0], load().record[0], Stream(seed).begin(), seat)
    return found


def samples(content: Content, seat: int, number: int = SAMPLES) -> Iterator[Any]:
    """The records of many samples; each is overwritten by the next."""
    state, components, chance = state_of(content), load().record[0], np.zeros(CHANCE_SIZE, np.int64)
    found = state.copy()
    record = found.view(STATE_DTYPE)[0]
    for seed in range(number):
        found[:] = state
        chance[SEED] = seed
        resample(record, components, chance, seat)
        yield record


def view_of(state: Any, seat: int) -> str:
    return json.dumps(view_to_dict(state, load(), seat))


# What a seat knows


def _closed(content: Content) -> Content:
    content["options"]["open_shields"] = False
    return content


@pytest.mark.long
@pytest.mark.parametrize("name", sampled(POSITIONS, 4))
def test_every_view_stays_and_every_sample_is_a_state(name: str) -> None:
    for number, content in enumerate((with_unsold_card(position(name)), _closed(position(name)))):
        state = state_of(content)
        for seat in SEATS:
            before = view_of(state, seat)
            for seed in (2 * seat + number, 100 + number):
                found = resampled(state, seat, seed)
                if seat == content["seat"]:
                    check_state(found, load())
                else:
                    check_pieces(fields_of(found.view(STATE_DTYPE)[0]), load())
                assert view_of(found, seat) == before, (name, seat, seed)


@pytest.mark.parametrize("name", POSITIONS)
def test_a_sample_of_a_sample_is_a_sample_of_the_state(name: str) -> None:
    state = state_of(position(name))
    for seat in SEATS:
        assert (resampled(resampled(state, seat, 3), seat, 4) == resampled(state, seat, 4)).all()


VARIED = (
    *("PLACE", "ATOMICS", "BLOW_CARDS", "PAY", "BID", "BID, unseen", "REVIVE", "TAMPER", "SHIP", "PRESCIENCE"),
    *("LEADER, foreseen", "TREASON, second", "KEEP", "KARAMA, worthless, sight", "KARAMA, future", "OVER"),
)


@pytest.mark.parametrize("name", VARIED)
@pytest.mark.parametrize("variations", [hands, places, secrets])
def test_nothing_hidden_shows_through(
    name: str, variations: Callable[[Content], Iterator[tuple[str, Content, set[int]]]]
) -> None:
    content = with_unsold_card(position(name))
    for what, changed, knowing in variations(content):
        before = copy.deepcopy(content)
        before["options"]["open_shields"] = changed["options"]["open_shields"]
        one, other = state_of(before), state_of(changed)
        for seat in set(SEATS) - knowing:
            assert (resampled(one, seat, 5) == resampled(other, seat, 5)).all(), f"{name}, seat {seat}: {what}"


# Position, path to what is hidden, its new value, and who knows it.
CHOICES: list[tuple[str, str, Any, set[int]]] = [
    ("PREDICT_TURN", "pending.faction", 2, {BENE_GESSERIT}),
    ("DIAL", "pending.dials.0", 1, {0}),
    ("ATOMICS", "pending.dials.0", 1, {0}),
    ("ATOMICS", "pending.dials.1", 1, {5}),
    ("ATOMICS, weather", "pending.weather", 9, {3}),
    ("BID", "sale_seen", False, {ATREIDES}),
    ("LAY_WHO", "pending.card", 15, {EMPEROR}),
    ("PRESCIENCE", "pending.plans.1.number", 4, {FREMEN}),
    ("PRESCIENCE", "pending.plans.1.leader", 18, {FREMEN}),
    ("KARAMA, prescience", "pending.plans.1.number", 4, {FREMEN}),
    ("LEADER, foreseen", "pending.plans.1.number", 4, {FREMEN}),
    ("LEADER, foreseen", "pending.plans.1.leader", 18, {FREMEN}),
    ("LEADER, all foreseen", "pending.plans.1.number", 4, {ATREIDES, HARKONNEN, FREMEN}),
    ("LEADER, all foreseen", "pending.plans.1.leader", 18, {ATREIDES, HARKONNEN, FREMEN}),
    ("TREASON, second", "pending.plans.0.treason", True, {HARKONNEN}),
]


@pytest.mark.parametrize(("name", "path", "value", "knowing"), CHOICES, ids=[f"{one[0]}, {one[1]}" for one in CHOICES])
def test_no_hidden_choice_shows_through(name: str, path: str, value: Any, knowing: set[int]) -> None:
    content, changed = position(name), position(name)
    inner: Any = changed
    *way, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    for part in way:
        inner = inner[part]
    assert inner[last] != value
    inner[last] = value
    one, other = state_of(content), state_of(changed)
    for seat in SEATS:
        same = bool((resampled(one, seat, 6) == resampled(other, seat, 6)).all())
        assert same == (seat not in knowing), seat


def test_weapons_of_hidden_plans_and_heroes_do_not_show_through() -> None:
    content, unarmed, hero = position("PRESCIENCE"), position("PRESCIENCE"), position("PRESCIENCE")
    unarmed["pending"]["plans"][1]["weapon"] = -1
    unarmed["players"][FREMEN]["hand"] = [1, 3]
    hero["pending"]["plans"][1] |= {"leader": -1, "hero": True}
    hero["deck"][5] -= 1
    hero["deck"][3] += 1
    hero["players"][FREMEN]["hand"] = []
    for seat in set(SEATS) - {FREMEN}:
        found = resampled(state_of(content), seat, 7)
        for other in (unarmed, hero):
            assert (resampled(state_of(other), seat, 7) == found).all(), seat


def test_a_proposal_does_not_tell_which_ally_was_named() -> None:
    content = position("ANSWER")
    content["alliance"][1] = content["alliance"][2] = 1
    content["scores"][2] = 1
    changed = copy.deepcopy(content)
    changed["pending"]["target"] = 2
    assert (resampled(state_of(content), 1, 8) == resampled(state_of(changed), 1, 8)).all()


def test_two_outcomes_are_drawn_and_every_seed_gives_another_sample() -> None:
    state = state_of(position("BID"))
    found = set()
    for seed in range(20):
        chance, copied = Stream(seed), state.copy()
        resample(copied.view(STATE_DTYPE)[0], load().record[0], chance.begin(), FREMEN)
        chance.finish()
        assert [n for n, _ in chance.draws] == [2**31, 2**31]
        found.add(copied.tobytes())
    assert len(found) == 20


# Frequencies


def assert_alike(found: Iterable[Hashable], expected: Iterable[Hashable]) -> None:
    """Two samples of one distribution: chi-square of homogeneity, below its mean and five standard deviations."""
    one, other = Counter(found), Counter(expected)
    total_one, total_other = one.total(), other.total()
    assert min(total_one, total_other) > 0
    rare = {key for key in one | other if one[key] + other[key] < 20}
    cells = [(one[key], other[key]) for key in one | other if key not in rare]
    if rare:
        cells.append((sum(one[key] for key in rare), sum(other[key] for key in rare)))
    assert len(cells) > 1
    statistic = 0.0
    for counts in cells:
        for count, size in zip(counts, (total_one, total_other), strict=True):
            mean = sum(counts) * size / (total_one + total_other)
            statistic += (count - mean) ** 2 / mean
    freedom = len(cells) - 1
    assert statistic < freedom + 5 * math.sqrt(2 * freedom), (statistic, freedom, cells)


def _small_deck(content: Content, kept: dict[int, int]) -> Content:
    """Discard the deck but for some cards."""
    for kind in range(KINDS):
        gone = content["deck"][kind] - kept.get(kind, 0)
        content["discards"][kind] += gone
        content["deck"][kind] -= gone
    for seat in (FREMEN, BENE_GESSERIT):
        for kind in content["players"][seat]["hand"]:
            content["discards"][kind] += 1
        content["players"][seat]["hand"] = []
    return content


def _unseen(view: dict[str, Any]) -> list[int]:
    return [kind for kind in range(KINDS) for _ in range(view["unseen"][kind])]


def _deals(view: dict[str, Any], seat: int, generator: random.Random, number: int) -> Iterator[dict[str, list[int]]]:
    """Complete deals of the unseen cards that agree with the view; the cards known to a seat lie where they are."""
    cards = _unseen(view)
    places: dict[str, int] = {}
    known: dict[str, list[int]] = {}
    for other, player in enumerate(view["players"]):
        if other != seat:
            marks = [Counter(player[key] or []) for key in ("shown", "foreseen")]
            known[f"hand {other}"] = sorted((marks[0] | marks[1]).elements())
            places[f"hand {other}"] = player["hand_count"] - len(known[f"hand {other}"])
            if player["laid_on"] != -1:
                places[f"laid {other}"] = 1
    for place in ("sale", "top"):
        if view[place] is None:
            places[place] = 1
        elif view[place] != -1:
            known[place] = [view[place]]
    for kinds in known.values():
        for kind in kinds:
            cards.remove(kind)
    places["hidden"] = len(cards) - sum(places.values()) - view["deck_count"]
    found = 0
    while found < number:
        generator.shuffle(cards)
        deal, at = {}, 0
        for place, count in places.items():
            deal[place] = sorted([*known.get(place, []), *cards[at : at + count]])
            at += count
        if all(kind in LAYABLE for place, kinds in deal.items() if place[:3] in ("lai", "hid") for kind in kinds):
            yield deal
            found += 1


def _hand(record: Any, seat: int) -> tuple[int, ...]:
    return tuple(np.repeat(np.arange(KINDS), record.players[seat].hand).tolist())


@pytest.mark.compiled
@pytest.mark.parametrize("seat", [ATREIDES, FREMEN])
@pytest.mark.parametrize("place", ["sale", "top"])
def test_cards_are_dealt_like_complete_deals(place: str, seat: int) -> None:
    content = position("BID" if place == "sale" else "KARAMA, sight")
    content["sale_seen"] = place == "sale"
    content = _small_deck(with_unsold_card(content), {6: 1, 3: 1, 10: 1})
    move_card(content, 1, "discards", "deck")
    state = state_of(content)
    view = view_to_dict(state, load(), seat)
    others = [other for other in (HARKONNEN, EMPEROR, GUILD) if other != seat]
    found: dict[str, list[Hashable]] = {}
    for record in samples(content, seat):
        for other in others:
            found.setdefault(f"hand {other}", []).append(_hand(record, other))
        found.setdefault(f"laid {GUILD}", []).append((int(record.players[GUILD].laid),))
        found.setdefault("hidden", []).append(tuple(np.repeat(np.arange(KINDS), record.hidden_discards).tolist()))
        if place == "top" or seat == FREMEN:
            found.setdefault(place, []).append((int(record[place]),))
        assert seat != ATREIDES or place == "top" or record.sale == 1
        together = (int(record.players[GUILD].laid), *_hand(record, EMPEROR))
        found.setdefault("together", []).append(together)
    expected = list(_deals(view, seat, random.Random(seat), SAMPLES))
    for where, kinds in found.items():
        if where == "together":
            assert_alike(kinds, [(deal[f"laid {GUILD}"][0], *deal[f"hand {EMPEROR}"]) for deal in expected])
        else:
            assert_alike(kinds, [tuple(deal[where]) for deal in expected])


@pytest.mark.long
@pytest.mark.compiled
def test_who_has_no_leader_holds_a_hero() -> None:
    content = position("PRESCIENCE")
    for leader in range(15, 20):
        content["leaders"]["alive"][leader] = False
    plan = {"leader": -1, "hero": True, "weapon": 1, "defence": -1, "number": 3}
    content["pending"]["plans"] = [{}, plan]
    content["deck"][5] -= 1
    content["deck"][3] += 1
    content["players"][FREMEN]["hand"] = [4, 5]
    content["deck"][4] -= 1
    content["deck"][5] -= 1
    kept = {0: 2, 3: 1}
    for kind in range(KINDS):
        gone = content["deck"][kind] - kept.get(kind, 0)
        content["discards"][kind] += gone
        content["deck"][kind] -= gone
    state = state_of(content)
    found = []
    for record in samples(content, HARKONNEN):
        assert record.plans[1].leader == 31
        found.append(1 + int(record.players[FREMEN].hand[CHEAP_HERO]))
    view = view_to_dict(state, load(), HARKONNEN)
    deals = _deals(view, HARKONNEN, random.Random(1), 2 * SAMPLES)
    expected = [heroes for deal in deals if (heroes := deal[f"hand {FREMEN}"].count(CHEAP_HERO))]
    assert_alike(found, expected)


def test_who_was_said_to_have_nobody_holds_no_hero() -> None:
    content = position("PRESCIENCE")
    for leader in range(15, 20):
        content["leaders"]["alive"][leader] = False
    content["pending"]["plans"] = [{}, {**PLAN, "leader": -1, "weapon": -1, "no_leader": True}]
    content["players"][FREMEN]["hand"] = [1, 3]
    state = state_of(content)
    for seed in range(60):
        record = resampled(state, HARKONNEN, seed).view(STATE_DTYPE)[0]
        assert record.players[FREMEN].hand[CHEAP_HERO] == 0
        assert record.plans[1].leader == -1


def _complete_discs(
    seat: int, generator: random.Random, agrees: Callable[[list[list[int]], list[list[int]]], bool], number: int
) -> Iterator[tuple[list[list[int]], list[list[int]]]]:
    """Complete deals of discs with traitors of the six factions, seat p of faction p, that agree with the public."""
    own = POSITIONS["BID"]["players"][seat]["discs"]
    rest = [disc for disc in range(30) if disc not in own]
    found = 0
    while found < number:
        generator.shuffle(rest)
        discs, traitors, at = [], [], 0
        for other in SEATS:
            if other == seat:
                discs.append(own)
                traitors.append([])
                continue
            discs.append(rest[at : at + 4])
            at += 4
            counting = [disc for disc in discs[-1] if disc // 5 != other]
            traitors.append(counting if other == HARKONNEN or not counting else [generator.choice(counting)])
        if agrees(discs, traitors):
            yield discs, traitors
            found += 1


# What truthtrances have told, and the discs and traitors of seats with which it is true.
TOLD: list[tuple[list[Any], dict[int, Content]]] = [
    ([], {}),
    (
        [[1, GUILD, "leader 7", True], [2, HARKONNEN, "leader 16", False], [1, EMPEROR, "leader 16", False]],
        {
            GUILD: {"discs": [7, 10, 16, 22], "traitors": [7]},
            HARKONNEN: {"discs": [1, 4, 13, 19], "traitors": [1, 4, 13, 19]},
        },
    ),
    (
        [[2, HARKONNEN, "leader 26", True], [2, FREMEN, "leader 22", False]],
        {HARKONNEN: {"discs": [1, 13, 19, 26], "traitors": [1, 13, 19, 26]}},
    ),
]


@pytest.mark.long
@pytest.mark.compiled
@pytest.mark.parametrize(("truths", "changes"), TOLD)
def test_discs_and_traitors_are_those_of_complete_deals(truths: list[Any], changes: dict[int, Content]) -> None:
    content = position("BID")
    for changed, discs in changes.items():
        content["players"][changed] |= discs
    content["truths"] = truths
    seat = ATREIDES

    def agrees(discs: list[list[int]], traitors: list[list[int]]) -> bool:
        return all((int(text.split()[1]) in traitors[target]) == answer for _, target, text, answer in truths)

    def described(discs: list[list[int]], traitors: list[list[int]]) -> Iterator[tuple[str, Hashable]]:
        for other in (HARKONNEN, EMPEROR, FREMEN, GUILD):
            yield f"traitors {other}", traitors[other][0] if other != HARKONNEN and traitors[other] else ()
            yield f"counting {other}", sum(disc // 5 != other for disc in discs[other])
            yield f"has 16 or 22: {other}", (16 in discs[other], 22 in discs[other])
        yield "number", len(traitors[HARKONNEN])
        yield "apart", min(disc for other in SEATS if other != seat for disc in discs[other])

    found: dict[str, list[Hashable]] = {}
    expected: dict[str, list[Hashable]] = {}
    for record in samples(content, seat):
        sets = [
            [[disc for disc in range(30) if int(player[key]) >> disc & 1] for player in record.players]
            for key in ("discs", "traitors")
        ]
        assert agrees(sets[0], sets[1])
        for key, value in described(sets[0], sets[1]):
            found.setdefault(key, []).append(value)
    for discs, traitors in _complete_discs(seat, random.Random(3), agrees, SAMPLES // 2):
        for key, value in described(discs, traitors):
            expected.setdefault(key, []).append(value)
    for key in found:
        if len({*found[key], *expected[key]}) > 1:
            assert_alike(found[key], expected[key])


def _uniform(values: Iterable[Hashable]) -> list[Hashable]:
    one = list(values)
    return one * (20 * SAMPLES // len(one))


@pytest.mark.compiled
def test_predictions_are_uniform_among_those_that_agree() -> None:
    content = position("BID")
    content["options"]["max_turns"] = 5
    found = [(int(one.prediction_faction), int(one.prediction_turn)) for one in samples(content, GUILD)]
    assert_alike(found, _uniform((faction, turn) for faction in range(5) for turn in range(1, 6)))
    content["prediction"] = {"faction": 3, "turn": 4}
    content["truths"] = [[0, 5, "faction 2", False], [0, 5, "turn 1", False], [0, 5, "turn 3", False]]
    found = [(int(one.prediction_faction), int(one.prediction_turn)) for one in samples(content, GUILD)]
    assert_alike(found, _uniform((faction, turn) for faction in (0, 1, 3, 4) for turn in (2, 4, 5)))
    content["truths"] = [[0, 5, "faction 3", True], [0, 5, "turn 4", True]]
    assert {int(one.prediction_faction) for one in samples(content, GUILD, 50)} == {3}
    assert {int(one.prediction_turn) for one in samples(content, GUILD, 50)} == {4}


@pytest.mark.compiled
def test_the_foreseen_card_is_one_of_the_rest_of_the_pile() -> None:
    content = position("SHIP")
    cards = content["spice_deck"]
    for card in (0, 1, 2, 4, 5, 6):
        content["spice_discards"][card] += cards[card]
        cards[card] = 0
    left = [card for card in range(16) for _ in range(cards[card] + (card == content["foreseen_spice"]))]
    assert_alike((int(one.foreseen_spice) for one in samples(content, GUILD)), _uniform(left))
    for name, foreseen in (("KARAMA, future", False), ("HARVESTER", False), ("BLOW_CARDS", True), ("ATOMICS", True)):
        record = resampled(state_of(position(name)), GUILD, 1).view(STATE_DTYPE)[0]
        assert (record.foreseen_spice != -1) == foreseen, name


# Choices of others


@pytest.mark.compiled
def test_plans_are_drawn_from_the_hand_within_the_order() -> None:
    content = position("PRESCIENCE")
    found: dict[str, list[Hashable]] = {"number": [], "leader": []}
    for record in samples(content, GUILD):
        plan = record.plans[1]
        found["number"].append(int(plan.number))
        if not record.players[FREMEN].hand[CHEAP_HERO] and plan.leader != 31:
            found["leader"].append(int(plan.leader))
        held = record.players[FREMEN].hand
        assert (held >= 0).all()
        assert plan.weapon in (-1, 0, 1, 2, 6)
        assert plan.defence in (-1, 3, 4, 6)
    assert_alike(found["number"], _uniform(range(11)))
    assert_alike(found["leader"], _uniform(range(15, 20)))
    content["leaders"]["alive"][16] = False
    content["leaders"]["used"][18] = 1
    assert {int(one.plans[1].leader) for one in samples(content, GUILD, 400)} == {15, 17, 19, 31}


@pytest.mark.parametrize("order", ["must 1", "must 3", "must 5", "must 6", "must_not 1", "must_not 3", "must_not 5"])
def test_a_plan_obeys_the_voice(order: str) -> None:
    content = position("PRESCIENCE")
    content["alliance"] = [0, 0, -1, -1, -1, 0]
    content["pending"]["voice"] = order
    kind = int(order.split()[1])
    # Cards that everybody knows, so that must and must not matter in every sample.
    content["players"][FREMEN]["hand"] = [3, 5, 6]
    content["players"][FREMEN]["shown"] = [1, 3, 5, 6]
    content["deck"][5] -= 1
    content["deck"][6] -= 1
    state = state_of(content)
    played = Counter()
    for seed in range(80):
        plan = resampled(state, GUILD, seed).view(STATE_DTYPE)[0].plans[1]
        cards = {5 if plan.leader == 31 else -1, int(plan.weapon), int(plan.defence)}
        assert (kind in cards) == order.startswith("must "), cards
        played[tuple(sorted(cards))] += 1
    assert len(played) > 1


def test_what_prescience_has_shown_stays() -> None:
    for element, value in (("weapon", 1), ("defence", -1), ("leader", 17), ("number", 3)):
        content = position("LEADER, foreseen")
        content["pending"]["element"] = element
        state = state_of(content)
        for seat, knows in ((HARKONNEN, True), (ATREIDES, True), (GUILD, False)):
            values = {int(resampled(state, seat, seed).view(STATE_DTYPE)[0].plans[1][element]) for seed in range(60)}
            assert (values == {value}) == knows, (element, seat)
    assert PLAN["weapon"] == 1


def test_shown_plans_stay_in_hands() -> None:
    for name, kinds in (("TREASON", (0, 4)), ("LOSS", (0, 4)), ("KEEP", (0, 4))):
        content = position(name)
        content["players"][HARKONNEN] |= {"shown": [], "foreseen": []}
        state = state_of(content)
        for seed in range(20):
            hand = resampled(state, GUILD, seed).view(STATE_DTYPE)[0].players[HARKONNEN].hand
            assert all(hand[kind] for kind in kinds), name


def test_dials_and_weather_are_in_their_ranges() -> None:
    content = position("ATOMICS")
    dials = np.array([one.dials.tolist() for one in samples(content, GUILD, 200)])
    assert {*dials[:, 0].tolist()} == {*dials[:, 1].tolist()} == {1, 2, 3}
    before_the_first_blow(content)["turn"] = 1
    assert {int(one.dials[1]) for one in samples(content, 0, 400)} == set(range(21))
    assert {int(one.dials[0]) for one in samples(content, 0, 20)} == {2}
    weather = position("ATOMICS, weather")
    assert {int(one.weather) for one in samples(weather, GUILD, 200)} == set(range(11))
    assert {int(one.weather) for one in samples(weather, FREMEN, 20)} == {4}


def test_the_first_answer_about_treason_goes_with_the_traitors() -> None:
    content = position("TREASON, second")
    found = Counter()
    for record in samples(content, FREMEN, 600):
        holds = bool(record.players[HARKONNEN].traitors >> 19 & 1)
        found[holds, int(record.plans[0].treason)] += 1
    assert set(found) == {(False, -1), (True, 0), (True, 1)}


def test_who_called_a_traitor_has_it() -> None:
    content = position("KEEP")
    content["pending"]["plans"][0]["treason"] = True
    for seat in set(SEATS) - {HARKONNEN}:
        for record in samples(content, seat, 20):
            assert record.players[HARKONNEN].traitors >> 19 & 1


def test_who_calls_no_traitor_may_have_one() -> None:
    found = {
        (bool(record.players[HARKONNEN].traitors >> 19 & 1), int(record.plans[0].treason))
        for record in samples(position("KEEP"), FREMEN, 200)
    }
    assert found == {(False, -1), (True, 0)}
    assert {int(record.plans[0].treason) for record in samples(position("KEEP"), HARKONNEN, 20)} == {0}


def test_spice_behind_shields_covers_debts_bids_and_pledges() -> None:
    content = _closed(position("BID"))
    content["pending"] |= {"bid": 9, "bidder": HARKONNEN}
    content["players"][EMPEROR] |= {"spice": 0, "debts": [0, 3, 0, 0, 0, 0]}
    content["alliance"] = [0, -1, -1, -1, 0, -1]
    content["scores"] = [2, 1, 0, 1, 2, 0]
    content["players"][ATREIDES] |= {"pledge": 4, "spice": 6}
    spice = np.array([[one.players[seat].spice for seat in SEATS] for one in samples(content, GUILD, 400)])
    assert {*spice[:, HARKONNEN].tolist()} == set(range(9, 30))
    assert {*spice[:, EMPEROR].tolist()} == {0}
    assert {*spice[:, FREMEN].tolist()} == set(range(21))
    assert {*spice[:, ATREIDES].tolist()} == set(range(4, 25))
    assert {*spice[:, GUILD].tolist()} == {5}
    content["players"][ATREIDES]["spice"] = 3
    assert {int(one.players[ATREIDES].spice) for one in samples(content, GUILD, 20)} == {3}


def test_pledges_of_strangers_cover_the_highest_bid() -> None:
    content = position("BID")
    content["alliance"] = [-1, 1, 1, 1, -1, -1]
    content["scores"] = [1, 2, 2, 2, 1, 0]
    content["pending"] |= {"bid": 16, "bidder": HARKONNEN}
    for seat, pledge in ((EMPEROR, 5), (FREMEN, 2)):
        content["players"][seat]["pledge"] = pledge
    found = set()
    for record in samples(content, GUILD, 300):
        pledges = tuple(int(record.players[seat].pledge) for seat in (EMPEROR, FREMEN))
        assert sum(pledges) >= 6
        assert pledges[0] <= 10
        assert pledges[1] <= 3
        found.add(pledges)
    assert len(found) > 20
    assert {tuple(one.players[seat].pledge for seat in (2, 3)) for one in samples(content, HARKONNEN, 10)} == {(5, 2)}
    for name, pledged in (("BIDDING_CARDS", False), ("BID", True), ("REVIVE", True), ("LEAVE", False)):
        one = position(name)
        one["alliance"], one["scores"] = content["alliance"], content["scores"]
        values = {int(record.players[EMPEROR].pledge) for record in samples(one, GUILD, 60)}
        assert (values != {0}) == pledged, name


def test_only_leaders_that_came_back_can_be_changed() -> None:
    content = position("BUY_BACK")
    content["leaders"]["returned"][16] = content["leaders"]["returned"][17] = True
    content["leaders"]["change_shown"][17] = True
    content["leaders"]["change"][17] = 1
    found = Counter()
    for record in samples(content, GUILD, 800):
        found[int(record.change[16])] += 1
        assert record.change[17] == 1
        assert np.count_nonzero(record.change) <= 2
    assert 300 < found[0] < 500
    assert 140 < found[1] < 260
    assert 140 < found[-1] < 260
    assert {int(one.change[16]) for one in samples(content, TLEILAX, 20)} == {0}


def test_cards_that_atreides_saw() -> None:
    content = position("BID")
    marks = Counter()
    for record in samples(content, GUILD, 400):
        marks[int(record.players[HARKONNEN].foreseen.sum())] += 1
        assert (record.players[HARKONNEN].foreseen <= record.players[HARKONNEN].hand).all()
        assert record.sale_seen == 1
    assert set(marks) == {0, 1, 2, 3}
    assert all(not one.players[1].foreseen.any() for one in samples(position("PLACE"), GUILD, 20))
    assert all(one.sale_seen == 0 for one in samples(position("BID, unseen"), GUILD, 5))


def test_whoever_lays_a_card_has_it_and_a_turned_card_is_poison() -> None:
    content = position("LAY_WHO")
    content["players"][GUILD]["laid"] = 15
    content["players"][EMPEROR]["hand"].remove(15)
    content["deck"][6] += 1
    # The Guild has laid the only poison.
    for seat, kinds in ((GUILD, {6}), (FREMEN, {6, 15})):
        cards = set()
        for record in samples(content, seat, 100):
            assert record.players[EMPEROR].hand[record.card] > 0
            cards.add(int(record.card))
        assert cards == kinds
    assert {int(one.players[GUILD].laid) for one in samples(position("POISONED"), FREMEN, 30)} == {15}
    assert {int(one.players[GUILD].laid) for one in samples(position("BID"), FREMEN, 60)} == {6, 15}


def test_own_things_stay() -> None:
    for name in POSITIONS:
        state = state_of(position(name))
        whole = to_dict(state, load())
        for seat in SEATS:
            found = to_dict(resampled(state, seat, 1), load())
            for key, value in whole["players"][seat].items():
                assert key == "foreseen" or found["players"][seat][key] == value, (name, seat, key)
