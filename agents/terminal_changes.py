"""Descriptions of the changes between two positions of a game."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from dunaia_env.dunaia.components import Components
from dunaia_env.dunaia.state import CHARACTER_NAMES, COLOUR_NAMES, EDGE_SQUARES, LEVELS, NONE
from dunaia_env.dunaia.texts import prophecy_text, tile_text

from .terminal_board import Content, pool_text


class Change(NamedTuple):
    """A difference between two positions.

    Attributes:
        seat: the seat that it belongs to; None for the common board.
        kind: the kind of the difference.
        text: a description.
    """

    seat: int | None
    kind: str
    text: str


def changes(before: Content, after: Content, components: Components) -> list[Change]:
    """The differences between two positions of a game: of each player, then of the common board."""
    found: list[Change] = []
    for seat, (old, new) in enumerate(zip(before["players"], after["players"], strict=True)):
        if after["die"] and after["seat"] == seat and (before["seat"] != seat or not before["die"]):
            found.append(Change(seat, "die", f"takes a die showing {after['die']}"))
        found += (Change(seat, kind, text) for kind, text in _player_changes(old, new, components))
    found += (Change(None, kind, text) for kind, text in _common_changes(before, after, components))
    return found


def _player_changes(old: Content, new: Content, components: Components) -> Iterator[tuple[str, str]]:
    if old["character"] != new["character"]:
        yield "character", f"is the {CHARACTER_NAMES[new['character']]}"
    for square, (was, now) in enumerate(zip(old["squares"], new["squares"], strict=True)):
        yield from _square_changes(square, was, now, components)
    for number, (was_at, now_at) in enumerate(zip(old["dunaias"], new["dunaias"], strict=True), 1):
        if was_at != now_at:
            first, second = EDGE_SQUARES[now_at].tolist()
            yield "dunaia", f"Dunaia {number} goes between squares {first} and {second}"
    if old["flowers"] != new["flowers"]:
        yield "flowers", f"flowers {old['flowers']} to {new['flowers']}"
    for kind, verb, chips in (
        ("plug", "plugs", set(new["chips"]) - set(old["chips"])),
        ("discard", "pays with", set(old["chips"]) - set(new["chips"])),
    ):
        if chips:
            numbers = " ".join(map(str, sorted(chips)))
            yield kind, f"{verb} {'chip' if len(chips) == 1 else 'chips'} {numbers}"
    if new["artefacts"] > old["artefacts"]:
        yield "artefact", f"completes an artefact, number {new['artefacts']}"
    else:
        for kind_of in sorted(set(new["fragments"]) - set(old["fragments"])):
            yield "fragment", f"takes fragment {kind_of}"
    if new["reserved"] not in {old["reserved"], NONE}:
        yield "reserve", f"reserves {tile_text(new['reserved'], components)}"


def _square_changes(
    square: int, was: Content | None, now: Content | None, components: Components
) -> Iterator[tuple[str, str]]:
    if now is None:
        return
    what = f"on square {square}"
    if was is None:
        yield "start", f"starts {tile_text(now['tile'], components)} {what}"
    if now["built"] and not (was and was["built"]):
        yield "completed", f"completes the building {what}"
    elif was and now["steps"] > was["steps"]:
        needed = components.record[0].steps[now["tile"]]
        yield "advance", f"building {what} at {now['steps']} of {needed}"
    for colour in now["colours"]:
        if not was or colour not in was["colours"]:
            yield "colour", f"a {COLOUR_NAMES[colour]} marker {what}"
    if now["die"] and not (was and was["die"]):
        yield "use", f"a die lies on the building {what}"


def _dice_count(content: Content) -> int:
    neutral: list[int] = content["dice"]["neutral"]
    return sum(neutral) + sum(1 for face in content["dice"]["own"] if face)


def _common_changes(before: Content, after: Content, components: Components) -> Iterator[tuple[str, str]]:
    if _dice_count(after) > _dice_count(before):
        own = " ".join(map(str, (face for face in after["dice"]["own"] if face)))
        yield "roll", f"the dice are rolled: neutral {pool_text(after)}; own {own or 'none'}"
    for old, new in zip(before["prophecies"], after["prophecies"], strict=True):
        if old["owner"] != new["owner"]:
            yield "prophecy", f"player {new['owner']} takes the prophecy {prophecy_text(new['id'], components)}"
    for level in range(LEVELS):
        for place, where in enumerate(("display", "pile_top")):
            tile = after[where][level]
            if tile not in {before[where][level], NONE}:
                yield "tile", f"offer [{2 * level + place}] is now {tile_text(tile, components)}"
    if before["final_round"] is None and after["final_round"] is not None:
        yield "end", f"the end is triggered: round {after['final_round']} is the last"
