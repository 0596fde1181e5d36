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
from dunaia_env.dune.hidden.views import view_to_dict
from dunaia_env.dune.notation.states import to_dict
from tests.dune_positions import (
    ATREIDES,
    BENE_GESSERIT,
    EMPEROR,
    FREMEN,
    GUILD,
    HARKONNEN,
    POSITIONS,
    Content,
    position,
    state_of,
)
from tests.dune_variations import FIELDS, SEATS, VARIATIONS, Variation, changed_at, with_unsold_card
from tests.sampling import sampled

pytestmark = pytest.mark.once


def views_of(content: Content) -> list[str]:
    state = state_of(content)
    return [json.dumps(view_to_dict(state, load(), seat)) for seat in SEATS]


def compare(content: Content, changed: Content, knowing: set[int], what: str) -> None:
    before, after = views_of(content), views_of(changed)
    seen = {seat for seat in SEATS if before[seat] != after[seat]}
    assert seen == knowing, what


@pytest.mark.parametrize("name", sampled(POSITIONS, 4))
@pytest.mark.parametrize("variations", VARIATIONS)
def test_every_hidden_piece(name: str, variations: Callable[[Content], Iterator[Variation]]) -> None:
    content = with_unsold_card(position(name))
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


@pytest.mark.parametrize(("name", "path", "value", "knowing"), FIELDS, ids=[f"{one[0]}, {one[1]}" for one in FIELDS])
def test_every_part_of_the_moment(name: str, path: str, value: Any, knowing: set[int]) -> None:
    content, changed = changed_at(name, path, value)
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
            assert sum(view["spice_deck"]) + sum(view["spice_discards"]) == 21 - (
                seat == ATREIDES and content["foreseen_spice"] != -1
            )


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
        with pytest.raises(ValueError, match=f"seat: expected a seat in 0..5, got {seat}"):
            view_to_dict(state, load(), seat)
