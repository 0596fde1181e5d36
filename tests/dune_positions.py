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
    stored: dict[str, Content] = json.loads((FOLDER / "bidding_3.json").read_text(encoding="utf-8"))
    return stored["content"]


def position(factions: list[int], *, decision: str = "SHIP", phase: str = "movement", seat: int = 0) -> Content:
    """A position in the middle of a game of these factions; tokens and cards lie where the numbers fall."""
    content = deepcopy(example())
    count = len(factions)
    content |= {"seat": seat, "decision": decision, "phase": phase, "actor": seat, "turn": 7, "storm": 11}
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
    """What a seat may know: the rest is None or missing; sizes stand beside what is hidden."""
    known = deepcopy(content)
    for other, player in enumerate(known["players"]):
        if other != seat:
            player["hand_size"] = len(player["hand"])
            player |= {"hand": None, "discs": None, "traitors": None, "spice": None, "reserve": None}
            del player["foreseen"], player["laid"], player["pledge"]
    for pile in ("deck", "spice_deck"):
        known[f"{pile}_size"] = sum(known[pile])
        known[pile] = None
    known |= {"prediction": None, "foreseen_spice": None, "hidden_discards": None}
    if known["seat"] != seat:
        known["seat"] = known["decision"] = None
    known["leaders"]["change"] = None
    return known


def crowded(players: int = 6) -> Content:
    """As much as there can be of everything in one position, more than a game could have at once."""
    content = position([3, 4, 1, 5, 0, 2][:players], decision="BID", phase="bidding", seat=players - 1)
    content |= {"shield_wall": False, "storm": 8, "actor": -1, "silenced": [0], "turn": 15}
    content |= {"alliance": [0, -1, 0, -1, 0, -1][:players], "sale": 14, "scores": [5, 1, 5, 0, 5, 12][:players]}
    content |= {"spice": [[cell, 6 + cell % 19] for cell in range(0, CELLS, 3)], "foreseen_spice": 12}
    content |= {"pending": {"bid": 20, "bidder": 1, "cards_left": 5}, "discards": [1, 5, 0, 3, 0, 2, 7] + [1] * 10}
    content |= {"prediction": {"faction": 2, "turn": 15}}
    content["truths"] = [[0, 1, "card 16", False], [1, 0, "leader 24", True], [2, 1, "turn 9", True], [1, 2, "number 12", False]]
    content["truths"] = [truth for truth in content["truths"] if max(truth[:2]) < players]
    for leader in range(LEADERS):
        content["leaders"]["alive"][leader] = leader % 2 == 0 and content["leaders"]["owner"][leader] >= 0
        content["leaders"]["used"][leader] = leader % 42 if leader % 4 == 0 else -1
        content["leaders"]["risen"][leader] = leader % 6 == 0
    for seat, player in enumerate(content["players"]):
        player["forces"] = [[cell, 1 + (cell + seat) % 20] for cell in range(CELLS) if (cell * 7 + seat) % 3 == 0 or cell == 58]
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
