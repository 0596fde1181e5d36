"""Variations of the hidden pieces and of the moment in `tests.dune_positions`, with the seats that may tell them apart.

A variation makes a valid state that differs from the position in something hidden.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Iterator
from typing import Any

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
    place,
    position,
    state_of,
)

SEATS = range(6)
# What was changed, the changed position, and the seats that may see it.
Variation = tuple[str, Content, set[int]]


def is_state(content: Content) -> bool:
    """Whether a changed position is one: what a decision is about must stay where it is."""
    try:
        state_of(content)
    except ValueError:
        return False
    return True


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


def hands(content: Content) -> Iterator[Variation]:
    for seat in SEATS:
        for other in (("deck", "sale", "top", "hidden_discards")[seat % 4], (seat + 1) % 6):
            changed = copy.deepcopy(content)
            if _exchange(changed, seat, other):
                knowing = {seat}
                if isinstance(other, int):
                    knowing.add(other)
                elif content.get(f"{other}_seen"):
                    knowing.add(ATREIDES)
                if is_state(changed):
                    yield f"a card of hand {seat} for one of {other}", changed, knowing


def with_unsold_card(content: Content) -> Content:
    """With a card that nobody bought, which Atreides has not seen; during the sales there is none."""
    if content["top"] == -1 and content["pending"].get("opener", -1) == -1:
        move_card(content, 1, "deck", "top")
    return content


def places(content: Content) -> Iterator[Variation]:
    return (variation for variation in _places(content) if is_state(variation[1]))


def _places(content: Content) -> Iterator[Variation]:
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


def secrets(content: Content) -> Iterator[Variation]:
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
        sold = (
            {} if content["phase"] == "bidding" and "cards_left" not in content["pending"] else {"sale": 2, "bonus": 1}
        )
        changed["pending"]["draws"] = {"spice": 7, "swap": 1, **sold}
        yield "how many draws there were", changed, set()


VARIATIONS: tuple[Callable[[Content], Iterator[Variation]], ...] = (hands, places, secrets)

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
    ("LEAVE", "decision", "NEXUS_CARDS", {3}),
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
    ("GHOLA", "pending.card", 16, {EMPEROR}),
    ("SWAP_COUNT", "pending.target", 4, {HARKONNEN}),
    ("GIVE", "pending.left", 1, {HARKONNEN}),
    ("REVIVE", "pending.freed", 2, {HARKONNEN}),
    ("PRICE", "pending.leader", 17, {TLEILAX}),
    ("PRICE", "pending", {"stack": [place("REVIVE", 4)], "leader": 21}, {TLEILAX}),
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
    ("KEEP", "pending.plans.0.treason", None, {HARKONNEN}),
    ("KEEP", "pending.keeping", "defence", {HARKONNEN}),
    ("LOSS", "pending.left", 1, {HARKONNEN}),
    ("OVER", "turn", 3, {*SEATS}),
]


def changed_at(name: str, path: str, value: Any) -> tuple[Content, Content]:
    """A position, and the same with another value at a path of `FIELDS`."""
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
    return content, changed
