"""The names of the pieces in a drawn position, and the pieces that a person points at for each action.

A name is a kind followed by numbers, joined by hyphens: ``reserve-1`` is the reserve of seat 1. `KINDS` lists the kinds
that the picture draws. `CONTROLS` lists the kinds that it does not draw: answers and numbers, which a page offers as
buttons.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from dunaia_env.dune import board, state as layout
from dunaia_env.dune.components import Components, values
from dunaia_env.dune.presentation.planet import load_planet
from dunaia_env.dune.state import KINDS as CARD_KINDS

Content = Mapping[str, Any]

_SEAT, _CARD = range(layout.MAX_PLAYERS), range(CARD_KINDS)

# The kinds of drawn pieces, each with the ranges of its numbers; a kind may have two forms.
KINDS: dict[str, tuple[tuple[range, ...], ...]] = {
    "cell": ((range(layout.CELLS),),),  # a part of the map, with what lies and stands in it
    "territory": ((range(layout.TERRITORIES),),),  # its name on the map
    "storm": ((),),
    "seat": ((_SEAT,),),  # the heading of a player
    "spice": ((_SEAT,),),
    "reserve": ((_SEAT,),),
    "hand": ((_SEAT,),),  # the number of cards in hand
    "tanks": ((_SEAT,),),  # the dead tokens
    "card": ((_CARD,), (_SEAT, _CARD)),  # cards of a kind: of the seat that decides, or of another seat
    "leader": ((range(layout.LEADERS),),),
    "deck": ((),),
    "spice-deck": ((),),
    "discard": ((_CARD,),),
    "blow": ((range(layout.SPICE_KINDS),),),  # a spice card to come
}
# The kinds of pieces that are not drawn, in the same form.
CONTROLS: dict[str, tuple[tuple[range, ...], ...]] = {
    "pass": ((),),
    "yes": ((),),
    "number": ((range(layout.NUMBERS),),),
    "turns": ((),),  # questions about the turn of a prediction
    "turn": ((range(1, layout.MOST_TURNS + 1),),),
    "kind": ((_CARD,),),  # a kind of card, whether or not anybody holds one
    "must": ((),),  # the Voice's order to play a kind of card, and not to play one
    "must-not": ((),),
    "element": ((range(layout.ALL_ELEMENTS),),),  # an element of a plan that Atreides can see
}
_ALL = {**KINDS, **CONTROLS}


def parse_piece(name: str) -> tuple[str, tuple[int, ...]]:
    """The kind of a piece and its numbers; raises `ValueError` saying what is wrong with a name."""
    words = name.split("-")
    kind = "-".join(word for word in words if not word.isdecimal())
    ways = _ALL.get(kind)
    if ways is None:
        raise ValueError(f"piece: {name!r}; the kinds are {', '.join(_ALL)}")
    numbers = tuple(int(word) for word in words if word.isdecimal())
    counts = [len(way) for way in ways]
    if "-".join([kind, *map(str, numbers)]) != name or len(numbers) not in counts:
        needed = " or ".join(map(str, counts))
        raise ValueError(f"piece: expected {kind} and {needed} numbers, joined by hyphens, got {name!r}")
    for number, allowed in zip(numbers, ways[counts.index(len(numbers))], strict=True):
        if number not in allowed:
            raise ValueError(f"piece: {name!r}; {number} is not in {allowed.start}..{allowed.stop - 1}")
    return kind, numbers


def check_piece(name: str, content: Content) -> tuple[str, tuple[int, ...]]:
    """Parse a piece's name as `parse_piece` does; raises `ValueError` also for a seat that is not at the table."""
    kind, numbers = parse_piece(name)
    ways, players = _ALL[kind], len(content["players"])
    way = next(way for way in ways if len(way) == len(numbers))
    if way and way[0] is _SEAT and numbers[0] >= players:
        raise ValueError(f"piece: {name!r}; the table has {players} players")
    return kind, numbers


def is_drawn(name: str) -> bool:
    """Whether the picture draws pieces of the kind in a name; raises `ValueError` for a wrong name."""
    return parse_piece(name)[0] in KINDS


def pieces(action: str, content: Content) -> tuple[str, ...]:
    """The names of the pieces that a person points at, one after the other, for an action (its text).

    Different legal actions of a position have different names, and the names of one action never begin the names of
    another. The position is a state dictionary, or the view of the seat that decides.
    """
    verb, *numbers = action.split()
    return _PIECES[verb](content, *map(int, numbers))


def listed(action: str, content: Content, components: Components) -> int:
    """Where an action (its text) stands among the listed choices: areas that are no strongholds come last, as 1."""
    verb, *numbers = action.split()
    if verb not in ("cell", "territory"):
        return 0
    printed = values(components)
    territory = int(numbers[0]) if verb == "territory" else printed.territory_of[int(numbers[0])]
    return int(printed.type[territory] != board.STRONGHOLD)


def focus(content: Content, seat: int) -> list[str]:
    """The cells that the decision of a seat is about, or else those in which it has tokens."""
    planet, pending = load_planet(), content["pending"]
    if content["seat"] == seat:
        if "cell" in pending:
            return [f"cell-{pending['cell']}"]
        territory = planet.owners[pending["field"]] if "field" in pending else pending.get("origin")
        if territory is not None:
            return [f"cell-{cell}" for cell, owner in enumerate(planet.owners) if owner == territory]
    return [f"cell-{cell}" for cell, _ in content["players"][seat]["forces"]]


def _seat_of(content: Content, faction: int) -> int:
    return next(seat for seat, player in enumerate(content["players"]) if player["faction"] == faction)


def _named(content: Content, offset: int) -> int:
    return int((content["seat"] + offset) % len(content["players"]))


def _is_question(content: Content) -> bool:
    """Whether the decision is a question of a Truthtrance: its actions name what belongs to the questioned seat."""
    return bool(content["decision"] == "TRUTH")


def _karama(content: Content) -> tuple[str, ...]:
    """The card that is spent as a Karama; Bene Gesserit spends a worthless card first."""
    player = content["players"][content["seat"]]
    is_sister = player["faction"] == layout.BENE_GESSERIT and content["options"]["powers"]
    return (f"card-{layout.WORTHLESS if is_sister and layout.WORTHLESS in player['hand'] else layout.KARAMA_CARD}",)


def _territory(content: Content, territory: int) -> tuple[str, ...]:
    """The name of the territory; if tokens move or ride out of it, its cell with most tokens that can leave."""
    planet = load_planet()
    forces = content["players"][content["seat"]]["forces"]
    there = [
        (tokens, -cell)
        for cell, tokens in forces
        if planet.owners[cell] == territory and planet.sectors[cell] != content["storm"]
    ]
    if content["decision"] in ("MOVE_FROM", "RIDE") and there:
        return (f"cell-{-max(there)[1]}",)
    return (f"territory-{territory}",)


def _number(content: Content, number: int) -> tuple[str, ...]:
    if _is_question(content):
        return (f"spice-{content['pending']['target']}", f"number-{number}")
    return (f"number-{number}",)


def _card(content: Content, kind: int) -> tuple[str, ...]:
    if _is_question(content):
        return (f"hand-{content['pending']['target']}", f"kind-{kind}")
    return (f"card-{kind}",)


_PIECES: dict[str, Callable[..., tuple[str, ...]]] = {
    "pass": lambda content: ("pass",),
    "yes": lambda content: ("yes",),
    "karama": _karama,
    "orbit": lambda content: (f"reserve-{content['seat']}",),
    "number": _number,
    "cell": lambda content, cell: (f"cell-{cell}",),
    "territory": _territory,
    "leader": lambda content, leader: (f"leader-{leader}",),
    "card": _card,
    "seat": lambda content, offset: (f"seat-{_named(content, offset)}",),
    "faction": lambda content, faction: (f"seat-{_seat_of(content, faction)}",),
    "turn": lambda content, turn: ("turns", f"turn-{turn}") if _is_question(content) else (f"turn-{turn}",),
    "must": lambda content, kind: ("must", f"kind-{kind}"),
    "must_not": lambda content, kind: ("must-not", f"kind-{kind}"),
    "see": lambda content, element: (f"element-{element}",),
}
