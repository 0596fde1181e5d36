"""What a seat sees of a game of Dune: every hidden piece is varied in positions of every decision kind.

A variation makes two valid states that differ in something hidden. The seats that may know it see two different views;
all others see byte for byte the same.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from dunaia_env.dune.components import load
from dunaia_env.dune.notation import to_dict
from dunaia_env.dune.views import view_to_dict
from tests.dune_positions import (
    ATREIDES,
    BENE_GESSERIT,
    EMPEROR,
    FREMEN,
    GUILD,
    HARKONNEN,
    POSITIONS,
    TLEILAX,
    Content,
    move_card,
    position,
    state_of,
)

pytestmark = pytest.mark.once

SEATS = range(6)


def views_of(content: Content) -> list[str]:
    state = state_of(content)
    return [json.dumps(view_to_dict(state, load(), seat)) for seat in SEATS]


def compare(content: Content, changed: Content, knowing: set[int], what: str) -> None:
    before, after = views_of(content), views_of(changed)
    seen = {seat for seat in SEATS if before[seat] != after[seat]}
    assert seen == knowing, what


# Cards


def _exchange(content: Content, seat: int, other: int | str) -> bool:
    """Exchange a card of a hand that nobody knows for one of another kind in another hand or common place."""
    player = content["players"][seat]
    for kind in player["hand"]:
        if kind in player["shown"] + player["foreseen"]:
            continue
        if isinstance(other, int):
            theirs = content["players"][other]
            offered = [
                one for one in theirs["hand"] if one not in theirs["shown"] + theirs["foreseen"] + player["hand"]
            ]
        elif isinstance(content[other], list):
            offered = [one for one, count in enumerate(content[other]) if count and one not in player["hand"]]
        else:
            offered = [content[other]] if content[other] not in (-1, *player["hand"]) else []
        if not offered:
            continue
        new = offered[0]
        player["hand"] = sorted([*(one for one in player["hand"] if one != kind), new])
        if isinstance(other, int):
            theirs["hand"] = sorted([*(one for one in theirs["hand"] if one != new), kind])
        elif isinstance(content[other], list):
            content[other][new] -= 1
            content[other][kind] += 1
        else:
            content[other] = kind
        return True
    return False


def _hands(content: Content) -> Iterator[tuple[str, Content, set[int]]]:
    for seat in SEATS:
        for other in (("deck", "sale", "top", "hidden_discards")[seat % 4], (seat + 1) % 6):
            changed = copy.deepcopy(content)
            if _exchange(changed, seat, other):
                knowing = {seat}
                if isinstance(other, int):
                    knowing.add(other)
                elif content.get(f"{other}_seen"):
                    knowing.add(ATREIDES)
                yield f"a card of hand {seat} for one of {other}", changed, knowing


def _unsold(content: Content) -> Content:
    """With a card that nobody bought, which Atreides has not seen."""
    if content["top"] == -1:
        move_card(content, 1, "deck", "top")
    return content


def _places(content: Content) -> Iterator[tuple[str, Content, set[int]]]:
    for one, kind, other in (("top", 0, "deck"), ("sale", 0, "deck"), ("hidden_discards", 0, "deck")):
        changed = copy.deepcopy(content)
        old = 6 if one == "hidden_discards" else content[one]
        if old in (-1, kind):
            continue
        move_card(changed, old, one, other)
        move_card(changed, kind, other, one)
        yield f"{one} for a card of {other}", changed, {ATREIDES} if content.get(f"{one}_seen") else set()
    changed = copy.deepcopy(content)
    changed["players"][GUILD]["laid"] = 6
    changed["deck"][6] -= 1
    changed["deck"][15] += 1
    yield "the laid card", changed, {GUILD}
    changed = copy.deepcopy(content)
    changed["foreseen_spice"] = 4
    changed["spice_deck"][3] += 1
    changed["spice_deck"][4] -= 1
    yield "the foreseen spice card", changed, {ATREIDES}
    changed = copy.deepcopy(content)
    changed["players"][HARKONNEN]["foreseen"] = [0, 4] if 0 in content["players"][HARKONNEN]["hand"] else [4]
    yield "what Atreides saw arrive", changed, {ATREIDES}


# Secrets of seats


def _secrets(content: Content) -> Iterator[tuple[str, Content, set[int]]]:
    players = content["players"]
    if players[0]["discs"]:
        changed = copy.deepcopy(content)
        changed["players"][0]["discs"] = [0, 6, 12, 24]
        yield "a disc that was not drawn", changed, {0}
        changed = copy.deepcopy(content)
        changed["players"][0]["discs"], changed["players"][4]["discs"] = [0, 6, 12, 22], [4, 10, 16, 18]
        yield "a disc of another seat", changed, {0, 4}
        changed = copy.deepcopy(content)
        changed["players"][0]["traitors"] = [18]
        yield "a traitor", changed, {0}
    if content["prediction"]:
        for key in ("faction", "turn"):
            changed = copy.deepcopy(content)
            changed["prediction"][key] += 1
            yield "the prediction", changed, {BENE_GESSERIT}
    if content["alliance"][0] == 0:
        changed = copy.deepcopy(content)
        changed["players"][0]["pledge"] += 1
        yield "a pledge", changed, {seat for seat in SEATS if content["alliance"][seat] == 0}
    if content["options"]["tleilax"]:
        changed = copy.deepcopy(content)
        changed["leaders"]["change"][16] = -1
        yield "a leader's change", changed, {TLEILAX}
    closed, changed = copy.deepcopy(content), copy.deepcopy(content)
    for one in (closed, changed):
        one["options"]["open_shields"] = False
    changed["players"][GUILD]["spice"] += 1
    yield "spice behind a shield", changed, {GUILD}
    if content["decision"] != "OVER":
        changed = copy.deepcopy(content)
        changed["pending"]["draws"] = {"spice": 7, "swap": 1, "sale": 2, "bonus": 1}
        yield "how many draws there were", changed, set()


@pytest.mark.parametrize("name", POSITIONS)
@pytest.mark.parametrize("variations", [_hands, _places, _secrets])
def test_every_hidden_piece(
    name: str, variations: Callable[[Content], Iterator[tuple[str, Content, set[int]]]]
) -> None:
    content = _unsold(position(name))
    views: dict[bool, list[str]] = {}
    count = 0
    for what, changed, knowing in variations(content):
        shields = changed["options"]["open_shields"]
        if shields not in views:
            before = copy.deepcopy(content)
            before["options"]["open_shields"] = shields
            views[shields] = views_of(before)
        after = views_of(changed)
        seen = {seat for seat in SEATS if views[shields][seat] != after[seat]}
        assert seen == knowing, f"{name}: {what}"
        count += 1
    assert count >= 2


# The moment: position, path to what changes, its new value, and who may see it. None removes a key.
FIELDS: list[tuple[str, str, Any, set[int]]] = [
    ("PREDICT_TURN", "pending.faction", 2, {BENE_GESSERIT}),
    ("PLACE", "pending.cell", 28, {FREMEN}),
    ("DIAL", "pending.dials.0", 1, {0}),
    ("ATOMICS", "pending.dials.0", 1, {0}),
    ("ATOMICS", "pending.dials.1", 1, {5}),
    ("ATOMICS, weather", "pending.weather", 9, {3}),
    ("ATOMICS, weather", "pending.weather_seat", 2, {2, 3}),
    ("WEATHER", "seat", 3, {2, 3}),
    ("LEAVE", "seat", 4, {3, 4}),
    ("LEAVE", "decision", "PROPOSE", {3}),
    ("BIDDING_CARDS", "seat", 3, {2, 3}),
    ("KARAMA, sight", "seat", 2, {2, 4}),
    ("RIDE", "pending.worm", 32, {FREMEN}),
    ("COUNT, ride", "pending.taken.0.1", 3, {FREMEN}),
    ("PROPOSE", "pending.alliance_grew", None, set()),
    ("RIDE", "pending.worm_came", None, set()),
    ("BLOW_CARDS", "pending.thumper", None, {*SEATS}),
    ("ANSWER", "pending.stack.2.seat", 4, {1}),
    ("ANSWER", "pending.target", 2, set()),
    ("CONE", "pending.coned", None, {1}),
    ("TRUTH", "pending.target", 4, {1}),
    ("LAY_WHO", "pending.card", 15, {EMPEROR}),
    ("PAY", "pending.price", 2, {ATREIDES}),
    ("PAY", "pending.stack.0.seat", 2, {ATREIDES}),
    ("GIFT", "pending.target", 3, {EMPEROR}),
    ("BID", "pending.bid", 4, {*SEATS}),
    ("BID", "pending.cards_left", 1, {*SEATS}),
    ("BID", "sale_seen", False, {ATREIDES}),
    ("BID, unseen", "pending.sight_stopped", None, {*SEATS}),
    ("GHOLA", "pending.card", 16, {HARKONNEN}),
    ("SWAP_COUNT", "pending.target", 4, {HARKONNEN}),
    ("GIVE", "pending.left", 1, {HARKONNEN}),
    ("REVIVE", "pending.freed", 2, {HARKONNEN}),
    ("PRICE", "pending.leader", 17, {TLEILAX}),
    ("PRICE", "pending.stack.0.seat", 4, {TLEILAX}),
    ("ACCEPT", "pending.price", 5, {FREMEN}),
    ("ACCEPT", "pending.leader", 17, {FREMEN}),
    ("TAMPER", "pending.leader", 17, {TLEILAX}),
    ("TAMPER", "pending.embargo", None, {*SEATS}),
    ("SHIP", "pending.half_price", None, {EMPEROR}),
    ("SHIP_COUNT", "pending.cell", 45, {EMPEROR}),
    ("SHIP_TO", "pending.taken.0.1", 1, {GUILD}),
    ("MOVE_TO", "pending.taken.0.1", 1, {GUILD}),
    ("COUNT, lift", "pending.lifting", None, {GUILD}),
    ("MOVE_FROM", "pending.second_move", None, {GUILD}),
    ("KARAMA, shipment", "pending.landing", 6, {GUILD}),
    ("KARAMA, shipment", "pending.cell", 45, {GUILD}),
    ("KARAMA, tame", "pending.worm", 32, {GUILD}),
    ("KARAMA, tamper", "pending.leader", 17, {GUILD}),
    ("KARAMA, steal", "pending.leader", 17, {GUILD}),
    ("KARAMA, voice", "pending.voice", "must_not 3", {*SEATS}),
    ("KARAMA, prescience", "pending.element", "leader", {*SEATS}),
    ("KARAMA, worthless, tame", "pending.worm", 32, set()),
    ("KARAMA, worthless, tamper", "pending.leader", 17, set()),
    ("KARAMA, worthless, bonus", "pending.stack.0", {"point": "stop", "seat": 5, "power": "sight", "user": 0}, set()),
    ("WEAPON", "pending.plans.1.leader", 18, {FREMEN}),
    ("LEADER", "pending.plans.0.no_leader", None, {*SEATS}),
    ("PRESCIENCE", "pending.plans.1.number", 4, {FREMEN}),
    ("PRESCIENCE", "pending.plans.1.leader", 18, {FREMEN}),
    ("KARAMA, prescience", "pending.plans.1.number", 4, {FREMEN}),
    ("LEADER, foreseen", "pending.plans.1.number", 4, {FREMEN}),
    ("LEADER, foreseen", "pending.plans.1.leader", 18, {FREMEN}),
    ("LEADER, foreseen", "pending.element_shown", None, {ATREIDES, HARKONNEN}),
    ("LEADER, all foreseen", "pending.plans.1.number", 4, {ATREIDES, HARKONNEN, FREMEN}),
    ("LEADER, all foreseen", "pending.plans.1.leader", 18, {ATREIDES, HARKONNEN, FREMEN}),
    ("TREASON", "pending.plans.1.number", 4, {*SEATS}),
    ("TREASON, second", "pending.plans.0.treason", True, {HARKONNEN}),
    ("KEEP", "pending.plans.0.treason", True, {*SEATS}),
    ("KEEP", "pending.keeping", "defence", {HARKONNEN}),
    ("LOSS", "pending.left", 1, {HARKONNEN}),
    ("OVER", "turn", 3, {*SEATS}),
]


@pytest.mark.parametrize(("name", "path", "value", "knowing"), FIELDS, ids=[f"{one[0]}, {one[1]}" for one in FIELDS])
def test_every_part_of_the_moment(name: str, path: str, value: Any, knowing: set[int]) -> None:
    content, changed = position(name), position(name)
    inner: Any = changed
    *way, last = [int(part) if part.isdigit() else part for part in path.split(".")]
    for part in way:
        inner = inner[part]
    if value is None:
        del inner[last]
        changed["pending"] = {key: one for key, one in changed["pending"].items() if one not in ({}, [{}, {}])}
    else:
        assert inner[last] != value
        inner[last] = value
    compare(content, changed, knowing, f"{name}: {path}")


def test_a_hidden_weapon_is_seen_by_those_to_whom_prescience_shows_it() -> None:
    for name, knowing in (("LEADER, foreseen", {ATREIDES, HARKONNEN, FREMEN}), ("PRESCIENCE", {FREMEN})):
        content, changed = position(name), position(name)
        changed["pending"]["plans"][1]["weapon"] = -1
        changed["players"][FREMEN]["hand"] = [1, 3]
        compare(content, changed, knowing, name)


def test_a_hidden_hero() -> None:
    content, changed = position("PRESCIENCE"), position("PRESCIENCE")
    changed["pending"]["plans"][1] |= {"leader": -1, "hero": True}
    changed["deck"][5] -= 1
    changed["deck"][3] += 1
    changed["players"][FREMEN]["hand"] = []
    compare(content, changed, {FREMEN}, "a cheap hero from the hand")


def test_sizes_of_hands_hold_the_cards_of_a_hidden_plan() -> None:
    state = state_of(position("PRESCIENCE"))
    for seat in SEATS:
        view = view_to_dict(state, load(), seat)
        assert [player["hand_count"] for player in view["players"]] == [2, 3, 2, 2, 2, 3]


def test_a_change_that_was_shown() -> None:
    content = position("BUY_BACK")
    changed = copy.deepcopy(content)
    for one, change in ((content, 0), (changed, 1)):
        one["leaders"]["change"][16], one["leaders"]["change_shown"][16] = change, True
    compare(content, changed, {*SEATS}, "a change that was shown")


def test_a_view_has_the_public_part_of_the_state() -> None:
    hidden = {
        *("seat", "decision", "spice_deck", "foreseen_spice", "deck", "hidden_discards", "top", "top_seen", "sale"),
        *("sale_seen", "prediction", "players", "pending", "leaders"),
    }
    own = {"foreseen", "hand_count"}
    for content in POSITIONS.values():
        state = state_of(content)
        whole = to_dict(state, load())
        for seat in SEATS:
            view = view_to_dict(state, load(), seat)
            assert {key: view[key] for key in whole if key not in hidden} == {
                key: whole[key] for key in whole if key not in hidden
            }
            mine = {key: value for key, value in view["players"][seat].items() if key not in own}
            assert mine == {key: value for key, value in whole["players"][seat].items() if key not in own}
            assert set(view) == {*whole, "unseen", "deck_count"} - {"deck"}
            assert (view["decision"] is not None) == (seat == whole["seat"] or whole["over"])


def test_unseen_cards_are_the_rest_of_the_deck() -> None:
    for name, content in POSITIONS.items():
        state = state_of(content)
        for seat in SEATS:
            view = view_to_dict(state, load(), seat)
            printed = load().record[0]["treachery"][0].tolist()
            for kind in range(17):
                known = view["players"][seat]["hand"].count(kind) + view["discards"][kind] + view["removed"][kind]
                known += view["players"][seat]["laid"] == kind
                planned = _planned_kinds(view, seat)
                assert view["unseen"][kind] + known + planned.count(kind) == printed[kind], (name, seat)
            assert sum(view["spice_deck"]) + sum(view["spice_discards"]) == 21 - (seat == ATREIDES)


def _planned_kinds(view: dict[str, Any], seat: int) -> list[int]:
    pending = view["pending"]
    if "plans" not in pending or "plans_shown" in pending or seat not in (view["actor"], pending["defender"]):
        return []
    plan = pending["plans"][0 if seat == view["actor"] else 1]
    return [5 if plan.get("hero") else -1, plan.get("weapon", -1), plan.get("defence", -1)]


def test_what_the_asked_seat_is_told() -> None:
    for name, key, value in (
        ("ANSWER", "asked_by", FREMEN),
        ("PAY", "asked_by", GUILD),
        ("PAY", "price", 3),
        ("PRICE", "asked_by", FREMEN),
        ("PRICE", "leader", 16),
        ("ACCEPT", "price", 4),
        ("TAMPER", "leader", 16),
        ("GIFT", "target", GUILD),
        ("KARAMA, shipment", "user", EMPEROR),
        ("KARAMA, shipment", "landing", 5),
        ("KARAMA, prescience", "element", "number"),
        ("KARAMA, worthless, tame", "user", BENE_GESSERIT),
        ("COUNT, ride", "taken", [[28, 2]]),
        ("DIAL", "dial", None),
    ):
        content = position(name)
        view = view_to_dict(state_of(content), load(), content["seat"])
        assert view["pending"].get(key) == value, (name, key)


def test_other_seats_are_named() -> None:
    state = state_of(position("BID"))
    for seat in (-1, 6):
        with pytest.raises(ValueError, match=f"seat: {seat}; a seat in 0..5 is needed"):
            view_to_dict(state, load(), seat)
