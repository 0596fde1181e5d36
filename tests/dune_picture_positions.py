"""Positions of Dune made by hand, for the picture: contents of 2 to 6 players, and what a seat knows of them."""

from __future__ import annotations

import json
from copy import deepcopy
from pathlib import Path
from typing import Any

Content = dict[str, Any]
FOLDER = Path(__file__).resolve().parent / "dune_pictures"
CELLS, KINDS, LEADERS = 86, 17, 31
DOTS = (1, 4, 7, 10, 13, 16)


def example() -> Content:
    """Three players, in the bidding of turn 3."""
    stored: Content = json.loads((FOLDER / "example.json").read_text(encoding="utf-8"))
    return stored


def position(factions: list[int], *, decision: str = "SHIP", phase: str = "movement", seat: int = 0) -> Content:
    """A position in the middle of a game of these factions; tokens and cards lie where the numbers fall."""
    content = deepcopy(example())
    count = len(factions)
    content |= {
        "seat": seat,
        "decision": decision,
        "phase": phase,
        "actor": seat if phase in ("movement", "battle") else -1,
        "turn": 7,
        "storm": 11,
    }
    content |= {"alliance": [-1] * count, "truths": [], "sale": -1, "sale_seen": False, "pending": {}}
    content |= {"scores": [seat % 3 for seat in range(count)], "prediction": None, "wheels": [0, 1]}
    dead = {faction: {(faction * 3 + 1) % 5, (faction + 3) % 5} for faction in factions}
    for leader in range(LEADERS):
        faction = leader // 5
        here = faction in factions
        content["leaders"]["owner"][leader] = factions.index(faction) if here else -1
        content["leaders"]["alive"][leader] = here and leader % 5 not in dead[faction]
    players = []
    for place, faction in enumerate(factions):
        forces = [[(place * 13 + step * 29 + 7) % CELLS, 1 + (place + step * 3) % 11] for step in range(3)]
        players.append(
            {
                "faction": faction,
                "dot": DOTS[place],
                "spice": 3 + 7 * place,
                "reserve": 5 + place,
                "tanks": place * 2 % 7,
                "forces": sorted(forces),
                "hand": sorted((place * 5 + step * 3) % KINDS for step in range(2 + place % 3)),
                "shown": [],
                "foreseen": [],
                "discs": [],
                "traitors": [(faction * 5 + 7) % 30],
                "reviving": False,
                "pledge": 0,
                "debts": [0] * count,
                "laid": -1,
                "laid_on": -1,
            }
        )
        if faction == 1:
            players[-1]["hand"] = [0, 1, 3, 4, 5, 6, 9, 16]
            players[-1]["traitors"] = [2, 11, 20]
    content["players"] = players
    return content


def view(content: Content, seat: int) -> Content:
    """What a seat may know of a game with closed shields, in the form of the game's own views."""
    known = deepcopy(content)
    hidden = ("hand", "discs", "traitors", "spice", "reserve", "foreseen", "laid", "pledge")
    for other, player in enumerate(known["players"]):
        player["hand_count"] = len(player["hand"])
        if other != seat:
            player |= dict.fromkeys(hidden)
    known["deck_count"] = sum(known.pop("deck"))
    known |= {"prediction": None, "foreseen_spice": None, "hidden_discards": None, "sale": None, "sale_seen": None}
    if known["seat"] != seat:
        known["seat"] = known["decision"] = None
    known["leaders"]["change"] = [None] * LEADERS
    return known


def crowded(players: int = 6) -> Content:
    """As much as there can be of everything in one position, more than a game could have at once."""
    content = position([3, 4, 1, 5, 0, 2][:players], decision="BID", phase="bidding", seat=players - 1)
    content |= {"shield_wall": False, "storm": 8, "actor": -1, "silenced": [0], "turn": 15}
    content |= {"alliance": [0, -1, 0, -1, 0, -1][:players], "sale": 14, "scores": [5, 1, 5, 0, 5, 12][:players]}
    content |= {"spice": [[cell, 6 + cell % 19] for cell in range(0, CELLS, 3)], "foreseen_spice": 12}
    content |= {"pending": {"bid": 20, "bidder": 1, "cards_left": 5}, "discards": [1, 5, 0, 3, 0, 2, 7] + [1] * 10}
    content |= {"prediction": {"faction": 2, "turn": 15}}
    content["truths"] = [
        [0, 1, "card 16", False],
        [1, 0, "leader 24", True],
        [2, 1, "turn 9", True],
        [1, 2, "number 12", False],
    ]
    content["truths"] = [truth for truth in content["truths"] if max(truth[:2]) < players]
    for leader in range(LEADERS):
        content["leaders"]["alive"][leader] = leader % 2 == 0 and content["leaders"]["owner"][leader] >= 0
        content["leaders"]["used"][leader] = leader % 42 if leader % 4 == 0 else -1
        content["leaders"]["risen"][leader] = leader % 6 == 0
    for seat, player in enumerate(content["players"]):
        player["forces"] = [
            [cell, 1 + (cell + seat) % 20] for cell in range(CELLS) if (cell * 7 + seat) % 3 == 0 or cell == 58
        ]
        player |= {"spice": 129, "reserve": 20, "tanks": 18, "debts": [3] * players, "pledge": 20, "laid": 15}
        player |= {"laid_on": (seat + 1) % players, "traitors": [4, 5, 8, 24]}
    content["players"][0]["hand"] = [0, 1, 2, 3, 4, 5, 6, 16]
    return content


def over(winners: list[int]) -> Content:
    """A game that is over."""
    content = position([5, 3, 4, 2], decision="OVER", phase="over", seat=-1)
    content |= {"over": True, "actor": -1, "how": "strongholds", "winners": winners, "alliance": [0, -1, 0, -1]}
    content["scores"] = [14 if seat in winners else 1 for seat in range(4)]
    return content


def battle() -> Content:
    """A battle in the sector of the storm between the Fremen and the Guild, whose plan the Atreides half know."""
    content = position([4, 5, 3, 1, 6], decision="PRESCIENCE", phase="battle", seat=3)
    content |= {"storm": 13, "actor": 2, "spice": [[59, 8], [70, 10]], "last_blow": 35}
    content["players"][2]["forces"] = [[33, 4], [65, 7], [80, 2]]
    content["players"][0]["forces"] = [[59, 5], [65, 6], [81, 8]]
    content["leaders"]["owner"][30], content["leaders"]["alive"][30] = 4, True
    content["leaders"]["owner"][9], content["leaders"]["alive"][9] = 4, True
    plans = [{"leader": 17, "weapon": 1, "defence": 3, "number": 5}, {"hero": True, "leader": -1}]
    content["pending"] = {"field": 65, "defender": 0, "plans": plans}
    return content


def storm() -> Content:
    """The first storm of a game of two, which has reached nothing yet."""
    content = position([0, 1], decision="DIAL", phase="storm")
    return content | {"storm": 0, "turn": 1, "spice": [], "last_blow": -1}


NAMES = ["Ada", "Mei", "Noé", "Ines", "Theodora", "Bo"]
# The positions of the reference pictures, and how they are drawn.
POSITIONS: dict[str, tuple[Content, dict[str, Any]]] = {
    "bidding_3": (example(), {"names": NAMES[:3]}),
    "movement_6": (position([0, 1, 2, 3, 4, 5], decision="MOVE_FROM", seat=3), {"names": NAMES, "seat": 2}),
    "battle_5": (battle(), {"language": "fr"}),
    "view_4": (
        view(position([3, 0, 1, 2], decision="BID", phase="bidding", seat=1), 2),
        {"seat": 2, "names": NAMES[:4]},
    ),
    "storm_2": (storm(), {"seat": 1}),
    "crowded_6": (crowded(), {"names": NAMES}),
    "over_4": (over([0, 2]), {"names": NAMES[:4], "language": "fr"}),
}
