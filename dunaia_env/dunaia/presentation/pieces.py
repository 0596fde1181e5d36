"""The names of the pieces in a drawn position.

A name is a kind followed by numbers, joined by hyphens: ``square-1-4`` is square 4 of seat 1. `KINDS` lists the kinds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from dunaia_env.dunaia import components, state as layout

Content = Mapping[str, Any]

_FACE = range(1, layout.FACES + 1)
_SEAT = range(layout.MAX_PLAYERS)

# The kinds of pieces, each with the ranges of its numbers.
KINDS: dict[str, tuple[range, ...]] = {
    "die": (_FACE,),  # the neutral dice of the pool that show a face
    "own-die": (_SEAT,),  # a player's own die in the pool
    "flip": (_FACE,),  # taking a neutral die of a face and turning it
    "flip-own": (_SEAT,),  # taking a player's own die and turning it
    "hand-die": (),  # the die in hand
    "offer": (range(layout.OFFERS),),  # 2 * level the displayed tile, 2 * level + 1 the visible top of the pile
    "reserved": (_SEAT,),  # the tile that a player has reserved
    "found": (),  # the tile found in a pile, before it is placed
    "pile": (range(layout.LEVELS), range(layout.TILES)),  # a tile in the pile of a level, the visible top included
    "elder": (range(layout.ELDER_SPACES),),
    "prophecy": (range(components.PROPHECIES),),
    "marker": (range(layout.COLOURS),),  # the colour markers of a colour that are left
    "character": (range(layout.CHARACTERS),),  # an elite character, still to be drafted or held by a player
    "square": (_SEAT, range(layout.SQUARES)),  # a square of a village, with the building on it
    "edge": (_SEAT, range(layout.EDGES)),  # a place for Dunaias
    "dunaia": (_SEAT, range(1, layout.DUNAIAS + 1)),
    "chip": (_SEAT, _FACE),  # a chip, plugged or in reserve
    "flowers": (_SEAT,),
    "tokens": (_SEAT,),  # construction tokens
    "artefacts": (_SEAT,),
    "fragments": (_SEAT,),  # the unfinished artefact
    "score": (_SEAT,),
    "power": (),  # buttons
    "pass": (),
}


def parse_piece(name: str) -> tuple[str, tuple[int, ...]]:
    """The kind of a piece and its numbers, from its name; raises `ValueError` naming what is wrong."""
    words = name.split("-")
    kind = "-".join(word for word in words if not word.isdecimal())
    ranges = KINDS.get(kind)
    if ranges is None:
        raise ValueError(f"piece: {name!r}; the kinds are {', '.join(KINDS)}")
    numbers = tuple(int(word) for word in words if word.isdecimal())
    if "-".join([kind, *map(str, numbers)]) != name or len(numbers) != len(ranges):
        raise ValueError(f"piece: expected {kind} and {len(ranges)} numbers, joined by hyphens, got {name!r}")
    for number, allowed in zip(numbers, ranges, strict=True):
        if number not in allowed:
            raise ValueError(f"piece: {name!r}; {number} is not in {allowed.start}..{allowed.stop - 1}")
    return kind, numbers


def check_piece(name: str, content: Content) -> tuple[str, tuple[int, ...]]:
    """Parse a piece's name as `parse_piece` does; raises `ValueError` also for a seat that is not at the table."""
    kind, numbers = parse_piece(name)
    ranges, players = KINDS[kind], len(content["players"])
    if ranges and ranges[0] is _SEAT and numbers[0] >= players:
        raise ValueError(f"piece: {name!r}; the table has {players} players")
    return kind, numbers


def all_pieces(content: Content) -> tuple[str, ...]:
    """The names of all pieces of a position, including the pieces that only some decisions show."""
    return tuple(_all_pieces(content))


def _all_pieces(content: Content) -> Iterator[str]:
    seat, decision = content["seat"], content["decision"]
    faces = [face for face, count in enumerate(content["dice"]["neutral"], 1) if count]
    yield from (f"die-{face}" for face in faces)
    yield from (f"own-die-{owner}" for owner, face in enumerate(content["dice"]["own"]) if face)
    if decision == "CHOOSE_DIE" and content["players"][seat]["character"] == layout.TRICKSTER:
        yield from (f"flip-{face}" for face in faces)
        if not faces:
            yield f"flip-own-{seat}"
    if content["die"]:
        yield "hand-die"
    for level in range(layout.LEVELS):
        for place, where in enumerate(("display", "pile_top")):
            if content[where][level] != layout.NONE:
                yield f"offer-{2 * level + place}"
    if "found" in content["pending"]:
        yield "found"
    if decision == "SEARCH":
        for level in range(layout.LEVELS):
            in_pile = {*content["piles"][level], content["pile_top"][level]} - {layout.NONE}
            yield from (f"pile-{level}-{tile}" for tile in sorted(in_pile))
    yield from (f"elder-{space}" for space in range(layout.ELDER_SPACES))
    yield from (f"prophecy-{prophecy['id']}" for prophecy in content["prophecies"])
    yield from (f"marker-{colour}" for colour in range(layout.COLOURS))
    yield from (f"character-{character}" for character in content["characters_available"])
    for owner, player in enumerate(content["players"]):
        yield from _pieces_of(owner, player)
    if not content["over"]:
        yield from ("power", "pass")


def _pieces_of(seat: int, player: Content) -> Iterator[str]:
    if player["character"] != layout.NONE:
        yield f"character-{player['character']}"
    if player["reserved"] != layout.NONE:
        yield f"reserved-{seat}"
    yield from (f"square-{seat}-{square}" for square in range(layout.SQUARES))
    yield from (f"edge-{seat}-{edge}" for edge in range(layout.EDGES))
    yield from (f"dunaia-{seat}-{number}" for number in range(1, layout.DUNAIAS + 1))
    yield from (f"chip-{seat}-{chip}" for chip in _FACE)
    yield from (f"{stock}-{seat}" for stock in ("flowers", "tokens", "artefacts", "fragments", "score"))
